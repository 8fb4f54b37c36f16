//! Recently used ranges. Changes have locality: most name a page near that of one shortly before,
//! in the same stream.

use crate::sim::ids::MpPage;

/// Recently used ranges of pages, each without its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecentRanges {
    /// The range that was found or added last.
    last: (MpPage, MpPage),
    ranges: [(MpPage, MpPage); 8],
    next: usize,
}

impl RecentRanges {
    /// True if a page is in one of the ranges.
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

    /// Adds a range; the oldest is dropped.
    #[inline]
    pub fn add(&mut self, first: MpPage, end: MpPage) {
        self.last = (first, end);
        self.ranges[self.next] = self.last;
        self.next = (self.next + 1) % self.ranges.len();
    }
}
