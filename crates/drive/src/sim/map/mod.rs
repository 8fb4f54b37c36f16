//! Where data lies: the layout of superblocks and slots, the table from logical to physical
//! units, and the part of it that memory holds.

pub(in crate::sim) mod divider;
pub(in crate::sim) mod layout;
pub(in crate::sim) mod map_cache;
pub(in crate::sim) mod mapping;
pub(crate) mod memory;
pub(in crate::sim) mod probe;
mod reuse;
pub(in crate::sim) mod shape;
mod table;
