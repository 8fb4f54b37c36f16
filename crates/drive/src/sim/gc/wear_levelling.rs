//! Static wear levelling: data that never changes keeps its superblock from being erased while all
//! others are. From time to time such a superblock becomes a victim although that frees nothing, so
//! that its cells take part in the wear, and its data moves to the most worn erased superblock
//! (L.-P. Chang, "On efficient wear leveling for large-scale flash-memory storage systems", SAC
//! 2007: cold data rests on worn blocks).

use stend_model::spec::WearSpec;

use super::policy::{Candidate, Closed};

/// Static wear levelling.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Levelling {
    /// Difference of erase cycles above which data is moved.
    spread: u32,
    /// Victims chosen for their space between two checks of the difference.
    interval: u32,
    collected: u32,
}

impl Levelling {
    /// `None` if it is switched off.
    pub fn new(spec: Option<&WearSpec>) -> Option<Levelling> {
        spec.filter(|s| s.static_spread > 0).map(|s| Levelling {
            spread: s.static_spread,
            interval: s.static_interval,
            collected: 0,
        })
    }

    /// Counts a victim that is chosen for its space.
    pub fn collects(&mut self) {
        self.collected += 1;
    }

    /// The superblock whose data is moved, if the difference is to be checked and is too large: of
    /// the closed ones with the fewest erase cycles, the one that was closed first.
    pub fn choose(&mut self, closed: &Closed<'_>) -> Option<Candidate> {
        if self.collected < self.interval {
            return None;
        }
        self.collected = 0;
        let least = closed
            .full()
            .min_by_key(|c| (closed.erases(c.superblock), c.closed_at))?;
        let behind = closed.erases_max() - closed.erases(least.superblock);
        (behind > self.spread).then_some(least)
    }
}
