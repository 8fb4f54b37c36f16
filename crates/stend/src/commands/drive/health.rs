//! `stend drive health`: a drive's health in smartctl's format.

use std::path::Path;

use serde_json::{Value, json};
use stend_base::Device;
use stend_record::smart::{Attributes, Document};
use stend_target::real::smartctl;
use stend_target::{Access, SimulatedTarget};

use super::simulated::open;
use crate::failure::Failure;
use crate::output::{json_value, note, print, print_json};

/// Of a block device.
pub fn real(name: &str, as_json: bool) -> Result<(), Failure> {
    let path = Path::new(name);
    if path.is_file() {
        return Err(Failure::Input(format!(
            "{name} holds no simulated drive, and a file has no health: name the block device \
            below it (`df {name}`)"
        )));
    }
    let answer = smartctl::answer(path)?;
    for complaint in smartctl::complaints(&answer.document) {
        note(&format!("smartctl: {complaint}"));
    }
    if as_json {
        return print(&answer.text);
    }
    print(&table(&answer.document)?)
}

/// Of a simulated drive that lives in a file.
pub fn simulated(name: &str, as_json: bool) -> Result<(), Failure> {
    let target = open(name, Access::Look)?;
    let document = target.smart();
    match document {
        Some(document) if as_json => {
            let mut value = json_value(&document)?;
            value["stend"] = simulation(&target);
            print_json(&value)
        }
        Some(document) => {
            let more = rows(&simulation(&target));
            let heading = if more.is_empty() {
                ""
            } else {
                "\nknown to the simulation:\n"
            };
            print(&format!("{}{heading}{more}", table(&document)?))
        }
        None => counters(name, &target, as_json),
    }
}

/// What the simulation knows and no drive reports; without keys that the model lacks.
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

/// The counters of a drive whose model has no `[health]`.
fn counters(name: &str, target: &SimulatedTarget, as_json: bool) -> Result<(), Failure> {
    let counters = json_value(&target.drive().counters())?;
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
        "{} reports no health: its model has no [health]. What the simulation counts:",
        target.model().title
    ));
    print(&format!("{}{}", rows(&counters), rows(&simulation(target))))
}

/// ATA and NVMe drives have a `model_name`; SCSI drives name it otherwise.
fn model_of(document: &Document) -> &str {
    let scsi = document.other.get("scsi_model_name");
    match document.model_name.as_str() {
        "" => scsi.and_then(Value::as_str).unwrap_or("no model reported"),
        name => name,
    }
}

fn table(document: &Document) -> Result<String, Failure> {
    let mut text = format!("{}\n", model_of(document));
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
        text += &rows(&json_value(log)?);
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
