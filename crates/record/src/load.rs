//! The load of a measurement.

use serde::{Deserialize, Serialize};
use stend_language::{Text, recorded};

use crate::size::size_text;

/// One load: direction and size of the requests, and the number of outstanding requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// Direction.
    pub op: PointOp,
    /// Order of the offsets.
    pub pattern: Pattern,
    /// Request size, bytes.
    pub block_bytes: u64,
    /// Queue depth of each thread.
    pub queue_depth: u32,
    /// Threads. Those of a sequential load work on equal shares of the capacity, those of a random
    /// load all on the whole of it (or of the region).
    pub threads: u32,
    /// Share of reads among the requests, percent: 100 for reads, 0 for writes.
    pub read_percent: u32,
    /// Region of the load in bytes from the beginning of the target, or its capacity if that is
    /// less; `None` for the whole capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region_bytes: Option<u64>,
}

impl Load {
    /// The load without its region, for comparisons: the region follows from the target's capacity.
    pub fn without_region(&self) -> Load {
        Load {
            region_bytes: None,
            ..*self
        }
    }

    /// Writes of one thread to the whole capacity.
    pub fn write(pattern: Pattern, block_bytes: u64, queue_depth: u32) -> Load {
        Load {
            op: PointOp::Write,
            pattern,
            block_bytes,
            queue_depth,
            threads: 1,
            read_percent: 0,
            region_bytes: None,
        }
    }

    /// Reads of one thread from the whole capacity.
    pub fn read(pattern: Pattern, block_bytes: u64, queue_depth: u32) -> Load {
        Load {
            op: PointOp::Read,
            read_percent: 100,
            ..Load::write(pattern, block_bytes, queue_depth)
        }
    }

    /// True if the load writes.
    pub fn writes(&self) -> bool {
        self.read_percent < 100
    }

    /// True if the load reads and does nothing else. False for a mixed load even if all of its
    /// requests are reads: fio treats its job as one that writes.
    pub fn only_reads(&self) -> bool {
        self.op == PointOp::Read
    }

    /// Number of bytes in the load's range, on a target of this capacity.
    pub fn range_bytes(&self, capacity_bytes: u64) -> u64 {
        range_bytes(self.region_bytes, capacity_bytes)
    }

    /// Description for people: `random read, 4 KiB, queue depth 8`.
    pub fn describe(&self) -> Text {
        let mut parts = self.requests();
        parts.push(recorded!("piece-depth", depth = self.queue_depth));
        let region = self.region_bytes;
        parts.extend(region.map(|bytes| recorded!("piece-region", region = size_text(bytes))));
        Text::list(", ", parts)
    }

    /// The load on a target of this capacity: a region that holds all of it is none.
    #[must_use]
    pub fn within(&self, capacity_bytes: u64) -> Load {
        Load {
            region_bytes: self.region_bytes.filter(|bytes| *bytes < capacity_bytes),
            ..*self
        }
    }

    /// Parts of the description without the queue depth and the region: `random read`, `4 KiB`, `4
    /// threads`.
    pub(crate) fn requests(&self) -> Vec<Text> {
        let pattern = self.pattern.words();
        let what = match self.op {
            PointOp::Mixed => {
                let share = self.read_percent;
                Text::named("piece", &format!("{pattern}-share")).with("share", share)
            }
            op => Text::named("piece", &format!("{pattern}-{}", op.words())),
        };
        let mut parts = vec![what, size_text(self.block_bytes).into()];
        if self.threads != 1 {
            parts.push(recorded!("piece-threads", threads = self.threads));
        }
        parts
    }

    /// A short name of letters, digits and dashes: the section of the job file, from which the
    /// point's random seed also derives.
    pub fn slug(&self) -> String {
        let pattern = match self.pattern {
            Pattern::Sequential => "seq",
            Pattern::Random => "rand",
        };
        let op = match self.op {
            PointOp::Mixed => format!("mixed{}", self.read_percent),
            op => op.words().to_owned(),
        };
        let region = match self.region_bytes {
            None => String::new(),
            Some(bytes) => format!("-in{bytes}"),
        };
        format!(
            "{pattern}-{op}-{}-t{}-qd{}{region}",
            self.block_bytes, self.threads, self.queue_depth
        )
    }
}

/// The direction of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointOp {
    /// Reads only.
    #[default]
    Read,
    /// Writes only.
    Write,
    /// Both; `read_percent` is their proportion, `parts` contains the figures of each.
    Mixed,
}

impl PointOp {
    /// The direction of a load with this share of reads, percent.
    pub fn of_share(read_percent: u32) -> PointOp {
        match read_percent {
            100 => PointOp::Read,
            0 => PointOp::Write,
            _ => PointOp::Mixed,
        }
    }

    /// Name for people: `read`, `write`, `mixed`.
    pub fn words(self) -> &'static str {
        match self {
            PointOp::Read => "read",
            PointOp::Write => "write",
            PointOp::Mixed => "mixed",
        }
    }
}

/// Order of the offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Ascending.
    #[default]
    Sequential,
    /// Uniformly random.
    Random,
}

impl Pattern {
    /// Name for people: `sequential`, `random`.
    pub fn words(self) -> &'static str {
        match self {
            Pattern::Sequential => "sequential",
            Pattern::Random => "random",
        }
    }
}

/// The load under which a series was sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesPoint {
    /// Direction.
    pub op: PointOp,
    /// Order of the offsets.
    pub pattern: Pattern,
    /// Request size, bytes.
    pub block_bytes: u64,
    /// Queue depth.
    pub queue_depth: u32,
}

impl From<&Load> for SeriesPoint {
    fn from(load: &Load) -> SeriesPoint {
        SeriesPoint {
            op: load.op,
            pattern: load.pattern,
            block_bytes: load.block_bytes,
            queue_depth: load.queue_depth,
        }
    }
}

/// Number of bytes in a region on a target of this capacity.
pub fn range_bytes(region_bytes: Option<u64>, capacity_bytes: u64) -> u64 {
    region_bytes.map_or(capacity_bytes, |region| region.min(capacity_bytes))
}

/// A load of rounds as stored in a review: without the direction, which follows from the share of
/// reads, and without a region, which it does not have.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct InRounds {
    pattern: Pattern,
    block_bytes: u64,
    read_percent: u32,
    queue_depth: u32,
    threads: u32,
}

impl From<&Load> for InRounds {
    fn from(load: &Load) -> InRounds {
        InRounds {
            pattern: load.pattern,
            block_bytes: load.block_bytes,
            read_percent: load.read_percent,
            queue_depth: load.queue_depth,
            threads: load.threads,
        }
    }
}

impl From<InRounds> for Load {
    fn from(load: InRounds) -> Load {
        Load {
            op: PointOp::of_share(load.read_percent),
            pattern: load.pattern,
            block_bytes: load.block_bytes,
            queue_depth: load.queue_depth,
            threads: load.threads,
            read_percent: load.read_percent,
            region_bytes: None,
        }
    }
}

/// Serde functions for one load of rounds.
pub(crate) mod in_rounds {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{InRounds, Load};

    pub(crate) fn serialize<S: Serializer>(load: &Load, to: S) -> Result<S::Ok, S::Error> {
        InRounds::from(load).serialize(to)
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Load, D::Error> {
        InRounds::deserialize(from).map(Load::from)
    }
}

/// Serde functions for the loads of rounds.
pub(crate) mod list_in_rounds {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{InRounds, Load};

    pub(crate) fn serialize<S: Serializer>(loads: &[Load], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(loads.iter().map(InRounds::from))
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<Load>, D::Error> {
        let loads = Vec::<InRounds>::deserialize(from)?;
        Ok(loads.into_iter().map(Load::from).collect())
    }
}
