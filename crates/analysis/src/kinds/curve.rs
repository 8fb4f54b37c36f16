//! Curves: sentences about a load sampled over time, and key figures.

use stend_language::{say, text};
use stend_record::figure::FigureId;
use stend_record::review::{PointOp, Series, TestResult, curve_text};

use super::{Kind, Named};
use crate::ends::{end_level, start_level};
use crate::figures::{Unit, speed_of};
use crate::recovery::{Recovery, recovery};
use crate::steps::{Level, LevelKind, steps};
use crate::words::{self, capitalised};

/// The analysis of curves.
pub(super) const KIND: Kind = Kind {
    sentences: |test, capacity_bytes| sentences(test.curves(), capacity_bytes),
    lines,
    key_figures: |test| key_figures(test.curves()),
};

/// Formats the curves as lines for a terminal.
pub(crate) fn lines(test: &TestResult) -> String {
    let line = |series: &Series| {
        let written = series.samples.last().map_or(0, |s| s.written_bytes);
        let line = text!(
            "curve-line",
            name = curve_text(&series.name).to_string(),
            samples = series.samples.len(),
            gb = words::fixed(written as f64 / 1e9, 1)
        );
        format!("  {line}\n")
    };
    test.curves().iter().map(line).collect()
}

fn sentences(curves: &[Series], capacity_bytes: u64) -> Vec<String> {
    match curves {
        [] => Vec::new(),
        [only] => single(only, capacity_bytes),
        [fresh, later @ ..] => several(fresh, later),
    }
}

/// Least share of a figure at which it counts as kept or recovered.
pub(crate) const KEPT_SHARE: f64 = 0.9;

/// Least number of samples for findings. With fewer, neither levels nor scatter nor a speed of long
/// writing is reported: the start is the median of five samples and the end the mean of the last
/// quarter, so both would use the same samples.
pub(crate) const SAMPLES_MIN: usize = 10;

/// Capacities to write before "holds its speed" and "strong end" are reported. SNIA's performance
/// test specification writes as much before it seeks a steady state.
pub(crate) const SETTLED_CAPACITIES: u64 = 2;

/// Most stretches that are listed one by one.
const STRETCHES_TOLD: usize = 3;

/// Formats a speed of a curve with its unit.
fn speed(series: &Series, iops: f64) -> String {
    let (value, unit) = speed_of(series, iops);
    unit.words(value)
}

/// Formats two speeds of a curve, the unit only with the second: `6,060` and `4,630 IOPS`.
fn speeds(series: &Series, first: f64, last: f64) -> (String, String) {
    let (first, last) = (speed(series, first), speed(series, last));
    let number = first.split(' ').next().unwrap_or_default();
    (number.to_owned(), last)
}

/// Describes a single curve: its stretches, the share left at its end, and its scatter.
pub(crate) fn single(series: &Series, capacity_bytes: u64) -> Vec<String> {
    let levels = steps(series);
    let (Some(start), Some(end)) = (start_level(series), end_level(series)) else {
        return Vec::new();
    };
    let count = series.samples.len();
    if count < SAMPLES_MIN {
        let (op, mean) = (series.point.op.words(), speed(series, mean_iops(series)));
        return vec![text!(
            "curve-few-samples",
            op = op,
            mean = mean,
            count = count
        )];
    }
    let mut out = vec![stretches(series, &levels)];
    // The share refers to the speeds just reported.
    let (start, end) = match &levels[..] {
        [first, .., last] if levels.len() <= STRETCHES_TOLD => (first.iops_from, end_told(last)),
        _ => (start, end),
    };
    if start > 0.0 {
        out.push(left(series, start, end, capacity_bytes));
    }
    out.extend(evenness(&levels));
    out
}

/// Returns the speed reported for the end of a stretch.
fn end_told(level: &Level) -> f64 {
    match level.kind {
        LevelKind::Level => level.iops_mean,
        LevelKind::Decline | LevelKind::Rise => level.iops_to,
    }
}

fn mean_iops(series: &Series) -> f64 {
    let iops = series.samples.iter().map(|sample| sample.iops);
    iops.sum::<f64>() / series.samples.len() as f64
}

/// Reports the share of the start that is left at the end.
fn left(series: &Series, start: f64, end: f64, capacity_bytes: u64) -> String {
    let written = series.samples.last().map_or(0, |s| s.written_bytes);
    let capacities = written as f64 / capacity_bytes.max(1) as f64;
    let share = words::percent(end / start);
    let settled = written >= SETTLED_CAPACITIES * capacity_bytes;
    let id = match (end / start >= KEPT_SHARE, written) {
        (true, 0) => return text!("curve-holds", share = share),
        (false, 0) => return text!("curve-ends", share = share),
        (true, _) if settled => "curve-holds-after",
        _ => "curve-ends-after",
    };
    let (count, number) = (words::rounded(capacities), words::number(capacities));
    text!(id, share = share, count = count, number = number)
}

/// Lists a few stretches one by one; of many, only the curve's start and the longest.
fn stretches(series: &Series, levels: &[Level]) -> String {
    if levels.len() > STRETCHES_TOLD {
        return in_short(series, levels);
    }
    let mut items: Vec<String> = Vec::new();
    for (i, level) in levels.iter().enumerate() {
        let at = match level.kind {
            LevelKind::Level => text!("curve-at", speed = speed(series, level.iops_mean)),
            LevelKind::Decline | LevelKind::Rise => {
                let id = match level.kind {
                    LevelKind::Decline => "curve-falling",
                    _ => "curve-rising",
                };
                let (from, to) = speeds(series, level.iops_from, level.iops_to);
                text!(id, nth = i + 1, from = from, to = to)
            }
        };
        let time = words::time(level.to_s);
        let until = match (i + 1 == levels.len(), level.to_bytes) {
            (true, _) if levels.len() == 1 => say("curve-until-whole"),
            (true, _) => say("curve-until-end"),
            (false, 0) => text!("curve-until-time", time = time),
            (false, bytes) => {
                let id = match i {
                    0 => "curve-until-first",
                    _ => "curve-until-bytes",
                };
                text!(id, bytes = words::bytes(bytes), time = time)
            }
        };
        items.push(text!("curve-stretch", how = at, until = until));
    }
    let op = series.point.op.words();
    text!("curve-stretches", op = op, stretches = items.join(", "))
}

/// Formats `It starts at 41,400 IOPS and passes through 4 stretches, the longest of 51 min at
/// 20,100 IOPS.`
fn in_short(series: &Series, levels: &[Level]) -> String {
    let by_length = |a: &&Level, b: &&Level| (a.to_s - a.from_s).total_cmp(&(b.to_s - b.from_s));
    let Some(longest) = levels.iter().max_by(by_length) else {
        return String::new();
    };
    let time = words::time(longest.to_s - longest.from_s);
    let start = speed(series, start_level(series).unwrap_or_default());
    let count = levels.len();
    match longest.kind {
        LevelKind::Level => {
            let (id, speed) = ("curve-in-short-level", speed(series, longest.iops_mean));
            text!(id, start = start, count = count, time = time, speed = speed)
        }
        LevelKind::Decline | LevelKind::Rise => {
            let (from, to) = speeds(series, longest.iops_from, longest.iops_to);
            let id = "curve-in-short-slope";
            text!(
                id,
                start = start,
                count = count,
                time = time,
                from = from,
                to = to
            )
        }
    }
}

/// Describes the scatter of the samples.
fn evenness(levels: &[Level]) -> Option<String> {
    let by_length = |a: &&Level, b: &&Level| (a.to_s - a.from_s).total_cmp(&(b.to_s - b.from_s));
    let longest = levels.iter().max_by(by_length)?;
    let word = match longest.iops_scatter_percent {
        s if s < 5.0 => "hardly",
        s if s < 15.0 => "little",
        s if s < 40.0 => "some",
        _ => "wide",
    };
    let share = words::percent(longest.iops_scatter_percent / 100.0);
    Some(text!("curve-evenness", scatter = word, share = share))
}

/// Recovery of a later curve, compared with the fresh one.
pub(crate) struct Return {
    /// Recovery of the later curve.
    pub after: Recovery,
    /// Recovery of the fresh curve.
    pub fresh: Recovery,
}

impl Return {
    /// Returns the recovery of a later curve; `None` if one of the two has no sample.
    pub(crate) fn of(fresh: &Series, later: &Series) -> Option<Return> {
        let end = end_level(fresh)?;
        Some(Return {
            after: recovery(later, end)?,
            fresh: recovery(fresh, end)?,
        })
    }

    /// Returns the start of the later curve as a share of the fresh one's.
    pub(crate) fn start_share(&self) -> f64 {
        self.after.iops_initial / self.fresh.iops_initial
    }

    fn volume_share(&self) -> f64 {
        self.after.bytes as f64 / self.fresh.bytes as f64
    }

    /// True if the fresh state is restored.
    pub(crate) fn is_whole(&self) -> bool {
        self.start_share() >= KEPT_SHARE && self.volume_share() >= KEPT_SHARE
    }
}

/// Describes a fresh curve and those after a rest.
pub(crate) fn several(fresh: &Series, later: &[Series]) -> Vec<String> {
    // Fast writes exist only in curves of writes, and have a meaning only if the fresh curve falls.
    let first = end_level(fresh).and_then(|end| recovery(fresh, end));
    let enough = fresh.samples.len() >= SAMPLES_MIN;
    let Some(first) = first.filter(|_| enough && fresh.point.op == PointOp::Write) else {
        return starts(fresh, later);
    };
    let name = capitalised(&curve_text(&fresh.name).to_string());
    let start = speed(fresh, first.iops_initial);
    if first.bytes == 0 {
        let written = fresh
            .samples
            .last()
            .map_or(0, |sample| sample.written_bytes);
        let bytes = words::bytes(written);
        let mut out = vec![text!(
            "curve-never-falls",
            name = name,
            start = start,
            bytes = bytes
        )];
        out.extend(starts(fresh, later).into_iter().skip(1));
        return out;
    }
    let bytes = words::bytes(first.bytes);
    let mut out = vec![text!(
        "curve-writes-fast",
        name = name,
        start = start,
        bytes = bytes
    )];
    for series in later {
        out.extend(Return::of(fresh, series).map(|back| came_back(series, &back)));
    }
    out
}

fn came_back(series: &Series, back: &Return) -> String {
    let name = capitalised(&curve_text(&series.name).to_string());
    let start = speed(series, back.after.iops_initial);
    let share = words::percent(back.start_share());
    let bytes = words::bytes(back.after.bytes);
    let volume = words::percent(back.volume_share());
    let fell = if back.after.fell { "yes" } else { "no" };
    let as_fast = back.start_share() >= KEPT_SHARE;
    let as_much = back.volume_share() >= KEPT_SHARE;
    match (as_fast, as_much) {
        _ if back.after.bytes == 0 => text!("curve-back-nothing", name = name, start = start),
        (true, true) => {
            let id = "curve-back-whole";
            text!(id, name = name, start = start, bytes = bytes, fell = fell)
        }
        (false, true) => text!(
            "curve-back-volume",
            more = match back.volume_share() > 1.0 / KEPT_SHARE {
                true => "yes",
                false => "no",
            },
            name = name,
            bytes = bytes,
            fell = fell,
            start = start,
            share = share
        ),
        (true, false) => {
            let id = "curve-back-speed";
            text!(
                id,
                name = name,
                start = start,
                bytes = bytes,
                volume = volume
            )
        }
        (false, false) => text!(
            "curve-back-neither",
            name = name,
            start = start,
            share = share,
            bytes = bytes,
            volume = volume
        ),
    }
}

/// Reports the start of each curve, for curves without fast writes.
fn starts(fresh: &Series, later: &[Series]) -> Vec<String> {
    let of = |series: &Series| {
        let start = speed(series, start_level(series)?);
        let name = capitalised(&curve_text(&series.name).to_string());
        Some(text!("curve-starts", name = name, start = start))
    };
    std::iter::once(fresh).chain(later).filter_map(of).collect()
}

fn key_figures(curves: &[Series]) -> Vec<Named> {
    let mut out = Vec::new();
    let end_iops = curves.first().and_then(end_level);
    for series in curves {
        let (Some(end_iops), Some(start_iops)) = (end_iops, start_level(series)) else {
            continue;
        };
        let mut speed = |figure: FigureId, iops| {
            let (value, unit) = speed_of(series, iops);
            out.push((figure, value, unit));
        };
        if curves.len() == 1 {
            speed(FigureId::Start, start_iops);
            speed(FigureId::End, end_iops);
            speed(FigureId::Mean, mean_iops(series));
            continue;
        }
        let curve = series.name.clone();
        speed(FigureId::StartOf { curve }, start_iops);
        let fast = recovery(series, end_iops).filter(|_| series.point.op == PointOp::Write);
        if let Some(fast) = fast {
            let curve = series.name.clone();
            out.push((
                FigureId::FastWrites { curve },
                fast.bytes as f64,
                Unit::Bytes,
            ));
        }
    }
    out
}
