//! Key figures: their identity within a test, and their values in repetitions.

use serde::{Deserialize, Serialize};

use super::curve::read_name;
use super::sync::Durability;
use crate::load::{Load, Pattern, PointOp};

/// Identity of a key figure within its test. People read its title, which the analysis forms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum FigureId {
    /// Speed of a point, by the parts of its load that vary within the test.
    Point(LoadParts),
    /// Speed of the fastest point of a direction, by the same parts.
    Fastest(LoadParts),
    /// Speed at the greatest size, depth or number of threads.
    Greatest(LoadParts),
    /// Speed of a point, by its whole load.
    Load(Load),
    /// Speed of a mix of reads and writes.
    Mix {
        /// Share of reads, percent.
        read_percent: u32,
    },
    /// Mean speed of all mixes.
    MeanOfMixes,
    /// Speed at the start of the only curve.
    Start,
    /// Speed at its end.
    End,
    /// Its mean speed.
    Mean,
    /// Speed at the start of a curve.
    StartOf {
        /// Name of the curve.
        #[serde(deserialize_with = "read_name")]
        curve: String,
    },
    /// Bytes of fast writes in a curve.
    FastWrites {
        /// Name of the curve.
        #[serde(deserialize_with = "read_name")]
        curve: String,
    },
    /// Speed of the tracked load in steady rounds.
    TrackedSteady,
    /// Speed of the tracked load in the last rounds, which are not steady.
    TrackedLast,
    /// Bytes written until the drive refuses.
    WrittenUntilRefused,
    /// Speed in the slowest second of a response.
    SlowestSecond {
        /// Name of the response.
        response: String,
    },
    /// Bandwidth of a row of a benchmark.
    Row {
        /// Name of the row.
        row: String,
        /// Direction.
        op: PointOp,
    },
    /// Bandwidth of the only trace over its busy time.
    BusyTime,
    /// Bandwidth of all traces.
    AllTraces,
    /// Speed of work on a set of files.
    Set {
        /// Name of the set.
        set: String,
        /// Size of a set that was scaled down, bytes, rounded down to MiB.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        set_bytes: Option<u64>,
    },
    /// Rate of durable writes.
    Durable {
        /// The stream of the writes, then one beside it if there are others.
        streams: Vec<DurableLoad>,
    },
    /// A figure of a review of schema `stend.review/1`, which has only its English title.
    #[serde(untagged)]
    Titled(String),
}

/// Parts of a load; `None` for those that do not identify it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadParts {
    /// Direction.
    pub op: PointOp,
    /// Order of the offsets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// Request size, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_bytes: Option<u64>,
    /// Queue depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u64>,
    /// Share of reads, percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_percent: Option<u64>,
    /// Number of threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
}

/// A load with the durability of its writes; both have their keys in the same object.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DurableLoad {
    /// The load, without its region.
    #[serde(flatten)]
    pub load: Load,
    /// Durability of its writes.
    #[serde(flatten)]
    pub durability: Durability,
}

/// A key figure as measured in each repetition of its test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatedFigure {
    /// Its identity within its test.
    #[serde(alias = "name")]
    pub figure: FigureId,
    /// Unit: `iops`, `bytes_per_s`, `bytes` …
    pub unit: String,
    /// Its value in each repetition.
    pub values: Vec<f64>,
}
