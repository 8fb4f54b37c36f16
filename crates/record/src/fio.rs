//! fio's JSON document (`--output-format=json+`, fio 3.33), as far as it is interpreted here; other
//! keys are kept in `other` and written back unchanged.
//!
//! Source of names and units: fio's `stat.c` and its HOWTO.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The whole document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// `fio-3.33`, or the simulator's own name and version.
    #[serde(rename = "fio version")]
    pub fio_version: String,
    /// Options of the `[global]` section.
    #[serde(
        rename = "global options",
        default,
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub global_options: BTreeMap<String, String>,
    /// One entry a job, or one a group with `group_reporting`.
    pub jobs: Vec<Job>,
    /// Everything else at the top level.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// One job or reporting group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Section name.
    pub jobname: String,
    /// Number of the reporting group.
    pub groupid: u32,
    /// errno of the first error; 0 without one.
    pub error: i32,
    /// Wall-clock (or virtual) time of the job, s.
    #[serde(default)]
    pub elapsed: u64,
    /// Options of the section.
    #[serde(rename = "job options", default)]
    pub job_options: BTreeMap<String, String>,
    /// Reads.
    pub read: Direction,
    /// Writes.
    pub write: Direction,
    /// TRIMs.
    pub trim: Direction,
    /// Run time, ms.
    #[serde(default)]
    pub job_runtime: u64,
    /// Flushes (`fsync`, `fdatasync`); missing in documents that do not contain them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<Syncs>,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Job {
    /// Latency of its flushes, ns; `None` if there were none.
    pub fn sync_latency(&self) -> Option<&Latency> {
        let latency = &self.sync.as_ref()?.lat_ns;
        (latency.n > 0).then_some(latency)
    }
}

/// The flushes of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Syncs {
    /// Number of flushes as fio states it: asynchronous engines may omit all of them, which
    /// `lat_ns.n` counts.
    pub total_ios: u64,
    /// Time from the call until it returns, ns.
    pub lat_ns: Latency,
}

/// Results of one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Direction {
    /// Bytes moved.
    pub io_bytes: u64,
    /// KiB moved.
    #[serde(default)]
    pub io_kbytes: u64,
    /// Bytes a second.
    pub bw_bytes: u64,
    /// KiB a second.
    pub bw: u64,
    /// Requests a second.
    pub iops: f64,
    /// Run time, ms.
    pub runtime: u64,
    /// Requests completed.
    pub total_ios: u64,
    /// Submission latency, ns.
    pub slat_ns: Latency,
    /// Completion latency (from submission to the device), ns.
    pub clat_ns: Latency,
    /// Total latency, ns.
    pub lat_ns: Latency,
    /// Everything else (`bw_min`, `iops_mean` …).
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A latency distribution, ns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Smallest.
    pub min: u64,
    /// Largest.
    pub max: u64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// Number of values.
    #[serde(rename = "N")]
    pub n: u64,
    /// Percentiles: from the percentage as fio prints it, `"99.990000"`, to ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile: Option<BTreeMap<String, u64>>,
    /// Histogram: from a value in ns, as a string, to its count; only in `json+`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<BTreeMap<String, u64>>,
}

impl Latency {
    /// The value at a percentile, ns; `None` if the job did not request it.
    pub fn at(&self, percentile: f64) -> Option<u64> {
        let key = format!("{percentile:.6}");
        self.percentile.as_ref()?.get(&key).copied()
    }
}
