//! The result of a benchmark in the form that its users know: rows, directions, and the best pass.

use serde::{Deserialize, Serialize};

use crate::latency::LatencySummary;
use crate::load::Load;

/// One row of a benchmark in one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchmarkCell {
    /// Name of the row, `Seq Q32T1`.
    pub row: String,
    /// The load, within the benchmark's file at the beginning of the target; its keys are among the
    /// row's own.
    #[serde(flatten)]
    pub load: Load,
    /// Requested time of a pass, s.
    pub duration_s: f64,
    /// Bytes a second of the fastest pass, all threads and directions.
    pub best_bw_bytes_per_s: f64,
    /// Bandwidths of the repetitions of a repeated test, of which `best_bw_bytes_per_s` is the
    /// mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_bw_bytes_per_s: Vec<f64>,
    /// Requests a second of the same pass.
    pub best_iops: f64,
    /// The smallest mean latency of a pass, ns; not always of the fastest pass.
    pub best_mean_latency_ns: f64,
    /// Latencies of the repetitions of a repeated test, of which `best_mean_latency_ns` is the
    /// mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_mean_latency_ns: Vec<f64>,
    /// Every pass that counts, in order.
    pub passes: Vec<BenchmarkPass>,
}

/// One pass of a row in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchmarkPass {
    /// Requests a second, all threads and directions.
    pub iops: f64,
    /// Bytes a second, all threads and directions.
    pub bw_bytes_per_s: f64,
    /// See [`Point`](crate::review::Point).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns_per_request: Option<f64>,
    /// Completion latency of all requests.
    pub latency_ns: LatencySummary,
}
