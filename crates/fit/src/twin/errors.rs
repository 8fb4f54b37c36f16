//! Compares the twin's review with the original's, test by test.

use std::collections::BTreeSet;

use serde::Serialize;
use stend_analysis::compare::{Row, Side, key_rows, point_rows};
use stend_analysis::figure_name;
use stend_record::review::Review;

/// Median error of a test, as a share, from which on the twin is reported as different from its
/// drive.
pub const POOR: f64 = 0.15;

/// Errors of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestErrors {
    /// Id of the test.
    pub test: String,
    /// True if the model was fitted to figures of the test.
    pub used: bool,
    /// Number of figures that both reviews have.
    pub figures: usize,
    /// Median of the absolute errors, as shares of the original's figures.
    pub error_median: f64,
    /// Largest absolute error.
    pub error_worst: f64,
    /// Name of that figure.
    pub worst: String,
}

/// A figure that both reviews have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureError {
    /// Id of the test.
    pub test: String,
    /// Name of the figure.
    pub name: String,
    /// Unit of the figure.
    pub unit: &'static str,
    /// Value of the original.
    pub original: f64,
    /// Value of the twin.
    pub twin: f64,
    /// Difference of the twin's value, as a share of the original's.
    pub error: f64,
}

/// Errors of all tests, and of all figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Errors {
    /// By test, in the order of the review.
    pub tests: Vec<TestErrors>,
    /// All figures.
    pub figures: Vec<FigureError>,
    /// Median over the figures of the tests used for fitting; `None` if there are none.
    pub error_median_used: Option<f64>,
    /// Median over the figures of the other tests.
    pub error_median_unused: Option<f64>,
}

impl Errors {
    /// Warning about tests in which the twin differs from the drive; `None` if there are none.
    pub fn warning(&self) -> Option<String> {
        let poor = self.tests.iter().filter(|test| test.error_median >= POOR);
        let poor: Vec<String> = poor
            .map(|test| format!("{} ({})", test.test, percent(test.error_median)))
            .collect();
        if poor.is_empty() {
            return None;
        }
        let of_fitted = self.error_median_used.unwrap_or(0.0) >= POOR;
        let why = match of_fitted {
            true => {
                "Not even what it was fitted to agrees: the parts are not the drive's, or it does \
                 what no model of stend can."
            }
            false => "Other tests agree.",
        };
        Some(format!(
            "the twin does not answer as the drive in {} of {} tests, by their median errors: {}. \
             {why} Do not trust it with such loads",
            poor.len(),
            self.tests.len(),
            poor.join(", ")
        ))
    }

    /// Describes the medians.
    pub fn summary(&self) -> String {
        let told = |median: Option<f64>| median.map_or("-".to_owned(), percent);
        let [used, unused] = [self.error_median_used, self.error_median_unused].map(told);
        match self.tests.iter().any(|test| test.used) {
            true => {
                format!("median error: {used} in tests that were fitted to, {unused} in the others")
            }
            false => format!("median error: {unused} in tests none of which was fitted to"),
        }
    }

    /// Adds the errors to the description in the text of a twin, which every list and report shows.
    pub fn told_in(&self, text: &str) -> String {
        let mut more = format!(" Its {}.", self.summary());
        if let Some(warning) = self.warning() {
            more += &format!(" Warning: {warning}.");
        }
        let line = |line: &str| {
            let table: toml::Table = match line.starts_with("description = ") {
                true => line.parse().unwrap_or_default(),
                false => return line.to_owned(),
            };
            match table.get("description").and_then(toml::Value::as_str) {
                Some(own) => format!(
                    "description = {}",
                    toml::Value::from(own.to_owned() + &more)
                ),
                None => line.to_owned(),
            }
        };
        let lines: Vec<String> = text.lines().map(line).collect();
        lines.join("\n") + "\n"
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Compares the twin's review with the original's: points of the tests with points, key figures of
/// the others. `used` are the ids of the tests used for fitting.
pub fn errors(original: &Review, twin: &Review, used: &BTreeSet<String>) -> Errors {
    let side = |review| Side { review, facts: &[] };
    let sides = [side(original), side(twin)];
    let points = point_rows(&sides);
    let has_points = |id: &str| points.iter().any(|row| row.test_id == id);
    let others = key_rows(&sides).into_iter();
    let others: Vec<Row> = others.filter(|row| !has_points(&row.test_id)).collect();
    let rows = points.iter().chain(&others);
    let figures: Vec<FigureError> = rows.filter_map(error_of).collect();
    let of_test = |id: &String| {
        let of = figures.iter().filter(|figure| figure.test == *id);
        let of: Vec<&FigureError> = of.collect();
        let worst = of
            .iter()
            .max_by(|a, b| a.error.abs().total_cmp(&b.error.abs()))?;
        Some(TestErrors {
            test: id.clone(),
            used: used.contains(id),
            figures: of.len(),
            error_median: median(of.iter().copied())?,
            error_worst: worst.error.abs(),
            worst: worst.name.clone(),
        })
    };
    let ids = original.tests.iter().map(|test| &test.id);
    let of = |is_used: bool| median(figures.iter().filter(|f| used.contains(&f.test) == is_used));
    Errors {
        tests: ids.filter_map(of_test).collect(),
        error_median_used: of(true),
        error_median_unused: of(false),
        figures,
    }
}

fn error_of(row: &Row) -> Option<FigureError> {
    let (original, twin) = (row.values[0]?, row.values[1]?);
    let error = (twin - original) / original;
    error.is_finite().then(|| FigureError {
        test: row.test_id.clone(),
        name: figure_name(&row.figure),
        unit: row.unit.key(),
        original,
        twin,
        error,
    })
}

/// Median of the absolute errors.
fn median<'a>(figures: impl Iterator<Item = &'a FigureError>) -> Option<f64> {
    crate::compare::median(figures.map(|figure| figure.error.abs()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(medians: &[(&str, bool, f64)], used: f64) -> Errors {
        let test = |(test, used, error_median): &(&str, bool, f64)| TestErrors {
            test: (*test).to_owned(),
            used: *used,
            figures: 2,
            error_median: *error_median,
            error_worst: 0.9,
            worst: "a figure".to_owned(),
        };
        Errors {
            tests: medians.iter().map(test).collect(),
            figures: Vec::new(),
            error_median_used: Some(used),
            error_median_unused: Some(0.1),
        }
    }

    #[test]
    fn a_twin_that_is_far_off_says_so_in_its_file() {
        let good = of(&[("random", true, 0.02), ("mixed", false, 0.1)], 0.02);
        assert_eq!(good.warning(), None);
        let text = "name = \"a\"\ndescription = \"A model \\\"x\\\".\"\n[nand]\n";
        let told: toml::Table = good.told_in(text).parse().unwrap();
        let told = told["description"].as_str().unwrap();
        assert!(
            told.starts_with("A model \"x\". Its median error: 2.0 %"),
            "{told}"
        );
        assert!(!told.contains("Warning"), "{told}");

        let far = of(&[("random", true, 0.56), ("mixed", false, 0.1)], 0.56);
        let told = far.told_in(text);
        for words in [
            "Warning",
            "1 of 2 tests",
            "random (56.0 %)",
            "Not even what it was fitted",
        ] {
            assert!(told.contains(words), "{words}: {told}");
        }
        let one = of(&[("random", true, 0.02), ("mixed", false, 0.3)], 0.02);
        let told = one.warning().unwrap();
        assert!(
            told.contains("mixed (30.0 %)") && told.contains("Other tests agree"),
            "{told}"
        );
    }
}
