//! The stored data: the flash, the write buffer, the FTL, and their durable part. GC, folding, TRIM
//! and the admission of writes work on it.

use crate::sim::buffer::write_buffer::WriteBuffer;
use crate::sim::env::Env;
use crate::sim::ftl::Ftl;
use crate::sim::geometry::layout::{Layout, Pool};
use crate::sim::ids::{DieId, Lpn, MpPage, SuperblockId};
use crate::sim::media::Media;
use crate::sim::persistence::{FlashView, PartialParity, Persistence, StripeMember};

/// The components that store the data of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Store {
    pub media: Media,
    pub buffer: WriteBuffer,
    pub ftl: Ftl,
    /// Present only if the power can be cut.
    pub persistence: Option<Box<Persistence>>,
}

/// Superblocks that are to be erased.
impl Store {
    /// Erases a superblock that has been emptied.
    pub fn erase(&mut self, env: &mut Env, superblock: SuperblockId) {
        let ftl = &mut self.ftl;
        debug_assert_eq!(ftl.l2p.occupied_in(superblock), 0);
        ftl.superblocks.erase_begins(superblock, env.spec.dies);
        // Lost from here on: a cut during an erase leaves nothing to read.
        ftl.l2p.erase_tags(superblock);
        let mp_pages = env.layout.mp_pages_in(superblock);
        self.media.erase_begins(&mp_pages);
        if let Some(persistence) = &mut self.persistence {
            persistence.erased(superblock, mp_pages);
        }
        let mode = ftl.superblocks.mode(superblock);
        for die in (0..env.spec.dies).map(DieId) {
            self.media.erase_block(env, mode, superblock, die);
        }
    }

    /// Erases a superblock that has been emptied, now or when the durable L2P no longer needs it.
    pub fn release(&mut self, env: &mut Env, superblock: SuperblockId) {
        let persistence = self.persistence.as_mut();
        if persistence.is_none_or(|p| p.release(superblock)) {
            self.erase(env, superblock);
        }
    }

    /// Erases the superblocks that the durable L2P no longer needs.
    pub fn erase_released(&mut self, env: &mut Env) {
        while let Some(persistence) = &mut self.persistence
            && let Some(superblock) = persistence.take_erasable()
        {
            self.erase(env, superblock);
        }
    }

    /// True if a superblock could be erased if more changes were durable, and this is not requested
    /// yet.
    #[inline(always)]
    pub fn may_request_release(&self) -> bool {
        let persistence = self.persistence.as_ref();
        persistence.is_some_and(|p| p.may_request_release())
    }

    /// Requests the release of emptied superblocks, since a stream finds no erased one.
    #[inline(always)]
    pub fn request_release(&mut self) {
        if let Some(persistence) = &mut self.persistence {
            persistence.request_release();
        }
    }

    /// Handles a die's erase of its block of a superblock. Returns `None` while any of its erases
    /// is under way, then true if the superblock is lost.
    pub fn block_erased(
        &mut self,
        env: &mut Env,
        superblock: SuperblockId,
        die: DieId,
    ) -> Option<bool> {
        let superblocks = &mut self.ftl.superblocks;
        if self.media.has_blocks()
            && self
                .media
                .erase_is_repeated(env, superblocks, superblock, die)
        {
            return None;
        }
        if !superblocks.die_has_erased(superblock) {
            return None;
        }
        let pool = env.layout.pool_of_superblock(superblock);
        let lost = self.media.lacks_a_block(superblock);
        superblocks.erase_ends(superblock, pool, lost);
        if lost {
            // Its pages were counted as free when it was emptied.
            self.ftl.space.add(pool, -env.layout.mp_pages_of(pool, 1));
        }
        Some(lost)
    }
}

/// Programs that are padded.
impl Store {
    /// Pads and closes all open programs, as far as that uses no reserved space.
    pub fn pad_all(&mut self, env: &mut Env) {
        self.tell_journal_tail();
        self.ftl.pad_all(env, &mut self.media, &mut self.buffer);
    }

    /// Closes the programs of an open superblock up to a multi-plane page.
    pub fn pad_to(&mut self, env: &mut Env, page: MpPage) {
        self.tell_journal_tail();
        let Store {
            media, buffer, ftl, ..
        } = self;
        ftl.pad_to(env, media, buffer, page);
    }

    /// Sets the LSN of the next change in the write points, for programs that begin.
    pub fn tell_journal_tail(&mut self) {
        if let Some(persistence) = &self.persistence {
            self.ftl
                .points
                .set_journal_tail(persistence.changes().next_lsn());
        }
    }

    /// Requests that all changes so far become durable.
    pub fn request_durable(&mut self) {
        if let Some(persistence) = &mut self.persistence {
            persistence.request_all();
        }
    }

    /// True if data waits to be programmed, or is not durable.
    pub fn has_volatile_data(&self) -> bool {
        let persistence = self.persistence.as_ref();
        self.ftl.points.has_open_program() || persistence.is_some_and(|p| !p.changes().is_empty())
    }
}

/// Changes of the L2P, and parity.
impl Store {
    /// The persistence of a drive whose power can be cut, and its view of flash.
    #[inline(always)]
    pub fn persistence_and_view<'a>(
        &'a mut self,
        layout: &'a Layout,
    ) -> Option<(&'a mut Persistence, FlashView<'a>)> {
        let view = FlashView::new(layout, &self.ftl, &self.buffer);
        let persistence = self.persistence.as_deref_mut();
        persistence.map(|persistence| (persistence, view))
    }

    /// Logs a TRIM of logical pages that is about to take effect.
    #[inline(always)]
    pub fn log_trim(&mut self, env: &Env, first: Lpn, end: Lpn) {
        if let Some((persistence, view)) = self.persistence_and_view(&env.layout) {
            persistence.log_trim(first..end, &view);
        }
    }

    /// Logs the copy of pages of a multi-plane page, one bit each, to the same places of another.
    #[inline(always)]
    pub fn log_fold(
        &mut self,
        env: &Env,
        page: MpPage,
        pages: u32,
        to: MpPage,
        into: SuperblockId,
    ) {
        if let Some((persistence, view)) = self.persistence_and_view(&env.layout) {
            let bits = env.layout.page_bits;
            let (from, to) = (page.first_ppn(bits), to.first_ppn(bits));
            persistence.log_fold(from, pages, (to, into), &view);
        }
    }

    /// Logs that pages of a multi-plane page, one bit each, cannot be read any more.
    #[cold]
    pub fn log_loss(&mut self, env: &Env, page: MpPage, pages: u32) {
        if let Some((persistence, view)) = self.persistence_and_view(&env.layout) {
            let first = page.first_ppn(env.layout.page_bits);
            persistence.log_loss(first, pages, &view);
        }
    }

    /// Logs the loss of multi-plane pages that could not be programmed: the valid pages of each,
    /// one bit each. Pages that a power cut could make valid again are added to them.
    #[cold]
    pub fn log_unprogrammed(&mut self, env: &Env, lost: &mut [(MpPage, u32)]) {
        if let Some((persistence, view)) = self.persistence_and_view(&env.layout) {
            persistence.log_unprogrammed(lost, &view);
        }
    }

    /// The parity that survives power cuts, if it is kept.
    #[inline]
    pub fn parity(&self) -> Option<&PartialParity> {
        self.persistence.as_ref()?.parity()
    }

    /// True if copies of a fold count only when their parity has been copied too.
    #[inline]
    pub fn keeps_fold_sources(&self) -> bool {
        let persistence = self.persistence.as_ref();
        persistence.is_some_and(|p| p.keeps_fold_sources())
    }

    /// Contribution of a multi-plane page to the rebuild of another page of its stripe.
    pub fn stripe_member(&self, env: &Env, page: MpPage) -> StripeMember {
        let view = FlashView::new(&env.layout, &self.ftl, &self.buffer);
        let parity = self.parity();
        parity.map_or(StripeMember::Page, |parity| parity.member(page, &view))
    }

    /// True if a cut has left the data of a multi-plane page without parity.
    pub fn is_unprotected(&self, page: MpPage) -> bool {
        self.parity()
            .is_some_and(|parity| parity.is_unprotected(page))
    }

    /// Marks a multi-plane page as unreadable until it is erased.
    pub fn page_is_void(&mut self, page: MpPage) {
        if let Some(persistence) = &mut self.persistence {
            persistence.page_is_void(page);
        }
    }

    /// Superblocks of a pool without retired and spare ones.
    pub fn usable_superblocks(&self, env: &Env, pool: Pool) -> u32 {
        let spare = match (pool, &env.spec.health) {
            (Pool::Data, Some(health)) => health.spare_superblocks,
            _ => 0,
        };
        env.layout.pool(pool).superblocks - spare - self.ftl.superblocks.lost(pool)
    }
}
