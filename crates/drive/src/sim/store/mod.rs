//! The stored data: the FTL with its flash and write buffer, the durable part of both, and the
//! cores of the controller that map the data. GC, folding, TRIM and the admission of writes work on
//! it.

mod power_cut;

use std::ops::Range;

use stend_model::spec::{PAGE_BYTES, Spec};

use crate::sim::buffer::write_buffer::Program;
use crate::sim::controller::Controller;
use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::ftl::Ftl;
use crate::sim::ftl::write::{Placed, Received};
use crate::sim::geometry::layout::{Layout, Pool};
use crate::sim::ids::{DieId, Lpn, MpPage, StreamId, SuperblockId};
use crate::sim::media::op::{NandOp, Upkeep};
use crate::sim::persistence::{Flash, FlashView, Part, PartialParity, Persistence, StripeMember};

/// The components that store the data of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Store {
    pub controller: Controller,
    pub ftl: Ftl,
    /// Present only if the power can be cut.
    pub persistence: Option<Box<Persistence>>,
}

impl Store {
    /// The store of a new drive: all blocks erased, nothing mapped.
    pub fn new(spec: &Spec, layout: &Layout) -> Store {
        let pages = (spec.user_bytes / PAGE_BYTES) as u32;
        let persistence = |of| Box::new(Persistence::new(of, spec, layout, pages));
        Store {
            controller: Controller::new(&spec.controller, pages),
            ftl: Ftl::new(spec, layout, pages),
            persistence: spec.power_loss.as_ref().map(persistence),
        }
    }

    /// Counters of the store.
    pub fn counters(&self) -> Counters {
        let ftl = &self.ftl;
        let own = [
            ftl.counted,
            ftl.media.counters(),
            self.controller.counters(),
        ];
        let cache = ftl.l2p_cache.iter().map(|cache| cache.counted);
        let persistence = self.persistence.iter().map(|p| p.counters());
        own.into_iter().chain(cache).chain(persistence).sum()
    }

    /// The persistence of a drive whose power can be cut.
    pub fn persistence(&mut self) -> &mut Persistence {
        let persistence = self.persistence.as_mut();
        persistence.expect("the drive has power_loss")
    }

    /// The persistence of a drive whose power can be cut, and the access to flash that submits
    /// work.
    fn persistence_and_flash<'a>(
        &'a mut self,
        env: &'a mut Env,
    ) -> (&'a mut Persistence, Flash<'a>) {
        let flash = Flash {
            env,
            ftl: &mut self.ftl,
        };
        let persistence = self.persistence.as_mut();
        (persistence.expect("the drive has power_loss"), flash)
    }
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
        ftl.media.erase_begins(&mp_pages);
        if let Some(persistence) = &mut self.persistence {
            persistence.erased(superblock, mp_pages);
        }
        let mode = ftl.superblocks.mode(superblock);
        for die in (0..env.spec.dies).map(DieId) {
            self.ftl.media.erase_block(env, mode, superblock, die);
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
            && let Some(superblock) = persistence.releases_mut().take_erasable()
        {
            self.erase(env, superblock);
        }
    }

    /// True if a superblock could be erased if more changes were durable, and this is not requested
    /// yet.
    #[inline(always)]
    pub fn may_request_release(&self) -> bool {
        let persistence = self.persistence.as_ref();
        persistence.is_some_and(|p| p.releases().may_be_requested())
    }

    /// Requests the release of emptied superblocks, since a stream finds no erased one.
    #[inline(always)]
    pub fn request_release(&mut self) {
        if let Some(persistence) = &mut self.persistence {
            persistence.releases_mut().request();
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
        let ftl = &mut self.ftl;
        let (media, superblocks) = (&mut ftl.media, &mut ftl.superblocks);
        if media.has_blocks() && media.erase_is_repeated(env, superblocks, superblock, die) {
            return None;
        }
        if !superblocks.die_has_erased(superblock) {
            return None;
        }
        let pool = env.layout.pool_of_superblock(superblock);
        let lost = media.lacks_a_block(superblock);
        superblocks.erase_ends(superblock, pool, lost);
        if lost {
            // Its pages were counted as free when it was emptied.
            ftl.space.add(pool, -env.layout.mp_pages_of(pool, 1));
        }
        Some(lost)
    }
}

/// Programs that are padded.
impl Store {
    /// Pads and closes all open programs, as far as that uses no reserved space.
    pub fn pad_all(&mut self, env: &mut Env) {
        self.tell_journal_tail();
        self.ftl.pad_all(env);
    }

    /// Closes the programs of an open superblock up to a multi-plane page.
    pub fn pad_to(&mut self, env: &mut Env, page: MpPage) {
        self.tell_journal_tail();
        self.ftl.pad_to(env, page);
    }

    /// Sets the LSN of the next change in the write points, for programs that begin.
    pub fn tell_journal_tail(&mut self) {
        if let Some(persistence) = &self.persistence {
            self.ftl
                .points
                .set_journal_tail(persistence.changes().next_lsn());
        }
    }

    /// Pads the program that a stream fills with `padding` pages that were reserved for it.
    pub fn pad_reserved(&mut self, env: &mut Env, stream: StreamId, padding: u32) {
        self.ftl.points.unreserve(stream, padding);
        self.ftl.buffer.give_pages(padding);
        self.ftl.pad(env, stream);
    }

    /// Notes the end of a program of data or parity.
    #[inline(always)]
    pub fn programmed(&mut self, env: &Env, op: NandOp) {
        match op {
            NandOp::Program { program } => self.ftl.buffer.programmed(program),
            NandOp::Parity { mp_page } if self.parity().is_some() => {
                let superblock = env.layout.superblock_of(mp_page);
                let mode = self.ftl.superblocks.mode(superblock);
                let mp_pages = env.layout.shape(mode).mp_pages_per_program;
                self.ftl.buffer.mark(mp_page, mp_pages, false);
            }
            _ => {}
        }
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
        let view = FlashView::new(layout, &self.ftl);
        let persistence = self.persistence.as_deref_mut();
        persistence.map(|persistence| (persistence, view))
    }

    /// Logs a TRIM of logical pages that is about to take effect.
    #[inline(always)]
    pub fn log_trim(&mut self, env: &Env, pages: Range<Lpn>) {
        if let Some((persistence, view)) = self.persistence_and_view(&env.layout) {
            persistence.log_trim(pages, &view);
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
            persistence.log_fold(from, pages, to, into, &view);
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
        let view = FlashView::new(&env.layout, &self.ftl);
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

/// Durability.
impl Store {
    /// True if no change has to be written to the journal, as after most events.
    #[inline(always)]
    pub fn is_quiet(&mut self, env: &Env) -> bool {
        let both = self.persistence_and_view(&env.layout);
        both.is_none_or(|(persistence, view)| persistence.is_quiet(&view))
    }

    /// Writes the due changes to the journal. Returns true if commands that wait for space may
    /// continue.
    pub fn write_journal(&mut self, env: &mut Env) -> bool {
        let both = self.persistence_and_view(&env.layout);
        let (persistence, view) = both.expect("there is a journal");
        if let Some(page) = persistence.page_to_pad(&view) {
            self.pad_to(env, page);
        }
        let (persistence, mut flash) = self.persistence_and_flash(env);
        persistence.write_journal(&mut flash);
        persistence.may_retry(&flash.view())
    }

    /// Handles the end of an operation for the journal, a checkpoint or partial parity. Returns
    /// true if changes have become durable: flushes end, and a checkpoint may be due.
    pub fn upkeep_done(&mut self, env: &mut Env, what: Upkeep) -> bool {
        let (persistence, mut flash) = self.persistence_and_flash(env);
        let committed = persistence.upkeep_done(what, &mut flash);
        if committed {
            self.erase_released(env);
        }
        committed
    }

    /// Begins or continues a checkpoint if it is due.
    pub fn checkpoint_if_due(&mut self, env: &mut Env) {
        let (persistence, mut flash) = self.persistence_and_flash(env);
        persistence.checkpoint_if_due(&mut flash);
    }

    /// Writes a checkpoint as fast as the dies allow.
    pub fn write_checkpoint(&mut self, env: &mut Env) {
        let (persistence, mut flash) = self.persistence_and_flash(env);
        persistence.begin_checkpoint(&mut flash);
        persistence.hurry_checkpoint(&mut flash);
    }

    /// Requests everything that is not durable, and ends the checkpoint under way as fast as the
    /// dies allow. Returns true while changes before `all`, an LSN, are not durable or the
    /// checkpoint is under way.
    pub fn hurries_up_to(&mut self, env: &mut Env, all: u64) -> bool {
        let (persistence, mut flash) = self.persistence_and_flash(env);
        if !persistence.changes().is_awaited() {
            persistence.request_all();
        }
        let unfinished = persistence.changes().durable_lsn() < all;
        persistence.hurry_checkpoint(&mut flash);
        unfinished || persistence.checkpoint_under_way()
    }

    /// Programs received data and makes it durable, when the host has been silent: the next request
    /// begins as after any rest.
    pub fn rest(&mut self, env: &mut Env) {
        self.pad_all(env);
        if self.persistence.is_some() {
            let (persistence, mut flash) = self.persistence_and_flash(env);
            persistence.request_all();
            persistence.hurry_checkpoint(&mut flash);
        }
        self.ftl.set_aside(env);
        self.controller.rest();
    }

    /// True if data waits to be programmed, or is not durable.
    pub fn has_volatile_data(&self) -> bool {
        let persistence = self.persistence.as_ref();
        self.ftl.points.has_open_program() || persistence.is_some_and(|p| !p.changes().is_empty())
    }

    /// True if anything is under way.
    pub fn is_busy(&self) -> bool {
        let persistence = self.persistence.as_ref();
        self.ftl.media.is_busy()
            || self.controller.is_busy()
            || persistence.is_some_and(|p| p.changes().is_awaited())
    }
}

/// Writes.
impl Store {
    /// Places a part of a write, and logs it.
    #[inline(always)]
    pub fn place<const TRACKED: bool>(
        &mut self,
        env: &mut Env,
        mut received: Received,
        part: &Part,
    ) -> Placed {
        let Store {
            ftl, persistence, ..
        } = self;
        let Some(persistence) = persistence else {
            return ftl.place_received::<TRACKED>(env, received, |_, _, _| ());
        };
        ftl.points
            .set_journal_tail(persistence.changes().next_lsn());
        let view = FlashView::new(&env.layout, ftl);
        let is_whole;
        (is_whole, received.places) = persistence.begins_to_place(part, &view);
        let log = |count, to, superblock| persistence.log_write(count, to, superblock);
        let placed = ftl.place_received::<TRACKED>(env, received, log);
        if TRACKED && let Some(lsn) = placed.joins {
            persistence.join_from(lsn, &FlashView::new(&env.layout, ftl));
        }
        if is_whole {
            persistence.group_is_whole();
        }
        placed
    }

    /// Sends a program whose reads have ended to its die: one that waited for read `program`.
    pub fn merge_done(&mut self, env: &mut Env, program: u32) {
        if let Some(ready) = self.ftl.buffer.read_ended(program) {
            let Program {
                kind, at, stream, ..
            } = ready;
            let op = NandOp::Program { program };
            self.ftl.media.program(env, kind.mode, at, stream, op);
        }
    }
}

/// Erasing everything.
impl Store {
    /// Drops all that was being filled, emptied or awaited, and all data: nothing is under way.
    /// Erases every superblock that is not erased.
    pub fn erase_all(&mut self, env: &mut Env) {
        let Store {
            ftl, persistence, ..
        } = self;
        ftl.buffer.clear();
        ftl.forget_writes(&env.spec, &env.layout);
        ftl.fold.power_cut();
        if let Some(persistence) = persistence {
            persistence.forget_all(&ftl.l2p);
        }
        ftl.l2p.forget();
        if let Some(persistence) = persistence {
            persistence.forget_the_rest(&ftl.l2p);
        }
        let free = [Pool::SlcCache, Pool::Data].map(|pool| {
            let usable = self.usable_superblocks(env, pool);
            env.layout.mp_pages_of(pool, usable)
        });
        self.ftl.space.reset(free, 0);
        for superblock in self.ftl.superblocks.empty_all() {
            self.erase(env, superblock);
        }
    }

    /// Changes the number of logical pages, of which none is mapped.
    pub fn set_logical_pages(&mut self, spec: &Spec, pages: u32) {
        if let Some(persistence) = &mut self.persistence {
            persistence.set_logical_pages(spec, pages);
        }
        self.ftl.l2p.set_logical_pages(pages);
        self.ftl.sorting.forget_heat(spec, pages);
    }
}
