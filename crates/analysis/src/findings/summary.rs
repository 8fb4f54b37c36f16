//! The whole in a few sentences.

use stend_record::review::{PointOp, Review, SLOW_LINK, TestResult};

use super::drives::DriveFigures;
use super::{judged, rivals};
use crate::ends::{end_level, start_level};
use crate::figures::Unit;
use crate::kinds::curve::curves_of;
use crate::kinds::curve::{KEPT_SHARE, Return, speeds};
use crate::kinds::ladder;
use crate::kinds::ladder::rungs_of;
use crate::load::points_of;
use crate::shortened;
use crate::words::{self, capitalised, uncapitalised};

/// Reading and writing within this ratio are about equally fast.
const ALIKE_RATIO: f64 = 1.1;

/// What the review comes to, from three of its tests: `sequential`, the first that
/// measured a single curve, and the first that measured several. Then how the drive stands
/// to its rivals, and what keeps the verdict from being a full one.
pub(super) fn sentences(review: &Review, drives: &[DriveFigures]) -> Vec<String> {
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
    let mut out = Vec::new();
    if !clauses.is_empty() {
        out.push(capitalised(&clauses.join("; ")) + ".");
    }
    out.extend(whole().find_map(coming_back));
    out.extend(rivals::comparison(drives));
    out.extend(reservations(review));
    out
}

/// `it reads in sequence 3 times as fast as it writes (514 and 172 MB/s)`.
fn reading_and_writing(test: &TestResult) -> Option<String> {
    let points = points_of(test);
    let of = |op| points.iter().find(|p| p.load.op == op);
    let (read, write) = (of(PointOp::Read)?, of(PointOp::Write)?);
    if test.id != "sequential" {
        return None;
    }
    let [read, write] = [read, write].map(|p| p.bw_bytes_per_s);
    let figures = format!(
        "({} and {})",
        words::number(read / 1e6),
        words::speed(write)
    );
    if read <= 0.0 || write <= 0.0 {
        return None;
    }
    let ratio = read / write;
    Some(if ratio >= ALIKE_RATIO {
        let times = words::times(ratio);
        format!("it reads in sequence {times} as fast as it writes {figures}")
    } else if ratio > 1.0 / ALIKE_RATIO {
        format!("it reads and writes in sequence about as fast {figures}")
    } else {
        let times = words::times(1.0 / ratio);
        format!("it writes in sequence {times} as fast as it reads {figures}")
    })
}

/// `under lasting random writes it falls to 11 % of its speed (41,400 to 4,630 IOPS)`.
fn lasting(test: &TestResult) -> Option<String> {
    let [series] = curves_of(test) else {
        return None;
    };
    let (start, end) = (start_level(series)?, end_level(series)?);
    let pattern = series.point.pattern.words();
    let load = match series.point.op {
        PointOp::Read => format!("lasting {pattern} reads"),
        PointOp::Write => format!("lasting {pattern} writes"),
        PointOp::Mixed => format!("a lasting {pattern} mix"),
    };
    let share = words::percent(end / start);
    let speeds = speeds(series, start, "to", end);
    Some(if end / start >= KEPT_SHARE {
        format!("under {load} it holds its speed ({speeds})")
    } else {
        format!("under {load} it falls to {share} of its speed ({speeds})")
    })
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
