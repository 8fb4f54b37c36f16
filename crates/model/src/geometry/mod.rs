//! Places of data: superblocks of the SLC cache and of the data area, their pages, word lines,
//! stripes and dies, and the blocks that are bad from the factory. Arithmetic only.
//!
//! All functions are inlined: a simulation calls them for each request, and is compiled with more
//! optimisation than this crate.

pub mod divider;
pub mod factory_bad;
pub mod layout;
pub mod shape;

use crate::nand::reliability::ErrorModel;

use crate::spec::MediaSpec;
use shape::Mode;

impl MediaSpec {
    /// The cells of a superblock in this mode: those of the data area, or of the SLC cache.
    #[inline]
    pub fn cells(&self, mode: Mode) -> &ErrorModel {
        match mode {
            Mode::Native => &self.data_area,
            Mode::Slc => &self.slc_cache,
        }
    }
}
