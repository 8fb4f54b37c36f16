//! A study: variants of drives, jobs and tests, and the outcomes of each, as one table.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A study and its results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// Short name, as in names of files.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Question of the study; empty if it has none.
    pub description: String,
    /// Choice of the variants: `grid`, `sobol`, `latin-hypercube`.
    pub design: String,
    /// Factor on the duration of every measurement of tests of editions; jobs keep their length.
    pub duration_scale: f64,
    /// The study as it was defined, without references to files (JSON).
    pub definition: String,
    /// Names of the factors, in their order.
    pub factors: Vec<String>,
    /// Names of the outcomes, in the order in which they appeared.
    pub outcomes: Vec<String>,
    /// The rows, by number.
    pub rows: Vec<StudyRow>,
    /// Effects of each factor on each outcome.
    pub effects: Vec<Effect>,
}

/// A study as a separate JSON document.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    #[serde(flatten)]
    study: &'a Study,
}

impl Study {
    /// The study with its schema.
    pub fn document(&self) -> Document<'_> {
        Document {
            schema: "stend.study-result/1",
            study: self,
        }
    }
}

/// One variant under one job or test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StudyRow {
    /// Number, from 0: models, then variants, then seeds, then jobs and tests.
    pub number: u64,
    /// Name of the model.
    pub model: String,
    /// Values of the factors, in their order.
    pub factors: Vec<Cell>,
    /// Root seed of the row.
    pub seed: u64,
    /// Name of the job or test.
    pub job: String,
    /// The outcomes, in their order; outcomes without a value are missing.
    pub outcomes: Vec<(String, f64)>,
    /// Reason why there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl StudyRow {
    /// The value of an outcome, if the row has it.
    pub fn outcome(&self, name: &str) -> Option<f64> {
        let mut outcomes = self.outcomes.iter();
        outcomes
            .find(|(other, _)| other == name)
            .map(|(_, value)| *value)
    }
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(String),
    /// No value.
    Empty,
}

impl Cell {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Whole(whole) => Some(*whole as f64),
            Cell::Real(real) => Some(*real),
            _ => None,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Flag(flag) => write!(f, "{flag}"),
            Cell::Whole(whole) => write!(f, "{whole}"),
            Cell::Real(real) => write!(f, "{real}"),
            Cell::Text(text) => f.write_str(text),
            Cell::Empty => Ok(()),
        }
    }
}

/// Effect of a factor on an outcome, over the rows of one job or test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The job or test.
    pub job: String,
    /// The outcome.
    pub outcome: String,
    /// The factor; `model` and `seed` count as factors if there are several.
    pub factor: String,
    /// Share of the outcome's variance that the means of the levels explain, 0 to 1, corrected for
    /// the share explained by chance (epsilon squared: Kelley, "An unbiased correlation ratio
    /// measure", PNAS 21, 1935); `None` if each level has one row.
    pub variance_share: Option<f64>,
    /// The levels, in the order of the factor's values.
    pub levels: Vec<EffectLevel>,
}

/// The rows of one level of a factor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EffectLevel {
    /// The level; for a range that is drawn from, the ends of a part of it.
    pub label: String,
    /// Position among the numbers of the factor; `None` for words.
    pub at: Option<f64>,
    /// Number of rows with the outcome.
    pub rows: u64,
    /// Mean of the outcome.
    pub mean: f64,
    /// Minimum of the outcome.
    pub min: f64,
    /// Maximum of the outcome.
    pub max: f64,
}
