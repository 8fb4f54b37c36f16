//! Reads while a file is deleted.

use serde::{Deserialize, Serialize};

use crate::latency::LatencySummary;
use crate::load::SeriesPoint;

/// Reads before and after a file is deleted. Times are relative to the deletion: to the first TRIM
/// or, without TRIM, to the instant at which it would have been sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// `with TRIM`, `without TRIM`.
    pub name: String,
    /// The reads.
    pub point: SeriesPoint,
    /// Region of the reads, in bytes from the beginning of the target.
    pub region_bytes: u64,
    /// Size of the file, which lies after that region, bytes.
    pub file_bytes: u64,
    /// Bytes of a TRIM command; missing without TRIM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_bytes: Option<u64>,
    /// Duration of all commands, s; missing without TRIM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim_s: Option<f64>,
    /// Length of an interval, s.
    pub interval_s: f64,
    /// Intervals in the order of time, those before the deletion first.
    pub intervals: Vec<ResponseInterval>,
    /// The slowest requests in the order of time: all of them, or as many as are kept.
    pub slowest: Vec<SlowRequest>,
    /// Number of all requests.
    pub requests: u64,
    /// Requests a second before the deletion.
    pub reference_iops: f64,
    /// Latency before the deletion.
    pub reference_latency_ns: LatencySummary,
    /// Latency from the deletion on.
    pub latency_ns: LatencySummary,
}

impl Response {
    /// Converts the response as [`Series::scaled_back`](super::curve::Series::scaled_back) does.
    pub fn scaled_back(mut self, by: u32) -> Response {
        let (times, factor) = (u64::from(by), f64::from(by));
        self.region_bytes *= times;
        self.file_bytes *= times;
        self.command_bytes
            .iter_mut()
            .for_each(|bytes| *bytes *= times);
        self.trim_s.iter_mut().for_each(|s| *s *= factor);
        self.interval_s *= factor;
        self.intervals.iter_mut().for_each(|one| one.t_s *= factor);
        self.slowest.iter_mut().for_each(|one| one.t_s *= factor);
        self.requests *= times;
        self
    }
}

/// The requests completed in one interval of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResponseInterval {
    /// End of the interval, relative to the deletion, s.
    pub t_s: f64,
    /// Requests a second.
    pub iops: f64,
    /// Median latency, ns; 0 if no request was completed, as for the other two.
    pub p50_ns: u64,
    /// 99th percentile, ns.
    pub p99_ns: u64,
    /// Largest, ns.
    pub max_ns: u64,
}

/// One of the slowest requests of a response.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowRequest {
    /// Completion, relative to the deletion, s.
    pub t_s: f64,
    /// Latency, ns.
    pub latency_ns: u64,
}
