//! Commands of `stend drive` for a served drive, through its control socket.

use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, absolute};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use serde_json::Value;
use stend_load::target::{Reading, TargetError};
use stend_serve::engine::{Direction, Totals};
use stend_serve::server::{Command, Report, read_answer};

use super::done::done;
use super::readings::Watched;
use super::{health, monitor};
use crate::args::{DriveCommand, MonitorArgs};
use crate::failure::Failure;
use crate::output::{json_value, print, print_json, table};

/// True if the path is a socket.
pub fn is_socket(name: &str) -> bool {
    let meta = Path::new(name).metadata();
    meta.is_ok_and(|meta| meta.file_type().is_socket())
}

/// Error for a path that is no control socket.
pub fn not_served(name: &str) -> Failure {
    Failure::Input(format!(
        "{name} is not a control socket: `stend serve DRIVE --control {name}` makes one"
    ))
}

/// A control socket.
struct Control {
    name: String,
    stream: BufReader<UnixStream>,
}

impl Control {
    fn connect(name: &str) -> Result<Control, Failure> {
        let stream = UnixStream::connect(name).map_err(|error| {
            Failure::Io(format!(
                "{name}: no server answers there ({error}); `stend serve DRIVE --control {name}` \
                 starts one"
            ))
        })?;
        Ok(Control {
            name: name.to_owned(),
            stream: BufReader::new(stream),
        })
    }

    /// Sends a command and waits for the answer.
    fn request(&mut self, command: &Command) -> Result<Value, Failure> {
        let name = &self.name;
        let failed = |error: std::io::Error| Failure::Io(format!("{name}: {error}"));
        let text = json_value(command)?.to_string() + "\n";
        self.stream
            .get_mut()
            .write_all(text.as_bytes())
            .map_err(failed)?;
        let mut line = String::new();
        let len = self.stream.read_line(&mut line).map_err(failed)?;
        if len == 0 {
            return Err(Failure::Io(format!(
                "{name}: the server has ended, or this is not a control socket of `stend serve`"
            )));
        }
        read_answer(&line).map_err(|why| match why {
            TargetError::Refused(why) => Failure::Refused(format!("{name}: {why}")),
            TargetError::Failed(why) => Failure::Io(format!("{name}: {why}")),
            why => Failure::Input(format!("{name}: {why}")),
        })
    }

    fn status(&mut self) -> Result<Report, Failure> {
        let status = self.request(&Command::Status)?;
        serde_json::from_value(status)
            .map_err(|error| Failure::Io(format!("{}: {error}", self.name)))
    }
}

/// Sends the command, and prints its result.
pub fn run(name: &str, command: &DriveCommand, as_json: bool) -> Result<(), Failure> {
    let mut control = Control::connect(name)?;
    let plain = |word: &'static str, what: &Value, text: String| {
        let keys = vec![("result", what.clone())];
        print_plain(name, word, (text, keys), as_json)
    };
    match command {
        DriveCommand::Health { rated, .. } => {
            let document = control.request(&Command::Health)?;
            health::served(name, document, *rated, as_json)
        }
        DriveCommand::Monitor(args) => monitor::served(args, &watch(control, args)?, as_json),
        DriveCommand::Status { .. } => {
            let report = control.status()?;
            match as_json {
                true => {
                    let mut value = json_value(&report)?;
                    value["schema"] = "stend.drive-status/1".into();
                    print_json(&value)
                }
                false => print(&status_text(&report)),
            }
        }
        DriveCommand::PowerCut {
            at_flash_event,
            after_writes,
            ..
        } => {
            let what = control.request(&Command::PowerCut {
                at_flash_event: *at_flash_event,
                after_writes: *after_writes,
            })?;
            plain("power-cut", &what, cut_text(&what))
        }
        DriveCommand::PowerOn { .. } => {
            let what = control.request(&Command::PowerOn)?;
            plain("power-on", &what, "the power is on".to_owned())
        }
        DriveCommand::Snapshot { file, .. } => {
            let path = absolute(file).map_err(|error| Failure::unwritable(file, &error))?;
            let what = control.request(&Command::Snapshot { file: path })?;
            plain("snapshot", &what, format!("kept in {}", file.display()))
        }
        DriveCommand::Idle { seconds, .. } => {
            let seconds = *seconds;
            let what = control.request(&Command::Idle { seconds })?;
            plain(
                "idle",
                &what,
                format!("{seconds} s of virtual time have passed"),
            )
        }
        other => {
            let arguments = json_value(other)?;
            let word = arguments
                .as_object()
                .and_then(|object| object.keys().next().cloned());
            let answer = control.request(&Command::Drive { arguments })?;
            print_done(name, &word.unwrap_or_default(), &answer, as_json)
        }
    }
}

fn print_plain(
    name: &str,
    word: &str,
    (text, keys): (String, Vec<(&'static str, Value)>),
    as_json: bool,
) -> Result<(), Failure> {
    if !as_json {
        return print(&format!("{name}: {text}\n"));
    }
    let mut document = serde_json::json!({
        "schema": format!("stend.drive-{word}/1"),
        "target": name,
    });
    for (key, value) in keys {
        document[key] = value;
    }
    print_json(&document)
}

/// Prints a result in the format of [`done`] for a drive in a state file.
fn print_done(name: &str, word: &str, answer: &Value, as_json: bool) -> Result<(), Failure> {
    let text = answer["text"].as_str().unwrap_or_default().to_owned();
    let time_ns = answer["time_ns"].as_u64().unwrap_or_default();
    let keys = answer["keys"].as_object().into_iter().flatten();
    let keys = keys.map(|(key, value)| (key, value.clone()));
    let clock = " of the drive's time";
    done(name, word, (text, keys), (time_ns, clock), as_json)
}

fn cut_text(what: &Value) -> String {
    match (what["undone"].as_u64(), what["not_acknowledged"].as_u64()) {
        (Some(undone), Some(new)) => format!(
            "the power is off: {undone} pages of 4 KiB hold again what they held before a write or \
             TRIM that had been answered, {new} what had not been answered yet"
        ),
        _ => what.as_str().unwrap_or("the power will be cut").to_owned(),
    }
}

fn lateness_text(lateness: &Value) -> String {
    let us = |key: &str| lateness[key].as_f64().unwrap_or_default() / 1e3;
    match (lateness["answered"].as_u64(), lateness["late"].as_u64()) {
        (Some(answered), Some(late)) => format!(
            "{answered}, of which {late} were late: median {:.1} µs, 99th percentile {:.1} µs, at \
             most {:.1} µs",
            us("ns_p50"),
            us("ns_p99"),
            us("ns_max")
        ),
        _ => "never late at full speed".to_owned(),
    }
}

fn last_cut_text(cut: &Value) -> String {
    match (cut["undone"].as_u64(), cut["not_acknowledged"].as_u64()) {
        (Some(undone), Some(new)) => {
            format!("{undone} pages of 4 KiB went back, {new} came that had not been answered")
        }
        _ => "none".to_owned(),
    }
}

fn status_text(report: &Report) -> String {
    let totals = report.totals;
    let gb = |bytes: u64| bytes as f64 / 1e9;
    let wa = report.write_amplification;
    let rows = [
        ("drive", format!("{} ({})", report.title, report.model)),
        ("power", if report.power { "on" } else { "off" }.to_owned()),
        ("clients", report.clients.to_string()),
        (
            "virtual time",
            format!("{:.3} s", totals.at_ns as f64 / 1e9),
        ),
        (
            "reads",
            format!(
                "{}, {:.3} GB",
                totals.reads.requests,
                gb(totals.reads.bytes)
            ),
        ),
        (
            "writes",
            format!(
                "{}, {:.3} GB",
                totals.writes.requests,
                gb(totals.writes.bytes)
            ),
        ),
        ("failed", totals.failed.to_string()),
        (
            "write amplification",
            wa.map_or_else(|| "-".to_owned(), |wa| format!("{wa:.3}")),
        ),
        (
            "free for writes",
            format!("{:.3} GB", gb(report.free_entry_bytes)),
        ),
        (
            "a power cut could undo",
            format!("{} pages of 4 KiB at most", report.undo_pages),
        ),
        ("answers", lateness_text(&report.lateness)),
        ("last power cut", last_cut_text(&report.last_cut)),
    ];
    table(
        "<22  <",
        &rows.map(|(name, value)| [name.to_owned(), value]),
    )
}

/// Reads the drive's status once per interval of wall-clock time.
fn watch(mut control: Control, args: &MonitorArgs) -> Result<Watched, Failure> {
    let first = control.status()?;
    let title = first.title.clone();
    let interval = Duration::from_secs_f64(args.interval);
    let (send, readings) = sync_channel(1);
    std::thread::spawn(move || {
        let (begin, mut last) = (first.totals.at_ns, first);
        loop {
            std::thread::sleep(interval);
            let now = control.status();
            let now = now.map_err(|failure| TargetError::Failed(failure.to_string()));
            let flow = match now {
                Ok(now) => {
                    let sent = send.send(Ok(reading(begin, &last, &now)));
                    last = now;
                    if sent.is_ok() {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                }
                Err(error) => {
                    // A failure is ignored: there may be no receiver left.
                    let _ = send.send(Err(error));
                    ControlFlow::Break(())
                }
            };
            if flow.is_break() {
                return;
            }
        }
    });
    Ok(Watched {
        title,
        clock: "virtual s",
        readings,
    })
}

/// Computes a reading from two successive reports.
fn reading(begin_ns: u64, last: &Report, now: &Report) -> Reading {
    let Totals { reads, writes, .. } = now.totals;
    let seconds = (now.totals.at_ns - last.totals.at_ns) as f64 / 1e9;
    let rate = |now: u64, last: u64| match seconds > 0.0 {
        true => (now - last) as f64 / seconds,
        false => 0.0,
    };
    let mean = |now: Direction, last: Direction| {
        let requests = now.requests - last.requests;
        (requests > 0).then(|| (now.latency_ns - last.latency_ns) as f64 / requests as f64)
    };
    let (reads_last, writes_last) = (last.totals.reads, last.totals.writes);
    let latency_ns =
        reads.latency_ns - reads_last.latency_ns + writes.latency_ns - writes_last.latency_ns;
    Reading {
        t_s: (now.totals.at_ns - begin_ns) as f64 / 1e9,
        read_iops: rate(reads.requests, reads_last.requests),
        write_iops: rate(writes.requests, writes_last.requests),
        read_bw_bytes_per_s: rate(reads.bytes, reads_last.bytes),
        write_bw_bytes_per_s: rate(writes.bytes, writes_last.bytes),
        // Little's law.
        queue_depth_mean: rate(latency_ns, 0) / 1e9,
        in_flight: now.totals.in_flight,
        read_latency_ns_mean: mean(reads, reads_last),
        write_latency_ns_mean: mean(writes, writes_last),
        temperature_c: now.temperature_c,
        used_percent: now.used_percent,
    }
}
