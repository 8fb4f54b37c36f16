//! Readiness of changes: a change is ready when no cut can affect its data any more.

use stend_model::spec::PairedPages;

use super::change::Change;
use super::journal_buffer::JournalBuffer;
use super::view::FlashView;
use crate::sim::ids::{IdRange, MpPage, Ppn, SuperblockId};

/// Ready changes found so far, and the multi-plane pages that the next ones wait for.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Readiness {
    paired: PairedPages,
    /// Number of entries from which on a journal page is written without request.
    interval: u64,
    /// The page that the first change that is not ready waits for, as found last.
    first_awaited: MpPage,
    /// A page that a change waits for without which the ready changes are too few for the journal;
    /// the LSN of the last such change, if it is known; and the count of changes of the view when
    /// that was last checked.
    last_awaited: MpPage,
    last_awaited_lsn: u64,
    moves_seen: u64,
    /// By superblock: until it is erased, no cut can affect data below this page that changes have
    /// named. They name pages in the order in which the superblock is filled.
    durable_upto: Vec<MpPage>,
}

/// No page of a superblock is known to be durable.
const NOT_KNOWN: MpPage = MpPage(0);

impl Readiness {
    pub fn new(paired: PairedPages, interval: u64, superblocks: usize) -> Readiness {
        Readiness {
            paired,
            interval,
            first_awaited: MpPage::NONE,
            last_awaited: MpPage::NONE,
            last_awaited_lsn: u64::MAX,
            moves_seen: 0,
            durable_upto: vec![NOT_KNOWN; superblocks],
        }
    }

    /// Notes that a superblock is being erased.
    pub fn erased(&mut self, superblock: SuperblockId) {
        self.durable_upto[superblock.index()] = NOT_KNOWN;
    }

    /// Notes that committed changes have left the buffer: their places may be erased and filled
    /// again.
    pub fn committed(&mut self) {
        (self.last_awaited, self.last_awaited_lsn) = (MpPage::NONE, u64::MAX);
    }

    pub fn power_cut(&mut self) {
        self.first_awaited = MpPage::NONE;
        self.committed();
        self.durable_upto.fill(NOT_KNOWN);
    }

    /// True if the changes are enough for the journal, ready or not.
    #[inline(always)]
    pub fn are_enough(&self, buffer: &JournalBuffer) -> bool {
        buffer.entries() >= self.interval
    }

    /// True if a change that the journal needs is known not to be ready.
    #[inline(always)]
    pub fn lacks_ready(&mut self, view: &FlashView<'_>) -> bool {
        let moved = view.changes() != self.moves_seen;
        self.moves_seen = view.changes();
        let awaited = self.last_awaited;
        awaited != MpPage::NONE && (!moved || view.is_unprogrammed(awaited))
    }

    /// Finds the page that keeps the ready changes from being enough for the journal, if there is
    /// one: the last of several, since it will do so longest.
    pub fn find_last_awaited(&mut self, buffer: &JournalBuffer, view: &FlashView<'_>) {
        if !self.are_enough(buffer)
            || buffer.committable().entries >= self.interval
            || self.still_awaited(self.last_awaited, view)
        {
            return;
        }
        let known = self.last_awaited_lsn.checked_sub(buffer.durable_lsn());
        let last = match self.last_awaited_lsn {
            u64::MAX => self.last_for_journal(buffer),
            _ => known.expect("it is not durable") as usize,
        };
        // More changes of an atomic group may be ready than can be committed.
        let mut found = (self.first_awaited, u64::MAX);
        let first = buffer.ready().changes.min(last + 1);
        let changes = buffer.changes().range(first..=last);
        for (nth, &change) in changes.enumerate().rev() {
            if let Some(page) = self.awaited_by(change, view) {
                found = (page, buffer.durable_lsn() + (first + nth) as u64);
                break;
            }
        }
        (self.last_awaited, self.last_awaited_lsn) = found;
    }

    /// Place in the buffer of the change with which the entries are enough for the journal to be
    /// written.
    fn last_for_journal(&self, buffer: &JournalBuffer) -> usize {
        let ready = buffer.ready();
        let (mut place, mut entries) = (ready.changes, ready.entries);
        for change in buffer.changes().range(ready.changes..) {
            entries += change.entries();
            if entries >= self.interval {
                break;
            }
            place += 1;
        }
        place.min(buffer.changes().len() - 1)
    }

    /// True if a page that a change waited for is still not programmed.
    #[inline(always)]
    fn still_awaited(&self, page: MpPage, view: &FlashView<'_>) -> bool {
        page != MpPage::NONE && view.is_unprogrammed(page)
    }

    /// Counts the ready changes. Changes never become less ready, so they may be counted at any
    /// time before the count is used.
    pub fn advance(&mut self, buffer: &mut JournalBuffer, view: &FlashView<'_>) {
        if self.still_awaited(self.first_awaited, view) {
            return;
        }
        let (mut ready, mut committable) = (buffer.ready(), buffer.committable());
        let mut awaited = None;
        // Places of the superblock of the change before that no cut can affect.
        let mut durable = Ppn(0)..Ppn(0);
        for &change in buffer.changes().range(ready.changes..) {
            if let Some((to, pages)) = change.programs()
                && !(durable.start <= to && to + pages <= durable.end)
            {
                awaited = self.first_awaited_by(to, pages, view);
                if awaited.is_some() {
                    break;
                }
                let upto = self.durable_upto[view.superblock_of(to).index()];
                durable = to..upto.first_ppn(view.layout.page_bits);
            }
            ready.changes += 1;
            ready.entries += change.entries();
            if change.ends_group() {
                committable = ready;
            }
        }
        self.first_awaited = awaited.unwrap_or(MpPage::NONE);
        buffer.advance(ready, committable);
    }

    /// A page that the first change that is not ready waits for; it names these pages.
    #[inline]
    fn first_awaited_by(&mut self, to: Ppn, pages: u32, view: &FlashView<'_>) -> Option<MpPage> {
        let bits = view.layout.page_bits;
        let end = (to + pages - 1).mp_page(bits) + 1;
        let upto = &mut self.durable_upto[view.superblock_of(to).index()];
        let mut next = to.mp_page(bits);
        while *upto < end {
            next = next.max(*upto);
            let found = view.durable_from(next, self.paired);
            if !found.is_empty() {
                *upto = found.end;
                continue;
            }
            let awaited = view.awaited_page(next, self.paired);
            if awaited.is_some() {
                return awaited;
            }
            *upto = next + 1;
        }
        None
    }

    /// A page that a change waits for, regardless of the changes before it.
    fn awaited_by(&self, change: Change, view: &FlashView<'_>) -> Option<MpPage> {
        let (to, pages) = change.programs()?;
        let upto = self.durable_upto[view.superblock_of(to).index()];
        let bits = view.layout.page_bits;
        let (first, end) = (to.mp_page(bits), (to + pages - 1).mp_page(bits) + 1);
        let mut unknown = (first.max(upto)..end.max(upto)).each();
        unknown.find_map(|page| view.awaited_page(page, self.paired))
    }

    /// The page up to which its superblock must be filled before the first change that is not ready
    /// can become ready.
    pub fn page_to_pad(&self, buffer: &JournalBuffer, view: &FlashView<'_>) -> Option<MpPage> {
        let (to, pages) = buffer.first_unready()?.programs()?;
        let bits = view.layout.page_bits;
        let mut all = (to.mp_page(bits)..(to + pages - 1).mp_page(bits) + 1).each();
        let page = all.find(|&page| !view.is_durable(page, self.paired))?;
        let upto = match self.paired {
            PairedPages::Pad => view.word_line(page).last(),
            PairedPages::OneShot | PairedPages::Completed | PairedPages::Unprotected => None,
        };
        Some(upto.unwrap_or(page))
    }
}
