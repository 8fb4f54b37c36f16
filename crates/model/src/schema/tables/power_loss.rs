//! `[power_loss]`: what keeps the mapping, and data that was promised, over a power cut.

use crate::nand::CellTiming;
use stend_base::Nanos;

use super::super::Model;
use super::super::key::{Field, Problems, table};
use super::super::resolve::{micros, millis, nanos, pages, value};
use super::super::rules::{OneOf, named};
use crate::schema::spec::{PAGE_BYTES, PairedPages, Spec, power_loss_excludes};

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

/// True if the journal's blocks have room and the capacitors hold long enough, in a model whose
/// single figures are valid.
pub(crate) fn check_sizes(problems: &mut Problems, model: &Model, drive: &Spec) {
    let (Some(table), Some(spec)) = (&model.power_loss, &drive.power_loss) else {
        return;
    };
    if let Some(other) = power_loss_excludes(drive) {
        let message = format!("[power_loss] does not go with {other}");
        problems.report(&table.enabled, message);
        return;
    }
    let need = journal_blocks(drive, spec);
    if let Some(blocks) = &table.journal_blocks_per_plane
        && u64::from(blocks.value) < need
    {
        let message = format!(
            "{} is not allowed; twice the L2P and twice the journal up to a checkpoint need at \
             least {need}",
            blocks.value
        );
        problems.report(blocks, message);
    }
    let Some(hold_up) = spec.hold_up else {
        if model.dram.plp.value {
            let message = "true is not allowed: without power_loss.capacitors a cut takes what is \
                           in the buffer";
            problems.report(&model.dram.plp, message);
        }
        return;
    };
    let need = longest_save(drive, spec);
    let need_ms = need.0.div_ceil(1_000_000);
    let Some(given) = &table.hold_up_ms else {
        let message = format!(
            "true needs power_loss.hold_up_ms; programming a full write buffer takes up to \
             {need_ms} ms"
        );
        problems.report(&table.capacitors, message);
        return;
    };
    if hold_up < need {
        let message = format!(
            "{} is not allowed; programming a full write buffer takes up to {need_ms} ms",
            given.value
        );
        problems.report(given, message);
    }
}

/// Blocks of a plane for the L2P twice, the journal that the next checkpoint has not yet covered,
/// and one that is being emptied.
fn journal_blocks(drive: &Spec, spec: &PowerLossSpec) -> u64 {
    let page_entries = 1024 * u64::from(drive.pages_per_mp_page);
    let table = (drive.user_bytes / PAGE_BYTES).div_ceil(page_entries);
    let pages = 2 * table + u64::from(spec.journal_pages_max());
    let each_die = pages.div_ceil(u64::from(drive.dies));
    each_die.div_ceil(u64::from(spec.journal_rows)) + 1
}

/// Programming a full buffer and the journal of all that may not be durable, evenly over the dies,
/// one multi-plane page of relocated data for each of `gc.depth` besides; where a word line is
/// programmed at once, each of them on the die that takes longest for it.
fn longest_save(drive: &Spec, spec: &PowerLossSpec) -> Nanos {
    let longest = |timing: &CellTiming| timing.program.iter().copied().max();
    let native = drive.one_shot.or_else(|| longest(&drive.data.timing));
    let program = match &drive.cache {
        // What is relocated, or bypasses the cache, may be programmed in the data area.
        Some(cache) if cache.takes_gc && !cache.opens_data() => longest(&cache.pool.timing),
        Some(cache) => longest(&cache.pool.timing).max(native),
        None => native,
    };
    let program = program.unwrap_or(Nanos::ZERO);
    let variation = drive.variation.as_ref();
    let program = variation.map_or(program, |v| v.program_range(program)[1]);
    let pages = drive.buffer.write_pages.div_ceil(drive.pages_per_mp_page) + drive.gc.depth + 2;
    let stripes = open_stripes(drive, pages);
    let bytes = u64::from(drive.pages_per_mp_page) * PAGE_BYTES;
    let transfer = Nanos(bytes * drive.bus_ps_per_byte / 1000) + drive.bus_overhead;
    let each_die = u64::from(pages.div_ceil(drive.dies));
    let journal = drive
        .undurable_pages_max()
        .div_ceil(bytes / JOURNAL_ENTRY_BYTES);
    let beside = journal + u64::from(stripes);
    let each_channel = (u64::from(pages) + beside).div_ceil(u64::from(drive.channels));
    let beside = beside.div_ceil(u64::from(drive.dies));
    program * each_die + spec.journal.program[0] * beside + transfer * each_channel
}

/// Bytes of an entry of the journal: a logical page, and its place.
const JOURNAL_ENTRY_BYTES: u64 = 8;

/// Stripes that are not full, at most, with so many multi-plane pages in the buffer: those of these
/// pages, and of each stream those of one program more. None where parity is never used.
fn open_stripes(drive: &Spec, pages: u32) -> u32 {
    let (Some(data), Some(_)) = (drive.parity_data, &drive.media) else {
        return 0;
    };
    let streams = 2 + drive.further_streams();
    pages.div_ceil(data) + streams * drive.program_pages() / drive.pages_per_mp_page
}

#[cfg(test)]
mod tests {
    use crate::nand::reliability::{Ecc, ErrorModel, Rber, Retention};

    use super::*;
    use crate::schema::spec::MediaSpec;
    use crate::testing::{assert_refused, parse_with};

    const TABLE: &str = "
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

    /// Capacitors also save the parity of stripes that are not full, where it may be needed.
    #[test]
    fn parity_in_use_takes_longer_to_save() {
        let sound = parse("pad", "pad").expect("sound").spec();
        let loss = sound.power_loss.clone().expect("it is enabled");
        let mut drive = sound.clone();
        (drive.parity_data, drive.dies) = (Some(3), 4);
        let never_used = longest_save(&drive, &loss);
        let cells = ErrorModel {
            fresh: Rber(0),
            worn: Rber(0),
            retention: Retention::Linear,
            year_fresh: Rber(0),
            year_worn: Rber(0),
            reads_100k: Rber(0),
            rated_cycles: 1,
            spread_percent: 0,
        };
        drive.media = Some(MediaSpec {
            data_area: cells.clone(),
            slc_cache: cells,
            ecc: Ecc {
                passes: vec![Rber(1)],
                retry: Nanos::ZERO,
            },
            page_type_percent: vec![100],
            word_line_percent: 0,
            remembers_pass: false,
            refresh: None,
            patrol_interval: None,
            seed: 1,
        });
        assert!(longest_save(&drive, &loss) >= never_used + loss.journal.program[0]);
        drive.parity_data = None;
        assert_eq!(open_stripes(&drive, 100), 0);
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
