//! One case, in a process of its own.

use std::io::Read;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use stend_load::{JobFile, RunOptions};
use stend_target::{SimulatedTarget, Target};

use super::cases::{Case, Phase, Work};
use crate::args::{LabPath, RealArgs, ReviewArgs};
use crate::commands::review;
use crate::failure::Failure;
use crate::{note, print};

/// What the process of a case measured in itself.
#[derive(Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Requests of the measured phase.
    pub phase_requests: u64,
    /// Events of the simulation in the measured phase.
    pub phase_events: u64,
    /// Wall clock of the measured phase, s.
    pub phase_wall_s: f64,
    /// Requests of all phases.
    pub process_requests: u64,
    /// What the drive's host can address, bytes.
    pub capacity_bytes: u64,
    /// Most memory that the process has had in RAM, bytes.
    pub peak_rss_bytes: u64,
}

/// Runs a case and prints what it took as a line of JSON.
pub fn run(case: &Case, smoke: bool) -> Result<(), Failure> {
    let mut measured = match case.work(smoke) {
        Work::Jobs { prepare, measured } => jobs(case, smoke, prepare, measured)?,
        Work::Review {
            tests,
            threads,
            duration_scale,
        } => {
            let args = ReviewArgs {
                target: case.model(smoke).name,
                edition: "2014".to_owned(),
                tests: tests.map(|list| list.split(',').map(str::to_owned).collect()),
                against: Vec::new(),
                seed: 1,
                duration_scale,
                write_budget: None,
                until_steady: None,
                threads: threads.and_then(NonZero::new),
                out: None,
                lab: LabPath::default(),
                json: false,
                real: RealArgs {
                    size: None,
                    destroy: None,
                    read_only: false,
                },
            };
            whole_review(args, case.model(smoke).capacity.user_bytes.value)?
        }
    };
    measured.peak_rss_bytes = peak_rss_bytes()?;
    let json = serde_json::to_string(&measured)
        .map_err(|error| Failure::Io(format!("cannot write the figures as JSON: {error}")))?;
    print(&(json + "\n"))
}

fn jobs(case: &Case, smoke: bool, prepare: &[Phase], measured: Phase) -> Result<Measured, Failure> {
    end_with_parent(None);
    let mut target = SimulatedTarget::new(case.model(smoke));
    let capacity_bytes = target.info().capacity_bytes;
    let (requests, events) = (target.request_count(), target.event_count());
    for (index, phase) in prepare.iter().enumerate() {
        let job = phase.job(&format!("prepare-{}", index + 1), capacity_bytes);
        note(&format!(
            "{}: preparing, {} of {}",
            case.name,
            index + 1,
            prepare.len()
        ));
        target.run_file(&JobFile::parse(&job)?, &RunOptions::default())?;
    }
    let job = JobFile::parse(&measured.job("measured", capacity_bytes))?;
    note(&format!("{}: measuring", case.name));
    let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
    let before = (count(&requests), count(&events));
    let began = Instant::now();
    target.run_file(&job, &RunOptions::default())?;
    let phase_wall_s = began.elapsed().as_secs_f64();
    Ok(Measured {
        phase_requests: count(&requests) - before.0,
        phase_events: count(&events) - before.1,
        phase_wall_s,
        process_requests: count(&requests),
        capacity_bytes,
        peak_rss_bytes: 0,
    })
}

/// A review with its report, which is thrown away.
fn whole_review(mut args: ReviewArgs, capacity_bytes: u64) -> Result<Measured, Failure> {
    let folder = tempfile::Builder::new()
        .prefix("stend-bench-")
        .tempdir()
        .map_err(|error| Failure::Io(format!("cannot make a temporary folder: {error}")))?;
    end_with_parent(Some(folder.path().to_owned()));
    args.out = Some(folder.path().join("report"));
    let began = Instant::now();
    let done = review::perform(&args, None)?;
    let phase_wall_s = began.elapsed().as_secs_f64();
    done.saved?;
    if !done.review.complete {
        return Err(Failure::Io("some tests of the review failed".to_owned()));
    }
    Ok(Measured {
        phase_requests: done.requests,
        phase_events: done.events,
        phase_wall_s,
        process_requests: done.requests,
        capacity_bytes,
        peak_rss_bytes: 0,
    })
}

/// Ends this process, and removes its folder, when the one that started it is gone: that
/// one holds the other end of stdin and never writes to it.
fn end_with_parent(folder: Option<PathBuf>) {
    std::thread::spawn(move || {
        let _ = std::io::stdin().read(&mut [0]);
        if let Some(folder) = folder {
            let _ = std::fs::remove_dir_all(folder);
        }
        std::process::exit(1);
    });
}

fn peak_rss_bytes() -> Result<u64, Failure> {
    const FILE: &str = "/proc/self/status";
    let text = std::fs::read_to_string(FILE)
        .map_err(|error| Failure::Io(format!("cannot read the peak memory: {FILE}: {error}")))?;
    super::machine::kib_of(&text, "VmHWM")
        .map(|kib| kib * 1024)
        .ok_or_else(|| Failure::Io(format!("{FILE} does not tell the peak memory (VmHWM)")))
}
