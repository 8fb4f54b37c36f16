//! Latency in a few figures.

use serde::{Deserialize, Serialize};

/// Completion latency, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencySummary {
    /// Number of requests; 0 if it is not known, as in reviews of older versions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub requests: u64,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p99_9: u64,
    /// 99.99th percentile.
    pub p99_99: u64,
    /// 99.999th percentile.
    pub p99_999: u64,
    /// Largest.
    pub max: u64,
    /// Precision of the figures of a repeated test, which are then means; missing for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_widths: Option<LatencyHalfWidths>,
}

/// Half widths of the 95 % intervals of the figures of a latency, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyHalfWidths {
    /// Half width of the mean.
    pub mean: f64,
    /// Half width of the median.
    pub p50: f64,
    /// Half width of the 99th percentile.
    pub p99: f64,
    /// Half width of the 99.9th percentile.
    pub p99_9: f64,
    /// Half width of the 99.99th percentile.
    pub p99_99: f64,
    /// Half width of the 99.999th percentile.
    pub p99_999: f64,
}

impl LatencyHalfWidths {
    /// The half widths of [`LatencySummary::PERCENTILES`].
    pub fn percentiles(&self) -> [f64; 5] {
        [self.p50, self.p99, self.p99_9, self.p99_99, self.p99_999]
    }
}

impl LatencySummary {
    /// The percentiles in a summary.
    pub const PERCENTILES: [f64; 5] = [50.0, 99.0, 99.9, 99.99, 99.999];

    /// Returns the summary of this number of requests, with their mean, the largest and the values
    /// at [`LatencySummary::PERCENTILES`].
    pub fn new(
        requests: u64,
        mean: f64,
        max: u64,
        [p50, p99, p99_9, p99_99, p99_999]: [u64; 5],
    ) -> Self {
        LatencySummary {
            requests,
            mean,
            p50,
            p99,
            p99_9,
            p99_99,
            p99_999,
            max,
            half_widths: None,
        }
    }

    /// The value at one of [`LatencySummary::PERCENTILES`], ns, if the requests are enough for it
    /// ([`supports`]); an unknown number is assumed to be enough.
    pub fn supported(&self, percent: f64) -> Option<u64> {
        let mut all = self.percentiles().into_iter();
        all.find_map(|(other, value)| value.filter(|_| other == percent))
    }

    /// Each of [`LatencySummary::PERCENTILES`] with its value, ns, if the requests are enough for
    /// it.
    pub fn percentiles(&self) -> [(f64, Option<u64>); 5] {
        let values = [self.p50, self.p99, self.p99_9, self.p99_99, self.p99_999];
        std::array::from_fn(|at| {
            let percent = LatencySummary::PERCENTILES[at];
            let enough = self.requests == 0 || supports(self.requests, percent);
            (percent, enough.then_some(values[at]))
        })
    }

    /// The greatest percentile up to `most` for which the requests are enough, and its value, ns.
    pub fn tail(&self, most: f64) -> Option<(f64, u64)> {
        let mut all = self.percentiles().into_iter().rev();
        all.find_map(|(percent, value)| Some((percent, value.filter(|_| percent <= most)?)))
    }
}

/// True if this number of requests is enough for a percentile: at least ten of them lie above it.
/// With fewer it is one of the slowest requests, and differs from run to run.
pub fn supports(requests: u64, percent: f64) -> bool {
    // A share such as 0.001 % has no exact binary form.
    requests as f64 * (100.0 - percent) / 100.0 >= 10.0 - 1e-6
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_requests_lie_above_a_percentile() {
        let of = |requests| LatencySummary::new(requests, 1.0, 6, [1, 2, 3, 4, 5]);
        let known = |requests| {
            let values = of(requests).percentiles().map(|(_, value)| value);
            values.iter().flatten().count()
        };
        let bounds = [20, 1_000, 10_000, 100_000, 1_000_000];
        for (count, bound) in (0..).zip(bounds) {
            assert_eq!((known(bound - 1), known(bound)), (count, count + 1));
        }
        assert_eq!(known(0), 5, "not known");
        assert_eq!(of(999).supported(99.0), None);
        assert_eq!(of(1_000).supported(99.0), Some(2));
        assert_eq!(of(500_000).tail(99.9), Some((99.9, 3)));
        assert_eq!(of(5_000).tail(99.9), Some((99.0, 2)));
        assert_eq!(of(5).tail(99.9), None);
    }

    #[test]
    fn a_summary_of_an_older_version_has_no_number_of_requests() {
        let old = LatencySummary::new(0, 1.0, 6, [1, 2, 3, 4, 5]);
        let json = serde_json::to_value(old).unwrap();
        assert_eq!(json.get("requests"), None);
        assert_eq!(serde_json::from_value::<LatencySummary>(json).unwrap(), old);
    }
}
