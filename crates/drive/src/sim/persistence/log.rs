//! Logging changes of the L2P: writes when all of a piece is placed, and all other changes at once.

use std::ops::Range;

use super::atomic_writes::AtomicWrites;
use super::change::{Change, ChangeKind};
use super::journal_buffer::JournalBuffer;
use super::superseded::PlaceRun;
use super::{FlashView, Persistence};
use crate::sim::faults::Fault;
use crate::sim::geometry::bits::set_bits;
use crate::sim::ids::{CommandId, IdRange, Lpn, MpPage, Ppn, SuperblockId};
use crate::sim::l2p::table::L2p;

/// Writes, and what waits for them.
impl Persistence {
    /// Writes that have begun to take their places.
    #[inline]
    pub fn writes(&self) -> &AtomicWrites {
        &self.writes
    }

    /// The same, to be changed.
    pub fn writes_mut(&mut self) -> &mut AtomicWrites {
        &mut self.writes
    }

    /// Logical pages to be reserved for a write of these, beyond what has been, before its part at
    /// page `at` is admitted, where `left` more may be; `None` when that has to wait.
    #[inline(always)]
    pub fn reservation(
        &mut self,
        command: CommandId,
        pages: Range<Lpn>,
        at: Lpn,
        left: u32,
    ) -> Option<u32> {
        let overlaps = at == pages.start
            && self.writes.overlap(pages.start, pages.end)
            && !self.faults.has(Fault::Unordered);
        let reservation = self.writes.reservation(command, pages, at, left, overlaps);
        if reservation.is_none() {
            self.writes.refuse();
        }
        reservation
    }

    /// Data of a write is about to be placed: notes what these pages supersede.
    #[inline(always)]
    pub fn begins_to_place(&mut self, pages: Range<Lpn>, view: &FlashView<'_>) {
        let moved = self.keeps_fold_sources() && view.fold.is_under_way();
        if moved || !view.l2p.pending_trims().is_empty() {
            find_superseded(&mut self.placing, pages, view, moved);
            return;
        }
        let places = pages.each().map(|lpn| view.l2p.entry(lpn));
        PlaceRun::find(&mut self.placing, places);
    }

    /// Data of a write has its places: all of it, or a part, the `last` or not. A part is logged
    /// with the others of its piece when it is the last of that.
    #[inline(never)]
    pub fn part_placed(
        &mut self,
        command: CommandId,
        pages: Range<Lpn>,
        last: bool,
        view: &FlashView<'_>,
    ) {
        self.writes.makes_room();
        if !self.writes.has(command) {
            for &run in &self.placing {
                self.durable.will_supersede(run);
            }
            self.log_piece(pages, view);
            return;
        }
        let torn = self.faults.has(Fault::TornRequest);
        let piece = self.writes.placed(command, pages.end, &self.placing, torn);
        if let Some(piece) = piece {
            for run in self.writes.take_superseded(command) {
                self.durable.will_supersede(run);
            }
            self.log_piece(piece, view);
        }
        if last {
            self.writes.remove(command);
        }
    }

    #[inline(always)]
    fn log_piece(&mut self, pages: Range<Lpn>, view: &FlashView<'_>) {
        if let Some(lsn) = self.buffer.take_joined()
            && !self.faults.has(Fault::CoalesceTorn)
        {
            self.buffer.open_groups_from(lsn);
        }
        // GC may have moved what was placed first.
        let mut at = pages.start;
        while at < pages.end {
            at = self.log_run(at, pages.end, view);
        }
    }

    /// Logs that logical pages from `first` on, up to `end` at most, lie one after another in a
    /// multi-plane page; the first that does not.
    #[inline(always)]
    fn log_run(&mut self, first: Lpn, end: Lpn, view: &FlashView<'_>) -> Lpn {
        let place = view.l2p.lookup(first);
        if place == Ppn::LOST {
            let next = end_of_lost(first, end, view.l2p);
            let mut change = Change::new(ChangeKind::WriteLost, first, next - first, Ppn(0));
            change.set_ends_group(next == end);
            self.buffer.push(change);
            return next;
        }
        let per_page = 1 << view.layout.page_bits;
        let most = (end - first).min(per_page - place.within_mp_page(view.layout.page_bits));
        let follows = |nth: &u32| view.l2p.lookup(first + *nth) == place + *nth;
        let next = first + 1 + (1..most).take_while(follows).count() as u32;
        let to = self.durable_place(place, view);
        let mut change = Change::new(ChangeKind::Write, first, next - first, to);
        change.set_ends_group(next == end);
        self.push_to(change, view.superblock_of(to));
        next
    }

    /// Where flash is to have what lies at a place: that from which a fold has copied it, as long
    /// as its parity has not been copied too.
    fn durable_place(&self, place: Ppn, view: &FlashView<'_>) -> Ppn {
        match self.keeps_fold_sources() {
            true => view.fold.durable_place(view.layout, place),
            false => place,
        }
    }

    /// Whether a TRIM of these logical pages must wait for the end of a write; it waits among the
    /// writes then.
    pub fn trim_must_wait(&mut self, pages: Range<Lpn>) -> bool {
        let overlaps = self.writes.overlap(pages.start, pages.end);
        let must = overlaps && !self.faults.has(Fault::Unordered);
        if must {
            self.writes.refuse();
        }
        must
    }

    /// A write coalesces with what changes from this LSN on may name: they join its atomic group.
    pub fn join_from(&mut self, lsn: u64, view: &FlashView<'_>) {
        // What is ready needs not be joined.
        self.count_ready(view);
        self.buffer.join_from(lsn);
    }
}

/// Changes that are no writes.
impl Persistence {
    #[inline]
    fn push_to(&mut self, change: Change, superblock: SuperblockId) {
        self.durable.will_need(superblock, change.entries() as u32);
        self.buffer.push(change);
    }

    /// Logical pages are about to be trimmed.
    pub fn log_trim(&mut self, pages: Range<Lpn>, view: &FlashView<'_>) {
        if pages.start < pages.end {
            self.begins_to_place(pages.clone(), view);
            for &run in &self.placing {
                self.durable.will_supersede(run);
            }
            let change = Change::new(ChangeKind::Trim, pages.start, pages.count(), Ppn(0));
            self.buffer.push(change);
        }
    }

    /// Those of some valid pages of a multi-plane page, one bit each, that a change must not name:
    /// a TRIM has already, or the write that they belong to will.
    #[inline(always)]
    pub fn unnamed_bits(&self, first: Ppn, pages: u32, l2p: &L2p) -> u32 {
        match l2p.pending_trims().is_empty() && !self.writes.has_unlogged() {
            true => 0,
            false => find_unnamed(&self.writes, first, pages, l2p),
        }
    }

    /// Pages of a multi-plane page, one bit each, have been relocated to the places from `to` on;
    /// `unnamed` of them are not logged.
    #[inline(never)]
    pub fn log_relocation(
        &mut self,
        from: Ppn,
        (pages, unnamed): (u32, u32),
        to: Ppn,
        superblock: SuperblockId,
    ) {
        let (mut left, mut next) = (pages, to);
        while left != 0 {
            // Up to the next one that is not named.
            let end = left & unnamed;
            let named = left & !end & (end & end.wrapping_neg()).wrapping_sub(1);
            if named != 0 {
                let change = Change::new(ChangeKind::Relocate, from, named, next);
                self.push_to(change, superblock);
            }
            next += named.count_ones() + u32::from(end != 0);
            left &= !(named | end & end.wrapping_neg());
        }
    }

    /// Pages of a multi-plane page, one bit each, have been copied to the same places of another.
    #[inline(never)]
    pub fn log_fold(
        &mut self,
        from: Ppn,
        pages: u32,
        (to, superblock): (Ppn, SuperblockId),
        view: &FlashView<'_>,
    ) {
        let pages = pages & !self.unnamed_bits(from, pages, view.l2p);
        if pages != 0 {
            let change = Change::new(ChangeKind::Fold, from, pages, to);
            self.push_to(change, superblock);
        }
    }

    /// Pages of a multi-plane page, one bit each, cannot be read any more.
    #[cold]
    pub fn log_loss(&mut self, first: Ppn, pages: u32, view: &FlashView<'_>) {
        let pages = pages & !self.unnamed_bits(first, pages, view.l2p);
        let durable = self.durable_place(first, view);
        if self.faults.has(Fault::LossForgotten) {
            for bit in set_bits(pages) {
                let lpn = view.l2p.lpn_of(first + bit);
                self.writes.never_log(lpn, durable + bit);
            }
        } else if pages != 0 {
            self.buffer
                .push(Change::new(ChangeKind::Lose, durable, pages, Ppn(0)));
        }
    }

    /// Pages of multi-plane pages that could not be programmed are lost, one bit each: those given,
    /// to which are added those that a change not yet durable names though something newer has
    /// superseded them. The changes that name them become durable together with that, so that flash
    /// never has what is not there.
    #[cold]
    pub fn log_unprogrammed(&mut self, lost: &mut [(MpPage, u32)], view: &FlashView<'_>) {
        // What is ready needs not wait.
        self.count_ready(view);
        let bits = view.layout.page_bits;
        let named = |buffer: &JournalBuffer, page: MpPage| buffer.named_bits(page.ppns(bits));
        if lost
            .iter()
            .all(|&(page, pages)| pages | named(&self.buffer, page) == 0)
        {
            return;
        }
        self.buffer.open_groups_from(0);
        // They wait for nothing, so all of them are ready when the first is.
        for (page, pages) in lost {
            let first = page.first_ppn(bits);
            let named = named(&self.buffer, *page);
            let mut valid = *pages & !self.unnamed_bits(first, *pages, view.l2p);
            // What the write that superseded it has not been logged for is lost in flash too.
            for bit in set_bits(named & !*pages) {
                valid |= u32::from(self.writes.lose_superseded(first + bit)) << bit;
            }
            *pages |= named;
            if *pages != 0 {
                self.buffer
                    .push(Change::new(ChangeKind::Lose, first, valid, Ppn(0)));
            }
        }
    }
}

/// See [`Persistence::begins_to_place`], where a page may not lie, for flash, where the L2P says:
/// a TRIM of it is pending, or a fold has `moved` it.
#[inline(never)]
fn find_superseded(
    placing: &mut Vec<PlaceRun>,
    pages: Range<Lpn>,
    view: &FlashView<'_>,
    moved: bool,
) {
    let place = |lpn| match (view.l2p.pending_trims().has(lpn), moved) {
        (true, _) => Ppn::UNMAPPED,
        (false, true) => view.fold.durable_place(view.layout, view.l2p.entry(lpn)),
        (false, false) => view.l2p.entry(lpn),
    };
    PlaceRun::find(placing, pages.each().map(place));
}

/// The end of the logical pages from one on that cannot be read any more though their write is not
/// yet logged.
#[cold]
fn end_of_lost(first: Lpn, end: Lpn, l2p: &L2p) -> Lpn {
    let mut all = (first..end).each();
    let found = all.find(|&lpn| l2p.lookup(lpn) != Ppn::LOST);
    found.unwrap_or(end)
}

/// See [`Persistence::unnamed_bits`].
#[inline(never)]
fn find_unnamed(writes: &AtomicWrites, first: Ppn, pages: u32, l2p: &L2p) -> u32 {
    let unnamed = |bit: &u32| {
        let lpn = l2p.lpn_of(first + *bit);
        l2p.pending_trims().has(lpn) || writes.is_unlogged(lpn)
    };
    set_bits(pages)
        .filter(unnamed)
        .fold(0, |bits, bit| bits | 1 << bit)
}
