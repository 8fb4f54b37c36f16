//! The superblock that was closed first, as in a circular log.

use super::{Candidate, Closed, Policy};

/// The oldest superblock first.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Fifo;

impl Policy for Fifo {
    fn choose(&mut self, closed: &Closed<'_>) -> Option<Candidate> {
        closed.candidates().min_by_key(|c| c.closed_at)
    }
}
