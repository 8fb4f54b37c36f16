//! The ground everything else stands on: virtual time in integer nanoseconds,
//! the total order of events, reproducible random streams, and the protocol by
//! which a load and a drive talk.
//!
//! Nothing here knows what a drive is made of or what is measured.

pub mod device;
pub mod queue;
pub mod rng;
pub mod time;

pub use device::{Completion, Device, Op, Request, Status};
pub use queue::{Event, EventQueue, Lane};
pub use rng::Rng;
pub use time::{Nanos, SimTime};
