//! Runs procedures on copies of a target, each on its own copy of a prepared one, with one thread
//! for each procedure at a time.
//!
//! Nothing that is measured depends on the order in which procedures happen to run: each
//! starts from a copy of the same state and has seeds of its own, and results are put
//! together in the edition's order.

use std::sync::Arc;

use parking_lot::Mutex;
use stend_experiment::{Order, Slots, Task};
use stend_load::target::{Target, TargetError};

use crate::options::ReviewOptions;
use crate::plan::Plan;
use crate::runner::{Runner, guarded};
use crate::setting::Action;

/// A prepared target, or why there is none.
type Prepared = Result<Box<dyn Target>, Arc<TargetError>>;

/// The work of a task.
#[derive(Clone, Copy)]
enum Work {
    /// Hands over the target.
    Begin,
    /// Makes the state of this index.
    Prepare(usize),
    /// Runs the procedure of this index.
    Run(usize),
}

/// Shows every action of the whole plan, with the index of its procedure; of states without.
pub(crate) fn walk(plan: &Plan<'_>, see: &mut dyn FnMut(Option<usize>, Action<'_>)) {
    for state in plan.needed_states() {
        for step in &plan.edition.states[state].steps {
            see(None, Action::Step(step));
        }
    }
    for (index, procedure) in plan.procedures.iter().enumerate() {
        procedure.actions(&plan.setting, true, &mut |action| see(Some(index), action));
    }
}

/// Carries the plan out on copies of the target, with the threads and slots of the options.
pub(crate) fn run(runner: &Runner<'_>, target: Box<dyn Target>, options: &ReviewOptions<'_>) {
    let own = Slots::new(options.threads);
    let slots = options.slots.unwrap_or(&own);
    let (works, tasks): (Vec<Work>, Vec<Task>) = tasks(runner.plan).into_iter().unzip();
    let target = Mutex::new(Some(target));
    let work = |task: usize, from: Option<Prepared>| -> Result<Option<Prepared>, Never> {
        let from = || from.expect("the task begins from a state");
        Ok(match works[task] {
            Work::Begin => target.lock().take().map(Ok),
            Work::Prepare(state) => Some(prepared(runner, state, from())),
            Work::Run(index) => {
                run_procedure(runner, index, from());
                None
            }
        })
    };
    let threads = (options.threads, slots);
    let ended = stend_experiment::run(&tasks, threads, Order::StatesFirst, &copy, &work);
    match ended {
        Ok(()) => {}
        Err(never) => match never {},
    }
}

/// The error of tasks that record their errors themselves.
enum Never {}

/// A copy of a prepared target.
fn copy(prepared: &mut Prepared) -> Prepared {
    let target = prepared.as_mut().map_err(|error| Arc::clone(error))?;
    guarded(|| {
        let copy = target.fork();
        copy.ok_or_else(|| {
            Arc::new(TargetError::Failed(
                "the prepared target could not be copied for the next test".to_owned(),
            ))
        })
    })
}

/// Work of each task, and the task: the target as handed over, states, procedures.
fn tasks(plan: &Plan<'_>) -> Vec<(Work, Task)> {
    let needed = plan.needed_states();
    let place = |state: usize| {
        let among = needed.iter().position(|needed| *needed == state);
        1 + among.expect("what a task needs is among the states")
    };
    let begin = (Work::Begin, Task::default());
    let states = needed.iter().map(|&index| {
        let state = &plan.edition.states[index];
        let steps = state.steps.iter();
        let task = Task {
            needs: Some(state.from.map_or(0, place)),
            cost: steps.map(|step| plan.setting.step_cost(step).total()).sum(),
        };
        (Work::Prepare(index), task)
    });
    let procedures = plan.procedures.iter().enumerate();
    let procedures = procedures.map(|(index, procedure)| {
        let task = Task {
            needs: Some(place(procedure.state)),
            cost: plan.cost_on_copy(procedure).total(),
        };
        (Work::Run(index), task)
    });
    std::iter::once(begin)
        .chain(states)
        .chain(procedures)
        .collect()
}

fn prepared(runner: &Runner<'_>, state: usize, from: Prepared) -> Prepared {
    let entry = &runner.plan.edition.states[state];
    let mut target = from?;
    runner.prepare(target.as_mut(), &entry.id, &entry.steps)?;
    Ok(target)
}

fn run_procedure(runner: &Runner<'_>, index: usize, from: Prepared) {
    let procedure = &runner.plan.procedures[index];
    match from {
        // Its own errors are recorded by the runner.
        Ok(mut target) => drop(runner.run(target.as_mut(), procedure)),
        Err(error) => runner.context.recorder.fail(&procedure.places, &error),
    }
}
