//! The network block device protocol according to its specification (NetworkBlockDevice/nbd,
//! `doc/proto.md`): fixed newstyle negotiation, simple and structured replies.
//!
//! A [`Session`] is one connection without its socket: it receives the client's bytes, returns
//! requests, and appends the bytes to send to a buffer. It never blocks, and for any input it
//! neither panics nor stores more than one request of the largest size.

mod handshake;
mod reply;
mod session;

pub use reply::{Ended, reply};
pub use session::{ProtocolError, Session};

/// Maximum payload of a request, bytes; the specification requires clients to respect it unless the
/// server advertises another limit.
pub const PAYLOAD_BYTES_MAX: u32 = 32 << 20;

/// Offsets and lengths are multiples of this, bytes: a logical sector.
pub const SECTOR_BYTES: u32 = 512;

/// Preferred multiple of offsets and lengths, bytes: the drive need not read the rest of a page.
pub const PREFERRED_BYTES: u32 = 4096;

/// The exported drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Name of the export; clients may also leave it empty.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// Bytes.
    pub size_bytes: u64,
    /// True if TRIM is offered.
    pub trim: bool,
}

impl Export {
    /// Transmission flags.
    fn flags(&self) -> u16 {
        const HAS_FLAGS: u16 = 1;
        const SEND_FLUSH: u16 = 1 << 2;
        const SEND_FUA: u16 = 1 << 3;
        const SEND_TRIM: u16 = 1 << 5;
        const SEND_WRITE_ZEROES: u16 = 1 << 6;
        const SEND_DF: u16 = 1 << 7;
        const CAN_MULTI_CONN: u16 = 1 << 8;
        let trim = if self.trim { SEND_TRIM } else { 0 };
        HAS_FLAGS | SEND_FLUSH | SEND_FUA | SEND_WRITE_ZEROES | SEND_DF | CAN_MULTI_CONN | trim
    }
}

/// Kind of a client's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// NBD_CMD_READ.
    Read,
    /// NBD_CMD_WRITE.
    Write,
    /// NBD_CMD_FLUSH.
    Flush,
    /// NBD_CMD_TRIM.
    Trim,
    /// NBD_CMD_WRITE_ZEROES; `may_trim` is true unless the client forbids holes.
    WriteZeroes {
        /// True if the space may be freed.
        may_trim: bool,
    },
}

/// A request of a client, whose range has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number that the reply repeats.
    pub cookie: u64,
    /// Kind of the request.
    pub kind: Kind,
    /// First byte.
    pub offset_bytes: u64,
    /// Bytes; 0 for a flush.
    pub len_bytes: u64,
    /// Force unit access.
    pub fua: bool,
    /// Data to write.
    pub data: Vec<u8>,
}

/// Error numbers of replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Errno {
    /// The device accepts no more writes (EPERM).
    NotPermitted = 1,
    /// The data cannot be read (EIO).
    Io = 5,
    /// The request is invalid (EINVAL).
    Invalid = 22,
    /// The range ends beyond the device (ENOSPC).
    NoSpace = 28,
    /// The server is being ended (ESHUTDOWN).
    Shutdown = 108,
}
