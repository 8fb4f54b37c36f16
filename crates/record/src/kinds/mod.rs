//! The kinds of test: the one list of them, and the results of each.

pub mod benchmark;
pub mod curve;
pub mod endurance;
pub mod files;
pub mod ladder;
pub mod points;
pub mod response;
pub mod rounds;
pub mod sync;
pub mod traces;

use serde::{Deserialize, Serialize};

use crate::load::{self, Load};
use benchmark::BenchmarkCell;
use curve::Series;
use endurance::Endurance;
use files::FileWork;
use ladder::Rung;
use points::Point;
use response::Response;
use rounds::Rounds;
use sync::SyncPoint;
use traces::TraceResult;

/// Hands the list of kinds to a macro, `table`, as lines of `module, key, Variant;`: the name of
/// the kind's file in `src/kinds` of `record`, `method`, `analysis` and `report`, its key in an
/// edition's file, and the name of its variant in `method`.
///
/// If a test has results of two kinds (a ladder has curves), the more specific kind stands first.
#[macro_export]
macro_rules! kinds {
    ($table:ident) => {
        $table! {
            /// Points, each measured separately.
            points, "sweep", Sweeps;
            /// What the drive recovers in rests of different length.
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

/// The result of one test. The field of its kind is filled; none where the target cannot do the
/// test, as `warnings` says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// `sequential`, `sequential-depth`, `random`, `depth-scaling`, `block-scaling`,
    /// `mixed-sequential`, `mixed-random`, `degradation`, `recovery`, `linear-fill`,
    /// `trim-response`, `crystaldiskmark`, `desktop-traces` …
    pub id: String,
    /// For people.
    pub title: String,
    /// What was done, in a sentence.
    pub method: String,
    /// Measured points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<Point>>,
    /// Points of the edition's test that were not requested and are not in `points`: what
    /// follows from the whole test does not follow from this.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out_points: u32,
    /// Measured curves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Vec<Series>>,
    /// Measured responses to a deletion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Vec<Response>>,
    /// Measured rows of a benchmark, in the order of measuring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<Vec<BenchmarkCell>>,
    /// Replayed traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traces: Option<Vec<TraceResult>>,
    /// Of a test of traces: all bytes read and written over all busy time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall_bw_bytes_per_s: Option<f64>,
    /// Measured work on files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileWork>>,
    /// What the drive recovered in each rest of a recovery ladder; its curves are in `series`,
    /// after the fresh one, in the same order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rungs: Option<Vec<Rung>>,
    /// Loads in rounds, until a state is steady or enough is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
    /// Measured writes that must be durable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<Vec<SyncPoint>>,
    /// Writing until the drive refuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endurance: Option<Endurance>,
    /// Of a repeated test, its key figures as each repetition measured them. Points are means then;
    /// everything else is of the first repetition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated: Vec<RepeatedFigure>,
    /// Among unfinished tests: it is this repetition's, counted from 1, and finished in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<u32>,
    /// The steady states that the test started from, in the order in which they were made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steady_starts: Vec<SteadyStart>,
    /// The fio job files as run, in order.
    pub jobs: Vec<JobText>,
    /// Warnings about this test, with cause and hint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A key figure as each repetition of its test measured it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RepeatedFigure {
    /// What it is, within its test.
    pub name: String,
    /// Of what: `iops`, `bytes_per_s`, `bytes` …
    pub unit: String,
    /// Its value in each repetition.
    pub values: Vec<f64>,
}

/// How a target was brought to a steady state before a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyStart {
    /// Id of the state.
    pub state: String,
    /// The load, whose requests a second were tracked.
    #[serde(with = "load::in_rounds")]
    pub load: Load,
    /// Length of a round, s.
    pub round_s: f64,
    /// Rounds that were written.
    pub rounds: u32,
    /// Bytes written in them.
    pub written_bytes: u64,
    /// Whether the last five of them are steady by SNIA's definition.
    pub reached: bool,
    /// Mean over the last five rounds, requests a second.
    pub iops_mean: f64,
    /// Greatest less least of the last five, as a share of their mean.
    pub spread_share: f64,
    /// What the least-squares line gains over the last five, as a share of their mean;
    /// negative where it falls.
    pub drift_share: f64,
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// A job file as run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobText {
    /// What it measured, `read, 4 KiB, queue depth 8`.
    pub name: String,
    /// The job file.
    pub text: String,
}
