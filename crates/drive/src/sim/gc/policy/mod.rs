//! Choice of the next victim among the closed superblocks. A policy only reads and answers; GC
//! acts. Each policy has a file of its own.

mod cost_benefit;
mod d_choices;
mod fifo;
mod greedy;

use stend_model::spec;

use crate::sim::geometry::layout::{Layout, Pool, PoolLayout};
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::SuperblockId;
use crate::sim::l2p::table::L2p;
use crate::sim::superblocks::Superblocks;

/// A closed superblock of the data area, as a policy sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub superblock: SuperblockId,
    pub valid_pages: u32,
    /// Running number of its closing: a lower number is older.
    pub closed_at: u64,
}

/// The closed superblocks of the data area.
pub(crate) struct Closed<'a> {
    data_area: &'a PoolLayout,
    superblocks: &'a Superblocks,
    l2p: &'a L2p,
    /// Pages of a superblock, without parity.
    pages: u32,
}

impl<'a> Closed<'a> {
    pub fn new(layout: &'a Layout, superblocks: &'a Superblocks, l2p: &'a L2p) -> Self {
        let data_area = layout.pool(Pool::Data);
        Closed {
            data_area,
            superblocks,
            l2p,
            pages: layout.shape(Mode::Native).data_mp_pages << layout.page_bits,
        }
    }

    /// The nth superblock of the data area, if it is closed.
    fn nth(&self, nth: u32) -> Option<Candidate> {
        let superblock = self.data_area.first_superblock + nth;
        self.superblocks.is_closed(superblock).then(|| Candidate {
            superblock,
            valid_pages: self.l2p.valid_in(superblock),
            closed_at: self.superblocks.closed_at(superblock),
        })
    }

    /// The nth superblock of the data area, if it can be a victim: one with only valid pages frees
    /// nothing, whatever the policy.
    fn yielding(&self, nth: u32) -> Option<Candidate> {
        self.nth(nth).filter(|c| c.valid_pages < self.pages)
    }

    /// All possible victims.
    fn candidates(&self) -> impl Iterator<Item = Candidate> + '_ {
        (0..self.data_area.superblocks).filter_map(|nth| self.yielding(nth))
    }

    /// All closed superblocks.
    pub fn full(&self) -> impl Iterator<Item = Candidate> + '_ {
        (0..self.data_area.superblocks).filter_map(|nth| self.nth(nth))
    }

    /// Erase cycles of a superblock.
    pub fn erases(&self, superblock: SuperblockId) -> u32 {
        self.superblocks.erase_counts()[superblock.index()]
    }

    /// Maximum of erase cycles of a superblock of the data area, closed or not.
    pub fn erases_max(&self) -> u32 {
        let first = self.data_area.first_superblock.index();
        let counts = &self.superblocks.erase_counts()[first..];
        counts.iter().copied().max().unwrap_or(0)
    }

    /// Number of superblocks of the data area, closed or not.
    fn superblocks(&self) -> u32 {
        self.data_area.superblocks
    }

    /// Running number of the next closing.
    fn closings(&self) -> u64 {
        self.superblocks.closings()
    }
}

/// A rule of choice. Ties go to the superblock that was closed first, so that the result does not
/// depend on the order of the candidates.
trait Policy {
    /// The next victim; `None` if none would free anything.
    fn choose(&mut self, closed: &Closed<'_>) -> Option<Candidate>;
}

/// The victim with the fewest valid pages; `None` if none would free anything.
pub(crate) fn fewest_valid(closed: &Closed<'_>) -> Option<Candidate> {
    greedy::Greedy.choose(closed)
}

/// The policy of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Chooser {
    Greedy(greedy::Greedy),
    Fifo(fifo::Fifo),
    CostBenefit(cost_benefit::CostBenefit),
    DChoices(d_choices::DChoices),
}

impl Chooser {
    pub fn new(policy: spec::Policy) -> Chooser {
        match policy {
            spec::Policy::Greedy => Chooser::Greedy(greedy::Greedy),
            spec::Policy::Fifo => Chooser::Fifo(fifo::Fifo),
            spec::Policy::CostBenefit => Chooser::CostBenefit(cost_benefit::CostBenefit),
            spec::Policy::DChoices { choices } => {
                Chooser::DChoices(d_choices::DChoices::new(choices))
            }
        }
    }

    /// The next victim; `None` if none would free anything.
    pub fn choose(&mut self, closed: &Closed<'_>) -> Option<Candidate> {
        match self {
            Chooser::Greedy(policy) => policy.choose(closed),
            Chooser::Fifo(policy) => policy.choose(closed),
            Chooser::CostBenefit(policy) => policy.choose(closed),
            Chooser::DChoices(policy) => policy.choose(closed),
        }
    }
}
