//! The changes that are not durable yet, in the order in which they took effect.
//!
//! Each has a log sequence number (LSN). A change is *ready* when a power cut cannot affect its
//! data any more. Changes of an atomic group become durable together: the changes that can be
//! written to the journal now end at the *commit point*, the end of the last group that is ready in
//! full. One write of the journal contains all of them (group commit).

use std::collections::VecDeque;
use std::ops::Range;

use super::change::{Change, ChangeKind};
use crate::sim::ids::{IdRange, Ppn};

/// Number of changes above which all are requested to become durable, so that they do not grow
/// without limit while one page is never filled.
const MOST_CHANGES: usize = 1 << 14;

/// The first changes of the buffer, and the entries of the journal that they need.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Prefix {
    pub changes: usize,
    pub entries: u64,
}

impl Prefix {
    fn less(self, taken: Prefix) -> Prefix {
        Prefix {
            changes: self.changes - taken.changes,
            entries: self.entries - taken.entries,
        }
    }
}

/// The changes that are not durable yet.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct JournalBuffer {
    changes: VecDeque<Change>,
    /// Entries of the journal for all changes.
    entries: u64,
    /// LSN of the first change.
    first_lsn: u64,
    /// Ready changes when they were last counted, which happens only when the number is needed.
    ready: Prefix,
    /// Ready changes up to the commit point.
    committable: Prefix,
    /// All changes below this LSN are requested to become durable.
    requested_lsn: u64,
    /// The same for the next journal write: later requests must not delay the first.
    requested_next_lsn: u64,
    /// True while an atomic group is open: added changes do not end it.
    group_is_open: bool,
    /// True if the write that is being logged arrives as a whole: it may become durable with the
    /// one before.
    write_is_whole: bool,
    pages_per_mp_page: u32,
}

impl JournalBuffer {
    pub fn new(pages_per_mp_page: u32) -> JournalBuffer {
        JournalBuffer {
            // It grows as needed: a ring is traversed through all of its memory.
            changes: VecDeque::with_capacity(MOST_CHANGES / 16),
            entries: 0,
            first_lsn: 0,
            ready: Prefix::default(),
            committable: Prefix::default(),
            requested_lsn: 0,
            requested_next_lsn: 0,
            group_is_open: false,
            write_is_whole: false,
            pages_per_mp_page,
        }
    }

    /// All changes below this LSN are durable.
    #[inline]
    pub fn durable_lsn(&self) -> u64 {
        self.first_lsn
    }

    /// The LSN that the next change will have.
    #[inline]
    pub fn next_lsn(&self) -> u64 {
        self.first_lsn + self.changes.len() as u64
    }

    /// True if all changes are durable.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// All changes, in their order.
    pub(super) fn changes(&self) -> &VecDeque<Change> {
        &self.changes
    }

    /// Logical pages written by the changes; each counts as often as it was written.
    pub fn pages_written(&self) -> u64 {
        let writes = self
            .changes
            .iter()
            .filter(|c| c.kind() == ChangeKind::Write);
        writes.map(|change| u64::from(change.pages())).sum()
    }

    /// Entries of the journal for all changes.
    #[inline(always)]
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Ready changes when they were last counted.
    pub(super) fn ready(&self) -> Prefix {
        self.ready
    }

    /// Changes that can be written to the journal.
    pub(super) fn committable(&self) -> Prefix {
        self.committable
    }

    /// The first change that is not ready.
    pub(super) fn first_unready(&self) -> Option<Change> {
        self.changes.get(self.ready.changes).copied()
    }

    /// Physical pages of `all` that changes name as the place of data, one bit each.
    pub(super) fn named_bits(&self, all: Range<Ppn>) -> u32 {
        let mut bits = 0;
        for (to, pages) in self.changes.iter().filter_map(|c| c.programs()) {
            let (first, end) = (to.max(all.start), (to + pages).min(all.end));
            for ppn in (first..end).each() {
                bits |= 1 << (ppn - all.start);
            }
        }
        bits
    }

    /// Updates the ready changes, of which there are more now.
    pub(super) fn advance(&mut self, ready: Prefix, committable: Prefix) {
        (self.ready, self.committable) = (ready, committable);
    }

    /// True if a change is requested to become durable.
    #[inline(always)]
    pub fn is_awaited(&self) -> bool {
        self.requested_lsn > self.first_lsn
    }

    /// True if a requested change lies beyond the commit point.
    pub fn lacks_awaited(&self) -> bool {
        self.requested_lsn > self.first_lsn + self.committable.changes as u64
    }

    /// Requests that all changes so far become durable.
    pub fn request_all(&mut self) {
        let next = self.next_lsn();
        if self.is_awaited() {
            self.requested_next_lsn = next;
        } else {
            self.requested_lsn = next;
        }
    }

    /// Begins an atomic group of all changes added up to [`JournalBuffer::end_group`]; `whole`: it
    /// contains all of a write.
    #[inline(always)]
    pub(super) fn begin_group(&mut self, whole: bool) {
        (self.group_is_open, self.write_is_whole) = (true, whole);
    }

    /// Ends the atomic group with the latest change.
    #[inline(always)]
    pub(super) fn end_group(&mut self) {
        self.group_is_open = false;
        if let Some(latest) = self.changes.back_mut() {
            latest.set_ends_group(true);
        }
    }

    /// Adds the change that consecutive physical pages, in one multi-plane page, have been written.
    /// It is merged with the latest if it continues that one: no program lies between them, so that
    /// they are ready together.
    #[inline(always)]
    pub(super) fn push_write(&mut self, to: Ppn, pages: u32) {
        if !to.0.is_multiple_of(self.pages_per_mp_page)
            && let Some(latest) = self.changes.back_mut()
            && latest.goes_on_at(to)
            && (self.write_is_whole || !latest.ends_group())
        {
            latest.go_on(pages);
            latest.set_ends_group(!self.group_is_open);
            self.entries += u64::from(pages);
            return;
        }
        self.push(Change::write(to, pages));
    }

    /// Adds a change.
    #[inline]
    pub(super) fn push(&mut self, mut change: Change) {
        self.entries += change.entries();
        change.set_ends_group(!self.group_is_open);
        self.changes.push_back(change);
        if self.changes.len() >= MOST_CHANGES && !self.is_awaited() {
            self.request_all();
        }
    }

    /// Joins the changes from this LSN on that are not ready into one atomic group. Ready changes
    /// do not name the page, which is still being filled.
    pub fn open_groups_from(&mut self, lsn: u64) {
        let first = lsn.saturating_sub(self.first_lsn) as usize;
        for change in self.changes.range_mut(first.max(self.ready.changes)..) {
            change.set_ends_group(false);
        }
    }

    /// Removes the first changes, which are durable.
    pub(super) fn take(&mut self, durable: Prefix) {
        self.ready = self.ready.less(durable);
        self.committable = self.committable.less(durable);
        self.drain(durable);
    }

    /// Removes all changes, ready or not, as durable. Returns their entries of the journal.
    pub fn take_all(&mut self) -> u64 {
        let all = Prefix {
            changes: self.changes.len(),
            entries: self.entries,
        };
        self.drain(all);
        all.entries
    }

    fn drain(&mut self, durable: Prefix) {
        self.changes.drain(..durable.changes);
        self.entries -= durable.entries;
        self.first_lsn += durable.changes as u64;
        if !self.is_awaited() {
            self.requested_lsn = self.requested_next_lsn;
        }
    }

    /// Drops all changes that are not durable; no LSN is used twice.
    pub fn power_cut(&mut self) {
        let lsn = self.next_lsn();
        self.changes.clear();
        *self = JournalBuffer {
            changes: std::mem::take(&mut self.changes),
            first_lsn: lsn,
            requested_lsn: lsn,
            requested_next_lsn: lsn,
            ..JournalBuffer::new(self.pages_per_mp_page)
        };
    }

    pub fn diagnosis(&self) -> String {
        format!(
            "{} changes from LSN {}, ready {:?}, committable {:?}, requested {}, next {}, first \
             unready {:?}",
            self.changes.len(),
            self.first_lsn,
            self.ready,
            self.committable,
            self.requested_lsn,
            self.requested_next_lsn,
            self.first_unready(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::ids::{Lpn, Ppn};

    /// Changes of one logical page each, all of them ready.
    fn ready(changes: u64) -> JournalBuffer {
        let mut buffer = JournalBuffer::new(8);
        for nth in 0..changes {
            buffer.push(Change::write(Ppn(8 * nth as u32), 1));
        }
        buffer
    }

    fn prefix(changes: usize) -> Prefix {
        Prefix {
            changes,
            entries: changes as u64,
        }
    }

    #[test]
    fn who_comes_later_waits_for_the_next_journal_write() {
        let mut buffer = ready(3);
        buffer.request_all();
        buffer.push(Change::new(ChangeKind::Trim, Lpn(0), 8, Ppn(0)));
        buffer.request_all();
        buffer.advance(prefix(4), prefix(3));
        assert!(buffer.is_awaited() && !buffer.lacks_awaited());
        buffer.take(prefix(3));
        assert_eq!((buffer.durable_lsn(), buffer.next_lsn()), (3, 4));
        assert!(buffer.is_awaited() && buffer.lacks_awaited());
        buffer.advance(prefix(1), prefix(1));
        buffer.take(prefix(1));
        assert!(!buffer.is_awaited() && buffer.is_empty());
    }

    #[test]
    fn what_is_ready_joins_no_group() {
        let mut buffer = ready(4);
        buffer.advance(prefix(2), prefix(2));
        buffer.open_groups_from(1);
        let ends: Vec<bool> = buffer.changes().iter().map(|c| c.ends_group()).collect();
        assert_eq!(ends, [true, true, false, false]);
    }

    #[test]
    fn pages_of_one_program_are_one_change() {
        let mut buffer = JournalBuffer::new(8);
        let write = |buffer: &mut JournalBuffer, to, pages, (whole, last)| {
            buffer.begin_group(whole);
            buffer.push_write(Ppn(to), pages);
            if last {
                buffer.end_group();
            }
            let of = |change: &Change| (change.to().0, change.pages(), change.ends_group());
            buffer.changes().iter().map(of).collect::<Vec<_>>()
        };
        let (whole, first, last) = ((true, true), (false, false), (false, true));
        write(&mut buffer, 2, 1, whole);
        assert_eq!(write(&mut buffer, 3, 2, whole), [(2, 3, true)]);
        // A write that has not arrived as a whole must not delay a whole one, nor be committed with
        // it.
        assert_eq!(
            write(&mut buffer, 5, 1, first),
            [(2, 3, true), (5, 1, false)]
        );
        assert_eq!(write(&mut buffer, 6, 2, last), [(2, 3, true), (5, 3, true)]);
        assert_eq!(write(&mut buffer, 8, 1, whole).len(), 3);
        assert_eq!(write(&mut buffer, 10, 1, whole).len(), 4);
        buffer.push(Change::new(ChangeKind::Trim, Lpn(0), 8, Ppn(0)));
        assert_eq!(write(&mut buffer, 11, 1, whole).len(), 6);
        assert_eq!(buffer.entries(), 10);
    }

    #[test]
    fn an_open_group_takes_what_is_logged_meanwhile() {
        let mut buffer = JournalBuffer::new(8);
        buffer.begin_group(false);
        buffer.push_write(Ppn(0), 8);
        buffer.push(Change::new(ChangeKind::Relocate, Ppn(64), 3, Ppn(32)));
        buffer.push_write(Ppn(8), 8);
        buffer.end_group();
        let ends: Vec<bool> = buffer.changes().iter().map(|c| c.ends_group()).collect();
        assert_eq!(ends, [false, false, true]);
    }

    #[test]
    fn no_lsn_is_used_twice() {
        let mut buffer = ready(4);
        buffer.request_all();
        buffer.power_cut();
        assert_eq!((buffer.durable_lsn(), buffer.next_lsn()), (4, 4));
        assert!(buffer.is_empty() && !buffer.is_awaited() && buffer.entries() == 0);
    }
}
