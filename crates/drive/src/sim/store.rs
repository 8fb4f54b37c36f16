//! What holds the data: the flash, the write buffer, the FTL, and what of it is durable. Garbage
//! collection, folding, TRIM and the admission of writes work on it.

use crate::sim::buffer::write_buffer::WriteBuffer;
use crate::sim::env::Env;
use crate::sim::ftl::Ftl;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{MpPage, Ppn, SuperblockId};
use crate::sim::media::Media;
use crate::sim::persistence::{FlashView, Persistence, StripeMember};

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
    pub fn erase(&mut self, env: &mut Env, superblock: u32) {
        let ftl = &mut self.ftl;
        debug_assert_eq!(ftl.l2p.occupied_in(superblock), 0);
        ftl.superblocks.erase_begins(superblock, env.spec.dies);
        // Lost from here on: a cut in the middle of an erase leaves nothing to read.
        ftl.l2p.erase_stamps(superblock);
        let pool = env.layout.pool_of_superblock(superblock);
        let first = env.layout.first_slot(superblock);
        let slots = first..first + env.layout.pool(pool).slots_per_superblock;
        self.media.erase_begins(&slots);
        if let Some(persistence) = &mut self.persistence {
            persistence.erased(slots);
        }
        let mode = ftl.superblocks.mode(superblock);
        for die in 0..env.spec.dies {
            self.media.erase_block(env, mode, superblock, die);
        }
    }

    /// Erases a superblock that has been emptied, now or when the durable L2P needs it no more.
    pub fn release(&mut self, env: &mut Env, superblock: u32) {
        let persistence = self.persistence.as_mut();
        if persistence.is_none_or(|p| p.release(SuperblockId(superblock))) {
            self.erase(env, superblock);
        }
    }

    /// Erases the superblocks that the durable L2P needs no more.
    pub fn erase_released(&mut self, env: &mut Env) {
        while let Some(persistence) = &mut self.persistence
            && let Some(superblock) = persistence.take_erasable()
        {
            self.erase(env, superblock.0);
        }
    }

    /// Whether a superblock could be erased if more were durable, and nobody has requested it.
    #[inline(always)]
    pub fn may_request_release(&self) -> bool {
        let persistence = self.persistence.as_ref();
        persistence.is_some_and(|p| p.may_request_release())
    }

    /// Nobody finds an erased superblock.
    #[inline(always)]
    pub fn request_release(&mut self) {
        if let Some(persistence) = &mut self.persistence {
            persistence.request_release();
        }
    }

    /// A die has erased its block of a superblock. Whether it was the last, and the superblock is
    /// lost: `None` where others are still under way.
    pub fn block_erased(&mut self, env: &mut Env, superblock: u32, die: u32) -> Option<bool> {
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
            // Its pages were given back when it was emptied.
            self.ftl.space.add(pool, -env.layout.slots_of(pool, 1));
        }
        Some(lost)
    }
}

/// Programs that are filled up before their time.
impl Store {
    /// Closes all programs being filled, as far as no room is taken that was reserved.
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
        ftl.pad_to(env, media, buffer, page.0);
    }

    /// Tells the write points the number of the next change of the journal, for programs that begin.
    pub fn tell_journal_tail(&mut self) {
        if let Some(persistence) = &self.persistence {
            self.ftl.points.set_journal_tail(persistence.next_lsn());
        }
    }

    /// All that was done so far is to become durable.
    pub fn request_durable(&mut self) {
        if let Some(persistence) = &mut self.persistence {
            persistence.request_all();
        }
    }

    /// Whether anything waits to be programmed, or is not durable.
    pub fn has_volatile_data(&self) -> bool {
        let persistence = self.persistence.as_ref();
        self.ftl.points.has_open_program() || persistence.is_some_and(|p| p.has_volatile_changes())
    }
}

/// Changes of the L2P, and parity.
impl Store {
    /// Logical pages are trimmed.
    #[inline(always)]
    pub fn note_trim(&mut self, first: u32, end: u32) {
        if let Some(persistence) = &mut self.persistence {
            persistence.note_trim(first..end);
        }
    }

    /// Pages of a multi-plane page, one bit each, have been copied to the same places of another.
    #[inline(always)]
    pub fn note_fold(&mut self, env: &Env, page: u32, pages: u32, to: u32, into: u32) {
        if let Some(persistence) = &mut self.persistence {
            let bits = env.layout.unit_bits;
            let (from, to) = (Ppn(page << bits), Ppn(to << bits));
            persistence.note_fold(from, pages, to, SuperblockId(into));
        }
    }

    /// Pages of a multi-plane page, one bit each, cannot be read any more.
    #[cold]
    pub fn note_loss(&mut self, env: &Env, page: u32, pages: u32) {
        if let Some(persistence) = &mut self.persistence {
            let view = FlashView::new(&env.layout, &self.ftl, &self.buffer);
            let first = Ppn(page << env.layout.unit_bits);
            persistence.note_loss(first, pages, &view);
        }
    }

    /// Multi-plane pages could not be programmed: the pages of each that are lost, one bit each.
    #[cold]
    pub fn note_unprogrammed(&mut self, env: &Env, lost: &[(u32, u32)]) {
        if let Some(persistence) = &mut self.persistence {
            let view = FlashView::new(&env.layout, &self.ftl, &self.buffer);
            persistence.note_unprogrammed(lost, &view);
        }
    }

    /// Whether parity of stripes that are not full has to be kept over a cut.
    #[inline]
    pub fn keeps_parity(&self) -> bool {
        let persistence = self.persistence.as_ref();
        persistence.is_some_and(|p| p.keeps_parity())
    }

    /// Whether what a fold has copied counts only when its parity has been copied too.
    #[inline]
    pub fn keeps_fold_sources(&self) -> bool {
        let persistence = self.persistence.as_ref();
        persistence.is_some_and(|p| p.keeps_fold_sources())
    }

    /// What a multi-plane page gives to rebuild another of its stripe.
    pub fn stripe_member(&self, env: &Env, page: u32) -> StripeMember {
        match &self.persistence {
            Some(persistence) => {
                let view = FlashView::new(&env.layout, &self.ftl, &self.buffer);
                persistence.stripe_member(MpPage(page), &view)
            }
            None => StripeMember::Page,
        }
    }

    /// Whether a cut has left the data of a multi-plane page without parity.
    pub fn is_unprotected(&self, page: u32) -> bool {
        let persistence = self.persistence.as_ref();
        persistence.is_some_and(|p| p.is_unprotected(MpPage(page)))
    }

    /// A multi-plane page holds nothing that can be read until it is erased.
    pub fn page_is_void(&mut self, page: u32) {
        if let Some(persistence) = &mut self.persistence {
            persistence.page_is_void(MpPage(page));
        }
    }

    /// Superblocks of a pool without those that are retired or spare.
    pub fn usable_superblocks(&self, env: &Env, pool: Pool) -> u32 {
        let spare = match (pool, &env.spec.health) {
            (Pool::Main, Some(health)) => health.spare_superblocks,
            _ => 0,
        };
        env.layout.pool(pool).superblocks - spare - self.ftl.superblocks.lost(pool)
    }
}
