//! The L2P as flash has it: the one in memory, without the changes that are not durable yet. What
//! these have superseded is kept until they are, and so is what flash needs of each superblock.

use std::collections::VecDeque;
use std::ops::Range;

use super::change::{Change, ChangeKind};
use super::checkpoint::DirtyParts;
use super::releases::Releases;
use super::superseded::{PlaceRun, Superseded};
use super::view::FlashView;
use crate::sim::geometry::bits::set_bits;
use crate::sim::ids::{Lpn, Ppn, SuperblockId};
use crate::sim::l2p::table::{AfterCut, L2p};

/// The L2P as flash has it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct DurableL2p {
    /// Of writes and TRIMs that are not durable; what moves and losses have superseded, they name.
    superseded: Superseded,
    /// By superblock: pages to which it points, or will point when the changes not yet durable are.
    valid_counts: Vec<u32>,
    releases: Releases,
    /// Parts of the table that differ from the last checkpoint.
    dirty: DirtyParts,
}

impl DurableL2p {
    pub fn new(superblocks: usize, logical_pages: u32) -> DurableL2p {
        DurableL2p {
            superseded: Superseded::new(),
            valid_counts: vec![0; superblocks],
            releases: Releases::new(superblocks),
            dirty: DirtyParts::new(logical_pages),
        }
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

    /// The writes or TRIMs that are logged next supersede these places, in the order of their
    /// pages.
    #[inline(always)]
    pub fn will_supersede(&mut self, places: impl Iterator<Item = Ppn>) {
        self.superseded.add(places);
    }

    /// What the writes among the last changes have superseded, by their first logical page.
    pub fn superseded_by_last<'a>(
        &self,
        changes: impl DoubleEndedIterator<Item = &'a Change>,
    ) -> Vec<(Lpn, PlaceRun)> {
        let (mut superseded, mut found) = (self.superseded.clone(), Vec::new());
        for change in changes.rev() {
            if matches!(change.kind, ChangeKind::Write | ChangeKind::Trim) {
                superseded.take_last_of(change, |first, old| {
                    if change.kind == ChangeKind::Write {
                        found.push((first, old));
                    }
                });
            }
        }
        found
    }

    /// Whether it points into a superblock, or will.
    pub fn needs(&self, superblock: SuperblockId) -> bool {
        self.valid_counts[superblock.index()] > 0
    }

    /// Nothing is mapped, and there are so many logical pages.
    pub fn set_logical_pages(&mut self, logical_pages: u32) {
        self.dirty = DirtyParts::new(logical_pages);
    }

    /// Everything is being erased: nothing will be mapped of what the L2P maps.
    pub fn forget_all(&mut self, l2p: &L2p) {
        for lpn in (0..l2p.logical_pages()).map(Lpn) {
            if l2p.entry(lpn) != Ppn::UNMAPPED {
                self.dirty.mark(lpn);
            }
        }
    }

    /// It is the L2P: counts again what it needs of each superblock.
    pub fn recount(&mut self, l2p: &L2p) {
        for (superblock, count) in (0..).map(SuperblockId).zip(&mut self.valid_counts) {
            *count = l2p.valid_in(superblock);
        }
        self.superseded.clear();
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
}

/// Changes become durable.
impl DurableL2p {
    /// Makes the first of some changes part of the table.
    pub fn apply(&mut self, changes: &VecDeque<Change>, count: usize, view: &FlashView<'_>) {
        for &change in changes.range(..count) {
            match change.kind {
                ChangeKind::Write => self.apply_run(change, (change.to(), 1), view),
                ChangeKind::Trim => self.apply_run(change, (Ppn::UNMAPPED, 0), view),
                ChangeKind::Lose | ChangeKind::Relocate | ChangeKind::Fold => {
                    self.apply_physical(change, view);
                }
            }
        }
        self.superseded.shrink();
    }

    /// Gives the logical pages that a change names their places: the first one this, each further
    /// one a place `step` further on.
    #[inline(always)]
    fn apply_run(&mut self, change: Change, (to, step): (Ppn, u32), view: &FlashView<'_>) {
        let mut done = 0;
        while done < change.pages {
            let old = self.superseded.take_first(change.pages - done);
            let new = to + done * step;
            if old.first != new {
                let first = change.lpn() + done;
                self.mark(first..first + old.pages);
            }
            if old.first.is_place() {
                self.need_less_of(old, view);
            }
            done += old.pages;
        }
    }

    /// Marks the entries of logical pages in a row as changed.
    #[inline]
    fn mark(&mut self, pages: Range<Lpn>) {
        let mut first = pages.start;
        while first < pages.end {
            self.dirty.mark(first);
            first = DirtyParts::part_end(first);
        }
    }

    /// Places in a row, which may lie in several superblocks, are no longer needed.
    #[inline]
    fn need_less_of(&mut self, run: PlaceRun, view: &FlashView<'_>) {
        let mut done = 0;
        while done < run.pages {
            let superblock = view.superblock_of(run.nth(done));
            let count = match run.pages {
                1 => 1,
                _ => {
                    let all = view.layout.mp_pages_in(superblock);
                    let end = all.end.first_ppn(view.layout.page_bits);
                    (end - run.nth(done)).min(run.pages - done)
                }
            };
            self.need_less(superblock, count);
            done += count;
        }
    }

    /// The pages of a multi-plane page that a change names are no longer needed there.
    #[inline]
    fn apply_physical(&mut self, change: Change, view: &FlashView<'_>) {
        for bit in set_bits(change.pages) {
            self.dirty.mark(view.l2p.lpn_of(change.ppn() + bit));
        }
        if change.pages != 0 {
            let superblock = view.superblock_of(change.ppn());
            self.need_less(superblock, change.pages.count_ones());
        }
    }
}

/// A cut.
impl DurableL2p {
    /// Undoes changes that are not durable, of which these are all, in an L2P.
    pub fn undo(&mut self, changes: &VecDeque<Change>, l2p: &mut AfterCut<'_>) {
        for &change in changes.iter().rev() {
            match change.kind {
                ChangeKind::Write | ChangeKind::Trim => {
                    self.superseded
                        .take_last_of(&change, |first, old| put_run(l2p, first, old));
                }
                ChangeKind::Lose | ChangeKind::Relocate | ChangeKind::Fold => {
                    for bit in set_bits(change.pages) {
                        l2p.put_back(change.ppn() + bit);
                    }
                }
            }
        }
    }
}

/// Gives logical pages from one on these places.
pub(super) fn put_run(l2p: &mut AfterCut<'_>, first: Lpn, places: PlaceRun) {
    for nth in 0..places.pages {
        l2p.put(first + nth, places.nth(nth));
    }
}
