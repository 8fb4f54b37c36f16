//! The table `[trim]`.

use serde::Deserialize;
use stend_base::Nanos;

use super::check::Checker;
use super::host::{Host, queued};
use super::resolve::nanos;
use super::sourced::{Field, Value};
use crate::spec::{TrimSpec, TrimWorkSpec};

/// TRIM.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trim {
    /// Switch.
    pub enabled: Field<bool>,
    /// A command, ns of a core.
    pub command_ns: Field<u64>,
    /// Each 1,024 units (4 MiB) of the range, ns of a core.
    pub per_1024_units_ns: Field<u64>,
    /// Whether data in the SLC cache is freed too, rather than when it is folded.
    pub reaches_cache: Field<bool>,
    /// SATA, AHCI: whether the command is queued like reads and writes.
    pub queued: Option<Field<bool>>,
    /// Each range that the command names, ns of a core.
    pub per_range_ns: Option<Field<u64>>,
    /// Each mapped 4 KiB of the range, ns of a core; needs `piece_kib`.
    pub per_page_ns: Option<Field<u64>>,
    /// What is looked at together, KiB of user data.
    pub piece_kib: Option<Field<u32>>,
    /// Rest after each piece, µs; none if not named; needs `piece_kib`.
    pub piece_pause_us: Option<Field<u64>>,
    /// Whether the command ends before its range has been looked at; needs `piece_kib`.
    pub lazy: Option<Field<bool>>,
    /// What reads of a trimmed range return: `zeroes`, `data` (the same each time) or
    /// `none` (no promise).
    pub deterministic: Option<Field<String>>,
    /// Rest after each superblock that is erased without need, µs; without the key none
    /// is.
    pub erase_pause_us: Option<Field<u64>>,
}

const PROMISES: &[&str] = &["zeroes", "data", "none"];

/// Sectors that a range entry of ATA's DATA SET MANAGEMENT can name (ACS-3), and of
/// NVMe's Dataset Management (NVM Express 1.2).
const ATA_RANGE_SECTORS: u64 = 65_535;
const NVME_RANGE_SECTORS: u64 = 4_294_967_295;

pub(super) fn check(c: &mut Checker<'_>, t: &Trim, host: &Host) {
    c.source("trim.enabled", &t.enabled);
    c.range("trim.command_ns", &t.command_ns, 0..=1_000_000_000);
    c.range(
        "trim.per_1024_units_ns",
        &t.per_1024_units_ns,
        0..=1_000_000_000,
    );
    c.source("trim.reaches_cache", &t.reaches_cache);
    queued(c, host, "trim.queued", &t.queued);
    c.optional("trim.per_range_ns", &t.per_range_ns, 0..=1_000_000_000);
    c.optional("trim.per_page_ns", &t.per_page_ns, 0..=1_000_000);
    needs_pieces(c, t, "trim.per_page_ns", &t.per_page_ns);
    c.optional("trim.piece_pause_us", &t.piece_pause_us, 0..=10_000_000);
    needs_pieces(c, t, "trim.piece_pause_us", &t.piece_pause_us);
    c.optional_source("trim.lazy", &t.lazy);
    needs_pieces(c, t, "trim.lazy", &t.lazy);
    c.optional("trim.piece_kib", &t.piece_kib, 4..=1_048_576);
    if let Some(field) = &t.deterministic {
        c.one_of("trim.deterministic", field, PROMISES);
    }
    c.optional("trim.erase_pause_us", &t.erase_pause_us, 0..=10_000_000);
}

fn needs_pieces<T>(c: &mut Checker<'_>, t: &Trim, key: &'static str, field: &Option<Field<T>>) {
    if let (Some(field), None) = (field, &t.piece_kib) {
        let message = "it needs trim.piece_kib, what is looked at together".to_string();
        c.report(key, field, message);
    }
}

pub(super) fn resolve(trim: &Trim, host: &Host) -> TrimSpec {
    let nvme = host.interface.get() == "pcie-nvme";
    let sectors = if nvme {
        NVME_RANGE_SECTORS
    } else {
        ATA_RANGE_SECTORS
    };
    TrimSpec {
        enabled: trim.enabled.get(),
        command: nanos(&trim.command_ns),
        per_1024_units: nanos(&trim.per_1024_units_ns),
        reaches_cache: trim.reaches_cache.get(),
        queued: trim.queued.as_ref().is_none_or(Value::get),
        per_range: trim.per_range_ns.as_ref().map_or(Nanos::ZERO, nanos),
        range_bytes_max: sectors * 512,
        work: trim.piece_kib.as_ref().map(|piece| TrimWorkSpec {
            piece_units: piece.get() / 4,
            per_unit: trim.per_page_ns.as_ref().map_or(Nanos::ZERO, nanos),
            lazy: trim.lazy.as_ref().is_some_and(Value::get),
            deterministic: promise(trim).is_none_or(|promise| promise != "none"),
            pause: pause(&trim.piece_pause_us),
        }),
        erase_pause: pause(&trim.erase_pause_us),
    }
}

fn pause(field: &Option<Field<u64>>) -> Option<Nanos> {
    field.as_ref().map(|field| Nanos::from_micros(field.get()))
}

fn promise(trim: &Trim) -> Option<String> {
    trim.deterministic.as_ref().map(Value::get)
}

impl Trim {
    /// What TRIM does, in words for a report.
    pub(super) fn in_words(&self) -> String {
        if !self.enabled.get() {
            return "accepted and forgotten".to_string();
        }
        let lazy = self.lazy.as_ref().is_some_and(Value::get);
        let mut words = match (self.reaches_cache.get(), lazy) {
            (true, false) => "frees at once",
            (true, true) => "noted at once, freed later",
            (false, false) => "frees the main area at once, the SLC cache when it is folded",
            (false, true) => {
                "noted at once; frees the main area later, the SLC cache when it is folded"
            }
        }
        .to_string();
        if self.queued.as_ref().is_some_and(|queued| !queued.get()) {
            words += "; not queued: it waits for all other commands, and they for it";
        }
        words
    }

    /// What a read of a trimmed range returns, if the model says so: words of ATA.
    pub(super) fn promise_in_words(&self) -> Option<&'static str> {
        Some(match promise(self)?.as_str() {
            "zeroes" => "zeroes (RZAT)",
            "data" => "the same data each time (DRAT)",
            _ => "no promise",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Model, ModelError, demo};
    use stend_base::Nanos;

    /// The first shipped model, on SATA, with more keys at the end of `[trim]`.
    fn parse(keys: &str) -> Result<Model, ModelError> {
        let mut text = demo().to_owned();
        assert!(text.rfind('[').is_some_and(|_| text.contains("[trim]")));
        for line in keys.lines() {
            let (key, value) = line.split_once(" = ").expect("a key and its value");
            text += &format!("{key} = {{ value = {value}, source = \"assumed\" }}\n");
        }
        Model::parse(&text, "m.toml")
    }

    #[test]
    fn optional_keys_change_nothing_when_they_are_absent() {
        let trim = parse("").expect("it is sound").spec().trim;
        assert!(trim.queued && trim.work.is_none() && trim.erase_pause.is_none());
        assert_eq!(trim.per_range, Nanos::ZERO);
    }

    #[test]
    fn lazy_trim_and_its_promise_are_facts() {
        let keys = "piece_kib = 256\nper_page_ns = 30\nlazy = true\nqueued = false\n\
                    deterministic = \"zeroes\"\nerase_pause_us = 7\nper_range_ns = 11\n\
                    piece_pause_us = 13";
        let model = parse(keys).expect("it is sound");
        let trim = model.spec().trim;
        let work = trim.work.expect("it goes by pieces");
        assert_eq!((work.piece_units, work.per_unit), (64, Nanos(30)));
        assert!(work.lazy && work.deterministic && !trim.queued);
        assert_eq!(trim.erase_pause, Some(Nanos(7_000)));
        assert_eq!(work.pause, Some(Nanos(13_000)));
        assert_eq!(trim.range_bytes_max, 65_535 * 512);
        let facts = model.facts();
        let fact = |name: &str| {
            let found = facts.iter().find(|(n, _)| n == name);
            found.map(|(_, value)| value.as_str()).unwrap_or_default()
        };
        assert!(fact("TRIM").contains("later") && fact("TRIM").contains("not queued"));
        assert_eq!(fact("read after TRIM"), "zeroes (RZAT)");
        let none = parse("piece_kib = 4\ndeterministic = \"none\"").expect("it is sound");
        let work = none.spec().trim.work.expect("it goes by pieces");
        assert!(!work.deterministic);
    }

    #[test]
    fn keys_that_need_others_say_so() {
        for (keys, key, part) in [
            ("lazy = true", "trim.lazy", "needs trim.piece_kib"),
            (
                "per_page_ns = 3",
                "trim.per_page_ns",
                "needs trim.piece_kib",
            ),
            (
                "piece_pause_us = 3",
                "trim.piece_pause_us",
                "needs trim.piece_kib",
            ),
            ("piece_kib = 2", "trim.piece_kib", "from 4 to"),
            (
                "deterministic = \"ones\"",
                "trim.deterministic",
                "zeroes, data, none",
            ),
        ] {
            let said = parse(keys).expect_err(key).to_string();
            assert!(said.contains(&format!(": {key}: ")), "{said}");
            assert!(said.contains(part), "{said}");
        }
    }
}
