//! Spare space, garbage collection in idle time, TRIM, and the write buffer.

use stend_language::{say, text};

use super::cache::Cache;
use super::words::{bytes, fixed, speed};
use crate::observed::{Curve, Observed, Recovered};
use crate::property::Property;

/// Random writes beyond the end of spare space are slower than this share of those before.
const FALL_RATIO: f64 = 1.6;

/// Space that drives keep back when garbage collection begins, share of the capacity: as a rule,
/// and at most.
const RESERVE_SHARE: f64 = 0.009;
const RESERVE_SHARE_MAX: f64 = 0.027;

pub(super) fn properties(seen: &Observed, cache: &Cache) -> Vec<Property> {
    vec![
        over_provisioning(seen, cache),
        idle_gc(seen),
        trim_restores(seen),
        trim_time(seen),
        write_buffer(seen),
    ]
}

/// Means over windows of so many bytes: (bytes at the end of each, bytes a second).
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

/// Where random writes fall to their last speed: bytes, the speed before, and the last speed.
fn fall(curve: &Curve) -> Option<(f64, f64, f64)> {
    let windows = windows(curve, (curve.bytes() / 400).max(1));
    let last = curve.speed_between(curve.bytes() * 99 / 100, curve.bytes())?;
    let end = windows
        .iter()
        .rposition(|(_, speed)| *speed > FALL_RATIO * last)?;
    let before = &windows[end.saturating_sub(20)..=end];
    let before = before.iter().map(|(_, speed)| speed).sum::<f64>() / before.len() as f64;
    Some((windows[end].0 as f64, before, last))
}

/// Random writes that were looked at, and bytes that they wrote before they overwrote any.
fn random_writes(seen: &Observed) -> Option<(&Curve, f64)> {
    let full = seen.random.as_ref().map(|curve| (curve, 0.0));
    full.or(seen
        .fresh_random
        .as_ref()
        .map(|curve| (curve, seen.capacity_bytes as f64)))
}

/// Where random writes become slow after so much of the capacity, spare space is no reason.
const SPARE_SHARE_MAX: f64 = 0.49;

fn over_provisioning(seen: &Observed, cache: &Cache) -> Property {
    let id = "over-provisioning-percent";
    let Some((curve, before)) = random_writes(seen) else {
        return Property::unknown(id, say("identify-random-missing"));
    };
    let Some((fallen, fast, slow)) = fall(curve) else {
        return Property::unknown(id, say("identify-no-fall"));
    };
    let written = fallen - before;
    let capacity = seen.capacity_bytes as f64;
    if written < 0.0 || written > SPARE_SHARE_MAX * capacity {
        return Property::unknown(id, say("identify-fall-elsewhere"));
    }
    // What a cache with blocks of its own takes is not in the data area.
    let (least_cached, most_cached) = cache.apart_bytes();
    let (least_cached, in_cache) = (least_cached.min(written), most_cached.min(written));
    let percent = |cached: f64, share: f64| 100.0 * ((written - cached) / capacity + share);
    let interval = (
        percent(in_cache, 0.0) - 0.3,
        percent(least_cached, RESERVE_SHARE_MAX),
    );
    let evidence = text!(
        "identify-fall",
        fast = speed(fast),
        slow = speed(slow),
        bytes = bytes(written),
        cached = bytes(in_cache),
    );
    let value = percent(in_cache, RESERVE_SHARE);
    Property::quantity(id, value, interval, "percent of capacity", evidence)
}

/// Bytes that are written before a curve falls to its last speed; 0 without a fall.
fn fast_bytes(curve: &Curve, slow: f64) -> f64 {
    let windows = windows(curve, (curve.bytes() / 64).max(1));
    let fast = windows.iter().take_while(|(_, speed)| *speed > 1.5 * slow);
    fast.last().map_or(0.0, |(bytes, _)| *bytes as f64)
}

/// Space that idle time makes, share of the capacity, from which on it is more than what garbage
/// collection that had begun leaves when it ends.
const COLLECTED_SHARE: f64 = 0.004;

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
    if seen
        .random
        .as_ref()
        .is_some_and(|curve| fall(curve).is_none())
    {
        let why = text!("identify-random-not-slow", speed = speed(slow));
        return Property::unknown(id, why);
    }
    let much = after_long - at_once > COLLECTED_SHARE * seen.capacity_bytes as f64;
    let more = after_long > 3.0 * after_short + 0.0002 * seen.capacity_bytes as f64;
    Property::presence(id, much || more, evidence)
}

/// A rest shorter than this is none, s.
const REST_S_MIN: f64 = 60.0;

/// The same from what a review saw of rests.
fn idle_gc_reviewed(seen: &Observed) -> Property {
    let id = "idle-gc";
    let is_rest = |r: &&Recovered| !r.trim && r.rest_s.is_none_or(|s| s >= REST_S_MIN);
    let rests = seen.recovered.iter().filter(is_rest);
    let Some(most) = rests.max_by_key(|recovered| recovered.bytes) else {
        return Property::unknown(id, say("identify-rests-missing"));
    };
    let evidence = text!("identify-after-rest", bytes = bytes(most.bytes as f64));
    let least = 0.0005 * seen.capacity_bytes as f64;
    Property::presence(id, most.bytes as f64 > least, evidence)
}

/// The same of TRIM: the speed after it beside that of the empty drive.
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
    let kind = if after > 0.9 * fresh {
        "fully"
    } else {
        "partly"
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
    let kind = if before > 0.9 * fresh {
        return Property::unknown(id, evidence("identify-trim-nothing"));
    } else if after > 0.9 * fresh {
        "fully"
    } else if after > 1.15 * before {
        "partly"
    } else {
        "nothing"
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
    Property::quantity(id, value, (0.8 * value, 1.25 * value), "ns", evidence)
}

fn write_buffer(seen: &Observed) -> Property {
    let id = "write-buffer-bytes";
    let Some(curve) = &seen.burst else {
        return Property::unknown(id, say("identify-burst-missing"));
    };
    let all = curve.bytes();
    let (Some(steady), Some(last)) = (curve.speed_between(all / 2, all), curve.samples.last())
    else {
        return Property::unknown(id, say("identify-burst-few"));
    };
    // What was taken beyond the steady speed lies in the buffer.
    let before_end = curve
        .samples
        .iter()
        .filter(|sample| sample.t_s < 0.5 * last.t_s);
    let ahead = before_end.map(|sample| sample.written_bytes as f64 - steady * sample.t_s);
    let value = ahead.fold(0.0, f64::max);
    let quarter = curve.speed_between(all / 4, all / 2).unwrap_or(0.0);
    let level = (quarter / steady - 1.0).abs() < 0.05;
    if value < LEAST_BUFFER_BYTES || value > 0.2 * all as f64 || !level {
        return Property::unknown(id, say("identify-buffer-unseen"));
    }
    let evidence = text!(
        "identify-buffer",
        speed = speed(steady),
        bytes = bytes(value),
    );
    Property::quantity(id, value, (0.8 * value, 1.3 * value), "bytes", evidence)
}

/// Less than this is what requests outstanding hold, bytes.
const LEAST_BUFFER_BYTES: f64 = 1_000_000.0;
