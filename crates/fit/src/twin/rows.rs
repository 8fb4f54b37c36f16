//! A review's results as measured rows, which a search predicts; and the held-out tests.

use std::collections::BTreeSet;

use crate::Measured;
use crate::measured::{
    Ask, Base, Expected, Figure, Operation, Part, Place, Row, State, Test, UNITS, Unit, Used,
};
use stend_experiment::{self as experiment, Job, Metric, Step, Window};
use stend_method::edition::{Step as EditionStep, TestKind};
use stend_method::{Edition, fill_job, load_job, sync_job};
use stend_record::load::{Load, Pattern};
use stend_record::review::{
    Point, PointOp, Results, Review, Sample, Series, SteadyStart, SyncPoint, TestResult,
};

use super::TwinError;

/// Held out by default: loads that mix reads and writes, and random access by block size.
/// Benchmarks, traces and all results other than points, curves and durable writes are never
/// fitted.
pub const HELD_OUT: [&str; 2] = ["mixed", "block-scaling"];

/// Number of request sizes, in one direction, from which on a test counts as block scaling.
const BLOCK_SIZES: usize = 3;

/// Maximum duration of a load of only reads in the search, s: nothing changes while it reads.
const READ_S: f64 = 1.0;

/// Length of the beginning of a curve over time that is fitted, s.
const CURVE_S: f64 = 120.0;

/// Length of the beginning of a curve over a range that is fitted, bytes.
const CURVE_BYTES: u64 = 64 << 30;

/// Ends of the sections of a curve, as shares of its fitted beginning.
const STRETCHES: [f64; 5] = [0.0, 0.05, 0.2, 0.5, 1.0];

/// Seed of the fills; a load has its own seed.
const SEED: u64 = 1;

/// A review in the form of measured rows.
#[derive(Clone, Debug)]
pub struct Rows {
    /// States, tests and rows.
    pub measured: Measured,
    /// Ids of the tests with fitted figures.
    pub used: BTreeSet<String>,
    /// Ids of the other tests, each with the reason.
    pub unused: Vec<(String, String)>,
}

impl Rows {
    /// True if any figure depends on how the drive frees space: it has a window, as figures of
    /// curves do.
    pub fn sustained(&self) -> bool {
        let figures = self.measured.tests.iter().flat_map(|test| &test.figures);
        figures
            .map(|figure| figure.figure.window)
            .any(|window| window != Window::Whole)
    }
}

/// Rule for holding out tests.
#[derive(Clone, Debug)]
pub struct HoldoutRule<'a> {
    names: &'a [String],
}

impl<'a> HoldoutRule<'a> {
    /// Creates the rule from the user's names: `mixed`, `block-scaling`, or ids of tests of the
    /// review.
    ///
    /// # Errors
    /// An unknown name.
    pub fn of(names: &'a [String], review: &Review) -> Result<HoldoutRule<'a>, TwinError> {
        let ids = || review.tests.iter().map(|test| &*test.id);
        let known = |name: &str| HELD_OUT.contains(&name) || ids().any(|id| id == name);
        match names.iter().find(|name| !known(name)) {
            None => Ok(HoldoutRule { names }),
            Some(name) => {
                let ids: Vec<&str> = ids().collect();
                Err(TwinError::Review(format!(
                    "--holdout: the review has no test `{name}`; there are {}; and kinds of tests: \
                     {}",
                    ids.join(", "),
                    HELD_OUT.join(", ")
                )))
            }
        }
    }

    /// Reason why a test is not used for fitting, if it is not.
    pub fn why(&self, test: &TestResult) -> Option<String> {
        let named = |name: &str| self.names.iter().any(|other| other == name);
        let points = test.points();
        let mixes = points.iter().any(|p| p.load.op == PointOp::Mixed);
        let reason = if named(HELD_OUT[0]) && mixes {
            "held out: reads and writes are mixed"
        } else if named(HELD_OUT[1]) && scales_blocks(points) {
            "held out: access against block size"
        } else if named(&test.id) {
            "held out by name"
        } else {
            match test.results {
                Some(Results::Points(_) | Results::Curve(_) | Results::Sync(_)) => return None,
                Some(Results::Ladder(_) | Results::Rounds(_)) => {
                    "never fitted: a load in rounds, or after rests"
                }
                _ => "never fitted: no points, no curve, no durable writes",
            }
        };
        Some(reason.to_owned())
    }
}

fn scales_blocks(points: &[Point]) -> bool {
    [PointOp::Read, PointOp::Write].into_iter().any(|op| {
        let of = points.iter().filter(|point| point.load.op == op);
        let sizes: BTreeSet<u64> = of.map(|point| point.load.block_bytes).collect();
        sizes.len() >= BLOCK_SIZES
    })
}

/// Rows of a review; `model` is the name of the model that will answer them.
///
/// # Errors
/// A review without results to fit to.
pub fn rows(
    review: &Review,
    edition: &Edition,
    held_out: &HoldoutRule<'_>,
    model: &str,
) -> Result<Rows, TwinError> {
    if let Some(load) = &review.until_steady {
        return Err(TwinError::Review(format!(
            "the review was made with --until-steady ({load}), so its tests do not start from \
             the edition's states; make one without"
        )));
    }
    let mut making = Making {
        review,
        edition,
        model,
        known: BTreeSet::new(),
        measured: Measured::default(),
    };
    let (mut used, mut unused) = (BTreeSet::new(), Vec::new());
    for test in &review.tests {
        let why = match held_out.why(test) {
            Some(why) => Err(why),
            None => making.test(test),
        };
        match why {
            Ok(()) => drop(used.insert(test.id.clone())),
            Err(why) => unused.push((test.id.clone(), why)),
        }
    }
    if making.measured.rows.is_empty() {
        return Err(TwinError::Review(format!(
            "nothing in the review can be fitted to: {}",
            unused
                .iter()
                .map(|(id, why)| format!("{id}: {why}"))
                .collect::<Vec<_>>()
                .join("; ")
        )));
    }
    Ok(Rows {
        measured: making.measured,
        used,
        unused,
    })
}

/// Rows under construction.
struct Making<'a> {
    review: &'a Review,
    edition: &'a Edition,
    model: &'a str,
    /// State and load of each row: several tests of an edition may measure the same.
    known: BTreeSet<(usize, String)>,
    measured: Measured,
}

/// A figure of a job, its value and unit.
struct Taken {
    figure: experiment::Figure,
    value: f64,
    unit: &'static str,
}

impl Making<'_> {
    /// Adds the rows of a test, or returns the reason why it has none.
    fn test(&mut self, test: &TestResult) -> Result<(), String> {
        match &test.results {
            Some(Results::Points(points)) => {
                let mut points = chosen(points).into_iter();
                points.try_for_each(|point| self.point(test, point))
            }
            Some(Results::Sync(points)) => {
                let mut points = points.iter();
                points.try_for_each(|point| self.sync(test, point))
            }
            Some(Results::Curve(curves)) => match &curves[..] {
                [series] => self.curve(test, series),
                _ => Err("never fitted: curves one after the other".to_owned()),
            },
            _ => Ok(()),
        }
    }

    fn point(&mut self, test: &TestResult, point: &Point) -> Result<(), String> {
        let id = point.state.as_deref();
        let id = id.ok_or("the review does not say in which state it was measured")?;
        let state = self.state(id, test)?;
        let load = point.load;
        let seconds = match load.only_reads() {
            true => point.duration_s.min(READ_S),
            false => point.duration_s,
        };
        let runtime_s = seconds.round().max(1.0) as u64;
        let capacity = self.review.target.capacity_bytes;
        let job = job(load_job(&load, Some(runtime_s), capacity, SEED), 0);
        self.row(test, state, (load.slug(), job), &[iops(point.iops)]);
        Ok(())
    }

    fn sync(&mut self, test: &TestResult, point: &SyncPoint) -> Result<(), String> {
        let ([stream], None) = (&point.streams[..], point.interval_s) else {
            return Err("never fitted: durable writes beside others, or in intervals".to_owned());
        };
        let state = self.state_of_sync(test, stream.load)?;
        let state = self.state(&state, test)?;
        let runtime_s = point.duration_s.round().max(1.0) as u64;
        let frame = (self.review.target.capacity_bytes, SEED);
        let slug = format!("{}-{}", stream.load.slug(), stream.durability.describe());
        let text = sync_job(&stream.load, stream.durability, runtime_s, frame);
        self.row(test, state, (slug, job(text, 0)), &[iops(stream.iops)]);
        Ok(())
    }

    fn state_of_sync(&self, test: &TestResult, load: Load) -> Result<String, String> {
        let TestKind::Sync(syncs) = self.kind(test)? else {
            return Err(other_edition(self.edition));
        };
        let has = |load: Load| {
            let same = move |other: &Load| other.without_region() == load.without_region();
            syncs
                .iter()
                .find(|s| s.writers.iter().any(|w| same(&w.load)))
        };
        let syncs = has(load).ok_or_else(|| other_edition(self.edition))?;
        Ok(self.edition.states[syncs.state].id.clone())
    }

    fn kind(&self, test: &TestResult) -> Result<&TestKind, String> {
        let mut tests = self.edition.tests.iter();
        let found = tests.find(|other| other.id == test.id);
        found
            .map(|test| &test.kind)
            .ok_or_else(|| other_edition(self.edition))
    }

    fn curve(&mut self, test: &TestResult, series: &Series) -> Result<(), String> {
        let TestKind::Curve(curve) = self.kind(test)? else {
            return Err("never fitted: it continues another test".to_owned());
        };
        let (load, sample_ms) = (curve.load, curve.sample_ms);
        let id = self.edition.states[curve.state].id.clone();
        let state = self.state(&id, test)?;
        let capacity = self.review.target.capacity_bytes;
        let (load, runtime_s, taken) = match series.range_bytes {
            Some(range) => {
                let bytes = range.min(CURVE_BYTES);
                let load = Load {
                    region_bytes: Some(bytes),
                    ..load
                };
                (load, None, by_bytes(&series.samples, bytes))
            }
            None => {
                let whole = series.samples.last().map_or(0.0, |sample| sample.t_s);
                let seconds = whole.min(CURVE_S).round().max(1.0);
                let taken = by_time(&series.samples, seconds);
                (load, Some(seconds as u64), taken)
            }
        };
        let slug = format!("curve-{}", load.slug());
        let job = job(load_job(&load, runtime_s, capacity, SEED), sample_ms);
        self.row(test, state, (slug, job), &taken);
        Ok(())
    }

    /// Adds a test of one job in a state, and a row for each of its figures.
    fn row(
        &mut self,
        of: &TestResult,
        state: usize,
        (slug, step): (String, Operation),
        taken: &[Taken],
    ) {
        if !self.known.insert((state, slug.clone())) {
            return;
        }
        let id = format!("{}/{slug}", of.id);
        let figure = |(nth, taken): (usize, &Taken)| Figure {
            id: nth.to_string(),
            metric: format!("{}, {}", of.id, words(&slug, taken)),
            part: 0,
            figure: taken.figure.clone(),
        };
        let figures: Vec<Figure> = taken.iter().enumerate().map(figure).collect();
        for (nth, taken) in taken.iter().enumerate() {
            let unit = unit(taken.unit);
            let ask = Ask {
                test: self.measured.tests.len(),
                figure: nth,
                state,
                expected: Expected::Value(taken.value / unit.in_base),
                unit,
                base: Base::Said,
                relation: None,
            };
            self.measured.rows.push(Row {
                drive: self.review.target.title.clone(),
                model: Some(self.model.to_owned()),
                source: format!("review, edition {}", self.review.edition),
                address: None,
                what: figures[nth].metric.clone(),
                published: format!("{:.4e} {}", taken.value / unit.in_base, unit.name),
                ask: Ok(ask),
                place: Place::default(),
            });
        }
        self.measured.tests.push(Test {
            id,
            title: of.title.to_string(),
            source: "the review".to_owned(),
            shortened: None,
            parts: vec![Part {
                id: "load".to_owned(),
                operation: step,
            }],
            figures,
            place: Place::default(),
        });
    }

    /// Index of a state, which is added if it is missing.
    fn state(&mut self, id: &str, test: &TestResult) -> Result<usize, String> {
        let known = self.measured.states.iter().position(|state| state.id == id);
        if let Some(known) = known {
            return Ok(known);
        }
        let steps = self.steps(id, test)?;
        self.measured.states.push(State {
            id: id.to_owned(),
            title: id.to_owned(),
            source: format!("edition {}", self.edition.id),
            used: Used::Bytes(0),
            steps,
            place: Place::default(),
        });
        Ok(self.measured.states.len() - 1)
    }

    /// Steps from a new drive to a state.
    fn steps(&self, id: &str, test: &TestResult) -> Result<Vec<Operation>, String> {
        let states = &self.edition.states;
        let found = states.iter().position(|state| state.id == id);
        let mut way = vec![found.ok_or_else(|| other_edition(self.edition))?];
        while let Some(from) = states[way[0]].from {
            way.insert(0, from);
        }
        let capacity = self.review.target.capacity_bytes;
        let mut steps = Vec::new();
        for state in way.into_iter().map(|state| &states[state]) {
            for step in &state.steps {
                match step {
                    EditionStep::Fill {
                        block_bytes,
                        queue_depth,
                        region_bytes,
                    } => {
                        let requests = (*block_bytes, *queue_depth);
                        steps.push(job(fill_job(requests, *region_bytes, capacity, SEED), 0));
                    }
                    // Earlier writes have left only wear, which is not simulated.
                    EditionStep::Trim => {
                        steps.clear();
                        steps.push(Operation::Step(Step::TrimAll));
                    }
                    EditionStep::Idle { duration_s } => {
                        steps.push(Operation::Step(Step::Rest(*duration_s)));
                    }
                    EditionStep::UntilSteady(_) => {
                        let start = steady_start(test, &state.id)?;
                        let runtime_s = Some(start.round_s.round().max(1.0) as u64);
                        let round = |n: u32| {
                            let seed = SEED + u64::from(n);
                            job(load_job(&start.load, runtime_s, capacity, seed), 0)
                        };
                        steps.extend((0..start.rounds).map(round));
                    }
                }
            }
        }
        Ok(steps)
    }
}

/// The step of a job, whose text contains the seed.
fn job(text: String, sample_ms: u32) -> Operation {
    let seed = SEED;
    Operation::Step(Step::Job(Job {
        text,
        seed,
        sample_ms,
    }))
}

fn steady_start<'a>(test: &'a TestResult, state: &str) -> Result<&'a SteadyStart, String> {
    let mut starts = test.steady_starts.iter();
    starts
        .find(|start| start.state == state)
        .ok_or_else(|| "the review does not say how its steady state was made".to_owned())
}

fn other_edition(edition: &Edition) -> String {
    format!(
        "edition {} has no such test or state: name the edition that the review was made by with \
         --edition",
        edition.id
    )
}

/// Points used for fitting: all that only read; of those that write, which take long to simulate,
/// the smallest, middle and largest depth of each kind of load.
fn chosen(points: &[Point]) -> Vec<&Point> {
    let kind = |load: &Load| {
        let pattern = match load.pattern {
            Pattern::Sequential => 0,
            Pattern::Random => 1,
        };
        (pattern, load.block_bytes, load.read_percent, load.threads)
    };
    let is_chosen = |point: &&Point| {
        if point.load.only_reads() {
            return true;
        }
        let same = points
            .iter()
            .filter(|other| !other.load.only_reads() && kind(&other.load) == kind(&point.load));
        let depths: BTreeSet<u32> = same.map(|other| other.load.queue_depth).collect();
        let depths: Vec<u32> = depths.into_iter().collect();
        let last = depths.len() - 1;
        [depths[0], depths[last / 2], depths[last]].contains(&point.load.queue_depth)
    };
    points.iter().filter(is_chosen).collect()
}

fn iops(value: f64) -> Taken {
    Taken {
        figure: Metric::Iops(None).into(),
        value,
        unit: "IOPS",
    }
}

/// Mean of each section of a curve over time.
fn by_time(samples: &[Sample], seconds: f64) -> Vec<Taken> {
    let stretches = STRETCHES.windows(2);
    let taken = stretches.filter_map(|ends| {
        let [from, to] = [ends[0] * seconds, ends[1] * seconds];
        let inside = samples.iter().filter(|s| (from..=to).contains(&s.t_s));
        let inside: Vec<f64> = inside.map(|sample| sample.iops).collect();
        let mean = inside.iter().sum::<f64>() / inside.len() as f64;
        (mean > 0.0).then(|| {
            let mut taken = iops(mean);
            taken.figure.window = Window::Seconds(from, to);
            taken
        })
    });
    taken.collect()
}

/// Speed of each section of a curve over a range.
fn by_bytes(samples: &[Sample], bytes: u64) -> Vec<Taken> {
    let stretches = STRETCHES.windows(2);
    let taken = stretches.filter_map(|ends| {
        let [from, to] = [ends[0], ends[1]].map(|share| (share * bytes as f64) as u64);
        let inside = samples
            .iter()
            .filter(|s| (from..=to).contains(&s.written_bytes));
        let inside: Vec<&Sample> = inside.collect();
        let (first, last) = (inside.first()?, inside.last()?);
        let speed = (last.written_bytes - first.written_bytes) as f64 / (last.t_s - first.t_s);
        (speed.is_finite() && speed > 0.0).then_some(Taken {
            figure: experiment::Figure {
                metric: Metric::Bandwidth(None),
                window: Window::Bytes(from, to),
            },
            value: speed,
            unit: "MB/s",
        })
    });
    taken.collect()
}

fn words(slug: &str, taken: &Taken) -> String {
    match taken.figure.window {
        Window::Whole => slug.to_owned(),
        Window::Seconds(from, to) => format!("{slug} from {from:.0} to {to:.0} s"),
        Window::Bytes(from, to) => format!(
            "{slug} from {:.1} to {:.1} GB",
            from as f64 / 1e9,
            to as f64 / 1e9
        ),
    }
}

fn unit(name: &str) -> Unit {
    let found = UNITS.iter().find(|unit| unit.name == name);
    *found.expect("the unit is one of the format's")
}
