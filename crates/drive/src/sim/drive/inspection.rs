//! State of the drive that its host does not see, for observers and tests.

use stend_model::health::Temperature;

use super::SimDrive;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{IdRange, Ppn};
use crate::sim::power::Energy;
use crate::sim::repeat::RoundStart;

/// State of the drive that its host does not see.
#[derive(Clone, Copy)]
pub struct Inspection<'a>(pub(super) &'a SimDrive);

impl<'a> Inspection<'a> {
    /// Energy used by the drive since power-on; `None` if the model has no energies of operations.
    ///
    /// An operation of the flash is counted when it is sent to its die, a transfer over the host
    /// link when it begins, the work of a core when it ends.
    pub fn energy(self) -> Option<Energy> {
        let SimDrive {
            env, store, power, ..
        } = self.0;
        power.energy(env, &self.0.counters(), store.off_ns(env.now()))
    }

    /// Energy on which the temperature depends, pJ; 0 where there is none.
    pub(super) fn energy_pj(self) -> u128 {
        let heats = self.0.env.spec.thermal.is_some();
        let energy = heats.then(|| self.energy()).flatten();
        energy.map_or(0, |energy| energy.total_pj())
    }

    /// The drive's temperature; `None` where the model has none.
    pub fn temperature(self) -> Option<Temperature> {
        self.0.power.heat.temperature(&self.0.env, self.energy_pj())
    }

    /// Name of the idle state that the drive is in or enters; `None` while it is awake or waking.
    pub fn idle_state(self) -> Option<&'a str> {
        self.0.power.sleep.name(&self.0.env.spec)
    }

    /// Erase cycles of every superblock, those of the cache first.
    pub fn erase_counts(self) -> &'a [u32] {
        self.0.store.ftl.superblocks.erase_counts()
    }

    /// True if the drive accepts no more writes: its flash is worn out, and no spare superblock is
    /// left.
    pub fn is_read_only(self) -> bool {
        self.0.store.ftl.space.is_read_only()
    }

    /// Raw bit error rate of the average page of the worst superblock that holds data, in parts of
    /// 10^12; `None` if errors are not modelled.
    pub fn rber_max(self) -> Option<u64> {
        let SimDrive { env, store, .. } = self.0;
        let ftl = &store.ftl;
        if !ftl.media.has_errors() {
            return None;
        }
        let all = env.layout.all_superblocks().each();
        all.filter(|&superblock| ftl.l2p.valid_in(superblock) > 0)
            .map(|superblock| ftl.media.worst_rber(env, &ftl.superblocks, superblock).0)
            .max()
    }

    /// Free pages of 4 KiB, for tests and observers, of the pool that new data enters first: the
    /// SLC cache's own superblocks or, without any, the data area. Spare space of the data area
    /// counts, so the result can exceed the capacity.
    pub fn free_entry_pages(self) -> u64 {
        let layout = &self.0.env.layout;
        let pool = match layout.pool(Pool::SlcCache).superblocks {
            0 => Pool::Data,
            _ => Pool::SlcCache,
        };
        let free = self.0.store.ftl.space.free(pool).max(0) as u64;
        free << layout.page_bits
    }

    /// True if every logical page holds data, so that no read finds unwritten space.
    pub fn is_fully_written(self) -> bool {
        let l2p = &self.0.store.ftl.l2p;
        l2p.mapped_pages() == u64::from(l2p.logical_pages()) && l2p.pending_trims().is_empty()
    }

    /// Erased superblocks of the data area.
    pub fn erased_data_superblocks(self) -> usize {
        self.0.store.ftl.superblocks.erased(Pool::Data)
    }

    /// The tags of the requests whose data lies in flash at this instant, programmed and not
    /// erased, valid or not: the data that a search of the whole flash would find after a power
    /// cut. Needs [`SimDrive::keep_content`] from the first request on.
    pub fn tags_in_flash(self) -> impl Iterator<Item = u32> + use<'a> {
        let ftl = &self.0.store.ftl;
        let page_bits = self.0.env.layout.page_bits;
        let in_flash = move |ppn: Ppn| !ftl.buffer.holds(ppn.mp_page(page_bits));
        let tags = ftl.l2p.tags();
        tags.filter(move |&(ppn, _)| in_flash(ppn))
            .map(|(_, tag)| tag)
    }

    /// Logical pages of 4 KiB of the longest write that a power cut keeps or loses as a whole; a
    /// longer one is split into pieces of this size, from its first page on. `None` without
    /// [`stend_model::Spec::power_loss`].
    pub fn atomic_write_pages(self) -> Option<u32> {
        let persistence = self.0.store.persistence.as_ref();
        persistence.map(|p| p.piece_pages())
    }

    /// State at the beginning of a round, for [`super::Service::repeat_round`] at its end.
    pub fn round_start(self) -> RoundStart {
        RoundStart::new(self.0.health(), self.0.counters(), self.erase_counts())
    }

    /// One line for debugging a drive that makes no progress.
    pub fn diagnosis(self) -> String {
        let SimDrive {
            store,
            front,
            writes,
            reclaim,
            trim,
            ..
        } = self.0;
        let superblocks = &store.ftl.superblocks;
        format!(
            "{}; {}; erased cache {} data area {}, of the cache closed {}, outstanding {}, \
             {} writes wait, {:?}, {:?}; {}",
            store.ftl.diagnosis(),
            store.ftl.buffer.diagnosis(),
            superblocks.erased(Pool::SlcCache),
            superblocks.erased(Pool::Data),
            superblocks.closed_cache().len(),
            front.host.commands.outstanding(),
            writes.admission.waiting(),
            reclaim.gc,
            (&reclaim.folder, &store.ftl.fold, trim),
            store
                .persistence
                .as_ref()
                .map_or_else(String::new, |p| p.diagnosis())
        )
    }

    /// The page that a read of a logical page would sense, and the pages of its stripe that would
    /// be read instead; `None` if the read would sense no page.
    #[cfg(test)]
    pub fn pages_of(
        self,
        lpn: impl Into<crate::sim::ids::Lpn>,
    ) -> Option<(crate::sim::PageState, Vec<crate::sim::PageState>)> {
        crate::sim::failures::losses::pages_of(&self.0.env, &self.0.store, lpn.into())
    }
}
