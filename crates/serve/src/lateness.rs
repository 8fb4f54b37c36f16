//! Delay of answers against their virtual times. A client would take it for latency of the drive,
//! so it is counted and reported.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Smallest delay that counts as late, ns: a tenth of the shortest reads.
pub const LATE_NS: u64 = 10_000;

/// Longest delay that is recorded, ns; longer ones count as this one.
const LONGEST_NS: u64 = 60_000_000_000;

/// Answers, by their delay.
#[derive(Debug)]
pub struct Lateness {
    ns: Histogram<u64>,
    late: u64,
}

/// Summary of the delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Requests answered.
    pub answered: u64,
    /// Number of them later than [`LATE_NS`].
    pub late: u64,
    /// Mean, ns.
    pub ns_mean: f64,
    /// Median, ns.
    pub ns_p50: u64,
    /// 99th percentile, ns.
    pub ns_p99: u64,
    /// Maximum, ns.
    pub ns_max: u64,
}

impl Default for Lateness {
    fn default() -> Lateness {
        Lateness {
            ns: Histogram::new_with_bounds(1, LONGEST_NS, 3).expect("the bounds are in order"),
            late: 0,
        }
    }
}

impl Lateness {
    /// Records an answer that was sent with this delay.
    pub fn add(&mut self, late: Duration) {
        let ns = u64::try_from(late.as_nanos()).unwrap_or(u64::MAX);
        self.ns.saturating_record(ns);
        self.late += u64::from(ns > LATE_NS);
    }

    /// Summarizes the delays.
    pub fn summary(&self) -> Summary {
        Summary {
            answered: self.ns.len(),
            late: self.late,
            ns_mean: self.ns.mean(),
            ns_p50: self.ns.value_at_quantile(0.5),
            ns_p99: self.ns.value_at_quantile(0.99),
            ns_max: self.ns.max(),
        }
    }
}
