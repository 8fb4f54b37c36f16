//! Latency distributions and their summaries.

use hdrhistogram::Histogram;

/// Largest latency that the histogram resolves, ns: 2^42, over an hour. Longer ones are counted
/// there; `max` and the mean stay exact.
pub const LATENCY_NS_MAX: u64 = 1 << 42;

/// Significant decimal digits of the histogram: percentiles are off by at most 0.1 %.
pub const DIGITS: u8 = 3;

/// A latency distribution, ns. Count, smallest, largest, mean and standard deviation are exact, and
/// do not depend on the order of the values.
#[derive(Clone, Debug)]
pub struct LatencyStats {
    // Created with the first value: most jobs use one direction of three.
    histogram: Option<Box<Histogram<u64>>>,
    count: u64,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u128,
    squares: u128,
}

impl Default for LatencyStats {
    fn default() -> LatencyStats {
        LatencyStats {
            histogram: None,
            count: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            sum_ns: 0,
            squares: 0,
        }
    }
}

impl LatencyStats {
    /// Allocates memory now, so that no later [`LatencyStats::record`] does.
    pub fn reserve(&mut self) {
        self.histogram.get_or_insert_with(empty_histogram);
    }

    /// Adds a value.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.count += 1;
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
        self.sum_ns += u128::from(ns);
        self.squares += u128::from(ns) * u128::from(ns);
        self.histogram
            .get_or_insert_with(empty_histogram)
            .saturating_record(ns);
    }

    /// Adds the values of another distribution.
    pub fn add(&mut self, other: &LatencyStats) {
        let Some(theirs) = other.histogram.as_ref().filter(|_| other.count > 0) else {
            return;
        };
        self.count += other.count;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.sum_ns += other.sum_ns;
        self.squares += other.squares;
        let mine = self.histogram.get_or_insert_with(empty_histogram);
        mine.add(theirs.as_ref())
            .expect("all histograms have the same bounds");
    }

    /// Removes all values, and keeps the memory for others.
    pub(crate) fn clear(&mut self) {
        let mut histogram = self.histogram.take();
        if let Some(histogram) = histogram.as_mut().filter(|_| self.count > 0) {
            histogram.reset();
        }
        *self = LatencyStats {
            histogram,
            ..LatencyStats::default()
        };
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Smallest, ns; 0 without values.
    pub fn min_ns(&self) -> u64 {
        if self.count == 0 { 0 } else { self.min_ns }
    }

    /// Largest, ns; 0 without values.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// Sum of all values, ns.
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// Mean, ns; 0 without values.
    pub fn mean_ns(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        self.sum_ns as f64 / self.count as f64
    }

    /// Standard deviation of the sample, ns; 0 below two values.
    pub fn stddev_ns(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let n = u128::from(self.count);
        let variance = match (
            self.squares.checked_mul(n),
            self.sum_ns.checked_mul(self.sum_ns),
        ) {
            // Exact up to the division: no cancellation between nearly equal numbers.
            (Some(a), Some(b)) => (a - b) as f64 / (n * (n - 1)) as f64,
            _ => {
                let mean = self.mean_ns();
                ((self.squares as f64 - self.sum_ns as f64 * mean) / (n - 1) as f64).max(0.0)
            }
        };
        libm::sqrt(variance)
    }

    /// The value that `percent` % of all values do not exceed, ns, to [`DIGITS`] digits;
    /// 0 without values.
    pub fn percentile_ns(&self, percent: f64) -> u64 {
        match &self.histogram {
            Some(histogram) if self.count > 0 => histogram
                .value_at_percentile(percent)
                .clamp(self.min_ns, self.max_ns),
            _ => 0,
        }
    }

    /// The histogram: (middle of the bin in ns, count), ascending, without empty bins.
    pub fn bins(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.histogram.iter().flat_map(|histogram| {
            histogram.iter_recorded().map(|bin| {
                let value = bin.value_iterated_to();
                (histogram.median_equivalent(value), bin.count_at_value())
            })
        })
    }
}

fn empty_histogram() -> Box<Histogram<u64>> {
    Box::new(
        Histogram::new_with_bounds(1, LATENCY_NS_MAX, DIGITS)
            .expect("the bounds and digits are valid"),
    )
}

/// Smallest, largest, mean and spread of a rate over windows of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateStats {
    /// Number of windows.
    pub samples: u64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Mean.
    pub mean: f64,
    /// Sum of squared distances from the mean.
    pub squares: f64,
}

impl RateStats {
    /// Adds the rate of a window (Welford's method).
    pub fn record(&mut self, rate: f64) {
        self.samples += 1;
        if self.samples == 1 {
            (self.min, self.max) = (rate, rate);
        } else {
            (self.min, self.max) = (self.min.min(rate), self.max.max(rate));
        }
        let distance = rate - self.mean;
        self.mean += distance / self.samples as f64;
        self.squares += distance * (rate - self.mean);
    }

    /// Adds a job that ran at the same time: rates add up, as in fio's `sum_group_stat`.
    pub fn add_parallel(&mut self, other: &RateStats) {
        self.samples += other.samples;
        self.min += other.min;
        self.max += other.max;
        self.mean += other.mean;
        self.squares += other.squares;
    }

    /// Standard deviation; 0 below two windows.
    pub fn stddev(&self) -> f64 {
        if self.samples < 2 {
            return 0.0;
        }
        libm::sqrt(self.squares / (self.samples - 1) as f64)
    }
}
