//! Logging changes of the L2P, as they take effect.

use std::ops::Range;

use super::atomic_writes::Part;
use super::change::{Change, ChangeKind};
use super::durable_l2p::DurableL2p;
use super::journal_buffer::JournalBuffer;
use super::{FlashView, Persistence};
use crate::sim::faults::Fault;
use crate::sim::ftl::write::Relocated;
use crate::sim::geometry::bits::set_bits;
use crate::sim::ids::{CommandId, IdRange, Lpn, MpPage, Ppn, SuperblockId};
use crate::sim::l2p::rows::PlaceRun;
use crate::sim::l2p::table::{L2p, lpns_in_a_row, place_run};

/// Writes, and TRIMs that wait for them.
impl Persistence {
    /// Logical pages of the longest write that a power cut keeps or loses as a whole.
    #[inline(always)]
    pub fn piece_pages(&self) -> u32 {
        self.writes.piece_pages()
    }

    /// True if a TRIM of these logical pages must wait for the end of a write.
    pub fn trim_must_wait(&self, pages: &Range<Lpn>) -> bool {
        self.writes.overlap(pages) && !self.faults.has(Fault::Unordered)
    }

    /// Notes a part of a write that is about to be placed, and the places that its pages supersede.
    /// Returns true if the part completes an atomic group, and these places, if they are a run.
    #[inline(always)]
    pub fn begins_to_place(
        &mut self,
        part: &Part,
        view: &FlashView<'_>,
    ) -> (bool, Option<PlaceRun>) {
        let places = self.supersede(part.pages.clone(), view);
        self.durable.dirty().mark_all(part.pages.clone());
        let completes = self.writes.places(part, self.buffer.next_lsn());
        if !self.faults.has(Fault::TornRequest) {
            self.buffer.begin_group(part.pages == part.write);
        }
        (completes, places)
    }

    /// Logs that `pages` logical pages have consecutive places in a multi-plane page.
    #[inline(always)]
    pub fn log_write(&mut self, pages: u32, to: Ppn, superblock: SuperblockId) {
        self.durable.will_need(superblock, pages);
        self.buffer.push_write(to, pages);
    }

    /// Ends the atomic group after all pages of the part that completes it have been logged.
    #[inline(always)]
    pub fn group_is_whole(&mut self) {
        self.buffer.end_group();
    }

    /// Ends a write of which no more parts follow, and of which only whole pieces have been placed.
    #[cold]
    pub fn give_up(&mut self, command: CommandId) {
        self.writes.give_up(command);
    }

    /// Notes the places in flash of logical pages that the next changes name. Returns them if they
    /// are a run.
    #[inline(always)]
    fn supersede(&mut self, pages: Range<Lpn>, view: &FlashView<'_>) -> Option<PlaceRun> {
        let moved = match self.keeps_fold_sources() && view.fold.is_under_way() {
            true => places_in(view.fold.target(), view),
            false => Ppn(0)..Ppn(0),
        };
        let durable = &mut self.durable;
        if view.l2p.pending_trims().is_empty() {
            let run = match pages.count() {
                1 => Some(PlaceRun::one(view.l2p.entry(pages.start))),
                _ => place_run(view.l2p, pages.clone()),
            };
            if let Some(run) = run
                && !run.meets(&moved)
            {
                durable.will_supersede_run(run);
                return Some(run);
            }
        }
        supersede_each(durable, pages, view, &moved);
        None
    }

    /// Place that flash must have for `place`: the source of a fold, as long as its parity has not
    /// been copied too.
    fn durable_place(&self, place: Ppn, view: &FlashView<'_>) -> Ppn {
        match self.keeps_fold_sources() {
            true => view.fold.durable_place(view.layout, place),
            false => place,
        }
    }

    /// Joins changes from this LSN on to the atomic group of a write, which coalesces with their
    /// data.
    pub fn join_from(&mut self, lsn: u64, view: &FlashView<'_>) {
        // Ready changes need not be joined.
        self.count_ready(view);
        if !self.faults.has(Fault::CoalesceTorn) {
            self.buffer.open_groups_from(lsn);
        }
    }
}

/// Changes that are no writes.
impl Persistence {
    #[inline]
    fn push_to(&mut self, change: Change, superblock: SuperblockId) {
        self.durable.will_need(superblock, change.entries() as u32);
        self.buffer.push(change);
    }

    /// Marks the entries of the logical pages that were written to pages of a multi-plane page, one
    /// bit each.
    #[inline(always)]
    pub fn entries_change(&mut self, first: Ppn, pages: u32, l2p: &L2p) {
        let dirty = self.durable.dirty();
        if pages == 0 || dirty.are_all() {
            return;
        }
        match lpns_in_a_row(l2p, first, pages) {
            Some(lpns) => dirty.mark_all(lpns),
            None => l2p.lpns_of(first, pages).for_each(|lpn| dirty.mark(lpn)),
        }
    }

    /// Logs a TRIM of logical pages that is about to take effect.
    pub fn log_trim(&mut self, pages: Range<Lpn>, view: &FlashView<'_>) {
        if pages.start < pages.end {
            self.supersede(pages.clone(), view);
            let change = Change::new(ChangeKind::Trim, pages.start, pages.count(), Ppn(0));
            self.buffer.push(change);
        }
    }

    /// Logs the relocation of pages of the multi-plane page at `from`; `unnamed` of them are not
    /// logged ([`trimmed_bits`]).
    #[inline(never)]
    pub fn log_relocation(&mut self, from: Ppn, moved: Relocated, unnamed: u32) {
        let Relocated {
            pages,
            to,
            superblock,
        } = moved;
        let (mut left, mut next) = (pages, to);
        while left != 0 {
            // Up to the next page that is not named.
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

    /// Logs the copy of pages of a multi-plane page, one bit each, to the same places of another.
    #[inline(never)]
    pub fn log_fold(
        &mut self,
        from: Ppn,
        pages: u32,
        to: Ppn,
        superblock: SuperblockId,
        view: &FlashView<'_>,
    ) {
        let pages = pages & !trimmed_bits(from, pages, view.l2p);
        if pages != 0 {
            self.entries_change(from, pages, view.l2p);
            let change = Change::new(ChangeKind::Fold, from, pages, to);
            self.push_to(change, superblock);
        }
    }

    /// Logs that pages of a multi-plane page, one bit each, cannot be read any more.
    #[cold]
    pub fn log_loss(&mut self, first: Ppn, pages: u32, view: &FlashView<'_>) {
        let pages = pages & !trimmed_bits(first, pages, view.l2p);
        let durable = self.durable_place(first, view);
        if self.faults.has(Fault::LossForgotten) {
            for bit in set_bits(pages) {
                let lpn = view.l2p.lpn_of(first + bit);
                self.in_flash.push((lpn, durable + bit));
            }
        } else if pages != 0 {
            self.entries_change(first, pages, view.l2p);
            self.buffer
                .push(Change::new(ChangeKind::Lose, durable, pages, Ppn(0)));
        }
    }

    /// Logs the loss of pages of multi-plane pages that could not be programmed, one bit each. To
    /// the given pages are added those that a change not yet durable names although newer data has
    /// superseded them. The changes that name them become durable together with the loss, so that
    /// flash never refers to missing data.
    #[cold]
    pub fn log_unprogrammed(&mut self, lost: &mut [(MpPage, u32)], view: &FlashView<'_>) {
        // Ready changes need not wait.
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
        // These changes wait for no program, so all of them are ready when the first is.
        for (page, pages) in lost {
            let first = page.first_ppn(bits);
            let named = named(&self.buffer, *page);
            let valid = *pages & !trimmed_bits(first, *pages, view.l2p);
            *pages |= named;
            if *pages != 0 {
                self.entries_change(first, valid, view.l2p);
                self.buffer
                    .push(Change::new(ChangeKind::Lose, first, valid, Ppn(0)));
            }
        }
    }
}

/// The pages of a superblock.
fn places_in(superblock: SuperblockId, view: &FlashView<'_>) -> Range<Ppn> {
    let pages = view.layout.mp_pages_in(superblock);
    let bits = view.layout.page_bits;
    pages.start.first_ppn(bits)..pages.end.first_ppn(bits)
}

/// Same as [`Persistence::supersede`], for pages that are scattered, or whose place in flash
/// differs from the L2P: a TRIM of them is pending, or a fold has moved them to `moved`.
#[inline(never)]
fn supersede_each(
    durable: &mut DurableL2p,
    pages: Range<Lpn>,
    view: &FlashView<'_>,
    moved: &Range<Ppn>,
) {
    durable.will_supersede(pages.each().map(|lpn| match view.l2p.entry(lpn) {
        _ if view.l2p.pending_trims().has(lpn) => Ppn::UNMAPPED,
        place if moved.contains(&place) => view.fold.durable_place(view.layout, place),
        place => place,
    }));
}

/// Pages among valid pages of a multi-plane page, one bit each, that a change must not name, since
/// a pending TRIM has named them already.
#[inline(always)]
pub(in crate::sim) fn trimmed_bits(first: Ppn, pages: u32, l2p: &L2p) -> u32 {
    match l2p.pending_trims().is_empty() {
        true => 0,
        false => find_trimmed(first, pages, l2p),
    }
}

#[inline(never)]
fn find_trimmed(first: Ppn, pages: u32, l2p: &L2p) -> u32 {
    set_bits(pages)
        .filter(|bit| l2p.pending_trims().has(l2p.lpn_of(first + *bit)))
        .fold(0, |bits, bit| bits | 1 << bit)
}
