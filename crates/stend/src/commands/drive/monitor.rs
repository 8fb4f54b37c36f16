//! `stend drive monitor`: shows the activity of a drive while it works.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use stend_base::Nanos;
use stend_load::JobFile;
use stend_load::target::Reading;
use stend_simulated::Access;

use super::readings::{Watched, directions, latency, temperature, used};
#[cfg(feature = "screen")]
use super::screen;
use crate::args::{MonitorArgs, RealArgs, SetArgs};
use crate::failure::Failure;
use crate::open::{Named, Opened, is_simulated, open};
use crate::output::{is_read, json_value, note};

pub fn run(args: &MonitorArgs, as_json: bool) -> Result<(), Failure> {
    let watched = match &args.job {
        Some(job) => of_job(args, job, is_in_lines(args, as_json))?,
        None => of_device(args)?,
    };
    show(args, &watched, as_json)
}

/// Monitors a served drive.
pub fn served(args: &MonitorArgs, watched: &Watched, as_json: bool) -> Result<(), Failure> {
    if args.job.is_some() {
        return Err(Failure::Input(format!(
            "{} is a served drive, whose clients send the requests: leave --job out",
            args.target
        )));
    }
    show(args, watched, as_json)
}

fn is_in_lines(args: &MonitorArgs, as_json: bool) -> bool {
    as_json || args.once || !has_screen()
}

fn show(args: &MonitorArgs, watched: &Watched, as_json: bool) -> Result<(), Failure> {
    let count = args.count.unwrap_or(match args.once {
        true => 1,
        false => u64::MAX,
    });
    #[cfg(not(feature = "screen"))]
    if !as_json && !args.once && std::io::stdout().is_terminal() {
        note(&format!(
            "{}: lines, for this program is built without its screen (`--features screen`)",
            watched.title
        ));
    }
    #[cfg(feature = "screen")]
    if !is_in_lines(args, as_json) {
        return screen::show(watched, count);
    }
    lines(&args.target, watched, count, as_json)
}

/// True if there is a terminal for output and one for keys.
fn has_screen() -> bool {
    let keys = std::io::stdin().is_terminal() || std::fs::File::open("/dev/tty").is_ok();
    cfg!(feature = "screen") && std::io::stdout().is_terminal() && keys
}

/// Monitors the block device at a path, or the one that holds the file at the path.
fn of_device(args: &MonitorArgs) -> Result<Watched, Failure> {
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
    let path = Path::new(&args.target);
    let watch = stend_real::watch(path, Duration::from_secs_f64(args.interval))?;
    if path.is_file() || path.is_dir() {
        note(&format!("{} is on {}", args.target, watch.title));
    }
    if let Some(why) = &watch.wear_unknown {
        note(&format!("wear is not known: {why}"));
    }
    Ok(Watched {
        title: watch.title,
        clock: "s",
        readings: watch.readings,
    })
}

/// Monitors a simulated drive on which a job runs.
fn of_job(args: &MonitorArgs, job: &Path, in_lines: bool) -> Result<Watched, Failure> {
    if !is_simulated(&args.target) {
        return Err(Failure::Input(format!(
            "--job is for simulated drives; on a real target, start the job with `stend run {} \
             --on {}` and watch from another terminal",
            job.display(),
            args.target
        )));
    }
    let file = JobFile::read(job)?;
    let named = Named {
        name: &args.target,
        set: &SetArgs::default(),
    };
    let Opened::Simulated(target) = open(named, &RealArgs::default(), Access::Look)? else {
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
    let speed = (!in_lines).then_some(args.speed);
    Ok(Watched {
        title,
        clock: "virtual s",
        readings: target.watch(file, args.seed, interval, speed),
    })
}

/// Prints one line per reading.
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
    let [reads, writes] = directions(reading).map(|(name, iops, bw, ns)| {
        format!(
            "{name} {iops:.0} IOPS, {:.1} MB/s, {}",
            bw / 1e6,
            latency(ns)
        )
    });
    format!(
        "{:.3} {clock}: {reads}; {writes}; depth {:.1} ({} now); {}; {}",
        reading.t_s,
        reading.queue_depth_mean,
        reading.in_flight,
        temperature(reading),
        used(reading),
    )
}
