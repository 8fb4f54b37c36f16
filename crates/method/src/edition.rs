//! An edition: states, tests and durations, as data.
//!
//! The file format is described in `docs/edition-format.md`; [`Edition::parse`] checks all of it,
//! so an edition in memory can be carried out without further checks.

use std::path::Path;

use stend_config::{FileError, SourceText};
pub use stend_record::load::Load;

pub use crate::kinds::TestKind;
pub use crate::kinds::benchmark::Benchmark;
pub use crate::state::{ContinuationStep, State, Step, UntilSteady};

use crate::kinds::TestEntry;
use crate::parse::{File, Scope, Source};
use crate::timed::TimedText;
use stend_record::sha256_hex;

/// Name and version of the file format.
pub const SCHEMA: &str = "stend.edition/1";

/// Editions that are part of the program: name and text.
const BUILT_IN: &[(&str, &str)] = stend_config::shipped!(
    "editions": "2014", "2015", "2016a", "2016b", "2018",
    "crystaldiskmark", "recovery-ladder", "snia-pts", "endurance", "database",
    "quick",
);

/// A checked edition.
#[derive(Clone, Debug, PartialEq)]
pub struct Edition {
    /// Id, `2014`.
    pub id: String,
    /// Title for people.
    pub title: TimedText,
    /// Latency percentiles requested of every job, ascending.
    pub percentiles: Vec<f64>,
    /// Rest between tests on a target that cannot be copied, s.
    pub pause_s: f64,
    /// States that a test can start from; one that builds on another comes after it.
    pub states: Vec<State>,
    /// Tests in their order.
    pub tests: Vec<Test>,
    /// SHA-256 of the edition's text, hexadecimal; files that it names are not included.
    pub sha256: String,
    /// Factor by which capacities of the drives are reduced ([`Edition::scaled`]); 1 for whole
    /// drives.
    pub scaled_by: u32,
}

/// A test.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Id, `depth-scaling`.
    pub id: String,
    /// Title for people.
    pub title: TimedText,
    /// The method, in a sentence.
    pub method: TimedText,
    /// The method, exactly.
    pub kind: TestKind,
}

impl Edition {
    /// Returns the ids of the editions that are part of the program.
    pub fn built_in() -> Vec<&'static str> {
        BUILT_IN.iter().map(|(id, _)| *id).collect()
    }

    /// Loads an edition by its id, or from a file if `name` is a path: if it ends in `.toml` or
    /// contains a directory.
    pub fn load(name: &str) -> Result<Edition, FileError> {
        if let Some((id, text)) = BUILT_IN.iter().find(|(id, _)| *id == name) {
            return Edition::parse(text, &format!("editions/{id}.toml (built in)"));
        }
        let fail = |problem: String| FileError::of_file(name, problem);
        let path = Path::new(name);
        if path.extension().is_none_or(|e| e != "toml") && path.components().count() < 2 {
            return Err(fail(format!(
                "no such edition; there are: {}. A file of your own is named by its path, ending \
                 in .toml",
                Edition::built_in().join(", ")
            )));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|e| fail(format!("the edition could not be read: {e}")))?;
        Edition::parse(&text, name)
    }

    /// Returns the edition for drives with a `by`-th of their capacity
    /// (`stend_model::Model::scaled`): durations, rests, regions, files and traces are reduced by
    /// the same factor, so that such a drive reaches the same states. Speeds, latencies and shares
    /// are then those of the whole drives; times and bytes a `by`-th of theirs.
    ///
    /// # Errors
    /// A message about a test that cannot be scaled.
    pub fn scaled(&self, by: u32) -> Result<Edition, String> {
        let mut edition = self.clone();
        if by <= 1 {
            return Ok(edition);
        }
        edition.scaled_by = by;
        edition.sha256 = format!("{}/{by}", self.sha256);
        edition.pause_s /= f64::from(by);
        for state in &mut edition.states {
            for step in state.steps.iter_mut().chain(&mut state.again) {
                step.scale(by);
            }
        }
        for test in &mut edition.tests {
            let scaled = test.kind.common_mut().scale(by);
            scaled.map_err(|problem| format!("{}: {problem}", test.id))?;
        }
        Ok(edition)
    }

    /// Parses an edition from its text; `file` is its name in errors.
    pub fn parse(text: &str, file: &str) -> Result<Edition, FileError> {
        let source = Source(SourceText { text, file });
        let raw: File<TestEntry> = source.read()?;
        edition(raw, &source)
    }
}

/// Checks an edition.
fn edition(raw: File<TestEntry>, source: &Source<'_>) -> Result<Edition, FileError> {
    if raw.schema.get_ref() != SCHEMA {
        return source.fail(&raw.schema, format!("must be \"{SCHEMA}\""));
    }
    source.id(&raw.id)?;
    source.percentiles(&raw.percentiles)?;
    let region_bytes = source.region(raw.region_bytes.as_ref())?;
    let mut states: Vec<State> = Vec::new();
    for entry in raw.state {
        let state = source.state(entry, &states)?;
        states.push(state);
    }
    if raw.test.get_ref().is_empty() {
        return source.fail(&raw.test, "an edition has at least one test");
    }
    let mut tests: Vec<Test> = Vec::new();
    for entry in raw.test.into_inner() {
        let test = test(entry, source, region_bytes, &states, &tests)?;
        tests.push(test);
    }
    Ok(Edition {
        pause_s: source.pause(&raw.pause_s)?,
        id: raw.id.into_inner(),
        title: raw.title,
        percentiles: raw.percentiles.into_inner(),
        states,
        tests,
        sha256: sha256_hex(source.text),
        scaled_by: 1,
    })
}

fn test(
    entry: TestEntry,
    source: &Source<'_>,
    region_bytes: Option<u64>,
    states: &[State],
    earlier: &[Test],
) -> Result<Test, FileError> {
    source.id(&entry.id)?;
    if earlier.iter().any(|t| t.id == *entry.id.get_ref()) {
        return source.fail(&entry.id, "two tests have this id");
    }
    let earlier = earlier.iter().map(|t| (t.id.as_str(), t.kind.common()));
    let (id, title, method) = (entry.id.clone(), entry.title.clone(), entry.method.clone());
    let scope = Scope {
        source,
        id: &id,
        region_bytes,
        states,
        earlier: &earlier.collect::<Vec<_>>(),
    };
    Ok(Test {
        kind: TestKind::parse(entry, &scope)?,
        id: id.get_ref().clone(),
        title,
        method,
    })
}
