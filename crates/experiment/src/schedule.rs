//! The scheduler: tasks, of which some make states that others begin from.
//!
//! Memory: the states that tasks still wait for, and what each thread's task changes of its copy.
//! The last task that needs a state takes the state itself in place of a copy.

use std::collections::BTreeSet;

use parking_lot::{Condvar, Mutex};

use crate::slots::{Rank, Slot, Slots};

/// A task of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Task {
    /// Index of the task that makes the state from which this one begins.
    pub needs: Option<usize>,
    /// Estimated cost, in any unit.
    pub cost: f64,
}

/// Order in which tasks that could begin do so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Tasks that make states, since others wait for them; then by cost, the greatest first, so
    /// that no long task stands alone at the end.
    StatesFirst,
    /// Tasks whose state is there, in their order; then those that make states: no more states
    /// exist at a time than threads, but for the last tasks of each.
    StatesLast,
}

/// State that a task makes.
struct State<S> {
    state: Option<S>,
    /// Tasks that still need it.
    consumers: usize,
}

impl<S> State<S> {
    /// A copy; the last consumer gets the original.
    fn take(&mut self, copy: &(dyn Fn(&mut S) -> S + Sync)) -> S {
        self.consumers -= 1;
        let there = "the task that makes the state has ended";
        match self.consumers {
            0 => self.state.take().expect(there),
            _ => copy(self.state.as_mut().expect(there)),
        }
    }
}

struct Board {
    /// Places of the tasks that may begin.
    ready: BTreeSet<usize>,
    /// Number of tasks that have not begun.
    left: usize,
    /// A task has failed: no other begins.
    stopped: bool,
}

struct Run<'a, S> {
    tasks: &'a [Task],
    /// By task: the tasks that need its state.
    consumers: Vec<Vec<usize>>,
    /// Tasks in the order in which those that may begin do so.
    by_place: Vec<usize>,
    /// By task: its index in `by_place`.
    places: Vec<usize>,
    slots: &'a Slots,
    board: Mutex<Board>,
    /// A task has ended.
    changed: Condvar,
    /// By task.
    states: Vec<Mutex<State<S>>>,
    copy: &'a (dyn Fn(&mut S) -> S + Sync),
}

/// Carries out what a task does, from its index and from the state that it needs. Returns the state
/// that it makes: of a task that another one needs, it must not be `None`.
pub type Work<'a, S, E> = &'a (dyn Fn(usize, Option<S>) -> Result<Option<S>, E> + Sync);

/// Carries out all tasks on `threads` threads, in the places of `slots`. `copy` copies a state.
///
/// # Errors
/// The error of a task. Tasks that have begun by then are carried out, others are not.
///
/// # Panics
/// When a task panics, or makes no state although another one needs it.
pub fn run<S: Send, E: Send>(
    tasks: &[Task],
    (threads, slots): (usize, &Slots),
    order: Order,
    copy: &(dyn Fn(&mut S) -> S + Sync),
    work: Work<'_, S, E>,
) -> Result<(), E> {
    let run = Run::new(tasks, slots, order, copy);
    let threads = threads.clamp(1, tasks.len().max(1));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| run.thread(work)))
            .collect();
        let ended = threads.into_iter().map(|thread| match thread.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        // All are joined before the first error is returned.
        let ended: Vec<Result<(), E>> = ended.collect();
        ended.into_iter().collect()
    })
}

/// Ends a task when it is dropped: after a panic, too, for others may wait for it.
struct Ending<'r, 'a, S> {
    run: &'r Run<'a, S>,
    task: usize,
    went_well: bool,
}

impl<S> Drop for Ending<'_, '_, S> {
    fn drop(&mut self) {
        let mut board = self.run.board.lock();
        let consumers = self.run.consumers[self.task].iter();
        let ready = consumers.map(|&task| self.run.places[task]);
        board.ready.extend(ready);
        board.stopped |= !self.went_well;
        self.run.changed.notify_all();
    }
}

impl<'a, S> Run<'a, S> {
    fn new(
        tasks: &'a [Task],
        slots: &'a Slots,
        order: Order,
        copy: &'a (dyn Fn(&mut S) -> S + Sync),
    ) -> Run<'a, S> {
        let mut consumers = vec![Vec::new(); tasks.len()];
        for (task, needs) in tasks
            .iter()
            .enumerate()
            .filter_map(|(n, t)| Some((n, t.needs?)))
        {
            consumers[needs].push(task);
        }
        let states = consumers.iter().map(|consumers| State {
            state: None,
            consumers: consumers.len(),
        });
        let states = states.map(Mutex::new).collect();
        let mut by_place: Vec<usize> = (0..tasks.len()).collect();
        // Stable: equal ones keep their order.
        by_place.sort_by(|&a, &b| {
            let makes_state = |task: usize| !consumers[task].is_empty();
            let states_last = makes_state(a).cmp(&makes_state(b));
            match order {
                Order::StatesFirst => states_last
                    .reverse()
                    .then(tasks[b].cost.total_cmp(&tasks[a].cost)),
                Order::StatesLast => states_last,
            }
        });
        let mut places = vec![0; tasks.len()];
        for (place, task) in by_place.iter().enumerate() {
            places[*task] = place;
        }
        let ready = |task: &usize| tasks[*task].needs.is_none();
        let ready = (0..tasks.len()).filter(ready).map(|task| places[task]);
        Run {
            board: Mutex::new(Board {
                ready: ready.collect(),
                left: tasks.len(),
                stopped: false,
            }),
            tasks,
            consumers,
            by_place,
            places,
            slots,
            changed: Condvar::new(),
            states,
            copy,
        }
    }

    /// One thread: carries tasks out until none is left.
    fn thread<E>(&self, work: Work<'_, S, E>) -> Result<(), E> {
        while let Some((task, _slot)) = self.next() {
            let mut ending = Ending {
                run: self,
                task,
                went_well: false,
            };
            let needs = self.tasks[task].needs;
            let from = needs.map(|of| self.states[of].lock().take(self.copy));
            let made = work(task, from)?;
            let mut state = self.states[task].lock();
            if state.consumers > 0 {
                assert!(made.is_some(), "task {task} makes no state");
                state.state = made;
            }
            ending.went_well = true;
        }
        Ok(())
    }

    /// The next task and a place for it; waits for tasks under way. `None` if all have begun.
    fn next(&self) -> Option<(usize, Slot<'_>)> {
        loop {
            // The next task may be another one by the time that there is a place for it.
            let slot = self.slots.take(self.next_rank()?);
            let mut board = self.board.lock();
            if board.stopped {
                return None;
            }
            if let Some(place) = board.ready.pop_first() {
                board.left -= 1;
                return Some((self.by_place[place], slot));
            }
        }
    }

    fn next_rank(&self) -> Option<Rank> {
        let mut board = self.board.lock();
        loop {
            if board.stopped || board.left == 0 {
                return None;
            }
            if let Some(place) = board.ready.first() {
                let task = self.by_place[*place];
                return Some(Rank {
                    prepares: !self.consumers[task].is_empty(),
                    cost: self.tasks[task].cost,
                });
            }
            self.changed.wait(&mut board);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use stend_base::Rng;

    /// Counts how many states exist, and how many did at most.
    #[derive(Default)]
    struct Count {
        now: AtomicUsize,
        most: AtomicUsize,
    }

    struct Made<'c>(Vec<usize>, &'c Count);

    impl<'c> Made<'c> {
        fn new(path: Vec<usize>, count: &'c Count) -> Made<'c> {
            let now = count.now.fetch_add(1, Ordering::SeqCst) + 1;
            count.most.fetch_max(now, Ordering::SeqCst);
            Made(path, count)
        }
    }

    impl Drop for Made<'_> {
        fn drop(&mut self) {
            self.1.now.fetch_sub(1, Ordering::SeqCst);
        }
    }

    fn drawn(seed: u64) -> Vec<Task> {
        let mut rng = Rng::stream(seed, "tasks");
        let many = 1 + rng.below(40) as usize;
        (0..many)
            .map(|nth| Task {
                needs: (nth > 0 && rng.ratio(2, 3)).then(|| rng.below(nth as u64) as usize),
                cost: rng.below(9) as f64,
            })
            .collect()
    }

    /// The tasks whose states led to a task, the first of them first, and itself.
    fn path(tasks: &[Task], task: usize) -> Vec<usize> {
        let mut path: Vec<usize> =
            std::iter::successors(Some(task), |at| tasks[*at].needs).collect();
        path.reverse();
        path
    }

    #[test]
    fn every_task_runs_once_from_its_state() {
        for seed in 0..200 {
            let (tasks, count) = (drawn(seed), Count::default());
            let order = [Order::StatesFirst, Order::StatesLast][seed as usize % 2];
            let threads = 1 + seed as usize % 5;
            let ran = Mutex::new(vec![0; tasks.len()]);
            let work = |task: usize, from: Option<Made<'_>>| -> Result<_, ()> {
                ran.lock()[task] += 1;
                let mut path = from.map_or_else(Vec::new, |from| from.0.clone());
                path.push(task);
                assert_eq!(path, self::path(&tasks, task));
                Ok(Some(Made::new(path, &count)))
            };
            let copy = |made: &mut Made<'_>| Made::new(made.0.clone(), &count);
            let slots = Slots::new(threads);
            let ended = run(&tasks, (threads, &slots), order, &copy, &|task, from| {
                work(task, from)
            });
            assert_eq!(ended, Ok(()));
            assert!(ran.into_inner().iter().all(|ran| *ran == 1));
            assert_eq!(count.now.into_inner(), 0, "a state was kept");
        }
    }

    /// The order in which one thread carries tasks out.
    fn in_order(tasks: &[Task], order: Order) -> Vec<usize> {
        let ran = Mutex::new(Vec::new());
        let ended: Result<(), ()> = run(tasks, (1, &Slots::new(1)), order, &|()| (), &|task, _| {
            ran.lock().push(task);
            Ok(Some(()))
        });
        assert_eq!(ended, Ok(()));
        ran.into_inner()
    }

    #[test]
    fn states_come_first_or_last() {
        let task = |needs, cost| Task { needs, cost };
        let tasks = [
            task(None, 1.0),
            task(None, 2.0),
            task(Some(0), 1.0),
            task(Some(0), 3.0),
            task(Some(1), 2.0),
            task(None, 9.0),
        ];
        assert_eq!(in_order(&tasks, Order::StatesFirst), [1, 0, 5, 3, 4, 2]);
        assert_eq!(in_order(&tasks, Order::StatesLast), [5, 0, 2, 3, 1, 4]);
    }

    #[test]
    fn states_that_come_last_are_few() {
        let states = (0..20).map(|_| Task::default());
        let runs = (0..100).map(|nth| Task {
            needs: Some(nth / 5),
            cost: 0.0,
        });
        let tasks: Vec<Task> = states.chain(runs).collect();
        let count = Count::default();
        let copy = |made: &mut Made<'_>| Made::new(made.0.clone(), &count);
        let work = |task: usize, _: Option<Made<'_>>| -> Result<_, ()> {
            Ok((task < 20).then(|| Made::new(Vec::new(), &count)))
        };
        let slots = Slots::new(1);
        let ended = run(&tasks, (1, &slots), Order::StatesLast, &copy, &|t, from| {
            work(t, from)
        });
        assert_eq!(ended, Ok(()));
        assert!(count.most.into_inner() <= 2);
    }

    #[test]
    fn after_an_error_nothing_begins() {
        let tasks = vec![Task::default(); 50];
        let ran = AtomicUsize::new(0);
        let work = |task: usize, _: Option<()>| {
            ran.fetch_add(1, Ordering::SeqCst);
            if task == 3 { Err("failed") } else { Ok(None) }
        };
        let slots = Slots::new(2);
        let ended = run(&tasks, (2, &slots), Order::StatesLast, &|()| (), &work);
        assert_eq!(ended, Err("failed"));
        assert!(ran.into_inner() <= 5);
    }

    #[test]
    fn a_panic_ends_the_run() {
        let tasks = [
            Task::default(),
            Task {
                needs: Some(0),
                cost: 0.0,
            },
        ];
        let work = |_: usize, _: Option<()>| -> Result<Option<()>, ()> { panic!("as asked") };
        let slots = Slots::new(2);
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run(&tasks, (2, &slots), Order::StatesFirst, &|()| (), &work)
        }));
        assert!(ended.is_err());
    }
}
