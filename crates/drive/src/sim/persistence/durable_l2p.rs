//! The L2P as flash has it, beside the one in memory, and which superblocks it needs.

use super::change::{Change, ChangeKind};
use super::checkpoint::DirtyParts;
use super::releases::Releases;
use super::view::FlashView;
use crate::sim::l2p::mapping::{LOST, Mapping, UNMAPPED};
use crate::sim::l2p::memory;

/// The L2P as flash has it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct DurableL2p {
    /// Physical page of each logical page.
    #[serde(with = "crate::state::table")]
    physical: Vec<u32>,
    /// By superblock: pages to which it points, or will point when the changes not yet durable are.
    valid_counts: Vec<u32>,
    releases: Releases,
    /// Parts of the table that differ from the last checkpoint.
    dirty: DirtyParts,
}

impl DurableL2p {
    pub fn new(superblocks: usize, logical_pages: u32) -> DurableL2p {
        DurableL2p {
            physical: memory::table(UNMAPPED, logical_pages as usize),
            valid_counts: vec![0; superblocks],
            releases: Releases::new(superblocks),
            dirty: DirtyParts::new(logical_pages),
        }
    }

    pub fn table(&self) -> &[u32] {
        &self.physical
    }

    pub fn releases(&self) -> &Releases {
        &self.releases
    }

    pub fn releases_mut(&mut self) -> &mut Releases {
        &mut self.releases
    }

    pub fn dirty(&mut self) -> &mut DirtyParts {
        &mut self.dirty
    }

    /// A change that is not yet durable will point to so many pages of a superblock.
    #[inline(always)]
    pub fn will_need(&mut self, superblock: u32, pages: u32) {
        self.valid_counts[superblock as usize] += pages;
    }

    pub fn needs(&self, superblock: u32) -> bool {
        self.valid_counts[superblock as usize] > 0
    }

    /// Whether it has a logical page at a physical one.
    #[inline]
    pub fn is_at(&self, logical: u32, physical: u32) -> bool {
        logical != UNMAPPED && self.physical[logical as usize] == physical
    }

    /// Takes a logical page's address, without account of what it needed: for a cut, after which
    /// all is counted anew.
    pub fn forget_page(&mut self, logical: u32) {
        self.physical[logical as usize] = UNMAPPED;
    }

    /// Nothing lies anywhere, and there are so many logical pages.
    pub fn set_logical_pages(&mut self, logical_pages: u32) {
        self.physical = memory::table(UNMAPPED, logical_pages as usize);
        self.dirty = DirtyParts::new(logical_pages);
    }

    /// Everything has been erased: nothing lies anywhere.
    pub fn forget_all(&mut self) {
        for (logical, physical) in (0u32..).zip(&mut self.physical) {
            if *physical != UNMAPPED {
                *physical = UNMAPPED;
                self.dirty.mark(logical);
            }
        }
    }

    /// It is the L2P: counts anew what it needs of each superblock.
    pub fn recount(&mut self, l2p: &Mapping) {
        for (superblock, count) in (0u32..).zip(&mut self.valid_counts) {
            *count = l2p.valid_in(superblock);
        }
        self.releases.power_cut();
    }

    /// So many pages less are needed of a superblock.
    #[inline]
    fn need_less(&mut self, superblock: u32, pages: u32) {
        let count = &mut self.valid_counts[superblock as usize];
        *count -= pages;
        if *count == 0 {
            self.releases.not_needed(superblock);
        }
    }

    /// Makes the first of some changes part of the table; those that follow soon and later have
    /// what they name fetched.
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

    /// Has the tables at hand for changes that follow: of those that moved something, first
    /// the names of what it was.
    #[inline]
    fn prefetch(&self, soon: Option<&Change>, later: Option<&Change>, l2p: &Mapping) {
        let Some(soon) = soon else {
            return;
        };
        match soon.kind {
            ChangeKind::Relocate | ChangeKind::Fold => {
                for physical in soon.to..soon.to + soon.entries() as u32 {
                    memory::prefetch(&self.physical, l2p.logical_of(physical) as usize);
                }
            }
            _ => memory::prefetch(&self.physical, soon.first as usize),
        }
        if let Some(later) = later
            && matches!(later.kind, ChangeKind::Relocate | ChangeKind::Fold)
        {
            l2p.expect_name(later.to);
        }
    }

    fn apply_change(&mut self, change: Change, view: &FlashView<'_>) {
        match change.kind {
            ChangeKind::Write if change.pages == 1 => self.apply_one(change.first, change.to, view),
            ChangeKind::Write => self.apply_run(change, (change.to, 1), view),
            ChangeKind::Trim => self.apply_run(change, (UNMAPPED, 0), view),
            ChangeKind::WriteLost => self.apply_run(change, (LOST, 0), view),
            ChangeKind::Lose => {
                let mut left = change.pages;
                while left != 0 {
                    let physical = change.first + left.trailing_zeros();
                    left &= left - 1;
                    let logical = view.l2p.logical_of(physical);
                    // Something newer may have come in between.
                    if self.physical[logical as usize] == physical {
                        self.physical[logical as usize] = LOST;
                        self.dirty.mark(logical);
                        self.need_less(view.superblock_of(physical), 1);
                    }
                }
            }
            ChangeKind::Relocate => self.apply_move(change, view, true),
            ChangeKind::Fold => self.apply_move(change, view, false),
        }
    }

    /// Pages of one multi-plane page have been moved one behind another, or each to the same place
    /// of another multi-plane page.
    #[inline(always)]
    fn apply_move(&mut self, change: Change, view: &FlashView<'_>, in_a_row: bool) {
        let (mut left, mut next) = (change.pages, change.to);
        let (mut moved, mut stale, mut moved_last) = (0, 0, false);
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let old = change.first + bit;
            let new = if in_a_row { next } else { change.to + bit };
            next += 1;
            let logical = view.l2p.logical_of(new);
            // A page that was moved before its write was noted is not yet known here; the write
            // names the new place.
            let physical = &mut self.physical[logical as usize];
            moved_last = *physical == old;
            if moved_last {
                *physical = new;
                self.dirty.mark(logical);
                moved += 1;
            } else {
                stale += 1;
            }
        }
        // All of either lie in one superblock.
        let (from, into) = (
            (view.superblock_of(change.first), moved),
            (view.superblock_of(change.to), stale),
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
    fn apply_one(&mut self, logical: u32, to: u32, view: &FlashView<'_>) {
        let old = std::mem::replace(&mut self.physical[logical as usize], to);
        if old != to {
            self.dirty.mark(logical);
        }
        if old < LOST {
            self.need_less(view.superblock_of(old), 1);
        }
    }

    /// Gives the logical pages that a change names their places: the first one this, each further
    /// one a place `step` further on.
    #[inline(always)]
    fn apply_run(&mut self, change: Change, (to, step): (u32, u32), view: &FlashView<'_>) {
        let (mut first, end) = (change.first, change.first + change.pages);
        while first < end {
            // What one part of the table holds of it.
            let part_end = DirtyParts::part_end(first).min(end);
            let new = to + (first - change.first) * step;
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
        logical: std::ops::Range<u32>,
        (to, step): (u32, u32),
        view: &FlashView<'_>,
    ) -> bool {
        let places = &mut self.physical[logical.start as usize..logical.end as usize];
        let (old, count) = (places[0], logical.end - logical.start);
        // What was written in a row mostly lay in a row, in one multi-plane page.
        let bits = view.layout.unit_bits;
        let in_page = (old & ((1 << bits) - 1)) + count <= 1 << bits;
        if old < LOST && in_page && places.iter().zip(old..).all(|(&place, nth)| place == nth) {
            for (place, nth) in places.iter_mut().zip(0..) {
                *place = to + nth * step;
            }
            self.need_less(view.superblock_of(old), count);
            return old != to;
        }
        let mut differs = 0;
        for (logical, nth) in logical.zip(0..) {
            let new = to + nth * step;
            let old = std::mem::replace(&mut self.physical[logical as usize], new);
            differs |= old ^ new;
            if old < LOST {
                self.need_less(view.superblock_of(old), 1);
            }
        }
        differs != 0
    }
}
