//! Account of losses outside tests: empty.

use std::ops::Range;

use crate::sim::env::Env;
use crate::sim::ids::{DieId, Lpn, MpPage};
use crate::sim::store::Store;

/// An empty account.
#[derive(Clone, Debug, Default)]
pub(in crate::sim) struct Losses {}

impl Losses {
    #[inline(always)]
    pub fn note_failing(&mut self, _: &Store, _rebuild: u32) {}

    #[inline(always)]
    pub fn note_stripe(&mut self, _: &Env, _: &Store, _rebuild: u32, _: MpPage) {}

    #[inline(always)]
    pub fn note_unreadable(&mut self, _: &Store, _rebuild: u32, _: MpPage, _pages: u32) {}

    #[inline(always)]
    pub fn note_met_by(&mut self, _: Range<Lpn>) {}

    #[inline(always)]
    pub fn note_no_block(&mut self, _: &Env, _: &Store, _: DieId, _lost: &[(MpPage, u32)]) {}
}
