//! `stend drive health`: a drive's health in smartctl's format, and its remaining rated life.

use std::path::Path;

use serde_json::{Value, json};
use stend_analysis::{RemainingLife, remaining_life, words};
use stend_base::Device;
use stend_load::target::Target;
use stend_real::{health_of, smartctl};
use stend_record::smart::{Attributes, Document};
use stend_simulated::{Access, SimulatedTarget};

use super::simulated::open;
use crate::failure::Failure;
use crate::output::{json_text, json_value, note, print, print_json, table};

/// Prints the health of a block device.
pub fn real(name: &str, rated_bytes: Option<u64>, as_json: bool) -> Result<(), Failure> {
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
    of_document(&answer.document, &answer.text, rated_bytes, as_json)
}

/// Prints the health of a served drive.
pub fn served(
    name: &str,
    document: Value,
    rated_bytes: Option<u64>,
    as_json: bool,
) -> Result<(), Failure> {
    if document.is_null() {
        return Err(Failure::Input(format!(
            "the model of {name} has no [health]; `stend drive status {name}` prints what it did"
        )));
    }
    let text = json_text(&document)?;
    let document = serde_json::from_value(document)
        .map_err(|error| Failure::Io(format!("{name}: {error}")))?;
    of_document(&document, &text, rated_bytes, as_json)
}

fn of_document(
    document: &Document,
    text: &str,
    rated_bytes: Option<u64>,
    as_json: bool,
) -> Result<(), Failure> {
    let health = health_of(document);
    let life = remaining_life(&health, &health, rated_bytes);
    match (as_json, life) {
        (false, life) => print(&summary(document, life.as_ref())?),
        (true, None) => print(text),
        (true, Some(life)) => {
            let own = json!({ "remaining_life": life });
            print(&with_own(text, &own))
        }
    }
}

/// smartctl's document, byte for byte, with the additional key `stend` at its end.
fn with_own(document: &str, own: &Value) -> String {
    let whole = document.trim_end();
    match whole.strip_suffix('}') {
        None => document.to_owned(),
        Some(open) => format!(
            "{},\n  \"stend\": {own}\n}}{}",
            open.trim_end(),
            &document[whole.len()..]
        ),
    }
}

/// Prints the health of a simulated drive in a state file.
pub fn simulated(name: &str, rated_bytes: Option<u64>, as_json: bool) -> Result<(), Failure> {
    let mut target = open(name, Access::Look)?;
    let document = target.smart();
    let rated_bytes = rated_bytes.or(target.rated_bytes());
    let health = target.health().ok();
    let life = health.and_then(|health| remaining_life(&health, &health, rated_bytes));
    match document {
        Some(document) if as_json => {
            let mut value = json_value(&document)?;
            value["stend"] = own(&target, life.as_ref())?;
            print_json(&value)
        }
        Some(document) => {
            let more = rows(&simulation(&target));
            let heading = if more.is_empty() {
                ""
            } else {
                "\nknown to the simulation:\n"
            };
            let summary = summary(&document, life.as_ref())?;
            print(&format!("{summary}{heading}{more}"))
        }
        None => counters(name, &target, life.as_ref(), as_json),
    }
}

/// Values that smartctl does not print: the remaining rated life, and values of the simulation.
fn own(target: &SimulatedTarget, life: Option<&RemainingLife>) -> Result<Value, Failure> {
    let mut own = simulation(target);
    if let Some(life) = life {
        own["remaining_life"] = json_value(life)?;
    }
    Ok(own)
}

/// Values that only the simulation knows, without keys that the model lacks.
fn simulation(target: &SimulatedTarget) -> Value {
    let (health, counters) = (target.drive().health(), target.drive().counters());
    let mut known = json!({});
    if let Some(uber) = health.uber {
        known["host_read_bits"] = (health.host_read_bytes * 8).into();
        known["uncorrectable_sectors"] = health.uncorrectable_sectors.into();
        known["uber"] = uber.into();
        known["read_retries"] = counters.read_retries.into();
        known["rebuilt_pages"] = counters.rebuilt_pages.into();
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

/// Prints the counters of a drive whose model has no `[health]`.
fn counters(
    name: &str,
    target: &SimulatedTarget,
    life: Option<&RemainingLife>,
    as_json: bool,
) -> Result<(), Failure> {
    let counters = json_value(&target.drive().counters())?;
    if as_json {
        return print_json(&json!({
            "schema": "stend.drive-counters/1",
            "target": name,
            "power_on_ns": target.drive().now().0,
            "counters": counters,
            "stend": own(target, life)?,
        }));
    }
    note(&format!(
        "{} reports no health: its model has no [health]. What the simulation counts:",
        target.model().title
    ));
    let life = life.map_or_else(String::new, life_rows);
    let counted = rows(&counters) + &rows(&simulation(target));
    print(&format!("{life}{counted}"))
}

/// ATA and NVMe drives report a `model_name`; SCSI drives use another key.
fn model_of(document: &Document) -> &str {
    let scsi = document.other.get("scsi_model_name");
    match document.model_name.as_str() {
        "" => scsi.and_then(Value::as_str).unwrap_or("no model reported"),
        name => name,
    }
}

/// Formats the used and the remaining rated life.
fn life_rows(life: &RemainingLife) -> String {
    let mut text = String::new();
    if let Some(bytes) = life.host_written_bytes {
        text += &format!("written so far: {}\n", words::bytes(bytes));
    }
    if let Some(used) = life.used_percent {
        text += &format!("rated life used: {used} %\n");
    }
    let rate = "at the rate so far";
    if let Some(left) = life.by_used_percent {
        let left = left.in_words(rate);
        text += &format!("rated life left, by the share used: {left}\n");
    }
    if let (Some(left), Some(rated)) = (life.by_rated_bytes, life.rated_bytes) {
        let (rated, left) = (words::bytes(rated), left.in_words(rate));
        text += &format!("rated life left, of the rated {rated}: {left}\n");
    }
    text
}

fn summary(document: &Document, life: Option<&RemainingLife>) -> Result<String, Failure> {
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
    text += &life.map_or_else(String::new, life_rows);
    text.push('\n');
    if let Some(attributes) = &document.ata_smart_attributes {
        text += &attribute_rows(attributes);
    }
    if let Some(log) = &document.nvme_smart_health_information_log {
        text += &rows(&json_value(log)?);
    }
    Ok(text)
}

/// Formats ATA attributes as smartctl does.
fn attribute_rows(attributes: &Attributes) -> String {
    let head = [
        "ID", "NAME", "FLAGS", "VALUE", "WORST", "THRESH", "FAIL", "RAW",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(attributes.table.iter().map(|a| {
        let failed = match a.when_failed.as_str() {
            "" => "-",
            failed => failed,
        };
        [
            a.id.to_string(),
            a.name.clone(),
            a.flags.string.clone(),
            a.value.to_string(),
            a.worst.to_string(),
            a.thresh.to_string(),
            failed.to_owned(),
            a.raw.string.clone(),
        ]
    }));
    table(">3 <28 <7 >5 >5 >6 <4 <", &rows)
}

/// Formats the keys of an object, one per line.
fn rows(object: &Value) -> String {
    let keys = object.as_object().into_iter().flatten();
    let rows = keys.map(|(key, value)| [key.replace('_', " "), value.to_string()]);
    table("<28 <", &rows.collect::<Vec<_>>())
}
