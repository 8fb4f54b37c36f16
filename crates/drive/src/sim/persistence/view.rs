//! View that persistence has of its neighbours: places of pages, and which of them are programmed.
//! Pages here are multi-plane pages.

use std::ops::Range;

use crate::nand::Work;
use stend_model::nand::Class;
use stend_model::spec::PairedPages;

use crate::sim::buffer::write_buffer::WriteBuffer;
use crate::sim::env::Env;
use crate::sim::ftl::Ftl;
use crate::sim::ftl::fold_state::FoldState;
use crate::sim::ftl::write_points::WritePoints;
use crate::sim::geometry::layout::Layout;
use crate::sim::geometry::shape::Shape;
use crate::sim::ids::{DieId, MpPage, Ppn, SuperblockId};
use crate::sim::l2p::table::L2p;
use crate::sim::media::op::{NandOp, Upkeep};
use crate::sim::superblocks::Superblocks;

/// The neighbours of persistence as they are between two events.
#[derive(Clone, Copy)]
pub(in crate::sim) struct FlashView<'a> {
    pub(super) layout: &'a Layout,
    pub(super) l2p: &'a L2p,
    pub(super) superblocks: &'a Superblocks,
    pub(super) points: &'a WritePoints,
    pub(super) buffer: &'a WriteBuffer,
    pub(super) fold: &'a FoldState,
}

/// The FTL and its flash, for submitting work to the dies.
pub(in crate::sim) struct Flash<'a> {
    pub env: &'a mut Env,
    pub ftl: &'a mut Ftl,
}

impl Flash<'_> {
    /// The view of persistence.
    pub fn view(&self) -> FlashView<'_> {
        FlashView::new(&self.env.layout, self.ftl)
    }

    /// Submits work beside data to a die.
    pub(super) fn submit(&mut self, die: DieId, class: Class, work: Work, what: Upkeep) {
        let op = NandOp::Upkeep { what };
        self.ftl.media.submit(self.env, die, class, work, op);
    }
}

impl<'a> FlashView<'a> {
    /// The view of the FTL.
    #[inline(always)]
    pub fn new(layout: &'a Layout, ftl: &'a Ftl) -> FlashView<'a> {
        FlashView {
            layout,
            l2p: &ftl.l2p,
            superblocks: &ftl.superblocks,
            points: &ftl.points,
            buffer: &ftl.buffer,
            fold: &ftl.fold,
        }
    }

    /// Number of changes so far to the set of programmed or begun multi-plane pages.
    #[inline(always)]
    pub(super) fn changes(&self) -> u64 {
        self.points.moves() + self.buffer.changes()
    }

    /// Superblock of a page, the page's number in it, and the superblock's shape.
    #[inline]
    pub(super) fn place(&self, page: MpPage) -> (SuperblockId, u32, &'a Shape) {
        let (superblock, within) = self.layout.within_superblock(page);
        (superblock, within, self.shape(superblock))
    }

    /// Numbering of the pages of a superblock.
    #[inline]
    pub(super) fn shape(&self, superblock: SuperblockId) -> &'a Shape {
        self.layout.shape(self.superblocks.mode(superblock))
    }

    /// The superblock of a physical page.
    #[inline(always)]
    pub(super) fn superblock_of(&self, ppn: Ppn) -> SuperblockId {
        self.layout.superblock_of_ppn(ppn)
    }

    /// All pages on the word line of a page, with itself.
    pub(super) fn word_line(&self, page: MpPage) -> impl Iterator<Item = MpPage> + use<> {
        let superblock = self.layout.superblock_of(page);
        self.layout
            .word_line(page, self.superblocks.mode(superblock))
    }

    /// True if a page is not programmed yet, or not begun in an open superblock.
    #[inline(always)]
    pub(super) fn is_unprogrammed(&self, page: MpPage) -> bool {
        self.buffer.holds(page) || self.points.will_begin(self.layout, page)
    }

    /// True if a page belongs to an open superblock and has not been begun.
    #[inline]
    pub(super) fn will_begin(&self, page: MpPage) -> bool {
        self.points.will_begin(self.layout, page)
    }

    /// Number of pages of a superblock that have been begun.
    #[inline]
    pub(super) fn begun(&self, superblock: SuperblockId) -> u32 {
        let begun = self.points.begun_so_far(superblock);
        begun.min(self.shape(superblock).mp_pages)
    }

    /// The page, itself or another of its word line, that must be programmed before no cut can
    /// affect `page` any more; `None` if no cut can affect it already.
    pub(super) fn awaited_page(&self, page: MpPage, paired: PairedPages) -> Option<MpPage> {
        if self.buffer.holds(page) {
            return Some(page);
        }
        if paired != PairedPages::Pad {
            return None;
        }
        let (superblock, within) = self.layout.within_superblock(page);
        if !self.superblocks.is_open(superblock) {
            return None;
        }
        let (first, begun) = (page - within, self.points.begun_so_far(superblock));
        let mut line = self.shape(superblock).word_line(within);
        let awaited = line.find(|&w| w >= begun || self.buffer.holds(first + w));
        awaited.map(|w| first + w)
    }

    /// True if no cut can affect a page any more.
    pub(super) fn is_durable(&self, page: MpPage, paired: PairedPages) -> bool {
        self.awaited_page(page, paired).is_none()
    }

    /// Pages from `page` on that no cut can affect any more; none if a cut can affect `page`, or if
    /// this cannot be found quickly.
    #[inline(never)]
    pub(super) fn durable_from(&self, page: MpPage, paired: PairedPages) -> Range<MpPage> {
        const NONE: Range<MpPage> = MpPage(0)..MpPage(0);
        if self.buffer.holds(page) {
            return NONE;
        }
        let (superblock, within, shape) = self.place(page);
        let first = page - within;
        let pads = paired == PairedPages::Pad && self.superblocks.is_open(superblock);
        let from = match pads {
            true => first + shape.first_of_word_lines(within),
            false => page,
        };
        let end = first + self.begun(superblock);
        let end = self.buffer.first_held(from..end).unwrap_or(end);
        match pads {
            true if end <= page => NONE,
            true => page..first + shape.whole_word_lines(end - first),
            false => page..end,
        }
    }
}
