//! Repeated tests: their means, and the intervals of these.

use stend_language::text;
use stend_record::benchmark::BenchmarkCell;
use stend_record::figure::{FigureId, RepeatedFigure};
use stend_record::histogram;
use stend_record::latency::LatencyHalfWidths;
use stend_record::review::{LatencySummary, Point, PointPart, Results, SyncPoint, TestResult};
use stend_record::traces::TraceResult;

use crate::figures::{Interval, Unit, mean};
use crate::kinds::sync::{is_same, sync_points_of};
use crate::kinds::{figure_title, named_figures};
use crate::words;

/// Returns the mean of a figure over some items.
fn mean_of<T>(items: &[&T], figure: impl Fn(&T) -> f64) -> f64 {
    let values: Vec<f64> = items.iter().map(|item| figure(item)).collect();
    mean(&values)
}

/// Merges the repetitions of a test. Points, cells of benchmarks, durable writes, traces and work
/// on files become means; curves and everything else are those of the first repetition. The values
/// of all repetitions are kept for key figures and for the speeds of the former.
///
/// # Panics
/// If there is no repetition.
pub fn merged(repetitions: &[&TestResult]) -> TestResult {
    let first = repetitions[0];
    let mut test = TestResult {
        repetition: None,
        repeated: key_figures(repetitions),
        ..first.clone()
    };
    if let Some(results) = &mut test.results {
        average_results(results, repetitions);
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

/// Figures of a table's row that are averaged.
#[derive(Default)]
struct Row<'t> {
    numbers: Vec<&'t mut f64>,
    latencies: Vec<&'t mut LatencySummary>,
    /// Lists for the values of a number, by its index in `numbers`.
    kept: Vec<(usize, &'t mut Vec<f64>)>,
}

/// Replaces the first repetition's figures by means, in results that consist of rows.
fn average_results(results: &mut Results, all: &[&TestResult]) {
    match results {
        Results::Points(points) => average_points(points, &lists(all, TestResult::points)),
        Results::Benchmark(cells) => average(
            cells,
            &lists(all, TestResult::benchmark),
            |a, b| (&a.row, a.load) == (&b.row, b.load),
            cell_row,
        ),
        Results::Files(works) => average(
            works,
            &lists(all, TestResult::files),
            |a, b| (&a.set, a.op, a.set_bytes) == (&b.set, b.op, b.set_bytes),
            |work| Row {
                numbers: vec![&mut work.bw_bytes_per_s, &mut work.duration_s],
                kept: vec![
                    (0, &mut work.repeated_bw_bytes_per_s),
                    (1, &mut work.repeated_duration_s),
                ],
                ..Row::default()
            },
        ),
        Results::Traces(traces) => {
            average(
                &mut traces.traces,
                &lists(all, TestResult::traces),
                |a, b| a.name == b.name,
                trace_row,
            );
            let overall = all.iter().map(|test| test.overall_bw_bytes_per_s());
            let overall: Option<Vec<f64>> = overall.collect();
            traces.overall_bw_bytes_per_s = overall.map(|all| mean(&all));
        }
        Results::Sync(points) => average(points, &lists(all, sync_points_of), is_same, sync_row),
        _ => {}
    }
}

/// Returns the lists of all repetitions.
fn lists<'t, T>(all: &[&'t TestResult], of: fn(&'t TestResult) -> &'t [T]) -> Vec<&'t [T]> {
    all.iter().map(|test| of(test)).collect()
}

fn average_points(points: &mut [Point], all: &[&[Point]]) {
    for (at, point) in points.iter_mut().enumerate() {
        let same: Option<Vec<&Point>> = all.iter().map(|list| list.get(at)).collect();
        let same = same.filter(|same| same.iter().all(|other| other.load == point.load));
        if let Some(same) = same {
            *point = merged_point(&same);
        }
    }
}

fn cell_row(cell: &mut BenchmarkCell) -> Row<'_> {
    let speeds = [&mut cell.best_bw_bytes_per_s, &mut cell.best_iops];
    let figures = speeds.into_iter().chain([&mut cell.best_mean_latency_ns]);
    Row {
        numbers: figures.collect(),
        kept: vec![
            (0, &mut cell.repeated_bw_bytes_per_s),
            (2, &mut cell.repeated_mean_latency_ns),
        ],
        ..Row::default()
    }
}

fn trace_row(trace: &mut TraceResult) -> Row<'_> {
    let speeds = [&mut trace.bw_bytes_per_s, &mut trace.iops];
    let times = [&mut trace.busy_s, &mut trace.elapsed_s];
    let figures = speeds.into_iter().chain(times);
    let figures = figures.chain(&mut trace.write_amplification);
    let latencies = [&mut trace.read_latency_ns, &mut trace.write_latency_ns];
    Row {
        numbers: figures.collect(),
        latencies: latencies.into_iter().flatten().collect(),
        kept: vec![
            (0, &mut trace.repeated_bw_bytes_per_s),
            (2, &mut trace.repeated_busy_s),
            (3, &mut trace.repeated_elapsed_s),
            (4, &mut trace.repeated_write_amplification),
        ],
    }
}

fn sync_row(point: &mut SyncPoint) -> Row<'_> {
    let mut row: Row<'_> = Row::default();
    for stream in &mut point.streams {
        let kept = (row.numbers.len(), &mut stream.repeated_writes_per_s);
        row.kept.push(kept);
        row.numbers
            .extend([&mut stream.writes_per_s, &mut stream.iops]);
        row.numbers
            .extend([&mut stream.commits_per_s, &mut stream.bw_bytes_per_s]);
        row.latencies.extend(&mut stream.read_latency_ns);
        row.latencies.extend(&mut stream.write_latency_ns);
        row.latencies.extend(&mut stream.sync_latency_ns);
    }
    row
}

/// Averages the rows of a list over all repetitions if all have the same row.
fn average<T: Clone>(
    own: &mut [T],
    all: &[&[T]],
    is_same: impl Fn(&T, &T) -> bool,
    figures: impl for<'t> Fn(&'t mut T) -> Row<'t>,
) {
    for (at, row) in own.iter_mut().enumerate() {
        let same: Option<Vec<T>> = all.iter().map(|list| list.get(at).cloned()).collect();
        let Some(mut same) = same.filter(|same| same.iter().all(|other| is_same(other, row)))
        else {
            continue;
        };
        let same: Vec<Row<'_>> = same.iter_mut().map(&figures).collect();
        let values_of = |nth: usize| -> Option<Vec<f64>> {
            let values = same.iter();
            values.map(|r| r.numbers.get(nth).map(|n| **n)).collect()
        };
        let own = figures(row);
        for (nth, kept) in own.kept {
            *kept = values_of(nth).unwrap_or_default();
        }
        for (nth, number) in own.numbers.into_iter().enumerate() {
            *number = values_of(nth).map_or(*number, |values| mean(&values));
        }
        for (nth, latency) in own.latencies.into_iter().enumerate() {
            let values = same.iter().map(|r| r.latencies.get(nth).map(|l| **l));
            let values: Option<Vec<_>> = values.collect();
            *latency = values.map_or(*latency, |values| merged_latency(&values));
        }
    }
}

fn key_figures(repetitions: &[&TestResult]) -> Vec<RepeatedFigure> {
    let all: Vec<_> = repetitions.iter().map(|test| named_figures(test)).collect();
    let of_first = all[0].iter().filter_map(|(figure, _, unit)| {
        let value = |list: &Vec<(FigureId, f64, Unit)>| {
            let mut same = list.iter().filter(|f| f.0 == *figure && f.2 == *unit);
            same.next().map(|(_, value, _)| *value)
        };
        let values: Option<Vec<f64>> = all.iter().map(value).collect();
        Some(RepeatedFigure {
            figure: figure.clone(),
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
            repeated_iops: same.iter().map(|part| part.iops).collect(),
            bw_bytes_per_s: mean_of(&same, |part| part.bw_bytes_per_s),
            latency_ns: merged_latency(&latencies),
        }
    });
    let cpu: Option<Vec<f64>> = all.iter().map(|point| point.cpu_ns_per_request).collect();
    let power: Option<Vec<f64>> = all.iter().map(|point| point.power_w).collect();
    let texts: Option<Vec<&str>> = all.iter().map(|p| p.latency_histogram.as_deref()).collect();
    Point {
        iops: mean_of(all, |point| point.iops),
        bw_bytes_per_s: mean_of(all, |point| point.bw_bytes_per_s),
        cpu_ns_per_request: cpu.map(|cpu| mean(&cpu)),
        power_w: power.map(|power| mean(&power)),
        latency_ns: latencies(&|point| point.latency_ns),
        latency_histogram: texts.and_then(|texts| histogram::sum(&texts).ok()),
        parts: parts.collect(),
        repeated_iops: all.iter().map(|point| point.iops).collect(),
        repeated_latency_mean_ns: all.iter().map(|point| point.latency_ns.mean).collect(),
        ..first.clone()
    }
}

/// Merges latencies: the mean of each figure with its interval, the sum of the requests, and the
/// slowest request.
fn merged_latency(all: &[LatencySummary]) -> LatencySummary {
    let items: Vec<&LatencySummary> = all.iter().collect();
    let whole = |figure: fn(&LatencySummary) -> u64| mean_of(&items, |l| figure(l) as f64) as u64;
    let known = all.iter().all(|latency| latency.requests > 0);
    let means = LatencySummary::new(
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
    );
    LatencySummary {
        half_widths: half_widths(all),
        ..means
    }
}

fn half_widths(all: &[LatencySummary]) -> Option<LatencyHalfWidths> {
    let of = |figure: fn(&LatencySummary) -> f64| {
        let values: Vec<f64> = all.iter().map(figure).collect();
        Interval::of(&values).map(|interval| interval.half_width)
    };
    Some(LatencyHalfWidths {
        mean: of(|l| l.mean)?,
        p50: of(|l| l.p50 as f64)?,
        p99: of(|l| l.p99 as f64)?,
        p99_9: of(|l| l.p99_9 as f64)?,
        p99_99: of(|l| l.p99_99 as f64)?,
        p99_999: of(|l| l.p99_999 as f64)?,
    })
}

/// Formats the intervals of a repeated test's key figures as one line for a terminal, with a line
/// end; empty for a test that was carried out once.
pub fn line(test: &TestResult) -> String {
    let of = |figure: &RepeatedFigure| {
        Some((figure_title(&figure.figure), Interval::of(&figure.values)?))
    };
    let all: Vec<(String, Interval)> = test.repeated.iter().filter_map(of).collect();
    let Some(count) = test.repeated.first().map(|figure| figure.values.len()) else {
        return String::new();
    };
    if all.iter().all(|(_, interval)| interval.half_width == 0.0) {
        return format!("  {}\n", text!("repeated-same", count = count));
    }
    let items = all.iter().map(|(name, interval)| {
        let share = words::spread(interval.share());
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
    use stend_record::kinds::files::FileWork;
    use stend_record::review::{SyncStream, Traces};

    use super::*;

    #[test]
    fn rows_of_all_kinds_are_means() {
        let latency = |ns: u64| LatencySummary::new(1_000, ns as f64, ns, [ns; 5]);
        let of = |factor: f64| {
            let ns = (100.0 * factor) as u64;
            let cell = BenchmarkCell {
                best_bw_bytes_per_s: 40.0 * factor,
                best_iops: 10.0 * factor,
                best_mean_latency_ns: 5.0 * factor,
                ..BenchmarkCell::default()
            };
            let work = FileWork {
                duration_s: 2.0 * factor,
                bw_bytes_per_s: 3.0 * factor,
                ..FileWork::default()
            };
            let stream = SyncStream {
                writes_per_s: 7.0 * factor,
                write_latency_ns: Some(latency(ns)),
                ..SyncStream::default()
            };
            let traces = Traces {
                traces: Vec::new(),
                overall_bw_bytes_per_s: Some(factor),
            };
            let point = SyncPoint {
                streams: vec![stream],
                ..SyncPoint::default()
            };
            let all = [
                Results::Benchmark(vec![cell]),
                Results::Files(vec![work]),
                Results::Sync(vec![point]),
                Results::Traces(traces),
            ];
            all.map(|results| TestResult {
                results: Some(results),
                ..TestResult::default()
            })
        };
        let (ones, threes) = (of(1.0), of(3.0));
        let mut expected = of(2.0);
        // For each speed, the value of each repetition is kept.
        expected[0].benchmark_mut()[0].repeated_bw_bytes_per_s = vec![40.0, 120.0];
        expected[0].benchmark_mut()[0].repeated_mean_latency_ns = vec![5.0, 15.0];
        expected[1].files_mut()[0].repeated_bw_bytes_per_s = vec![3.0, 9.0];
        expected[1].files_mut()[0].repeated_duration_s = vec![2.0, 6.0];
        let stream = &mut expected[2].sync_mut()[0].streams[0];
        stream.repeated_writes_per_s = vec![7.0, 21.0];
        stream.write_latency_ns = Some(merged_latency(&[latency(100), latency(300)]));
        for ((one, three), expected) in ones.iter().zip(&threes).zip(&expected) {
            assert_eq!(merged(&[one, three]).results, expected.results);
        }
        // Rows that another repetition lacks keep the first repetition's figures.
        let [_, one, ..] = &ones;
        let [_, mut other, ..] = threes;
        other.files_mut()[0].set = "other".to_owned();
        assert_eq!(merged(&[one, &other]).results, one.results);
    }

    #[test]
    fn latencies_are_means_of_all_requests() {
        let of = |requests, ns: u64| {
            LatencySummary::new(requests, ns as f64, 3 * ns, [ns, ns, ns, 2 * ns, 2 * ns])
        };
        let both = merged_latency(&[of(600, 100), of(500, 200)]);
        // For two values, t is 12.706, and the standard error is half of their difference.
        let half = both.half_widths.expect("intervals");
        let expected = [635.3, 635.3, 635.3, 635.3, 1_270.6, 1_270.6];
        let widths = [half.mean].into_iter().chain(half.percentiles());
        for (width, expected) in widths.zip(expected) {
            assert!((width - expected).abs() < 0.1, "{half:?}");
        }
        let without = LatencySummary {
            half_widths: None,
            ..both
        };
        assert_eq!(
            without,
            LatencySummary::new(1_100, 150.0, 600, [150, 150, 150, 300, 300])
        );
        assert_eq!(merged_latency(&[of(600, 100)]).half_widths, None);
        assert_eq!(merged_latency(&[of(600, 100), of(0, 200)]).requests, 0);
    }
}
