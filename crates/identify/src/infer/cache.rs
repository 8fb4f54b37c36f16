//! The SLC cache: whether there is one, how large it is, of which kind, what it does when it is
//! full, and how fast it empties.

use stend_language::{say, text};

use super::size::{Size, size, step_words};
use super::words::{bytes, fixed, us};
use crate::ends::{FASTER_SHARE, first_step, like_new, new_and_old, new_bytes, step};
use crate::observed::{Curve, Observed, ReadMap};
use crate::property::Property;

/// A difference that counts, ns: less lies within the granularity of what hosts measure.
const FASTER_NS: f64 = 2_500.0;

/// Where the same reads vary by more than this share, their times tell nothing.
const NOISE_MAX: f64 = 0.06;

/// A rest that empties no more than this share of the cache only ends what had begun.
const EMPTIED_SHARE: f64 = 0.13;

/// Half or a third of the flash, in one-bit cells, is more than this share of the capacity.
const WHOLE_SHARE: f64 = 0.33;

/// Blocks of its own are less than this share.
const DYNAMIC_SHARE: f64 = 0.08;

/// Of a cache with blocks of its own, this share is full of new data whatever is written behind it;
/// of one without, no more than the other.
const STAYS_SHARE: f64 = 0.25;
const GONE_SHARE: f64 = 0.1;

/// A cache is emptied for all but this share when the next writes reach it.
const FULL_SHARE: f64 = 0.9;

/// A cache of which the interval reaches further than this share is known as a range alone.
const CACHE_REACH: f64 = 0.1;

/// What a rest empties is less, by this ratio, than what is emptied while the drive is read.
const BESIDE_RATIO: f64 = 1.2;

/// One that empties less than a rest in which the drive is read has to empty this share.
const EMPTIED_BESIDE_SHARE: f64 = 0.3;

/// A cache of which more than this share is free is not full.
const FREE_SHARE_MAX: f64 = 0.25;

/// Where what was written last is read slower than old data by more than this ratio, at its
/// quickest or in the median, or the quickest reads lie between those of new data and of old, the
/// drive is busy.
const BUSY_RATIO: f64 = 1.03;
const BUSY_MEDIAN_RATIO: f64 = 1.5;

/// What is read like new data lies at the end, or at the beginning, of what was written if it could
/// not lie further there by more than this share.
const LIES_SHARE: f64 = 0.85;

/// Where less of a map than this, or all but so much, is read like new data, that lies nowhere.
const LIES_LEAST: f64 = 0.02;
const LIES_MOST: f64 = 0.9;

/// Tells a property of a cache that there is, or says why it cannot.
type Tell = fn(&Cache, &Observed) -> Result<Property, String>;

/// What is known of the cache.
pub(super) struct Cache {
    present: Option<bool>,
    why: String,
    /// Of the empty drive.
    size: Option<Size>,
    /// Bytes that the full drive takes fast after a rest.
    full_bytes: Option<f64>,
    /// Share of it that is full of new data after much more was written to the full drive.
    stays: Option<f64>,
    /// Whether what was written first is still read like new data when all was written.
    first_stays: bool,
    speeds: Option<(f64, f64)>,
    /// Whether rests empty it, as far as that shows.
    emptied: Option<bool>,
    capacity_bytes: f64,
}

impl Cache {
    /// What is seen of it, of a drive of so many dies.
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
            // As much as on the empty drive, of which writes may empty it as well.
            let maps = seen.maps.iter().chain(&seen.closer_maps);
            let empty = maps.filter_map(|map| new_bytes(seen, map));
            let empty = empty.reduce(f64::max).unwrap_or(size.written);
            cache.stays = mapped.map(|bytes| bytes / empty.min(size.written));
            cache.first_stays = first_stays(seen);
        }
        cache
    }

    /// Bytes that the full drive takes into a cache with blocks of its own: at least, and at most.
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

    /// The speed of writes that go into it, bytes a second.
    pub fn fast_per_s(&self) -> Option<f64> {
        self.speeds.map(|(fast, _)| fast)
    }

    /// Whether it has no blocks of its own.
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

    /// The size, where others need it.
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
        let reach = CACHE_REACH * size.bytes;
        Ok(Property::within(
            reach,
            id,
            size.bytes,
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
        let empty = self.size_known()?.bytes;
        if self.emptied != Some(true) && value < 0.9 * empty {
            return Err(say("identify-not-emptied"));
        }
        // A full drive has no more room for a cache than an empty one: the rest is spare space.
        if value > 1.1 * empty {
            return Err(say("identify-full-no-step"));
        }
        let evidence = text!("identify-full-takes", bytes = bytes(value));
        let interval = (0.9 * value, 1.1 * value);
        Ok(Property::quantity(
            "slc-cache-bytes-full",
            value,
            interval,
            "bytes",
            evidence,
        ))
    }

    /// The kind of a cache of this size, where it shows.
    fn kind_of(&self, size: &Size) -> Option<&'static str> {
        let share = size.bytes / self.capacity_bytes;
        if share > WHOLE_SHARE {
            return Some("whole-array");
        }
        match self.stays {
            _ if size.at_least => None,
            Some(stays) if stays > STAYS_SHARE => Some("static"),
            _ if share > DYNAMIC_SHARE => Some("dynamic"),
            // What was written first never leaves it, whatever it consists of.
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
        let (value, _) = self.speeds.ok_or_else(|| say("identify-no-step"))?;
        let interval = (0.97 * value, 1.03 * value);
        let id = "slc-write-bytes-per-s";
        Ok(Property::quantity(
            id,
            value,
            interval,
            "bytes/s",
            self.step_words(seen),
        ))
    }

    fn slow(&self, seen: &Observed) -> Result<Property, String> {
        let (_, value) = self.speeds.ok_or_else(|| say("identify-no-step"))?;
        let interval = (0.97 * value, 1.03 * value);
        let id = "after-cache-write-bytes-per-s";
        Ok(Property::quantity(
            id,
            value,
            interval,
            "bytes/s",
            self.step_words(seen),
        ))
    }

    fn step_words(&self, seen: &Observed) -> String {
        first_step(seen).map_or_else(String::new, |step| step_words(seen, &step))
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

    /// Whether rests empty the cache, and what tells; `None` where that does not show.
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
            // What takes place while requests come, and less without them, is no work of idle time.
            let beside = awake.is_some_and(|awake| awake > BESIDE_RATIO * some);
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
        // More after a rest: the drive was too busy before.
        let quiet = before > 0.0 && after < 1.05 * before;
        quiet.then_some((after < 0.85 * before, evidence))
    }

    /// Bytes taken fast after no rest and after the longest, and that rest, s.
    fn taken_after(&self, seen: &Observed) -> Option<(f64, f64, f64)> {
        let (first, last) = (seen.emptied.first()?, seen.emptied.last()?);
        // A few samples' worth is no room, and much room at once is no full cache.
        let least = seen.capacity_bytes as f64 / 4000.0;
        let (at_once, size) = (
            self.taken(&first.curve)?.max(least),
            self.size.as_ref()?.bytes,
        );
        let full = at_once < FREE_SHARE_MAX * size;
        full.then_some((at_once, self.taken(&last.curve)?, last.rest_s))
    }

    /// Bytes that writes took at the speed of the cache.
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
        if after > 0.85 * size {
            return Err(text!("identify-emptied-within", rest = fixed(rest_s, 0)));
        }
        let rate = (after - before) / rest_s;
        let evidence = text!(
            "identify-more-after",
            bytes = bytes(after - before),
            rest = fixed(rest_s, 0),
        );
        let interval = (0.8 * rate, 1.25 * rate);
        let id = "slc-emptying-bytes-per-s";
        Ok(Property::quantity(id, rate, interval, "bytes/s", evidence))
    }
}

/// Whether, of what was written beyond the end of the cache, that at the end is read like new data
/// (it all passes through the cache) or that at the beginning (writes go past it), and bytes that
/// were written. `None` where maps do not show it, or do not agree.
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

/// Whether what was written first is read like new data when the whole drive was written, and other
/// data is not.
fn first_stays(seen: &Observed) -> bool {
    let map = ReadMap {
        written_bytes: seen.capacity_bytes,
        parts: seen.settled_parts.clone(),
    };
    let parts = like_new(seen, &map).unwrap_or_default();
    parts.first() == Some(&true) && parts.last() == Some(&false)
}

/// Whether there is a cache.
fn presence(seen: &Observed) -> (Option<bool>, String) {
    let Some((new, old)) = new_and_old(seen) else {
        return by_step(seen);
    };
    // The quickest pages of a cell with several bits set how quick its others may be.
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
    let least = FASTER_SHARE.min(1.0 - 3.0 * noise);
    if new_ns < least * old_ns && new_ns + FASTER_NS < old_ns {
        let evidence = text!("identify-new-and-old", new = new_us, old = old_us);
        return (Some(true), evidence);
    }
    let why = text!("identify-new-and-old-alike", new = new_us, old = old_us);
    (Some(false), why)
}

/// The same where reads were not looked at.
fn by_step(seen: &Observed) -> (Option<bool>, String) {
    match first_step(seen) {
        Some(step) => (Some(true), step_words(seen, &step)),
        None => (None, say("identify-step-unseen")),
    }
}
