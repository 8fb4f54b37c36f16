//! The time of a read and its parts, read-ahead, the dies that work in parallel, the L2P cache, and
//! throttling.

use stend_language::{say, text};

use super::words::{bytes, fixed, us};
use crate::observed::Observed;
use crate::property::Property;

pub(super) fn properties(seen: &Observed) -> Vec<Property> {
    let map = map_cache(seen);
    let has_map_cache = map[0].present == Some(true);
    let mut properties = vec![
        latency(seen),
        flash_read(seen, has_map_cache),
        read_ahead(seen),
    ];
    properties.extend(dies(seen));
    properties.extend(map);
    properties.push(throttling(seen));
    properties
}

fn latency(seen: &Observed) -> Property {
    let id = "read-latency-ns";
    let Some(reads) = seen.settled_reads else {
        return Property::unknown(id, say("identify-reads-missing"));
    };
    let evidence = text!(
        "identify-latency",
        count = reads.requests.to_string(),
        median = us(reads.p50_ns as f64),
        tail = us(reads.p99_ns as f64),
    );
    let interval = (0.97 * reads.mean_ns, 1.03 * reads.mean_ns);
    Property::quantity(id, reads.mean_ns, interval, "ns", evidence)
}

/// The time of a flash read is known as a value if its interval reaches no further than this share.
const READ_REACH: f64 = 0.1;

/// Compares reads of data with reads of space without data. With an L2P cache, either may also have
/// waited for an L2P segment.
fn flash_read(seen: &Observed, has_map_cache: bool) -> Property {
    let id = "flash-read-ns";
    let (Some(unwritten), Some(old)) = (seen.unwritten_reads, seen.slowest_settled()) else {
        return Property::unknown(id, say("identify-unwritten-missing"));
    };
    let value = old.p50_ns as f64 - unwritten.p50_ns as f64;
    if value < 5e3 {
        return Property::unknown(id, say("identify-unwritten-as-slow"));
    }
    let lookup = match has_map_cache {
        true => lookup_ns(seen),
        false => None,
    };
    let (old_ns, unwritten_ns) = (us(old.p50_ns as f64), us(unwritten.p50_ns as f64));
    let (evidence, less, more) = match lookup {
        None => {
            let (old, unwritten) = (old_ns, unwritten_ns);
            let evidence = text!("identify-flash-read", old = old, unwritten = unwritten);
            (evidence, 0.0, 0.0)
        }
        Some((hit, lookup)) => {
            let evidence = text!(
                "identify-flash-read-map",
                old = old_ns,
                unwritten = unwritten_ns,
                lookup = us(lookup),
            );
            let old_may_wait = old.p50_ns as f64 > hit + lookup / 2.0;
            (evidence, if old_may_wait { lookup } else { 0.0 }, lookup)
        }
    };
    let ends = (0.93 * (value - less).max(0.0), 1.05 * (value + more));
    Property::within(READ_REACH * value, id, value, ends, "ns", evidence)
}

/// Returns the time of a read that finds its L2P segment in the cache, and the longest wait of one
/// that does not, ns: from reads in the narrowest span and in the widest.
fn lookup_ns(seen: &Observed) -> Option<(f64, f64)> {
    let ((_, narrow), (_, wide)) = (seen.spans.first()?, seen.spans.last()?);
    let hit = narrow.p50_ns as f64;
    Some((hit, (wide.p99_ns as f64 - hit).max(0.0)))
}

fn read_ahead(seen: &Observed) -> Property {
    let id = "read-ahead";
    let (Some(ascending), Some(random)) = (seen.ascending_reads, seen.settled_reads) else {
        return Property::unknown(id, say("identify-ascending-missing"));
    };
    let evidence = text!(
        "identify-ascending",
        ascending = us(ascending.mean_ns),
        random = us(random.mean_ns),
    );
    Property::presence(id, ascending.mean_ns < 0.65 * random.mean_ns, evidence)
}

/// Collisions of pairs of pages: the distance at which two pages are in the same die again, and the
/// length of consecutive data in one die, bytes.
struct Stripe {
    period: f64,
    unit: f64,
    /// True if all periods are present and equal: parity does not rotate among the dies.
    regular: bool,
}

/// Pairs that are read slower than this share of the usual rate are in one die.
const SAME_DIE_SHARE: f64 = 0.78;

/// Pairs in one die reach about half of the usual rate; few pairs may be between.
const ONE_DIE_SHARES: (f64, f64) = (0.35, 0.68);
const BETWEEN_SHARE_MAX: f64 = 0.12;

/// Rate above which pairs are in two dies; `None` if there are not two distinct groups of rates.
fn two_dies(pairs: &[(u64, f64)]) -> Option<f64> {
    let mut rates: Vec<f64> = pairs.iter().map(|(_, rate)| *rate).collect();
    rates.sort_by(f64::total_cmp);
    let usual = *rates.get(rates.len() * 3 / 4)?;
    let (least, most) = (ONE_DIE_SHARES.0 * usual, ONE_DIE_SHARES.1 * usual);
    let between = |rate: &&f64| **rate < least || (most..0.88 * usual).contains(*rate);
    let odd = rates.iter().filter(between).count();
    (odd as f64 <= BETWEEN_SHARE_MAX * rates.len() as f64).then_some(SAME_DIE_SHARE * usual)
}

/// Share of the runs of colliding distances that must be alike.
const MOST_SHARE: f64 = 0.85;

/// Returns the stripe if colliding distances form runs of equal length with a constant period.
fn stripe(seen: &Observed) -> Option<Stripe> {
    let slow = two_dies(&seen.pairs)?;
    let step = seen.pairs.first()?.0 as f64;
    // Runs of colliding distances: (begin, length), in steps. The first page is at an unknown place
    // in its unit, so the run that it begins is incomplete.
    let mut runs: Vec<(f64, f64)> = Vec::new();
    let mut before = true;
    for (index, (_, rate)) in seen.pairs.iter().enumerate() {
        let same = *rate < slow;
        match runs.last_mut() {
            Some(run) if same && run.0 + run.1 == index as f64 => run.1 += 1.0,
            _ if same && !before => runs.push((index as f64, 1.0)),
            _ => {}
        }
        before &= same;
    }
    let whole = runs.len().checked_sub(1)?;
    let mut lengths: Vec<f64> = runs[..whole.max(1)].iter().map(|run| run.1).collect();
    lengths.sort_by(f64::total_cmp);
    let unit = lengths[lengths.len() / 2];
    let gaps: Vec<f64> = runs.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    let expected = match same_die_share(seen) {
        Some(share) => unit / share,
        None => gaps.iter().copied().reduce(f64::min)?,
    };
    let turns: f64 = gaps
        .iter()
        .map(|gap| (gap / expected).round().max(1.0))
        .sum();
    let period = gaps.iter().sum::<f64>() / turns;
    let alike = |gap: &f64| (gap / period - (gap / period).round()).abs() * period < unit + 0.5;
    // The length of consecutive data in one die and the number of dies must be consistent.
    let agrees = (expected / period - 1.0).abs() < 0.35;
    // At the end of a superblock, and in relocated data, the order may differ.
    let most = |like: usize, all: usize| like as f64 > MOST_SHARE * all as f64;
    let of_unit = lengths
        .iter()
        .filter(|length| (*length - unit).abs() <= 1.0);
    let of_period = gaps.iter().filter(|gap| alike(gap));
    if !agrees || !most(of_unit.count(), lengths.len()) || !most(of_period.count(), gaps.len()) {
        return None;
    }
    Some(Stripe {
        period: period * step,
        unit: unit * step,
        regular: gaps.iter().all(|gap| (gap - period).abs() < 0.5),
    })
}

/// Largest assumed ratio of a stripe with parity to its data.
const PARITY_RATIO_MAX: f64 = 1.27;

fn dies(seen: &Observed) -> [Property; 2] {
    let unit_id = "stripe-bytes";
    let Some(stripe) = stripe(seen) else {
        let why = match seen.pairs.len() {
            0 => say("identify-pairs-missing"),
            _ => say("identify-pairs-moved"),
        };
        return [dies_by_share(seen), Property::unknown(unit_id, why)];
    };
    let count = stripe.period / stripe.unit;
    let [period, length] = [stripe.period, stripe.unit].map(|bytes| fixed(bytes / 1024.0, 0));
    let evidence = text!("identify-stripe", period = &period, unit = &length);
    let step = seen.pairs[0].0 as f64;
    let interval = (stripe.unit - step / 2.0, stripe.unit + step / 2.0);
    let unit = Property::quantity(unit_id, stripe.unit, interval, "bytes", evidence);
    let dies = dies_of(count, stripe.regular, share_dies(seen), (&period, &length));
    [dies, unit]
}

/// Number of dies, from the number that hold data of a stripe, and from the bounds by the share of
/// pairs in one die. `period` and `unit` are texts in KiB.
fn dies_of(
    count: f64,
    regular: bool,
    by_share: Option<(f64, f64)>,
    (period, unit): (&String, &String),
) -> Property {
    let id = "parallel-dies";
    let even = (count / 2.0).round() * 2.0;
    if regular && (count - even).abs() < 0.03 {
        let evidence = text!("identify-stripe", period = period, unit = unit);
        return Property::quantity(id, even, (even, even), "dies", evidence);
    }
    // Most drives have a power of two of dies, and all have an even number; parity takes a share of
    // each stripe.
    let power = count.log2().ceil().exp2();
    let among = |(low, high): (f64, f64)| low <= power && power <= high;
    let value = match power <= PARITY_RATIO_MAX * count || by_share.is_some_and(among) {
        true => power,
        false => 2.0 * (count / 2.0 + 0.02).ceil(),
    };
    let evidence = text!(
        "identify-stripe-parity",
        period = period,
        unit = unit,
        dies = fixed(count, 2),
    );
    let high = (PARITY_RATIO_MAX * count).ceil().max(value);
    Property::quantity(id, value, (count.floor(), high), "dies", evidence)
}

/// Share of random pairs that are in one die.
fn same_die_share(seen: &Observed) -> Option<f64> {
    let slow = two_dies(&seen.far_pairs)?;
    let same = seen
        .far_pairs
        .iter()
        .filter(|(_, rate)| *rate < slow)
        .count();
    (same >= 5).then(|| same as f64 / seen.far_pairs.len() as f64)
}

/// Bounds of the number of dies from the share of pairs in one die: 90 % of a Poisson distribution.
fn share_dies(seen: &Observed) -> Option<(f64, f64)> {
    let share = same_die_share(seen)?;
    let spread = 1.645 * (share / seen.far_pairs.len() as f64).sqrt();
    Some((1.0 / (share + spread), 1.0 / (share - spread)))
}

/// Largest ratio of pairs in one die to pairs that visibly wait.
const UNSEEN_RATIO: f64 = 1.5;

/// Number of dies from the share of pairs in one die: of n dies, one in n.
fn dies_by_share(seen: &Observed) -> Property {
    let id = "parallel-dies";
    let (Some(share), Some((low, high))) = (same_die_share(seen), share_dies(seen)) else {
        let why = match seen.far_pairs.len() {
            0 => say("identify-pairs-missing"),
            _ => say("identify-pairs-free"),
        };
        return Property::unknown(id, why);
    };
    // Some pairs in one die do not wait, because planes work independently.
    let interval = (low / UNSEEN_RATIO, high);
    let evidence = text!("identify-pairs-share", percent = fixed(100.0 * share, 2));
    // Most drives have a power of two of dies.
    let power = (1.0 / share).log2().round().exp2();
    match low <= power && power <= high {
        true => Property::quantity(id, power, interval, "dies", evidence),
        false => Property::range(id, interval, "dies", evidence),
    }
}

/// Number of dies for figures per die: for a range, a power of two in it, or else its middle.
pub(super) fn dies_of_all(properties: &[Property]) -> Option<f64> {
    let mut properties = properties.iter();
    let dies = properties.find(|property| property.id == "parallel-dies")?;
    let among = |(low, high): (f64, f64)| match high.log2().floor().exp2() {
        power if power >= low => power,
        _ => f64::midpoint(low, high),
    };
    dies.number().or_else(|| dies.ends().map(among))
}

/// If the same reads vary by more than this share, their times are not used.
const NOISE_MAX: f64 = 0.06;

/// Ratio above which a read in a span counts as a miss of the L2P cache.
const MISS_RATIO: f64 = 1.006;

/// From this ratio on, a read counts as slower, whatever the variation of times.
const CLEAR_RATIO: f64 = 1.05;

/// Largest variation, as a ratio, of reads in small spans that an L2P cache holds completely.
const LEVEL_RATIO: f64 = 1.003;

/// True if reads in the spans that are not slower take equal times.
fn level(seen: &Observed, slower: &dyn Fn(f64) -> bool) -> bool {
    let times = seen.spans.iter().map(|(_, reads)| reads.mean_ns);
    let held: Vec<f64> = times.take_while(|ns| !slower(*ns)).collect();
    let least = held.iter().copied().fold(f64::INFINITY, f64::min);
    held.len() >= 3 && held.iter().all(|ns| *ns < LEVEL_RATIO * least)
}

fn map_cache(seen: &Observed) -> [Property; 2] {
    let (present, size) = ("map-cache", "map-cache-bytes");
    let why = say("identify-spans-missing");
    let (Some((_, first)), Some((most, last))) = (seen.spans.first(), seen.spans.last()) else {
        return [
            Property::unknown(present, why.clone()),
            Property::unknown(size, why),
        ];
    };
    let hit = first.mean_ns;
    let evidence = text!(
        "identify-spans",
        hit = us(hit),
        least = bytes(seen.spans[0].0 as f64),
        last = us(last.mean_ns),
        most = bytes(*most as f64),
    );
    let (_, noise) = seen.noise();
    let ratio = MISS_RATIO.max(1.0 + 3.0 * noise);
    let slower = |ns: f64| ns > ratio * hit && ns > hit + 400.0;
    if noise > NOISE_MAX {
        let why = text!("identify-noisy", noise = fixed(100.0 * noise, 0));
        return [present, size].map(|id| Property::unknown(id, why.clone()));
    }
    let late = seen.spans.len().saturating_sub(2);
    let all_late = seen.spans[late..]
        .iter()
        .all(|(_, reads)| slower(reads.mean_ns));
    if !all_late || !(last.mean_ns > CLEAR_RATIO * hit || level(seen, &slower)) {
        let none = Property::presence(present, false, evidence);
        return [none, Property::unknown(size, say("identify-spans-alike"))];
    }
    // Beyond the cache's size c, a share 1 - c / span of reads takes the additional time m of a
    // miss: with x = 1 / span, time = hit + m - m c x is a line.
    let beyond: Vec<(f64, f64)> = seen
        .spans
        .iter()
        .filter(|(_, reads)| slower(reads.mean_ns))
        .map(|(span, reads)| (1.0 / *span as f64, reads.mean_ns - hit))
        .collect();
    let yes = Property::presence(present, true, evidence.clone());
    let told = line(&beyond).map(|(miss, slope)| -slope / miss);
    let size = match told.filter(|size| *size > 0.0) {
        Some(value) => {
            Property::quantity(size, value, (0.8 * value, 1.25 * value), "bytes", evidence)
        }
        None => Property::unknown(size, say("identify-spans-few")),
    };
    [yes, size]
}

/// Line through points by least squares: (value at 0, slope).
fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let n = points.len() as f64;
    if points.len() < 2 {
        return None;
    }
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread;
    (spread > 0.0).then_some((y - slope * x, slope))
}

fn throttling(seen: &Observed) -> Property {
    let id = "thermal-throttling";
    let speeds: Vec<f64> = seen.long_reads.iter().map(|sample| sample.iops).collect();
    let (Some(first), len) = (
        speeds.iter().skip(1).take(10).copied().reduce(f64::max),
        speeds.len(),
    ) else {
        return Property::unknown(id, say("identify-long-missing"));
    };
    let late = &speeds[len - len / 4..];
    let last = late.iter().sum::<f64>() / late.len().max(1) as f64;
    // No late second is as fast as any of the first ones.
    let early = speeds
        .iter()
        .skip(1)
        .take(10)
        .copied()
        .fold(f64::INFINITY, f64::min);
    let apart = late.iter().all(|speed| *speed < early);
    if last < 0.9 * first && apart {
        let evidence = text!(
            "identify-throttled",
            first = fixed(first, 0),
            last = fixed(last, 0),
            seconds = len.to_string(),
        );
        return Property::presence(id, true, evidence);
    }
    let why = text!("identify-not-throttled", seconds = len.to_string());
    Property::unknown(id, why)
}
