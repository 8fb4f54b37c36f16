//! The format `stend.measured/1`: published rows, and the tests that measured them.
//!
//! It is documented key by key in `docs/measured-format.md`. An unknown key is an error with its
//! place, and so is a name that is not defined.

mod parse;
mod shipped;
mod units;

use std::path::Path;

use serde::Deserialize;
use stend_config::FileError;
use stend_experiment::{self as experiment, Step};

pub use shipped::SHIPPED;
pub use units::{UNITS, Unit};

/// The schema that a file names.
pub const SCHEMA: &str = "stend.measured/1";

/// Place of an entry in a file.
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
    /// States of drives at the beginning of tests.
    pub states: Vec<State>,
    /// Tests, and the figures of their results.
    pub tests: Vec<Test>,
    /// Models of other capacities, with the same parts.
    pub variants: Vec<Variant>,
    /// Published rows.
    pub rows: Vec<Row>,
}

/// State of a drive at the beginning of a test.
#[derive(Clone, Debug)]
pub struct State {
    /// Name of the state.
    pub id: String,
    /// Title.
    pub title: String,
    /// Known and assumed facts about it.
    pub source: String,
    /// Part of the drive, from its beginning, that holds data.
    pub used: Used,
    /// Operations that bring a new drive into the state.
    pub steps: Vec<Operation>,
    /// Place of the entry.
    pub place: Place,
}

/// Part of the drive, from its beginning, that holds data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Used {
    /// This many bytes.
    Bytes(u64),
    /// All except this number of bytes.
    AllBut(u64),
}

/// An operation on a drive in a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// A step. Its job can contain places like `{used}`.
    Step(Step),
    /// TRIM of the space that holds no data in the state.
    TrimFree,
}

/// Operations on a drive, and the figures of their results.
#[derive(Clone, Debug)]
pub struct Test {
    /// Name of the test.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// Source of the facts about the test, and assumptions.
    pub source: String,
    /// Difference to a longer published test, if it is shortened.
    pub shortened: Option<String>,
    /// Operations, one after the other, on the same drive.
    pub parts: Vec<Part>,
    /// Figures of the result.
    pub figures: Vec<Figure>,
    /// Place of the entry.
    pub place: Place,
}

/// A part of a test.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name by which figures refer to it.
    pub id: String,
    /// The operation.
    pub operation: Operation,
}

/// A figure of a test's result.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name of the figure.
    pub id: String,
    /// The metric, under which medians are taken: `4 KiB random read, depth 1`.
    pub metric: String,
    /// Index in [`Test::parts`].
    pub part: usize,
    /// The figure of the part's result.
    pub figure: experiment::Figure,
}

/// A model of another capacity, with the same parts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Name of the variant.
    pub name: String,
    /// Name of the drive.
    pub title: String,
    /// Model from which it is made.
    pub of: String,
    /// Number of dies.
    pub dies: u32,
    /// Capacity that the host can address, bytes.
    pub user_bytes: u64,
    /// DRAM, MiB.
    pub dram_mib: u32,
    /// Source of these figures.
    pub source: String,
    /// Place of the entry.
    #[serde(skip)]
    pub place: Place,
}

/// A published figure.
#[derive(Clone, Debug)]
pub struct Row {
    /// The drive, as published.
    pub drive: String,
    /// Model of the drive, if one could exist.
    pub model: Option<String>,
    /// The publication.
    pub source: String,
    /// Address of the publication, or `None` if it has none.
    pub address: Option<String>,
    /// The measured quantity, in the words of the publication.
    pub what: String,
    /// The figure as published, with its unit.
    pub published: String,
    /// Question to a model, or the reason why none is possible.
    pub ask: Result<Ask, String>,
    /// Place of the entry.
    pub place: Place,
}

/// A row's question to a model.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Index in [`Measured::tests`].
    pub test: usize,
    /// Index in [`Test::figures`].
    pub figure: usize,
    /// Index in [`Measured::states`].
    pub state: usize,
    /// Measured value or bounds, in `unit`.
    pub expected: Expected,
    /// Unit; for a ratio, the unit of the two figures.
    pub unit: Unit,
    /// Source of the unit's base, binary or decimal.
    pub base: Base,
    /// The model to which the row relates, if it does.
    pub relation: Option<Relation>,
}

/// Source of a unit's base, binary or decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// The publication states it, or the unit has no base.
    Said,
    /// The publication does not state it; the unit is taken literally.
    Assumed,
}

/// A measured value or range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// This value.
    Value(f64),
    /// A range, or a bound on one side.
    Between {
        /// Lower bound.
        low: Option<f64>,
        /// Upper bound.
        high: Option<f64>,
    },
}

impl Expected {
    /// Deviation of a prediction, as a share of the nearest figure in the range; negative if the
    /// prediction is too low.
    pub fn error(&self, predicted: f64) -> f64 {
        let nearest = self.nearest(predicted);
        if nearest == predicted {
            return 0.0;
        }
        (predicted - nearest) / nearest
    }

    /// Applies a function to every figure.
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
    /// Kind of the relation.
    pub kind: RelationKind,
}

/// A kind of relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationKind {
    /// Ratio to the other drive's figure.
    Ratio,
    /// Difference from the other drive's figure.
    Difference,
}

impl Measured {
    /// Parses files that belong together, each with its name, for messages, and its text.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn parse(files: &[(&str, &str)]) -> Result<Measured, FileError> {
        parse::all(files)
    }

    /// Everything that is built into the program.
    pub fn shipped() -> Measured {
        Measured::parse(&SHIPPED).expect("shipped figures are tested")
    }

    /// Reads the rows of files, with the built-in tests, states and variants beside their own. A
    /// model that is named as a file, ending in `.toml`, is relative to their folder.
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
    /// True if a row asks for a figure of these tests and states; an empty list stands for all.
    pub fn is_asked(&self, row: usize, tests: &[String], states: &[String]) -> bool {
        let among = |names: &[String], id: &String| names.is_empty() || names.contains(id);
        self.rows[row].ask.as_ref().is_ok_and(|ask| {
            among(tests, &self.tests[ask.test].id) && among(states, &self.states[ask.state].id)
        })
    }

    /// Models that rows name, and those that variants are made from; some appear more than once.
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
    /// Resolves model files against the folder of this row's file.
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
    /// Renames models that are named as files, if `name_of` returns a name.
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

/// True if a model is named as a file.
pub fn is_file(model: &str) -> bool {
    model.ends_with(".toml")
}

/// Resolves the path of a model file, which is relative to the file that names it.
fn resolve(model: &mut String, place: &Place) {
    if is_file(model)
        && let Some(folder) = Path::new(&place.file).parent()
    {
        *model = folder.join(&*model).display().to_string();
    }
}
