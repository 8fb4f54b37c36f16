//! Start and end of a curve.

use stend_record::review::{Sample, Series};

use crate::segment::median;

/// Samples that the start of a curve is computed from.
pub const START_SAMPLES: usize = 5;

/// Longest stretch that the end of a curve is computed from, s.
const END_S: f64 = 300.0;

/// Returns the speed at the start of a curve, IOPS: the median of its first [`START_SAMPLES`]
/// samples, which neither a slow first second nor a step in the fourth moves. `None` if it is
/// empty.
pub fn start_level(series: &Series) -> Option<f64> {
    let first = series.samples.iter().take(START_SAMPLES);
    let mut iops: Vec<f64> = first.map(|s| s.iops).collect();
    (!iops.is_empty()).then(|| median(&mut iops))
}

/// Returns the length of the end of a curve, s: five minutes, or a quarter of a curve that is
/// shorter than 20 minutes.
pub fn end_span_s(series: &Series) -> f64 {
    let end_s = series.samples.last().map_or(0.0, |s| s.t_s);
    (end_s / 4.0).min(END_S)
}

/// Returns the samples in the last [`end_span_s`] of a curve; at least one unless the curve is
/// empty.
pub fn end_samples(series: &Series) -> &[Sample] {
    let samples = &series.samples;
    let from_s = samples.last().map_or(0.0, |s| s.t_s) - end_span_s(series);
    // A rounding error in a sample's end must not shift a whole interval.
    let first = samples.partition_point(|s| s.t_s - series.interval_s / 2.0 < from_s);
    &samples[first.min(samples.len().saturating_sub(1))..]
}

/// Returns the speed at the end of a curve, IOPS: the mean of [`end_samples`]. `None` if it is
/// empty.
pub fn end_level(series: &Series) -> Option<f64> {
    let samples = end_samples(series);
    let sum: f64 = samples.iter().map(|s| s.iops).sum();
    (!samples.is_empty()).then(|| sum / samples.len() as f64)
}

/// Returns the range that holds 90 % of [`end_samples`], IOPS. `None` if the curve is empty.
pub fn end_spread(series: &Series) -> Option<(f64, f64)> {
    let mut iops: Vec<f64> = end_samples(series).iter().map(|s| s.iops).collect();
    nine_tenths(&mut iops)
}

/// Returns the values below which 5 % and 95 % of the given ones lie, by nearest rank. `None`
/// without values.
pub(crate) fn nine_tenths(values: &mut [f64]) -> Option<(f64, f64)> {
    values.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| {
        let rank = (share * values.len() as f64).ceil() as usize;
        values[rank.clamp(1, values.len()) - 1]
    };
    (!values.is_empty()).then(|| (at(0.05), at(0.95)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_record::review::SeriesPoint;

    fn series(seconds: u32, speed: impl Fn(u32) -> f64) -> Series {
        Series::of(
            "fresh",
            SeriesPoint::default(),
            1.0,
            (0..seconds)
                .map(|second| Sample {
                    t_s: f64::from(second + 1),
                    written_bytes: 0,
                    iops: speed(second),
                })
                .collect(),
        )
    }

    #[test]
    fn the_start_is_the_middle_of_five_samples() {
        let hesitant = series(100, |s| {
            [3.0, 40.0, 41.0, 42.0, 20.0, 20.0][s.min(5) as usize]
        });
        assert_eq!(start_level(&hesitant), Some(40.0));
        assert_eq!(start_level(&series(1, |_| 7.0)), Some(7.0));
    }

    #[test]
    fn the_end_is_five_minutes_or_a_quarter() {
        let long = series(7_200, |s| if s < 6_900 { 9.0 } else { f64::from(s % 100) });
        assert_eq!(end_span_s(&long), 300.0);
        assert_eq!(end_samples(&long).len(), 300);
        assert_eq!(end_level(&long), Some(49.5));
        assert_eq!(end_spread(&long), Some((4.0, 94.0)));
        let short = series(100, |s| if s < 75 { 9.0 } else { 1.0 });
        assert_eq!(end_samples(&short).len(), 25);
        assert_eq!(end_level(&short), Some(1.0));
        assert_eq!(end_level(&series(1, |_| 7.0)), Some(7.0));
    }

    #[test]
    fn a_curve_without_samples_has_no_ends() {
        let empty = series(0, |_| 0.0);
        assert_eq!((start_level(&empty), end_level(&empty)), (None, None));
        assert_eq!(end_spread(&empty), None);
    }
}
