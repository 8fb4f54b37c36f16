//! The mapping tables: from logical to physical pages and back, which physical pages are valid, and
//! how the tables are kept in memory.

pub(in crate::sim) mod mapping;
pub(crate) mod memory;
pub(in crate::sim) mod probe;
mod reuse;
mod table;
