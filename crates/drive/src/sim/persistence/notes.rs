//! What is noted of the L2P: writes when all of a piece has its place, and all other changes.

use std::ops::Range;

use super::change::{Change, ChangeKind};
use super::{FlashView, Persistence};
use crate::sim::faults::Fault;
use crate::sim::ids::StreamId;
use crate::sim::ids::{CommandId, Lpn, Ppn, SuperblockId};
use crate::sim::l2p::mapping::LOST;

/// Writes, and what waits for them.
impl Persistence {
    /// Longest write that is kept or lost as a whole, in logical pages.
    pub fn atomic_write_pages(&self) -> u32 {
        self.writes.piece_pages()
    }

    fn overlaps(&self, pages: &Range<u32>) -> bool {
        self.writes.overlap(pages.start, pages.end) && !self.faults.has(Fault::Unordered)
    }

    /// Logical pages to be reserved for a write of these, beyond what has been, before its part at
    /// page `at` is admitted, where `left` more may be; `None` when that has to wait.
    #[inline(never)]
    pub fn reservation(
        &mut self,
        command: CommandId,
        pages: Range<u32>,
        at: Lpn,
        left: u32,
    ) -> Option<u32> {
        let overlaps = at.0 == pages.start && self.overlaps(&pages);
        let reservation = self
            .writes
            .reservation(command, pages, at.0, left, overlaps);
        if reservation.is_none() {
            self.writes.refuse();
        }
        reservation
    }

    /// The stream that the rest of a write's piece must go to.
    #[inline]
    pub fn stream_of_piece(&self, command: CommandId) -> Option<StreamId> {
        self.writes.stream_of(command)
    }

    /// A part of a write, of so many logical pages, has been admitted to a stream; `begins` is the
    /// whole write with its first part. With the first of a piece, it was reserved.
    #[inline(never)]
    pub fn part_admitted(
        &mut self,
        command: CommandId,
        begins: Option<Range<u32>>,
        (pages, reserved): (u32, u32),
        stream: StreamId,
    ) {
        self.writes
            .admitted(command, begins, pages, stream, reserved);
    }

    /// A part of a write, up to logical page `end`, has its places: it is noted with the other
    /// parts of its piece when it is the last.
    #[inline(never)]
    pub fn part_placed(&mut self, command: CommandId, end: Lpn, last: bool, view: &FlashView<'_>) {
        let torn = self.faults.has(Fault::TornRequest);
        let placed = self.writes.placed(command, end.0, torn);
        let ended = placed.as_ref().is_some_and(|(_, ended)| *ended);
        if let Some((pages, _)) = placed {
            self.note_piece(pages, view);
        }
        if last && !ended {
            // What was given up half way has not come to the end of its last piece.
            self.writes.remove(command);
        }
    }

    /// Nothing more of a write is admitted, of which all that was is placed, or not. The stream, and
    /// how many pages were reserved there for what does not come.
    #[cold]
    pub fn write_given_up(
        &mut self,
        command: CommandId,
        all_placed: bool,
    ) -> Option<(StreamId, u32)> {
        self.writes.give_up(command, all_placed)
    }

    fn note_piece(&mut self, pages: Range<u32>, view: &FlashView<'_>) {
        if let Some(lsn) = self.buffer.take_joined() {
            self.open_groups_from(lsn);
        }
        // GC may have moved what was placed first.
        let mut at = pages.start;
        while at < pages.end {
            at = self.note_run(at, pages.end, view);
        }
    }

    /// Changes that a write coalesces with join its atomic group.
    #[cold]
    fn open_groups_from(&mut self, lsn: u64) {
        if !self.faults.has(Fault::CoalesceTorn) {
            self.buffer.open_groups_from(lsn);
        }
    }

    /// Notes that logical pages from `first` on, up to `end` at most, lie one after another in a
    /// multi-plane page; the first that does not.
    fn note_run(&mut self, first: u32, end: u32, view: &FlashView<'_>) -> u32 {
        let place = view.l2p.lookup(first);
        if place == LOST {
            return self.note_lost_run(first, end, view);
        }
        let per_page = 1 << view.layout.unit_bits;
        let most = (end - first).min(per_page - (place & (per_page - 1)));
        let follows = |nth: &u32| view.l2p.lookup(first + nth) == place + nth;
        let next = first + 1 + (1..most).take_while(follows).count() as u32;
        let to = self.durable_place(place, view);
        let mut change = Change::new(ChangeKind::Write, first, next - first, to);
        change.ends_group = next == end;
        self.push_to(change, view.superblock_of(to));
        next
    }

    /// The same for logical pages that cannot be read any more though their write is not yet
    /// noted.
    #[cold]
    fn note_lost_run(&mut self, first: u32, end: u32, view: &FlashView<'_>) -> u32 {
        let found = (first..end).find(|&logical| view.l2p.lookup(logical) != LOST);
        let next = found.unwrap_or(end);
        let mut change = Change::new(ChangeKind::WriteLost, first, next - first, 0);
        change.ends_group = next == end;
        self.buffer.push(change);
        next
    }

    /// Where flash is to have what lies at a place: that from which a fold has copied it, as long as
    /// its parity has not been copied too.
    fn durable_place(&self, place: u32, view: &FlashView<'_>) -> u32 {
        match self.keeps_fold_sources() {
            true => view.fold.durable_place(view.layout, place),
            false => place,
        }
    }

    /// Whether a TRIM of these logical pages must wait for the end of a write; it waits among the
    /// writes then.
    pub fn trim_must_wait(&mut self, pages: Range<u32>) -> bool {
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
    fn push_to(&mut self, change: Change, superblock: u32) {
        self.durable.will_need(superblock, change.entries() as u32);
        self.buffer.push(change);
    }

    #[inline(always)]
    pub fn note_trim(&mut self, pages: Range<u32>) {
        if pages.start < pages.end {
            let change = Change::new(ChangeKind::Trim, pages.start, pages.end - pages.start, 0);
            self.buffer.push(change);
        }
    }

    /// Pages of a multi-plane page, one bit each, have been gathered from `to` on.
    #[inline(never)]
    pub fn note_relocation(&mut self, from: Ppn, pages: u32, to: Ppn, superblock: SuperblockId) {
        let change = Change::new(ChangeKind::Relocate, from.0, pages, to.0);
        self.push_to(change, superblock.0);
    }

    /// Pages of a multi-plane page, one bit each, have been copied to the same places of another.
    #[inline(never)]
    pub fn note_fold(&mut self, from: Ppn, pages: u32, to: Ppn, superblock: SuperblockId) {
        if pages != 0 {
            let change = Change::new(ChangeKind::Fold, from.0, pages, to.0);
            self.push_to(change, superblock.0);
        }
    }

    /// Pages of a multi-plane page, one bit each, cannot be read any more.
    #[cold]
    pub fn note_loss(&mut self, first: Ppn, pages: u32, view: &FlashView<'_>) {
        let first = self.durable_place(first.0, view);
        if pages != 0 && !self.faults.has(Fault::LossForgotten) {
            self.buffer
                .push(Change::new(ChangeKind::Lose, first, pages, 0));
        }
    }

    /// Pages of multi-plane pages that could not be programmed are lost, one bit each. The changes
    /// that name them become durable together with that, so that flash never has what is not there.
    #[cold]
    pub fn note_unprogrammed(&mut self, lost: &[(u32, u32)], view: &FlashView<'_>) {
        // What is ready needs not wait.
        self.count_ready(view);
        let mut lost = lost.iter().filter(|lost| lost.1 != 0).peekable();
        if lost.peek().is_none() {
            return;
        }
        self.buffer.open_groups_from(0);
        // They wait for nothing, so all of them are ready when the first is.
        for &(page, pages) in lost {
            let first = page << view.layout.unit_bits;
            self.buffer
                .push(Change::new(ChangeKind::Lose, first, pages, 0));
        }
    }
}
