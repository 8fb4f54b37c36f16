//! The drive's report on its health.

use stend_base::Nanos;
use stend_model::health::{Cycles, Health};
use stend_model::spec::PAGE_BYTES;

use super::SimDrive;
use crate::sim::Counters;
use crate::sim::geometry::layout::Pool;

impl SimDrive {
    /// The drive's health.
    pub fn health(&self) -> Health {
        let counters = self.counters();
        let bits = u64::from(self.env.spec.data.timing.pages_per_word_line());
        let mp_pages_per_program =
            u64::from(self.env.spec.program_pages() / self.env.spec.pages_per_mp_page);
        let mp_pages = counters.slc_programs
            + counters.native_programs * mp_pages_per_program
            + counters.folds * bits;
        let spec = self.env.spec.health.as_ref();
        let spares = spec.map_or(0, |spec| spec.spare_superblocks);
        let blocks = self.store.ftl.media.block_health();
        let cycles = [Pool::SlcCache, Pool::Data].map(|pool| cycles_of(self, pool));
        let used = |pool: Pool| {
            let rated = spec?.rated_cycles[pool as usize];
            Some((cycles[pool as usize]?.mean * 100.0 / f64::from(rated)) as u64)
        };
        let health = Health {
            host_read_bytes: counters.host_bytes_read,
            host_written_bytes: counters.host_bytes_written,
            host_reads: counters.host_reads,
            host_writes: counters.host_writes,
            nand_written_bytes: mp_pages * u64::from(self.env.spec.pages_per_mp_page) * PAGE_BYTES,
            cycles: cycles[Pool::Data as usize].unwrap_or_default(),
            slc_cycles: cycles[Pool::SlcCache as usize],
            used_percent: used(Pool::SlcCache).max(used(Pool::Data)),
            retired_superblocks: self.store.ftl.superblocks.retired(),
            blocks,
            spare_percent: {
                // Spares of the die that has the fewest.
                let of_blocks = blocks.map_or([0; 2], |b| [b.spares_least, b.spares_least_new]);
                let left = self.store.ftl.superblocks.spares() + of_blocks[0];
                match spares + of_blocks[1] {
                    0 => 100 * u64::from(!self.store.ftl.space.is_read_only()),
                    spares => u64::from(left) * 100 / u64::from(spares),
                }
            },
            spare_threshold_percent: spec.map_or(0, |spec| u64::from(spec.spare_threshold_percent)),
            read_only: self.store.ftl.space.is_read_only(),
            power_on: Nanos(self.env.now().0 - self.store.off_ns(self.env.now())),
            core_busy: Nanos(counters.core_busy_ns),
            power_cycles: 1 + counters.power_ups,
            unsafe_shutdowns: counters.unsafe_shutdowns,
            media_errors: counters.lost_pages,
            uncorrectable_sectors: counters.uncorrectable_sectors,
            uber: uber(self, &counters),
            temperature: self.inspect().temperature(),
        };
        self.repeated.added_to(health)
    }
}

fn uber(drive: &SimDrive, counters: &Counters) -> Option<f64> {
    let bits = counters.host_bytes_read * 8;
    let known = drive.store.ftl.media.has_errors() && bits > 0;
    known.then(|| counters.uncorrectable_sectors as f64 / bits as f64)
}

/// Erase cycles of a pool; `None` where it has no superblock.
fn cycles_of(drive: &SimDrive, pool: Pool) -> Option<Cycles> {
    let area = drive.env.layout.pool(pool);
    let first = area.first_superblock.index();
    let counts = &drive.inspect().erase_counts()[first..first + area.superblocks as usize];
    let sum: u64 = counts.iter().map(|&n| u64::from(n)).sum();
    Some(Cycles {
        min: *counts.iter().min()?,
        mean: sum as f64 / counts.len() as f64,
        max: *counts.iter().max()?,
    })
}
