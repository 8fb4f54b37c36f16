//! Places of data ([`stend_model::geometry`]), and uses of superblocks.

pub(in crate::sim) mod bits;

pub(in crate::sim) use stend_model::geometry::{divider, layout, shape};

use layout::Pool;
use shape::Mode;

/// Marks the absence of a number, which is never this large.
pub(in crate::sim) const NONE: u32 = u32::MAX;

/// Pool of a superblock, and the mode of its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Kind {
    pub pool: Pool,
    pub mode: Mode,
}

impl Kind {
    /// A superblock of the SLC cache's own.
    pub const STATIC: Kind = Kind {
        pool: Pool::SlcCache,
        mode: Mode::Slc,
    };
    /// A superblock of the data area, temporarily in SLC mode.
    pub const DYNAMIC: Kind = Kind {
        pool: Pool::Data,
        mode: Mode::Slc,
    };
    /// A superblock of the data area, in the native mode of its cells.
    pub const NATIVE: Kind = Kind {
        pool: Pool::Data,
        mode: Mode::Native,
    };
}
