//! Atomic writes: which changes of the L2P become durable together.
//!
//! The parts of a write are placed one after another, and nothing of another write between them.
//! They, and whatever else is logged meanwhile, are one atomic group, which ends with the last
//! part. A write longer than the write buffer, or than a superblock, is placed in pieces of this
//! size, each with a group of its own. Two rules follow:
//! - A TRIM of pages of a write that is partly placed waits for its end: else the order of the
//!   changes would not be that of the data.
//! - A piece begins only when there is space for all of it. Else it could hold back, by what it
//!   overwrites, the very superblocks whose space it waits for.

use std::ops::Range;

use stend_model::spec::Spec;

use crate::sim::geometry::layout::Layout;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{CommandId, IdRange, Lpn};

/// A write that is partly placed.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Placing {
    command: CommandId,
    pages: Range<Lpn>,
    /// LSN of the first change of the piece that is partly placed, if one is.
    piece_lsn: Option<u64>,
    /// Pages up to the end of the piece.
    piece_left: u32,
}

/// What is being placed.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct AtomicWrites {
    placing: Option<Placing>,
    /// The longest write that is kept or lost as a whole, in logical pages.
    piece_pages: u32,
}

/// A part of a write that is being placed.
#[derive(Clone, Debug)]
pub(in crate::sim) struct Part {
    pub command: CommandId,
    /// All logical pages of the write, and those of the part.
    pub write: Range<Lpn>,
    pub pages: Range<Lpn>,
    /// Nothing of the write comes after it.
    pub last: bool,
}

/// The longest write that is kept or lost as a whole: what the write buffer holds, and what one
/// superblock does, since there must be space for it above what the drive keeps for itself. In
/// whole multi-plane pages, so that pieces end where parts do.
fn piece_pages(spec: &Spec, layout: &Layout) -> u32 {
    let mode = match spec.cache {
        Some(_) => Mode::Slc,
        None => Mode::Native,
    };
    let most = layout.shape(mode).data_mp_pages;
    most.min(spec.buffer.write_pages / spec.pages_per_mp_page) * spec.pages_per_mp_page
}

impl AtomicWrites {
    pub fn new(spec: &Spec, layout: &Layout) -> AtomicWrites {
        AtomicWrites {
            placing: None,
            piece_pages: piece_pages(spec, layout),
        }
    }

    /// The longest write that is kept or lost as a whole, in logical pages.
    #[inline(always)]
    pub fn piece_pages(&self) -> u32 {
        self.piece_pages
    }

    /// Whether a write that is partly placed has any of these pages.
    pub fn overlap(&self, pages: &Range<Lpn>) -> bool {
        let placing = self.placing.as_ref();
        placing.is_some_and(|w| w.pages.start < pages.end && pages.start < w.pages.end)
    }

    /// LSN of the first change of the piece that is partly placed.
    pub fn piece_lsn(&self) -> Option<u64> {
        self.placing.as_ref()?.piece_lsn
    }

    /// A part is about to be logged, from this LSN on. Returns whether it completes a piece.
    #[inline(always)]
    pub fn places(&mut self, part: &Part, lsn: u64) -> bool {
        debug_assert!(
            self.placing
                .as_ref()
                .is_none_or(|write| write.command == part.command),
            "data has overtaken other data"
        );
        if part.last {
            self.placing = None;
            return true;
        }
        self.places_partly(part, lsn)
    }

    fn places_partly(&mut self, part: &Part, lsn: u64) -> bool {
        let piece_pages = self.piece_pages;
        let placing = self.placing.get_or_insert_with(|| Placing {
            command: part.command,
            pages: part.write.clone(),
            piece_lsn: None,
            piece_left: piece_pages,
        });
        placing.piece_left -= part.pages.count();
        if placing.piece_left == 0 {
            (placing.piece_lsn, placing.piece_left) = (None, piece_pages);
            return true;
        }
        placing.piece_lsn = placing.piece_lsn.or(Some(lsn));
        false
    }

    /// Nothing more comes of a write.
    pub fn give_up(&mut self, command: CommandId) {
        self.placing.take_if(|write| write.command == command);
    }

    /// Nothing is being placed any more.
    pub fn power_cut(&mut self) {
        self.placing = None;
    }
}
