//! The simulated drive: its components, lower ones first, and their wiring.
//!
//! A component owns its fields. It gets references to the components below it, and returns the work
//! for those above; [`SimDrive`] starts that work.

mod counters;
mod due;
mod env;
mod faults;
mod geometry;
mod ids;
mod kind;
mod limits;

mod buffer;
mod controller;
mod ftl;
pub(crate) mod l2p;
mod media;
mod patrol;
mod persistence;
mod slab;
mod store;
mod superblocks;
mod times;

mod emptying;
mod failures;
mod fold;
mod frontend;
mod gc;
mod half_duplex;
mod host;
mod idle;
mod power;
mod reads;
mod reclaim;
mod repeat;
mod trim;
mod writes;

mod drive;

pub use counters::Counters;
pub use drive::{EARLIER_TAG, Inspection, LogicalPage, Service, SimDrive, UserBytesError};
#[cfg(test)]
pub use failures::losses::{Loss, LossCause, Losses};
#[cfg(test)]
pub use faults::Fault;
#[cfg(test)]
pub use l2p::keep_tables_compact;
pub use l2p::probe::MappingLog;
#[cfg(test)]
pub use media::errors::PageState;
pub use power::Energy;
pub use repeat::RoundStart;
