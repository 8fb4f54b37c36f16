//! End of the fast writes, and of data that is read like new data.

use crate::observed::{Curve, Observed, ReadMap, Times};
use crate::probing::Stretch;

/// Smallest ratio of two levels of a curve that counts as different speeds: a margin over the 1.10
/// at which `stend_analysis::steps` separates levels at all. Assumed: a larger ratio misses caches
/// that are little faster than the flash behind them.
pub(crate) const LEVEL_RATIO: f64 = 1.12;

/// Largest share of the bytes up to a step that may have been moved out of the cache meanwhile.
/// Assumed: a cache that is emptied as fast as it is filled shows no step.
const MOVED_SHARE_MAX: f64 = 0.5;

/// The first step of a curve of writes: bytes before it, and the speeds before and after.
pub(crate) struct Step {
    pub bytes: f64,
    /// Upper bound of the bytes that the drive moved out of the cache until then.
    pub moved: f64,
    pub fast: f64,
    pub slow: f64,
}

/// The step from the speed of the cache to the speed behind it: the end of all consecutive levels,
/// from the first on, that are faster than the last one.
pub(crate) fn step(curve: &Curve) -> Option<Step> {
    let stretches = curve.stretches();
    let (first, last) = (stretches.first()?, stretches.last()?);
    let slow = settled_speed(&stretches, curve.bytes()).unwrap_or(last.bytes_per_s);
    if first.bytes_per_s < LEVEL_RATIO * slow {
        return None;
    }
    let fast = stretches
        .iter()
        .take_while(|stretch| stretch.bytes_per_s > LEVEL_RATIO * slow);
    let fast: Vec<&Stretch> = fast.collect();
    let bytes = fast.last()?.to_bytes as f64;
    // From the first slower level on, the drive empties the cache during the writes.
    let slower = |stretch: &&&Stretch| LEVEL_RATIO * stretch.bytes_per_s < first.bytes_per_s;
    let beside: f64 = fast
        .iter()
        .filter(slower)
        .map(|stretch| stretch.seconds)
        .sum();
    Some(Step {
        bytes,
        moved: (beside * slow).min(MOVED_SHARE_MAX * bytes),
        fast: first.bytes_per_s,
        slow,
    })
}

/// Largest share of the capacity that an empty drive writes fast into a cache: two-bit cells hold
/// half of their data in SLC mode. Assumed: the margin, for spare space and a cache that is emptied
/// meanwhile. A step beyond it has another cause.
const CACHE_SHARE_MAX: f64 = 0.75;

/// End of the cache of the empty drive, from ascending writes, or else from random ones.
pub(crate) fn first_step(seen: &Observed) -> Option<Step> {
    let cache = |step: &Step| step.bytes < CACHE_SHARE_MAX * seen.capacity_bytes as f64;
    let of = |curve: &Option<Curve>| curve.as_ref().and_then(step).filter(cache);
    of(&seen.fill).or_else(|| of(&seen.fresh_random))
}

/// Speed of the longest level, by bytes, in the second half of a curve: the first may be all cache.
fn settled_speed(stretches: &[Stretch], all_bytes: u64) -> Option<f64> {
    let late = stretches
        .iter()
        .filter(|stretch| stretch.to_bytes > all_bytes / 2);
    let longest = late.max_by_key(|stretch| stretch.to_bytes - stretch.from_bytes)?;
    Some(longest.bytes_per_s)
}

/// Reads of new data, and of old data.
pub(crate) fn new_and_old(seen: &Observed) -> Option<(Times, Times)> {
    Some((seen.new_reads?, seen.slowest_settled()?))
}

/// Reads of data in SLC mode take less than this share of the time of other reads: its cells are
/// sensed once, those of other modes several times, or more finely. Assumed: the pages of multi-bit
/// cells that are sensed the least come closest; a smaller share misses caches of such drives.
pub(crate) const FASTER_SHARE: f64 = 0.94;

/// For each part of a map, true if it is read like new data; `None` if reads of new data and of old
/// data were not measured, or are alike.
pub(crate) fn like_new(seen: &Observed, map: &ReadMap) -> Option<Vec<bool>> {
    let (new, old) = new_and_old(seen)?;
    let (new_ns, old_ns) = (new.p1_ns as f64, old.p1_ns as f64);
    let middle = f64::midpoint(new_ns, old_ns);
    let parts = map.parts.iter().map(|times| (times.p1_ns as f64) < middle);
    (new_ns < FASTER_SHARE * old_ns).then(|| parts.collect())
}

/// Largest share of the parts of a map that a busy drive may have read; with more, the map is not
/// used. Assumed: each such part counts as old data, and makes the cache seem smaller.
const BUSY_SHARE: f64 = 0.2;

/// Ratio of a read's time to that of old data above which the read has waited for something else.
/// Assumed: a smaller ratio takes slow pages for waiting.
const BUSY_RATIO: u64 = 3;

/// Bytes of a map that are read like new data; `None` also if the drive was too busy.
pub(crate) fn new_bytes(seen: &Observed, map: &ReadMap) -> Option<f64> {
    let parts = like_new(seen, map)?;
    let (_, old) = new_and_old(seen)?;
    let busy = map.parts.iter();
    let busy = busy.filter(|times| times.p1_ns > BUSY_RATIO * old.p1_ns);
    if busy.count() as f64 > BUSY_SHARE * map.parts.len() as f64 {
        return None;
    }
    let new = parts.iter().filter(|new| **new).count();
    Some(map.written_bytes as f64 * new as f64 / parts.len() as f64)
}

/// Number of parts of a curve of which a level spans more than one: shorter writes only fill a
/// buffer. Assumed: a shorter level can be a buffer of a small drive, a longer one a small cache.
const LEVEL_PARTS: u64 = 100;

/// Upper bound of the bytes that the full drive writes into its cache: data that is read like new
/// data, or is written before the first slower level. 0 if neither was observed.
pub(crate) fn taken_when_full(seen: &Observed) -> f64 {
    let mapped = seen.full_map.as_ref().and_then(|map| new_bytes(seen, map));
    let first_end = |curve: &Curve| {
        let stretches = curve.stretches();
        let long = |s: &Stretch| s.to_bytes - s.from_bytes > curve.bytes() / LEVEL_PARTS;
        let first = stretches.iter().find(|stretch| long(stretch))?;
        let slower = |s: &&Stretch| {
            s.from_bytes >= first.to_bytes && LEVEL_RATIO * s.bytes_per_s < first.bytes_per_s
        };
        Some(stretches.iter().find(slower)?.from_bytes as f64)
    };
    let written = seen.full.as_ref().and_then(|full| first_end(&full.curve));
    mapped.unwrap_or(0.0).max(written.unwrap_or(0.0))
}
