//! Atomic writes: groups of changes of the L2P that become durable together.
//!
//! The parts of a write are placed one after another, with no part of another write between them.
//! They, and whatever else is logged meanwhile, are one atomic group, which ends with the last
//! part. A write longer than the write buffer, or than a superblock, is placed in pieces of this
//! size, each with a group of its own. Two rules follow:
//! - A TRIM of pages of a write that is partly placed waits for its end: otherwise the order of the
//!   changes would not be that of the data.
//! - A piece begins only when there is space for all of it. Otherwise the data that it overwrites
//!   could keep the very superblocks whose space it waits for from being erased.

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
    /// LSN of the first change of the piece that is partly placed, if there is one.
    piece_lsn: Option<u64>,
    /// Pages up to the end of the piece.
    piece_left: u32,
}

/// State of the placing of writes.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct AtomicWrites {
    placing: Option<Placing>,
    /// Longest write that is kept or lost as a whole, in logical pages.
    piece_pages: u32,
}

/// A part of a write that is being placed.
#[derive(Clone, Debug)]
pub(in crate::sim) struct Part {
    pub command: CommandId,
    /// All logical pages of the write, and those of the part.
    pub write: Range<Lpn>,
    pub pages: Range<Lpn>,
    /// True if it is the last part of the write.
    pub last: bool,
}

/// Longest write that is kept or lost as a whole: limited by the write buffer and by one
/// superblock, since there must be space for it above the drive's own reserve. In whole multi-plane
/// pages, so that pieces end where parts do.
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

    /// Longest write that is kept or lost as a whole, in logical pages.
    #[inline(always)]
    pub fn piece_pages(&self) -> u32 {
        self.piece_pages
    }

    /// True if a write that is partly placed contains any of these pages.
    pub fn overlap(&self, pages: &Range<Lpn>) -> bool {
        let placing = self.placing.as_ref();
        placing.is_some_and(|w| w.pages.start < pages.end && pages.start < w.pages.end)
    }

    /// LSN of the first change of the piece that is partly placed.
    pub fn piece_lsn(&self) -> Option<u64> {
        self.placing.as_ref()?.piece_lsn
    }

    /// Notes a part that is about to be logged, from this LSN on. Returns true if it completes a
    /// piece.
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

    /// Ends a write of which no more parts follow.
    pub fn give_up(&mut self, command: CommandId) {
        self.placing.take_if(|write| write.command == command);
    }

    /// Forgets the write being placed.
    pub fn power_cut(&mut self) {
        self.placing = None;
    }
}
