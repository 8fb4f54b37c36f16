//! What stands between the host and the firmware: processors and links, the command and its
//! slot, what holds a command back, TRIM.

pub(in crate::sim) mod admission;
pub(in crate::sim) mod command;
pub(in crate::sim) mod cpus;
pub(in crate::sim) mod link;
pub(in crate::sim) mod trim;
pub(in crate::sim) mod turns;
