//! Checks of `[power_loss]` that need all figures of the drive.

use crate::nand::CellTiming;
use stend_base::Nanos;

use crate::schema::Model;
use crate::schema::key::Problems;
use crate::schema::spec::{PAGE_BYTES, PowerLossSpec, Spec, power_loss_excludes};

/// Checks that the journal's blocks have room, and that the capacitors hold long enough.
pub(super) fn check(problems: &mut Problems, model: &Model, drive: &Spec) {
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
    use super::*;
    use crate::nand::reliability::{Ecc, ErrorModel, Rber, Retention};
    use crate::schema::spec::MediaSpec;
    use crate::schema::tables::power_loss::tests::TABLE;
    use crate::testing::parse_with;

    /// Capacitors also save the parity of stripes that are not full, where it may be needed.
    #[test]
    fn parity_in_use_takes_longer_to_save() {
        let sound = parse_with(TABLE).expect("sound").spec();
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
}
