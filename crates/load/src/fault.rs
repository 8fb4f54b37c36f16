//! How a device fails its load.

use stend_base::{SimTime, Status};

/// The device has requests and never completes them: a fault of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device stopped at {at_ns} ns with {outstanding} requests unanswered")]
pub struct Stalled {
    /// The last instant, ns.
    pub at_ns: u64,
    /// Requests in flight.
    pub outstanding: u32,
}

impl Stalled {
    pub(crate) fn at(now: SimTime, outstanding: u32) -> Stalled {
        Stalled {
            at_ns: now.0,
            outstanding,
        }
    }
}

/// Why a request failed.
#[cold]
pub(crate) fn words(status: Status) -> &'static str {
    match status {
        Status::WriteProtected => "the device takes no writes any more",
        Status::MediaError => "the data could not be read back",
        Status::Ok => unreachable!("only failures have words"),
    }
}
