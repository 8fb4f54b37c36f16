//! Loads in rounds.

use serde::{Deserialize, Serialize};

use crate::load::{self, Load};

/// Loads measured one after the other, round after round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rounds {
    /// The loads of a round, in their order.
    #[serde(with = "load::list_in_rounds")]
    pub loads: Vec<Load>,
    /// Index in `loads` of the tracked load.
    pub tracked: usize,
    /// Tracked figure of that load.
    pub figure: Tracked,
    /// Time of a load in each round, s.
    pub load_s: f64,
    /// True if the rounds were to end with a steady state; otherwise after a written amount.
    pub steady_sought: bool,
    /// Number, from 1, of the first of the five rounds that were steady.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_from_round: Option<u32>,
    /// Bytes written in all rounds.
    pub written_bytes: u64,
    /// Figures by round, and then by load.
    pub rounds: Vec<Vec<RoundFigures>>,
}

impl Rounds {
    /// The tracked figure of each round; requests a second, or ns.
    pub fn tracked_figures(&self) -> Vec<f64> {
        let tracked = self
            .rounds
            .iter()
            .filter_map(|round| round.get(self.tracked));
        let figure = |figures: &RoundFigures| match self.figure {
            Tracked::Iops => figures.iops,
            Tracked::LatencyMean => figures.latency_mean_ns,
        };
        tracked.map(figure).collect()
    }
}

/// The figure by which a steady state is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tracked {
    /// Requests a second.
    Iops,
    /// Mean completion latency.
    LatencyMean,
}

/// Figures of a load in a round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundFigures {
    /// Requests a second, all threads and directions.
    pub iops: f64,
    /// Bytes a second, all threads and directions.
    pub bw_bytes_per_s: f64,
    /// Mean completion latency, ns.
    pub latency_mean_ns: f64,
    /// The slowest request, ns.
    pub latency_max_ns: u64,
}
