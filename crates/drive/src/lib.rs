//! A simulated solid-state drive whose behaviour follows from its described hardware and firmware:
//! flash, host interface, controller, buffer, FTL, persistence, power and health.
//!
//! It is a discrete-event simulation in integer nanoseconds; the order of events is total and
//! documented in [`sim`]. The same model and the same requests give the same history.
//!
//! The crate does not depend on the sender of the requests, nor on the quantity that is measured.

pub mod nand;
pub mod sim;
pub mod state;
mod table;

// The integration tests. They are modules of the crate, because only then can they inject faults
// and read the account of lost data; and only one program has to be compiled and linked.
#[cfg(test)]
extern crate self as stend_drive;
#[cfg(test)]
#[path = "../tests/main.rs"]
mod tests;

pub use sim::{
    Counters, Energy, Inspection, LogicalPage, RoundStart, Service, SimDrive, UserBytesError,
};
