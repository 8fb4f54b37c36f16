//! One connection, without its socket.

use super::handshake::{Negotiated, Next, OPTION_BYTES_MAX, OPTION_MAGIC, greet};
use super::{Ended, Errno, Export, Kind, PAYLOAD_BYTES_MAX, Request, SECTOR_BYTES, reply};

const REQUEST_MAGIC: u32 = 0x2560_9513;
/// Bytes of a request without its payload.
const REQUEST_BYTES: usize = 28;
/// Bytes of an option without its data.
const OPTION_BYTES: usize = 16;

mod command {
    pub const READ: u16 = 0;
    pub const WRITE: u16 = 1;
    pub const DISCONNECT: u16 = 2;
    pub const FLUSH: u16 = 3;
    pub const TRIM: u16 = 4;
    pub const WRITE_ZEROES: u16 = 6;
}

mod flag {
    pub const FUA: u16 = 1;
    pub const NO_HOLE: u16 = 2;
    pub const DF: u16 = 4;
}

/// A violation of the protocol by a client: the connection must be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// Flags that no server has offered.
    #[error("its flags are not those that were offered")]
    Flags,
    /// An option without its magic number, or one that is too long.
    #[error("the client sent no option where the protocol requires one")]
    Option,
    /// A request without its magic number, or one whose payload is too long to be skipped.
    #[error("the client sent no valid request, or one of more than {PAYLOAD_BYTES_MAX} bytes")]
    Request,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Flags,
    Options,
    Transmission,
    Ended,
}

/// One connection.
#[derive(Debug)]
pub struct Session {
    export: Export,
    stage: Stage,
    negotiated: Negotiated,
    /// Received bytes, of which those from `begin` on are not parsed yet.
    buffer: Vec<u8>,
    begin: usize,
}

impl Session {
    /// Creates a session, and appends the server's greeting.
    pub fn new(export: Export, out: &mut Vec<u8>) -> Session {
        greet(out);
        Session {
            export,
            stage: Stage::Flags,
            negotiated: Negotiated::default(),
            buffer: Vec::new(),
            begin: 0,
        }
    }

    /// True if the client has ended the connection.
    pub fn has_ended(&self) -> bool {
        self.stage == Stage::Ended
    }

    /// Adds received bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.begin > 0 {
            self.buffer.drain(..self.begin);
            self.begin = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Appends the reply to a request.
    pub fn reply(&self, cookie: u64, ended: &Ended, out: &mut Vec<u8>) {
        reply(self.negotiated.structured, cookie, ended, out);
    }

    /// Returns the next complete request. Messages that need no drive are answered here.
    ///
    /// # Errors
    /// [`ProtocolError`]: the connection must be closed.
    pub fn next_request(&mut self, out: &mut Vec<u8>) -> Result<Option<Request>, ProtocolError> {
        loop {
            let goes_on = match self.stage {
                Stage::Flags => self.flags()?,
                Stage::Options => self.option(out)?,
                Stage::Ended => false,
                Stage::Transmission => match self.request(out)? {
                    Received::Whole(request) => return Ok(Some(request)),
                    Received::Answered => true,
                    Received::Part => false,
                },
            };
            if !goes_on {
                return Ok(None);
            }
        }
    }

    /// Received bytes that are not parsed yet.
    fn rest(&self) -> &[u8] {
        &self.buffer[self.begin..]
    }

    fn flags(&mut self) -> Result<bool, ProtocolError> {
        let Some(flags) = self.rest().first_chunk::<4>() else {
            return Ok(false);
        };
        let flags = u32::from_be_bytes(*flags);
        self.negotiated = Negotiated::of_flags(flags).ok_or(ProtocolError::Flags)?;
        self.begin += 4;
        self.stage = Stage::Options;
        Ok(true)
    }

    fn option(&mut self, out: &mut Vec<u8>) -> Result<bool, ProtocolError> {
        let rest = &self.buffer[self.begin..];
        let Some(head) = rest.first_chunk::<OPTION_BYTES>() else {
            return Ok(false);
        };
        let mut fields = Fields(head);
        let (magic, option, len) = (fields.u64(), fields.u32(), fields.u32());
        if magic != OPTION_MAGIC || len > OPTION_BYTES_MAX {
            return Err(ProtocolError::Option);
        }
        let end = OPTION_BYTES + len as usize;
        let Some(data) = rest.get(OPTION_BYTES..end) else {
            return Ok(false);
        };
        self.stage = match self.negotiated.option(&self.export, option, data, out) {
            Next::Option => Stage::Options,
            Next::Transmission => Stage::Transmission,
            Next::End => Stage::Ended,
        };
        self.begin += end;
        Ok(true)
    }

    fn request(&mut self, out: &mut Vec<u8>) -> Result<Received, ProtocolError> {
        let rest = &self.buffer[self.begin..];
        let Some(head) = rest.first_chunk::<REQUEST_BYTES>() else {
            return Ok(Received::Part);
        };
        let mut fields = Fields(head);
        let magic = fields.u32();
        let (flags, kind) = (fields.u16(), fields.u16());
        let (cookie, offset_bytes, len) = (fields.u64(), fields.u64(), fields.u32());
        let payload = if kind == command::WRITE { len } else { 0 };
        if magic != REQUEST_MAGIC || payload > PAYLOAD_BYTES_MAX {
            return Err(ProtocolError::Request);
        }
        let end = REQUEST_BYTES + payload as usize;
        let Some(data) = rest.get(REQUEST_BYTES..end) else {
            return Ok(Received::Part);
        };
        let data = data.to_vec();
        self.begin += end;
        if kind == command::DISCONNECT {
            self.stage = Stage::Ended;
            return Ok(Received::Answered);
        }
        match self.checked(kind, flags, offset_bytes, len) {
            Ok(kind) => Ok(Received::Whole(Request {
                cookie,
                kind,
                offset_bytes,
                len_bytes: len.into(),
                fua: flags & flag::FUA != 0,
                data,
            })),
            Err(errno) => {
                let is_read = kind == command::READ;
                self.reply(cookie, &Ended::Failed { errno, is_read }, out);
                Ok(Received::Answered)
            }
        }
    }

    /// Returns the kind of a request if its flags and range are allowed.
    fn checked(&self, kind: u16, flags: u16, offset: u64, len: u32) -> Result<Kind, Errno> {
        let (kind, allowed) = match kind {
            command::READ => (Kind::Read, flag::FUA | flag::DF),
            command::WRITE => (Kind::Write, flag::FUA),
            command::FLUSH => (Kind::Flush, flag::FUA),
            command::TRIM if self.export.trim => (Kind::Trim, flag::FUA),
            command::WRITE_ZEROES => {
                let may_trim = flags & flag::NO_HOLE == 0;
                let zeroes = Kind::WriteZeroes { may_trim };
                (zeroes, flag::FUA | flag::NO_HOLE)
            }
            _ => return Err(Errno::Invalid),
        };
        let sectors = u64::from(SECTOR_BYTES);
        let (len, size) = (u64::from(len), self.export.size_bytes);
        if kind == Kind::Flush {
            let plain = offset == 0 && len == 0 && flags & !allowed == 0;
            return if plain { Ok(kind) } else { Err(Errno::Invalid) };
        }
        let whole = offset.is_multiple_of(sectors) && len.is_multiple_of(sectors) && len > 0;
        let too_long = kind == Kind::Read && len > u64::from(PAYLOAD_BYTES_MAX);
        if flags & !allowed != 0 || !whole || too_long {
            return Err(Errno::Invalid);
        }
        match offset.checked_add(len) {
            Some(end) if end <= size => Ok(kind),
            _ if kind == Kind::Read => Err(Errno::Invalid),
            _ => Err(Errno::NoSpace),
        }
    }
}

enum Received {
    Whole(Request),
    /// Answered without the drive.
    Answered,
    /// Incomplete: more bytes are needed.
    Part,
}

/// Parses the fields of a complete header, in network byte order.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (field, rest) = self.0.split_first_chunk().expect("the head has its length");
        self.0 = rest;
        *field
    }

    fn u16(&mut self) -> u16 {
        u16::from_be_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_be_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_be_bytes(self.take())
    }
}
