//! Contents that completed requests have replaced, until the requests are durable.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::Range;

use super::file::{DataFile, Page};

/// Old contents of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Old {
    /// Data.
    Bytes(Page),
    /// Nothing: zeroes.
    Nothing,
}

/// A change of a page that may still be undone.
#[derive(Clone, Debug)]
struct Change {
    /// Tag of the write; `None` for a TRIM.
    tag: Option<u32>,
    /// It is durable once the durable change count reaches this number.
    changes: u64,
    /// Replaced contents.
    old: Old,
}

/// Changes of a page, in order. The file holds the contents after the last one.
#[derive(Clone, Debug, Default)]
pub struct Versions(VecDeque<Change>);

impl Versions {
    /// Contents of the page after the request with this tag; `None` if the file holds them. An
    /// unknown tag stands for an older request.
    pub fn at(mut self, tag: Option<u32>) -> Option<Old> {
        let last = self.0.iter().rposition(|change| change.tag == tag);
        let next = last.map_or(0, |last| last + 1);
        (next < self.0.len()).then(|| self.0.swap_remove_back(next).expect("it is there").old)
    }
}

/// Changes that may still be undone.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    pages: BTreeMap<u32, Versions>,
    /// Pages whose oldest change may be discarded, with the change count at which it is durable, in
    /// order.
    order: VecDeque<(u64, u32)>,
    /// Trimmed ranges of pages without other changes, by their first page: end of the range
    /// (exclusive), and the change count at which the TRIM is durable. The file still holds their
    /// data.
    trimmed: BTreeMap<u32, (u32, u64)>,
    /// Lower bound of the change counts at which the trimmed ranges are durable.
    trimmed_changes: u64,
}

impl Undo {
    /// Number of pages of which older contents are kept.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Trimmed ranges that overlap `pages`; the file still holds their data.
    pub fn trimmed_in(&self, pages: &Range<u32>) -> impl Iterator<Item = (u32, u32)> + '_ {
        let first = pages.start;
        let ranges = self.trimmed.range(..pages.end).rev();
        let ranges = ranges.map(|(&begin, &(end, _))| (begin, end));
        ranges.take_while(move |&(_, end)| end > first)
    }

    /// All kept contents: pages, and trimmed ranges.
    pub fn into_parts(self) -> (BTreeMap<u32, Versions>, Vec<(u32, u32)>) {
        let ranges = self.trimmed.iter();
        let trimmed = ranges.map(|(&begin, &(end, _))| (begin, end)).collect();
        (self.pages, trimmed)
    }

    /// Records that a request will replace the contents of a page, which the file still holds.
    pub fn replaced(
        &mut self,
        file: &mut DataFile,
        page: u32,
        tag: Option<u32>,
        changes: u64,
    ) -> io::Result<()> {
        if let Some(before) = self.take_trimmed_page(page) {
            // The contents before the TRIM may return, too.
            let old = old(file, page)?;
            file.zero_pages(page, page + 1)?;
            self.push(page, None, before, old);
        }
        let old = old(file, page)?;
        self.push(page, tag, changes, old);
        Ok(())
    }

    fn push(&mut self, page: u32, tag: Option<u32>, changes: u64, old: Old) {
        let change = Change { tag, changes, old };
        self.pages.entry(page).or_default().0.push_back(change);
        self.order.push_back((changes, page));
    }

    /// Removes a page from the trimmed ranges; returns the change count at which its TRIM is
    /// durable.
    fn take_trimmed_page(&mut self, page: u32) -> Option<u64> {
        let (&begin, &(end, changes)) = self.trimmed.range(..=page).next_back()?;
        if page >= end {
            return None;
        }
        self.trimmed.remove(&begin);
        if begin < page {
            self.trimmed.insert(begin, (page, changes));
        }
        if page + 1 < end {
            self.trimmed.insert(page + 1, (end, changes));
        }
        Some(changes)
    }

    /// Records a TRIM of pages. Pages with earlier changes get another version each; the data of
    /// the others stays in the file until it cannot return.
    pub fn trimmed_range(
        &mut self,
        file: &mut DataFile,
        (begin, end): (u32, u32),
        changes: u64,
    ) -> io::Result<()> {
        let changed: Vec<u32> = self
            .pages
            .range(begin..end)
            .map(|(&page, _)| page)
            .collect();
        let mut from = begin;
        for page in changed {
            let old = old(file, page)?;
            file.zero_pages(page, page + 1)?;
            self.push(page, None, changes, old);
            self.add_trimmed(from, page, changes);
            from = page + 1;
        }
        self.add_trimmed(from, end, changes);
        Ok(())
    }

    /// Adds a trimmed range; if it overlaps others, the combined range is durable with the last
    /// TRIM.
    fn add_trimmed(&mut self, begin: u32, end: u32, changes: u64) {
        if begin >= end {
            return;
        }
        let (mut first, mut last) = (begin, end);
        while let Some((&other, &(other_end, _))) = self.trimmed.range(..last).next_back() {
            if other_end <= first {
                break;
            }
            self.trimmed.remove(&other);
            (first, last) = (first.min(other), last.max(other_end));
        }
        let none = self.trimmed.is_empty();
        self.trimmed.insert(first, (last, changes));
        self.trimmed_changes = match none {
            true => changes,
            false => self.trimmed_changes.min(changes),
        };
    }

    /// Discards the changes that are durable at the change count `durable`.
    pub fn settle(&mut self, file: &mut DataFile, durable: u64) -> io::Result<()> {
        while let Some(&(changes, page)) = self.order.front()
            && changes <= durable
        {
            self.order.pop_front();
            let Some(versions) = self.pages.get_mut(&page) else {
                continue;
            };
            while versions
                .0
                .front()
                .is_some_and(|change| change.changes <= durable)
            {
                versions.0.pop_front();
            }
            if versions.0.is_empty() {
                self.pages.remove(&page);
            }
        }
        if self.trimmed.is_empty() || durable < self.trimmed_changes {
            return Ok(());
        }
        let (mut ended, mut next) = (Vec::new(), u64::MAX);
        for (begin, (_, changes)) in &self.trimmed {
            match *changes <= durable {
                true => ended.push(*begin),
                false => next = next.min(*changes),
            }
        }
        self.trimmed_changes = next;
        for begin in ended {
            let range = self.trimmed.remove(&begin);
            let (end, _) = range.expect("it is there");
            file.zero_pages(begin, end)?;
        }
        Ok(())
    }
}

fn old(file: &DataFile, page: u32) -> io::Result<Old> {
    let bytes = file.read_page(page)?;
    Ok(bytes.map_or(Old::Nothing, Old::Bytes))
}
