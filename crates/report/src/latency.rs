//! Latency distributions: a cumulative chart, and a table of percentiles.

mod axis;

use stend_language::{numeral, say};
use stend_record::histogram::cumulative;
use stend_record::review::LatencySummary;

use crate::chart::{Axis, Chart, Coordinate, Role, Scale, Trace, Values};
use crate::number;
use crate::view::{Cell, Compared, Table};

pub use axis::{Form, Side, axis};

/// Most points of a cumulative distribution: a line needs no more.
const CUMULATIVE_MAX: usize = 120;

/// A distribution with its name.
#[derive(Clone)]
pub struct Row<'a> {
    /// Name of its load, its curve, or its drive.
    pub name: String,
    /// Its percentiles.
    pub latency: &'a LatencySummary,
    /// The whole distribution, as an HdrHistogram in base64.
    pub histogram: Option<&'a str>,
    /// Processor time of a request, ns.
    pub cpu_ns: Option<f64>,
}

/// Returns the mean, the percentiles for which there are enough requests, and the slowest, ns, with
/// their names.
pub fn percentiles(latency: &LatencySummary) -> [(String, Option<f64>); 7] {
    let [p50, p99, p99_9, p99_99, p99_999] = latency.percentiles().map(|(percent, value)| {
        let name = share_words(percent);
        (name, value.map(|ns| ns as f64))
    });
    let named = |name: &str, ns: f64| (say(name), Some(ns));
    [
        named("word-mean", latency.mean),
        p50,
        p99,
        p99_9,
        p99_99,
        p99_999,
        named("word-max", latency.max as f64),
    ]
}

/// Returns half the widths of the 95 % intervals of [`percentiles`], ns; the slowest has none.
fn half_widths(latency: &LatencySummary) -> [Option<f64>; 7] {
    let of = |at: usize| {
        let half = latency.half_widths?;
        match at {
            0 => Some(half.mean),
            _ => half.percentiles().get(at - 1).copied(),
        }
    };
    std::array::from_fn(of)
}

/// Formats `99.9 %`.
fn share_words(percent: f64) -> String {
    let figure = number::significant(percent, 8).to_string();
    format!("{}\u{a0}%", numeral(&figure))
}

/// Returns a position on a logarithmic latency axis, µs; 0 has none.
pub fn place_us(ns: f64) -> Option<f64> {
    (ns > 0.0).then_some(ns / 1e3)
}

/// Draws whole distributions, one line each: cumulative if the histograms were kept.
pub fn chart(title: String, lines: &[Row<'_>]) -> Chart {
    match cumulative_traces(lines) {
        Some(traces) => cumulative_chart(title, traces),
        None => percentile_chart(title, lines),
    }
}

/// Returns `None` if a histogram is missing or cannot be read.
fn cumulative_traces(lines: &[Row<'_>]) -> Option<Vec<Trace>> {
    let trace = |(slot, line): (usize, &Row<'_>)| {
        let points = cumulative(line.histogram?, CUMULATIVE_MAX).ok()?;
        // Above this share the next run would differ; 1 is on no logarithmic axis.
        let enough = match line.latency.requests {
            0 => 1.0 - 1e-5,
            requests => 1.0 - (10.0 / requests as f64).clamp(1e-9, 0.5),
        };
        let within = points.iter().take_while(|p| p.share < enough).count();
        // The line rises at the fastest request, and ends where there are too few requests.
        let first = points.first().map(|p| (p.latency_ns, 0.0));
        let rising = points.iter().take(within + 1);
        let rising = rising.map(|p| (p.latency_ns, p.share.min(enough)));
        let points = first.into_iter().chain(rising);
        let points = points.map(|(ns, share)| (ns as f64 / 1e3, 1.0 - share));
        Some(Trace::through(line.name.clone(), slot, Role::Steps, points))
    };
    lines.iter().enumerate().map(trace).collect()
}

/// Draws latency along the axis, and upwards the share of requests that are faster, by nines.
fn cumulative_chart(title: String, mut traces: Vec<Trace>) -> Chart {
    let x = axis(&mut traces, Side::X, Form::Log);
    let shares = traces.iter().filter_map(|trace| match &trace.values {
        Values::Own { y, .. } => Some(y),
        Values::Curve { .. } => None,
    });
    let shares = shares.flatten().filter_map(|share| match share {
        Coordinate::Figure(share) => Some(*share),
        _ => None,
    });
    let least = shares.fold(0.5, f64::min).max(1e-9);
    let shares = [0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];
    let shares = shares.into_iter().filter(|share| *share >= least);
    let shares: Vec<f64> = shares.collect();
    let tick = |share: &f64| share_words(100.0 - 100.0 * share);
    Chart {
        title,
        x,
        y: Axis {
            scale: Scale::Log,
            tick_texts: shares.iter().map(tick).collect(),
            tick_values: shares,
            // The fastest requests are at the bottom.
            range: Some([1.0, least]),
            ..Axis::new(&say("axis-requests-faster"), "")
        },
        traces,
        ..Chart::default()
    }
}

fn percentile_chart(title: String, lines: &[Row<'_>]) -> Chart {
    let traces = lines.iter().enumerate().map(|(slot, line)| {
        // The mean is not a position in the distribution: only the table shows it.
        let places = &percentiles(line.latency)[1..];
        Trace::own(
            line.name.clone(),
            slot,
            Role::Line,
            places.iter().map(|(n, _)| Coordinate::Name(n.clone())),
            places.iter().map(|(_, ns)| ns.and_then(place_us).into()),
        )
    });
    let mut traces: Vec<Trace> = traces.collect();
    Chart {
        title,
        x: Axis {
            scale: Scale::Category,
            ..Axis::new(&say("axis-share-faster"), "")
        },
        y: axis(&mut traces, Side::Y, Form::Log),
        traces,
        ..Chart::default()
    }
}

/// Returns a table of distributions. A dozen rows can be read at a glance: more are folded.
pub fn table(caption: String, head: &str, rows: &[Row<'_>]) -> Table {
    let with_cpu = has_cpu_time(rows);
    let cells = rows.iter().map(|row| cells(row, with_cpu));
    let table = Table::new(caption, columns(head, with_cpu), cells);
    let table = table.comparing(Compared::BetweenTables(1));
    match rows.len() {
        0..=12 => table,
        _ => table.on_paper(),
    }
}

/// Returns a folded table of distributions in groups, each with its name; `None` without a group.
pub fn folded_table(caption: &str, head: &str, groups: &[(&str, Vec<Row<'_>>)]) -> Option<Table> {
    let with_cpu = groups.iter().any(|(_, rows)| has_cpu_time(rows));
    let rows = groups.iter().flat_map(|(name, rows)| {
        let cells = rows.iter().map(|row| cells(row, with_cpu));
        std::iter::once(vec![(*name).into()]).chain(cells)
    });
    let table = || Table::new(caption, columns(head, with_cpu), rows);
    (!groups.is_empty()).then(|| table().comparing(Compared::BetweenTables(1)).folded())
}

fn has_cpu_time(rows: &[Row<'_>]) -> bool {
    rows.iter().any(|row| row.cpu_ns.is_some())
}

fn columns(head: &str, with_cpu: bool) -> Vec<Cell> {
    let heads = percentiles(&LatencySummary::default()).map(|(name, _)| Cell::from(name));
    let cpu = with_cpu.then(|| Cell::noted(say("head-cpu"), say("head-cpu-note")));
    std::iter::once(head.into())
        .chain(heads)
        .chain(cpu)
        .collect()
}

fn cells(row: &Row<'_>, with_cpu: bool) -> Vec<Cell> {
    let halves = half_widths(row.latency);
    let figures = percentiles(row.latency).into_iter().zip(halves);
    let figures = figures.map(|((_, ns), half)| {
        let note = |ns: f64| number::half_width(half.map(|half| half / ns));
        let figure =
            |ns: f64| Cell::noted(number::latency(ns), note(ns).unwrap_or_default()).less(ns);
        ns.map(figure).into()
    });
    let cpu = with_cpu.then(|| row.cpu_ns.map(number::latency).into());
    let name = row.name.as_str().into();
    std::iter::once(name).chain(figures).chain(cpu).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_record::histogram::encode;

    #[test]
    fn a_distribution_rises_and_ends_where_requests_no_longer_suffice() {
        let histogram = |values: &[(u64, u64)]| encode(&values.iter().copied().collect());
        let (even, two) = (
            histogram(&[(1_000, 1_000)]),
            histogram(&[(1_000, 950), (2_000, 50)]),
        );
        let summary = LatencySummary {
            requests: 1_000,
            ..LatencySummary::default()
        };
        let row = |histogram| Row {
            name: "A".into(),
            latency: &summary,
            histogram: Some(histogram),
            cpu_ns: None,
        };
        let lines = cumulative_traces(&[row(even.as_str()), row(two.as_str())]).unwrap();
        let points = |trace: &Trace| match &trace.values {
            Values::Own { x, y } => x.iter().cloned().zip(y.iter().cloned()).collect(),
            Values::Curve { .. } => Vec::new(),
        };
        let at = |us, share| (Coordinate::Figure(us), Coordinate::Figure(share));
        // Ten of a thousand requests are slower than the last point.
        assert_eq!(points(&lines[0]), [at(1.0, 1.0), at(1.0, 0.01)]);
        let expected = [at(1.0, 1.0), at(1.0, 0.05), at(2.0, 0.01)];
        assert_eq!(points(&lines[1]), expected);
        assert!(cumulative_traces(&[row("no histogram")]).is_none());
    }
}
