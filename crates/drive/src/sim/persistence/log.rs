//! Logging changes of the L2P: writes when all of a piece is placed, and all other changes at once.

use std::ops::Range;

use super::atomic_writes::AtomicWrites;
use super::change::{Change, ChangeKind};
use super::{FlashView, Persistence};
use crate::sim::faults::Fault;
use crate::sim::ids::{CommandId, IdRange, Lpn, MpPage, Ppn, SuperblockId};

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

    fn overlaps(&self, pages: &Range<Lpn>) -> bool {
        self.writes.overlap(pages.start, pages.end) && !self.faults.has(Fault::Unordered)
    }

    /// Logical pages to be reserved for a write of these, beyond what has been, before its part at
    /// page `at` is admitted, where `left` more may be; `None` when that has to wait.
    #[inline(never)]
    pub fn reservation(
        &mut self,
        command: CommandId,
        pages: Range<Lpn>,
        at: Lpn,
        left: u32,
    ) -> Option<u32> {
        let overlaps = at == pages.start && self.overlaps(&pages);
        let reservation = self.writes.reservation(command, pages, at, left, overlaps);
        if reservation.is_none() {
            self.writes.refuse();
        }
        reservation
    }

    /// A part of a write, up to logical page `end`, has its places: it is logged with the other
    /// parts of its piece when it is the last.
    #[inline(never)]
    pub fn part_placed(&mut self, command: CommandId, end: Lpn, last: bool, view: &FlashView<'_>) {
        let torn = self.faults.has(Fault::TornRequest);
        let placed = self.writes.placed(command, end, torn);
        let ended = placed.as_ref().is_some_and(|(_, ended)| *ended);
        if let Some((pages, _)) = placed {
            self.log_piece(pages, view);
        }
        if last && !ended {
            // A write that was given up has not reached the end of its last piece.
            self.writes.remove(command);
        }
    }

    fn log_piece(&mut self, pages: Range<Lpn>, view: &FlashView<'_>) {
        if let Some(lsn) = self.buffer.take_joined() {
            self.open_groups_from(lsn);
        }
        // GC may have moved what was placed first.
        let mut at = pages.start;
        while at < pages.end {
            at = self.log_run(at, pages.end, view);
        }
    }

    /// Changes that a write coalesces with join its atomic group.
    #[cold]
    fn open_groups_from(&mut self, lsn: u64) {
        if !self.faults.has(Fault::CoalesceTorn) {
            self.buffer.open_groups_from(lsn);
        }
    }

    /// Logs that logical pages from `first` on, up to `end` at most, lie one after another in a
    /// multi-plane page; the first that does not.
    fn log_run(&mut self, first: Lpn, end: Lpn, view: &FlashView<'_>) -> Lpn {
        let place = view.l2p.lookup(first);
        if place == Ppn::LOST {
            return self.log_lost_run(first, end, view);
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

    /// The same for logical pages that cannot be read any more though their write is not yet
    /// logged.
    #[cold]
    fn log_lost_run(&mut self, first: Lpn, end: Lpn, view: &FlashView<'_>) -> Lpn {
        let found = (first..end)
            .each()
            .find(|&lpn| view.l2p.lookup(lpn) != Ppn::LOST);
        let next = found.unwrap_or(end);
        let mut change = Change::new(ChangeKind::WriteLost, first, next - first, Ppn(0));
        change.set_ends_group(next == end);
        self.buffer.push(change);
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
        let must = self.overlaps(&pages);
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

    /// Logical pages were trimmed.
    #[inline(always)]
    pub fn log_trim(&mut self, pages: Range<Lpn>) {
        if pages.start < pages.end {
            let change = Change::new(ChangeKind::Trim, pages.start, pages.count(), Ppn(0));
            self.buffer.push(change);
        }
    }

    /// Pages of a multi-plane page, one bit each, have been relocated to the places from `to` on.
    #[inline(never)]
    pub fn log_relocation(&mut self, from: Ppn, pages: u32, to: Ppn, superblock: SuperblockId) {
        let change = Change::new(ChangeKind::Relocate, from, pages, to);
        self.push_to(change, superblock);
    }

    /// Pages of a multi-plane page, one bit each, have been copied to the same places of another.
    #[inline(never)]
    pub fn log_fold(&mut self, from: Ppn, pages: u32, to: Ppn, superblock: SuperblockId) {
        if pages != 0 {
            let change = Change::new(ChangeKind::Fold, from, pages, to);
            self.push_to(change, superblock);
        }
    }

    /// Pages of a multi-plane page, one bit each, cannot be read any more.
    #[cold]
    pub fn log_loss(&mut self, first: Ppn, pages: u32, view: &FlashView<'_>) {
        let first = self.durable_place(first, view);
        if pages != 0 && !self.faults.has(Fault::LossForgotten) {
            self.buffer
                .push(Change::new(ChangeKind::Lose, first, pages, Ppn(0)));
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
        for (page, pages) in &mut *lost {
            *pages |= self.buffer.named_bits(page.ppns(view.layout.page_bits));
        }
        let mut lost = lost.iter().filter(|lost| lost.1 != 0).peekable();
        if lost.peek().is_none() {
            return;
        }
        self.buffer.open_groups_from(0);
        // They wait for nothing, so all of them are ready when the first is.
        for &(page, pages) in lost {
            let first = page.first_ppn(view.layout.page_bits);
            self.buffer
                .push(Change::new(ChangeKind::Lose, first, pages, Ppn(0)));
        }
    }
}
