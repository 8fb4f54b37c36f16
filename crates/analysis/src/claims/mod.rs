//! Published findings as data, and whether measured drives bear them out.
//!
//! An [`Article`] is read from a file (`docs/claims-format.md`): figures, which say what a
//! black-box test shows of one drive ([`figure`]), and findings, each with checks that
//! compare such figures ([`judge`](judge())). What a drive is made of is never looked at: the same
//! finding can be put to a simulated drive and to a real one.

mod figure;
mod judge;
mod parse;
mod reading;

use std::collections::{BTreeMap, BTreeSet};

pub use figure::{
    Aggregate, CurveMetric, Figure, Missing, Of, OfBenchmark, OfCurve, OfFiles, OfPoints,
    OfResponse, OfTraces, PointMetric, ResponseMetric,
};
pub use judge::{Comparison, JudgedCheck, JudgedFinding, Outcome, judge};

use stend_record::review::{Review, TargetInfo, TestResult};

/// The schema that a file names.
pub const SCHEMA: &str = "stend.article/1";

/// Articles that are part of the program: name and text.
const SHIPPED: &[(&str, &str)] = stend_config::shipped!(
    "claims": "sandisk-ultra-ii", "toshiba-q300-pro", "wd-blue-3d", "intel-ssd-750", "samsung-sm863"
);

/// The tolerance that the word "about" stands for, percent of the value.
pub const ABOUT_PERCENT: f64 = 10.0;

/// What one article found, in checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Article {
    /// Its name.
    pub id: String,
    /// For people.
    pub title: String,
    /// The edition by which all of it was measured: an id, or a file as it is named.
    pub edition: String,
    /// The line of the file that names it.
    pub edition_line: usize,
    /// The drives that it is about.
    pub subjects: Vec<String>,
    /// Those that they were compared with.
    pub rivals: Vec<String>,
    /// What is looked at, by name.
    pub figures: BTreeMap<String, Figure>,
    /// What was found.
    pub findings: Vec<Finding>,
}

/// One finding. It holds when all of its checks do.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Its name within the article.
    pub id: String,
    /// The finding in words.
    pub text: String,
    /// What of it no check looks at, and why.
    pub not_checked: Option<String>,
    /// Why it does not hold, as far as that is known; said only where it does not.
    pub when_not: Option<String>,
    /// What is tried where it does not hold.
    pub experiments: Vec<Experiment>,
    /// At least one.
    pub checks: Vec<Check>,
}

/// Other values of a figure of a drive, with which a finding is checked again.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The drive.
    pub drive: String,
    /// Table of its figure.
    pub table: String,
    /// Key of its figure.
    pub key: String,
    /// The values, in the unit that ends the key; of a list, each of all entries.
    pub values: Vec<f64>,
    /// The line of the file that names the figure.
    pub line: usize,
}

/// One check of a finding: a relation that a figure has on each of some drives.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Name of the figure.
    pub figure: String,
    /// The drives, each of which must pass.
    pub drives: Vec<String>,
    /// What must be true of it.
    pub relation: Relation,
    /// How the article's words were read where they leave it open.
    pub reading: Option<String>,
}

/// What must be true of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// It lies within bounds.
    Value(Bounds),
    /// It is a multiple, within bounds, of a figure of the same or of other drives.
    Ratio {
        /// Name of the other figure.
        figure: String,
        /// Of which drives; `None` for the same drive.
        against: Option<Vec<String>>,
        /// How several of them count.
        by: By,
        /// Of the multiple.
        bounds: Bounds,
    },
    /// It is more, or less, than that of every other one of these drives.
    Order {
        /// Whether it is more.
        more: bool,
        /// Which drives.
        than: Vec<String>,
    },
    /// Its place among these drives, of which the first has the most.
    Place {
        /// Which drives; the drive itself belongs to them.
        among: Vec<String>,
        /// The greatest number it may have.
        at_most: Option<usize>,
        /// The least.
        at_least: Option<usize>,
    },
}

/// How the figures of several drives count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Each for itself: all must pass.
    #[default]
    Each,
    /// The greatest.
    Greatest,
    /// The least.
    Least,
    /// Their mean.
    Mean,
}

/// Bounds of a number, all of which hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// This value, within a tolerance.
    pub about: Option<f64>,
    /// The tolerance, percent of the value; [`ABOUT_PERCENT`] where it is not stated.
    pub tolerance_percent: Option<f64>,
    /// More than this.
    pub above: Option<f64>,
    /// Less than this.
    pub below: Option<f64>,
    /// This or more.
    pub at_least: Option<f64>,
    /// This or less.
    pub at_most: Option<f64>,
}

impl Bounds {
    /// The tolerance of [`Bounds::about`], percent of the value.
    fn about_percent(&self) -> f64 {
        self.tolerance_percent.unwrap_or(ABOUT_PERCENT)
    }

    /// Whether a number lies within. What is no number does not.
    pub fn hold(&self, value: f64) -> bool {
        let percent = self.about_percent();
        let about = |middle: f64| (value - middle).abs() <= middle.abs() * percent / 100.0;
        value.is_finite()
            && self.about.is_none_or(about)
            && self.above.is_none_or(|bound| value > bound)
            && self.below.is_none_or(|bound| value < bound)
            && self.at_least.is_none_or(|bound| value >= bound)
            && self.at_most.is_none_or(|bound| value <= bound)
    }
}

/// What was measured of a drive.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'r> {
    /// Which.
    pub target: &'r TargetInfo,
    /// Its finished tests.
    pub tests: &'r [TestResult],
}

/// Measured drives by the names that articles use.
pub type Drives<'r> = BTreeMap<String, Measured<'r>>;

impl Article {
    /// Names of the articles that are part of the program.
    pub fn shipped() -> Vec<&'static str> {
        SHIPPED.iter().map(|(name, _)| *name).collect()
    }

    /// The text of a shipped article.
    pub fn shipped_text(name: &str) -> Option<&'static str> {
        let found = SHIPPED.iter().find(|(shipped, _)| *shipped == name);
        found.map(|(_, text)| *text)
    }

    /// Reads an article; `file` is its name in errors.
    ///
    /// # Errors
    /// Where it is no TOML, has an unknown key, or contradicts itself: with file, line and key.
    pub fn parse(text: &str, file: &str) -> Result<Article, stend_config::FileError> {
        parse::parse(text, file)
    }

    /// The names of the figures that its checks need, by drive.
    pub fn needs(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut needs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for check in self.findings.iter().flat_map(|finding| &finding.checks) {
            for (drive, figure) in check.looks_at() {
                needs.entry(drive).or_default().insert(figure);
            }
        }
        needs
    }
}

impl Check {
    /// Every drive and figure of it.
    fn looks_at(&self) -> Vec<(&str, &str)> {
        let own = self.drives.iter().map(|drive| (drive, &self.figure));
        let (others, figure) = match &self.relation {
            Relation::Value(_) => (None, &self.figure),
            Relation::Ratio {
                figure, against, ..
            } => (Some(against.as_ref().unwrap_or(&self.drives)), figure),
            Relation::Order { than, .. } => (Some(than), &self.figure),
            Relation::Place { among, .. } => (Some(among), &self.figure),
        };
        let others = others.into_iter().flatten().map(|drive| (drive, figure));
        own.chain(others)
            .map(|(drive, figure)| (drive.as_str(), figure.as_str()))
            .collect()
    }
}

/// The shipped articles by whose edition a review was made, at its own durations, and of whose
/// subjects a drive is in it; each with its findings as far as these drives answer them.
///
/// None of a review that was shortened, read only, or brought to a steady state: it is not the
/// articles' procedure.
pub fn published(review: &Review) -> Vec<(Article, Drives<'_>)> {
    if review.duration_scale != 1.0 || review.read_only || review.until_steady.is_some() {
        return Vec::new();
    }
    let reviewed = Measured {
        target: &review.target,
        tests: &review.tests,
    };
    let rivals = review.rivals.iter().map(|rival| Measured {
        target: &rival.target,
        tests: &rival.tests,
    });
    let drives: Drives<'_> = std::iter::once(reviewed)
        .chain(rivals)
        .map(|drive| (drive.target.name.clone(), drive))
        .collect();
    let about = |article: &Article| {
        article.edition == review.edition
            && article
                .subjects
                .iter()
                .any(|subject| drives.contains_key(subject))
    };
    SHIPPED
        .iter()
        .filter_map(|(name, text)| Article::parse(text, name).ok())
        .filter(about)
        .map(|article| (article, drives.clone()))
        .collect()
}
