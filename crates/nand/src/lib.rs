//! NAND flash as a machine: dies that are busy with one operation at a time, and
//! channels over which several dies share the way to the controller.
//!
//! Nothing here knows of files, mapping or hosts. Times are given by the caller, who
//! knows which cell mode and page a command addresses; this crate lets them pass, in
//! the right order and with nothing overlapping that shares a die or a channel.

pub mod array;
pub mod cell;
pub mod overlap;
pub mod reliability;

pub use array::{Array, ArrayCounters, Class, Finished, Work};
pub use cell::CellTiming;
pub use overlap::{Abilities, Suspend};
