//! The verdict: sentences that follow from the figures by the rules written here, and
//! from nothing else.
//!
//! | sentence | rule |
//! |---|---|
//! | level with | within `LEVEL` (2 %) |
//! | N % above or below | outside that, up to twice |
//! | N times | from twice up |
//! | grows with the depth | greatest over smallest depth of at least 1.1 |
//! | mixing costs | the slowest mix below 90 % of the slower of the pure loads |
//! | holds its speed | the end of the curve is at least 90 % of its start |
//! | restores | a later curve starts at, and writes fast, at least 90 % of the first |
//! | gives nothing back | it starts below 120 % of where the first ended |
//! | gives back part | anything between |

use stend_record::review::{Point, PointOp, Series, TestResult};

use crate::Finding;
use crate::curve;
use crate::drive::{Dimension, Drive, Load, capitalised, curves_of, op_words, points_of};
use crate::headline::{LEVEL, Unit, fast_threshold, key_figures, same};
use crate::number;
use crate::points::Metric;

const GROWS: f64 = 1.1;
const COSTS: f64 = 0.9;
const HOLDS: f64 = 0.9;
const RESTORES: f64 = 0.9;
const NOTHING: f64 = 1.2;

/// The sentences, the most general first. `drives[0]` is the reviewed one.
pub fn verdict(drives: &[Drive<'_>], duration_scale: f64) -> Vec<Finding> {
    let mut out = Vec::new();
    out.extend(against_rivals(drives, duration_scale));
    for test in drives[0].tests {
        let curves = curves_of(test);
        let text = match (test.id.as_str(), curves) {
            (_, [series]) => single_curve(series, drives, test, duration_scale),
            (_, [first, later @ ..]) => several_curves(first, later, duration_scale),
            ("sequential" | "random", _) => each_point(test, drives),
            ("depth-scaling" | "sequential-depth", _) => over_depth(test, drives),
            ("block-scaling", _) => over_block(test, drives),
            ("mixed-sequential" | "mixed-random", _) => over_share(test, drives),
            _ => None,
        };
        out.extend(text.map(|text| Finding {
            title: test.title.clone(),
            text,
        }));
    }
    out
}

/// How often the reviewed drive is ahead of each rival.
fn against_rivals(drives: &[Drive<'_>], duration_scale: f64) -> Option<Finding> {
    let reviewed = key_figures(&drives[0], duration_scale);
    let mut standings = Vec::new();
    let mut unlike = Vec::new();
    for rival in &drives[1..] {
        let theirs = key_figures(rival, duration_scale);
        let pairs: Vec<(f64, f64)> = reviewed
            .iter()
            .filter_map(|figure| Some((figure.value, same(&theirs, figure)?.value)))
            .collect();
        if pairs.is_empty() {
            continue;
        }
        let count = |standing| {
            pairs
                .iter()
                .filter(|&&(value, other)| Standing::of(value, other) == standing)
                .count()
        };
        standings.push(format!(
            "against {}, ahead in {} of {} key figures, level in {}, behind in {}",
            rival.label,
            count(Standing::Ahead),
            pairs.len(),
            count(Standing::Level),
            count(Standing::Behind),
        ));
        if rival.info.kind != drives[0].info.kind {
            unlike.push(rival.label.as_str());
        }
    }
    let mut text = capitalised(&standings.join("; "));
    text.push('.');
    if !unlike.is_empty() {
        text.push_str(&format!(
            " Not measured in the same way (see the conditions), so compare with care: {}.",
            unlike.join(", ")
        ));
    }
    (!standings.is_empty()).then(|| Finding {
        title: "Comparison".into(),
        text,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Ahead,
    Level,
    Behind,
}

impl Standing {
    fn of(value: f64, other: f64) -> Standing {
        if (value - other).abs() <= LEVEL * other {
            Standing::Level
        } else if value > other {
            Standing::Ahead
        } else {
            Standing::Behind
        }
    }
}

/// How a figure stands to the rivals', as the rest of a sentence; empty without rivals.
fn standing_words(value: f64, rivals: &[(&str, f64)], unit: Unit) -> String {
    let told = |(label, other): (&str, f64)| format!("{label} ({})", unit.text(other));
    match rivals {
        [] => String::new(),
        [rival] => format!(", {} {}", relation(value, rival.1), told(*rival)),
        _ => {
            let drives = rivals.len() + 1;
            let better = rivals.iter().filter(|(_, other)| *other > value).count();
            let by_value = |a: &&(&str, f64), b: &&(&str, f64)| a.1.total_cmp(&b.1);
            let best = *rivals.iter().max_by(by_value).expect("there are rivals");
            let worst = *rivals.iter().min_by(by_value).expect("there are rivals");
            match better {
                0 => format!(
                    ", the highest of {drives} drives, {} the next, {}",
                    relation(value, best.1),
                    told(best)
                ),
                n if n == rivals.len() => format!(
                    ", the lowest of {drives} drives, {} the next, {}; the highest is {}",
                    relation(value, worst.1),
                    told(worst),
                    told(best)
                ),
                n => format!(
                    ", place {} of {drives}; the highest is {}",
                    n + 1,
                    told(best)
                ),
            }
        }
    }
}

/// How a value stands to another: `level with`, `8 % below`, `2.3 times`.
fn relation(value: f64, other: f64) -> String {
    let ratio = value / other;
    if !ratio.is_finite() {
        return "against".into();
    }
    match Standing::of(value, other) {
        Standing::Level => "level with".into(),
        Standing::Ahead if ratio >= 2.0 => format!("{} times", number::plain(ratio)),
        Standing::Ahead => format!("{} above", number::percent(ratio - 1.0)),
        Standing::Behind => format!("{} below", number::percent(1.0 - ratio)),
    }
}

/// How a point's figure stands to the rivals' under the same load.
fn standing(point: &Point, test: &TestResult, drives: &[Drive<'_>], metric: Metric) -> String {
    let (value, unit) = metric.value(point);
    let rivals: Vec<(&str, f64)> = drives[1..]
        .iter()
        .filter_map(|drive| {
            let theirs = drive.point(&test.id, Load::of(point))?;
            Some((drive.label.as_str(), metric.value(theirs).0))
        })
        .collect();
    standing_words(value, &rivals, unit)
}

/// A point's figure with its unit, and how it stands to the rivals'.
fn figure(point: &Point, test: &TestResult, drives: &[Drive<'_>], metric: Metric) -> String {
    let (value, unit) = metric.value(point);
    unit.text(value) + &standing(point, test, drives, metric)
}

fn each_point(test: &TestResult, drives: &[Drive<'_>]) -> Option<String> {
    let points = points_of(test);
    let metric = Metric::of(points);
    let sentences: Vec<String> = points
        .iter()
        .map(|point| {
            let load = crate::drive::load_words(Load::of(point), points);
            format!("{load}: {}.", figure(point, test, drives, metric))
        })
        .collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The first and the last of a direction's points by a dimension.
fn ends(points: &[Point], op: PointOp, dimension: Dimension) -> Option<(&Point, &Point)> {
    let of_op = || points.iter().filter(|p| p.op == op);
    let key = |p: &&Point| Load::of(p).value(dimension);
    let (first, last) = (of_op().min_by_key(key)?, of_op().max_by_key(key)?);
    (key(&first) < key(&last)).then_some((first, last))
}

fn over_depth(test: &TestResult, drives: &[Drive<'_>]) -> Option<String> {
    let points = points_of(test);
    let metric = Metric::of(points);
    let mut sentences = Vec::new();
    for op in [PointOp::Read, PointOp::Write] {
        let Some((first, last)) = ends(points, op, Dimension::Depth) else {
            continue;
        };
        let ((from, unit), (to, _)) = (metric.value(first), metric.value(last));
        let growth = to / from;
        // Where most of it is reached: deeper queues bring less than a twentieth more.
        let enough = points
            .iter()
            .filter(|p| p.op == op && metric.value(p).0 >= to / 1.05)
            .map(|p| p.queue_depth)
            .min()
            .unwrap_or(last.queue_depth);
        let bottom = format!("{} at depth\u{a0}{}", unit.text(from), first.queue_depth);
        let top = format!(
            "{} at depth\u{a0}{}{}",
            unit.text(to),
            last.queue_depth,
            standing(last, test, drives, metric)
        );
        let ops = capitalised(op_words(op));
        sentences.push(if growth >= GROWS {
            let times = number::plain(growth);
            let most = match enough {
                depth if depth < last.queue_depth => {
                    format!(" (nearly all of it by depth\u{a0}{depth})")
                }
                _ => String::new(),
            };
            format!("{ops}s grow {times} times with the depth{most}: {bottom}, {top}.")
        } else {
            format!("{ops}s hardly grow with the depth: {bottom}, {top}.")
        });
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn over_block(test: &TestResult, drives: &[Drive<'_>]) -> Option<String> {
    let points = points_of(test);
    let mut sentences = Vec::new();
    for op in [PointOp::Read, PointOp::Write] {
        let Some((first, last)) = ends(points, op, Dimension::Block) else {
            continue;
        };
        sentences.push(format!(
            "{}s of {}: {} ({}); of {}: {}.",
            capitalised(op_words(op)),
            number::block(first.block_bytes),
            number::mb_per_s(first.bw_bytes_per_s),
            number::iops(first.iops),
            number::block(last.block_bytes),
            figure(last, test, drives, Metric::Bandwidth),
        ));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn over_share(test: &TestResult, drives: &[Drive<'_>]) -> Option<String> {
    let points = points_of(test);
    let metric = Metric::of(points);
    let value = |p: &Point| metric.value(p).0;
    let unit = metric.value(points.first()?).1;
    let slowest = points.iter().min_by(|a, b| value(a).total_cmp(&value(b)))?;
    let mut sentences = Vec::new();
    if let Some(point) = points.iter().find(|p| p.read_percent == 80) {
        sentences.push(format!(
            "At 80\u{a0}% reads {}.",
            figure(point, test, drives, metric)
        ));
    }
    let pure = |percent| points.iter().find(|p| p.read_percent == percent);
    if let (Some(reads), Some(writes)) = (pure(100), pure(0)) {
        let slower = value(reads).min(value(writes));
        let pure_words = format!(
            "{} for reads alone and {} for writes alone",
            unit.text(value(reads)),
            unit.text(value(writes))
        );
        sentences.push(if value(slowest) < COSTS * slower {
            format!(
                "Mixing costs: {} at {}\u{a0}% reads, against {pure_words}.",
                unit.text(value(slowest)),
                slowest.read_percent
            )
        } else {
            format!("No mix is slower than the slower of the pure loads by a tenth: {pure_words}.")
        });
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn single_curve(
    series: &Series,
    drives: &[Drive<'_>],
    test: &TestResult,
    duration_scale: f64,
) -> Option<String> {
    let facts = curve::facts(series, duration_scale)?;
    let share = facts.end_iops / facts.start_iops;
    let ends = if share >= HOLDS {
        "holds its speed and ends"
    } else {
        "ends"
    };
    let rivals: Vec<(&str, f64)> = drives[1..]
        .iter()
        .filter_map(|drive| {
            let theirs = drive.curve(&test.id, &series.name)?;
            let facts = curve::facts(theirs, duration_scale)?;
            Some((drive.label.as_str(), facts.end_iops))
        })
        .collect();
    let standing = standing_words(facts.end_iops, &rivals, Unit::Iops);
    let end_words = match standing.strip_prefix(", ") {
        Some(words) => format!(" The end is {words}."),
        None => String::new(),
    };
    Some(format!(
        "Starts at {} and {ends} at {} ({} of the start) after {} and {} written.{} In the \
         last {}, 90\u{a0}% of the samples lie between {} and {}.",
        number::iops(facts.start_iops),
        number::iops(facts.end_iops),
        number::percent(share),
        number::duration(facts.length_s),
        number::gb(facts.written_bytes as f64),
        end_words,
        number::duration(facts.end_s),
        number::iops(facts.end_p5_iops),
        number::iops(facts.end_p95_iops),
    ))
}

fn several_curves(first: &Series, later: &[Series], duration_scale: f64) -> Option<String> {
    let base = curve::facts(first, duration_scale)?;
    let threshold = fast_threshold(first, duration_scale)?;
    let fast = |series| curve::fast_bytes(series, duration_scale, threshold) as f64;
    let base_fast = fast(first);
    let mut sentences = vec![format!(
        "{}, it starts at {} and writes {} before it falls below {} (halfway between its \
         start and its end).",
        capitalised(&first.name),
        number::iops(base.start_iops),
        number::gb(base_fast),
        number::iops(threshold),
    )];
    for series in later {
        let Some(facts) = curve::facts(series, duration_scale) else {
            continue;
        };
        let gain = fast(series);
        let restored =
            facts.start_iops >= RESTORES * base.start_iops && gain >= RESTORES * base_fast;
        let words = if restored {
            "the first state is restored"
        } else if facts.start_iops < NOTHING * base.end_iops {
            "nothing is given back"
        } else {
            "part is given back"
        };
        sentences.push(format!(
            "{}, {words}: it starts at {} ({} of the first) and writes {} above that speed.",
            capitalised(&series.name),
            number::iops(facts.start_iops),
            number::percent(facts.start_iops / base.start_iops),
            number::gb(gain),
        ));
    }
    Some(sentences.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_the_ratio() {
        assert_eq!(relation(101.9, 100.0), "level with");
        assert_eq!(relation(98.1, 100.0), "level with");
        assert_eq!(relation(103.0, 100.0), "3\u{a0}% above");
        assert_eq!(relation(92.0, 100.0), "8\u{a0}% below");
        assert_eq!(relation(230.0, 100.0), "2.30 times");
        assert_eq!(relation(30.0, 100.0), "70\u{a0}% below");
        assert_eq!(relation(1.0, 0.0), "against");
    }

    #[test]
    fn the_place_among_rivals_is_told() {
        let rivals = [("A", 300e6), ("B", 500e6)];
        let words = |value| standing_words(value, &rivals, Unit::BytesPerS);
        assert_eq!(
            words(550e6),
            ", the highest of 3 drives, 10\u{a0}% above the next, B (500\u{a0}MB/s)"
        );
        assert_eq!(
            words(400e6),
            ", place 2 of 3; the highest is B (500\u{a0}MB/s)"
        );
        assert_eq!(
            words(150e6),
            ", the lowest of 3 drives, 50\u{a0}% below the next, A (300\u{a0}MB/s); the \
             highest is B (500\u{a0}MB/s)"
        );
        assert_eq!(
            standing_words(294e6, &rivals[..1], Unit::BytesPerS),
            ", level with A (300\u{a0}MB/s)"
        );
        assert_eq!(standing_words(1.0, &[], Unit::Iops), "");
    }
}
