//! The review: schema `stend.review/1`.
//!
//! Documented field by field, for readers of the JSON, in `docs/review-json.md`.
//! Units are the last part of a key. MiB and KiB are binary, MB and KB decimal.

use serde::{Deserialize, Serialize};

use crate::benchmark::BenchmarkCell;
use crate::endurance::Endurance;
use crate::smart::BeforeAfter;
use crate::traces::TraceResult;

/// The name and version of this schema.
pub const SCHEMA: &str = "stend.review/1";

/// A whole review of one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// What was tested.
    pub target: TargetInfo,
    /// Id of the edition, `2014`.
    pub edition: String,
    /// Title of the edition, for people.
    pub edition_title: String,
    /// Root seed of every random choice.
    pub seed: u64,
    /// Factor on every duration; 1 is the edition's own. Anything else is a shortened
    /// (or stretched) run, and every figure of it must say so.
    pub duration_scale: f64,
    /// The load by which the target was brought to a steady state before tests, on the
    /// user's wish: `random-write-4k`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_steady: Option<String>,
    /// The target was opened for reading alone: tests and preparation that write were left out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub read_only: bool,
    /// False while tests are missing: the run was stopped or a test failed.
    pub complete: bool,
    /// What was tested and how, in sentences for the report.
    pub conditions: Vec<Condition>,
    /// Where the run took place.
    pub environment: Vec<Condition>,
    /// The command that makes this review again.
    pub reproduce: String,
    /// Finished tests, in the order of the edition.
    pub tests: Vec<TestResult>,
    /// Tests that were asked for and did not finish.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedTest>,
    /// Tests of endurance that were broken off on a target that has been worn by them: they go
    /// on from here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<TestResult>,
    /// The same edition on other targets, to compare with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<Rival>,
    /// What a real drive told of itself before the tests and after them; missing of a target
    /// that was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smart: Option<BeforeAfter>,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// A named fact, `write cache: on`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// What.
    pub name: String,
    /// How much or which.
    pub value: String,
}

/// What was tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetInfo {
    /// The name as the user typed it.
    pub name: String,
    /// The drive's marketing name, or the path.
    pub title: String,
    /// How it was measured.
    pub kind: TargetKind,
    /// Capacity under test, bytes.
    pub capacity_bytes: u64,
    /// Further facts (model, serial number, firmware, controller, NAND …).
    #[serde(default)]
    pub facts: Vec<Condition>,
}

/// How a target is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// In virtual time, by the model.
    Simulated,
    /// By fio on a regular file.
    File,
    /// On a directory: by fio on a file in it, and by work on files beside it.
    Directory,
    /// By fio on a block device.
    BlockDevice,
}

/// A finished test on a rival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    /// Which.
    pub target: TargetInfo,
    /// Its finished tests.
    pub tests: Vec<TestResult>,
    /// As [`Review::unfinished`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<TestResult>,
}

/// A test that did not finish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedTest {
    /// Id of the test.
    pub id: String,
    /// Why.
    pub error: String,
}

/// The result of one test. One of `points`, `series`, `responses`, `benchmark`, `traces`,
/// `files`, `rounds` and `endurance` is filled; none where the target cannot do the test, as `warnings` says.
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
    /// Points of the edition's test that were not asked for and are not in `points`: what
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
    /// What each rest of a recovery ladder gave back; its curves are in `series`, after the
    /// fresh one, in the same order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rungs: Option<Vec<Rung>>,
    /// Loads in rounds, until a state is steady or enough is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
    /// Writing until the drive refuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endurance: Option<Endurance>,
    /// The steady states that the test started from, in the order in which they were made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steady_starts: Vec<SteadyStart>,
    /// The fio job files as run, in order.
    pub jobs: Vec<JobText>,
    /// Warnings about this test, with cause and hint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// How a target was brought to a steady state before a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyStart {
    /// Id of the state.
    pub state: String,
    /// The load, whose requests a second were tracked.
    pub load: RoundLoad,
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

/// One rest of a recovery ladder, and what it gave back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    /// Name of its curve in the test's `series`.
    pub name: String,
    /// How long the target rested, s.
    pub idle_s: f64,
    /// Whether its whole capacity was given TRIM before the rest.
    pub trim: bool,
    /// Where the curve after the rest starts, IOPS: the median of its first five samples.
    pub iops_start: f64,
    /// Bytes written before the curve fell below the geometric mean of its start and of
    /// the end level of the fresh curve; 0 when nothing came back.
    pub recovered_bytes: u64,
    /// Whether it fell below; if not, `recovered_bytes` is all that was written.
    pub fell: bool,
}

/// Loads that were measured one after the other, round after round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rounds {
    /// The loads of a round, in their order.
    pub loads: Vec<RoundLoad>,
    /// Index in `loads` of the one that was tracked.
    pub tracked: usize,
    /// Which figure of it.
    pub figure: Tracked,
    /// Time a load in each round, s.
    pub load_s: f64,
    /// Whether the rounds were to end with a steady state; if not, with so much written.
    pub steady_sought: bool,
    /// Number, from 1, of the first of the five rounds that were found steady.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_from_round: Option<u32>,
    /// Bytes written in all rounds.
    pub written_bytes: u64,
    /// By round, by load.
    pub rounds: Vec<Vec<RoundFigures>>,
}

impl Rounds {
    /// The tracked figure of each round; requests a second, or ns.
    pub fn tracked_figures(&self) -> Vec<f64> {
        let tracked = self
            .rounds
            .iter()
            .filter_map(|round| round.get(self.tracked));
        let figure = |figures: &RoundFigures| match self.figure {
            Tracked::Iops => figures.iops,
            Tracked::LatencyMean => figures.latency_mean_ns,
        };
        tracked.map(figure).collect()
    }
}

/// A load of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundLoad {
    /// Order of the offsets.
    pub pattern: Pattern,
    /// Request size, bytes.
    pub block_bytes: u64,
    /// Share of reads, percent.
    pub read_percent: u32,
    /// Queue depth of each thread.
    pub queue_depth: u32,
    /// Threads.
    pub threads: u32,
}

/// The figure by which a steady state is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tracked {
    /// Requests a second.
    Iops,
    /// Mean completion latency.
    LatencyMean,
}

/// What a load yielded in a round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundFigures {
    /// Requests a second, all threads and directions.
    pub iops: f64,
    /// Bytes a second, all threads and directions.
    pub bw_bytes_per_s: f64,
    /// Mean completion latency, ns.
    pub latency_mean_ns: f64,
    /// The slowest request, ns.
    pub latency_max_ns: u64,
}

/// A job file as run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobText {
    /// What it measured, `read, 4 KiB, queue depth 8`.
    pub name: String,
    /// The job file.
    pub text: String,
}

/// The direction of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointOp {
    /// Reads only.
    Read,
    /// Writes only.
    Write,
    /// Both; `read_percent` says in which proportion, `parts` splits the figures.
    Mixed,
}

/// One measured point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Direction.
    pub op: PointOp,
    /// `sequential` or `random`.
    pub pattern: Pattern,
    /// Request size, bytes.
    pub block_bytes: u64,
    /// Queue depth of each thread.
    pub queue_depth: u32,
    /// Threads.
    pub threads: u32,
    /// Share of reads among the requests, percent.
    pub read_percent: u32,
    /// The load stayed within so many bytes from the beginning of the target; without it,
    /// it had the whole capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region_bytes: Option<u64>,
    /// Time asked for, s.
    pub duration_s: f64,
    /// Requests a second, all threads and directions.
    pub iops: f64,
    /// Bytes a second, all threads and directions.
    pub bw_bytes_per_s: f64,
    /// Time that the threads sending the requests spent on processors, user's and system's, over
    /// the requests, ns; missing of simulated targets. What the kernel does in other threads and
    /// most of what it does in interrupts is not in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns_per_request: Option<f64>,
    /// Completion latency of all requests (of a mixed point: of both directions).
    pub latency_ns: LatencySummary,
    /// The same as an HdrHistogram, ns: format V2, compressed, base64; missing in reviews of
    /// older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_histogram: Option<String>,
    /// The two directions of a mixed point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PointPart>,
}

/// Order of the offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Ascending.
    Sequential,
    /// Uniformly random.
    Random,
}

/// One direction of a mixed point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointPart {
    /// `read` or `write`.
    pub op: PointOp,
    /// Requests a second.
    pub iops: f64,
    /// Bytes a second.
    pub bw_bytes_per_s: f64,
    /// Completion latency.
    pub latency_ns: LatencySummary,
}

/// Completion latency, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencySummary {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 99 %.
    pub p99: u64,
    /// 99.9 %.
    pub p99_9: u64,
    /// 99.99 %.
    pub p99_99: u64,
    /// 99.999 %.
    pub p99_999: u64,
    /// Largest.
    pub max: u64,
}

/// One measured curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// `fresh`, `after idle`, `after TRIM`.
    pub name: String,
    /// What the samples are of: 4 KiB random write, depth 32 …
    pub point: SeriesPoint,
    /// Length of a sampling interval, s.
    pub interval_s: f64,
    /// The load passed a range of so many bytes once, ascending from the beginning of the
    /// target, so that bytes written are a position in it; without it, the load lasted for
    /// a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_bytes: Option<u64>,
    /// Samples in the order of time.
    pub samples: Vec<Sample>,
    /// The drive's temperature meanwhile, in the order of time; empty where it was not sampled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub temperatures: Vec<TemperatureSample>,
    /// As that of a [`Point`], over the whole curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns_per_request: Option<f64>,
    /// Latency over the whole curve.
    pub latency_ns: LatencySummary,
    /// The same as an HdrHistogram, as that of a [`Point`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_histogram: Option<String>,
}

/// The load under which a series was sampled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesPoint {
    /// Direction.
    pub op: PointOp,
    /// Order of the offsets.
    pub pattern: Pattern,
    /// Request size, bytes.
    pub block_bytes: u64,
    /// Queue depth.
    pub queue_depth: u32,
}

/// The mean over one sampling interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// End of the interval since the start of the curve, s.
    pub t_s: f64,
    /// Bytes written since the start of the curve.
    pub written_bytes: u64,
    /// Requests a second in the interval.
    pub iops: f64,
}

/// A drive's temperature at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TemperatureSample {
    /// Since the start of the curve, s.
    pub t_s: f64,
    /// °C.
    pub celsius: f64,
}

/// Reads before and after a file is deleted. Times are relative to the deletion: to the
/// first TRIM, or where none is given, to the instant at which it would have been.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// `with TRIM`, `without TRIM`.
    pub name: String,
    /// The reads.
    pub point: SeriesPoint,
    /// The reads stay within so many bytes from the beginning of the target.
    pub region_bytes: u64,
    /// Size of the file, which lies behind that region, bytes.
    pub file_bytes: u64,
    /// Bytes of a TRIM command; missing where no TRIM is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_bytes: Option<u64>,
    /// How long the commands took together, s; missing where no TRIM is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim_s: Option<f64>,
    /// Length of an interval, s.
    pub interval_s: f64,
    /// Intervals in the order of time, those before the deletion first.
    pub intervals: Vec<ResponseInterval>,
    /// The slowest requests in the order of time: all there are, or as many as are kept.
    pub slowest: Vec<SlowRequest>,
    /// All requests.
    pub requests: u64,
    /// Requests a second before the deletion.
    pub reference_iops: f64,
    /// Latency before the deletion.
    pub reference_latency_ns: LatencySummary,
    /// Latency from the deletion on.
    pub latency_ns: LatencySummary,
}

/// The requests completed in one interval of a response.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResponseInterval {
    /// End of the interval, relative to the deletion, s.
    pub t_s: f64,
    /// Requests a second.
    pub iops: f64,
    /// Median latency, ns; 0 where no request was completed, as of the other two.
    pub p50_ns: u64,
    /// 99 %, ns.
    pub p99_ns: u64,
    /// Largest, ns.
    pub max_ns: u64,
}

/// One of the slowest requests of a response.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowRequest {
    /// Completion, relative to the deletion, s.
    pub t_s: f64,
    /// Latency, ns.
    pub latency_ns: u64,
}

/// One operation on one set of files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileWork {
    /// What was done.
    pub op: FileWorkOp,
    /// Name of the set: `iso`, `program`, `work`.
    pub set: String,
    /// Bytes of its files.
    pub set_bytes: u64,
    /// The set was made smaller than the edition asks, to fit the target twice.
    pub scaled: bool,
    /// Files of the set.
    pub files: u64,
    /// Directories of the set.
    pub directories: u64,
    /// From the first request until everything was durable, s.
    pub duration_s: f64,
    /// Bytes of the set over that time, per second.
    pub bw_bytes_per_s: f64,
    /// What reached the drive, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<FileRequests>,
}

/// What is done with a set of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileWorkOp {
    /// Copied within the drive.
    Copy,
    /// Put into one archive.
    Archive,
    /// Taken out of one archive.
    Unarchive,
}

/// The requests of an operation on files, those for metadata and the journal among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRequests {
    /// Reads.
    pub reads: u64,
    /// Bytes of them.
    pub read_bytes: u64,
    /// Writes.
    pub writes: u64,
    /// Bytes of them.
    pub written_bytes: u64,
    /// Flushes.
    pub flushes: u64,
}
