//! Size of the SLC cache of the empty drive.

use stend_language::text;

use super::words::{bytes, speed};
use crate::ends::{LEVEL_RATIO, Step, first_step, like_new, new_bytes};
use crate::observed::{Observed, ReadMap};

/// The size of a cache.
pub(super) struct Size {
    pub bytes: f64,
    /// Bounds of the size, bytes, with 90 % confidence.
    pub interval: (f64, f64),
    /// True if the size may exceed the interval, because no more than it may hold was written.
    pub at_least: bool,
    /// Bytes of the cache that accept new data: less than all by the drive's reserve.
    pub written: f64,
    pub evidence: String,
}

/// Reserve of the cache per die, bytes: minimum, usual value and maximum. Blocks that are being
/// emptied or erased, or wait for either, hold no new data.
type Kept = [f64; 3];

/// Reserves if writes show the end of the cache: if all writes pass through it, if they bypass it,
/// and if that is unknown. Assumed: some blocks of a die; narrower bounds fail with large blocks,
/// wider ones make more sizes a range.
const KEPT_WAITING: Kept = [3e6, 7e6, 10e6];
const KEPT_PASSED: Kept = [0.0, 0.0, 9e6];
const KEPT_UNKNOWN: Kept = [0.0, 4e6, 10e6];

/// Reserve if data is still in the cache after more was written. Assumed: more than above, by the
/// blocks that were emptied for the later data.
const KEPT_LATER: Kept = [0.0, 10e6, 18e6];

/// Maximum reserve if the number of dies is unknown, as a share of the written bytes. Assumed: a
/// cache of fewer blocks per die reserves a larger share, and is small.
const KEPT_SHARE_MAX: f64 = 0.06;

/// Share of the written bytes up to which moved bytes count as few. Assumed: the bound is taken for
/// the value up to here; a larger share makes more sizes wrong, a smaller one more of them a range.
const LITTLE_SHARE: f64 = 0.3;

/// Share of the written bytes up to which no data counts as having left the cache. Assumed: a
/// drive that is busy reads some parts slowly; a larger share overlooks a cache that is emptied.
const LEFT_SHARE: f64 = 0.1;

/// Ratio by which a step may be seen late: by chance two speeds of writing take bytes that differ
/// this much. Assumed: a level ends with a sample, and the last ones mix both speeds.
const LATE_RATIO: f64 = 1.02;

/// Ratio by which a step may be seen early: if two speeds of writing bound the cache, and if not.
/// Assumed: two observations err less than one.
const EARLY_RATIO_TWO: f64 = 0.99;
const EARLY_RATIO_ONE: f64 = 0.97;

/// Ratio of written bytes to bytes read like new data. Below it, a drive whose oldest data has left
/// the cache may have emptied the cache before it was full. Assumed: a larger ratio makes more
/// sizes a lower bound.
const BEYOND_RATIO: f64 = 1.2;

/// Smallest share of the cache whose map shows if the cache is emptied during writes. Assumed: a
/// drive begins to empty its cache before it is this full.
const MAP_SHARE_MIN: f64 = 0.6;

/// Bytes written to the empty drive up to a step; earlier writes are in the cache too.
fn written_up_to(seen: &Observed, step: &Step) -> f64 {
    step.bytes + seen.before_fill_bytes() as f64
}

/// Describes the observations of a step.
pub(super) fn step_words(seen: &Observed, step: &Step) -> String {
    text!(
        "identify-step",
        bytes = bytes(written_up_to(seen, step)),
        fast = speed(step.fast),
        slow = speed(step.slow),
    )
}

/// Size of an existing cache of a drive with `dies` dies. `waits` is true if all writes pass
/// through it, and `None` if unknown.
pub(super) fn size(seen: &Observed, dies: Option<f64>, waits: Option<bool>) -> Option<Size> {
    let kept = match waits {
        Some(true) => KEPT_WAITING,
        Some(false) => KEPT_PASSED,
        None => KEPT_UNKNOWN,
    };
    match first_step(seen) {
        Some(step) => Some(by_step(seen, &step, kept, dies)),
        None => by_maps(seen, dies),
    }
}

/// Size from its bounds in written bytes, plus the drive's reserve.
fn with_kept(
    (written, least, most): (f64, f64, f64),
    [at_least, usual, at_most]: Kept,
    dies: Option<f64>,
    evidence: String,
) -> Size {
    let known = dies.unwrap_or(0.0);
    Size {
        bytes: written + known * usual,
        interval: (
            least + known * at_least,
            most + dies.map_or(KEPT_SHARE_MAX * written, |dies| dies * at_most),
        ),
        at_least: false,
        written,
        evidence,
    }
}

fn by_step(seen: &Observed, step: &Step, kept: Kept, dies: Option<f64>) -> Size {
    let written = written_up_to(seen, step);
    let evidence = step_words(seen, step);
    let left = moved_seen(seen, written);
    if let Some((least, most)) = by_rates(seen, step, written) {
        let ends = (
            f64::midpoint(least, most),
            EARLY_RATIO_TWO * least,
            LATE_RATIO * most,
        );
        return with_kept(ends, kept, dies, evidence);
    }
    let stayed = left.is_some_and(|left| left < LEFT_SHARE * written);
    let (moved, most) = match stayed {
        true => (0.0, 0.0),
        false => moved(step, written, left),
    };
    let ends = (
        written - moved,
        EARLY_RATIO_ONE * (written - most),
        LATE_RATIO * written,
    );
    with_kept(ends, kept, dies, evidence)
}

/// Bounds of the cache's size from the bytes taken at two speeds of writing r, both faster than the
/// speed s behind the cache. The drive empties the cache from F bytes on; the faster the host
/// writes, the slower it empties: e = s - a (r - s). Thus the cache takes F + Q / (1 - s / r), with
/// Q = (C - F) / (1 + a) and size C. Two speeds determine F and Q. a is at least 0, and at most so
/// large that e is 0 at the greater speed, where C equals the bytes taken. `None` if both speeds
/// take the same.
fn by_rates(seen: &Observed, step: &Step, written: f64) -> Option<(f64, f64)> {
    let slower = seen.slower_fill.as_ref()?;
    let stretches = slower.stretches();
    let (first, last) = (stretches.first()?, stretches.last()?);
    let rest = |rate: f64| 1.0 / (1.0 - step.slow / rate);
    let is_fast = |speed: f64| speed > LEVEL_RATIO * last.bytes_per_s.max(step.slow);
    let fast = stretches.iter().take_while(|s| is_fast(s.bytes_per_s));
    let end = fast.last()?.to_bytes;
    let taken = end as f64 + seen.before_fill_bytes() as f64;
    if taken < LATE_RATIO * written || end >= slower.bytes() {
        return None;
    }
    let more = (taken - written) / (rest(first.bytes_per_s) - rest(step.fast));
    Some((written - more * (rest(step.fast) - 1.0), written))
}

/// Bytes that the drive moved out of the cache while `written` bytes were written, and their upper
/// bound. If a slower level shows moves, they are the bound, limited by `seen`; else the bound is
/// the amount moved during later writes, likewise limited, and 0 if no moves were seen. The
/// estimate is half of an uncertain bound.
fn moved(step: &Step, written: f64, seen: Option<f64>) -> (f64, f64) {
    let cap = seen.unwrap_or(f64::INFINITY);
    let told = step.moved.min(cap);
    if told > 0.0 {
        // Only if few bytes were moved is the bound a good estimate.
        return match told < LITTLE_SHARE * written {
            true => (told, told),
            false => (told / 2.0, told),
        };
    }
    let beside = written * step.slow / (step.fast + step.slow);
    let most = beside.min(seen.unwrap_or(0.0));
    (most / 2.0, most)
}

/// Bytes that had left the cache when it was full: in a map of about this size, the data read like
/// old data before the first data read like new data; the smaller result of two such maps. `None`
/// without a map.
fn moved_seen(seen: &Observed, full: f64) -> Option<f64> {
    let enough = |map: &&ReadMap| map.written_bytes as f64 >= MAP_SHARE_MIN * full;
    let maps = [seen.end_map.as_ref(), seen.maps.iter().find(enough)];
    let left = maps.into_iter().flatten().filter_map(|map| {
        let parts = like_new(seen, map)?;
        let part = map.written_bytes as f64 / parts.len() as f64;
        let left = parts.iter().take_while(|new| !**new);
        // Later writes may have displaced the same amount.
        let since = (map.written_bytes as f64 - full).max(0.0);
        Some((left.count() as f64 * part - since).max(0.0))
    });
    left.reduce(f64::min)
}

/// Size of the cache of the empty drive from maps of reads: the most data that was ever read like
/// new data, because a dynamic cache shrinks as the drive fills; or between a range that was
/// completely read like new data and one that was not.
fn by_maps(seen: &Observed, dies: Option<f64>) -> Option<Size> {
    let maps = seen.maps.iter().chain(&seen.closer_maps);
    let maps = maps.filter_map(|map| Some((map, new_bytes(seen, map)?)));
    let (whole, parts): (Vec<_>, Vec<_>) =
        maps.partition(|(map, new)| *new >= (1.0 - LEFT_SHARE) * map.written_bytes as f64);
    let written = |map: &ReadMap| map.written_bytes as f64;
    let all = whole
        .iter()
        .map(|(map, _)| written(map))
        .fold(0.0, f64::max);
    let (map, new) = parts
        .iter()
        .max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    if *new > all {
        let part = written(map) / map.parts.len() as f64;
        let most = parts.iter().map(|(map, _)| written(map));
        let at_least = oldest_left(seen, map) && most.fold(all, f64::max) < BEYOND_RATIO * new;
        let message = match at_least {
            true => "identify-mapped-least",
            false => "identify-mapped",
        };
        let evidence = text!(message, written = bytes(written(map)), bytes = bytes(*new),);
        let ends = (*new, new - part / 2.0, new + part / 2.0);
        return Some(Size {
            at_least,
            ..with_kept(ends, KEPT_LATER, dies, evidence)
        });
    }
    let beyond = parts.iter().filter(|(map, _)| written(map) > all);
    let (map, new) = beyond.min_by_key(|(map, _)| map.written_bytes)?;
    if all == 0.0 {
        return None;
    }
    let evidence = text!(
        "identify-mapped-all",
        all = bytes(all),
        written = bytes(written(map)),
        bytes = bytes(*new),
    );
    let ends = (f64::midpoint(all, written(map)), all, written(map));
    Some(with_kept(ends, [0.0; 3], Some(0.0), evidence))
}

/// True if the first written data is not read like new data, and the last is.
fn oldest_left(seen: &Observed, map: &ReadMap) -> bool {
    let parts = like_new(seen, map).unwrap_or_default();
    (parts.first(), parts.last()) == (Some(&false), Some(&true))
}
