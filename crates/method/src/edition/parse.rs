//! From the text of an edition to a checked [`Edition`].
//!
//! Two passes: serde reads the text into the shapes below, which mirror the file and
//! keep the place of every value that can be wrong; then everything that serde cannot
//! know (references, ranges, names used twice) is checked and resolved.

mod benchmark;
mod endurance;
mod files;
mod ladder;
mod rounds;
mod traces;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};
use stend_config::Text;
use stend_record::review::{Pattern, PointOp};
use toml::Spanned;

use self::files::FilesEntry;
use super::{
    Continuation, ContinuationStep, Curve, Edition, EditionError, Load, REQUIRED_PERCENTILES,
    Response, SCHEMA, State, Step, Sweep, Test, TestKind,
};
use benchmark::BenchmarkEntry;
use traces::TracesEntry;

/// The longest duration, s. A multiple by the largest duration scale still fits the
/// nanoseconds of virtual time, five times over.
const YEAR_S: f64 = 365.0 * 86_400.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Spanned<String>,
    id: Spanned<String>,
    title: String,
    percentiles: Spanned<Vec<f64>>,
    pause_s: Spanned<f64>,
    region_bytes: Option<Spanned<u64>>,
    #[serde(default)]
    state: Vec<StateEntry>,
    test: Spanned<Vec<TestEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StateEntry {
    id: Spanned<String>,
    title: String,
    from: Option<Spanned<String>>,
    steps: Vec<StepEntry>,
    again: Option<Vec<StepEntry>>,
}

/// `deny_unknown_fields` holds for the fields of the variants as well.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum StepEntry {
    Fill {
        block_bytes: Spanned<u64>,
        queue_depth: Spanned<u32>,
        region_bytes: Option<Spanned<u64>>,
    },
    Trim,
    Idle {
        duration_s: Spanned<f64>,
    },
    UntilSteady {
        block_bytes: Spanned<u64>,
        queue_depth: Spanned<u32>,
        round_s: Spanned<f64>,
        rounds_max: Spanned<u32>,
    },
    Measure {
        name: String,
        duration_s: Spanned<f64>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestEntry {
    id: Spanned<String>,
    title: String,
    method: String,
    sweep: Option<Vec<SweepEntry>>,
    curve: Option<CurveEntry>,
    #[serde(rename = "continue")]
    continuation: Option<ContinueEntry>,
    response: Option<ResponseEntry>,
    benchmark: Option<BenchmarkEntry>,
    traces: Option<TracesEntry>,
    files: Option<FilesEntry>,
    ladder: Option<ladder::Entry>,
    rounds: Option<rounds::Entry>,
    endurance: Option<endurance::Entry>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OpEntry {
    Read,
    Write,
    Mixed,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PatternEntry {
    Sequential,
    Random,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SweepEntry {
    op: OpEntry,
    state: Spanned<String>,
    pattern: PatternEntry,
    block_bytes: Spanned<Vec<u64>>,
    queue_depth: Spanned<Vec<u32>>,
    threads: Spanned<u32>,
    read_percent: Option<Spanned<Vec<u32>>>,
    region_bytes: Option<Spanned<u64>>,
    duration_s: Spanned<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CurveEntry {
    name: String,
    op: Spanned<OpEntry>,
    state: Spanned<String>,
    pattern: PatternEntry,
    block_bytes: Spanned<u64>,
    queue_depth: Spanned<u32>,
    threads: Spanned<u32>,
    region_bytes: Option<Spanned<u64>>,
    duration_s: Option<Spanned<f64>>,
    end: Option<Spanned<String>>,
    sample_ms: Spanned<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContinueEntry {
    after: Spanned<String>,
    steps: Vec<StepEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResponseEntry {
    state: Spanned<String>,
    block_bytes: Spanned<u64>,
    queue_depth: Spanned<u32>,
    region_bytes: Spanned<u64>,
    file_bytes: Spanned<u64>,
    command_bytes: Spanned<u64>,
    rest_s: Spanned<f64>,
    reference_s: Spanned<f64>,
    duration_s: Spanned<f64>,
    interval_ms: Spanned<u32>,
}

/// The text under examination, to turn places into lines and keys.
struct Source<'a> {
    text: &'a str,
    file: &'a str,
}

/// SHA-256 of a text, hexadecimal, as `sha256sum` prints it.
fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn parse(text: &str, file: &str) -> Result<Edition, EditionError> {
    let source = Source { text, file };
    let raw: File = source.text().read()?;
    source.edition(raw)
}

impl Source<'_> {
    /// The path of a file that the text names, seen from the folder of its own file.
    fn beside(&self, name: &str) -> PathBuf {
        let folder = Path::new(self.file).parent();
        folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name))
    }

    fn fail<T, R>(
        &self,
        place: &Spanned<T>,
        problem: impl Into<String>,
    ) -> Result<R, EditionError> {
        self.text().fail(place, problem)
    }

    fn text(&self) -> Text<'_> {
        Text {
            file: self.file,
            text: self.text,
        }
    }

    fn edition(&self, raw: File) -> Result<Edition, EditionError> {
        if raw.schema.get_ref() != SCHEMA {
            return self.fail(&raw.schema, format!("must be \"{SCHEMA}\""));
        }
        self.id(&raw.id)?;
        self.percentiles(&raw.percentiles)?;
        let region_bytes = self.region(raw.region_bytes.as_ref())?;
        let mut states: Vec<State> = Vec::new();
        for entry in raw.state {
            let state = self.state(entry, &states)?;
            states.push(state);
        }
        if raw.test.get_ref().is_empty() {
            return self.fail(&raw.test, "an edition has at least one test");
        }
        let mut tests: Vec<Test> = Vec::new();
        for entry in raw.test.into_inner() {
            let test = self.test(entry, region_bytes, &states, &tests)?;
            tests.push(test);
        }
        Ok(Edition {
            pause_s: self.pause(&raw.pause_s)?,
            id: raw.id.into_inner(),
            title: raw.title,
            percentiles: raw.percentiles.into_inner(),
            states,
            tests,
            sha256: sha256(self.text),
        })
    }

    fn id(&self, id: &Spanned<String>) -> Result<(), EditionError> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.get_ref().is_empty() || !id.get_ref().chars().all(allowed) {
            return self.fail(id, "an id is made of a-z, 0-9 and `-`");
        }
        Ok(())
    }

    fn percentiles(&self, list: &Spanned<Vec<f64>>) -> Result<(), EditionError> {
        let values = list.get_ref();
        if !values.iter().all(|p| *p > 0.0 && *p < 100.0) || !values.is_sorted_by(|a, b| a < b) {
            return self.fail(list, "percentiles lie between 0 and 100 and ascend");
        }
        // fio takes no more (FIO_IO_U_LIST_MAX_LEN in its stat.h).
        if values.len() > 20 {
            return self.fail(list, "at most 20 percentiles can be asked for");
        }
        match REQUIRED_PERCENTILES.iter().find(|p| !values.contains(p)) {
            Some(p) => self.fail(list, format!("{p} is missing: the review reports it")),
            None => Ok(()),
        }
    }

    /// A length of rest: 0 is allowed.
    fn pause(&self, value: &Spanned<f64>) -> Result<f64, EditionError> {
        let seconds = *value.get_ref();
        if !(0.0..=YEAR_S).contains(&seconds) {
            return self.fail(value, "a rest is 0 s or longer, and at most a year");
        }
        Ok(seconds)
    }

    fn duration(&self, value: &Spanned<f64>) -> Result<f64, EditionError> {
        let seconds = *value.get_ref();
        if !(1.0..=YEAR_S).contains(&seconds) {
            return self.fail(
                value,
                "a measurement lasts 1 s or longer, and at most a year",
            );
        }
        Ok(seconds)
    }

    fn block(&self, place: &Spanned<impl Sized>, bytes: u64) -> Result<u64, EditionError> {
        if bytes == 0 || !bytes.is_multiple_of(512) || bytes > 1 << 30 {
            return self.fail(
                place,
                format!("{bytes} is no block size: a multiple of 512 bytes, at most 1 GiB"),
            );
        }
        Ok(bytes)
    }

    fn region(&self, value: Option<&Spanned<u64>>) -> Result<Option<u64>, EditionError> {
        let Some(place) = value else {
            return Ok(None);
        };
        let bytes = *place.get_ref();
        if bytes == 0 || !bytes.is_multiple_of(1 << 20) || bytes > 1 << 60 {
            return self.fail(
                place,
                format!("{bytes} is no region: a multiple of 1 MiB (1048576 bytes), at most 1 EiB"),
            );
        }
        Ok(Some(bytes))
    }

    fn count(&self, place: &Spanned<impl Sized>, n: u32) -> Result<u32, EditionError> {
        if n == 0 || n > 65_536 {
            return self.fail(place, format!("{n} is out of range: from 1 to 65536"));
        }
        Ok(n)
    }

    fn sample(&self, place: &Spanned<u32>) -> Result<u32, EditionError> {
        let sample_ms = *place.get_ref();
        if !(100..=60_000).contains(&sample_ms) {
            return self.fail(place, "a sample spans 100 to 60000 ms");
        }
        Ok(sample_ms)
    }

    fn step(&self, entry: StepEntry) -> Result<ContinuationStep, EditionError> {
        Ok(match entry {
            StepEntry::Fill {
                block_bytes,
                queue_depth,
                region_bytes,
            } => ContinuationStep::Do(Step::Fill {
                region_bytes: self.region(region_bytes.as_ref())?,
                block_bytes: self.block(&block_bytes, *block_bytes.get_ref())?,
                queue_depth: self.count(&queue_depth, *queue_depth.get_ref())?,
            }),
            StepEntry::Trim => ContinuationStep::Do(Step::Trim),
            StepEntry::Idle { duration_s } => ContinuationStep::Do(Step::Idle {
                duration_s: self.pause(&duration_s)?,
            }),
            StepEntry::UntilSteady {
                block_bytes,
                queue_depth,
                round_s,
                rounds_max,
            } => ContinuationStep::Do(Step::UntilSteady {
                load: Load {
                    op: PointOp::Write,
                    pattern: Pattern::Random,
                    block_bytes: self.block(&block_bytes, *block_bytes.get_ref())?,
                    queue_depth: self.count(&queue_depth, *queue_depth.get_ref())?,
                    threads: 1,
                    read_percent: 0,
                    region_bytes: None,
                },
                round_s: self.duration(&round_s)?,
                rounds_max: self.steady_rounds(&rounds_max)?,
                required: true,
            }),
            StepEntry::Measure { name, duration_s } => ContinuationStep::Measure {
                duration_s: self.duration(&duration_s)?,
                name,
            },
        })
    }

    fn steps(
        &self,
        state: &Spanned<String>,
        entries: Vec<StepEntry>,
    ) -> Result<Vec<Step>, EditionError> {
        let mut steps = Vec::new();
        for entry in entries {
            match self.step(entry)? {
                ContinuationStep::Do(step) => steps.push(step),
                ContinuationStep::Measure { .. } => {
                    return self.fail(
                        state,
                        "a state is prepared by `fill`, `trim`, `idle` and `until_steady`; only a `[test.continue]` has a `measure`",
                    );
                }
            }
        }
        Ok(steps)
    }

    fn state(&self, entry: StateEntry, earlier: &[State]) -> Result<State, EditionError> {
        self.id(&entry.id)?;
        if earlier.iter().any(|s| s.id == *entry.id.get_ref()) {
            return self.fail(&entry.id, "two states have this id");
        }
        let from = match &entry.from {
            Some(name) => Some(self.state_index(name, earlier)?),
            None => None,
        };
        let steps = self.steps(&entry.id, entry.steps)?;
        let again = match entry.again {
            Some(entries) => self.steps(&entry.id, entries)?,
            None => steps.clone(),
        };
        Ok(State {
            id: entry.id.into_inner(),
            title: entry.title,
            from,
            steps,
            again,
        })
    }

    fn state_index(&self, name: &Spanned<String>, states: &[State]) -> Result<usize, EditionError> {
        match states.iter().position(|s| s.id == *name.get_ref()) {
            Some(index) => Ok(index),
            None => {
                let allowed: Vec<&str> = states.iter().map(|s| s.id.as_str()).collect();
                self.fail(
                    name,
                    format!(
                        "no state `{}` stands before this; allowed: {}",
                        name.get_ref(),
                        if allowed.is_empty() {
                            "none so far".to_owned()
                        } else {
                            allowed.join(", ")
                        }
                    ),
                )
            }
        }
    }

    fn test(
        &self,
        entry: TestEntry,
        region_bytes: Option<u64>,
        states: &[State],
        earlier: &[Test],
    ) -> Result<Test, EditionError> {
        self.id(&entry.id)?;
        if earlier.iter().any(|t| t.id == *entry.id.get_ref()) {
            return self.fail(&entry.id, "two tests have this id");
        }
        let mut kinds = Vec::new();
        if let Some(sweeps) = entry.sweep {
            let sweeps = self.sweeps(&entry.id, sweeps, region_bytes, states)?;
            kinds.push(TestKind::Sweeps(sweeps));
        }
        if let Some(curve) = entry.curve {
            kinds.push(TestKind::Curve(self.curve(curve, states)?));
        }
        if let Some(next) = entry.continuation {
            kinds.push(TestKind::Continue(self.continuation(next, earlier)?));
        }
        if let Some(response) = &entry.response {
            kinds.push(TestKind::Response(self.response(response, states)?));
        }
        if let Some(benchmark) = &entry.benchmark {
            kinds.push(TestKind::Benchmark(self.benchmark(benchmark, states)?));
        }
        if let Some(traces) = &entry.traces {
            kinds.push(TestKind::Traces(self.traces(traces, states)?));
        }
        if let Some(files) = &entry.files {
            kinds.push(TestKind::Files(self.files(files, states)?));
        }
        if let Some(ladder) = &entry.ladder {
            kinds.push(TestKind::Ladder(self.ladder(ladder, states)?));
        }
        if let Some(rounds) = &entry.rounds {
            kinds.push(TestKind::Rounds(self.rounds(rounds, states)?));
        }
        if let Some(endurance) = &entry.endurance {
            kinds.push(TestKind::Endurance(self.endurance(endurance, states)?));
        }
        let Ok([kind]) = <[TestKind; 1]>::try_from(kinds) else {
            return self.fail(
                &entry.id,
                "a test has exactly one of: `[[test.sweep]]` (any number), `[test.curve]`, `[test.continue]`, `[test.response]`, `[test.benchmark]`, `[test.traces]`, `[test.files]`, `[test.ladder]`, `[test.rounds]`, `[test.endurance]`",
            );
        };
        Ok(Test {
            id: entry.id.into_inner(),
            title: entry.title,
            method: entry.method,
            kind,
        })
    }

    fn sweeps(
        &self,
        id: &Spanned<String>,
        entries: Vec<SweepEntry>,
        region_bytes: Option<u64>,
        states: &[State],
    ) -> Result<Vec<Sweep>, EditionError> {
        let mut sweeps: Vec<Sweep> = Vec::new();
        for entry in &entries {
            let sweep = self.sweep(entry, region_bytes, states)?;
            // A point's random seed derives from its load: a load named twice would be
            // the same measurement twice.
            let known = sweeps.iter().flat_map(|s| &s.loads);
            for (i, load) in sweep.loads.iter().enumerate() {
                if known.clone().chain(&sweep.loads[..i]).any(|l| l == load) {
                    let problem = format!("the point `{}` stands here twice", load.describe());
                    return self.fail(id, problem);
                }
            }
            sweeps.push(sweep);
        }
        Ok(sweeps)
    }

    /// The loads of a sweep, within the edition's region if it names none of its own.
    fn sweep(
        &self,
        entry: &SweepEntry,
        region_bytes: Option<u64>,
        states: &[State],
    ) -> Result<Sweep, EditionError> {
        let region_bytes = self.region(entry.region_bytes.as_ref())?.or(region_bytes);
        let shares = self.shares(entry)?;
        if entry.block_bytes.get_ref().is_empty() {
            return self.fail(&entry.block_bytes, "at least one block size");
        }
        if entry.queue_depth.get_ref().is_empty() {
            return self.fail(&entry.queue_depth, "at least one queue depth");
        }
        let threads = self.count(&entry.threads, *entry.threads.get_ref())?;
        let mut loads = Vec::new();
        for &block in entry.block_bytes.get_ref() {
            for &depth in entry.queue_depth.get_ref() {
                for &read_percent in &shares {
                    loads.push(Load {
                        op: point_op(entry.op),
                        pattern: pattern(entry.pattern),
                        block_bytes: self.block(&entry.block_bytes, block)?,
                        queue_depth: self.count(&entry.queue_depth, depth)?,
                        threads,
                        read_percent,
                        region_bytes,
                    });
                }
            }
        }
        Ok(Sweep {
            state: self.state_index(&entry.state, states)?,
            loads,
            duration_s: self.duration(&entry.duration_s)?,
        })
    }

    /// The shares of reads of a sweep.
    fn shares(&self, entry: &SweepEntry) -> Result<Vec<u32>, EditionError> {
        Ok(match (entry.op, &entry.read_percent) {
            (OpEntry::Read, None) => vec![100],
            (OpEntry::Write, None) => vec![0],
            (OpEntry::Mixed, Some(shares)) => {
                if shares.get_ref().is_empty() || shares.get_ref().iter().any(|p| *p > 100) {
                    return self.fail(shares, "shares of reads, from 0 to 100 percent");
                }
                shares.get_ref().clone()
            }
            (OpEntry::Mixed, None) => {
                return self.fail(
                    &entry.state,
                    "a sweep with op = \"mixed\" needs `read_percent = [..]`",
                );
            }
            (_, Some(shares)) => {
                return self.fail(
                    shares,
                    "only a sweep with op = \"mixed\" has a share of reads",
                );
            }
        })
    }

    fn curve(&self, entry: CurveEntry, states: &[State]) -> Result<Curve, EditionError> {
        let read_percent = match entry.op.get_ref() {
            OpEntry::Read => 100,
            OpEntry::Write => 0,
            OpEntry::Mixed => {
                return self.fail(&entry.op, "a curve is of \"read\" or of \"write\"");
            }
        };
        let sample_ms = self.sample(&entry.sample_ms)?;
        let duration_s = self.curve_end(&entry)?;
        Ok(Curve {
            state: self.state_index(&entry.state, states)?,
            load: Load {
                op: point_op(*entry.op.get_ref()),
                pattern: pattern(entry.pattern),
                block_bytes: self.block(&entry.block_bytes, *entry.block_bytes.get_ref())?,
                queue_depth: self.count(&entry.queue_depth, *entry.queue_depth.get_ref())?,
                threads: self.count(&entry.threads, *entry.threads.get_ref())?,
                read_percent,
                region_bytes: self.region(entry.region_bytes.as_ref())?,
            },
            duration_s,
            name: entry.name,
            sample_ms,
        })
    }

    /// How long a curve lasts; `None` for one that ends with its range.
    fn curve_end(&self, entry: &CurveEntry) -> Result<Option<f64>, EditionError> {
        match (&entry.duration_s, &entry.end) {
            (Some(duration_s), None) => self.duration(duration_s).map(Some),
            (None, Some(end)) => {
                if end.get_ref() != "range" {
                    return self.fail(end, "the one end besides a time is \"range\"");
                }
                let one = *entry.threads.get_ref() == 1;
                if !one || !matches!(entry.pattern, PatternEntry::Sequential) {
                    return self.fail(
                        end,
                        "only a sequential load of one thread ends with its range: name a `duration_s` instead",
                    );
                }
                Ok(None)
            }
            _ => self.fail(
                &entry.state,
                "a curve has either `duration_s = ..` or `end = \"range\"`",
            ),
        }
    }

    fn response(&self, entry: &ResponseEntry, states: &[State]) -> Result<Response, EditionError> {
        let interval_ms = *entry.interval_ms.get_ref();
        if !(10..=1000).contains(&interval_ms) {
            return self.fail(&entry.interval_ms, "an interval spans 10 to 1000 ms");
        }
        let (file, command) = (*entry.file_bytes.get_ref(), *entry.command_bytes.get_ref());
        self.region(Some(&entry.command_bytes))?;
        self.region(Some(&entry.file_bytes))?;
        if !file.is_multiple_of(command) || file / command > 1 << 20 {
            return self.fail(
                &entry.command_bytes,
                "a whole number of TRIM commands, at most 1048576, covers `file_bytes`",
            );
        }
        Ok(Response {
            state: self.state_index(&entry.state, states)?,
            load: Load {
                op: PointOp::Read,
                pattern: Pattern::Random,
                block_bytes: self.block(&entry.block_bytes, *entry.block_bytes.get_ref())?,
                queue_depth: self.count(&entry.queue_depth, *entry.queue_depth.get_ref())?,
                threads: 1,
                read_percent: 100,
                region_bytes: self.region(Some(&entry.region_bytes))?,
            },
            file_bytes: file,
            command_bytes: command,
            rest_s: self.pause(&entry.rest_s)?,
            reference_s: self.duration(&entry.reference_s)?,
            duration_s: self.duration(&entry.duration_s)?,
            interval_ms,
        })
    }

    fn continuation(
        &self,
        entry: ContinueEntry,
        earlier: &[Test],
    ) -> Result<Continuation, EditionError> {
        let name = entry.after.get_ref();
        let curve = earlier.iter().enumerate().find_map(|(i, t)| match &t.kind {
            TestKind::Curve(curve) if t.id == *name && curve.duration_s.is_some() => {
                Some((i, curve))
            }
            _ => None,
        });
        let Some((after, curve)) = curve else {
            return self.fail(
                &entry.after,
                format!("`{name}` is no test with a `[test.curve]` of a `duration_s` that stands before this"),
            );
        };
        let taken = |t: &Test| matches!(&t.kind, TestKind::Continue(c) if c.after == after);
        if earlier.iter().any(taken) {
            return self.fail(&entry.after, format!("another test goes on after `{name}`"));
        }
        let mut names = vec![curve.name.clone()];
        let mut steps = Vec::new();
        for step in entry.steps {
            let step = self.step(step)?;
            if let ContinuationStep::Measure { name, .. } = &step {
                if names.contains(name) {
                    let problem = format!("two curves have the name `{name}`");
                    return self.fail(&entry.after, problem);
                }
                names.push(name.clone());
            }
            steps.push(step);
        }
        if names.len() < 2 {
            return self.fail(&entry.after, "nothing is measured: no step is a `measure`");
        }
        Ok(Continuation { after, steps })
    }
}

fn point_op(op: OpEntry) -> PointOp {
    match op {
        OpEntry::Read => PointOp::Read,
        OpEntry::Write => PointOp::Write,
        OpEntry::Mixed => PointOp::Mixed,
    }
}

fn pattern(pattern: PatternEntry) -> Pattern {
    match pattern {
        PatternEntry::Sequential => Pattern::Sequential,
        PatternEntry::Random => Pattern::Random,
    }
}
