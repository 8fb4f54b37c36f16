//! The whole in a few sentences.

use stend_language::{recorded, say, text};
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
        return vec![say("summary-no-test")];
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
        text!("summary-reads-faster", times = words::times(ratio))
    } else if ratio > 1.0 / ALIKE_RATIO {
        say("summary-as-fast")
    } else {
        text!("summary-writes-faster", times = words::times(1.0 / ratio))
    })
}

/// `of its speed in random writes, 11 % is left in the end`.
fn lasting(test: &TestResult) -> Option<String> {
    let [series] = curves_of(test) else {
        return None;
    };
    let (start, end) = (start_level(series)?, end_level(series)?);
    let (pattern, op) = (series.point.pattern.words(), series.point.op.words());
    let time = words::time(lasts_s(series));
    Some(if end / start >= KEPT_SHARE {
        text!("summary-holds", pattern = pattern, op = op, time = time)
    } else {
        let share = words::percent(end / start);
        text!(
            "summary-left",
            pattern = pattern,
            op = op,
            time = time,
            share = share
        )
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
        let name = uncapitalised(&recorded(&series.name));
        clauses.push(match back.after.bytes {
            0 => text!("summary-back-nothing", name = name),
            _ if back.is_whole() => text!("summary-back-whole", name = name),
            bytes => {
                let bytes = Unit::Bytes.words(bytes as f64);
                let first = !std::mem::replace(&mut told, true);
                let share = words::percent(back.start_share());
                match (first, back.start_share() >= KEPT_SHARE) {
                    (true, true) => text!("summary-back-first", name = name, bytes = bytes),
                    (true, false) => {
                        let id = "summary-back-first-from";
                        text!(id, name = name, bytes = bytes, share = share)
                    }
                    (false, true) => text!("summary-back-more", name = name, bytes = bytes),
                    (false, false) => {
                        let id = "summary-back-more-from";
                        text!(id, name = name, bytes = bytes, share = share)
                    }
                }
            }
        });
    }
    Some(capitalised(&clauses.join("; ")) + ".")
}

/// What the verdict lacks.
fn reservations(review: &Review) -> Vec<String> {
    let mut out = Vec::new();
    if review.duration_scale != 1.0 {
        let scale = words::number(review.duration_scale);
        out.push(text!("summary-scaled", scale = scale));
    }
    out.extend(shortened::sentence(review));
    out.extend(slow_links(review));
    if !review.complete {
        let missing: Vec<String> = review.failed.iter().map(|f| f.id.clone()).collect();
        out.push(match missing.is_empty() {
            true => say("summary-unfinished"),
            false => text!("summary-unfinished-failed", failed = words::list(&missing)),
        });
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
        let link = recorded(&fact.value);
        let sentence = text!("summary-slow-link", drive = title, link = link);
        if !out.contains(&sentence) {
            out.push(sentence);
        }
    }
    out
}
