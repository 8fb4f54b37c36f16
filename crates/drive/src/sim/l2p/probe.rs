//! The L2P by itself, for its benchmark: a log that is written and cleaned without dies, channels
//! or time. The whole simulation costs more than this by its timing.

use stend_model::spec::Spec;

use crate::sim::geometry::bits::set_bits;
use crate::sim::geometry::layout::Layout;
use crate::sim::ids::{Lpn, MpPage, Ppn, SuperblockId};
use crate::sim::l2p::table::L2p;

/// An L2P filled as a log: each written page gets the next place; the oldest multi-plane pages are
/// emptied first.
///
/// The drive must have no SLC cache and no parity: their places would stay empty.
#[derive(Clone, Debug)]
pub struct MappingLog {
    l2p: L2p,
    layout: Layout,
    mp_pages: u32,
    /// Next multi-plane page to be emptied, and next place to be written.
    oldest: MpPage,
    next: Ppn,
    free: u32,
    moved: u64,
}

impl MappingLog {
    /// The table of a drive, written once in order.
    ///
    /// # Panics
    /// If the drive has an SLC cache or parity.
    pub fn new(spec: &Spec) -> MappingLog {
        assert!(
            spec.cache.is_none() && spec.parity_data.is_none(),
            "the log knows neither cache nor parity"
        );
        let layout = Layout::new(spec);
        let pages = (spec.user_bytes / stend_model::spec::PAGE_BYTES) as u32;
        let mp_pages = layout.mp_pages();
        let mut log = MappingLog {
            l2p: L2p::new(layout, pages),
            layout,
            mp_pages,
            oldest: MpPage(0),
            next: Ppn(0),
            free: mp_pages << layout.page_bits,
            moved: 0,
        };
        for lpn in 0..pages {
            log.write(lpn);
        }
        log
    }

    /// Logical pages of the drive.
    pub fn pages(&self) -> u32 {
        self.l2p.logical_pages()
    }

    /// Pages moved so far to make room.
    pub fn moved(&self) -> u64 {
        self.moved
    }

    /// Prefetches the entry of a page that will soon be changed.
    pub fn expect(&self, lpn: impl Into<Lpn>) {
        self.l2p.prefetch(lpn.into());
    }

    /// Writes a page to the next place.
    pub fn write(&mut self, lpn: impl Into<Lpn>) {
        // One multi-plane page more than the one being emptied: its pages need a place.
        while self.free < 2 << self.layout.page_bits {
            self.empty_oldest();
        }
        let place = self.take_place();
        let superblock = self.superblock(place);
        self.l2p.write(lpn.into(), 1, place, superblock, 0, None);
    }

    fn empty_oldest(&mut self) {
        let mp_page = self.oldest;
        self.l2p
            .prefetch_lpns(self.after(mp_page, 2 * AHEAD_MP_PAGES));
        self.l2p.prefetch_moves(self.after(mp_page, AHEAD_MP_PAGES));
        self.oldest = self.after(mp_page, 1);
        let valid = self.l2p.valid_bits(mp_page);
        let count = valid.count_ones();
        self.moved += u64::from(count);
        let superblock = self.superblock(self.next);
        let end = self.next + count;
        if end.0 < self.mp_pages << self.layout.page_bits && self.superblock(end) == superblock {
            self.l2p.relocate(mp_page, valid, self.next, superblock);
            self.next = end;
            self.free -= count;
        } else {
            self.move_singly(mp_page, valid);
        }
        self.free += 1 << self.layout.page_bits;
    }

    fn move_singly(&mut self, mp_page: MpPage, pages: u32) {
        for nth in set_bits(pages) {
            let place = self.take_place();
            let superblock = self.superblock(place);
            self.l2p.relocate(mp_page, 1 << nth, place, superblock);
        }
    }

    /// The multi-plane page `more` after another; the first follows the last.
    fn after(&self, mp_page: MpPage, more: u32) -> MpPage {
        MpPage((mp_page.0 + more) % self.mp_pages)
    }

    fn take_place(&mut self) -> Ppn {
        let place = self.next;
        self.next = Ppn((place.0 + 1) % (self.mp_pages << self.layout.page_bits));
        self.free -= 1;
        place
    }

    fn superblock(&self, place: Ppn) -> SuperblockId {
        self.layout.superblock_of_ppn(place)
    }
}

/// Multi-plane pages by which the entries of their pages are prefetched ahead.
const AHEAD_MP_PAGES: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use stend_base::Rng;
    use stend_model::Model;

    #[test]
    fn every_page_keeps_one_valid_place() {
        let mut spec = Model::shipped("samsung-850-pro-256gb")
            .expect("it is shipped")
            .spec();
        spec.data.rows = 8;
        spec.data.superblocks = 40;
        spec.user_bytes = 28_000 * 4096;
        let mut log = MappingLog::new(&spec);
        let mut rng = Rng::stream(1, "log");
        for _ in 0..200_000 {
            log.write(rng.below(u64::from(log.pages())) as u32);
        }
        assert!(log.moved() > 100_000, "{} moved", log.moved());
        let valid: u32 = (0..40).map(|s| log.l2p.valid_in(SuperblockId(s))).sum();
        assert_eq!(valid, log.pages());
        for lpn in 0..log.pages() {
            let place = log.l2p.lookup(Lpn(lpn));
            assert!(log.l2p.is_valid(place), "page {lpn} at {place}");
        }
    }
}
