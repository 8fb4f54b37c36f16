//! Summaries of a curve of samples: means over windows, and a few figures.

use stend_analysis::{end_level, end_span_s, end_spread, start_level};
use stend_record::review::{Sample, Series};

/// Window of the mean line in the articles, s; a shortened run scales it like every other duration.
const MEAN_WINDOW_S: f64 = 30.0;

/// The mean over one window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Number of the window, from 0; numbers without a sample are skipped.
    pub number: u64,
    /// End of the window since the start of the curve, s.
    pub end_s: f64,
    /// Middle between the window's first and last sample, the position of the mean, s.
    pub middle_s: f64,
    /// That middle in bytes written.
    pub middle_bytes: u64,
    /// Bytes written up to the end of the window.
    pub written_bytes: u64,
    /// Mean of the window's samples, requests a second.
    pub iops: f64,
}

/// Returns the length of a window of the mean line for a curve, s: 30 s times the scale of the run,
/// in whole samples (windows that divide samples would vary by one sample) and at least one.
pub fn mean_window_s(series: &Series, duration_scale: f64) -> f64 {
    let length_s = MEAN_WINDOW_S * duration_scale;
    (length_s / series.interval_s).round().max(1.0) * series.interval_s
}

/// Returns means over consecutive windows of `window_s`. The last may be shorter. A window without
/// a sample is left out.
pub fn windows(series: &Series, window_s: f64) -> Vec<Window> {
    let mut out = Vec::new();
    let mut start = 0;
    let samples = &series.samples;
    while start < samples.len() {
        let number = window_of(&samples[start], series.interval_s, window_s);
        let len = samples[start..]
            .iter()
            .take_while(|s| window_of(s, series.interval_s, window_s) == number)
            .count();
        let inside = &samples[start..start + len];
        let (first, last) = (inside[0], inside[len - 1]);
        out.push(Window {
            number,
            end_s: last.t_s,
            middle_s: (first.t_s + last.t_s) / 2.0,
            middle_bytes: first.written_bytes.midpoint(last.written_bytes),
            written_bytes: last.written_bytes,
            iops: mean(inside),
        });
        start += len;
    }
    out
}

// A sample belongs to the window that its middle lies in, so that a sample that ends
// exactly (or a rounding error beyond) a border is counted in the window in which it was measured.
fn window_of(sample: &Sample, interval_s: f64, window_s: f64) -> u64 {
    ((sample.t_s - interval_s / 2.0) / window_s).max(0.0) as u64
}

fn mean(samples: &[Sample]) -> f64 {
    samples.iter().map(|s| s.iops).sum::<f64>() / samples.len() as f64
}

/// A few figures of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// Speed at its start ([`start_level`]), requests a second.
    pub start_iops: f64,
    /// Speed at its end ([`end_level`]), requests a second.
    pub end_iops: f64,
    /// Length of that end, s.
    pub end_s: f64,
    /// Range of 90 % of the samples of the end, requests a second.
    pub end_spread_iops: (f64, f64),
    /// Mean over the whole curve, requests a second.
    pub mean_iops: f64,
    /// Lowest window mean, requests a second.
    pub lowest_iops: f64,
    /// Highest window mean, requests a second.
    pub highest_iops: f64,
    /// Bytes written in the whole curve.
    pub written_bytes: u64,
    /// Length of the curve, s.
    pub length_s: f64,
}

/// Computes the figures of a curve; `None` if it has no sample.
pub fn facts(series: &Series, duration_scale: f64) -> Option<Facts> {
    let last = series.samples.last()?;
    let means = windows(series, mean_window_s(series, duration_scale));
    let fold = |pick: fn(f64, f64) -> f64| means.iter().map(|w| w.iops).reduce(pick);
    Some(Facts {
        start_iops: start_level(series)?,
        end_iops: end_level(series)?,
        end_s: end_span_s(series),
        end_spread_iops: end_spread(series)?,
        mean_iops: mean(&series.samples),
        lowest_iops: fold(f64::min)?,
        highest_iops: fold(f64::max)?,
        written_bytes: last.written_bytes,
        length_s: last.t_s,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_record::review::{Pattern, PointOp, SeriesPoint};

    /// One sample a second, each at the `speed` of its second.
    fn curve(seconds: u32, speed: impl Fn(u32) -> f64) -> Series {
        let mut written_bytes = 0;
        let samples = (0..seconds)
            .map(|second| {
                let iops = speed(second);
                written_bytes += iops as u64 * 4_096;
                Sample {
                    t_s: f64::from(second + 1),
                    written_bytes,
                    iops,
                }
            })
            .collect();
        Series::of(
            "fresh",
            SeriesPoint {
                op: PointOp::Write,
                pattern: Pattern::Random,
                block_bytes: 4_096,
                queue_depth: 32,
            },
            1.0,
            samples,
        )
    }

    #[test]
    fn a_window_holds_the_samples_taken_in_it() {
        let series = curve(70, |second| if second < 30 { 100.0 } else { 10.0 });
        let windows = windows(&series, 30.0);
        let means: Vec<f64> = windows.iter().map(|w| w.iops).collect();
        assert_eq!(means, [100.0, 10.0, 10.0]);
        assert_eq!(windows[0].end_s, 30.0);
        assert_eq!(windows[0].middle_s, 15.5);
        assert_eq!(windows[1].written_bytes, 3_300 * 4_096);
        assert_eq!(windows[1].middle_bytes, 3_155 * 4_096);
        assert_eq!(windows[2].end_s, 70.0, "the short rest is kept");
    }

    #[test]
    fn the_window_scales_with_the_run_but_holds_a_sample() {
        let series = curve(10, |_| 1.0);
        assert_eq!(mean_window_s(&series, 1.0), 30.0);
        assert_eq!(mean_window_s(&series, 0.1), 3.0);
        assert_eq!(mean_window_s(&series, 0.05), 2.0, "whole samples");
        assert_eq!(mean_window_s(&series, 0.001), 1.0);
    }

    #[test]
    fn a_curve_in_figures() {
        let series = curve(7_200, |second| match second {
            0..4 => 41_000.0,
            4..6_900 => 20_000.0,
            _ => 4_000.0 + f64::from(second % 100),
        });
        let facts = facts(&series, 1.0).unwrap();
        assert_eq!(facts.start_iops, 41_000.0);
        assert_eq!(facts.end_s, 300.0);
        assert!((facts.end_iops - 4_049.5).abs() < 1e-9);
        assert_eq!(facts.end_spread_iops, (4_004.0, 4_094.0));
        assert_eq!(facts.highest_iops, 22_800.0);
        assert_eq!(facts.lowest_iops, 4_014.5);
        assert_eq!(facts.length_s, 7_200.0);
    }

    #[test]
    fn a_curve_without_samples_has_no_figures() {
        assert_eq!(facts(&curve(0, |_| 0.0), 1.0), None);
    }
}
