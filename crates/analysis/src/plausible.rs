//! Figures that no drive can have: something other than the drive answered.
//!
//! No drive is faster than the link by which it is attached.
//!
//! Requests to a file go through a file system and, in a virtual machine, through that of its host.
//! Their caches answer faster than a drive, and a part of a file that was never written is answered
//! without one.

use stend_language::{Language, Text, recorded, within};
use stend_record::load::Load;
use stend_record::review::{
    FactId, Link, Pattern, Point, PointOp, Review, TargetInfo, TargetKind, TestResult,
};

use crate::stalls::fault_ns;
use crate::words;

/// Greatest plausible ratio of the speed of a random load to that of a sequential load with at
/// least as many bytes outstanding. Above it, a cache answered.
const RANDOM_RATIO_MAX: f64 = 1.5;

/// Greatest plausible ratio of the speed of large sequential writes to that of reads of the same
/// load. Above it, the writes were not written, or the reads not read.
const WRITE_RATIO_MAX: f64 = 1.5;

/// Latency below which a random read was answered by no drive, ns: 3D XPoint answers in 10,000
/// (Intel's rating of the Optane SSD P4800X), that of the P5800X in about 5,000 (remembered,
/// unverified), flash in 25,000 or more.
const READ_NS_MIN: f64 = 4_500.0;

/// Least request size of a large load, bytes.
const LARGE_BYTES: u64 = 128 << 10;

/// Returns the figures of a review that do not describe its target: the id of a test, and a
/// warning. For every target, requests that waited so long that it was out of order; for block
/// devices, speeds that their link cannot carry and reads that no drive answers as quickly; for
/// files and directories also speeds that only the host's cache can reach.
pub fn implausible(review: &Review) -> Vec<(String, Text)> {
    within(Language::English, || {
        of_target(&review.target, &review.tests)
    })
}

/// Returns the implausible figures of tests on a target, the review's own or a rival.
pub(crate) fn of_target(target: &TargetInfo, tests: &[TestResult]) -> Vec<(String, Text)> {
    let fault = |test: &TestResult| {
        let time = words::latency(fault_ns(test)? as f64);
        let of_model = target.kind == TargetKind::Simulated;
        let warning = match of_model {
            true => recorded!("warning-fault-simulated", time = time),
            false => recorded!("warning-fault", time = time),
        };
        Some((test.id.clone(), warning))
    };
    let mut found: Vec<(String, Text)> = tests.iter().filter_map(fault).collect();
    if target.kind != TargetKind::Simulated {
        found.extend(answered_by_others(target, tests));
    }
    found
}

/// Returns the figures with which something other than the drive has answered.
fn answered_by_others(target: &TargetInfo, tests: &[TestResult]) -> Vec<(String, Text)> {
    // A loop device is backed by a file.
    let is_file = target.fact(FactId::BackingFile).is_some();
    let through_cache = target.kind != TargetKind::BlockDevice || is_file;
    let points = || {
        tests
            .iter()
            .flat_map(|test| test.points().iter().map(move |point| (test, point)))
    };
    let all: Vec<&Point> = points().map(|(_, point)| point).collect();
    let found = points().filter_map(|(test, point)| {
        let beyond = || beyond(target.link?, point);
        let cached = || {
            let why = too_fast_for_random(point, &all).or_else(|| faster_than_read(point, &all))?;
            Some(recorded!("warning-cache", why = why))
        };
        let why = beyond()
            .or_else(|| cached().filter(|_| through_cache))
            .or_else(|| too_quick(point))?;
        let load = point.load.describe();
        Some((test.id.clone(), recorded!("named", name = load, what = why)))
    });
    found.collect()
}

/// Returns a warning if no drive on this link can have the figure. Packet overhead is ignored.
fn beyond(link: Link, point: &Point) -> Option<Text> {
    let (per_s, duplex, lanes) = match link {
        Link::Sata { gbit_per_s } => (gbit_per_s * 1e9, false, 1.0),
        Link::Pcie { gt_per_s, lanes } => (gt_per_s * 1e9, true, f64::from(lanes)),
    };
    // A byte takes 10 bits on SATA and on PCIe up to 5 GT/s, and 8 × 130/128 bits on faster links.
    let bits = match duplex && per_s > 5e9 {
        true => 8.0 * 130.0 / 128.0,
        false => 10.0,
    };
    let both = duplex && point.load.op == PointOp::Mixed;
    let most = per_s * lanes / bits * if both { 2.0 } else { 1.0 };
    (point.bw_bytes_per_s > most).then(|| {
        recorded!(
            "warning-link",
            speed = words::speed(point.bw_bytes_per_s),
            link = link.words(),
            most = words::speed(most)
        )
    })
}

/// Returns a warning if no flash answers a read as quickly as one request at a time was answered.
fn too_quick(point: &Point) -> Option<Text> {
    let load = &point.load;
    let mean_ns = point.latency_ns.mean;
    let small_read = (load.pattern, load.op) == (Pattern::Random, PointOp::Read);
    let alone = load.queue_depth * load.threads == 1;
    (small_read && alone && mean_ns > 0.0 && mean_ns < READ_NS_MIN).then(|| {
        recorded!(
            "warning-quick",
            time = words::latency(mean_ns),
            least = words::latency(READ_NS_MIN)
        )
    })
}

fn outstanding_bytes(load: &Load) -> u64 {
    load.block_bytes * u64::from(load.queue_depth) * u64::from(load.threads)
}

/// Compares random requests with sequential ones of the same direction.
fn too_fast_for_random(point: &Point, all: &[&Point]) -> Option<Text> {
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
        recorded!(
            "why-random",
            speed = words::speed(point.bw_bytes_per_s),
            load = best.load.describe(),
            best = words::speed(best.bw_bytes_per_s)
        )
    })
}

/// Compares large sequential writes with reads of the same load.
fn faster_than_read(point: &Point, all: &[&Point]) -> Option<Text> {
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
        recorded!(
            "why-written",
            write = words::speed(point.bw_bytes_per_s),
            read = words::speed(read.bw_bytes_per_s)
        )
    })
}
