//! Where data lies ([`stend_model::geometry`]), and what superblocks are used for.

pub(in crate::sim) mod bits;

pub(in crate::sim) use stend_model::geometry::{divider, layout, shape};

use layout::Pool;
use shape::Mode;

/// No number: nothing has one so large.
pub(in crate::sim) const NONE: u32 = u32::MAX;

/// Where a superblock comes from, and how its cells are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Kind {
    pub pool: Pool,
    pub mode: Mode,
}

impl Kind {
    /// Of the SLC cache's own superblocks.
    pub const STATIC: Kind = Kind {
        pool: Pool::SlcCache,
        mode: Mode::Slc,
    };
    /// Of the data area, in SLC mode for a while.
    pub const DYNAMIC: Kind = Kind {
        pool: Pool::Data,
        mode: Mode::Slc,
    };
    /// Of the data area, in the native mode of its cells.
    pub const NATIVE: Kind = Kind {
        pool: Pool::Data,
        mode: Mode::Native,
    };
}
