//! The health of a drive, from `smartctl -j -x`.
//!
//! NVMe drives have a log that the standard defines. ATA drives have a log of device statistics
//! (ACS-3), of which every entry may be missing, and attributes, whose numbers and raw values
//! depend on the vendor. Only those attributes are used whose name in smartmontools' database
//! contains the unit, and four whose normalised value falls from 100 as life or spare blocks are
//! used.

use std::path::Path;

use serde_json::Value;
use stend_record::endurance::{EraseCycles, Health};
use stend_record::smart::{Attribute, Document, Reading};

use crate::probe::smartctl::{self, Answer};
use crate::process::tools;

/// A thousand blocks of 512 bytes: the unit of an NVMe drive's counts of data.
const DATA_UNIT_BYTES: u64 = 512_000;

/// smartctl's document for a whole disk, by its name in `/dev`; or the reason why there is none.
pub(crate) fn reading(disk: &str) -> Result<Reading, String> {
    let path = Path::new("/dev").join(disk);
    let answer = smartctl::answer(&path).map_err(|error| error.to_string())?;
    read(&answer).map_err(|why| format!("{}: {why}", path.display()))
}

/// Temperature of a whole disk, °C. A sleeping drive is not woken.
pub(crate) fn temperature_c(disk: &str) -> Option<i64> {
    let smartctl = smartctl::program().ok()?;
    let path = Path::new("/dev").join(disk);
    let mut command = tools::command(&smartctl);
    command.args(["-j", "-A", "-n", "standby"]).arg(path);
    let said = tools::run(&mut command).ok()?;
    let value: Value = serde_json::from_str(&said.stdout).ok()?;
    value["temperature"]["current"].as_i64()
}

/// Health in an answer. smartctl's exit code is ignored, because it has a bit for each complaint
/// about the drive, even a failing one: only the document counts.
fn read(answer: &Answer) -> Result<Reading, String> {
    let health = of_document(&answer.document);
    // The hours alone are no health.
    let nothing = Health {
        power_on_hours: health.power_on_hours,
        ..Health::default()
    };
    if health == nothing {
        return Err("smartctl finds no health log".to_owned());
    }
    let document = serde_json::from_str(&answer.text)
        .map_err(|error| format!("smartctl's answer cannot be read ({error})"))?;
    Ok(Reading { health, document })
}

/// Health in a document, as far as its values are known.
pub fn of_document(document: &Document) -> Health {
    let mut health = of_nvme(document).unwrap_or_else(|| of_ata(document));
    let current = document.temperature.as_ref().map(|t| t.current);
    health.temperature_c = health.temperature_c.or(current);
    let hours = document.power_on_time.as_ref().map(|time| time.hours);
    health.power_on_hours = health.power_on_hours.or(hours);
    health
}

fn of_nvme(document: &Document) -> Option<Health> {
    let log = document.nvme_smart_health_information_log.as_ref()?;
    Some(Health {
        host_written_bytes: log.data_units_written.checked_mul(DATA_UNIT_BYTES),
        used_percent: Some(log.percentage_used),
        spare_percent: Some(log.available_spare),
        spare_threshold_percent: Some(log.available_spare_threshold),
        power_on_hours: Some(log.power_on_hours),
        media_errors: Some(log.media_errors),
        temperature_c: log.temperature,
        // Bit 3 of the critical warning: "all of the media has been placed in read only mode".
        read_only: Some(log.critical_warning & 1 << 3 != 0),
        ..Health::default()
    })
}

fn of_ata(document: &Document) -> Health {
    let sector = document.logical_block_size.unwrap_or(512);
    let sectors = statistic(document, "Logical Sectors Written");
    let table = document.ata_smart_attributes.as_ref().map(|a| &a.table[..]);
    let table = table.unwrap_or_default();
    let raw = |names: &[&str]| named(table, names).map(|attribute| attribute.raw.value);
    let counted = |units: &[(&str, u64)]| {
        units
            .iter()
            .find_map(|(name, unit)| raw(&[name])?.checked_mul(*unit))
    };
    // Like used life, a share that falls from 100, with the drive's own threshold.
    let spare = named(table, &["Available_Reservd_Space"]).filter(|spare| spare.value <= 100);
    Health {
        host_written_bytes: sectors.map(|n| n * sector).or_else(|| {
            counted(&[
                ("Total_LBAs_Written", sector),
                ("Host_Writes_32MiB", 32 << 20),
                ("Host_Writes_GiB", 1 << 30),
                ("Lifetime_Writes_GiB", 1 << 30),
                ("Total_Writes_GiB", 1 << 30),
            ])
        }),
        nand_written_bytes: counted(&[
            ("NAND_Writes_1GiB", 1 << 30),
            ("NAND_Writes_GiB", 1 << 30),
            ("Total_NAND_Writes_GiB", 1 << 30),
            ("NAND_Writes_32MiB", 32 << 20),
        ]),
        used_percent: statistic(document, "Percentage Used Endurance Indicator").or_else(|| {
            let left = [
                "Media_Wearout_Indicator",
                "SSD_Life_Left",
                "Wear_Leveling_Count",
            ];
            named(table, &left).map(|left| 100_u64.saturating_sub(left.value))
        }),
        spare_percent: spare.map(|spare| spare.value),
        spare_threshold_percent: spare.map(|spare| spare.thresh),
        erase_cycles: erase_cycles(&raw),
        retired_blocks: raw(&["Reallocated_NAND_Blk_Cnt", "Reallocated_Sector_Ct"]),
        program_fails: raw(&["Program_Fail_Count", "Program_Fail_Cnt_Total"]),
        erase_fails: raw(&["Erase_Fail_Count", "Erase_Fail_Count_Total"]),
        media_errors: statistic(document, "Number of Reported Uncorrectable Errors")
            .or_else(|| raw(&["Reported_Uncorrect", "Uncorrectable_Error_Cnt"])),
        ..Health::default()
    }
}

fn erase_cycles(raw: &dyn Fn(&[&str]) -> Option<u64>) -> Option<EraseCycles> {
    let mean = raw(&[
        "Average_Block-Erase_Count",
        "Ave_Block-Erase_Count",
        "Average_Erase_Count",
        "Avg_Write/Erase_Count",
    ])?;
    Some(EraseCycles {
        min: raw(&["Min_Erase_Count", "Min_W/E_Cycle"]),
        mean: mean as f64,
        max: raw(&["Max_Erase_Count", "Maximum_Erase_Cycle"]),
    })
}

fn named<'a>(table: &'a [Attribute], names: &[&str]) -> Option<&'a Attribute> {
    names
        .iter()
        .find_map(|name| table.iter().find(|attribute| attribute.name == *name))
}

/// A valid entry of the log of device statistics.
fn statistic(document: &Document, name: &str) -> Option<u64> {
    let pages = document.other.get("ata_device_statistics")?;
    let tables = pages["pages"].as_array()?.iter();
    let entries = tables.filter_map(|page| page["table"].as_array()).flatten();
    let mut valid = entries.filter(|entry| entry["flags"]["valid"] != false);
    valid.find(|entry| entry["name"] == name)?["value"].as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::says;

    /// Includes the exit status that the text contains.
    fn reading_of(text: &str) -> Result<Reading, String> {
        let whole: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let status = whole["smartctl"]["exit_status"].as_i64().unwrap_or(0);
        read(&smartctl::read(text, status as i32, "")?)
    }

    fn health_of(text: &str) -> Result<Health, String> {
        reading_of(text).map(|reading| reading.health)
    }

    #[test]
    fn an_nvme_drive_by_its_log() {
        let text = include_str!("../../tests/data/smartctl-nvme.json");
        let whole: Value = serde_json::from_str(text).unwrap();
        let log = &whole["nvme_smart_health_information_log"];
        let health = health_of(text).unwrap();
        let units = log["data_units_written"].as_u64().unwrap();
        assert!(units > 0);
        assert_eq!(health.host_written_bytes, Some(units * 512_000));
        assert_eq!(health.used_percent, log["percentage_used"].as_u64());
        assert_eq!(health.spare_percent, log["available_spare"].as_u64());
        assert_eq!(health.temperature_c, log["temperature"].as_i64());
        assert_eq!(health.read_only, Some(false));
        assert_eq!(health.nand_written_bytes, None);
        assert_eq!(health.power_on_hours, log["power_on_hours"].as_u64());
        let warning = text.replacen("\"critical_warning\": 0", "\"critical_warning\": 8", 1);
        assert_ne!(warning, text);
        assert_eq!(health_of(&warning).unwrap().read_only, Some(true));
    }

    #[test]
    fn an_ata_drive_by_attributes_whose_names_tell_the_unit() {
        let text = include_str!("../../tests/data/smartctl-ata.json");
        let health = health_of(text).unwrap();
        assert_eq!(health.host_written_bytes, Some(27_838_821_420 * 512));
        assert_eq!(health.used_percent, Some(2));
        assert_eq!(health.retired_blocks, Some(0));
        assert_eq!(health.power_on_hours, Some(21_034));
        assert_eq!(health.temperature_c, Some(29));
        assert_eq!((health.read_only, health.spare_percent), (None, None));
        let large = text.replace("Total_LBAs_Written", "Host_Writes_32MiB");
        let written = health_of(&large).unwrap().host_written_bytes;
        assert_eq!(written, Some(27_838_821_420 * (32 << 20)));
        let unknown = text.replace("Total_LBAs_Written", "Unknown_Attribute");
        assert_eq!(health_of(&unknown).unwrap().host_written_bytes, None);
    }

    #[test]
    fn an_ata_drive_that_counts_erasures_and_writes_in_flash() {
        let text = include_str!("../../tests/data/smartctl-ata-worn.json");
        let reading = reading_of(text).unwrap();
        let health = reading.health;
        assert_eq!(health.host_written_bytes, Some(43_210 << 30));
        assert_eq!(health.nand_written_bytes, Some(91_234 << 30));
        assert_eq!(health.used_percent, Some(14), "231 comes before 177");
        let cycles = health.erase_cycles.unwrap();
        assert_eq!((cycles.mean, cycles.max), (391.0, None));
        assert_eq!(
            (health.retired_blocks, health.media_errors),
            (Some(4), Some(2))
        );
        assert_eq!(health.temperature_c, Some(36));
        // Unknown values are stored unchanged.
        let whole: Value = serde_json::from_str(text).unwrap();
        assert_eq!(reading.document, whole);
        let known = reading.known().unwrap();
        assert_eq!(known.power_on_time.unwrap().hours, 8123);
        assert_eq!(known.power_cycle_count, Some(311));
    }

    #[test]
    fn an_ata_drive_that_counts_failed_programs_and_erases() {
        let text = include_str!("../../tests/data/smartctl-ata-worn.json");
        let named = |from: &str, to: &str| {
            let changed = text.replace(&format!("\"{from}\""), &format!("\"{to}\""));
            assert_ne!(changed, text);
            health_of(&changed).unwrap()
        };
        let health = health_of(text).unwrap();
        assert_eq!((health.program_fails, health.erase_fails), (None, None));
        // The raw value is that of power cycles, under another name.
        for name in ["Program_Fail_Count", "Program_Fail_Cnt_Total"] {
            let health = named("Power_Cycle_Count", name);
            assert_eq!(health.program_fails, Some(311), "{name}");
        }
        for name in ["Erase_Fail_Count", "Erase_Fail_Count_Total"] {
            let health = named("Power_Cycle_Count", name);
            assert_eq!(health.erase_fails, Some(311), "{name}");
        }
        for (name, bounds) in [
            ("Max_Erase_Count", (None, Some(311))),
            ("Maximum_Erase_Cycle", (None, Some(311))),
            ("Min_Erase_Count", (Some(311), None)),
        ] {
            let cycles = named("Power_Cycle_Count", name).erase_cycles.unwrap();
            assert_eq!((cycles.min, cycles.max), bounds, "{name}");
        }
        let health = named("Reported_Uncorrect", "Uncorrectable_Error_Cnt");
        assert_eq!(health.media_errors, Some(2));
        let health = named("Wear_Leveling_Count", "Available_Reservd_Space");
        assert!(health.spare_percent.is_some() && health.spare_threshold_percent.is_some());
    }

    #[test]
    fn a_failing_drive_is_read_although_smartctl_complains() {
        let text = include_str!("../../tests/data/smartctl-failing.json");
        let reading = reading_of(text).unwrap();
        assert_eq!(reading.document["smartctl"]["exit_status"], 88);
        assert_eq!(reading.health.retired_blocks, Some(812));
        assert!(!reading.known().unwrap().smart_status.unwrap().passed);
    }

    #[test]
    fn a_bridge_that_passes_nothing_on() {
        let text = include_str!("../../tests/data/smartctl-usb.json");
        let why = health_of(text).unwrap_err();
        says(&why, "Unknown USB bridge");
    }

    #[test]
    fn device_statistics_come_before_attributes() {
        let text = include_str!("../../tests/data/smartctl-ata.json");
        let statistics = |valid: bool| {
            let entry = |name: &str, value: u64| {
                format!(
                    r#"{{ "name": "{name}", "value": {value}, "flags": {{ "valid": {valid} }} }}"#
                )
            };
            let table = [
                entry("Logical Sectors Written", 1000),
                entry("Percentage Used Endurance Indicator", 104),
            ];
            let page = format!(r#"{{ "number": 1, "table": [{}] }}"#, table.join(","));
            let log = format!(r#"{{ "ata_device_statistics": {{ "pages": [{page}] }},"#);
            text.replacen('{', &log, 1)
        };
        let health = health_of(&statistics(true)).unwrap();
        assert_eq!(health.host_written_bytes, Some(512_000));
        assert_eq!(health.used_percent, Some(104));
        let health = health_of(&statistics(false)).unwrap();
        assert_eq!(health.used_percent, Some(2));
    }

    #[test]
    fn a_device_without_health_says_why() {
        let text = r#"{ "smartctl": { "exit_status": 1, "messages": [
            { "string": "/dev/loop0: Unable to detect device type", "severity": "error" } ] } }"#;
        let why = health_of(text).unwrap_err();
        says(&why, "/dev/loop0: Unable to detect device type");
        let bare = r#"{ "device": { "name": "/dev/sdx", "type": "scsi", "protocol": "SCSI" } }"#;
        assert_eq!(health_of(bare).unwrap_err(), "smartctl finds no health log");
        let counts_hours = bare.replacen('{', r#"{ "power_on_time": { "hours": 7 },"#, 1);
        let why = health_of(&counts_hours).unwrap_err();
        assert_eq!(why, "smartctl finds no health log");
    }
}
