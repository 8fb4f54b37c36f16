//! Replies to requests.

use super::Errno;

const SIMPLE_MAGIC: u32 = 0x6744_6698;
const STRUCTURED_MAGIC: u32 = 0x668e_33ef;

/// The last chunk of a reply.
const DONE: u16 = 1;
const OFFSET_DATA: u16 = 1;
const ERROR: u16 = (1 << 15) + 1;

/// Result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Completed.
    Done,
    /// A read has completed.
    Read {
        /// First byte.
        offset_bytes: u64,
        /// The data.
        data: Vec<u8>,
    },
    /// The request failed.
    Failed {
        /// Error number.
        errno: Errno,
        /// True for a read, whose reply is structured if that was negotiated.
        is_read: bool,
    },
}

/// Appends a reply.
pub fn reply(structured: bool, cookie: u64, ended: &Ended, out: &mut Vec<u8>) {
    match ended {
        Ended::Read { offset_bytes, data } if structured => {
            chunk(out, OFFSET_DATA, cookie, 8 + data.len());
            out.extend(offset_bytes.to_be_bytes());
            out.extend(data);
        }
        Ended::Failed { errno, is_read } if structured && *is_read => {
            chunk(out, ERROR, cookie, 6);
            out.extend((*errno as u32).to_be_bytes());
            out.extend(0u16.to_be_bytes());
        }
        Ended::Done => simple(out, cookie, 0),
        Ended::Failed { errno, .. } => simple(out, cookie, *errno as u32),
        Ended::Read { data, .. } => {
            simple(out, cookie, 0);
            out.extend(data);
        }
    }
}

fn simple(out: &mut Vec<u8>, cookie: u64, errno: u32) {
    out.extend(SIMPLE_MAGIC.to_be_bytes());
    out.extend(errno.to_be_bytes());
    out.extend(cookie.to_be_bytes());
}

fn chunk(out: &mut Vec<u8>, kind: u16, cookie: u64, len: usize) {
    out.extend(STRUCTURED_MAGIC.to_be_bytes());
    out.extend(DONE.to_be_bytes());
    out.extend(kind.to_be_bytes());
    out.extend(cookie.to_be_bytes());
    out.extend((len as u32).to_be_bytes());
}
