//! A drive's health as `smartctl -j` prints it (smartmontools 7.x), as far as it is interpreted
//! here; other keys are kept in `other` and written back unchanged.
//!
//! Source of names and units: smartmontools' `ataprint.cpp` and `nvmeprint.cpp`, and the
//! NVM Express base specification, SMART / Health Information log page.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::kinds::endurance::Health;

/// SMART data before the first test of a review and after its last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BeforeAfter {
    /// Data before the first test; for a resumed review, before the first test of the first run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Reading>,
    /// Data after the last test; missing while the review is not finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Reading>,
    /// Reason why one of them, or both, could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// SMART data at one instant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The figures that are the same for all drives.
    pub health: Health,
    /// The whole output of `smartctl -j -x`, unchanged; [`Document`] has the interpreted keys.
    #[serde(default)]
    pub document: Value,
}

impl Reading {
    /// The interpreted part of the output; `None` if it has another shape.
    pub fn known(&self) -> Option<Document> {
        Document::deserialize(&self.document).ok()
    }
}

/// The whole document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Access to the drive.
    pub device: Device,
    /// The drive's name.
    #[serde(default)]
    pub model_name: String,
    /// Capacity that the host can address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_capacity: Option<Capacity>,
    /// Bytes of a logical block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_block_size: Option<u64>,
    /// TRIM of an ATA drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim: Option<Trim>,
    /// The drive's own verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smart_status: Option<Status>,
    /// Attributes of an ATA drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ata_smart_attributes: Option<Attributes>,
    /// Health log of an NVMe drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvme_smart_health_information_log: Option<NvmeLog>,
    /// Time with power since the drive was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_on_time: Option<PowerOn>,
    /// Times that the power was switched on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_cycle_count: Option<u64>,
    /// Present temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Temperature>,
    /// Everything else at the top level.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Access to a drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Name as typed.
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

/// Capacity that the host can address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// Logical blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
}

/// TRIM of an ATA drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trim {
    /// True if the drive supports the command.
    pub supported: bool,
    /// True if trimmed blocks read the same each time.
    #[serde(default)]
    pub deterministic: bool,
    /// True if trimmed blocks read as zeroes.
    #[serde(default)]
    pub zeroed: bool,
}

/// The drive's own verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// True if the drive reports no failure.
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
    /// Present temperature.
    pub current: i64,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The attributes of an ATA drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attributes {
    /// Revision of the drive's own data structure.
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
    /// The attribute has failed at or below this value.
    pub thresh: u64,
    /// Empty, `now` or `past`.
    pub when_failed: String,
    /// Flags of the attribute.
    pub flags: Flags,
    /// Raw value in the vendor's format.
    pub raw: Raw,
}

/// Flags of an attribute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flags {
    /// All flags in one word.
    pub value: u16,
    /// Flags as letters.
    pub string: String,
    /// A failure of the attribute means that the drive will soon fail.
    pub prefailure: bool,
    /// Updated while the drive works.
    pub updated_online: bool,
    /// The attribute describes performance.
    pub performance: bool,
    /// The attribute is a rate of errors.
    pub error_rate: bool,
    /// The attribute counts events.
    pub event_count: bool,
    /// The attribute is kept automatically.
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
    /// Text as smartctl prints it.
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
    /// Spare left, percent.
    pub available_spare: u64,
    /// Threshold of the spare, percent.
    pub available_spare_threshold: u64,
    /// Used share of the rated life, percent, at most 255.
    pub percentage_used: u64,
    /// Data read, thousands of 512 bytes.
    pub data_units_read: u64,
    /// Data written, thousands of 512 bytes.
    pub data_units_written: u64,
    /// Read commands.
    pub host_reads: u64,
    /// Write commands.
    pub host_writes: u64,
    /// Busy time, minutes.
    pub controller_busy_time: u64,
    /// Times that the power was switched on.
    pub power_cycles: u64,
    /// Time with power, hours.
    pub power_on_hours: u64,
    /// Times that the power was lost without notice to the drive.
    pub unsafe_shutdowns: u64,
    /// Times that data could not be read or its integrity not be kept.
    pub media_errors: u64,
    /// Entries of the error log so far.
    pub num_err_log_entries: u64,
    /// Minutes at or above the warning temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning_temp_time: Option<u64>,
    /// Minutes at or above the critical temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical_comp_time: Option<u64>,
    /// Temperature of each sensor, °C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_sensors: Option<Vec<i64>>,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
