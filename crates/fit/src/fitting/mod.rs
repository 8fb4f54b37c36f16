//! Fits the free figures of models, within their bounds, so that the models' predictions are as
//! close as possible to measured figures.
//!
//! | module | contents |
//! |---|---|
//! | `parameters` | free figures as places from 0 to 1 between their bounds |
//! | `objective` | cost of values: the errors of all rows |
//! | `refine` | Gauss-Newton steps, for a start close to the optimum |
//! | `search` | CMA-ES, in generations; continues after an interruption |
//! | `leave_one_out` | predicts each drive with figures fitted without its own rows |
//! | `sensitivity` | sensitivity of the figures to each parameter |
//! | `document` | the result as JSON |
//! | `written` | the files with the fitted values and their sources |
//!
//! The same models, rows and options give the same result, on any number of threads and after any
//! number of interruptions. (The linear algebra depends on the processor's instructions: on another
//! kind of processor the last digit of a point, and so the path of a search, may differ.)

mod document;
mod leave_one_out;
mod objective;
mod parameters;
mod refine;
mod search;
mod sensitivity;
mod written;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use stend_experiment::Pool;
use stend_model::{Files, Model};

pub use document::{document, errors};
pub use leave_one_out::{Chosen, LeaveOneOut, LeftOut, LeftOutRow, Origin, Plan};
pub use objective::{Evaluation, SQUARE_UP_TO};
pub use parameters::{Parameter, parameters};
pub(crate) use parameters::{Set, ranges, with_values};
pub use refine::{ENOUGH, Refined, refine};
pub use search::{History, SearchOptions};
pub use sensitivity::{SENSITIVE_FROM, Sensitivity};
pub use written::{Written, figure_of, written};

use crate::measured::Measured;
use objective::{Objective, is_of};
use search::{Best, population, search};

/// Schema of a search's state.
pub const STATE_SCHEMA: &str = "stend.fit-state/1";

/// Cause of a failed fit.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// A model must not be fitted, has no free figures, or is invalid with its values.
    #[error("{0}")]
    Model(String),
    /// No row has a question that these models can answer.
    #[error("{0}")]
    Rows(String),
    /// The state belongs to another search.
    #[error("{0}")]
    State(String),
    /// A search is needed, but the program is built without an optimiser.
    #[error(
        "this program is built without its optimiser and can only predict (--generations 0); \
         `cargo build --release --features fit` builds one that fits"
    )]
    NoOptimiser,
    /// The state of the search could not be saved.
    #[error("{0}")]
    Keep(String),
}

/// Parameters of a fit.
pub struct Task<'a> {
    /// Models, by name.
    pub models: &'a [(String, Files)],
    /// Rows; only those of these models and their variants count.
    pub measured: &'a Measured,
    /// True for rows that may count, by index.
    pub only: &'a dyn Fn(usize) -> bool,
    /// Models that rows relate to.
    pub others: &'a dyn Fn(&str) -> Option<Model>,
    /// Options of the search.
    pub options: SearchOptions,
    /// Executor of the simulations.
    pub pool: &'a dyn Pool,
}

/// Progress of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// Number of the generation, from 1; 0 before the first, when the sensitive figures are known.
    pub number: usize,
    /// Maximum number of generations.
    pub of: usize,
    /// Points of a generation.
    pub population: usize,
    /// The lowest cost so far: the mean square of the errors, each a ratio.
    pub cost_best: f64,
    /// The cost of the values before the search: the mean square of the errors, each a ratio.
    pub cost_before: f64,
}

/// State of a search, to resume it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchState {
    /// Always [`STATE_SCHEMA`].
    pub schema: String,
    /// SHA-256 of all inputs of the search.
    pub inputs: String,
    /// For each parameter, true if any figure is sensitive to it; empty while unknown.
    #[serde(rename = "felt")]
    pub sensitive: Vec<bool>,
    /// Rows that are sensitive to any parameter, by their place among all rows, if the others are
    /// excluded from the search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<usize>,
    /// Results so far.
    pub history: History,
}

/// A parameter after the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The parameter.
    pub parameter: Parameter,
    /// Value that the search found; the former value if the parameter is not determined.
    pub value: f64,
    /// True if the rows determine it: it was searched for, and has an effect where the search
    /// ended.
    pub determined: bool,
    /// Sensitivity of the figures to it.
    pub sensitivity: Sensitivity,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Every parameter.
    pub parameters: Vec<Fitted>,
    /// Evaluation of the former values.
    pub before: Evaluation,
    /// Evaluation of the final values.
    pub after: Evaluation,
    /// Rows of these models that no model can answer, with the reason.
    pub unanswered: Vec<(usize, String)>,
    /// Generations searched.
    pub generations: usize,
    /// Points of a generation.
    pub population: usize,
}

impl Fit {
    /// Result for models that are not fitted.
    fn predicted(evaluation: Evaluation, unanswered: Vec<(usize, String)>) -> Fit {
        Fit {
            parameters: Vec::new(),
            after: evaluation.clone(),
            before: evaluation,
            unanswered,
            generations: 0,
            population: 0,
        }
    }
}

/// Fits the free figures of the models to the rows. Predicted models keep their figures: the result
/// has no generation and contains only their predictions.
///
/// `state` is the state of an earlier search of the same task; `keep` receives the new state and
/// the progress after every generation.
///
/// # Errors
/// [`FitError`].
pub fn fit(
    task: &Task<'_>,
    state: Option<SearchState>,
    keep: &mut dyn FnMut(&SearchState, &Generation) -> Result<(), String>,
) -> Result<Fit, FitError> {
    let parameters = allowed_parameters(task.models)?;
    let rows = rows(task)?;
    let inputs = inputs(task, &rows);
    let mut state = known(state, &inputs)?;
    if !parameters.is_empty() {
        may_search(&task.options)?;
    }
    let seed = task.options.seed;
    let (measured, models) = (task.measured, task.models);
    let mut objective = Objective::new(
        measured,
        models,
        &parameters,
        rows,
        (task.others, task.pool),
        seed,
    );
    let own: Vec<f64> = parameters.iter().map(|p| p.figure.value).collect();
    let unanswered = drop_unanswered(&mut objective, &own)?;
    let before = only(objective.evaluate(std::slice::from_ref(&own)));
    if parameters.is_empty() {
        return Ok(Fit::predicted(before, unanswered));
    }
    if state.sensitive.is_empty() {
        state.sensitive = match task.options.generations_max {
            // Without a search, effects at the given values are determined at the end.
            0 => vec![true; own.len()],
            _ => {
                let rows = sensitivity::screen(&objective, &own, &before);
                rows.iter().map(|rows| !rows.is_empty()).collect()
            }
        };
    }
    let search = Search {
        objective: &objective,
        own: &own,
        sensitive: &state.sensitive.clone(),
        options: &task.options,
    };
    let history = std::mem::take(&mut state.history);
    let found = search.run(before.cost, history, &mut |history, generation| {
        state.history.clone_from(history);
        keep(&state, generation).map_err(FitError::Keep)
    })?;
    let (fitted, after) = sensitivity::settle(&objective, &own, &found.values, &state.sensitive);
    Ok(Fit {
        parameters: fitted,
        before,
        after,
        unanswered,
        generations: found.generations,
        population: found.population,
    })
}

/// A search for values with a low cost.
struct Search<'a, 'b> {
    objective: &'b Objective<'a>,
    /// Values at the start.
    own: &'b [f64],
    /// For each parameter, true if it is searched for.
    sensitive: &'b [bool],
    options: &'b SearchOptions,
}

/// Result of a search.
struct Found {
    /// Of all parameters.
    values: Vec<f64>,
    generations: usize,
    population: usize,
}

impl Search<'_, '_> {
    /// Runs the search; `cost` is that of the values at the start.
    fn run(
        &self,
        cost: f64,
        mut history: History,
        keep: &mut dyn FnMut(&History, &Generation) -> Result<(), FitError>,
    ) -> Result<Found, FitError> {
        let objective = self.objective;
        let parameters = objective.parameters;
        let values = |places: &[f64]| values(parameters, self.sensitive, self.own, places);
        let all = parameters.iter().zip(self.own).zip(self.sensitive);
        let searched = all.filter(|(_, sensitive)| **sensitive);
        let start = Best {
            places: searched.map(|((p, own), _)| p.place(*own)).collect(),
            cost,
        };
        let options = SearchOptions {
            population: population(self.options, start.places.len()),
            ..*self.options
        };
        let costs = |points: &[Vec<f64>]| {
            let points: Vec<Vec<f64>> = points.iter().map(|places| values(places)).collect();
            let evaluations = objective.evaluate(&points);
            evaluations
                .iter()
                .map(|evaluation| evaluation.cost)
                .collect()
        };
        let kept = |history: &History, best: &Best| {
            let generation = Generation {
                number: history.generations.len(),
                of: options.generations_max,
                population: options.population,
                cost_best: best.cost,
                cost_before: cost,
            };
            keep(history, &generation)
        };
        let best = search(start, &options, &mut history, costs, kept)?;
        Ok(Found {
            // The former values may be the best: they can differ from the values at their places.
            values: match best.cost < cost {
                true => values(&best.places),
                false => self.own.to_vec(),
            },
            generations: history.generations.len(),
            population: options.population,
        })
    }
}

/// True if the program is built with the optimiser, which generations need; steps ([`refine()`]) do
/// not.
pub const CAN_SEARCH: bool = cfg!(feature = "optimiser");

/// Checks before any simulation that the program can do the search.
fn may_search(options: &SearchOptions) -> Result<(), FitError> {
    match options.generations_max > 0 && !CAN_SEARCH {
        true => Err(FitError::NoOptimiser),
        false => Ok(()),
    }
}

/// Parameters of models that may be fitted; none if all models are predicted.
fn allowed_parameters(models: &[(String, Files)]) -> Result<Vec<Parameter>, FitError> {
    let mut predicted = Vec::new();
    for (name, files) in models {
        let model = files.model().map_err(|e| FitError::Model(e.to_string()))?;
        predicted.extend(model.predicted.then_some(&**name));
    }
    match predicted.first() {
        Some(_) if predicted.len() == models.len() => return Ok(Vec::new()),
        Some(name) => {
            return Err(FitError::Model(format!(
                "{name} is never fitted: its file says `predicted = true`, so it is predicted from \
                 its parts; fit the others without it, and predict it alone"
            )));
        }
        None => {}
    }
    let parameters = parameters(models);
    if parameters.is_empty() {
        let names: Vec<&str> = models.iter().map(|(name, _)| &**name).collect();
        return Err(FitError::Model(format!(
            "{} has no free figures: mark those that may be fitted with free = [lowest, highest]",
            names.join(", ")
        )));
    }
    Ok(parameters)
}

/// Rows with a question about these models.
fn rows(task: &Task<'_>) -> Result<Vec<usize>, FitError> {
    let asked = |row: &usize| {
        let of = &task.measured.rows[*row];
        let model = of.model.as_deref();
        (task.only)(*row)
            && of.ask.is_ok()
            && model.is_some_and(|name| is_of(task.measured, task.models, name))
    };
    let rows: Vec<usize> = (0..task.measured.rows.len()).filter(asked).collect();
    match rows.is_empty() {
        true => Err(FitError::Rows(no_rows(task.models))),
        false => Ok(rows),
    }
}

fn no_rows(models: &[(String, Files)]) -> String {
    let names: Vec<&str> = models.iter().map(|(name, _)| &**name).collect();
    format!(
        "{} can answer no measured figure: a row names its model by this name or as its file, and \
         a test that it can run",
        names.join(", ")
    )
}

/// Excludes the rows that are not answered with the given values.
fn drop_unanswered(
    objective: &mut Objective<'_>,
    own: &[f64],
) -> Result<Vec<(usize, String)>, FitError> {
    let evaluation = only(objective.evaluate(&[own.to_vec()]));
    let reasons = evaluation
        .rows
        .into_iter()
        .filter_map(|(row, outcome)| match outcome {
            crate::Outcome::Unanswered(reason) => Some((row, reason)),
            crate::Outcome::Answered(_) => None,
        });
    let unanswered: Vec<(usize, String)> = reasons.collect();
    if unanswered.is_empty() {
        return Ok(unanswered);
    }
    let left = objective.rows.iter().copied();
    let left: Vec<usize> = left
        .filter(|row| unanswered.iter().all(|(other, _)| other != row))
        .collect();
    if left.is_empty() {
        return Err(FitError::Rows(no_rows(objective.files)));
    }
    objective.keep(left);
    Ok(unanswered)
}

/// Values of all parameters: those with an effect from their places, the others unchanged.
fn values(parameters: &[Parameter], sensitive: &[bool], own: &[f64], places: &[f64]) -> Vec<f64> {
    let mut places = places.iter();
    let value = |(index, sensitive): (usize, &bool)| match sensitive {
        true => places.next().map(|place| parameters[index].value(*place)),
        false => Some(own[index]),
    };
    sensitive.iter().enumerate().filter_map(value).collect()
}

/// Returns the evaluation of a single point.
fn only(evaluations: Vec<Evaluation>) -> Evaluation {
    let mut evaluations = evaluations;
    evaluations.pop().expect("one point was evaluated")
}

/// Returns an initial state, or the given one if it belongs to this search.
fn known(state: Option<SearchState>, inputs: &str) -> Result<SearchState, FitError> {
    let Some(state) = state else {
        return Ok(SearchState {
            schema: STATE_SCHEMA.to_owned(),
            inputs: inputs.to_owned(),
            sensitive: Vec::new(),
            rows: Vec::new(),
            history: History::default(),
        });
    };
    check_inputs(&state, inputs)?;
    Ok(state)
}

/// Checks that a state belongs to this search, so that it can be resumed.
///
/// # Errors
/// [`FitError::State`] for a state of another search; faults of the task.
pub fn check_state(task: &Task<'_>, state: &SearchState) -> Result<(), FitError> {
    check_inputs(state, &inputs(task, &rows(task)?))
}

fn check_inputs(state: &SearchState, inputs: &str) -> Result<(), FitError> {
    match state.schema == STATE_SCHEMA && state.inputs == inputs {
        true => Ok(()),
        false => Err(FitError::State(
            "the state is of another search: other models, figures, seed, population, or another \
             version of stend; choose another folder, or remove the state"
                .to_owned(),
        )),
    }
}

/// SHA-256 of all inputs of a search except its maximum length.
fn inputs(task: &Task<'_>, rows: &[usize]) -> String {
    let mut hash = Inputs::new();
    hash.models(task.models);
    hash.rows(task.measured, rows, task.others);
    hash.add(&format!(
        "{} {}",
        task.options.seed, task.options.population
    ));
    hash.finish()
}

/// Hash of the inputs of a result.
struct Inputs(Sha256);

impl Inputs {
    fn new() -> Inputs {
        let mut inputs = Inputs(Sha256::new());
        inputs.add(env!("CARGO_PKG_VERSION"));
        inputs
    }

    fn add(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text);
    }

    fn models(&mut self, models: &[(String, Files)]) {
        for (name, files) in models {
            self.add(name);
            for file in files.files() {
                self.add(&file.name);
                self.add(&file.text);
            }
        }
    }

    /// Adds rows, with states, tests and variants, and the models that they relate to.
    fn rows(
        &mut self,
        measured: &Measured,
        rows: &[usize],
        others: &dyn Fn(&str) -> Option<Model>,
    ) {
        self.add(&format!(
            "{:?} {:?} {:?}",
            measured.states, measured.tests, measured.variants
        ));
        for row in rows {
            let row = &measured.rows[*row];
            self.add(&format!("{:?} {:?}", row.model, row.ask));
            let relation = row.ask.as_ref().ok().and_then(|ask| ask.relation.as_ref());
            if let Some(model) = relation.and_then(|relation| others(&relation.model)) {
                self.add(&model.text);
            }
        }
    }

    fn finish(self) -> String {
        hex::encode(self.0.finalize())
    }
}
