//! Probes of the full drive, written at random places.

use stend_load::runner::Progress;
use stend_load::target::TargetError;

use super::{sample_ms, time};
use crate::ends::taken_when_full;
use crate::observed::{Observed, Rested, Trimmed};
use crate::probing::{PAGE_BYTES, Probe, Probing};

fn random_writes(probing: &Probing<'_>, bytes: u64) -> Probe {
    let writes = Probe::new("randwrite", PAGE_BYTES, 32);
    writes.within(0, probing.capacity_bytes).bytes(bytes)
}

/// Detects when writes have become permanently slow: slower than the drive's slowest ascending
/// writes, and than a share of their own fastest speed beyond the cache, for a hundredth of the
/// capacity or a minute, or a multiple of these.
struct Collapse {
    window_bytes: u64,
    slow_bytes: u64,
    /// Speed below which writes are slow, in addition to `slow_share`, bytes per second.
    ascending_slow: f64,
    /// Bytes that may go into the cache; their speed is not used.
    cached_bytes: f64,
    /// Share of the fastest speed below which writes are slow.
    slow_share: f64,
    last: (f64, u64),
    fastest: f64,
    /// Time and bytes since which writes are slow, and much slower.
    slow_since: Option<(f64, u64)>,
    slower_since: Option<(f64, u64)>,
}

/// Share of the fastest speed below which random writes are slow.
const SLOW_SHARE: f64 = 0.35;

/// Share of the fastest speed below which random writes beyond a cache are slow. The cache is
/// emptied during them, so they never reach the drive's full speed, and GC takes a smaller share of
/// it.
const SLOW_BEYOND_SHARE: f64 = 0.6;

/// Factor for the duration of slow writes that are not much slower.
const SLOW_TIMES: u32 = 4;

/// Ratio by which the cache takes more if it is emptied during the writes.
const CACHED_RATIO: f64 = 1.3;

/// Share of the slowest ascending writes below which random ones are slow: work that moves all data
/// once, such as folding, does not slow writes below the ascending speed.
const ASCENDING_SHARE: f64 = 0.6;

/// Minimum duration of slow writes if few bytes are written, s.
const SLOW_S: f64 = 60.0;

impl Collapse {
    fn new(seen: &Observed) -> Collapse {
        let slowest = seen.fill.as_ref().map(|fill| fill.slowest());
        let cached = taken_when_full(seen);
        Collapse {
            window_bytes: seen.capacity_bytes / 400,
            slow_bytes: seen.capacity_bytes / 100,
            ascending_slow: ASCENDING_SHARE * slowest.unwrap_or(f64::INFINITY),
            cached_bytes: CACHED_RATIO * cached,
            slow_share: match cached > 0.0 {
                true => SLOW_BEYOND_SHARE,
                false => SLOW_SHARE,
            },
            last: (0.0, 0),
            fastest: 0.0,
            slow_since: None,
            slower_since: None,
        }
    }

    fn seen(&mut self, progress: &Progress) -> bool {
        let (at_s, bytes) = (progress.elapsed_s, progress.bytes);
        let window = bytes - self.last.1 >= self.window_bytes;
        if !window && at_s < self.last.0 + SLOW_S {
            return false;
        }
        let speed = (bytes - self.last.1) as f64 / (at_s - self.last.0).max(1e-9);
        let begun = std::mem::replace(&mut self.last, (at_s, bytes));
        if (begun.1 as f64) < self.cached_bytes {
            return false;
        }
        self.fastest = self.fastest.max(speed);
        let below = |share: f64| speed <= self.ascending_slow.min(share * self.fastest);
        let (slow, slower) = (below(self.slow_share), below(SLOW_SHARE));
        let longer = |since: &mut Option<(f64, u64)>, is: bool, times: u32| {
            if !is {
                *since = None;
                return false;
            }
            let (since_s, since) = *since.get_or_insert(begun);
            bytes > since + u64::from(times) * self.slow_bytes
                || at_s >= since_s + f64::from(times) * SLOW_S
        };
        longer(&mut self.slow_since, slow, SLOW_TIMES) | longer(&mut self.slower_since, slower, 1)
    }
}

pub(super) fn random(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let capacity_bytes = probing.capacity_bytes;
    let mut writes = random_writes(probing, capacity_bytes / 2);
    if let Some(seconds) = time::random_s(probing) {
        writes = writes.option("runtime", seconds);
    }
    let mut collapse = Collapse::new(seen);
    let curve = probing.curve_until(&writes, 2 * sample_ms(capacity_bytes), &mut |progress| {
        collapse.seen(progress)
    })?;
    seen.random = Some(curve);
    Ok(())
}

/// Rests of the drive after random writes, s. GC that had begun ends in a short rest; GC that
/// begins in idle time needs a long one. True if a page is read meanwhile.
const RESTS: [(f64, bool); 4] = [(0.0, false), (5.0, false), (900.0, false), (900.0, true)];
const REAL_RESTS: [(f64, bool); 2] = [(5.0, false), (60.0, false)];

pub(super) fn after(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let capacity_bytes = probing.capacity_bytes;
    let bytes = capacity_bytes / 64;
    let ms = sample_ms(capacity_bytes / 8);
    let rests: &[(f64, bool)] = match probing.copies() {
        true => &RESTS,
        false => &REAL_RESTS,
    };
    for (rest_s, awake) in rests.iter().copied() {
        let curve = probing.aside(|copy| {
            copy.rest_or_wake(rest_s, awake)?;
            copy.curve(&random_writes(copy, bytes), ms)
        })?;
        let rested = Rested { rest_s, curve };
        match awake {
            true => seen.dirty_awake = Some(rested),
            false => seen.dirty.push(rested),
        }
    }
    if !probing.trims() {
        return Ok(());
    }
    let ascending = Probe::ascending("write").within(0, bytes);
    let before = probing.aside(|copy| copy.curve(&ascending, ms))?;
    probing.trim()?;
    probing.rest(30.0)?;
    let after = probing.curve(&ascending, ms)?;
    seen.trimmed = Some(Trimmed { before, after });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::ReadMap;
    use crate::probing::Times;

    const MB: u64 = 1_000_000;

    /// Bytes, MB, after which writes of these speeds, each for a number of bytes, count as slow.
    fn ends_mb(seen: &Observed, levels: &[(u64, f64)]) -> Option<u64> {
        let mut collapse = Collapse::new(seen);
        let (mut elapsed_s, mut bytes) = (0.0, 0);
        for (mb, per_s) in levels {
            for _ in 0..*mb {
                bytes += MB;
                elapsed_s += MB as f64 / per_s;
                let progress = Progress {
                    elapsed_s,
                    bytes,
                    requests: 0,
                    flash_written_bytes: None,
                    steady_bytes: None,
                };
                if collapse.seen(&progress) {
                    return Some(bytes / MB);
                }
            }
        }
        None
    }

    #[test]
    fn random_writes_are_slow_beside_what_they_were_beyond_the_cache() {
        let times = |p1_ns| Times {
            p1_ns,
            ..Times::default()
        };
        let parts = (0..200).map(|part| times(if part < 180 { 100_000 } else { 60_000 }));
        let full_map = ReadMap {
            written_bytes: 5000 * MB,
            parts: parts.collect(),
        };
        let none = Observed {
            capacity_bytes: 10_000 * MB,
            ..Observed::default()
        };
        // 500 MB of the full drive are in the cache.
        let cached = Observed {
            new_reads: Some(times(60_000)),
            settled_reads: Some(times(100_000)),
            full_map: Some(full_map),
            ..none.clone()
        };
        // Without a cache, writes slower than 35 % count after a hundredth of the drive, 100 MB.
        let far = |end: Option<u64>, mb: u64| end.is_some_and(|end| end.abs_diff(mb) < 60);
        assert!(far(ends_mb(&none, &[(600, 1e8), (900, 3.3e7)]), 700));
        assert_eq!(ends_mb(&none, &[(600, 1e8), (900, 3.7e7)]), None);
        // Writes behind the cache are not slow compared with it; 60 % of their own speed is, after
        // long enough.
        let cache = [(500, 1e9), (600, 1e8)];
        let then = |speed| ends_mb(&cached, &[&cache[..], &[(900, speed)]].concat());
        assert!(far(then(5.5e7), 1500), "{:?}", then(5.5e7));
        assert!(far(then(3.3e7), 1200), "{:?}", then(3.3e7));
        assert_eq!(then(6.5e7), None);
    }
}
