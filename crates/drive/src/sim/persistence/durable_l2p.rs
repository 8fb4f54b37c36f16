//! The L2P as flash has it, beside the one in memory, and which superblocks it needs.

use super::change::{Change, ChangeKind};
use super::checkpoint::DirtyParts;
use super::releases::Releases;
use super::view::FlashView;
use crate::sim::geometry::bits::set_bits;
use crate::sim::ids::{IdRange, Lpn, Ppn, SuperblockId};
use crate::sim::l2p::table::L2p;
use crate::table::memory;

/// The L2P as flash has it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct DurableL2p {
    /// Physical page of each logical page.
    #[serde(with = "crate::table")]
    ppns: Vec<Ppn>,
    /// By superblock: pages to which it points, or will point when the changes not yet durable are.
    valid_counts: Vec<u32>,
    releases: Releases,
    /// Parts of the table that differ from the last checkpoint.
    dirty: DirtyParts,
}

impl DurableL2p {
    pub fn new(superblocks: usize, logical_pages: u32) -> DurableL2p {
        DurableL2p {
            ppns: memory::table(Ppn::UNMAPPED, logical_pages as usize),
            valid_counts: vec![0; superblocks],
            releases: Releases::new(superblocks),
            dirty: DirtyParts::new(logical_pages),
        }
    }

    /// The physical page of each logical page.
    pub fn table(&self) -> &[Ppn] {
        &self.ppns
    }

    /// Superblocks whose release is awaited.
    pub fn releases(&self) -> &Releases {
        &self.releases
    }

    /// The same, to be changed.
    pub fn releases_mut(&mut self) -> &mut Releases {
        &mut self.releases
    }

    /// Parts of the table that differ from the last checkpoint.
    pub fn dirty(&mut self) -> &mut DirtyParts {
        &mut self.dirty
    }

    /// A change that is not yet durable will point to so many pages of a superblock.
    #[inline(always)]
    pub fn will_need(&mut self, superblock: SuperblockId, pages: u32) {
        self.valid_counts[superblock.index()] += pages;
    }

    /// Whether it points into a superblock, or will.
    pub fn needs(&self, superblock: SuperblockId) -> bool {
        self.valid_counts[superblock.index()] > 0
    }

    /// Whether it has a logical page at a physical one.
    #[inline]
    pub fn is_at(&self, lpn: Lpn, ppn: Ppn) -> bool {
        lpn != Lpn::NONE && self.ppns[lpn.index()] == ppn
    }

    /// Unmaps a logical page without counting what is needed: for a cut, after which all is counted
    /// again.
    pub fn forget_page(&mut self, lpn: Lpn) {
        self.ppns[lpn.index()] = Ppn::UNMAPPED;
    }

    /// Nothing is mapped, and there are so many logical pages.
    pub fn set_logical_pages(&mut self, logical_pages: u32) {
        self.ppns = memory::table(Ppn::UNMAPPED, logical_pages as usize);
        self.dirty = DirtyParts::new(logical_pages);
    }

    /// Everything has been erased: nothing is mapped.
    pub fn forget_all(&mut self) {
        for (lpn, ppn) in (0..).map(Lpn).zip(&mut self.ppns) {
            if *ppn != Ppn::UNMAPPED {
                *ppn = Ppn::UNMAPPED;
                self.dirty.mark(lpn);
            }
        }
    }

    /// It is the L2P: counts again what it needs of each superblock.
    pub fn recount(&mut self, l2p: &L2p) {
        for (superblock, count) in (0..).map(SuperblockId).zip(&mut self.valid_counts) {
            *count = l2p.valid_in(superblock);
        }
        self.releases.power_cut();
    }

    /// So many pages less are needed of a superblock.
    #[inline]
    fn need_less(&mut self, superblock: SuperblockId, pages: u32) {
        let count = &mut self.valid_counts[superblock.index()];
        *count -= pages;
        if *count == 0 {
            self.releases.not_needed(superblock);
        }
    }

    /// Makes the first of some changes part of the table; the entries of those that follow are
    /// prefetched.
    pub fn apply(
        &mut self,
        changes: &std::collections::VecDeque<Change>,
        count: usize,
        view: &FlashView<'_>,
    ) {
        let (mut soon, mut later) = (
            changes.range(8.min(changes.len())..),
            changes.range(16.min(changes.len())..),
        );
        for &change in changes.range(..count) {
            self.prefetch(soon.next(), later.next(), view.l2p);
            self.apply_change(change, view);
        }
    }

    /// Prefetches the entries of changes that follow; for moves, first the LPNs.
    #[inline]
    fn prefetch(&self, soon: Option<&Change>, later: Option<&Change>, l2p: &L2p) {
        let Some(soon) = soon else {
            return;
        };
        match soon.kind {
            ChangeKind::Relocate | ChangeKind::Fold => {
                for ppn in (soon.to()..soon.to() + soon.entries() as u32).each() {
                    memory::prefetch(&self.ppns, l2p.lpn_of(ppn).index());
                }
            }
            _ => memory::prefetch(&self.ppns, soon.lpn().index()),
        }
        if let Some(later) = later
            && matches!(later.kind, ChangeKind::Relocate | ChangeKind::Fold)
        {
            l2p.prefetch_lpn(later.to());
        }
    }

    fn apply_change(&mut self, change: Change, view: &FlashView<'_>) {
        match change.kind {
            ChangeKind::Write if change.pages == 1 => {
                self.apply_one(change.lpn(), change.to(), view)
            }
            ChangeKind::Write => self.apply_run(change, (change.to(), 1), view),
            ChangeKind::Trim => self.apply_run(change, (Ppn::UNMAPPED, 0), view),
            ChangeKind::WriteLost => self.apply_run(change, (Ppn::LOST, 0), view),
            ChangeKind::Lose => {
                for bit in set_bits(change.pages) {
                    let ppn = change.ppn() + bit;
                    let lpn = view.l2p.lpn_of(ppn);
                    // Something newer may have come in between.
                    if self.ppns[lpn.index()] == ppn {
                        self.ppns[lpn.index()] = Ppn::LOST;
                        self.dirty.mark(lpn);
                        self.need_less(view.superblock_of(ppn), 1);
                    }
                }
            }
            ChangeKind::Relocate => self.apply_move(change, view, true),
            ChangeKind::Fold => self.apply_move(change, view, false),
        }
    }

    /// Pages of a multi-plane page have been moved, one behind another or each to the same place of
    /// another multi-plane page.
    #[inline(always)]
    fn apply_move(&mut self, change: Change, view: &FlashView<'_>, in_a_row: bool) {
        let (mut left, mut next) = (change.pages, change.to());
        let (mut moved, mut stale, mut moved_last) = (0, 0, false);
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let old = change.ppn() + bit;
            let new = if in_a_row { next } else { change.to() + bit };
            next += 1;
            let lpn = view.l2p.lpn_of(new);
            // A page that was moved before its write was logged is not yet known here; the write
            // names the new place.
            let ppn = &mut self.ppns[lpn.index()];
            moved_last = *ppn == old;
            if moved_last {
                *ppn = new;
                self.dirty.mark(lpn);
                moved += 1;
            } else {
                stale += 1;
            }
        }
        // All of either lie in one superblock.
        let (from, into) = (
            (view.superblock_of(change.ppn()), moved),
            (view.superblock_of(change.to()), stale),
        );
        // In the order in which the last of each was looked at.
        let order = if moved_last {
            [into, from]
        } else {
            [from, into]
        };
        for (superblock, pages) in order {
            if pages > 0 {
                self.need_less(superblock, pages);
            }
        }
    }

    /// Gives one logical page its place.
    #[inline(always)]
    fn apply_one(&mut self, lpn: Lpn, to: Ppn, view: &FlashView<'_>) {
        let old = std::mem::replace(&mut self.ppns[lpn.index()], to);
        if old != to {
            self.dirty.mark(lpn);
        }
        if old.is_place() {
            self.need_less(view.superblock_of(old), 1);
        }
    }

    /// Gives the logical pages that a change names their places: the first one this, each further
    /// one a place `step` further on.
    #[inline(always)]
    fn apply_run(&mut self, change: Change, (to, step): (Ppn, u32), view: &FlashView<'_>) {
        let (mut first, end) = (change.lpn(), change.lpn() + change.pages);
        while first < end {
            // What one part of the table holds of it.
            let part_end = DirtyParts::part_end(first).min(end);
            let new = to + (first - change.lpn()) * step;
            if self.apply_part(first..part_end, (new, step), view) {
                self.dirty.mark(first);
            }
            first = part_end;
        }
    }

    /// The same for logical pages of one part of the table. Whether that changes anything.
    #[inline(always)]
    fn apply_part(
        &mut self,
        lpn: std::ops::Range<Lpn>,
        (to, step): (Ppn, u32),
        view: &FlashView<'_>,
    ) -> bool {
        let places = &mut self.ppns[lpn.start.index()..lpn.end.index()];
        let (old, count) = (places[0], lpn.end - lpn.start);
        // What was written in a row mostly lay in a row, in one multi-plane page.
        let bits = view.layout.page_bits;
        let in_page = old.within_mp_page(bits) + count <= 1 << bits;
        if old.is_place()
            && in_page
            && places
                .iter()
                .zip(old.0..)
                .all(|(&place, nth)| place.0 == nth)
        {
            for (place, nth) in places.iter_mut().zip(0..) {
                *place = to + nth * step;
            }
            self.need_less(view.superblock_of(old), count);
            return old != to;
        }
        let mut differs = 0;
        for (lpn, nth) in lpn.each().zip(0..) {
            let new = to + nth * step;
            let old = std::mem::replace(&mut self.ppns[lpn.index()], new);
            differs |= old.0 ^ new.0;
            if old.is_place() {
                self.need_less(view.superblock_of(old), 1);
            }
        }
        differs != 0
    }
}
