//! Tests that measured curves: every sample as a dot and the window means as a line,
//! over time and over data written.

use std::collections::BTreeMap;

use stend_record::review::{LatencySummary, Pattern, PointOp, Series, TestResult};

use crate::chart::{Along, Axis, ChartData, ChartKind, CurveData, Role, Scale, Trace, Values};
use crate::curve::{self, Facts, Window};
use crate::drive::{Drive, capitalised, curves_of, op_words, pattern_words};
use crate::latency;
use crate::number;
use crate::view::{Block, Cell, Draft, Folding, Table, Width};

/// A curve with its means, and where the page's data holds it.
struct Drawn<'a> {
    /// Name in the legend.
    name: String,
    series: &'a Series,
    means: Vec<Window>,
    /// Index into [`ChartData::curves`].
    curve: usize,
    /// Whether the samples are drawn as well.
    dots: bool,
    slot: usize,
}

impl Drawn<'_> {
    fn writes(&self) -> bool {
        let last = self.series.samples.last();
        last.is_some_and(|sample| sample.written_bytes > 0)
    }
}

/// Charts and tables of a test with curves. A single curve is drawn together with the
/// rivals'; several are drawn together for each drive, on the same axes.
pub fn blocks(
    test: &TestResult,
    drives: &[Drive<'_>],
    duration_scale: f64,
    data: &mut ChartData,
) -> Vec<Block> {
    let mut out = Vec::new();
    let single = curves_of(test).len() == 1;
    let groups: Vec<(String, Vec<Drawn<'_>>)> = if single {
        let name = &curves_of(test)[0].name;
        let found = drives.iter().enumerate().filter_map(|(slot, drive)| {
            Some((
                drive.label.clone(),
                slot,
                slot == 0,
                drive.curve(&test.id, name)?,
            ))
        });
        vec![(String::new(), draw(found, duration_scale, data))]
    } else {
        let per_drive = drives.iter().enumerate().filter_map(|(number, drive)| {
            let curves = curves_of(drive.test(&test.id)?);
            let named = curves
                .iter()
                .enumerate()
                .map(|(slot, series)| (series.name.clone(), slot, number == 0, series));
            let drawn = draw(named, duration_scale, data);
            Some((drive.label.clone(), drawn))
        });
        per_drive.collect()
    };
    let ranges = Ranges::over(groups.iter().flat_map(|(_, drawn)| drawn));
    for (label, drawn) in &groups {
        out.extend(group_blocks(label, drawn, &ranges, duration_scale, data));
    }
    out
}

fn draw<'a>(
    curves: impl Iterator<Item = (String, usize, bool, &'a Series)>,
    duration_scale: f64,
    data: &mut ChartData,
) -> Vec<Drawn<'a>> {
    let mut out = Vec::new();
    for (name, slot, dots, series) in curves {
        let window_s = curve::mean_window_s(series, duration_scale);
        let means = curve::windows(series, window_s);
        // Of rivals the means alone are drawn: their dots would cover the drive's.
        data.curves.push(CurveData::new(series, &means, dots));
        out.push(Drawn {
            name,
            series,
            means,
            curve: data.curves.len() - 1,
            dots,
            slot,
        });
    }
    out
}

/// The ends of the axes that all charts of a test share.
struct Ranges {
    t_s: f64,
    /// What the first dot stands at; infinite without dots.
    first_written_bytes: f64,
    written_bytes: f64,
    iops: f64,
}

/// A chart of curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Time,
    Written,
    /// Small steps at the beginning are a hair's breadth on an even axis.
    WrittenLog,
}

impl View {
    fn along(self) -> Along {
        match self {
            View::Time => Along::Time,
            View::Written | View::WrittenLog => Along::Written,
        }
    }

    fn words(self) -> &'static str {
        match self {
            View::Time => "time",
            View::Written => "data written",
            View::WrittenLog => "data written, logarithmic",
        }
    }
}

impl Ranges {
    fn over<'d>(drawn: impl Iterator<Item = &'d Drawn<'d>>) -> Ranges {
        let mut ranges = Ranges {
            t_s: 0.0,
            first_written_bytes: f64::INFINITY,
            written_bytes: 0.0,
            iops: 0.0,
        };
        for curve in drawn {
            if let Some(last) = curve.series.samples.last() {
                ranges.t_s = ranges.t_s.max(last.t_s);
                ranges.written_bytes = ranges.written_bytes.max(last.written_bytes as f64);
            }
            let speeds = curve.means.iter().map(|w| w.iops);
            let dots = || curve.series.samples.iter().filter(|_| curve.dots);
            ranges.iops = speeds
                .chain(dots().map(|s| s.iops))
                .fold(ranges.iops, f64::max);
            let first = dots().map(|s| s.written_bytes).find(|&bytes| bytes > 0);
            ranges.first_written_bytes = first.map_or(ranges.first_written_bytes, |bytes| {
                ranges.first_written_bytes.min(bytes as f64)
            });
        }
        ranges
    }

    /// The charts that are worth drawing of a group of curves.
    fn views(&self, drawn: &[Drawn<'_>]) -> Vec<View> {
        let mut views = vec![View::Time];
        if drawn.iter().any(Drawn::writes) {
            views.push(View::Written);
            // Over less than two decades the even axis shows as much.
            let decades = self.written_bytes > 100.0 * self.first_written_bytes;
            if decades && drawn.iter().any(|d| d.dots) {
                views.push(View::WrittenLog);
            }
        }
        views
    }
}

fn group_blocks(
    label: &str,
    drawn: &[Drawn<'_>],
    ranges: &Ranges,
    duration_scale: f64,
    data: &mut ChartData,
) -> Vec<Block> {
    let Some(first) = drawn.first() else {
        return Vec::new();
    };
    let suffix = match label {
        "" => String::new(),
        label => format!(": {label}"),
    };
    let mut figures = Vec::new();
    for view in ranges.views(drawn) {
        let title = format!(
            "{} against {}{suffix}",
            load_words(first.series),
            view.words()
        );
        let note = match view {
            View::Time => reading_note(drawn, duration_scale),
            View::Written => String::new(),
            View::WrittenLog => {
                "The same, with the beginning drawn wide: there the dots tell more than the means."
                    .into()
            }
        };
        // All of them show the same figures: one table under the last.
        figures.push(curve_chart(title, note, view, drawn, ranges).place(data, None));
    }
    let window_s = curve::mean_window_s(first.series, duration_scale);
    let speeds = Block {
        figures,
        tables: vec![
            facts_table(drawn, duration_scale),
            means_table(drawn, window_s),
        ],
    };
    vec![speeds, latency_block(drawn, &suffix, data)]
}

/// Latency over whole curves: a chart where the reviewed drive is among them, a table
/// in any case.
fn latency_block(drawn: &[Drawn<'_>], suffix: &str, data: &mut ChartData) -> Block {
    let rows: Vec<(String, &LatencySummary)> = drawn
        .iter()
        .map(|d| (d.name.clone(), &d.series.latency_ns))
        .collect();
    let reviewed = drawn.iter().any(|d| d.dots);
    let mut figures = Vec::new();
    if reviewed {
        let load = load_phrase(drawn[0].series);
        let title = format!("Latency of {load} by percentile{suffix}");
        figures.push(latency::chart(title, &rows).place(data, None));
    }
    let caption = format!("Completion latency over the whole curve{suffix}");
    let table = latency::table(caption, "Curve", rows);
    Block {
        figures,
        tables: vec![Table {
            folding: match reviewed {
                true => table.folding,
                false => Folding::Folded,
            },
            ..table
        }],
    }
}

fn load_phrase(series: &Series) -> String {
    let point = &series.point;
    format!(
        "{} {} {}",
        pattern_words(point.pattern),
        number::block(point.block_bytes),
        op_words(point.op)
    )
}

/// What a curve is of: `Random 4 KiB write, queue depth 32`.
fn load_words(series: &Series) -> String {
    format!(
        "{}, queue depth {},",
        capitalised(&load_phrase(series)),
        series.point.queue_depth
    )
}

fn reading_note(drawn: &[Drawn<'_>], duration_scale: f64) -> String {
    let first = drawn[0].series;
    let window = number::duration(curve::mean_window_s(first, duration_scale));
    let line = format!("Lines: the mean over {window}.");
    if drawn.iter().any(|d| d.dots) {
        let interval = number::duration(first.interval_s);
        let whose = match drawn.iter().all(|d| d.dots) {
            true => "",
            false => " of the reviewed drive",
        };
        format!("Dots: every sample{whose}, one for each {interval}. {line}")
    } else {
        format!("{line} Axes as in the charts of the reviewed drive.")
    }
}

/// Whether a curve is drawn in bytes a second: long or sequential requests are.
fn in_bandwidth(series: &Series) -> bool {
    const LARGE_BYTES: u64 = 64 << 10;
    series.point.pattern == Pattern::Sequential || series.point.block_bytes >= LARGE_BYTES
}

fn speed_axis(series: &Series, greatest_iops: f64) -> Axis {
    let (title, unit, multiply) = if in_bandwidth(series) {
        let mb = series.point.block_bytes as f64 / 1e6;
        ("MB/s (MB = 10⁶ bytes)", "MB/s", mb)
    } else {
        ("IOPS", "IOPS", 1.0)
    };
    // A twentieth above the highest dot.
    let top = number::significant(greatest_iops * multiply * 1.05, 3);
    Axis {
        title: title.into(),
        unit: unit.into(),
        range: (top > 0.0).then_some([0.0, top]),
        multiply: Some(multiply),
        ..Axis::default()
    }
}

fn time_axis(ranges: &Ranges) -> Axis {
    const MINUTE_S: f64 = 60.0;
    const HOUR_S: f64 = 3_600.0;
    let (title, unit, unit_s) = match ranges.t_s {
        t_s if t_s <= 5.0 * MINUTE_S => ("Time, s", "s", 1.0),
        t_s if t_s <= 5.0 * HOUR_S => ("Time, min", "min", MINUTE_S),
        _ => ("Time, h", "h", HOUR_S),
    };
    Axis {
        title: title.into(),
        unit: unit.into(),
        range: (ranges.t_s > 0.0).then_some([0.0, ranges.t_s / unit_s]),
        multiply: Some(1.0 / unit_s),
        ..Axis::default()
    }
}

fn written_axis(ranges: &Ranges) -> Axis {
    let end = ranges.written_bytes / 1e9;
    Axis {
        title: "Data written, GB (GB = 10⁹ bytes)".into(),
        unit: "GB".into(),
        range: (end > 0.0).then_some([0.0, end]),
        multiply: Some(1e-9),
        ..Axis::default()
    }
}

fn written_log_axis(ranges: &Ranges) -> Axis {
    let (start, end) = (ranges.first_written_bytes / 1e9, ranges.written_bytes / 1e9);
    // Ticks inside the axis, by 1, 2 and 5 however many decades there are.
    let ticks: Vec<f64> = (-9..=9)
        .flat_map(|exponent| [1, 2, 5].map(|digit| format!("{digit}e{exponent}")))
        .map(|text| text.parse::<f64>().expect("a decimal number is a number"))
        .filter(|tick| (start..=end).contains(tick))
        .collect();
    Axis {
        title: "Data written, GB (GB = 10⁹ bytes, logarithmic axis)".into(),
        scale: Scale::Log,
        // Room for the first dot.
        range: Some([start * 0.9, end]),
        tick_texts: ticks.iter().map(|&gb| number::factor(gb)).collect(),
        tick_values: ticks,
        ..written_axis(ranges)
    }
}

fn curve_chart(
    title: String,
    note: String,
    view: View,
    drawn: &[Drawn<'_>],
    ranges: &Ranges,
) -> Draft {
    let trace = |d: &Drawn<'_>, role| Trace {
        name: d.name.clone(),
        slot: d.slot,
        role,
        values: Values::Curve {
            curve: d.curve,
            along: view.along(),
        },
    };
    let dots = drawn
        .iter()
        .filter(|d| d.dots)
        .map(|d| trace(d, Role::Samples));
    let means = drawn.iter().map(|d| trace(d, Role::Means));
    Draft {
        title,
        note,
        kind: ChartKind::Dots,
        height_px: 440,
        wide: true,
        x: match view {
            View::Time => time_axis(ranges),
            View::Written => written_axis(ranges),
            View::WrittenLog => written_log_axis(ranges),
        },
        y: speed_axis(drawn[0].series, ranges.iops),
        // Lines over dots.
        traces: dots.chain(means).collect(),
    }
}

fn speed(series: &Series, iops: f64) -> Cell {
    let bw = number::mb_per_s(iops * series.point.block_bytes as f64);
    let iops = number::iops(iops);
    match in_bandwidth(series) {
        true => Cell::noted(bw, iops),
        false => Cell::noted(iops, bw),
    }
}

fn facts_table(drawn: &[Drawn<'_>], duration_scale: f64) -> Table {
    let facts: Vec<Option<Facts>> = drawn
        .iter()
        .map(|d| curve::facts(d.series, duration_scale))
        .collect();
    // Curves of one test are equally long: the first tells the lengths for the heads.
    let window = drawn.first().map_or(String::new(), |d| {
        number::duration(curve::mean_window_s(d.series, duration_scale))
    });
    let (start, end) = match facts.iter().flatten().next() {
        Some(f) => (number::duration(f.start_s), number::duration(f.end_s)),
        None => (String::new(), String::new()),
    };
    let columns = [
        "Curve".into(),
        Cell::noted("Start", format!("mean of the first {start}")),
        Cell::noted("End", format!("mean of the last {end}")),
        Cell::noted(
            "Spread",
            format!("90\u{a0}% of the samples of the last {end}"),
        ),
        "Mean".into(),
        Cell::noted("Lowest", format!("mean over {window}")),
        Cell::noted("Highest", format!("mean over {window}")),
        "Written".into(),
        "Time".into(),
        "Samples".into(),
    ];
    let rows = drawn.iter().zip(&facts).map(|(d, facts)| {
        let Some(f) = facts else {
            return vec![d.name.as_str().into(), "no sample".into()];
        };
        let spread = Cell::noted(
            speed(d.series, f.end_p5_iops).text,
            format!("to {}", speed(d.series, f.end_p95_iops).text),
        );
        vec![
            d.name.as_str().into(),
            speed(d.series, f.start_iops),
            speed(d.series, f.end_iops),
            spread,
            speed(d.series, f.mean_iops),
            speed(d.series, f.lowest_iops),
            speed(d.series, f.highest_iops),
            number::gb(f.written_bytes as f64).into(),
            number::duration(f.length_s).into(),
            number::whole(d.series.samples.len() as u64).into(),
        ]
    });
    Table {
        caption: "The curves in figures; GB = 10⁹ bytes, MB = 10⁶ bytes".into(),
        columns: columns.into(),
        rows: rows.collect(),
        folding: Folding::Open,
        width: Width::Full,
    }
}

/// Every window mean of every curve: what the lines are drawn from.
fn means_table(drawn: &[Drawn<'_>], window_s: f64) -> Table {
    let mut columns: Vec<Cell> = vec!["Until".into()];
    for curve in drawn {
        columns.push(Cell::noted(curve.name.as_str(), "mean"));
        if curve.series.point.op != PointOp::Read {
            columns.push(Cell::noted(curve.name.as_str(), "written by then"));
        }
    }
    // A curve may lack windows that another has: one that stopped, or stalled.
    let mut ends: BTreeMap<u64, f64> = BTreeMap::new();
    for window in drawn.iter().flat_map(|d| &d.means) {
        let end_s = ends.entry(window.number).or_insert(window.end_s);
        *end_s = end_s.max(window.end_s);
    }
    let rows = ends.into_iter().map(|(number, end_s)| {
        let mut row: Vec<Cell> = vec![number::seconds(end_s).into()];
        for curve in drawn {
            let found = curve.means.binary_search_by_key(&number, |w| w.number);
            let mean = found.ok().map(|place| &curve.means[place]);
            row.push(mean.map_or(number::MISSING.into(), |m| {
                speed(curve.series, m.iops).text.into()
            }));
            if curve.series.point.op != PointOp::Read {
                row.push(mean.map_or(number::MISSING.into(), |m| {
                    number::gb(m.written_bytes as f64).into()
                }));
            }
        }
        row
    });
    Table {
        caption: format!(
            "Every mean over {} (the single samples are in review.json)",
            number::duration(window_s)
        ),
        columns,
        rows: rows.collect(),
        folding: Folding::Folded,
        width: Width::Full,
    }
}
