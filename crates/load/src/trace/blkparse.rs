//! The text that blkparse prints by default (blkparse(1), "Default output"):
//!
//! ```text
//! 8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]
//! ```
//!
//! device, processor, sequence number, time in seconds, process, action, RWBS, first sector `+`
//! number of sectors of 512 bytes, program. Requests are the events of action `Q` (queued):
//! requests to the block layer, with the times at which they were made. Events of all other
//! actions (`C`, `D`, `U`, `m` …) are skipped.
//!
//! Before the first event there may be messages, such as `Input file sda.blktrace.0 added` of
//! blkparse and the counts of blktrace (`CPU  0: …`); after the last one follows the summary.
//!
//! RWBS (the kernel's `blk_fill_rwbs`): an `F` before the letter of the operation is a flush that
//! precedes it; R, W, D (discard: TRIM; `DE` a secure one), `F` alone a flush, N none of these; an
//! `F` after it is FUA; A, S, M, U (read-ahead, synchronous, metadata, atomic) do not matter here.
//! Commands without an operation (N) are skipped, and so are commands that programs send past the
//! block layer: in place of the range, they have their length and bytes, `36 (12 00 …)`.

use stend_base::{Nanos, Op};

use super::line::{Disk, Line, nanos, number};
use super::{SECTOR_BYTES, TraceRequest};

/// Beginnings of the summary's lines, after which there are no events.
const SUMMARY: &[&str] = &["CPU", "Total", "Events", "Throughput", "Skips"];

/// State of the reader between lines.
#[derive(Default)]
pub(super) struct Parser {
    /// True once there was an event.
    began: bool,
}

impl Parser {
    /// Reads a line.
    pub(super) fn line<'a>(&mut self, text: &'a str) -> Result<Line<'a>, String> {
        if !self.began && !begins_with_device(text) {
            return Ok(Line::Nothing);
        }
        self.began = true;
        line(text)
    }
}

/// True if the first field of a line is a device, `8,0`.
fn begins_with_device(line: &str) -> bool {
    let device = field(line).and_then(|(device, _)| device.split_once(','));
    device.is_some_and(|(major, minor)| is_digits(major) && is_digits(minor))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// True if this is a line of an event.
pub(super) fn is_event(line: &str) -> bool {
    head(line).is_some()
}

/// Device, time, and the rest from the action on.
fn head(line: &str) -> Option<(&str, &str, &str)> {
    let (device, rest) = field(line)?;
    let (major, minor) = device.split_once(',')?;
    let (cpu, rest) = field(rest)?;
    let (sequence, rest) = field(rest)?;
    let (time, rest) = field(rest)?;
    let (process, rest) = field(rest)?;
    let sound = [major, minor, cpu, sequence, process]
        .into_iter()
        .all(is_digits);
    (sound && time.contains('.')).then_some((device, time, rest))
}

/// The first field and the rest.
fn field(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn line(line: &str) -> Result<Line<'_>, String> {
    if line.is_empty() {
        return Ok(Line::Nothing);
    }
    if SUMMARY.iter().any(|start| line.starts_with(start)) {
        return Ok(Line::End);
    }
    let Some((device, time, rest)) = head(line) else {
        return Err(format!(
            "`{line}` is not an event of blkparse: MAJOR,MINOR CPU SEQUENCE SECONDS.NANOSECONDS \
             PROCESS ACTION RWBS SECTOR + SECTORS [PROGRAM] is expected"
        ));
    };
    let Some(("Q", rest)) = field(rest) else {
        return Ok(Line::Nothing);
    };
    let (rwbs, rest) = field(rest).ok_or("the letters of RWBS are missing after Q")?;
    let Some(kind) = Kind::of(rwbs)? else {
        return Ok(Line::Nothing);
    };
    if is_passed_through(rest) {
        return Ok(Line::Nothing);
    }
    let (offset_bytes, len_bytes) = range(rest)?;
    let mut request = TraceRequest {
        at: seconds(time)?,
        op: kind.op,
        offset_bytes,
        len_bytes,
        fua: kind.fua,
        line: 0,
    };
    let mut flush_before = kind.flush_before;
    if len_bytes == 0 {
        if !flush_before && kind.op != Op::Flush {
            return Err(format!("`{rwbs}` without a range SECTOR + SECTORS above 0"));
        }
        flush_before = false;
        request.op = Op::Flush;
    }
    if request.op == Op::Flush {
        (request.offset_bytes, request.len_bytes, request.fua) = (0, 0, false);
    }
    Ok(Line::Request {
        disk: Disk::Name(device),
        request,
        flush_before,
    })
}

/// Content of RWBS.
struct Kind {
    op: Op,
    flush_before: bool,
    fua: bool,
}

impl Kind {
    /// The kind of a command; `None` if it is no request.
    fn of(rwbs: &str) -> Result<Option<Kind>, String> {
        let (before, rest) = match rwbs.strip_prefix('F') {
            Some(rest) if rest.starts_with(['R', 'W', 'D', 'F', 'N']) => (true, rest),
            _ => (false, rwbs),
        };
        let mut letters = rest.chars();
        let op = match letters.next() {
            Some('R') => Op::Read,
            Some('W') => Op::Write,
            Some('D') => Op::Trim,
            Some('F') => Op::Flush,
            // The flush may be the only operation.
            Some('N') if before => Op::Flush,
            Some('N') => return Ok(None),
            _ => {
                return Err(format!(
                    "the letters `{rwbs}` name no operation: R, W, D, F or N is expected"
                ));
            }
        };
        let rest = letters.as_str();
        if let Some(odd) = rest.chars().find(|c| !"FASMEBU".contains(*c)) {
            return Err(format!(
                "the letter {odd} of `{rwbs}` is not known; after the operation there are F, A, \
                S, M, U"
            ));
        }
        Ok(Some(Kind {
            op,
            flush_before: before && op != Op::Flush,
            fua: op == Op::Write && rest.contains('F'),
        }))
    }
}

/// True if a command is passed through the block layer: a length, and its bytes or its program.
fn is_passed_through(rest: &str) -> bool {
    let mut fields = rest.split_ascii_whitespace();
    let is_length = fields.next().is_some_and(is_digits);
    is_length
        && fields
            .next()
            .is_some_and(|next| next.starts_with(['(', '[']))
}

/// Offset and length in bytes; 0 and 0 if there is no range.
fn range(rest: &str) -> Result<(u64, u64), String> {
    let mut fields = rest.split_ascii_whitespace();
    let sector = match fields.next() {
        None => return Ok((0, 0)),
        Some(program) if program.starts_with('[') => return Ok((0, 0)),
        Some(sector) => number(sector, "a sector")?,
    };
    if fields.next() != Some("+") {
        return Err(format!("`{}`: SECTOR + SECTORS is expected", rest.trim()));
    }
    let sectors = number(fields.next().unwrap_or_default(), "a number of sectors")?;
    let bytes = |sectors: u64| {
        sectors
            .checked_mul(SECTOR_BYTES)
            .ok_or_else(|| format!("{sectors} sectors are more than 64 bits of bytes"))
    };
    Ok((bytes(sector)?, bytes(sectors)?))
}

/// Parses `12.000000345`.
fn seconds(text: &str) -> Result<Nanos, String> {
    let bad = || format!("`{text}` is not a time SECONDS.NANOSECONDS");
    let (whole, fraction) = text.split_once('.').ok_or_else(bad)?;
    if fraction.len() != 9 {
        return Err(bad());
    }
    let whole = nanos(whole.parse().map_err(|_| bad())?, 1_000_000_000)?;
    Ok(whole + Nanos(fraction.parse().map_err(|_| bad())?))
}
