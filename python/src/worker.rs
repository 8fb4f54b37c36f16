//! Work on a thread of its own, without Python's lock, that Ctrl-C ends early.

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

/// Time between two looks for signals.
const EVERY: Duration = Duration::from_millis(50);

/// Does `work` on a thread of its own. The calling thread does a part in `beside` each time,
/// without which it waits, until the work has ended. When that raises an exception, or a signal
/// does (Ctrl-C), `stop` is called, which has the work end early, and the exception is returned.
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
            // Nothing is asked of Python while an exception waits.
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

/// As [`run`], with nothing to do beside, and a flag that ends the work.
pub fn wait<T: Send>(
    py: Python<'_>,
    interrupt: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let stop = || interrupt.store(true, Ordering::Relaxed);
    run(py, &stop, work, |_| Ok(()))
}

/// As [`wait`], with values for a pipe from which the work reads: `make` is called where it has
/// room, and once it has returned `None` the pipe is at its end.
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
        // Without a pause as long as there is room. It stays full where the work has ended.
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

/// Calls `progress`, if there is one, with each of the values that are on their way.
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

/// A flag that ends work early.
pub fn flag() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}

/// Few values on their way from one thread to another.
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
    /// With room for so many values.
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

    /// Waits for room, a little; whether there is any now.
    pub fn wait_for_room(&self) -> bool {
        let mut state = self.state.lock();
        let full = |state: &mut PipeState<T>| state.values.len() >= self.most;
        self.changed.wait_while_for(&mut state, full, EVERY);
        !full(&mut state)
    }

    /// Hands over a value.
    pub fn push(&self, value: T) {
        self.state.lock().values.push_back(value);
        self.changed.notify_all();
    }

    /// Says that there are no further values.
    pub fn end(&self) {
        self.state.lock().is_over = true;
        self.changed.notify_all();
    }

    /// The next value, waited for; `None` after the last.
    pub fn next(&self) -> Option<T> {
        let empty = |state: &mut PipeState<T>| state.values.is_empty() && !state.is_over;
        let mut state = self.state.lock();
        self.changed.wait_while(&mut state, empty);
        let value = state.values.pop_front();
        drop(state);
        self.changed.notify_all();
        value
    }

    /// What there is now.
    pub fn take(&self) -> Vec<T> {
        self.state.lock().values.drain(..).collect()
    }
}
