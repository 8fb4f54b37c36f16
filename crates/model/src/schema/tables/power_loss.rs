//! `[power_loss]`: what keeps the mapping, and data that was promised, over a power cut.

use crate::nand::CellTiming;
use stend_base::Nanos;

use super::super::convert::{micros, millis, nanos, pages, value};
use super::super::key::{Field, named, table};
use super::super::rules::OneOf;
use super::super::types::PairedPages;
use super::Model;

table! {
    /// Data that survives a power cut. Without the table no account is kept, and the power cannot
    /// be cut. Not with `nand_commands.one_shot_program_us`, unless `paired_pages` is `"one-shot"`.
    pub struct PowerLoss = "power_loss" => PowerLossSpec {
        /// Switch.
        enabled: Field<bool>;
        /// `true`: capacitors hold the drive up at a cut until buffer and journal are in flash.
        capacitors: Field<bool> => |table, _|
            /// With capacitors: for how long they hold the drive up.
            hold_up: Option<Nanos> = table.capacitors.value.then(|| hold_up(table));
        /// With capacitors: for how long they hold the drive up, ms: enough for a full write
        /// buffer, and with `[media]` and parity for the parity of open stripes.
        hold_up_ms: Option<Field<u64>>, 0..=10_000;
        /// `"one-shot"`: all pages of a word line are programmed in one pass, as with
        /// `nand_commands.one_shot_program_us`, which needs it. `"pad"`: in several, and data is
        /// durable when its word line is full. `"completed"`: in several, and small capacitors
        /// hold the drive up until the programs under way have ended. `"unprotected"`: in several,
        /// and a cut may take what a flush has promised.
        paired_pages: Field<String>, OneOf(&PAIRED_PAGES) => |table, model|
            /// Effect of a torn program on the pages of its word line, and protection against it.
            paired_pages: PairedPages = named(&PAIRED_PAGES, &table.paired_pages),
            /// Timing of the journal's blocks: in SLC mode, outside the pools.
            journal: CellTiming = CellTiming {
                read: vec![micros(&table.journal_read_us)],
                program: vec![micros(&table.journal_program_us)],
                erase: micros(&table.journal_erase_us),
            },
            /// Pages of a block of the journal.
            journal_rows: u32 =
                model.nand.pages_per_block.value / model.nand.program_us.value.len() as u32;
        /// Blocks of a plane in SLC mode, for journal and L2P, beside `nand.blocks_per_plane` and
        /// the cache: room for twice the L2P, twice `checkpoint_pages`, and one. As many as that
        /// without the key.
        journal_blocks_per_plane: Option<Field<u32>>, 2..=65_536;
        /// tR of the journal's pages, µs.
        journal_read_us: Field<f64>, 1.0..=100_000.0;
        /// tPROG of the journal's pages, µs.
        journal_program_us: Field<f64>, 1.0..=100_000.0;
        /// tBERS of the journal's blocks, µs.
        journal_erase_us: Field<f64>, 1.0..=100_000.0;
        /// Changes of the mapping after which a journal page is written in any case, KiB of user
        /// data.
        journal_interval_kib: Field<u32>, 4..=16_777_216 => journal_interval_pages: u32 = pages;
        /// Journal pages after which the changed parts of the L2P are written (checkpoint).
        checkpoint_pages: Field<u32>, 1..=65_536 => checkpoint_pages: u32 = value;
        /// `true`: a flush, and a write with FUA, is acknowledged without being done: a drive
        /// that promises what it does not keep.
        flush_ignored: Field<bool> = false => flush_ignored: bool = value;
        /// From power to the first read of the flash, ms.
        boot_ms: Field<u64>, 0..=60_000 => boot: Nanos = millis;
        /// Recovering a logical page that the journal names, ns.
        replay_page_ns: Field<u64>, 0..=1_000_000 => replay_page: Nanos = nanos;
    }
}

impl PowerLossSpec {
    /// Journal pages that its blocks hold: those that a checkpoint under way covers, and as many
    /// more.
    pub fn journal_pages_max(&self) -> u32 {
        2 * self.checkpoint_pages
    }
}

/// Protections of paired pages, by name.
const PAIRED_PAGES: [(&str, PairedPages); 4] = [
    ("one-shot", PairedPages::OneShot),
    ("pad", PairedPages::Pad),
    ("completed", PairedPages::Completed),
    ("unprotected", PairedPages::Unprotected),
];

/// For how long capacitors hold the drive up; not at all where no time is given.
fn hold_up(table: &PowerLoss) -> Nanos {
    table.hold_up_ms.as_ref().map_or(Nanos::ZERO, millis)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::{assert_refused, parse_with};

    pub(crate) const TABLE: &str = "
[power_loss]
enabled = true
capacitors = true
hold_up_ms = 4
paired_pages = \"pad\"
journal_blocks_per_plane = 9
journal_read_us = 40.0
journal_program_us = 400.0
journal_erase_us = 5000.0
journal_interval_kib = 16384
checkpoint_pages = 256
boot_ms = 50
replay_page_ns = 100
";

    /// The demonstration drive with the table, in which `from` was replaced by `to`.
    fn parse(from: &str, to: &str) -> Result<Model, String> {
        assert!(TABLE.contains(from), "{from}");
        parse_with(&TABLE.replace(from, to))
    }

    #[test]
    fn the_table_becomes_figures() {
        let spec = parse("pad", "pad").expect("sound").spec();
        let loss = spec.power_loss.expect("it is enabled");
        assert_eq!(loss.hold_up, Some(Nanos::from_millis(4)));
        assert_eq!(loss.paired_pages, PairedPages::Pad);
        assert_eq!(loss.journal.program, [Nanos::from_micros(400)]);
        // 96 pages of three bits a cell.
        assert_eq!(
            (loss.journal_rows, loss.journal_interval_pages),
            (32, 4_096)
        );
        assert_eq!(
            (loss.boot, loss.replay_page),
            (Nanos::from_millis(50), Nanos(100))
        );
        let bare = parse("capacitors = true", "capacitors = false").expect("sound");
        assert_eq!(bare.spec().power_loss.expect("on").hold_up, None);
        let off = parse("enabled = true", "enabled = false").expect("sound");
        assert_eq!(off.spec().power_loss, None);
    }

    #[test]
    fn one_shot_programs_have_no_paired_pages() {
        let commands = "[nand_commands]\none_shot_program_us = 900.0\n[power_loss]";
        assert_refused(
            parse("[power_loss]", commands),
            "power_loss.enabled",
            "[power_loss] does not go with nand_commands.one_shot_program_us",
        );
    }

    #[test]
    fn impossible_figures_are_refused() {
        for (from, to, key, part) in [
            (
                "pad",
                "hope",
                "paired_pages",
                "allowed: one-shot, pad, completed, unprotected",
            ),
            ("= 9", "= 8", "journal_blocks_per_plane", "at least 9"),
            ("ms = 4", "ms = 2", "hold_up_ms", "takes up to 3 ms"),
            (
                "hold_up_ms = 4\n",
                "",
                "capacitors",
                "true needs power_loss.hold_up_ms",
            ),
            ("= 256", "= 0", "checkpoint_pages", "from 1 to 65536"),
            ("boot_ms", "boots_ms", "boots_ms", "unknown field"),
        ] {
            assert_refused(parse(from, to), &format!("power_loss.{key}"), part);
        }
    }
}
