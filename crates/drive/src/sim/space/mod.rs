//! Room to write in: superblocks, SLC caches and their folding, collection and its policies,
//! idle work, wear levelling.

pub(in crate::sim) mod blocks;
pub(in crate::sim) mod cache;
pub(in crate::sim) mod collect;
pub(in crate::sim) mod fold;
pub(in crate::sim) mod idle;
pub(in crate::sim) mod limits;
mod outlook;
pub(in crate::sim) mod over_provisioning;
pub(in crate::sim) mod policy;
pub(in crate::sim) mod superblocks;
pub(in crate::sim) mod wear;
