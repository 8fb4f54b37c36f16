//! Which full superblock to collect next. A policy reads and answers; the collector
//! acts.

use crate::spec::Policy;

/// What a policy may look at: one full superblock of the main area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub superblock: u32,
    pub valid_units: u32,
    /// Running number of its closing: lower is older.
    pub closed_at: u64,
}

impl Policy {
    /// The candidate to collect. Ties go to the one that was closed first, so that the
    /// answer does not depend on the order of the candidates.
    pub(crate) fn choose(self, candidates: impl Iterator<Item = Candidate>) -> Option<Candidate> {
        match self {
            Policy::Greedy => candidates.min_by_key(|c| (c.valid_units, c.closed_at)),
            Policy::Fifo => candidates.min_by_key(|c| c.closed_at),
        }
    }
}
