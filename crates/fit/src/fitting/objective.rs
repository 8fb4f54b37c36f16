//! The objective of the search: the distance of the models' predictions from the measured figures.

use std::collections::BTreeMap;

use stend_experiment::{Pool, Remembering};
use stend_model::{Files, Model};

use super::FitError;
use super::parameters::{Parameter, Set, with_values};
use crate::compare::{Outcome, outcome};
use crate::measured::Measured;
use crate::predictions::{Models, Predictions, TestRun, test_runs};

/// Errors up to this count by their square, larger ones linearly: a figure that no values can
/// explain does not outweigh all others (Huber, 1964).
pub const SQUARE_UP_TO: f64 = 0.25;

/// Cost of values that make an invalid model, or with which a figure cannot be predicted. Exceeds
/// the error of any figure that is a multiple of the measured one.
const UNUSABLE: f64 = 1e6;

/// Values of all parameters, and the models' predictions with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The mean over all rows of the squares of the errors, each a ratio; beyond
    /// [`SQUARE_UP_TO`] it grows linearly.
    pub cost: f64,
    /// Outcomes of the rows, with their indices.
    pub rows: Vec<(usize, Outcome)>,
}

impl Evaluation {
    /// Errors of the answered rows, as shares.
    pub fn errors(&self) -> Vec<f64> {
        let answers = self.rows.iter().filter_map(|(_, row)| row.answer());
        answers.map(|answer| answer.error).collect()
    }

    /// The root of the mean of the squared errors.
    pub fn error_rms(&self) -> f64 {
        let errors = self.errors();
        let squares: f64 = errors.iter().map(|error| error * error).sum();
        (squares / errors.len().max(1) as f64).sqrt()
    }
}

/// Models that rows relate to, and the executor of simulations.
pub(super) type Helpers<'a> = (&'a OtherModels<'a>, &'a dyn Pool);

/// Returns the model of a name.
pub(super) type OtherModels<'a> = dyn Fn(&str) -> Option<Model> + 'a;

/// Models with free figures, and the rows that they must predict.
pub(super) struct Objective<'a> {
    pub(super) measured: &'a Measured,
    pub(super) files: &'a [(String, Files)],
    pub(super) parameters: &'a [Parameter],
    /// Rows that are answered with the given values.
    pub(super) rows: Vec<usize>,
    seed: u64,
    test_runs: Vec<TestRun>,
    /// Predictions that do not depend on the parameters: those of models that rows relate to.
    fixed: Predictions,
    others: &'a dyn Fn(&str) -> Option<Model>,
    /// A point that changes one parameter changes few of the models.
    pool: Remembering<'a>,
}

impl<'a> Objective<'a> {
    pub(super) fn new(
        measured: &'a Measured,
        files: &'a [(String, Files)],
        parameters: &'a [Parameter],
        rows: Vec<usize>,
        (others, pool): Helpers<'a>,
        seed: u64,
    ) -> Objective<'a> {
        let mut objective = Objective {
            measured,
            files,
            parameters,
            test_runs: Vec::new(),
            fixed: Predictions::new(),
            rows,
            seed,
            others,
            pool: Remembering::new(pool),
        };
        objective.settle();
        objective
    }

    /// Restricts the objective to these rows.
    pub(super) fn keep(&mut self, rows: Vec<usize>) {
        self.rows = rows;
        self.settle();
    }

    /// Finds the test runs that depend on the parameters, and runs the others.
    fn settle(&mut self) {
        let all = test_runs(self.measured, &self.rows);
        let (own, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|s| self.is_fitted(&s.model));
        self.test_runs = own;
        let models = Models::find(self.measured, &others, self.others);
        let runs = others.iter();
        let runs = runs.filter_map(|run| Some((0, run, models.get(&run.model)?)));
        let mut predictions = self.run(runs.collect());
        self.fixed = predictions.remove(&0).unwrap_or_default();
    }

    /// True if a name is one of the fitted models, or of a variant of one.
    pub(super) fn is_fitted(&self, name: &str) -> bool {
        is_of(self.measured, self.files, name)
    }

    /// Evaluates points, each with the values of all parameters in order; all at once, by the pool.
    pub(super) fn evaluate(&self, points: &[Vec<f64>]) -> Vec<Evaluation> {
        let models: Vec<Result<Models, FitError>> =
            points.iter().map(|values| self.models(values)).collect();
        let mut predictions = self.predictions(&models);
        let evaluation = |(point, models): (usize, &Result<Models, FitError>)| match models {
            Ok(models) => self.cost(predictions.remove(&point).unwrap_or_default(), models),
            Err(_) => Evaluation {
                cost: UNUSABLE,
                rows: Vec::new(),
            },
        };
        models.iter().enumerate().map(evaluation).collect()
    }

    /// Predictions of the models of each point, by the point's index.
    fn predictions(&self, models: &[Result<Models, FitError>]) -> BTreeMap<usize, Predictions> {
        let runs = models
            .iter()
            .enumerate()
            .filter_map(|(point, models)| Some((point, models.as_ref().ok()?)))
            .flat_map(|(point, models)| {
                let there = self.test_runs.iter();
                there.filter_map(move |run| Some((point, run, models.get(&run.model)?)))
            });
        self.run(runs.collect())
    }

    /// Carries out test runs of models, each for a point, and returns the predictions by point.
    fn run(&self, runs: Vec<(usize, &TestRun, &Model)>) -> BTreeMap<usize, Predictions> {
        let mut predictions: BTreeMap<usize, Predictions> = BTreeMap::new();
        let (mut batches, mut runs_of) = (Vec::new(), Vec::new());
        for (point, run, model) in runs {
            match run.batch(self.measured, model, self.seed) {
                Err(reason) => {
                    let figures = predictions.entry(point).or_default();
                    figures.extend(run.failed(&reason));
                }
                Ok(batch) => {
                    batches.push(batch);
                    runs_of.push((point, run));
                }
            }
        }
        for ((point, run), values) in runs_of.into_iter().zip(self.pool.run(&batches)) {
            let figures = predictions.entry(point).or_default();
            figures.extend(run.named(values));
        }
        predictions
    }

    fn cost(&self, mut predictions: Predictions, models: &Models) -> Evaluation {
        predictions.extend(self.fixed.clone());
        let rows = self.rows.iter();
        let rows: Vec<(usize, Outcome)> = rows
            .map(|row| (*row, outcome(self.measured, *row, &predictions, models)))
            .collect();
        let costs = rows.iter().map(|(_, outcome)| {
            let answer = outcome.answer();
            answer.map_or(UNUSABLE, |answer| cost_of(answer.error))
        });
        Evaluation {
            cost: costs.sum::<f64>() / rows.len().max(1) as f64,
            rows,
        }
    }

    fn models(&self, values: &[f64]) -> Result<Models, FitError> {
        let sets: Vec<Set<'_>> = self
            .parameters
            .iter()
            .zip(values)
            .map(|(parameter, value)| Set {
                parameter,
                value: *value,
                source: "fitted: in the search",
            })
            .collect();
        let mut by_name = BTreeMap::new();
        for (name, files) in self.files {
            let model = with_values(files, &sets)?.model();
            let model = model.map_err(|error| FitError::Model(error.to_string()))?;
            by_name.insert(name.as_str(), model);
        }
        let of = |name: &str| by_name.get(name).cloned();
        Ok(Models::find(self.measured, &self.test_runs, &of))
    }
}

/// True if a name is one of the models, or of a variant of one.
pub(super) fn is_of(measured: &Measured, models: &[(String, Files)], name: &str) -> bool {
    let is_one = |name: &str| models.iter().any(|(own, _)| own == name);
    let variant = measured.variants.iter().find(|v| v.name == name);
    is_one(name) || variant.is_some_and(|variant| is_one(&variant.of))
}

/// Cost of an error.
pub(super) fn cost_of(error: f64) -> f64 {
    let error = error.abs();
    match error <= SQUARE_UP_TO {
        true => error * error,
        false => SQUARE_UP_TO * (2.0 * error - SQUARE_UP_TO),
    }
}
