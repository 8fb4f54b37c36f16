//! Work on a separate thread, without Python's lock, that Ctrl-C ends early.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

use crate::errors::defect;

/// Interval between two checks for signals.
const EVERY: Duration = Duration::from_millis(50);

/// Runs `work` on a separate thread. Until it has ended, the calling thread waits, and calls
/// `beside` between waits. If `beside` or a signal (Ctrl-C) raises an exception, calls `stop`,
/// which must make the work end early, and returns the exception.
pub fn run<T: Send>(
    py: Python<'_>,
    stop: &dyn Fn(),
    work: impl FnOnce() -> T + Send,
    mut beside: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let ended = AtomicBool::new(false);
    let caller = thread::current();
    let mut raised = None;
    let done = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let done = catch_unwind(AssertUnwindSafe(work));
            ended.store(true, Ordering::Release);
            caller.unpark();
            done
        });
        while !ended.load(Ordering::Acquire) {
            // Python is not called while an exception is pending.
            if raised.is_none() {
                raised = py.check_signals().and_then(|()| beside(py)).err();
                raised.as_ref().inspect(|_| stop());
            }
            py.detach(|| thread::park_timeout(EVERY));
        }
        py.detach(|| worker.join())
    });
    if let Some(exception) = raised {
        return Err(exception);
    }
    done.and_then(|done| done).map_err(defect)
}

/// Like [`run`], without `beside`, and with a flag that ends the work.
pub fn wait<T: Send>(
    py: Python<'_>,
    interrupt: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let stop = || interrupt.store(true, Ordering::Relaxed);
    run(py, &stop, work, |_| Ok(()))
}

/// Like [`wait`], and fills a pipe from which the work reads: calls `make` while the pipe has room,
/// until `make` returns `None`, and then closes the pipe.
pub fn feed<T: Send, V: Send>(
    py: Python<'_>,
    interrupt: &AtomicBool,
    pipe: &Pipe<V>,
    work: impl FnOnce() -> T + Send,
    mut make: impl FnMut() -> PyResult<Option<V>>,
) -> PyResult<T> {
    let stop = || {
        interrupt.store(true, Ordering::Relaxed);
        pipe.end();
    };
    let mut is_over = false;
    run(py, &stop, work, |py| {
        // No wait as long as there is room. If the work has ended, the pipe stays full.
        while !is_over && py.detach(|| pipe.wait_for_room()) {
            match make()? {
                Some(value) => pipe.push(value),
                None => {
                    is_over = true;
                    pipe.end();
                }
            }
            py.check_signals()?;
        }
        Ok(())
    })
}

/// Calls `progress`, if there is one, with each value that is in the pipe.
pub fn tell<'py, T: PyCallArgs<'py>>(
    told: &Pipe<T>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<()> {
    let told = told.take();
    let Some(progress) = progress else {
        return Ok(());
    };
    told.into_iter()
        .try_for_each(|values| progress.call1(values).map(drop))
}

/// Creates a flag that ends work early.
pub fn flag() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}

/// Bounded queue of values from one thread to another.
pub struct Pipe<T> {
    state: Mutex<PipeState<T>>,
    changed: Condvar,
    most: usize,
}

struct PipeState<T> {
    values: VecDeque<T>,
    is_over: bool,
}

impl<T> Pipe<T> {
    /// Creates a pipe with room for `most` values.
    pub fn new(most: usize) -> Pipe<T> {
        Pipe {
            state: Mutex::new(PipeState {
                values: VecDeque::new(),
                is_over: false,
            }),
            changed: Condvar::new(),
            most,
        }
    }

    /// Waits for room, at most for `EVERY`; returns true if there is room.
    pub fn wait_for_room(&self) -> bool {
        let mut state = self.state.lock();
        let full = |state: &mut PipeState<T>| state.values.len() >= self.most;
        self.changed.wait_while_for(&mut state, full, EVERY);
        !full(&mut state)
    }

    /// Appends a value, even if there is no room.
    pub fn push(&self, value: T) {
        self.state.lock().values.push_back(value);
        self.changed.notify_all();
    }

    /// Closes the pipe: there are no further values.
    pub fn end(&self) {
        self.state.lock().is_over = true;
        self.changed.notify_all();
    }

    /// Waits for the next value and returns it; `None` after the last.
    pub fn next(&self) -> Option<T> {
        let empty = |state: &mut PipeState<T>| state.values.is_empty() && !state.is_over;
        let mut state = self.state.lock();
        self.changed.wait_while(&mut state, empty);
        let value = state.values.pop_front();
        drop(state);
        self.changed.notify_all();
        value
    }

    /// Removes and returns all values in the pipe, without waiting.
    pub fn take(&self) -> Vec<T> {
        self.state.lock().values.drain(..).collect()
    }
}
