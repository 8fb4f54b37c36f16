//! Faults that a test injects and must then find: only in this crate's own tests.

/// A fault of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Superblocks are erased though the durable L2P still points into them.
    EraseEarly,
    /// A flush ends when its data is programmed, journal or not.
    FlushEarly,
    /// Each part of a write enters the journal by itself.
    TornRequest,
    /// A TRIM does not wait for the end of a write that it overlaps.
    Unordered,
    /// Parity of stripes that are not full is not saved.
    ParityUnsaved,
    /// Copies of a fold count as durable before their parity has been copied too.
    FoldEarly,
    /// A page that was lost does not enter the journal.
    LossForgotten,
    /// Data that coalesces into an open multi-plane page does not wait for its own request.
    CoalesceTorn,
}

/// The faults that are switched on: none outside tests.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sim) struct Faults {
    #[cfg(test)]
    injected: Option<Fault>,
}

impl Faults {
    /// Switches a fault on.
    #[cfg(test)]
    pub fn inject(&mut self, fault: Fault) {
        self.injected = Some(fault);
    }

    /// True if `fault` is switched on.
    #[cfg(test)]
    #[inline(always)]
    pub fn has(self, fault: Fault) -> bool {
        self.injected == Some(fault)
    }

    /// True if `fault` is switched on.
    #[cfg(not(test))]
    #[inline(always)]
    pub const fn has(self, _: Fault) -> bool {
        false
    }
}
