//! Sources and target of the fold under way, and its progress.

use std::ops::Range;

use crate::sim::geometry::bits::{has_bit, set_bit};
use crate::sim::geometry::layout::Layout;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{DieId, MpPage, Ppn, Row, SuperblockId};

/// Superblocks folded together: the bits of a cell of the data area.
pub(in crate::sim) const SOURCES_MAX: usize = 4;

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Fold {
    sources: [SuperblockId; SOURCES_MAX],
    /// Number of sources.
    count: u32,
    target: SuperblockId,
    /// Next word line and die, `word_line * dies + die`.
    next: u32,
    /// Word lines and dies that have been mapped or skipped.
    done: u32,
}

/// The fold under way, if there is one.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct FoldState {
    fold: Option<Fold>,
    /// Word lines and dies that are behind the fold, one bit each; only if parity has to survive a
    /// power cut.
    behind: Vec<u64>,
    /// Word lines and dies of each stripe of the sources that are not behind the fold yet.
    left_in_stripe: Vec<u32>,
}

impl FoldState {
    /// True if a fold is under way.
    #[inline]
    pub fn is_under_way(&self) -> bool {
        self.fold.is_some()
    }

    /// Begins a fold of superblocks of the SLC cache into one superblock. `keeps_behind`: the word
    /// lines behind the fold are recorded.
    pub fn begin(
        &mut self,
        sources: &[SuperblockId],
        target: SuperblockId,
        layout: &Layout,
        keeps_behind: bool,
    ) {
        let mut fold = Fold {
            sources: [SuperblockId(0); SOURCES_MAX],
            count: sources.len() as u32,
            target,
            next: 0,
            done: 0,
        };
        fold.sources[..sources.len()].copy_from_slice(sources);
        self.fold = Some(fold);
        if keeps_behind {
            let shape = layout.shape(Mode::Slc);
            self.behind.clear();
            self.behind.resize(shape.mp_pages.div_ceil(64) as usize, 0);
            self.left_in_stripe.clear();
            self.left_in_stripe.extend(shape.stripe_lengths());
        }
    }

    fn get(&self) -> &Fold {
        self.fold.as_ref().expect("a fold is under way")
    }

    /// The superblocks that are folded.
    pub fn sources(&self) -> impl Iterator<Item = SuperblockId> + use<> {
        let Fold { sources, count, .. } = *self.get();
        sources.into_iter().take(count as usize)
    }

    /// The superblock that is filled.
    pub fn target(&self) -> SuperblockId {
        self.get().target
    }

    /// The next word line of a die, below `word_lines`; `None` if all have begun.
    pub fn take_next(&mut self, word_lines: u32) -> Option<u32> {
        let fold = self.fold.as_mut().expect("a fold is under way");
        let next = fold.next;
        if next == word_lines {
            return None;
        }
        fold.next += 1;
        Some(next)
    }

    /// Counts one more word line of a die that is behind the fold. Returns true if it was the last
    /// of `word_lines`.
    pub fn has_ended(&mut self, word_lines: u32) -> bool {
        let fold = self.fold.as_mut().expect("a fold is under way");
        fold.done += 1;
        fold.done == word_lines
    }

    /// Forgets the fold.
    pub fn power_cut(&mut self) {
        *self = FoldState::default();
    }

    /// Ends the fold.
    pub fn end(&mut self) {
        self.fold = None;
    }

    /// Row and die of the first page of a word line on a die, in the superblock that is filled.
    pub fn place(&self, layout: &Layout, within: u32) -> (Row, DieId) {
        let (word_line, die) = (within / layout.dies, within % layout.dies);
        (Row(word_line * self.get().count), DieId(die))
    }

    /// The multi-plane page to which the nth page of a word line on a die is copied.
    pub fn folded_to(&self, layout: &Layout, within: u32, nth: u32) -> MpPage {
        let (row, die) = self.place(layout, within);
        layout.first_mp_page(self.target()) + layout.shape(Mode::Native).at(row + nth, die)
    }

    /// Notes that a word line of a die is behind the fold. Returns the word lines of its stripe if
    /// it was the last of them.
    pub fn is_behind(&mut self, layout: &Layout, within: u32) -> Option<Range<u32>> {
        set_bit(&mut self.behind, within);
        let (stripe, word_lines) = layout.shape(Mode::Slc).stripe_of_row(within);
        let left = &mut self.left_in_stripe[stripe as usize];
        *left -= 1;
        (*left == 0).then_some(word_lines)
    }

    fn stripe_is_behind(&self, layout: &Layout, within: u32) -> bool {
        let (stripe, _) = layout.shape(Mode::Slc).stripe_of_row(within);
        self.left_in_stripe[stripe as usize] == 0
    }

    /// Origin of a multi-plane page of the fold under way: the word line and die, and the source.
    fn folded_from(&self, layout: &Layout, mp_page: MpPage) -> Option<(u32, SuperblockId)> {
        let fold = self.fold.as_ref()?;
        let (superblock, within) = layout.within_superblock(mp_page);
        if superblock != fold.target {
            return None;
        }
        let (row, die) = layout.shape(Mode::Native).place(within);
        let source = fold.sources[(row.0 % fold.count) as usize];
        Some((row.0 / fold.count * layout.dies + die.0, source))
    }

    /// True if the fold has not yet filled a multi-plane page of its target.
    pub fn lacks(&self, layout: &Layout, mp_page: MpPage) -> bool {
        let from = self.folded_from(layout, mp_page);
        from.is_some_and(|(within, _)| !has_bit(&self.behind, within))
    }

    /// True if a fold copies into a superblock.
    pub fn is_target(&self, superblock: SuperblockId) -> bool {
        self.fold.is_some_and(|fold| fold.target == superblock)
    }

    /// The place where the data at `place` must be durable: its source, as long as its parity has
    /// not been copied too.
    #[inline]
    pub fn durable_place(&self, layout: &Layout, place: Ppn) -> Ppn {
        if self.fold.is_none() {
            return place;
        }
        let bits = layout.page_bits;
        let Some((within, source)) = self.folded_from(layout, place.mp_page(bits)) else {
            return place;
        };
        if self.stripe_is_behind(layout, within) {
            return place;
        }
        let mp_page = layout.first_mp_page(source) + within;
        mp_page.first_ppn(bits) + place.within_mp_page(bits)
    }
}
