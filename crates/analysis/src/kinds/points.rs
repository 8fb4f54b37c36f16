//! Points: what is said of them, and what is compared.

use stend_record::review::{Point, PointOp, TestResult};

use crate::figures::{MIXED_HEADLINE_READ_PERCENT, Metric, Unit};
use crate::kind::{Kind, Named};
use crate::load::{Dimension, points_of, words_among};
use crate::words::{self, capitalised};

/// What follows from results of this kind.
pub(crate) const KIND: Kind = Kind {
    has: |test| !points_of(test).is_empty(),
    sentences: |test, _| sentences(test),
    lines: |test| points_of(test).iter().map(line).collect(),
    key_figures: |test| key_figures(test),
};

/// A point as a line of a terminal.
fn line(point: &Point) -> String {
    format!(
        "  {:<6} {:>4} KiB, depth {:>2} × {}, {:>3} % reads: {:>9.0} IOPS {:>7.1} MB/s, \
         p99 {:>8} µs\n",
        point.load.op.words(),
        point.load.block_bytes as f64 / 1024.0,
        point.load.queue_depth,
        point.load.threads,
        point.load.read_percent,
        point.iops,
        point.bw_bytes_per_s / 1e6,
        words::us(point.latency_ns.supported(99.0))
    )
}

/// Less than this ratio is no change, and equal costs.
const TENTH_RATIO: f64 = 1.1;

/// A point from this share of the best up has all but nothing left to gain.
const ENOUGH_SHARE: f64 = 0.95;

/// A mix costs when it is slower than this share of the slower of the pure loads.
const MIX_COSTS_SHARE: f64 = 0.9;

/// Request size that smaller ones are compared with: the logical page of most drives, bytes.
const PAGE_BYTES: u64 = 4096;

fn sentences(test: &TestResult) -> Vec<String> {
    let points = points_of(test);
    match Dimension::varied(test) {
        Some(Dimension::Share) => over_share(points),
        Some(Dimension::Block) => over_blocks(points),
        Some(dimension) => over_steps(points, dimension),
        None => alone(points),
    }
}

fn of(points: &[Point], op: PointOp) -> Vec<&Point> {
    points.iter().filter(|p| p.load.op == op).collect()
}

fn told(points: &[Point], point: &Point) -> String {
    let (value, unit) = Metric::of(points).value(point);
    unit.words(value)
}

/// Points without a common dimension.
fn alone(points: &[Point]) -> Vec<String> {
    let (reads, writes) = (of(points, PointOp::Read), of(points, PointOp::Write));
    let of_depth = |list: &[&Point]| Dimension::Depth.values(list.iter().copied()).len();
    let only_depths = of_depth(&reads) == reads.len() && of_depth(&writes) == writes.len();
    match (&reads[..], &writes[..]) {
        ([read], [write]) if points.len() == 2 => vec![format!(
            "It reads at {} and writes at {}, {} of its reading speed.",
            told(points, read),
            told(points, write),
            words::percent(write.bw_bytes_per_s / read.bw_bytes_per_s)
        )],
        ([read], []) if points.len() == 1 => vec![format!("It reads at {}.", told(points, read))],
        ([], [write]) if points.len() == 1 => {
            vec![format!("It writes at {}.", told(points, write))]
        }
        _ if only_depths && reads.len() + writes.len() == points.len() => {
            let mut out: Vec<String> = at_depths(&reads, &writes, points).into_iter().collect();
            out.extend(latencies(&reads, &writes));
            out
        }
        _ => points
            .iter()
            .map(|p| format!("{}: {}.", words_among(p.load, points), told(points, p)))
            .collect(),
    }
}

/// `From queue depth 1 to 4 reads grow 3.8-fold and writes grow 1.4-fold.`
fn at_depths(reads: &[&Point], writes: &[&Point], points: &[Point]) -> Option<String> {
    let ends = |list: &[&Point]| {
        let by_depth = |p: &&&Point| p.load.queue_depth;
        let (low, high) = (
            list.iter().min_by_key(by_depth)?,
            list.iter().max_by_key(by_depth)?,
        );
        Some((
            low.load.queue_depth,
            high.load.queue_depth,
            high.iops / low.iops,
        ))
    };
    let (low, high, gain) = ends(reads).or_else(|| ends(writes))?;
    if low == high || !gain.is_finite() {
        return Some(reached(reads, writes, points));
    }
    let of = |name: &str, list| {
        let (_, _, gain) = ends(list)?;
        Some(format!("{name} grow {}-fold", words::number(gain)))
    };
    let gains: Vec<String> = [of("reads", reads), of("writes", writes)]
        .into_iter()
        .flatten()
        .collect();
    Some(format!(
        "From queue depth {low} to {high} {}.",
        words::list(&gains)
    ))
}

/// Of a single depth: `Reads reach 9,090 IOPS, writes 7,400.`
fn reached(reads: &[&Point], writes: &[&Point], points: &[Point]) -> String {
    let one = |list: &[&Point], with_depths: bool| {
        let items = list.iter().enumerate().map(|(i, p)| {
            let figure = match i {
                0 if with_depths => told(points, p),
                _ => number_of(&told(points, p)).to_owned(),
            };
            match with_depths {
                true => format!("{figure} at queue depth {}", p.load.queue_depth),
                false => figure,
            }
        });
        words::list(&items.collect::<Vec<String>>())
    };
    let depths = |list: &[&Point]| {
        list.iter()
            .map(|p| p.load.queue_depth)
            .collect::<Vec<u32>>()
    };
    match (reads, writes) {
        (list, []) => format!("Reads reach {}.", one(list, true)),
        ([], list) => format!("Writes reach {}.", one(list, true)),
        _ => format!(
            "Reads reach {}, writes {}.",
            one(reads, true),
            one(writes, depths(reads) != depths(writes))
        ),
    }
}

/// What a request takes where the fewest wait.
fn latencies(reads: &[&Point], writes: &[&Point]) -> Option<String> {
    let all = reads.iter().chain(writes);
    let depth = all.map(|p| p.load.queue_depth).min()?;
    let of = |name: &'static str, list: &[&Point]| {
        let point = list.iter().find(|p| p.load.queue_depth == depth)?;
        Some((name, point.latency_ns))
    };
    let items = [of("a read", reads), of("a write", writes)];
    let items: Vec<_> = items.into_iter().flatten().collect();
    // One percentile for all of them.
    let percents = items.iter().map(|(_, latency)| latency.tail(99.9));
    let percents: Option<Vec<(f64, u64)>> = percents.collect();
    let percent = percents?.iter().map(|(p, _)| *p).reduce(f64::min)?;
    let figures = items.iter().filter_map(|(name, latency)| {
        let slow = words::latency(latency.supported(percent)? as f64);
        Some((name, words::latency(latency.mean), slow))
    });
    let clauses = figures
        .enumerate()
        .map(|(nth, (name, mean, slow))| match nth {
            0 => format!(
                "{name} takes {mean} on average and {slow} at the {}",
                words::percentile(percent)
            ),
            _ => format!(", {name} {mean} and {slow}"),
        });
    let clauses: String = clauses.collect();
    Some(format!("At queue depth {depth} {clauses}."))
}

/// A figure without its unit.
fn number_of(figure: &str) -> &str {
    figure.split(' ').next().unwrap_or_default()
}

/// Over queue depths or threads.
fn over_steps(points: &[Point], dimension: Dimension) -> Vec<String> {
    let metric = Metric::of(points);
    let value = |p: &Point| metric.value(p).0;
    let mut out = Vec::new();
    for op in [PointOp::Read, PointOp::Write, PointOp::Mixed] {
        let mut list = of(points, op);
        let step = |p: &Point| dimension.of(&p.load);
        list.sort_by_key(|p| step(p));
        let [first, .., last] = list[..] else {
            continue;
        };
        if step(first) == step(last) || value(first) <= 0.0 {
            continue;
        }
        let name = capitalised(op.words()) + "s";
        let growth = value(last) / value(first);
        let [from, to] = [first, last].map(|p| dimension.words(step(p)));
        let top = told(points, last);
        let speeds = format!("{} to {top}", number_of(&told(points, first)));
        if (1.0 / TENTH_RATIO..TENTH_RATIO).contains(&growth) {
            let text = format!("{name} hardly change from {from} to {to} ({speeds}).");
            out.push(text);
            continue;
        }
        if growth < 1.0 {
            let share = words::percent(growth);
            let text = format!("{name} fall to {share} from {from} to {to} ({speeds}).");
            out.push(text);
            continue;
        }
        let best = list.iter().map(|p| value(p)).fold(0.0, f64::max);
        let enough = list
            .iter()
            .find(|p| value(p) >= ENOUGH_SHARE * best)
            .map_or(step(last), |p| step(p));
        let gain = match enough {
            enough if enough == step(last) => "they gain up to the last step".to_owned(),
            enough => format!(
                "beyond {} they gain next to nothing",
                dimension.words(enough)
            ),
        };
        out.push(format!(
            "{name} grow {}-fold from {from} to {to} ({speeds}); {gain}.",
            words::number(growth),
        ));
    }
    out
}

fn over_blocks(points: &[Point]) -> Vec<String> {
    let mut out = Vec::new();
    let mut largest = Vec::new();
    for (op, verb) in [(PointOp::Read, "reads"), (PointOp::Write, "writes")] {
        let mut list = of(points, op);
        list.sort_by_key(|p| p.load.block_bytes);
        let [small, .., large] = list[..] else {
            continue;
        };
        let page = list.iter().find(|p| p.load.block_bytes == PAGE_BYTES);
        if let (Some(page), true) = (
            page,
            small.load.block_bytes < PAGE_BYTES && small.iops > 0.0,
        ) {
            let cost = match page.iops / small.iops {
                c if (1.0 / TENTH_RATIO..TENTH_RATIO).contains(&c) => "as much as".to_owned(),
                c if c >= 1.0 => format!("{} as much as", words::times(c)),
                c => format!("{} of", words::percent(c)),
            };
            out.push(format!(
                "A {} of {} costs {cost} one of {} ({} against {}).",
                op.words(),
                words::block(small.load.block_bytes),
                words::block(page.load.block_bytes),
                words::number(small.iops),
                Unit::Iops.words(page.iops),
            ));
        }
        let speed = words::speed(large.bw_bytes_per_s);
        largest.push((verb, large.load.block_bytes, speed));
    }
    match &largest[..] {
        [(_, bytes, read), (_, other, write)] if bytes == other => {
            let block = words::block(*bytes);
            out.push(format!(
                "With {block} it reads at {read} and writes at {write}."
            ));
        }
        all => out.extend(all.iter().map(|(verb, bytes, speed)| {
            format!("With {} it {verb} at {speed}.", words::block(*bytes))
        })),
    }
    out
}

fn over_share(points: &[Point]) -> Vec<String> {
    let metric = Metric::of(points);
    let value = |p: &Point| metric.value(p).0;
    let at = |share| points.iter().find(|p| p.load.read_percent == share);
    let Some(slowest) = points.iter().min_by(|a, b| value(a).total_cmp(&value(b))) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    if let Some(usual) = at(MIXED_HEADLINE_READ_PERCENT) {
        out.push(format!(
            "At {MIXED_HEADLINE_READ_PERCENT} % reads it moves {}.",
            told(points, usual)
        ));
    }
    let slow = told(points, slowest);
    let share = slowest.load.read_percent;
    out.push(match (at(100), at(0)) {
        (Some(reads), Some(writes)) => {
            let pure = format!(
                "{} for reads alone and {} for writes alone",
                told(points, reads),
                told(points, writes)
            );
            if value(slowest) < MIX_COSTS_SHARE * value(reads).min(value(writes)) {
                format!("Mixing costs: {slow} at {share} % reads, against {pure}.")
            } else {
                format!("No mix falls behind both pure loads: {pure}.")
            }
        }
        _ => format!("It is slowest at {share} % reads, with {slow}."),
    });
    out
}

fn key_figures(test: &TestResult) -> Vec<Named> {
    let points = points_of(test);
    let metric = Metric::of(points);
    let figure = |name: String, point: &Point| {
        let (value, unit) = metric.value(point);
        (name, value, unit)
    };
    match Dimension::varied(test) {
        Some(Dimension::Share) => mixed(points, figure),
        Some(dimension) => at_greatest(points, dimension, figure),
        // A handful can all be named; of more, the fastest of each direction.
        None if points.len() <= 4 => points
            .iter()
            .map(|p| figure(words_among(p.load, points), p))
            .collect(),
        None => fastest(points, figure),
    }
}

fn mixed(points: &[Point], figure: impl Fn(String, &Point) -> Named) -> Vec<Named> {
    let mut out = Vec::new();
    let headline = points
        .iter()
        .find(|p| p.load.read_percent == MIXED_HEADLINE_READ_PERCENT);
    if let Some(point) = headline {
        let share = Dimension::Share.words(u64::from(point.load.read_percent));
        out.push(figure(format!("At {share}"), point));
    }
    let all: Vec<Named> = points.iter().map(|p| figure(String::new(), p)).collect();
    if let Some(&(_, _, unit)) = all.first() {
        let sum: f64 = all.iter().map(|(_, value, _)| value).sum();
        let mean = sum / all.len() as f64;
        out.push(("Mean of all shares".to_owned(), mean, unit));
    }
    out
}

fn at_greatest(
    points: &[Point],
    dimension: Dimension,
    figure: impl Fn(String, &Point) -> Named,
) -> Vec<Named> {
    let mut out = Vec::new();
    for op in [PointOp::Read, PointOp::Write, PointOp::Mixed] {
        let of_op = points.iter().filter(|p| p.load.op == op);
        if let Some(point) = of_op.max_by_key(|p| dimension.of(&p.load)) {
            let words = dimension.words(dimension.of(&point.load));
            let name = format!("{}, {words}", capitalised(op.words()));
            out.push(figure(name, point));
        }
    }
    out
}

fn fastest(points: &[Point], figure: impl Fn(String, &Point) -> Named) -> Vec<Named> {
    let mut out = Vec::new();
    for op in [PointOp::Read, PointOp::Write, PointOp::Mixed] {
        let of_op = points.iter().filter(|p| p.load.op == op);
        if let Some(best) = of_op.max_by(|a, b| a.iops.total_cmp(&b.iops)) {
            let words = words_among(best.load, points);
            out.push(figure(format!("Fastest: {words}"), best));
        }
    }
    out
}
