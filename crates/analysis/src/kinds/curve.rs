//! Curves: sentences about a load sampled over time, and key figures.

use stend_language::{say, text};
use stend_record::figure::FigureId;
use stend_record::review::{PointOp, Sample, Series, TestResult, curve_text};

use super::{Kind, Named};
use crate::ends::{end_level, nine_tenths, start_level};
use crate::figures::{Unit, speed_of};
use crate::recovery::{Recovery, recovery};
use crate::smooth::mean_30s;
use crate::stalls::{Stall, of_curve};
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

/// Most stretches that are listed in the order of time.
const STRETCHES_TOLD: usize = 3;

/// Most stretches that are listed by their length.
const LONGEST_TOLD: usize = 5;

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
    let stall = of_curve(series);
    out.extend(stall.map(stalled));
    let stood_still = stall.is_some_and(|stall| stall.total_s > 0.0);
    if start > 0.0 {
        let kept = end / start >= KEPT_SHARE && is_even(&levels) && !stood_still;
        out.push(left(series, start, end, kept, capacity_bytes));
    }
    out.extend(evenness(series, &levels, stood_still));
    out
}

/// Reports the time in which a drive answers next to nothing.
fn stalled(stall: Stall) -> String {
    let slowest = words::latency(stall.slowest_ns as f64);
    let [total, longest] = [stall.total_s, stall.longest_s].map(words::time);
    let id = match (stall.total_s, stall.slowest_ns) {
        (0.0, _) => return text!("curve-stalls-request", slowest = slowest),
        (_, 0) => "curve-stalls-seconds",
        _ => "curve-stalls",
    };
    text!(id, total = total, longest = longest, slowest = slowest)
}

fn mean_iops(series: &Series) -> f64 {
    let iops = series.samples.iter().map(|sample| sample.iops);
    iops.sum::<f64>() / series.samples.len() as f64
}

/// True if no stretch is slower than nine tenths of the fastest.
fn is_even(levels: &[Level]) -> bool {
    let speeds = || {
        levels
            .iter()
            .flat_map(|level| [level.iops_from, level.iops_to])
    };
    let fastest = speeds().fold(0.0, f64::max);
    speeds().all(|iops| iops >= KEPT_SHARE * fastest)
}

/// Reports the start, the end, and the share of the start that is left then.
fn left(series: &Series, start: f64, end: f64, kept: bool, capacity_bytes: u64) -> String {
    let written = series.samples.last().map_or(0, |s| s.written_bytes);
    let capacities = written as f64 / capacity_bytes.max(1) as f64;
    let share = words::percent(end / start);
    let (start_told, end_told) = (speed(series, start), speed(series, end));
    let settled = written >= SETTLED_CAPACITIES * capacity_bytes;
    let id = match (kept, written) {
        (true, 0) => "curve-holds",
        (false, 0) => "curve-ends",
        (true, _) if settled => "curve-holds-after",
        _ => "curve-ends-after",
    };
    let (count, number) = (words::rounded(capacities), words::number(capacities));
    text!(
        id,
        start = start_told,
        end = end_told,
        share = share,
        count = count,
        number = number
    )
}

/// Lists a few stretches in the order of time; many by their length, the longest first.
fn stretches(series: &Series, levels: &[Level]) -> String {
    if levels.len() > STRETCHES_TOLD {
        return by_length(series, levels);
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

/// Formats `It passes through 5 stretches: 45 min at 21,000 IOPS, 10 min from 20,100 to 12,000
/// IOPS, and 3 others.`
fn by_length(series: &Series, levels: &[Level]) -> String {
    let mut levels: Vec<&Level> = levels.iter().collect();
    // Of those as long in whole seconds, the earlier one is told first.
    levels.sort_by(|a, b| length_s(b).round().total_cmp(&length_s(a).round()));
    let (told, shorter) = levels.split_at(levels.len().min(LONGEST_TOLD));
    let mut items: Vec<String> = told
        .iter()
        .map(|level| {
            let time = words::time(length_s(level));
            match level.kind {
                LevelKind::Level => {
                    let speed = speed(series, level.iops_mean);
                    text!("curve-stretch-level", time = time, speed = speed)
                }
                LevelKind::Decline | LevelKind::Rise => {
                    let (from, to) = speeds(series, level.iops_from, level.iops_to);
                    text!("curve-stretch-slope", time = time, from = from, to = to)
                }
            }
        })
        .collect();
    if !shorter.is_empty() {
        items.push(text!("curve-stretches-others", count = shorter.len()));
    }
    let stretches = words::list(&items);
    let count = levels.len();
    text!("curve-by-length", count = count, stretches = stretches)
}

fn length_s(level: &Level) -> f64 {
    level.to_s - level.from_s
}

/// Describes the scatter of the samples over the longest stretch: the range of nine tenths of them,
/// for a slope as shares of its moving mean.
fn evenness(series: &Series, levels: &[Level], stood_still: bool) -> Option<String> {
    let longest = |a: &&Level, b: &&Level| length_s(a).total_cmp(&length_s(b));
    let longest = levels.iter().max_by(longest)?;
    let half_s = series.interval_s / 2.0;
    let within =
        |sample: &&Sample| (longest.from_s + half_s..=longest.to_s + half_s).contains(&sample.t_s);
    let samples: Vec<Sample> = series.samples.iter().filter(within).copied().collect();
    let sloping = longest.kind != LevelKind::Level;
    let mut values: Vec<f64> = match sloping {
        true => samples
            .iter()
            .zip(mean_30s(&samples))
            .map(|(sample, mean)| sample.iops / mean.max(f64::MIN_POSITIVE))
            .collect(),
        false => samples.iter().map(|sample| sample.iops).collect(),
    };
    let (low, high) = nine_tenths(&mut values)?;
    let word = match (high - low) / (high + low) {
        _ if stood_still => "stalls",
        share if share < 0.05 => "hardly",
        share if share < 0.15 => "little",
        share if share < 0.4 => "some",
        _ => "wide",
    };
    let (low, high) = match sloping {
        true => (words::percent(low), words::percent(high)),
        false => speeds(series, low, high),
    };
    let same = high.split(' ').next() == low.split(' ').next();
    let id = match (sloping, same) {
        (_, true) => return (!stood_still).then(|| say("curve-even")),
        (true, _) => "curve-evenness-slope",
        (false, _) => "curve-evenness",
    };
    Some(text!(id, scatter = word, low = low, high = high))
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
