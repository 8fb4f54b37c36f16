//! The kinds of test: the only list of them, and the results of each.

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

/// Passes the list of kinds to a macro, `table`, as lines of `module, key, Variant;`: the name of
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

/// The result of one test. The field of its kind is filled; none is if the target cannot run the
/// test, as stated in `warnings`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// `sequential`, `sequential-depth`, `random`, `depth-scaling`, `block-scaling`,
    /// `mixed-sequential`, `mixed-random`, `degradation`, `recovery`, `linear-fill`,
    /// `trim-response`, `crystaldiskmark`, `desktop-traces` …
    pub id: String,
    /// Title for people.
    pub title: String,
    /// Description of the test, in a sentence.
    pub method: String,
    /// Measured points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<Point>>,
    /// Number of points of the edition's test that were not requested and are not in `points`:
    /// conclusions from the whole test do not apply to this part.
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
    /// Bytes read and written divided by busy time, over all traces of a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall_bw_bytes_per_s: Option<f64>,
    /// Measured work on files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileWork>>,
    /// Recovery of the drive in each rest of a recovery ladder; its curves are in `series`, after
    /// the fresh one, in the same order.
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
    pub warnings: Vec<String>,
}

/// A key figure as measured in each repetition of its test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RepeatedFigure {
    /// Its name within its test.
    pub name: String,
    /// Unit: `iops`, `bytes_per_s`, `bytes` …
    pub unit: String,
    /// Its value in each repetition.
    pub values: Vec<f64>,
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
    pub name: String,
    /// The job file.
    pub text: String,
}
