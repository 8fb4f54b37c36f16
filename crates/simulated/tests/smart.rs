//! Comparison of the health of simulated drives with documents in the format that smartctl prints.

use serde_json::Value;
use stend_load::target::{JobRequest, Target};
use stend_model::Model;
use stend_record::smart::{Document, Flags};
use stend_simulated::SimulatedTarget;

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");
const ATA: &str = include_str!("../../real/tests/data/smartctl-ata.json");
const NVME: &str = include_str!("../../real/tests/data/smartctl-nvme.json");

fn figure(key: &str, value: impl std::fmt::Display) -> String {
    format!("{key} = {{ value = {value}, source = \"assumed: for this test\" }}\n")
}

fn attribute(id: u8, name: &str, raw: &str, value: &str, thresh: u8, flags: u16) -> String {
    let quoted = |text: &str| format!("\"{text}\"");
    [
        "[[health.attributes]]\n".to_string(),
        figure("id", id),
        figure("name", quoted(name)),
        figure("raw", quoted(raw)),
        figure("value", quoted(value)),
        figure("thresh", thresh),
        figure("flags", flags),
    ]
    .concat()
}

fn demo(protocol: &str, more: &str) -> SimulatedTarget {
    let energy: String = [
        "read_nj",
        "program_nj",
        "erase_nj",
        "slc_read_nj",
        "slc_program_nj",
        "slc_erase_nj",
        "bus_byte_pj",
        "core_busy_mw",
        "core_idle_mw",
        "link_active_mw",
        "link_idle_mw",
        "dram_mw",
    ]
    .iter()
    .map(|key| figure(key, 100))
    .collect();
    let thermal = [
        figure("ambient_c", "30.0"),
        figure("resistance_k_per_w", "10.0"),
        figure("capacity_j_per_k", "5.0"),
        figure("step_ms", 100),
        figure("warning_c", "70.0"),
        figure("critical_c", "80.0"),
        figure("throttle", "\"none\""),
    ]
    .concat();
    let health = [
        figure("protocol", format!("\"{protocol}\"")),
        figure("rated_cycles", 100),
        figure("slc_rated_cycles", 1_000),
        figure("spare_superblocks", 4),
        figure("spare_threshold_percent", 10),
    ]
    .concat();
    let text = format!("{DEMO}\n[energy]\n{energy}[thermal]\n{thermal}[health]\n{health}{more}");
    let model = Model::parse(&text, "demo.toml").unwrap_or_else(|error| panic!("{error}"));
    SimulatedTarget::new(model)
}

fn samsung() -> String {
    [
        attribute(
            5,
            "Reallocated_Sector_Ct",
            "retired_superblocks",
            "spare_left",
            10,
            0x33,
        ),
        attribute(9, "Power_On_Hours", "power_on_hours", "full", 0, 0x32),
        attribute(12, "Power_Cycle_Count", "power_cycles", "full", 0, 0x32),
        attribute(
            177,
            "Wear_Leveling_Count",
            "cycles_mean",
            "life_left",
            0,
            0x13,
        ),
        attribute(
            190,
            "Airflow_Temperature_Cel",
            "temperature_c",
            "below_100_c",
            0,
            0x32,
        ),
        attribute(
            241,
            "Total_LBAs_Written",
            "host_written_sectors",
            "full",
            0,
            0x32,
        ),
    ]
    .concat()
}

/// Writes 1 GiB, reads a quarter of it, and rests for two and a half hours.
fn used(mut target: SimulatedTarget) -> Document {
    let jobs =
        "[w]\nrw=write\nbs=128k\niodepth=8\nsize=1g\n[r]\nstonewall\nrw=read\nbs=64k\nsize=256m\n";
    let job = JobRequest {
        text: jobs,
        seed: 1,
        sample_ms: 0,
    };
    target.run(&job).expect("the job runs");
    target.idle(9_000.0).expect("it rests");
    target.smart().expect("it tells of its health")
}

/// Asserts that every key of `ours` is in `theirs`, with a value of the same type.
fn same_shape(ours: &Value, theirs: &Value, at: &str) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for (key, value) in ours {
                let other = theirs.get(key).unwrap_or_else(|| panic!("{at}.{key}"));
                same_shape(value, other, &format!("{at}.{key}"));
            }
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            assert_eq!(ours.is_empty(), theirs.is_empty(), "{at}");
            for value in ours {
                same_shape(value, &theirs[0], &format!("{at}[]"));
            }
        }
        (ours, theirs) => assert_eq!(
            std::mem::discriminant(ours),
            std::mem::discriminant(theirs),
            "{at}: {ours} {theirs}"
        ),
    }
}

#[test]
fn what_smartctl_prints_is_read_and_written_back() {
    for text in [ATA, NVME] {
        let value: Value = serde_json::from_str(text).expect("it is JSON");
        let document: Document = serde_json::from_str(text).expect("it has the shape");
        assert_eq!(serde_json::to_value(&document).expect("JSON"), value);
    }
    let ata: Document = serde_json::from_str(ATA).expect("it has the shape");
    for attribute in &ata.ata_smart_attributes.expect("it has a table").table {
        assert_eq!(Flags::of(attribute.flags.value), attribute.flags);
    }
}

#[test]
fn an_ata_drive_tells_its_attributes() {
    let document = used(demo("ata", &samsung()));
    let value = serde_json::to_value(&document).expect("JSON");
    let theirs: Value = serde_json::from_str(ATA).expect("it is JSON");
    same_shape(&value, &theirs, "");
    // All keys that a reader of health needs are present.
    for key in [
        "ata_smart_attributes",
        "temperature",
        "power_on_time",
        "trim",
        "smart_status",
    ] {
        assert!(value.get(key).is_some(), "{key}");
    }
    let table = &document.ata_smart_attributes.expect("it has a table").table;
    let of = |id: u8| {
        table
            .iter()
            .find(|a| a.id == id)
            .expect("it is in the table")
    };
    assert_eq!(of(241).raw.value, (1 << 30) / 512);
    assert_eq!(of(241).raw.string, "2097152");
    assert_eq!(
        (
            of(9).raw.value,
            document.power_on_time.expect("hours").hours
        ),
        (2, 2)
    );
    // Core, link and DRAM of 100 mW each, at 10 K/W.
    let celsius = document.temperature.expect("a temperature").current;
    assert_eq!((celsius, of(190).raw.value, of(190).value), (33, 33, 67));
    assert_eq!((of(5).raw.value, of(5).value, of(5).thresh), (0, 100, 10));
    assert_eq!(of(5).flags.string, "PO--CK ");
    assert!(of(5).when_failed.is_empty() && document.smart_status.expect("one").passed);
}

#[test]
fn an_nvme_drive_tells_its_log() {
    let document = used(demo("nvme", ""));
    let value = serde_json::to_value(&document).expect("JSON");
    let theirs: Value = serde_json::from_str(NVME).expect("it is JSON");
    same_shape(&value, &theirs, "");
    let log = document
        .nvme_smart_health_information_log
        .expect("it has a log");
    assert_eq!(log.data_units_written, (1u64 << 30).div_ceil(512_000));
    assert_eq!(log.data_units_read, (1u64 << 28).div_ceil(512_000));
    assert_eq!((log.host_writes, log.host_reads), (8_192, 4_096));
    assert_eq!((log.power_on_hours, log.power_cycles), (2, 1));
    assert_eq!(
        (log.temperature, log.temperature_sensors),
        (Some(33), Some(vec![33]))
    );
    assert_eq!(
        (log.available_spare, log.available_spare_threshold),
        (100, 10)
    );
    assert_eq!((log.critical_warning, log.warning_temp_time), (0, Some(0)));
    assert!(document.ata_smart_attributes.is_none() && document.trim.is_none());
}

#[test]
fn a_worn_out_drive_says_so() {
    let wear = figure("slc_end_of_life_cycles", 2);
    for protocol in ["ata", "nvme"] {
        let mut target = demo(protocol, &(wear.clone() + &samsung()));
        let job = JobRequest {
            text: "[w]\nrw=randwrite\nbs=64k\niodepth=8\nsize=4g\nio_size=40g\n",
            seed: 1,
            sample_ms: 0,
        };
        let error = target.run(&job).expect_err("it wears out").to_string();
        assert!(error.contains("error 5"), "{error}");
        let document = target.smart().expect("it tells of its health");
        assert!(!document.smart_status.expect("one").passed);
        match document.nvme_smart_health_information_log {
            Some(log) => {
                assert_eq!(log.critical_warning, 8);
            }
            None => {
                let table = document.ata_smart_attributes.expect("a table").table;
                assert_eq!(table.len(), 6);
            }
        }
    }
}

#[test]
fn a_model_without_health_has_none() {
    let model = Model::parse(DEMO, "demo.toml").expect("the shipped model");
    assert!(SimulatedTarget::new(model).smart().is_none());
}
