//! What was seen of a drive.

use serde::{Deserialize, Serialize};
use stend_record::review::Sample;

pub use crate::probing::{Curve, Times};

/// What was seen of a drive from outside. What was not looked at, or could not be, is missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observed {
    /// Bytes that were probed.
    pub capacity_bytes: u64,
    /// Groups of probes that were not carried out.
    pub left_out: Vec<String>,
    /// Random reads of a page, one at a time, of space that was never written or was given TRIM.
    pub unwritten_reads: Option<Times>,
    /// The same of what has just been written in short requests.
    pub new_reads: Option<Times>,
    /// The same of what was written long ago, after a rest.
    pub settled_reads: Option<Times>,
    /// The same reads again and again.
    pub repeats: Vec<Times>,
    /// Random reads of a page in equal parts of the full drive, after a rest.
    pub settled_parts: Vec<Times>,
    /// The rest, s.
    pub settled_s: f64,
    /// The part of the full drive that reads alike: offset and length, bytes.
    pub alike: Option<(u64, u64)>,
    /// Writes in long requests from the beginning to the end of the empty drive.
    pub fill: Option<Curve>,
    /// Reads of what that wrote last, at once.
    pub latest_reads: Option<Times>,
    /// How often these were tried until the drive was quiet.
    pub latest_tries: u32,
    /// The first writes in long requests after a rest, each millisecond.
    pub burst: Option<Curve>,
    /// Reads by place, at once after a part of the empty drive was written in ascending order:
    /// larger parts as long as all of it was read like new data.
    pub maps: Vec<ReadMap>,
    /// The places of the last of these after a rest.
    pub rested_map: Option<ReadMap>,
    /// Random reads of a page: outstanding requests, and what was done.
    pub depths: Vec<(u32, Times)>,
    /// Random reads of a page within so many bytes, one at a time.
    pub spans: Vec<(u64, Times)>,
    /// Reads of a page in ascending order, one at a time.
    pub ascending_reads: Option<Times>,
    /// Two pages so many bytes apart that are read at the same time: reads a second of both.
    pub pairs: Vec<(u64, f64)>,
    /// The same of pages that lie anywhere.
    pub far_pairs: Vec<(u64, f64)>,
    /// Writes of a page with a flush after so many: mean time of a flush, and of a write, ns.
    pub flushes: Vec<Flush>,
    /// Random writes of 512 bytes and of a page, each a second.
    pub short_writes: Option<(f64, f64)>,
    /// Ascending reads, writes, and both at once.
    pub mixed: Option<Mixed>,
    /// Writes in long requests from the beginning of the empty drive to beyond where its fastest
    /// writes end, slower than the drive can.
    pub slower_fill: Option<Curve>,
    /// Reads by place of the empty drive, at once after it was written in ascending order to where
    /// its fastest writes end.
    pub end_map: Option<ReadMap>,
    /// The same after it was written to other places, closer and closer to where the cache ends.
    pub closer_maps: Vec<ReadMap>,
    /// Writes in long requests over the full drive, after a rest.
    pub full: Option<Rested>,
    /// Reads by place, at once after a part of the full drive was written again after a rest.
    pub full_map: Option<ReadMap>,
    /// Writes in long requests to the empty drive after its fastest writes have ended and it has
    /// rested.
    pub emptied: Vec<Rested>,
    /// The same after the longest of these rests, in which a page was read now and then.
    pub emptied_awake: Option<Rested>,
    /// Random writes of a page over the empty drive.
    pub fresh_random: Option<Curve>,
    /// Random writes of a page over the full drive.
    pub random: Option<Curve>,
    /// Random writes after those: without a rest, and with one.
    pub dirty: Vec<Rested>,
    /// The same after the longest of these rests, in which a page was read now and then.
    pub dirty_awake: Option<Rested>,
    /// What rests gave back after random writes to the full drive, as a review saw it.
    pub recovered: Vec<Recovered>,
    /// Writes in long requests to the dirty drive, before TRIM of all of it and after.
    pub trimmed: Option<Trimmed>,
    /// TRIM of a part of the full drive while it is read: bytes, and how long it took, ns.
    pub trim_time: Option<(u64, u64)>,
    /// Ascending reads for minutes, requests a second.
    pub long_reads: Vec<Sample>,
}

/// Flushes among writes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flush {
    /// Writes of a page between two flushes.
    pub every: u32,
    /// Mean time of a flush, ns.
    pub flush_ns: f64,
    /// Mean time of a write, ns.
    pub write_ns: f64,
}

/// Ascending requests of both directions, bytes a second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixed {
    /// Reads alone.
    pub reads: f64,
    /// Writes alone.
    pub writes: f64,
    /// Both, in equal shares, in all.
    pub both: f64,
    /// Bytes that each moved, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// Reads of a page by the place that is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadMap {
    /// Bytes that were written before, from the beginning.
    pub written_bytes: u64,
    /// Reads in equal parts of these, in ascending order.
    pub parts: Vec<Times>,
}

/// Writes after a rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rested {
    /// The rest, s.
    pub rest_s: f64,
    /// The writes.
    pub curve: Curve,
}

/// What a rest gave back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recovered {
    /// The rest, s; `None` where the review does not tell.
    pub rest_s: Option<f64>,
    /// The drive was given TRIM before.
    pub trim: bool,
    /// Bytes that were written fast after it.
    pub bytes: u64,
    /// Writes a second at first.
    pub per_s: f64,
}

/// What TRIM restores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trimmed {
    /// Writes to the dirty drive.
    pub before: Curve,
    /// The same after TRIM.
    pub after: Curve,
}

impl Observed {
    /// Bytes that the fill of the empty drive wrote.
    pub(crate) fn fill_bytes(&self) -> u64 {
        self.fill.as_ref().map_or(0, Curve::bytes)
    }

    /// Bytes of the empty drive that were written before that fill began.
    pub fn before_fill_bytes(&self) -> u64 {
        let before = self.capacity_bytes.saturating_sub(self.fill_bytes());
        self.new_reads.map_or(0, |_| before)
    }

    /// Of the parts of the full drive, after a rest, the one that is read the slowest of all but
    /// one in eight: data in the drive's usual mode, where some may be in an SLC cache still.
    pub fn slowest_settled(&self) -> Option<Times> {
        let mut parts = self.settled_parts.clone();
        parts.sort_by_key(|times| (times.p1_ns, times.p50_ns));
        match parts.len() {
            0 => self.settled_reads,
            len => Some(parts[len - 1 - len / 8]),
        }
    }

    /// By what share the same measurement varies from one time to the next: of the quickest reads,
    /// and of the mean. 0 where nothing was repeated.
    pub(crate) fn noise(&self) -> (f64, f64) {
        let spread = |of: fn(&Times) -> f64| {
            let least = self.repeats.iter().map(of).fold(f64::INFINITY, f64::min);
            let most = self.repeats.iter().map(of).fold(0.0, f64::max);
            if least > 0.0 && least.is_finite() {
                most / least - 1.0
            } else {
                0.0
            }
        };
        (
            spread(|times| times.p1_ns as f64),
            spread(|times| times.mean_ns),
        )
    }
}
