//! Rounds until a steady state, as an edition asks for them.

use stend_record::review::Tracked;

use super::Load;

/// Loads that are measured one after the other, again and again, on the same target.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounds {
    /// Index in [`Edition::states`](super::Edition::states) of the state it starts from.
    pub state: usize,
    /// The loads of a round, in their order.
    pub loads: Vec<Load>,
    /// Time a load in each round, s.
    pub load_s: f64,
    /// Index in [`Rounds::loads`] of the load by which the state is judged.
    pub tracked: usize,
    /// The figure of it.
    pub figure: Tracked,
    /// When it ends, at [`Rounds::rounds_max`] at the latest.
    pub until: Until,
    /// Rounds at most.
    pub rounds_max: u32,
}

/// When rounds end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// With the first steady window.
    Steady,
    /// When so many times the capacity has been written.
    Written {
        /// How many times.
        capacities: u32,
    },
}
