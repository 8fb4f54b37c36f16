//! Facts that the machine and its drives report: the kind of target at a path, a device's
//! identity, link, health, temperature and activity.

pub(crate) mod activity;
pub(crate) mod device;
pub(crate) mod environment;
pub(crate) mod file;
pub(crate) mod health;
pub(crate) mod link;
pub(crate) mod nvme_tree;
pub(crate) mod path_kind;
#[cfg(test)]
pub(crate) mod recorded;
pub(crate) mod silence;
pub mod smartctl;
pub(crate) mod system;
pub(crate) mod thermometer;
