//! Writing for long, and recovery in a rest.

use stend_record::review::{Pattern, PointOp, Review, Series, TestResult};

use crate::ends::{end_level, end_spread, start_level};
use crate::figures::{Unit, speed_of};
use crate::findings::judged;
use crate::kinds::curve::{KEPT_SHARE, Return, SAMPLES_MIN, SETTLED_CAPACITIES};
use crate::recovery::{Recovery, recovery};
use crate::steps::{Level, LevelKind, steps};

/// Least end level of small random writes, IOPS, at which a drive counts as strong, like one for
/// servers: read-intensive SATA drives for data centers promise 7,500 to 19,000 in steady state
/// (remembered, unverified).
pub(super) const STRONG_IOPS_MIN: f64 = 10_000.0;

/// Speed below which the end level is weak, IOPS: published reviews have 2,500 to 5,000 for client
/// drives in steady state.
pub(super) const WEAK_IOPS: f64 = 5_000.0;

/// A drive's first curve of writes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lasting {
    pub(super) test_id: String,
    pub(super) pattern: Pattern,
    /// Unit of the speeds.
    pub(super) unit: Unit,
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) written_bytes: u64,
    pub(super) fall: Option<Fall>,
    /// Rank of the end level; only for small random writes.
    pub(super) rank: Rank,
    /// Range of nine tenths of the end's samples.
    pub(super) spread: (f64, f64),
}

/// Ways in which a curve loses its speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fall {
    /// The first speed is kept until `bytes` are written, and then lost.
    Kept {
        /// Bytes written at the first level.
        bytes: u64,
    },
    /// The first speed falls to a lower level, at which most of `bytes` are written, and then to
    /// the last.
    Steps {
        /// Bytes written above the geometric mean of the first and the last speed.
        bytes: u64,
        /// Speed of the level.
        middle: f64,
    },
    /// The speed is lost gradually.
    Gradual {
        /// Bytes written above the geometric mean of the first and the last speed.
        bytes: u64,
    },
}

impl Fall {
    /// Returns the bytes written before the fall, or above its middle.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Fall::Kept { bytes } | Fall::Steps { bytes, .. } | Fall::Gradual { bytes } => bytes,
        }
    }
}

/// Rank of the end of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// As high as drives for servers promise.
    Strong,
    /// Between the two, or unknown.
    Usual,
    /// Lower than any of them promises.
    Weak,
}

/// Least length of a curve whose fall counts, s; a curve that fills the drive once counts too.
pub(super) const LASTING_S_MIN: f64 = 1200.0;

pub(super) fn lasting(review: &Review) -> Option<Lasting> {
    let capacity = review.target.capacity_bytes;
    judged(review).find_map(|test| {
        let [series] = test.curves() else {
            return None;
        };
        let last = series.samples.last()?;
        let long = last.t_s >= LASTING_S_MIN || last.written_bytes >= capacity;
        let settled = last.written_bytes >= SETTLED_CAPACITIES * capacity;
        let mut found = of_series(test, series)?;
        let steady = settled && end_level(series).is_some_and(|end| is_level_at_last(series, end));
        if found.rank == Rank::Strong && !steady {
            found.rank = Rank::Usual;
        }
        let enough = series.samples.len() >= SAMPLES_MIN;
        let told = enough && long && (settled || found.fall.is_some());
        (told && series.point.op == PointOp::Write).then_some(found)
    })
}

fn of_series(test: &TestResult, series: &Series) -> Option<Lasting> {
    let (start, end) = (start_level(series)?, end_level(series)?);
    if start <= 0.0 || end <= 0.0 {
        return None;
    }
    let told = |iops: f64| speed_of(series, iops).0;
    let (low, high) = end_spread(series)?;
    let small = series.point.block_bytes == 4096 && series.point.pattern == Pattern::Random;
    let rank = match end {
        iops if small && iops >= STRONG_IOPS_MIN => Rank::Strong,
        iops if small && iops < WEAK_IOPS => Rank::Weak,
        _ => Rank::Usual,
    };
    let fall = recovery(series, end).filter(|found| found.fell && found.bytes > 0);
    let fall = fall.map(|found| match fall_of(series, &found, start) {
        Fall::Steps { bytes, middle } => Fall::Steps {
            bytes,
            middle: told(middle),
        },
        other => other,
    });
    Some(Lasting {
        test_id: test.id.clone(),
        pattern: series.point.pattern,
        unit: speed_of(series, end).1,
        start: told(start),
        end: told(end),
        written_bytes: series.samples.last().map_or(0, |s| s.written_bytes),
        fall,
        rank,
        spread: (told(low), told(high)),
    })
}

/// Classifies the fall of a curve from `start`, IOPS: a level counts if most of the fast writes
/// were written at it.
fn fall_of(series: &Series, fast: &Recovery, start: f64) -> Fall {
    let fast_bytes = fast.bytes;
    let levels = steps(series);
    let of = |level: &Level| {
        level
            .to_bytes
            .min(fast_bytes)
            .saturating_sub(level.from_bytes)
    };
    let even = levels
        .iter()
        .filter(|level| level.kind == LevelKind::Level && level.iops_mean >= fast.iops_threshold);
    let longest = even.max_by_key(|level| of(level));
    let kept_until = |last: &Level| {
        let mut until = levels.iter().filter(|level| level.to_s <= last.to_s);
        until.all(|level| level.iops_from.min(level.iops_to) >= KEPT_SHARE * start)
    };
    match longest.filter(|level| 2 * of(level) >= fast_bytes) {
        Some(level) if kept_until(level) => Fall::Kept {
            bytes: level.to_bytes.min(fast_bytes),
        },
        Some(level) => Fall::Steps {
            bytes: fast_bytes,
            middle: level.iops_mean,
        },
        None => Fall::Gradual { bytes: fast_bytes },
    }
}

/// True if the last quarter of a curve keeps its speed.
fn is_level_at_last(series: &Series, end: f64) -> bool {
    let at_s = 0.75 * series.samples.last().map_or(0.0, |sample| sample.t_s);
    let before = series.samples.iter().filter(|sample| sample.t_s <= at_s);
    let until_then = Series {
        samples: before.copied().collect(),
        ..Series::of("", series.point, series.interval_s, Vec::new())
    };
    end_level(&until_then).is_some_and(|then| end >= KEPT_SHARE * then)
}

/// Below this share of the fast writes, recovery is little.
const LITTLE_SHARE: f64 = 0.1;

/// Recovered part of the fast writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// Nothing.
    Nothing,
    /// A part of them, at the first speed or a lower one.
    Part {
        /// Bytes recovered.
        bytes: u64,
        /// True if that is less than a tenth of the fast writes.
        little: bool,
    },
    /// All, at the first speed.
    Whole,
}

/// Recovery without TRIM and with it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rest {
    pub(super) test_id: String,
    pub(super) idle: Back,
    pub(super) trim: Option<Back>,
}

pub(super) fn rest(review: &Review) -> Option<Rest> {
    judged(review).find_map(|test| of_rungs(test).or_else(|| of_curves(test)))
}

/// Returns the recovery by the longest rests of a ladder.
fn of_rungs(test: &TestResult) -> Option<Rest> {
    let [fresh, later @ ..] = test.curves() else {
        return None;
    };
    let longest = |trim: bool| {
        let rung = test.rungs().iter().rfind(|rung| rung.trim == trim)?;
        let series = later.iter().find(|series| series.name == rung.name)?;
        back(fresh, series)
    };
    rest_of(test, longest(false)?, longest(true))
}

fn of_curves(test: &TestResult) -> Option<Rest> {
    let [fresh, later @ ..] = test.curves() else {
        return None;
    };
    if fresh.point.op != PointOp::Write || !test.rungs().is_empty() {
        return None;
    }
    let after = |trim| {
        later
            .iter()
            .find(|series| series.trimmed_before() == Some(trim))
    };
    let (idle, trim) = (after(false)?, after(true));
    rest_of(
        test,
        back(fresh, idle)?,
        trim.and_then(|series| back(fresh, series)),
    )
}

fn rest_of(test: &TestResult, idle: Back, trim: Option<Back>) -> Option<Rest> {
    Some(Rest {
        test_id: test.id.clone(),
        idle,
        trim,
    })
}

/// Returns the recovery of a later curve; `None` if the fresh curve does not fall, since it has
/// nothing to recover.
fn back(fresh: &Series, later: &Series) -> Option<Back> {
    let (start, end) = (start_level(fresh)?, end_level(fresh)?);
    if end >= KEPT_SHARE * start {
        return None;
    }
    let found = Return::of(fresh, later).filter(|back| back.fresh.bytes > 0)?;
    Some(match found.after.bytes {
        0 => Back::Nothing,
        _ if found.is_whole() => Back::Whole,
        bytes => Back::Part {
            bytes,
            little: (bytes as f64) < LITTLE_SHARE * found.fresh.bytes as f64,
        },
    })
}
