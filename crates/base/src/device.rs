//! Interface between a load and a device that serves it in virtual time.

use crate::time::SimTime;

/// Operation of a request.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Op {
    /// Reads the range.
    #[default]
    Read,
    /// Writes the range.
    Write,
    /// Tells the device that the range no longer holds data (ATA DATA SET MANAGEMENT, TRIM).
    Trim,
    /// Makes everything acknowledged so far durable.
    Flush,
}

/// One request. Offsets and lengths are multiples of 512 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Request {
    /// Number chosen by the sender and returned in the [`Completion`]. The device never interprets
    /// it.
    pub tag: u32,
    /// Operation.
    pub op: Op,
    /// First byte.
    pub offset_bytes: u64,
    /// Number of bytes: 0 for [`Op::Flush`], above 0 for all others.
    pub len_bytes: u64,
    /// Number of the sending thread: a host may have a queue and a processor for each.
    pub queue: u16,
    /// Force unit access, for writes only: the request completes when the data is durable.
    pub fua: bool,
}

/// End of one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Tag of the request.
    pub tag: u32,
    /// Instant at which the sender learned of the end.
    pub at: SimTime,
    /// Status of the request.
    pub status: Status,
}

/// Status with which a request ended.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Status {
    /// The request was served.
    #[default]
    Ok,
    /// The device accepts no more writes.
    WriteProtected,
    /// The data could not be read back.
    MediaError,
}

/// Device that serves requests in virtual time.
///
/// The sender moves the clock: time passes only in [`Device::advance`]. Any number of requests may
/// be outstanding; a device with a smaller queue depth queues the rest in the order of submission.
pub trait Device {
    /// Addressable capacity, bytes.
    fn capacity_bytes(&self) -> u64;

    /// Present instant.
    fn now(&self) -> SimTime;

    /// Submits a request at the present instant.
    ///
    /// # Panics
    /// If the range lies outside the device, is not a multiple of 512 bytes, or is empty without
    /// being a flush: the sender checks its ranges.
    fn submit(&mut self, request: Request);

    /// Hints that a request that begins at this offset will probably be submitted some dozens of
    /// requests from now, so that the device may prefetch the entries that it has to look up for
    /// it. Changes nothing that can be observed.
    #[inline]
    fn expect(&self, offset_bytes: u64) {
        let _ = offset_bytes;
    }

    /// Gives the same hint for a write that is among the next requests; mostly after
    /// [`Device::expect`].
    #[inline]
    fn expect_write(&self, offset_bytes: u64) {
        let _ = offset_bytes;
    }

    /// Lets time pass until the next completion, or until `limit` if that comes first.
    ///
    /// Returns the completion, with [`Device::now`] equal to its instant; or `None`, with
    /// [`Device::now`] equal to `limit` (unchanged if `limit` is [`SimTime::NEVER`]: nothing more
    /// will happen). If several completions have the same instant, each call returns one, in a
    /// reproducible order. `limit` must not lie before [`Device::now`].
    fn advance(&mut self, limit: SimTime) -> Option<Completion>;

    /// Instant at which the device will act by itself if nothing is submitted before;
    /// [`SimTime::NEVER`] if it waits for requests alone, or does not know.
    fn next_event_at(&self) -> SimTime {
        SimTime::NEVER
    }

    /// End of the device's virtual time; [`SimTime::NEVER`] if it has none. Nothing may be
    /// submitted at a later instant.
    fn end_of_time(&self) -> SimTime {
        SimTime::NEVER
    }

    /// Bytes that the device has written to its flash, for any reason, since it was created; `None`
    /// if unknown.
    fn flash_written_bytes(&self) -> Option<u64> {
        None
    }

    /// Bytes that the device can still write to its flash before other work (such as garbage
    /// collection) has to begin; `None` if unknown.
    fn steady_bytes(&self) -> Option<u64> {
        None
    }
}
