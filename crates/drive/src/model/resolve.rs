//! From a checked model to the numbers a simulation runs on.

use stend_base::Nanos;
use stend_nand::CellTiming;

use super::schema::{Model, SlcCache};
use super::sourced::{Field, Value};
use crate::spec::*;

fn micros(us: f64) -> Nanos {
    Nanos((us * 1000.0).round() as u64)
}

fn nanos(field: &Field<u64>) -> Nanos {
    Nanos(field.get())
}

fn ps_per_byte(mb_per_s: u32) -> u64 {
    1_000_000 / u64::from(mb_per_s)
}

/// The policies by the names a model gives them.
pub(super) const POLICIES: &[(&str, Policy)] =
    &[("greedy", Policy::Greedy), ("fifo", Policy::Fifo)];

pub(super) fn units_per_slot(model: &Model) -> u32 {
    model.nand.planes.get() * model.nand.page_kib.get() / 4
}

pub(super) fn spec(model: &Model) -> Spec {
    let nand = &model.nand;
    let cache = model.slc_cache.as_ref().filter(|c| c.enabled.get());
    let parity = model.parity.as_ref().filter(|p| p.enabled.get());
    Spec {
        user_bytes: model.capacity.user_bytes.get(),
        dies: nand.dies.get(),
        channels: nand.channels.get(),
        units_per_slot: units_per_slot(model),
        bus_ps_per_byte: ps_per_byte(nand.bus_mb_per_s.get()),
        bus_overhead: nanos(&nand.bus_overhead_ns),
        main: PoolSpec {
            superblocks: nand.blocks_per_plane.get(),
            rows: nand.pages_per_block.get(),
            timing: CellTiming {
                read: nand.read_us.get().into_iter().map(micros).collect(),
                program: nand.program_us.get().into_iter().map(micros).collect(),
                erase: micros(nand.erase_us.get()),
            },
        },
        cache: cache.map(|c| cache_spec(c, nand.dies.get())),
        parity_data: parity.map(|p| p.data_pages.get()),
        host: host(model),
        controller: controller(model),
        buffer: BufferSpec {
            write_units: model.dram.write_buffer_kib.get() / 4,
            read_ahead_units: model.dram.read_ahead_kib.get() / 4,
        },
        collect: collect(model),
        idle: IdleSpec {
            enabled: model.idle.enabled.get(),
            delay: Nanos::from_millis(model.idle.delay_ms.get()),
            slice: Nanos::from_millis(model.idle.slice_ms.get()),
            duty_percent: model.idle.duty_percent.get(),
            target_superblocks: model.idle.target_superblocks.get(),
        },
        trim: TrimSpec {
            enabled: model.trim.enabled.get(),
            command: nanos(&model.trim.command_ns),
            per_1024_units: nanos(&model.trim.per_1024_units_ns),
            reaches_cache: model.trim.reaches_cache.get(),
        },
        power_loss: super::power_loss::resolve(model),
    }
}

fn cache_spec(cache: &SlcCache, dies: u32) -> CacheSpec {
    let rows = u64::from(cache.blocks_per_plane.get()) * u64::from(cache.pages_per_block.get());
    let slots = rows * u64::from(dies);
    CacheSpec {
        pool: PoolSpec {
            superblocks: cache.blocks_per_plane.get(),
            rows: cache.pages_per_block.get(),
            timing: CellTiming {
                read: vec![micros(cache.read_us.get())],
                program: vec![micros(cache.program_us.get())],
                erase: micros(cache.erase_us.get()),
            },
        },
        fold_start_slots: (slots as f64 * cache.fold_start_percent.get() / 100.0) as u64,
        fold_dies_background: cache.fold_dies_background.get(),
        fold_pause: Nanos::from_micros(cache.fold_pause_us.get()),
    }
}

fn host(model: &Model) -> HostSpec {
    let host = &model.host;
    HostSpec {
        submit: nanos(&host.submit_ns),
        complete: nanos(&host.complete_ns),
        slots: host.queue_slots.get(),
        link_ps_per_byte: ps_per_byte(host.link_mb_per_s.get()),
        frame_bytes: host.frame_bytes.get(),
        frame_overhead: nanos(&host.frame_overhead_ns),
        command_overhead: nanos(&host.command_overhead_ns),
    }
}

fn controller(model: &Model) -> ControllerSpec {
    let controller = &model.controller;
    let cores = controller.cores.get();
    let divided = controller.assignment.get() == "divided";
    let core = |wanted: u32| if divided { wanted.min(cores - 1) } else { 0 };
    ControllerSpec {
        cores,
        core_read: core(0),
        core_write: core(1),
        core_background: core(2),
        read_command: nanos(&controller.read_command_ns),
        write_command: nanos(&controller.write_command_ns),
        read_unit: nanos(&controller.read_unit_ns),
        write_unit: nanos(&controller.write_unit_ns),
        map_segments: controller.map_segments.get(),
        map_segment_units: controller.map_segment_kib.get() / 4,
        read_map_miss: nanos(&controller.read_map_miss_ns),
        write_map_miss: nanos(&controller.write_map_miss_ns),
        collect_unit: nanos(&controller.collect_unit_ns),
        fold_unit: nanos(&controller.fold_unit_ns),
    }
}

fn collect(model: &Model) -> CollectSpec {
    let collection = &model.collection;
    let name = collection.policy.get();
    let policy = POLICIES.iter().find(|(n, _)| *n == name);
    CollectSpec {
        policy: policy.expect("a checked model names a policy").1,
        start_superblocks: collection.start_superblocks.get(),
        reserve_superblocks: collection.reserve_superblocks.get(),
        cache_reserve_superblocks: collection.cache_reserve_superblocks.get(),
        depth: collection.depth.get(),
    }
}
