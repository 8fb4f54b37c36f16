//! The SLC cache: its presence, size, kind, behaviour when full, and speed of emptying.

use stend_language::{say, text};

use super::margins::{
    Ends, MEAN_ENDS, MORE_WORK_RATIO, NOISE_MAX, NOISE_TIMES, QUOTIENT_ENDS, REACH, around,
};
use super::size::{Size, size, step_words};
use super::words::{bytes, fixed, us};
use crate::ends::{FASTER_SHARE, first_step, like_new, new_and_old, new_bytes, step};
use crate::observed::{Curve, Observed, ReadMap};
use crate::property::Property;

/// Smallest significant difference, ns: less is within the resolution of hosts' measurements.
/// Assumed: a larger one misses caches of quick flash.
const FASTER_NS: f64 = 2_500.0;

/// A rest that empties at most this share of the cache only lets work end that had begun. Assumed:
/// a larger share misses drives that empty their cache slowly.
const EMPTIED_SHARE: f64 = 0.13;

/// The same of a rest that empties less than one with reads: part of that is work of the requests.
/// Assumed: more evidence is required where other evidence contradicts.
const EMPTIED_BESIDE_SHARE: f64 = 0.3;

/// Largest share of the new data that a rest leaves in a map of reads if rests empty the cache.
/// Assumed: close to `EMPTIED_SHARE`, with parts of a map in place of bytes.
const LEFT_SHARE_MAX: f64 = 0.85;

/// If a rest leaves more new data than before by this ratio, the drive was too busy before.
/// Assumed: a smaller ratio leaves more caches unknown.
const REAPPEARED_RATIO: f64 = 1.05;

/// A rest after which more than this share of the cache is free may have emptied all of it before
/// its end, so that it shows no speed. Assumed: a larger share makes speeds too small.
const EMPTIED_SHARE_MAX: f64 = 0.85;

/// Part of the capacity that is written fast without being free space: a few samples of a curve, of
/// which there are thousands.
const SAMPLES_PARTS: f64 = 4000.0;

/// A cache of which more than this share is free is not full. Assumed: the drive has emptied some
/// of it during the writes; with more free, a rest can hardly show a difference.
const FREE_SHARE_MAX: f64 = 0.25;

/// Half or a third of the flash, in one-bit cells, exceeds this share of the capacity.
const WHOLE_SHARE: f64 = 0.33;

/// A static cache is smaller than this share of the capacity. Assumed: its blocks cost the user
/// two or three times their capacity in flash.
const DYNAMIC_SHARE: f64 = 0.08;

/// At least the first share of a static cache is full of new data, whatever is written behind it;
/// of a dynamic cache, at most the second share is. Assumed: between them lie caches of both kinds.
const STAYS_SHARE: f64 = 0.25;
const GONE_SHARE: f64 = 0.1;

/// Share of a static cache that is at least empty when the next writes reach it. Assumed: a smaller
/// one makes more spare space a range.
const FULL_SHARE: f64 = 0.9;

/// Ends for the size of the cache of the full drive, which must reach that of the empty drive if
/// rests do not empty the cache, and cannot exceed it. Assumed: the sizes are known to a tenth.
const FULL_ENDS: Ends = (0.9, 1.1);

/// The drive is busy if the latest data is read slower than old data by more than these ratios, at
/// its quickest or in the median, or if its quickest reads are between those of new and of old
/// data. Assumed: the quickest reads wait for nothing, the median varies with page types.
const BUSY_RATIO: f64 = 1.03;
const BUSY_MEDIAN_RATIO: f64 = 1.5;

/// Data that is read like new data counts as being at the end, or at the beginning, of the written
/// range if it reaches this share of the most extreme position there. Assumed: the rest are parts
/// that a busy drive read slowly.
const LIES_SHARE: f64 = 0.85;

/// If less than the first or more than the second share of a map is read like new data, that data
/// has no position. Assumed: few parts may be chance, and nearly all of them lie everywhere.
const LIES_LEAST: f64 = 0.02;
const LIES_MOST: f64 = 0.9;

/// Infers a property of an existing cache, or returns the reason why it is unknown.
type Tell = fn(&Cache, &Observed) -> Result<Property, String>;

/// Inferred facts about the cache.
pub(super) struct Cache {
    present: Option<bool>,
    why: String,
    /// Size on the empty drive.
    size: Option<Size>,
    /// Bytes that the full drive writes fast after a rest.
    full_bytes: Option<f64>,
    /// Share of the cache that is full of new data after much more was written to the full drive.
    stays: Option<f64>,
    /// True if the first written data is still read like new data after everything was written.
    first_stays: bool,
    speeds: Option<(f64, f64)>,
    /// True if rests empty the cache; `None` if unknown.
    emptied: Option<bool>,
    capacity_bytes: f64,
}

impl Cache {
    /// Infers the facts from the observations of a drive with `dies` dies.
    pub fn of(seen: &Observed, dies: Option<f64>) -> Cache {
        let (present, why) = presence(seen);
        let mut cache = Cache {
            present,
            why,
            size: None,
            full_bytes: None,
            stays: None,
            first_stays: false,
            speeds: None,
            emptied: None,
            capacity_bytes: seen.capacity_bytes as f64,
        };
        if present != Some(true) {
            return cache;
        }
        cache.speeds = first_step(seen).map(|step| (step.fast, step.slow));
        let when_full = cache.when_full(seen).ok();
        let waits = when_full.map(|told| told.is_kind("fold-first"));
        cache.size = size(seen, dies, waits);
        let map = seen.full_map.as_ref();
        let mapped = map.and_then(|map| new_bytes(seen, map));
        let full = seen.full.as_ref().and_then(|full| step(&full.curve));
        cache.full_bytes = full.map(|step| step.bytes - step.moved).or(mapped);
        cache.emptied = cache.empties(seen).map(|(empties, _)| empties);
        if let Some(size) = &cache.size {
            // Compared with the empty drive, whose writes may empty the cache too.
            let maps = seen.maps.iter().chain(&seen.closer_maps);
            let empty = maps.filter_map(|map| new_bytes(seen, map));
            let empty = empty.reduce(f64::max).unwrap_or(size.written);
            cache.stays = mapped.map(|bytes| bytes / empty.min(size.written));
            cache.first_stays = first_stays(seen);
        }
        cache
    }

    /// Bounds of the bytes that the full drive writes into the cache's static blocks.
    pub fn apart_bytes(&self) -> (f64, f64) {
        let Some(size) = &self.size else {
            return match self.present {
                Some(false) => (0.0, 0.0),
                Some(true) | None => (0.0, DYNAMIC_SHARE * self.capacity_bytes),
            };
        };
        match self.kind_of(size) {
            Some("static") => (FULL_SHARE * size.bytes, size.bytes),
            Some("both") => {
                let own = self.stays.unwrap_or(1.0) * size.bytes;
                (0.0, own.min(size.bytes))
            }
            None if size.at_least => (0.0, WHOLE_SHARE * self.capacity_bytes),
            None if size.bytes < WHOLE_SHARE * self.capacity_bytes => (0.0, size.bytes),
            _ => (0.0, 0.0),
        }
    }

    /// Speed of writes into the cache, bytes per second.
    pub fn fast_per_s(&self) -> Option<f64> {
        self.speeds.map(|(fast, _)| fast)
    }

    /// True for a dynamic cache without static blocks.
    pub fn in_data_area(&self) -> bool {
        let size = self.size.as_ref();
        size.is_some_and(|size| self.kind_of(size) == Some("dynamic"))
    }

    pub fn properties(&self, seen: &Observed) -> Vec<Property> {
        let presence = match self.present {
            Some(present) => Property::presence("slc-cache", present, self.why.clone()),
            None => Property::unknown("slc-cache", self.why.clone()),
        };
        let rest: [(&str, Tell); 8] = [
            ("slc-cache-bytes", Cache::size),
            ("slc-cache-bytes-full", Cache::full_size),
            ("slc-cache-kind", Cache::kind),
            ("slc-write-bytes-per-s", Cache::fast),
            ("after-cache-write-bytes-per-s", Cache::slow),
            ("slc-when-full", Cache::when_full),
            ("slc-idle-emptying", Cache::emptying),
            ("slc-emptying-bytes-per-s", Cache::emptying_rate),
        ];
        let rest = rest.into_iter().map(|(id, tell)| match self.present {
            Some(true) => tell(self, seen).unwrap_or_else(|why| Property::unknown(id, why)),
            Some(false) => Property::unknown(id, say("identify-no-cache")),
            None => Property::unknown(id, say("identify-cache-unknown")),
        });
        std::iter::once(presence).chain(rest).collect()
    }

    /// The size, for properties that depend on it.
    fn size_known(&self) -> Result<&Size, String> {
        let size = self.size.as_ref();
        size.ok_or_else(|| say("identify-cache-size-unknown"))
    }

    fn size(&self, _: &Observed) -> Result<Property, String> {
        let size = self.size.as_ref();
        let size = size.ok_or_else(|| say("identify-cache-end-unseen"))?;
        let (id, unit) = ("slc-cache-bytes", "bytes");
        let evidence = size.evidence.clone();
        if size.at_least {
            return Ok(Property::at_least(id, size.interval.0, unit, evidence));
        }
        let (reach, value) = (REACH * size.bytes, size.bytes);
        Ok(Property::within(
            reach,
            id,
            value,
            size.interval,
            unit,
            evidence,
        ))
    }

    fn full_size(&self, seen: &Observed) -> Result<Property, String> {
        if seen.full.is_none() && seen.full_map.is_none() {
            return Err(say("identify-full-missing"));
        }
        let value = self
            .full_bytes
            .ok_or_else(|| say("identify-full-no-step"))?;
        let (least, most) = around(self.size_known()?.bytes, FULL_ENDS);
        if self.emptied != Some(true) && value < least {
            return Err(say("identify-not-emptied"));
        }
        // A full drive cannot have more space for a cache than an empty one: the rest is spare
        // space.
        if value > most {
            return Err(say("identify-full-no-step"));
        }
        let evidence = text!("identify-full-takes", bytes = bytes(value));
        let (id, interval) = ("slc-cache-bytes-full", around(value, FULL_ENDS));
        Ok(Property::quantity(id, value, interval, "bytes", evidence))
    }

    /// Kind of a cache of this size, if it can be inferred.
    fn kind_of(&self, size: &Size) -> Option<&'static str> {
        let share = size.bytes / self.capacity_bytes;
        if share > WHOLE_SHARE {
            return Some("whole-array");
        }
        match self.stays {
            _ if size.at_least => None,
            Some(stays) if stays > STAYS_SHARE => Some("static"),
            _ if share > DYNAMIC_SHARE => Some("dynamic"),
            // If the first written data never leaves the cache, its kind cannot be inferred.
            _ if self.first_stays || self.emptied != Some(true) => None,
            Some(stays) if stays < GONE_SHARE => Some("dynamic"),
            Some(_) => Some("both"),
            None => None,
        }
    }

    fn kind(&self, seen: &Observed) -> Result<Property, String> {
        let size = self.size_known()?;
        let empty = size.bytes;
        let kind = self.kind_of(size);
        let kind = kind.ok_or_else(|| say("identify-full-unseen"))?;
        let percent = fixed(100.0 * empty / seen.capacity_bytes as f64, 1);
        let evidence = match self.stays {
            Some(stays) => text!(
                "identify-share-stays",
                percent = percent,
                stays = fixed(100.0 * stays, 0),
            ),
            None => text!("identify-share", percent = percent),
        };
        Ok(Property::kind("slc-cache-kind", kind, evidence))
    }

    fn fast(&self, seen: &Observed) -> Result<Property, String> {
        self.speed("slc-write-bytes-per-s", |(fast, _)| fast, seen)
    }

    fn slow(&self, seen: &Observed) -> Result<Property, String> {
        self.speed("after-cache-write-bytes-per-s", |(_, slow)| slow, seen)
    }

    /// One of the two speeds.
    fn speed(
        &self,
        id: &str,
        of: fn((f64, f64)) -> f64,
        seen: &Observed,
    ) -> Result<Property, String> {
        let value = of(self.speeds.ok_or_else(|| say("identify-no-step"))?);
        let evidence = first_step(seen).map_or_else(String::new, |step| step_words(seen, &step));
        let interval = around(value, MEAN_ENDS);
        Ok(Property::quantity(id, value, interval, "bytes/s", evidence))
    }

    fn when_full(&self, seen: &Observed) -> Result<Property, String> {
        let (new, old) = new_and_old(seen).ok_or_else(|| say("identify-reads-missing"))?;
        let id = "slc-when-full";
        if let Some((at_end, written)) = new_lies(seen) {
            let (kind, evidence) = match at_end {
                true => ("fold-first", "identify-newest-new"),
                false => ("direct", "identify-oldest-new"),
            };
            let evidence = text!(evidence, written = bytes(written));
            return Ok(Property::kind(id, kind, evidence));
        }
        let latest = seen
            .latest_reads
            .ok_or_else(|| say("identify-latest-missing"))?;
        let fastest = latest.p1_ns as f64;
        let [low, high] = [1.0 / BUSY_RATIO, BUSY_RATIO].map(|ratio| ratio * old.p1_ns as f64);
        let middle = f64::midpoint(new.p1_ns as f64, old.p1_ns as f64);
        let kind = match fastest {
            _ if latest.p50_ns as f64 > BUSY_MEDIAN_RATIO * old.p50_ns as f64 => None,
            ns if ns < middle => Some("fold-first"),
            ns if ns > low && ns < high => Some("direct"),
            _ => None,
        };
        let kind = kind.ok_or_else(|| say("identify-busy-after-fill"))?;
        let evidence = text!(
            "identify-latest",
            latest = us(fastest),
            new = us(new.p1_ns as f64),
            old = us(old.p1_ns as f64),
        );
        Ok(Property::kind(id, kind, evidence))
    }

    /// True if rests empty the cache, with the evidence; `None` if unknown.
    fn empties(&self, seen: &Observed) -> Option<(bool, String)> {
        if let Some((none, some, rest_s)) = self.taken_after(seen) {
            let awake = seen.emptied_awake.as_ref();
            let awake = awake.and_then(|rested| self.taken(&rested.curve));
            let evidence = text!(
                "identify-taken",
                none = bytes(none),
                some = bytes(some),
                rest = fixed(rest_s, 0),
            );
            let size = self.size.as_ref()?.bytes;
            // Work that is done during requests, and less without them, is no work of idle time.
            let beside = awake.is_some_and(|awake| awake > MORE_WORK_RATIO * some);
            let least = match beside {
                true => EMPTIED_BESIDE_SHARE,
                false => EMPTIED_SHARE,
            };
            let empties = some - none > least * size;
            return Some((empties, evidence));
        }
        let (before, after) = (seen.maps.last()?, seen.rested_map.as_ref()?);
        let (before, after) = (new_bytes(seen, before)?, new_bytes(seen, after)?);
        let evidence = text!(
            "identify-mapped-rest",
            before = bytes(before),
            after = bytes(after),
        );
        // If more is read like new data after a rest, the drive was too busy before.
        let quiet = before > 0.0 && after < REAPPEARED_RATIO * before;
        quiet.then_some((after < LEFT_SHARE_MAX * before, evidence))
    }

    /// Bytes written fast after no rest and after the longest, and the length of that rest, s.
    fn taken_after(&self, seen: &Observed) -> Option<(f64, f64, f64)> {
        let (first, last) = (seen.emptied.first()?, seen.emptied.last()?);
        let least = seen.capacity_bytes as f64 / SAMPLES_PARTS;
        let at_once = self.taken(&first.curve)?.max(least);
        let full = at_once < FREE_SHARE_MAX * self.size.as_ref()?.bytes;
        full.then_some((at_once, self.taken(&last.curve)?, last.rest_s))
    }

    /// Bytes that were written at the speed of the cache.
    fn taken(&self, curve: &Curve) -> Option<f64> {
        let (fast, slow) = self.speeds?;
        let middle = (fast * slow).sqrt();
        let stretches = curve.stretches();
        let fast = stretches.iter().take_while(|s| s.bytes_per_s > middle);
        Some(fast.last().map_or(0.0, |s| s.to_bytes as f64))
    }

    fn emptying(&self, seen: &Observed) -> Result<Property, String> {
        let told = self.empties(seen);
        let (empties, evidence) = told.ok_or_else(|| say("identify-free-unseen"))?;
        Ok(Property::presence("slc-idle-emptying", empties, evidence))
    }

    fn emptying_rate(&self, seen: &Observed) -> Result<Property, String> {
        let none = || say("identify-free-no-speed");
        let (before, after, rest_s) = self.taken_after(seen).ok_or_else(none)?;
        if self.emptied != Some(true) {
            return Err(say("identify-not-emptied"));
        }
        let size = self.size.as_ref().ok_or_else(none)?.bytes;
        if after > EMPTIED_SHARE_MAX * size {
            return Err(text!("identify-emptied-within", rest = fixed(rest_s, 0)));
        }
        let rate = (after - before) / rest_s;
        let evidence = text!(
            "identify-more-after",
            bytes = bytes(after - before),
            rest = fixed(rest_s, 0),
        );
        let interval = around(rate, QUOTIENT_ENDS);
        let id = "slc-emptying-bytes-per-s";
        Ok(Property::quantity(id, rate, interval, "bytes/s", evidence))
    }
}

/// Position of new data in a range written beyond the end of the cache: true if the end is read
/// like new data (all data passes through the cache), false if the beginning is (writes bypass the
/// cache). Also returns the bytes written. `None` if no map shows it, or maps contradict each
/// other.
fn new_lies(seen: &Observed) -> Option<(bool, f64)> {
    let lies = |map: &ReadMap| {
        let parts = like_new(seen, map)?;
        let new: Vec<usize> = (0..parts.len()).filter(|index| parts[*index]).collect();
        let share = new.len() as f64 / parts.len() as f64;
        if !(LIES_LEAST..LIES_MOST).contains(&share) {
            return None;
        }
        let mean = new.iter().sum::<usize>() as f64 / new.len() as f64 + 0.5;
        Some((2.0 * mean / parts.len() as f64 - 1.0) / (1.0 - share))
    };
    let maps = seen.maps.iter().chain(&seen.closer_maps);
    let told: Vec<(f64, f64)> = maps
        .filter_map(|map| Some((lies(map)?, map.written_bytes as f64)))
        .collect();
    let (_, written) = *told.first()?;
    if told.iter().all(|(lies, _)| *lies > LIES_SHARE) {
        return Some((true, written));
    }
    let oldest = told.iter().all(|(lies, _)| *lies < -LIES_SHARE);
    oldest.then_some((false, written))
}

/// True if, after the whole drive was written, the first data is read like new data and the last is
/// not.
fn first_stays(seen: &Observed) -> bool {
    let map = ReadMap {
        written_bytes: seen.capacity_bytes,
        parts: seen.settled_parts.clone(),
    };
    let parts = like_new(seen, &map).unwrap_or_default();
    parts.first() == Some(&true) && parts.last() == Some(&false)
}

/// True if there is a cache, false if not, with the evidence; `None` if unknown.
fn presence(seen: &Observed) -> (Option<bool>, String) {
    let Some((new, old)) = new_and_old(seen) else {
        return by_step(seen);
    };
    // Several bits per cell: the quickest pages limit how quick the others may be.
    let (new_ns, old_ns) = (new.p1_ns as f64, old.p1_ns as f64);
    let [new_us, old_us] = [new_ns, old_ns].map(us);
    let (noise, _) = seen.noise();
    if noise > NOISE_MAX {
        let why = text!(
            "identify-new-and-old-noisy",
            new = new_us,
            old = old_us,
            noise = fixed(100.0 * noise, 0),
        );
        return (None, why);
    }
    let least = FASTER_SHARE.min(1.0 - NOISE_TIMES * noise);
    if new_ns < least * old_ns && new_ns + FASTER_NS < old_ns {
        let evidence = text!("identify-new-and-old", new = new_us, old = old_us);
        return (Some(true), evidence);
    }
    let why = text!("identify-new-and-old-alike", new = new_us, old = old_us);
    (Some(false), why)
}

/// As [`presence`], without measured reads.
fn by_step(seen: &Observed) -> (Option<bool>, String) {
    match first_step(seen) {
        Some(step) => (Some(true), step_words(seen, &step)),
        None => (None, say("identify-step-unseen")),
    }
}
