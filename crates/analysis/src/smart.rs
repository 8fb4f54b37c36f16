//! Changes of a drive's SMART data from before the tests to after them.

use stend_language::{say, text};
use stend_record::endurance::Health;
use stend_record::smart::{BeforeAfter, Document, Reading};

use crate::words::bytes;

/// One figure of the SMART data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Name of the figure, with its unit if the values have none.
    pub what: String,
    /// Value before the first test; empty if unknown.
    pub before: String,
    /// Value after the last test; empty if unknown.
    pub after: String,
    /// Difference; empty if there is none or it has no meaning.
    pub difference: String,
    /// Alarm about the change.
    pub alarm: Option<String>,
}

/// Bits of smartctl's exit status that are about the drive: smartctl(8), "EXIT STATUS".
const COMPLAINTS: [(u64, &str); 5] = [
    (3, "smart-complaint-failing"),
    (4, "smart-complaint-threshold"),
    (5, "smart-complaint-past"),
    (6, "smart-complaint-errors"),
    (7, "smart-complaint-self-test"),
];

/// Bits of an NVMe drive's critical warning: NVM Express base specification, SMART / Health
/// Information log page.
const WARNINGS: [&str; 6] = [
    "smart-warning-spare",
    "smart-warning-temperature",
    "smart-warning-reliability",
    "smart-warning-read-only",
    "smart-warning-backup",
    "smart-warning-memory",
];

/// Returns the figures that the drive reports, in a fixed order.
pub fn changes(record: &BeforeAfter) -> Vec<Change> {
    let pair = Pair {
        readings: [record.before.as_ref(), record.after.as_ref()],
        known: [&record.before, &record.after].map(|r| r.as_ref().and_then(Reading::known)),
    };
    let mut rows = vec![
        pair.status(),
        pair.critical_warning(),
        pair.complaints(),
        pair.bytes("smart-host-written", |h| h.host_written_bytes),
        pair.bytes("smart-flash-written", |h| h.nand_written_bytes),
    ];
    rows.extend(pair.wear());
    rows.extend(pair.errors());
    rows.push(pair.count("smart-temperature", |r, _| {
        r.health.temperature_c.and_then(|c| u64::try_from(c).ok())
    }));
    rows.extend(pair.failed_attributes());
    rows.into_iter().flatten().collect()
}

struct Pair<'a> {
    readings: [Option<&'a Reading>; 2],
    known: [Option<Document>; 2],
}

impl Pair<'_> {
    fn values<T>(&self, of: impl Fn(&Reading, &Document) -> Option<T>) -> [Option<T>; 2] {
        let nothing = Document::default();
        let at = |n: usize| {
            let document = self.known[n].as_ref().unwrap_or(&nothing);
            self.readings[n].and_then(|reading| of(reading, document))
        };
        [at(0), at(1)]
    }

    fn row(what: &str, values: &[Option<String>; 2]) -> Option<Change> {
        let text = |n: usize| values[n].clone().unwrap_or_default();
        values.iter().any(Option::is_some).then(|| Change {
            what: what.to_owned(),
            before: text(0),
            after: text(1),
            ..Change::default()
        })
    }

    fn bytes(&self, what: &str, of: impl Fn(&Health) -> Option<u64>) -> Option<Change> {
        let values = self.values(|r, _| of(&r.health));
        let mut row = Pair::row(&say(what), &values.map(|v| v.map(bytes)))?;
        if let [Some(before), Some(after)] = values {
            row.difference = match after.checked_sub(before) {
                Some(more) => format!("+{}", bytes(more)),
                None => say("smart-fell"),
            };
        }
        Some(row)
    }

    fn count(&self, id: &str, of: impl Fn(&Reading, &Document) -> Option<u64>) -> Option<Change> {
        self.counted(&say(id), of)
    }

    /// Returns the row of a count with the given name.
    fn counted(
        &self,
        what: &str,
        of: impl Fn(&Reading, &Document) -> Option<u64>,
    ) -> Option<Change> {
        let values = self.values(of);
        let mut row = Pair::row(what, &values.map(|v| v.map(|n| n.to_string())))?;
        if let [Some(before), Some(after)] = values {
            row.difference = match i128::from(after) - i128::from(before) {
                0 => "0".to_owned(),
                change => format!("{change:+}"),
            };
        }
        Some(row)
    }

    /// Returns the row of a count that should not rise.
    fn mishap(
        &self,
        what: &str,
        alarm: &str,
        of: impl Fn(&Reading, &Document) -> Option<u64>,
    ) -> Option<Change> {
        let rose = matches!(self.values(&of), [Some(before), Some(after)] if after > before);
        let mut row = self.count(what, of)?;
        row.alarm = rose.then(|| say(alarm));
        Some(row)
    }

    fn wear(&self) -> Vec<Option<Change>> {
        let last = |of: fn(&Health) -> Option<u64>| {
            let [before, after] = self.values(|r, _| of(&r.health));
            after.or(before)
        };
        let mut used = self.count("smart-used", |r, _| r.health.used_percent);
        if let (Some(row), Some(100..)) = (&mut used, last(|h| h.used_percent)) {
            row.alarm = Some(say("smart-used-up"));
        }
        let mut spare = self.count("smart-spare", |r, _| r.health.spare_percent);
        let threshold = last(|h| h.spare_threshold_percent);
        if let (Some(row), Some(left), Some(least)) =
            (&mut spare, last(|h| h.spare_percent), threshold)
            && left < least
        {
            row.alarm = Some(text!("smart-spare-low", least = least));
        }
        let cycles = self.count("smart-cycles", |r, _| {
            r.health.erase_cycles.map(|cycles| cycles.mean as u64)
        });
        let retired = self.mishap("smart-retired", "smart-retired-alarm", |r, _| {
            r.health.retired_blocks
        });
        vec![used, spare, cycles, retired]
    }

    fn errors(&self) -> Vec<Option<Change>> {
        let attribute = |document: &Document, id: u8| {
            let table = &document.ata_smart_attributes.as_ref()?.table;
            Some(table.iter().find(|a| a.id == id)?.raw.value)
        };
        fn log(document: &Document) -> Option<&stend_record::smart::NvmeLog> {
            document.nvme_smart_health_information_log.as_ref()
        }
        vec![
            self.mishap("smart-unreadable", "smart-unreadable-alarm", |r, _| {
                r.health.media_errors
            }),
            self.mishap("smart-crc", "smart-crc-alarm", |_, d| attribute(d, 199)),
            self.count("smart-log-entries", |_, d| {
                log(d).map(|log| log.num_err_log_entries)
            }),
            self.mishap(
                "smart-warning-minutes",
                "smart-warning-minutes-alarm",
                |_, d| log(d)?.warning_temp_time,
            ),
            self.mishap(
                "smart-critical-minutes",
                "smart-critical-minutes-alarm",
                |_, d| log(d)?.critical_comp_time,
            ),
        ]
    }

    fn status(&self) -> Option<Change> {
        let values = self.values(|_, d| d.smart_status.as_ref().map(|status| status.passed));
        let words = values.map(|v| {
            v.map(|passed| {
                say(match passed {
                    true => "smart-passed",
                    false => "smart-failed",
                })
            })
        });
        let mut row = Pair::row(&say("smart-verdict"), &words)?;
        let failed = values.contains(&Some(false));
        row.alarm = failed.then(|| say("smart-verdict-alarm"));
        Some(row)
    }

    fn critical_warning(&self) -> Option<Change> {
        let values = self.values(|_, d| {
            let bits = d
                .nvme_smart_health_information_log
                .as_ref()?
                .critical_warning;
            Some(named(bits, WARNINGS.iter().copied().enumerate()))
        });
        Pair::list("smart-critical-warnings", &values)
    }

    fn complaints(&self) -> Option<Change> {
        let values = self.values(|reading, _| {
            let bits = reading.document["smartctl"]["exit_status"].as_u64()?;
            let bits_of = COMPLAINTS
                .iter()
                .map(|(bit, words)| (*bit as usize, *words));
            Some(named(bits, bits_of))
        });
        Pair::list("smart-complaints", &values)
    }

    /// Returns the row of a list of complaints: any entry is alarming.
    fn list(what: &str, values: &[Option<Vec<String>>; 2]) -> Option<Change> {
        let words = |list: &Vec<String>| match list[..] {
            [] => say("smart-none"),
            _ => list.join("; "),
        };
        let mut row = Pair::row(&say(what), &[0, 1].map(|n| values[n].as_ref().map(words)))?;
        let [before, after] = values;
        let last = after.as_ref().or(before.as_ref());
        row.alarm = last
            .filter(|list| !list.is_empty())
            .map(|list| list.join("; "));
        Some(row)
    }

    /// Returns rows for the attributes that failed by the last reading.
    fn failed_attributes(&self) -> Vec<Option<Change>> {
        let [before, after] = &self.known;
        let last = after.as_ref().or(before.as_ref());
        let table = last.and_then(|document| document.ata_smart_attributes.as_ref());
        let failed = table.iter().flat_map(|table| &table.table);
        failed
            .filter(|attribute| attribute.when_failed == "now")
            .map(|attribute| {
                let name = format!("{} {}", attribute.id, attribute.name);
                let mut row = self.counted(&name, |_, d| {
                    let table = &d.ata_smart_attributes.as_ref()?.table;
                    Some(table.iter().find(|a| a.id == attribute.id)?.value)
                })?;
                let threshold = attribute.thresh.to_string();
                row.alarm = Some(text!("smart-attribute-low", threshold = threshold));
                Some(row)
            })
            .collect()
    }
}

/// Returns the words of the bits that are set.
fn named(bits: u64, words: impl Iterator<Item = (usize, &'static str)>) -> Vec<String> {
    words
        .filter(|(bit, _)| bits >> bit & 1 == 1)
        .map(|(_, id)| say(id))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn reading(document: Value, health: Health) -> Option<Reading> {
        Some(Reading { health, document })
    }

    fn ata(exit_status: u64, crc: u64, health: Health) -> Option<Reading> {
        let flags = json!({ "value": 50, "string": "", "prefailure": true,
            "updated_online": true, "performance": false, "error_rate": false,
            "event_count": true, "auto_keep": true });
        let attribute = |id: u8, name: &str, raw: u64, value: u64, when: &str| {
            json!({ "id": id, "name": name, "value": value, "worst": 1, "thresh": 10,
                "when_failed": when, "flags": flags, "raw": { "value": raw, "string": "" } })
        };
        let failed = if exit_status == 0 { "" } else { "now" };
        let table = [
            attribute(5, "Reallocated_Sector_Ct", 3, 9, failed),
            attribute(199, "CRC_Error_Count", crc, 100, ""),
        ];
        let document = json!({
            "smartctl": { "exit_status": exit_status },
            "device": { "name": "/dev/sdx", "type": "sat", "protocol": "ATA" },
            "smart_status": { "passed": exit_status & 8 == 0 },
            "ata_smart_attributes": { "revision": 1, "table": table },
        });
        reading(document, health)
    }

    fn find<'a>(changes: &'a [Change], what: &str) -> &'a Change {
        changes.iter().find(|c| c.what == what).unwrap()
    }

    #[test]
    fn a_sound_drive_alarms_nobody() {
        let health = |written, used| Health {
            host_written_bytes: Some(written),
            used_percent: Some(used),
            temperature_c: Some(30),
            ..Health::default()
        };
        let record = BeforeAfter {
            before: ata(0, 7, health(1_000_000_000, 2)),
            after: ata(0, 7, health(3_500_000_000, 3)),
            missing: None,
        };
        let changes = changes(&record);
        assert!(changes.iter().all(|c| c.alarm.is_none()), "{changes:?}");
        assert_eq!(find(&changes, "Written by hosts").difference, "+2.5 GB");
        assert_eq!(find(&changes, "Rated life used, %").difference, "+1");
        assert_eq!(find(&changes, "smartctl's complaints").after, "none");
        assert_eq!(find(&changes, "Temperature, °C").difference, "0");
        // A figure that the drive does not report has no row.
        assert!(changes.iter().all(|c| c.what != "Written in flash"));
    }

    #[test]
    fn what_went_wrong_is_marked() {
        let before = Health {
            retired_blocks: Some(3),
            media_errors: Some(0),
            spare_percent: Some(20),
            spare_threshold_percent: Some(10),
            used_percent: Some(99),
            ..Health::default()
        };
        let after = Health {
            retired_blocks: Some(5),
            media_errors: Some(1),
            spare_percent: Some(9),
            used_percent: Some(100),
            ..before
        };
        let record = BeforeAfter {
            before: ata(0, 7, before),
            after: ata(0b1_1000, 9, after),
            missing: None,
        };
        let changes = changes(&record);
        for what in [
            "The drive's own verdict",
            "smartctl's complaints",
            "Rated life used, %",
            "Spare blocks left, %",
            "Blocks taken out of use",
            "Data that could not be read, times",
            "Errors on the link (CRC)",
            "5 Reallocated_Sector_Ct",
        ] {
            assert!(find(&changes, what).alarm.is_some(), "{what}: {changes:?}");
        }
        let complaints = find(&changes, "smartctl's complaints");
        assert!(
            complaints.after.contains("failure threshold"),
            "{complaints:?}"
        );
        assert_eq!(find(&changes, "Blocks taken out of use").difference, "+2");
    }

    #[test]
    fn critical_warnings_by_name_and_half_an_account() {
        let log = json!({ "critical_warning": 9, "available_spare": 5,
            "available_spare_threshold": 10, "percentage_used": 120, "data_units_read": 1,
            "data_units_written": 1, "host_reads": 1, "host_writes": 1,
            "controller_busy_time": 1, "power_cycles": 1, "power_on_hours": 1,
            "unsafe_shutdowns": 1, "media_errors": 0, "num_err_log_entries": 4,
            "warning_temp_time": 2 });
        let document = json!({
            "device": { "name": "/dev/nvme0", "type": "nvme", "protocol": "NVMe" },
            "nvme_smart_health_information_log": log,
        });
        let record = BeforeAfter {
            before: reading(document, Health::default()),
            ..BeforeAfter::default()
        };
        let changes = changes(&record);
        let warning = find(&changes, "Critical warnings");
        assert_eq!(
            warning.alarm.as_deref(),
            Some("spare blocks below their threshold; read-only")
        );
        assert_eq!(find(&changes, "Entries of the error log").after, "");
        assert_eq!(
            find(&changes, "Minutes at the warning temperature").alarm,
            None
        );
        assert_eq!(super::changes(&BeforeAfter::default()), []);
    }
}
