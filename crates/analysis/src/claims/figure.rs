//! Figures of a drive: one number each, from a black-box test.

use serde::Deserialize;
use stend_language::text;
use stend_record::review::{
    FileWork, Pattern, Point, PointOp, Response, Sample, Series, TestResult,
};

use super::Measured;
use crate::ends::{end_level, start_level};
use crate::figures::Unit;
use crate::kinds::response::deletion_effect;
use crate::load::Load;
use crate::recovery::recovery;
use crate::smooth::moving_mean;
use crate::steps::{Level, steps};

/// A figure of a drive.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Description for people.
    pub title: String,
    /// Id of the test that it comes from.
    pub test: String,
    /// The value to compute from the test.
    pub of: Of,
    /// Line of its definition in the article's file, from 1.
    pub line: usize,
}

/// Kinds of results that a figure can come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Of {
    /// Measured points.
    Points(OfPoints),
    /// A curve.
    Curve(OfCurve),
    /// Reads while a file is deleted.
    Response(OfResponse),
    /// A benchmark.
    Benchmark(OfBenchmark),
    /// Traces.
    Traces(OfTraces),
    /// Work on files.
    Files(OfFiles),
}

/// Selects points and a metric. A key of the load that is missing matches any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfPoints {
    /// Direction.
    pub op: Option<PointOp>,
    /// Order of the offsets.
    pub pattern: Option<Pattern>,
    /// Request size, bytes.
    pub block_bytes: Option<u64>,
    /// Queue depth of each thread.
    pub queue_depth: Option<u32>,
    /// Threads.
    pub threads: Option<u32>,
    /// Share of reads, percent.
    pub read_percent: Option<u32>,
    /// Metric of each point.
    pub metric: PointMetric,
    /// Aggregation of several points to one number.
    #[serde(default)]
    pub over: Aggregate,
}

impl OfPoints {
    /// True if a load is selected.
    pub fn takes(&self, load: &Load) -> bool {
        is_or_any(self.op, load.op)
            && is_or_any(self.pattern, load.pattern)
            && is_or_any(self.block_bytes, load.block_bytes)
            && is_or_any(self.queue_depth, load.queue_depth)
            && is_or_any(self.threads, load.threads)
            && is_or_any(self.read_percent, load.read_percent)
    }
}

/// True if a value is the wanted one, or any is wanted.
fn is_or_any<T: PartialEq>(wanted: Option<T>, value: T) -> bool {
    wanted.is_none_or(|wanted| wanted == value)
}

/// Returns begin and end of an interval by its end, s. It is shorter by a little on both sides: a
/// rounding error in its end must not shift a whole interval.
fn seconds(end_s: f64, length_s: f64) -> (f64, f64) {
    let slack_s = length_s / 1e3;
    (end_s - length_s + slack_s, end_s - slack_s)
}

/// True if what begins and ends here lies within bounds, each of which may be missing.
fn is_within((begin, end): (f64, f64), from: Option<f64>, to: Option<f64>) -> bool {
    from.is_none_or(|from| begin >= from) && to.is_none_or(|to| end <= to)
}

/// Metrics of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointMetric {
    /// Requests a second.
    Iops,
    /// Bytes a second.
    BwBytesPerS,
    /// Requests a second of the reads of a mixed point.
    ReadIops,
    /// Bytes a second of the reads of a mixed point.
    ReadBwBytesPerS,
    /// Mean completion latency.
    LatencyMeanNs,
    /// 99th percentile of completion latency.
    LatencyP99Ns,
    /// Completion latency of the slowest request.
    LatencyMaxNs,
}

/// Metrics of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurveMetric {
    /// Mean speed of the part.
    Iops,
    /// The mean speed in bytes a second.
    BwBytesPerS,
    /// Speed at the start of the curve: [`start_level`].
    StartIops,
    /// Speed at the end of the curve: [`end_level`].
    EndIops,
    /// Scatter around the line, as a reader sees it: half of the width that holds the middle 68 %
    /// of the samples of the part, each as a share of the mean over the 30 s around it, percent.
    ScatterPercent,
    /// Speed of the nth level of the curve: [`steps`](steps()).
    StepIops,
    /// Bytes written where the nth level ends.
    StepEndBytes,
    /// Bytes written where the nth level ends, in capacities of the drive.
    StepEndCapacities,
    /// Number of levels.
    Steps,
    /// Bytes written fast: [`recovery`](recovery()), by the end level of the test's first curve.
    FastBytes,
    /// The bytes written fast, in capacities of the drive.
    FastCapacities,
    /// Bytes written in the whole curve.
    WrittenBytes,
    /// Speed at the end as a share of the speed at the start, percent.
    KeptPercent,
}

/// Metrics of a response to a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseMetric {
    /// Reads a second before the deletion.
    ReferenceIops,
    /// Mean reads a second in the part of the time after it.
    Iops,
    /// Reads in the slowest second after it.
    SlowestSecondIops,
    /// Time after which reads are back to normal.
    NormalAfterS,
    /// Latency of the slowest read after it.
    LatencyMaxNs,
}

/// Selects a curve, a part of it and a metric. A missing bound does not limit the part; a sample
/// belongs to the part if it begins and ends within the bounds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfCurve {
    /// Name of the curve, `fresh`.
    pub name: String,
    /// Metric of the part.
    pub metric: CurveMetric,
    /// Number of the level, from 1.
    pub step: Option<usize>,
    /// Start of the part, s.
    pub from_s: Option<f64>,
    /// End of the part, s.
    pub to_s: Option<f64>,
    /// Start of the part, bytes written.
    pub from_bytes: Option<u64>,
    /// End of the part, bytes written.
    pub to_bytes: Option<u64>,
    /// Start of the part, capacities written.
    pub from_capacities: Option<f64>,
    /// End of the part, capacities written.
    pub to_capacities: Option<f64>,
}

impl OfCurve {
    /// True if only a part of the curve is selected.
    pub fn is_bounded(&self) -> bool {
        self.from_s.or(self.to_s).is_some()
            || self.from_bytes.or(self.to_bytes).is_some()
            || self.from_capacities.or(self.to_capacities).is_some()
    }
}

/// Selects a response to a deletion, a part of the time after it and a metric.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfResponse {
    /// Its name, `with TRIM`.
    pub name: String,
    /// Metric of the part.
    pub metric: ResponseMetric,
    /// Start of the part, s after the deletion.
    pub from_s: Option<f64>,
    /// End of the part, s after the deletion.
    pub to_s: Option<f64>,
}

/// Selects a row of a benchmark in one direction; the metric is bytes a second.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfBenchmark {
    /// Name of the row.
    pub row: String,
    /// Direction.
    pub op: PointOp,
}

/// Selects traces; the metric is bytes a second over busy time.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfTraces {
    /// Name of the trace; `None` for all together.
    pub trace: Option<String>,
}

/// Selects work on files; the metric is bytes a second.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfFiles {
    /// Name of the set; `None` for all.
    pub set: Option<String>,
    /// Aggregation of several sets to one number.
    #[serde(default)]
    pub over: Aggregate,
}

/// Aggregation of several numbers to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregate {
    /// None: exactly one number is allowed.
    #[default]
    Only,
    /// Their mean.
    Mean,
    /// The greatest.
    Greatest,
    /// The least.
    Least,
}

/// Reason why a drive has no such figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The figure was not measured.
    NotMeasured(String),
    /// It was measured, but the value does not exist: a curve without a third level.
    NotThere(String),
}

impl Figure {
    /// Returns the unit of its values.
    pub fn unit(&self) -> Unit {
        match &self.of {
            Of::Points(of) => of.metric.unit(),
            Of::Curve(of) => of.metric.unit(),
            Of::Response(of) => of.metric.unit(),
            Of::Benchmark(_) | Of::Traces(_) | Of::Files(_) => Unit::BytesPerS,
        }
    }

    /// Returns its value for a drive.
    ///
    /// # Errors
    /// [`Missing`] if there is no value.
    pub fn measure(&self, drive: &Measured<'_>) -> Result<f64, Missing> {
        let test = drive.tests.iter().find(|test| test.id == self.test);
        let test = test.ok_or_else(|| {
            Missing::NotMeasured(text!(
                "claims-test-of",
                test = &self.test,
                drive = &drive.target.name
            ))
        })?;
        match self.value(test, drive.target.capacity_bytes) {
            Some(value) => Ok(value),
            None if test.left_out_points > 0 => Err(Missing::NotMeasured(text!(
                "claims-more-of-test",
                test = &self.test,
                drive = &drive.target.name
            ))),
            None => Err(Missing::NotThere(text!(
                "claims-shows-no",
                drive = &drive.target.name,
                figure = &self.title
            ))),
        }
    }

    fn value(&self, test: &TestResult, capacity_bytes: u64) -> Option<f64> {
        match &self.of {
            Of::Points(of) => {
                let points = test.points().iter();
                let taken = points.filter(|point| of.takes(&Load::of(point)));
                let values: Option<Vec<f64>> = taken.map(|point| of.metric.of(point)).collect();
                of.over.of(&values?)
            }
            Of::Curve(of) => {
                let curves = test.curves();
                let part = Part {
                    series: curves.iter().find(|series| series.name == of.name)?,
                    first: curves.first()?,
                    of,
                    capacity: capacity_bytes as f64,
                };
                part.value()
            }
            Of::Response(of) => {
                let mut responses = test.responses().iter();
                of.value(responses.find(|response| response.name == of.name)?)
            }
            Of::Benchmark(of) => {
                let mut cells = test.benchmark().iter();
                let cell = cells.find(|cell| cell.row == of.row && cell.load.op == of.op)?;
                Some(cell.best_bw_bytes_per_s)
            }
            Of::Traces(of) => match &of.trace {
                None => test.overall_bw_bytes_per_s(),
                Some(name) => {
                    let trace = test.traces().iter().find(|trace| trace.name == *name)?;
                    Some(trace.bw_bytes_per_s)
                }
            },
            Of::Files(of) => {
                let wanted = |work: &&FileWork| of.set.as_ref().is_none_or(|set| *set == work.set);
                let speeds = test.files().iter().filter(wanted);
                let speeds: Vec<f64> = speeds.map(|work| work.bw_bytes_per_s).collect();
                of.over.of(&speeds)
            }
        }
    }
}

impl Aggregate {
    fn of(self, values: &[f64]) -> Option<f64> {
        match self {
            Aggregate::Only => match values {
                [one] => Some(*one),
                _ => None,
            },
            Aggregate::Mean if values.is_empty() => None,
            Aggregate::Mean => Some(values.iter().sum::<f64>() / values.len() as f64),
            Aggregate::Greatest => values.iter().copied().reduce(f64::max),
            Aggregate::Least => values.iter().copied().reduce(f64::min),
        }
    }
}

impl PointMetric {
    fn unit(self) -> Unit {
        match self {
            PointMetric::Iops | PointMetric::ReadIops => Unit::Iops,
            PointMetric::BwBytesPerS | PointMetric::ReadBwBytesPerS => Unit::BytesPerS,
            PointMetric::LatencyMeanNs | PointMetric::LatencyP99Ns | PointMetric::LatencyMaxNs => {
                Unit::Nanoseconds
            }
        }
    }

    fn of(self, point: &Point) -> Option<f64> {
        let reads = point.parts.iter().find(|part| part.op == PointOp::Read);
        // A mix of reads only or writes only may have no parts.
        let share = f64::from(point.load.read_percent) / 100.0;
        let pure = point.parts.is_empty() && (share == 0.0 || share == 1.0);
        let of_reads = |part: Option<f64>, whole: f64| part.or(pure.then_some(whole * share));
        let latency = &point.latency_ns;
        Some(match self {
            PointMetric::Iops => point.iops,
            PointMetric::BwBytesPerS => point.bw_bytes_per_s,
            PointMetric::ReadIops => of_reads(reads.map(|part| part.iops), point.iops)?,
            PointMetric::ReadBwBytesPerS => {
                of_reads(reads.map(|part| part.bw_bytes_per_s), point.bw_bytes_per_s)?
            }
            PointMetric::LatencyMeanNs => latency.mean,
            PointMetric::LatencyP99Ns => latency.p99 as f64,
            PointMetric::LatencyMaxNs => latency.max as f64,
        })
    }
}

impl CurveMetric {
    /// True if the metric is that of one level.
    pub(super) fn is_of_a_step(self) -> bool {
        matches!(
            self,
            CurveMetric::StepIops | CurveMetric::StepEndBytes | CurveMetric::StepEndCapacities
        )
    }

    /// True if the metric can be that of a part of the curve.
    pub(super) fn is_of_a_part(self) -> bool {
        matches!(
            self,
            CurveMetric::Iops | CurveMetric::BwBytesPerS | CurveMetric::ScatterPercent
        )
    }

    fn unit(self) -> Unit {
        match self {
            CurveMetric::Iops
            | CurveMetric::StartIops
            | CurveMetric::EndIops
            | CurveMetric::StepIops => Unit::Iops,
            CurveMetric::BwBytesPerS => Unit::BytesPerS,
            CurveMetric::ScatterPercent | CurveMetric::KeptPercent => Unit::Percent,
            CurveMetric::StepEndBytes | CurveMetric::FastBytes | CurveMetric::WrittenBytes => {
                Unit::Bytes
            }
            CurveMetric::StepEndCapacities | CurveMetric::FastCapacities => Unit::Capacities,
            CurveMetric::Steps => Unit::Count,
        }
    }
}

/// A part of a curve, with the context that its metrics need.
struct Part<'a> {
    series: &'a Series,
    /// The first curve of the test.
    first: &'a Series,
    of: &'a OfCurve,
    capacity: f64,
}

impl Part<'_> {
    fn value(&self) -> Option<f64> {
        let series = self.series;
        match self.of.metric {
            CurveMetric::Iops => self.mean_iops(),
            CurveMetric::BwBytesPerS => Some(self.mean_iops()? * series.point.block_bytes as f64),
            CurveMetric::StartIops => start_level(series),
            CurveMetric::EndIops => end_level(series),
            CurveMetric::ScatterPercent => self.scatter_percent(),
            CurveMetric::StepIops => Some(self.level()?.iops_mean),
            CurveMetric::StepEndBytes => self.step_end_bytes(),
            CurveMetric::StepEndCapacities => Some(self.step_end_bytes()? / self.capacity),
            CurveMetric::Steps => Some(steps(series).len() as f64),
            CurveMetric::FastBytes => self.fast_bytes(),
            CurveMetric::FastCapacities => Some(self.fast_bytes()? / self.capacity),
            CurveMetric::KeptPercent => Some(100.0 * end_level(series)? / start_level(series)?),
            CurveMetric::WrittenBytes => Some(series.samples.last()?.written_bytes as f64),
        }
    }

    fn fast_bytes(&self) -> Option<f64> {
        let found = recovery(self.series, end_level(self.first)?)?;
        Some(found.bytes as f64)
    }

    fn level(&self) -> Option<Level> {
        steps(self.series)
            .get(self.of.step?.checked_sub(1)?)
            .copied()
    }

    /// Returns the end of a level; `None` for the last, which ends with the measurement, not a
    /// step.
    fn step_end_bytes(&self) -> Option<f64> {
        let levels = steps(self.series);
        let index = self.of.step?.checked_sub(1)?;
        (index + 1 < levels.len()).then(|| levels[index].to_bytes as f64)
    }

    /// Returns the samples within the bounds, with their indices.
    fn within(&self) -> impl Iterator<Item = (usize, &Sample)> {
        let of = self.of;
        let capacity = self.capacity;
        let samples = &self.series.samples;
        let interval_s = self.series.interval_s;
        samples.iter().enumerate().filter(move |(i, sample)| {
            let before = i.checked_sub(1).map_or(0, |i| samples[i].written_bytes);
            let written = (before as f64, sample.written_bytes as f64);
            let bytes = |bound: Option<u64>| bound.map(|bound| bound as f64);
            let of_capacity = |bound: Option<f64>| bound.map(|bound| bound * capacity);
            is_within(seconds(sample.t_s, interval_s), of.from_s, of.to_s)
                && is_within(written, bytes(of.from_bytes), bytes(of.to_bytes))
                && is_within(
                    written,
                    of_capacity(of.from_capacities),
                    of_capacity(of.to_capacities),
                )
        })
    }

    fn mean_iops(&self) -> Option<f64> {
        let iops: Vec<f64> = self.within().map(|(_, sample)| sample.iops).collect();
        Aggregate::Mean.of(&iops)
    }

    fn scatter_percent(&self) -> Option<f64> {
        let means = moving_mean(&self.series.samples, 30.0);
        let mut shares: Vec<f64> = self
            .within()
            .map(|(i, sample)| sample.iops / means[i].max(f64::MIN_POSITIVE))
            .collect();
        shares.sort_unstable_by(f64::total_cmp);
        let last = shares.len().checked_sub(1)?;
        let at = |share: f64| shares[(last as f64 * share).round() as usize];
        Some(50.0 * (at(0.84) - at(0.16)))
    }
}

impl ResponseMetric {
    fn unit(self) -> Unit {
        match self {
            ResponseMetric::ReferenceIops
            | ResponseMetric::Iops
            | ResponseMetric::SlowestSecondIops => Unit::Iops,
            ResponseMetric::NormalAfterS => Unit::Seconds,
            ResponseMetric::LatencyMaxNs => Unit::Nanoseconds,
        }
    }
}

impl OfResponse {
    fn value(&self, response: &Response) -> Option<f64> {
        match self.metric {
            ResponseMetric::ReferenceIops => Some(response.reference_iops),
            ResponseMetric::Iops => {
                let from_s = Some(self.from_s.unwrap_or(0.0));
                let within = response.intervals.iter().filter(|interval| {
                    is_within(
                        seconds(interval.t_s, response.interval_s),
                        from_s,
                        self.to_s,
                    )
                });
                let iops: Vec<f64> = within.map(|interval| interval.iops).collect();
                Aggregate::Mean.of(&iops)
            }
            ResponseMetric::SlowestSecondIops => Some(deletion_effect(response)?.iops_lowest),
            ResponseMetric::NormalAfterS => deletion_effect(response)?.normal_after_s,
            ResponseMetric::LatencyMaxNs => Some(response.latency_ns.max as f64),
        }
    }
}
