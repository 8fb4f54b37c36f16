//! An edition: what is prepared, tested and for how long, as data.
//!
//! The file format is described in `docs/edition-format.md`; [`Edition::parse`] checks
//! all of it, so that an edition in memory can be carried out without further questions.

pub mod benchmark;
mod endurance;
mod ladder;
mod parse;
mod rounds;
mod steady;
pub mod traces;

pub use endurance::Endurance;
pub use ladder::Ladder;
pub use rounds::{Rounds, Until};
pub use steady::SteadyLoad;

use std::path::Path;

use stend_record::review::{Pattern, PointOp};
use stend_target::FileOp;

pub use benchmark::Benchmark;
pub use traces::Traces;

/// The name and version of the file format.
pub const SCHEMA: &str = "stend.edition/1";

/// Editions that are part of the program: name and text.
const BUILT_IN: [(&str, &str); 9] = [
    ("2014", include_str!("../../../editions/2014.toml")),
    ("2015", include_str!("../../../editions/2015.toml")),
    ("2016a", include_str!("../../../editions/2016a.toml")),
    ("2016b", include_str!("../../../editions/2016b.toml")),
    ("2018", include_str!("../../../editions/2018.toml")),
    (
        "crystaldiskmark",
        include_str!("../../../editions/crystaldiskmark.toml"),
    ),
    (
        "recovery-ladder",
        include_str!("../../../editions/recovery-ladder.toml"),
    ),
    ("snia-pts", include_str!("../../../editions/snia-pts.toml")),
    (
        "endurance",
        include_str!("../../../editions/endurance.toml"),
    ),
];

/// Percentiles that every edition must ask for, because the review's
/// [`LatencySummary`](stend_record::review::LatencySummary) is made of them.
pub const REQUIRED_PERCENTILES: [f64; 5] = [50.0, 99.0, 99.9, 99.99, 99.999];

/// A checked edition.
#[derive(Clone, Debug, PartialEq)]
pub struct Edition {
    /// Id, `2014`.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// Latency percentiles asked of every job, ascending.
    pub percentiles: Vec<f64>,
    /// Rest between tests on a target that cannot be copied, s.
    pub pause_s: f64,
    /// States a test can start from; one that builds on another comes after it.
    pub states: Vec<State>,
    /// Tests in their order.
    pub tests: Vec<Test>,
    /// SHA-256 of the edition's text, hexadecimal; files that it names are not in it.
    pub sha256: String,
}

/// A prepared state of the target.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Id.
    pub id: String,
    /// What it is, in words.
    pub title: String,
    /// Index in [`Edition::states`] of the state it is made from; `None`: from the
    /// target as it was handed over.
    pub from: Option<usize>,
    /// How to get there.
    pub steps: Vec<Step>,
    /// How to come back to it on a target that was in it once and cannot be copied;
    /// the same as `steps` unless the edition says otherwise.
    pub again: Vec<Step>,
}

/// One step of a preparation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Write the whole capacity once, ascending.
    Fill {
        /// Size of a write, bytes.
        block_bytes: u64,
        /// Writes outstanding.
        queue_depth: u32,
        /// Only so many bytes from the beginning of the target, or its capacity if that is
        /// less; `None` for the whole capacity.
        region_bytes: Option<u64>,
    },
    /// TRIM the whole capacity.
    Trim,
    /// Leave the target alone.
    Idle {
        /// How long, s.
        duration_s: f64,
    },
    /// Write at random over the whole capacity, round after round, until the speed is steady
    /// by SNIA's definition.
    UntilSteady {
        /// The writes.
        load: Load,
        /// Length of a round, s.
        round_s: f64,
        /// Rounds at most.
        rounds_max: u32,
        /// Whether a test that starts from here fails where the speed does not become
        /// steady; if not, its result says so.
        required: bool,
    },
}

/// A test.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Id, `depth-scaling`.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// What is done, in a sentence.
    pub method: String,
    /// What is done, exactly.
    pub kind: TestKind,
}

/// The kinds of test.
#[derive(Clone, Debug, PartialEq)]
pub enum TestKind {
    /// Points, each measured for itself.
    Sweeps(Vec<Sweep>),
    /// One load sampled over time.
    Curve(Curve),
    /// More curves on the target that another test has just left.
    Continue(Continuation),
    /// Reads while a file is deleted.
    Response(Response),
    /// A benchmark as its users know it.
    Benchmark(Benchmark),
    /// Traces of a desktop's work.
    Traces(Traces),
    /// Work on sets of files.
    Files(Files),
    /// What rests of different length give back.
    Ladder(Ladder),
    /// Loads in rounds until a state is steady or enough is written.
    Rounds(Rounds),
    /// Writing until the target refuses.
    Endurance(Endurance),
}

/// Points over one or more parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Index in [`Edition::states`] of the state that every point starts from.
    pub state: usize,
    /// The loads, in their order.
    pub loads: Vec<Load>,
    /// Time a point, s.
    pub duration_s: f64,
}

/// One load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Direction.
    pub op: PointOp,
    /// Order of the offsets.
    pub pattern: Pattern,
    /// Request size, bytes.
    pub block_bytes: u64,
    /// Queue depth of each thread.
    pub queue_depth: u32,
    /// Threads. Those of a sequential load work on equal shares of the capacity, those
    /// of a random load all on the whole of it (or of the region).
    pub threads: u32,
    /// Share of reads, percent: 100 for reads, 0 for writes.
    pub read_percent: u32,
    /// The load stays within so many bytes from the beginning of the target, or within its
    /// capacity if that is less; `None` for the whole capacity.
    pub region_bytes: Option<u64>,
}

/// A load sampled over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the curve, `fresh`.
    pub name: String,
    /// Index in [`Edition::states`] of the state it starts from.
    pub state: usize,
    /// The load.
    pub load: Load,
    /// How long, s; `None` for a sequential load that ends when it has passed its range
    /// once.
    pub duration_s: Option<f64>,
    /// Sampling interval, ms.
    pub sample_ms: u32,
}

/// What follows on another test's target.
#[derive(Clone, Debug, PartialEq)]
pub struct Continuation {
    /// Index in [`Edition::tests`] of the test (a [`TestKind::Curve`]) that goes before.
    pub after: usize,
    /// Steps in their order.
    pub steps: Vec<ContinuationStep>,
}

/// One step of a continuation.
#[derive(Clone, Debug, PartialEq)]
pub enum ContinuationStep {
    /// Something done to the target.
    Do(Step),
    /// The load of the test that goes before, sampled again.
    Measure {
        /// Name of the curve, `after idle`.
        name: String,
        /// How long, s.
        duration_s: f64,
    },
}

/// Reads while a file is deleted, with TRIM and without.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Index in [`Edition::states`] of the state it starts from.
    pub state: usize,
    /// The reads, within their region.
    pub load: Load,
    /// Size of the file, which is written behind the region, bytes.
    pub file_bytes: u64,
    /// Bytes that one TRIM command covers.
    pub command_bytes: u64,
    /// Rest between the writing of the file and the reads, s.
    pub rest_s: f64,
    /// Reads before the deletion, s.
    pub reference_s: f64,
    /// Reads from the deletion on, s.
    pub duration_s: f64,
    /// Length of an interval, ms.
    pub interval_ms: u32,
}

/// Work on sets of files.
#[derive(Clone, Debug, PartialEq)]
pub struct Files {
    /// Index in [`Edition::states`] of the state that each set starts from.
    pub state: usize,
    /// What is done with each.
    pub op: FileOp,
    /// Names of shipped sets, one after the other.
    pub sets: Vec<String>,
    /// Bytes of each set.
    pub set_bytes: u64,
    /// Rest between the making of the files and the operation, s.
    pub rest_s: f64,
}

/// What is wrong with an edition.
pub use stend_config::FileError as EditionError;

impl Edition {
    /// Ids of the editions that are part of the program.
    pub fn built_in() -> Vec<&'static str> {
        BUILT_IN.iter().map(|(id, _)| *id).collect()
    }

    /// Loads an edition by its id, or from a file when `name` is a path: when it ends in
    /// `.toml` or has a directory in it.
    pub fn load(name: &str) -> Result<Edition, EditionError> {
        if let Some((id, text)) = BUILT_IN.iter().find(|(id, _)| *id == name) {
            return Edition::parse(text, &format!("editions/{id}.toml (built in)"));
        }
        let fail = |problem: String| EditionError::of_file(name, problem);
        let path = Path::new(name);
        if path.extension().is_none_or(|e| e != "toml") && path.components().count() < 2 {
            return Err(fail(format!(
                "no such edition; there are: {}. A file of your own is named by its path, ending in .toml",
                Edition::built_in().join(", ")
            )));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|e| fail(format!("the edition could not be read: {e}")))?;
        Edition::parse(&text, name)
    }

    /// Reads an edition from its text; `file` is its name in errors.
    pub fn parse(text: &str, file: &str) -> Result<Edition, EditionError> {
        parse::parse(text, file)
    }

    /// The state's chain of origin: indices from the one made of the bare target to
    /// `state` itself.
    pub(crate) fn lineage(&self, state: usize) -> Vec<usize> {
        let mut chain = vec![state];
        while let Some(from) = self.states[chain[chain.len() - 1]].from {
            chain.push(from);
        }
        chain.reverse();
        chain
    }
}

impl Load {
    /// True when the load writes.
    pub fn writes(&self) -> bool {
        self.read_percent < 100
    }

    /// The bytes that the load works on, on a target of this capacity.
    pub fn range_bytes(&self, capacity_bytes: u64) -> u64 {
        range_bytes(self.region_bytes, capacity_bytes)
    }

    /// For people: `random read, 4 KiB, queue depth 8`.
    pub fn describe(&self) -> String {
        let pattern = match self.pattern {
            Pattern::Sequential => "sequential",
            Pattern::Random => "random",
        };
        let what = match self.op {
            PointOp::Read => "read".to_owned(),
            PointOp::Write => "write".to_owned(),
            PointOp::Mixed => format!("{} % reads", self.read_percent),
        };
        let threads = match self.threads {
            1 => String::new(),
            n => format!(", {n} threads"),
        };
        format!(
            "{pattern} {what}, {}{threads}, queue depth {}{}",
            size_text(self.block_bytes),
            self.queue_depth,
            self.region_bytes
                .map_or_else(String::new, |region| format!(", in {}", size_text(region)))
        )
    }

    /// As those see it who judge what was measured.
    pub fn seen(&self) -> stend_analysis::Load {
        stend_analysis::Load {
            op: self.op,
            pattern: self.pattern,
            block_bytes: self.block_bytes,
            queue_depth: self.queue_depth,
            threads: self.threads,
            read_percent: self.read_percent,
        }
    }

    /// A short name of letters, digits and dashes: the section of the job file, and
    /// what the point's random seed derives from.
    pub(crate) fn slug(&self) -> String {
        let pattern = match self.pattern {
            Pattern::Sequential => "seq",
            Pattern::Random => "rand",
        };
        let op = match self.op {
            PointOp::Read => "read".to_owned(),
            PointOp::Write => "write".to_owned(),
            PointOp::Mixed => format!("mixed{}", self.read_percent),
        };
        let region = match self.region_bytes {
            None => String::new(),
            Some(bytes) => format!("-in{bytes}"),
        };
        format!(
            "{pattern}-{op}-{}-t{}-qd{}{region}",
            self.block_bytes, self.threads, self.queue_depth
        )
    }
}

/// The bytes of a region on a target of this capacity.
pub(crate) fn range_bytes(region_bytes: Option<u64>, capacity_bytes: u64) -> u64 {
    region_bytes.map_or(capacity_bytes, |region| region.min(capacity_bytes))
}

/// A size in the largest binary unit that divides it: `512 B`, `4 KiB`, `1 MiB`.
pub(crate) fn size_text(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    UNITS
        .iter()
        .find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit))
        .map_or_else(
            || format!("{bytes} B"),
            |(unit, name)| format!("{} {name}", bytes / unit),
        )
}
