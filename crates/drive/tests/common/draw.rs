//! Drives drawn at random.

use stend_base::{Nanos, Rng};
use stend_drive::Spec;
use stend_drive::spec::*;
use stend_nand::CellTiming;

use super::{UNIT, cached, plain};

/// A drive drawn at random: geometry, cell bits, cache, parity, policies, buffer, idle work.
pub fn draw_spec(rng: &mut Rng) -> Spec {
    let with_cache = rng.ratio(1, 2);
    let bits = 1 + rng.below(4) as u32;
    let word_lines = 4 + rng.below(5) as u32;
    let superblocks = 24 + rng.below(30) as u32;
    let mut spec = plain(superblocks, word_lines * bits, 64);
    spec.dies = 1 + rng.below(12) as u32;
    spec.channels = 1 + rng.below(u64::from(spec.dies)) as u32;
    spec.units_per_slot = 1 << rng.below(6);
    spec.main.timing.read = vec![Nanos::from_micros(50); bits as usize];
    spec.main.timing.program = vec![Nanos::from_micros(500); bits as usize];
    spec.parity_data = rng.ratio(1, 2).then(|| 1 + rng.below(8) as u32);
    if with_cache {
        let template = cached(superblocks, 16, 64).cache.expect("it has a cache");
        spec.collect.cache_reserve_superblocks = 4;
        let pool = PoolSpec {
            superblocks: 16 + rng.below(12) as u32,
            rows: word_lines,
            ..template.pool
        };
        spec.cache = Some(CacheSpec {
            pool,
            fold_start_slots: rng.below(100),
            fold_dies_background: rng.below(3) as u32,
            fold_pause: Nanos::from_micros(rng.below(3) * 500),
        });
    }
    spec.controller.cores = 1 + rng.below(3) as u32;
    spec.controller.core_write = rng.below(u64::from(spec.controller.cores)) as u32;
    spec.controller.core_background = rng.below(u64::from(spec.controller.cores)) as u32;
    spec.buffer.write_units = spec.units_per_slot * (2 + rng.below(20) as u32);
    spec.buffer.read_ahead_units = rng.below(3) as u32 * 32;
    spec.collect.policy = if rng.ratio(1, 4) {
        Policy::Fifo
    } else {
        Policy::Greedy
    };
    let deepest = if rng.ratio(1, 4) { 1024 } else { 16 };
    spec.collect.depth = 1 + rng.below(deepest) as u32;
    spec.host.slots = 1 + rng.below(32) as u32;
    spec.idle.duty_percent = 1 + rng.below(100) as u32;
    spec.idle.target_superblocks = rng.below(30) as u32;
    spec.collect.reserve_superblocks = 3 + rng.below(2) as u32;
    spec.collect.start_superblocks = spec.collect.reserve_superblocks + 1 + rng.below(3) as u32;
    spec.idle.enabled = rng.ratio(3, 4);
    spec.trim.enabled = rng.ratio(7, 8);
    spec.trim.reaches_cache = rng.ratio(1, 2);
    spec.user_bytes = draw_capacity(rng, &spec);
    spec
}

/// From half of what fits to all that the model checker allows.
fn draw_capacity(rng: &mut Rng, spec: &Spec) -> u64 {
    let capacity = stend_drive::sim::capacity(spec).expect("a small drive");
    let kept = u64::from(spec.collect.start_superblocks) + 3;
    let most = capacity.main_units - kept * capacity.main_superblock_units;
    (most / 2 + rng.below(most / 2 + 1)).max(1) * UNIT
}

/// What a cut leaves of it, drawn after everything else.
pub fn draw_power_loss(rng: &mut Rng, spec: &mut Spec) {
    let paired_pages = [PairedPages::OneShot, PairedPages::Pad][rng.below(2) as usize];
    spec.power_loss = Some(PowerLossSpec {
        hold_up: rng.ratio(1, 4).then(|| Nanos::from_secs(60)),
        paired_pages,
        journal: CellTiming {
            read: vec![Nanos::from_micros(30)],
            program: vec![Nanos::from_micros(200)],
            erase: Nanos::from_micros(3000),
        },
        journal_rows: 4 + rng.below(8) as u32,
        journal_interval_units: 1 + rng.below(4_000) as u32,
        checkpoint_pages: 1 + rng.below(30) as u32,
        boot: Nanos::from_micros(rng.below(3_000)),
        replay_unit: Nanos(rng.below(500)),
    });
}
