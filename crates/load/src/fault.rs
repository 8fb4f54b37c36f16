//! Failures of a device under a load.

use stend_base::{Device, SimTime, Status};

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

/// More virtual time would pass than a device has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the drive's virtual time ends after {} days, and this goes on beyond: shorten it, or begin \
     with a new drive",
    end.0 / DAY_NS
)]
pub struct EndOfTime {
    /// End of the device's virtual time.
    pub end: SimTime,
}

/// A day, ns.
const DAY_NS: u64 = 86_400_000_000_000;

impl EndOfTime {
    /// Checks that an instant does not lie after the end of a device's time.
    ///
    /// # Errors
    /// [`EndOfTime`].
    pub fn check(device: &impl Device, at: SimTime) -> Result<(), EndOfTime> {
        let end = device.end_of_time();
        match at <= end {
            true => Ok(()),
            false => Err(EndOfTime { end }),
        }
    }
}

/// Cause of a request's failure, in words.
#[cold]
pub(crate) fn words(status: Status) -> &'static str {
    match status {
        Status::WriteProtected => "the device takes no writes any more",
        Status::MediaError => "the data could not be read back",
        Status::Ok => unreachable!("only failures have words"),
    }
}
