//! Writes that must be durable, such as those of a database: their rate and latency.

use serde::{Deserialize, Serialize};
use stend_language::{Text, recorded};

use crate::latency::LatencySummary;
use crate::load::Load;

/// One measurement of writes that must be durable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SyncPoint {
    /// Requested time, s.
    pub duration_s: f64,
    /// The requests that ran at the same time: first the stream that the point measures, then those
    /// beside it, if any.
    pub streams: Vec<SyncStream>,
    /// Length of an interval, s; missing if the point was measured in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_s: Option<f64>,
    /// The first stream, interval by interval.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<SyncInterval>,
}

/// Threads with the same load, each with one request outstanding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SyncStream {
    /// The load; its keys are among the stream's own.
    #[serde(flatten)]
    pub load: Load,
    /// Durability of its writes; its keys are among the stream's own.
    #[serde(flatten)]
    pub durability: Durability,
    /// Requests a second, reads and writes of all threads.
    pub iops: f64,
    /// Writes a second, all threads.
    pub writes_per_s: f64,
    /// Writes a second of the repetitions of a repeated test, of which `writes_per_s` is the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_writes_per_s: Vec<f64>,
    /// Commits a second, all threads: writes with `O_DSYNC`, or flushes.
    pub commits_per_s: f64,
    /// Bytes a second, reads and writes of all threads.
    pub bw_bytes_per_s: f64,
    /// Latency of the reads; missing if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_latency_ns: Option<LatencySummary>,
    /// Latency of the writes; missing if there are none. With `O_DSYNC` it ends when the data is
    /// durable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_latency_ns: Option<LatencySummary>,
    /// Latency of the flushes; missing if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_latency_ns: Option<LatencySummary>,
}

impl SyncStream {
    /// Description for people: `random write, 4 KiB, 4 threads, O_DSYNC`.
    pub fn describe(load: &Load, durability: Durability) -> Text {
        let parts = load.requests().into_iter().chain([durability.describe()]);
        Text::list(", ", parts)
    }

    /// Latency of the commits: of the flushes, or of the writes with `O_DSYNC`; `None` if there are
    /// none.
    pub fn commit_latency_ns(&self) -> Option<&LatencySummary> {
        match self.durability.sync {
            SyncMethod::None => None,
            SyncMethod::Dsync => self.write_latency_ns.as_ref(),
            SyncMethod::Fsync | SyncMethod::Fdatasync => self.sync_latency_ns.as_ref(),
        }
    }
}

/// Durability of writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durability {
    /// Method.
    pub sync: SyncMethod,
    /// Number of writes of a thread before each flush; missing without flushes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<u32>,
}

impl Durability {
    /// Description for people: `O_DSYNC`, `fsync after every 4 writes`.
    pub fn describe(&self) -> Text {
        let sync = self.sync.words();
        match (self.sync, self.every) {
            (SyncMethod::None, _) => recorded!("piece-not-synced"),
            (_, None) => sync.into(),
            (_, Some(1)) => recorded!("piece-every-write", sync = sync),
            (_, Some(writes)) => recorded!("piece-every", sync = sync, writes = writes),
        }
    }
}

/// Method that makes a write durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SyncMethod {
    /// None: the drive may keep the data in its write cache.
    #[default]
    None,
    /// The write itself, to a file opened with `O_DSYNC`.
    Dsync,
    /// `fsync`.
    Fsync,
    /// `fdatasync`.
    Fdatasync,
}

impl SyncMethod {
    /// Name for people.
    pub fn words(self) -> &'static str {
        match self {
            SyncMethod::None => "not synced",
            SyncMethod::Dsync => "O_DSYNC",
            SyncMethod::Fsync => "fsync",
            SyncMethod::Fdatasync => "fdatasync",
        }
    }

    /// True if it is a separate call after writes.
    pub fn flushes(self) -> bool {
        matches!(self, SyncMethod::Fsync | SyncMethod::Fdatasync)
    }
}

/// One interval of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SyncInterval {
    /// End of the interval since the first began, without the time between intervals, s.
    pub t_s: f64,
    /// See [`SyncStream::writes_per_s`].
    pub writes_per_s: f64,
    /// 99.9th percentile of the reads, ns; missing if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_p99_9_ns: Option<u64>,
    /// The slowest read, ns; missing if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_max_ns: Option<u64>,
    /// 99.9th percentile of the commits, ns; of the writes if they are not synced.
    pub write_p99_9_ns: u64,
    /// The slowest of them, ns.
    pub write_max_ns: u64,
}
