//! A simulated drive as a network block device: real data in a sparse file, time from the model.
//!
//! A request is answered when its virtual time has come. Virtual time follows the clock of the
//! machine at some speed, or, at full speed, passes only as requests need it, one after the other;
//! then the same requests give the same history.
//!
//! | module | what |
//! |---|---|
//! | [`nbd`] | the protocol, without sockets |
//! | [`data`] | what the drive holds, and what a power cut may bring back |
//! | [`clock`] | virtual time beside the machine's |
//! | [`lateness`] | how much later than its time a request was answered |
//! | [`engine`] | requests of clients become requests of the drive |
//! | [`record`] | the log of what clients requested |
//! | [`server`] | sockets, in one thread that waits for all of them and for the drive |
//!
//! It knows the drive through its target; nobody below knows of it.

pub mod clock;
pub mod data;
pub mod engine;
pub mod lateness;
pub mod nbd;
pub mod record;
pub mod server;

/// A logical page, bytes.
pub const PAGE_BYTES: u64 = stend_model::spec::PAGE_BYTES;
