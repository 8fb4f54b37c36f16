//! Published findings as data, and their check against measured drives.
//!
//! An [`Article`] is read from a file (`docs/claims-format.md`). It has figures, each a number that
//! a black-box test measures on one drive ([`figure`]), and findings, each with checks that compare
//! such figures ([`judge`](judge())). Findings never depend on a drive's internals, so the same
//! finding applies to simulated and to real drives.
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

/// Schema name that a file must state.
pub const SCHEMA: &str = "stend.article/1";

/// Articles that are part of the program: name and text.
const SHIPPED: &[(&str, &str)] = stend_config::shipped!(
    "claims": "sandisk-ultra-ii", "toshiba-q300-pro", "wd-blue-3d", "intel-ssd-750", "samsung-sm863"
);

/// The tolerance that the word "about" stands for, percent of the value.
pub const ABOUT_PERCENT: f64 = 10.0;

/// The findings of one article, as checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Article {
    /// Its name.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// Edition by which everything was measured: an id, or a file path as the article names it.
    pub edition: String,
    /// Line of the article's file that names the edition.
    pub edition_line: usize,
    /// Drives that the article is about.
    pub subjects: Vec<String>,
    /// Drives that they were compared with.
    pub rivals: Vec<String>,
    /// Figures by name.
    pub figures: BTreeMap<String, Figure>,
    /// Findings.
    pub findings: Vec<Finding>,
}

/// One finding. It holds if all of its checks hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Name within the article.
    pub id: String,
    /// The finding in words.
    pub text: String,
    /// Part of the text that no check covers, and why.
    pub not_checked: Option<String>,
    /// Known reason why it does not hold; printed only if it does not.
    pub when_not: Option<String>,
    /// Experiments to run if it does not hold.
    pub experiments: Vec<Experiment>,
    /// Checks; at least one.
    pub checks: Vec<Check>,
}

/// Other values of a figure of a drive model, with which a finding is checked again.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Name of the drive.
    pub drive: String,
    /// Table of the figure.
    pub table: String,
    /// Key of the figure.
    pub key: String,
    /// Values to try, in the unit that ends the key; for a list, each applies to all entries.
    pub values: Vec<f64>,
    /// Line of the article's file that names the figure.
    pub line: usize,
}

/// One check of a finding: a relation that a figure must satisfy on each of some drives.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Name of the figure.
    pub figure: String,
    /// The drives, each of which must pass.
    pub drives: Vec<String>,
    /// Relation that must hold.
    pub relation: Relation,
    /// The chosen reading of words that the article leaves open.
    pub reading: Option<String>,
}

/// Relation that a figure must satisfy.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// It lies within bounds.
    Value(Bounds),
    /// It is a multiple, within bounds, of a figure of the same drive or of other drives.
    Ratio {
        /// Name of the other figure.
        figure: String,
        /// Drives with the other figure; `None` for the same drive.
        against: Option<Vec<String>>,
        /// Aggregation of several drives.
        by: By,
        /// Bounds of the multiple.
        bounds: Bounds,
    },
    /// It is greater, or less, than that of every other one of these drives.
    Order {
        /// True for greater, false for less.
        more: bool,
        /// Drives to compare with.
        than: Vec<String>,
    },
    /// Its place among these drives; the first has the greatest figure.
    Place {
        /// Drives to rank; they include the drive itself.
        among: Vec<String>,
        /// Greatest allowed place.
        at_most: Option<usize>,
        /// Least allowed place.
        at_least: Option<usize>,
    },
}

/// Aggregation of the figures of several drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Each drive on its own: all must pass.
    #[default]
    Each,
    /// The greatest.
    Greatest,
    /// The least.
    Least,
    /// Their mean.
    Mean,
}

/// Bounds of a number; all must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// This value, within a tolerance.
    pub about: Option<f64>,
    /// Tolerance, percent of the value; [`ABOUT_PERCENT`] if `None`.
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
    /// Returns the tolerance of [`Bounds::about`], percent of the value.
    fn about_percent(&self) -> f64 {
        self.tolerance_percent.unwrap_or(ABOUT_PERCENT)
    }

    /// True if a number lies within the bounds. NaN and infinities do not.
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

/// Measurements of a drive.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'r> {
    /// The drive.
    pub target: &'r TargetInfo,
    /// Its finished tests.
    pub tests: &'r [TestResult],
}

/// Measured drives by the names that articles use.
pub type Drives<'r> = BTreeMap<String, Measured<'r>>;

impl Article {
    /// Returns the names of the articles that are part of the program.
    pub fn shipped() -> Vec<&'static str> {
        SHIPPED.iter().map(|(name, _)| *name).collect()
    }

    /// Returns the text of a shipped article.
    pub fn shipped_text(name: &str) -> Option<&'static str> {
        let found = SHIPPED.iter().find(|(shipped, _)| *shipped == name);
        found.map(|(_, text)| *text)
    }

    /// Parses an article; `file` is its name in errors.
    ///
    /// # Errors
    /// If the text is not TOML, has an unknown key or contradicts itself: with file, line and key.
    pub fn parse(text: &str, file: &str) -> Result<Article, stend_config::FileError> {
        parse::parse(text, file)
    }

    /// Returns the names of the figures that its checks need, by drive.
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
    /// Returns every drive and figure that the check uses.
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

/// Returns the shipped articles of the review's edition whose subjects include the reviewed drive,
/// each with all drives of the review.
///
/// Returns none for a review that was shortened, read only, or brought to a steady state, because
/// it did not follow the articles' procedure.
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
        article.edition == review.edition && article.subjects.contains(&review.target.name)
    };
    SHIPPED
        .iter()
        .filter_map(|(name, text)| Article::parse(text, name).ok())
        .filter(about)
        .map(|article| (article, drives.clone()))
        .collect()
}
