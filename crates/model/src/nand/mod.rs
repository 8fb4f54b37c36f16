//! Properties of NAND flash: timing of cells, deviations of word lines and dies, bit errors, and
//! the operations that a die overlaps and the order in which it takes them.

pub mod abilities;
pub mod cell;
pub mod deviation;
pub mod reliability;
pub mod schedule;

pub use abilities::{Abilities, Suspend};
pub use cell::CellTiming;
pub use schedule::{Class, Credits, Scheduling};
