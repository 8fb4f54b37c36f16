//! From a checked model to the numbers a simulation runs on.

use stend_base::Nanos;
use stend_nand::CellTiming;

use super::commands::{abilities, one_shot, planes_together};
use super::schema::Model;
use super::sourced::{Field, Value};
use crate::spec::*;

pub(super) fn micros(us: f64) -> Nanos {
    Nanos((us * 1000.0).round() as u64)
}

pub(super) fn nanos(field: &Field<u64>) -> Nanos {
    Nanos(field.get())
}

pub(super) fn ps_per_byte(mb_per_s: u32) -> u64 {
    1_000_000 / u64::from(mb_per_s)
}

pub(super) fn units_per_slot(model: &Model) -> u32 {
    planes_together(model) * model.nand.page_kib.get() / 4
}

pub(super) fn spec(model: &Model) -> Spec {
    let nand = &model.nand;
    let cache = model.slc_cache.as_ref().filter(|c| c.enabled.get());
    let parity = model.parity.as_ref().filter(|p| p.enabled.get());
    let apart = nand.planes.get() / planes_together(model);
    let slot_kib = units_per_slot(model) * 4;
    let mut spec = Spec {
        user_bytes: model.capacity.user_bytes.get(),
        dies: nand.dies.get(),
        channels: nand.channels.get(),
        units_per_slot: units_per_slot(model),
        bus_ps_per_byte: ps_per_byte(nand.bus_mb_per_s.get()),
        bus_overhead: nanos(&nand.bus_overhead_ns),
        main: PoolSpec {
            superblocks: nand.blocks_per_plane.get() * apart,
            rows: nand.pages_per_block.get(),
            timing: CellTiming {
                read: nand.read_us.get().into_iter().map(micros).collect(),
                program: nand.program_us.get().into_iter().map(micros).collect(),
                erase: micros(nand.erase_us.get()),
            },
        },
        cache: cache.map(|c| super::slc_cache::resolve(c, nand.dies.get(), apart, slot_kib)),
        abilities: abilities(model),
        one_shot: one_shot(model),
        parity_data: parity.map(|p| p.data_pages.get()),
        host: super::host::resolve(&model.host),
        controller: controller(model),
        map: super::map::resolve(model),
        buffer: BufferSpec {
            write_units: model.dram.write_buffer_kib.get() / 4,
            read_ahead_units: model.dram.read_ahead_kib.get() / 4,
            coalesces: model.dram.coalesce_writes.as_ref().is_some_and(Value::get),
            one_direction: model.dram.one_direction.as_ref().is_some_and(Value::get),
            turn: Nanos(model.dram.turn_ns.as_ref().map_or(0, Value::get)),
            protected: model.dram.protected.as_ref().is_some_and(Value::get),
        },
        collect: collect(model),
        idle: IdleSpec {
            enabled: model.idle.enabled.get(),
            delay: Nanos::from_millis(model.idle.delay_ms.get()),
            slice: Nanos::from_millis(model.idle.slice_ms.get()),
            duty_percent: model.idle.duty_percent.get(),
            target_superblocks: model.idle.target_superblocks.get(),
        },
        trim: super::trim::resolve(&model.trim, &model.host),
        media: super::media::resolve(model),
        streams: super::streams::resolve(model),
        wear: super::wear_levelling::resolve(model),
        energy: super::energy::spec(model),
        idle_states: super::energy::idle_states(model),
        thermal: super::thermal::spec(model),
        health: super::health::spec(model),
        blocks: super::blocks::resolve(model),
        power_loss: super::power_loss::resolve(model),
    };
    if let Some(cache) = cache {
        super::slc_cache::starts_by_free(cache, slot_kib, &mut spec);
    }
    spec
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
    CollectSpec {
        policy: super::policy::resolve(collection),
        start_superblocks: collection.start_superblocks.get(),
        reserve_superblocks: collection.reserve_superblocks.get(),
        cache_reserve_superblocks: collection.cache_reserve_superblocks.get(),
        depth: collection.depth.get(),
    }
}
