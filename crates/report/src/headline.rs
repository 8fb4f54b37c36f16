//! The key figures: for each test the few numbers that a comparison begins with.
//! Every one is better when it is greater.

use stend_record::review::{Point, PointOp, Series, TestResult};

use crate::curve;
use crate::drive::{
    Dimension, Drive, Load, capitalised, curves_of, load_words, op_words, points_of,
};
use crate::number;
use crate::points::Metric;
use crate::view::{Cell, Folding, Table, Width};

/// Shares of reads that the mixed tests are summed up by, percent.
const MIXED_HEADLINE_READ_PERCENT: u32 = 80;

/// Figures closer than this to one another are called level: the repeatability of a
/// careful bench is about two percent.
pub const LEVEL: f64 = 0.02;

/// The unit of a key figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Requests a second.
    Iops,
    /// Bytes a second, shown as MB/s.
    BytesPerS,
    /// Bytes, shown as GB.
    Bytes,
}

impl Unit {
    /// A value with its unit.
    pub fn text(self, value: f64) -> String {
        match self {
            Unit::Iops => number::iops(value),
            Unit::BytesPerS => number::mb_per_s(value),
            Unit::Bytes => number::gb(value),
        }
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

/// The key figures of a drive, in the order of its tests.
pub fn key_figures(drive: &Drive<'_>, duration_scale: f64) -> Vec<KeyFigure> {
    let mut out = Vec::new();
    for test in drive.tests {
        let figures = if test.points.is_some() {
            of_points(test)
        } else {
            of_curves(curves_of(test), duration_scale)
        };
        out.extend(figures.into_iter().map(|(name, value, unit)| KeyFigure {
            test_id: test.id.clone(),
            name,
            value,
            unit,
        }));
    }
    out
}

type Named = (String, f64, Unit);

fn of_points(test: &TestResult) -> Vec<Named> {
    let points = points_of(test);
    let metric = Metric::of(points);
    let figure = |name: String, point: &Point| {
        let (value, unit) = metric.value(point);
        (name, value, unit)
    };
    match test.id.as_str() {
        "mixed-sequential" | "mixed-random" => mixed(points, figure),
        "depth-scaling" | "sequential-depth" => at_greatest(points, Dimension::Depth, figure),
        "block-scaling" => at_greatest(points, Dimension::Block, figure),
        // A handful can all be named; of more, the fastest of each direction.
        _ if points.len() <= 4 => points
            .iter()
            .map(|p| figure(point_name(p, points), p))
            .collect(),
        _ => fastest(points, figure),
    }
}

fn point_name(point: &Point, points: &[Point]) -> String {
    load_words(Load::of(point), points)
}

fn mixed(points: &[Point], figure: impl Fn(String, &Point) -> Named) -> Vec<Named> {
    let mut out = Vec::new();
    let headline = points
        .iter()
        .find(|p| p.read_percent == MIXED_HEADLINE_READ_PERCENT);
    if let Some(point) = headline {
        let share = Dimension::Share.words(u64::from(point.read_percent));
        out.push(figure(format!("At {share}"), point));
    }
    let all: Vec<Named> = points.iter().map(|p| figure(String::new(), p)).collect();
    if let Some(&(_, _, unit)) = all.first() {
        let sum: f64 = all.iter().map(|(_, value, _)| value).sum();
        out.push(("Mean of all shares".into(), sum / all.len() as f64, unit));
    }
    out
}

fn at_greatest(
    points: &[Point],
    dimension: Dimension,
    figure: impl Fn(String, &Point) -> Named,
) -> Vec<Named> {
    let mut out = Vec::new();
    for op in [PointOp::Read, PointOp::Write] {
        let of_op = points.iter().filter(|p| p.op == op);
        if let Some(point) = of_op.max_by_key(|p| Load::of(p).value(dimension)) {
            let words = dimension.words(Load::of(point).value(dimension));
            let name = format!("{}, {words}", capitalised(op_words(op)));
            out.push(figure(name, point));
        }
    }
    out
}

fn fastest(points: &[Point], figure: impl Fn(String, &Point) -> Named) -> Vec<Named> {
    let mut out = Vec::new();
    for op in [PointOp::Read, PointOp::Write, PointOp::Mixed] {
        let of_op = points.iter().filter(|p| p.op == op);
        if let Some(best) = of_op.max_by(|a, b| a.iops.total_cmp(&b.iops)) {
            out.push(figure(
                format!("Fastest: {}", point_name(best, points)),
                best,
            ));
        }
    }
    out
}

/// The speed below which a curve is no longer fast: halfway between the start and the
/// end of the first curve, requests a second.
pub fn fast_threshold(first: &Series, duration_scale: f64) -> Option<f64> {
    let facts = curve::facts(first, duration_scale)?;
    Some((facts.start_iops + facts.end_iops) / 2.0)
}

fn of_curves(curves: &[Series], duration_scale: f64) -> Vec<Named> {
    let mut out = Vec::new();
    let threshold = curves
        .first()
        .and_then(|first| fast_threshold(first, duration_scale));
    let single = curves.len() == 1;
    for series in curves {
        let Some(facts) = curve::facts(series, duration_scale) else {
            continue;
        };
        let name = |what: &str| match single {
            true => capitalised(what),
            false => format!("{}: {what}", capitalised(&series.name)),
        };
        out.push((name("start"), facts.start_iops, Unit::Iops));
        if single {
            out.push((name("end"), facts.end_iops, Unit::Iops));
            out.push((name("mean"), facts.mean_iops, Unit::Iops));
        } else if let Some(threshold) = threshold
            && series.point.op == PointOp::Write
        {
            let fast = curve::fast_bytes(series, duration_scale, threshold);
            out.push((name("fast writes"), fast as f64, Unit::Bytes));
        }
    }
    out
}

/// How a figure stands to another, as a signed share: +8 %, −2 %, or a factor from two up.
pub fn difference(value: f64, other: f64) -> String {
    let ratio = value / other;
    if !ratio.is_finite() {
        return String::new();
    }
    if ratio >= 2.0 {
        return format!("× {}", number::plain(ratio));
    }
    match number::percent(ratio - 1.0) {
        text if ratio > 1.0 => format!("+{text}"),
        text => text.replace('-', "−"),
    }
}

/// The table of key figures: the reviewed drive, then each rival with how the reviewed
/// drive stands to it.
pub fn table(drives: &[Drive<'_>], duration_scale: f64) -> Option<Table> {
    let all: Vec<Vec<KeyFigure>> = drives
        .iter()
        .map(|drive| key_figures(drive, duration_scale))
        .collect();
    let reviewed = all.first().filter(|figures| !figures.is_empty())?;
    let mut rows = Vec::new();
    let mut test_before = "";
    for figure in reviewed {
        if test_before != figure.test_id {
            // A row of one cell heads a group.
            let test = drives[0].test(&figure.test_id);
            rows.push(vec![
                test.map_or(figure.test_id.as_str(), |t| &t.title).into(),
            ]);
            test_before = &figure.test_id;
        }
        let mut row: Vec<Cell> = vec![figure.name.as_str().into()];
        row.push(figure.unit.text(figure.value).into());
        for rival in &all[1..] {
            row.push(match same(rival, figure) {
                Some(other) => Cell::noted(
                    other.unit.text(other.value),
                    difference(figure.value, other.value),
                ),
                None => number::MISSING.into(),
            });
        }
        rows.push(row);
    }
    let caption = if drives.len() > 1 {
        "Key figures; under a rival's, how the reviewed drive stands to it. More is better \
         throughout. MB and GB are decimal"
    } else {
        "Key figures. More is better throughout. MB and GB are decimal"
    };
    let labels = drives.iter().map(|drive| drive.label.as_str().into());
    Some(Table {
        caption: caption.into(),
        columns: std::iter::once("Figure".into()).chain(labels).collect(),
        rows,
        folding: Folding::Open,
        // Of more drives the remarks must stand under the figures.
        width: match drives.len() {
            0..=3 => Width::Fitting,
            _ => Width::Full,
        },
    })
}

/// The same figure among a rival's.
pub fn same<'f>(figures: &'f [KeyFigure], wanted: &KeyFigure) -> Option<&'f KeyFigure> {
    figures
        .iter()
        .find(|f| f.test_id == wanted.test_id && f.name == wanted.name && f.unit == wanted.unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_signed_shares_or_factors() {
        assert_eq!(difference(108.0, 100.0), "+8\u{a0}%");
        assert_eq!(difference(98.0, 100.0), "−2\u{a0}%");
        assert_eq!(difference(250.0, 100.0), "× 2.50");
        assert_eq!(difference(20.0, 100.0), "−80\u{a0}%");
        assert_eq!(difference(1.0, 0.0), "");
        assert_eq!(difference(0.0, 0.0), "");
        assert_eq!(difference(100.0, 100.0), "0\u{a0}%");
    }
}
