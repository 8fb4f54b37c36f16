//! The twin's review beside the original's, test by test.

use std::collections::BTreeSet;

use serde::Serialize;
use stend_analysis::compare::{Row, Side, key_rows, point_rows};
use stend_record::review::Review;

/// The errors of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestErrors {
    /// Id of the test.
    pub test: String,
    /// Whether the model was fitted to figures of it.
    pub used: bool,
    /// Figures of both reviews.
    pub figures: usize,
    /// Median of the errors' sizes, as shares of the original's figures.
    pub error_median: f64,
    /// The largest.
    pub error_worst: f64,
    /// Whose figure that is.
    pub worst: String,
}

/// A figure of both reviews.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureError {
    /// Id of the test.
    pub test: String,
    /// Which.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Of the original.
    pub original: f64,
    /// Of the twin.
    pub twin: f64,
    /// How far the twin's is from it, as a share of the original's.
    pub error: f64,
}

/// Errors of all tests, and of all figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Errors {
    /// By test, in the order of the review.
    pub tests: Vec<TestErrors>,
    /// Every figure.
    pub figures: Vec<FigureError>,
    /// Median over the figures of the tests that were fitted to; `None` where there is none.
    pub error_median_used: Option<f64>,
    /// Median over those of the others.
    pub error_median_unused: Option<f64>,
}

/// Sets the twin's review beside the original's: points of the tests that have points, key figures
/// of the others. `used` are the ids of the tests that were fitted to.
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
        name: row.name.clone(),
        unit: row.unit.key(),
        original,
        twin,
        error,
    })
}

/// The median of errors' sizes.
fn median<'a>(figures: impl Iterator<Item = &'a FigureError>) -> Option<f64> {
    let mut errors: Vec<f64> = figures.map(|figure| figure.error.abs()).collect();
    errors.sort_by(f64::total_cmp);
    match errors.len() {
        0 => None,
        len if len % 2 == 1 => Some(errors[len / 2]),
        len => Some(f64::midpoint(errors[len / 2 - 1], errors[len / 2])),
    }
}
