//! Key figures, the few numbers with which a comparison of tests begins, and the comparison of two
//! of them. For every one, greater is better.

use stend_language::{text, unit};
use stend_record::figure::FigureId;
use stend_record::review::{Pattern, Point, Series, SeriesPoint};

use crate::load::Dimension;
use crate::words;

/// Share of reads of the mix that stands for a mixed test, percent: four reads to one write.
pub const MIXED_HEADLINE_READ_PERCENT: u32 = 80;

/// Two figures are level if they differ by at most this share of the other: careful measurements
/// repeat within about two percent.
pub const LEVEL_SHARE: f64 = 0.02;

/// Requests of this size or larger are reported in bytes a second, smaller ones in requests.
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
    /// Watts.
    Watts,
    /// Joules.
    Joules,
    /// Percent.
    Percent,
    /// A count.
    Count,
}

impl Unit {
    /// Formats a value with its unit: `41,200 IOPS`, `514 MB/s`, `8.63 GB`.
    pub fn words(self, value: f64) -> String {
        match self {
            Unit::Iops => format!("{} {}", words::number(value), unit("IOPS")),
            Unit::BytesPerS => words::speed(value),
            Unit::Bytes => words::bytes(value as u64),
            Unit::Capacities => text!("figure-capacities", number = words::number(value)),
            Unit::Nanoseconds => words::latency(value),
            Unit::Seconds => format!("{} {}", words::number(value), unit("s")),
            Unit::Watts => format!("{} {}", words::number(value), unit("W")),
            Unit::Joules => format!("{} {}", words::number(value), unit("J")),
            Unit::Percent => format!("{} %", words::number(value)),
            // A mean of counts need not be a whole number.
            Unit::Count if value >= 0.0 && value.fract() == 0.0 => words::whole(value as u64),
            Unit::Count => words::number(value),
        }
    }

    /// Returns the last part of a key in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Unit::Iops => "iops",
            Unit::BytesPerS => "bytes_per_s",
            Unit::Bytes => "bytes",
            Unit::Capacities => "capacities",
            Unit::Nanoseconds => "ns",
            Unit::Seconds => "s",
            Unit::Watts => "w",
            Unit::Joules => "j",
            Unit::Percent => "percent",
            Unit::Count => "count",
        }
    }
}

/// The metric that a test reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Requests a second.
    Iops,
    /// Bytes a second.
    Bandwidth,
}

impl Metric {
    /// Returns bytes a second if requests are large, sequential or of several sizes, requests a
    /// second otherwise.
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

    /// Returns the metric of a curve by the same rule.
    pub fn of_curve(load: &SeriesPoint) -> Metric {
        if load.pattern == Pattern::Sequential || load.block_bytes >= LARGE_BYTES {
            Metric::Bandwidth
        } else {
            Metric::Iops
        }
    }

    /// Returns the figure of a point and its unit.
    pub fn value(self, point: &Point) -> (f64, Unit) {
        match self {
            Metric::Iops => (point.iops, Unit::Iops),
            Metric::Bandwidth => (point.bw_bytes_per_s, Unit::BytesPerS),
        }
    }
}

/// Converts a speed of a curve to the unit that suits the curve.
pub fn speed_of(series: &Series, iops: f64) -> (f64, Unit) {
    match Metric::of_curve(&series.point) {
        Metric::Iops => (iops, Unit::Iops),
        Metric::Bandwidth => (iops * series.point.block_bytes as f64, Unit::BytesPerS),
    }
}

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Mean of the values.
    pub mean: f64,
    /// Half the width of the 95 % interval of the mean, by Student's t.
    pub half_width: f64,
}

/// 97.5 % quantiles of Student's t by degrees of freedom, from 1; beyond 30 the last one is used.
/// Rounded as in printed tables.
const STUDENT_T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

impl Interval {
    /// Computes the interval of repeated values; `None` for fewer than two.
    pub fn of(values: &[f64]) -> Option<Interval> {
        let count = values.len();
        if count < 2 {
            return None;
        }
        let mean = mean(values);
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = (squares / (count - 1) as f64 / count as f64).sqrt();
        let t = STUDENT_T[(count - 2).min(STUDENT_T.len() - 1)];
        Some(Interval {
            mean,
            half_width: t * error,
        })
    }

    /// Returns half the width as a share of the mean; 0 if the mean is 0.
    pub fn share(&self) -> f64 {
        match self.mean {
            0.0 => 0.0,
            mean => (self.half_width / mean).abs(),
        }
    }
}

/// Returns the mean; that of equal values is exact to the last digit.
pub(crate) fn mean(values: &[f64]) -> f64 {
    match values {
        [] => 0.0,
        [first, rest @ ..] if rest.iter().all(|value| value == first) => *first,
        all => all.iter().sum::<f64>() / all.len() as f64,
    }
}

/// One key figure of one drive.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFigure {
    /// Id of the test that it comes from.
    pub test_id: String,
    /// Its identity within the test.
    pub figure: FigureId,
    /// Value.
    pub value: f64,
    /// Unit of the value.
    pub unit: Unit,
    /// Half the width of the 95 % interval of the mean of a repeated test ([`Interval`]).
    pub half_width: Option<f64>,
}

impl KeyFigure {
    /// Compares it with the same figure of another drive.
    pub fn standing(&self, other: &KeyFigure) -> Standing {
        Standing::sure(
            (self.value, self.half_width),
            (other.value, other.half_width),
        )
    }
}

/// Finds the same figure among those of another drive.
pub fn same<'f>(figures: &'f [KeyFigure], wanted: &KeyFigure) -> Option<&'f KeyFigure> {
    figures
        .iter()
        .find(|f| f.test_id == wanted.test_id && f.figure == wanted.figure && f.unit == wanted.unit)
}

/// Result of comparing a figure with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Greater, and not level.
    Ahead,
    /// Within [`LEVEL_SHARE`], or within the intervals of both if they are known.
    Level,
    /// Less, and not level.
    Behind,
}

/// Figures that differ by at most this share look the same in three digits, however narrow their
/// intervals are.
const ALIKE_SHARE: f64 = 0.000_5;

impl Standing {
    /// Compares `value` with `other`.
    pub fn of(value: f64, other: f64) -> Standing {
        Standing::sure((value, None), (other, None))
    }

    /// Compares two figures, each with half the width of its 95 % interval. If both widths are
    /// known, the figures are level if their difference lies within the interval of a difference of
    /// means; otherwise if it lies within [`LEVEL_SHARE`].
    pub fn sure(
        (value, half): (f64, Option<f64>),
        (other, other_half): (f64, Option<f64>),
    ) -> Standing {
        let within = match half.zip(other_half) {
            Some((one, two)) => one.hypot(two).max(ALIKE_SHARE * other),
            None => LEVEL_SHARE * other,
        };
        if (value - other).abs() <= within {
            Standing::Level
        } else if value > other {
            Standing::Ahead
        } else {
            Standing::Behind
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_student() {
        // Computed by hand: mean 3, variance 2.5, standard error 0.7071, t for 4 degrees of freedom
        // 2.776.
        let interval = Interval::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!(interval.mean, 3.0);
        assert!((interval.half_width - 1.963).abs() < 1e-3, "{interval:?}");
        let two = Interval::of(&[10.0, 12.0]).unwrap();
        assert!((two.half_width - 12.706).abs() < 1e-9);
        assert_eq!(Interval::of(&[0.1; 7]).unwrap().half_width, 0.0);
        assert_eq!(Interval::of(&[0.1; 7]).unwrap().mean, 0.1);
        assert_eq!(Interval::of(&[1.0]), None);
        let many: Vec<f64> = (0..100).map(|at| f64::from(at % 2)).collect();
        let wanted = 2.042 * (25.0_f64 / 99.0 / 100.0).sqrt();
        assert!((Interval::of(&many).unwrap().half_width - wanted).abs() < 1e-9);
    }
}
