//! Health of a simulated drive in the format of `smartctl -j`.

use serde_json::{Map, Value, json};
use stend_model::health::{Health, figure, normal};
use stend_model::tables::health::{AttributeTable, HealthTable};
use stend_model::{Model, Spec};
use stend_record::smart::{
    Attribute, Attributes, Capacity, Device, Document, Flags, NvmeLog, PowerOn, Raw, Status,
    Temperature, Trim,
};

/// An hour of virtual time.
pub(crate) const NS_PER_HOUR: u64 = 3_600_000_000_000;
const NS_PER_MINUTE: u64 = 60_000_000_000;

/// Document that smartctl would print for a drive in this health; `None` for a model without
/// figures of health.
pub fn document(model: &Model, spec: &Spec, health: &Health) -> Option<Document> {
    let table = model.health.as_ref()?;
    let nvme = table.protocol.value == "nvme";
    let ata = (!nvme).then(|| attributes(table, health));
    let failed = |a: &Attribute| a.flags.prefailure && a.when_failed == "now";
    let passed = match &ata {
        Some(ata) => !health.read_only && !ata.table.iter().any(failed),
        None => critical_warning(health) == 0,
    };
    let mut status = Status {
        passed,
        other: Map::new(),
    };
    if nvme {
        let value = json!({ "value": critical_warning(health) });
        status.other.insert("nvme".to_string(), value);
    }
    Some(Document {
        device: Device {
            name: model.name.clone(),
            kind: if nvme { "nvme" } else { "sat" }.to_string(),
            protocol: if nvme { "NVMe" } else { "ATA" }.to_string(),
            other: Map::new(),
        },
        model_name: model.title.clone(),
        user_capacity: Some(Capacity {
            blocks: spec.user_bytes / 512,
            bytes: spec.user_bytes,
        }),
        logical_block_size: Some(512),
        trim: (!nvme).then_some(Trim {
            supported: spec.trim.enabled,
            deterministic: spec.trim.enabled,
            zeroed: false,
        }),
        smart_status: Some(status),
        ata_smart_attributes: ata,
        nvme_smart_health_information_log: nvme.then(|| log(health)),
        power_on_time: Some(PowerOn {
            hours: health.power_on.0 / NS_PER_HOUR,
            other: Map::new(),
        }),
        power_cycle_count: Some(health.power_cycles),
        temperature: health.temperature_c().map(|current| Temperature {
            current: current as i64,
            other: Map::new(),
        }),
        other: origin(),
    })
}

/// smartctl begins with a description of itself; here it describes the simulator.
fn origin() -> Map<String, Value> {
    let mut other = Map::new();
    other.insert("json_format_version".to_string(), json!([1, 0]));
    let origin = json!({
        "version": [7, 4],
        "platform_info": concat!("stend ", env!("CARGO_PKG_VERSION"), ", simulated"),
        "exit_status": 0,
    });
    other.insert("smartctl".to_string(), origin);
    other
}

fn attributes(table: &HealthTable, health: &Health) -> Attributes {
    Attributes {
        revision: 1,
        table: table
            .attributes
            .iter()
            .map(|a| attribute(a, health))
            .collect(),
    }
}

fn attribute(table: &AttributeTable, health: &Health) -> Attribute {
    let known = "a checked model names a figure";
    let raw = figure(&table.raw.value).expect(known)(health);
    let [value, worst] = normal(&table.value.value).expect(known)(health);
    let thresh = u64::from(table.thresh.value);
    let when_failed = match thresh {
        0 => "",
        _ if value <= thresh => "now",
        _ if worst <= thresh => "past",
        _ => "",
    };
    Attribute {
        id: table.id.value,
        name: table.name.value.clone(),
        value,
        worst,
        thresh,
        when_failed: when_failed.to_string(),
        flags: Flags::of(table.flags.value),
        raw: Raw {
            value: raw,
            string: raw.to_string(),
        },
    }
}

fn critical_warning(health: &Health) -> u64 {
    let bits = [
        health.spare_percent < health.spare_threshold_percent,
        health.temperature.is_some_and(|t| t.is_too_warm),
        false,
        health.read_only,
    ];
    (0..).zip(bits).map(|(n, set)| u64::from(set) << n).sum()
}

fn log(health: &Health) -> NvmeLog {
    // Thousands of 512-byte units, rounded up.
    let data_units = |bytes: u64| bytes.div_ceil(512_000);
    let minutes = |ns: u64| ns / NS_PER_MINUTE;
    let celsius = health.temperature_c().map(|c| c as i64);
    NvmeLog {
        critical_warning: critical_warning(health),
        temperature: celsius,
        available_spare: health.spare_percent,
        available_spare_threshold: health.spare_threshold_percent,
        percentage_used: health.used_percent.unwrap_or(0).min(255),
        data_units_read: data_units(health.host_read_bytes),
        data_units_written: data_units(health.host_written_bytes),
        host_reads: health.host_reads,
        host_writes: health.host_writes,
        controller_busy_time: minutes(health.core_busy.0),
        power_cycles: health.power_cycles,
        power_on_hours: health.power_on.0 / NS_PER_HOUR,
        unsafe_shutdowns: health.unsafe_shutdowns,
        media_errors: health.media_errors,
        num_err_log_entries: health.media_errors,
        warning_temp_time: health.temperature.map(|t| minutes(t.warning.0)),
        critical_comp_time: health.temperature.map(|t| minutes(t.critical.0)),
        temperature_sensors: celsius.map(|c| vec![c]),
        other: Map::new(),
    }
}
