//! Changes of the L2P, as the journal names them.

use crate::sim::ids::{Id, Lpn, Ppn};

/// Kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeKind {
    /// `pages` physical pages from `to` on, in one multi-plane page, hold the logical pages that
    /// the P2L names.
    Write,
    /// `pages` logical pages from `first` on become unmapped.
    Trim,
    /// The physical pages from `first` on whose bits are set in `pages` were moved to consecutive
    /// places from `to` on.
    Relocate,
    /// As `Relocate`, but each page was moved to the same place within the multi-plane page at
    /// `to`.
    Fold,
    /// The physical pages from `first` on whose bits are set in `pages` cannot be read any more.
    Lose,
}

impl ChangeKind {
    /// All kinds, by their number.
    const ALL: [ChangeKind; 5] = {
        use ChangeKind::{Fold, Lose, Relocate, Trim, Write};
        [Write, Trim, Relocate, Fold, Lose]
    };
}

/// A change, which names logical or physical pages. It is two words, so that it is passed in
/// registers: fields that were just stored one by one are copied as one only after all stores have
/// ended (store-to-load forwarding), and changes are most of what a write logs.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Change {
    /// From the lowest bit: `pages` in 32 bits; in 16 bits the number of journal entries, if that
    /// is not `pages` (computed once, since it is used several times); the flag of the last change
    /// of an atomic group; and the kind.
    what: u64,
    /// A logical or a physical page, depending on the kind, and `to` in the upper half.
    places: u64,
}

const COUNTED_SHIFT: u32 = 32;
/// Flag of the last change of an atomic group, whose changes become durable together.
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

    /// Kind of the change.
    #[inline(always)]
    pub fn kind(self) -> ChangeKind {
        ChangeKind::ALL[(self.what >> KIND_SHIFT) as usize]
    }

    /// Number of pages, or their bits, depending on the kind.
    #[inline(always)]
    pub fn pages(self) -> u32 {
        self.what as u32
    }

    /// True if it is the last change of its atomic group.
    #[inline(always)]
    pub fn ends_group(self) -> bool {
        self.what & ENDS_GROUP != 0
    }

    /// Sets whether it is the last change of its atomic group.
    #[inline(always)]
    pub fn set_ends_group(&mut self, ends: bool) {
        self.what = (self.what & !ENDS_GROUP) | (u64::from(ends) * ENDS_GROUP);
    }

    /// True if it is a write that ends where this place begins.
    #[inline(always)]
    pub fn goes_on_at(self, place: Ppn) -> bool {
        self.is(ChangeKind::Write) && self.to() + self.pages() == place
    }

    /// Extends a write by `pages`.
    #[inline(always)]
    pub fn go_on(&mut self, pages: u32) {
        self.what += u64::from(pages);
    }

    /// The first logical page of the change.
    #[inline(always)]
    pub fn lpn(self) -> Lpn {
        Lpn(self.places as u32)
    }

    /// The first physical page of the change.
    #[inline(always)]
    pub fn ppn(self) -> Ppn {
        Ppn(self.places as u32)
    }

    /// First place of the pages, or of their copies.
    #[inline(always)]
    pub fn to(self) -> Ppn {
        Ppn((self.places >> 32) as u32)
    }

    #[inline(always)]
    fn is(self, kind: ChangeKind) -> bool {
        self.what >> KIND_SHIFT == kind as u64
    }

    /// Entries of the journal that it needs.
    #[inline(always)]
    pub fn entries(self) -> u64 {
        match self.is(ChangeKind::Write) {
            true => u64::from(self.pages()),
            false => u64::from((self.what >> COUNTED_SHIFT) as u16),
        }
    }

    /// Physical pages that must be programmed before it is ready: the first, and their number.
    #[inline]
    pub fn programs(self) -> Option<(Ppn, u32)> {
        // It is random which of the two it is: a branch would be mispredicted.
        (self.is(ChangeKind::Write) | self.is(ChangeKind::Relocate))
            .then(|| (self.to(), self.entries() as u32))
    }
}
