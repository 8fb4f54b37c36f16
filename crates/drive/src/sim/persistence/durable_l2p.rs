//! The L2P in flash: the one in memory, without the changes that are not durable yet. Places that
//! these changes have superseded are kept until they are durable, and so is the number of pages
//! that flash needs of each superblock.

use std::collections::VecDeque;

use super::change::{Change, ChangeKind};
use super::checkpoint::DirtyParts;
use super::releases::Releases;
use super::superseded::Superseded;
use super::view::FlashView;
use crate::sim::geometry::bits::set_bits;
use crate::sim::ids::{Lpn, Ppn, SuperblockId};
use crate::sim::l2p::rows::PlaceRun;
use crate::sim::l2p::table::{AfterCut, L2p, lpns_from};

/// The L2P in flash.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct DurableL2p {
    /// Places superseded by writes and TRIMs that are not durable; moves and losses name theirs.
    superseded: Superseded,
    /// By superblock: pages to which it points, or will point when the pending changes are durable.
    valid_counts: Vec<u32>,
    releases: Releases,
    /// Parts of the table that may differ from the last checkpoint.
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

    /// Superblocks whose release is awaited, to be changed.
    pub fn releases_mut(&mut self) -> &mut Releases {
        &mut self.releases
    }

    /// Parts of the table that may differ from the last checkpoint.
    pub fn dirty(&mut self) -> &mut DirtyParts {
        &mut self.dirty
    }

    /// Marks the parts that changes that are not durable will change.
    pub fn mark_again<'a>(&mut self, changes: impl Iterator<Item = &'a Change>, l2p: &L2p) {
        for change in changes {
            match change.kind() {
                ChangeKind::Write => {
                    let lpns = lpns_from(l2p, change.to(), change.pages());
                    self.dirty.mark_each(lpns);
                }
                // Its part is marked when it is durable.
                ChangeKind::Trim => {}
                ChangeKind::Lose | ChangeKind::Relocate | ChangeKind::Fold => {
                    let lpns = l2p.lpns_of(change.ppn(), change.pages());
                    self.dirty.mark_each(lpns);
                }
            }
        }
    }

    /// Notes that a change that is not yet durable will point to `pages` of a superblock.
    #[inline(always)]
    pub fn will_need(&mut self, superblock: SuperblockId, pages: u32) {
        self.valid_counts[superblock.index()] += pages;
    }

    /// Notes the places that the next logged writes or TRIMs supersede, in the order of their
    /// pages.
    #[inline(always)]
    pub fn will_supersede(&mut self, places: impl Iterator<Item = Ppn>) {
        self.superseded.add(places);
    }

    /// Same as [`DurableL2p::will_supersede`], for consecutive places.
    #[inline(always)]
    pub fn will_supersede_run(&mut self, run: PlaceRun) {
        self.superseded.add_run(run);
    }

    /// Old places of the pages of the writes among the last changes.
    pub fn superseded_by_last<'a>(
        &self,
        changes: impl DoubleEndedIterator<Item = &'a Change>,
        l2p: &L2p,
    ) -> Vec<(Lpn, Ppn)> {
        let (mut superseded, mut found) = (self.superseded.clone(), Vec::new());
        for change in changes.rev() {
            match change.kind() {
                ChangeKind::Write => superseded.take_last_of(change.pages(), |nth, old| {
                    found.push((l2p.lpn_of(change.to() + nth), old));
                }),
                ChangeKind::Trim => superseded.take_last_of(change.pages(), |_, _| ()),
                ChangeKind::Lose | ChangeKind::Relocate | ChangeKind::Fold => {}
            }
        }
        found
    }

    /// True if it points into a superblock, or will.
    pub fn needs(&self, superblock: SuperblockId) -> bool {
        self.valid_counts[superblock.index()] > 0
    }

    /// Resets the table to `logical_pages`, of which none is mapped.
    pub fn set_logical_pages(&mut self, logical_pages: u32) {
        self.dirty = DirtyParts::new(logical_pages);
    }

    /// Marks all mapped entries: everything is being erased, and nothing will be mapped.
    pub fn forget_all(&mut self, l2p: &L2p) {
        for lpn in (0..l2p.logical_pages()).map(Lpn) {
            if l2p.entry(lpn) != Ppn::UNMAPPED {
                self.dirty.mark(lpn);
            }
        }
    }

    /// Recounts the needed pages of each superblock: the L2P is the durable one now.
    pub fn recount(&mut self, l2p: &L2p) {
        for (superblock, count) in (0..).map(SuperblockId).zip(&mut self.valid_counts) {
            *count = l2p.valid_in(superblock);
        }
        self.superseded.clear();
        self.releases.power_cut();
    }

    /// Reduces the needed pages of a superblock.
    #[inline]
    fn need_less(&mut self, superblock: SuperblockId, pages: u32) {
        let count = &mut self.valid_counts[superblock.index()];
        *count -= pages;
        if *count == 0 {
            self.releases.not_needed(superblock);
        }
    }
}

/// Changes that become durable.
impl DurableL2p {
    /// Applies the first `count` changes to the table.
    pub fn apply(&mut self, changes: &VecDeque<Change>, count: usize, view: &FlashView<'_>) {
        // Pages of consecutive writes: the L2P has their new places.
        let mut written = 0;
        for &change in changes.range(..count) {
            match change.kind() {
                ChangeKind::Write => written += change.pages(),
                ChangeKind::Trim => {
                    self.apply_writes(std::mem::take(&mut written), view);
                    self.apply_trim(change, view);
                }
                ChangeKind::Lose | ChangeKind::Relocate | ChangeKind::Fold => {
                    if change.pages() != 0 {
                        let superblock = view.superblock_of(change.ppn());
                        self.need_less(superblock, change.pages().count_ones());
                    }
                }
            }
        }
        self.apply_writes(written, view);
        self.superseded.shrink();
    }

    /// Applies writes of `pages`: the places that they superseded are no longer needed.
    fn apply_writes(&mut self, pages: u32, view: &FlashView<'_>) {
        let mut left = pages;
        while left > 0 {
            let old = self.superseded.take_first(left);
            self.need_less_of(old, view);
            left -= old.pages;
        }
    }

    /// Unmaps the logical pages of a TRIM.
    fn apply_trim(&mut self, change: Change, view: &FlashView<'_>) {
        let mut done = 0;
        while done < change.pages() {
            let old = self.superseded.take_first(change.pages() - done);
            if old.first != Ppn::UNMAPPED {
                let first = change.lpn() + done;
                self.dirty.mark_all(first..first + old.pages);
            }
            self.need_less_of(old, view);
            done += old.pages;
        }
    }

    /// Marks consecutive places, which may lie in several superblocks, as no longer needed.
    #[inline(always)]
    fn need_less_of(&mut self, run: PlaceRun, view: &FlashView<'_>) {
        if !run.first.is_place() {
            return;
        }
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
}

/// A cut.
impl DurableL2p {
    /// Undoes changes in an L2P: all changes that are not durable.
    pub fn undo(&mut self, changes: &VecDeque<Change>, l2p: &mut AfterCut<'_>) {
        for &change in changes.iter().rev() {
            match change.kind() {
                ChangeKind::Write => self.superseded.take_last_of(change.pages(), |nth, old| {
                    l2p.put(l2p.lpn_of(change.to() + nth), old);
                }),
                ChangeKind::Trim => self.superseded.take_last_of(change.pages(), |nth, old| {
                    l2p.put(change.lpn() + nth, old);
                }),
                ChangeKind::Lose | ChangeKind::Relocate | ChangeKind::Fold => {
                    for bit in set_bits(change.pages()) {
                        l2p.put_back(change.ppn() + bit);
                    }
                }
            }
        }
    }
}
