//! The L2P, from logical to physical page, the P2L back, and the validity of physical pages. All
//! tables are flat arrays: 4 bytes a page each way, and one bit for validity.

use super::rows::PlaceRun;
use super::shared_table::{BLOCK_ENTRIES, SharedTable};
use std::ops::Range;

use crate::sim::geometry::bits::{clear_bit, clear_bits, has_bit, set_bit, set_bits};
use crate::sim::geometry::layout::{Layout, Pool};
use crate::sim::ids::{IdRange, Lpn, MpPage, Ppn, SuperblockId};
use crate::table::memory;

/// The L2P and the P2L of a drive.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct L2p {
    /// PPN of each LPN, and LPN of each PPN. Each table has one entry more than there are pages,
    /// which is written and never read.
    l2p: SharedTable,
    p2l: SharedTable,
    #[serde(with = "crate::table")]
    valid: Vec<u64>,
    valid_in: Vec<u32>,
    /// Pages in the SLC cache that were trimmed and are still folded (see
    /// [`stend_model::spec::TrimSpec::reaches_cache`]).
    #[serde(with = "crate::table")]
    trimmed: Vec<u64>,
    trimmed_in: Vec<u32>,
    cache_end: Ppn,
    page_bits: u32,
    layout: Layout,
    pending: PendingTrim,
    tags: Option<Box<Tags>>,
}

impl Clone for L2p {
    fn clone(&self) -> L2p {
        L2p {
            l2p: self.l2p.clone(),
            p2l: self.p2l.clone(),
            valid: memory::copy(&self.valid),
            valid_in: self.valid_in.clone(),
            trimmed: self.trimmed.clone(),
            trimmed_in: self.trimmed_in.clone(),
            cache_end: self.cache_end,
            page_bits: self.page_bits,
            layout: self.layout,
            pending: self.pending.clone(),
            tags: self.tags.clone(),
        }
    }
}

/// Logical pages that were trimmed and are still mapped.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct PendingTrim {
    /// One bit a logical page; empty if TRIM unmaps at once.
    #[serde(with = "crate::table")]
    bits: Vec<u64>,
    count: u32,
    /// True if pending pages read as trimmed.
    hide: bool,
    /// True if pages are pending and read as trimmed.
    hiding: bool,
}

impl PendingTrim {
    /// True if no page is pending.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// True if a page is pending.
    #[inline(always)]
    pub fn has(&self, lpn: Lpn) -> bool {
        self.count > 0 && self.holds(lpn)
    }

    #[inline]
    fn holds(&self, lpn: Lpn) -> bool {
        has_bit(&self.bits, lpn)
    }

    /// Removes a page. Returns true if it was pending.
    fn remove(&mut self, lpn: Lpn) -> bool {
        let was = self.holds(lpn);
        clear_bit(&mut self.bits, lpn);
        self.count -= u32::from(was);
        self.hiding = self.hide && self.count > 0;
        was
    }
}

/// Pages whose entries are prefetched together while a superblock is emptied in order: a power of
/// two, at most 32. The loads overlap: many random ones take hardly longer than one.
const PREFETCHED: u32 = 32;

/// Words in a cache line.
const LINE_WORDS: usize = 8;

/// Tag of the request whose data a physical page holds, by physical page.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Tags(#[serde(with = "crate::table")] Vec<u32>);

const ERASED: u32 = u32::MAX;

/// The tag of data that a drive held before it began to keep tags.
pub const EARLIER_TAG: u32 = u32::MAX - 1;

impl L2p {
    pub fn new(layout: Layout, logical_pages: u32) -> L2p {
        let ppn = (u64::from(layout.mp_pages()) << layout.page_bits) as usize;
        let cache = layout
            .pool(Pool::Data)
            .first_mp_page
            .first_ppn(layout.page_bits);
        L2p {
            l2p: SharedTable::new(Ppn::UNMAPPED.0, logical_pages as usize + 1),
            p2l: SharedTable::new(Lpn::NONE.0, ppn + 1),
            valid: memory::table(0, ppn.div_ceil(64) + 1),
            valid_in: vec![0; layout.superblocks() as usize],
            trimmed: vec![0; cache.index().div_ceil(64)],
            trimmed_in: vec![0; layout.superblocks() as usize],
            cache_end: cache,
            page_bits: layout.page_bits,
            layout,
            pending: PendingTrim::default(),
            tags: None,
        }
    }

    /// Shares the large tables with copies until they change them.
    pub fn share(&mut self) {
        self.l2p.share();
        self.p2l.share();
    }

    /// Prefetches the entry of a logical page.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn) {
        self.l2p.prefetch(lpn.0);
    }

    /// Prefetches the LPNs of the pages of a multi-plane page.
    #[inline]
    pub fn prefetch_lpns(&self, mp_page: MpPage) {
        self.p2l.prefetch(mp_page.first_ppn(self.page_bits).0);
    }

    /// Prefetches the entries of the pages of a multi-plane page, which will change. Entries of
    /// pages that are no longer valid are fetched too: to exclude them would cost more.
    #[inline]
    pub fn prefetch_moves(&self, mp_page: MpPage) {
        for ppn in mp_page.ppns(self.page_bits).each() {
            self.l2p.prefetch(self.p2l.get(ppn.0));
        }
    }

    /// Prefetches the entries of the next valid pages of a superblock, whose valid pages are moved
    /// away in the order of its multi-plane pages: those from `begin` to `end` were processed last,
    /// and `first` is the first of the superblock. [`PREFETCHED`] pages are fetched at a time, and
    /// only valid ones.
    #[inline]
    pub fn prefetch_next_moves(&self, first: MpPage, begin: MpPage, end: MpPage) {
        let batch = |mp_page: MpPage| mp_page.first_ppn(self.page_bits).0 / PREFETCHED;
        if batch(begin) != batch(end) || begin == first {
            let from = match begin == first {
                true => batch(first),
                false => batch(end).max(batch(begin) + 2),
            };
            self.prefetch_batches(from, batch(end) + 1);
        }
    }

    /// Prefetches the entries of the valid pages of batches, and the LPNs of the batch after them.
    #[inline(never)]
    fn prefetch_batches(&self, from: u32, last: u32) {
        for batch in from..=last {
            let first = batch * PREFETCHED;
            if (first + PREFETCHED) as usize > self.p2l.len() {
                return;
            }
            let mut valid = (self.valid[first as usize / 64] >> (first % 64)) as u32;
            while valid != 0 {
                let lpn = self.p2l.get(first + valid.trailing_zeros());
                self.l2p.prefetch(lpn);
                valid &= valid - 1;
            }
        }
        // Two cache lines.
        let next = (last + 1) * PREFETCHED;
        self.p2l.prefetch(next);
        self.p2l.prefetch(next + PREFETCHED / 2);
    }

    /// Prefetches the validity of the page that a write of a logical page will make invalid.
    #[inline]
    pub fn prefetch_invalid(&self, lpn: Lpn) {
        let old = self.lookup(lpn);
        memory::prefetch(&self.valid, old.index() / 64);
    }

    /// Logical pages that are mapped.
    pub fn mapped_pages(&self) -> u64 {
        self.valid_in.iter().map(|&n| u64::from(n)).sum()
    }

    /// Changes the number of logical pages, none of which is mapped.
    pub fn set_logical_pages(&mut self, pages: u32) {
        debug_assert_eq!(self.mapped_pages(), 0);
        self.l2p = SharedTable::new(Ppn::UNMAPPED.0, pages as usize + 1);
        // Old data in flash may have LPNs that do not exist any more.
        self.p2l.fill(Lpn::NONE.0);
    }

    /// Logical pages of the drive.
    pub fn logical_pages(&self) -> u32 {
        self.l2p.len() as u32 - 1
    }

    /// The physical page of a logical one; [`Ppn::UNMAPPED`] or [`Ppn::LOST`] if there is none.
    #[inline]
    pub fn lookup(&self, lpn: Lpn) -> Ppn {
        if self.pending.hiding && self.pending.holds(lpn) {
            return Ppn::UNMAPPED;
        }
        self.entry(lpn)
    }

    /// Pages that were trimmed and are still mapped.
    #[inline(always)]
    pub fn pending_trims(&self) -> &PendingTrim {
        &self.pending
    }

    /// Entry of the table, regardless of pending TRIM.
    #[inline(always)]
    pub fn entry(&self, lpn: Lpn) -> Ppn {
        Ppn(self.l2p.get(lpn.0))
    }

    #[inline(always)]
    fn set_entry(&mut self, lpn: Lpn, ppn: Ppn) {
        self.l2p.set(lpn.0, ppn.0);
    }

    /// The logical page whose data was written to a physical page last.
    #[inline]
    pub fn lpn_of(&self, ppn: Ppn) -> Lpn {
        Lpn(self.p2l.get(ppn.0))
    }

    /// True if the L2P points to a physical page.
    #[inline]
    pub fn is_valid(&self, ppn: Ppn) -> bool {
        has_bit(&self.valid, ppn)
    }

    /// The valid count of a superblock.
    pub fn valid_in(&self, superblock: SuperblockId) -> u32 {
        self.valid_in[superblock.index()]
    }

    /// Pages of a superblock that a fold would have to move.
    pub fn occupied_in(&self, superblock: SuperblockId) -> u32 {
        self.valid_in[superblock.index()] + self.trimmed_in[superblock.index()]
    }

    /// Valid pages of a multi-plane page, one bit each.
    #[inline]
    pub fn valid_bits(&self, mp_page: MpPage) -> u32 {
        bits_of(&self.valid, mp_page, self.page_bits)
    }

    /// The logical pages of the valid pages of a multi-plane page.
    #[inline]
    pub fn valid_lpns(&self, mp_page: MpPage) -> impl Iterator<Item = Lpn> + '_ {
        lpns_in(self, mp_page, self.valid_bits(mp_page))
    }

    /// Same as [`L2p::lpn_of`], for pages of the multi-plane page that begins at `first`, one bit
    /// each.
    #[inline(always)]
    pub fn lpns_of(&self, first: Ppn, pages: u32) -> impl Iterator<Item = Lpn> + Clone + '_ {
        set_bits(pages).map(move |nth| self.lpn_of(first + nth))
    }

    /// Valid and trimmed pages of a multi-plane page, one bit each.
    #[inline]
    pub fn occupied_bits(&self, mp_page: MpPage) -> u32 {
        let mut bits = self.valid_bits(mp_page);
        if mp_page.first_ppn(self.page_bits) < self.cache_end {
            bits |= bits_of(&self.trimmed, mp_page, self.page_bits);
        }
        bits
    }

    /// Maps `count` pages from `lpn` on to the same number of places from `to` on, which lie in one
    /// multi-plane page of `superblock`; they hold data of the request `tag`. `old`: their present
    /// places, if these are known to be a run.
    #[inline]
    pub fn write(
        &mut self,
        lpn: Lpn,
        count: u32,
        to: Ppn,
        superblock: SuperblockId,
        tag: u32,
        old: Option<PlaceRun>,
    ) {
        if self.pending.count > 0 {
            for lpn in (lpn..lpn + count).each() {
                self.pending.remove(lpn);
            }
        }
        if count == 1 {
            let old = std::mem::replace(self.l2p.entry(lpn.0), to.0);
            let old = Ppn(old);
            self.p2l.set(to.0, lpn.0);
            if old.is_place() {
                self.invalidate(old);
            }
        } else {
            self.assign_run(lpn, count, to, old);
        }
        self.valid[to.index() / 64] |= ((1 << count) - 1) << (to.0 % 64);
        self.valid_in[superblock.index()] += count;
        if let Some(tags) = &mut self.tags {
            tags.0[to.index()..][..count as usize].fill(tag);
        }
    }

    /// Maps consecutive pages to consecutive places of one multi-plane page, and back; their old
    /// places are no longer valid.
    #[inline]
    fn assign_run(&mut self, lpn: Lpn, count: u32, to: Ppn, old: Option<PlaceRun>) {
        let to_border = BLOCK_ENTRIES - lpn.0 % BLOCK_ENTRIES;
        if to_border < count {
            self.assign_over_border(lpn, to_border, count, to);
        } else {
            self.assign_in_block(lpn, count, to, old);
        }
    }

    #[cold]
    #[inline(never)]
    fn assign_over_border(&mut self, lpn: Lpn, to_border: u32, count: u32, to: Ppn) {
        self.assign_in_block(lpn, to_border, to, None);
        self.assign_in_block(lpn + to_border, count - to_border, to + to_border, None);
    }

    #[inline]
    fn assign_in_block(&mut self, lpn: Lpn, count: u32, to: Ppn, old: Option<PlaceRun>) {
        self.p2l.count_up(to.0, count, lpn.0);
        if let Some(old) = old.or_else(|| PlaceRun::of(&self.l2p, lpn, count)) {
            self.l2p.count_up(lpn.0, count, to.0);
            if old.first.is_place() {
                invalidate_run(self, old);
            }
            return;
        }
        for nth in 0..count {
            let old = self.entry(lpn + nth);
            self.set_entry(lpn + nth, to + nth);
            if old.is_place() {
                clear_bit(&mut self.valid, old);
                let superblock = self.layout.superblock_of_ppn(old);
                self.valid_in[superblock.index()] -= 1;
            }
        }
    }

    /// Notes that data of the request `tag` overwrites a page that is still in the buffer.
    pub fn write_over(&mut self, lpn: Lpn, place: Ppn, tag: u32) {
        if self.pending.count > 0 {
            self.pending.remove(lpn);
        }
        if let Some(tags) = &mut self.tags {
            tags.0[place.index()] = tag;
        }
    }

    #[inline]
    fn invalidate(&mut self, ppn: Ppn) {
        clear_bit(&mut self.valid, ppn);
        let superblock = self.layout.superblock_of_ppn(ppn);
        self.valid_in[superblock.index()] -= 1;
    }

    /// Moves valid pages of a multi-plane page, one bit each, to the same number of places from
    /// `to` on, which lie in `superblock` without parity between them.
    #[inline]
    pub fn relocate(&mut self, mp_page: MpPage, pages: u32, to: Ppn, superblock: SuperblockId) {
        let first = mp_page.first_ppn(self.page_bits);
        let count = if self.page_bits <= 3 && self.tags.is_none() {
            self.redirect_some(first, pages, to)
        } else {
            for (nth, bit) in (0..).zip(set_bits(pages)) {
                self.redirect(first + bit, to + nth);
            }
            pages.count_ones()
        };
        // They may cross the border of two words.
        let (bits, shift) = ((1u64 << count) - 1, to.0 % 64);
        self.valid[to.index() / 64] |= bits << shift;
        self.valid[to.index() / 64 + 1] |= bits >> 1 >> (63 - shift);
        self.valid_in[superblock.index()] += count;
        self.invalidate_in(mp_page, pages, count);
    }

    /// Same as [`L2p::redirect`], for the pages of a multi-plane page whose bits are set. Returns
    /// their number. Which bits are set is random, and a mispredicted branch is expensive: so all
    /// pages are treated alike, and unwanted results go to the entries that are never read.
    #[inline]
    fn redirect_some(&mut self, first: Ppn, pages: u32, to: Ppn) -> u32 {
        let (no_lpn, no_ppn) = (self.logical_pages(), self.p2l.len() as u32 - 1);
        let mut next = to;
        for nth in 0..1 << self.page_bits {
            let wanted = pages >> nth & 1;
            let lpn = self.p2l.get((first + nth).0);
            let (from, place) = match wanted {
                0 => (no_lpn, no_ppn),
                _ => (lpn, next.0),
            };
            self.l2p.set(from, next.0);
            self.p2l.set(place, lpn);
            next += wanted;
        }
        next - to
    }

    /// Moves valid pages of a multi-plane page, one bit each, to the same places of another.
    #[inline]
    pub fn copy_in_place(
        &mut self,
        mp_page: MpPage,
        pages: u32,
        to_mp_page: MpPage,
        superblock: SuperblockId,
    ) {
        let (first, to) = (
            mp_page.first_ppn(self.page_bits),
            to_mp_page.first_ppn(self.page_bits),
        );
        if !redirect_run(self, first, pages, to) {
            for nth in set_bits(pages) {
                self.redirect(first + nth, to + nth);
            }
        }
        self.valid[to.index() / 64] |= u64::from(pages) << (to.0 % 64);
        let count = pages.count_ones();
        self.valid_in[superblock.index()] += count;
        self.invalidate_in(mp_page, pages, count);
    }

    /// Maps the logical page at `old` to `new`, and back. The caller updates validity.
    #[inline]
    fn redirect(&mut self, old: Ppn, new: Ppn) {
        let lpn = self.lpn_of(old);
        self.set_entry(lpn, new);
        self.p2l.set(new.0, lpn.0);
        self.tag(new, self.tag_of(old));
    }

    /// Marks pages of a multi-plane page, one bit each, `count` in all, as no longer valid.
    #[inline]
    fn invalidate_in(&mut self, mp_page: MpPage, pages: u32, count: u32) {
        let first = mp_page.first_ppn(self.page_bits);
        self.valid[first.index() / 64] &= !(u64::from(pages) << (first.0 % 64));
        let superblock = self.layout.superblock_of(mp_page);
        self.valid_in[superblock.index()] -= count;
    }

    /// Marks the data of the valid pages of a multi-plane page as lost: a read of them fails.
    pub fn lose(&mut self, mp_page: MpPage) {
        let first = mp_page.first_ppn(self.page_bits);
        let pages = self.valid_bits(mp_page);
        for nth in set_bits(pages) {
            self.set_entry(self.lpn_of(first + nth), Ppn::LOST);
        }
        self.invalidate_in(mp_page, pages, pages.count_ones());
    }

    /// Unmaps a logical page. With `keep`, its physical page in the SLC cache stays occupied until
    /// it is folded.
    pub fn unmap(&mut self, lpn: Lpn, keep: bool) {
        let old = self.entry(lpn);
        if old == Ppn::UNMAPPED {
            return;
        }
        self.set_entry(lpn, Ppn::UNMAPPED);
        if old == Ppn::LOST {
            return;
        }
        self.invalidate(old);
        if keep && old < self.cache_end {
            set_bit(&mut self.trimmed, old);
            let superblock = self.layout.superblock_of_ppn(old);
            self.trimmed_in[superblock.index()] += 1;
        }
    }

    /// Prepares for [`L2p::trim_later`]; `hide` pending pages from [`L2p::lookup`].
    pub fn keep_pending_trims(&mut self, hide: bool) {
        self.pending.bits = vec![0; self.l2p.len().div_ceil(64)];
        self.pending.hide = hide;
    }

    /// Marks pages as pending: they are to be unmapped later.
    pub fn trim_later(&mut self, pages: Range<Lpn>) {
        for lpn in pages.each() {
            if self.entry(lpn) != Ppn::UNMAPPED && !self.pending.holds(lpn) {
                set_bit(&mut self.pending.bits, lpn);
                self.pending.count += 1;
            }
        }
        self.pending.hiding = self.pending.hide && self.pending.count > 0;
    }

    /// Number of pending pages in a range.
    pub fn pending_in(&self, pages: Range<Lpn>) -> u32 {
        let pending = pages.each().filter(|&lpn| self.pending.holds(lpn));
        pending.count() as u32
    }

    /// Same as [`L2p::unmap`], for the pending pages of a range. Returns their number.
    pub fn unmap_pending(&mut self, pages: Range<Lpn>, keep: bool) -> u32 {
        let mut count = 0;
        for lpn in pages.each() {
            if self.pending.remove(lpn) {
                self.unmap(lpn, keep);
                count += 1;
            }
        }
        count
    }

    /// Same as [`L2p::unmap`], for every logical page at once, in the order of the table.
    pub fn unmap_all(&mut self, keep: bool) {
        if keep {
            for ppn in (Ppn(0)..self.cache_end).each() {
                if self.is_valid(ppn) {
                    self.unmap(self.lpn_of(ppn), true);
                }
            }
        }
        self.l2p.fill(Ppn::UNMAPPED.0);
        self.valid.fill(0);
        self.valid_in.fill(0);
    }

    /// Unmaps every page; nothing stays occupied.
    pub fn forget(&mut self) {
        self.unmap_all(false);
        self.trimmed.fill(0);
        self.trimmed_in.fill(0);
        self.forget_pending();
    }

    fn forget_pending(&mut self) {
        self.pending.bits.fill(0);
        (self.pending.count, self.pending.hiding) = (0, false);
    }

    /// Forgets the trimmed pages of a multi-plane page that has been folded.
    pub fn release_trimmed(&mut self, mp_page: MpPage) {
        for ppn in mp_page.ppns(self.page_bits).each() {
            if has_bit(&self.trimmed, ppn) {
                clear_bit(&mut self.trimmed, ppn);
                self.trimmed_in[self.layout.superblock_of(mp_page).index()] -= 1;
            }
        }
    }

    /// Starts to keep the tags, of a new drive or not; `None` ends it.
    pub fn keep_tags(&mut self, is_new: Option<bool>) {
        self.tags = is_new.map(|is_new| {
            let tag = if is_new { ERASED } else { EARLIER_TAG };
            Box::new(Tags(vec![tag; self.p2l.len() - 1]))
        });
    }

    #[inline]
    fn tag(&mut self, ppn: Ppn, tag: u32) {
        if let Some(tags) = &mut self.tags {
            // Tags are unknown for pages erased before tags were kept.
            let may_be_erased = tags.0[ppn.index()] >= EARLIER_TAG;
            assert!(may_be_erased, "a page was programmed twice");
            tags.0[ppn.index()] = tag;
        }
    }

    #[inline]
    fn tag_of(&self, ppn: Ppn) -> u32 {
        self.tags.as_ref().map_or(0, |tags| tags.0[ppn.index()])
    }

    /// Removes the tags of the pages of an erased superblock.
    pub fn erase_tags(&mut self, superblock: SuperblockId) {
        if let Some(tags) = &mut self.tags {
            let mp_pages = self.layout.mp_pages_in(superblock);
            let first = mp_pages.start.first_ppn(self.page_bits).index();
            let end = mp_pages.end.first_ppn(self.page_bits).index();
            tags.0[first..end].fill(ERASED);
        }
    }

    /// Access to the tables when the power has been cut.
    pub fn after_cut(&mut self) -> AfterCut<'_> {
        AfterCut(self)
    }

    /// Marks a multi-plane page as unreadable: its program was cut short or never begun.
    pub fn tear(&mut self, mp_page: MpPage) {
        if let Some(tags) = &mut self.tags {
            let first = mp_page.first_ppn(self.page_bits).index();
            tags.0[first..first + (1 << self.page_bits)].fill(ERASED);
        }
    }

    /// The tags of physical pages, each with its physical page.
    pub fn tags(&self) -> impl Iterator<Item = (Ppn, u32)> + '_ {
        let all = self.tags.iter().flat_map(|tags| tags.0.iter());
        (0u32..)
            .map(Ppn)
            .zip(all.copied())
            .filter(|&(_, tag)| tag != ERASED)
    }

    /// The tag of the request whose data a read of `lpn` would return; `None` if nothing is mapped.
    ///
    /// # Panics
    /// If the tables contradict each other.
    pub fn content(&self, lpn: Lpn) -> Option<u32> {
        let ppn = self.lookup(lpn);
        if !ppn.is_place() {
            return None;
        }
        assert!(self.is_valid(ppn), "a mapped page is not valid");
        assert_eq!(self.lpn_of(ppn), lpn, "the tables disagree");
        let tag = self.tag_of(ppn);
        assert_ne!(tag, ERASED, "a mapped page has been erased");
        Some(tag)
    }
}

/// Prefetches the data that a write of a logical page changes, long before: the second step after
/// [`L2p::prefetch`].
#[inline]
pub(crate) fn prefetch_expected_write(l2p: &L2p, lpn: Lpn) {
    if !l2p.l2p.prefetch_more(lpn.0) {
        l2p.prefetch_invalid(lpn);
    }
}

/// Prefetches the entry of the first logical page of a command, which may have been expected.
#[inline]
pub(crate) fn prefetch_submitted(l2p: &L2p, lpn: Lpn) {
    l2p.prefetch(lpn);
    if l2p.l2p.prefetch_more(lpn.0) {
        l2p.prefetch_invalid(lpn);
    }
}

/// Prefetches the words that [`L2p::occupied_bits`] reads for multi-plane pages a little after this
/// one.
#[inline(always)]
pub(crate) fn prefetch_occupied(l2p: &L2p, mp_page: MpPage) {
    let word = mp_page.first_ppn(l2p.page_bits).index() / 64 + LINE_WORDS;
    memory::prefetch(&l2p.valid, word);
    memory::prefetch(&l2p.trimmed, word);
}

/// Places of consecutive logical pages ([`L2p::entry`]), if they are a run.
#[inline(always)]
pub(crate) fn place_run(l2p: &L2p, pages: Range<Lpn>) -> Option<PlaceRun> {
    PlaceRun::of(&l2p.l2p, pages.start, pages.count())
}

/// Same as [`L2p::lpns_of`], for at least two pages, if both the pages and the LPNs are
/// consecutive.
#[inline(always)]
pub(crate) fn lpns_in_a_row(l2p: &L2p, first: Ppn, pages: u32) -> Option<Range<Lpn>> {
    let (begin, count) = (pages.trailing_zeros(), pages.count_ones());
    if count < 2 || u64::from(pages >> begin) != (1 << count) - 1 {
        return None;
    }
    let first = first + begin;
    let lpn = l2p.lpn_of(first);
    let in_a_row = l2p.p2l.counts_up(first.0, count, lpn.0, 1);
    in_a_row.then(|| lpn..lpn + count)
}

/// Marks consecutive places as no longer valid.
#[inline]
fn invalidate_run(l2p: &mut L2p, run: PlaceRun) {
    let (first, last) = (run.first, run.nth(run.pages - 1));
    let superblock = l2p.layout.superblock_of_ppn(first);
    if l2p.layout.superblock_of_ppn(last) == superblock {
        clear_bits(&mut l2p.valid, first..last + 1);
        l2p.valid_in[superblock.index()] -= run.pages;
    } else {
        (first..last + 1).each().for_each(|ppn| l2p.invalidate(ppn));
    }
}

/// Same as [`L2p::redirect`], for pages of a multi-plane page, one bit each, to the same places of
/// another, if both the pages and their LPNs are consecutive. Returns true if they are.
#[inline]
fn redirect_run(l2p: &mut L2p, first: Ppn, pages: u32, to: Ppn) -> bool {
    if l2p.tags.is_some() {
        return false;
    }
    let Some(lpns) = lpns_in_a_row(l2p, first, pages) else {
        return false;
    };
    let (lpn, count) = (lpns.start.0, lpns.count());
    if BLOCK_ENTRIES - lpn % BLOCK_ENTRIES < count {
        return false;
    }
    let to = to + pages.trailing_zeros();
    l2p.l2p.count_up(lpn, count, to.0);
    l2p.p2l.count_up(to.0, count, lpn);
    true
}

/// Same as [`L2p::lpn_of`], for pages of a multi-plane page, one bit each.
#[inline]
pub(crate) fn lpns_in(
    l2p: &L2p,
    mp_page: MpPage,
    pages: u32,
) -> impl Iterator<Item = Lpn> + Clone + '_ {
    l2p.lpns_of(mp_page.first_ppn(l2p.page_bits), pages)
}

/// Same as [`L2p::lpn_of`], for consecutive pages of a multi-plane page.
#[inline(always)]
pub(crate) fn lpns_from(
    l2p: &L2p,
    first: Ppn,
    count: u32,
) -> impl ExactSizeIterator<Item = Lpn> + Clone + '_ {
    (0..count).map(move |nth| l2p.lpn_of(first + nth))
}

/// The tables when the power has been cut: the L2P is replaced by the one in flash, and then
/// validity is counted again.
pub(crate) struct AfterCut<'a>(&'a mut L2p);

impl AfterCut<'_> {
    /// Maps a logical page to another place.
    pub fn put(&mut self, lpn: Lpn, ppn: Ppn) {
        self.0.set_entry(lpn, ppn);
    }

    /// [`L2p::lpn_of`].
    pub fn lpn_of(&self, ppn: Ppn) -> Lpn {
        self.0.lpn_of(ppn)
    }

    /// Maps the logical page that was last written to a physical page back to this place.
    pub fn put_back(&mut self, ppn: Ppn) {
        self.put(self.0.lpn_of(ppn), ppn);
    }

    /// Unmaps the pages that were trimmed and are still mapped.
    pub fn unmap_pending(&mut self) {
        if !self.0.pending.is_empty() {
            for lpn in (0..self.0.logical_pages()).map(Lpn) {
                if self.0.pending.holds(lpn) {
                    self.put(lpn, Ppn::UNMAPPED);
                }
            }
        }
    }

    /// Marks a programmed multi-plane page as unreadable. Returns the number of pages that the
    /// table loses.
    pub fn tear(&mut self, mp_page: MpPage) -> u32 {
        let mut count = 0;
        for ppn in mp_page.ppns(self.0.page_bits).each() {
            if is_at(self.0, ppn) {
                self.put(self.0.lpn_of(ppn), Ppn::UNMAPPED);
                count += 1;
            }
        }
        self.0.tear(mp_page);
        count
    }

    /// Recounts validity. Trimmed pages of the SLC cache are forgotten with the rest of the working
    /// memory.
    ///
    /// # Panics
    /// If the table points to a place that belongs to another page.
    pub fn recount(&mut self) {
        let l2p = &mut *self.0;
        l2p.valid.fill(0);
        l2p.valid_in.fill(0);
        l2p.trimmed.fill(0);
        l2p.trimmed_in.fill(0);
        l2p.forget_pending();
        for lpn in (0..l2p.logical_pages()).map(Lpn) {
            let ppn = l2p.entry(lpn);
            if !ppn.is_place() {
                continue;
            }
            assert_eq!(l2p.lpn_of(ppn), lpn, "flash has another page there");
            set_bit(&mut l2p.valid, ppn);
            let superblock = l2p.layout.superblock_of_ppn(ppn);
            l2p.valid_in[superblock.index()] += 1;
        }
    }
}

/// True if the table maps a logical page to this physical page.
pub(crate) fn is_at(l2p: &L2p, ppn: Ppn) -> bool {
    let lpn = l2p.lpn_of(ppn);
    lpn != Lpn::NONE && l2p.entry(lpn) == ppn
}

#[inline]
fn bits_of(words: &[u64], mp_page: MpPage, page_bits: u32) -> u32 {
    let pages = 1u32 << page_bits;
    let first = mp_page.first_ppn(page_bits);
    let mask = (1u64 << pages) - 1;
    (words[first.index() / 64] >> (first.0 % 64) & mask) as u32
}

#[cfg(test)]
mod tests {
    use stend_base::Rng;

    use super::*;
    use stend_model::Model;

    /// Compares with a copy that keeps tags, in which each page is moved alone.
    #[test]
    fn pages_in_a_row_are_moved_as_each_alone() {
        let model = Model::shipped("samsung-850-pro-256gb").expect("it is shipped");
        let mut spec = model.spec();
        (spec.data.rows, spec.data.superblocks) = (8, 4);
        let layout = Layout::new(&spec);
        let mut rng = Rng::stream(1, "rows");
        let per_mp_page = 1 << layout.page_bits;
        for _ in 0..20 {
            let mut rows = L2p::new(layout, 5_000);
            let mut alone = rows.clone();
            alone.keep_tags(Some(true));
            let (from, to) = (SuperblockId(0), SuperblockId(1));
            let pages = layout.mp_pages_in(from);
            for mp_page in pages.clone().each() {
                let lpn = Lpn(rng.below(4_900) as u32);
                let count = 1 + rng.below(per_mp_page) as u32;
                for l2p in [&mut rows, &mut alone] {
                    let to = mp_page.first_ppn(layout.page_bits);
                    l2p.write(lpn, count, to, from, 0, None);
                }
            }
            for mp_page in pages.clone().each() {
                let into = layout.first_mp_page(to) + (mp_page - pages.start);
                for l2p in [&mut rows, &mut alone] {
                    l2p.copy_in_place(mp_page, l2p.valid_bits(mp_page), into, to);
                }
            }
            for lpn in (0..5_000).map(Lpn) {
                let place = rows.entry(lpn);
                assert_eq!(place, alone.entry(lpn));
                let points_back = || rows.lpn_of(place) == lpn && rows.is_valid(place);
                assert!(!place.is_place() || points_back());
            }
            assert_eq!(rows.valid_in(to), alone.valid_in(to));
        }
    }
}
