//! Compares predictions with measured figures.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use stend_experiment::{Metric, Threads};
use stend_model::Model;

use crate::measured::{Ask, Expected, Measured, RelationKind};
use crate::predictions::{Models, Predictions, test_runs};

/// Outcome of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A model answered it.
    Answered(Answer),
    /// No model answered it, for this reason.
    Unanswered(String),
}

impl Outcome {
    /// The model's answer, if there is one.
    pub fn answer(&self) -> Option<&Answer> {
        match self {
            Outcome::Answered(answer) => Some(answer),
            Outcome::Unanswered(_) => None,
        }
    }
}

/// A model's answer to a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The figure, in the row's unit; for a ratio, the ratio.
    pub predicted: f64,
    /// Deviation from the measured figure, as a share of it, negative if the prediction is too low.
    /// For a bound, the distance to the bound; for a difference to another drive, the deviation
    /// from the figure that results from it.
    pub error: f64,
    /// For a variant of another capacity, the model it was made from.
    pub variant_of: Option<String>,
}

/// Median error of a group of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Median {
    /// The model or metric.
    pub name: String,
    /// Rows answered.
    pub count: usize,
    /// Median of the absolute errors.
    pub error: f64,
}

/// Predictions compared with measured figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Outcome of each row of [`Measured::rows`], with its index.
    pub rows: Vec<(usize, Outcome)>,
    /// Medians by model.
    pub by_model: Vec<Median>,
    /// Medians by metric.
    pub by_metric: Vec<Median>,
    /// Median over all rows answered; `None` if none was.
    pub overall: Option<Median>,
}

/// Parameters of a comparison.
pub struct Comparing<'a> {
    /// Returns the model of a name.
    pub model: &'a dyn Fn(&str) -> Option<Model>,
    /// True if the row of an index is compared.
    pub only: &'a dyn Fn(usize) -> bool,
    /// Seed of every random choice.
    pub seed: u64,
    /// Number of drives that are tested at a time.
    pub threads: Threads,
    /// Called when a drive has been tested in a state, with the number done and the total.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Runs the tests that the rows need, each once, and compares the results.
pub fn compare(measured: &Measured, with: &Comparing<'_>) -> Comparison {
    let rows: Vec<usize> = (0..measured.rows.len())
        .filter(|row| (with.only)(*row))
        .collect();
    let test_runs = test_runs(measured, &rows);
    let models = Models::find(measured, &test_runs, with.model);
    let there = test_runs
        .into_iter()
        .filter_map(|test_run| Some((models.get(&test_run.model)?, test_run)));
    let mut there: Vec<_> = there.collect();
    // The largest first, so that it does not run alone at the end.
    there.sort_by_key(|(model, _)| std::cmp::Reverse(model.capacity.user_bytes.value));
    let (all, done) = (there.len(), AtomicUsize::new(0));
    let (seed, progress) = (with.seed, with.progress);
    let results = with.threads.map(all, |index| {
        let (model, test_run) = &there[index];
        let results = match test_run.batch(measured, model, seed) {
            Ok(batch) => test_run.named(batch.run()),
            Err(reason) => test_run.failed(&reason),
        };
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
        results
    });
    let predictions: Predictions = results.into_iter().flatten().collect();
    let outcome = |row: &usize| (*row, outcome(measured, *row, &predictions, &models));
    summed_up(measured, rows.iter().map(outcome).collect())
}

/// Computes the medians of the outcomes.
fn summed_up(measured: &Measured, rows: Vec<(usize, Outcome)>) -> Comparison {
    let errors = |key: &dyn Fn(usize) -> Option<String>| {
        let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (row, outcome) in &rows {
            if let (Some(answer), Some(key)) = (outcome.answer(), key(*row)) {
                groups.entry(key).or_default().push(answer.error.abs());
            }
        }
        let medians = groups.into_iter().filter_map(|(name, errors)| {
            let count = errors.len();
            median(errors).map(|error| Median { name, count, error })
        });
        medians.collect::<Vec<_>>()
    };
    let metric = |row: usize| {
        let ask = measured.rows[row].ask.as_ref().ok()?;
        Some(measured.tests[ask.test].figures[ask.figure].metric.clone())
    };
    Comparison {
        by_model: errors(&|row| measured.rows[row].model.clone()),
        by_metric: errors(&metric),
        overall: errors(&|_| Some("all".to_owned())).pop(),
        rows,
    }
}

/// Median of the figures: the middle one, or the mean of the two in the middle.
pub fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    match figures.len() {
        0 => None,
        n if n % 2 == 1 => Some(figures[middle]),
        _ => Some((figures[middle - 1] + figures[middle]) / 2.0),
    }
}

/// Outcome of a row, from the predictions.
pub(crate) fn outcome(
    measured: &Measured,
    row: usize,
    predictions: &Predictions,
    models: &Models,
) -> Outcome {
    let row = &measured.rows[row];
    let name = row.model.as_deref().unwrap_or_default();
    let answer = match &row.ask {
        Ok(ask) => answer(measured, name, ask, predictions, models),
        Err(reason) => Err(reason.clone()),
    };
    match answer {
        Ok(answer) => Outcome::Answered(answer),
        Err(reason) => Outcome::Unanswered(reason),
    }
}

fn answer(
    measured: &Measured,
    name: &str,
    ask: &Ask,
    predictions: &Predictions,
    models: &Models,
) -> Result<Answer, String> {
    let figure = |model: &str| {
        let key = (model.to_owned(), ask.state, ask.test);
        let figures = predictions.get(&key);
        let figures = figures.ok_or_else(|| models.reason(model))?;
        let figures = figures.as_ref().map_err(|error| error.clone())?;
        let missing = match measured.tests[ask.test].figures[ask.figure].figure.metric {
            Metric::Power => "the model has no energy",
            _ => "the model's result does not show it",
        };
        let figure = figures[ask.figure].ok_or_else(|| missing.to_owned())?;
        Ok::<f64, String>(figure / ask.unit.in_base)
    };
    let own = figure(name)?;
    let (predicted, error) = match &ask.relation {
        None => (own, ask.expected.error(own)),
        Some(relation) => related(relation.kind, &ask.expected, own, figure(&relation.model)?),
    };
    Ok(Answer {
        predicted,
        error,
        variant_of: models.variant_of(name),
    })
}

/// Prediction of a relation to another drive's figure, and its error.
fn related(kind: RelationKind, expected: &Expected, own: f64, other: f64) -> (f64, f64) {
    match kind {
        RelationKind::Ratio => (own / other, expected.error(own / other)),
        RelationKind::Difference => {
            let asked = expected.map(|difference| other + difference);
            (own - other, asked.error(own))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn errors_of_bounds_and_relations() {
        assert_eq!(Expected::Value(100.0).error(90.0), -0.1);
        let between = Expected::Between {
            low: Some(100.0),
            high: Some(200.0),
        };
        assert_eq!(between.error(150.0), 0.0);
        assert_eq!(between.error(50.0), -0.5);
        assert_eq!(between.error(300.0), 0.5);
        let half = Expected::Value(0.5);
        assert_eq!(
            related(RelationKind::Ratio, &half, 30.0, 50.0),
            (0.6, 0.19999999999999996)
        );
        let less = Expected::Value(-20.0);
        assert_eq!(
            related(RelationKind::Difference, &less, 40.0, 50.0),
            (-10.0, 1.0 / 3.0)
        );
    }
}
