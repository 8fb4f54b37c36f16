//! Figures of a file that no drive has: the host answered in the drive's place.
//!
//! What is measured on a file goes through a file system, and in a virtual machine through the
//! host's own. Their caches answer faster than a drive, and a part of a file that was never written
//! is answered without one.

use stend_record::load::Load;
use stend_record::review::{Pattern, Point, PointOp, Review, TargetKind};

use crate::load::points_of;
use crate::words;

/// A random load that has at most as many bytes outstanding as a sequential one and moves so many
/// times its bytes was answered by a cache.
const RANDOM_RATIO_MAX: f64 = 1.5;

/// Large writes in sequence that are so many times as fast as reads of the same load were not
/// written, or the reads not read.
const WRITE_RATIO_MAX: f64 = 1.5;

/// From this request size on a load is a large one, bytes.
const LARGE_BYTES: u64 = 128 << 10;

/// What is implausible about the figures of a review whose target is a file or a directory: the id
/// of a test, and a warning. Nothing of other targets.
pub fn implausible(review: &Review) -> Vec<(String, String)> {
    if !matches!(review.target.kind, TargetKind::File | TargetKind::Directory) {
        return Vec::new();
    }
    let points = || {
        let of_test = |test| points_of(test).iter().map(move |point| (test, point));
        review.tests.iter().flat_map(of_test)
    };
    let all: Vec<&Point> = points().map(|(_, point)| point).collect();
    let found = points().filter_map(|(test, point)| {
        let why = too_fast_for_random(point, &all).or_else(|| faster_than_read(point, &all))?;
        Some((test.id.clone(), warning(point, &why)))
    });
    found.collect()
}

fn outstanding_bytes(load: &Load) -> u64 {
    load.block_bytes * u64::from(load.queue_depth) * u64::from(load.threads)
}

/// Random requests against sequential ones of the same direction.
fn too_fast_for_random(point: &Point, all: &[&Point]) -> Option<String> {
    let load = &point.load;
    if load.pattern != Pattern::Random || load.op == PointOp::Mixed {
        return None;
    }
    let sequential = all.iter().filter(|other| {
        let other = &other.load;
        (other.pattern, other.op) == (Pattern::Sequential, load.op)
            && outstanding_bytes(other) >= outstanding_bytes(load)
    });
    let best = sequential.max_by(|a, b| a.bw_bytes_per_s.total_cmp(&b.bw_bytes_per_s))?;
    (point.bw_bytes_per_s > RANDOM_RATIO_MAX * best.bw_bytes_per_s).then(|| {
        format!(
            "{}, more than in sequence with as many bytes outstanding ({}: {})",
            words::speed(point.bw_bytes_per_s),
            best.load.describe(),
            words::speed(best.bw_bytes_per_s)
        )
    })
}

/// Large writes in sequence against reads of the same load.
fn faster_than_read(point: &Point, all: &[&Point]) -> Option<String> {
    let load = &point.load;
    let large = load.pattern == Pattern::Sequential && load.block_bytes >= LARGE_BYTES;
    if !large || load.op != PointOp::Write {
        return None;
    }
    let read = Load {
        op: PointOp::Read,
        read_percent: 100,
        ..*load
    };
    let read = all.iter().find(|other| other.load == read)?;
    (point.bw_bytes_per_s > WRITE_RATIO_MAX * read.bw_bytes_per_s).then(|| {
        format!(
            "{} written, and only {} read",
            words::speed(point.bw_bytes_per_s),
            words::speed(read.bw_bytes_per_s)
        )
    })
}

fn warning(point: &Point, why: &str) -> String {
    format!(
        "{}: {why}: the host's cache, or a part of the file that was never written, has answered \
         in place of the drive; these are no figures of a drive. Measure the block device itself, \
         or a file several times as large as the host's memory",
        point.load.describe()
    )
}
