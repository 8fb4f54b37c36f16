//! Wear to the end: superblocks are retired, spare ones take their place, and when there
//! are none left the drive takes no more writes. And what it tells of its health.

use stend_base::{Nanos, Op, Status};

use crate::health::{Cycles, Health};
use crate::sim::map::layout::Pool;
use crate::sim::{Counters, SimDrive};
use crate::spec::UNIT_BYTES;

impl SimDrive {
    /// Whether the drive has taken its last write: its flash is worn out, and no spare
    /// superblock is left.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// A superblock was to be retired and nothing can take its place. What was admitted
    /// is still written; what waits is refused, and the drive's own work stops.
    #[cold]
    pub(in crate::sim) fn wears_out(&mut self) {
        if std::mem::replace(&mut self.read_only, true) {
            return;
        }
        while let Some(command) = self.writer.next_waiting() {
            let entry = self.commands.get_mut(command);
            entry.status = Status::WriteProtected;
            if entry.op == Op::Trim {
                self.command_done(command);
                continue;
            }
            // Only what was admitted is still awaited.
            self.keep_stream(command);
            let entry = self.commands.get_mut(command);
            entry.len_bytes -= entry.to_admit;
            entry.bytes_left -= entry.to_admit;
            entry.to_admit = 0;
            let nothing_comes = entry.bytes_left == 0;
            self.write_given_up(command);
            if nothing_comes {
                self.command_done(command);
            }
        }
    }

    /// Refuses a command.
    #[cold]
    pub(in crate::sim) fn refuse(&mut self, command: u32) {
        self.commands.get_mut(command).status = Status::WriteProtected;
        self.command_done(command);
    }

    /// What the drive tells of its health.
    pub fn health(&self) -> Health {
        let counters = self.counters();
        let bits = u64::from(self.env.spec.main.timing.pages_per_word_line());
        let together = u64::from(self.env.spec.program_units() / self.env.spec.units_per_slot);
        let slots =
            counters.slc_programs + counters.native_programs * together + counters.folds * bits;
        let spec = self.env.spec.health.as_ref();
        let spares = spec.map_or(0, |spec| spec.spare_superblocks);
        let blocks = self.blocks.as_ref().map(|blocks| blocks.health());
        let cycles = [Pool::Cache, Pool::Main].map(|pool| self.cycles(pool));
        let used = |pool: Pool| {
            let rated = spec?.rated_cycles[pool as usize];
            Some((cycles[pool as usize]?.mean * 100.0 / f64::from(rated)) as u64)
        };
        Health {
            host_read_bytes: counters.host_bytes_read,
            host_written_bytes: counters.host_bytes_written,
            host_reads: counters.host_reads,
            host_writes: counters.host_writes,
            nand_written_bytes: slots * u64::from(self.env.spec.units_per_slot) * UNIT_BYTES,
            cycles: cycles[Pool::Main as usize].unwrap_or_default(),
            slc_cycles: cycles[Pool::Cache as usize],
            used_percent: used(Pool::Cache).max(used(Pool::Main)),
            retired_superblocks: self.superblocks.retired(),
            blocks,
            spare_percent: {
                // What may still fail where the fewest spare blocks are.
                let of_blocks = blocks.map_or([0; 2], |b| [b.spares_least, b.spares_least_new]);
                let left = self.superblocks.spares() + of_blocks[0];
                match spares + of_blocks[1] {
                    0 => 100 * u64::from(!self.read_only),
                    spares => u64::from(left) * 100 / u64::from(spares),
                }
            },
            spare_threshold_percent: spec.map_or(0, |spec| u64::from(spec.spare_threshold_percent)),
            read_only: self.read_only,
            power_on: Nanos(self.now().0 - self.off_ns()),
            core_busy: Nanos(counters.core_busy_ns),
            power_cycles: 1 + counters.power_ups,
            unsafe_shutdowns: counters.unsafe_shutdowns,
            media_errors: counters.lost_pages,
            uncorrectable_sectors: counters.uncorrectable_sectors,
            uber: self.uber(&counters),
            temperature: self.temperature(),
        }
    }

    fn uber(&self, counters: &Counters) -> Option<f64> {
        let bits = counters.host_bytes_read * 8;
        let known = self.media.is_some() && bits > 0;
        known.then(|| counters.uncorrectable_sectors as f64 / bits as f64)
    }

    /// Erase cycles of a pool; `None` where it has no superblock.
    fn cycles(&self, pool: Pool) -> Option<Cycles> {
        let area = self.env.layout.pool(pool);
        let first = area.first_superblock as usize;
        let counts = &self.erase_counts()[first..first + area.superblocks as usize];
        let sum: u64 = counts.iter().map(|&n| u64::from(n)).sum();
        Some(Cycles {
            min: *counts.iter().min()?,
            mean: sum as f64 / counts.len() as f64,
            max: *counts.iter().max()?,
        })
    }
}
