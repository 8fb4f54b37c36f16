//! From a checked model to the figures that a simulation runs on: the declarations of the tables,
//! put together.

use crate::nand::{Abilities, CellTiming, Suspend};

use super::Model;
use super::convert::{given, list_of_micros, micros, nanos, of_micros, ps_per_byte};
use super::spec::{PoolSpec, Spec};
use super::tables::gc;
use super::tables::nand::{NandCommands, mp_page_kib, superblocks};
use super::tables::slc_cache::SlcCache;

impl Model {
    /// The figures that a simulation runs on.
    pub fn spec(&self) -> Spec {
        let nand = &self.nand;
        let commands = self.nand_commands.as_ref();
        let cache = self.slc_cache.as_ref().filter(|c| c.enabled.value);
        let parity = self.parity.as_ref().filter(|p| p.enabled.value);
        let wear = self.wear_levelling.as_ref().filter(|w| w.enabled.value);
        let blocks = self.blocks.as_ref().filter(|b| b.enabled.value);
        let power_loss = self.power_loss.as_ref().filter(|p| p.enabled.value);
        let mut spec = Spec {
            user_bytes: self.capacity.user_bytes.value,
            dies: nand.dies.value,
            channels: nand.channels.value,
            pages_per_mp_page: mp_page_kib(self) / 4,
            pages_per_flash_page: nand.page_kib.value / 4,
            bus_ps_per_byte: ps_per_byte(nand.bus_mb_per_s.value),
            bus_overhead: nanos(&nand.bus_overhead_ns),
            data: PoolSpec {
                superblocks: superblocks(self, nand.blocks_per_plane.value),
                rows: nand.pages_per_block.value,
                timing: CellTiming {
                    read: list_of_micros(&nand.read_us),
                    program: list_of_micros(&nand.program_us),
                    erase: micros(&nand.erase_us),
                },
            },
            cache: cache.map(|c| c.spec(self)),
            abilities: commands.map(abilities).unwrap_or_default(),
            scheduling: self
                .scheduling
                .as_ref()
                .map_or(crate::nand::Scheduling::Strict, |s| s.spec()),
            variation: self.variation.as_ref().map(|v| v.spec(self)),
            one_shot: commands.and_then(|c| given(&c.one_shot_program_us).map(of_micros)),
            parity_data: parity.map(|p| p.data_pages.value),
            host: self.host.spec(self),
            controller: self.controller.spec(self),
            l2p_cache: self.l2p_cache.as_ref().map(|l| l.spec(self)),
            buffer: self.dram.spec(self),
            gc: self.gc.spec(self),
            idle: self.idle.spec(self),
            trim: self.trim.spec(self),
            media: self.media.as_ref().map(|m| m.spec(self)),
            streams: gc::enabled(self).map(|s| s.spec(self)),
            wear: wear.map(|w| w.spec(self)),
            energy: self.energy.as_ref().map(|e| e.spec(self)),
            idle_states: self.idle_states.iter().map(|s| s.spec(self)).collect(),
            thermal: self.thermal.as_ref().map(|t| t.spec(self)),
            health: self.health.as_ref().map(|h| h.spec(self)),
            blocks: blocks.map(|b| b.spec(self)),
            power_loss: power_loss.map(|p| p.spec(self)),
        };
        if let Some(cache) = cache {
            starts_by_free(cache, mp_page_kib(self), &mut spec);
        }
        spec
    }
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
