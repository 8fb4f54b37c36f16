//! The definition of a study: in TOML, or equivalently in JSON.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stend_config::{FileError, SourceText};
use stend_load::JobFile;
use stend_load::jobfile::flatten;
use stend_model::{Files, Model, Setting};

use crate::error::{Source, StudyError, Wrong};

/// Name and version of the file format.
pub const SCHEMA: &str = "stend.study/1";

/// The definition of a study; `docs/study-format.md` describes each key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Must be [`SCHEMA`].
    pub schema: String,
    /// Short name, which also names files.
    pub name: String,
    /// Title for people; the name if it is empty.
    #[serde(default)]
    pub title: String,
    /// The question that it answers.
    #[serde(default)]
    pub description: String,
    /// The models.
    pub models: Vec<ModelEntry>,
    /// Figures that are replaced in all models.
    #[serde(default)]
    pub settings: BTreeMap<String, Tree>,
    /// Combination of the values of the factors.
    #[serde(default)]
    pub design: DesignName,
    /// Number of variants in a random design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// Seed of a random design.
    #[serde(default = "one")]
    pub design_seed: u64,
    /// Root seeds; each variant runs with each of them.
    #[serde(default = "seed_one")]
    pub seeds: Vec<u64>,
    /// Steps that prepare a new drive before each job, in this order.
    #[serde(default)]
    pub prepare: Vec<StepEntry>,
    /// Seed of the jobs that prepare; the row's seed if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare_seed: Option<u64>,
    /// The factors.
    #[serde(default)]
    pub factor: Vec<FactorEntry>,
    /// Jobs.
    #[serde(default)]
    pub job: Vec<JobEntry>,
    /// Tests of editions.
    #[serde(default)]
    pub test: Vec<TestEntry>,
    /// Factor on the durations of tests.
    #[serde(default = "full_length")]
    pub duration_scale: f64,
    /// Source of the definition.
    #[serde(skip)]
    pub(crate) source: Source,
}

fn one() -> u64 {
    1
}

fn seed_one() -> Vec<u64> {
    vec![1]
}

fn full_length() -> f64 {
    1.0
}

/// A model of a study.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected the name of a shipped model, the path of a model file (.toml), or \
                 { name = \"…\", text = \"…\" } with the text of one"
)]
pub enum ModelEntry {
    /// Name of a shipped model, or a file whose name ends in `.toml`.
    Name(String),
    /// A model's text.
    Text {
        /// Name in the table.
        name: String,
        /// Text of the drive file, without parts in other files.
        text: String,
    },
}

/// Figures by their keys, in tables or by dotted keys.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a value (a number, a text, true or false, a list of them) or a table of \
                 figures by their keys"
)]
pub enum Tree {
    /// A value.
    Leaf(Setting),
    /// A table.
    Table(BTreeMap<String, Tree>),
}

impl Tree {
    /// Returns the figures by dotted keys.
    pub(crate) fn flat(tables: &BTreeMap<String, Tree>) -> Vec<(String, Setting)> {
        let mut flat = Vec::new();
        for (key, tree) in tables {
            match tree {
                Tree::Leaf(setting) => flat.push((key.clone(), setting.clone())),
                Tree::Table(inner) => {
                    let inner = Tree::flat(inner).into_iter();
                    flat.extend(inner.map(|(other, value)| (format!("{key}.{other}"), value)));
                }
            }
        }
        flat
    }
}

/// Combinations of the values of the factors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DesignName {
    /// Every value with every other.
    #[default]
    Grid,
    /// A scrambled Sobol sequence.
    Sobol,
    /// A Latin hypercube.
    LatinHypercube,
}

impl DesignName {
    /// Returns its name in a definition.
    pub(crate) fn name(self) -> &'static str {
        match self {
            DesignName::Grid => "grid",
            DesignName::Sobol => "sobol",
            DesignName::LatinHypercube => "latin-hypercube",
        }
    }
}

/// A step of the preparation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected \"fill\", \"trim\", { idle_s = SECONDS }, { job = \"TEXT\" } or \
                 { job_file = \"PATH\" }"
)]
pub enum StepEntry {
    /// `fill` or `trim`.
    Word(Word),
    /// A rest.
    Idle {
        /// Duration, s.
        idle_s: f64,
    },
    /// A job.
    Job {
        /// Text of the job.
        job: String,
    },
    /// A job in a file.
    JobFile {
        /// Path of the file.
        job_file: PathBuf,
    },
}

impl StepEntry {
    /// Checks a step.
    ///
    /// # Errors
    /// The fault of the step.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            StepEntry::Idle { idle_s } if !(0.0..=1e9).contains(idle_s) => {
                Err(format!("a rest of {idle_s} s; 0 to 10^9 s are allowed"))
            }
            StepEntry::Job { job } => {
                let parsed = JobFile::parse(job);
                parsed.map(|_| ()).map_err(|error| error.to_string())
            }
            _ => Ok(()),
        }
    }
}

/// A step without figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// Sequential writes over the whole drive, as `stend run --fill=busy`.
    Fill,
    /// TRIM of the whole drive.
    Trim,
}

/// A factor.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactorEntry {
    /// A key of drive files, `gc.policy`, or `job.WORD`, whose values replace `{WORD}` in jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Name in the table; the key if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The values; without a key, tables of figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Tree>>,
    /// Names of values that are tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// Lowest value of a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// Highest value of a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// Number of values of the range in a grid, including both ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Spacing of the values.
    #[serde(default)]
    pub scale: Scale,
    /// Values are rounded to a multiple of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiple_of: Option<u64>,
}

/// Spacing of the values of a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Equal differences.
    #[default]
    Linear,
    /// Equal ratios.
    Log,
}

/// A job to measure.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobEntry {
    /// Name in the table.
    pub name: String,
    /// The text of a fio job file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Path of a fio job file, instead of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Length of the intervals from which levels and steps are found, ms of virtual time.
    #[serde(default = "second_ms")]
    pub sample_ms: u32,
    /// Names of the outcomes; the usual ones if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Vec<String>>,
}

fn second_ms() -> u32 {
    1000
}

/// A test of an edition; its outcomes are its key figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestEntry {
    /// Id or path of the edition.
    pub edition: String,
    /// Id of the test.
    pub id: String,
}

/// Converts an error in a JSON study; without line and column, because its user may never have seen
/// the text.
fn wrong_json(error: &serde_path_to_error::Error<serde_json::Error>) -> Wrong {
    let path = error.path().to_string();
    let message = error.inner().to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    match path.as_str() {
        "." => Wrong::new("", message),
        path => Wrong::new(path, message),
    }
}

impl Definition {
    /// Reads a study's file. Files that it names are relative to its folder.
    ///
    /// # Errors
    /// The fault, with file, line and key.
    pub fn read(path: &Path) -> Result<Definition, StudyError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            FileError::of_file(&file, format!("the study could not be read: {error}"))
        })?;
        Definition::parse(&text, &file, path.parent().unwrap_or(Path::new("")))
    }

    /// Parses a study in TOML. `file` is its name in messages; files that it names are relative to
    /// `folder`.
    ///
    /// # Errors
    /// The errors of [`Definition::read`].
    pub fn parse(text: &str, file: &str, folder: &Path) -> Result<Definition, StudyError> {
        let definition: Definition = SourceText { file, text }.read()?;
        let source = Source {
            file: file.to_owned(),
            text: Some(text.to_owned()),
        };
        definition.of(source, folder)
    }

    /// Parses a study in JSON with the same keys. `folder` is that of [`Definition::parse`].
    ///
    /// # Errors
    /// The fault, with the key.
    pub fn from_json(text: &str, folder: &Path) -> Result<Definition, StudyError> {
        let source = Source {
            file: "study".to_owned(),
            text: None,
        };
        let mut json = serde_json::Deserializer::from_str(text);
        let read: Result<Definition, _> = serde_path_to_error::deserialize(&mut json);
        read.map_err(|error| wrong_json(&error).of(&source))?
            .of(source, folder)
    }

    /// Checks it, and includes the files that it names.
    fn of(mut self, source: Source, folder: &Path) -> Result<Definition, StudyError> {
        let checked = self.check().and_then(|()| self.include(folder));
        checked.map_err(|wrong| wrong.of(&source))?;
        self.source = source;
        Ok(self)
    }

    /// Returns the study without references to files, in the form that [`Definition::from_json`]
    /// reads.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("keys are texts, and numbers finite")
    }

    /// Returns the title, or the name if it has none.
    pub fn shown_title(&self) -> &str {
        match self.title.trim() {
            "" => &self.name,
            title => title,
        }
    }

    /// Checks everything that does not need files.
    fn check(&self) -> Result<(), Wrong> {
        if self.schema != SCHEMA {
            return Err(Wrong::new("schema", format!("must be \"{SCHEMA}\"")));
        }
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if self.name.is_empty() || !self.name.chars().all(is_of_name) {
            let message = "a name consists of letters, digits, `-` and `_`: it names files";
            return Err(Wrong::new("name", message));
        }
        if self.models.is_empty() {
            return Err(Wrong::new("models", "a study has at least one model"));
        }
        if self.job.is_empty() && self.test.is_empty() {
            let message = "a study has at least one [[job]] or [[test]]: without one there is \
                           nothing to measure";
            return Err(Wrong::new("", message));
        }
        if self.seeds.is_empty() {
            return Err(Wrong::new(
                "seeds",
                "a study has at least one seed, such as [1]",
            ));
        }
        if let Some(at) = self
            .seeds
            .iter()
            .position(|seed| i64::try_from(*seed).is_err())
        {
            let message = "a seed is a whole number from 0 to 2^63 - 1";
            return Err(Wrong::new(format!("seeds[{at}]"), message));
        }
        let mut seeds = self.seeds.iter().enumerate();
        if let Some((at, seed)) = seeds.find(|(at, seed)| self.seeds[..*at].contains(seed)) {
            let message = format!("{seed} a second time: its rows would be the same again");
            return Err(Wrong::new(format!("seeds[{at}]"), message));
        }
        let scale = self.duration_scale;
        if !(scale > 0.0 && scale <= 100.0) {
            let message = format!("{scale}: it must be above 0 and at most 100");
            return Err(Wrong::new("duration_scale", message));
        }
        if !self.prepare.is_empty() && self.job.is_empty() {
            let message = "a test is prepared as its edition says; `prepare` is for jobs";
            return Err(Wrong::new("prepare", message));
        }
        let jobs = self.job.iter().map(|job| &job.name);
        let names: Vec<&String> = jobs.chain(self.test.iter().map(|test| &test.id)).collect();
        match names
            .iter()
            .enumerate()
            .find(|(at, name)| names[..*at].contains(name))
        {
            Some((at, twice)) => {
                let path = match at.checked_sub(self.job.len()) {
                    None => format!("job[{at}].name"),
                    Some(at) => format!("test[{at}].id"),
                };
                Err(Wrong::new(
                    path,
                    format!("another job or test is named {twice}"),
                ))
            }
            None => Ok(()),
        }
    }

    /// Includes the files that it names.
    fn include(&mut self, folder: &Path) -> Result<(), Wrong> {
        for (index, model) in self.models.iter_mut().enumerate() {
            let path = format!("models[{index}]");
            if let Some(read) = model_file(model, folder).map_err(|m| Wrong::new(path, m))? {
                *model = read;
            }
        }
        for (index, step) in self.prepare.iter_mut().enumerate() {
            if let StepEntry::JobFile { job_file } = step {
                let job = job_text(&folder.join(&job_file));
                let job = job.map_err(|m| Wrong::new(format!("prepare[{index}].job_file"), m))?;
                *step = StepEntry::Job { job };
            }
        }
        for (index, job) in self.job.iter_mut().enumerate() {
            let path = |key: &str| format!("job[{index}].{key}");
            match (&job.text, job.file.take()) {
                (Some(_), None) => {}
                (None, Some(file)) => {
                    let text = job_text(&folder.join(file));
                    job.text = Some(text.map_err(|m| Wrong::new(path("file"), m))?);
                }
                _ => {
                    let message = "a job has either `text` or `file`";
                    return Err(Wrong::new(path("name"), message));
                }
            }
        }
        Ok(())
    }
}

/// Returns the model in a file as text.
fn model_file(model: &ModelEntry, folder: &Path) -> Result<Option<ModelEntry>, String> {
    let ModelEntry::Name(name) = model else {
        return Ok(None);
    };
    if !name.ends_with(".toml") {
        return Ok(None);
    }
    let files = Files::read(&folder.join(name)).map_err(|error| error.to_string())?;
    let model = files.model().map_err(|error| error.to_string())?;
    Ok(Some(ModelEntry::Text {
        name: model.name,
        text: model.text,
    }))
}

fn job_text(path: &Path) -> Result<String, String> {
    let text = flatten(path).map_err(|error| error.to_string())?;
    Ok(text.to_string())
}

impl ModelEntry {
    /// Returns the model.
    pub(crate) fn model(&self) -> Result<Model, String> {
        match self {
            ModelEntry::Name(name) => Model::shipped(name).ok_or_else(|| {
                let unknown = stend_model::unknown_model(name);
                format!("{unknown}. A file of your own is named by its path, ending in .toml")
            }),
            ModelEntry::Text { name, text } => {
                let mut model = Model::parse(text, name).map_err(|error| error.to_string())?;
                model.name.clone_from(name);
                Ok(model)
            }
        }
    }
}
