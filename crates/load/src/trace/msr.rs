//! The block traces of Microsoft Research Cambridge (D. Narayanan, A. Donnelly, A. Rowstron:
//! Write Off-Loading, FAST 2008; file format by the README of the distribution):
//!
//! ```text
//! Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime
//! 128166372003061629,usr,0,Read,7014609920,24576,41286
//! ```
//!
//! Timestamp (the time at which the request was issued) and response time are in units of 100 ns,
//! offset and size in bytes. Time counts from the file's first row. The response time is not used:
//! it belongs to the traced disk.

use stend_base::{Nanos, Op};

use super::TraceRequest;
use super::line::{Disk, Line, nanos, number};

/// Units of Windows file time, ns.
const TICK_NS: u64 = 100;

/// State from earlier lines.
#[derive(Default)]
pub(super) struct Parser {
    /// Time of the first row, in ticks.
    base: Option<u64>,
}

/// True if this is a row, or the heading.
pub(super) fn is_row(line: &str) -> bool {
    let mut fields = line.split(',');
    let first = fields.next().unwrap_or_default();
    let number = !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit());
    (number || first == "Timestamp") && fields.count() == 6
}

impl Parser {
    pub(super) fn line<'a>(&mut self, line: &'a str) -> Result<Line<'a>, String> {
        if line.is_empty() || line.starts_with("Timestamp,") {
            return Ok(Line::Nothing);
        }
        let mut fields = line.split(',').map(str::trim);
        let row: [Option<&str>; 8] = std::array::from_fn(|_| fields.next());
        let [
            Some(time),
            Some(host),
            Some(disk),
            Some(kind),
            Some(offset),
            Some(size),
            Some(response),
            None,
        ] = row
        else {
            return Err(format!(
                "`{line}` has not the seven fields \
                 Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"
            ));
        };
        let ticks = number(time, "a time in units of 100 ns")?;
        let base = *self.base.get_or_insert(ticks);
        let at: Nanos = nanos(ticks.saturating_sub(base), TICK_NS)?;
        let op = match kind {
            "Read" => Op::Read,
            "Write" => Op::Write,
            _ => {
                return Err(format!(
                    "the type `{kind}` is not known; there are Read and Write"
                ));
            }
        };
        number(response, "a response time")?;
        let len_bytes = number(size, "a size in bytes")?;
        if len_bytes == 0 {
            return Err(format!("a {kind} of no bytes"));
        }
        Ok(Line::Request {
            disk: Disk::Numbered(host, disk),
            request: TraceRequest {
                at,
                op,
                offset_bytes: number(offset, "an offset in bytes")?,
                len_bytes,
                ..TraceRequest::default()
            },
            flush_before: false,
        })
    }
}
