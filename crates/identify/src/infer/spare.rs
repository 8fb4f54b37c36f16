//! Spare space, GC in idle time, TRIM, and the write buffer.

use stend_language::{say, text};
use stend_record::review::Sample;

use super::cache::Cache;
use super::durable::writes_wait;
use super::margins::{Ends, MORE_WORK_RATIO, QUOTIENT_ENDS, around};
use super::words::{bytes, fixed, speed};
use crate::ends::taken_when_full;
use crate::observed::{Curve, Observed, Recovered, Rested};
use crate::property::Property;

/// Ratio by which random writes beyond the end of spare space are slower than those before, if they
/// do not fall within few windows. Assumed: more than `FALLEN_RATIO`, because single windows vary
/// more than their mean.
const FALL_RATIO: f64 = 1.6;

/// Space that drives reserve when GC begins, share of the capacity: usual value and maximum.
/// Assumed, as in the shipped models: drives whose blocks are large reserve more, and their spare
/// space is wrong (`docs/identify.md`, blind trial).
const RESERVE_SHARE: f64 = 0.012;
const RESERVE_SHARE_MAX: f64 = 0.034;

/// Additional reserve for a dynamic cache, whose blocks are of the data area. Assumed: as above.
const RESERVE_CACHE_SHARE: f64 = 0.004;

/// Error of the bytes written until a fall, in points of the capacity: somewhat more than a window
/// of `WINDOWS`, within which it may begin.
const FALL_POINTS: f64 = 0.3;

pub(super) fn properties(seen: &Observed, cache: &Cache) -> Vec<Property> {
    vec![
        over_provisioning(seen, cache),
        idle_gc(seen),
        trim_restores(seen),
        trim_time(seen),
        write_buffer(seen, cache),
    ]
}

/// Means over windows of `window_bytes` bytes: (bytes at the end, bytes per second).
fn windows(curve: &Curve, window_bytes: u64) -> Vec<(u64, f64)> {
    let mut means = Vec::new();
    let (mut from_s, mut from) = (0.0, 0);
    for sample in &curve.samples {
        if sample.written_bytes - from >= window_bytes && sample.t_s > from_s {
            let speed = (sample.written_bytes - from) as f64 / (sample.t_s - from_s);
            means.push((sample.written_bytes, speed));
            (from_s, from) = (sample.t_s, sample.written_bytes);
        }
    }
    means
}

/// Random writes have fallen if the mean of `FALLEN_WINDOWS` windows is slower, by `FALLEN_RATIO`,
/// than the median of the `BEFORE_WINDOWS` before. Assumed: more windows miss a fall soon after the
/// end of the cache, fewer take the variation of speeds for a fall.
const FALLEN_WINDOWS: usize = 4;
const FALLEN_RATIO: f64 = 1.3;
const BEFORE_WINDOWS: usize = 20;

/// Number of further windows within which they reach their slowest speed. Assumed: soon, because GC
/// takes most when it begins; much later a drive is slow by heat.
const SLOWEST_WINDOWS: usize = 8;

/// A fall of random writes.
struct Fall {
    /// Bytes written before it.
    bytes: f64,
    /// Speed before, bytes per second.
    fast: f64,
    /// Slowest speed soon after.
    slow: f64,
}

/// The fall of random writes with the largest ratio after `beyond` bytes. Later writes may become
/// faster again, because GC takes most when it begins, and slower, because the drive is warm.
/// Without such a fall, they may have fallen earlier: then the fall to their slowest speed. `None`
/// without a fall.
fn fall(curve: &Curve, beyond: f64, capacity_bytes: u64) -> Option<Fall> {
    let window = (capacity_bytes / WINDOWS).min(curve.bytes() / WINDOWS_MIN);
    let windows = windows(curve, window.max(1));
    let from = windows
        .iter()
        .position(|(bytes, _)| *bytes as f64 > beyond)
        .unwrap_or(windows.len());
    let (mut left, mut falls) = (&windows[from..], Vec::new());
    while let Some((fall, end)) = fallen(left) {
        falls.push(fall);
        left = &left[end..];
    }
    // The first of equal ones.
    let by_ratio = |one: &Fall, other: &Fall| one.ratio().total_cmp(&other.ratio());
    let largest = falls.into_iter().rev().max_by(by_ratio);
    largest.or_else(|| fallen_to_slowest(&windows))
}

/// Windows of a curve: bytes at the end, and bytes per second.
type Windows = [(u64, f64)];

/// Mean of `FALLEN_WINDOWS` windows from this one on.
fn mean_from(windows: &Windows, from: usize) -> Option<f64> {
    let some = windows.get(from..from + FALLEN_WINDOWS)?;
    Some(some.iter().map(|(_, speed)| speed).sum::<f64>() / some.len() as f64)
}

/// First fall below the usual speed just before, and the window with the slowest writes.
fn fallen(windows: &Windows) -> Option<(Fall, usize)> {
    let before = |at: usize| {
        let before = &windows[at.saturating_sub(BEFORE_WINDOWS)..at];
        let mut before: Vec<f64> = before.iter().map(|(_, speed)| *speed).collect();
        before.sort_by(f64::total_cmp);
        before.get(before.len() / 2).copied()
    };
    let (at, fast) = (FALLEN_WINDOWS..windows.len()).find_map(|at| {
        let fast = before(at)?;
        (FALLEN_RATIO * mean_from(windows, at)? < fast).then_some((at, fast))
    })?;
    let later = (at..at + SLOWEST_WINDOWS).filter_map(|at| Some((at, mean_from(windows, at)?)));
    let (slowest, slow) = later.min_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let fall = fall_to(&windows[..slowest + FALLEN_WINDOWS], fast, slow)?;
    Some((fall, slowest))
}

/// Fall to the slowest speed of all, if it is much slower.
fn fallen_to_slowest(windows: &Windows) -> Option<Fall> {
    let means = (0..windows.len()).filter_map(|at| Some((at, mean_from(windows, at)?)));
    let (slowest, slow) = means.min_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let before = &windows[..slowest + FALLEN_WINDOWS];
    let fast = before
        .iter()
        .rfind(|(_, speed)| *speed > FALL_RATIO * slow)?;
    fall_to(before, fast.1, slow)
}

fn fall_to(windows: &Windows, fast: f64, slow: f64) -> Option<Fall> {
    let ratio = (fast / slow).sqrt().min(FALL_RATIO);
    let end = windows
        .iter()
        .rposition(|(_, speed)| *speed > ratio * slow)?;
    Some(Fall {
        bytes: windows[end].0 as f64,
        fast,
        slow,
    })
}

/// Largest ratio of the bytes that a cache takes to the observed ones: it is emptied during the
/// writes. Assumed: a larger ratio hides a fall soon after the cache's end.
const TAKEN_RATIO: f64 = 1.15;

impl Fall {
    fn ratio(&self) -> f64 {
        self.fast / self.slow
    }
}

/// Number of windows per capacity over which the speed of random writes is averaged; at least
/// `WINDOWS_MIN` for a short curve. Assumed: a quarter of a point of spare space; fewer windows
/// blur the fall, more show the variation of GC.
const WINDOWS: u64 = 400;
const WINDOWS_MIN: u64 = 40;

/// A curve, joined with the writes that followed without a rest.
fn joined(curve: &Curve, more: Option<&Rested>) -> Curve {
    let mut joined = curve.clone();
    let end = curve
        .samples
        .last()
        .map(|last| (last.t_s, last.written_bytes));
    let (Some((end_s, end_bytes)), Some(more)) = (end, more.filter(|more| more.rest_s == 0.0))
    else {
        return joined;
    };
    let later = more.curve.samples.iter().map(|sample| Sample {
        t_s: sample.t_s + end_s,
        written_bytes: sample.written_bytes + end_bytes,
        ..*sample
    });
    joined.samples.extend(later);
    joined
}

/// Random writes, and the bytes that they wrote before they overwrote any data.
fn random_writes(seen: &Observed) -> Option<(Curve, f64)> {
    let full = seen.random.as_ref();
    let full = full.map(|curve| (joined(curve, seen.dirty.first()), 0.0));
    let fresh = seen.fresh_random.clone();
    full.or_else(|| Some((fresh?, seen.capacity_bytes as f64)))
}

/// The fall of random writes beyond the bytes that the cache takes, and the bytes written before
/// they overwrote any data.
fn spare_fall(seen: &Observed) -> Option<(Option<Fall>, f64)> {
    let (curve, before) = random_writes(seen)?;
    let beyond = before + TAKEN_RATIO * taken_when_full(seen);
    Some((fall(&curve, beyond, seen.capacity_bytes), before))
}

/// Largest share of the capacity after which slow random writes are attributed to spare space: the
/// probe overwrites half of it, and the end of the curve is no fall. Assumed: no drive has as much.
const SPARE_SHARE_MAX: f64 = 0.49;

/// If an end of the interval of spare space is further than this, in points, only a range is known.
/// Assumed: classes of drives differ by about 7 points (0, 7, 28 %), which a value must separate.
const SPARE_REACH: f64 = 3.0;

fn over_provisioning(seen: &Observed, cache: &Cache) -> Property {
    let id = "over-provisioning-percent";
    let Some((fallen, before)) = spare_fall(seen) else {
        return Property::unknown(id, say("identify-random-missing"));
    };
    let Some(Fall {
        bytes: end,
        fast,
        slow,
    }) = fallen
    else {
        return Property::unknown(id, say("identify-no-fall"));
    };
    let written = end - before;
    let capacity = seen.capacity_bytes as f64;
    if written < 0.0 || written > SPARE_SHARE_MAX * capacity {
        return Property::unknown(id, say("identify-fall-elsewhere"));
    }
    // Data in a static cache is not in the data area.
    let (least_cached, most_cached) = cache.apart_bytes();
    let (least_cached, in_cache) = (least_cached.min(written), most_cached.min(written));
    let percent = |cached: f64, share: f64| 100.0 * ((written - cached) / capacity + share);
    let interval = (
        percent(in_cache, 0.0) - FALL_POINTS,
        percent(least_cached, RESERVE_SHARE_MAX),
    );
    let words = match least_cached == in_cache {
        true => "identify-fall",
        false => "identify-fall-range",
    };
    let evidence = text!(
        words,
        fast = speed(fast),
        slow = speed(slow),
        bytes = bytes(written),
        least = bytes(least_cached),
        cached = bytes(in_cache),
    );
    let kept = match cache.in_data_area() {
        true => RESERVE_SHARE + RESERVE_CACHE_SHARE,
        false => RESERVE_SHARE,
    };
    let value = percent(f64::midpoint(least_cached, in_cache), kept);
    let unit = "percent of capacity";
    Property::within(SPARE_REACH, id, value, interval, unit, evidence)
}

/// Ratio to the speed of the dirty drive above which writes after a rest are fast, and the number
/// of windows of their curve. Assumed: a smaller ratio counts the variation of GC as free space;
/// more windows have too few samples.
const FAST_RATIO: f64 = 1.5;
const FAST_WINDOWS: u64 = 64;

/// Bytes written before a curve falls to its last speed; 0 without a fall.
fn fast_bytes(curve: &Curve, slow: f64) -> f64 {
    let windows = windows(curve, (curve.bytes() / FAST_WINDOWS).max(1));
    let fast = windows
        .iter()
        .take_while(|(_, speed)| *speed > FAST_RATIO * slow);
    fast.last().map_or(0.0, |(bytes, _)| *bytes as f64)
}

/// Free space after idle time, as a share of the capacity, above which GC has done more than finish
/// the work it had begun. Assumed: a larger share misses drives that keep little space free, a
/// smaller one takes the end of begun work for idle work.
const COLLECTED_SHARE: f64 = 0.004;

/// If work begins in a long rest, it frees more space than a short rest by this ratio, and by this
/// share of the capacity. Assumed: work that had begun frees as much in both rests; the share is
/// about one of the `FAST_WINDOWS` of a curve over a 64th of the capacity.
const MORE_RATIO: f64 = 3.0;
const MORE_SHARE: f64 = 0.0002;

fn idle_gc(seen: &Observed) -> Property {
    let id = "idle-gc";
    let [none, short, long] = &seen.dirty[..] else {
        return idle_gc_reviewed(seen);
    };
    let slow = none
        .curve
        .speed_between(0, none.curve.bytes())
        .unwrap_or(0.0);
    let [at_once, after_short, after_long] =
        [none, short, long].map(|rested| fast_bytes(&rested.curve, slow));
    let evidence = text!(
        "identify-after-rests",
        once = bytes(at_once),
        short = bytes(after_short),
        short_rest = fixed(short.rest_s, 0),
        long = bytes(after_long),
        long_rest = fixed(long.rest_s, 0),
    );
    if spare_fall(seen).is_some_and(|(fallen, _)| fallen.is_none()) {
        let why = text!("identify-random-not-slow", speed = speed(slow));
        return Property::unknown(id, why);
    }
    let capacity = seen.capacity_bytes as f64;
    let awake = seen.dirty_awake.as_ref();
    let awake = awake.map(|rested| (fast_bytes(&rested.curve, slow), &rested.curve));
    if let Some((after_awake, curve)) = awake {
        let all = |bytes: f64, curve: &Curve| bytes > ALL_SHARE * curve.bytes() as f64;
        let both = all(after_long, &long.curve) && all(after_awake, curve);
        let after = long.curve.speed_between(0, long.curve.bytes());
        if both && slow > COOLED_SHARE * after.unwrap_or(f64::INFINITY) {
            return Property::unknown(id, say("identify-rest-cools"));
        }
        // Work that is done during requests, and less without them, is no work of idle time.
        let ended = after_long < MORE_RATIO * after_short + MORE_SHARE * capacity;
        if !both && ended && after_awake > MORE_WORK_RATIO * after_long {
            return Property::presence(id, false, evidence);
        }
        let idle = after_long > after_awake + FREED_SHARE * capacity;
        if idle && after_long > MORE_WORK_RATIO * after_short {
            return Property::presence(id, true, evidence);
        }
    }
    let much = after_long - at_once > COLLECTED_SHARE * capacity;
    let more = after_long > MORE_RATIO * after_short + MORE_SHARE * capacity;
    Property::presence(id, much || more, evidence)
}

/// Share of a curve's bytes above which the whole curve counts as fast. Assumed: the last of the
/// `FAST_WINDOWS` may be incomplete.
const ALL_SHARE: f64 = 0.97;

/// Throttling of a warm drive leaves at least this share of its speed. Assumed: a larger share
/// takes the cooling of some drives for work, a smaller one leaves more idle work unknown.
const COOLED_SHARE: f64 = 0.3;

/// Smallest share of the capacity that counts as freed by idle work: by a rest more than by one
/// with reads, or by a rest of a review. Assumed: about two of the `FAST_WINDOWS` of a curve over a
/// 64th of the capacity; a larger share misses drives that keep little space free.
const FREED_SHARE: f64 = 0.0005;

/// Shortest rest of a review that counts, s. Assumed: work that had begun ends in less.
const REST_S_MIN: f64 = 60.0;

/// GC in idle time, from rests in a review.
fn idle_gc_reviewed(seen: &Observed) -> Property {
    let id = "idle-gc";
    let is_rest = |r: &&Recovered| !r.trim && r.rest_s.is_none_or(|s| s >= REST_S_MIN);
    let rests = seen.recovered.iter().filter(is_rest);
    let Some(most) = rests.max_by_key(|recovered| recovered.bytes) else {
        return Property::unknown(id, say("identify-rests-missing"));
    };
    let evidence = text!("identify-after-rest", bytes = bytes(most.bytes as f64));
    let least = FREED_SHARE * seen.capacity_bytes as f64;
    Property::presence(id, most.bytes as f64 > least, evidence)
}

/// TRIM restores the drive fully from this share of the speed of the empty drive on; a drive that
/// reaches it before TRIM shows nothing. Assumed: the rest is the variation of first writes.
const RESTORED_SHARE: f64 = 0.9;

/// TRIM restores the drive partly from this ratio to the speed of the dirty drive on. Assumed: less
/// is the variation of GC.
const PARTLY_RATIO: f64 = 1.15;

/// Effect of TRIM, from a review: the speed after it compared with that of the empty drive.
fn trim_reviewed(seen: &Observed) -> Option<Property> {
    let fresh = seen.fresh_random.as_ref()?.samples.first()?.iops;
    let after = seen
        .recovered
        .iter()
        .filter(|r| r.trim)
        .map(|r| r.per_s)
        .reduce(f64::max)?;
    let evidence = text!(
        "identify-trim-reviewed",
        fresh = fixed(fresh, 0),
        after = fixed(after, 0),
    );
    let kind = match after > RESTORED_SHARE * fresh {
        true => "fully",
        false => "partly",
    };
    Some(Property::kind("trim-restores", kind, evidence))
}

fn trim_restores(seen: &Observed) -> Property {
    let id = "trim-restores";
    let (Some(trimmed), Some(fill)) = (&seen.trimmed, &seen.fill) else {
        let unknown = || Property::unknown(id, say("identify-trim-missing"));
        return trim_reviewed(seen).unwrap_or_else(unknown);
    };
    let mean = |curve: &Curve, bytes| curve.speed_between(0, bytes).unwrap_or(0.0);
    let compared = trimmed.after.bytes();
    let fresh = mean(fill, compared);
    let (before, after) = (
        mean(&trimmed.before, compared),
        mean(&trimmed.after, compared),
    );
    let evidence = |id: &str| {
        text!(
            id,
            bytes = bytes(compared as f64),
            fresh = speed(fresh),
            before = speed(before),
            after = speed(after),
        )
    };
    if before > RESTORED_SHARE * fresh {
        return Property::unknown(id, evidence("identify-trim-nothing"));
    }
    let kind = match after {
        _ if after > RESTORED_SHARE * fresh => "fully",
        _ if after > PARTLY_RATIO * before => "partly",
        _ => "nothing",
    };
    Property::kind(id, kind, evidence("identify-trim"))
}

fn trim_time(seen: &Observed) -> Property {
    let id = "trim-ns-per-gib";
    let Some((trimmed, took_ns)) = seen.trim_time else {
        return Property::unknown(id, say("identify-trim-time-missing"));
    };
    let value = took_ns as f64 * f64::from(1 << 30) / trimmed as f64;
    let evidence = text!(
        "identify-trim-time",
        bytes = bytes(trimmed as f64),
        ms = fixed(took_ns as f64 / 1e6, 2),
    );
    Property::quantity(id, value, around(value, QUOTIENT_ENDS), "ns", evidence)
}

/// The first writes after a rest have passed the end of the cache if they end slower than this
/// share of its speed. Assumed: a larger share misses buffers of drives that vary, a smaller one
/// takes a cache that is little faster than its flash for a buffer.
const PASSED_SHARE: f64 = 0.7;

/// Largest relative difference between the second quarter and the second half of these writes: the
/// buffer is full and their speed steady. Assumed: the variation of speeds.
const STEADY_SHARE: f64 = 0.05;

/// Bounds of a buffer: fewer bytes are only those of outstanding requests, more than this share of
/// the writes is no buffer. Assumed: both; a smaller buffer is missed.
const BUFFER_BYTES_MIN: f64 = 1_000_000.0;
const BUFFER_SHARE_MAX: f64 = 0.2;

/// Share of the time of these writes in which a buffer fills. Assumed: the other half shows the
/// steady speed.
const FILLING_SHARE: f64 = 0.5;

/// Ends for the size of a buffer. Assumed: more above, as writes leave the buffer while it fills.
const BUFFER_ENDS: Ends = (0.8, 1.3);

fn write_buffer(seen: &Observed, cache: &Cache) -> Property {
    let id = "write-buffer-bytes";
    if writes_wait(seen) {
        return Property::unknown(id, say("identify-buffer-unused"));
    }
    let Some(curve) = &seen.burst else {
        return Property::unknown(id, say("identify-burst-missing"));
    };
    let all = curve.bytes();
    let (Some(steady), Some(last)) = (curve.speed_between(all / 2, all), curve.samples.last())
    else {
        return Property::unknown(id, say("identify-burst-few"));
    };
    // Bytes written beyond the steady speed are in the buffer.
    let before_end = curve
        .samples
        .iter()
        .filter(|sample| sample.t_s < FILLING_SHARE * last.t_s);
    let ahead = before_end.map(|sample| sample.written_bytes as f64 - steady * sample.t_s);
    let value = ahead.fold(0.0, f64::max);
    let quarter = curve.speed_between(all / 4, all / 2).unwrap_or(0.0);
    let passed = cache
        .fast_per_s()
        .is_some_and(|fast| steady < PASSED_SHARE * fast);
    let level = (quarter / steady - 1.0).abs() < STEADY_SHARE;
    let bounds = BUFFER_BYTES_MIN..=BUFFER_SHARE_MAX * all as f64;
    if !bounds.contains(&value) || !level || passed {
        return Property::unknown(id, say("identify-buffer-unseen"));
    }
    let evidence = text!(
        "identify-buffer",
        speed = speed(steady),
        bytes = bytes(value),
    );
    Property::quantity(id, value, around(value, BUFFER_ENDS), "bytes", evidence)
}
