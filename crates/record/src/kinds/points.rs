//! Points, each measured separately.

use serde::{Deserialize, Serialize};

use crate::latency::LatencySummary;
use crate::load::{Load, PointOp};

/// One measured point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The load; its keys are among the point's own.
    #[serde(flatten)]
    pub load: Load,
    /// Id of the edition's state from which it started. On a target that cannot be copied, only the
    /// first point of its test started from it, and the others from the state that earlier points
    /// left. Missing in reviews of older versions, and if no state was prepared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Requested time, s.
    pub duration_s: f64,
    /// Requests a second, all threads and directions.
    pub iops: f64,
    /// Bytes a second, all threads and directions.
    pub bw_bytes_per_s: f64,
    /// Processor time, user and system, of the threads that send the requests, divided by the
    /// number of requests, ns; missing for simulated targets. Work of the kernel in other threads,
    /// and most of its work in interrupts, is not included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns_per_request: Option<f64>,
    /// Mean power of the drive, W; missing for real targets and models without energy figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_w: Option<f64>,
    /// Completion latency of all requests (of both directions for a mixed point).
    pub latency_ns: LatencySummary,
    /// The same as an HdrHistogram, ns: format V2, compressed, base64; missing in reviews of
    /// older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_histogram: Option<String>,
    /// Requests a second of the repetitions of a repeated test, of which `iops` is the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_iops: Vec<f64>,
    /// Mean latencies of the repetitions of a repeated test, ns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_latency_mean_ns: Vec<f64>,
    /// The two directions of a mixed point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PointPart>,
}

impl Load {
    /// The load of a point, without its region ([`Load::without_region`]).
    pub fn of(point: &Point) -> Load {
        point.load.without_region()
    }
}

/// One direction of a mixed point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointPart {
    /// `read` or `write`.
    pub op: PointOp,
    /// Requests a second.
    pub iops: f64,
    /// Requests a second of the repetitions of a repeated test, of which `iops` is the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_iops: Vec<f64>,
    /// Bytes a second.
    pub bw_bytes_per_s: f64,
    /// Completion latency.
    pub latency_ns: LatencySummary,
}
