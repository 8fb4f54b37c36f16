//! NAND flash: dies with their operations, and channels that several dies share.
//!
//! It knows nothing of files, mapping or hosts. The caller gives the times, since it knows which
//! cell mode and page a command addresses. This module puts operations in order, so that those that
//! share a die or a channel do not overlap.

pub mod array;
mod dies;
pub mod overlap;

pub use array::Array;
pub use dies::{ArrayCounters, Work};
