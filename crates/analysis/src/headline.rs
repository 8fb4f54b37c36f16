//! Headline figures: the six to eight numbers that compare a drive with others at a glance. For
//! every one, more is better.

use stend_language::{say, text};
use stend_record::review::{Pattern, Point, PointOp, Review, Series, TestResult};

use crate::ends::end_level;
use crate::figures::{MIXED_HEADLINE_READ_PERCENT, Metric, Unit, speed_of};
use crate::kinds::key_figures;
use crate::load::Load;
use crate::shortened::{spoiled, why_of};

/// Most headline figures; a reader does not take in more at a glance.
pub const HEADLINES_MAX: usize = 8;

/// Size at which random requests are compared, bytes.
const PAGE_BYTES: u64 = 4096;

/// A headline figure of several drives.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    /// Title for people: `Random read, queue depth 1`.
    pub name: String,
    /// Id of the test that it comes from.
    pub test_id: String,
    /// Group that it belongs to.
    pub group: Group,
    /// Unit of the values.
    pub unit: Unit,
    /// Value of each drive, in the order of the drives; `None` if a drive has no such figure.
    pub values: Vec<Option<f64>>,
}

/// Groups of headline figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Reading.
    Reads,
    /// Writing.
    Writes,
    /// Sustained writing.
    Sustained,
    /// Both directions at once.
    Mixed,
    /// Programs and files.
    Applications,
}

impl Headline {
    /// Returns the greatest figure of all drives but the first; `None` if none of them has one.
    pub fn rivals_best(&self) -> Option<f64> {
        let rivals = self.values.iter().skip(1).flatten().copied();
        rivals.filter(|value| *value > 0.0).reduce(f64::max)
    }

    /// Returns the figure of the first drive as a multiple of [`Self::rivals_best`], with which the
    /// findings of a test compare it too.
    pub fn ratio(&self) -> Option<f64> {
        let own = self.values.first().copied().flatten();
        let ratio = own? / self.rivals_best()?;
        (ratio > 0.0 && ratio.is_finite()).then_some(ratio)
    }
}

/// Returns the headline figures of a review: of its own drive, then of its rivals. Tests that were
/// shortened too much for findings have none.
pub fn of_review(review: &Review) -> Vec<Headline> {
    let rivals = review.rivals.iter().map(|rival| rival.tests.as_slice());
    let drives: Vec<&[TestResult]> = std::iter::once(review.tests.as_slice())
        .chain(rivals)
        .collect();
    let spoiled = spoiled(review);
    let mut found = headlines_where(&drives, |id| spoiled.iter().all(|one| one.test_id != id));
    // The same for rivals: a shortened run may be long enough for one drive and too short for
    // another.
    for (rival, at) in review.rivals.iter().zip(1..) {
        let capacity = rival.target.capacity_bytes;
        let spoiled = rival.tests.iter();
        let spoiled = spoiled.filter(|test| why_of(review, capacity, test).is_some());
        for test in spoiled {
            let of_test = found.iter_mut().filter(|h| h.test_id == test.id);
            of_test.for_each(|headline| headline.values[at] = None);
        }
    }
    found
}

/// Returns the headline figures of drives from their tests; the first drive's tests decide which
/// figures exist. Tests with points left out have none.
pub fn headlines(drives: &[&[TestResult]]) -> Vec<Headline> {
    headlines_where(drives, |_| true)
}

fn headlines_where(drives: &[&[TestResult]], counts: impl Fn(&str) -> bool) -> Vec<Headline> {
    let Some(own) = drives.first() else {
        return Vec::new();
    };
    let own: Vec<&TestResult> = whole(own).filter(|test| counts(&test.id)).collect();
    let own = own.as_slice();
    let mut found = points_headlines(own, drives);
    found.extend(curve_headline(own, drives));
    found.extend(mixed_headline(own, drives));
    found.extend(benchmark_headlines(own, drives, found.is_empty()));
    let traces = own.iter().copied().find(|test| test.traces().len() > 1);
    found.extend(traces.and_then(|test| key_headline(&say("headline-traces"), test, drives)));
    found.extend(files_headline(own, drives));
    // For tests that none of the rules above covers.
    if found.is_empty() {
        found.extend(
            own.iter()
                .filter_map(|test| key_headline(&test.title.to_string(), test, drives)),
        );
    }
    found.truncate(HEADLINES_MAX);
    found
}

fn whole(tests: &[TestResult]) -> impl Iterator<Item = &TestResult> {
    tests.iter().filter(|test| test.left_out_points == 0)
}

fn test_of<'t>(tests: &'t [TestResult], id: &str) -> Option<&'t TestResult> {
    whole(tests).find(|test| test.id == id)
}

/// Returns a figure of each drive, from its test with the given id.
fn of_drives(
    drives: &[&[TestResult]],
    id: &str,
    figure: impl Fn(&TestResult) -> Option<f64>,
) -> Vec<Option<f64>> {
    let of = |tests: &&[TestResult]| figure(test_of(tests, id)?);
    drives.iter().map(of).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Take {
    /// The fastest point, of any size and depth.
    Fastest,
    /// The single-page point of the least depth.
    Shallowest,
    /// The single-page point of the greatest depth.
    Deepest,
}

/// Loads of the headlines, and the point that each uses.
const POINTS: [(Pattern, PointOp, Take); 5] = [
    (Pattern::Sequential, PointOp::Read, Take::Fastest),
    (Pattern::Sequential, PointOp::Write, Take::Fastest),
    (Pattern::Random, PointOp::Read, Take::Shallowest),
    (Pattern::Random, PointOp::Read, Take::Deepest),
    (Pattern::Random, PointOp::Write, Take::Deepest),
];

fn group_of(op: PointOp) -> Group {
    match op {
        PointOp::Read => Group::Reads,
        PointOp::Write => Group::Writes,
        PointOp::Mixed => Group::Mixed,
    }
}

fn points_headlines(own: &[&TestResult], drives: &[&[TestResult]]) -> Vec<Headline> {
    let mut found: Vec<(String, Load, Headline)> = Vec::new();
    for (pattern, op, take) in POINTS {
        let all = own
            .iter()
            .copied()
            .flat_map(|test| test.points().iter().map(move |p| (test, p)));
        let fits = |point: &Point| {
            let load = point.load;
            let page = take == Take::Fastest || load.block_bytes == PAGE_BYTES;
            load.pattern == pattern && load.op == op && page
        };
        let all = all.filter(|(_, point)| fits(point));
        let depth = |point: &Point| point.load.queue_depth * point.load.threads;
        // Among equals the first, in the edition's order.
        let best = all.reduce(|best, next| {
            let better = match take {
                Take::Fastest => next.1.bw_bytes_per_s > best.1.bw_bytes_per_s,
                Take::Shallowest => depth(next.1) < depth(best.1),
                Take::Deepest => depth(next.1) > depth(best.1),
            };
            if better { next } else { best }
        });
        let Some((test, point)) = best else { continue };
        let load = Load::of(point);
        if found
            .iter()
            .any(|(id, other, _)| *id == test.id && *other == load)
        {
            continue;
        }
        let (_, unit) = metric_of(take).value(point);
        let name = match (pattern, op) {
            (Pattern::Sequential, PointOp::Read) => say("headline-sequential-read"),
            (Pattern::Sequential, _) => say("headline-sequential-write"),
            (Pattern::Random, PointOp::Read) => text!("headline-random-read", depth = depth(point)),
            (Pattern::Random, _) => text!("headline-random-write", depth = depth(point)),
        };
        let value = |test: &TestResult| {
            let point = test.points().iter().find(|p| Load::of(p) == load)?;
            Some(metric_of(take).value(point).0)
        };
        let headline = Headline {
            name,
            test_id: test.id.clone(),
            group: group_of(op),
            unit,
            values: of_drives(drives, &test.id, value),
        };
        found.push((test.id.clone(), load, headline));
    }
    found.into_iter().map(|(_, _, headline)| headline).collect()
}

fn metric_of(take: Take) -> Metric {
    match take {
        Take::Fastest => Metric::Bandwidth,
        _ => Metric::Iops,
    }
}

/// Returns the end level of the first single curve of writes.
fn curve_headline(own: &[&TestResult], drives: &[&[TestResult]]) -> Option<Headline> {
    let single = |test: &TestResult| match test.curves() {
        [only] if only.point.op == PointOp::Write => Some(only.clone()),
        _ => None,
    };
    let test = own.iter().copied().find(|test| single(test).is_some())?;
    let end = |series: &Series| Some(speed_of(series, end_level(series)?));
    let series = single(test)?;
    Some(Headline {
        name: text!(
            "headline-sustained-write",
            pattern = series.point.pattern.words()
        ),
        test_id: test.id.clone(),
        group: Group::Sustained,
        unit: end(&series)?.1,
        values: of_drives(drives, &test.id, |test| Some(end(&single(test)?)?.0)),
    })
}

/// Returns the usual mix, from the first test that has it.
fn mixed_headline(own: &[&TestResult], drives: &[&[TestResult]]) -> Option<Headline> {
    let usual = |test: &TestResult| {
        let mut points = test.points().iter();
        let point = points.find(|p| p.load.read_percent == MIXED_HEADLINE_READ_PERCENT)?;
        Some((Metric::of(test.points()).value(point), point.load.pattern))
    };
    let test = own.iter().copied().find(|test| usual(test).is_some())?;
    let ((_, unit), pattern) = usual(test)?;
    Some(Headline {
        name: text!(
            "headline-mixed",
            pattern = pattern.words(),
            share = MIXED_HEADLINE_READ_PERCENT
        ),
        test_id: test.id.clone(),
        group: Group::Mixed,
        unit,
        values: of_drives(drives, &test.id, |test| Some(usual(test)?.0.0)),
    })
}

/// Returns rows of a benchmark if no other test measures the same.
fn benchmark_headlines(
    own: &[&TestResult],
    drives: &[&[TestResult]],
    wanted: bool,
) -> Vec<Headline> {
    let test = own
        .iter()
        .copied()
        .find(|test| !test.benchmark().is_empty());
    let Some(test) = test.filter(|_| wanted) else {
        return Vec::new();
    };
    let headline = |nth: usize| {
        let cell = &test.benchmark()[nth];
        let same = |test: &TestResult| {
            let mut cells = test.benchmark().iter();
            let same = cells.find(|c| c.row == cell.row && c.load.op == cell.load.op)?;
            Some(same.best_bw_bytes_per_s)
        };
        Headline {
            name: text!(
                "headline-benchmark",
                row = &cell.row,
                op = cell.load.op.words()
            ),
            test_id: test.id.clone(),
            group: group_of(cell.load.op),
            unit: Unit::BytesPerS,
            values: of_drives(drives, &test.id, same),
        }
    };
    (0..test.benchmark().len()).map(headline).collect()
}

/// Returns the first key figure of a test.
fn key_headline(name: &str, test: &TestResult, drives: &[&[TestResult]]) -> Option<Headline> {
    let first = |test: &TestResult| key_figures(std::slice::from_ref(test)).into_iter().next();
    let own = first(test)?;
    let same = |test: &TestResult| {
        first(test)
            .filter(|f| f.figure == own.figure)
            .map(|f| f.value)
    };
    Some(Headline {
        name: name.to_owned(),
        test_id: test.id.clone(),
        group: Group::Applications,
        unit: own.unit,
        values: of_drives(drives, &test.id, same),
    })
}

/// Returns the geometric mean over the sets of the first test of files.
fn files_headline(own: &[&TestResult], drives: &[&[TestResult]]) -> Option<Headline> {
    let test = own.iter().copied().find(|test| !test.files().is_empty())?;
    let mean = |test: &TestResult| {
        let logs: Vec<f64> = test.files().iter().map(|w| w.bw_bytes_per_s.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        (!logs.is_empty() && mean.is_finite()).then(|| mean.exp())
    };
    Some(Headline {
        name: test.title.to_string(),
        test_id: test.id.clone(),
        group: Group::Applications,
        unit: Unit::BytesPerS,
        values: of_drives(drives, &test.id, mean),
    })
}
