//! The next request of a job, and one in flight.

use stend_base::SimTime;

/// The index of flushes, after those of [`Direction`], in [`OPS`](crate::trace::OPS).
pub(super) const SYNC: u8 = 3;

/// A request in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub issued: SimTime,
    /// Bytes from the start of the target.
    pub offset: u64,
    pub len: u64,
    pub job: u32,
    /// Index of the direction, or [`SYNC`].
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
pub(super) const FLUSH: Next = Next::Submit {
    kind: SYNC,
    offset: 0,
    len: 0,
};
