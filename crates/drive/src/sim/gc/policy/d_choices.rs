//! Of d closed superblocks drawn at random, the one with the fewest valid pages: nearly as good as
//! comparing all of them, at the cost of comparing d.
//!
//! B. Van Houdt, "A mean field model for a class of garbage collection algorithms in
//! flash-based solid state drives", SIGMETRICS 2013.

use stend_base::Rng;

use super::{Candidate, Closed, Policy};

/// Draws without a candidate after which all superblocks are compared instead, for a drive that has
/// hardly any candidates.
const MOST_MISSES: u32 = 64;

/// The best of d superblocks drawn at random.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct DChoices {
    choices: u32,
    rng: Rng,
}

impl DChoices {
    pub fn new(choices: u32) -> DChoices {
        DChoices {
            choices,
            rng: Rng::stream(0, "d-choices"),
        }
    }

    /// Draws a candidate, all equally likely; `None` if [`MOST_MISSES`] draws find none.
    fn draw(&mut self, closed: &Closed<'_>) -> Option<Candidate> {
        let all = u64::from(closed.superblocks());
        (0..MOST_MISSES).find_map(|_| closed.yielding(self.rng.below(all) as u32))
    }
}

impl Policy for DChoices {
    fn choose(&mut self, closed: &Closed<'_>) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        for _ in 0..self.choices {
            let Some(drawn) = self.draw(closed) else {
                return super::greedy::Greedy.choose(closed);
            };
            let key = |c: &Candidate| (c.valid_pages, c.closed_at);
            if best.is_none_or(|best| key(&drawn) < key(&best)) {
                best = Some(drawn);
            }
        }
        best
    }
}
