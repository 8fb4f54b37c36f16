//! Checks of a model across its tables.

mod power_loss;

use crate::schema::Model;
use crate::schema::key::Problems;
use crate::schema::spec::{Emptying, HealthSpec, PAGE_BYTES, Spec};
use crate::schema::tables::{controller, gc, host, media, nand, power, slc_cache, trim};

/// Adds the errors of a model all of whose keys could be read. `problems` contains the errors of
/// single keys; sizes are checked only if there is no error yet.
pub(crate) fn model(problems: &mut Problems, model: &Model) {
    nand::check(problems, model);
    media::check(problems, model);
    slc_cache::check(problems, model);
    host::check(problems, model);
    controller::check(problems, model);
    gc::check(problems, model);
    trim::check(problems, model);
    power::check(problems, model);
    if !problems.0.is_empty() {
        return;
    }
    let spec = model.spec();
    if !check_capacity(problems, model, &spec) {
        return;
    }
    check_dram(problems, model);
    check_streams(problems, model, &spec);
    let programs = spec.buffer_programs_min();
    if spec.buffer.write_pages < programs * spec.program_pages() {
        let message = format!("it must hold at least {programs} programs of a die");
        problems.report(&model.dram.write_buffer_kib, message);
    }
    check_slc_cache(problems, model, &spec);
    check_blocks(problems, model, &spec);
    power_loss::check(problems, model, &spec);
}

/// Checks that the user's data fits. Returns false if other sizes cannot be checked.
fn check_capacity(problems: &mut Problems, model: &Model, spec: &Spec) -> bool {
    let Some(layout) = crate::geometry::layout::capacity(spec) else {
        let message = "dies × planes × blocks × pages are more logical pages of 4 KiB than the \
                       mapping's 32 bits can number";
        problems.report(&model.nand.blocks_per_plane, message);
        return false;
    };
    let user = &model.capacity.user_bytes;
    if !user.value.is_multiple_of(PAGE_BYTES) || user.value == 0 {
        let message = format!("{} is not a positive multiple of 4096", user.value);
        problems.report(user, message);
        return false;
    }
    let most_pages = crate::geometry::layout::user_pages_max(spec).unwrap_or_default();
    let most = most_pages * PAGE_BYTES;
    let kept = (layout.data_pages - most_pages).div_ceil(layout.data_superblock_pages);
    if user.value > most {
        let message = format!(
            "{} does not fit: {} dies × {} planes × {} blocks × {} pages × {} KiB hold {} bytes of \
             data, of which garbage collection, open superblocks and spare keep {kept} \
             superblocks; at most {most} are left",
            user.value,
            spec.dies,
            model.nand.planes.value,
            spec.data.superblocks,
            spec.data.rows,
            model.nand.page_kib.value,
            layout.data_pages * PAGE_BYTES,
        );
        problems.report(user, message);
    }
    true
}

/// Checks that the buffer serves all streams.
fn check_streams(problems: &mut Problems, model: &Model, spec: &Spec) {
    let Some(streams) = gc::enabled(model) else {
        return;
    };
    let host = streams.host_streams.value;
    let pages = (host + 1) * spec.program_pages();
    if spec.buffer.write_pages < pages {
        let message = format!(
            "{host} is not allowed; each stream holds a multi-plane page that waits to be full, so \
             dram.write_buffer_kib must be at least {} KiB for that many, or they fewer",
            pages * 4
        );
        problems.report(&streams.host_streams, message);
    }
}

/// Checks that the SLC cache has enough superblocks for those that are open and folded at once.
fn check_slc_cache(problems: &mut Problems, model: &Model, spec: &Spec) {
    let (Some(cache), Some(table)) = (&spec.cache, &model.slc_cache) else {
        return;
    };
    let bits = spec.data.timing.pages_per_word_line();
    // What is folded together, what is filled, and what comes next.
    let dynamic_need = match cache.emptying {
        Emptying::OnChip => bits + 2,
        Emptying::Controller => 2,
    };
    let static_need = match (cache.emptying, cache.pool.superblocks) {
        (_, 0) if cache.dynamic_superblocks > 0 => 0,
        // Five half folded or open, two open, up to four to fold together, one spare.
        (Emptying::OnChip, _) => spec.gc.slc_reserve_superblocks + 12,
        (Emptying::Controller, _) => 4,
    };
    let message = |have: u32, need: u32| {
        format!("{have} is not allowed; what is written and folded at once needs at least {need}")
    };
    if let Some(dynamic) = &table.dynamic_blocks_per_plane
        && cache.dynamic_superblocks < dynamic_need
    {
        problems.report(dynamic, message(dynamic.value, dynamic_need));
    }
    if cache.pool.superblocks < static_need {
        let message = message(cache.pool.superblocks, static_need);
        problems.report(&table.blocks_per_plane, message);
    }
}

/// Checks that blocks and superblocks do not both end, and that every die has a good block for each
/// superblock.
fn check_blocks(problems: &mut Problems, model: &Model, spec: &Spec) {
    let (Some(blocks), Some(_)) = (&model.blocks, &spec.blocks) else {
        return;
    };
    let ends = |health: &HealthSpec| health.end_of_life_cycles != [u32::MAX; 2];
    if spec.health.as_ref().is_some_and(ends) {
        let message = "[blocks] does not go with health.end_of_life_cycles and \
                       health.slc_end_of_life_cycles, by which superblocks end as a whole: leave \
                       these out, and name blocks.life_cycles";
        problems.report(&blocks.enabled, message);
    }
    if let Some(short) = crate::geometry::factory_bad::short_die(spec) {
        let message = format!(
            "{} is not allowed; {} blocks of die {} are bad from the factory, and its superblocks \
             need all others and more",
            blocks.spare_blocks_per_die.value, short.factory_bad, short.die
        );
        problems.report(&blocks.spare_blocks_per_die, message);
    }
}

/// Checks that the DRAM can hold all that the model stores in it.
fn check_dram(problems: &mut Problems, model: &Model) {
    let dram = &model.dram;
    let all_kib = model.capacity.user_bytes.value / PAGE_BYTES * 4 / 1024;
    let controller = &model.controller;
    let segment_kib = u64::from(controller.l2p_segment_kib.value) / 1024;
    let cached_kib = u64::from(controller.l2p_segments.value) * segment_kib;
    let l2p_kib = match &model.l2p_cache {
        Some(_) => cached_kib.min(all_kib),
        None => all_kib,
    };
    let buffers_kib = dram.write_buffer_kib.value + dram.read_ahead_kib.value;
    let heat_kib = gc::heat_kib(model);
    let need_mib = (l2p_kib + u64::from(buffers_kib) + heat_kib).div_ceil(1024);
    if u64::from(dram.size_mib.value) < need_mib {
        let heat = if heat_kib > 0 {
            ", and the counters of heat"
        } else {
            ""
        };
        let message = format!(
            "{} MiB cannot hold {need_mib} MiB: the mapping table of {} MiB (4 bytes for each \
             4 KiB), the write buffer and the read-ahead{heat}",
            dram.size_mib.value,
            l2p_kib.div_ceil(1024),
        );
        problems.report(&dram.size_mib, message);
    }
}
