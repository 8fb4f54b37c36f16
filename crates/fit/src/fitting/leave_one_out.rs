//! Predicts each drive with figures that were fitted without the drive's own rows.
//!
//! A free figure of the drive's parts that other measured drives also include is fitted to the rows
//! of those drives, starting in the middle of its range. A figure that no other measured drive has,
//! or to which their rows are not sensitive, stays as shipped, unless its source says that it was
//! fitted: then the middle of its range is used. All other figures stay as shipped.
//!
//! Predicted drives are never used for fitting, and keep their values.

use std::collections::{BTreeMap, BTreeSet};

use stend_experiment::Threads;
use stend_model::{Files, Model};

use super::objective::{Helpers, Objective};
use super::parameters::{Parameter, Set, parameters, with_values};
use super::search::population;
use super::sensitivity::screen;
use super::{
    FitError, Generation, History, Inputs, Search, SearchOptions, SearchState, Task, inputs, known,
    only,
};
use crate::compare::{Comparing, Comparison, Outcome, compare};
use crate::measured::Measured;
use crate::predictions::test_runs;

/// Beginning of the source of a figure that may have been fitted to its drive's rows.
const FITTED: &str = "fitted";

/// Place, 0 to 1, of a figure that must not depend on its drive.
const MIDDLE: f64 = 0.5;

/// Measured drives, each of which will be left out.
pub struct LeaveOneOut<'a> {
    measured: &'a Measured,
    /// Drives with rows, by name.
    models: Vec<(String, Files)>,
    /// Predicted drives among them.
    predicted: BTreeSet<String>,
    only: &'a dyn Fn(usize) -> bool,
    /// True for rows to which figures may be fitted.
    fitted_to: &'a dyn Fn(usize) -> bool,
    others: &'a dyn Fn(&str) -> Option<Model>,
    options: SearchOptions,
    threads: Threads,
}

/// Facts about a drive before any simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The drive that is left out.
    pub drive: String,
    /// True if the drive is predicted with its unchanged values.
    pub predicted: bool,
    /// Rows of the drive and of its variants.
    pub rows: Vec<usize>,
    /// Figures of its parts that other drives share: [`Parameter::models`] names these drives.
    pub shared: Vec<Parameter>,
    /// The other free figures.
    pub own: Vec<Parameter>,
    /// Other drives.
    pub others: Vec<String>,
    /// Rows of the other drives and their variants.
    pub fit_rows: Vec<usize>,
    /// SHA-256 of all inputs of the result.
    pub inputs: String,
    /// Number of drives in a state that one point needs.
    test_runs: usize,
}

impl Plan {
    /// Amount of simulation until `generations` generations are done, in drives in a state; for
    /// comparisons.
    pub fn work(&self, options: &SearchOptions, generations: usize) -> usize {
        if self.test_runs == 0 {
            return 1;
        }
        let of_each = population(options, self.shared.len());
        self.test_runs * (self.shared.len() + of_each * generations)
    }
}

/// Origin of a value with which a drive is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Fitted to other drives.
    Fitted,
    /// The middle of its range.
    Middle,
    /// As shipped: no measured row was used for it.
    Shipped,
}

/// A free figure of the drive that is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The figure.
    pub parameter: Parameter,
    /// Its value.
    pub value: f64,
    /// Origin of the value.
    pub origin: Origin,
}

/// A row of the drive that is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOutRow {
    /// Index of the row.
    pub row: usize,
    /// Prediction of the model as shipped.
    pub shipped: Outcome,
    /// Prediction with values that were fitted without the drive's rows.
    pub left_out: Outcome,
}

/// A drive, predicted without its own rows.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// Its free figures; empty if it is predicted.
    pub figures: Vec<Chosen>,
    /// Number of figures that are shared with other drives whose rows are answered.
    pub shared: usize,
    /// Drives to whose rows figures were fitted.
    pub others: Vec<String>,
    /// Its rows that the model as shipped answers.
    pub rows: Vec<LeftOutRow>,
    /// Generations searched.
    pub generations: usize,
    /// Points of a generation.
    pub population: usize,
    /// Fault of the model with these values, if it is invalid.
    pub problem: Option<String>,
}

impl<'a> LeaveOneOut<'a> {
    /// Finds the drives whose rows have a question. `files` returns the files of a name.
    ///
    /// # Errors
    /// [`FitError::Model`] for an invalid model; [`FitError::NoOptimiser`].
    pub fn new(
        measured: &'a Measured,
        files: &dyn Fn(&str) -> Option<Files>,
        only: &'a dyn Fn(usize) -> bool,
        others: &'a dyn Fn(&str) -> Option<Model>,
        options: SearchOptions,
        threads: Threads,
    ) -> Result<LeaveOneOut<'a>, FitError> {
        super::may_search(&options)?;
        let mut models: BTreeMap<&str, Files> = BTreeMap::new();
        let mut predicted = BTreeSet::new();
        for (index, row) in measured.rows.iter().enumerate() {
            let Some(name) = row.model.as_deref().map(|name| base(measured, name)) else {
                continue;
            };
            if row.ask.is_err() || !only(index) || models.contains_key(name) {
                continue;
            }
            let Some(files) = files(name) else { continue };
            let model = files.model();
            let model = model.map_err(|error| FitError::Model(error.to_string()))?;
            if model.predicted {
                predicted.insert(name.to_owned());
            }
            models.insert(name, files);
        }
        let models = models.into_iter();
        Ok(LeaveOneOut {
            measured,
            models: models
                .map(|(name, files)| (name.to_owned(), files))
                .collect(),
            predicted,
            only,
            fitted_to: &|_| true,
            others,
            options,
            threads,
        })
    }

    /// Fits only to rows for which `rows` returns true; all rows are predicted.
    pub fn fitted_only_to(&mut self, rows: &'a dyn Fn(usize) -> bool) {
        self.fitted_to = rows;
    }

    /// Names of all drives, in order.
    pub fn drives(&self) -> impl Iterator<Item = &str> {
        self.models.iter().map(|(name, _)| &**name)
    }

    /// The plan of each drive of [`LeaveOneOut::drives`].
    pub fn plans(&self) -> Vec<Plan> {
        let plan = |(name, files): &(String, Files)| self.plan(name, files);
        self.models.iter().map(plan).collect()
    }

    fn plan(&self, name: &str, files: &Files) -> Plan {
        let predicted = self.predicted.contains(name);
        let own = [(name.to_owned(), files.clone())];
        let mut plan = Plan {
            drive: name.to_owned(),
            predicted,
            rows: self.rows(&|model| base(self.measured, model) == name),
            shared: Vec::new(),
            own: Vec::new(),
            others: Vec::new(),
            fit_rows: Vec::new(),
            inputs: String::new(),
            test_runs: 0,
        };
        if !predicted {
            self.share(&mut plan, &own);
        }
        let mut hash = Inputs::new();
        hash.add(&self.search_inputs(&plan));
        hash.add(&self.options.generations_max.to_string());
        hash.models(&own);
        hash.rows(self.measured, &plan.rows, self.others);
        plan.inputs = hash.finish();
        plan
    }

    /// Finds the figures that a drive shares with others, and the rows of those.
    fn share(&self, plan: &mut Plan, own: &[(String, Files)]) {
        let others = self
            .models
            .iter()
            .filter(|(name, _)| *name != plan.drive && !self.predicted.contains(name));
        let rows_of = |name: &str| self.rows(&|model| base(self.measured, model) == name);
        // A row that relates to the drive depends on its measured figures.
        let is_fitted_to = |row: &usize| {
            let ask = self.measured.rows[*row].ask.as_ref().ok();
            let relation = ask.and_then(|ask| ask.relation.as_ref());
            relation.is_none_or(|relation| {
                let other = base(self.measured, &relation.model);
                let is_predicted = || (self.others)(other).is_some_and(|model| model.predicted);
                other != plan.drive && !is_predicted()
            }) && (self.fitted_to)(*row)
        };
        let mut rows = BTreeMap::new();
        let mut models = own.to_vec();
        for (name, files) in others {
            let of: Vec<usize> = rows_of(name).into_iter().filter(is_fitted_to).collect();
            if !of.is_empty() {
                rows.insert(name.clone(), of);
                models.push((name.clone(), files.clone()));
            }
        }
        for mut parameter in parameters(&models) {
            if parameter.models.first() != Some(&plan.drive) {
                continue;
            }
            parameter.models.remove(0);
            match parameter.models.is_empty() {
                true => plan.own.push(parameter),
                false => plan.shared.push(parameter),
            }
        }
        let others = plan.shared.iter().flat_map(|parameter| &parameter.models);
        let others: BTreeSet<&String> = others.collect();
        plan.fit_rows = others.iter().flat_map(|name| rows[*name].clone()).collect();
        plan.fit_rows.sort_unstable();
        plan.others = others.into_iter().cloned().collect();
        plan.test_runs = test_runs(self.measured, &plan.fit_rows).len();
    }

    /// Rows with a question about a model.
    fn rows(&self, of: &dyn Fn(&str) -> bool) -> Vec<usize> {
        let asks = |row: &usize| {
            let row_of = &self.measured.rows[*row];
            (self.only)(*row) && row_of.ask.is_ok() && row_of.model.as_deref().is_some_and(of)
        };
        (0..self.measured.rows.len()).filter(asks).collect()
    }

    /// Predictions of the shipped models for the rows of these plans.
    pub fn shipped(
        &self,
        plans: &[&Plan],
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> BTreeMap<usize, Outcome> {
        let rows = plans
            .iter()
            .flat_map(|plan| plan.rows.iter().chain(&plan.fit_rows));
        let rows: BTreeSet<usize> = rows.copied().collect();
        self.compared(&rows, self.others, progress)
    }

    fn compared(
        &self,
        rows: &BTreeSet<usize>,
        model: &dyn Fn(&str) -> Option<Model>,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> BTreeMap<usize, Outcome> {
        let with = Comparing {
            model,
            only: &|row| rows.contains(&row),
            seed: self.options.seed,
            threads: self.threads,
            progress,
        };
        let Comparison { rows, .. } = compare(self.measured, &with);
        rows.into_iter().collect()
    }

    /// Predicts a drive without its own rows. `shipped` is the result of [`LeaveOneOut::shipped`].
    ///
    /// `state` is the state of an earlier run; `keep` receives the new state after every
    /// generation.
    ///
    /// # Errors
    /// [`FitError`].
    pub fn run(
        &self,
        plan: &Plan,
        shipped: &BTreeMap<usize, Outcome>,
        state: Option<SearchState>,
        keep: &mut dyn FnMut(&SearchState, &Generation) -> Result<(), String>,
    ) -> Result<LeftOut, FitError> {
        let answered = |row: &&usize| shipped.get(*row).is_some_and(|o| o.answer().is_some());
        let rows: BTreeSet<usize> = plan.rows.iter().filter(answered).copied().collect();
        let fit_rows: Vec<usize> = plan.fit_rows.iter().filter(answered).copied().collect();
        let others = self.answering(plan, &fit_rows);
        let has_other =
            |parameter: &&Parameter| parameter.models.iter().any(|name| others.contains(name));
        let shared = plan.shared.iter().filter(has_other).cloned();
        let shared: Vec<Parameter> = shared.collect();
        let mut found = SharedValues::default();
        if !shared.is_empty() && !rows.is_empty() {
            found = self.search(plan, &others, &shared, fit_rows, state, keep)?;
        }
        let figures = self.chosen(plan, &shared, &found);
        let (outcomes, problem) = self.predicted_with(plan, &figures, &rows);
        let row = |row: &usize| LeftOutRow {
            row: *row,
            shipped: shipped[row].clone(),
            left_out: match &problem {
                None => outcomes.get(row).unwrap_or(&shipped[row]).clone(),
                Some(problem) => Outcome::Unanswered(problem.clone()),
            },
        };
        let fitted = figures
            .iter()
            .filter(|chosen| chosen.origin == Origin::Fitted);
        let used: BTreeSet<&String> = fitted.flat_map(|c| &c.parameter.models).collect();
        Ok(LeftOut {
            rows: rows.iter().map(row).collect(),
            others: others
                .iter()
                .filter(|name| used.contains(name))
                .cloned()
                .collect(),
            shared: shared.len(),
            figures,
            generations: found.generations,
            population: found.population,
            problem,
        })
    }

    /// Other drives that answer any of these rows.
    fn answering(&self, plan: &Plan, rows: &[usize]) -> Vec<String> {
        let names = rows
            .iter()
            .filter_map(|row| self.measured.rows[*row].model.as_deref());
        let names: BTreeSet<&str> = names.map(|name| base(self.measured, name)).collect();
        let there = plan
            .others
            .iter()
            .filter(|name| names.contains(name.as_str()));
        there.cloned().collect()
    }

    /// Fits the shared figures to the rows of the other drives.
    fn search(
        &self,
        plan: &Plan,
        others: &[String],
        shared: &[Parameter],
        rows: Vec<usize>,
        state: Option<SearchState>,
        keep: &mut dyn FnMut(&SearchState, &Generation) -> Result<(), String>,
    ) -> Result<SharedValues, FitError> {
        let mut state = known(state, &self.search_inputs(plan))?;
        let files = self.models.iter().filter(|(name, _)| others.contains(name));
        let mut files: Vec<(String, Files)> = files.cloned().collect();
        let (measured, seed) = (self.measured, self.options.seed);
        let by: Helpers<'_> = (self.others, &self.threads);
        if state.sensitive.is_empty() {
            let rows = rows.clone();
            let objective = Objective::new(measured, &files, shared, rows, by, seed);
            screened(&objective, &mut state);
            keep(&state, &self.before_search()).map_err(FitError::Keep)?;
        }
        let (searched, still): (Vec<_>, Vec<_>) = shared
            .iter()
            .zip(&state.sensitive)
            .partition(|(_, sensitive)| **sensitive);
        let still: Vec<Chosen> = still.iter().map(|(p, _)| unfitted((*p).clone())).collect();
        let searched: Vec<Parameter> = searched.iter().map(|(p, _)| (*p).clone()).collect();
        if searched.is_empty() {
            return Ok(SharedValues::default());
        }
        for (_, files) in &mut files {
            *files = with_values(files, &sets(&still))?;
        }
        let rows = state.rows.iter().filter_map(|place| rows.get(*place));
        let rows = rows.copied().collect();
        let objective = Objective::new(measured, &files, &searched, rows, by, seed);
        let middle = middle(&searched);
        let before = only(objective.evaluate(std::slice::from_ref(&middle)));
        let all = vec![true; searched.len()];
        let search = Search {
            objective: &objective,
            own: &middle,
            sensitive: &all,
            options: &self.options,
        };
        let history = std::mem::take(&mut state.history);
        let found = search.run(
            before.cost,
            history,
            &mut |history: &History, generation| {
                state.history.clone_from(history);
                keep(&state, generation).map_err(FitError::Keep)
            },
        )?;
        Ok(SharedValues {
            values: searched.iter().cloned().zip(found.values).collect(),
            generations: found.generations,
            population: found.population,
        })
    }

    fn before_search(&self) -> Generation {
        Generation {
            number: 0,
            of: self.options.generations_max,
            population: self.options.population,
            cost_best: 0.0,
            cost_before: 0.0,
        }
    }

    /// Values of all free figures of a drive.
    fn chosen(&self, plan: &Plan, shared: &[Parameter], found: &SharedValues) -> Vec<Chosen> {
        let all = plan.shared.iter().chain(&plan.own);
        let choose = |parameter: &Parameter| {
            // Drives without an answered row do not count as other drives.
            let known = shared.iter().find(|other| other.figure == parameter.figure);
            let fitted = found.values.iter().find(|(other, _)| Some(other) == known);
            match fitted {
                Some((parameter, value)) => Chosen {
                    parameter: parameter.clone(),
                    value: *value,
                    origin: Origin::Fitted,
                },
                None => unfitted(parameter.clone()),
            }
        };
        all.map(choose).collect()
    }

    /// Predictions for a drive with these values, or its fault.
    fn predicted_with(
        &self,
        plan: &Plan,
        figures: &[Chosen],
        rows: &BTreeSet<usize>,
    ) -> (BTreeMap<usize, Outcome>, Option<String>) {
        if figures
            .iter()
            .all(|chosen| chosen.value == chosen.parameter.figure.value)
        {
            return (BTreeMap::new(), None);
        }
        let own = self.models.iter().find(|(name, _)| *name == plan.drive);
        let (_, files) = own.expect("a plan is of one of the models");
        let model = with_values(files, &sets(figures));
        let model = model.and_then(|files| {
            let model = files.model();
            model.map_err(|error| FitError::Model(error.to_string()))
        });
        let model = match model {
            Ok(model) => model,
            Err(error) => return (BTreeMap::new(), Some(format!("no sound model: {error}"))),
        };
        let of = |name: &str| match name == plan.drive {
            true => Some(model.clone()),
            false => (self.others)(name),
        };
        (self.compared(rows, &of, &|_, _| ()), None)
    }

    /// SHA-256 of all inputs of a drive's search, which exclude the measured rows of the drive.
    fn search_inputs(&self, plan: &Plan) -> String {
        let files = self
            .models
            .iter()
            .filter(|(name, _)| plan.others.contains(name));
        let files: Vec<(String, Files)> = files.cloned().collect();
        let task = Task {
            models: &files,
            measured: self.measured,
            only: self.only,
            others: self.others,
            options: self.options,
            pool: &self.threads,
        };
        let mut hash = Inputs::new();
        hash.add("leave-one-out");
        hash.add(&inputs(&task, &plan.fit_rows));
        for parameter in &plan.shared {
            hash.add(&parameter.name());
            hash.add(&parameter.models.join(" "));
        }
        hash.finish()
    }
}

/// Finds the figures to which the rows are sensitive, and the sensitive rows.
fn screened(objective: &Objective<'_>, state: &mut SearchState) {
    let middle = middle(objective.parameters);
    let before = only(objective.evaluate(std::slice::from_ref(&middle)));
    let rows = screen(objective, &middle, &before);
    state.sensitive = rows.iter().map(|rows| !rows.is_empty()).collect();
    let rows: BTreeSet<usize> = rows.into_iter().flatten().collect();
    let places = objective.rows.iter().enumerate();
    let places = places.filter(|(_, row)| rows.contains(row));
    state.rows = places.map(|(place, _)| place).collect();
}

/// Values that a search found for the shared figures.
#[derive(Default)]
struct SharedValues {
    /// Figures to which the rows are sensitive.
    values: Vec<(Parameter, f64)>,
    generations: usize,
    population: usize,
}

/// Value of a figure that was not fitted to other drives.
fn unfitted(parameter: Parameter) -> Chosen {
    let (value, origin) = match parameter.figure.source.starts_with(FITTED) {
        true => (parameter.value(MIDDLE), Origin::Middle),
        false => (parameter.figure.value, Origin::Shipped),
    };
    Chosen {
        parameter,
        value,
        origin,
    }
}

fn middle(parameters: &[Parameter]) -> Vec<f64> {
    parameters
        .iter()
        .map(|parameter| parameter.value(MIDDLE))
        .collect()
}

/// Values that differ from the shipped ones.
fn sets(figures: &[Chosen]) -> Vec<Set<'_>> {
    let changed = figures
        .iter()
        .filter(|chosen| chosen.origin != Origin::Shipped);
    changed
        .map(|chosen| Set {
            parameter: &chosen.parameter,
            value: chosen.value,
            source: "fitted: without the drive's own rows",
        })
        .collect()
}

/// The model of a name; for a variant, its origin.
fn base<'m>(measured: &'m Measured, name: &'m str) -> &'m str {
    let variant = measured
        .variants
        .iter()
        .find(|variant| variant.name == name);
    variant.map_or(name, |variant| &variant.of)
}
