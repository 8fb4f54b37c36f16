//! What was looked at last. Changes have locality: most name a page near that of one shortly
//! before, in the same stream.

use crate::sim::ids::MpPage;

/// Pages that were looked at last.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecentPages {
    pages: [MpPage; 8],
    next: usize,
}

impl Default for RecentPages {
    fn default() -> RecentPages {
        RecentPages {
            pages: [MpPage::NONE; 8],
            next: 0,
        }
    }
}

impl RecentPages {
    /// Whether a page is among them.
    #[inline]
    pub fn has(&self, page: MpPage) -> bool {
        self.pages.contains(&page)
    }

    /// Adds the latest; the oldest is forgotten.
    #[inline]
    pub fn add(&mut self, page: MpPage) {
        self.pages[self.next] = page;
        self.next = (self.next + 1) % self.pages.len();
    }
}

/// Ranges of pages that were looked at last, each without its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecentRanges {
    /// The one that was found last, or added.
    last: (MpPage, MpPage),
    ranges: [(MpPage, MpPage); 8],
    next: usize,
}

impl RecentRanges {
    /// Whether a page is among them.
    #[inline]
    pub fn has(&mut self, page: MpPage) -> bool {
        (self.last.0 <= page && page < self.last.1) || self.find(page)
    }

    #[inline]
    fn find(&mut self, page: MpPage) -> bool {
        let mut ranges = self.ranges.iter();
        let found = ranges.find(|&&(first, end)| first <= page && page < end);
        if let Some(&found) = found {
            self.last = found;
        }
        found.is_some()
    }

    /// Adds the latest; the oldest is forgotten.
    #[inline]
    pub fn add(&mut self, first: MpPage, end: MpPage) {
        self.last = (first, end);
        self.ranges[self.next] = self.last;
        self.next = (self.next + 1) % self.ranges.len();
    }
}
