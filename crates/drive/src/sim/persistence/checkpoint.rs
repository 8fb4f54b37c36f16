//! Checkpoints: the changed 4 KiB parts of the L2P, packed and written, so that the journal before
//! them is not needed.
//!
//! The journal sets the pace of a checkpoint, which writes a share of its pages for each journal
//! page: it ends when the journal has grown by half of what it may, so that no write has to wait
//! for it, and its programs are spread over the writes of the host. At rest, and before a shutdown,
//! it is written on all dies at once.

use std::ops::Range;

use stend_model::spec::Spec;

use super::journal::Journal;
use crate::sim::ftl::l2p_cache::directory_pages;
use crate::sim::geometry::bits::{has_bit, set_bit};
use crate::sim::ids::Lpn;

/// Logical pages whose entries fill 4 KiB of the table: a power of two.
const PAGES_PER_PART: u32 = 1024;

/// No part has this number, and no part begins where its product with [`PAGES_PER_PART`] wraps to.
const NO_PART: u32 = u32::MAX;

fn no_part() -> u32 {
    NO_PART
}

/// Parts of the table, one bit each, that have changed.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct DirtyParts {
    /// Parts changed since they were last written.
    changed: Vec<u64>,
    /// Number of unchanged parts: with random writes, soon none.
    unchanged: u32,
    /// The changed part that was marked last; [`NO_PART`] if there is none.
    #[serde(skip, default = "no_part")]
    latest: u32,
    /// Parts that the checkpoint under way writes.
    writing: Vec<u64>,
    parts: u32,
}

impl DirtyParts {
    pub fn new(logical_pages: u32) -> DirtyParts {
        let parts = logical_pages.div_ceil(PAGES_PER_PART);
        let words = parts.div_ceil(64) as usize;
        DirtyParts {
            changed: vec![0; words],
            unchanged: parts,
            latest: NO_PART,
            writing: vec![0; words],
            parts,
        }
    }

    /// True if all parts have changed: nothing need be marked.
    #[inline(always)]
    pub fn are_all(&self) -> bool {
        self.unchanged == 0
    }

    /// Marks the entry of a logical page as changed since it was last written.
    #[inline]
    pub fn mark(&mut self, lpn: Lpn) {
        let part = lpn.0 / PAGES_PER_PART;
        self.latest = part;
        self.unchanged -= u32::from(!has_bit(&self.changed, part));
        set_bit(&mut self.changed, part);
    }

    /// Same as [`DirtyParts::mark`], for at least one logical page.
    #[inline(always)]
    pub fn mark_each(&mut self, pages: impl Iterator<Item = Lpn> + Clone) {
        let Some(first) = pages.clone().next() else {
            return;
        };
        // Pages written in sequence lie in one part.
        let differ = pages.clone().fold(0, |bits, lpn| bits | lpn.0 ^ first.0);
        match differ < PAGES_PER_PART {
            true => self.mark(first),
            false => pages.for_each(|lpn| self.mark(lpn)),
        }
    }

    /// Same as [`DirtyParts::mark`], for consecutive logical pages.
    #[inline(always)]
    pub fn mark_all(&mut self, pages: Range<Lpn>) {
        // Mostly they lie in the same part as the pages before them.
        let begin = self.latest.wrapping_mul(PAGES_PER_PART);
        let is_marked = pages.start.0 >= begin && pages.end.0 - begin <= PAGES_PER_PART;
        if !is_marked && !self.are_all() {
            self.mark_range(pages);
        }
    }

    #[inline(never)]
    fn mark_range(&mut self, pages: Range<Lpn>) {
        let mut first = pages.start;
        while first < pages.end {
            self.mark(first);
            first = Lpn((first.0 / PAGES_PER_PART + 1) * PAGES_PER_PART);
        }
    }

    /// Starts to write the changed parts. Returns their number.
    fn write(&mut self) -> u32 {
        std::mem::swap(&mut self.changed, &mut self.writing);
        (self.unchanged, self.latest) = (self.parts, NO_PART);
        self.writing.iter().map(|word| word.count_ones()).sum()
    }

    fn written(&mut self) {
        self.writing.fill(0);
    }

    /// Marks parts that were being written as changed.
    pub fn power_cut(&mut self) {
        for (changed, writing) in self.changed.iter_mut().zip(&mut self.writing) {
            *changed |= std::mem::take(writing);
        }
        let changed = self.changed.iter().map(|word| word.count_ones());
        self.unchanged = self.parts - changed.sum::<u32>();
    }
}

/// The checkpoint under way, and the table in flash.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Checkpoint {
    /// Pages in all, pages not yet begun, and pages being programmed.
    total: u32,
    left: u32,
    under_way: u32,
    /// Maximum of journal pages while the checkpoint runs.
    journal_pages_max: u32,
    /// True if it does not wait for the journal to grow.
    hurries: bool,
    parts_per_page: u32,
    /// Pages and entries of the journal that it makes obsolete.
    covers: (u32, u64),
    /// Pages that a recovery reads: of the whole table, or of its directory if the table stays on
    /// flash.
    table_pages: u32,
}

impl Checkpoint {
    pub fn new(spec: &Spec, logical_pages: u32) -> Checkpoint {
        let parts = logical_pages.div_ceil(PAGES_PER_PART);
        Checkpoint {
            total: 0,
            left: 0,
            under_way: 0,
            journal_pages_max: spec
                .power_loss
                .as_ref()
                .map_or(0, |p| p.journal_pages_max()),
            hurries: false,
            parts_per_page: spec.pages_per_mp_page,
            covers: (0, 0),
            table_pages: match &spec.l2p_cache {
                Some(_) => directory_pages(spec, logical_pages),
                None => parts.div_ceil(spec.pages_per_mp_page),
            },
        }
    }

    /// Pages of the table that a recovery reads.
    pub fn table_pages(&self) -> u32 {
        self.table_pages
    }

    /// True if a checkpoint is under way.
    pub fn is_under_way(&self) -> bool {
        self.left + self.under_way > 0
    }

    /// Begins a checkpoint. It ends at once if there is nothing to write.
    pub fn begin(&mut self, dirty: &mut DirtyParts, journal: &mut Journal) {
        self.total = dirty.write().div_ceil(self.parts_per_page);
        (self.left, self.hurries) = (self.total, false);
        self.covers = (journal.pages(), journal.entries());
        if self.left == 0 {
            self.end(dirty, journal);
        }
    }

    /// Stops waiting for the journal to grow.
    pub fn hurry(&mut self) {
        self.hurries = true;
    }

    /// Takes the pages to be programmed now, at most one for each die at a time.
    pub fn take_due(&mut self, journal: &Journal, dies: u32) -> u32 {
        let (covered, _) = self.covers;
        let grown = u64::from(journal.pages().saturating_sub(covered));
        let budget = (self.journal_pages_max.saturating_sub(covered) / 2).max(1);
        let share = u64::from(self.total) * grown / u64::from(budget);
        let begun = self.total - self.left;
        let wanted = match self.hurries || share >= u64::from(self.total) {
            true => self.left,
            false => (share as u32).saturating_sub(begun),
        };
        let due = wanted.min(dies.saturating_sub(self.under_way));
        self.left -= due;
        self.under_way += due;
        due
    }

    /// Notes that a page has been programmed.
    pub fn page_done(&mut self, dirty: &mut DirtyParts, journal: &mut Journal) {
        self.under_way -= 1;
        if !self.is_under_way() {
            self.end(dirty, journal);
        }
    }

    fn end(&mut self, dirty: &mut DirtyParts, journal: &mut Journal) {
        dirty.written();
        let (pages, entries) = std::mem::take(&mut self.covers);
        journal.truncate(pages, entries);
    }

    pub fn power_cut(&mut self) {
        (self.total, self.left, self.under_way) = (0, 0, 0);
    }

    pub fn diagnosis(&self) -> String {
        format!(
            "{} pages under way and {} to come",
            self.under_way, self.left
        )
    }
}
