//! Units of work on the scheduler: their store, their events, and their ends.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use stend_experiment::{Done, Event, Interrupted, Order, Run, Store, Task};

type Results = Mutex<Vec<Done<usize>>>;

#[derive(Debug, PartialEq)]
enum Failed {
    Interrupted,
    Task(usize),
}

impl From<Interrupted> for Failed {
    fn from(_: Interrupted) -> Failed {
        Failed::Interrupted
    }
}

fn unit(index: usize) -> Done<usize> {
    Done {
        name: format!("unit {index}"),
        key: format!("key {}", index % 2),
        result: index,
    }
}

/// Carries out four tasks: a state, two tasks of a unit from it, and one of two units without it.
/// Returns the shares that events report.
fn carry_out(
    store: &Results,
    interrupt: &AtomicBool,
    work: &(dyn Fn(usize) -> Result<(), Failed> + Sync),
) -> (Result<(), Failed>, Vec<f64>) {
    let task = |needs, cost| Task { needs, cost };
    let tasks = [
        task(None, 0.0),
        task(Some(0), 1.0),
        task(Some(0), 1.0),
        task(None, 2.0),
    ];
    let shares = Mutex::new(Vec::new());
    let run = Run {
        threads: 2,
        order: Order::StatesLast,
        interrupt,
        store,
        report: &|event| match event {
            Event::Working { share_done, .. } | Event::Finished { share_done, .. } => {
                shares.lock().push(*share_done);
            }
            Event::Round { .. } | Event::Planned { .. } => unreachable!(),
        },
    };
    let ended = run.carry_out(&tasks, 4, &|state| *state, &|task, state, working| {
        working("work", 0.0);
        work(task)?;
        working("work", 0.5);
        Ok(match task {
            0 => (Some("state"), Vec::new()),
            3 => (None, vec![unit(3), unit(4)]),
            _ => {
                assert_eq!(state, Some("state"));
                (None, vec![unit(task)])
            }
        })
    });
    (ended, shares.into_inner())
}

#[test]
fn each_unit_is_stored_once_and_the_shares_end_at_one() {
    let store = Results::default();
    let (ended, shares) = carry_out(&store, &AtomicBool::new(false), &|_| Ok(()));
    assert_eq!(ended, Ok(()));
    assert!(shares.is_sorted(), "{shares:?}");
    assert_eq!(shares.last(), Some(&1.0));
    let known = |key: &str| -> Vec<usize> {
        let known: Result<_, Failed> = store.known(key);
        let mut known = known.unwrap();
        known.sort_unstable();
        known
    };
    assert_eq!([known("key 0"), known("key 1")], [[2, 4], [1, 3]]);
    assert!(known("key 2").is_empty());
}

#[test]
fn results_of_an_interrupted_task_are_not_stored() {
    let (store, interrupt) = (Results::default(), AtomicBool::new(false));
    let (ended, _) = carry_out(&store, &interrupt, &|_| {
        interrupt.store(true, Ordering::Relaxed);
        Ok(())
    });
    assert_eq!(ended, Err(Failed::Interrupted));
    assert_eq!(store.into_inner(), []);
}

#[test]
fn the_error_of_a_task_ends_the_run() {
    let store = Results::default();
    let fails = |task| match task {
        0 => Err(Failed::Task(task)),
        _ => Ok(()),
    };
    let (ended, _) = carry_out(&store, &AtomicBool::new(false), &fails);
    assert_eq!(ended, Err(Failed::Task(0)));
    assert!(store.into_inner().iter().all(|done| done.result > 2));
}
