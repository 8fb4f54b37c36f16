//! The journal in flash: pages that contain changes of the L2P, 8 bytes an entry.
//!
//! It is one log: the next pages are written when the ones before are. The partial parity that they
//! need is written together with them.

use stend_model::spec::{PAGE_BYTES, Spec};

use super::journal_buffer::Prefix;
use crate::sim::media::op::Upkeep;

/// Bytes of an entry: a logical page, and its place.
const ENTRY_BYTES: u64 = 8;

/// The journal in flash.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Journal {
    /// Pages being programmed, and the changes in them.
    under_way: u32,
    holds: Prefix,
    entries_per_page: u64,
    /// Pages, and entries in them, that no checkpoint has made obsolete.
    pages: u32,
    entries: u64,
}

impl Journal {
    pub fn new(spec: &Spec) -> Journal {
        Journal {
            under_way: 0,
            holds: Prefix::default(),
            entries_per_page: u64::from(spec.pages_per_mp_page) * PAGE_BYTES / ENTRY_BYTES,
            pages: 0,
            entries: 0,
        }
    }

    /// Pages that `entries` need.
    pub fn pages_for(&self, entries: u64) -> u32 {
        entries.div_ceil(self.entries_per_page) as u32
    }

    /// True if pages of the journal are being programmed.
    #[inline(always)]
    pub fn is_writing(&self) -> bool {
        self.under_way > 0
    }

    /// Pages that a recovery reads.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Entries that a recovery replays.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Begins to write changes, with `parity_pages` of partial parity. Returns the number of
    /// journal pages.
    pub fn begin(&mut self, holds: Prefix, parity_pages: u32) -> u32 {
        let pages = self.pages_for(holds.entries);
        self.holds = holds;
        self.under_way = pages + parity_pages;
        pages
    }

    /// Notes a programmed page. Returns the changes that are durable now, if it was the last.
    pub fn page_done(&mut self, what: Upkeep) -> Option<Prefix> {
        self.under_way -= 1;
        self.pages += u32::from(what == Upkeep::JournalPage);
        if self.under_way > 0 {
            return None;
        }
        self.entries += self.holds.entries;
        Some(self.holds)
    }

    /// Removes pages and entries that a checkpoint has made obsolete.
    pub fn truncate(&mut self, pages: u32, entries: u64) {
        self.pages -= pages;
        self.entries -= entries;
    }

    /// Adds entries that were saved on capacitors. Returns their pages.
    pub fn saved(&mut self, entries: u64) -> u32 {
        let pages = self.pages_for(entries);
        self.pages += pages;
        self.entries += entries;
        pages
    }

    /// Drops the pages being programmed.
    pub fn power_cut(&mut self) {
        self.under_way = 0;
    }

    pub fn diagnosis(&self) -> String {
        format!("pages under way {}, written {}", self.under_way, self.pages)
    }
}
