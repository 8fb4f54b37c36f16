//! Stalls: times in which a drive answers next to nothing.

use stend_record::review::{Point, Review, Series, TestResult};

use crate::segment::median;

/// Least time without an answer that is a stall, s: after a second, people notice that they wait
/// and lose their train of thought (Nielsen).
const STALL_S_MIN: f64 = 1.0;

/// Latency from which the figures of a load describe a fault and not the drive's speed, ns: Linux
/// resets a drive that has not answered for 30 s (`/sys/block/*/device/timeout`), and people turn
/// to something else after ten (Nielsen).
pub(crate) const FAULT_NS: u64 = 10_000_000_000;

/// Share of the curve's median below which a drive stands still.
const STILL_SHARE: f64 = 0.1;

/// Time without answer in a test.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Stall {
    /// Seconds with next to no answer; 0 if only the slowest request is known.
    pub(crate) total_s: f64,
    /// The longest time without an interruption, s.
    pub(crate) longest_s: f64,
    /// The slowest request, ns.
    pub(crate) slowest_ns: u64,
}

impl Stall {
    /// Returns the longest known time without an answer, s.
    pub(crate) fn worst_s(&self) -> f64 {
        self.longest_s.max(self.slowest_ns as f64 / 1e9)
    }
}

/// Returns the stalls of a curve; `None` if it has none of a second or more.
///
/// A sample belongs to a stall if fewer requests are completed in a second than are outstanding, so
/// that by Little's law they wait for more than a second each, and if it is below a tenth of the
/// curve's median: a load that always waits as long is slow and does not stand still.
pub(crate) fn of_curve(series: &Series) -> Option<Stall> {
    let outstanding = f64::from(series.point.queue_depth.max(1));
    let mut speeds: Vec<f64> = series.samples.iter().map(|sample| sample.iops).collect();
    let usual = if speeds.is_empty() {
        0.0
    } else {
        median(&mut speeds)
    };
    let still = outstanding.min(STILL_SHARE * usual);
    let mut found = Stall {
        slowest_ns: series.latency_ns.max,
        ..Stall::default()
    };
    let (mut run_s, mut before_s) = (0.0, 0.0);
    for sample in &series.samples {
        let length_s = sample.t_s - before_s;
        before_s = sample.t_s;
        run_s = match sample.iops < still || sample.iops == 0.0 {
            true => run_s + length_s,
            false => 0.0,
        };
        found.total_s += if run_s > 0.0 { length_s } else { 0.0 };
        found.longest_s = found.longest_s.max(run_s);
    }
    (found.worst_s() >= STALL_S_MIN).then_some(found)
}

/// Returns the longest latency of a test's points if it reaches [`FAULT_NS`] and is far from the
/// usual one of its point: a load whose requests always wait as long is slow.
pub(crate) fn fault_ns(test: &TestResult) -> Option<u64> {
    let is_fault = |point: &&Point| {
        let latency = &point.latency_ns;
        latency.max >= FAULT_NS && latency.max as f64 * STILL_SHARE >= latency.mean
    };
    let faults = test.points().iter().filter(is_fault);
    faults.map(|point| point.latency_ns.max).max()
}

/// Returns the gravest stall of a review, with the id of its test.
pub(crate) fn worst(review: &Review) -> Option<(&str, Stall)> {
    let of_test = |test: &TestResult| {
        let of_points = fault_ns(test).map(|slowest_ns| Stall {
            slowest_ns,
            ..Stall::default()
        });
        test.curves()
            .iter()
            .filter_map(of_curve)
            .chain(of_points)
            .max_by(|a, b| a.worst_s().total_cmp(&b.worst_s()))
    };
    let all = review.tests.iter();
    let all = all.filter_map(|test| Some((test.id.as_str(), of_test(test)?)));
    all.max_by(|a, b| a.1.worst_s().total_cmp(&b.1.worst_s()))
}

#[cfg(test)]
mod tests {
    use stend_record::review::{Sample, SeriesPoint};

    use super::*;

    fn curve(iops: &[f64], slowest_ns: u64) -> Series {
        let point = SeriesPoint {
            queue_depth: 32,
            ..SeriesPoint::default()
        };
        let samples = (1..).zip(iops).map(|(second, iops)| Sample {
            t_s: f64::from(second),
            written_bytes: 0,
            iops: *iops,
        });
        let mut series = Series::of("fresh", point, 1.0, samples.collect());
        series.latency_ns.max = slowest_ns;
        series
    }

    #[test]
    fn seconds_without_answer_are_counted() {
        let speeds = [900.0, 0.0, 31.0, 900.0, 0.0, 900.0, 900.0];
        let found = of_curve(&curve(&speeds, 2_500_000_000));
        let wanted = Stall {
            total_s: 3.0,
            longest_s: 2.0,
            slowest_ns: 2_500_000_000,
        };
        assert_eq!(found, Some(wanted));
    }

    #[test]
    fn a_load_that_always_waits_does_not_stand_still() {
        // 31 a second of 32 outstanding: slow from the first to the last second.
        let found = of_curve(&curve(&[31.0; 9], 1_100_000_000)).unwrap();
        assert_eq!((found.total_s, found.longest_s), (0.0, 0.0));
    }

    #[test]
    fn a_slow_drive_does_not_stall() {
        // 32 requests outstanding and 33 a second: each waits for a little less than a second.
        assert_eq!(of_curve(&curve(&[33.0; 9], 999_000_000)), None);
        assert!(of_curve(&curve(&[33.0; 9], 1_000_000_000)).is_some());
    }
}
