//! `stend run`: a fio job file on any target.

use std::fs::{self, OpenOptions};
use std::path::Path;

use stend_load::jobfile::{Text, flatten};
use stend_load::report::{fio_output, log_files, normal};
use stend_load::{JobFile, RunOptions};
use stend_record::fio;
use stend_target::real::{FioTarget, check_job};
use stend_target::{Access, FILL_JOB, JobRequest, SimulatedTarget, Target};

use crate::args::{OnArgs, OutputFormat, RunArgs};
use crate::failure::Failure;
use crate::open::{Opened, check_on, is_simulated, open};
use crate::output::{note, print, unwritable_json};
use crate::signals;

/// Fills a target that is about to be measured.
pub fn fill(target: &mut dyn Target) -> Result<(), Failure> {
    let info = target.info();
    note(&format!(
        "filling {} first: {:.2} GB (10⁹ bytes)",
        info.name,
        info.capacity_bytes as f64 / 1e9
    ));
    let fill = JobRequest {
        text: FILL_JOB,
        seed: RunOptions::default().seed,
        sample_ms: 0,
    };
    target.run(&fill)?;
    Ok(())
}

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    // The job is read before the target is opened, which may create a file, and the
    // output is opened before hours of measuring.
    check_on(&args.on)?;
    let OnArgs { on, real, .. } = &args.on;
    if is_simulated(on) {
        let file = JobFile::read(&args.job)?;
        let mut used: Option<Box<SimulatedTarget>> = None;
        deliver(args, || match open(on, real, Access::Change)? {
            Opened::Simulated(target) => run_simulated(args, &file, used.insert(target)),
            Opened::Real(_) => unreachable!("`open` and `is_simulated` agree"),
        })?;
        save(used.as_deref())
    } else {
        let text = flatten(&args.job)?;
        check_job(&text)?;
        deliver(args, || match open(on, real, Access::Change)? {
            Opened::Simulated(_) => unreachable!("`open` and `is_simulated` agree"),
            Opened::Real(mut target) => run_real(args, &text, &mut target),
        })
    }
}

/// Saves a drive that lives in a file, after its results were printed.
pub fn save(target: Option<&SimulatedTarget>) -> Result<(), Failure> {
    let Some(target) = target.filter(|target| target.state_path().is_some()) else {
        return Ok(());
    };
    Ok(signals::undisturbed(|| target.save())?)
}

/// Writes what `produce` yields to where the user wants it.
fn deliver(
    args: &RunArgs,
    produce: impl FnOnce() -> Result<String, Failure>,
) -> Result<(), Failure> {
    let Some(path) = &args.output else {
        return print(&produce()?);
    };
    check_output(path)?;
    let was_there = path.exists();
    // Without truncation: what is there stays until there is something to replace it.
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(|error| Failure::unwritable(path, &error))?;
    let text = produce().inspect_err(|_| {
        if !was_there {
            let _ = fs::remove_file(path);
        }
    })?;
    write(path, &text)
}

/// Refuses to replace a file that is no earlier answer of `stend run` or of fio.
fn check_output(path: &Path) -> Result<(), Failure> {
    if !path.is_file() {
        return Ok(());
    }
    let bytes = fs::read(path).map_err(|error| Failure::unwritable(path, &error))?;
    let text = String::from_utf8_lossy(&bytes);
    let first = text.lines().next().unwrap_or_default();
    let in_words = first.contains(": (groupid=") || first.contains(": IOPS=");
    if text.is_empty() || in_words || serde_json::from_str::<fio::Output>(&text).is_ok() {
        return Ok(());
    }
    Err(Failure::Refused(format!(
        "{}: it exists, and holds no results of a job: choose another name with --output, or \
         remove it",
        path.display()
    )))
}

fn run_simulated(
    args: &RunArgs,
    file: &JobFile,
    target: &mut SimulatedTarget,
) -> Result<String, Failure> {
    let options = RunOptions {
        seed: args.seed,
        ..RunOptions::default()
    };
    if args.on.fill {
        fill(target)?;
    }
    let result = target.run_file(file, &options)?;
    for log in log_files(&result) {
        write(Path::new(&log.name), &log.text)?;
    }
    match args.output_format {
        OutputFormat::Normal => Ok(normal(&result)),
        OutputFormat::Json => json(&fio_output(&result, false)),
        OutputFormat::JsonPlus => json(&fio_output(&result, true)),
    }
}

fn run_real(args: &RunArgs, text: &Text, target: &mut FioTarget) -> Result<String, Failure> {
    if args.on.fill {
        fill(target)?;
    }
    let outcome = target.run_text(text, args.seed)?;
    match args.output_format {
        OutputFormat::Normal => Ok(summary(&outcome.fio)),
        OutputFormat::JsonPlus => json(&outcome.fio),
        OutputFormat::Json => json(&without_bins(outcome.fio)),
    }
}

fn json(output: &fio::Output) -> Result<String, Failure> {
    let mut text = serde_json::to_string_pretty(output).map_err(unwritable_json)?;
    text.push('\n');
    Ok(text)
}

fn without_bins(mut output: fio::Output) -> fio::Output {
    for job in &mut output.jobs {
        for direction in [&mut job.read, &mut job.write, &mut job.trim] {
            for latency in [
                &mut direction.slat_ns,
                &mut direction.clat_ns,
                &mut direction.lat_ns,
            ] {
                latency.bins = None;
            }
        }
        if let Some(syncs) = &mut job.sync {
            syncs.lat_ns.bins = None;
        }
    }
    output
}

/// fio's figures in two lines a job and direction, and two for its flushes.
fn summary(output: &fio::Output) -> String {
    let mut text = String::new();
    for job in &output.jobs {
        for (name, direction) in [
            ("read", &job.read),
            ("write", &job.write),
            ("trim", &job.trim),
        ] {
            if direction.total_ios == 0 {
                continue;
            }
            text += &format!(
                "{}: {name}: IOPS={:.1}, BW={:.1} MiB/s ({:.1} MB/s), {} requests in {} ms\n",
                job.jobname,
                direction.iops,
                direction.bw_bytes as f64 / f64::from(1 << 20),
                direction.bw_bytes as f64 / 1e6,
                direction.total_ios,
                direction.runtime,
            );
            text += &latency_line("clat", &direction.clat_ns);
        }
        if let Some(flushes) = job.sync_latency() {
            text += &format!("{}: fsync/fdatasync: {} flushes\n", job.jobname, flushes.n);
            text += &latency_line("sync", flushes);
        }
    }
    text
}

fn latency_line(name: &str, latency: &fio::Latency) -> String {
    let mut text = format!("    {name} (us): mean {:.1}", latency.mean / 1e3);
    for percentile in [50.0, 99.0, 99.9, 99.99, 99.999] {
        if let Some(ns) = latency.at(percentile) {
            text += &format!(", {percentile} % {:.1}", ns as f64 / 1e3);
        }
    }
    text + &format!(", max {:.1}\n", latency.max as f64 / 1e3)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::unwritable(path, &error))
}
