//! The format `stend.measured/1`: published rows, and the tests they were measured by.
//!
//! It is documented key by key in `docs/measured-format.md`. A key that does not exist is an error
//! with its place, as is a name that nothing bears.

mod parse;
mod shipped;
mod units;

use std::path::Path;

use serde::Deserialize;
use stend_config::FileError;

pub use shipped::SHIPPED;
pub use units::{Quantity, UNITS, Unit};

/// The schema that a file names.
pub const SCHEMA: &str = "stend.measured/1";

/// Where something stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
}

/// States, tests, variants of models, and published rows.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The state of a drive when a test begins.
    pub states: Vec<State>,
    /// What was done to the drive, and which figures were taken from it.
    pub tests: Vec<Test>,
    /// Models of other capacities, of the same parts.
    pub variants: Vec<Variant>,
    /// What was published.
    pub rows: Vec<Row>,
}

/// The state of a drive when a test begins.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub id: String,
    /// Title.
    pub title: String,
    /// What is known of it, and what is assumed.
    pub source: String,
    /// How much of the drive, from its beginning, holds data.
    pub used: Used,
    /// How a new drive gets there.
    pub steps: Vec<Step>,
    /// Where it stands.
    pub place: Place,
}

/// How much of the drive, from its beginning, holds data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Used {
    /// This many bytes.
    Bytes(u64),
    /// All but this many bytes.
    AllBut(u64),
}

/// Something that is done to a drive.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Step {
    /// A fio job, with places like `{used}` in it.
    Job(String),
    /// Left alone, s.
    #[serde(rename = "rest_s")]
    Rest(f64),
    /// TRIM of what holds no data in this state.
    TrimFree,
    /// TRIM of the whole drive.
    TrimAll,
    /// Writes are acknowledged only when they are in flash, from now on.
    WriteCacheOff,
}

/// What was done to the drive, and which figures were taken from it.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name.
    pub id: String,
    /// For people.
    pub title: String,
    /// How it is known what the test does, and what is assumed.
    pub source: String,
    /// In what way it is shorter than what was published, if it is.
    pub shortened: Option<String>,
    /// What is done, one after the other, on the same drive.
    pub parts: Vec<Part>,
    /// What is taken from it.
    pub figures: Vec<Figure>,
    /// Where it stands.
    pub place: Place,
}

/// A part of a test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its name, by which figures refer to it.
    pub id: String,
    /// What is done.
    #[serde(rename = "do")]
    pub step: Step,
    /// Interval between samples, ms; 0 for none.
    #[serde(default)]
    pub sample_ms: u32,
}

/// A figure of a test's result.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name.
    pub id: String,
    /// The metric, under which medians are taken: `4 KiB random read, depth 1`.
    pub metric: String,
    /// Index in [`Test::parts`].
    pub part: usize,
    /// What is taken.
    pub take: Take,
    /// Over which stretch of the part.
    pub window: Window,
    /// Of which requests, if it is a latency of reads or of writes.
    pub requests: Requests,
}

/// Which requests a latency of reads or of writes is of, and whether it is their mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requests {
    /// The section of the job; `None`: all of it.
    pub job: Option<String>,
    /// A percentile that fio prints without being asked; `None`: the mean.
    pub percentile: Option<f64>,
}

/// What is taken from a part's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// Bytes moved a second.
    Bandwidth,
    /// Bytes moved a second in the slowest sample.
    BandwidthLeast,
    /// Requests done a second.
    Iops,
    /// Mean latency from submission to completion.
    LatencyMean,
    /// Latency of reads, from submission to completion: the mean, or a percentile.
    ReadLatency,
    /// The same of writes.
    WriteLatency,
    /// Time over the number of requests, what the tool does between them included: at depth 1.
    Period,
    /// Mean power.
    Power,
    /// Bytes moved before the speed first fell below the middle between that of the first and that
    /// of the last quarter of all bytes.
    StepBytes,
}

impl Take {
    /// What it is a figure of.
    pub fn quantity(self) -> Quantity {
        match self {
            Take::Bandwidth | Take::BandwidthLeast => Quantity::Bandwidth,
            Take::Iops => Quantity::Rate,
            Take::LatencyMean | Take::ReadLatency | Take::WriteLatency | Take::Period => {
                Quantity::Time
            }
            Take::Power => Quantity::Power,
            Take::StepBytes => Quantity::Size,
        }
    }
}

/// A stretch of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Window {
    /// All of it.
    Whole,
    /// Between two numbers of bytes moved.
    Bytes(u64, u64),
    /// Between two times since its beginning, s.
    Seconds(f64, f64),
}

/// A model of another capacity, of the same parts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The drive's name.
    pub title: String,
    /// The model that it is made from.
    pub of: String,
    /// What it has of dies.
    pub dies: u32,
    /// What the host can address, bytes.
    pub user_bytes: u64,
    /// DRAM, MiB.
    pub dram_mib: u32,
    /// How these are known.
    pub source: String,
    /// Where it stands.
    #[serde(skip)]
    pub place: Place,
}

/// A published figure.
#[derive(Clone, Debug)]
pub struct Row {
    /// The drive, as published.
    pub drive: String,
    /// The model of it, if there could be one.
    pub model: Option<String>,
    /// The publication.
    pub source: String,
    /// The address of the publication, or `None` where it has none.
    pub address: Option<String>,
    /// What was measured, in the words of the publication.
    pub what: String,
    /// The figure as it was printed, with its unit.
    pub published: String,
    /// What can be asked of a model; or, in words, why nothing can.
    pub ask: Result<Ask, String>,
    /// Where it stands.
    pub place: Place,
}

/// What a row asks of a model.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Index in [`Measured::tests`].
    pub test: usize,
    /// Index in [`Test::figures`].
    pub figure: usize,
    /// Index in [`Measured::states`].
    pub state: usize,
    /// What was measured, in `unit`.
    pub expected: Expected,
    /// Its unit. Of a ratio, that of the figures whose ratio it is.
    pub unit: Unit,
    /// Whether the publication says if its unit is binary or decimal.
    pub base: Base,
    /// The model to which the row relates, if it does.
    pub relation: Option<Relation>,
}

/// Whether a publication says if its unit is binary or decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// It does, or the unit has no base.
    Said,
    /// It does not; what the unit says is assumed.
    Assumed,
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// This value.
    Value(f64),
    /// Something between these, or on one side of one of them.
    Between {
        /// Not below.
        low: Option<f64>,
        /// Not above.
        high: Option<f64>,
    },
}

impl Expected {
    /// What a prediction misses it by, as a share of the nearest figure that would do: below
    /// nothing if it is too low.
    pub fn error(&self, predicted: f64) -> f64 {
        let nearest = self.nearest(predicted);
        if nearest == predicted {
            return 0.0;
        }
        (predicted - nearest) / nearest
    }

    /// The same with every figure worked on.
    pub fn map(self, by: impl Fn(f64) -> f64) -> Expected {
        match self {
            Expected::Value(value) => Expected::Value(by(value)),
            Expected::Between { low, high } => Expected::Between {
                low: low.map(&by),
                high: high.map(&by),
            },
        }
    }

    fn nearest(&self, predicted: f64) -> f64 {
        match *self {
            Expected::Value(value) => value,
            Expected::Between { low, high } => {
                let predicted = low.map_or(predicted, |low| predicted.max(low));
                high.map_or(predicted, |high| predicted.min(high))
            }
        }
    }
}

/// A relation to the same figure of another drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The other drive's model.
    pub model: String,
    /// Which.
    pub kind: RelationKind,
}

/// A kind of relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationKind {
    /// A multiple of the other's figure.
    Ratio,
    /// How much more it is than the other's figure.
    Difference,
}

impl Measured {
    /// Reads files that belong together: each as its name, for messages, and its text.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn parse(files: &[(&str, &str)]) -> Result<Measured, FileError> {
        parse::all(files)
    }

    /// All that is part of the program.
    pub fn shipped() -> Measured {
        Measured::parse(&SHIPPED).expect("shipped figures are tested")
    }

    /// The rows of files, with the tests, states and variants of the program beside their own.
    /// A model that they name as a file, with `.toml` at its end, is relative to their folder.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn read(paths: &[impl AsRef<Path>]) -> Result<Measured, FileError> {
        let mut texts = Vec::new();
        for path in paths.iter().map(AsRef::as_ref) {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path).map_err(|error| {
                FileError::of_file(&name, format!("cannot read the measured figures: {error}"))
            })?;
            texts.push((name, text));
        }
        let own = texts.iter().map(|(name, text)| (&**name, &**text));
        let files: Vec<(&str, &str)> = SHIPPED.into_iter().chain(own).collect();
        let mut measured = Measured::parse(&files)?;
        let is_own = |row: &Row| texts.iter().any(|(name, _)| *name == row.place.file);
        measured.rows.retain(is_own);
        measured.rows.iter_mut().for_each(Row::resolve_files);
        let variants = measured.variants.iter_mut();
        variants.for_each(|variant| resolve(&mut variant.of, &variant.place));
        Ok(measured)
    }
}

impl Measured {
    /// The models that rows name, and those that variants are made from; some more than once.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        let of_rows = self.rows.iter().flat_map(|row| {
            let relation = row.ask.as_ref().ok().and_then(|ask| ask.relation.as_ref());
            row.model
                .iter()
                .chain(relation.map(|relation| &relation.model))
        });
        let of_variants = self.variants.iter().map(|variant| &variant.of);
        of_rows.chain(of_variants).map(String::as_str)
    }
}

impl Row {
    /// Models that are files are found from the folder of this row's file.
    fn resolve_files(&mut self) {
        let Row {
            model, ask, place, ..
        } = self;
        if let Some(model) = model {
            resolve(model, place);
        }
        let relation = ask.as_mut().ok().and_then(|ask| ask.relation.as_mut());
        if let Some(relation) = relation {
            resolve(&mut relation.model, place);
        }
    }
}

impl Measured {
    /// Gives models that are named as files another name, where there is one.
    pub fn rename(&mut self, name_of: impl Fn(&str) -> Option<String>) {
        let of_rows = self.rows.iter_mut().flat_map(|row| {
            let relation = row.ask.as_mut().ok().and_then(|ask| ask.relation.as_mut());
            let relation = relation.map(|relation| &mut relation.model);
            row.model.iter_mut().chain(relation)
        });
        let of_variants = self.variants.iter_mut().map(|variant| &mut variant.of);
        for model in of_rows.chain(of_variants).filter(|model| is_file(model)) {
            if let Some(name) = name_of(model) {
                *model = name;
            }
        }
    }
}

/// Whether a model is named as a file.
pub fn is_file(model: &str) -> bool {
    model.ends_with(".toml")
}

/// The path of a model that is a file, which was relative to where it is named.
fn resolve(model: &mut String, place: &Place) {
    if is_file(model)
        && let Some(folder) = Path::new(&place.file).parent()
    {
        *model = folder.join(&*model).display().to_string();
    }
}
