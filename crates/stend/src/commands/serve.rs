//! `stend serve`: a simulated drive as a network block device.

use std::io::{ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde_json::{Value, json};
use stend_base::{Device, SimTime};
use stend_load::target::input;
use stend_model::Model;
use stend_serve::clock::Pace;
use stend_serve::data::{Data, DataError, DataFile, Identity, beside};
use stend_serve::engine::Engine;
use stend_serve::lateness::{LATE_NS, Summary};
use stend_serve::record::Recorder;
use stend_serve::server::{Act, Address, Effect, Listener, Options, Report, Server};
use stend_simulated::{Access, SimulatedTarget, is_state_file};
use tempfile::TempPath;

use super::drive::apply;
use crate::args::{DriveCommand, ServeArgs};
use crate::failure::Failure;
use crate::open::{is_model, unknown_model};
use crate::output::note;
use crate::signals;

pub fn run(args: &ServeArgs) -> Result<(), Failure> {
    check_addresses(args)?;
    let model = model(args)?;
    let listener = listen(&args.nbd)?;
    let mut made = Made::default();
    let target = open(args, model, &mut made)?;
    let drive = target.drive();
    let title = target.model().title.clone();
    let identity = |target: &SimulatedTarget| {
        let drive = target.drive();
        let history = target.state_path().map(|_| drive.trace_hash());
        // The native capacity: over-provisioning does not change the length of the file.
        Identity::new(&target.model().name, drive.native_bytes(), history)
    };
    let before = identity(&target);
    let file = data_file(args, &before, &mut made)?;
    let power_loss = drive.spec().power_loss.as_ref();
    let may_undo = power_loss.is_some_and(|spec| spec.hold_up.is_none());
    let recorder = recorder(args, drive.now(), &mut made)?;
    let paced = args.speed != Pace::Max;
    let data = Data::new(file, may_undo);
    let mut engine = Engine::new(target, data, recorder, paced);
    let (stop, wake) = UnixStream::pair().map_err(|error| Failure::Io(error.to_string()))?;
    signals::instead(move || {
        // The server waits for this byte; if the server has ended, a failure does not matter.
        let _ = (&wake).write_all(&[0]);
    });
    // Created last: anyone who sees this socket may use the server, and end it.
    let control = args.control.as_ref();
    let control = control.map(|path| listen(&Address::Unix(path.clone())));
    let control = control.transpose()?;
    engine.data().file().note_served(&before)?;
    made.keep();
    announce(args, &title, &listener);
    let options = Options {
        pace: args.speed,
        every_second: args.status.then(|| lines(args.speed)),
        act: act(),
        stop,
    };
    let server = Server::new(engine, (listener, control), options);
    let served = server.run();
    let outcome = served.map_err(|error| Failure::Io(format!("serving failed: {error}")))?;
    let told = outcome.lateness;
    signals::undisturbed(|| {
        let (target, mut data) = outcome.engine.finish().map_err(io_failure)?;
        if target.state_path().is_some() {
            target.save()?;
        }
        if !data.is_whole() {
            return Err(Failure::Io(format!(
                "the data file could not take all that was written: {} pages of 4 KiB that were \
                 answered are lost, and it does not hold what the drive does",
                data.lost_pages()
            )));
        }
        data.file().note(&identity(&target))?;
        Ok::<(), Failure>(())
    })?;
    note(&format!("{title}: no longer served{}", lateness(told)));
    Ok(())
}

/// Files that are removed again if serving does not begin.
#[derive(Default)]
struct Made(Vec<TempPath>);

impl Made {
    fn add(&mut self, path: &Path) -> Result<(), Failure> {
        self.0
            .push(TempPath::try_from_path(path).map_err(io_failure)?);
        Ok(())
    }

    fn keep(self) {
        for path in self.0 {
            // On Linux, `keep` cannot fail.
            let _ = path.keep();
        }
    }
}

/// Opens the file of the data: the named one, or one that is deleted when the server ends.
fn data_file(args: &ServeArgs, of: &Identity, made: &mut Made) -> Result<DataFile, Failure> {
    let Some(path) = &args.data else {
        return Ok(DataFile::unnamed(of.capacity_bytes)?);
    };
    let file = DataFile::named(path, of, args.as_it_is)?;
    if file.is_new() {
        made.add(path)?;
        // A file that another data file has left behind must not be removed.
        if !beside(path).exists() {
            made.add(&beside(path))?;
        }
    }
    Ok(file)
}

/// Opens the log of requests, if one is wanted.
fn recorder(args: &ServeArgs, now: SimTime, made: &mut Made) -> Result<Option<Recorder>, Failure> {
    let Some(path) = &args.record else {
        return Ok(None);
    };
    let recorder = Recorder::create(path, now).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::Input(format!(
            "{}: it exists: choose another name with --record, or remove it",
            path.display()
        )),
        _ => Failure::unwritable(path, &error),
    })?;
    made.add(path)?;
    Ok(Some(recorder))
}

fn io_failure(error: std::io::Error) -> Failure {
    Failure::Io(error.to_string())
}

/// Refuses addresses that other machines can reach, and addresses that are equal.
fn check_addresses(args: &ServeArgs) -> Result<(), Failure> {
    if !args.nbd.is_local() && !args.public {
        return Err(Failure::Refused(format!(
            "--nbd {}: other machines can reach it, and nothing is encrypted; --public allows it",
            args.nbd
        )));
    }
    match (&args.nbd, &args.control) {
        (Address::Unix(nbd), Some(control)) if nbd == control => Err(Failure::Input(
            "--nbd and --control name the same socket".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Model of a new drive; `None` if a state file is named.
fn model(args: &ServeArgs) -> Result<Option<Model>, Failure> {
    let name = args.drive.as_str();
    if !is_model(name) && is_state_file(Path::new(name)) {
        if args.state.is_some() {
            return Err(Failure::Input(format!(
                "{name} holds a drive, which is kept in it: leave --state out"
            )));
        }
        return Ok(None);
    }
    match Model::shipped(name) {
        Some(model) => Ok(Some(model)),
        None if name.ends_with(".toml") => Ok(Some(Model::read(Path::new(name))?)),
        None => Err(Failure::Input(unknown_model(name))),
    }
}

/// Opens the drive: a new one of a model, or the one in a state file.
fn open(
    args: &ServeArgs,
    model: Option<Model>,
    made: &mut Made,
) -> Result<SimulatedTarget, Failure> {
    let name = args.drive.as_str();
    let Some(model) = model else {
        return Ok(SimulatedTarget::open(Path::new(name), Access::Change)?);
    };
    let Some(state) = &args.state else {
        return Ok(SimulatedTarget::new(model));
    };
    if is_state_file(state) {
        let target = SimulatedTarget::open(state, Access::Change)?;
        if target.model().text != model.text {
            return Err(Failure::Input(format!(
                "{} holds another drive than {name}: {}; name the file instead of a model to \
                 serve that",
                state.display(),
                target.model().title
            )));
        }
        return Ok(target);
    }
    SimulatedTarget::create(model, state)?;
    let target = SimulatedTarget::open(state, Access::Change)?;
    made.add(state)?;
    Ok(target)
}

fn listen(address: &Address) -> Result<Listener, Failure> {
    Listener::new(address)
        .map_err(|error| Failure::Io(format!("cannot listen at {address}: {error}")))
}

/// Prints the address and the command to use it.
fn announce(args: &ServeArgs, title: &str, listener: &Listener) {
    let address = listener.address().unwrap_or_else(|_| args.nbd.clone());
    let uri = match &address {
        Address::Unix(path) => format!("nbd+unix:///?socket={}", path.display()),
        Address::Tcp(address) => format!("nbd://{address}"),
    };
    let pace = match args.speed {
        Pace::Max => "as fast as it can be simulated, one request after the other".to_owned(),
        Pace::Speed(1.0) => "in real time".to_owned(),
        Pace::Speed(speed) => format!("at {speed} × real time"),
    };
    note(&format!(
        "{title} is served at {uri}, {pace}; Ctrl-C ends it"
    ));
}

/// Describes late answers in words.
fn lateness(told: Option<Summary>) -> String {
    let Some(told) = told.filter(|told| told.answered > 0) else {
        return String::new();
    };
    format!(
        "; of {} answers {} were late by more than {} µs (median {:.1} µs, 99th percentile {:.1} \
         µs, at most {:.1} µs)",
        told.answered,
        told.late,
        LATE_NS / 1000,
        told.ns_p50 as f64 / 1e3,
        told.ns_p99 as f64 / 1e3,
        told.ns_max as f64 / 1e3,
    )
}

/// Returns a function that prints a line per second.
fn lines(pace: Pace) -> Box<dyn FnMut(&Report)> {
    let mut last = stend_serve::engine::Totals::default();
    let mut late_last = 0;
    Box::new(move |report| {
        let now = report.totals;
        // At full speed, rates are per second of virtual time.
        let seconds = match pace {
            Pace::Max => (now.at_ns - last.at_ns) as f64 / 1e9,
            Pace::Speed(_) => 1.0,
        };
        let rate = |now: u64, last: u64| (now - last) as f64 / seconds.max(1e-9);
        let late = report.lateness["late"].as_u64().unwrap_or(0);
        let temperature = report.temperature_c.map(|c| format!(", {c:.0} °C"));
        note(&format!(
            "{:.1} s: reads {:.0}, writes {:.0} a second, WA {}, {:.2} GB free for writes{}, {} \
             late",
            now.at_ns as f64 / 1e9,
            rate(now.reads.requests, last.reads.requests),
            rate(now.writes.requests, last.writes.requests),
            report
                .write_amplification
                .map_or_else(|| "-".to_owned(), |wa| format!("{wa:.2}")),
            report.free_entry_bytes as f64 / 1e9,
            temperature.unwrap_or_default(),
            late - late_last,
        ));
        (last, late_last) = (now, late);
    })
}

/// Returns a function that applies the commands of `stend drive` to the served drive.
fn act() -> Box<Act> {
    Box::new(|target, arguments| {
        let command: DriveCommand = serde_json::from_value(arguments.clone()).map_err(input)?;
        if let DriveCommand::PowerCut { .. } = command {
            return Err(input(
                "the power of a served drive is cut by the command `power-cut`",
            ));
        }
        let effect = effect(&command, target);
        let begin = target.drive().now();
        let done = apply(target, &command)?;
        let Some((text, keys)) = done else {
            return Err(input("a served drive has no such command"));
        };
        let keys = keys.into_iter().map(|(key, value)| (key.to_owned(), value));
        let keys: serde_json::Map<String, Value> = keys.collect();
        let time_ns = target.drive().now().since(begin).0;
        Ok((
            json!({"text": text, "keys": keys, "time_ns": time_ns}),
            effect,
        ))
    })
}

/// Effect of a command on the data.
fn effect(command: &DriveCommand, target: &SimulatedTarget) -> Effect {
    match command {
        DriveCommand::Trim { offset, length, .. } => {
            let rest = target.capacity_bytes().saturating_sub(*offset);
            Effect::Trimmed(*offset, length.unwrap_or(rest))
        }
        DriveCommand::Erase { .. } => Effect::Erased,
        _ => Effect::None,
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Failure {
        match error {
            DataError::Refused(why) => Failure::Refused(why),
            DataError::Failed(why) => Failure::Io(why),
        }
    }
}
