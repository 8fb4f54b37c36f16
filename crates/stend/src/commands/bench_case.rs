//! `stend bench-case`: runs one case of `cargo xtask bench`, in a process of its own.
//!
//! The case is a line of JSON on stdin, which stays open. Its closing means that the parent has
//! ended, and this process ends too.

use std::io::{BufRead, Read};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde::Deserialize;
use serde_json::json;
use stend_load::{JobFile, RunOptions};
use stend_model::Model;
use stend_simulated::SimulatedTarget;

use crate::args::{
    Choice, LabPath, LanguageArgs, MarkArgs, RealArgs, ReviewArgs, ScaleArgs, SetArgs,
};
use crate::commands::review;
use crate::failure::Failure;
use crate::memory::bytes_in;
use crate::output::{note, print_json};

/// Command of the parent.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Case {
    /// Report the build of the program.
    Build,
    /// Run job files, one after another, on one new drive.
    Jobs(Jobs),
    /// Run a whole review, and delete it.
    Review(Review),
}

#[derive(Deserialize)]
struct Jobs {
    /// Name of the case, for progress.
    name: String,
    /// Text of the drive model.
    model: String,
    /// Job files that prepare the drive.
    prepare: Vec<String>,
    /// Job file that is measured.
    measured: String,
}

#[derive(Deserialize)]
struct Review {
    /// Name of a shipped model.
    drive: String,
    /// Identifiers of tests; by default all tests of the edition.
    tests: Option<Vec<String>>,
    /// Number of concurrent tests; defaults to the number of CPUs.
    threads: Option<NonZero<usize>>,
    /// Factor for the duration of every measurement.
    duration_scale: f64,
}

/// Numbers of requests and events, and their wall-clock time.
struct Measured {
    phase: (u64, u64),
    phase_wall_s: f64,
    process_requests: u64,
}

pub fn run() -> Result<(), Failure> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|error| Failure::Io(format!("stdin cannot be read: {error}")))?;
    let case = serde_json::from_str(&line)
        .map_err(|error| Failure::Input(format!("the line on stdin is not a case: {error}")))?;
    let measured = match case {
        Case::Build => {
            return print_json(&json!({
                "stend": env!("CARGO_PKG_VERSION"),
                "rustc": env!("STEND_RUSTC"),
                "debug_build": cfg!(debug_assertions),
            }));
        }
        Case::Jobs(case) => jobs(&case)?,
        Case::Review(case) => whole_review(&case)?,
    };
    print_json(&json!({
        "phase_requests": measured.phase.0,
        "phase_events": measured.phase.1,
        "phase_wall_s": measured.phase_wall_s,
        "process_requests": measured.process_requests,
        "peak_rss_bytes": peak_rss_bytes()?,
    }))
}

fn jobs(case: &Jobs) -> Result<Measured, Failure> {
    end_with_parent(None);
    let mut target = SimulatedTarget::new(Model::parse(&case.model, &case.name)?);
    let (requests, events) = (target.request_count(), target.event_count());
    let of = case.prepare.len();
    for (index, job) in case.prepare.iter().enumerate() {
        note(&format!("{}: preparing, {} of {of}", case.name, index + 1));
        target.run_file(&JobFile::parse(job)?, &RunOptions::default())?;
    }
    let job = JobFile::parse(&case.measured)?;
    note(&format!("{}: measuring", case.name));
    let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
    let before = (count(&requests), count(&events));
    let began = Instant::now();
    target.run_file(&job, &RunOptions::default())?;
    Ok(Measured {
        phase_wall_s: began.elapsed().as_secs_f64(),
        phase: (count(&requests) - before.0, count(&events) - before.1),
        process_requests: count(&requests),
    })
}

/// Runs a review with its report, and deletes it.
fn whole_review(case: &Review) -> Result<Measured, Failure> {
    let folder = tempfile::Builder::new()
        .prefix("stend-bench-")
        .tempdir()
        .map_err(|error| Failure::Io(format!("cannot make a temporary folder: {error}")))?;
    end_with_parent(Some(folder.path().to_owned()));
    let args = ReviewArgs {
        language: LanguageArgs::default(),
        repeat: 1,
        state: None,
        plan: false,
        target: case.drive.clone(),
        edition: "2014".to_owned(),
        tests: case.tests.clone(),
        against: Vec::new(),
        choice: Choice::None,
        scale: ScaleArgs {
            seed: 1,
            duration_scale: case.duration_scale,
        },
        write_budget: None,
        until_steady: None,
        threads: case.threads,
        price: Vec::new(),
        out: Some(folder.path().join("report")),
        lab: LabPath::default(),
        json: false,
        real: RealArgs::default(),
        set: SetArgs::default(),
        marks: MarkArgs::default(),
    };
    let began = Instant::now();
    let done = review::perform(&args, None)?;
    let phase_wall_s = began.elapsed().as_secs_f64();
    done.saved?;
    if !done.review.complete {
        return Err(Failure::Io("some tests of the review failed".to_owned()));
    }
    Ok(Measured {
        phase: (done.requests, done.events),
        phase_wall_s,
        process_requests: done.requests,
    })
}

/// Ends this process and removes its folder when stdin is closed.
fn end_with_parent(folder: Option<PathBuf>) {
    std::thread::spawn(move || {
        let _ = std::io::stdin().read(&mut [0]);
        if let Some(folder) = folder {
            let _ = std::fs::remove_dir_all(folder);
        }
        std::process::exit(1);
    });
}

/// Peak resident memory of this process, bytes.
fn peak_rss_bytes() -> Result<u64, Failure> {
    const FILE: &str = "/proc/self/status";
    bytes_in(FILE, "VmHWM")
        .ok_or_else(|| Failure::Io(format!("{FILE} has no line with the peak memory (VmHWM)")))
}
