//! Content of one line of a trace, whatever its format, and helpers of all formats.

use stend_base::Nanos;

use super::TraceRequest;

/// Content of a line of a trace.
pub(super) enum Line<'a> {
    /// No request.
    Nothing,
    /// One request to a disk, possibly after a flush.
    Request {
        /// The disk or file.
        disk: Disk<'a>,
        /// The request; its `line` is set by the reader.
        request: TraceRequest,
        /// True if a flush of the same time precedes it.
        flush_before: bool,
    },
    /// No line after this one is a request.
    End,
}

/// The disk of a request.
#[derive(Clone, Copy)]
pub(super) enum Disk<'a> {
    /// Disk with one name.
    Name(&'a str),
    /// Disk with the name of a host and a number on it.
    Numbered(&'a str, &'a str),
}

impl Disk<'_> {
    /// True if it has this name.
    pub(super) fn is(&self, name: &str) -> bool {
        match *self {
            Disk::Name(own) => own == name,
            Disk::Numbered(host, number) => name
                .strip_prefix(host)
                .and_then(|rest| rest.strip_prefix('.'))
                .is_some_and(|rest| rest == number),
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> String {
        match *self {
            Disk::Name(name) => name.to_string(),
            Disk::Numbered(host, number) => format!("{host}.{number}"),
        }
    }
}

/// The number in a field; an error describes the text that is there instead.
pub(super) fn number(text: &str, what: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not {what}, a whole number"))
}

/// A duration of `count` units; an error if it is too long.
pub(super) fn nanos(count: u64, unit_ns: u64) -> Result<Nanos, String> {
    match count.checked_mul(unit_ns) {
        // Above 2^62 ns (146 years) sums could overflow.
        Some(ns) if ns < 1 << 62 => Ok(Nanos(ns)),
        _ => Err(format!(
            "the time {count} is more than 146 years after the beginning"
        )),
    }
}
