//! Trials: steps on a drive in a state, and figures of their results. A batch of trials of one
//! model in one state is a unit of work for a thread, another process or another machine.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use stend_load::target::TargetError;
use stend_model::Model;
use stend_record::sha256_hex;
use stend_simulated::SimulatedTarget;

use crate::figure::Figure;
use crate::schedule::{self, Order, Task};
use crate::slots::Slots;
use crate::step::{Step, StepResult, prepare};

/// Steps on a drive, and figures of their results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The steps, in their order.
    pub steps: Vec<Step>,
    /// The figures, each with the index of its step.
    pub figures: Vec<(usize, Figure)>,
}

/// Trials of one model that begin in one state. All inputs of the results are in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Name of the model, for errors.
    pub model_name: String,
    /// Text of the model.
    pub model_text: String,
    /// Steps from a new drive to the state.
    pub state: Vec<Step>,
    /// The trials.
    pub trials: Vec<Trial>,
}

/// Values of the figures of a trial, in their order, each `None` if the result does not contain it;
/// or the reason why there are none.
pub type Values = Result<Vec<Option<f64>>, String>;

impl Trial {
    /// Carries the steps out, and returns the values of the figures.
    ///
    /// # Errors
    /// As [`Step::carry_out`].
    pub fn run(&self, target: &mut SimulatedTarget) -> Result<Vec<Option<f64>>, TargetError> {
        let steps = self.steps.iter().map(|step| step.carry_out(target, None));
        let results: Vec<StepResult> = steps.collect::<Result<_, _>>()?;
        let value = |(step, figure): &(usize, Figure)| figure.value(&results[*step]);
        Ok(self.figures.iter().map(value).collect())
    }
}

impl Batch {
    /// Hash of the content: batches with the same id have the same results.
    pub fn id(&self) -> String {
        sha256_hex(serde_json::to_string(self).expect("a batch is JSON"))
    }

    /// Carries the trials out, each on a copy of the drive in its state. Returns their values in
    /// the order of the trials.
    pub fn run(&self) -> Vec<Values> {
        let model = Model::parse(&self.model_text, &self.model_name).map_err(|e| e.to_string());
        let prepared = model.and_then(|model| {
            let prepared = prepare(model, &self.state, None);
            prepared.map_err(|error| error.to_string())
        });
        let mut prepared = match prepared {
            Ok(target) => Some(target),
            Err(error) => return self.failed(&error),
        };
        let last = self.trials.len().saturating_sub(1);
        let run = |(index, trial): (usize, &Trial)| {
            // The last one needs no copy.
            let target = match index == last {
                true => prepared.take(),
                false => prepared.clone(),
            };
            let mut target = target.expect("only the last one takes it");
            trial.run(&mut target).map_err(|error| error.to_string())
        };
        self.trials.iter().enumerate().map(run).collect()
    }

    /// Result of a batch that was not carried out.
    pub fn failed(&self, reason: &str) -> Vec<Values> {
        vec![Err(reason.to_owned()); self.trials.len()]
    }
}

/// Executor of batches.
pub trait Pool: Sync {
    /// Runs all of them, in any order. Returns their results in the order of `batches`.
    fn run(&self, batches: &[Batch]) -> Vec<Vec<Values>>;
}

/// Pool that remembers all results, and runs equal batches once.
pub struct Remembering<'a> {
    pool: &'a dyn Pool,
    /// Results by the id of the batch.
    known: Mutex<BTreeMap<String, Vec<Values>>>,
}

impl<'a> Remembering<'a> {
    /// Creates a pool that runs new batches by another.
    pub fn new(pool: &'a dyn Pool) -> Remembering<'a> {
        let known = Mutex::default();
        Remembering { pool, known }
    }
}

impl Pool for Remembering<'_> {
    fn run(&self, batches: &[Batch]) -> Vec<Vec<Values>> {
        let mut known = self.known.lock();
        let ids: Vec<String> = batches.iter().map(Batch::id).collect();
        let (mut new_ids, mut new) = (BTreeSet::new(), Vec::new());
        let mut order = Vec::new();
        for (id, batch) in ids.iter().zip(batches) {
            if !known.contains_key(id) && new_ids.insert(id) {
                order.push(id.clone());
                new.push(batch.clone());
            }
        }
        known.extend(order.into_iter().zip(self.pool.run(&new)));
        ids.iter().map(|id| known[id].clone()).collect()
    }
}

/// This process, with this number of threads; by default with as many as there are CPUs.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub usize);

impl Default for Threads {
    fn default() -> Threads {
        Threads(std::thread::available_parallelism().map_or(1, |n| n.get()))
    }
}

impl Threads {
    /// Returns the results of `work` for each index below `count`, in their order. Each thread does
    /// one at a time: a drive takes gigabytes of memory.
    pub fn map<T: Send>(self, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let results = Mutex::new(BTreeMap::new());
        let work = |index, _: Option<()>| -> Result<_, Infallible> {
            let result = work(index);
            results.lock().insert(index, result);
            Ok(None)
        };
        let tasks = vec![Task::default(); count];
        let threads = (self.0, &Slots::new(self.0));
        let Ok(()) = schedule::run(&tasks, threads, Order::StatesFirst, &|()| (), &work);
        results.into_inner().into_values().collect()
    }
}

impl Pool for Threads {
    fn run(&self, batches: &[Batch]) -> Vec<Vec<Values>> {
        self.map(batches.len(), |index| batches[index].run())
    }
}
