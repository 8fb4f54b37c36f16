//! The time of a read and its parts, read-ahead, the dies that work in parallel, the L2P cache, and
//! throttling.

use stend_language::{say, text};

use super::margins::{Ends, MEAN_ENDS, NOISE_MAX, NOISE_TIMES, QUOTIENT_ENDS, REACH, around};
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
    let interval = around(reads.mean_ns, MEAN_ENDS);
    Property::quantity(id, reads.mean_ns, interval, "ns", evidence)
}

/// Shortest time of a flash read, ns: with less, reads of data wait for no flash either. Assumed: a
/// quarter of the least tR that the shipped models may have, 20 µs in SLC mode.
const FLASH_READ_NS_MIN: f64 = 5e3;

/// Ends for the time of a flash read. Assumed: the error of two medians.
const FLASH_READ_ENDS: Ends = (0.93, 1.05);

/// Compares reads of data with reads of space without data. With an L2P cache, either may also have
/// waited for an L2P segment.
fn flash_read(seen: &Observed, has_map_cache: bool) -> Property {
    let id = "flash-read-ns";
    let (Some(unwritten), Some(old)) = (seen.unwritten_reads, seen.slowest_settled()) else {
        return Property::unknown(id, say("identify-unwritten-missing"));
    };
    let value = old.p50_ns as f64 - unwritten.p50_ns as f64;
    if value < FLASH_READ_NS_MIN {
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
    let (low, high) = FLASH_READ_ENDS;
    let ends = (low * (value - less).max(0.0), high * (value + more));
    Property::within(REACH * value, id, value, ends, "ns", evidence)
}

/// Returns the time of a read that finds its L2P segment in the cache, and the longest wait of one
/// that does not, ns: from reads in the narrowest span and in the widest.
fn lookup_ns(seen: &Observed) -> Option<(f64, f64)> {
    let ((_, narrow), (_, wide)) = (seen.spans.first()?, seen.spans.last()?);
    let hit = narrow.p50_ns as f64;
    Some((hit, (wide.p99_ns as f64 - hit).max(0.0)))
}

/// With read-ahead, ascending reads take less than this share of the time of random ones. Assumed:
/// they may be somewhat quicker without it; a smaller share misses read-ahead behind a slow link.
const AHEAD_SHARE: f64 = 0.65;

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
    let ahead = ascending.mean_ns < AHEAD_SHARE * random.mean_ns;
    Property::presence(id, ahead, evidence)
}

/// Collisions of pairs of pages: the distance at which two pages are in the same die again, and the
/// length of consecutive data in one die, bytes.
struct Stripe {
    period: f64,
    unit: f64,
    /// True if all periods are present and equal: parity does not rotate among the dies.
    regular: bool,
}

/// Shares of the usual rate, which is that of pairs in two dies: those in one die reach half of it.
/// Assumed: the variation of a measurement of a few ms.
const ONE_DIE_SHARES: Ends = (0.35, 0.68);
const TWO_DIES_SHARE_MIN: f64 = 0.88;

/// Pairs that are read slower than this share of the usual rate are in one die: halfway between the
/// shares above.
const SAME_DIE_SHARE: f64 = 0.78;

/// Largest share of pairs whose rate is that of neither one die nor two. Assumed: with more, rates
/// form no two groups, and something other than a die limits them.
const BETWEEN_SHARE_MAX: f64 = 0.12;

/// Rate above which pairs are in two dies; `None` if there are not two distinct groups of rates.
fn two_dies(pairs: &[(u64, f64)]) -> Option<f64> {
    let mut rates: Vec<f64> = pairs.iter().map(|(_, rate)| *rate).collect();
    rates.sort_by(f64::total_cmp);
    // The third quartile: with two dies or more, at most half of the pairs are in one.
    let usual = *rates.get(rates.len() * 3 / 4)?;
    let (least, most) = (ONE_DIE_SHARES.0 * usual, ONE_DIE_SHARES.1 * usual);
    let middle = most..TWO_DIES_SHARE_MIN * usual;
    let between = |rate: &&f64| **rate < least || middle.contains(*rate);
    let odd = rates.iter().filter(between).count();
    (odd as f64 <= BETWEEN_SHARE_MAX * rates.len() as f64).then_some(SAME_DIE_SHARE * usual)
}

/// Share of the runs of colliding distances that must be alike: at the end of a superblock, and in
/// relocated data, the order may differ. Assumed: with a smaller share, chance passes for a stripe.
const MOST_SHARE: f64 = 0.85;

/// Largest difference, in steps, of lengths that count as equal: a run may begin and end between
/// two distances.
const LENGTH_STEPS_MAX: f64 = 1.0;

/// Largest difference, in steps, of periods that count as equal: the rounding of whole steps.
const PERIOD_STEPS_MAX: f64 = 0.5;

/// Largest relative difference of the period from the one that the length of a run and the share of
/// pairs in one die predict. Assumed: the share has the error of a count of some dozens; twice or
/// half of the period must not pass.
const PERIOD_SHARE_MAX: f64 = 0.35;

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
    let like_period = |gap: &f64| (gap - period).abs() < PERIOD_STEPS_MAX;
    let off = |gap: &f64| (gap / period - (gap / period).round()).abs() * period;
    let alike = |gap: &f64| off(gap) < unit + PERIOD_STEPS_MAX;
    // The length of consecutive data in one die and the number of dies must be consistent.
    let agrees = (expected / period - 1.0).abs() < PERIOD_SHARE_MAX;
    let most = |like: usize, all: usize| like as f64 > MOST_SHARE * all as f64;
    let of_unit = lengths
        .iter()
        .filter(|length| (*length - unit).abs() <= LENGTH_STEPS_MAX);
    let of_period = gaps.iter().filter(|gap| alike(gap));
    if !agrees || !most(of_unit.count(), lengths.len()) || !most(of_period.count(), gaps.len()) {
        return None;
    }
    Some(Stripe {
        period: period * step,
        unit: unit * step,
        regular: gaps.iter().all(like_period),
    })
}

/// Largest ratio of a stripe with parity to its data. Assumed: a die of parity for four of data,
/// with a margin; a larger ratio makes more counts a power of two.
const PARITY_RATIO_MAX: f64 = 1.27;

/// Largest difference of a number of dies from a whole one. Assumed: the error of a mean period.
const DIES_WHOLE_MAX: f64 = 0.03;

/// Largest difference, in pairs of dies, from a whole number of pairs that are full of data; parity
/// is then in a further one. Assumed: as above.
const PAIRS_WHOLE_MAX: f64 = 0.02;

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
    if regular && (count - even).abs() < DIES_WHOLE_MAX {
        let evidence = text!("identify-stripe", period = period, unit = unit);
        return Property::quantity(id, even, (even, even), "dies", evidence);
    }
    // Most drives have a power of two of dies, and all have an even number; parity takes a share of
    // each stripe.
    let power = count.log2().ceil().exp2();
    let among = |(low, high): (f64, f64)| low <= power && power <= high;
    let value = match power <= PARITY_RATIO_MAX * count || by_share.is_some_and(among) {
        true => power,
        false => 2.0 * (count / 2.0 + PAIRS_WHOLE_MAX).ceil(),
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

/// Fewest pairs in one die from which their share follows. Assumed: of fewer, the interval of a
/// Poisson distribution spans several powers of two.
const SAME_DIE_PAIRS_MIN: usize = 5;

/// Half of the 90 % interval of a normal distribution, in standard deviations.
const DEVIATIONS_90: f64 = 1.645;

/// Share of random pairs that are in one die.
fn same_die_share(seen: &Observed) -> Option<f64> {
    let slow = two_dies(&seen.far_pairs)?;
    let same = seen
        .far_pairs
        .iter()
        .filter(|(_, rate)| *rate < slow)
        .count();
    (same >= SAME_DIE_PAIRS_MIN).then(|| same as f64 / seen.far_pairs.len() as f64)
}

/// Bounds of the number of dies from the share of pairs in one die: 90 % of a Poisson distribution.
fn share_dies(seen: &Observed) -> Option<(f64, f64)> {
    let share = same_die_share(seen)?;
    let spread = DEVIATIONS_90 * (share / seen.far_pairs.len() as f64).sqrt();
    Some((1.0 / (share + spread), 1.0 / (share - spread)))
}

/// Largest ratio of pairs in one die to pairs that visibly wait: some do not, because planes work
/// independently. Assumed: a larger ratio makes more numbers of dies a range.
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

/// A mean of reads in a span contains misses of the L2P cache if it exceeds hits by this ratio, and
/// by this time, ns. Assumed: less is the variation of means, more hides a large cache, which few
/// reads miss.
const MISS_RATIO: f64 = 1.006;
const MISS_NS: f64 = 400.0;

/// From this ratio on, a read counts as slower, whatever the variation of times. Assumed: a larger
/// ratio misses large caches if times vary.
const CLEAR_RATIO: f64 = 1.05;

/// Largest variation, as a ratio, of reads in small spans that an L2P cache holds completely, and
/// the fewest such spans. Assumed: half of what `MISS_RATIO` allows; fewer spans are equal by
/// chance on flash whose pages take different times.
const HELD_RATIO: f64 = 1.003;
const HELD_SPANS_MIN: usize = 5;

/// Number of widest spans that must be slower: one alone may be by chance.
const LATE_SPANS: usize = 2;

/// True if reads in the spans that are not slower take equal times.
fn level(seen: &Observed, slower: &dyn Fn(f64) -> bool) -> bool {
    let times = seen.spans.iter().map(|(_, reads)| reads.mean_ns);
    let held: Vec<f64> = times.take_while(|ns| !slower(*ns)).collect();
    let least = held.iter().copied().fold(f64::INFINITY, f64::min);
    held.len() >= HELD_SPANS_MIN && held.iter().all(|ns| *ns < HELD_RATIO * least)
}

/// Variation of the means of the smaller half of the spans, as a share of the least; of those up to
/// `ratio` of the least.
fn variation(seen: &Observed, ratio: f64) -> f64 {
    let half = seen.spans.len().div_ceil(2);
    let times = || seen.spans[..half].iter().map(|(_, reads)| reads.mean_ns);
    let least = times().fold(f64::INFINITY, f64::min);
    let alike = times().filter(|ns| *ns <= ratio * least);
    alike.fold(least, f64::max) / least - 1.0
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
    let ratio = MISS_RATIO.max(1.0 + NOISE_TIMES * noise);
    let slower = |ns: f64| ns > ratio * hit && ns > hit + MISS_NS;
    if noise > NOISE_MAX {
        let why = text!("identify-noisy", noise = fixed(100.0 * noise, 0));
        return [present, size].map(|id| Property::unknown(id, why.clone()));
    }
    let late = seen.spans.len().saturating_sub(LATE_SPANS);
    let all_late = seen.spans[late..]
        .iter()
        .all(|(_, reads)| slower(reads.mean_ns));
    // Spans that are clearly slower may be beyond a small cache.
    let held = variation(seen, CLEAR_RATIO);
    let clear = last.mean_ns > CLEAR_RATIO.max(1.0 + NOISE_TIMES * held) * hit;
    if !all_late || !(clear || level(seen, &slower)) {
        // Misses that cost little hide in the differences of pages and blocks.
        let varies = variation(seen, f64::INFINITY);
        if varies > MISS_RATIO - 1.0 {
            let percent = fixed(100.0 * varies, 1);
            let why = text!("identify-spans-vary", percent = percent);
            return [present, size].map(|id| Property::unknown(id, why.clone()));
        }
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
            Property::quantity(size, value, around(value, QUOTIENT_ENDS), "bytes", evidence)
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

/// Samples of long reads that are early: seconds 2 to 11. The first contains the start of the job.
/// Assumed: a drive does not reach its limit so soon.
const EARLY: std::ops::Range<usize> = 1..11;

/// Number of equal parts of the long reads, of which the last is late. Assumed: the drive is warm
/// by then.
const LATE_PARTS: usize = 4;

/// Throttled reads reach less than this share of the speed of early ones. Assumed: a tenth may be
/// the variation of a host.
const THROTTLED_SHARE: f64 = 0.9;

fn throttling(seen: &Observed) -> Property {
    let id = "thermal-throttling";
    let speeds: Vec<f64> = seen.long_reads.iter().map(|sample| sample.iops).collect();
    let len = speeds.len();
    let early = &speeds[EARLY.start.min(len)..EARLY.end.min(len)];
    let (Some(first), Some(slowest)) = (
        early.iter().copied().reduce(f64::max),
        early.iter().copied().reduce(f64::min),
    ) else {
        return Property::unknown(id, say("identify-long-missing"));
    };
    let late = &speeds[len - len / LATE_PARTS..];
    let last = late.iter().sum::<f64>() / late.len().max(1) as f64;
    // No late second is as fast as any of the first ones.
    let apart = late.iter().all(|speed| *speed < slowest);
    if last < THROTTLED_SHARE * first && apart {
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
