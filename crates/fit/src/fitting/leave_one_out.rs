//! Each drive predicted with figures that have not seen its own rows.
//!
//! A free figure of the drive's parts that other measured drives include too is fitted to the rows
//! of those, from the middle of its range on. One that no other measured drive has, or that their
//! rows are not sensitive to, stays as shipped, unless its source says that it was fitted: then it
//! stands in the middle of its range. Everything else of the other drives stays as shipped.
//!
//! Drives that are predicted are never fitted to, and keep their values.

use std::collections::{BTreeMap, BTreeSet};

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
use crate::pool::{Pool, Threads};
use crate::test_runs::test_runs;

/// What the source of a figure begins with that may have been adjusted to its drive's rows.
const FITTED: &str = "fitted";

/// The place from 0 to 1 where a figure stands that must not know its drive.
const MIDDLE: f64 = 0.5;

/// Measured drives, each of which is to be left out.
pub struct LeaveOneOut<'a> {
    measured: &'a Measured,
    /// The drives that rows are of, by name.
    models: Vec<(String, Files)>,
    /// Of these, the ones that are predicted.
    predicted: BTreeSet<String>,
    only: &'a dyn Fn(usize) -> bool,
    /// Rows that may be fitted to.
    fitted_to: &'a dyn Fn(usize) -> bool,
    others: &'a dyn Fn(&str) -> Option<Model>,
    options: SearchOptions,
    pool: &'a dyn Pool,
}

/// What is known of a drive before anything is simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The drive that is left out.
    pub drive: String,
    /// Whether it is predicted with its values as they are.
    pub predicted: bool,
    /// Its rows and those of its variants.
    pub rows: Vec<usize>,
    /// Figures of its parts that other drives have too: [`Parameter::models`] names these.
    pub shared: Vec<Parameter>,
    /// The other free figures.
    pub own: Vec<Parameter>,
    /// The other drives.
    pub others: Vec<String>,
    /// Rows of the other drives and their variants.
    pub fit_rows: Vec<usize>,
    /// SHA-256 of all that the result depends on.
    pub inputs: String,
    /// Drives in a state that one point needs.
    test_runs: usize,
}

impl Plan {
    /// How much is to be simulated until so many generations are done, in drives in a state; it
    /// serves for comparing.
    pub fn work(&self, options: &SearchOptions, generations: usize) -> usize {
        if self.test_runs == 0 {
            return 1;
        }
        let of_each = population(options, self.shared.len());
        self.test_runs * (self.shared.len() + of_each * generations)
    }
}

/// Where a value comes from with which a drive is predicted.
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
    /// Which.
    pub parameter: Parameter,
    /// Its value.
    pub value: f64,
    /// Where it comes from.
    pub origin: Origin,
}

/// A row of the drive that is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOutRow {
    /// Its index.
    pub row: usize,
    /// What the model as shipped predicts.
    pub shipped: Outcome,
    /// What is predicted with the values that have not seen the drive's rows.
    pub left_out: Outcome,
}

/// A drive, predicted without its own rows.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// Its free figures; none where it is predicted.
    pub figures: Vec<Chosen>,
    /// How many of them other drives have too, whose rows are answered.
    pub shared: usize,
    /// The drives to whose rows figures were fitted.
    pub others: Vec<String>,
    /// Its rows that the model as shipped answers.
    pub rows: Vec<LeftOutRow>,
    /// Generations searched.
    pub generations: usize,
    /// Points of a generation.
    pub population: usize,
    /// What is wrong with the model of these values, if they make no sound one.
    pub problem: Option<String>,
}

impl<'a> LeaveOneOut<'a> {
    /// The drives whose rows ask something. `files` gives the files of a name.
    ///
    /// # Errors
    /// [`FitError::Model`] when a model is not sound; [`FitError::NoOptimiser`].
    pub fn new(
        measured: &'a Measured,
        files: &dyn Fn(&str) -> Option<Files>,
        only: &'a dyn Fn(usize) -> bool,
        others: &'a dyn Fn(&str) -> Option<Model>,
        options: SearchOptions,
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
            pool: &Threads,
        })
    }

    /// Simulations are carried out by this pool, not by the threads of this process.
    pub fn carried_out_by(&mut self, pool: &'a dyn Pool) {
        self.pool = pool;
    }

    /// Fits only to rows of these indices; all are predicted.
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

    /// Finds out which figures of a drive others have too, and what was measured of those.
    fn share(&self, plan: &mut Plan, own: &[(String, Files)]) {
        let others = self
            .models
            .iter()
            .filter(|(name, _)| *name != plan.drive && !self.predicted.contains(name));
        let rows_of = |name: &str| self.rows(&|model| base(self.measured, model) == name);
        // A row that relates to the drive tells what was measured of it.
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

    /// Rows that ask something of a model.
    fn rows(&self, of: &dyn Fn(&str) -> bool) -> Vec<usize> {
        let asks = |row: &usize| {
            let row_of = &self.measured.rows[*row];
            (self.only)(*row) && row_of.ask.is_ok() && row_of.model.as_deref().is_some_and(of)
        };
        (0..self.measured.rows.len()).filter(asks).collect()
    }

    /// What the models as shipped predict of the rows of these plans.
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
            progress,
        };
        let Comparison { rows, .. } = compare(self.measured, &with);
        rows.into_iter().collect()
    }

    /// Predicts a drive without its own rows. `shipped` is what [`LeaveOneOut::shipped`] returned.
    ///
    /// `state` is what an earlier run left; `keep` is given the new one after every generation.
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

    /// The other drives that answer any of these rows.
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
        let by: Helpers<'_> = (self.others, self.pool);
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

    /// The values of all free figures of a drive.
    fn chosen(&self, plan: &Plan, shared: &[Parameter], found: &SharedValues) -> Vec<Chosen> {
        let all = plan.shared.iter().chain(&plan.own);
        let choose = |parameter: &Parameter| {
            // Those without an answered row are no other drives.
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

    /// What a drive with these values predicts, or what is wrong with it.
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

    /// SHA-256 of what a drive's search depends on: nothing of what was measured of the drive.
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
            pool: self.pool,
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

/// Finds out which figures the rows are sensitive to, and which rows are.
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

/// What a search found of the figures that drives share.
#[derive(Default)]
struct SharedValues {
    /// Those that the rows are sensitive to.
    values: Vec<(Parameter, f64)>,
    generations: usize,
    population: usize,
}

/// The value of a figure that was not fitted to others.
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

/// The values that are not as shipped.
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

/// The model that a name is of: of a variant, the one that it is made from.
fn base<'m>(measured: &'m Measured, name: &'m str) -> &'m str {
    let variant = measured
        .variants
        .iter()
        .find(|variant| variant.name == name);
    variant.map_or(name, |variant| &variant.of)
}
