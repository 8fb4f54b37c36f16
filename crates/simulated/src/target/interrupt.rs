//! Early end of a simulated drive's operation, requested by another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stend_base::{Device, Nanos, SimTime};
use stend_config::FileError;
use stend_drive::SimDrive;
use stend_load::runner::{Flow, Progress};
use stend_load::trace::{Requests, Trace};
use stend_load::{JobFile, RunError, RunOptions, RunResult};

use super::SimulatedTarget;
use stend_load::target::TargetError;

/// Virtual time between two checks of the flag. Drives serve some hundred to some ten thousand
/// requests in it, which takes a processor less than 50 ms; a check costs as much as a request.
const EVERY: Nanos = Nanos::from_millis(100);

impl SimulatedTarget {
    /// Sets the flag that ends jobs, replays and rests early: nothing more is issued, requests in
    /// flight complete, and the call returns [`TargetError::Interrupted`]. The drive remains
    /// usable. `None` for no flag; copies share it.
    pub fn set_interrupt(&mut self, flag: Option<Arc<AtomicBool>>) {
        self.interrupt = flag;
    }

    /// Returns an error once the flag is set.
    pub(super) fn check_interrupt(&self) -> Result<(), TargetError> {
        match &self.interrupt {
            Some(flag) if is_set(flag) => Err(TargetError::Interrupted),
            _ => Ok(()),
        }
    }
}

fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Relaxed)
}

/// Runs a job, which ends as if its time had passed once the flag is set.
pub(super) fn run(
    drive: &mut impl Device,
    file: &JobFile,
    options: &RunOptions<'_>,
    flag: Option<&AtomicBool>,
) -> Result<RunResult, RunError> {
    let Some(flag) = flag else {
        return stend_load::run(drive, file, options);
    };
    let ask = |progress: &Progress| match options.progress {
        _ if is_set(flag) => Flow::Finish,
        Some(ask) => ask(progress),
        None => Flow::GoOn,
    };
    let every = match options.progress {
        // The instants of the calls may decide when the job ends.
        Some(_) => options.progress_every,
        None => EVERY,
    };
    let options = RunOptions {
        progress: Some(&ask),
        progress_every: every,
        ..*options
    };
    stend_load::run(drive, file, &options)
}

/// Lets time pass until `limit`, or until the flag is set.
pub(super) fn rest(drive: &mut SimDrive, limit: SimTime, flag: Option<&AtomicBool>) {
    loop {
        let until = match flag {
            None => limit,
            Some(flag) if is_set(flag) => return,
            // Long spans in which nothing happens are skipped at once.
            Some(_) => limit.min(drive.next_event_at().max(drive.now() + EVERY)),
        };
        let completion = drive.advance(until);
        assert!(completion.is_none(), "nothing was outstanding");
        if until == limit {
            return;
        }
    }
}

/// Trace that ends once the flag is set.
pub(super) struct Interruptible<'a> {
    pub trace: &'a dyn Trace,
    pub flag: &'a AtomicBool,
}

impl Trace for Interruptible<'_> {
    fn name(&self) -> String {
        self.trace.name()
    }

    fn requests(&self) -> Result<Requests<'_>, FileError> {
        let requests = self.trace.requests()?;
        Ok(Box::new(requests.take_while(|_| !is_set(self.flag))))
    }
}
