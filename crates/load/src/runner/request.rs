//! The next request of a job, and one in flight.

use stend_base::{Op, SimTime};

use crate::trace;

/// The first kind of a flush, after those of [`Direction`](crate::jobfile::Direction): one of
/// `fsync`.
pub(super) const SYNC: u8 = 3;
/// A flush of `fdatasync`.
pub(super) const DATASYNC: u8 = 4;
/// The flush of `end_fsync`.
pub(super) const END_SYNC: u8 = 5;

/// Operations by kind.
pub(super) const OPS: [Op; 6] = {
    let [read, write, trim, flush] = trace::OPS;
    [read, write, trim, flush, flush, flush]
};

/// A request in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub issued: SimTime,
    /// Bytes from the start of the target.
    pub offset: u64,
    pub len: u64,
    pub job: u32,
    /// Index of the direction, or [`SYNC`] and above.
    pub kind: u8,
}

/// Next action of a job with a free slot.
pub(super) enum Next {
    Submit {
        kind: u8,
        offset: u64,
        len: u64,
    },
    /// Nothing before a request completes.
    Hold,
    /// Nothing before this instant.
    Wake(SimTime),
    /// Nothing any more.
    Over,
}

/// A flush as the next request.
pub(super) const fn flush(kind: u8) -> Next {
    Next::Submit {
        kind,
        offset: 0,
        len: 0,
    }
}
