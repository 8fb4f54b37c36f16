//! The kinds of test: the only list of them, and the results of each.

pub mod benchmark;
pub mod curve;
pub mod endurance;
pub mod figure;
pub mod files;
pub mod ladder;
pub mod points;
pub mod response;
pub mod rounds;
pub mod sync;
pub mod traces;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use stend_language::Text;

use crate::load::{self, Load};
use benchmark::BenchmarkCell;
use curve::Series;
use endurance::Endurance;
use figure::RepeatedFigure;
use files::FileWork;
use ladder::{Ladder, Rung};
use points::Point;
use response::Response;
use rounds::Rounds;
use sync::SyncPoint;
use traces::{TraceResult, Traces, overall_bw};

/// Passes the list of kinds to a macro, `table`, as lines of `module, key, Variant;`: the name of
/// the kind's file in `src/kinds` of `record`, `method`, `analysis` and `report`, its key in an
/// edition's file, and its variant of [`Results`] and of the keys in `method`.
#[macro_export]
macro_rules! kinds {
    ($table:ident) => {
        $table! {
            /// Points, each measured separately.
            points, "sweep", Points;
            /// Recovery of the drive in rests of different length.
            ladder, "ladder", Ladder;
            /// Loads in rounds until a state is steady or enough is written.
            rounds, "rounds", Rounds;
            /// Writing until the target refuses.
            endurance, "endurance", Endurance;
            /// One load sampled over time.
            curve, "curve", Curve;
            /// Reads while a file is deleted.
            response, "response", Response;
            /// A benchmark as its users know it.
            benchmark, "benchmark", Benchmark;
            /// Traces of a desktop's work.
            traces, "traces", Traces;
            /// Work on sets of files.
            files, "files", Files;
            /// Writes that must be durable.
            sync, "sync", Sync;
        }
    };
}

/// Results of a test of one kind; lists are not empty. In JSON they are keys of the test.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(clippy::large_enum_variant, reason = "a review has few tests")]
pub enum Results {
    /// Measured points.
    Points(Vec<Point>),
    /// Loads in rounds, until a state is steady or enough is written.
    Rounds(Rounds),
    /// Writing until the drive refuses.
    Endurance(Endurance),
    /// Measured curves.
    #[serde(rename = "series")]
    Curve(Vec<Series>),
    /// Measured responses to a deletion.
    #[serde(rename = "responses")]
    Response(Vec<Response>),
    /// Measured rows of a benchmark, in the order of measuring.
    Benchmark(Vec<BenchmarkCell>),
    /// Measured work on files.
    Files(Vec<FileWork>),
    /// Measured writes that must be durable.
    Sync(Vec<SyncPoint>),
    /// Rests of a recovery ladder, and their curves.
    #[serde(untagged)]
    Ladder(Ladder),
    /// Replayed traces.
    #[serde(untagged)]
    Traces(Traces),
}

impl Results {
    /// Reads the results among the keys of a test; `None` if there are none, or only empty lists.
    fn read<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Results>, D::Error> {
        let keys = Keys::deserialize(from)?;
        let (series, rungs) = (keys.series, keys.rungs);
        let (curves, ladder) = match rungs.is_empty() {
            true => (series, None),
            false => (Vec::new(), Some(Results::Ladder(Ladder { series, rungs }))),
        };
        let traces = list(keys.traces, |traces| {
            Results::Traces(Traces {
                traces,
                overall_bw_bytes_per_s: keys.overall_bw_bytes_per_s,
            })
        });
        let all = [
            list(keys.points, Results::Points),
            keys.rounds.map(Results::Rounds),
            keys.endurance.map(Results::Endurance),
            list(curves, Results::Curve),
            list(keys.responses, Results::Response),
            list(keys.benchmark, Results::Benchmark),
            list(keys.files, Results::Files),
            list(keys.sync, Results::Sync),
            ladder,
            traces,
        ];
        let mut all = all.into_iter().flatten();
        match (all.next(), all.next()) {
            (found, None) => Ok(found),
            _ => Err(Error::custom("a test has results of one kind")),
        }
    }

    /// Adds those of further measurements of the same test.
    fn append(&mut self, more: Results) {
        match (self, more) {
            (Results::Points(all), Results::Points(more)) => all.extend(more),
            (Results::Curve(all), Results::Curve(more)) => all.extend(more),
            (Results::Response(all), Results::Response(more)) => all.extend(more),
            (Results::Benchmark(all), Results::Benchmark(more)) => all.extend(more),
            (Results::Files(all), Results::Files(more)) => all.extend(more),
            (Results::Sync(all), Results::Sync(more)) => all.extend(more),
            (Results::Ladder(all), Results::Ladder(more)) => {
                all.series.extend(more.series);
                all.rungs.extend(more.rungs);
            }
            (Results::Traces(all), Results::Traces(more)) => {
                all.traces.extend(more.traces);
                all.overall_bw_bytes_per_s = overall_bw(&all.traces);
            }
            // A single result is replaced by a later one.
            (all, more) => *all = more,
        }
    }
}

fn list<T>(items: Vec<T>, results: impl FnOnce(Vec<T>) -> Results) -> Option<Results> {
    (!items.is_empty()).then(|| results(items))
}

/// The keys of results of every kind.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Keys {
    points: Vec<Point>,
    series: Vec<Series>,
    responses: Vec<Response>,
    benchmark: Vec<BenchmarkCell>,
    traces: Vec<TraceResult>,
    overall_bw_bytes_per_s: Option<f64>,
    files: Vec<FileWork>,
    rungs: Vec<Rung>,
    rounds: Option<Rounds>,
    sync: Vec<SyncPoint>,
    endurance: Option<Endurance>,
}

/// The result of one test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// `sequential`, `sequential-depth`, `random`, `depth-scaling`, `block-scaling`,
    /// `mixed-sequential`, `mixed-random`, `degradation`, `recovery`, `linear-fill`,
    /// `trim-response`, `crystaldiskmark`, `desktop-traces` …
    pub id: String,
    /// Title for people.
    pub title: Text,
    /// Description of the test, in a sentence.
    pub method: Text,
    /// Results; `None` if the target cannot run the test, as stated in `warnings`.
    #[serde(flatten, deserialize_with = "Results::read")]
    pub results: Option<Results>,
    /// Number of points of the edition's test that were not requested and are not in `points`:
    /// conclusions from the whole test do not apply to this part.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out_points: u32,
    /// Key figures of a repeated test as measured in each repetition. Points are then means;
    /// everything else is of the first repetition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated: Vec<RepeatedFigure>,
    /// Number, from 1, of the repetition to which an unfinished test belongs, and in which it is
    /// finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<u32>,
    /// The steady states from which the test started, in the order in which they were reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steady_starts: Vec<SteadyStart>,
    /// The fio job files as run, in order.
    pub jobs: Vec<JobText>,
    /// Warnings about this test, with cause and hint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Text>,
}

/// Declares access to results that are a list: empty for a test of any other kind.
macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident, $mutable:ident, $item:ty,
        $($variant:ident $(. $field:ident)?)|+;)*) => {
        impl TestResult {
            $(
                $(#[$doc])*
                pub fn $name(&self) -> &[$item] {
                    match &self.results {
                        $(Some(Results::$variant(found)) => &found$(.$field)?[..],)+
                        _ => &[],
                    }
                }

                $(#[$doc])*
                pub fn $mutable(&mut self) -> &mut [$item] {
                    match &mut self.results {
                        $(Some(Results::$variant(found)) => &mut (found$(.$field)?)[..],)+
                        _ => &mut [],
                    }
                }
            )*
        }
    };
}
lists! {
    /// Measured points.
    points, points_mut, Point, Points;
    /// Curves, those of a recovery ladder among them.
    curves, curves_mut, Series, Curve | Ladder.series;
    /// Rungs of a recovery ladder.
    rungs, rungs_mut, Rung, Ladder.rungs;
    /// Responses to a deletion.
    responses, responses_mut, Response, Response;
    /// Rows of a benchmark, in each direction.
    benchmark, benchmark_mut, BenchmarkCell, Benchmark;
    /// Replayed traces.
    traces, traces_mut, TraceResult, Traces.traces;
    /// Work on files.
    files, files_mut, FileWork, Files;
    /// Writes that must be durable.
    sync, sync_mut, SyncPoint, Sync;
}

impl TestResult {
    /// Its title in the current language; its id if it has none.
    pub fn name(&self) -> String {
        match self.title.is_empty() {
            true => self.id.clone(),
            false => self.title.to_string(),
        }
    }

    /// Rounds of loads; `None` for a test of any other kind.
    pub fn rounds(&self) -> Option<&Rounds> {
        match &self.results {
            Some(Results::Rounds(rounds)) => Some(rounds),
            _ => None,
        }
    }

    /// Result of writing until the drive refuses; `None` for a test of any other kind.
    pub fn endurance(&self) -> Option<&Endurance> {
        match &self.results {
            Some(Results::Endurance(endurance)) => Some(endurance),
            _ => None,
        }
    }

    /// Bandwidth of all traces, see [`Traces`]; `None` for a test of any other kind.
    pub fn overall_bw_bytes_per_s(&self) -> Option<f64> {
        match &self.results {
            Some(Results::Traces(traces)) => traces.overall_bw_bytes_per_s,
            _ => None,
        }
    }

    /// Adds the results of a measurement.
    pub fn add(&mut self, results: Results) {
        match &mut self.results {
            Some(all) => all.append(results),
            none => *none = Some(results),
        }
    }
}

/// Preparation of a target to a steady state before a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyStart {
    /// Id of the state.
    pub state: String,
    /// The load, of which requests a second were tracked.
    #[serde(with = "load::in_rounds")]
    pub load: Load,
    /// Length of a round, s.
    pub round_s: f64,
    /// Rounds that were written.
    pub rounds: u32,
    /// Bytes written in them.
    pub written_bytes: u64,
    /// True if the last five rounds are steady by SNIA's definition.
    pub reached: bool,
    /// Mean over the last five rounds, requests a second.
    pub iops_mean: f64,
    /// Difference of the maximum and the minimum of the last five, as a share of their mean.
    pub spread_share: f64,
    /// Rise of the least-squares line over the last five, as a share of their mean; negative if it
    /// falls.
    pub drift_share: f64,
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// A job file as run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobText {
    /// Name of the measurement, `read, 4 KiB, queue depth 8`.
    pub name: Text,
    /// The job file.
    pub text: String,
}
