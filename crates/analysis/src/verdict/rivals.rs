//! A drive's standing among its rivals, by areas: groups of headline figures.

use stend_record::review::{Review, TestResult};

use super::statement::{Standing, Statement};
use crate::figures::{Interval, LEVEL_SHARE};
use crate::findings::labels;
use crate::headline::{Group, Headline};
use crate::kinds::key_figures;

/// A drive within this ratio of the best of its rivals is level with them, as in the findings of a
/// test.
pub(super) const LEVEL_RATIO: f64 = 1.0 + LEVEL_SHARE;

/// Least lead at which one of several rivals is named.
pub(super) const OUTLIER_RATIO: f64 = 1.5;

const AREAS: [Group; 5] = [
    Group::Reads,
    Group::Writes,
    Group::Sustained,
    Group::Mixed,
    Group::Applications,
];

/// A drive's standing in an area.
#[derive(Clone, Copy)]
struct Stand {
    area: Group,
    /// The drive's speed as a multiple of the best rival's in each figure.
    ratio: f64,
    /// Up to this ratio, or down to its inverse, it is level with them.
    level_ratio: f64,
}

impl Stand {
    fn is_ahead(&self) -> bool {
        self.ratio > self.level_ratio
    }

    fn is_behind(&self) -> bool {
        self.ratio < 1.0 / self.level_ratio
    }
}

/// Returns the statements on rivals; empty if no rival has a figure.
pub(super) fn statements(review: &Review, headlines: &[Headline]) -> Vec<Statement> {
    let names = labels(review).split_off(1);
    let stand = |area: Group| {
        let ratio = mean(headlines, area, Headline::ratio)?;
        let scatter = scatter(review, headlines, area).unwrap_or_default();
        Some(Stand {
            area,
            ratio,
            level_ratio: LEVEL_RATIO.max(scatter.exp()),
        })
    };
    let areas: Vec<Stand> = AREAS.into_iter().filter_map(stand).collect();
    let Some(standing) = standing(&areas) else {
        return Vec::new();
    };
    let outlier = outlier(&names, headlines);
    let rivals = names;
    std::iter::once(Statement::Standing { rivals, standing })
        .chain(outlier)
        .collect()
}

/// Returns half the width of the 95 % interval of an area's mean, as a natural logarithm; `None` if
/// one of its figures was not repeated.
fn scatter(review: &Review, headlines: &[Headline], area: Group) -> Option<f64> {
    let rivals = review.rivals.iter().map(|rival| rival.tests.as_slice());
    let drives: Vec<&[TestResult]> = std::iter::once(review.tests.as_slice())
        .chain(rivals)
        .collect();
    let of_area = headlines
        .iter()
        .filter(|h| h.group == area && h.ratio().is_some());
    let (mut squares, mut count) = (0.0, 0);
    for headline in of_area {
        let best = headline.rivals_best()?;
        let best = headline
            .values
            .iter()
            .skip(1)
            .position(|value| *value == Some(best))?;
        for at in [0, best + 1] {
            let test = drives.get(at)?.iter().find(|t| t.id == headline.test_id)?;
            squares += half_share(test, headline.values[at]?)?.powi(2);
        }
        count += 1;
    }
    (count > 0).then(|| squares.sqrt() / f64::from(count))
}

/// Returns half the width of a repeated figure's 95 % interval, as a share of the figure.
fn half_share(test: &TestResult, value: f64) -> Option<f64> {
    let mut points = test.points().iter();
    let point = points.find(|p| p.iops == value || p.bw_bytes_per_s == value);
    let of_point = point.and_then(|p| Interval::of(&p.repeated_iops));
    of_point.map(|interval| interval.share()).or_else(|| {
        let figures = key_figures(std::slice::from_ref(test));
        let figure = figures.iter().find(|figure| figure.value == value)?;
        Some(figure.half_width? / figure.value)
    })
}

/// Returns the geometric mean of an area's ratios.
fn mean(
    headlines: &[Headline],
    area: Group,
    ratio: impl Fn(&Headline) -> Option<f64>,
) -> Option<f64> {
    let of_area = headlines.iter().filter(|headline| headline.group == area);
    let logs: Vec<f64> = of_area.filter_map(|h| Some(ratio(h)?.ln())).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

fn standing(areas: &[Stand]) -> Option<Standing> {
    let by_ratio = |a: &&Stand, b: &&Stand| a.ratio.total_cmp(&b.ratio);
    let told = |stand: &Stand| (stand.area, stand.ratio);
    // An area that is level is neither best nor worst, however far its mean is.
    let best = areas
        .iter()
        .filter(|stand| stand.is_ahead())
        .max_by(by_ratio);
    let worst = areas
        .iter()
        .filter(|stand| stand.is_behind())
        .min_by(by_ratio);
    if areas.is_empty() {
        return None;
    }
    Some(match (best, worst) {
        (None, None) => Standing::Level,
        (Some(best), None) => Standing::Ahead {
            throughout: areas.iter().all(Stand::is_ahead),
            most: told(best),
        },
        (None, Some(worst)) => Standing::Behind {
            throughout: areas.iter().all(Stand::is_behind),
            most: told(worst),
        },
        (Some(best), Some(worst)) => Standing::Mixed {
            ahead: told(best),
            behind: told(worst),
        },
    })
}

/// Returns, of several rivals, the one that is furthest ahead in an area.
fn outlier(names: &[String], headlines: &[Headline]) -> Option<Statement> {
    if names.len() < 2 {
        return None;
    }
    let all = names.iter().enumerate().flat_map(|(at, name)| {
        let lead = move |headline: &Headline| {
            let own = headline.values.first().copied().flatten()?;
            let theirs = headline.values.get(at + 1).copied().flatten()?;
            (own > 0.0 && theirs > 0.0).then(|| theirs / own)
        };
        AREAS
            .into_iter()
            .filter_map(move |area| Some((name, area, mean(headlines, area, lead)?)))
    });
    let (rival, area, ratio) = all.max_by(|a, b| a.2.total_cmp(&b.2))?;
    (ratio >= OUTLIER_RATIO).then(|| Statement::Outlier {
        rival: rival.clone(),
        area,
        ratio,
    })
}
