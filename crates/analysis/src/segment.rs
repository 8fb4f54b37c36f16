//! Optimal segmentation of a noisy curve into stretches, each a level or a slope.
//!
//! Works on the logarithm of IOPS: a step of a given ratio is as high at 40,000 as at 4,000, and
//! scatter in percent is the same everywhere. The cuts minimize the sum of weighted squared
//! distances from the stretches' lines plus a price for every stretch (optimal partitioning,
//! Jackson et al. 2005), without those that a bound excludes. Two hours of seconds take 0.03 s, or
//! 0.1 s without optimisation.
//!
//! Reasons why it is robust:
//! - The noise is estimated around every sample, from differences between neighbours, which a step
//!   or a slope hardly affects. A drive that is calm when fresh and noisy when full is judged by
//!   its own noise in each phase, so that a first step of four samples is not lost in the noise of
//!   the second hour.
//! - Differences over 1, 2 and 5 samples and between means of five are compared and the largest
//!   noise counts, because neighbours in slow noise differ little.
//! - A running median of five removes outliers of two samples or less.

/// Shortest level, samples: a shorter one cannot be distinguished from an outlier.
const LEVEL_MIN: usize = 3;

/// Shortest slope, samples: a steeper change is a step.
const SLOPE_MIN: usize = 30;

/// Least noise, as a share: a simulated drive has hardly any, and stretches that differ by less
/// mean nothing to a reader.
const NOISE_MIN: f64 = 0.01;

/// Price of a short level, below [`SLOPE_MIN`] samples, in units of ln n. Under pure noise the best
/// of all cuts gains about 2 ln n. A price of 3 leaves a margin, and noise, the largest of four
/// estimates, is more often over- than underestimated. At this price a first step of four samples
/// that is a quarter lower is still found under noise of 5 %. False cuts are brief, and the rules
/// of `steps` join them again.
const LEVEL_PRICE: f64 = 3.0;

/// Price of a longer level: the running median correlates the noise, so the mean of many samples
/// has π/2 times the variance that independent samples would have.
const LONG_LEVEL_PRICE: f64 = LEVEL_PRICE * std::f64::consts::FRAC_PI_2;

/// Price of a slope: it has one parameter more.
const SLOPE_PRICE: f64 = 2.5 * LEVEL_PRICE;

/// Curves with fewer samples are priced as if they had this many: their noise is known less well.
const PRICED_MIN: usize = 600;

/// Samples on each side from which the noise around one is estimated.
const NOISE_REACH: usize = 30;

/// Number of starts of the last stretch for which a common bound decides if they are tried.
const STARTS: usize = 16;

/// Excess of a bound over the least cost with which its starts are left out: far more than the
/// rounding of the sums, and far less than the price of a stretch.
const MARGIN: f64 = 0.1;

/// One stretch: samples `from..to`, and its line, in ln IOPS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Value at the middle of the stretch. For a level, the mean without the outer tenths: outliers
    /// do not shift it, and it does not jump, as a median would, if a drive swings between two
    /// speeds.
    pub(crate) middle: f64,
    /// Change from the first sample to the last; 0 for a level.
    pub(crate) change: f64,
    /// Half of the width about the line that holds the middle 68 % of the samples, including
    /// outliers: their standard deviation if they are normal.
    pub(crate) scatter: f64,
}

impl Stretch {
    pub(crate) fn len(&self) -> usize {
        self.to - self.from
    }
}

/// A curve prepared for segmentation: logarithms, without outliers, with weights.
pub(crate) struct Curve {
    /// ln IOPS.
    logs: Vec<f64>,
    /// ln IOPS, running median of five.
    values: Vec<f64>,
    /// Sums over the samples before each index, weighted by 1 / noise²: of 1, x, x², t, t² and tx.
    sums: Vec<[f64; 6]>,
}

/// Weighted moments of a range about its means.
struct Moments {
    mean_x: f64,
    xx: f64,
    tt: f64,
    tx: f64,
}

impl Curve {
    /// Prepares a curve from IOPS, one value for each sample.
    pub(crate) fn new(iops: &[f64]) -> Curve {
        let logs: Vec<f64> = iops.iter().map(|v| v.max(1.0).ln()).collect();
        let values = running_median(&logs, 2);
        let noise = local_noise(&logs);
        let mut last = [0.0; 6];
        let mut sums = vec![last];
        let n = values.len() as f64;
        for (i, (x, s)) in values.iter().zip(noise).enumerate() {
            let w = 1.0 / (s * s);
            // Centred, to keep the sums' rounding small.
            let t = i as f64 - n / 2.0;
            let terms = [w, w * x, w * x * x, w * t, w * t * t, w * t * x];
            for (sum, term) in last.iter_mut().zip(terms) {
                *sum += term;
            }
            sums.push(last);
        }
        Curve { logs, values, sums }
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns ln IOPS as sampled.
    pub(crate) fn logs(&self) -> &[f64] {
        &self.logs
    }

    /// Returns ln IOPS without outliers.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    fn moments(&self, from: usize, to: usize) -> Moments {
        let (before, all) = (&self.sums[from], &self.sums[to]);
        let [weight, x, xx, t, tt, tx] = std::array::from_fn(|i| all[i] - before[i]);
        Moments {
            mean_x: x / weight,
            xx: (xx - x * x / weight).max(0.0),
            tt: tt - t * t / weight,
            tx: tx - t * x / weight,
        }
    }

    /// Fits the best line through a range; a level if `flat`.
    pub(crate) fn stretch(&self, from: usize, to: usize, flat: bool) -> Stretch {
        let m = self.moments(from, to);
        let slope = if flat || m.tt <= 0.0 {
            0.0
        } else {
            m.tx / m.tt
        };
        let middle = if flat {
            trimmed_mean(self.logs[from..to].to_vec())
        } else {
            m.mean_x
        };
        let centre = (to - from - 1) as f64 / 2.0;
        let line = |i: usize| middle + slope * (i as f64 - centre);
        let logs = &self.logs[from..to];
        let mut rests: Vec<f64> = logs.iter().enumerate().map(|(i, v)| v - line(i)).collect();
        rests.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| rests[((rests.len() - 1) as f64 * share).round() as usize];
        Stretch {
            from,
            to,
            middle,
            change: slope * (to - from - 1) as f64,
            scatter: 0.5 * (at(0.84) - at(0.16)),
        }
    }

    /// Returns the segmentation of least cost.
    pub(crate) fn cut(&self) -> Vec<Stretch> {
        self.cut_within(MARGIN)
    }

    /// Returns the segmentation of least cost; starts whose bound exceeds the least cost by
    /// `margin` are left out.
    fn cut_within(&self, margin: f64) -> Vec<Stretch> {
        let n = self.len();
        if n < 2 * LEVEL_MIN {
            return match n {
                0 => Vec::new(),
                _ => vec![self.stretch(0, n, true)],
            };
        }
        let price = (n.max(PRICED_MIN) as f64).ln();
        let mut best = vec![f64::INFINITY; n + 1];
        let mut back = vec![(0, true); n + 1];
        best[0] = 0.0;
        // By block of starts: the least cost up to one of them, and a bound of the cost up to the
        // present end with a stretch from one of them. It holds for later ends too, since a longer
        // stretch lies no closer to its line.
        let mut least = vec![f64::INFINITY; n / STARTS + 1];
        let mut bound = vec![0.0; n / STARTS + 1];
        least[0] = 0.0;
        for to in LEVEL_MIN..=n {
            let cost = |before: f64, from: usize| {
                let Moments { xx, tt, tx, .. } = self.moments(from, to);
                let line = before + (xx - tx * tx / tt.max(f64::MIN_POSITIVE)).max(0.0);
                let level = before + xx;
                let (as_level, as_slope) = match to - from < SLOPE_MIN {
                    true => (level + LEVEL_PRICE * price, f64::INFINITY),
                    false => (level + LONG_LEVEL_PRICE * price, line + SLOPE_PRICE * price),
                };
                (as_level.min(as_slope), as_level <= as_slope)
            };
            // No more than with the start that was best one sample earlier.
            let guess = back[to - 1].0;
            let at_most = cost(best[guess], guess).0 + margin;
            let (mut least_here, mut back_here) = (f64::INFINITY, (0, true));
            let end = to + 1 - LEVEL_MIN;
            for (block, bound) in bound.iter_mut().enumerate().take(end.div_ceil(STARTS)) {
                let starts = block * STARTS..end.min((block + 1) * STARTS);
                if starts.end + SLOPE_MIN <= to && *bound <= at_most {
                    *bound = cost(least[block], starts.end - 1).0;
                }
                if *bound > at_most {
                    continue;
                }
                for from in starts {
                    let (cost, flat) = cost(best[from], from);
                    if cost < least_here {
                        (least_here, back_here) = (cost, (from, flat));
                    }
                }
            }
            (best[to], back[to]) = (least_here, back_here);
            least[to / STARTS] = least[to / STARTS].min(least_here);
        }
        let mut cuts = Vec::new();
        let mut to = n;
        while to > 0 {
            let (from, flat) = back[to];
            cuts.push(self.stretch(from, to, flat));
            to = from;
        }
        cuts.reverse();
        cuts
    }
}

/// Returns the mean of values without their lowest and highest tenth.
fn trimmed_mean(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let tenth = values.len() / 10;
    let inner = &values[tenth..values.len() - tenth];
    inner.iter().sum::<f64>() / inner.len() as f64
}

/// Returns the middle value; for an even number of values the lower of the two, for none 0.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = (values.len() - 1) / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Returns the median over `reach` samples on each side, fewer towards the ends.
pub(crate) fn running_median(values: &[f64], reach: usize) -> Vec<f64> {
    (0..values.len())
        .map(|i| {
            let reach = reach.min(i).min(values.len() - 1 - i);
            median(&mut values[i - reach..=i + reach].to_vec())
        })
        .collect()
}

/// Estimates the standard deviation of the noise around every sample.
fn local_noise(logs: &[f64]) -> Vec<f64> {
    // Estimated every ten samples: it changes slowly, because its window is 61 wide.
    const EVERY: usize = 10;
    let n = logs.len();
    let mut noise = Vec::with_capacity(n);
    for start in (0..n).step_by(EVERY) {
        let middle = (start + EVERY / 2).min(n - 1);
        // As wide at both ends as elsewhere: a narrow window would estimate badly.
        let from = middle
            .saturating_sub(NOISE_REACH)
            .min(n.saturating_sub(2 * NOISE_REACH + 1));
        let to = (from + 2 * NOISE_REACH + 1).min(n);
        let window = &logs[from..to];
        let level = [1, 2, 5]
            .map(|lag| difference_noise(window, lag))
            .into_iter()
            .chain([block_noise(window)])
            .fold(NOISE_MIN, f64::max);
        noise.extend(std::iter::repeat_n(level, EVERY.min(n - start)));
    }
    noise
}

/// Estimates the noise from means of five samples, scaled to one sample: the same as for single
/// samples if these are independent, more if noise is correlated.
fn block_noise(window: &[f64]) -> f64 {
    const BLOCK: usize = 5;
    let means: Vec<f64> = window
        .chunks_exact(BLOCK)
        .map(|block| block.iter().sum::<f64>() / BLOCK as f64)
        .collect();
    difference_noise(&means, 1) * (BLOCK as f64).sqrt()
}

/// Estimates the standard deviation of the noise from differences over `lag` samples, by the median
/// of their absolute values, which tolerates up to half of them being outliers.
fn difference_noise(window: &[f64], lag: usize) -> f64 {
    // Ratio of the standard deviation of a normal distribution to the median of its absolute value.
    // A difference has twice the variance.
    const NORMAL: f64 = 1.4826;
    let mut amounts: Vec<f64> = window
        .windows(lag + 1)
        .map(|w| (w[lag] - w[0]).abs())
        .collect();
    median(&mut amounts) * NORMAL / std::f64::consts::SQRT_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_base::Rng;

    /// Levels and slopes of drawn lengths, with noise or without.
    fn drawn(seed: u64) -> Vec<f64> {
        let mut rng = Rng::stream(seed, "curve");
        let (mut iops, mut at) = (Vec::new(), 10_000.0);
        while iops.len() < 900 {
            let to = at * [1.0, 0.9, 0.5, 2.0][rng.below(4) as usize];
            let (len, noise) = (3 + rng.below(200), [0.0, 0.01, 0.2][rng.below(3) as usize]);
            for nth in 0..len {
                let share = nth as f64 / len as f64;
                iops.push((at + (to - at) * share) * (1.0 + noise * rng.unit_f64()));
            }
            at = [to, 10_000.0][rng.below(2) as usize];
        }
        iops
    }

    #[test]
    fn no_start_that_is_left_out_would_be_better() {
        for seed in 0..20 {
            let curve = Curve::new(&drawn(seed));
            assert_eq!(curve.cut(), curve.cut_within(f64::INFINITY), "seed {seed}");
        }
    }
}
