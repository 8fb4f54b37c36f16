//! The SLC cache: whether there is one, how large it is, of which kind, what it does when it is
//! full, and how fast it empties.

use stend_language::{say, text};

use super::words::{bytes, fixed, speed, us};
use crate::observed::{Curve, Observed, ReadMap, Times};
use crate::probing::Stretch;
use crate::property::Property;

/// Data in SLC mode is read in less than this share of the time of other data: its cells are
/// sensed once, those of other modes several times, or more finely.
const FASTER_SHARE: f64 = 0.94;

/// A difference that counts, ns: less lies within the granularity of what hosts measure.
const FASTER_NS: f64 = 2_500.0;

/// Where the same reads vary by more than this share, their times tell nothing.
const NOISE_MAX: f64 = 0.06;

/// A share of what was written that is little.
const LITTLE_SHARE: f64 = 0.3;

/// A rest that empties no more than this share of the cache only ends what had begun.
const EMPTIED_SHARE: f64 = 0.13;

/// A cache of which more than this share is free is not full.
const FREE_SHARE_MAX: f64 = 0.25;

/// Two levels of a curve whose ratio is more than this are different speeds.
const LEVEL_RATIO: f64 = 1.12;

/// What was written last is read slower than old data by more than this ratio: the drive is busy.
const BUSY_RATIO: f64 = 1.03;

/// Tells a property of a cache that there is, or says why it cannot.
type Tell = fn(&Cache, &Observed) -> Result<Property, String>;

/// What is known of the cache.
pub(super) struct Cache {
    present: Option<bool>,
    why: String,
    /// Bytes that the empty drive took at the speed of its cache: value and interval.
    bytes: Option<(f64, (f64, f64))>,
    bytes_evidence: String,
    /// The same of the full drive after a rest.
    pub full_bytes: Option<f64>,
    speeds: Option<(f64, f64)>,
    /// Whether rests empty it, as far as that shows.
    emptied: bool,
    /// Bytes of it that a rest empties while the drive is not full, where that shows.
    rested_bytes: Option<f64>,
    capacity_bytes: f64,
}

/// The first step of a curve of writes: bytes until it, and the speeds before and after.
struct Step {
    bytes: f64,
    /// Bytes at most that the drive moved out of the cache until then.
    moved: f64,
    fast: f64,
    slow: f64,
}

/// The step from the speed of the cache to that behind it: the end of all levels, from the first
/// on, that are faster than the last one.
fn step(curve: &Curve) -> Option<Step> {
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
    // From the first slower level on, the cache is emptied beside it.
    let slower = |stretch: &&&Stretch| LEVEL_RATIO * stretch.bytes_per_s < first.bytes_per_s;
    let beside: f64 = fast
        .iter()
        .filter(slower)
        .map(|stretch| stretch.seconds)
        .sum();
    Some(Step {
        bytes,
        moved: (beside * slow).min(bytes / 2.0),
        fast: first.bytes_per_s,
        slow,
    })
}

impl Step {
    /// What was seen, of so many bytes in all.
    fn words(&self, written: f64) -> String {
        text!(
            "identify-step",
            bytes = bytes(written),
            fast = speed(self.fast),
            slow = speed(self.slow),
        )
    }

    /// Bytes that the drive moved out of the cache while so many were written, and bytes at most:
    /// where a slower level tells it, what was seen of it at most; else half of, and at most, what
    /// the drive moves beside later writes, if any was seen to be moved.
    fn moved(&self, written: f64, seen: Option<f64>) -> (f64, f64) {
        let cap = seen.unwrap_or(f64::INFINITY);
        let told = self.moved.min(cap);
        if told > 0.0 {
            // Little was moved meanwhile, or nobody knows how much.
            return match told < LITTLE_SHARE * written {
                true => (told, told),
                false => (told / 2.0, told),
            };
        }
        let beside = written * self.slow / (self.fast + self.slow);
        let most = beside.min(seen.unwrap_or(0.0));
        (most / 2.0, most)
    }
}

/// Bytes that had left the cache when it had been written full: of the first map of about as much,
/// what is read like old data before the first that is read like new data. `None` without one.
fn moved_seen(seen: &Observed, full: f64) -> Option<f64> {
    let (new, old) = new_and_old(seen)?;
    let middle = u64::midpoint(new.p1_ns, old.p1_ns);
    let enough = |map: &&ReadMap| map.written_bytes as f64 >= MAP_SHARE_MIN * full;
    let map = seen.maps.iter().find(enough)?;
    let part = map.written_bytes as f64 / map.parts.len() as f64;
    let left = map.parts.iter().take_while(|times| times.p1_ns >= middle);
    // What was written since may have taken the place of as much.
    let since = (map.written_bytes as f64 - full).max(0.0);
    Some((left.count() as f64 * part - since).max(0.0))
}

/// A map of less than this share of the cache does not tell whether it is emptied beside writes.
const MAP_SHARE_MIN: f64 = 0.6;

/// The most of an empty drive that is taken fast into a cache, share of the capacity: what is
/// written beyond it may lie anywhere.
const CACHE_SHARE_MAX: f64 = 0.75;

/// The end of the cache of the empty drive, as ascending writes show it, or else random ones.
fn first_step(seen: &Observed) -> Option<Step> {
    let cache = |step: &Step| step.bytes < CACHE_SHARE_MAX * seen.capacity_bytes as f64;
    let of = |curve: &Option<Curve>| curve.as_ref().and_then(step).filter(cache);
    of(&seen.fill).or_else(|| of(&seen.fresh_random))
}

/// The speed of the longest stretch, by bytes, of the second half of a curve.
fn settled_speed(stretches: &[Stretch], all_bytes: u64) -> Option<f64> {
    let late = stretches
        .iter()
        .filter(|stretch| stretch.to_bytes > all_bytes / 2);
    let longest = late.max_by_key(|stretch| stretch.to_bytes - stretch.from_bytes)?;
    Some(longest.bytes_per_s)
}

impl Cache {
    pub fn of(seen: &Observed) -> Cache {
        let (present, why) = presence(seen);
        let first = seen
            .new_reads
            .map_or(0, |_| seen.capacity_bytes - seen.fill_bytes());
        let step_seen = first_step(seen);
        let mut cache = Cache {
            present,
            why,
            bytes: None,
            bytes_evidence: String::new(),
            full_bytes: None,
            speeds: None,
            emptied: false,
            rested_bytes: None,
            capacity_bytes: seen.capacity_bytes as f64,
        };
        if present != Some(true) {
            return cache;
        }
        if let Some(step) = &step_seen {
            let written = step.bytes + first as f64;
            let (moved, most) = step.moved(written, moved_seen(seen, written));
            let interval = (0.97 * (written - most), 1.08 * written);
            cache.bytes = Some((written - moved, interval));
            cache.speeds = Some((step.fast, step.slow));
            cache.bytes_evidence = step.words(written);
        } else if let Some((value, interval, evidence)) = size_by_maps(seen) {
            cache.bytes = Some((value, interval));
            cache.bytes_evidence = evidence;
        }
        let full = seen.full.as_ref().and_then(|full| step(&full.curve));
        let full = full.map(|step| step.bytes - step.moved);
        cache.full_bytes = full.or_else(|| Some(mapped(seen, seen.full_map.as_ref()?)?.0));
        cache.emptied = cache.empties(seen).is_some_and(|(empties, _)| empties);
        if cache.emptied {
            cache.rested_bytes = cache.taken_after(seen).map(|(_, after, _)| after);
        }
        cache
    }

    /// Bytes that the full drive takes into a cache with blocks of its own: at least, and at most.
    pub fn apart_bytes(&self) -> (f64, f64) {
        let Some((empty, _)) = self.bytes else {
            return (0.0, 0.0);
        };
        let full = self.full_bytes.unwrap_or(empty);
        match self.kind_of(empty) {
            Some("static") => (full.min(empty), full.max(empty)),
            None => (0.0, full),
            Some(_) => (0.0, 0.0),
        }
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
    fn size_known(&self) -> Result<(f64, (f64, f64)), String> {
        self.bytes.ok_or_else(|| say("identify-cache-size-unknown"))
    }

    fn size(&self, _: &Observed) -> Result<Property, String> {
        let (value, interval) = self.bytes.ok_or_else(|| say("identify-cache-end-unseen"))?;
        let evidence = self.bytes_evidence.clone();
        Ok(Property::quantity(
            "slc-cache-bytes",
            value,
            interval,
            "bytes",
            evidence,
        ))
    }

    fn full_size(&self, _: &Observed) -> Result<Property, String> {
        let value = self
            .full_bytes
            .ok_or_else(|| say("identify-full-no-step"))?;
        let (empty, _) = self.size_known()?;
        if !self.emptied && value < 0.9 * empty {
            return Err(say("identify-not-emptied"));
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

    /// The kind of a cache of so many bytes, where it shows.
    fn kind_of(&self, empty: f64) -> Option<&'static str> {
        const WHOLE_SHARE: f64 = 0.31;
        const DYNAMIC_SHARE: f64 = 0.045;
        let share = empty / self.capacity_bytes;
        // A rest that empties a part alone does so on the full drive as well.
        let rested = self.rested_bytes.map_or(empty, |rested| rested.min(empty));
        match self.full_bytes.map(|full| full / rested) {
            _ if share > WHOLE_SHARE => Some("whole-array"),
            Some(left) if left > 0.7 => Some("static"),
            _ if share > DYNAMIC_SHARE => Some("dynamic"),
            Some(left) if left < 0.1 => Some("dynamic"),
            Some(_) if !self.emptied => Some("static"),
            Some(_) => Some("both"),
            None => None,
        }
    }

    fn kind(&self, seen: &Observed) -> Result<Property, String> {
        let (empty, _) = self.size_known()?;
        let kind = self.kind_of(empty);
        let kind = kind.ok_or_else(|| say("identify-full-unseen"))?;
        let percent = fixed(100.0 * empty / seen.capacity_bytes as f64, 1);
        let evidence = match self.full_bytes {
            Some(full) => text!(
                "identify-share-full",
                percent = percent,
                bytes = bytes(full)
            ),
            None => text!("identify-share", percent = percent),
        };
        Ok(Property::kind("slc-cache-kind", kind, evidence))
    }

    fn fast(&self, _: &Observed) -> Result<Property, String> {
        let (value, _) = self.speeds.ok_or_else(|| say("identify-no-step"))?;
        let interval = (0.97 * value, 1.03 * value);
        let id = "slc-write-bytes-per-s";
        Ok(Property::quantity(
            id,
            value,
            interval,
            "bytes/s",
            self.bytes_evidence.clone(),
        ))
    }

    fn slow(&self, _: &Observed) -> Result<Property, String> {
        let (_, value) = self.speeds.ok_or_else(|| say("identify-no-step"))?;
        let interval = (0.97 * value, 1.03 * value);
        let id = "after-cache-write-bytes-per-s";
        Ok(Property::quantity(
            id,
            value,
            interval,
            "bytes/s",
            self.bytes_evidence.clone(),
        ))
    }

    fn when_full(&self, seen: &Observed) -> Result<Property, String> {
        let (new, old) = new_and_old(seen).ok_or_else(|| say("identify-reads-missing"))?;
        let latest = seen
            .latest_reads
            .ok_or_else(|| say("identify-latest-missing"))?;
        let fastest = latest.p1_ns as f64;
        if fastest > BUSY_RATIO * old.p1_ns as f64 {
            return Err(say("identify-busy-after-fill"));
        }
        let middle = f64::midpoint(new.p1_ns as f64, old.p1_ns as f64);
        let kind = if fastest < middle {
            "fold-first"
        } else {
            "direct"
        };
        let evidence = text!(
            "identify-latest",
            latest = us(fastest),
            new = us(new.p1_ns as f64),
            old = us(old.p1_ns as f64),
        );
        Ok(Property::kind("slc-when-full", kind, evidence))
    }

    /// Whether rests empty the cache, and what tells; `None` where that does not show.
    fn empties(&self, seen: &Observed) -> Option<(bool, String)> {
        if let Some((none, some, rest_s)) = self.taken_after(seen) {
            let evidence = text!(
                "identify-taken",
                none = bytes(none),
                some = bytes(some),
                rest = fixed(rest_s, 0),
            );
            let (size, _) = self.bytes?;
            return Some((some - none > EMPTIED_SHARE * size, evidence));
        }
        let (before, after) = (seen.maps.last()?, seen.rested_map.as_ref()?);
        let (before, after) = (fast_bytes(seen, before)?, fast_bytes(seen, after)?);
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
        let (fast, slow) = self.speeds?;
        let middle = (fast * slow).sqrt();
        let taken = |curve: &Curve| {
            let stretches = curve.stretches();
            let fast = stretches.iter().take_while(|s| s.bytes_per_s > middle);
            fast.last().map_or(0.0, |s| s.to_bytes as f64)
        };
        let (first, last) = (seen.emptied.first()?, seen.emptied.last()?);
        // A few samples' worth is no room, and much room at once is no full cache.
        let least = seen.capacity_bytes as f64 / 4000.0;
        let (at_once, (size, _)) = (taken(&first.curve).max(least), self.bytes?);
        let full = at_once < FREE_SHARE_MAX * size;
        full.then_some((at_once, taken(&last.curve), last.rest_s))
    }

    fn emptying(&self, seen: &Observed) -> Result<Property, String> {
        let told = self.empties(seen);
        let (empties, evidence) = told.ok_or_else(|| say("identify-free-unseen"))?;
        Ok(Property::presence("slc-idle-emptying", empties, evidence))
    }

    fn emptying_rate(&self, seen: &Observed) -> Result<Property, String> {
        let none = || say("identify-free-no-speed");
        let (before, after, rest_s) = self.taken_after(seen).ok_or_else(none)?;
        if !self.emptied {
            return Err(say("identify-not-emptied"));
        }
        let (size, _) = self.bytes.ok_or_else(none)?;
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

/// Reads of new data and of old.
fn new_and_old(seen: &Observed) -> Option<(Times, Times)> {
    Some((seen.new_reads?, seen.slowest_settled()?))
}

/// Whether there is a cache.
fn presence(seen: &Observed) -> (Option<bool>, String) {
    let Some((new, old)) = new_and_old(seen) else {
        return by_step(seen);
    };
    let (new_ns, old_ns) = (new.p50_ns as f64, old.p50_ns as f64);
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
    // The quickest pages of a cell with several bits set how quick its others may be.
    let (new_ns, old_ns) = (new.p1_ns as f64, old.p1_ns as f64);
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
        Some(step) => (Some(true), step.words(step.bytes)),
        None => (None, say("identify-step-unseen")),
    }
}

/// A map of reads does not tell when more of its parts than this share were read by a busy drive.
const BUSY_SHARE: f64 = 0.2;

/// How much of what was written is read like new data; `None` where the drive was too busy to tell.
fn fast_bytes(seen: &Observed, map: &ReadMap) -> Option<f64> {
    let (new, old) = new_and_old(seen)?;
    let middle = u64::midpoint(new.p1_ns, old.p1_ns);
    let part = map.written_bytes as f64 / map.parts.len() as f64;
    let fast = map
        .parts
        .iter()
        .filter(|times| times.p1_ns < middle)
        .count();
    let busy = map
        .parts
        .iter()
        .filter(|times| times.p1_ns > 3 * old.p1_ns)
        .count();
    (busy as f64 <= BUSY_SHARE * map.parts.len() as f64).then_some(fast as f64 * part)
}

/// The size of a cache by what of a map is read like new data: `None` where all of it is, since
/// the cache ends beyond it then. With it, what was written.
fn mapped(seen: &Observed, map: &ReadMap) -> Option<(f64, f64)> {
    let value = fast_bytes(seen, map)?;
    let written = map.written_bytes as f64;
    (value < 0.999 * written).then_some((value, written))
}

/// The size of the cache of the empty drive by maps of reads: the most that was ever read like new
/// data, for a dynamic cache shrinks as the drive fills.
fn size_by_maps(seen: &Observed) -> Option<(f64, (f64, f64), String)> {
    let last = seen.maps.last()?;
    let all = seen
        .maps
        .iter()
        .rev()
        .nth(1)
        .map_or(0.0, |map| map.written_bytes as f64);
    let (value, written) = mapped(seen, last)?;
    let [told, of] = [value, written].map(bytes);
    if value > all {
        let evidence = text!("identify-mapped", written = of, bytes = told);
        return Some((value, (0.96 * value, 1.08 * value), evidence));
    }
    if all == 0.0 {
        return None;
    }
    let evidence = text!(
        "identify-mapped-all",
        all = bytes(all),
        written = of,
        bytes = told,
    );
    Some((f64::midpoint(all, written), (all, written), evidence))
}
