//! The interface between a load and a device that serves it in virtual time.

use crate::time::SimTime;

/// The operation of a request.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Op {
    /// Read the range.
    #[default]
    Read,
    /// Write the range.
    Write,
    /// Tell the device that the range holds no data any more (ATA DATA SET MANAGEMENT, TRIM).
    Trim,
    /// Make everything acknowledged so far durable.
    Flush,
}

/// One request. Offsets and lengths are multiples of 512 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Request {
    /// Chosen by the sender, returned in the [`Completion`]. The device never interprets it.
    pub tag: u32,
    /// The operation.
    pub op: Op,
    /// First byte.
    pub offset_bytes: u64,
    /// Number of bytes: 0 for [`Op::Flush`], above 0 for all others.
    pub len_bytes: u64,
    /// Number of the sending thread: a host may have a queue and a processor for each.
    pub queue: u16,
    /// Force unit access, of writes only: complete when the data is durable.
    pub fua: bool,
}

/// The end of one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The tag of the request.
    pub tag: u32,
    /// When the sender learned of it.
    pub at: SimTime,
    /// How it ended.
    pub status: Status,
}

/// How a request ended.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Status {
    /// The request was served.
    #[default]
    Ok,
    /// The device takes no writes any more.
    WriteProtected,
    /// The data could not be read back.
    MediaError,
}

/// Something that serves requests in virtual time.
///
/// The sender moves the clock: time passes only in [`Device::advance`]. Any number of requests may
/// be outstanding; a device with a smaller queue depth queues the rest in the order of submission.
pub trait Device {
    /// Capacity that can be addressed, bytes.
    fn capacity_bytes(&self) -> u64;

    /// The present instant.
    fn now(&self) -> SimTime;

    /// Hands over a request at the present instant.
    ///
    /// # Panics
    /// When the range lies outside the device, is not a multiple of 512 bytes, or is empty
    /// without being a flush: the sender checks its ranges.
    fn submit(&mut self, request: Request);

    /// A hint: a request that begins at this offset will probably be submitted some dozens of
    /// requests from now, so that the device may prefetch what it has to look up for it. Changes
    /// nothing that can be observed.
    #[inline]
    fn expect(&self, offset_bytes: u64) {
        let _ = offset_bytes;
    }

    /// The same hint for a write that is among the next requests; mostly after
    /// [`Device::expect`].
    #[inline]
    fn expect_write(&self, offset_bytes: u64) {
        let _ = offset_bytes;
    }

    /// Lets time pass until the next completion, or until `limit` if that comes first.
    ///
    /// Returns the completion, with [`Device::now`] equal to its instant; or `None`,
    /// with [`Device::now`] equal to `limit` (unchanged where that is
    /// [`SimTime::NEVER`]: nothing more will happen). Of completions of one instant, each call
    /// returns one, in a reproducible order. `limit` must not lie before [`Device::now`].
    fn advance(&mut self, limit: SimTime) -> Option<Completion>;

    /// When the device will do something by itself, if nothing is submitted before;
    /// [`SimTime::NEVER`] where it waits for requests alone, or does not know.
    fn next_event_at(&self) -> SimTime {
        SimTime::NEVER
    }

    /// When the device's virtual time ends; [`SimTime::NEVER`] where it does not. Nothing may be
    /// submitted at a later instant.
    fn end_of_time(&self) -> SimTime {
        SimTime::NEVER
    }

    /// Bytes that the device has written to its flash, for any reason, since it was made; `None`
    /// where unknown.
    fn flash_written_bytes(&self) -> Option<u64> {
        None
    }

    /// Bytes that the device can still write to its flash before other work (such as garbage
    /// collection) has to begin; `None` where unknown.
    fn steady_bytes(&self) -> Option<u64> {
        None
    }
}
