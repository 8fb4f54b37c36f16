//! Operations of a service tool: switching the write cache on or off; erasing the whole drive, as
//! ATA's SECURITY ERASE UNIT and NVMe's Format and Sanitize do; and over-provisioning by the user:
//! a drive limited to less than its native capacity has more room for GC (SET MAX ADDRESS,
//! ATA/ATAPI-6 and later, Host Protected Area).

use stend_base::{Device, Nanos, SimTime};
use stend_model::spec::PAGE_BYTES;

use super::SimDrive;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::Lpn;
use crate::sim::kind;
use crate::sim::store::Store;

/// Reason why the capacity was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UserBytesError {
    /// A capacity that this drive cannot have.
    #[error(
        "{bytes} bytes are not allowed; it must be a multiple of 4096 from 4096 to {most}, which \
         is the drive's own capacity"
    )]
    OutOfRange {
        /// The requested capacity.
        bytes: u64,
        /// Capacity of the drive when it was created.
        most: u64,
    },
    /// Commands are under way.
    #[error("{commands} commands have not completed; wait for them first")]
    Busy {
        /// Number of commands.
        commands: u32,
    },
    /// The drive holds data, some of which might lie beyond the new end.
    #[error("the drive holds {pages} pages of 4 KiB; TRIM the whole drive first")]
    HoldsData {
        /// Mapped pages.
        pages: u64,
    },
}

impl SimDrive {
    /// Erases every superblock that is not erased, on all dies at once. Returns the duration.
    /// Nothing is left in flash. Work of the drive that is under way ends first.
    ///
    /// # Panics
    /// While the host awaits a request.
    pub fn secure_erase(&mut self) -> Nanos {
        let begin = self.env.now();
        self.begin_service();
        self.idle_halts();
        self.run_while_busy();
        // Nothing is under way: drop all that was being filled, emptied or awaited.
        let Store {
            buffer,
            ftl,
            persistence,
            ..
        } = &mut self.store;
        buffer.clear();
        ftl.forget_writes(&self.env.spec, &self.env.layout);
        ftl.fold.power_cut();
        if let Some(persistence) = persistence {
            persistence.forget_all(&ftl.l2p);
        }
        ftl.l2p.forget();
        if let Some(persistence) = persistence {
            persistence.forget_the_rest(&ftl.l2p);
        }
        self.admission.clear();
        self.gc.power_cut(&self.env.spec);
        self.env.queue.cancel(kind::FOLD_PAUSE, 0);
        self.folder.power_cut();
        if self.env.spec.trim.erase_pause.is_some() {
            self.env.queue.cancel(kind::TRIM_PAUSE, 0);
        }
        let work = self.env.spec.trim.work.as_ref();
        if work.is_some_and(|work| work.pause.is_some()) {
            self.env.queue.cancel(kind::TRIM_CHUNK_PAUSE, 0);
        }
        self.trim.power_cut();
        self.reads.power_cut();
        let free = [Pool::SlcCache, Pool::Data].map(|pool| {
            let usable = self.store.usable_superblocks(&self.env, pool);
            self.env.layout.mp_pages_of(pool, usable)
        });
        self.store.ftl.space.reset(free, 0);
        for superblock in self.store.ftl.superblocks.empty_all() {
            self.store.erase(&mut self.env, superblock);
        }
        self.run_while_busy();
        self.host_fell_silent();
        self.env.now().since(begin)
    }

    /// Discards the key in `time`: no page can be read any more, as after TRIM of the whole drive.
    /// The data stays in the flash, and costs no erase now: its superblocks are erased when their
    /// space is needed, or by work in idle time. Returns the duration.
    ///
    /// # Panics
    /// While the host awaits a request.
    pub fn crypto_erase(&mut self, time: Nanos) -> Nanos {
        let begin = self.env.now();
        self.begin_service();
        self.idle_halts();
        let done = self.env.now() + time;
        let nothing = self.advance(done);
        debug_assert!(nothing.is_none());
        let end = Lpn(self.store.ftl.l2p.logical_pages());
        self.reads.forget(Lpn(0), end);
        self.store.log_trim(&self.env, Lpn(0), end);
        self.store.ftl.l2p.forget();
        self.settle_all();
        if self.store.persistence.is_some() {
            self.make_durable();
        }
        self.host_fell_silent();
        self.env.now().since(begin)
    }

    fn begin_service(&mut self) {
        assert!(
            self.host.is_silent(),
            "the host awaits a request while the drive is to be erased"
        );
        self.wake_up();
    }

    fn run_while_busy(&mut self) {
        while self.is_busy() && self.env.queue.next_at() < SimTime::NEVER {
            let nothing = self.step();
            debug_assert!(nothing.is_none());
        }
    }

    /// True if writes are acknowledged from the buffer.
    pub fn write_cache(&self) -> bool {
        self.env.spec.host.write_cache
    }

    /// Switches the acknowledging of writes from the buffer on or off. Writes that the drive
    /// already has keep the setting under which they arrived; see [`stend_base::Op::Flush`].
    pub fn set_write_cache(&mut self, on: bool) {
        self.env.spec.host.write_cache = on;
    }

    /// Changes the time of a request in the host, beside the link, on its way to the drive and
    /// back: for a client that spends time of its own on both. Applies to requests submitted from
    /// now on.
    pub fn set_host_times(&mut self, (submit, complete): (Nanos, Nanos)) {
        (self.env.spec.host.submit, self.env.spec.host.complete) = (submit, complete);
    }

    /// Capacity of the drive when it was created.
    pub fn native_bytes(&self) -> u64 {
        self.native_bytes
    }

    /// Changes the capacity that the host can address: on an empty drive, and up to
    /// [`SimDrive::native_bytes`]. The wear of the flash stays; the heat of data is forgotten. In a
    /// drive whose power can be cut, time passes until the drive has stored that it is empty.
    ///
    /// # Errors
    /// [`UserBytesError`]; the drive is unchanged.
    pub fn set_user_bytes(&mut self, bytes: u64) -> Result<(), UserBytesError> {
        let most = self.native_bytes;
        if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) || bytes > most {
            return Err(UserBytesError::OutOfRange { bytes, most });
        }
        let commands = self.host.outstanding();
        if commands > 0 {
            return Err(UserBytesError::Busy { commands });
        }
        let pages = self.store.ftl.l2p.mapped_pages();
        if pages > 0 {
            return Err(UserBytesError::HoldsData { pages });
        }
        self.reads.forget(Lpn(0), Lpn::NONE);
        if self.store.persistence.is_some() {
            self.make_durable();
        }
        let pages = (bytes / PAGE_BYTES) as u32;
        self.env.spec.user_bytes = bytes;
        if let Some(persistence) = &mut self.store.persistence {
            persistence.set_logical_pages(&self.env.spec, pages);
        }
        self.store.ftl.l2p.set_logical_pages(pages);
        self.store.ftl.sorting.forget_heat(&self.env.spec, pages);
        Ok(())
    }
}
