//! Figures in the sentences of evidence.

/// Bytes in GB or MB (decimal).
pub(super) fn bytes(bytes: f64) -> String {
    if bytes >= 1e9 {
        format!("{:.2} GB", bytes / 1e9)
    } else {
        format!("{:.1} MB", bytes / 1e6)
    }
}

/// Bytes a second in MB/s (decimal).
pub(super) fn speed(bytes_per_s: f64) -> String {
    format!("{:.0} MB/s", bytes_per_s / 1e6)
}

/// Nanoseconds in µs.
pub(super) fn us(ns: f64) -> String {
    format!("{:.1} µs", ns / 1e3)
}
