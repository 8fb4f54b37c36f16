//! A target that can be copied: every procedure runs on its own copy of a prepared one, as
//! many at a time as there are threads.
//!
//! Nothing that is measured depends on the order in which procedures happen to run: each
//! starts from a copy of the same state and has seeds of its own, and results are put
//! together in the edition's order. The longest procedure is started first, so that it does
//! not stand alone at the end.
//!
//! Memory: the states that procedures still wait for, and a copy for each thread of what its
//! procedure changes. The last that needs a state takes the state itself instead of a copy.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::Arc;

use stend_load::target::{Target, TargetError};

use crate::options::ReviewOptions;
use crate::plan::Plan;
use crate::runner::{Runner, guarded};
use crate::setting::Action;
use crate::slots::{Rank, Slot, Slots};

/// A prepared target and how many still need it.
struct Prepared {
    target: Result<Option<Box<dyn Target>>, Arc<TargetError>>,
    consumers: usize,
}

impl Prepared {
    /// A copy; the last one to ask gets the original.
    fn take(&mut self) -> Result<Box<dyn Target>, Arc<TargetError>> {
        self.consumers = self.consumers.saturating_sub(1);
        let slot = self.target.as_mut().map_err(|e| Arc::clone(e))?;
        let copy = match self.consumers {
            0 => slot.take(),
            _ => slot.as_mut().and_then(|target| target.fork()),
        };
        copy.ok_or_else(|| {
            Arc::new(TargetError::Failed(
                "the prepared target could not be copied for the next test".to_owned(),
            ))
        })
    }
}

/// What a task does.
#[derive(Clone, Copy)]
enum Work {
    /// Make the state of this index.
    Prepare(usize),
    /// Run the procedure of this index.
    Run(usize),
}

/// A task: it waits for the prepared target `needs` (0: the target as handed over, else
/// the state of index `needs` − 1).
struct Task {
    work: Work,
    needs: usize,
    cost: f64,
    claimed: bool,
}

impl Task {
    fn rank(&self) -> Rank {
        Rank {
            prepares: matches!(self.work, Work::Prepare(_)),
            cost: self.cost,
        }
    }
}

struct Board {
    tasks: Vec<Task>,
    /// By [`Task::needs`]: there, or failed.
    ready: Vec<bool>,
}

impl Board {
    /// The task to do next, by rank; of equal ones, by the edition's order.
    fn best(&self) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (index, task) in self.tasks.iter().enumerate() {
            if task.claimed || !self.ready[task.needs] {
                continue;
            }
            if best.is_none_or(|b| task.rank().is_before(&self.tasks[b].rank())) {
                best = Some(index);
            }
        }
        best
    }

    /// Takes the task to do next.
    fn claim(&mut self) -> Option<(Work, usize)> {
        let index = self.best()?;
        let task = &mut self.tasks[index];
        task.claimed = true;
        Some((task.work, task.needs))
    }

    fn all_claimed(&self) -> bool {
        self.tasks.iter().all(|t| t.claimed)
    }
}

struct Pool<'r, 'a> {
    runner: &'r Runner<'a>,
    slots: &'r Slots,
    board: Mutex<Board>,
    changed: Condvar,
    /// By [`Task::needs`].
    prepared: Vec<Mutex<Prepared>>,
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

/// Carries the plan out on copies of the target, with as many threads and in the places that the
/// options name.
pub(crate) fn run(runner: &Runner<'_>, target: Box<dyn Target>, options: &ReviewOptions<'_>) {
    let own = Slots::new(options.threads);
    let slots = options.slots.unwrap_or(&own);
    let tasks = tasks(runner.plan);
    let states = runner.plan.edition.states.len();
    let mut ready = vec![false; states + 1];
    ready[0] = true;
    let mut prepared: Vec<Prepared> = (0..=states)
        .map(|needs| Prepared {
            target: Ok(None),
            consumers: tasks.iter().filter(|t| t.needs == needs).count(),
        })
        .collect();
    prepared[0].target = Ok(Some(target));
    let workers = options.threads.clamp(1, tasks.len().max(1));
    let pool = Pool {
        runner,
        slots,
        board: Mutex::new(Board { tasks, ready }),
        changed: Condvar::new(),
        prepared: prepared.into_iter().map(Mutex::new).collect(),
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| pool.work());
        }
    });
}

fn tasks(plan: &Plan<'_>) -> Vec<Task> {
    let states = plan.needed_states().into_iter().map(|index| {
        let state = &plan.edition.states[index];
        Task {
            work: Work::Prepare(index),
            needs: state.from.map_or(0, |from| from + 1),
            cost: state
                .steps
                .iter()
                .map(|s| plan.setting.step_cost(s).total())
                .sum(),
            claimed: false,
        }
    });
    let procedures = plan.procedures.iter().enumerate();
    let procedures = procedures.map(|(index, procedure)| Task {
        work: Work::Run(index),
        needs: procedure.state + 1,
        cost: plan.cost_on_copy(procedure).total(),
        claimed: false,
    });
    states.chain(procedures).collect()
}

impl Pool<'_, '_> {
    /// One worker: takes tasks until none is left.
    fn work(&self) {
        while let Some((work, needs, _slot)) = self.next() {
            let taken = guarded(|| self.prepared[needs].lock().take());
            match work {
                Work::Prepare(state) => self.prepare(state, taken),
                Work::Run(index) => {
                    let procedure = &self.runner.plan.procedures[index];
                    match taken {
                        // Its own errors are recorded by the runner.
                        Ok(mut target) => drop(self.runner.run(target.as_mut(), procedure)),
                        Err(error) => self.runner.context.recorder.fail(&procedure.places, &error),
                    }
                }
            }
        }
    }

    /// The next task and the place for it, waiting for preparations under way; `None` when all are
    /// taken.
    fn next(&self) -> Option<(Work, usize, Slot<'_>)> {
        loop {
            // What comes next may be another task by the time that there is a place for it.
            let slot = self.slots.take(self.next_rank()?);
            if let Some((work, needs)) = self.lock().claim() {
                return Some((work, needs, slot));
            }
        }
    }

    fn next_rank(&self) -> Option<Rank> {
        let mut board = self.lock();
        loop {
            if let Some(index) = board.best() {
                return Some(board.tasks[index].rank());
            }
            if board.all_claimed() {
                return None;
            }
            self.changed.wait(&mut board);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock()
    }

    fn prepare(&self, state: usize, from: Result<Box<dyn Target>, Arc<TargetError>>) {
        let entry = &self.runner.plan.edition.states[state];
        let made = from.and_then(|mut target| {
            self.runner
                .prepare(target.as_mut(), &entry.id, &entry.steps)?;
            Ok(target)
        });
        self.prepared[state + 1].lock().target = made.map(Some);
        self.lock().ready[state + 1] = true;
        self.changed.notify_all();
    }
}
