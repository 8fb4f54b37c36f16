//! Changes of the L2P, as the journal names them.

use crate::sim::ids::{Id, Lpn, Ppn};

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeKind {
    /// `pages` physical pages from `to` on, in one multi-plane page, hold the logical pages that
    /// the P2L names.
    Write,
    /// `pages` logical pages from `first` on hold nothing.
    Trim,
    /// The bits in `pages` tell which physical pages from `first` on were moved, one after another
    /// from `to` on.
    Relocate,
    /// The same, each to the same place within the multi-plane page at `to`.
    Fold,
    /// The bits in `pages` tell which physical pages from `first` on cannot be read any more.
    Lose,
}

impl ChangeKind {
    /// All, by their number.
    const ALL: [ChangeKind; 5] = {
        use ChangeKind::{Fold, Lose, Relocate, Trim, Write};
        [Write, Trim, Relocate, Fold, Lose]
    };
}

/// A change, which names logical or physical pages. Two words, so that it is passed in registers:
/// fields that were just stored one by one are copied as one only after all stores have ended
/// (store-to-load forwarding), and changes are what a write logs most.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Change {
    /// From the lowest bit: `pages` in 32 bits, entries of the journal where these are not as many
    /// as `pages` says in 16 (counted once, since several look for them), whether it is the last
    /// of its atomic group, and its kind.
    what: u64,
    /// A logical or a physical page, as its kind has it, and `to` in the upper half.
    places: u64,
}

const COUNTED_SHIFT: u32 = 32;
/// The last of its atomic group: changes that become durable together.
const ENDS_GROUP: u64 = 1 << 48;
const KIND_SHIFT: u32 = 56;

impl Change {
    /// A change that is the last of its atomic group.
    #[inline(always)]
    pub fn new(kind: ChangeKind, first: impl Id, pages: u32, to: Ppn) -> Change {
        let counted = match kind {
            ChangeKind::Write => 0,
            ChangeKind::Trim => 1,
            ChangeKind::Relocate | ChangeKind::Fold | ChangeKind::Lose => pages.count_ones(),
        };
        let counted = u64::from(counted) << COUNTED_SHIFT;
        Change {
            what: u64::from(pages) | counted | ENDS_GROUP | (kind as u64) << KIND_SHIFT,
            places: u64::from(first.number()) | u64::from(to.0) << 32,
        }
    }

    /// A write, the last of its atomic group.
    #[inline(always)]
    pub fn write(to: Ppn, pages: u32) -> Change {
        Change::new(ChangeKind::Write, Ppn(0), pages, to)
    }

    /// What has changed.
    #[inline(always)]
    pub fn kind(self) -> ChangeKind {
        ChangeKind::ALL[(self.what >> KIND_SHIFT) as usize]
    }

    /// How many pages, or which, as its kind has it.
    #[inline(always)]
    pub fn pages(self) -> u32 {
        self.what as u32
    }

    /// Whether it is the last of its atomic group.
    #[inline(always)]
    pub fn ends_group(self) -> bool {
        self.what & ENDS_GROUP != 0
    }

    /// Says whether it is the last of its atomic group.
    #[inline(always)]
    pub fn set_ends_group(&mut self, ends: bool) {
        self.what = (self.what & !ENDS_GROUP) | (u64::from(ends) * ENDS_GROUP);
    }

    /// Whether it is a write that ends where this place begins.
    #[inline(always)]
    pub fn goes_on_at(self, place: Ppn) -> bool {
        self.is(ChangeKind::Write) && self.to() + self.pages() == place
    }

    /// A write goes on with so many pages.
    #[inline(always)]
    pub fn go_on(&mut self, pages: u32) {
        self.what += u64::from(pages);
    }

    /// The first of the logical pages that it names.
    #[inline(always)]
    pub fn lpn(self) -> Lpn {
        Lpn(self.places as u32)
    }

    /// The first of the physical pages that it names.
    #[inline(always)]
    pub fn ppn(self) -> Ppn {
        Ppn(self.places as u32)
    }

    /// Where they lie, or were moved to.
    #[inline(always)]
    pub fn to(self) -> Ppn {
        Ppn((self.places >> 32) as u32)
    }

    #[inline(always)]
    fn is(self, kind: ChangeKind) -> bool {
        self.what >> KIND_SHIFT == kind as u64
    }

    /// Entries that it takes in the journal.
    #[inline(always)]
    pub fn entries(self) -> u64 {
        match self.is(ChangeKind::Write) {
            true => u64::from(self.pages()),
            false => u64::from((self.what >> COUNTED_SHIFT) as u16),
        }
    }

    /// Physical pages that must be programmed before it is ready: the first and how many.
    #[inline]
    pub fn programs(self) -> Option<(Ppn, u32)> {
        // Which of the two it is is random: a branch would be mispredicted.
        (self.is(ChangeKind::Write) | self.is(ChangeKind::Relocate))
            .then(|| (self.to(), self.entries() as u32))
    }
}
