//! Both sides of each threshold of the inference.

use stend_record::review::Sample;

use super::infer;
use crate::observed::{Curve, Flush, Mixed, Observed, ReadMap, Rested, Times};
use crate::property::Property;

const CAPACITY_BYTES: u64 = 8_000_000_000;
const MB: u64 = 1_000_000;

/// Bytes that the empty drive writes fast.
const CACHE_BYTES: u64 = 400 * MB;

/// Speed of writes into the cache, bytes per second, and of others.
const FAST: f64 = 200e6;
const SLOW: f64 = 40e6;

/// Reads of data in the cache, ns, and of other data.
const NEW_NS: u64 = 60_000;
const OLD_NS: u64 = 100_000;

/// Writes that are fast up to `fast_bytes` bytes.
fn curve(fast_bytes: u64, all_bytes: u64) -> Curve {
    levels(&[(fast_bytes, FAST), (all_bytes, SLOW)])
}

/// Writes of several speeds, each up to a number of bytes.
fn levels(levels: &[(u64, f64)]) -> Curve {
    let all_bytes = levels.last().map_or(0, |level| level.0);
    let step = all_bytes / 2000;
    let mut samples = Vec::new();
    let (mut t_s, mut written_bytes) = (0.0, 0);
    while written_bytes < all_bytes {
        let level = levels.iter().find(|level| written_bytes < level.0);
        let speed = level.expect("one is left").1;
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
    assert!(latest(98).is_kind("direct"), "{:?}", latest(98));
    // Slower than any other data, or like neither new data nor old.
    for percent in [104, 96] {
        let busy = latest(percent);
        assert!(!busy.told, "{busy:?}");
        assert!(busy.why_not.is_some_and(|why| why.contains("busy")));
    }
    let median = |percent: u64| {
        let reads = Times {
            p50_ns: OLD_NS * percent / 100,
            ..times(OLD_NS)
        };
        let seen = Observed {
            latest_reads: Some(reads),
            ..with_cache()
        };
        told(&seen, "slc-when-full").told
    };
    assert!(median(140) && !median(160));
}

/// Emptying of the cache after a part of it was written: bytes written fast immediately and after a
/// rest, in percent of its size.
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

/// Reads by place of 200 parts, of which those in `new` are read like new data.
fn map(written_bytes: u64, new: std::ops::Range<usize>) -> ReadMap {
    let parts = (0..200).map(|part| match new.contains(&part) {
        true => times(NEW_NS),
        false => times(OLD_NS),
    });
    ReadMap {
        written_bytes,
        parts: parts.collect(),
    }
}

#[test]
fn where_new_data_lies_tells_what_a_full_cache_does() {
    let when_full = |new| {
        let seen = Observed {
            maps: vec![map(1000 * MB, new)],
            latest_reads: Some(times(OLD_NS)),
            ..with_cache()
        };
        told(&seen, "slc-when-full")
    };
    assert!(when_full(120..200).is_kind("fold-first"));
    // Not at the end: inferred from the last reads.
    assert!(when_full(110..190).is_kind("direct"));
    assert!(when_full(0..80).is_kind("direct"));
    let evidence = |new| when_full(new).evidence;
    assert!(evidence(4..84).contains("first was"));
    assert!(!evidence(10..90).contains("first was"));
    // Too little, or too much, to have a position.
    assert!(!evidence(0..3).contains("first was"));
    assert!(!evidence(0..182).contains("first was"));
}

#[test]
fn two_speeds_of_writing_bound_a_cache_that_is_emptied_beside_them() {
    let size = |slower_mb: u64| {
        let slower = levels(&[(slower_mb * MB, FAST / 2.0), (1000 * MB, SLOW)]);
        let seen = Observed {
            slower_fill: Some(slower),
            ..with_cache()
        };
        told(&seen, "slc-cache-bytes")
    };
    // The same at both speeds: nothing was emptied.
    let all = size(404).number().expect("a value");
    assert!((all / CACHE_BYTES as f64 - 1.0).abs() < 0.02, "{all}");
    // With 1 / (1 - s / r) of 1.25 and 1.67, 36 MB more mean that 86 MB are emptied meanwhile.
    let value = size(440);
    let least = 0.99 * (404.0 - 86.0 * 0.25);
    assert!((value.low.unwrap() / 1e6 - least).abs() < 4.0, "{value:?}");
    // Much was emptied: only a range is known.
    let (low, high) = size(600).ends().expect("a range");
    assert!((270e6..290e6).contains(&low), "{low}");
    assert!((1.0..1.09).contains(&(high / CACHE_BYTES as f64)), "{high}");
}

/// A drive with a cache that rests empty, in which `stays_mb` MB are read like new data after 2 GB
/// of the full drive were written.
fn cache_that_keeps(stays_mb: usize) -> Observed {
    let after = |rest_s, percent: u64| rested(rest_s, CACHE_BYTES * percent / 100, 1000 * MB);
    Observed {
        maps: vec![map(1000 * MB, 120..200)],
        // 10 MB per part.
        full_map: Some(map(2000 * MB, 200 - stays_mb / 10..200)),
        emptied: vec![after(0.0, 5), after(300.0, 90)],
        ..with_cache()
    }
}

#[test]
fn what_stays_in_the_cache_of_the_full_drive_tells_its_kind() {
    let kind = |stays_mb| told(&cache_that_keeps(stays_mb), "slc-cache-kind");
    assert!(kind(120).is_kind("static"), "{:?}", kind(120));
    assert!(kind(90).is_kind("both"), "{:?}", kind(90));
    assert!(kind(50).is_kind("both"), "{:?}", kind(50));
    assert!(kind(30).is_kind("dynamic"), "{:?}", kind(30));
    // The first written data has never left the cache.
    let settled_parts = vec![times(NEW_NS), times(OLD_NS), times(OLD_NS)];
    let kept = Observed {
        settled_parts,
        ..cache_that_keeps(30)
    };
    assert!(!told(&kept, "slc-cache-kind").told);
}

/// Spare space inferred from random writes with these levels over the full drive, which writes 160
/// MB fast although it has no SLC cache.
fn spare(random: &[(u64, f64)], more: Option<Rested>) -> Option<f64> {
    let seen = Observed {
        capacity_bytes: CAPACITY_BYTES,
        new_reads: Some(times(OLD_NS)),
        settled_reads: Some(times(OLD_NS)),
        full: Some(rested(900.0, 160 * MB, 2000 * MB)),
        random: Some(levels(random)),
        dirty: more.into_iter().collect(),
        ..Observed::default()
    };
    told(&seen, "over-provisioning-percent").number()
}

#[test]
fn spare_space_ends_where_random_writes_fall_the_most_beyond_the_cache() {
    let is = |told: Option<f64>, mb: f64| {
        let expected = mb / 80.0 + 1.2;
        let told = told.expect("a value");
        assert!((told - expected).abs() < 0.6, "{told}, not {expected}");
    };
    let cached = (160 * MB, 200e6);
    // The cache ends with a larger ratio than spare space.
    is(
        spare(&[cached, (1000 * MB, 40e6), (1400 * MB, 20e6)], None),
        1000.0,
    );
    // Later the writes become fast again, and then slow because the drive is warm.
    let warm = [
        (1000 * MB, 200e6),
        (1400 * MB, 40e6),
        (2400 * MB, 120e6),
        (2800 * MB, 50e6),
    ];
    is(spare(&warm, None), 1000.0);
    // It falls twice.
    is(
        spare(
            &[
                cached,
                (1000 * MB, 40e6),
                (1300 * MB, 25e6),
                (1700 * MB, 8e6),
            ],
            None,
        ),
        1300.0,
    );
    // They fall in the part that followed without a rest, and not after one.
    let more = |rest_s| {
        let curve = levels(&[(100 * MB, 40e6), (300 * MB, 8e6)]);
        Some(Rested { rest_s, curve })
    };
    is(spare(&[cached, (1000 * MB, 40e6)], more(0.0)), 1100.0);
    assert!(spare(&[cached, (1000 * MB, 40e6)], more(5.0)).is_none_or(|told| told < 4.0));
    // They fall by too little.
    assert_eq!(spare(&[(1000 * MB, 40e6), (1400 * MB, 32e6)], None), None);
}

#[test]
fn spare_space_behind_a_cache_of_unknown_kind_is_a_range() {
    let seen = |cache_mb: u64| Observed {
        fill: Some(curve(cache_mb * MB, CAPACITY_BYTES)),
        random: Some(levels(&[(1600 * MB, 40e6), (2000 * MB, 8e6)])),
        ..with_cache()
    };
    let small = told(&seen(80), "over-provisioning-percent");
    assert!(small.number().is_some(), "{small:?}");
    let (low, high) = told(&seen(400), "over-provisioning-percent")
        .ends()
        .expect("a range");
    assert!(
        (14.0..15.5).contains(&low) && (22.5..24.0).contains(&high),
        "{low} {high}"
    );
}

#[test]
fn spare_space_is_a_range_where_nobody_knows_whether_there_is_a_cache() {
    let seen = |reads: Option<Times>| Observed {
        capacity_bytes: CAPACITY_BYTES,
        random: Some(levels(&[(1600 * MB, 40e6), (2000 * MB, 8e6)])),
        new_reads: reads,
        settled_reads: reads,
        ..Observed::default()
    };
    let known = told(&seen(Some(times(OLD_NS))), "over-provisioning-percent");
    assert!(known.number().is_some(), "{known:?}");
    let unknown = told(&seen(None), "over-provisioning-percent");
    let (low, high) = unknown.ends().expect("a range");
    // A static cache has at most 8 % of the capacity.
    assert!(
        (low - (known.low.expect("a quantity") - 8.0)).abs() < 1e-9,
        "{low}"
    );
    assert_eq!(Some(high), known.high);
    assert!(unknown.evidence.contains("between"), "{}", unknown.evidence);
}

#[test]
fn what_is_done_beside_requests_is_not_done_in_idle_time() {
    let seen = |short_mb: u64, long_mb: u64, awake_mb: u64, speeds: (f64, f64)| {
        let after = |rest_s, mb: u64| Rested {
            rest_s,
            curve: levels(&[(mb * MB, speeds.1), (128 * MB, speeds.0)]),
        };
        Observed {
            dirty: vec![after(0.0, 0), after(5.0, short_mb), after(900.0, long_mb)],
            dirty_awake: Some(after(900.0, awake_mb)),
            ..with_cache()
        }
    };
    let present =
        |short, long, awake| told(&seen(short, long, awake, (SLOW, FAST)), "idle-gc").present;
    // More than during reads, and more than after a short rest.
    assert_eq!(present(20, 28, 0), Some(true));
    assert_eq!(present(20, 22, 0), Some(false));
    assert_eq!(present(20, 28, 26), Some(false));
    // More during reads: no idle work, unless it is much more than after a short rest.
    assert_eq!(present(20, 40, 44), Some(true));
    assert_eq!(present(20, 40, 60), Some(false));
    assert_eq!(present(10, 40, 60), Some(true));
    // Everything is fast after both: the drive may have cooled down, unless it was much slower.
    assert_eq!(present(0, 128, 128), Some(true));
    let cooled = told(&seen(0, 128, 128, (0.4 * FAST, FAST)), "idle-gc");
    assert!(!cooled.told && cooled.why_not.is_some_and(|why| why.contains("cooled")));
}

#[test]
fn dies_are_told_by_a_share_of_pairs_where_it_is_that_of_a_power_of_two() {
    let dies = |same: usize| {
        let rates = (0..3072).map(|pair| (0, if pair < same { 50.0 } else { 100.0 }));
        let seen = Observed {
            capacity_bytes: CAPACITY_BYTES,
            pairs: vec![(16_384, 100.0); 8],
            far_pairs: rates.collect(),
            ..Observed::default()
        };
        told(&seen, "parallel-dies")
    };
    assert_eq!(dies(3072 / 32).number(), Some(32.0));
    let (low, high) = dies(3072 / 24).ends().expect("a range");
    assert!(low < 24.0 && high > 24.0 && high < 32.0, "{low} {high}");
}

#[test]
fn a_full_drive_that_was_not_written_shows_nothing() {
    let why = |full| {
        let seen = Observed {
            full,
            ..with_cache()
        };
        told(&seen, "slc-cache-bytes-full")
            .why_not
            .expect("unknown")
    };
    assert!(why(None).contains("not looked at"), "{}", why(None));
    let level = Rested {
        rest_s: 900.0,
        curve: levels(&[(2000 * MB, SLOW)]),
    };
    assert!(why(Some(level)).contains("no step"));
}

#[test]
fn what_hosts_time_in_a_few_milliseconds_is_not_compared() {
    let present = |bytes| {
        let mixed = Mixed {
            reads: 500e6,
            writes: 500e6,
            both: 250e6,
            bytes,
        };
        let seen = Observed {
            mixed: Some(mixed),
            ..with_cache()
        };
        told(&seen, "half-duplex").present
    };
    assert_eq!(present(None), Some(true));
    assert_eq!(present(Some(10_500_000)), Some(true));
    assert_eq!(present(Some(9_500_000)), None);
}

#[test]
fn the_end_of_a_cache_is_no_buffer() {
    let buffer = |steady: f64| {
        let seen = Observed {
            burst: Some(levels(&[(10 * MB, 2e9), (256 * MB, steady)])),
            ..with_cache()
        };
        told(&seen, "write-buffer-bytes").number()
    };
    assert!(buffer(0.8 * FAST).is_some_and(|told| (9e6..11e6).contains(&told)));
    assert_eq!(buffer(0.6 * FAST), None);
}

#[test]
fn a_cache_of_much_of_the_capacity_has_no_blocks_of_its_own() {
    let kind = |cache_mb: u64| {
        let seen = Observed {
            fill: Some(curve(cache_mb * MB, CAPACITY_BYTES)),
            ..with_cache()
        };
        told(&seen, "slc-cache-kind")
    };
    assert!(!kind(620).told, "7.8 %: {:?}", kind(620));
    assert!(kind(680).is_kind("dynamic"), "8.5 %");
    assert!(kind(2600).is_kind("dynamic"), "32.5 %");
    assert!(kind(2680).is_kind("whole-array"), "33.5 %");
}

#[test]
fn a_cache_that_requests_empty_more_than_rests_is_not_emptied_by_these() {
    let present = |rested_percent: u64, awake_percent: u64| {
        let after = |rest_s, percent: u64| rested(rest_s, CACHE_BYTES * percent / 100, 1000 * MB);
        let seen = Observed {
            emptied: vec![after(0.0, 5), after(300.0, rested_percent)],
            emptied_awake: Some(after(300.0, awake_percent)),
            ..with_cache()
        };
        told(&seen, "slc-idle-emptying").present
    };
    assert_eq!(present(30, 33), Some(true));
    assert_eq!(present(30, 40), Some(false));
    // Much nevertheless.
    assert_eq!(present(40, 60), Some(true));
}

#[test]
fn what_a_drive_keeps_back_of_each_die_belongs_to_its_cache() {
    let size = |new, end_left: usize| {
        let rates = (0..3072).map(|pair| (0, if pair < 768 { 50.0 } else { 100.0 }));
        let seen = Observed {
            pairs: vec![(16_384, 100.0); 8],
            far_pairs: rates.collect(),
            maps: vec![map(1000 * MB, new)],
            end_map: Some(map(404 * MB, end_left..200)),
            ..with_cache()
        };
        let told = told(&seen, "slc-cache-bytes");
        [told.low, told.number(), told.high].map(|bytes| bytes.map(|bytes| bytes / 1e6))
    };
    let is = |told: [Option<f64>; 3], expected: [Option<f64>; 3]| {
        let alike = |(told, expected): (&Option<f64>, Option<f64>)| match (told, expected) {
            (Some(told), Some(expected)) => (told - expected).abs() < 1.5,
            (told, expected) => told.is_none() && expected.is_none(),
        };
        assert!(told.iter().zip(expected).all(alike), "{told:?}");
    };
    let (least, most) = (0.97 * 404.0, 1.02 * 404.0);
    // Four dies: all data passes through the cache, bypasses it, or this is unknown.
    let waits = [least + 12.0, 404.0 + 28.0, most + 40.0].map(Some);
    is(size(120..200, 0), waits);
    is(
        size(60..140, 0),
        [least, 404.0 + 16.0, most + 40.0].map(Some),
    );
    is(size(0..80, 0), [Some(least), None, Some(most + 36.0)]);
    // 9 % or 12 % of the written data had left it.
    is(size(150..200, 18), waits);
    let least = 0.97 * (404.0 - 0.12 * 404.0);
    is(
        size(150..200, 24),
        [Some(least + 12.0), None, Some(most + 40.0)],
    );
}

/// 30 µs without flash and L2P, 75 more for the flash, 40 for an L2P segment.
#[test]
fn a_read_that_may_wait_for_the_map_tells_no_more_than_a_range() {
    let flash_read = |unwritten_ns, old_ns, widest_ns| {
        let widest = Times {
            p99_ns: 145_000,
            ..times(widest_ns)
        };
        let seen = Observed {
            unwritten_reads: Some(times(unwritten_ns)),
            settled_reads: Some(times(old_ns)),
            spans: vec![
                (4 * MB, times(105_000)),
                (500 * MB, widest),
                (1000 * MB, widest),
            ],
            repeats: vec![times(105_000); 3],
            ..Observed::default()
        };
        told(&seen, "flash-read-ns")
    };
    // Without an L2P cache, reads in all spans take the same time.
    let known = flash_read(30_000, 105_000, 105_000);
    assert_eq!(known.number(), Some(75_000.0), "{known:?}");
    // All reads of space without data waited: of 75 µs, 35 are left.
    for (unwritten_ns, old_ns) in [(70_000, 105_000), (30_000, 145_000), (70_000, 145_000)] {
        let range = flash_read(unwritten_ns, old_ns, 140_000);
        let (low, high) = range.ends().expect("a range alone");
        assert!(low < 75_000.0 && high > 75_000.0, "{range:?}");
        assert!(range.evidence.contains("up to 40"), "{range:?}");
    }
    // Reads of data with cached L2P segments did not wait.
    let (low, _) = flash_read(70_000, 105_000, 140_000).ends().unwrap();
    assert!((low - 0.93 * 35_000.0).abs() < 1.0, "{low}");
}

/// Reads of small spans that differ hide a cache whose misses cost little.
#[test]
fn a_map_cache_is_left_open_where_reads_vary() {
    let map_cache = |means_ns: [u64; 6]| {
        let spans = (0..6).map(|n| ((4 * MB) << n, times(means_ns[n])));
        let seen = Observed {
            spans: spans.collect(),
            repeats: vec![times(105_000); 3],
            ..Observed::default()
        };
        let found = told(&seen, "map-cache");
        (found.told, found.present)
    };
    let level = [105_000, 105_100, 105_000, 105_200, 105_100, 105_000];
    assert_eq!(map_cache(level), (true, Some(false)));
    let varying = [105_000, 106_000, 105_200, 106_300, 105_100, 106_200];
    assert!(!map_cache(varying).0);
    let clear = [105_000, 105_100, 105_000, 120_000, 130_000, 140_000];
    assert_eq!(map_cache(clear), (true, Some(true)));
}

/// A drive that empties its cache from some level on keeps the same amount, however much is
/// written: if little more was written, the cache may be larger.
#[test]
fn a_cache_that_is_emptied_before_much_is_written_is_at_least_so_large() {
    let size = |maps: Vec<ReadMap>, closer_maps: Vec<ReadMap>| {
        let seen = Observed {
            fill: None,
            maps,
            closer_maps,
            ..with_cache()
        };
        told(&seen, "slc-cache-bytes")
    };
    let maps = |new| vec![map(1440 * MB, 0..200), map(1800 * MB, new)];
    let closer = vec![map(1800 * MB, 23..200); 3];
    let least = size(maps(23..200), closer);
    assert_eq!((least.number(), least.high), (None, None), "{least:?}");
    // 177 parts of 9 MB.
    let low = least.least().expect("it is told");
    assert!((low / 1e6 - 1593.0).abs() < 5.0, "{low}");
    assert!(least.value_words().starts_with("at least 1.5"), "{least:?}");
    assert!(least.evidence.contains("may be larger"), "{least:?}");
    // No kind follows from a share that may be larger.
    let kind = |capacity_bytes| {
        let seen = Observed {
            capacity_bytes,
            fill: None,
            maps: maps(23..200),
            ..with_cache()
        };
        told(&seen, "slc-cache-kind")
    };
    assert!(kind(4000 * MB).is_kind("whole-array"));
    assert!(!kind(8000 * MB).told);
    // Much more was written, and no more is there; or the rest bypassed the cache.
    let beyond = size(maps(23..200), vec![map(2400 * MB, 67..200)]);
    let past = size(maps(0..177), Vec::new());
    for told in [beyond, past] {
        assert!(told.least().is_none() && told.high.is_some(), "{told:?}");
    }
}

#[test]
fn a_map_of_which_little_was_moved_ends_within_the_cache() {
    let ends = |new_parts: usize| {
        let seen = Observed {
            fill: None,
            maps: vec![map(2000 * MB, 0..200), map(4000 * MB, 0..80)],
            closer_maps: vec![map(3000 * MB, 0..new_parts)],
            ..with_cache()
        };
        let told = told(&seen, "slc-cache-bytes");
        (
            told.low.map(|low| low / 1e6),
            told.high.map(|high| high / 1e6),
        )
    };
    assert_eq!(ends(184), (Some(3000.0), Some(4000.0)));
    // 2.6 of 3 GB are in the cache.
    let (low, high) = ends(174);
    assert!(
        low.is_some_and(|low| (2595.0..2610.0).contains(&low)),
        "{low:?}"
    );
    assert!(high.is_some_and(|high| high < 2800.0), "{high:?}");
}

#[test]
fn spare_space_is_told_without_a_cache_that_has_blocks_of_its_own() {
    let percent = |stays_mb| {
        let random = Some(levels(&[(1600 * MB, 40e6), (2000 * MB, 8e6)]));
        let seen = Observed {
            random,
            ..cache_that_keeps(stays_mb)
        };
        told(&seen, "over-provisioning-percent")
            .number()
            .expect("a value")
    };
    let is = |told: f64, expected: f64| assert!((told - expected).abs() < 0.1, "{told}");
    let (own, shared, none) = (percent(120), percent(90), percent(30));
    // 404 MB are 5.05 % of the capacity, of which 90 to 100 % are taken; or up to 22.5 %.
    is(none - own, 0.95 * 5.05 + 0.4);
    is(none - shared, 0.5 * 0.225 * 5.05 + 0.4);
}

#[test]
fn the_fastest_flush_bounds_a_program_from_both_sides() {
    let flush = |every, flush_ns| Flush {
        every,
        flush_ns,
        write_ns: 1e4,
    };
    let seen = Observed {
        flushes: vec![flush(1, 2e6), flush(4, 1e6)],
        ..with_cache()
    };
    assert_eq!(told(&seen, "program-ns").ends(), Some((1e5, 1e6)));
}

/// With the write cache off, a flush has nothing to wait for, whatever the drive's design.
#[test]
fn a_short_flush_after_a_write_that_waited_tells_nothing() {
    let seen = |write_ns, burst| Observed {
        flushes: vec![Flush {
            every: 1,
            flush_ns: 2e4,
            write_ns,
        }],
        burst,
        ..with_cache()
    };
    let burst = Some(levels(&[(10 * MB, 2e9), (256 * MB, 0.8 * FAST)]));
    let cached = seen(1e4, burst.clone());
    assert!(told(&cached, "power-loss-protection").told);
    assert!(told(&cached, "write-buffer-bytes").number().is_some());
    let through = seen(1e6, burst);
    assert!(!told(&through, "power-loss-protection").told);
    assert_eq!(told(&through, "program-ns").ends(), Some((1e5, 1e6)));
    assert_eq!(told(&through, "write-buffer-bytes").number(), None);
}

/// Data written before counts as taken by the empty drive, in every sentence.
#[test]
fn all_that_tell_of_a_step_tell_the_same_bytes() {
    let mut seen = with_cache();
    let before = 125 * MB;
    seen.fill = Some(curve(CACHE_BYTES - before, CAPACITY_BYTES - before));
    assert_eq!(seen.before_fill_bytes(), before);
    let taken = |id| {
        let evidence = told(&seen, id).evidence;
        let from = evidence.find("takes ").expect("it is told");
        evidence[from..].split(" at ").next().map(str::to_owned)
    };
    // A sample ends after the step.
    let words = Some("takes 404.5 MB".to_owned());
    assert_eq!(taken("slc-cache-bytes"), words);
    assert_eq!(taken("slc-write-bytes-per-s"), words);
    assert_eq!(taken("after-cache-write-bytes-per-s"), words);
}
