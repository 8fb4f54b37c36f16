//! Key figures: the few numbers with which a comparison of tests begins, and how two of them
//! compare. Of every one, greater is better.

use stend_record::review::{Pattern, Point, Series, SeriesPoint};

use crate::load::Dimension;
use crate::words;

/// Share of reads that a mixed test is summed up by, percent: four reads to one write.
pub const MIXED_HEADLINE_READ_PERCENT: u32 = 80;

/// Figures that differ by at most this share of the other are level: careful measurements repeat
/// within about two percent.
pub const LEVEL_SHARE: f64 = 0.02;

/// Requests from this size on are given in bytes a second, smaller ones in requests.
const LARGE_BYTES: u64 = 64 << 10;

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Requests a second.
    Iops,
    /// Bytes a second, shown as MB/s.
    BytesPerS,
    /// Bytes, shown as GB.
    Bytes,
    /// Capacities of the drive.
    Capacities,
    /// Nanoseconds.
    Nanoseconds,
    /// Seconds.
    Seconds,
    /// Percent.
    Percent,
    /// A count.
    Count,
}

impl Unit {
    /// A value with its unit: `41,200 IOPS`, `514 MB/s`, `8.63 GB`.
    pub fn words(self, value: f64) -> String {
        match self {
            Unit::Iops => format!("{} IOPS", words::number(value)),
            Unit::BytesPerS => words::speed(value),
            Unit::Bytes => words::bytes(value as u64),
            Unit::Capacities => format!("{} × the capacity", words::number(value)),
            Unit::Nanoseconds => words::latency(value),
            Unit::Seconds => format!("{} s", words::number(value)),
            Unit::Percent => format!("{} %", words::number(value)),
            Unit::Count => words::number(value),
        }
    }

    /// As the last part of a key in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Unit::Iops => "iops",
            Unit::BytesPerS => "bytes_per_s",
            Unit::Bytes => "bytes",
            Unit::Capacities => "capacities",
            Unit::Nanoseconds => "ns",
            Unit::Seconds => "s",
            Unit::Percent => "percent",
            Unit::Count => "count",
        }
    }
}

/// The figure that a test is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Requests a second.
    Iops,
    /// Bytes a second.
    Bandwidth,
}

impl Metric {
    /// Bytes a second where requests are large, run in sequence or differ in size;
    /// requests a second elsewhere.
    pub fn of(points: &[Point]) -> Metric {
        let blocks = Dimension::Block.values(points);
        let large = blocks.iter().any(|&bytes| bytes >= LARGE_BYTES);
        if large || blocks.len() > 1 || points.iter().any(|p| p.load.pattern == Pattern::Sequential)
        {
            Metric::Bandwidth
        } else {
            Metric::Iops
        }
    }

    /// The same of a curve.
    pub fn of_curve(load: &SeriesPoint) -> Metric {
        if load.pattern == Pattern::Sequential || load.block_bytes >= LARGE_BYTES {
            Metric::Bandwidth
        } else {
            Metric::Iops
        }
    }

    /// The figure of a point, and its unit.
    pub fn value(self, point: &Point) -> (f64, Unit) {
        match self {
            Metric::Iops => (point.iops, Unit::Iops),
            Metric::Bandwidth => (point.bw_bytes_per_s, Unit::BytesPerS),
        }
    }
}

/// A speed of a curve in the unit that suits the curve.
pub fn speed_of(series: &Series, iops: f64) -> (f64, Unit) {
    match Metric::of_curve(&series.point) {
        Metric::Iops => (iops, Unit::Iops),
        Metric::Bandwidth => (iops * series.point.block_bytes as f64, Unit::BytesPerS),
    }
}

/// One key figure of one drive.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFigure {
    /// Id of the test that it comes from.
    pub test_id: String,
    /// What it is; with the test's id it names the same figure of another drive.
    pub name: String,
    /// How much.
    pub value: f64,
    /// Of what.
    pub unit: Unit,
}

/// The same figure among another drive's.
pub fn same<'f>(figures: &'f [KeyFigure], wanted: &KeyFigure) -> Option<&'f KeyFigure> {
    figures
        .iter()
        .find(|f| f.test_id == wanted.test_id && f.name == wanted.name && f.unit == wanted.unit)
}

/// How a figure compares with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Greater by more than [`LEVEL_SHARE`].
    Ahead,
    /// Within [`LEVEL_SHARE`].
    Level,
    /// Less by more than [`LEVEL_SHARE`].
    Behind,
}

impl Standing {
    /// How `value` compares with `other`.
    pub fn of(value: f64, other: f64) -> Standing {
        if (value - other).abs() <= LEVEL_SHARE * other {
            Standing::Level
        } else if value > other {
            Standing::Ahead
        } else {
            Standing::Behind
        }
    }
}
