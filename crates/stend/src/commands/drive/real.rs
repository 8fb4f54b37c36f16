//! Commands of `stend drive` for real targets.

use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};

use stend_real::{EraseMethod, OpenOptions};

use super::done::{Done, done, erased, switched, trimmed};
use crate::args::{DriveCommand, OnOff};
use crate::consent;
use crate::failure::Failure;
use crate::output::note;

/// Interval between progress notes.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// Runs the command, and reports the time it took.
pub fn run(name: &str, command: &DriveCommand, as_json: bool) -> Result<(), Failure> {
    let began = Instant::now();
    let path = Path::new(name);
    let (command_name, result) = match command {
        DriveCommand::Trim {
            offset,
            length,
            destroy,
            ..
        } => ("trim", trim(path, (*offset, *length), destroy.as_slice())?),
        DriveCommand::Erase {
            crypto,
            sanitize,
            destroy,
            ..
        } => {
            let method = EraseMethod {
                crypto: *crypto,
                sanitize: *sanitize,
            };
            ("erase", erase(name, method, destroy)?)
        }
        DriveCommand::WriteCache { state, .. } => {
            let on = *state == OnOff::On;
            stend_real::set_write_cache(path, on)?;
            ("write-cache", switched(on))
        }
        DriveCommand::Overprovision { user_bytes, .. } => {
            return Err(no_overprovisioning(name, *user_bytes));
        }
        DriveCommand::Age { .. } | DriveCommand::FailDie { .. } | DriveCommand::PowerCut { .. } => {
            return Err(Failure::Input(format!(
                "{name} is not a simulated drive: data that ages, a die that fails and a power cut \
                 are simulated; `stend drives create MODEL --state FILE` makes a drive for it"
            )));
        }
        other => unreachable!("{other:?} changes nothing"),
    };
    let time_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    done(name, command_name, result, (time_ns, ""), as_json)
}

fn options(destroy: &[String]) -> OpenOptions {
    OpenOptions {
        destroy: destroy.to_vec(),
        ask: consent::asker(),
        ..OpenOptions::default()
    }
}

fn trim(
    path: &Path,
    (offset, length): (u64, Option<u64>),
    destroy: &[String],
) -> Result<Done, Failure> {
    let done = stend_real::trim(path, offset, length, &options(destroy))?;
    let how = if done.of_device {
        "are trimmed"
    } else {
        "are freed in the file system (in place of TRIM)"
    };
    Ok(trimmed(done.offset_bytes, done.len_bytes, how))
}

fn erase(name: &str, method: EraseMethod, destroy: &[String]) -> Result<Done, Failure> {
    let last = Cell::new(None::<Instant>);
    let tell = |percent: f64| {
        let due = last.get().is_none_or(|at| at.elapsed() >= TELL_EVERY);
        if due {
            last.set(Some(Instant::now()));
            note(&format!("{name}: {percent:.0} % of the sanitize is done"));
        }
    };
    let done = stend_real::erase(Path::new(name), method, &options(destroy), &tell)?;
    Ok(erased(format!("{} is erased", done.how), method))
}

fn no_overprovisioning(name: &str, user_bytes: u64) -> Failure {
    Failure::Input(format!(
        "{name}: over-provisioning of real drives is not changed by stend, since a mistake there \
         costs more than data. Erase the drive (`stend drive erase {name}`), then leave the rest \
         of it unused: test a part of it (`stend review {name} --size {user_bytes}`), make a \
         partition of that size, or, on SATA drives, hide what is beyond with \
         `hdparm -N p{} {name}` (the p makes it permanent)",
        user_bytes / 512
    ))
}
