//! Readings of a monitored drive, and their format as text.

use std::sync::mpsc::Receiver;

use stend_load::target::{Reading, TargetError};

/// A monitored drive and its readings as they arrive. The channel closes after the last one.
pub struct Watched {
    /// Title of the drive.
    pub title: String,
    /// Unit of the readings' time.
    pub clock: &'static str,
    /// One reading per interval, or the error that ended them.
    pub readings: Receiver<Result<Reading, TargetError>>,
}

/// Name, requests per second, bytes per second and mean latency in ns, of reads and of writes.
pub fn directions(reading: &Reading) -> [(&'static str, f64, f64, Option<f64>); 2] {
    let r = reading;
    let read_ns = r.read_latency_ns_mean;
    let write_ns = r.write_latency_ns_mean;
    [
        ("reads", r.read_iops, r.read_bw_bytes_per_s, read_ns),
        ("writes", r.write_iops, r.write_bw_bytes_per_s, write_ns),
    ]
}

/// Formats a mean latency.
pub fn latency(ns: Option<f64>) -> String {
    match ns {
        None => "no latency".to_owned(),
        Some(ns) if ns < 1e6 => format!("{:.1} µs", ns / 1e3),
        Some(ns) => format!("{:.2} ms", ns / 1e6),
    }
}

/// Formats the temperature.
pub fn temperature(reading: &Reading) -> String {
    reading.temperature_c.map_or_else(
        || "temperature not known".to_owned(),
        |c| format!("{c:.0} °C"),
    )
}

/// Formats the wear.
pub fn used(reading: &Reading) -> String {
    reading.used_percent.map_or_else(
        || "wear not known".to_owned(),
        |percent| format!("{percent} % of its life used"),
    )
}
