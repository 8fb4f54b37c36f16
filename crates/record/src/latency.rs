//! Latency in a few figures.

use serde::{Deserialize, Serialize};

/// Completion latency, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencySummary {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 99 %.
    pub p99: u64,
    /// 99.9 %.
    pub p99_9: u64,
    /// 99.99 %.
    pub p99_99: u64,
    /// 99.999 %.
    pub p99_999: u64,
    /// Largest.
    pub max: u64,
}

impl LatencySummary {
    /// The percentiles that a summary is made of.
    pub const PERCENTILES: [f64; 5] = [50.0, 99.0, 99.9, 99.99, 99.999];

    /// From the mean, the largest and the values at [`LatencySummary::PERCENTILES`].
    pub fn new(mean: f64, max: u64, [p50, p99, p99_9, p99_99, p99_999]: [u64; 5]) -> Self {
        LatencySummary {
            mean,
            p50,
            p99,
            p99_9,
            p99_99,
            p99_999,
            max,
        }
    }
}
