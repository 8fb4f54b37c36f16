//! Foundation of all crates: virtual time in integer nanoseconds, the total order of events,
//! reproducible random streams, exponentials in integers, and the interface between a load and a
//! device.
//!
//! This crate knows nothing of drives or measurements.

pub mod device;
pub mod exponential;
pub mod queue;
pub mod rng;
pub mod time;

pub use device::{Completion, Device, Op, Request, Status};
pub use queue::{Event, EventQueue, Lane};
pub use rng::{Rng, job_seed, splitmix64};
pub use time::{Nanos, SimTime};
