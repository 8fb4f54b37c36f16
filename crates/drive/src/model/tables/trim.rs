//! `[trim]`.

use super::super::key::{Field, Given, Problems, table};
use super::super::rules::OneOf;
use super::super::schema::Model;

table! {
    /// TRIM.
    pub struct Trim = "trim" {
        /// Switch.
        enabled: Field<bool>;
        /// A command, ns of a core.
        command_ns: Field<u64>, 0..=1_000_000_000;
        /// Each 1,024 logical pages (4 MiB) of the range, ns of a core.
        per_1024_pages_ns: Field<u64>, 0..=1_000_000_000;
        /// Whether data in the SLC cache is freed too, rather than when it is folded.
        reaches_cache: Field<bool>;
        /// SATA, AHCI: whether the command is queued like reads and writes; else it is alone in
        /// the drive. Always with NVMe.
        queued: Field<bool> = true;
        /// Each range that a command names, ns of a core: 65,535 sectors at most with ATA,
        /// 2^32 - 1 with NVMe.
        per_range_ns: Field<u64> = 0, 0..=1_000_000_000;
        /// Each mapped logical page of a chunk, ns of a core; needs `chunk_kib`.
        per_page_ns: Field<u64> = 0, 0..=1_000_000;
        /// The range is unmapped in chunks of so much user data, KiB.
        chunk_kib: Option<Field<u32>>, 4..=1_048_576;
        /// Rest after each chunk, µs; needs `chunk_kib`.
        chunk_pause_us: Option<Field<u64>>, 0..=10_000_000;
        /// Whether the command ends when its range is noted, before its chunks are unmapped; needs
        /// `chunk_kib`.
        lazy: Field<bool> = false;
        /// What reads of a trimmed range return: `"zeroes"` (RZAT), `"data"`, the same each time
        /// (DRAT), or `"none"`, no promise: what is noted reads as before until it is unmapped.
        deterministic: Option<Field<String>>, OneOf(&PROMISES);
        /// Superblocks of the data area that TRIM has emptied are erased before their space is
        /// needed, one after another, with this rest after each, µs.
        erase_pause_us: Option<Field<u64>>, 0..=10_000_000;
    }
}

/// What reads of a trimmed range return, by name, in the words of ATA.
pub(in super::super) const PROMISES: [(&str, &str); 3] = [
    ("zeroes", "zeroes (RZAT)"),
    ("data", "the same data each time (DRAT)"),
    ("none", "no promise"),
];

pub(in super::super) fn check(problems: &mut Problems, model: &Model) {
    let trim = &model.trim;
    super::host::check_queued(problems, &model.host, &trim.queued);
    if trim.chunk_kib.is_none() {
        let needing: [&dyn Given; 3] = [&trim.per_page_ns, &trim.chunk_pause_us, &trim.lazy];
        let message = "it needs trim.chunk_kib, what is unmapped together";
        problems.needs(&needing, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{FileError, Model, demo};
    use stend_base::Nanos;

    /// The first shipped model, on SATA, with more keys at the end of `[trim]`.
    fn parse(keys: &str) -> Result<Model, FileError> {
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
        let keys = "chunk_kib = 256\nper_page_ns = 30\nlazy = true\nqueued = false\n\
                    deterministic = \"zeroes\"\nerase_pause_us = 7\nper_range_ns = 11\n\
                    chunk_pause_us = 13";
        let model = parse(keys).expect("it is sound");
        let trim = model.spec().trim;
        let work = trim.work.expect("it goes by pieces");
        assert_eq!((work.chunk_pages, work.per_page), (64, Nanos(30)));
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
        let none = parse("chunk_kib = 4\ndeterministic = \"none\"").expect("it is sound");
        let work = none.spec().trim.work.expect("it goes by pieces");
        assert!(!work.deterministic);
    }

    #[test]
    fn keys_that_need_others_say_so() {
        for (keys, key, part) in [
            ("lazy = true", "trim.lazy", "needs trim.chunk_kib"),
            (
                "per_page_ns = 3",
                "trim.per_page_ns",
                "needs trim.chunk_kib",
            ),
            (
                "chunk_pause_us = 3",
                "trim.chunk_pause_us",
                "needs trim.chunk_kib",
            ),
            ("chunk_kib = 2", "trim.chunk_kib", "from 4 to"),
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
