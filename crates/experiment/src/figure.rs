//! Figures of a step's result: a metric, the requests to which it is limited, and a window.

use serde::{Deserialize, Serialize};
use stend_analysis::Unit;
use stend_analysis::ends::end_level;
use stend_load::Sample;
use stend_load::jobfile::Direction;
use stend_load::runner::{DirectionResult, JobResult, RunResult};
use stend_load::stats::LatencyStats;
use stend_record::load::SeriesPoint;
use stend_record::review::{self, Series};

use crate::step::StepResult;

/// A figure of a step's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The metric.
    pub metric: Metric,
    /// Part of the step. Only [`Metric::Iops`], [`Metric::Bandwidth`] and [`Metric::BandwidthMin`]
    /// can have another one than [`Window::Whole`].
    pub window: Window,
}

/// A metric of a step's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Metric {
    /// Requests per second, of one direction or of all.
    Iops(Option<Direction>),
    /// Bytes per second, of one direction or of all.
    Bandwidth(Option<Direction>),
    /// Bytes per second in the slowest sample.
    BandwidthMin,
    /// Bytes.
    Bytes(Direction),
    /// End level of the curve, requests per second.
    IopsEnd,
    /// Bytes written before the speed falls from its highest level.
    FallBytes,
    /// Latency from submission to completion, ns.
    Latency(Requests, Statistic),
    /// Time divided by the number of requests, including the tool's work between them, at depth 1,
    /// ns.
    Period,
    /// Bytes written to flash per byte written by the host.
    WriteAmplification,
    /// Duration, s.
    Elapsed,
    /// Energy, J.
    Energy,
    /// Mean power, W.
    Power,
    /// Increase of one of the drive's counters, by its name.
    Counter(String),
}

/// Requests whose latency is measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requests {
    /// Their kind.
    pub kind: RequestKind,
    /// Section of the job; `None` for the whole job.
    pub section: Option<String>,
}

/// Kind of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestKind {
    /// Reads, writes and TRIMs.
    #[default]
    All,
    /// Requests of one direction.
    One(Direction),
    /// Flushes.
    Flushes,
}

/// Statistic of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Statistic {
    /// Mean.
    Mean,
    /// Maximum.
    Max,
    /// Percentile, percent.
    Percentile(f64),
}

/// Part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Window {
    /// The whole step.
    Whole,
    /// Between two numbers of bytes moved.
    Bytes(u64, u64),
    /// Between two times since the beginning, s.
    Seconds(f64, f64),
}

impl Metric {
    /// Returns the unit of its values.
    pub fn unit(&self) -> Unit {
        match self {
            Metric::Bandwidth(_) | Metric::BandwidthMin => Unit::BytesPerS,
            Metric::Iops(_) | Metric::IopsEnd => Unit::Iops,
            Metric::Latency(..) | Metric::Period => Unit::Nanoseconds,
            Metric::Bytes(_) | Metric::FallBytes => Unit::Bytes,
            Metric::Elapsed => Unit::Seconds,
            Metric::Energy => Unit::Joules,
            Metric::Power => Unit::Watts,
            Metric::WriteAmplification | Metric::Counter(_) => Unit::Count,
        }
    }

    /// True if it is computed from samples, even of the whole step.
    pub fn needs_samples(&self) -> bool {
        matches!(
            self,
            Metric::BandwidthMin | Metric::IopsEnd | Metric::FallBytes
        )
    }

    /// True if it is computed from the result of a job, so that no other step has it.
    pub fn needs_job(&self) -> bool {
        !matches!(
            self,
            Metric::WriteAmplification
                | Metric::Elapsed
                | Metric::Energy
                | Metric::Power
                | Metric::Counter(_)
        )
    }
}

impl From<Metric> for Figure {
    /// Figure of the whole step.
    fn from(metric: Metric) -> Figure {
        let window = Window::Whole;
        Figure { metric, window }
    }
}

impl Figure {
    /// Value in the base unit of the metric; `None` if the result does not contain it.
    pub fn value(&self, of: &StepResult) -> Option<f64> {
        match &self.metric {
            Metric::WriteAmplification => of.after.write_amplification_since(&of.before),
            Metric::Elapsed => Some(of.elapsed_s),
            Metric::Energy => of.energy_j,
            Metric::Power => Some(of.energy_j? / of.elapsed_s),
            Metric::Counter(name) => {
                let [after, before] = [&of.after, &of.before].map(|c| counter(c, name));
                Some(after?.checked_sub(before?)? as f64)
            }
            _ => self.of_job(of.job.as_ref()?, of.sample_ms),
        }
    }

    fn of_job(&self, job: &RunResult, sample_ms: u32) -> Option<f64> {
        let window = within(&job.samples, self.window);
        let iops = |direction| rate(job, direction, |d| d.latency.count());
        match (&self.metric, self.window) {
            (Metric::Iops(direction), Window::Whole) => iops(*direction),
            (Metric::Iops(_), _) => {
                let iops: Vec<f64> = window.iter().map(iops_of).collect();
                (!iops.is_empty()).then(|| mean(&iops))
            }
            (Metric::Bandwidth(direction), Window::Whole) => rate(job, *direction, |d| d.bytes),
            (Metric::Bandwidth(_), _) => bandwidth(&window),
            (Metric::BandwidthMin, _) => bandwidths(&window).reduce(f64::min),
            (Metric::Bytes(direction), _) => Some(sum(job, Some(*direction), |d| d.bytes) as f64),
            (Metric::IopsEnd, _) => end_level(&series(&window, sample_ms)),
            (Metric::FallBytes, _) => first_fall(&window),
            (Metric::Latency(requests, statistic), _) => {
                let latency = merged(job, requests);
                (latency.count() > 0).then(|| match statistic {
                    Statistic::Mean => latency.mean_ns(),
                    Statistic::Max => latency.max_ns() as f64,
                    Statistic::Percentile(percent) => latency.percentile_ns(*percent) as f64,
                })
            }
            (Metric::Period, _) => iops(None).filter(|iops| *iops > 0.0).map(|iops| 1e9 / iops),
            _ => None,
        }
    }
}

/// Returns a counter by its name.
pub(crate) fn counter(counters: &stend_drive::Counters, name: &str) -> Option<u64> {
    serde_json::to_value(counters).ok()?.get(name)?.as_u64()
}

fn sum(job: &RunResult, direction: Option<Direction>, of: impl Fn(&DirectionResult) -> u64) -> u64 {
    let wanted = |index: usize| direction.is_none_or(|direction| direction as usize == index);
    let jobs = job.jobs.iter();
    let directions = jobs.flat_map(|job| job.directions.iter().enumerate());
    let directions = directions.filter(|(index, _)| wanted(*index));
    directions.map(|(_, d)| of(d)).sum()
}

fn rate(
    job: &RunResult,
    direction: Option<Direction>,
    of: impl Fn(&DirectionResult) -> u64,
) -> Option<f64> {
    let seconds = job.measured_by_any().as_secs_f64();
    (seconds > 0.0).then(|| sum(job, direction, of) as f64 / seconds)
}

fn merged(result: &RunResult, requests: &Requests) -> LatencyStats {
    let wanted = |job: &&JobResult| requests.section.as_ref().is_none_or(|s| *s == job.name);
    let mut all = LatencyStats::default();
    for job in result.jobs.iter().filter(wanted) {
        match requests.kind {
            RequestKind::All => job.directions.iter().for_each(|d| all.add(&d.latency)),
            RequestKind::One(direction) => all.add(&job.directions[direction as usize].latency),
            RequestKind::Flushes => all.add(&job.sync),
        }
    }
    all
}

/// Samples that end inside a window, preceded by the last one before it, whose end is the beginning
/// of the window.
fn within(samples: &[Sample], window: Window) -> Vec<Sample> {
    let inside = |sample: &&Sample| match window {
        Window::Whole => true,
        Window::Bytes(from, to) => (from as f64..=to as f64).contains(&bytes(sample)),
        Window::Seconds(from, to) => (from..=to).contains(&sample.t_s),
    };
    samples.iter().filter(inside).copied().collect()
}

fn iops_of(sample: &Sample) -> f64 {
    sample.read_iops + sample.write_iops
}

fn bytes(sample: &Sample) -> f64 {
    (sample.read_bytes + sample.written_bytes) as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Bytes per second from the first sample to the last.
fn bandwidth(samples: &[Sample]) -> Option<f64> {
    let (first, last) = (samples.first()?, samples.last()?);
    let seconds = last.t_s - first.t_s;
    (seconds > 0.0).then(|| (bytes(last) - bytes(first)) / seconds)
}

/// Bytes per second of each sample but the first.
fn bandwidths(samples: &[Sample]) -> impl Iterator<Item = f64> {
    samples.windows(2).filter_map(bandwidth)
}

/// Samples of all jobs together as a curve.
fn series(samples: &[Sample], sample_ms: u32) -> Series {
    let sample = |sample: &Sample| review::Sample {
        t_s: sample.t_s,
        written_bytes: sample.written_bytes,
        iops: iops_of(sample),
    };
    let samples = samples.iter().map(sample).collect();
    let interval_s = f64::from(sample_ms) / 1e3;
    Series::of("", SeriesPoint::default(), interval_s, samples)
}

/// Number of samples averaged to a speed, so that a single slow sample is not a fall.
const TOGETHER: usize = 4;

/// Least share of the speed that is lost in a fall.
const FALL_SHARE: f64 = 0.1;

/// Bytes written when the speed falls permanently below half way from its highest level to that of
/// the last quarter; `None` if the latter is less than a tenth lower.
fn first_fall(samples: &[Sample]) -> Option<f64> {
    let iops: Vec<f64> = samples.iter().map(iops_of).collect();
    if iops.len() < 2 * TOGETHER {
        return None;
    }
    let levels: Vec<f64> = iops.windows(TOGETHER).map(mean).collect();
    let (from, high) = levels
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))?;
    let last = mean(&iops[iops.len() - iops.len().div_ceil(4)..]);
    if high - last < FALL_SHARE * high {
        return None;
    }
    let middle = (high + last) / 2.0;
    let falls = |at: &usize| {
        let next = &iops[*at..iops.len().min(at + TOGETHER)];
        iops[*at] < middle && mean(next) < middle
    };
    let at = (from..iops.len()).find(falls)?;
    let before = at
        .checked_sub(1)
        .map(|before| samples[before].written_bytes);
    Some(before.unwrap_or(0) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of a second each, with these speeds and requests of one byte.
    fn samples(speeds: &[f64]) -> Vec<Sample> {
        let mut written_bytes = 0;
        let sample = |(at, speed): (usize, &f64)| {
            written_bytes += *speed as u64;
            Sample {
                t_s: (at + 1) as f64,
                written_bytes,
                write_iops: *speed,
                ..Sample::default()
            }
        };
        speeds.iter().enumerate().map(sample).collect()
    }

    #[test]
    fn a_fall_is_found_where_it_lasts() {
        let fall = |speeds: &[f64]| first_fall(&samples(speeds));
        let mut speeds = [[100.0; 8], [50.0; 8]].concat();
        assert_eq!(fall(&speeds), Some(800.0));
        // One slow sample is not a fall.
        speeds[3] = 10.0;
        assert_eq!(fall(&speeds), Some(710.0));
        // A slow start does not hide the fall, however short the fast phase after it is.
        let slow = [vec![60.0; 6], vec![150.0; 10], vec![33.0; 40]].concat();
        assert_eq!(fall(&slow), Some(360.0 + 1500.0));
        // Curves that do not fall, fall too little, or rise.
        assert_eq!(fall(&[100.0; 16]), None);
        assert_eq!(fall(&[[100.0; 8], [95.0; 8]].concat()), None);
        assert_eq!(fall(&[[50.0; 8], [100.0; 8]].concat()), None);
        assert_eq!(fall(&[100.0; 3]), None);
        // Bytes that are read beside the writes do not count.
        let mut mixed = samples(&[[100.0; 8], [50.0; 8]].concat());
        mixed.iter_mut().for_each(|sample| sample.read_bytes = 5);
        assert_eq!(first_fall(&mixed), Some(800.0));
    }

    #[test]
    fn a_window_contains_the_samples_that_end_in_it() {
        let samples = samples(&[100.0, 100.0, 50.0, 50.0, 50.0]);
        let first = within(&samples, Window::Bytes(100, 200));
        assert_eq!(bandwidth(&first), Some(100.0));
        let rest = within(&samples, Window::Bytes(200, 400));
        assert_eq!(bandwidth(&rest), Some(50.0));
        assert_eq!(within(&samples, Window::Seconds(2.0, 3.0)).len(), 2);
        assert_eq!(bandwidths(&samples).reduce(f64::min), Some(50.0));
    }
}
