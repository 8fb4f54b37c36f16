//! Tests that were carried out several times: their means, and how sure these are.

use stend_language::{Language, say, text, within};
use stend_record::histogram;
use stend_record::kinds::RepeatedFigure;
use stend_record::review::{LatencySummary, Point, PointPart, TestResult};

use crate::figures::{Interval, Unit, mean};
use crate::kinds::{named_figures, titled_figures};
use crate::load::points_of;
use crate::words;

/// The mean of a figure of some items.
fn mean_of<T>(items: &[&T], figure: impl Fn(&T) -> f64) -> f64 {
    let values: Vec<f64> = items.iter().map(|item| figure(item)).collect();
    mean(&values)
}

/// One test of what its repetitions measured, the first of which comes first: points are means,
/// all else is the first repetition's; of key figures and of points each repetition's value is
/// kept.
///
/// # Panics
/// Without a repetition.
pub fn merged(repetitions: &[&TestResult]) -> TestResult {
    let first = repetitions[0];
    let mut test = TestResult {
        repetition: None,
        repeated: key_figures(repetitions),
        ..first.clone()
    };
    let points: Vec<&[Point]> = repetitions.iter().map(|test| points_of(test)).collect();
    for (at, point) in test.points.iter_mut().flatten().enumerate() {
        let same: Option<Vec<&Point>> = points.iter().map(|list| list.get(at)).collect();
        let same = same.filter(|same| same.iter().all(|other| other.load == point.load));
        if let Some(same) = same {
            *point = merged_point(&same);
        }
    }
    for other in &repetitions[1..] {
        for warning in &other.warnings {
            if !test.warnings.contains(warning) {
                test.warnings.push(warning.clone());
            }
        }
    }
    test
}

fn key_figures(repetitions: &[&TestResult]) -> Vec<RepeatedFigure> {
    // A review keeps them in English.
    let named = |test: &&TestResult| within(Language::English, || named_figures(test));
    let all: Vec<_> = repetitions.iter().map(named).collect();
    let of_first = all[0].iter().filter_map(|(name, _, unit)| {
        let value = |list: &Vec<(String, f64, Unit)>| {
            let mut same = list.iter().filter(|f| f.0 == *name && f.2 == *unit);
            same.next().map(|(_, value, _)| *value)
        };
        let values: Option<Vec<f64>> = all.iter().map(value).collect();
        Some(RepeatedFigure {
            name: name.clone(),
            unit: unit.key().to_owned(),
            values: values?,
        })
    });
    of_first.collect()
}

fn merged_point(all: &[&Point]) -> Point {
    let latencies = |of: &dyn Fn(&Point) -> LatencySummary| {
        let list: Vec<LatencySummary> = all.iter().map(|point| of(point)).collect();
        merged_latency(&list)
    };
    let first = all[0];
    let parts = first.parts.iter().enumerate().map(|(at, part)| {
        let same: Option<Vec<&PointPart>> = all.iter().map(|point| point.parts.get(at)).collect();
        let Some(same) = same else {
            return part.clone();
        };
        let latencies: Vec<LatencySummary> = same.iter().map(|part| part.latency_ns).collect();
        PointPart {
            op: part.op,
            iops: mean_of(&same, |part| part.iops),
            bw_bytes_per_s: mean_of(&same, |part| part.bw_bytes_per_s),
            latency_ns: merged_latency(&latencies),
        }
    });
    let cpu: Option<Vec<f64>> = all.iter().map(|point| point.cpu_ns_per_request).collect();
    let texts: Option<Vec<&str>> = all.iter().map(|p| p.latency_histogram.as_deref()).collect();
    Point {
        iops: mean_of(all, |point| point.iops),
        bw_bytes_per_s: mean_of(all, |point| point.bw_bytes_per_s),
        cpu_ns_per_request: cpu.map(|cpu| mean(&cpu)),
        latency_ns: latencies(&|point| point.latency_ns),
        latency_histogram: texts.and_then(|texts| histogram::sum(&texts).ok()),
        parts: parts.collect(),
        repeated_iops: all.iter().map(|point| point.iops).collect(),
        repeated_latency_mean_ns: all.iter().map(|point| point.latency_ns.mean).collect(),
        ..first.clone()
    }
}

/// Means of each figure, the sum of the requests and the largest of all.
fn merged_latency(all: &[LatencySummary]) -> LatencySummary {
    let items: Vec<&LatencySummary> = all.iter().collect();
    let whole = |figure: fn(&LatencySummary) -> u64| mean_of(&items, |l| figure(l) as f64) as u64;
    let known = all.iter().all(|latency| latency.requests > 0);
    LatencySummary::new(
        all.iter().map(|l| l.requests).sum::<u64>() * u64::from(known),
        mean_of(&items, |l| l.mean),
        all.iter().map(|l| l.max).max().unwrap_or(0),
        [
            whole(|l| l.p50),
            whole(|l| l.p99),
            whole(|l| l.p99_9),
            whole(|l| l.p99_99),
            whole(|l| l.p99_999),
        ],
    )
}

/// How sure the key figures of a repeated test are, for a terminal: one line, ended; nothing of a
/// test that was carried out once.
pub fn line(test: &TestResult) -> String {
    let titles: Vec<_> = titled_figures(test).collect();
    let of = |figure: &RepeatedFigure| {
        let title = titles.iter().find(|((name, ..), _)| *name == figure.name);
        let title = title.map_or(&figure.name, |(_, title)| title);
        Some((title.clone(), Interval::of(&figure.values)?))
    };
    let all: Vec<(String, Interval)> = test.repeated.iter().filter_map(of).collect();
    let Some(count) = test.repeated.first().map(|figure| figure.values.len()) else {
        return String::new();
    };
    if all.iter().all(|(_, interval)| interval.half_width == 0.0) {
        return format!("  {}\n", text!("repeated-same", count = count));
    }
    let items = all.iter().map(|(name, interval)| {
        let share = match interval.share() {
            share if share > 0.0 && share < 0.000_5 => say("repeated-little"),
            share => words::percent(share),
        };
        format!("{} ± {share}", words::uncapitalised(name))
    });
    let items: Vec<String> = items.collect();
    let figures = items.join("; ");
    format!(
        "  {}\n",
        text!("repeated-means", count = count, figures = figures)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_means_of_all_requests() {
        let of = |requests, ns: u64| {
            LatencySummary::new(requests, ns as f64, 3 * ns, [ns, ns, ns, 2 * ns, 2 * ns])
        };
        let both = merged_latency(&[of(600, 100), of(500, 200)]);
        assert_eq!(
            both,
            LatencySummary::new(1_100, 150.0, 600, [150, 150, 150, 300, 300])
        );
        assert_eq!(merged_latency(&[of(600, 100), of(0, 200)]).requests, 0);
    }
}
