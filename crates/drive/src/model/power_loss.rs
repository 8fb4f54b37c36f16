//! `[power_loss]`: what keeps the mapping, and data that was promised, over a power cut.

use serde::Deserialize;
use stend_base::Nanos;
use stend_nand::CellTiming;

use super::check::Checker;
use super::resolve::micros;
use super::schema::Model;
use super::sourced::{Field, Value};
use crate::spec::{PairedPages, PowerLossSpec, UNIT_BYTES, power_loss_excludes};

/// What keeps the mapping, and data that was promised, over a power cut.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerLoss {
    /// Switch.
    pub enabled: Field<bool>,
    /// Whether capacitors hold the drive up until its buffer is in flash.
    pub capacitors: Field<bool>,
    /// For how long they do, ms; of no account without.
    pub hold_up_ms: Field<u64>,
    /// `one-shot`, `pad` or `unprotected`: see [`PairedPages`].
    pub paired_pages: Field<String>,
    /// Blocks of a plane for journal and table, in SLC mode, beside those of the pools.
    pub journal_blocks_per_plane: Field<u32>,
    /// tR of the journal's pages, µs.
    pub journal_read_us: Field<f64>,
    /// tPROG of the journal's pages, µs.
    pub journal_program_us: Field<f64>,
    /// tBERS of the journal's blocks, µs.
    pub journal_erase_us: Field<f64>,
    /// Changes of the mapping after which a journal page is written, KiB of user data.
    pub journal_interval_kib: Field<u32>,
    /// Journal pages after which the changed parts of the table are written.
    pub checkpoint_pages: Field<u32>,
    /// From power to the first read of the flash, ms.
    pub boot_ms: Field<u64>,
    /// Bringing back 4 KiB that the journal names, ns.
    pub replay_unit_ns: Field<u64>,
}

/// The names that a model gives to what is done about paired pages.
const PAIRED_PAGES: &[(&str, PairedPages)] = &[
    ("one-shot", PairedPages::OneShot),
    ("pad", PairedPages::Pad),
    ("unprotected", PairedPages::Unprotected),
];

pub(super) fn resolve(model: &Model) -> Option<PowerLossSpec> {
    let table = model.power_loss.as_ref().filter(|p| p.enabled.get())?;
    let name = table.paired_pages.get();
    let paired = PAIRED_PAGES.iter().find(|(n, _)| *n == name);
    let bits = model.nand.program_us.get().len() as u32;
    Some(PowerLossSpec {
        hold_up: table
            .capacitors
            .get()
            .then(|| Nanos::from_millis(table.hold_up_ms.get())),
        paired_pages: paired.expect("a checked model names one").1,
        journal: CellTiming {
            read: vec![micros(table.journal_read_us.get())],
            program: vec![micros(table.journal_program_us.get())],
            erase: micros(table.journal_erase_us.get()),
        },
        journal_rows: model.nand.pages_per_block.get() / bits,
        journal_interval_units: table.journal_interval_kib.get() / 4,
        checkpoint_pages: table.checkpoint_pages.get(),
        boot: Nanos::from_millis(table.boot_ms.get()),
        replay_unit: Nanos(table.replay_unit_ns.get()),
    })
}

pub(super) fn check(c: &mut Checker<'_>, model: &Model) {
    let Some(p) = &model.power_loss else {
        return;
    };
    let names: Vec<&str> = PAIRED_PAGES.iter().map(|n| n.0).collect();
    c.source("power_loss.enabled", &p.enabled);
    c.source("power_loss.capacitors", &p.capacitors);
    c.range("power_loss.hold_up_ms", &p.hold_up_ms, 0..=10_000);
    c.one_of("power_loss.paired_pages", &p.paired_pages, &names);
    let blocks = &p.journal_blocks_per_plane;
    c.range("power_loss.journal_blocks_per_plane", blocks, 2..=65_536);
    let micros = 1.0..=100_000.0;
    c.range(
        "power_loss.journal_read_us",
        &p.journal_read_us,
        micros.clone(),
    );
    c.range(
        "power_loss.journal_program_us",
        &p.journal_program_us,
        micros.clone(),
    );
    c.range("power_loss.journal_erase_us", &p.journal_erase_us, micros);
    let interval = &p.journal_interval_kib;
    c.range("power_loss.journal_interval_kib", interval, 4..=16_777_216);
    c.range(
        "power_loss.checkpoint_pages",
        &p.checkpoint_pages,
        1..=65_536,
    );
    c.range("power_loss.boot_ms", &p.boot_ms, 0..=60_000);
    c.range(
        "power_loss.replay_unit_ns",
        &p.replay_unit_ns,
        0..=1_000_000,
    );
}

/// Whether the journal's blocks hold what is written there, and the capacitors for long
/// enough: checks of a model whose figures are sane one by one.
pub(super) fn check_sizes(c: &mut Checker<'_>, model: &Model) {
    let (Some(p), Some(spec)) = (&model.power_loss, resolve(model)) else {
        return;
    };
    let drive = model.spec();
    if let Some(other) = power_loss_excludes(&drive) {
        let message = format!("[power_loss] does not go with {other}");
        c.report("power_loss.enabled", &p.enabled, message);
        return;
    }
    let slot_units = u64::from(drive.units_per_slot);
    let dies = u64::from(drive.dies);
    // The table twice, and the journal that the next checkpoint has not yet covered; and a
    // block of each die that is being emptied.
    let table = (drive.user_bytes / UNIT_BYTES).div_ceil(1024 * slot_units);
    let pages = 2 * table + 2 * u64::from(spec.checkpoint_pages);
    let need = pages.div_ceil(dies).div_ceil(u64::from(spec.journal_rows)) + 1;
    let blocks = &p.journal_blocks_per_plane;
    if u64::from(blocks.get()) < need {
        let message = format!(
            "{} is not allowed; twice the mapping table and twice the journal up to a \
             checkpoint need at least {need}",
            blocks.get()
        );
        c.report("power_loss.journal_blocks_per_plane", blocks, message);
    }
    if let (None, Some(protected)) = (spec.hold_up, &model.dram.protected)
        && protected.get()
    {
        let message = "true is not allowed: without power_loss.capacitors a cut takes what is \
                       in the buffer";
        c.report("dram.protected", protected, message.to_owned());
    }
    let Some(hold_up) = spec.hold_up else {
        return;
    };
    let need = longest_save(&drive, &spec);
    if hold_up < need {
        let message = format!(
            "{} is not allowed; programming a full write buffer takes up to {} ms",
            p.hold_up_ms.get(),
            need.0.div_ceil(1_000_000)
        );
        c.report("power_loss.hold_up_ms", &p.hold_up_ms, message);
    }
}

/// Programming a full buffer and a page of the journal, evenly over the dies, one slot of
/// collected data for each of the collection's depth besides; where a word line is
/// programmed at once, each of them on the die that takes longest for it.
fn longest_save(drive: &crate::Spec, spec: &PowerLossSpec) -> Nanos {
    let longest = |timing: &CellTiming| timing.program.iter().copied().max();
    let native = drive.one_shot.or_else(|| longest(&drive.main.timing));
    let program = match &drive.cache {
        // What is collected, or passes the cache by, may be programmed in the main area.
        Some(cache) if cache.takes_collected && !cache.opens_main() => longest(&cache.pool.timing),
        Some(cache) => longest(&cache.pool.timing).max(native),
        None => native,
    };
    let program = program.unwrap_or(Nanos::ZERO);
    let slots = drive.buffer.write_units.div_ceil(drive.units_per_slot) + drive.collect.depth + 2;
    let groups = open_groups(drive, slots);
    let bytes = u64::from(drive.units_per_slot) * UNIT_BYTES;
    let transfer = Nanos(bytes * drive.bus_ps_per_byte / 1000) + drive.bus_overhead;
    let each_die = u64::from(slots.div_ceil(drive.dies));
    let each_channel = u64::from((slots + 1 + groups).div_ceil(drive.channels));
    let journal = 1 + u64::from(groups.div_ceil(drive.dies));
    program * each_die + spec.journal.program[0] * journal + transfer * each_channel
}

/// Parity groups that are not whole, at most, with so many slots in the buffer: those of the
/// slots, and of each stream those of one program more. None where parity is never used.
fn open_groups(drive: &crate::Spec, slots: u32) -> u32 {
    let (Some(data), Some(_)) = (drive.parity_data, &drive.media) else {
        return 0;
    };
    let streams = 2 + drive.further_streams();
    slots.div_ceil(data) + streams * drive.program_units() / drive.units_per_slot
}

#[cfg(test)]
mod tests {
    use stend_nand::reliability::{Ecc, ErrorModel, Rber};

    use super::super::demo;
    use super::*;
    use crate::spec::MediaSpec;

    const TABLE: &str = r#"
[power_loss]
enabled = { value = true, source = "assumed" }
capacitors = { value = true, source = "assumed" }
hold_up_ms = { value = 4, source = "assumed" }
paired_pages = { value = "pad", source = "assumed" }
journal_blocks_per_plane = { value = 9, source = "assumed" }
journal_read_us = { value = 40.0, source = "assumed" }
journal_program_us = { value = 400.0, source = "assumed" }
journal_erase_us = { value = 5000.0, source = "assumed" }
journal_interval_kib = { value = 16384, source = "assumed" }
checkpoint_pages = { value = 256, source = "assumed" }
boot_ms = { value = 50, source = "assumed" }
replay_unit_ns = { value = 100, source = "assumed" }
"#;

    /// The demonstration drive with the table, in which `from` was replaced by `to`.
    fn parse(from: &str, to: &str) -> Result<Model, String> {
        assert!(TABLE.contains(from), "{from}");
        let text = demo().to_string() + &TABLE.replace(from, to);
        Model::parse(&text, "m.toml").map_err(|error| error.to_string())
    }

    #[test]
    fn it_comes_out_as_it_went_in() {
        let spec = parse("pad", "pad").expect("sound").spec();
        let loss = spec.power_loss.expect("it is enabled");
        assert_eq!(loss.hold_up, Some(Nanos::from_millis(4)));
        assert_eq!(loss.paired_pages, PairedPages::Pad);
        assert_eq!(loss.journal.program, [Nanos::from_micros(400)]);
        // 96 pages of three bits a cell.
        assert_eq!(
            (loss.journal_rows, loss.journal_interval_units),
            (32, 4_096)
        );
        assert_eq!(
            (loss.boot, loss.replay_unit),
            (Nanos::from_millis(50), Nanos(100))
        );
        let bare = parse(
            "capacitors = { value = true",
            "capacitors = { value = false",
        );
        assert_eq!(
            bare.expect("sound").spec().power_loss.expect("on").hold_up,
            None
        );
        let off = parse("enabled = { value = true", "enabled = { value = false");
        assert_eq!(off.expect("sound").spec().power_loss, None);
    }

    #[test]
    fn what_it_does_not_go_with_is_said() {
        const COMMANDS: &str = r#"
[nand_commands]
one_shot_program_us = { value = 900.0, source = "assumed" }
"#;
        let said = parse("[power_loss]", &format!("{COMMANDS}[power_loss]"));
        let said = said.expect_err("it cannot be");
        assert!(said.contains("power_loss.enabled: "), "{said}");
        let part = "[power_loss] does not go with nand_commands.one_shot_program_us";
        assert!(said.contains(part), "{said}");
    }

    /// Capacitors also save the parity of groups that are not full, where it may be needed.
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
            year_fresh: Rber(0),
            year_worn: Rber(0),
            reads_100k: Rber(0),
            rated_cycles: 1,
            spread_percent: 0,
        };
        drive.media = Some(MediaSpec {
            main: cells.clone(),
            cache: cells,
            ecc: Ecc {
                passes: vec![Rber(1)],
                retry: Nanos::ZERO,
            },
            refresh: None,
            seed: 1,
        });
        assert!(longest_save(&drive, &loss) >= never_used + loss.journal.program[0]);
        drive.parity_data = None;
        assert_eq!(open_groups(&drive, 100), 0);
    }

    #[test]
    fn what_cannot_be_is_said_with_line_and_key() {
        for (from, to, key, part) in [
            (
                "\"pad\"",
                "\"hope\"",
                "paired_pages",
                "allowed: one-shot, pad, unprotected",
            ),
            (
                "value = 9,",
                "value = 8,",
                "journal_blocks_per_plane",
                "at least 9",
            ),
            ("value = 4,", "value = 2,", "hold_up_ms", "takes up to 3 ms"),
            (
                "value = 256,",
                "value = 0,",
                "checkpoint_pages",
                "from 1 to 65536",
            ),
            ("boot_ms", "boots_ms", "boots_ms", "unknown field"),
        ] {
            let said = parse(from, to).expect_err("it cannot be");
            assert!(said.contains(&format!("power_loss.{key}: ")), "{said}");
            assert!(said.contains(part), "{said}");
        }
    }
}
