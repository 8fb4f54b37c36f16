//! Thresholds of inference, on both sides of each.

use stend_record::review::Sample;

use super::infer;
use crate::observed::{Curve, Observed, Rested, Times};
use crate::property::Property;

const CAPACITY_BYTES: u64 = 8_000_000_000;
const MB: u64 = 1_000_000;

/// Bytes that the empty drive takes fast.
const CACHE_BYTES: u64 = 400 * MB;

/// Speed of writes that go into the cache, bytes a second, and of others.
const FAST: f64 = 200e6;
const SLOW: f64 = 40e6;

/// Reads of data in the cache, ns, and of other data.
const NEW_NS: u64 = 60_000;
const OLD_NS: u64 = 100_000;

/// Writes that are fast up to so many bytes.
fn curve(fast_bytes: u64, all_bytes: u64) -> Curve {
    let step = all_bytes / 2000;
    let mut samples = Vec::new();
    let (mut t_s, mut written_bytes) = (0.0, 0);
    while written_bytes < all_bytes {
        let speed = if written_bytes < fast_bytes {
            FAST
        } else {
            SLOW
        };
        written_bytes += step;
        t_s += step as f64 / speed;
        samples.push(Sample {
            t_s,
            written_bytes,
            iops: speed / 4096.0,
        });
    }
    Curve {
        interval_s: 0.01,
        block_bytes: 4096,
        samples,
    }
}

fn times(ns: u64) -> Times {
    Times {
        mean_ns: ns as f64,
        p1_ns: ns,
        p50_ns: ns,
        p99_ns: ns,
        requests: 100,
        per_s: 1e9 / ns as f64,
    }
}

fn rested(rest_s: f64, fast_bytes: u64, all_bytes: u64) -> Rested {
    Rested {
        rest_s,
        curve: curve(fast_bytes, all_bytes),
    }
}

/// A drive with a cache.
fn with_cache() -> Observed {
    Observed {
        capacity_bytes: CAPACITY_BYTES,
        new_reads: Some(times(NEW_NS)),
        settled_reads: Some(times(OLD_NS)),
        fill: Some(curve(CACHE_BYTES, CAPACITY_BYTES)),
        ..Observed::default()
    }
}

fn told(seen: &Observed, id: &str) -> Property {
    let mut properties = infer(seen).into_iter();
    properties.find(|told| told.id == id).expect("a known id")
}

#[test]
fn reads_of_a_drive_that_is_busy_after_the_fill_tell_nothing() {
    let latest = |percent: u64| {
        let seen = Observed {
            latest_reads: Some(times(OLD_NS * percent / 100)),
            ..with_cache()
        };
        told(&seen, "slc-when-full")
    };
    assert!(latest(61).is_kind("fold-first"), "{:?}", latest(61));
    assert!(latest(102).is_kind("direct"), "{:?}", latest(102));
    let busy = latest(104);
    assert!(!busy.told, "{busy:?}");
    assert!(busy.why_not.is_some_and(|why| why.contains("busy")));
}

/// The cache of the drive after a part of it was written: what is taken fast at once and after a
/// rest, percent of its size.
fn emptying(at_once: u64, rested_percent: u64) -> Property {
    let after = |rest_s, percent: u64| rested(rest_s, CACHE_BYTES * percent / 100, 1000 * MB);
    let seen = Observed {
        emptied: vec![after(0.0, at_once), after(300.0, rested_percent)],
        ..with_cache()
    };
    told(&seen, "slc-idle-emptying")
}

#[test]
fn a_cache_that_was_not_full_does_not_tell_whether_rests_empty_it() {
    assert_eq!(emptying(20, 90).present, Some(true));
    let free = emptying(30, 90);
    assert!(!free.told, "{free:?}");
}

#[test]
fn a_rest_that_only_ends_what_had_begun_empties_no_cache() {
    assert_eq!(emptying(5, 14).present, Some(false));
    assert_eq!(emptying(5, 22).present, Some(true));
}

#[test]
fn a_rest_that_only_ends_what_had_begun_collects_no_garbage() {
    let collected = |short_mb: u64, long_mb: u64| {
        let after = |rest_s, mb: u64| rested(rest_s, mb * MB, 128 * MB);
        let seen = Observed {
            dirty: vec![after(0.0, 0), after(5.0, short_mb), after(900.0, long_mb)],
            ..with_cache()
        };
        told(&seen, "idle-gc").present
    };
    assert_eq!(collected(0, 0), Some(false));
    // Hardly more than after a short rest.
    assert_eq!(collected(20, 26), Some(false));
    // Less than 0.4 % of the capacity, but more than three times as much.
    assert_eq!(collected(4, 26), Some(true));
    // Less than three times as much, but more than 0.4 %.
    assert_eq!(collected(20, 40), Some(true));
}
