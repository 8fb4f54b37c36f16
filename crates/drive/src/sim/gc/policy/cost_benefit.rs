//! The superblock with the highest benefit for its cost: age × (1 − u) / 2u, where u is the share
//! of valid pages. Old data that is half valid is relocated before young data that is less valid,
//! since the young data will lose more pages by itself.
//!
//! M. Rosenblum and J. Ousterhout, "The design and implementation of a log-structured file system",
//! ACM TOCS 10(1), 1992; with the cost of flash, where a block without valid pages need not be read
//! (A. Kawaguchi, S. Nishioka and H. Motoda, "A flash-memory based file system", USENIX 1995).
//!
//! Age is counted in superblocks closed since: writes are the clock, so that idle time makes
//! nothing older.

use std::cmp::Ordering;

use super::{Candidate, Closed, Policy};

/// The superblock with the highest benefit for its cost.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct CostBenefit;

impl Policy for CostBenefit {
    fn choose(&mut self, closed: &Closed<'_>) -> Option<Candidate> {
        let worth = |c: &Candidate| Worth {
            // (1 − u) / 2u, times the constant 2.
            benefit: u128::from(closed.closings() - c.closed_at)
                * u128::from(closed.pages - c.valid_pages),
            cost: c.valid_pages,
        };
        closed.candidates().max_by(|a, b| {
            let by_worth = worth(a).cmp(&worth(b));
            by_worth.then_with(|| b.closed_at.cmp(&a.closed_at))
        })
    }
}

/// A quotient, compared without division. A cost of zero ranks above every other; two such
/// quotients rank by their benefit.
struct Worth {
    benefit: u128,
    cost: u32,
}

impl Worth {
    fn cmp(&self, other: &Worth) -> Ordering {
        if self.cost == 0 && other.cost == 0 {
            return self.benefit.cmp(&other.benefit);
        }
        let left = self.benefit * u128::from(other.cost);
        left.cmp(&(other.benefit * u128::from(self.cost)))
    }
}
