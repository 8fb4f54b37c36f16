//! Predicted against measured.

use std::collections::BTreeMap;

use rayon::prelude::*;
use stend_drive::Model;
use stend_target::SimulatedTarget;

use crate::measured::{Ask, Expected, Measured, RelationKind};
use crate::predict::{measure, prepare, vary};

/// What became of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A model answered it.
    Answered(Answer),
    /// None did, for this reason.
    Unanswered(String),
}

/// What a model answers to a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The figure, in the row's unit; of a ratio, the ratio.
    pub predicted: f64,
    /// What it misses the measured one by: a share of that, below nothing if it is too low. Of a
    /// bound, the distance to it; of a difference to another drive, that to the figure that is
    /// asked for.
    pub error: f64,
    /// The model it was made from, for a variant of another capacity.
    pub variant_of: Option<String>,
}

/// Errors of a group of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Median {
    /// The drive or metric.
    pub name: String,
    /// Rows answered.
    pub count: usize,
    /// The median of the errors' sizes.
    pub error: f64,
}

/// Predicted against measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What became of each row of [`Measured::rows`], by its index.
    pub rows: Vec<(usize, Outcome)>,
    /// By drive.
    pub by_drive: Vec<Median>,
    /// By metric.
    pub by_metric: Vec<Median>,
    /// Of all rows answered; `None` if none was.
    pub overall: Option<Median>,
}

/// How models are found and runs are told of.
pub struct Comparing<'a> {
    /// The model of a name.
    pub model: &'a (dyn Fn(&str) -> Option<Model> + Sync),
    /// Only rows that it says yes to, by their index.
    pub only: &'a (dyn Fn(usize) -> bool + Sync),
    /// Root of every random choice.
    pub seed: u64,
    /// Called when a drive has been tested in a state: how many have, and of how many.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Figures of a test on a model in a state, in the base of their quantities; or why there are none.
type Figures = Result<Vec<Option<f64>>, String>;

/// A drive in a state, and the tests that begin there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Station {
    model: String,
    state: usize,
}

/// Predictions of all that is asked, by model, state and test.
type Predictions = BTreeMap<(String, usize, usize), Figures>;

/// Runs the tests that the rows ask for, each once, and compares.
pub fn compare(measured: &Measured, with: &Comparing<'_>) -> Comparison {
    let rows: Vec<usize> = (0..measured.rows.len())
        .filter(|row| (with.only)(*row))
        .collect();
    let predictions = predict(measured, &rows, with);
    let outcome = |row: &usize| (*row, self::outcome(measured, *row, &predictions, with));
    let rows: Vec<(usize, Outcome)> = rows.iter().map(outcome).collect();
    let errors = |key: &dyn Fn(usize) -> Option<String>| {
        let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (row, outcome) in &rows {
            if let (Outcome::Answered(answer), Some(key)) = (outcome, key(*row)) {
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
        by_drive: errors(&|row| Some(measured.rows[row].drive.clone())),
        by_metric: errors(&metric),
        overall: errors(&|_| Some("all".to_owned())).pop(),
        rows,
    }
}

/// The middle of the figures, or the mean of the two in the middle.
pub fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    match figures.len() {
        0 => None,
        n if n % 2 == 1 => Some(figures[middle]),
        _ => Some((figures[middle - 1] + figures[middle]) / 2.0),
    }
}

/// Each drive is brought into each state once; its tests begin from copies.
fn predict(measured: &Measured, rows: &[usize], with: &Comparing<'_>) -> Predictions {
    let mut stations: BTreeMap<Station, Vec<usize>> = BTreeMap::new();
    let asks = rows.iter().filter_map(|row| {
        let row = &measured.rows[*row];
        Some((row.model.as_ref()?, row.ask.as_ref().ok()?))
    });
    for (model, ask) in asks {
        let others = ask.relation.as_ref().map(|relation| &relation.model);
        for model in [Some(model), others].into_iter().flatten() {
            let station = Station {
                model: model.clone(),
                state: ask.state,
            };
            let tests = stations.entry(station).or_default();
            if !tests.contains(&ask.test) {
                tests.push(ask.test);
            }
        }
    }
    let mut stations: Vec<(Station, Vec<usize>, Model)> = stations
        .into_iter()
        .filter_map(|(station, tests)| {
            let (model, _) = find(measured, &station.model, with)?;
            Some((station, tests, model))
        })
        .collect();
    // The largest first, so that no thread is left with it in the end.
    stations.sort_by_key(|(_, _, model)| {
        std::cmp::Reverse(stend_drive::model::Value::get(&model.capacity.user_bytes))
    });
    let all = stations.len();
    let done = std::sync::atomic::AtomicUsize::new(0);
    // One at a time to each thread: a drive takes gigabytes of memory.
    let results = stations.into_par_iter().with_max_len(1).map(|station| {
        let results = at_station(measured, station, with.seed);
        let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        (with.progress)(done, all);
        results
    });
    results.flatten_iter().collect()
}

/// The model of a name, or its variant, with the name of what that was made from.
fn find(
    measured: &Measured,
    name: &str,
    with: &Comparing<'_>,
) -> Option<(Model, Option<String>)> {
    if let Some(model) = (with.model)(name) {
        return Some((model, None));
    }
    let variant = measured.variants.iter().find(|v| v.name == name)?;
    let model = (with.model)(&variant.of)?;
    Some((vary(model, variant), Some(variant.of.clone())))
}

fn at_station(
    measured: &Measured,
    (station, tests, model): (Station, Vec<usize>, Model),
    seed: u64,
) -> Vec<((String, usize, usize), Figures)> {
    let state = &measured.states[station.state];
    let key = |test: usize| (station.model.clone(), station.state, test);
    let mut prepared = match prepare(model, state, seed) {
        Ok(target) => Some(target),
        Err(error) => {
            let failed = |test: &usize| (key(*test), Err(error.to_string()));
            return tests.iter().map(failed).collect();
        }
    };
    let last = tests.len() - 1;
    let run = |(index, test): (usize, &usize)| {
        // The last one needs no copy.
        let mut target: SimulatedTarget = match index == last {
            true => prepared.take().expect("only the last one takes it"),
            false => prepared.clone().expect("only the last one takes it"),
        };
        let figures = measure(&mut target, state, &measured.tests[*test], seed);
        (key(*test), figures.map_err(|error| error.to_string()))
    };
    tests.iter().enumerate().map(run).collect()
}

fn outcome(
    measured: &Measured,
    row: usize,
    predictions: &Predictions,
    with: &Comparing<'_>,
) -> Outcome {
    let row = &measured.rows[row];
    let ask = match &row.ask {
        Ok(ask) => ask,
        Err(reason) => return Outcome::Unanswered(reason.clone()),
    };
    let name = row.model.as_deref().unwrap_or_default();
    match answer(measured, name, ask, predictions, with) {
        Ok(answer) => Outcome::Answered(answer),
        Err(reason) => Outcome::Unanswered(reason),
    }
}

fn answer(
    measured: &Measured,
    name: &str,
    ask: &Ask,
    predictions: &Predictions,
    with: &Comparing<'_>,
) -> Result<Answer, String> {
    let figure = |model: &str| {
        let key = (model.to_owned(), ask.state, ask.test);
        let figures = predictions.get(&key);
        let figures = figures.ok_or_else(|| format!("no model {model}"))?;
        let figures = figures.as_ref().map_err(|error| error.clone())?;
        let missing = match measured.tests[ask.test].figures[ask.figure].take {
            crate::measured::Take::Power => "the model has no energy",
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
        variant_of: find(measured, name, with).and_then(|(_, of)| of),
    })
}

/// What is predicted of a relation to another drive's figure, and its error.
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
        assert_eq!(related(RelationKind::Ratio, &half, 30.0, 50.0), (0.6, 0.19999999999999996));
        let less = Expected::Value(-20.0);
        assert_eq!(related(RelationKind::Difference, &less, 40.0, 50.0), (-10.0, 1.0 / 3.0));
    }
}
