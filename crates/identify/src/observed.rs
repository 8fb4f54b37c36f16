//! Observations of a drive.

use serde::{Deserialize, Serialize};
use stend_record::review::Sample;

pub use crate::probing::{Curve, Times};

/// Observations of a drive from outside. Missing values were not, or could not be, observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observed {
    /// Number of probed bytes.
    pub capacity_bytes: u64,
    /// Ids of the groups of probes that were left out.
    pub left_out: Vec<String>,
    /// Random reads of a page, one at a time, of space that was never written or was trimmed.
    pub unwritten_reads: Option<Times>,
    /// Random reads of data just written in short requests.
    pub new_reads: Option<Times>,
    /// Random reads of data written long ago, after a rest.
    pub settled_reads: Option<Times>,
    /// Repetitions of these reads.
    pub repeats: Vec<Times>,
    /// Random reads of a page in equal parts of the full drive, after a rest.
    pub settled_parts: Vec<Times>,
    /// Duration of the rest, s.
    pub settled_s: f64,
    /// Range of the full drive with uniform read times: offset and length, bytes.
    pub alike: Option<(u64, u64)>,
    /// Writes in long requests from the beginning to the end of the empty drive.
    pub fill: Option<Curve>,
    /// Reads, immediately afterwards, of the data that the fill wrote last.
    pub latest_reads: Option<Times>,
    /// Number of attempts until the drive was quiet.
    pub latest_tries: u32,
    /// The first writes in long requests after a rest, sampled every millisecond.
    pub burst: Option<Curve>,
    /// Reads by place, immediately after a part of the empty drive was written in ascending order;
    /// the part grows as long as all of it is read like new data.
    pub maps: Vec<ReadMap>,
    /// Reads of the places of the last map after a rest.
    pub rested_map: Option<ReadMap>,
    /// Random reads of a page: number of outstanding requests, and times.
    pub depths: Vec<(u32, Times)>,
    /// Random reads of a page within a range: bytes of the range, and times; one at a time.
    pub spans: Vec<(u64, Times)>,
    /// Reads of a page in ascending order, one at a time.
    pub ascending_reads: Option<Times>,
    /// Simultaneous reads of two pages: their distance in bytes, and reads per second of both.
    pub pairs: Vec<(u64, f64)>,
    /// Simultaneous reads of two pages at random places.
    pub far_pairs: Vec<(u64, f64)>,
    /// Writes of a page with regular flushes.
    pub flushes: Vec<Flush>,
    /// Random writes of 512 bytes, and of a page, per second.
    pub short_writes: Option<(f64, f64)>,
    /// Ascending reads, writes, and both at the same time.
    pub mixed: Option<Mixed>,
    /// Writes in long requests, slower than the drive's speed, from the beginning of the empty
    /// drive to beyond the end of its fastest writes.
    pub slower_fill: Option<Curve>,
    /// Reads by place of the empty drive, immediately after it was written in ascending order to
    /// the end of its fastest writes.
    pub end_map: Option<ReadMap>,
    /// Reads by place after it was written to other places, ever closer to the end of the cache.
    pub closer_maps: Vec<ReadMap>,
    /// Writes in long requests over the full drive, after a rest.
    pub full: Option<Rested>,
    /// Reads by place, immediately after a part of the full drive was overwritten after a rest.
    pub full_map: Option<ReadMap>,
    /// Writes in long requests to the empty drive, after the end of its fastest writes and a rest.
    pub emptied: Vec<Rested>,
    /// Such writes after the longest of these rests, during which a page was read now and then.
    pub emptied_awake: Option<Rested>,
    /// Random writes of a page over the empty drive.
    pub fresh_random: Option<Curve>,
    /// Random writes of a page over the full drive.
    pub random: Option<Curve>,
    /// Random writes following those: without a rest, and after rests.
    pub dirty: Vec<Rested>,
    /// Such writes after the longest of these rests, during which a page was read now and then.
    pub dirty_awake: Option<Rested>,
    /// Recovery by rests after random writes to the full drive, from a review.
    pub recovered: Vec<Recovered>,
    /// Writes in long requests to the dirty drive, before and after TRIM of the whole drive.
    pub trimmed: Option<Trimmed>,
    /// TRIM of a part of the full drive during reads: bytes, and duration, ns.
    pub trim_time: Option<(u64, u64)>,
    /// Ascending reads for minutes, requests per second.
    pub long_reads: Vec<Sample>,
}

/// Flushes between writes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flush {
    /// Number of page writes between two flushes.
    pub every: u32,
    /// Mean time of a flush, ns.
    pub flush_ns: f64,
    /// Mean time of a write, ns.
    pub write_ns: f64,
}

/// Ascending requests of both directions, bytes per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixed {
    /// Reads only.
    pub reads: f64,
    /// Writes only.
    pub writes: f64,
    /// Both, in equal shares, in total.
    pub both: f64,
    /// Bytes that each moved, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// Reads of a page, by place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadMap {
    /// Bytes written before, from the beginning.
    pub written_bytes: u64,
    /// Reads in equal parts of these bytes, in ascending order.
    pub parts: Vec<Times>,
}

/// Writes after a rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rested {
    /// Duration of the rest, s.
    pub rest_s: f64,
    /// The writes.
    pub curve: Curve,
}

/// Recovery by a rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recovered {
    /// Duration of the rest, s; `None` if the review does not contain it.
    pub rest_s: Option<f64>,
    /// True if the drive was trimmed before.
    pub trim: bool,
    /// Bytes written fast afterwards.
    pub bytes: u64,
    /// Writes per second at the beginning.
    pub per_s: f64,
}

/// Speed before and after TRIM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trimmed {
    /// Writes to the dirty drive.
    pub before: Curve,
    /// Writes after TRIM.
    pub after: Curve,
}

impl Observed {
    /// Bytes that the fill of the empty drive wrote.
    pub(crate) fn fill_bytes(&self) -> u64 {
        self.fill.as_ref().map_or(0, Curve::bytes)
    }

    /// Bytes of the empty drive that were written before the fill began.
    pub fn before_fill_bytes(&self) -> u64 {
        let before = self.capacity_bytes.saturating_sub(self.fill_bytes());
        self.new_reads.map_or(0, |_| before)
    }

    /// The part of the full drive, after a rest, that is read the slowest, ignoring one in eight:
    /// data in the drive's usual mode, as some may still be in an SLC cache.
    pub fn slowest_settled(&self) -> Option<Times> {
        let mut parts = self.settled_parts.clone();
        parts.sort_by_key(|times| (times.p1_ns, times.p50_ns));
        match parts.len() {
            0 => self.settled_reads,
            len => Some(parts[len - 1 - len / 8]),
        }
    }

    /// Share by which the same measurement varies from one time to the next: of the quickest reads,
    /// and of the mean. 0 if nothing was repeated.
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
