//! The moving mean that is drawn through the dots of a curve.

use stend_record::review::Sample;

/// Returns the mean over the 30 s around each sample, IOPS: the line of the articles' charts.
pub fn mean_30s(samples: &[Sample]) -> Vec<f64> {
    moving_mean(samples, 30.0)
}

/// Returns, for each sample, the mean of the samples whose end lies within half of `window_s` of
/// its own end, IOPS.
///
/// Centred, so that the line turns where the dots turn. Towards both ends the window shrinks on
/// both sides, so that it does not lean inwards. Samples must be of equal length and in the order
/// of time.
pub fn moving_mean(samples: &[Sample], window_s: f64) -> Vec<f64> {
    let mut sums = Vec::with_capacity(samples.len() + 1);
    sums.push(0.0);
    for sample in samples {
        sums.push(sums[sums.len() - 1] + sample.iops);
    }
    let half_s = window_s / 2.0;
    let (mut first, mut end) = (0, 0);
    let mut means = Vec::with_capacity(samples.len());
    for (i, sample) in samples.iter().enumerate() {
        while samples[first].t_s < sample.t_s - half_s {
            first += 1;
        }
        while end < samples.len() && samples[end].t_s <= sample.t_s + half_s {
            end += 1;
        }
        let reach = (i - first).min(end - 1 - i);
        let (from, to) = if first == 0 || end == samples.len() {
            (i - reach, i + reach + 1)
        } else {
            (first, end)
        };
        means.push((sums[to] - sums[from]) / (to - from) as f64);
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(iops: impl IntoIterator<Item = f64>) -> Vec<Sample> {
        iops.into_iter()
            .enumerate()
            .map(|(i, iops)| Sample {
                t_s: (i + 1) as f64,
                written_bytes: 0,
                iops,
            })
            .collect()
    }

    #[test]
    fn a_straight_line_stays_itself_to_its_ends() {
        let line: Vec<f64> = (0..200).map(|i| 1_000.0 + 5.0 * f64::from(i)).collect();
        let means = mean_30s(&samples(line.clone()));
        for (mean, value) in means.iter().zip(line) {
            assert!((mean - value).abs() < 1e-6);
        }
    }

    #[test]
    fn a_step_is_crossed_in_its_middle() {
        let means = mean_30s(&samples((0..200).map(|i| if i < 100 { 10.0 } else { 0.0 })));
        assert_eq!((means[84], means[115]), (10.0, 0.0));
        // Sample 99 is the last before the step: 16 of its 31 neighbours are high.
        assert!((means[99] - 10.0 * 16.0 / 31.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_and_one() {
        assert!(mean_30s(&[]).is_empty());
        assert_eq!(mean_30s(&samples([7.0])), [7.0]);
    }
}
