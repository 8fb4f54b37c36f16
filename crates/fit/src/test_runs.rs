//! A model in a state, and the tests that begin there: the state is prepared once, and each test
//! begins with a copy.

use std::collections::BTreeMap;

use stend_model::Model;
use stend_simulated::SimulatedTarget;

use crate::measured::Measured;
use crate::predict::{measure, prepare, vary};

/// Figures of a test on a model in a state, in the base unit of their quantities; or the reason why
/// there are none.
pub(crate) type Figures = Result<Vec<Option<f64>>, String>;

/// Predictions, by model, state and test.
pub(crate) type Predictions = BTreeMap<(String, usize, usize), Figures>;

/// Tests of a model in a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TestRun {
    /// Name of the model.
    pub(crate) model: String,
    /// Index of the state.
    pub(crate) state: usize,
    /// Indices of the tests.
    pub(crate) tests: Vec<usize>,
}

/// Test runs that the rows need, by model and state.
pub(crate) fn test_runs(measured: &Measured, rows: &[usize]) -> Vec<TestRun> {
    let mut test_runs: BTreeMap<(String, usize), Vec<usize>> = BTreeMap::new();
    let asks = rows.iter().filter_map(|row| {
        let row = &measured.rows[*row];
        Some((row.model.as_ref()?, row.ask.as_ref().ok()?))
    });
    for (model, ask) in asks {
        let other = ask.relation.as_ref().map(|relation| &relation.model);
        for model in [Some(model), other].into_iter().flatten() {
            let tests = test_runs.entry((model.clone(), ask.state)).or_default();
            if !tests.contains(&ask.test) {
                tests.push(ask.test);
            }
        }
    }
    let test_run = |((model, state), tests)| TestRun {
        model,
        state,
        tests,
    };
    test_runs.into_iter().map(test_run).collect()
}

/// A model, with the name of its origin if it is a variant; or its fault.
type Found = Result<(Model, Option<String>), String>;

/// Models by name.
pub(crate) struct Models {
    models: BTreeMap<String, Found>,
}

impl Models {
    /// Finds the models of all test runs, as far as they exist.
    pub(crate) fn find(
        measured: &Measured,
        test_runs: &[TestRun],
        of: &dyn Fn(&str) -> Option<Model>,
    ) -> Models {
        let mut models = BTreeMap::new();
        for test_run in test_runs {
            let name = &test_run.model;
            if !models.contains_key(name)
                && let Some(found) = named(measured, name, of)
            {
                models.insert(name.clone(), found);
            }
        }
        Models { models }
    }

    /// The model of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Model> {
        let (model, _) = self.models.get(name)?.as_ref().ok()?;
        Some(model)
    }

    /// Reason why there is no model of this name.
    pub(crate) fn reason(&self, name: &str) -> String {
        match self.models.get(name) {
            Some(Err(problem)) => format!("no model {name}: {problem}"),
            _ => format!("no model {name}"),
        }
    }

    /// Origin of a variant; `None` for other models.
    pub(crate) fn variant_of(&self, name: &str) -> Option<String> {
        self.models.get(name)?.as_ref().ok()?.1.clone()
    }
}

/// The model of a name, or the variant.
fn named(measured: &Measured, name: &str, of: &dyn Fn(&str) -> Option<Model>) -> Option<Found> {
    if let Some(model) = of(name) {
        return Some(Ok((model, None)));
    }
    let variant = measured.variants.iter().find(|v| v.name == name)?;
    let model = of(&variant.of)?;
    Some(vary(&model, variant).map(|model| (model, Some(variant.of.clone()))))
}

/// Runs a test run.
pub(crate) fn run(
    measured: &Measured,
    test_run: &TestRun,
    model: Model,
    seed: u64,
) -> Vec<((String, usize, usize), Figures)> {
    let state = &measured.states[test_run.state];
    let key = |test: usize| (test_run.model.clone(), test_run.state, test);
    let mut prepared = match prepare(model, state, seed) {
        Ok(target) => Some(target),
        Err(error) => {
            let failed = |test: &usize| (key(*test), Err(error.to_string()));
            return test_run.tests.iter().map(failed).collect();
        }
    };
    let last = test_run.tests.len() - 1;
    let run = |(index, test): (usize, &usize)| {
        // The last one needs no copy.
        let target: Option<SimulatedTarget> = match index == last {
            true => prepared.take(),
            false => prepared.clone(),
        };
        let mut target = target.expect("only the last one takes it");
        let figures = measure(&mut target, state, &measured.tests[*test], seed);
        (key(*test), figures.map_err(|error| error.to_string()))
    };
    test_run.tests.iter().enumerate().map(run).collect()
}
