//! From a checked model to the figures that a simulation runs on: the declarations of the tables,
//! put together.

use crate::nand::{Abilities, CellTiming, Suspend};

use super::Model;
use super::convert::{given, micros, nanos, of_micros, ps_per_byte};
use super::spec::{PoolSpec, Spec};
use super::tables::gc;
use super::tables::nand::{NandCommands, mp_page_kib, superblocks};
use super::tables::slc_cache::SlcCache;

impl Model {
    /// The figures that a simulation runs on.
    pub fn spec(&self) -> Spec {
        spec(self)
    }
}

fn spec(model: &Model) -> Spec {
    let nand = &model.nand;
    let commands = model.nand_commands.as_ref();
    let cache = model.slc_cache.as_ref().filter(|c| c.enabled.value);
    let parity = model.parity.as_ref().filter(|p| p.enabled.value);
    let wear = model.wear_levelling.as_ref().filter(|w| w.enabled.value);
    let blocks = model.blocks.as_ref().filter(|b| b.enabled.value);
    let power_loss = model.power_loss.as_ref().filter(|p| p.enabled.value);
    let mut spec = Spec {
        user_bytes: model.capacity.user_bytes.value,
        dies: nand.dies.value,
        channels: nand.channels.value,
        pages_per_mp_page: mp_page_kib(model) / 4,
        pages_per_flash_page: nand.page_kib.value / 4,
        bus_ps_per_byte: ps_per_byte(nand.bus_mb_per_s.value),
        bus_overhead: nanos(&nand.bus_overhead_ns),
        data: PoolSpec {
            superblocks: superblocks(model, nand.blocks_per_plane.value),
            rows: nand.pages_per_block.value,
            timing: CellTiming {
                read: nand.read_us.value.iter().copied().map(of_micros).collect(),
                program: nand
                    .program_us
                    .value
                    .iter()
                    .copied()
                    .map(of_micros)
                    .collect(),
                erase: micros(&nand.erase_us),
            },
        },
        cache: cache.map(|c| c.spec(model)),
        abilities: commands.map(abilities).unwrap_or_default(),
        scheduling: model
            .scheduling
            .as_ref()
            .map_or(crate::nand::Scheduling::Strict, |s| s.spec()),
        variation: model.variation.as_ref().map(|v| v.spec(model)),
        one_shot: commands.and_then(|c| given(&c.one_shot_program_us).map(of_micros)),
        parity_data: parity.map(|p| p.data_pages.value),
        host: model.host.spec(model),
        controller: model.controller.spec(model),
        l2p_cache: model.l2p_cache.as_ref().map(|l| l.spec(model)),
        buffer: model.dram.spec(model),
        gc: model.gc.spec(model),
        idle: model.idle.spec(model),
        trim: model.trim.spec(model),
        media: model.media.as_ref().map(|m| m.spec(model)),
        streams: gc::enabled(model).map(|s| s.spec(model)),
        wear: wear.map(|w| w.spec(model)),
        energy: model.energy.as_ref().map(|e| e.spec(model)),
        idle_states: model.idle_states.iter().map(|s| s.spec(model)).collect(),
        thermal: model.thermal.as_ref().map(|t| t.spec(model)),
        health: model.health.as_ref().map(|h| h.spec(model)),
        blocks: blocks.map(|b| b.spec(model)),
        power_loss: power_loss.map(|p| p.spec(model)),
    };
    if let Some(cache) = cache {
        starts_by_free(cache, mp_page_kib(model), &mut spec);
    }
    spec
}

fn abilities(commands: &NandCommands) -> Abilities {
    let program = given(&commands.program_suspend_us).map(of_micros);
    let erase = given(&commands.erase_suspend_us).map(of_micros);
    Abilities {
        cache_read: commands.cache_read.value,
        cache_program: commands.cache_program.value,
        suspend: (program.is_some() || erase.is_some()).then(|| Suspend {
            program,
            erase,
            resume: micros(&commands.resume_us),
            reads_max: commands.suspend_reads_max.value,
        }),
    }
}

/// Sets the start of folding by the space free for the host, beside the drive's own reserve.
fn starts_by_free(cache: &SlcCache, mp_page_kib: u32, spec: &mut Spec) {
    let Some(free_mib) = given(&cache.fold_start_free_mib) else {
        return;
    };
    let kept = spec.cache_superblocks_kept();
    let dies = spec.dies;
    if let Some(cache) = &mut spec.cache {
        let mp_pages = |superblocks: u32| {
            u64::from(superblocks) * u64::from(cache.pool.rows) * u64::from(dies)
        };
        let free = u64::from(free_mib) * 1024 / u64::from(mp_page_kib);
        cache.fold_start_mp_pages =
            mp_pages(cache.pool.superblocks).saturating_sub(mp_pages(kept) + free);
    }
}
