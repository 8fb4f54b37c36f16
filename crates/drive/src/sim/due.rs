//! Work that an event has made possible, until it is done.

/// Work that may have become possible, one bit each. All bits are in one byte: flags that were just
/// stored one by one can be loaded together only after all stores have ended (store-to-load
/// forwarding).
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Due(u8);

impl Due {
    /// Garbage collection may continue.
    pub const GC: u8 = 1;
    /// Folding of the SLC cache may continue.
    pub const FOLD: u8 = 2;
    /// Writes that wait for room may be admitted.
    pub const WRITES: u8 = 4;
    /// TRIM may have emptied superblocks that can be erased.
    pub const TRIM: u8 = 8;
    /// Work that may continue when space is freed.
    pub const SPACE: u8 = Due::GC | Due::FOLD | Due::WRITES;

    /// Marks work as due.
    #[inline(always)]
    pub fn mark(&mut self, work: u8) {
        self.0 |= work;
    }

    /// Removes and returns the due bits of `of`.
    #[inline(always)]
    pub fn take(&mut self, of: u8) -> Due {
        let due = self.0 & of;
        self.0 &= !of;
        Due(due)
    }

    /// True if any bit of `of` is due.
    #[inline(always)]
    pub fn has(self, of: u8) -> bool {
        self.0 & of != 0
    }
}
