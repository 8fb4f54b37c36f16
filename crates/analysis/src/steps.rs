//! The steps of a curve: the levels at which a drive writes, and their lengths.

use stend_record::review::{Sample, Series};

use crate::ends::end_level;
use crate::segment::{Curve, Stretch, median};
use crate::smooth::moving_mean;

/// Levels that differ by less than this ratio are one: a step below a tenth is not worth reporting,
/// and a drive's own variation is of that order.
pub const STEP_RATIO: f64 = 1.10;

/// Longer curves are averaged down to about this many samples before segmentation.
const SAMPLES_MAX: usize = 10_000;

/// Kinds of stretches of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelKind {
    /// It keeps its level.
    Level,
    /// It falls by a tenth or more, gradually.
    Decline,
    /// It rises by a tenth or more, gradually.
    Rise,
}

/// A stretch of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Kind of the stretch.
    pub kind: LevelKind,
    /// Bytes written at its start. The border between two levels is located within the sample, from
    /// the share of it at each speed.
    pub from_bytes: u64,
    /// Bytes written at its end.
    pub to_bytes: u64,
    /// Time of its start, s.
    pub from_s: f64,
    /// Time of its end, s.
    pub to_s: f64,
    /// Mean of its samples, IOPS, without those that straddle a step.
    pub iops_mean: f64,
    /// Speed at its start, IOPS: of a level its mean, of a slope the median of its first five
    /// samples.
    pub iops_from: f64,
    /// Speed at its end, IOPS: of the last stretch [`end_level`], of other levels their mean, of
    /// other slopes the median of the last five samples.
    pub iops_to: f64,
    /// Scatter of its samples, percent of their middle: half of the width that holds the middle 68
    /// %, which is the standard deviation if the scatter is normal. For a slope, about its moving
    /// mean.
    pub iops_scatter_percent: f64,
}

/// Returns the stretches of a curve, in the order of time, without gaps.
///
/// A cut is made if its gain exceeds a price that noise does not reach, see the module `segment`.
/// Then cuts that a reader would not call steps are joined: levels within [`STEP_RATIO`]; slopes of
/// one direction, with anything between them; an excursion of up to a minute (or a tenth of its
/// neighbours), after which the curve is back; a slope next to a level in its own middle; a short
/// level between a long one and the next stretch; a stretch that only begins at the curve's end;
/// and a level within the scatter of a longer one.
///
/// It is designed for levels that last. Irregular swings that stay for many seconds on either side
/// can still be cut into stretches, each with a large scatter.
pub fn steps(series: &Series) -> Vec<Level> {
    let samples = thinned(&series.samples);
    let iops: Vec<f64> = samples.iter().map(|s| s.iops).collect();
    let curve = Curve::new(&iops);
    let stretches = join(&curve, curve.cut());
    let Some(last) = samples.last() else {
        return Vec::new();
    };
    let whole = Whole {
        samples: &samples,
        interval_s: last.t_s / samples.len() as f64,
        end: end_level(series).unwrap_or(0.0),
    };
    whole.levels(&stretches)
}

/// Averages neighbours if there are more samples than can be segmented quickly.
fn thinned(samples: &[Sample]) -> Vec<Sample> {
    let group = samples.len().div_ceil(SAMPLES_MAX).max(1);
    samples
        .chunks(group)
        .map(|chunk| Sample {
            iops: chunk.iter().map(|s| s.iops).sum::<f64>() / chunk.len() as f64,
            ..chunk[chunk.len() - 1]
        })
        .collect()
}

fn kind(stretch: &Stretch) -> LevelKind {
    // A slope within the scatter is not visible.
    let threshold = STEP_RATIO.ln().max(0.75 * stretch.scatter);
    if stretch.change <= -threshold {
        LevelKind::Decline
    } else if stretch.change >= threshold {
        LevelKind::Rise
    } else {
        LevelKind::Level
    }
}

/// Joins stretches until no rule applies. Each rule removes at least one stretch, so this ends.
fn join(curve: &Curve, mut cuts: Vec<Stretch>) -> Vec<Stretch> {
    let brief = brief_samples(curve.len());
    while let Some((first, last, into)) = returning(&cuts, brief)
        .or_else(|| alike(&cuts))
        .or_else(|| sloping(&cuts, brief))
        .or_else(|| aimless(&cuts))
        .or_else(|| passing(&cuts))
        .or_else(|| trailing(&cuts, brief))
        .or_else(|| lost_in_scatter(curve, &cuts))
    {
        let (from, to) = (cuts[first].from, cuts[last].to);
        let mut joined = curve.stretch(from, to, into == Becomes::Level);
        if into == Becomes::Level {
            // Two similar levels of a drift can add up to a slope.
            let slope = curve.stretch(from, to, false);
            if kind(&slope) != LevelKind::Level && is_gradual(curve, &slope) {
                joined = slope;
            }
        }
        cuts.splice(first..=last, [joined]);
    }
    cuts
}

/// Kind of a joined stretch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Becomes {
    Level,
    Slope,
}

/// Returns the most samples of an excursion that a reader can ignore: 60, or a twentieth of a short
/// curve.
fn brief_samples(n: usize) -> usize {
    (n / 20).min(60)
}

/// True if the line explains more than half of the change: the first third of the samples lies
/// clearly on one side of the last third.
fn is_gradual(curve: &Curve, slope: &Stretch) -> bool {
    let third = slope.len() / 3;
    if third < 10 {
        return false;
    }
    let values = curve.values();
    let first = median(&mut values[slope.from..slope.from + third].to_vec());
    let last = median(&mut values[slope.to - third..slope.to].to_vec());
    let expected = slope.change * 2.0 / 3.0;
    (last - first) / expected > 0.5
}

/// Returns the shortest stretch after which the curve is back at its earlier speed.
fn returning(cuts: &[Stretch], brief: usize) -> Option<(usize, usize, Becomes)> {
    let mut best: Option<(usize, usize)> = None;
    for i in 1..cuts.len().saturating_sub(1) {
        let [before, at, after] = [&cuts[i - 1], &cuts[i], &cuts[i + 1]];
        let (down, up) = (at.middle - before.middle, after.middle - at.middle);
        let back = down * up < 0.0 && (after.middle - before.middle).abs() < down.abs() / 2.0;
        let around = before.len() + after.len();
        let short = at.len() <= brief.max(around / 10) && at.len() < around;
        if back && short && best.is_none_or(|(_, len)| at.len() < len) {
            best = Some((i, at.len()));
        }
    }
    let (i, _) = best?;
    // A slope with a dent stays a slope.
    let slope = kind(&cuts[i - 1]) != LevelKind::Level && kind(&cuts[i - 1]) == kind(&cuts[i + 1]);
    Some((
        i - 1,
        i + 1,
        if slope {
            Becomes::Slope
        } else {
            Becomes::Level
        },
    ))
}

/// Returns the two neighbouring levels that differ least, by less than a step.
fn alike(cuts: &[Stretch]) -> Option<(usize, usize, Becomes)> {
    let mut best: Option<(usize, f64)> = None;
    for (i, pair) in cuts.windows(2).enumerate() {
        let difference = (pair[1].middle - pair[0].middle).abs();
        let levels = pair.iter().all(|s| kind(s) == LevelKind::Level);
        if levels && difference < STEP_RATIO.ln() && best.is_none_or(|(_, d)| difference < d) {
            best = Some((i, difference));
        }
    }
    best.map(|(i, _)| (i, i + 1, Becomes::Level))
}

/// Returns slopes of one direction side by side, or with a level between them that is shorter than
/// both together; opposite brief slopes; or a slope and a shorter level after it, if another level
/// follows further on in the slope's direction.
fn sloping(cuts: &[Stretch], brief: usize) -> Option<(usize, usize, Becomes)> {
    let is_slope = |s: &Stretch| kind(s) != LevelKind::Level;
    for (i, pair) in cuts.windows(2).enumerate() {
        let (slope, next) = (&pair[0], &pair[1]);
        if !is_slope(slope) {
            continue;
        }
        if is_slope(next) {
            if kind(slope) == kind(next) {
                return Some((i, i + 1, Becomes::Slope));
            }
            if slope.len().max(next.len()) <= brief {
                return Some((i, i + 1, Becomes::Level));
            }
            continue;
        }
        let Some(third) = cuts.get(i + 2) else {
            continue;
        };
        let goes_on = (third.middle - next.middle) * slope.change > 0.0;
        if kind(third) == kind(slope) && next.len() < slope.len() + third.len() {
            return Some((i, i + 2, Becomes::Slope));
        }
        if !is_slope(third) && goes_on && next.len() < slope.len() {
            return Some((i, i + 1, Becomes::Slope));
        }
    }
    None
}

/// Returns a slope beside a longer level that lies in the slope's own middle: it leads nowhere.
fn aimless(cuts: &[Stretch]) -> Option<(usize, usize, Becomes)> {
    let leads_nowhere = |slope: &Stretch, level: &Stretch| {
        kind(slope) != LevelKind::Level
            && kind(level) == LevelKind::Level
            && slope.len() < level.len()
            && (slope.middle - level.middle).abs() < slope.change.abs() / 4.0
    };
    let pairs = cuts.windows(2);
    pairs
        .enumerate()
        .find(|(_, p)| leads_nowhere(&p[0], &p[1]) || leads_nowhere(&p[1], &p[0]))
        .map(|(i, _)| (i, i + 1, Becomes::Level))
}

/// Returns a level of less than five minutes whose middle lies within the scatter of a longer level
/// beside it: at least a twentieth of that level's samples lie further out on each side. Not if it
/// is much calmer: a drive that writes evenly before it begins to swing has a step there.
fn lost_in_scatter(curve: &Curve, cuts: &[Stretch]) -> Option<(usize, usize, Becomes)> {
    const SHORT: usize = 300;
    let lost = |at: &Stretch, long: &Stretch| {
        let levels = [at, long].iter().all(|s| kind(s) == LevelKind::Level);
        if !levels || at.len() >= SHORT || at.len() > long.len() {
            return false;
        }
        let mut values = curve.logs()[long.from..long.to].to_vec();
        values.sort_unstable_by(f64::total_cmp);
        let part = values.len() / 20;
        let within = values[part] <= at.middle && at.middle <= values[values.len() - 1 - part];
        within && 2.0 * at.scatter >= long.scatter
    };
    let pairs = cuts.windows(2);
    pairs
        .enumerate()
        .find(|(_, p)| lost(&p[0], &p[1]) || lost(&p[1], &p[0]))
        .map(|(i, _)| (i, i + 1, Becomes::Level))
}

/// Returns a brief stretch at the end of the curve, after one twenty times as long: too little of
/// it was measured.
fn trailing(cuts: &[Stretch], brief: usize) -> Option<(usize, usize, Becomes)> {
    let [.., before, last] = cuts else {
        return None;
    };
    let short = last.len() <= brief && last.len() * 20 <= before.len();
    let becomes = match kind(before) {
        LevelKind::Level => Becomes::Level,
        _ => Becomes::Slope,
    };
    short.then(|| (cuts.len() - 2, cuts.len() - 1, becomes))
}

/// Returns a short level passed through on the way from a long one to the next stretch, in one
/// direction: it becomes part of the slope that follows, or of the nearer level.
fn passing(cuts: &[Stretch]) -> Option<(usize, usize, Becomes)> {
    for i in 1..cuts.len().saturating_sub(1) {
        let [before, at, after] = [&cuts[i - 1], &cuts[i], &cuts[i + 1]];
        let (first, second) = (at.middle - before.middle, after.middle - at.middle);
        let short = at.len() * 20 <= before.len() && at.len() * 4 <= after.len();
        if kind(at) != LevelKind::Level || !short || first * second <= 0.0 {
            continue;
        }
        return Some(match kind(after) {
            LevelKind::Level if first.abs() < second.abs() => (i - 1, i, Becomes::Level),
            LevelKind::Level => (i, i + 1, Becomes::Level),
            _ => (i, i + 1, Becomes::Slope),
        });
    }
    None
}

/// Locates the change from one speed to another between samples `index - 1` and `index`, within the
/// two, from the work done in them at the speeds before and after. Returns s and bytes written.
pub(crate) fn crossing(
    samples: &[Sample],
    interval_s: f64,
    index: usize,
    iops_before: f64,
    iops_after: f64,
) -> (f64, u64) {
    let start = index.checked_sub(2).map(|i| samples[i]);
    let (from_s, from_bytes) = start.map_or((0.0, 0), |s| (s.t_s, s.written_bytes));
    let (to_s, to_bytes) = (samples[index].t_s, samples[index].written_bytes);
    let done = (samples[index - 1].iops + samples[index].iops) * interval_s;
    let span_s = to_s - from_s;
    let difference = iops_before - iops_after;
    if difference == 0.0 {
        return (samples[index - 1].t_s, samples[index - 1].written_bytes);
    }
    let before_s = ((done - iops_after * span_s) / difference).clamp(0.0, span_s);
    let (left, right) = (iops_before * before_s, iops_after * (span_s - before_s));
    let share = left / (left + right).max(f64::MIN_POSITIVE);
    let bytes = (to_bytes.saturating_sub(from_bytes)) as f64 * share;
    (from_s + before_s, from_bytes + bytes as u64)
}

/// A curve with the context that describes its stretches.
struct Whole<'a> {
    samples: &'a [Sample],
    interval_s: f64,
    end: f64,
}

impl Whole<'_> {
    fn levels(&self, stretches: &[Stretch]) -> Vec<Level> {
        let mut levels: Vec<Level> = stretches.iter().map(|s| self.level(s)).collect();
        for i in 1..levels.len() {
            let index = stretches[i].from;
            let (before, after) = (levels[i - 1].iops_to, levels[i].iops_from);
            // Slopes have no sharp start or end.
            let sharp = (before / after).ln().abs() >= STEP_RATIO.ln();
            let (at_s, at_bytes) = if sharp {
                crossing(self.samples, self.interval_s, index, before, after)
            } else {
                let sample = &self.samples[index - 1];
                (sample.t_s, sample.written_bytes)
            };
            // Stretches are at least three samples long; a crossing moves by one.
            levels[i - 1].to_s = at_s;
            levels[i - 1].to_bytes = at_bytes;
            levels[i].from_s = at_s;
            levels[i].from_bytes = at_bytes;
        }
        levels
    }

    fn level(&self, stretch: &Stretch) -> Level {
        let (from, to) = (stretch.from, stretch.to);
        let kind = kind(stretch);
        let all = &self.samples[from..to];
        // Samples at a cut may belong to both sides.
        let inner = match all.len() {
            0..4 => all,
            n => &all[usize::from(from > 0)..n - usize::from(to < self.samples.len())],
        };
        let iops: Vec<f64> = inner.iter().map(|s| s.iops).collect();
        let mean = iops.iter().sum::<f64>() / iops.len() as f64;
        let last = to == self.samples.len();
        let ends = |part: &[f64]| median(&mut part.to_vec());
        let five = iops.len().min(5);
        let (iops_from, iops_to) = match kind {
            LevelKind::Level => (mean, mean),
            _ => (ends(&iops[..five]), ends(&iops[iops.len() - five..])),
        };
        let iops_to = if last { self.end } else { iops_to };
        let start = from.checked_sub(1).map(|i| self.samples[i]);
        Level {
            kind,
            from_bytes: start.map_or(0, |s| s.written_bytes),
            to_bytes: self.samples[to - 1].written_bytes,
            from_s: start.map_or(0.0, |s| s.t_s),
            to_s: self.samples[to - 1].t_s,
            iops_mean: mean,
            iops_from,
            iops_to,
            iops_scatter_percent: scatter_percent(inner, kind),
        }
    }
}

fn scatter_percent(samples: &[Sample], kind: LevelKind) -> f64 {
    let middles = match kind {
        LevelKind::Level => {
            let mut iops: Vec<f64> = samples.iter().map(|s| s.iops).collect();
            vec![median(&mut iops); samples.len()]
        }
        _ => moving_mean(samples, 30.0),
    };
    let mut shares: Vec<f64> = samples
        .iter()
        .zip(middles)
        .map(|(s, m)| s.iops / m.max(f64::MIN_POSITIVE))
        .collect();
    shares.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| shares[((shares.len() - 1) as f64 * share).round() as usize];
    50.0 * (at(0.84) - at(0.16))
}
