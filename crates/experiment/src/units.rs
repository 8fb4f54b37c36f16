//! Units of work with keys. A store keeps the result of each unit when it is finished, and has the
//! results of units that need no work.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::schedule::{self, Order, Task};
use crate::slots::Slots;

/// A finished unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Done<R> {
    /// Name of the unit, for people.
    pub name: String,
    /// Hash of everything that the result depends on, except the program.
    pub key: String,
    /// Result.
    pub result: R,
}

/// Store of results.
pub trait Store<R, E>: Sync {
    /// Returns the results with this key, the earliest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn known(&self, key: &str) -> Result<Vec<R>, E>;

    /// Stores a result.
    ///
    /// # Errors
    /// If the store cannot be written.
    fn keep(&self, done: &Done<R>) -> Result<(), E>;
}

/// Store in memory, from which the results are passed on.
impl<R: Clone + Send, E> Store<R, E> for Mutex<Vec<Done<R>>> {
    fn known(&self, key: &str) -> Result<Vec<R>, E> {
        let all = self.lock();
        let with_key = all.iter().filter(|done| done.key == key);
        Ok(with_key.map(|done| done.result.clone()).collect())
    }

    fn keep(&self, done: &Done<R>) -> Result<(), E> {
        self.lock().push(done.clone());
        Ok(())
    }
}

/// Event of runs.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a, R> {
    /// A run of several begins.
    Round {
        /// Its number, from 0.
        number: u32,
        /// Number of runs.
        of: u32,
    },
    /// A run begins in which not all results are known.
    Planned {
        /// Number of units to be carried out, at least in part.
        open: usize,
        /// Number of units whose results are known.
        known: usize,
    },
    /// A task is under way.
    Working {
        /// Name of the unit, or description of the state that is prepared.
        doing: &'a str,
        /// Share of all work that is done, 0 to 1.
        share_done: f64,
    },
    /// A unit is finished, and its result is stored.
    Finished {
        /// The unit.
        done: &'a Done<R>,
        /// Number of finished units.
        finished: usize,
        /// Number of units in the run.
        of: usize,
        /// Share of all work that is done, 0 to 1.
        share_done: f64,
    },
}

/// Receiver of events.
pub type Report<'a, R> = &'a (dyn Fn(&Event<'_, R>) + Sync);

/// Outcome of a task: a state from which other tasks begin, and finished units.
pub type Made<S, R> = (Option<S>, Vec<Done<R>>);

/// The run was interrupted.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Work of a task, from its index, the state that it needs, and a function that reports its
/// description and the share of it that is done.
pub type Work<'a, S, R, E> =
    &'a (dyn Fn(usize, Option<S>, &(dyn Fn(&str, f64) + Sync)) -> Result<Made<S, R>, E> + Sync);

/// A run of units.
#[derive(Clone, Copy)]
pub struct Run<'a, R, E> {
    /// Number of concurrent tasks; 0 counts as 1. No result depends on it.
    pub threads: usize,
    /// Order of the tasks.
    pub order: Order,
    /// Set to interrupt the run: no other task starts, and results of tasks in progress are
    /// discarded.
    pub interrupt: &'a AtomicBool,
    /// Store of the results. It is called by one thread at a time, like `report`.
    pub store: &'a dyn Store<R, E>,
    /// Receives the events.
    pub report: Report<'a, R>,
}

/// Finished part of a run.
struct Tally {
    units: usize,
    cost: f64,
    /// Part of the cost by task.
    costs: Vec<f64>,
}

impl<R, E: From<Interrupted> + Send> Run<'_, R, E> {
    /// Carries out tasks that finish `of` units. `copy` copies a state.
    ///
    /// # Errors
    /// [`Interrupted`], or an error of a task or of the store, after which no other task starts.
    pub fn carry_out<S: Send>(
        &self,
        tasks: &[Task],
        of: usize,
        copy: &(dyn Fn(&mut S) -> S + Sync),
        work: Work<'_, S, R, E>,
    ) -> Result<(), E> {
        let cost: f64 = tasks.iter().map(|task| task.cost).sum();
        let tally = Mutex::new(Tally {
            units: 0,
            cost: 0.0,
            costs: vec![0.0; tasks.len()],
        });
        let note = |tally: &mut Tally, task: usize, share: f64| {
            let before = std::mem::replace(&mut tally.costs[task], share * tasks[task].cost);
            tally.cost += tally.costs[task] - before;
            tally.cost / cost.max(f64::MIN_POSITIVE)
        };
        let task = |task: usize, state: Option<S>| -> Result<Option<S>, E> {
            self.not_interrupted()?;
            let working = |doing: &str, share: f64| {
                let mut tally = tally.lock();
                let share_done = note(&mut tally, task, share);
                (self.report)(&Event::Working { doing, share_done });
            };
            let (state, units) = work(task, state, &working)?;
            self.not_interrupted()?;
            let mut tally = tally.lock();
            for (index, done) in units.iter().enumerate() {
                self.store.keep(done)?;
                tally.units += 1;
                let share = (index + 1) as f64 / units.len() as f64;
                (self.report)(&Event::Finished {
                    done,
                    finished: tally.units,
                    of,
                    share_done: note(&mut tally, task, share),
                });
            }
            Ok(state)
        };
        let threads = (self.threads, &Slots::new(self.threads));
        schedule::run(tasks, threads, self.order, copy, &task)?;
        self.not_interrupted()
    }

    fn not_interrupted(&self) -> Result<(), E> {
        match self.interrupt.load(Ordering::Relaxed) {
            true => Err(Interrupted.into()),
            false => Ok(()),
        }
    }
}
