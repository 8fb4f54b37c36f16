//! `stend run`: a fio job file on any target.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::{Value, json};
use stend_lab::RecordedKind;
use stend_lab::recorded::NewRecord;
use stend_language::{counted, recorded};
use stend_load::jobfile::{Direction, Text, flatten};
use stend_load::report::{fio_output, log_files, normal};
use stend_load::runner::jobs_that_share_space;
use stend_load::target::{FILL_REST_S, JobRequest, Target, fill_job};
use stend_load::{JobError, JobFile, RunOptions, RunResult};
use stend_real::{FioTarget, check_job};
use stend_record::fio;
use stend_record::review::TargetInfo;
use stend_simulated::{Access, SimulatedTarget};

use super::run_logs;
use crate::args::{Fill, OutputFormat, RunArgs};
use crate::failure::Failure;
use crate::laboratory;
use crate::open::{Named, Opened, check_on, is_simulated, open};
use crate::output::{check_writable, json_text, json_value, note, print};
use crate::signals;
use crate::typed::{self, word};

/// Fills a target before a measurement, and lets it rest.
pub fn fill(target: &mut dyn Target, then: Fill) -> Result<(), Failure> {
    let info = target.info();
    let rest = match then {
        Fill::Rest => format!("then a rest of {} min", FILL_REST_S / 60.0),
        Fill::Busy => "without a rest behind it".to_owned(),
    };
    note(&format!(
        "filling {} first: {:.2} GB (10⁹ bytes), {rest}",
        info.name,
        info.capacity_bytes as f64 / 1e9
    ));
    let fill = JobRequest {
        text: &fill_job(info.capacity_bytes),
        seed: RunOptions::default().seed,
        sample_ms: 0,
    };
    target.run(&fill)?;
    if then == Fill::Rest {
        target.idle(FILL_REST_S)?;
    }
    Ok(())
}

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    // The job is parsed before a target is opened, which may create a file. Lab and output are
    // checked before hours of measurement.
    check_on(&args.on)?;
    let lab = laboratory::path_if_any(&args.lab)?;
    let text = flatten(&args.job)?;
    let job = Job {
        for_fio: &text,
        for_simulation: JobFile::from_text(text.clone()),
    };
    job.check(args)?;
    run_logs::check(&text)?;
    let mut done = Done::default();
    deliver(args, || {
        for name in &args.on.on {
            match run_on(args, &job, name, &mut done) {
                Ok(()) => {}
                // Results measured before the failure are printed.
                Err(failure) if !done.results.is_empty() => {
                    done.failure = Some(failure);
                    break;
                }
                Err(failure) => return Err(failure),
            }
        }
        answer(args, &done.results)
    })?;
    for drive in &done.kept {
        save(Some(drive))?;
    }
    for result in done
        .results
        .iter()
        .filter(|result| result.error().is_none())
    {
        let new = NewRecord {
            label: args.marks.label.as_deref(),
            note: args.marks.note.as_deref(),
            name: &args.job.to_string_lossy(),
            job: Some(&text.to_string()),
            seed: args.seed,
            command: &command(args, &result.info.name),
            result: &json_value(&result.fio)?,
            ..laboratory::new_record(RecordedKind::Run, &result.info, result.begun_unix_ms)
        };
        laboratory::record(lab.as_deref(), &new)?;
    }
    let ended_early = done.results.iter().find_map(Ran::error);
    let failure = done.failure.or(ended_early.map(Failure::Io));
    failure.map_or(Ok(()), Err)
}

/// The job in the forms for both kinds of target.
struct Job<'a> {
    for_fio: &'a Text,
    for_simulation: Result<JobFile, JobError>,
}

impl Job<'_> {
    /// Checks that each target can run the job.
    fn check(&self, args: &RunArgs) -> Result<(), Failure> {
        for name in &args.on.on {
            match is_simulated(name) {
                true => drop(self.simulation()?),
                false => check_job(Path::new(name), self.for_fio, args.on.real.size)?,
            }
        }
        Ok(())
    }

    fn simulation(&self) -> Result<&JobFile, Failure> {
        let job = self.for_simulation.as_ref();
        job.map_err(|error| Failure::Input(error.to_string()))
    }
}

/// Result of the job on one target.
struct Ran {
    info: TargetInfo,
    /// Text to be printed.
    text: String,
    /// fio's JSON with everything that the user wants.
    wanted: fio::Output,
    /// fio's JSON without histograms.
    fio: fio::Output,
    begun_unix_ms: i64,
}

impl Ran {
    /// Message about a job that an error of the drive has ended.
    fn error(&self) -> Option<String> {
        let job = self.wanted.jobs.iter().find(|job| job.error != 0)?;
        Some(format!(
            "{}: the drive failed a request of the job {} (error {}), which ended it: its figures \
             are those until then, and are not kept in the lab; with continue_on_error it goes on",
            self.info.name, job.jobname, job.error
        ))
    }
}

/// Results of all targets.
#[derive(Default)]
struct Done {
    results: Vec<Ran>,
    /// Drives from state files, to be saved.
    kept: Vec<Box<SimulatedTarget>>,
    /// Failure of a target without a result.
    failure: Option<Failure>,
}

/// Runs the job on one of the targets.
fn run_on(args: &RunArgs, job: &Job<'_>, name: &str, done: &mut Done) -> Result<(), Failure> {
    let named = Named {
        name,
        set: &args.on.set,
    };
    let begun_unix_ms = Timestamp::now().as_millisecond();
    let mut opened = open(named, &args.on.real, Access::Change)?;
    let info = opened.info();
    let (text, wanted) = match &mut opened {
        Opened::Simulated(target) => {
            run_simulated(args, job.simulation()?, target, &mut done.failure)?
        }
        Opened::Real(target) => {
            target.check_job(job.for_fio)?;
            run_real(args, job.for_fio, target)?
        }
    };
    done.results.push(Ran {
        info,
        text,
        fio: without_bins(wanted.clone()),
        wanted,
        begun_unix_ms,
    });
    if let Opened::Simulated(target) = opened
        && target.state_path().is_some()
    {
        done.kept.push(target);
    }
    Ok(())
}

/// Formats the output: of one target fio's output, of several each output below its target's name,
/// or one document.
fn answer(args: &RunArgs, results: &[Ran]) -> Result<String, Failure> {
    let several = args.on.on.len() > 1;
    if args.output_format == OutputFormat::Normal {
        let with_name = |ran: &Ran| match several {
            true => format!("{}: {}\n{}", ran.info.name, ran.info.title, ran.text),
            false => ran.text.clone(),
        };
        return Ok(results.iter().map(with_name).collect());
    }
    match results {
        [ran] if !several => json_text(&ran.wanted),
        _ => {
            let of_each = results.iter().map(|ran| {
                Ok(json!({
                    "target": ran.info.name,
                    "title": ran.info.title,
                    "result": json_value(&ran.wanted)?,
                }))
            });
            let of_each: Result<Vec<Value>, Failure> = of_each.collect();
            json_text(&json!({ "schema": SEVERAL, "results": of_each? }))
        }
    }
}

/// Schema of the document about several targets.
const SEVERAL: &str = "stend.runs/1";

/// The command that runs the job again on one of the targets.
fn command(args: &RunArgs, target: &str) -> String {
    format!(
        "stend run {}{} --seed {}",
        word(&args.job.to_string_lossy()),
        typed::on(&args.on, target),
        args.seed
    )
}

/// Saves a drive to its state file, after its results were printed.
pub fn save(target: Option<&SimulatedTarget>) -> Result<(), Failure> {
    let Some(target) = target.filter(|target| target.state_path().is_some()) else {
        return Ok(());
    };
    Ok(signals::undisturbed(|| target.save())?)
}

/// Writes the output of `produce` to the place that the user wants.
fn deliver(
    args: &RunArgs,
    produce: impl FnOnce() -> Result<String, Failure>,
) -> Result<(), Failure> {
    let Some(path) = &args.output else {
        return print(&produce()?);
    };
    check_output(path)?;
    check_writable(path)?;
    write(path, &produce()?)
}

/// Refuses to replace a file that is no earlier output of `stend run` or of fio.
fn check_output(path: &Path) -> Result<(), Failure> {
    if !path.is_file() {
        return Ok(());
    }
    let bytes = fs::read(path).map_err(|error| Failure::unwritable(path, &error))?;
    let text = String::from_utf8_lossy(&bytes);
    let first = text.lines().next().unwrap_or_default();
    let in_words = |line: &str| line.contains(": (groupid=") || line.contains(": IOPS=");
    // With several targets, the first line is the name of the first target.
    let second = text.lines().nth(1).unwrap_or_default();
    let of_several = || {
        let document = serde_json::from_str::<Value>(&text).ok();
        document.is_some_and(|document| document["schema"] == SEVERAL)
    };
    if text.is_empty()
        || in_words(first)
        || in_words(second)
        || serde_json::from_str::<fio::Output>(&text).is_ok()
        || of_several()
    {
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
    failure: &mut Option<Failure>,
) -> Result<(String, fio::Output), Failure> {
    let options = RunOptions {
        seed: args.seed,
        ..RunOptions::default()
    };
    if let Some(then) = args.on.fill {
        fill(target, then)?;
    }
    let reads_alone = |job: &stend_load::jobfile::Job| {
        job.spec.rw.uses(Direction::Read) && !job.spec.rw.uses(Direction::Write)
    };
    let is_warned = file.jobs.iter().all(reads_alone) && target.is_empty();
    if is_warned {
        note(&format!(
            "warning: nothing was written to {}: reads find no data and read no flash, which is \
             faster than any that do; --fill writes the whole drive first",
            target.info().name
        ));
    }
    if let Some((one, other)) = jobs_that_share_space(file, target.capacity_bytes()) {
        note(&format!(
            "warning: in fio, the jobs {one} and {other} have files of their own; here they share \
             space of the drive: with offset or offset_increment each has its own, and with one \
             filename they share it in fio too"
        ));
    }
    let (result, unwritten_reads) = target.run_file_noting_unwritten(file, &options)?;
    warn_of_ramps(&result);
    if unwritten_reads > 0 && !is_warned {
        warn_of_unwritten(&result, unwritten_reads);
    }
    for log in log_files(&result) {
        // The results are printed whatever happens to the logs.
        if let Err(unwritable) = write(&log_path(args, &log.name, &target.info().name), &log.text) {
            failure.get_or_insert(unwritable);
            break;
        }
    }
    let bins = args.output_format == OutputFormat::JsonPlus;
    Ok((normal(&result), fio_output(&result, bins)))
}

/// Warns of reads that found no data.
fn warn_of_unwritten(result: &RunResult, unwritten_reads: u64) {
    // With those of a ramp, which are not among the figures.
    let measured: u64 = result
        .jobs
        .iter()
        .map(|job| job.directions[0].latency.count())
        .sum();
    let reads = measured.max(unwritten_reads);
    let warning = recorded!("warning-unwritten", count = unwritten_reads, reads = reads);
    note(&format!("warning: {} (--fill)", warning.in_english()));
}

/// Warns of jobs whose figures are all 0 because they ended within their ramp.
fn warn_of_ramps(result: &RunResult) {
    for job in &result.jobs {
        let ramp = result.file.jobs[job.section].spec.ramp;
        if ramp.0 > 0 && job.runtime.0 == 0 {
            note(&format!(
                "warning: the job {} ended within its ramp_time of {} s, so nothing was measured: \
                 shorten ramp_time, or let the job run longer",
                job.name,
                ramp.as_secs_f64()
            ));
        }
    }
}

/// Path of a log of a job; with several targets, each has its own.
fn log_path(args: &RunArgs, name: &str, target: &str) -> PathBuf {
    let path = PathBuf::from(name);
    if args.on.on.len() == 1 {
        return path;
    }
    let plain = |c: char| {
        if c.is_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '_'
        }
    };
    let target: String = target.trim_start_matches("./").chars().map(plain).collect();
    let file = path.file_name().map(|name| name.to_string_lossy());
    path.with_file_name(format!("{target}-{}", file.unwrap_or_default()))
}

fn run_real(
    args: &RunArgs,
    text: &Text,
    target: &mut FioTarget,
) -> Result<(String, fio::Output), Failure> {
    if let Some(then) = args.on.fill {
        fill(target, then)?;
    }
    let unwritten_bytes = target.unwritten_bytes();
    let outcome = target.run_text(text, args.seed)?;
    // Which requests of a job that also writes found data is unknown.
    let with_data = |job: &&fio::Job| job.read.total_ios > 0 || job.write.total_ios > 0;
    let first = outcome.fio.jobs.iter().find(with_data);
    let reads_first = first.is_some_and(|job| job.write.total_ios == 0);
    if reads_first && unwritten_bytes > 0 {
        let info = target.info();
        note(&format!(
            "warning: of the {} bytes of {}, {unwritten_bytes} were never written: reads there \
             reach no drive, and end sooner than any that do; --fill writes the whole file first",
            info.capacity_bytes, info.name
        ));
    }
    let wanted = match args.output_format {
        OutputFormat::JsonPlus => outcome.fio,
        _ => without_bins(outcome.fio),
    };
    Ok((summary(&wanted), wanted))
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

/// Summarizes fio's figures: two lines per job and direction, and two for flushes.
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
                "{}: {name}: IOPS={:.1}, BW={:.1} MiB/s ({:.1} MB/s), {} in {} ms\n",
                job.jobname,
                direction.iops,
                direction.bw_bytes as f64 / f64::from(1 << 20),
                direction.bw_bytes as f64 / 1e6,
                counted(direction.total_ios, "request"),
                direction.runtime,
            );
            text += &latency_line("clat", &direction.clat_ns);
        }
        if let Some(flushes) = job.sync_latency() {
            text += &format!(
                "{}: fsync/fdatasync: {}\n",
                job.jobname,
                match flushes.n {
                    1 => "1 flush".to_owned(),
                    n => format!("{n} flushes"),
                }
            );
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
