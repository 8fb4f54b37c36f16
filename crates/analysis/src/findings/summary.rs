//! The whole in a few sentences.

use stend_record::review::{PointOp, Review, SLOW_LINK, Series, TestResult};

use super::drives::DriveFigures;
use super::{judged, rivals};
use crate::ends::{end_level, start_level};
use crate::figures::Unit;
use crate::headline::Headline;
use crate::kinds::curve::curves_of;
use crate::kinds::curve::{KEPT_SHARE, Return};
use crate::kinds::ladder;
use crate::kinds::ladder::rungs_of;
use crate::load::points_of;
use crate::shortened;
use crate::words::{self, capitalised, uncapitalised};

/// Reading and writing within this ratio are about equally fast.
const ALIKE_RATIO: f64 = 1.1;

/// What the review comes to: how the drive stands to its rivals by its headline figures; then, from
/// three of its tests (`sequential`, the first that measured a single curve, and the first that
/// measured several), how it writes and recovers; and what keeps the verdict from being a full one.
pub(super) fn sentences(
    review: &Review,
    drives: &[DriveFigures],
    headlines: &[Headline],
) -> Vec<String> {
    if review.tests.is_empty() {
        return vec!["No test has finished: there is nothing to judge.".to_owned()];
    }
    let whole = || judged(review);
    let clauses: Vec<String> = [
        whole().find_map(reading_and_writing),
        whole().find_map(lasting),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut out = rivals::comparison(headlines, drives);
    if !clauses.is_empty() {
        out.push(capitalised(&clauses.join("; ")) + ".");
    }
    out.extend(whole().find_map(coming_back));
    out.extend(reservations(review));
    out
}

/// `it reads in sequence 3 times as fast as it writes`.
fn reading_and_writing(test: &TestResult) -> Option<String> {
    let points = points_of(test);
    let of = |op| points.iter().find(|p| p.load.op == op);
    let (read, write) = (of(PointOp::Read)?, of(PointOp::Write)?);
    if test.id != "sequential" {
        return None;
    }
    let [read, write] = [read, write].map(|p| p.bw_bytes_per_s);
    if read <= 0.0 || write <= 0.0 {
        return None;
    }
    let ratio = read / write;
    Some(if ratio >= ALIKE_RATIO {
        let times = words::times(ratio);
        format!("it reads in sequence {times} as fast as it writes")
    } else if ratio > 1.0 / ALIKE_RATIO {
        "it reads and writes in sequence about as fast".to_owned()
    } else {
        let times = words::times(1.0 / ratio);
        format!("it writes in sequence {times} as fast as it reads")
    })
}

/// `of its speed in random writes, 11 % is left in the end`.
fn lasting(test: &TestResult) -> Option<String> {
    let [series] = curves_of(test) else {
        return None;
    };
    let (start, end) = (start_level(series)?, end_level(series)?);
    let pattern = series.point.pattern.words();
    let load = match series.point.op {
        PointOp::Read => format!("{pattern} reads"),
        PointOp::Write => format!("{pattern} writes"),
        PointOp::Mixed => format!("a {pattern} mix"),
    };
    let share = words::percent(end / start);
    Some(if end / start >= KEPT_SHARE {
        format!(
            "under {load} it holds its speed for {}",
            words::time(lasts_s(series))
        )
    } else {
        let time = words::time(lasts_s(series));
        format!("after {time} of {load}, {share} of its first speed is left")
    })
}

fn lasts_s(series: &Series) -> f64 {
    series.samples.last().map_or(0.0, |sample| sample.t_s)
}

/// `After idle, 2.32 GB of fast writes come back, from 73 % of the fresh speed on; after
/// TRIM, 255 GB, from 53 %.`
fn coming_back(test: &TestResult) -> Option<String> {
    // A ladder has too many rungs to name each.
    if !rungs_of(test).is_empty() {
        return Some(ladder::sentences(rungs_of(test)).join(" "));
    }
    let [fresh, later @ ..] = curves_of(test) else {
        return None;
    };
    if later.is_empty() || fresh.point.op != PointOp::Write {
        return None;
    }
    let mut told = false;
    let mut clauses = Vec::new();
    for series in later {
        let back = Return::of(fresh, series)?;
        if back.fresh.bytes == 0 {
            return None;
        }
        let name = uncapitalised(&series.name);
        let what = match back.after.bytes {
            0 => "nothing comes back".to_owned(),
            _ if back.is_whole() => "it is as fresh".to_owned(),
            bytes => {
                let bytes = Unit::Bytes.words(bytes as f64);
                let first = !std::mem::replace(&mut told, true);
                let start = match back.start_share() {
                    share if share >= KEPT_SHARE => String::new(),
                    share if first => {
                        format!(", from {} of the fresh speed on", words::percent(share))
                    }
                    share => format!(", from {}", words::percent(share)),
                };
                match first {
                    true => format!("{bytes} of fast writes come back{start}"),
                    false => bytes + &start,
                }
            }
        };
        clauses.push(format!("{name}, {what}"));
    }
    Some(capitalised(&clauses.join("; ")) + ".")
}

/// What the verdict lacks.
fn reservations(review: &Review) -> Vec<String> {
    let mut out = Vec::new();
    if review.duration_scale != 1.0 {
        out.push(format!(
            "Every measurement was multiplied by {}: effects that need the edition's own durations \
             show differently or not at all.",
            words::number(review.duration_scale)
        ));
    }
    out.extend(shortened::sentence(review));
    out.extend(slow_links(review));
    if !review.complete {
        let missing: Vec<String> = review.failed.iter().map(|f| f.id.clone()).collect();
        let which = match missing.is_empty() {
            true => String::new(),
            false => format!(" ({} failed)", words::list(&missing)),
        };
        out.push(format!(
            "Not every test has finished{which}: the verdict is of those that did."
        ));
    }
    out
}

/// Drives whose link was slower than they are. Of a file, the drive is a part of the environment.
fn slow_links(review: &Review) -> Vec<String> {
    let own = review.target.facts.iter().chain(&review.environment);
    let own = own.map(|fact| (&review.target.title, fact));
    let rivals = review.rivals.iter().flat_map(|rival| {
        let facts = rival.target.facts.iter();
        facts.map(|fact| (&rival.target.title, fact))
    });
    let mut out = Vec::new();
    for (title, fact) in own.chain(rivals).filter(|(_, fact)| fact.name == SLOW_LINK) {
        let sentence = format!(
            "{title} ran on a link below what it could use ({}): its figures may be the link's.",
            fact.value
        );
        if !out.contains(&sentence) {
            out.push(sentence);
        }
    }
    out
}
