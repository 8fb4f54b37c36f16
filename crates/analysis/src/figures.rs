//! The key figures: for each test the few numbers that a comparison begins with, and how
//! two of them stand to one another. Every one is better when it is greater.

use stend_record::benchmark::BenchmarkCell;
use stend_record::endurance::EnduranceEnd;
use stend_record::review::{
    FileWork, Pattern, Point, PointOp, Response, Rung, Series, SeriesPoint, TestResult,
};
use stend_record::traces::{TraceResult, overall_bw};

use crate::ends::{end_level, start_level};
use crate::files::{files_of, set_words};
use crate::load::{
    Dimension, benchmark_of, curves_of, endurance_of, points_of, responses_of, rounds_of, rungs_of,
    traces_of, words_among,
};
use crate::recovery::recovery;
use crate::response::aftermath;
use crate::rounds::Judged;
use crate::words::{self, capitalised};

/// Share of reads that a mixed test is summed up by, percent: four reads to one write.
pub const MIXED_HEADLINE_READ_PERCENT: u32 = 80;

/// Figures closer than this share of the other to one another are called level: a careful
/// bench repeats its figures within about two percent.
pub const LEVEL_SHARE: f64 = 0.02;

/// Requests from this size on are told in bytes a second, smaller ones in requests.
const LARGE_BYTES: u64 = 64 << 10;

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Requests a second.
    Iops,
    /// Bytes a second, told as MB/s.
    BytesPerS,
    /// Bytes, told as GB.
    Bytes,
}

impl Unit {
    /// A value with its unit: `41,200 IOPS`, `514 MB/s`, `8.63 GB`.
    pub fn words(self, value: f64) -> String {
        match self {
            Unit::Iops => format!("{} IOPS", words::number(value)),
            Unit::BytesPerS => words::speed(value),
            Unit::Bytes => words::bytes(value as u64),
        }
    }
}

/// The figure that a test is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Requests a second.
    Iops,
    /// Bytes a second.
    Bandwidth,
}

impl Metric {
    /// Bytes a second where requests are large, run in sequence or differ in size;
    /// requests a second elsewhere.
    pub fn of(points: &[Point]) -> Metric {
        let blocks = Dimension::Block.values(points);
        let large = blocks.iter().any(|&bytes| bytes >= LARGE_BYTES);
        if large || blocks.len() > 1 || points.iter().any(|p| p.load.pattern == Pattern::Sequential)
        {
            Metric::Bandwidth
        } else {
            Metric::Iops
        }
    }

    /// The same of a curve.
    pub fn of_curve(load: &SeriesPoint) -> Metric {
        if load.pattern == Pattern::Sequential || load.block_bytes >= LARGE_BYTES {
            Metric::Bandwidth
        } else {
            Metric::Iops
        }
    }

    /// The figure of a point, and its unit.
    pub fn value(self, point: &Point) -> (f64, Unit) {
        match self {
            Metric::Iops => (point.iops, Unit::Iops),
            Metric::Bandwidth => (point.bw_bytes_per_s, Unit::BytesPerS),
        }
    }
}

/// A speed of a curve in the unit that suits the curve.
pub fn speed_of(series: &Series, iops: f64) -> (f64, Unit) {
    match Metric::of_curve(&series.point) {
        Metric::Iops => (iops, Unit::Iops),
        Metric::Bandwidth => (iops * series.point.block_bytes as f64, Unit::BytesPerS),
    }
}

/// One key figure of one drive.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFigure {
    /// Id of the test that it comes from.
    pub test_id: String,
    /// What it is; with the test's id it names the same figure of another drive.
    pub name: String,
    /// How much.
    pub value: f64,
    /// Of what.
    pub unit: Unit,
}

/// The key figures of a drive, in the order of its tests:
///
/// - of a test over depths, sizes or threads the greatest of each direction;
/// - of a mixed one [`MIXED_HEADLINE_READ_PERCENT`] and the mean of all shares;
/// - of other points each, or from five up the fastest of each direction;
/// - of a single curve its start, its end and its mean;
/// - of several curves each one's start, and what it writes fast (see [`recovery()`]), by
///   the end level of the first;
/// - of a test in rounds, the speed of the tracked load over the steady window, or the last;
/// - of a drive that was worn out, what was written until it refused;
/// - of a recovery ladder, what the longest rest gives back;
/// - of reads while a file is deleted, the slowest second of each response;
/// - of a benchmark each row and direction;
/// - of traces the bandwidth of all of them;
/// - of work on files, each set's speed.
///
/// Of a test of which points were left out, nothing: the greatest of what is there may not be
/// the test's.
pub fn key_figures(tests: &[TestResult]) -> Vec<KeyFigure> {
    let mut out = Vec::new();
    for test in tests.iter().filter(|test| test.left_out_points == 0) {
        let figures = match test.points {
            Some(_) => of_points(test),
            None if test.files.is_some() => of_files(files_of(test)),
            None if test.rounds.is_some() => of_rounds(test).into_iter().collect(),
            None if test.endurance.is_some() => of_endurance(test).into_iter().collect(),
            None if test.rungs.is_some() => of_rungs(rungs_of(test)),
            None if test.responses.is_some() => of_responses(responses_of(test)),
            None if test.benchmark.is_some() => of_benchmark(benchmark_of(test)),
            None if test.traces.is_some() => of_traces(traces_of(test)),
            None => of_curves(curves_of(test)),
        };
        out.extend(figures.into_iter().map(|(name, value, unit)| KeyFigure {
            test_id: test.id.clone(),
            name,
            value,
            unit,
        }));
    }
    out
}

type Named = (String, f64, Unit);

/// Of a drive that was not worn out, nothing: what it bears is not known.
fn of_endurance(test: &TestResult) -> Option<Named> {
    let endurance = endurance_of(test)?;
    let worn = endurance.end == EnduranceEnd::Refused;
    let written = endurance.written_bytes as f64;
    worn.then(|| ("Written until it refuses".to_owned(), written, Unit::Bytes))
}

fn of_points(test: &TestResult) -> Vec<Named> {
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

fn of_curves(curves: &[Series]) -> Vec<Named> {
    let mut out = Vec::new();
    let end_iops = curves.first().and_then(end_level);
    for series in curves {
        let (Some(end_iops), Some(start_iops)) = (end_iops, start_level(series)) else {
            continue;
        };
        let mut speed = |name: String, iops| {
            let (value, unit) = speed_of(series, iops);
            out.push((name, value, unit));
        };
        if curves.len() == 1 {
            let iops = series.samples.iter().map(|s| s.iops);
            let mean = iops.sum::<f64>() / series.samples.len() as f64;
            speed("Start".to_owned(), start_iops);
            speed("End".to_owned(), end_iops);
            speed("Mean".to_owned(), mean);
            continue;
        }
        let name = capitalised(&series.name);
        speed(format!("{name}: start"), start_iops);
        let fast = recovery(series, end_iops).filter(|_| series.point.op == PointOp::Write);
        if let Some(fast) = fast {
            let bytes = fast.bytes as f64;
            out.push((format!("{name}: fast writes"), bytes, Unit::Bytes));
        }
    }
    out
}

fn of_responses(responses: &[Response]) -> Vec<Named> {
    let figure = |response: &Response| {
        let found = aftermath(response)?;
        let name = format!("{}: slowest second", capitalised(&response.name));
        Some((name, found.iops_lowest, Unit::Iops))
    };
    responses.iter().filter_map(figure).collect()
}

fn of_benchmark(cells: &[BenchmarkCell]) -> Vec<Named> {
    let figure = |cell: &BenchmarkCell| {
        let name = format!("{}, {}", capitalised(cell.load.op.words()), cell.row);
        (name, cell.best_bw_bytes_per_s, Unit::BytesPerS)
    };
    cells.iter().map(figure).collect()
}

fn of_traces(traces: &[TraceResult]) -> Vec<Named> {
    let name = match traces {
        [_] => "Over busy time",
        _ => "All traces",
    };
    let overall = overall_bw(traces).map(|bw| (name.to_owned(), bw, Unit::BytesPerS));
    overall.into_iter().collect()
}

fn of_files(files: &[FileWork]) -> Vec<Named> {
    let figure = |work: &FileWork| {
        let name = capitalised(&set_words(work));
        (name, work.bw_bytes_per_s, Unit::BytesPerS)
    };
    files.iter().map(figure).collect()
}

fn of_rounds(test: &TestResult) -> Option<Named> {
    let rounds = rounds_of(test)?;
    let judged = Judged::of(rounds)?;
    let mean = judged.mean_of(rounds, rounds.tracked)?;
    let name = match judged.is_steady() {
        true => "Tracked load, steady".to_owned(),
        false => "Tracked load, last rounds, not steady".to_owned(),
    };
    Some(match rounds.loads[rounds.tracked].pattern {
        Pattern::Sequential => (name, mean.bw_bytes_per_s, Unit::BytesPerS),
        Pattern::Random => (name, mean.iops, Unit::Iops),
    })
}

fn of_rungs(rungs: &[Rung]) -> Vec<Named> {
    let longest = |trim: bool| {
        let of = rungs.iter().filter(|r| r.trim == trim);
        of.max_by(|a, b| a.idle_s.total_cmp(&b.idle_s))
    };
    [false, true]
        .into_iter()
        .filter_map(longest)
        .map(|rung| {
            let name = format!("{}: fast writes", capitalised(&rung.name));
            (name, rung.recovered_bytes as f64, Unit::Bytes)
        })
        .collect()
}

/// The same figure among another drive's.
pub fn same<'f>(figures: &'f [KeyFigure], wanted: &KeyFigure) -> Option<&'f KeyFigure> {
    figures
        .iter()
        .find(|f| f.test_id == wanted.test_id && f.name == wanted.name && f.unit == wanted.unit)
}

/// How a figure stands to another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Greater by more than [`LEVEL_SHARE`].
    Ahead,
    /// Within [`LEVEL_SHARE`].
    Level,
    /// Less by more than [`LEVEL_SHARE`].
    Behind,
}

impl Standing {
    /// How `value` stands to `other`.
    pub fn of(value: f64, other: f64) -> Standing {
        if (value - other).abs() <= LEVEL_SHARE * other {
            Standing::Level
        } else if value > other {
            Standing::Ahead
        } else {
            Standing::Behind
        }
    }
}
