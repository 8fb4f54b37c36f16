//! Points: sentences and key figures.

use stend_language::{Argument, message, numeral, say, text};
use stend_record::figure::{FigureId, LoadParts};
use stend_record::review::{Point, PointOp, TestResult};

use super::{Kind, Named};
use crate::figures::{MIXED_HEADLINE_READ_PERCENT, Metric, Unit};
use crate::load::{Dimension, op_column, parts_among, words_among};
use crate::words;

/// The analysis of points.
pub(super) const KIND: Kind = Kind {
    sentences: |test, _| sentences(test),
    lines: |test| test.points().iter().map(line).collect(),
    key_figures: |test| key_figures(test),
};

/// Formats a point as a line for a terminal.
fn line(point: &Point) -> String {
    let load = &point.load;
    let line = text!(
        "points-line",
        op = op_column(load.op),
        kib = format!(
            "{:>4}",
            numeral(&(load.block_bytes as f64 / 1024.0).to_string())
        ),
        depth = format!("{:>2}", load.queue_depth),
        threads = load.threads.to_string(),
        share = format!("{:>3}", load.read_percent),
        iops = format!("{:>9.0}", point.iops),
        mb_per_s = format!("{:>7}", words::fixed(point.bw_bytes_per_s / 1e6, 1)),
        us = format!("{:>8}", words::us(point.latency_ns.supported(99.0)))
    );
    format!("  {line}\n")
}

/// Below this ratio, speeds count as unchanged and costs as equal.
const TENTH_RATIO: f64 = 1.1;

/// A point with this share of the best or more has next to nothing left to gain.
const ENOUGH_SHARE: f64 = 0.95;

/// A mix costs if it is slower than this share of the slower of the pure loads.
const MIX_COSTS_SHARE: f64 = 0.9;

/// Size that smaller requests are compared with: the logical page of most drives, bytes.
const PAGE_BYTES: u64 = 4096;

fn sentences(test: &TestResult) -> Vec<String> {
    let points = test.points();
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

/// Describes points without a common dimension.
fn alone(points: &[Point]) -> Vec<String> {
    let (reads, writes) = (of(points, PointOp::Read), of(points, PointOp::Write));
    let of_depth = |list: &[&Point]| Dimension::Depth.values(list.iter().copied()).len();
    let only_depths = of_depth(&reads) == reads.len() && of_depth(&writes) == writes.len();
    match (&reads[..], &writes[..]) {
        ([read], [write]) if points.len() == 2 => vec![text!(
            "points-read-write",
            read = told(points, read),
            write = told(points, write),
            share = words::percent(write.bw_bytes_per_s / read.bw_bytes_per_s)
        )],
        ([read], []) if points.len() == 1 => {
            vec![text!("points-read", read = told(points, read))]
        }
        ([], [write]) if points.len() == 1 => {
            vec![text!("points-write", write = told(points, write))]
        }
        _ if only_depths && reads.len() + writes.len() == points.len() => {
            let mut out: Vec<String> = at_depths(&reads, &writes, points).into_iter().collect();
            out.extend(latencies(&reads, &writes));
            out
        }
        _ => points
            .iter()
            .map(|p| {
                let load = words_among(p.load, points);
                text!("points-load", load = load, speed = told(points, p))
            })
            .collect(),
    }
}

/// Formats `From queue depth 1 to 4 reads grow 3.8-fold and writes grow 1.4-fold.`
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
    let gain = |list| ends(list).map(|(.., gain)| change(gain));
    Some(match (gain(reads), gain(writes)) {
        (Some(reads), Some(writes)) => {
            let id = "points-depths-both";
            text!(id, low = low, high = high, reads = reads, writes = writes)
        }
        (Some(reads), None) => {
            text!("points-depths-reads", low = low, high = high, reads = reads)
        }
        (None, writes) => {
            let writes = writes.unwrap_or_default();
            text!(
                "points-depths-writes",
                low = low,
                high = high,
                writes = writes
            )
        }
    })
}

/// Formats the change of a speed: `grow 3.8-fold`, `hardly change`.
fn change(gain: f64) -> String {
    let key = match gain {
        gain if gain >= TENTH_RATIO => "grow",
        gain if gain <= 1.0 / TENTH_RATIO => "fall",
        _ => "level",
    };
    text!(
        "points-depths-change",
        change = key,
        fold = words::fold(gain),
        share = words::percent(gain)
    )
}

/// Formats points at a single depth: `Reads reach 9,090 IOPS, writes 7,400.`
fn reached(reads: &[&Point], writes: &[&Point], points: &[Point]) -> String {
    let one = |list: &[&Point], with_depths: bool| {
        let items = list.iter().enumerate().map(|(i, p)| {
            let figure = match i {
                0 if with_depths => told(points, p),
                _ => number_of(&told(points, p)).to_owned(),
            };
            match with_depths {
                true => {
                    text!(
                        "points-at-depth",
                        figure = figure,
                        depth = p.load.queue_depth
                    )
                }
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
        (list, []) => text!("points-reads-reach", reads = one(list, true)),
        ([], list) => text!("points-writes-reach", writes = one(list, true)),
        _ => text!(
            "points-both-reach",
            reads = one(reads, true),
            writes = one(writes, depths(reads) != depths(writes))
        ),
    }
}

/// Reports the latency at the least depth, where requests wait the least.
fn latencies(reads: &[&Point], writes: &[&Point]) -> Option<String> {
    let all = reads.iter().chain(writes);
    let depth = all.map(|p| p.load.queue_depth).min()?;
    let of = |list: &[&Point]| {
        let point = list.iter().find(|p| p.load.queue_depth == depth)?;
        Some(point.latency_ns)
    };
    let items = [of(reads), of(writes)];
    // One percentile for all of them.
    let percents = items.iter().flatten().map(|latency| latency.tail(99.9));
    let percents: Option<Vec<(f64, u64)>> = percents.collect();
    let percent = percents?.iter().map(|(p, _)| *p).reduce(f64::min)?;
    let [read, write] = items.map(|latency| {
        let latency = latency?;
        let slow = words::latency(latency.supported(percent)? as f64);
        let mean = words::latency(latency.mean);
        let slow = match slow == mean {
            true => say("points-latency-same"),
            false => slow,
        };
        Some((mean, slow))
    });
    let percentile = words::percentile(percent);
    Some(match (read, write) {
        (Some((read, read_slow)), Some((write, write_slow))) => text!(
            "points-latency-both",
            depth = depth,
            read = read,
            read_slow = read_slow,
            percentile = percentile,
            write = write,
            write_slow = write_slow
        ),
        (Some((read, slow)), None) => {
            let id = "points-latency-read";
            text!(
                id,
                depth = depth,
                read = read,
                read_slow = slow,
                percentile = percentile
            )
        }
        (None, write) => {
            let (write, slow) = write?;
            let id = "points-latency-write";
            text!(
                id,
                depth = depth,
                write = write,
                write_slow = slow,
                percentile = percentile
            )
        }
    })
}

/// Returns a figure without its unit.
fn number_of(figure: &str) -> &str {
    figure.split(' ').next().unwrap_or_default()
}

/// Describes points over queue depths or threads.
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
        let growth = value(last) / value(first);
        let steps = Steps {
            op,
            dimension,
            from: step(first),
            to: step(last),
            first: number_of(&told(points, first)).to_owned(),
            last: told(points, last),
        };
        if (1.0 / TENTH_RATIO..TENTH_RATIO).contains(&growth) {
            let id = match steps.first == number_of(&steps.last) {
                true => "points-steps-same",
                false => "points-steps-level",
            };
            out.push(steps.said(id, &[]));
            continue;
        }
        if growth < 1.0 {
            let share = words::percent(growth).into();
            out.push(steps.said("points-steps-fall", &[("share", share)]));
            continue;
        }
        let best = list.iter().map(|p| value(p)).fold(0.0, f64::max);
        let enough = list
            .iter()
            .find(|p| value(p) >= ENOUGH_SHARE * best)
            .map_or(step(last), |p| step(p));
        let fold = ("fold", words::fold(growth).into());
        out.push(match enough {
            enough if enough == step(last) => steps.said("points-steps-grow", &[fold]),
            enough => {
                let enough = ("enough", enough.into());
                steps.said("points-steps-grow-until", &[fold, enough])
            }
        });
    }
    out
}

/// Both ends of a direction over a dimension.
struct Steps {
    op: PointOp,
    dimension: Dimension,
    from: u64,
    to: u64,
    first: String,
    last: String,
}

impl Steps {
    /// Formats a message about them, with further arguments.
    fn said(&self, id: &str, more: &[(&'static str, Argument)]) -> String {
        let dimension = match self.dimension {
            Dimension::Threads => "threads",
            _ => "depth",
        };
        let mut arguments = vec![
            ("op", self.op.words().into()),
            ("dimension", dimension.into()),
            ("from", self.from.into()),
            ("to", self.to.into()),
            ("first", self.first.as_str().into()),
            ("last", self.last.as_str().into()),
        ];
        arguments.extend_from_slice(more);
        message(id, &arguments)
    }
}

fn over_blocks(points: &[Point]) -> Vec<String> {
    let mut out = Vec::new();
    let mut largest = Vec::new();
    for (op, id) in [
        (PointOp::Read, "points-with-block-reads"),
        (PointOp::Write, "points-with-block-writes"),
    ] {
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
            out.push(block_cost(op, small, page));
        }
        let speed = words::speed(large.bw_bytes_per_s);
        largest.push((id, large.load.block_bytes, speed));
    }
    match &largest[..] {
        [(_, bytes, read), (_, other, write)] if bytes == other => {
            let block = words::block(*bytes);
            out.push(text!(
                "points-with-block",
                block = block,
                read = read,
                write = write
            ));
        }
        all => out.extend(
            all.iter()
                .map(|(id, bytes, speed)| text!(id, block = words::block(*bytes), speed = speed)),
        ),
    }
    out
}

/// Compares the cost of a small request with that of one of a page.
fn block_cost(op: PointOp, small: &Point, page: &Point) -> String {
    let mut arguments = vec![
        ("op", op.words().into()),
        ("small", words::block(small.load.block_bytes).into()),
        ("page", words::block(page.load.block_bytes).into()),
        ("small_iops", words::number(small.iops).into()),
        ("page_iops", Unit::Iops.words(page.iops).into()),
    ];
    let id = match page.iops / small.iops {
        c if (1.0 / TENTH_RATIO..TENTH_RATIO).contains(&c) => "points-block-same",
        c if c >= 1.0 => {
            arguments.push(("times", words::times(c).into()));
            "points-block-more"
        }
        c => {
            arguments.push(("share", words::percent(c).into()));
            "points-block-less"
        }
    };
    message(id, &arguments)
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
        let (id, share) = ("points-usual-mix", MIXED_HEADLINE_READ_PERCENT);
        out.push(text!(id, share = share, speed = told(points, usual)));
    }
    let slow = told(points, slowest);
    let share = slowest.load.read_percent;
    out.push(match (at(100), at(0)) {
        (Some(reads), Some(writes)) => {
            let pure = value(reads).min(value(writes));
            let [reads, writes] = [reads, writes].map(|point| told(points, point));
            if value(slowest) < MIX_COSTS_SHARE * pure {
                let id = "points-mixing-costs";
                text!(
                    id,
                    slow = slow,
                    share = share,
                    reads = reads,
                    writes = writes
                )
            } else {
                text!("points-no-mix-behind", reads = reads, writes = writes)
            }
        }
        _ => text!("points-slowest-mix", share = share, slow = slow),
    });
    out
}

fn key_figures(test: &TestResult) -> Vec<Named> {
    let points = test.points();
    let metric = Metric::of(points);
    let figure = |figure: FigureId, point: &Point| {
        let (value, unit) = metric.value(point);
        (figure, value, unit)
    };
    match Dimension::varied(test) {
        Some(Dimension::Share) => mixed(points, figure),
        Some(dimension) => at_greatest(points, dimension, figure),
        // Up to four points are named one by one; of more, the fastest of each direction.
        None if points.len() <= 4 => points
            .iter()
            .map(|p| figure(FigureId::Point(parts_among(p.load, points)), p))
            .collect(),
        None => fastest(points, figure),
    }
}

fn mixed(points: &[Point], figure: impl Fn(FigureId, &Point) -> Named) -> Vec<Named> {
    let mut out = Vec::new();
    let headline = points
        .iter()
        .find(|p| p.load.read_percent == MIXED_HEADLINE_READ_PERCENT);
    if let Some(point) = headline {
        let read_percent = point.load.read_percent;
        out.push(figure(FigureId::Mix { read_percent }, point));
    }
    let all = points.iter().map(|p| figure(FigureId::MeanOfMixes, p));
    let all: Vec<Named> = all.collect();
    if let Some((figure, _, unit)) = all.first() {
        let sum: f64 = all.iter().map(|(_, value, _)| value).sum();
        let mean = sum / all.len() as f64;
        out.push((figure.clone(), mean, *unit));
    }
    out
}

fn at_greatest(
    points: &[Point],
    dimension: Dimension,
    figure: impl Fn(FigureId, &Point) -> Named,
) -> Vec<Named> {
    let mut out = Vec::new();
    for op in [PointOp::Read, PointOp::Write, PointOp::Mixed] {
        let of_op = points.iter().filter(|p| p.load.op == op);
        if let Some(point) = of_op.max_by_key(|p| dimension.of(&p.load)) {
            let mut parts = LoadParts {
                op,
                ..LoadParts::default()
            };
            *dimension.part_of(&mut parts) = Some(dimension.of(&point.load));
            out.push(figure(FigureId::Greatest(parts), point));
        }
    }
    out
}

fn fastest(points: &[Point], figure: impl Fn(FigureId, &Point) -> Named) -> Vec<Named> {
    let mut out = Vec::new();
    for op in [PointOp::Read, PointOp::Write, PointOp::Mixed] {
        let of_op = points.iter().filter(|p| p.load.op == op);
        if let Some(best) = of_op.max_by(|a, b| a.iops.total_cmp(&b.iops)) {
            let parts = parts_among(best.load, points);
            out.push(figure(FigureId::Fastest(parts), best));
        }
    }
    out
}
