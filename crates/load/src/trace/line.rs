//! What one line of a trace says, whatever its format, and what all formats read alike.

use stend_base::Nanos;

use super::TraceRequest;

/// What a line of a trace says.
pub(super) enum Line<'a> {
    /// Nothing that is a request.
    Nothing,
    /// One request to this disk, and whether a flush goes before it.
    Request {
        /// The disk or file.
        disk: Disk<'a>,
        /// The request; its `line` is set by the reader.
        request: TraceRequest,
        /// A flush of the same time precedes it.
        flush_before: bool,
    },
    /// No line after this one is a request.
    End,
}

/// The disk to which a request goes.
#[derive(Clone, Copy)]
pub(super) enum Disk<'a> {
    /// By one name.
    Name(&'a str),
    /// By host and number on it.
    Numbered(&'a str, &'a str),
}

impl Disk<'_> {
    /// Whether it is called so.
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

/// A number in a field, or what is there instead.
pub(super) fn number(text: &str, what: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not {what}, a whole number"))
}

/// A duration of so many units, or that it is too long.
pub(super) fn nanos(count: u64, unit_ns: u64) -> Result<Nanos, String> {
    match count.checked_mul(unit_ns) {
        // Above 2^62 ns (146 years) sums could overflow.
        Some(ns) if ns < 1 << 62 => Ok(Nanos(ns)),
        _ => Err(format!(
            "the time {count} is more than 146 years after the beginning"
        )),
    }
}
