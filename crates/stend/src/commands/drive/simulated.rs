//! What `stend drive` does to simulated drives that live in files.

use std::path::Path;

use stend_base::Device;
use stend_drive::SimDrive;
use stend_target::real::EraseMethod;
use stend_target::{Access, SimulatedTarget, is_state_file};

use super::done::{Done, done, erased, switched, trimmed};
use super::harm;
use crate::args::{DriveCommand, OnOff, RealArgs};
use crate::failure::Failure;
use crate::open::{is_model, real_options_fit};
use crate::signals;

/// Does it, and keeps the drive in its file.
pub fn run(command: &DriveCommand, json: bool) -> Result<(), Failure> {
    match command {
        DriveCommand::Trim {
            target,
            offset,
            length,
            destroy,
        } => {
            nothing_to_lose(target, destroy)?;
            change(target, "trim", json, |target| {
                trim(target, *offset, *length)
            })
        }
        DriveCommand::Erase {
            target,
            crypto,
            sanitize,
            destroy,
        } => {
            nothing_to_lose(target, destroy)?;
            let method = EraseMethod {
                crypto: *crypto,
                sanitize: *sanitize,
            };
            change(target, "erase", json, |target| erase(target, method))
        }
        DriveCommand::Overprovision { target, user_bytes } => {
            change(target, "overprovision", json, |target| {
                overprovision(target.drive_mut(), *user_bytes)
            })
        }
        DriveCommand::WriteCache { target, state } => {
            change(target, "write-cache", json, |target| {
                let on = *state == OnOff::On;
                target.drive_mut().set_write_cache(on);
                Ok(switched(on))
            })
        }
        DriveCommand::Age {
            target,
            days,
            celsius,
        } => change(target, "age", json, |target| {
            harm::age(target, *days, *celsius)
        }),
        DriveCommand::FailDie { target, die } => change(target, "fail-die", json, |target| {
            harm::fail_die(target, *die)
        }),
        DriveCommand::PowerCut { target } => change(target, "power-cut", json, harm::power_cut),
        DriveCommand::Health { .. } | DriveCommand::Monitor(_) => {
            unreachable!("they change nothing")
        }
    }
}

fn nothing_to_lose(target: &String, destroy: &[String]) -> Result<(), Failure> {
    let real = RealArgs {
        destroy: destroy.to_vec(),
        ..RealArgs::default()
    };
    real_options_fit([target], &real)
}

/// Does something with the drive in a file and keeps it there.
fn change(
    name: &str,
    command: &str,
    as_json: bool,
    act: impl FnOnce(&mut SimulatedTarget) -> Result<Done, Failure>,
) -> Result<(), Failure> {
    let mut target = open(name, Access::Change)?;
    let begin = target.drive().now();
    let (text, keys) = act(&mut target)?;
    let time_ns = target.drive().now().since(begin).0;
    signals::undisturbed(|| target.save())?;
    done(
        name,
        command,
        (text, keys),
        (time_ns, " of the drive's time"),
        as_json,
    )
}

/// The drive in a file.
pub fn open(name: &str, access: Access) -> Result<SimulatedTarget, Failure> {
    let path = Path::new(name);
    if is_state_file(path) && !is_model(name) {
        return Ok(SimulatedTarget::open(path, access)?);
    }
    Err(Failure::Input(if is_model(name) {
        format!(
            "{name} is a model, of which every command makes a new drive: there is none to read or \
             change; create one in a file by `stend drives create {name} --state FILE`, and name \
             that file"
        )
    } else if path.exists() {
        format!(
            "{name} holds no simulated drive, and is no block device that smartctl, blkdiscard, \
             hdparm or nvme could serve"
        )
    } else if path.starts_with("/dev") {
        format!("there is no device {name}; `lsblk` lists the devices")
    } else {
        format!(
            "there is no file {name}; `stend drives create MODEL --state {name}` creates a \
             simulated drive in it"
        )
    }))
}

fn trim(target: &mut SimulatedTarget, offset: u64, length: Option<u64>) -> Result<Done, Failure> {
    let capacity = target.drive().capacity_bytes();
    let length = length.unwrap_or_else(|| capacity.saturating_sub(offset));
    let end = offset.checked_add(length);
    let whole = offset.is_multiple_of(512) && length.is_multiple_of(512);
    if !whole || length == 0 || end.is_none_or(|end| end > capacity) {
        return Err(Failure::Input(format!(
            "--offset {offset} --length {length}: a range to trim is within the drive's \
             {capacity} bytes and consists of whole sectors of 512 bytes"
        )));
    }
    if !target.drive().spec().trim.enabled {
        return Err(Failure::Input(
            "the drive's model has no TRIM (`trim.enabled`); `stend drive erase` empties it".into(),
        ));
    }
    target.trim(offset, length)?;
    Ok(trimmed(offset, length, "are trimmed"))
}

fn erase(target: &mut SimulatedTarget, method: EraseMethod) -> Result<Done, Failure> {
    if !method.crypto {
        target.drive_mut().secure_erase();
        return Ok(erased("all of the flash is erased".to_owned(), method));
    }
    let Some(time) = target.model().crypto_erase_time() else {
        return Err(Failure::Input(format!(
            "{} does not encrypt its data: its model has no [encryption], so that there is no key \
             to discard; `stend drive erase` without --crypto erases the flash",
            target.model().title
        )));
    };
    let erases = |target: &SimulatedTarget| target.drive().counters().erases;
    let before = erases(target);
    target.drive_mut().crypto_erase(time);
    let text = format!(
        "the key is discarded: no data can be read any more, what was written lies in the flash \
         as before, and it is erased when its space is needed or in idle time ({} blocks were \
         erased now)",
        erases(target) - before
    );
    Ok(erased(text, method))
}

fn overprovision(drive: &mut SimDrive, user_bytes: u64) -> Result<Done, Failure> {
    let before = drive.capacity_bytes();
    drive
        .set_user_bytes(user_bytes)
        .map_err(|error| Failure::Input(format!("--user-bytes {user_bytes}: {error}")))?;
    let native = drive.native_bytes();
    let keys = vec![
        ("user_bytes", user_bytes.into()),
        ("user_bytes_before", before.into()),
        ("native_bytes", native.into()),
    ];
    Ok((
        format!("the host can address {user_bytes} bytes of {native}"),
        keys,
    ))
}
