//! Commands of `stend drive` for simulated drives in state files.

use std::path::Path;

use stend_base::Device;
use stend_drive::SimDrive;
use stend_model::spec::PAGE_BYTES;
use stend_real::EraseMethod;
use stend_simulated::{Access, SimulatedTarget, is_state_file};

use super::done::{Done, done, erased, switched, trimmed};
use super::harm;
use crate::args::{DriveCommand, OnOff, RealArgs};
use crate::failure::Failure;
use crate::open::{is_model, real_options_fit};
use crate::signals;

/// Runs the command, and saves the drive to its file.
pub fn run(command: &DriveCommand, json: bool) -> Result<(), Failure> {
    let (target, word) = match command {
        DriveCommand::Trim {
            target, destroy, ..
        } => {
            nothing_to_lose(target, destroy)?;
            (target, "trim")
        }
        DriveCommand::Erase {
            target, destroy, ..
        } => {
            nothing_to_lose(target, destroy)?;
            (target, "erase")
        }
        DriveCommand::Overprovision { target, .. } => (target, "overprovision"),
        DriveCommand::WriteCache { target, .. } => (target, "write-cache"),
        DriveCommand::Age { target, .. } => (target, "age"),
        DriveCommand::FailDie { target, .. } => (target, "fail-die"),
        DriveCommand::PowerCut {
            at_flash_event: Some(_),
            ..
        }
        | DriveCommand::PowerCut {
            after_writes: Some(_),
            ..
        } => {
            return Err(Failure::Input(
                "--at-flash-event and --after-writes are for a served drive: one in a file has \
                 nothing under way"
                    .into(),
            ));
        }
        DriveCommand::PowerCut { target, .. } => (target, "power-cut"),
        other => unreachable!("{other:?} changes nothing"),
    };
    change(target, word, json, |target| {
        let done = apply(target, command)?;
        Ok(done.expect("it is one of those above"))
    })
}

/// Applies a command to a drive; `None` if the command changes no drive.
pub fn apply(
    target: &mut SimulatedTarget,
    command: &DriveCommand,
) -> Result<Option<Done>, Failure> {
    match command {
        DriveCommand::Trim { offset, length, .. } => trim(target, *offset, *length),
        DriveCommand::Erase {
            crypto, sanitize, ..
        } => {
            let method = EraseMethod {
                crypto: *crypto,
                sanitize: *sanitize,
            };
            erase(target, method)
        }
        DriveCommand::Overprovision { user_bytes, .. } => {
            overprovision(target.drive_mut(), *user_bytes)
        }
        DriveCommand::WriteCache { state, .. } => {
            let on = *state == OnOff::On;
            target.drive_mut().service().set_write_cache(on);
            Ok(switched(on))
        }
        DriveCommand::Age { days, celsius, .. } => harm::age(target, *days, *celsius),
        DriveCommand::FailDie { die, .. } => harm::fail_die(target, *die),
        DriveCommand::PowerCut { .. } => harm::power_cut(target),
        _ => return Ok(None),
    }
    .map(Some)
}

fn nothing_to_lose(target: &String, destroy: &[String]) -> Result<(), Failure> {
    let real = RealArgs {
        destroy: destroy.to_vec(),
        ..RealArgs::default()
    };
    real_options_fit([target], &real)
}

/// Changes the drive in a state file, and saves it there.
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

/// Opens the drive in a state file.
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
            "{name} holds no simulated drive, and is not a block device that smartctl, blkdiscard, \
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
            "{length} bytes from {offset} on cannot be trimmed: a range to trim (--offset, \
             --length) is within the drive's {capacity} bytes and consists of whole sectors of \
             512 bytes"
        )));
    }
    if !target.drive().spec().trim.enabled {
        return Err(Failure::Input(
            "the drive's model has no TRIM (`trim.enabled`); `stend drive erase` empties it".into(),
        ));
    }
    target.trim(offset, length)?;
    let begin = offset.next_multiple_of(PAGE_BYTES);
    let whole = (offset + length) / PAGE_BYTES * PAGE_BYTES;
    let whole = whole.saturating_sub(begin);
    let how = match length - whole {
        0 => "are trimmed".to_owned(),
        kept => format!(
            "are trimmed as far as they are whole pages of {PAGE_BYTES} bytes: {kept} bytes keep \
             their data"
        ),
    };
    Ok(trimmed(offset, length, &how))
}

fn erase(target: &mut SimulatedTarget, method: EraseMethod) -> Result<Done, Failure> {
    if !method.crypto {
        target.drive_mut().service().secure_erase();
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
    target.drive_mut().service().crypto_erase(time);
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
        .service()
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
