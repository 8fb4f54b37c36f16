//! Figures and times in the form of pages.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use stend_analysis::figures::Unit;

pub(crate) use stend_analysis::words::number;

/// Formats date and time in the user's zone, to the minute.
pub(crate) fn time(unix_ms: i64) -> String {
    Timestamp::from_millisecond(unix_ms).map_or_else(
        |_| unix_ms.to_string(),
        |at| {
            let zoned = at.to_zoned(TimeZone::system());
            zoned.strftime("%Y-%m-%d %H:%M").to_string()
        },
    )
}

/// Formats bytes in decimal units.
pub(crate) fn bytes(bytes: u64) -> String {
    Unit::Bytes.words(bytes as f64)
}

/// Formats requests a second.
pub(crate) fn iops(iops: f64) -> String {
    Unit::Iops.words(iops)
}

/// Formats a latency, ns.
pub(crate) fn latency(ns: f64) -> String {
    Unit::Nanoseconds.words(ns)
}

/// Formats a share from 0 to 1 in whole percent, rounded down: 100 means finished.
pub(crate) fn percent(share: f64) -> String {
    // 0.58 times 100 is 57.99….
    format!("{:.0}", (share * 100.0 + 1e-9).floor())
}

/// Formats a count of things: `1 run`, `2 runs`, `2 studies`.
pub(crate) fn count(n: u64, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if n == 1 => format!("1 {what}"),
        Some(stem) => format!("{n} {stem}ies"),
        None => format!("{n} {what}s"),
    }
}
