//! Reports of the drive: its health, its free space and, for tests, its contents.

use stend_base::Nanos;
use stend_model::health::{Cycles, Health};
use stend_model::spec::PAGE_BYTES;

use super::SimDrive;
use crate::sim::Counters;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{IdRange, SuperblockId};
use crate::sim::media::wear;
use crate::sim::repeat::RoundStart;

impl SimDrive {
    /// True if the drive accepts no more writes: its flash is worn out, and no spare superblock is
    /// left.
    pub fn is_read_only(&self) -> bool {
        self.store.ftl.space.is_read_only()
    }

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
        let blocks = self.store.media.block_health();
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
            power_on: Nanos(self.env.now().0 - self.off_ns()),
            core_busy: Nanos(counters.core_busy_ns),
            power_cycles: 1 + counters.power_ups,
            unsafe_shutdowns: counters.unsafe_shutdowns,
            media_errors: counters.lost_pages,
            uncorrectable_sectors: counters.uncorrectable_sectors,
            uber: uber(self, &counters),
            temperature: self.temperature(),
        };
        self.repeated.added_to(health)
    }

    /// State at the beginning of a round, for [`SimDrive::repeat_round`] at its end.
    pub fn round_start(&self) -> RoundStart {
        RoundStart::new(self.health(), self.counters(), self.erase_counts())
    }

    /// Treats the round that began at `start` and has just ended as repeated up to `most` times,
    /// without simulating it: no virtual time passes. Returns the number of repetitions, which
    /// stops before something new would happen; 0 if the round was not like any other.
    ///
    /// # Panics
    /// While the host awaits a request.
    pub fn repeat_round(&mut self, start: &RoundStart, most: u32) -> u32 {
        assert!(self.host.is_silent(), "the host awaits a request");
        let end = self.round_start();
        let parts = (&mut self.env, &mut self.store);
        let rounds = self.repeated.repeat(parts, start, &end, most);
        self.env.trace(u8::MAX, rounds);
        rounds
    }

    /// Bytes that can be written to flash before data has to be moved: until then each superblock
    /// that is filled costs what the one before did, at most an erase. `None` if something else may
    /// begin before: a cache that fills, a table of which more lies on flash, heat, streams that
    /// follow the written data, blocks that have begun to fail, TRIM under way. Wear levelling
    /// moves nothing before GC does, and nothing is read. A checkpoint ends it too, as long as no
    /// one requests more of the journal than is written anyway; and a superblock whose erase has to
    /// wait for the journal does not count.
    pub(super) fn bytes_until_gc(&self) -> Option<u64> {
        let spec = &self.env.spec;
        let may_change = spec.cache.is_some()
            || spec.l2p_cache.is_some()
            || spec.may_throttle()
            || spec.streams.is_some()
            || wear::spares_and_grown_bad(&self.store.media).is_some_and(|(_, bad)| bad > 0)
            || self.trim.is_busy();
        if may_change {
            return None;
        }
        let persistence = self.store.persistence.as_ref();
        let checkpoint = persistence.map_or(u64::MAX, |p| p.bytes_until_checkpoint());
        let ftl = &self.store.ftl;
        let empty = |&s: &SuperblockId| {
            ftl.superblocks.is_closed(s)
                && ftl.l2p.occupied_in(s) == 0
                && persistence.is_none_or(|p| !p.needs(s))
        };
        let all = self.env.layout.superblocks_of(Pool::Data).each();
        let empty = all.filter(empty).count() as u32;
        let empty = self.env.layout.mp_pages_of(Pool::Data, empty);
        let mp_pages = self.store.ftl.space.free(Pool::Data) + empty - self.env.limits.gc_start;
        let mp_pages = u64::try_from(mp_pages).unwrap_or(0);
        let data = u64::from(spec.parity_data.unwrap_or(1));
        let with_parity = data + u64::from(spec.parity_data.is_some());
        let pages = mp_pages * data / with_parity * u64::from(spec.pages_per_mp_page);
        Some(checkpoint.min(pages * PAGE_BYTES))
    }

    /// Free pages of 4 KiB, for tests and observers, of the pool that new data enters first: the
    /// SLC cache's own superblocks or, without any, the data area. Spare space of the data area
    /// counts, so the result can exceed the capacity.
    pub fn free_entry_pages(&self) -> u64 {
        let pool = match self.env.layout.pool(Pool::SlcCache).superblocks {
            0 => Pool::Data,
            _ => Pool::SlcCache,
        };
        let free = self.store.ftl.space.free(pool).max(0) as u64;
        free << self.env.layout.page_bits
    }

    /// Erased superblocks of the data area.
    pub fn erased_data_superblocks(&self) -> usize {
        self.store.ftl.superblocks.erased(Pool::Data)
    }

    /// One line for debugging a drive that makes no progress.
    pub fn diagnosis(&self) -> String {
        let store = &self.store;
        format!(
            "{}; {}; erased cache {} data area {}, of the cache closed {}, outstanding {}, \
             {} writes wait, {:?}, {:?}; {}",
            store.ftl.diagnosis(),
            store.buffer.diagnosis(),
            store.ftl.superblocks.erased(Pool::SlcCache),
            store.ftl.superblocks.erased(Pool::Data),
            store.ftl.superblocks.closed_cache().len(),
            self.host.outstanding(),
            self.admission.waiting(),
            self.gc,
            (&self.folder, &store.ftl.fold, &self.trim),
            store
                .persistence
                .as_ref()
                .map_or_else(String::new, |p| p.diagnosis())
        )
    }
}

fn uber(drive: &SimDrive, counters: &Counters) -> Option<f64> {
    let bits = counters.host_bytes_read * 8;
    let known = drive.store.media.has_errors() && bits > 0;
    known.then(|| counters.uncorrectable_sectors as f64 / bits as f64)
}

/// Erase cycles of a pool; `None` where it has no superblock.
fn cycles_of(drive: &SimDrive, pool: Pool) -> Option<Cycles> {
    let area = drive.env.layout.pool(pool);
    let first = area.first_superblock.index();
    let counts = &drive.erase_counts()[first..first + area.superblocks as usize];
    let sum: u64 = counts.iter().map(|&n| u64::from(n)).sum();
    Some(Cycles {
        min: *counts.iter().min()?,
        mean: sum as f64 / counts.len() as f64,
        max: *counts.iter().max()?,
    })
}
