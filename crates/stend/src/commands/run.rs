//! `stend run`: a fio job file on any target.

use std::path::Path;

use stend_load::report::{fio_output, log_files, normal};
use stend_load::{JobFile, RunOptions};
use stend_record::fio;
use stend_target::real::FioTarget;
use stend_target::{JobRequest, SimulatedTarget, Target};

use crate::args::{OutputFormat, RunArgs};
use crate::failure::Failure;
use crate::open::{Opened, open};
use crate::print;

/// Fills a drive: 128 KiB writes in ascending order over all of it.
const FILL: &str = "[fill]\nrw=write\nbs=128k\niodepth=32\n";

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let text = match open(&args.on, &args.real)? {
        Opened::Simulated(mut target) => simulated(args, &mut target)?,
        Opened::Real(mut target) => real(args, &mut target)?,
    };
    match &args.output {
        Some(path) => write(path, &text),
        None => print(&text),
    }
}

fn simulated(args: &RunArgs, target: &mut SimulatedTarget) -> Result<String, Failure> {
    let file = JobFile::read(&args.job)?;
    let options = RunOptions {
        seed: args.seed,
        ..RunOptions::default()
    };
    if args.fill {
        let fill = JobFile::parse(FILL)?;
        target.run_file(&fill, &options)?;
    }
    let result = target.run_file(&file, &options)?;
    for log in log_files(&result) {
        write(Path::new(&log.name), &log.text)?;
    }
    match args.output_format {
        OutputFormat::Normal => Ok(normal(&result)),
        OutputFormat::Json => json(&fio_output(&result, false)),
        OutputFormat::JsonPlus => json(&fio_output(&result, true)),
    }
}

fn real(args: &RunArgs, target: &mut FioTarget) -> Result<String, Failure> {
    if args.fill {
        return Err(Failure::Input(
            "--fill is for simulated drives; on a real target, put a job that writes first".into(),
        ));
    }
    let text = stend_load::jobfile::flatten(&args.job)?.to_string();
    let outcome = target.run(&JobRequest {
        text: &text,
        seed: args.seed,
        sample_ms: 0,
    })?;
    match args.output_format {
        OutputFormat::Normal => Ok(summary(&outcome.fio)),
        OutputFormat::JsonPlus => json(&outcome.fio),
        OutputFormat::Json => json(&without_bins(outcome.fio)),
    }
}

fn json(output: &fio::Output) -> Result<String, Failure> {
    let mut text = serde_json::to_string_pretty(output)
        .map_err(|error| Failure::Io(format!("cannot write the result as JSON: {error}")))?;
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
    }
    output
}

/// fio's figures in two lines a job and direction.
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
            let clat = &direction.clat_ns;
            text += &format!("    clat (us): mean {:.1}", clat.mean / 1e3);
            for percentile in [50.0, 99.0, 99.9, 99.99, 99.999] {
                if let Some(ns) = clat.at(percentile) {
                    text += &format!(", {percentile} % {:.1}", ns as f64 / 1e3);
                }
            }
            text += &format!(", max {:.1}\n", clat.max as f64 / 1e3);
        }
    }
    text
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| Failure::Io(format!("cannot write {}: {error}", path.display())))
}
