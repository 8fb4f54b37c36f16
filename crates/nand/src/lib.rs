//! NAND flash: dies with their operations, channels that several dies share, and bit errors.
//!
//! It knows nothing of files, mapping or hosts. The caller gives the times, since it knows which
//! cell mode and page a command addresses. This crate puts operations in order, so that those that
//! share a die or a channel do not overlap.

pub mod array;
pub mod cell;
pub mod deviation;
mod dies;
pub mod overlap;
pub mod reliability;
pub mod schedule;

pub use array::Array;
pub use cell::CellTiming;
pub use dies::{ArrayCounters, Work};
pub use overlap::{Abilities, Suspend};
pub use schedule::{Class, Credits, Scheduling};
