//! Activity of a drive, read at the end of each interval.

use serde::Serialize;

/// Activity of a drive in an interval, and its state at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Reading {
    /// End of the interval since the beginning, s; virtual time for a simulated drive.
    pub t_s: f64,
    /// Reads completed per second.
    pub read_iops: f64,
    /// Writes completed per second.
    pub write_iops: f64,
    /// Bytes read per second.
    pub read_bw_bytes_per_s: f64,
    /// Bytes written per second.
    pub write_bw_bytes_per_s: f64,
    /// Mean number of requests outstanding over the interval.
    pub queue_depth_mean: f64,
    /// Number of requests outstanding at the end of the interval.
    pub in_flight: u64,
    /// Mean latency of the reads completed, ns; `None` without reads.
    pub read_latency_ns_mean: Option<f64>,
    /// Mean latency of the writes completed, ns; `None` without writes.
    pub write_latency_ns_mean: Option<f64>,
    /// Temperature, °C; `None` if unknown.
    pub temperature_c: Option<f64>,
    /// Percent of the drive's rated life that is used, as the drive reports it; `None` if it does
    /// not report it.
    pub used_percent: Option<u64>,
}
