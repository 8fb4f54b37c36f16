//! Changes of the L2P, as the journal names them.

use crate::sim::ids::{Id, Lpn, Ppn};

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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

/// A change, which names logical or physical pages.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Change {
    pub kind: ChangeKind,
    /// The last of its atomic group: changes that become durable together.
    ends_group: bool,
    /// Entries of the journal, where these are not as many as `pages` says: counted once, since
    /// several look for it.
    counted: u16,
    /// A logical or a physical page, as its kind has it.
    first: u32,
    pub pages: u32,
    to: u32,
}

impl Change {
    /// A change that is the last of its atomic group.
    #[inline]
    pub fn new(kind: ChangeKind, first: impl Id, pages: u32, to: Ppn) -> Change {
        let counted = match kind {
            ChangeKind::Write => 0,
            ChangeKind::Trim => 1,
            ChangeKind::Relocate | ChangeKind::Fold | ChangeKind::Lose => pages.count_ones() as u16,
        };
        Change {
            kind,
            ends_group: true,
            counted,
            first: first.number(),
            pages,
            to: to.0,
        }
    }

    /// A write, the last of its atomic group.
    #[inline(always)]
    pub fn write(to: Ppn, pages: u32) -> Change {
        Change {
            kind: ChangeKind::Write,
            ends_group: true,
            counted: 0,
            first: 0,
            pages,
            to: to.0,
        }
    }

    /// Whether it is the last of its atomic group.
    #[inline(always)]
    pub fn ends_group(self) -> bool {
        self.ends_group
    }

    /// Says whether it is the last of its atomic group.
    #[inline(always)]
    pub fn set_ends_group(&mut self, ends: bool) {
        self.ends_group = ends;
    }

    /// Whether it is a write that ends where this place begins.
    #[inline(always)]
    pub fn goes_on_at(self, place: Ppn) -> bool {
        self.kind == ChangeKind::Write && self.to + self.pages == place.0
    }

    /// The first of the logical pages that it names.
    #[inline(always)]
    pub fn lpn(self) -> Lpn {
        Lpn(self.first)
    }

    /// The first of the physical pages that it names.
    #[inline(always)]
    pub fn ppn(self) -> Ppn {
        Ppn(self.first)
    }

    /// Where they lie, or were moved to.
    #[inline(always)]
    pub fn to(self) -> Ppn {
        Ppn(self.to)
    }

    /// Entries that it takes in the journal.
    #[inline]
    pub fn entries(self) -> u64 {
        match self.kind {
            ChangeKind::Write => u64::from(self.pages),
            _ => u64::from(self.counted),
        }
    }

    /// Physical pages that must be programmed before it is ready: the first and how many.
    #[inline]
    pub fn programs(self) -> Option<(Ppn, u32)> {
        // Which of the two it is is random: a branch would be mispredicted.
        matches!(self.kind, ChangeKind::Write | ChangeKind::Relocate)
            .then(|| (self.to(), self.entries() as u32))
    }
}
