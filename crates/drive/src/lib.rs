//! A simulated solid-state drive whose behaviour follows from its described hardware and firmware:
//! flash, host interface, controller, buffer, FTL, persistence, power and health.
//!
//! It is a discrete-event simulation in integer nanoseconds; the order of events is total and
//! documented in [`sim`]. The same model and the same requests give the same history.
//!
//! It never knows who sends the requests or what is measured.

pub mod nand;
pub mod sim;
pub mod state;
mod table;

// Tests from outside, by the crate's name. They are compiled with the crate, for only so are there
// faults to switch on and an account of what was lost; and one program is compiled and linked.
#[cfg(test)]
extern crate self as stend_drive;
#[cfg(test)]
#[path = "../tests/main.rs"]
mod tests;

pub use sim::{Counters, Energy, LogicalPage, RoundStart, SimDrive, UserBytesError};
