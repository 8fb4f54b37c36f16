//! Erasing the whole drive, as ATA's SECURITY ERASE UNIT and NVMe's Format and Sanitize do.

use stend_base::{Device, Nanos, SimTime};

use crate::sim::data::read::ReadAhead;
use crate::sim::data::write::Writer;
use crate::sim::host::trim::Trimmer;
use crate::sim::map::layout::Pool;
use crate::sim::space::collect::Collector;
use crate::sim::space::fold::Folder;
use crate::sim::{SimDrive, kind};

impl SimDrive {
    /// Erases every superblock that is not erased, on all dies at once; what it takes of
    /// time. Nothing is left in flash. Work of the drive's own that is under way ends first.
    ///
    /// # Panics
    /// While the host awaits a request.
    pub fn secure_erase(&mut self) -> Nanos {
        let begin = self.now();
        self.begin_service();
        self.idle_halts();
        self.run_while_busy();
        // Nothing is under way: whatever was being filled, emptied or awaited is forgotten.
        self.writer = Writer::new(
            &self.env.spec,
            &self.env.layout,
            self.mapping.logical_units(),
        );
        self.collector = Collector::new(&self.env.spec);
        self.env.queue.cancel(kind::FOLD_PAUSE, 0);
        self.folder = Folder::default();
        if self.env.spec.trim.erase_pause.is_some() {
            self.env.queue.cancel(kind::TRIM_PAUSE, 0);
        }
        let work = self.env.spec.trim.work.as_ref();
        if work.is_some_and(|work| work.pause.is_some()) {
            self.env.queue.cancel(kind::TRIM_PIECE_PAUSE, 0);
        }
        self.trimmer = Trimmer::new();
        self.read_ahead = ReadAhead::new();
        self.mapping.forget();
        if let Some(durability) = &mut self.durability {
            durability.forget_all(&self.mapping);
        }
        for pool in [Pool::Cache, Pool::Main] {
            let usable = self.usable_superblocks(pool);
            self.free_slots[pool as usize] = self.slots(pool, usable);
        }
        self.dynamic_taken = 0;
        for superblock in self.superblocks.leave_all() {
            self.erase(superblock);
        }
        self.run_while_busy();
        self.host_fell_silent();
        self.now().since(begin)
    }

    /// Throws the key away: no unit can be read any more, as after TRIM of the whole drive,
    /// for the time of one TRIM command. The flash is erased when it is collected or
    /// folded.
    ///
    /// # Panics
    /// While the host awaits a request.
    pub fn crypto_erase(&mut self) -> Nanos {
        let begin = self.now();
        self.begin_service();
        let end = self.now() + self.env.spec.trim.command;
        self.run_until(end);
        self.read_ahead_forget(0, self.mapping.logical_units());
        self.mapping.forget();
        self.log_trim(0, self.mapping.logical_units());
        self.pump_all();
        if self.durability.is_some() {
            self.make_durable();
        }
        self.host_fell_silent();
        self.now().since(begin)
    }

    fn begin_service(&mut self) {
        assert!(
            self.host_is_silent(),
            "the host awaits a request while the drive is to be erased"
        );
        self.heat_resumes();
        let awake = self.wake();
        let nothing = self.advance(awake);
        debug_assert!(nothing.is_none());
        self.woke();
    }

    fn run_while_busy(&mut self) {
        while self.is_busy() && self.env.queue.next_at() < SimTime::NEVER {
            let nothing = self.step();
            debug_assert!(nothing.is_none());
        }
    }

    /// Superblocks of a pool without those that are retired or spare.
    fn usable_superblocks(&self, pool: Pool) -> u32 {
        let spare = match (pool, &self.env.spec.health) {
            (Pool::Main, Some(health)) => health.spare_superblocks,
            _ => 0,
        };
        self.env.layout.pool(pool).superblocks - spare - self.superblocks.lost(pool)
    }
}
