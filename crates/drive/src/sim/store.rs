//! What holds the data: the flash, the write buffer, the FTL, and what of it is durable. GC,
//! folding, TRIM and the admission of writes work on it.

use crate::sim::buffer::write_buffer::WriteBuffer;
use crate::sim::env::Env;
use crate::sim::ftl::Ftl;
use crate::sim::geometry::layout::{Layout, Pool};
use crate::sim::ids::{DieId, Lpn, MpPage, SuperblockId};
use crate::sim::media::Media;
use crate::sim::persistence::{FlashView, PartialParity, Persistence, StripeMember};

/// What holds the data of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Store {
    pub media: Media,
    pub buffer: WriteBuffer,
    pub ftl: Ftl,
    /// Only in a drive whose power can be cut.
    pub persistence: Option<Box<Persistence>>,
}

/// Superblocks that are to be erased.
impl Store {
    /// Erases a superblock that has been emptied.
    pub fn erase(&mut self, env: &mut Env, superblock: SuperblockId) {
        let ftl = &mut self.ftl;
        debug_assert_eq!(ftl.l2p.occupied_in(superblock), 0);
        ftl.superblocks.erase_begins(superblock, env.spec.dies);
        // Lost from here on: a cut in the middle of an erase leaves nothing to read.
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

    /// Whether a superblock could be erased if more were durable, and nobody has requested it.
    #[inline(always)]
    pub fn may_request_release(&self) -> bool {
        let persistence = self.persistence.as_ref();
        persistence.is_some_and(|p| p.may_request_release())
    }

    /// A stream finds no erased superblock: requests the release of emptied ones.
    #[inline(always)]
    pub fn request_release(&mut self) {
        if let Some(persistence) = &mut self.persistence {
            persistence.request_release();
        }
    }

    /// A die has erased its block of a superblock. Returns `None` while any of its erases is under
    /// way, then whether the superblock is lost.
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
    /// Pads and closes all open programs, as far as that takes no reserved space.
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

    /// Tells the write points the LSN of the next change, for programs that begin.
    pub fn tell_journal_tail(&mut self) {
        if let Some(persistence) = &self.persistence {
            self.ftl
                .points
                .set_journal_tail(persistence.changes().next_lsn());
        }
    }

    /// Requests that everything so far becomes durable.
    pub fn request_durable(&mut self) {
        if let Some(persistence) = &mut self.persistence {
            persistence.request_all();
        }
    }

    /// Whether anything waits to be programmed, or is not durable.
    pub fn has_volatile_data(&self) -> bool {
        let persistence = self.persistence.as_ref();
        self.ftl.points.has_open_program() || persistence.is_some_and(|p| !p.changes().is_empty())
    }
}

/// Changes of the L2P, and parity.
impl Store {
    /// The persistence of a drive whose power can be cut, and the view of flash that it needs.
    #[inline(always)]
    pub fn persistence_and_view<'a>(
        &'a mut self,
        layout: &'a Layout,
    ) -> Option<(&'a mut Persistence, FlashView<'a>)> {
        let view = FlashView::new(layout, &self.ftl, &self.buffer);
        let persistence = self.persistence.as_deref_mut();
        persistence.map(|persistence| (persistence, view))
    }

    /// Logical pages are about to be trimmed.
    #[inline(always)]
    pub fn log_trim(&mut self, env: &Env, first: Lpn, end: Lpn) {
        if let Some((persistence, view)) = self.persistence_and_view(&env.layout) {
            persistence.log_trim(first..end, &view);
        }
    }

    /// Pages of a multi-plane page, one bit each, have been copied to the same places of another.
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

    /// Pages of a multi-plane page, one bit each, cannot be read any more.
    #[cold]
    pub fn log_loss(&mut self, env: &Env, page: MpPage, pages: u32) {
        if let Some((persistence, view)) = self.persistence_and_view(&env.layout) {
            let first = page.first_ppn(env.layout.page_bits);
            persistence.log_loss(first, pages, &view);
        }
    }

    /// Multi-plane pages could not be programmed: the valid pages of each that are lost, one bit
    /// each, to which are added those that a power cut could make valid again.
    #[cold]
    pub fn log_unprogrammed(&mut self, env: &Env, lost: &mut [(MpPage, u32)]) {
        if let Some((persistence, view)) = self.persistence_and_view(&env.layout) {
            persistence.log_unprogrammed(lost, &view);
        }
    }

    /// The parity that survives power cuts, where it is kept.
    #[inline]
    pub fn parity(&self) -> Option<&PartialParity> {
        self.persistence.as_ref()?.parity()
    }

    /// Whether what a fold has copied counts only when its parity has been copied too.
    #[inline]
    pub fn keeps_fold_sources(&self) -> bool {
        let persistence = self.persistence.as_ref();
        persistence.is_some_and(|p| p.keeps_fold_sources())
    }

    /// What is read of a multi-plane page to rebuild another of its stripe.
    pub fn stripe_member(&self, env: &Env, page: MpPage) -> StripeMember {
        let view = FlashView::new(&env.layout, &self.ftl, &self.buffer);
        let parity = self.parity();
        parity.map_or(StripeMember::Page, |parity| parity.member(page, &view))
    }

    /// Whether a cut has left the data of a multi-plane page without parity.
    pub fn is_unprotected(&self, page: MpPage) -> bool {
        self.parity()
            .is_some_and(|parity| parity.is_unprotected(page))
    }

    /// A multi-plane page holds nothing that can be read until it is erased.
    pub fn page_is_void(&mut self, page: MpPage) {
        if let Some(persistence) = &mut self.persistence {
            persistence.page_is_void(page);
        }
    }

    /// Superblocks of a pool without those that are retired or spare.
    pub fn usable_superblocks(&self, env: &Env, pool: Pool) -> u32 {
        let spare = match (pool, &env.spec.health) {
            (Pool::Data, Some(health)) => health.spare_superblocks,
            _ => 0,
        };
        env.layout.pool(pool).superblocks - spare - self.ftl.superblocks.lost(pool)
    }
}
