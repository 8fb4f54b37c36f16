//! The superblock with the fewest valid units: the least work for the most space, now.

use super::{Candidate, Closed, Policy};

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Greedy;

impl Policy for Greedy {
    fn choose(&mut self, closed: &Closed<'_>) -> Option<Candidate> {
        closed
            .candidates()
            .min_by_key(|c| (c.valid_units, c.closed_at))
    }
}
