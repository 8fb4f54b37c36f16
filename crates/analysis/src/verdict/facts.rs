//! Finds the figures of a verdict among a review's tests.

use stend_record::load::Load;
use stend_record::review::{Pattern, Point, PointOp, Review, SyncMethod, TestResult};

use crate::figures::{Metric, Unit};
use crate::findings::judged;
use crate::kinds::sync::sync_points_of;

/// Size of small requests, bytes.
const PAGE_BYTES: u64 = 4096;

/// A figure with the id of its test.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) test_id: String,
    pub(super) value: f64,
}

/// Returns the points of the judged tests, each with its test.
fn points(review: &Review) -> impl Iterator<Item = (&TestResult, &Point)> {
    judged(review).flat_map(|test| test.points().iter().map(move |point| (test, point)))
}

/// Returns the points of a single direction, including the ends of mixed tests.
fn pure(
    review: &Review,
    pattern: Pattern,
    op: PointOp,
) -> impl Iterator<Item = (&TestResult, &Point)> {
    points(review).filter(move |(_, point)| {
        let load = &point.load;
        let direction = match load.op {
            PointOp::Mixed => PointOp::of_share(load.read_percent),
            pure => pure,
        };
        load.pattern == pattern && direction == op
    })
}

/// The fastest sequential access in a direction.
pub(super) struct Fastest<'r> {
    pub(super) test_id: &'r str,
    /// Speed, bytes a second.
    pub(super) value: f64,
    pub(super) load: Load,
}

/// Returns the fastest sequential access in a direction.
pub(super) fn fastest(review: &Review, op: PointOp) -> Option<Fastest<'_>> {
    let by_speed = |a: &(&TestResult, &Point), b: &(&TestResult, &Point)| {
        a.1.bw_bytes_per_s.total_cmp(&b.1.bw_bytes_per_s)
    };
    let (test, point) = pure(review, Pattern::Sequential, op).max_by(by_speed)?;
    (point.bw_bytes_per_s > 0.0).then_some(Fastest {
        test_id: &test.id,
        value: point.bw_bytes_per_s,
        load: point.load,
    })
}

/// True if sequential reads were measured with several at a time: a drive may reach more than it
/// does with one at a time.
pub(super) fn reads_several_at_a_time(review: &Review) -> bool {
    let mut reads = pure(review, Pattern::Sequential, PointOp::Read);
    reads.any(|(_, point)| depth(&point.load) > 1)
}

fn depth(load: &Load) -> u32 {
    load.queue_depth * load.threads
}

fn page_reads(review: &Review) -> impl Iterator<Item = (&TestResult, &Point)> {
    let reads = pure(review, Pattern::Random, PointOp::Read);
    reads.filter(|(_, point)| point.load.block_bytes == PAGE_BYTES)
}

/// Returns the mean latency of small random reads at depth 1, ns.
pub(super) fn single_read_ns(review: &Review) -> Option<Figure> {
    let (test, point) = page_reads(review).find(|(_, point)| depth(&point.load) == 1)?;
    positive(test, point.latency_ns.mean)
}

/// Returns the requests a second of small random reads at the greatest depth measured, with that
/// depth; `None` below [`DEEP_MIN`].
pub(super) fn deep_reads(review: &Review) -> Option<(Figure, u32)> {
    let deepest = page_reads(review).max_by_key(|(_, point)| depth(&point.load));
    let (test, point) = deepest.filter(|(_, point)| depth(&point.load) >= DEEP_MIN)?;
    Some((positive(test, point.iops)?, depth(&point.load)))
}

/// Least depth that shows the speed of many requests at a time.
const DEEP_MIN: u32 = 16;

/// Least share of the slower pure load that a sequential mix reaches if mixing costs nothing
/// unusual. Taking turns between reads and writes is no slower than the slower of the two alone;
/// below this share, a drive or a link works in one direction at a time.
pub(super) const SEQUENTIAL_MIX_SHARE: f64 = 0.75;

/// The same for random mixes. In every drive random reads wait for programs of the same dies; below
/// this share, mixing costs more than that.
pub(super) const RANDOM_MIX_SHARE: f64 = 0.5;

/// Comparison of a mix of reads and writes with the pure loads of its test.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mix {
    pub(super) test_id: String,
    pub(super) pattern: Pattern,
    /// Share of reads of the slowest mix, percent.
    pub(super) read_percent: u32,
    /// Unit of the speeds.
    pub(super) unit: Unit,
    pub(super) slowest: f64,
    pub(super) reads: f64,
    pub(super) writes: f64,
}

impl Mix {
    /// Returns the slowest mix as a share of the slower of the pure loads.
    fn share(&self) -> f64 {
        self.slowest / self.reads.min(self.writes)
    }

    /// True if mixing costs more than with most drives.
    pub(super) fn costs(&self) -> bool {
        match self.pattern {
            Pattern::Sequential => self.share() < SEQUENTIAL_MIX_SHARE,
            Pattern::Random => self.share() < RANDOM_MIX_SHARE,
        }
    }
}

/// Returns the mixes of each test that also has both pure loads, the most expensive first.
pub(super) fn mixes(review: &Review) -> Vec<Mix> {
    let mut found: Vec<Mix> = judged(review).filter_map(mix).collect();
    found.sort_by(|a, b| a.share().total_cmp(&b.share()));
    found
}

fn mix(test: &TestResult) -> Option<Mix> {
    let mixed = test.points().iter();
    let mixed: Vec<&Point> = mixed.filter(|p| p.load.op == PointOp::Mixed).collect();
    let at = |share: u32| mixed.iter().find(|p| p.load.read_percent == share);
    let metric = Metric::of(test.points());
    let speed = |point: &Point| metric.value(point).0;
    let (reads, writes) = (speed(at(100)?), speed(at(0)?));
    let real = mixed
        .iter()
        .filter(|p| (1..100).contains(&p.load.read_percent));
    let slowest = real.min_by(|a, b| speed(a).total_cmp(&speed(b)))?;
    (speed(slowest) > 0.0 && reads.min(writes) > 0.0).then(|| Mix {
        test_id: test.id.clone(),
        pattern: slowest.load.pattern,
        read_percent: slowest.load.read_percent,
        unit: metric.value(slowest).1,
        slowest: speed(slowest),
        reads,
        writes,
    })
}

/// Returns the mean latency of a durable small write of one thread, without other streams, ns: with
/// `O_DSYNC`, or with a flush after each.
pub(super) fn commit_ns(review: &Review) -> Option<Figure> {
    judged(review).find_map(|test| {
        let mut points = sync_points_of(test).iter();
        points.find_map(|point| {
            let [stream] = point.streams.as_slice() else {
                return None;
            };
            let load = stream.load;
            let small = load.block_bytes == PAGE_BYTES && load.op == PointOp::Write;
            let each = match stream.durability.sync {
                SyncMethod::None => false,
                SyncMethod::Dsync => true,
                SyncMethod::Fsync | SyncMethod::Fdatasync => stream.durability.every == Some(1),
            };
            let wanted = small && each && load.threads == 1;
            let latency = stream.commit_latency_ns().filter(|_| wanted)?;
            positive(test, latency.mean)
        })
    })
}

fn positive(test: &TestResult, value: f64) -> Option<Figure> {
    (value > 0.0 && value.is_finite()).then(|| Figure {
        test_id: test.id.clone(),
        value,
    })
}
