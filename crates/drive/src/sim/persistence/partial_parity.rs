//! Parity and power cuts: a stripe that is unfinished at a cut has no parity of its own.
//!
//! The drive keeps the parity of every stripe that is being filled in memory. Data counts as
//! durable only together with its parity: for each stripe that is not whole and receives data of a
//! journal page, a page of *partial parity* is written with the journal page, beside it in the
//! journal's blocks; with capacitors, at the cut. After a cut, the partial parity is read back and
//! the stripe is filled further; if its own place for parity was torn or skipped, the partial
//! parity replaces it until the superblock is erased.
//!
//! A fold copies data and parity page by page. Until all pages of a stripe have been copied, its
//! copied data is durable in its source, where its parity is.
//!
//! All of this applies to drives with parity whose flash has errors; others never use parity. Pages
//! here are multi-plane pages.
//!
//! Simplified: partial parity that stays is no page of the journal's blocks, and moves with its
//! stripe when that is folded; like the journal it can always be read (firmware would keep it on
//! two dies).

use std::ops::Range;

use stend_base::Nanos;
use stend_model::spec::{PairedPages, PowerLossSpec, Spec};

use super::change::Change;
use super::recent::RecentRanges;
use super::view::FlashView;
use crate::sim::geometry::bits::{clear_bits, first_set, has_bit, set_bit};
use crate::sim::geometry::layout::Layout;
use crate::sim::ids::{DieId, IdRange, MpPage, SuperblockId};

/// Pages of recently used superblocks: the first, the one before which all stripes are whole, and
/// the one after the last.
#[derive(Default)]
struct WholeBefore([(MpPage, MpPage, MpPage); 4]);

/// Contribution of a page when another page of its stripe is rebuilt.
pub(in crate::sim) enum StripeMember {
    /// Its content, which must be read.
    Page,
    /// Nothing: it is not programmed, or its content is in memory.
    Nothing,
    /// Partial parity instead of it: die of the page and time to sense it.
    PartialParity(DieId, Nanos),
}

/// State of stripes after cuts.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct PartialParity {
    paired: PairedPages,
    /// Time to sense a page of the journal's blocks.
    sense: Nanos,
    /// One bit a page, as in the next two fields. Pages that a cut has torn or skipped: they are
    /// unreadable until they are erased.
    #[serde(with = "crate::table")]
    void: Vec<u64>,
    /// Pages covered by partial parity of their stripe, which is in flash.
    #[serde(with = "crate::table")]
    covered: Vec<u64>,
    /// Pages that were durable when a cut left their stripe without parity.
    #[serde(with = "crate::table")]
    unprotected: Vec<u64>,
    /// First pages of the stripes whose partial parity is written with the journal pages under
    /// way, and the pages that it will cover.
    stripes: Vec<MpPage>,
    covering: Vec<MpPage>,
}

impl PartialParity {
    /// `None` if no parity has to survive a cut.
    pub fn new(of: &PowerLossSpec, spec: &Spec, layout: &Layout) -> Option<Box<PartialParity>> {
        let used = spec.parity_data.is_some() && spec.media.is_some();
        let bits = || vec![0; layout.mp_pages().div_ceil(64) as usize];
        used.then(|| {
            Box::new(PartialParity {
                paired: of.paired_pages,
                sense: of.journal.read[0],
                void: bits(),
                covered: bits(),
                unprotected: bits(),
                stripes: Vec::with_capacity(64),
                covering: Vec::with_capacity(256),
            })
        })
    }

    /// All pages of the stripe of a page, with itself and the parity.
    fn stripe_of(page: MpPage, view: &FlashView<'_>) -> impl Iterator<Item = MpPage> + use<> {
        let superblock = view.layout.superblock_of(page);
        view.layout.stripe(page, view.superblocks.mode(superblock))
    }

    fn is_parity(page: MpPage, view: &FlashView<'_>) -> bool {
        let (_, within, shape) = view.place(page);
        shape.is_parity(within)
    }

    /// True if a page is programmed, or will never be.
    fn has_been_filled(&self, page: MpPage, view: &FlashView<'_>) -> bool {
        !view.will_begin(page)
            && view.is_durable(page, self.paired)
            && !view.fold.lacks(view.layout, page)
    }

    /// True if the stripe of a page is complete, and its parity is in its place.
    fn stripe_is_whole(&self, page: MpPage, view: &FlashView<'_>) -> bool {
        Self::stripe_of(page, view).all(|other| {
            let gone = has_bit(&self.void, other) && Self::is_parity(other, view);
            !gone && self.has_been_filled(other, view)
        })
    }

    /// Contribution of a page to the rebuild of another page of its stripe.
    pub fn member(&self, page: MpPage, view: &FlashView<'_>) -> StripeMember {
        if !has_bit(&self.void, page) {
            return match self.has_been_filled(page, view) {
                true => StripeMember::Page,
                false => StripeMember::Nothing,
            };
        }
        let (_, within, shape) = view.place(page);
        if !shape.is_parity(within) {
            return StripeMember::Nothing;
        }
        StripeMember::PartialParity(shape.place(within).1, self.sense)
    }

    /// True if a cut has left the data of a page without parity.
    pub fn is_unprotected(&self, page: MpPage) -> bool {
        has_bit(&self.unprotected, page)
    }

    /// Clears the state of erased pages.
    pub fn erased(&mut self, pages: Range<MpPage>) {
        for bits in [&mut self.void, &mut self.covered, &mut self.unprotected] {
            clear_bits(bits, pages.clone());
        }
    }

    /// Marks a page as unreadable until it is erased.
    pub fn is_void(&mut self, page: MpPage) {
        set_bit(&mut self.void, page);
    }

    /// Finds the stripes whose partial parity has to be written with `changes`. Returns their
    /// number, which is that of the pages.
    #[inline(never)]
    pub(super) fn find<'a>(
        &mut self,
        changes: impl Iterator<Item = &'a Change>,
        view: &FlashView<'_>,
    ) -> u32 {
        let mut stripes = std::mem::take(&mut self.stripes);
        let mut covering = std::mem::take(&mut self.covering);
        stripes.clear();
        covering.clear();
        let (mut whole, mut recent) = (RecentRanges::default(), RecentRanges::default());
        let mut before = WholeBefore::default();
        let mut latest = MpPage(0)..MpPage(0);
        let bits = view.layout.page_bits;
        for (to, pages) in changes.filter_map(|change| change.programs()) {
            // Mostly one multi-plane page, near the one before.
            let (mut next, end) = (to.mp_page(bits), (to + pages - 1).mp_page(bits) + 1);
            if latest.start <= next && end <= latest.end {
                continue;
            }
            while next < end {
                let page = next;
                next += 1;
                latest = self.whole_around(page, &mut before, view);
                if latest.contains(&page) || recent.has(page) {
                    continue;
                }
                recent.add(page, page + 1);
                let (_, within, shape) = view.place(page);
                let first = shape.nth_of_stripe(within, 0).expect("it has parity");
                let stripe = page - within + first;
                if !stripes.contains(&stripe) {
                    if whole.has(stripe) || self.stripe_is_whole(page, view) {
                        whole.add(stripe, stripe + 1);
                        continue;
                    }
                    stripes.push(stripe);
                }
                covering.push(page);
            }
        }
        let pages = stripes.len() as u32;
        (self.stripes, self.covering) = (stripes, covering);
        pages
    }

    /// Pages of a page's superblock that lie so far behind its write point that their stripes are
    /// certainly whole.
    #[inline]
    fn whole_around(
        &self,
        page: MpPage,
        before: &mut WholeBefore,
        view: &FlashView<'_>,
    ) -> Range<MpPage> {
        let mut known = before.0.iter();
        let found = known.find(|&&(first, _, end)| first <= page && page < end);
        let (first, whole, _) = match found {
            Some(&found) => found,
            None => self.find_whole(page, before, view),
        };
        first..whole
    }

    /// Finds and notes the whole stripes of the superblock of a page.
    #[inline(never)]
    fn find_whole(
        &self,
        page: MpPage,
        before: &mut WholeBefore,
        view: &FlashView<'_>,
    ) -> (MpPage, MpPage, MpPage) {
        let (superblock, within, shape) = view.place(page);
        let filled = self.filled_upto(superblock, view) + 1;
        let whole = filled.saturating_sub(shape.stripe_span());
        let first = page - within;
        before.0.rotate_right(1);
        before.0[0] = (first, first + whole, first + shape.mp_pages);
        before.0[0]
    }

    /// Number of the page of a superblock below which all pages have been filled, and none is void;
    /// 0 if it is not known.
    fn filled_upto(&self, superblock: SuperblockId, view: &FlashView<'_>) -> u32 {
        let first = view.layout.first_mp_page(superblock);
        let begun = view.begun(superblock);
        let pages = first..first + begun;
        if view.fold.is_target(superblock) || first_set(&self.void, pages.clone()).is_some() {
            return 0;
        }
        let unprogrammed = view.buffer.first_held(pages);
        let shape = view.shape(superblock);
        shape.first_of_word_lines(unprogrammed.map_or(begun, |page| page - first))
    }

    /// Notes that the partial parity of the stripes found is in flash, and covers its changes.
    /// Returns the number of its pages.
    #[inline(never)]
    pub fn cover(&mut self) -> u64 {
        for &page in &self.covering {
            set_bit(&mut self.covered, page);
        }
        self.covering.clear();
        self.stripes.len() as u64
    }

    /// Notes the pages that a cut tears and the stripes that it leaves without parity, before the
    /// write points are lost. `ended`: programs of data under way end; `all_ended`: those of parity
    /// too. `holds_durable` returns true if a page holds durable data.
    #[cold]
    pub fn power_cut(
        &mut self,
        ended: bool,
        all_ended: bool,
        holds_durable: impl Fn(MpPage) -> bool,
        view: &FlashView<'_>,
    ) {
        let tears_pairs = !ended && self.paired.tears();
        let open = view.superblocks.open_ones().flat_map(|superblock| {
            let first = view.layout.first_mp_page(superblock);
            (first..first + view.shape(superblock).mp_pages).each()
        });
        let pages: Vec<MpPage> = open.collect();
        for &page in &pages {
            let covered = has_bit(&self.covered, page);
            if !covered && holds_durable(page) && !self.stripe_is_whole(page, view) {
                set_bit(&mut self.unprotected, page);
            }
        }
        for page in pages {
            if !view.buffer.holds(page) {
                continue;
            }
            let parity = Self::is_parity(page, view);
            if !(all_ended || ended && !parity) {
                set_bit(&mut self.void, page);
            }
            if parity && tears_pairs {
                for paired in view.word_line(page) {
                    set_bit(&mut self.void, paired);
                }
            }
        }
    }

    /// Pages of partial parity that a recovery reads back, to fill stripes further.
    pub fn pages_to_read(&self, view: &FlashView<'_>) -> u32 {
        let next = view.points.next_mp_pages();
        let covered =
            |page: MpPage| Self::stripe_of(page, view).any(|other| has_bit(&self.covered, other));
        next.filter(|&page| covered(page)).count() as u32
    }
}
