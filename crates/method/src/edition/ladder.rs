//! A recovery ladder, as an edition asks for it.

use super::Load;

/// A load until the target is slow, and the same load again after rests of different
/// length, each from the same slow state.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// Index in [`Edition::states`](super::Edition::states) of the state it starts from.
    pub state: usize,
    /// The load, which writes.
    pub load: Load,
    /// How long the load runs until the target is slow, s.
    pub degrade_s: f64,
    /// The rests, s, ascending.
    pub idle_s: Vec<f64>,
    /// Whether TRIM of the whole capacity goes before a rest: of every rest once for each.
    pub trim: Vec<bool>,
    /// How long the load runs after a rest, s.
    pub measure_s: f64,
    /// How long it runs before each further rest of a target that cannot be copied, s.
    pub again_s: f64,
    /// Sampling interval, ms.
    pub sample_ms: u32,
}

impl Ladder {
    /// The rungs in their order: whether TRIM goes before the rest, and its length, s.
    pub(crate) fn rungs(&self) -> impl Iterator<Item = (bool, f64)> + '_ {
        self.trim
            .iter()
            .flat_map(|trim| self.idle_s.iter().map(|idle_s| (*trim, *idle_s)))
    }

    /// How long the load runs on a target that cannot be copied to be slow again after a
    /// rung, s. After TRIM everything is free, so that it takes as long as the first time.
    pub(crate) fn restore_s(&self, after_trim: bool) -> f64 {
        match after_trim {
            true => self.degrade_s,
            false => self.again_s,
        }
    }
}
