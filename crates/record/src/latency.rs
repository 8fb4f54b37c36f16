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
