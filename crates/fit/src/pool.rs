//! The simulations of a search as independent pieces of work, which other processes or machines can
//! carry out.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stend_model::Model;

use crate::measured::Measured;
use crate::test_runs::{Figures, TestRun, run};

/// Tests of a model in a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Name of the model, for errors.
    name: String,
    /// Text of the model.
    text: String,
    /// Index of the state.
    state: usize,
    /// Indices of the tests.
    tests: Vec<usize>,
    seed: u64,
}

impl Work {
    pub(crate) fn new(test_run: &TestRun, model: &Model, seed: u64) -> Work {
        Work {
            name: test_run.model.clone(),
            text: model.text.clone(),
            state: test_run.state,
            tests: test_run.tests.clone(),
            seed,
        }
    }
}

impl Work {
    /// Result of work that was not carried out.
    pub fn failed(&self, why: &str) -> Yield {
        vec![Err(why.to_owned()); self.tests.len()]
    }
}

/// For each test of a [`Work`], its figures, or the reason why there are none.
pub type Yield = Vec<Result<Vec<Option<f64>>, String>>;

/// Executor of simulations.
pub trait Pool: Sync {
    /// Runs all of them, in any order; returns their results in the order of `work`.
    fn run(&self, measured: &Measured, work: &[Work]) -> Vec<Yield>;
}

/// This process, with all threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

impl Pool for Threads {
    fn run(&self, measured: &Measured, work: &[Work]) -> Vec<Yield> {
        let work = work.par_iter().with_max_len(1);
        work.map(|one| carry_out(measured, one)).collect()
    }
}

/// Runs one of them. `measured` must be the one for which it was created.
pub fn carry_out(measured: &Measured, work: &Work) -> Yield {
    let is_there = work.state < measured.states.len()
        && work.tests.iter().all(|test| *test < measured.tests.len());
    if !is_there {
        return work.failed("the work is of other measured figures");
    }
    let model = match Model::parse(&work.text, &work.name) {
        Ok(model) => model,
        Err(error) => return work.failed(&error.to_string()),
    };
    let test_run = TestRun {
        model: work.name.clone(),
        state: work.state,
        tests: work.tests.clone(),
    };
    let figures = run(measured, &test_run, model, work.seed);
    figures.into_iter().map(|(_, figures)| figures).collect()
}

/// Results of a test run, as entries of the predictions.
pub(crate) fn named(test_run: &TestRun, figures: Yield) -> Vec<((String, usize, usize), Figures)> {
    let key = |test: &usize| (test_run.model.clone(), test_run.state, *test);
    test_run.tests.iter().map(key).zip(figures).collect()
}
