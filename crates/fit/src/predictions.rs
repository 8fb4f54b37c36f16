//! Models in states, and the tests that begin there, as batches of trials.

use std::collections::BTreeMap;

use stend_base::job_seed;
use stend_experiment::{Batch, Job, Step, Trial, Values};
use stend_model::{Model, NewValue, write_values};

use crate::measured::{Measured, Operation, State, Test, Used, Variant};

/// Alignment of the places `{used}` and `{free}`, bytes.
const ALIGN_BYTES: u64 = 1 << 20;

/// Figures of tests, in the base unit of their quantities, by model, state and test.
pub(crate) type Predictions = BTreeMap<(String, usize, usize), Values>;

/// Tests of a model in a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestRun {
    /// Name of the model.
    pub model: String,
    /// Index in [`Measured::states`].
    pub state: usize,
    /// Indices in [`Measured::tests`].
    pub tests: Vec<usize>,
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

impl TestRun {
    /// The test run as a batch; the random choices of each job follow from `seed` and the names of
    /// its state, test and part.
    ///
    /// # Errors
    /// A message if the drive is too small for the state.
    pub fn batch(&self, measured: &Measured, model: &Model, seed: u64) -> Result<Batch, String> {
        let state = &measured.states[self.state];
        let places = Places::of(state, model.capacity.user_bytes.value)?;
        let steps = state.steps.iter().enumerate().map(|(index, operation)| {
            let seed = job_seed(seed, &format!("state/{}/{index}", state.id));
            places.step(operation, seed)
        });
        let tests = self.tests.iter().map(|test| &measured.tests[*test]);
        Ok(Batch {
            model_name: self.model.clone(),
            model_text: model.text.clone(),
            state: steps.collect(),
            trials: tests.map(|test| places.trial(test, seed)).collect(),
        })
    }

    /// Entries of the predictions: those of this test run.
    pub(crate) fn named(&self, values: Vec<Values>) -> Vec<((String, usize, usize), Values)> {
        let key = |test: &usize| (self.model.clone(), self.state, *test);
        self.tests.iter().map(key).zip(values).collect()
    }

    /// Entries of the predictions if there are none, for this reason.
    pub(crate) fn failed(&self, reason: &str) -> Vec<((String, usize, usize), Values)> {
        self.named(vec![Err(reason.to_owned()); self.tests.len()])
    }
}

/// Places of a state on a drive.
struct Places {
    /// Bytes from the beginning of the drive that hold data; the rest holds none.
    used_bytes: u64,
    capacity_bytes: u64,
}

impl Places {
    fn of(state: &State, capacity_bytes: u64) -> Result<Places, String> {
        let used = match state.used {
            Used::Bytes(bytes) => Some(bytes),
            Used::AllBut(bytes) => capacity_bytes.checked_sub(bytes),
        };
        match used.filter(|used| *used <= capacity_bytes) {
            None => Err(format!(
                "the drive is too small for the state `{}`",
                state.id
            )),
            Some(used) => Ok(Places {
                used_bytes: used / ALIGN_BYTES * ALIGN_BYTES,
                capacity_bytes,
            }),
        }
    }

    fn trial(&self, test: &Test, seed: u64) -> Trial {
        let steps = test.parts.iter().map(|part| {
            let seed = job_seed(seed, &format!("test/{}/{}", test.id, part.id));
            self.step(&part.operation, seed)
        });
        let figures = test.figures.iter();
        Trial {
            steps: steps.collect(),
            figures: figures.map(|f| (f.part, f.figure.clone())).collect(),
        }
    }

    fn step(&self, operation: &Operation, seed: u64) -> Step {
        match operation {
            Operation::Step(Step::Job(job)) => Step::Job(Job {
                text: self.in_text(&job.text),
                seed,
                ..*job
            }),
            Operation::Step(step) => step.clone(),
            Operation::TrimFree => Step::Trim {
                offset_bytes: self.used_bytes,
                len_bytes: self.capacity_bytes - self.used_bytes,
            },
        }
    }

    /// Replaces `{used}`, `{free}` and `{capacity}` in a job by numbers, bytes.
    fn in_text(&self, text: &str) -> String {
        // fio takes a size of 0 to mean everything, so that at least one request is written.
        text.replace("{used}", &self.used_bytes.max(ALIGN_BYTES).to_string())
            .replace("{free}", &self.used_bytes.to_string())
            .replace("{capacity}", &self.capacity_bytes.to_string())
    }
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

/// A model of another capacity with the same parts. Figures that the variant lacks are the model's.
fn vary(model: &Model, variant: &Variant) -> Result<Model, String> {
    let value = |table, key, value| NewValue {
        table,
        key,
        index: None,
        value,
        source: &variant.source,
    };
    let values = [
        value("capacity", "user_bytes", variant.user_bytes as f64),
        value("nand", "dies", f64::from(variant.dies)),
        value("dram", "size_mib", f64::from(variant.dram_mib)),
    ];
    let text = write_values(&model.text, &values);
    let text = text.map_err(|error| error.to_string())?;
    let varied = Model::parse(&text, &variant.name);
    let mut varied = varied.map_err(|error| error.to_string())?;
    varied.name.clone_from(&variant.name);
    varied.title.clone_from(&variant.title);
    Ok(varied)
}
