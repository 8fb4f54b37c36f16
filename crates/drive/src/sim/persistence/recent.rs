//! What was looked at last: most changes name pages where one shortly before does, and each stream
//! goes on by itself.

const NONE: u32 = u32::MAX;

/// Pages that were looked at last.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecentPages {
    pages: [u32; 8],
    next: usize,
}

impl Default for RecentPages {
    fn default() -> RecentPages {
        RecentPages {
            pages: [NONE; 8],
            next: 0,
        }
    }
}

impl RecentPages {
    #[inline]
    pub fn has(&self, page: u32) -> bool {
        self.pages.contains(&page)
    }

    #[inline]
    pub fn add(&mut self, page: u32) {
        self.pages[self.next] = page;
        self.next = (self.next + 1) % self.pages.len();
    }
}

/// Ranges of pages that were looked at last, each without its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecentRanges {
    /// The one that was found last, or added.
    last: (u32, u32),
    ranges: [(u32, u32); 8],
    next: usize,
}

impl RecentRanges {
    #[inline]
    pub fn has(&mut self, page: u32) -> bool {
        (self.last.0 <= page && page < self.last.1) || self.find(page)
    }

    #[inline]
    fn find(&mut self, page: u32) -> bool {
        let mut ranges = self.ranges.iter();
        let found = ranges.find(|&&(first, end)| first <= page && page < end);
        if let Some(&found) = found {
            self.last = found;
        }
        found.is_some()
    }

    #[inline]
    pub fn add(&mut self, first: u32, end: u32) {
        self.last = (first, end);
        self.ranges[self.next] = self.last;
        self.next = (self.next + 1) % self.ranges.len();
    }
}
