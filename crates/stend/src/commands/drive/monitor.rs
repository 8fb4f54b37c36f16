//! `stend drive monitor`: what a drive does, as it does it.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use stend_base::Nanos;
use stend_load::JobFile;
use stend_target::real::{Meter, health, smartctl};
use stend_target::{Access, Reading, SimulatedTarget};

use super::readings::{Watched, latency, temperature, used};
use super::screen;
use crate::args::{MonitorArgs, RealArgs};
use crate::failure::Failure;
use crate::open::{Opened, is_simulated, open};
use crate::output::{is_read, json_value, note};

/// Between two questions for the wear, which disturb a drive.
const WEAR_EVERY: Duration = Duration::from_secs(60);

/// Stands for "not known" where a percentage is kept.
const UNKNOWN: u64 = u64::MAX;

pub fn run(args: &MonitorArgs, as_json: bool) -> Result<(), Failure> {
    let in_lines = as_json || args.once || !std::io::stdout().is_terminal();
    let watched = match &args.job {
        Some(job) => simulated(args, job, in_lines)?,
        None => real(args)?,
    };
    let count = args.count.unwrap_or(match args.once {
        true => 1,
        false => u64::MAX,
    });
    if in_lines {
        return lines(&args.target, &watched, count, as_json);
    }
    screen::show(&watched, count)
}

/// Of the block device at, or below, a path.
fn real(args: &MonitorArgs) -> Result<Watched, Failure> {
    if is_simulated(&args.target) {
        return Err(Failure::Input(format!(
            "{} is a simulated drive, which works only while a command runs on it: name a job to \
            monitor, --job JOB.fio",
            args.target
        )));
    }
    if args.speed != 1.0 {
        return Err(Failure::Input(
            "--speed is for simulated drives: a real one has its own".into(),
        ));
    }
    let meter = Meter::open(Path::new(&args.target))?;
    let path = Path::new(&args.target);
    if path.is_file() || path.is_dir() {
        note(&format!("{} stands on {}", args.target, meter.title()));
    }
    let wear = wear(&meter);
    let (send, readings) = sync_channel(1);
    let title = meter.title().to_owned();
    let interval = Duration::from_secs_f64(args.interval);
    let begin = meter.counts()?;
    thread::spawn(move || {
        let began = Instant::now();
        let mut before = (began, begin);
        loop {
            thread::sleep(interval);
            let now = Instant::now();
            let reading = meter.counts().map(|counts| {
                let elapsed = now.duration_since(before.0);
                let reading = counts.since(&before.1, elapsed.as_secs_f64());
                before = (now, counts);
                let used = wear.load(Ordering::Relaxed);
                Reading {
                    t_s: now.duration_since(began).as_secs_f64(),
                    temperature_c: meter.temperature_c(),
                    used_percent: (used != UNKNOWN).then_some(used),
                    ..reading
                }
            });
            let ended = reading.is_err();
            if send.send(reading.map_err(Failure::from)).is_err() || ended {
                return;
            }
        }
    });
    Ok(Watched {
        title,
        clock: "s",
        readings,
    })
}

/// The wear, asked for now and every minute; why it is not known is said once.
fn wear(meter: &Meter) -> Arc<AtomicU64> {
    let node = meter.node().to_owned();
    let wear = Arc::new(AtomicU64::new(UNKNOWN));
    match smartctl::ask(&node) {
        Ok(document) => {
            let used = health::of_document(&document).used_percent;
            wear.store(used.unwrap_or(UNKNOWN), Ordering::Relaxed);
        }
        Err(why) => {
            note(&format!("wear is not known: {why}"));
            return wear;
        }
    }
    let shared = Arc::clone(&wear);
    thread::spawn(move || {
        loop {
            thread::sleep(WEAR_EVERY);
            let used = smartctl::ask(&node)
                .ok()
                .and_then(|document| health::of_document(&document).used_percent);
            shared.store(used.unwrap_or(UNKNOWN), Ordering::Relaxed);
        }
    });
    wear
}

/// Of a simulated drive on which a job runs.
fn simulated(args: &MonitorArgs, job: &Path, in_lines: bool) -> Result<Watched, Failure> {
    if !is_simulated(&args.target) {
        return Err(Failure::Input(format!(
            "--job is for simulated drives; on a real target, start the job with `stend run {} \
             --on {}` and watch from another terminal",
            job.display(),
            args.target
        )));
    }
    let file = JobFile::read(job)?;
    let none = RealArgs {
        size: None,
        destroy: None,
        read_only: true,
    };
    let Opened::Simulated(mut target) = open(&args.target, &none, Access::Look)? else {
        unreachable!("`open` and `is_simulated` agree");
    };
    if target.state_path().is_some() {
        note(&format!(
            "{} is not changed: the job runs on a copy of the drive in it",
            args.target
        ));
    }
    let title = target.model().title.clone();
    let interval = Nanos((args.interval * 1e9) as u64);
    let (seed, speed) = (args.seed, (!in_lines).then_some(args.speed));
    let (send, readings) = sync_channel(1);
    thread::spawn(move || {
        let ended = watch(&mut target, &file, seed, interval, speed, &send);
        if let Err(failure) = ended {
            // There may be no reader left.
            let _ = send.send(Err(failure));
        }
    });
    Ok(Watched {
        title,
        clock: "virtual s",
        readings,
    })
}

fn watch(
    target: &mut SimulatedTarget,
    file: &JobFile,
    seed: u64,
    interval: Nanos,
    speed: Option<f64>,
    send: &SyncSender<Result<Reading, Failure>>,
) -> Result<(), Failure> {
    let began = Instant::now();
    target.run_watched(file, seed, interval, |reading| {
        if let Some(speed) = speed {
            let due = Duration::from_secs_f64(reading.t_s / speed);
            thread::sleep(due.saturating_sub(began.elapsed()));
        }
        match send.send(Ok(reading)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    Ok(())
}

/// A line a reading.
fn lines(target: &str, watched: &Watched, count: u64, as_json: bool) -> Result<(), Failure> {
    let mut left = count;
    for reading in &watched.readings {
        let reading = reading?;
        let text = if as_json {
            let mut document = json_value(&reading)?;
            document["schema"] = "stend.drive-monitor/1".into();
            document["target"] = json!(target);
            document["virtual_time"] = (watched.clock != "s").into();
            document.to_string()
        } else {
            line(&reading, watched.clock)
        };
        if !is_read(&(text + "\n"))? {
            return Ok(());
        }
        left -= 1;
        if left == 0 {
            break;
        }
    }
    Ok(())
}

fn line(reading: &Reading, clock: &str) -> String {
    let direction = |name: &str, iops: f64, bw: f64, latency_ns: Option<f64>| {
        format!(
            "{name} {iops:.0} IOPS, {:.1} MB/s, {}",
            bw / 1e6,
            latency(latency_ns)
        )
    };
    let r = reading;
    format!(
        "{:.3} {clock}: {}; {}; depth {:.1} ({} now); {}; {}",
        r.t_s,
        direction(
            "reads",
            r.read_iops,
            r.read_bw_bytes_per_s,
            r.read_latency_ns_mean
        ),
        direction(
            "writes",
            r.write_iops,
            r.write_bw_bytes_per_s,
            r.write_latency_ns_mean
        ),
        r.queue_depth_mean,
        r.in_flight,
        temperature(r),
        used(r),
    )
}
