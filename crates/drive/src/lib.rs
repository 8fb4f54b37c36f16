//! A simulated solid-state drive whose behaviour follows from its described hardware
//! and firmware: NAND, SATA host path, controller cores, write buffer and read-ahead,
//! page mapping striped over dies, GC, a static SLC cache with on-chip
//! copy, parity, TRIM, idle work, and power cuts with what survives them.
//!
//! It is a discrete-event simulation in integer nanoseconds; the order of events is
//! total and documented in [`sim`]. Same model and same requests: same history.
//!
//! It never knows who sends the requests or what is measured.

pub mod health;
pub mod model;
pub mod sim;
pub mod spec;
pub mod state;
mod table;

pub use health::{Health, Temperature};
pub use model::Model;
pub use sim::{Counters, Energy, SimDrive, UserBytesError};
pub use spec::Spec;
