//! The network block device protocol, as its specification has it
//! (NetworkBlockDevice/nbd, `doc/proto.md`): fixed newstyle negotiation, simple and structured
//! replies.
//!
//! A [`Session`] is one connection without its socket: bytes of the client go in, requests come
//! out, and what is to be sent is appended to a buffer. It never waits, and whatever comes, it
//! neither panics nor keeps more than one request of the largest size.

mod handshake;
mod reply;
mod session;

pub use reply::{Ended, reply};
pub use session::{ProtocolError, Session};

/// The largest payload of a request, bytes; the specification asks of clients to keep to it unless
/// they know better.
pub const PAYLOAD_BYTES_MAX: u32 = 32 << 20;

/// Offsets and lengths are multiples of this, bytes: a logical sector.
pub const SECTOR_BYTES: u32 = 512;

/// Lengths and offsets that cost the drive no read of what they leave, bytes.
pub const PREFERRED_BYTES: u32 = 4096;

/// What is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its name; clients may also leave it empty.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// Bytes.
    pub size_bytes: u64,
    /// Whether TRIM is offered.
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

/// What a client requests.
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
    /// NBD_CMD_WRITE_ZEROES; `may_trim` unless the client wants no hole.
    WriteZeroes {
        /// The space may be given back.
        may_trim: bool,
    },
}

/// A request of a client, whose range has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What the reply repeats.
    pub cookie: u64,
    /// What is requested.
    pub kind: Kind,
    /// First byte.
    pub offset_bytes: u64,
    /// Bytes; 0 for a flush.
    pub len_bytes: u64,
    /// Force unit access.
    pub fua: bool,
    /// What is to be written.
    pub data: Vec<u8>,
}

/// Error numbers of replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Errno {
    /// The device takes no writes any more (EPERM).
    NotPermitted = 1,
    /// The data cannot be read (EIO).
    Io = 5,
    /// The request makes no sense (EINVAL).
    Invalid = 22,
    /// The range ends beyond the device (ENOSPC).
    NoSpace = 28,
    /// The server is being ended (ESHUTDOWN).
    Shutdown = 108,
}
