//! `stend drive`: what is asked of a drive and done to it, besides measuring: to a simulated
//! one that lives in a file, and is kept there, or to a real one.

mod health;
mod monitor;
mod real;
mod screen;

use std::path::Path;

use serde_json::{Value, json};
use stend_base::Device;
use stend_drive::SimDrive;
use stend_target::{Access, SimulatedTarget, is_state_file};

use super::drives::print_json;
use crate::args::{DriveArgs, DriveCommand, OnOff, RealArgs};
use crate::failure::Failure;
use crate::open::{is_model, is_simulated, real_options_fit};
use crate::{print, signals};

pub fn run(args: &DriveArgs) -> Result<(), Failure> {
    let json = args.json;
    match &args.command {
        DriveCommand::Health { target } if is_real(target) => health::real(target, json),
        DriveCommand::Health { target } => health::simulated(target, json),
        DriveCommand::Monitor(args) => monitor::run(args, json),
        other => match real_name(other) {
            Some(name) => real::run(name, other, json),
            None => simulated(other, json),
        },
    }
}

/// The target, where it is a real one.
fn real_name(command: &DriveCommand) -> Option<&str> {
    let name = match command {
        DriveCommand::Health { target }
        | DriveCommand::Trim { target, .. }
        | DriveCommand::Erase { target, .. }
        | DriveCommand::Overprovision { target, .. }
        | DriveCommand::WriteCache { target, .. } => target,
        DriveCommand::Monitor(args) => &args.target,
    };
    is_real(name).then_some(name)
}

/// Whether a name stands for a block device, or for a file with something else in it than a
/// simulated drive.
fn is_real(name: &str) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = Path::new(name).metadata().map(|meta| meta.file_type());
    !is_simulated(name) && kind.is_ok_and(|kind| kind.is_file() || kind.is_block_device())
}

fn simulated(command: &DriveCommand, json: bool) -> Result<(), Failure> {
    match command {
        DriveCommand::Trim {
            target,
            offset,
            length,
            destroy,
        } => {
            nothing_to_lose(target, destroy.as_ref())?;
            change(target, "trim", json, |target| {
                trim(target, *offset, *length)
            })
        }
        DriveCommand::Erase {
            target,
            crypto,
            destroy,
        } => {
            nothing_to_lose(target, destroy.as_ref())?;
            change(target, "erase", json, |target| Ok(erase(target, *crypto)))
        }
        DriveCommand::Overprovision { target, user_bytes } => {
            change(target, "overprovision", json, |target| {
                overprovision(target.drive_mut(), *user_bytes)
            })
        }
        DriveCommand::WriteCache { target, state } => {
            change(target, "write-cache", json, |target| {
                Ok(write_cache(target.drive_mut(), *state == OnOff::On))
            })
        }
        DriveCommand::Health { .. } | DriveCommand::Monitor(_) => {
            unreachable!("they change nothing")
        }
    }
}

fn nothing_to_lose(target: &String, destroy: Option<&String>) -> Result<(), Failure> {
    let real = RealArgs {
        size: None,
        destroy: destroy.cloned(),
        read_only: false,
    };
    real_options_fit([target], &real)
}

/// What a command did: for people, and the keys of its JSON.
type Done = (String, Vec<(&'static str, Value)>);

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
    if !as_json {
        return print(&format!(
            "{name}: {text}; it took {} of the drive's time\n",
            time(time_ns)
        ));
    }
    let mut document = json!({
        "schema": format!("stend.drive-{command}/1"),
        "target": name,
        "time_ns": time_ns,
    });
    for (key, value) in keys {
        document[key] = value;
    }
    print_json(&document)
}

fn open(name: &str, access: Access) -> Result<SimulatedTarget, Failure> {
    let path = Path::new(name);
    if is_state_file(path) && !is_model(name) {
        return Ok(SimulatedTarget::open(path, access)?);
    }
    Err(Failure::Input(if is_model(name) {
        format!(
            "{name} is a model, of which every command makes a new drive: there is none to be \
             asked or changed; make one that lives in a file, with `stend drives create {name} \
             --state FILE`, and name that file"
        )
    } else if path.exists() {
        format!(
            "{name} holds no simulated drive, and is no block device that smartctl, blkdiscard, \
             hdparm or nvme could serve"
        )
    } else {
        format!(
            "there is no file {name}; a simulated drive that lives in a file is made by `stend \
             drives create MODEL --state {name}`"
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
            "--offset {offset} --length {length}: a range to be trimmed lies within the drive's \
             {capacity} bytes and consists of whole sectors of 512 bytes"
        )));
    }
    if !target.drive().spec().trim.enabled {
        return Err(Failure::Input(
            "the drive's model has no TRIM (`trim.enabled`); `stend drive erase` empties it".into(),
        ));
    }
    target.trim(offset, length)?;
    let keys = vec![
        ("offset_bytes", offset.into()),
        ("length_bytes", length.into()),
    ];
    Ok((format!("{length} bytes from {offset} on are trimmed"), keys))
}

fn erase(target: &mut SimulatedTarget, crypto: bool) -> Done {
    let drive = target.drive_mut();
    let text = if crypto {
        drive.crypto_erase();
        "the key is thrown away"
    } else {
        drive.secure_erase();
        "all of the flash is erased"
    };
    (text.to_string(), vec![("crypto", crypto.into())])
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

fn write_cache(drive: &mut SimDrive, on: bool) -> Done {
    drive.set_write_cache(on);
    let word = if on { "on" } else { "off" };
    (
        format!("the write cache is {word}"),
        vec![("write_cache", on.into())],
    )
}

fn as_value(what: &impl serde::Serialize) -> Result<Value, Failure> {
    serde_json::to_value(what)
        .map_err(|error| Failure::Io(format!("cannot write the result as JSON: {error}")))
}

/// Virtual time for people.
fn time(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        _ => format!("{:.3} s", ns as f64 / 1e9),
    }
}
