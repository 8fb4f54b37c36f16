//! What a drive tells of the pages that it loses, to tests that ask whether it had to. Without the
//! feature `fault-injection` nobody listens, and it costs nothing.

#[cfg(feature = "fault-injection")]
mod account;

#[cfg(feature = "fault-injection")]
pub use account::{Loss, LossCause};

#[cfg(feature = "fault-injection")]
pub(in crate::sim) use account::Losses;

#[cfg(not(feature = "fault-injection"))]
use crate::sim::ids::{DieId, Lpn, MpPage};

#[cfg(not(feature = "fault-injection"))]
impl crate::sim::drive::SimDrive {
    #[inline(always)]
    pub(in crate::sim::drive) fn note_failing(&mut self, _rebuild: u32) {}

    #[inline(always)]
    pub(in crate::sim::drive) fn note_stripe(&mut self, _rebuild: u32, _page: MpPage) {}

    #[inline(always)]
    pub(in crate::sim::drive) fn note_unreadable(
        &mut self,
        _rebuild: u32,
        _page: MpPage,
        _bits: u32,
    ) {
    }

    #[inline(always)]
    pub(in crate::sim::drive) fn note_met_by(&mut self, _pages: (Lpn, Lpn)) {}

    #[inline(always)]
    pub(in crate::sim::drive) fn note_no_block(&mut self, _die: DieId, _lost: &[(MpPage, u32)]) {}
}
