//! The superblock with the fewest valid pages: the least work for the most space, now.

use super::{Candidate, Closed, Policy};

/// The superblock with the fewest valid pages first.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Greedy;

impl Policy for Greedy {
    fn choose(&mut self, closed: &Closed<'_>) -> Option<Candidate> {
        closed
            .candidates()
            .min_by_key(|c| (c.valid_pages, c.closed_at))
    }
}
