//! The tables L2P and P2L, from logical to physical pages and back, the validity of physical pages,
//! and the storage of the tables in memory.

mod compact;
pub(in crate::sim) mod probe;
mod reuse;
mod row;
pub(in crate::sim) mod rows;
mod shared_table;
pub(in crate::sim) mod table;

#[cfg(test)]
pub use shared_table::keep_tables_compact;
