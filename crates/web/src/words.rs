//! Figures and times as pages show them.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use stend_analysis::figures::Unit;

/// Date and time in the user's zone, to the minute.
pub(crate) fn time(unix_ms: i64) -> String {
    Timestamp::from_millisecond(unix_ms).map_or_else(
        |_| unix_ms.to_string(),
        |at| {
            let zoned = at.to_zoned(TimeZone::system());
            zoned.strftime("%Y-%m-%d %H:%M").to_string()
        },
    )
}

/// Bytes, decimal.
pub(crate) fn bytes(bytes: u64) -> String {
    Unit::Bytes.words(bytes as f64)
}

/// Requests a second.
pub(crate) fn iops(iops: f64) -> String {
    Unit::Iops.words(iops)
}

/// A time of a request, ns.
pub(crate) fn latency(ns: f64) -> String {
    Unit::Nanoseconds.words(ns)
}

/// A share from 0 to 1 in whole percent, rounded down: 100 is done.
pub(crate) fn percent(share: f64) -> String {
    // 0.58 is 57.99… percent.
    format!("{:.0}", (share * 100.0 + 1e-9).floor())
}

/// How many of what: `1 run`, `2 runs`, `2 studies`.
pub(crate) fn count(n: u64, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if n == 1 => format!("1 {what}"),
        Some(stem) => format!("{n} {stem}ies"),
        None => format!("{n} {what}s"),
    }
}

/// A figure to three digits, or with its group separators where it has more.
pub(crate) fn number(value: f64) -> String {
    stend_analysis::words::number(value)
}
