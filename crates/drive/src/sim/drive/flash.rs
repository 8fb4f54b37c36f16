//! Failures of the flash: pages that cannot be read, programs that fail, blocks that go bad.

use crate::nand::Work;
use stend_base::{Nanos, Status};
use stend_model::nand::Class;
use stend_model::spec::PAGE_BYTES;

use super::SimDrive;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{CommandId, DieId, IdRange, MpPage, Ppn, Row, SuperblockId};
use crate::sim::media::errors::Source;
use crate::sim::media::op::NandOp;
use crate::sim::media::page_bytes;
use crate::sim::persistence::StripeMember;
use crate::sim::store::Store;

/// Size of a logical block, in which errors of the data are counted.
const SECTOR_BYTES: u64 = 512;

/// Outcome of a failed program.
enum Failed {
    /// Programmed again in the block that replaces the bad one, after the time to erase it and to
    /// copy the data of the bad one to it.
    Again(Nanos),
    /// Not programmed: no block can replace the bad one.
    Nowhere,
}

/// Pages that cannot be read.
impl SimDrive {
    /// Reads the other pages of the stripe of a page that no pass has corrected.
    #[cold]
    pub(super) fn page_unreadable(&mut self, rebuild: u32) {
        self.env.counters.uncorrectable_pages += 1;
        let mp_page = self.store.media.rebuild_of(rebuild).mp_page;
        self.losses.note_failing(&self.store, rebuild);
        let superblock = self.env.layout.superblock_of(mp_page);
        let mode = self.store.ftl.superblocks.mode(superblock);
        let stripe = self.env.layout.stripe(mp_page, mode);
        let mut alone = true;
        for other in stripe.filter(|&other| other != mp_page) {
            alone = false;
            let member = self.store.stripe_member(&self.env, other);
            let saved = matches!(member, StripeMember::PartialParity(..));
            let media = &mut self.store.media;
            if media.lacks_page(other) && !saved {
                media.rebuild_fails(rebuild);
                continue;
            }
            let source = match member {
                StripeMember::Nothing => continue,
                StripeMember::Page => Source::Page(other),
                StripeMember::PartialParity(die, sense) => Source::PartialParity(die, sense),
            };
            let superblocks = &self.store.ftl.superblocks;
            media.read_for_rebuild(&mut self.env, superblocks, rebuild, source);
        }
        let (env, store) = (&self.env, &self.store);
        self.losses.note_stripe(env, store, rebuild, mp_page);
        if alone || self.store.is_unprotected(mp_page) {
            self.store.media.rebuild_fails(rebuild);
        }
        if self.store.media.rebuild_of(rebuild).has_all() {
            self.rebuild_ends(rebuild);
        }
    }

    /// Ends a rebuild: all pages of the stripe have been read, or there are none to read.
    #[cold]
    pub(super) fn rebuild_ends(&mut self, rebuild: u32) {
        let ended = self.store.media.rebuild_ended(rebuild);
        let (mp_page, op) = (ended.mp_page, ended.op());
        if ended.lost {
            self.env.counters.lost_pages += 1;
            let pages = self.store.ftl.l2p.valid_bits(mp_page);
            let store = &self.store;
            self.losses.note_unreadable(store, rebuild, mp_page, pages);
            self.store.ftl.l2p.lose(mp_page);
            self.store.log_loss(&self.env, mp_page, pages);
            self.read_meets_loss(op);
        } else {
            self.env.counters.rebuilt_pages += 1;
        }
        self.nand_done(op);
    }

    /// Fails the read commands that requested a lost page, even if its data lies elsewhere by now:
    /// a die may have copied it before.
    #[cold]
    fn read_meets_loss(&mut self, op: NandOp) {
        match op {
            NandOp::HostRead { command, .. } => self.command_meets_loss(command),
            NandOp::ReadAhead { entry } => {
                for command in self.reads.gives_up(entry) {
                    self.command_meets_loss(command);
                }
            }
            _ => {}
        }
    }

    fn command_meets_loss(&mut self, id: CommandId) {
        let command = self.host.command_mut(id);
        command.fail(Status::MediaError);
        let pages = command.logical_pages();
        self.losses.note_met_by(pages);
    }

    /// Fails a read command, which has all its data, if any of the data is lost.
    #[cold]
    pub(super) fn check_lost(&mut self, id: CommandId) {
        let l2p = &self.store.ftl.l2p;
        let command = self.host.command_mut(id);
        let (first, end) = command.logical_pages();
        let mut lost = (first..end)
            .each()
            .filter(|&lpn| l2p.lookup(lpn) == Ppn::LOST)
            .peekable();
        if command.status() != Status::MediaError && lost.peek().is_none() {
            return;
        }
        command.fail(Status::MediaError);
        self.env.counters.failed_reads += 1;
        let asked = command.offset_bytes..command.end_byte();
        for lpn in lost {
            let begin = lpn.first_byte();
            let bytes = asked.end.min(begin + PAGE_BYTES) - asked.start.max(begin);
            self.env.counters.uncorrectable_sectors += bytes / SECTOR_BYTES;
        }
    }

    /// Fails a die: nothing on it can be read any more.
    ///
    /// # Panics
    /// When errors are not modelled (the drive has no `[media]`), or there is no such die.
    pub fn fail_die(&mut self, die: impl Into<DieId>) {
        self.store.media.fail_die(die.into());
    }

    /// Passes time without power: data ages, and nothing else happens. No effect if errors are not
    /// modelled. Between a power cut and the next start, time may pass both here and on the drive's
    /// clock: data ages by the sum.
    pub fn rest_without_power(&mut self, time: Nanos) {
        self.store.media.rest_without_power(time);
    }

    /// Raw bit error rate of the average page of the worst superblock that holds data, in parts of
    /// 10^12; `None` if errors are not modelled.
    pub fn rber_max(&self) -> Option<u64> {
        if !self.store.media.has_errors() {
            return None;
        }
        let ftl = &self.store.ftl;
        self.env
            .layout
            .all_superblocks()
            .each()
            .filter(|&superblock| ftl.l2p.valid_in(superblock) > 0)
            .map(|superblock| {
                let media = &self.store.media;
                media.worst_rber(&self.env, &ftl.superblocks, superblock).0
            })
            .max()
    }
}

/// Programs that fail, and blocks that go bad.
impl SimDrive {
    /// Repeats a program that has failed. Returns true if it has: the program of the multi-plane
    /// pages from `mp_page` on, of a superblock, row and die, has just ended. The die erases the
    /// block that replaces the bad one, copies its data to it and programs again, all as one
    /// operation, ahead of the programs that wait for the die.
    #[inline(always)]
    pub(super) fn program_is_repeated(
        &mut self,
        mp_page: MpPage,
        (superblock, row, die): (SuperblockId, Row, DieId),
        op: NandOp,
    ) -> bool {
        self.store.media.program_fails(superblock, (row, die))
            && self.repeat_program(mp_page, (superblock, row, die), op)
    }

    #[cold]
    fn repeat_program(
        &mut self,
        mp_page: MpPage,
        (superblock, row, die): (SuperblockId, Row, DieId),
        op: NandOp,
    ) -> bool {
        let failed = self.program_failed(superblock, row, die);
        let mode = self.store.ftl.superblocks.mode(superblock);
        let mp_pages_per_program = self.env.layout.shape(mode).mp_pages_per_program;
        match failed {
            Failed::Again(before) => {
                let work = Work::Program {
                    program: before + self.env.times.program(mode, row, die),
                    bytes: mp_pages_per_program * page_bytes(&self.env.spec),
                };
                self.env.counters.programs_of(mode);
                let media = &mut self.store.media;
                media.submit_first(&mut self.env, die, Class::HostProgram, work, op);
                true
            }
            Failed::Nowhere => {
                self.lose_program(die, mp_page..mp_page + mp_pages_per_program);
                false
            }
        }
    }

    #[cold]
    fn program_failed(&mut self, superblock: SuperblockId, row: Row, die: DieId) -> Failed {
        self.env.counters.program_failures += 1;
        let mode = self.store.ftl.superblocks.mode(superblock);
        let mut erase = Nanos::ZERO;
        loop {
            if !self.find_block_for_data(superblock, die) {
                return Failed::Nowhere;
            }
            let media = &mut self.store.media;
            let (time, bears) = media.erase_replacement(&mut self.env, mode, superblock, die);
            erase += time;
            if bears {
                break;
            }
        }
        let place = (superblock, row, die);
        let noted = self.store.persistence.is_some();
        let media = &mut self.store.media;
        Failed::Again(media.copy_to_replacement(&mut self.env, mode, place, erase, noted))
    }

    /// Replaces a bad block for data that waits in the buffer. If there is no spare block, an
    /// erased superblock of the data area without reservations gives up its blocks, so that the
    /// data is not lost, and the drive becomes read-only.
    fn find_block_for_data(&mut self, superblock: SuperblockId, die: DieId) -> bool {
        let Store { media, ftl, .. } = &mut self.store;
        if media.find_block(&mut ftl.superblocks, superblock, die) {
            return true;
        }
        // The refused writes free their reservations.
        self.wears_out();
        let Store { media, ftl, .. } = &mut self.store;
        if !ftl.has_superblock(&self.env, Pool::Data) {
            return false;
        }
        let Some(erased) = ftl.superblocks.lose_erased(Pool::Data) else {
            return false;
        };
        let mp_pages = self.env.layout.mp_pages_of(Pool::Data, 1);
        ftl.space.add(Pool::Data, -mp_pages);
        media.take_block_of(erased, superblock, die)
    }

    /// Notes that the data of multi-plane pages without a block is lost.
    #[cold]
    fn lose_program(&mut self, die: DieId, mp_pages: std::ops::Range<MpPage>) {
        let l2p = &self.store.ftl.l2p;
        let mut lost: Vec<(MpPage, u32)> =
            mp_pages.each().map(|s| (s, l2p.valid_bits(s))).collect();
        for &(mp_page, _) in &lost {
            self.env.counters.lost_pages += 1;
            self.store.ftl.l2p.lose(mp_page);
            self.store.ftl.l2p.tear(mp_page);
            self.store.page_is_void(mp_page);
            self.store.media.lose_page(mp_page);
        }
        self.store.log_unprogrammed(&self.env, &mut lost);
        let (env, store) = (&self.env, &self.store);
        self.losses.note_no_block(env, store, die, &lost);
    }

    /// Handles a word line that a die has copied.
    pub(super) fn fold_copied(&mut self, within: u32) {
        if self.store.media.has_blocks() && self.fold_fails(within) {
            return;
        }
        let (env, store) = (&mut self.env, &mut self.store);
        self.folder.copied(env, store, &mut self.controller, within);
    }

    /// Returns true if a copy has failed. The copy is then repeated in another block; without one
    /// the data stays in the cache, and the drive becomes read-only.
    fn fold_fails(&mut self, within: u32) -> bool {
        let Store { media, ftl, .. } = &mut self.store;
        let (row, die) = ftl.fold.place(&self.env.layout, within);
        let target = ftl.fold.target();
        if !media.program_fails(target, (row, die)) {
            return false;
        }
        match self.program_failed(target, row, die) {
            Failed::Again(before) => {
                let (env, store) = (&mut self.env, &mut self.store);
                self.folder.copy_again(env, store, within, before);
            }
            Failed::Nowhere => self.folder.give_up(),
        }
        true
    }

    /// Handles the erase of a die's block of a superblock.
    pub(super) fn erase_done(&mut self, superblock: SuperblockId, die: DieId) {
        let erased = self.store.block_erased(&mut self.env, superblock, die);
        if erased.is_none() {
            return;
        }
        self.trim.erased(&mut self.env, superblock);
        if self.store.ftl.superblocks.worn_out() {
            self.wears_out();
        }
        self.settle_all();
    }
}
