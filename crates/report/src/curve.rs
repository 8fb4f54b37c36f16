//! What is computed from a curve of samples: means over windows, where it starts and
//! ends, and how much it writes at its fast speed.

use stend_record::review::{Sample, Series};

/// Window of the mean line in the articles, s; a shortened run scales it like every
/// other duration.
const MEAN_WINDOW_S: f64 = 30.0;

/// Share of the curve's time that counts as its end: ten minutes of two hours.
const END_SHARE: f64 = 1.0 / 12.0;

/// The mean over one window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Number of the window, from 0; numbers without a sample are skipped.
    pub number: u64,
    /// End of the window since the start of the curve, s.
    pub end_s: f64,
    /// Middle between the window's first and last sample, where the mean is drawn, s.
    pub middle_s: f64,
    /// The same, in bytes written.
    pub middle_bytes: u64,
    /// Bytes written up to the start of the window.
    pub written_before_bytes: u64,
    /// Bytes written up to the end of the window.
    pub written_bytes: u64,
    /// Mean of the window's samples, requests a second.
    pub iops: f64,
}

/// Length of a window of the mean line for a curve, s: 30 s times the scale of the run,
/// in whole samples and at least one.
pub fn mean_window_s(series: &Series, duration_scale: f64) -> f64 {
    whole_samples_s(MEAN_WINDOW_S * duration_scale, series)
}

// Windows that cut samples in two would hold now one more, now one less.
fn whole_samples_s(length_s: f64, series: &Series) -> f64 {
    (length_s / series.interval_s).round().max(1.0) * series.interval_s
}

/// Means over consecutive windows of `window_s`. The last may be shorter. A window
/// without a sample is left out.
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
            written_before_bytes: match start {
                0 => 0,
                _ => samples[start - 1].written_bytes,
            },
            written_bytes: last.written_bytes,
            iops: mean(inside),
        });
        start += len;
    }
    out
}

// A sample belongs to the window that its middle lies in, so that a sample that ends
// exactly (or a rounding error beyond) a border is counted where it was taken.
fn window_of(sample: &Sample, interval_s: f64, window_s: f64) -> u64 {
    ((sample.t_s - interval_s / 2.0) / window_s).max(0.0) as u64
}

fn mean(samples: &[Sample]) -> f64 {
    samples.iter().map(|s| s.iops).sum::<f64>() / samples.len() as f64
}

/// A curve in a few figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// Mean over the first tenth of a mean window (3 s), requests a second.
    pub start_iops: f64,
    /// Length of that beginning, s.
    pub start_s: f64,
    /// Mean over the last twelfth of the time, requests a second.
    pub end_iops: f64,
    /// Length of that end, s.
    pub end_s: f64,
    /// 5 % of the samples of the end lie below, requests a second.
    pub end_p5_iops: f64,
    /// 95 % of the samples of the end lie below, requests a second.
    pub end_p95_iops: f64,
    /// Mean over the whole curve, requests a second.
    pub mean_iops: f64,
    /// Lowest window mean, requests a second.
    pub lowest_iops: f64,
    /// Highest window mean, requests a second.
    pub highest_iops: f64,
    /// Bytes written in all.
    pub written_bytes: u64,
    /// Length of the curve, s.
    pub length_s: f64,
}

/// The figures of a curve; `None` when it has no sample.
pub fn facts(series: &Series, duration_scale: f64) -> Option<Facts> {
    let samples = &series.samples;
    let last = samples.last()?;
    let window_s = mean_window_s(series, duration_scale);
    let start = windows(series, start_window_s(series, duration_scale))[0];
    let end_from = last.t_s * (1.0 - END_SHARE);
    let first_of_end = samples
        .partition_point(|s| s.t_s - series.interval_s / 2.0 < end_from)
        .min(samples.len() - 1);
    let end = &samples[first_of_end..];
    let mut sorted: Vec<f64> = end.iter().map(|s| s.iops).collect();
    sorted.sort_by(f64::total_cmp);
    let means = windows(series, window_s);
    let fold = |pick: fn(f64, f64) -> f64| means.iter().map(|w| w.iops).reduce(pick);
    Some(Facts {
        start_iops: start.iops,
        start_s: start.end_s,
        end_iops: mean(end),
        end_s: end.len() as f64 * series.interval_s,
        end_p5_iops: nearest_rank(&sorted, 0.05),
        end_p95_iops: nearest_rank(&sorted, 0.95),
        mean_iops: mean(samples),
        lowest_iops: fold(f64::min)?,
        highest_iops: fold(f64::max)?,
        written_bytes: last.written_bytes,
        length_s: last.t_s,
    })
}

/// Length of the beginning that [`Facts::start_iops`] is taken over, and of the windows
/// that [`fast_bytes`] looks at, s.
fn start_window_s(series: &Series, duration_scale: f64) -> f64 {
    whole_samples_s(mean_window_s(series, duration_scale) / 10.0, series)
}

fn nearest_rank(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// Bytes that a curve writes before its speed first falls below `threshold_iops`, by
/// means over 3 s (times the scale), so that a single slow second does not end it; all
/// that was written when it never falls.
pub fn fast_bytes(series: &Series, duration_scale: f64, threshold_iops: f64) -> u64 {
    let windows = windows(series, start_window_s(series, duration_scale));
    match windows.iter().find(|w| w.iops < threshold_iops) {
        Some(slow) => slow.written_before_bytes,
        None => windows.last().map_or(0, |w| w.written_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_record::review::{LatencySummary, Pattern, PointOp, SeriesPoint};

    /// One sample a second, each at the speed that `speed` gives for its second.
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
        Series {
            name: "fresh".into(),
            point: SeriesPoint {
                op: PointOp::Write,
                pattern: Pattern::Random,
                block_bytes: 4_096,
                queue_depth: 32,
            },
            interval_s: 1.0,
            samples,
            latency_ns: LatencySummary::default(),
        }
    }

    #[test]
    fn a_window_holds_the_samples_taken_in_it() {
        let series = curve(70, |second| if second < 30 { 100.0 } else { 10.0 });
        let windows = windows(&series, 30.0);
        let means: Vec<f64> = windows.iter().map(|w| w.iops).collect();
        assert_eq!(means, [100.0, 10.0, 10.0]);
        assert_eq!(windows[0].end_s, 30.0);
        assert_eq!(windows[0].middle_s, 15.5);
        assert_eq!(windows[1].written_before_bytes, 3_000 * 4_096);
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
    fn start_is_the_first_three_seconds_and_end_the_last_ten_minutes() {
        let series = curve(7_200, |second| match second {
            0..3 => 41_000.0,
            3..6_600 => 20_000.0,
            _ => 4_000.0 + f64::from(second % 100),
        });
        let facts = facts(&series, 1.0).unwrap();
        assert_eq!(facts.start_iops, 41_000.0);
        assert_eq!(facts.start_s, 3.0);
        assert_eq!(facts.end_s, 600.0);
        assert!((facts.end_iops - 4_049.5).abs() < 1e-9);
        assert_eq!(facts.end_p5_iops, 4_004.0);
        assert_eq!(facts.end_p95_iops, 4_094.0);
        assert_eq!(facts.highest_iops, 22_100.0);
    }

    #[test]
    fn fast_bytes_end_where_three_seconds_in_a_row_are_slow() {
        let series = curve(60, |second| match second {
            4 => 100.0,
            0..30 => 40_000.0,
            _ => 5_000.0,
        });
        let fast = fast_bytes(&series, 1.0, 20_000.0);
        assert_eq!(fast, (29 * 40_000 + 100) * 4_096);
        assert_eq!(
            fast_bytes(&series, 1.0, 1.0),
            series.samples.last().unwrap().written_bytes
        );
    }

    #[test]
    fn a_curve_without_samples_has_no_figures() {
        assert_eq!(facts(&curve(0, |_| 0.0), 1.0), None);
    }
}
