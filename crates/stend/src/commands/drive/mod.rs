//! `stend drive`: a simulated drive that lives in a file. What is done to it is kept there.

use std::path::Path;

use serde_json::{Value, json};
use stend_base::Device;
use stend_drive::SimDrive;
use stend_record::smart::{Attributes, Document};
use stend_target::{Access, SimulatedTarget, is_state_file};

use super::drives::print_json;
use crate::args::{DriveArgs, DriveCommand, OnOff};
use crate::failure::Failure;
use crate::open::is_model;
use crate::{note, print, signals};

pub fn run(args: &DriveArgs) -> Result<(), Failure> {
    let json = args.json;
    match &args.command {
        DriveCommand::Health { target } => health(target, json),
        DriveCommand::Trim {
            target,
            offset,
            length,
        } => change(target, "trim", json, |target| {
            trim(target, *offset, *length)
        }),
        DriveCommand::Erase { target, crypto } => {
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
    }
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
            "{name} holds no simulated drive, and `stend drive` is for these only; for a real one \
             use smartctl, blkdiscard, hdparm or nvme"
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

fn health(name: &str, as_json: bool) -> Result<(), Failure> {
    let target = open(name, Access::Look)?;
    let document = target.smart();
    match document {
        Some(document) if as_json => {
            let mut value = as_value(&document)?;
            value["stend"] = simulation(&target);
            print_json(&value)
        }
        Some(document) => {
            let more = rows(&simulation(&target));
            let heading = if more.is_empty() {
                ""
            } else {
                "\nthe simulation knows:\n"
            };
            print(&format!("{}{heading}{more}", table(&document)?))
        }
        None => counters(name, &target, as_json),
    }
}

/// What no drive tells of itself; keys that the model knows nothing of are left out.
fn simulation(target: &SimulatedTarget) -> Value {
    let health = target.drive().health();
    let mut known = json!({});
    if let Some(uber) = health.uber {
        known["host_read_bits"] = (health.host_read_bytes * 8).into();
        known["uncorrectable_sectors"] = health.uncorrectable_sectors.into();
        known["uber"] = uber.into();
    }
    if let Some(blocks) = health.blocks {
        known["factory_bad_blocks"] = blocks.factory_bad.into();
        known["grown_bad_blocks"] = blocks.grown_bad.into();
        known["spare_blocks_least"] = blocks.spares_least.into();
        known["block_cycles_min"] = blocks.cycles.min.into();
        known["block_cycles_mean"] = blocks.cycles.mean.into();
        known["block_cycles_max"] = blocks.cycles.max.into();
    }
    known
}

/// What is counted in a drive whose model tells nothing of health.
fn counters(name: &str, target: &SimulatedTarget, as_json: bool) -> Result<(), Failure> {
    let counters = as_value(&target.drive().counters())?;
    if as_json {
        return print_json(&json!({
            "schema": "stend.drive-counters/1",
            "target": name,
            "power_on_ns": target.drive().now().0,
            "counters": counters,
            "stend": simulation(target),
        }));
    }
    note(&format!(
        "{} tells nothing of its health: its model has no [health]. What the simulation counts:",
        target.model().title
    ));
    print(&format!("{}{}", rows(&counters), rows(&simulation(target))))
}

fn table(document: &Document) -> Result<String, Failure> {
    let mut text = format!("{}\n", document.model_name);
    if let Some(status) = &document.smart_status {
        let word = if status.passed { "PASSED" } else { "FAILED" };
        text += &format!("SMART overall health: {word}\n");
    }
    if let Some(capacity) = &document.user_capacity {
        text += &format!("capacity: {} bytes\n", capacity.bytes);
    }
    if let Some(power_on) = &document.power_on_time {
        text += &format!("powered on: {} hours\n", power_on.hours);
    }
    if let Some(temperature) = &document.temperature {
        text += &format!("temperature: {} °C\n", temperature.current);
    }
    text.push('\n');
    if let Some(attributes) = &document.ata_smart_attributes {
        text += &attribute_rows(attributes);
    }
    if let Some(log) = &document.nvme_smart_health_information_log {
        text += &rows(&as_value(log)?);
    }
    Ok(text)
}

/// As smartctl shows them.
fn attribute_rows(attributes: &Attributes) -> String {
    let mut text = format!(
        "{:>3} {:<28} {:<7} {:>5} {:>5} {:>6} {:<4} RAW\n",
        "ID", "NAME", "FLAGS", "VALUE", "WORST", "THRESH", "FAIL"
    );
    for a in &attributes.table {
        let failed = if a.when_failed.is_empty() {
            "-"
        } else {
            &a.when_failed
        };
        text += &format!(
            "{:>3} {:<28} {:<7} {:>5} {:>5} {:>6} {:<4} {}\n",
            a.id, a.name, a.flags.string, a.value, a.worst, a.thresh, failed, a.raw.string
        );
    }
    text
}

/// The keys of an object, a line each.
fn rows(object: &Value) -> String {
    let keys = object.as_object().into_iter().flatten();
    keys.map(|(key, value)| format!("{:<28} {value}\n", key.replace('_', " ")))
        .collect()
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
