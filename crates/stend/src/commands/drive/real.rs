//! What `stend drive` does to real targets.

use std::path::Path;
use std::time::Instant;

use stend_target::real::{self, OpenOptions};

use super::done::{Done, done, erased, switched, trimmed};
use crate::args::{DriveCommand, OnOff};
use crate::consent;
use crate::failure::Failure;

/// Does it, and reports how long it took.
pub fn run(name: &str, command: &DriveCommand, as_json: bool) -> Result<(), Failure> {
    let began = Instant::now();
    let path = Path::new(name);
    let (command_name, result) = match command {
        DriveCommand::Trim {
            offset,
            length,
            destroy,
            ..
        } => ("trim", trim(path, (*offset, *length), destroy.as_deref())?),
        DriveCommand::Erase {
            crypto, destroy, ..
        } => ("erase", erase(path, *crypto, destroy.as_deref())?),
        DriveCommand::WriteCache { state, .. } => {
            let on = *state == OnOff::On;
            real::set_write_cache(path, on)?;
            ("write-cache", switched(on))
        }
        DriveCommand::Overprovision { user_bytes, .. } => {
            return Err(no_overprovisioning(name, *user_bytes));
        }
        DriveCommand::Health { .. } | DriveCommand::Monitor(_) => {
            unreachable!("they change nothing")
        }
    };
    let time_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    done(name, command_name, result, (time_ns, ""), as_json)
}

fn options(destroy: Option<&str>) -> OpenOptions {
    OpenOptions {
        destroy: destroy.map(str::to_owned).into_iter().collect(),
        ask: consent::asker(),
        ..OpenOptions::default()
    }
}

fn trim(
    path: &Path,
    (offset, length): (u64, Option<u64>),
    destroy: Option<&str>,
) -> Result<Done, Failure> {
    let done = real::trim(path, offset, length, &options(destroy))?;
    let how = if done.of_device {
        "are trimmed"
    } else {
        "are freed in the file system (in place of TRIM)"
    };
    Ok(trimmed(done.offset_bytes, done.len_bytes, how))
}

fn erase(path: &Path, crypto: bool, destroy: Option<&str>) -> Result<Done, Failure> {
    let done = real::erase(path, crypto, &options(destroy))?;
    Ok(erased(format!("{} is erased", done.how), crypto))
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
