//! Formats figures in sentences of evidence for the current language.

pub(super) use stend_language::fixed;
use stend_language::unit;

/// Bytes in GB or MB (decimal).
pub(super) fn bytes(bytes: f64) -> String {
    match bytes >= 1e9 {
        true => format!("{} {}", fixed(bytes / 1e9, 2), unit("GB")),
        false => format!("{} {}", fixed(bytes / 1e6, 1), unit("MB")),
    }
}

/// Bytes per second in MB/s (decimal).
pub(super) fn speed(bytes_per_s: f64) -> String {
    format!("{} {}", fixed(bytes_per_s / 1e6, 0), unit("MB/s"))
}

/// Nanoseconds in µs.
pub(super) fn us(ns: f64) -> String {
    format!("{} {}", fixed(ns / 1e3, 1), unit("µs"))
}
