//! A simulated drive as a network block device: real data in a sparse file, time from the model.
//!
//! A request is answered at its virtual time. Virtual time follows the machine's clock at some
//! speed, or, at full speed, advances only as requests need it, one after the other; then the same
//! requests give the same history.
//!
//! | module | contents |
//! |---|---|
//! | [`nbd`] | the protocol, without sockets |
//! | [`data`] | the drive's data, and older contents that a power cut may restore |
//! | [`clock`] | virtual time on the machine's clock |
//! | [`lateness`] | delay of answers against their virtual times |
//! | [`engine`] | translates requests of clients into requests of the drive |
//! | [`record`] | the log of clients' requests |
//! | [`server`] | sockets, in one thread that waits for all of them and for the drive |
//!
//! The crate accesses the drive through its target; no crate below depends on it.

pub mod clock;
pub mod data;
pub mod engine;
pub mod lateness;
pub mod nbd;
pub mod record;
pub mod server;

/// A logical page, bytes.
pub const PAGE_BYTES: u64 = stend_model::spec::PAGE_BYTES;
