//! A drive's health as `smartctl -j` prints it (smartmontools 7.x), as far as it is
//! interpreted here; what is not named is kept in `other` and written back unchanged.
//!
//! Source of names and units: smartmontools' `ataprint.cpp` and `nvmeprint.cpp`, and the
//! NVM Express base specification, SMART / Health Information log page.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::kinds::endurance::Health;

/// SMART data before the first test of a review and after its last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BeforeAfter {
    /// Before the first test; of a review that went on after a break, before the first run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Reading>,
    /// After the last; missing while the review is not at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Reading>,
    /// Why one of them, or both, could not be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// SMART data at one instant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The figures that are known of any drive.
    pub health: Health,
    /// The whole answer of `smartctl -j -x`, unchanged; [`Document`] names what is known of it.
    #[serde(default)]
    pub document: Value,
}

impl Reading {
    /// The answer as far as it is known; `None` where it has another shape.
    pub fn known(&self) -> Option<Document> {
        Document::deserialize(&self.document).ok()
    }
}

/// The whole document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// How the drive is reached.
    pub device: Device,
    /// The drive's name.
    #[serde(default)]
    pub model_name: String,
    /// What the host can address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_capacity: Option<Capacity>,
    /// Bytes of a logical block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_block_size: Option<u64>,
    /// What an ATA drive says of TRIM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim: Option<Trim>,
    /// The drive's own verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smart_status: Option<Status>,
    /// Of an ATA drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ata_smart_attributes: Option<Attributes>,
    /// Of an NVMe drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvme_smart_health_information_log: Option<NvmeLog>,
    /// Time since the drive was made during which it had power.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_on_time: Option<PowerOn>,
    /// Times the power was switched on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_cycle_count: Option<u64>,
    /// Now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Temperature>,
    /// Everything else at the top level.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How a drive is reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// As typed.
    pub name: String,
    /// smartctl's `-d`: `sat`, `nvme`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `ATA`, `NVMe`.
    pub protocol: String,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What the host can address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// Logical blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
}

/// What an ATA drive says of TRIM.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trim {
    /// It takes the command.
    pub supported: bool,
    /// Trimmed blocks read the same each time.
    #[serde(default)]
    pub deterministic: bool,
    /// They read as zeroes.
    #[serde(default)]
    pub zeroed: bool,
}

/// The drive's own verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// It reports no failure.
    pub passed: bool,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Time with power.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PowerOn {
    /// Whole hours.
    pub hours: u64,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Temperatures, °C.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    /// Now.
    pub current: i64,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The attributes of an ATA drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attributes {
    /// Of the drive's own data structure.
    #[serde(default)]
    pub revision: u64,
    /// One entry an attribute.
    pub table: Vec<Attribute>,
}

/// One attribute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// Number.
    pub id: u8,
    /// Name, by smartmontools' database of drives.
    pub name: String,
    /// Normalised; 100 or more is good.
    pub value: u64,
    /// The lowest `value` so far.
    pub worst: u64,
    /// At or below it the attribute has failed.
    pub thresh: u64,
    /// Empty, `now` or `past`.
    pub when_failed: String,
    /// What kind of attribute it is.
    pub flags: Flags,
    /// As the vendor keeps it.
    pub raw: Raw,
}

/// What kind of attribute it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flags {
    /// All of them.
    pub value: u16,
    /// As letters.
    pub string: String,
    /// A failure is near when it fails.
    pub prefailure: bool,
    /// Updated while the drive works.
    pub updated_online: bool,
    /// It is about performance.
    pub performance: bool,
    /// It is a rate of errors.
    pub error_rate: bool,
    /// It counts events.
    pub event_count: bool,
    /// It is kept automatically.
    pub auto_keep: bool,
}

impl Flags {
    /// The flags of a word, with the letters as smartctl writes them.
    pub fn of(value: u16) -> Flags {
        let bit = |bit: u16| value & 1 << bit != 0;
        let letters = "POSRCK".chars().zip(0..);
        let mut string: String = letters
            .map(|(letter, n)| if bit(n) { letter } else { '-' })
            .collect();
        string.push(if value >> 6 == 0 { ' ' } else { '+' });
        Flags {
            value,
            string,
            prefailure: bit(0),
            updated_online: bit(1),
            performance: bit(2),
            error_rate: bit(3),
            event_count: bit(4),
            auto_keep: bit(5),
        }
    }
}

/// A raw value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Raw {
    /// Six bytes as a number.
    pub value: u64,
    /// As smartctl shows it.
    pub string: String,
}

/// The health information log of an NVMe drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NvmeLog {
    /// Bits: 0 spare below its threshold, 1 temperature, 2 reliability, 3 read-only.
    pub critical_warning: u64,
    /// °C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<i64>,
    /// Percent.
    pub available_spare: u64,
    /// Percent.
    pub available_spare_threshold: u64,
    /// Percent of the rated life, at most 255.
    pub percentage_used: u64,
    /// Thousands of 512 bytes.
    pub data_units_read: u64,
    /// Thousands of 512 bytes.
    pub data_units_written: u64,
    /// Commands.
    pub host_reads: u64,
    /// Commands.
    pub host_writes: u64,
    /// Minutes.
    pub controller_busy_time: u64,
    /// Times the power was switched on.
    pub power_cycles: u64,
    /// Hours.
    pub power_on_hours: u64,
    /// Times the power was lost without notice to the drive.
    pub unsafe_shutdowns: u64,
    /// Times the data could not be read or its integrity not be kept.
    pub media_errors: u64,
    /// Entries of the error log so far.
    pub num_err_log_entries: u64,
    /// Minutes at or above the warning temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning_temp_time: Option<u64>,
    /// Minutes at or above the critical temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical_comp_time: Option<u64>,
    /// °C, of each sensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_sensors: Option<Vec<i64>>,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
