//! Observations in a review, as far as properties can be inferred from them.

use stend_analysis::{end_level, recovery};
use stend_record::load::{Load, Pattern, PointOp};
use stend_record::review::{
    Point, Results, Review, Rung, Series, SyncMethod, SyncStream, TestResult,
};

use crate::observed::{Curve, Flush, Mixed, Observed, Recovered, Times};

/// Extracts the observations of a review's target.
pub fn observed_in(review: &Review) -> Observed {
    let points: Vec<&Point> = review.tests.iter().flat_map(TestResult::points).collect();
    let mut seen = Observed {
        capacity_bytes: review.target.capacity_bytes,
        depths: depths(&points),
        mixed: mixed(&points),
        flushes: flushes(&review.tests),
        ..Observed::default()
    };
    seen.settled_reads = seen
        .depths
        .first()
        .filter(|(depth, _)| *depth == 1)
        .map(|(_, t)| *t);
    let rungs = review.tests.iter().flat_map(TestResult::rungs);
    seen.recovered = rungs.map(recovered).collect();
    seen.recovered
        .extend(review.tests.iter().flat_map(recovered_in));
    for series in review.tests.iter().flat_map(TestResult::curves) {
        take_series(series, &mut seen);
    }
    seen
}

fn times(point: &Point) -> Times {
    let latency = &point.latency_ns;
    Times {
        mean_ns: latency.mean,
        p1_ns: latency.p50,
        p50_ns: latency.p50,
        p99_ns: latency.p99,
        requests: (point.iops * point.duration_s) as u64,
        per_s: point.iops,
    }
}

/// Random reads of a page by depth; for each depth the first measurement.
fn depths(points: &[&Point]) -> Vec<(u32, Times)> {
    let mut depths: Vec<(u32, Times)> = Vec::new();
    for point in points {
        let load = &point.load;
        let reads = load.only_reads() && load.pattern == Pattern::Random;
        if reads && load.block_bytes == 4096 && load.threads == 1 && load.region_bytes.is_none() {
            let known = depths.iter().any(|(depth, _)| *depth == load.queue_depth);
            if !known {
                depths.push((load.queue_depth, times(point)));
            }
        }
    }
    depths.sort_by_key(|(depth, _)| *depth);
    depths
}

/// Ascending reads, writes, and half of each, if all three were measured in the same way.
fn mixed(points: &[&Point]) -> Option<Mixed> {
    let halves = points.iter().find(|point| {
        let load = &point.load;
        load.op == PointOp::Mixed && load.pattern == Pattern::Sequential && load.read_percent == 50
    })?;
    let like = |op, read_percent| {
        let load = Load {
            op,
            read_percent,
            ..halves.load
        };
        // Mixed loads with only one direction are equivalent.
        let same = |point: &&&Point| {
            let other = point.load;
            other.read_percent == read_percent
                && Load { op, ..other }.without_region() == load.without_region()
        };
        Some(points.iter().find(same)?.bw_bytes_per_s)
    };
    Some(Mixed {
        reads: like(PointOp::Read, 100)?,
        writes: like(PointOp::Write, 0)?,
        both: halves.bw_bytes_per_s,
        bytes: None,
    })
}

/// Flushes between page writes of a single stream.
fn flushes(tests: &[TestResult]) -> Vec<Flush> {
    let points = tests.iter().flat_map(TestResult::sync);
    let streams = points.filter_map(|point| match &point.streams[..] {
        [only] => Some(only),
        _ => None,
    });
    let flush = |stream: &SyncStream| {
        let of_page = stream.load.block_bytes == 4096 && stream.load.queue_depth == 1;
        let flushes = matches!(
            stream.durability.sync,
            SyncMethod::Fsync | SyncMethod::Fdatasync
        );
        let latency = stream.sync_latency_ns.as_ref()?;
        (of_page && flushes).then(|| Flush {
            every: stream.durability.every.unwrap_or(1),
            flush_ns: latency.mean,
            write_ns: stream.write_latency_ns.as_ref().map_or(0.0, |l| l.mean),
        })
    };
    streams.filter_map(flush).collect()
}

/// Recovery by the rests of a test without rungs: its first curve is of the fresh drive, the others
/// are after a rest and after TRIM.
fn recovered_in(test: &TestResult) -> Vec<Recovered> {
    let Some(Results::Curve(curves)) = &test.results else {
        return Vec::new();
    };
    let [fresh, rested @ ..] = &curves[..] else {
        return Vec::new();
    };
    let Some(end) = end_level(fresh) else {
        return Vec::new();
    };
    let recovered = |series: &Series| {
        let trim = series.trimmed_before()?;
        let found = recovery(series, end)?;
        Some(Recovered {
            rest_s: None,
            trim,
            bytes: found.bytes,
            per_s: found.iops_initial,
        })
    };
    rested.iter().filter_map(recovered).collect()
}

fn recovered(rung: &Rung) -> Recovered {
    Recovered {
        rest_s: Some(rung.idle_s),
        trim: rung.trim,
        bytes: rung.recovered_bytes,
        per_s: rung.iops_start,
    }
}

fn curve(series: &Series) -> Curve {
    Curve {
        interval_s: series.interval_s,
        block_bytes: series.point.block_bytes,
        samples: series.samples.clone(),
    }
}

/// Assigns a curve of writes to the observation that it belongs to.
fn take_series(series: &Series, seen: &mut Observed) {
    if series.point.op != PointOp::Write {
        return;
    }
    let fresh = series.name == "fresh";
    match series.point.pattern {
        Pattern::Sequential if series.range_bytes == Some(seen.capacity_bytes) => {
            seen.fill.get_or_insert_with(|| curve(series));
        }
        Pattern::Random if fresh => match &seen.fresh_random {
            Some(longer) if longer.bytes() >= curve(series).bytes() => {}
            _ => seen.fresh_random = Some(curve(series)),
        },
        _ => {}
    }
}
