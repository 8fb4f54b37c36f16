//! fio's iolog, versions 2 and 3 (fio's manual, "Trace file format").
//!
//! The behaviour of fio 3.33 counts, as tried, where its manual says nothing or differs:
//!
//! - The time of version 3 is in microseconds, from the file's first line.
//! - `FILE wait N 0` of version 2 waits until N *milliseconds after the beginning*; the manual has
//!   microseconds since the wait before (also reported in axboe/fio issue 756).
//! - When fio replays version 3, it drops the time between a request at 0 and the next. So
//!   [`write`] begins at 1.
//! - fio 3.33 cannot replay `trim` ("bad ddir: 2").
//!
//! An iolog has no FUA.

use std::io::{self, Write};

use stend_base::{Nanos, Op};

use super::line::{Disk, Line, nanos, number};
use super::{TraceRequest, op_name};

/// First line of version 2.
pub const HEADER_V2: &str = "fio version 2 iolog";
/// First line of version 3.
pub const HEADER_V3: &str = "fio version 3 iolog";

/// Length of each part but the last of a longer request, since fio reads lengths as 32 bits.
const PART_BYTES: u64 = (4 << 30) - (1 << 20);

/// State from earlier lines.
pub(super) struct Parser {
    version: u8,
    /// Version 3: the time of the first line. Version 2: unused.
    base: Option<Nanos>,
    /// Version 2: the latest wait.
    waited: Nanos,
}

impl Parser {
    pub(super) fn new(version: u8) -> Parser {
        Parser {
            version,
            base: None,
            waited: Nanos::ZERO,
        }
    }

    pub(super) fn line<'a>(&mut self, line: &'a str) -> Result<Line<'a>, String> {
        if line.is_empty() || line == HEADER_V2 || line == HEADER_V3 {
            return Ok(Line::Nothing);
        }
        let mut fields = line.split_ascii_whitespace();
        let at = if self.version == 3 {
            let at = nanos(
                number(fields.next().unwrap_or_default(), "a time in µs")?,
                1000,
            )?;
            let base = *self.base.get_or_insert(at);
            Nanos(at.0.saturating_sub(base.0))
        } else {
            self.waited
        };
        let fields: [Option<&str>; 5] = std::array::from_fn(|_| fields.next());
        let (name, action, offset, len) = match fields {
            [Some(_), Some("add" | "open" | "close"), None, ..] => return Ok(Line::Nothing),
            [Some(name), Some(action), Some(offset), Some(len), None] => {
                (name, action, offset, len)
            }
            _ => {
                return Err(format!(
                    "`{line}` is neither `{0}FILE add|open|close` nor `{0}FILE ACTION OFFSET \
                    LENGTH`",
                    if self.version == 3 { "TIME " } else { "" }
                ));
            }
        };
        let offset_bytes = number(offset, "an offset in bytes")?;
        let len_bytes = number(len, "a length in bytes")?;
        let op = match action {
            "read" => Op::Read,
            "write" => Op::Write,
            "trim" => Op::Trim,
            "sync" | "datasync" => Op::Flush,
            "wait" if self.version == 2 => {
                self.waited = self.waited.max(nanos(offset_bytes, 1_000_000)?);
                return Ok(Line::Nothing);
            }
            _ => {
                let wait = if self.version == 2 { ", wait" } else { "" };
                return Err(format!(
                    "the action `{action}` is not known; there are read, write, trim, sync, \
                     datasync{wait}"
                ));
            }
        };
        if op != Op::Flush && len_bytes == 0 {
            return Err(format!("a {} of no bytes", op_name(op)));
        }
        let is_flush = op == Op::Flush;
        Ok(Line::Request {
            disk: Disk::Name(name),
            request: TraceRequest {
                at,
                op,
                offset_bytes: if is_flush { 0 } else { offset_bytes },
                len_bytes: if is_flush { 0 } else { len_bytes },
                ..TraceRequest::default()
            },
            flush_before: false,
        })
    }
}

/// Writes version 3, for a file or device with a name.
///
/// Times are rounded down to microseconds and never decrease; FUA is lost; a request of 4 GiB or
/// more becomes several at the same time.
pub struct Writer<W: Write> {
    out: W,
    file: String,
    last_us: u64,
}

impl<W: Write> Writer<W> {
    /// Begins the file.
    ///
    /// # Errors
    /// Errors of writing. [`io::ErrorKind::InvalidInput`] for a name with a blank in it, which fio
    /// could not read.
    pub fn new(mut out: W, file: &str) -> io::Result<Writer<W>> {
        if file.is_empty() || file.contains(|c: char| c.is_whitespace()) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("`{file}` has a blank in it, which an iolog cannot hold"),
            ));
        }
        writeln!(out, "{HEADER_V3}\n1 {file} add\n1 {file} open")?;
        Ok(Writer {
            out,
            file: file.to_string(),
            last_us: 1,
        })
    }

    /// Adds a request.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn add(&mut self, request: &TraceRequest) -> io::Result<()> {
        self.last_us = self.last_us.max(1 + request.at.0 / 1000);
        let (us, file) = (self.last_us, &self.file);
        if request.op == Op::Flush {
            return writeln!(self.out, "{us} {file} sync 0 0");
        }
        let (mut offset, mut left) = (request.offset_bytes, request.len_bytes);
        while left > 0 {
            let len = match left <= u64::from(u32::MAX) {
                true => left,
                false => PART_BYTES,
            };
            writeln!(
                self.out,
                "{us} {file} {} {offset} {len}",
                op_name(request.op)
            )?;
            (offset, left) = (offset + len, left - len);
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn finish(mut self) -> io::Result<W> {
        writeln!(self.out, "{} {} close", self.last_us, self.file)?;
        self.out.flush()?;
        Ok(self.out)
    }
}
