//! Durations of groups of probes on a target that cannot be copied, and shorter ones if little time
//! is left.

use super::sizes::{BURST_BYTES, MAP_PARTS, first_bytes};
use crate::observed::{Curve, Observed};
use crate::probing::Probing;

/// Time to start fio, and to switch between loads of a job, s.
const JOB_S: f64 = 0.7;
const LOAD_S: f64 = 0.25;

/// Assumed speed of writes to a drive that has not been written yet, bytes per second.
const WRITES_PER_S: f64 = 100e6;

/// Share of the time left for a group whose duration can be chosen.
const SHARE: f64 = 0.25;

/// Minimum duration of such groups, s.
const LEAST_S: f64 = 10.0;

/// If less time than this is left, the probes do not wait until a drive is quiet, s.
pub(super) const QUIET_LEFT_S: f64 = 60.0;

/// Slowest observed speed of writes in long requests, bytes per second.
fn write_speed(seen: &Observed) -> f64 {
    let of = |curve: &Option<Curve>| {
        let curve = curve.as_ref()?;
        curve.speed_between(curve.bytes() / 2, curve.bytes())
    };
    let speeds = [
        of(&seen.fill),
        of(&seen.burst),
        seen.mixed.map(|m| m.writes),
    ];
    let slowest = speeds.into_iter().flatten().reduce(f64::min);
    slowest.filter(|speed| *speed > 0.0).unwrap_or(WRITES_PER_S)
}

pub(super) fn none(_: &Probing<'_>, _: &Observed) -> f64 {
    0.0
}

pub(super) fn unwritten(_: &Probing<'_>, _: &Observed) -> f64 {
    5.0 + JOB_S
}

pub(super) fn new_data(probing: &Probing<'_>, seen: &Observed) -> f64 {
    2.0 * JOB_S + first_bytes(probing) as f64 / write_speed(seen)
}

pub(super) fn mixed(probing: &Probing<'_>, seen: &Observed) -> f64 {
    3.0 * JOB_S + 4.0 * first_bytes(probing) as f64 / write_speed(seen)
}

pub(super) fn burst(probing: &Probing<'_>, seen: &Observed) -> f64 {
    let bytes = BURST_BYTES.min(probing.capacity_bytes / 16);
    2.0 + JOB_S + bytes as f64 / write_speed(seen)
}

pub(super) fn map(probing: &Probing<'_>, seen: &Observed) -> f64 {
    let parts = map_parts(probing).min(MAP_PARTS) as f64;
    2.0 * JOB_S + parts * LOAD_S + (probing.capacity_bytes / 16) as f64 / write_speed(seen)
}

/// Number of parts of a map for which there is time, at least 32.
pub(super) fn map_parts(probing: &Probing<'_>) -> u64 {
    ((probing.left_s() * SHARE / 2.0 / LOAD_S) as u64).max(32)
}

pub(super) fn fill(probing: &Probing<'_>, seen: &Observed) -> f64 {
    2.0 * JOB_S + probing.capacity_bytes as f64 / write_speed(seen)
}

/// Rest before the full drive is probed, s: infinite without a limit.
pub(super) fn rest(probing: &Probing<'_>) -> f64 {
    (probing.left_s() * SHARE).max(LEAST_S)
}

pub(super) fn reads(_: &Probing<'_>, _: &Observed) -> f64 {
    LEAST_S + 64.0 * LOAD_S + 8.0 * JOB_S
}

pub(super) fn scaling(probing: &Probing<'_>, seen: &Observed) -> f64 {
    let read_s = seen.settled_reads.map_or(1e-4, |reads| reads.mean_ns / 1e9);
    // Four reads of each 4 MiB in all spans, whose total is twice the last one.
    let warm_up = 2.0 * probing.capacity_bytes as f64 / f64::from(1 << 20) * read_s;
    20.0 * (JOB_S + 0.2) + warm_up
}

/// Number of pairs, of each kind, for which there is time.
pub(super) fn pairs_at_most(probing: &Probing<'_>) -> u64 {
    (probing.left_s() * SHARE / LOAD_S) as u64
}

/// Smallest useful number of pairs.
const PAIRS_MIN: f64 = 64.0;

pub(super) fn pairs(_: &Probing<'_>, _: &Observed) -> f64 {
    PAIRS_MIN * LOAD_S / SHARE
}

/// Duration of the long reads, ms.
pub(super) fn long_reads_ms(probing: &Probing<'_>) -> u64 {
    (1e3 * (probing.left_s() * SHARE).clamp(LEAST_S, 60.0)) as u64
}

pub(super) fn long_reads(_: &Probing<'_>, _: &Observed) -> f64 {
    LEAST_S + JOB_S
}

pub(super) fn durable(_: &Probing<'_>, _: &Observed) -> f64 {
    2.0 * LEAST_S
}

pub(super) fn full(probing: &Probing<'_>, seen: &Observed) -> f64 {
    let map = map_parts(probing).min(MAP_PARTS) as f64 * LOAD_S;
    2.0 * JOB_S + map + (probing.capacity_bytes / 4) as f64 / write_speed(seen)
}

/// Duration of random writes, s, if there is a limit: half of the time is left for later probes.
pub(super) fn random_s(probing: &Probing<'_>) -> Option<u64> {
    let left_s = probing.left_s();
    let half = (left_s / 2.0).max(LEAST_S) as u64;
    left_s.is_finite().then_some(half)
}

pub(super) fn random(_: &Probing<'_>, _: &Observed) -> f64 {
    2.0 * LEAST_S
}

pub(super) fn after(probing: &Probing<'_>, seen: &Observed) -> f64 {
    let bytes = (probing.capacity_bytes / 64) as f64;
    let random = seen.random.as_ref();
    let random = random.and_then(|curve| curve.speed_between(curve.bytes() / 2, curve.bytes()));
    let random = random.filter(|speed| *speed > 0.0);
    let rests = 5.0 + 60.0 + 30.0;
    rests + 4.0 * JOB_S + 2.0 * bytes * (1.0 / random.unwrap_or(1e6) + 1.0 / write_speed(seen))
}
