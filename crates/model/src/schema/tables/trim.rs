//! `[trim]`.

use stend_base::Nanos;

use super::super::convert::{given, given_micros, nanos, pages, value};
use super::super::key::{Field, Given, Problems, table};
use super::super::rules::OneOf;
use super::super::types::TrimWorkSpec;
use super::Model;

table! {
    /// TRIM.
    pub struct Trim = "trim" => TrimSpec {
        /// Switch.
        enabled: Field<bool> => enabled: bool = value;
        /// A command, ns of a core.
        command_ns: Field<u64>, 0..=1_000_000_000 => command: Nanos = nanos;
        /// Each 1,024 logical pages (4 MiB) of the range, ns of a core.
        per_1024_pages_ns: Field<u64>, 0..=1_000_000_000 => per_1024_pages: Nanos = nanos;
        /// `true`: data in the SLC cache is freed too, rather than when it is folded.
        reaches_cache: Field<bool> => reaches_cache: bool = value;
        /// SATA, AHCI: whether the command is queued like reads and writes; else it is alone in
        /// the drive. Always with NVMe.
        queued: Field<bool> = true => queued: bool = value;
        /// Each range that a command names, ns of a core: 65,535 sectors at most with ATA,
        /// 2^32 - 1 with NVMe.
        per_range_ns: Field<u64> = 0, 0..=1_000_000_000 => per_range: Nanos = nanos => |trim, model|
            /// Capacity of a range of the command.
            range_bytes_max: u64 = model.host.trim_range_sectors_max() * 512,
            /// Unmapping costs time; `None` for nothing beside [`TrimSpec::per_1024_pages`].
            work: Option<TrimWorkSpec> = trim.work();
        /// Each mapped logical page of a chunk, ns of a core; needs `chunk_kib`.
        per_page_ns: Field<u64> = 0, 0..=1_000_000;
        /// The range is unmapped in chunks of so much user data, KiB.
        chunk_kib: Option<Field<u32>>, 4..=1_048_576;
        /// Rest after each chunk, µs; needs `chunk_kib`.
        chunk_pause_us: Option<Field<u64>>, 0..=10_000_000;
        /// `true`: the command ends when its range is noted, before its chunks are unmapped; needs
        /// `chunk_kib`.
        lazy: Field<bool> = false;
        /// Data that reads of a trimmed range return: `"zeroes"` (RZAT), `"data"`, the same each
        /// time (DRAT), or `"none"`, no promise: what is noted reads as before until it is
        /// unmapped.
        deterministic: Option<Field<String>>, OneOf(&PROMISES);
        /// Superblocks of the data area that TRIM has emptied are erased before their space is
        /// needed, one after another, with this rest after each, µs.
        erase_pause_us: Option<Field<u64>>, 0..=10_000_000
            => erase_pause: Option<Nanos> = given_micros;
    }
}

/// Data that reads of a trimmed range return, by the names that ATA gives them.
pub(crate) const PROMISES: [(&str, &str); 3] = [
    ("zeroes", "zeroes (RZAT)"),
    ("data", "the same data each time (DRAT)"),
    ("none", "no promise"),
];

impl Trim {
    fn work(&self) -> Option<TrimWorkSpec> {
        Some(TrimWorkSpec {
            chunk_pages: pages(self.chunk_kib.as_ref()?),
            per_page: nanos(&self.per_page_ns),
            lazy: self.lazy.value,
            deterministic: given(&self.deterministic).is_none_or(|promise| promise != "none"),
            pause: given_micros(&self.chunk_pause_us),
        })
    }
}

pub(crate) fn check(problems: &mut Problems, model: &Model) {
    let trim = &model.trim;
    super::host::check_queued(problems, &model.host, &trim.queued);
    if trim.chunk_kib.is_none() {
        let needing: [&dyn Given; 3] = [&trim.per_page_ns, &trim.chunk_pause_us, &trim.lazy];
        let message = "it needs trim.chunk_kib, the size that is unmapped at a time";
        problems.needs(&needing, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_refused, parse_with};
    use stend_base::Nanos;

    // The demonstration drive's file ends with `[trim]`.

    #[test]
    fn optional_keys_change_nothing_when_they_are_absent() {
        let trim = parse_with("").expect("it is sound").spec().trim;
        assert!(trim.queued && trim.work.is_none() && trim.erase_pause.is_none());
        assert_eq!(trim.per_range, Nanos::ZERO);
    }

    #[test]
    fn lazy_trim_and_its_promise_are_facts() {
        let keys = "chunk_kib = 256\nper_page_ns = 30\nlazy = true\nqueued = false\n\
                    deterministic = \"zeroes\"\nerase_pause_us = 7\nper_range_ns = 11\n\
                    chunk_pause_us = 13";
        let model = parse_with(keys).expect("it is sound");
        let trim = model.spec().trim;
        let work = trim.work.expect("it works by chunks");
        assert_eq!((work.chunk_pages, work.per_page), (64, Nanos(30)));
        assert!(work.lazy && work.deterministic && !trim.queued);
        assert_eq!(trim.erase_pause, Some(Nanos(7_000)));
        assert_eq!(work.pause, Some(Nanos(13_000)));
        assert_eq!(trim.range_bytes_max, 65_535 * 512);
        let facts = model.facts();
        let fact = |name: &str| {
            let found = facts.iter().find(|(id, _)| *id == name);
            found
                .map(|(_, value)| value.in_english())
                .unwrap_or_default()
        };
        assert!(fact("trim").contains("later") && fact("trim").contains("not queued"));
        assert_eq!(fact("read-after-trim"), "zeroes (RZAT)");
        let none = parse_with("chunk_kib = 4\ndeterministic = \"none\"").expect("it is sound");
        let work = none.spec().trim.work.expect("it works by chunks");
        assert!(!work.deterministic);
    }

    #[test]
    fn keys_that_need_others_say_so() {
        for (keys, key, part) in [
            ("lazy = true", "lazy", "needs trim.chunk_kib"),
            ("per_page_ns = 3", "per_page_ns", "needs trim.chunk_kib"),
            (
                "chunk_pause_us = 3",
                "chunk_pause_us",
                "needs trim.chunk_kib",
            ),
            ("chunk_kib = 2", "chunk_kib", "from 4 to"),
            (
                "deterministic = \"ones\"",
                "deterministic",
                "zeroes, data, none",
            ),
        ] {
            assert_refused(parse_with(keys), &format!("trim.{key}"), part);
        }
    }
}
