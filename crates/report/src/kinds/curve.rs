//! Tests that measured curves: every sample as a dot and the window means as a line,
//! over time and over data written.

use std::collections::BTreeMap;

use stend_analysis::ends::START_SAMPLES;
use stend_analysis::words::capitalised;
use stend_analysis::{Level, LevelKind, Metric, end_level, recovery, steps};
use stend_language::{say, text};
use stend_record::review::{PointOp, Series, TestResult, curve_text};

use crate::chart::{
    Along, Axis, Chart, ChartData, ChartKind, CurveData, Mark, Role, Scale, Trace, Values,
};
use crate::curve::{self, Facts, Window};
use crate::drive::Drive;
use crate::number;
use crate::speed;
use crate::view::{Block, Cell, Compared, Table};

mod latencies;

use latencies::latency_block;

/// A curve with its means, and its index in the page's data.
struct Drawn<'a> {
    /// Name in the legend.
    name: String,
    series: &'a Series,
    means: Vec<Window>,
    /// Its stretches; empty if a drive has several curves.
    levels: Vec<Level>,
    /// Index into [`ChartData::curves`].
    curve: usize,
    /// True if the samples are drawn as well.
    dots: bool,
    slot: usize,
}

impl Drawn<'_> {
    fn writes(&self) -> bool {
        let last = self.series.samples.last();
        last.is_some_and(|sample| sample.written_bytes > 0)
    }
}

/// Returns charts and tables of a test with curves. A single curve is drawn together with the
/// rivals'; several are drawn together for each drive, on the same axes.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    let duration_scale = data.duration_scale;
    let mut out = Vec::new();
    let single = test.curves().len() == 1;
    let found_in = |series: &Series| if single { steps(series) } else { Vec::new() };
    let groups: Vec<(String, Vec<Drawn<'_>>)> = if single {
        let name = &test.curves()[0].name;
        let found = drives.iter().enumerate().filter_map(|(slot, drive)| {
            Some((
                drive.label.clone(),
                slot,
                slot == 0,
                drive.curve(&test.id, name)?,
            ))
        });
        vec![(String::new(), draw(found, duration_scale, &found_in, data))]
    } else {
        let per_drive = drives.iter().enumerate().filter_map(|(number, drive)| {
            let curves = drive.test(&test.id)?.curves();
            let named = curves.iter().enumerate().map(|(slot, series)| {
                (
                    curve_text(&series.name).to_string(),
                    slot,
                    number == 0,
                    series,
                )
            });
            let drawn = draw(named, duration_scale, &found_in, data);
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
    found_in: &impl Fn(&Series) -> Vec<Level>,
    data: &mut ChartData,
) -> Vec<Drawn<'a>> {
    let mut out = Vec::new();
    for (name, slot, dots, series) in curves {
        let window_s = curve::mean_window_s(series, duration_scale);
        let means = curve::windows(series, window_s);
        // For rivals only the means are drawn: their dots would cover the drive's.
        data.curves.push(CurveData::new(series, &means, dots));
        out.push(Drawn {
            name,
            series,
            means,
            levels: found_in(series),
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
    /// Bytes written at the first dot; infinite without dots.
    first_written_bytes: f64,
    written_bytes: f64,
    iops: f64,
}

/// Kinds of charts of curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Time,
    Written,
    /// For a pass over a range: the bytes written are a position in it.
    Position,
    /// On an even axis, small steps at the start are too narrow to see.
    WrittenLog,
}

impl View {
    fn along(self) -> Along {
        match self {
            View::Time => Along::Time,
            View::Written | View::Position | View::WrittenLog => Along::Written,
        }
    }

    /// Returns the key by which messages choose their text.
    fn key(self) -> &'static str {
        match self {
            View::Time => "time",
            View::Written => "written",
            View::Position => "position",
            View::WrittenLog => "written-log",
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

    /// Returns the charts to draw of a group of curves.
    fn views(&self, drawn: &[Drawn<'_>]) -> Vec<View> {
        let pass = |d: &Drawn<'_>| d.series.range_bytes.is_some() && d.writes();
        if drawn.iter().all(pass) {
            return vec![View::Position];
        }
        let mut views = vec![View::Time];
        if drawn.iter().any(Drawn::writes) {
            views.push(View::Written);
            // Below two decades the even axis shows as much.
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
        let title = curve_title(first.series, view) + &suffix;
        let note = match view {
            View::Time | View::Position => reading_note(drawn, duration_scale),
            View::Written => String::new(),
            View::WrittenLog => say("curve-note-log"),
        };
        // All of them show the same figures: one table below the last.
        figures.push(curve_chart(title, note, view, drawn, ranges).place(data, None));
    }
    let window_s = curve::mean_window_s(first.series, duration_scale);
    // Among one drive's curves, those after the first are compared with it.
    let fast = match label {
        "" => None,
        _ => fast_writes(drawn),
    };
    let facts = facts_table(drawn, fast, duration_scale);
    let mut tables = vec![facts.comparing(compared(label))];
    tables.extend(levels_table(drawn));
    let means = means_table(drawn, window_s);
    tables.push(match label {
        "" => means.comparing(Compared::InRow(means_columns(first))),
        _ => means,
    });
    let speeds = Block::drawn(figures, tables);
    vec![speeds, latency_block(drawn, &suffix, window_s, data)]
}

/// Formats a message about the pattern, direction and size of a curve.
fn load_text(id: &str, series: &Series) -> String {
    let point = &series.point;
    text!(
        id,
        pattern = point.pattern.words(),
        op = point.op.words(),
        block = number::block(point.block_bytes)
    )
}

/// Returns the title of a curve's chart: `Random 4 KiB write, queue depth 32, against time`.
fn curve_title(series: &Series, view: View) -> String {
    let point = &series.point;
    capitalised(&text!(
        "curve-title",
        pattern = point.pattern.words(),
        op = point.op.words(),
        block = number::block(point.block_bytes),
        depth = point.queue_depth,
        view = view.key()
    ))
}

fn reading_note(drawn: &[Drawn<'_>], duration_scale: f64) -> String {
    let first = drawn[0].series;
    let window = number::duration(curve::mean_window_s(first, duration_scale));
    let mut sentences = vec![text!("curve-note-lines", window = window)];
    if !marked_steps(drawn).is_empty() {
        sentences.push(say("curve-note-steps"));
    }
    if drawn.iter().any(|d| d.dots) {
        let id = match drawn.iter().all(|d| d.dots) {
            true => "curve-note-dots",
            false => "curve-note-dots-reviewed",
        };
        let interval = number::duration(first.interval_s);
        sentences.insert(0, text!(id, interval = interval));
    } else {
        sentences.push(say("curve-note-axes"));
    }
    sentences.join(" ")
}

/// Returns the steps that charts mark: those of the reviewed drive, each by the level that starts
/// there.
fn marked_steps<'d>(drawn: &'d [Drawn<'_>]) -> &'d [Level] {
    let reviewed = drawn.iter().find(|d| d.dots);
    reviewed.and_then(|d| d.levels.get(1..)).unwrap_or_default()
}

fn marks(view: View, x: &Axis, drawn: &[Drawn<'_>]) -> Vec<Mark> {
    let multiply = x.multiply.unwrap_or(1.0);
    marked_steps(drawn)
        .iter()
        .map(|level| {
            let (at, text) = match view.along() {
                Along::Time => (level.from_s, number::duration(level.from_s)),
                Along::Written => {
                    let bytes = level.from_bytes as f64;
                    (bytes, number::gb(bytes))
                }
            };
            Mark {
                at: number::significant(at * multiply, 5),
                text,
            }
        })
        .collect()
}

fn speed_axis(series: &Series, greatest_iops: f64) -> Axis {
    let metric = Metric::of_curve(&series.point);
    let multiply = match metric {
        Metric::Bandwidth => series.point.block_bytes as f64 / 1e6,
        Metric::Iops => 1.0,
    };
    // 5 % above the highest dot.
    let top = number::significant(greatest_iops * multiply * 1.05, 3);
    Axis {
        range: (top > 0.0).then_some([0.0, top]),
        multiply: Some(multiply),
        ..speed::axis(metric)
    }
}

fn time_axis(ranges: &Ranges) -> Axis {
    const MINUTE_S: f64 = 60.0;
    const HOUR_S: f64 = 3_600.0;
    let (title, unit, unit_s) = match ranges.t_s {
        t_s if t_s <= 5.0 * MINUTE_S => ("axis-time-s", "s", 1.0),
        t_s if t_s <= 5.0 * HOUR_S => ("axis-time-min", "min", MINUTE_S),
        _ => ("axis-time-h", "h", HOUR_S),
    };
    Axis {
        range: (ranges.t_s > 0.0).then_some([0.0, ranges.t_s / unit_s]),
        multiply: Some(1.0 / unit_s),
        ..Axis::new(&say(title), unit)
    }
}

fn written_axis(ranges: &Ranges) -> Axis {
    let end = ranges.written_bytes / 1e9;
    Axis {
        range: (end > 0.0).then_some([0.0, end]),
        multiply: Some(1e-9),
        ..Axis::new(&say("axis-written"), "GB")
    }
}

fn written_log_axis(ranges: &Ranges) -> Axis {
    let (start, end) = (ranges.first_written_bytes / 1e9, ranges.written_bytes / 1e9);
    // Ticks inside the axis, at 1, 2 and 5 of every decade.
    let ticks: Vec<f64> = (-9..=9)
        .flat_map(|exponent| [1, 2, 5].map(|digit| format!("{digit}e{exponent}")))
        .map(|text| text.parse::<f64>().expect("a decimal number is a number"))
        .filter(|tick| (start..=end).contains(tick))
        .collect();
    Axis {
        title: say("axis-written-log"),
        scale: Scale::Log,
        // Space for the first dot.
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
) -> Chart {
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
    let x = match view {
        View::Time => time_axis(ranges),
        View::Written => written_axis(ranges),
        View::Position => Axis {
            title: say("axis-position"),
            ..written_axis(ranges)
        },
        View::WrittenLog => written_log_axis(ranges),
    };
    Chart {
        title,
        note,
        kind: ChartKind::Dots,
        height_px: 440,
        wide: true,
        marks: marks(view, &x, drawn),
        y: speed_axis(drawn[0].series, ranges.iops),
        // Lines are drawn over dots.
        traces: dots
            .chain(means)
            .chain(temperatures(view, &x, drawn))
            .collect(),
        x,
        ..Chart::default()
    }
}

/// Returns temperatures over the time of their curves.
fn temperatures<'d>(
    view: View,
    x: &Axis,
    drawn: &'d [Drawn<'d>],
) -> impl Iterator<Item = Trace> + 'd {
    let multiply = x.multiply.unwrap_or(1.0);
    let sampled = move |d: &&Drawn<'_>| view == View::Time && !d.series.temperatures.is_empty();
    drawn.iter().filter(sampled).map(move |d| {
        let samples = d.series.temperatures.iter();
        let points = samples.map(|s| (s.t_s * multiply, s.celsius));
        let name = text!("curve-temperature", name = &d.name);
        Trace::through(name, d.slot, Role::Temperature, points)
    })
}

fn speed(series: &Series, iops: f64) -> Cell {
    let bw_bytes_per_s = iops * series.point.block_bytes as f64;
    speed::cell(Metric::of_curve(&series.point), (iops, bw_bytes_per_s))
}

fn facts_table(drawn: &[Drawn<'_>], fast: Option<Vec<Cell>>, duration_scale: f64) -> Table {
    let facts: Vec<Option<Facts>> = drawn
        .iter()
        .map(|d| curve::facts(d.series, duration_scale))
        .collect();
    // Curves of one test are equally long: the heads state the lengths of the first.
    let window = drawn.first().map_or(String::new(), |d| {
        number::duration(curve::mean_window_s(d.series, duration_scale))
    });
    let end = facts.iter().flatten().next();
    let end = end.map_or(String::new(), |f| number::duration(f.end_s));
    let mut columns = vec![
        say("head-curve").into(),
        Cell::noted(
            say("head-start"),
            text!("curve-start-note", samples = START_SAMPLES),
        ),
        Cell::noted(say("head-end"), text!("curve-end-note", time = &end)),
        Cell::noted(say("curve-spread"), text!("curve-spread-note", time = &end)),
        say("head-mean").into(),
        Cell::noted(
            say("curve-lowest"),
            text!("curve-window-note", window = &window),
        ),
        Cell::noted(
            say("curve-highest"),
            text!("curve-window-note", window = &window),
        ),
        say("head-written").into(),
        say("head-time").into(),
        say("curve-samples").into(),
    ];
    if fast.is_some() {
        let until = text!("curve-fast-note", name = &drawn[0].name);
        columns.insert(2, Cell::noted(say("curve-fast-writes"), until));
    }
    let rows = drawn.iter().zip(&facts).enumerate().map(|(i, (d, facts))| {
        let Some(f) = facts else {
            return vec![d.name.as_str().into(), say("curve-no-sample").into()];
        };
        let spread = Cell::noted(
            speed(d.series, f.end_spread_iops.0).text,
            text!(
                "curve-spread-to",
                speed = speed(d.series, f.end_spread_iops.1).text
            ),
        );
        let mut row = vec![
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
        ];
        if let Some(fast) = &fast {
            row.insert(2, fast[i].clone());
        }
        row
    });
    Table::new(say("curve-caption"), columns, rows).on_paper()
}

/// Returns the comparison of drives in tables of curves: for a single curve each drive has a row,
/// for several a table.
fn compared(whose: &str) -> Compared {
    match whose {
        "" => Compared::InColumn,
        _ => Compared::BetweenTables(1),
    }
}

/// Returns the fast bytes of each of a drive's curves, by the end of the first; `None` for reads.
fn fast_writes(drawn: &[Drawn<'_>]) -> Option<Vec<Cell>> {
    let end_iops = end_level(drawn.first()?.series)?;
    let cell = |d: &Drawn<'_>| {
        let found = recovery(d.series, end_iops).map(|found| {
            let threshold = speed(d.series, found.iops_threshold).text;
            let note = match found.bytes {
                0 => say("curve-fast-nothing"),
                _ if found.fell => text!("curve-fast-down-to", speed = threshold),
                _ => text!("curve-fast-never-below", speed = threshold),
            };
            Cell::noted(number::gb(found.bytes as f64), note).more(found.bytes as f64)
        });
        found.into()
    };
    let writes = drawn.iter().all(|d| d.series.point.op == PointOp::Write);
    writes.then(|| drawn.iter().map(cell).collect())
}

/// Returns a table of the stretches in single curves, with a group of rows for each if there are
/// several.
fn levels_table(drawn: &[Drawn<'_>]) -> Option<Table> {
    let found: Vec<&Drawn<'_>> = drawn.iter().filter(|d| !d.levels.is_empty()).collect();
    let mut rows = Vec::new();
    for d in &found {
        if found.len() > 1 {
            rows.push(vec![d.name.as_str().into()]);
        }
        let levels = d.levels.iter().enumerate();
        rows.extend(levels.map(|(i, level)| level_row(i + 1, level, d)));
    }
    let caption = say(match drawn.iter().any(Drawn::writes) {
        true => "curve-levels-caption-written",
        false => "curve-levels-caption",
    });
    (!rows.is_empty()).then(|| {
        Table::new(
            caption,
            vec![
                say("curve-level").into(),
                say("curve-from").into(),
                say("curve-to").into(),
                say("head-speed").into(),
                Cell::noted(say("curve-scatter"), say("curve-scatter-note")),
            ],
            rows,
        )
        .fitting()
        .stacked()
    })
}

fn level_row(number: usize, level: &Level, d: &Drawn<'_>) -> Vec<Cell> {
    let place = |bytes: u64, t_s: f64| match d.writes() {
        true => Cell::noted(number::gb(bytes as f64), number::duration(t_s)),
        false => number::duration(t_s).into(),
    };
    let name = match level.kind {
        LevelKind::Level => number.to_string(),
        LevelKind::Decline => text!("curve-level-falling", number = number),
        LevelKind::Rise => text!("curve-level-rising", number = number),
    };
    let speed = match level.kind {
        LevelKind::Level => speed(d.series, level.iops_mean),
        _ => {
            let [from, to] = [level.iops_from, level.iops_to].map(|iops| speed(d.series, iops));
            // The unit is stated once.
            let number = |text: &str| text.split('\u{a0}').next().unwrap_or_default().to_string();
            Cell::noted(
                text!("curve-range", from = number(&from.text), to = to.text),
                text!("curve-range", from = number(&from.note), to = to.note),
            )
        }
    };
    let scatter = match level.iops_scatter_percent {
        s if s < 0.05 => say("curve-scatter-little"),
        s => format!("±\u{a0}{}", number::percent(s / 100.0)),
    };
    vec![
        name.into(),
        place(level.from_bytes, level.from_s),
        place(level.to_bytes, level.to_s),
        speed,
        scatter.into(),
    ]
}

/// Returns the number of columns of each curve in [`means_table`].
fn means_columns(curve: &Drawn<'_>) -> usize {
    match curve.series.point.op {
        PointOp::Read => 1,
        _ => 2,
    }
}

/// Returns every window mean of every curve: the points of the lines.
fn means_table(drawn: &[Drawn<'_>], window_s: f64) -> Table {
    let mut columns: Vec<Cell> = vec![say("curve-until").into()];
    for curve in drawn {
        columns.push(Cell::noted(curve.name.as_str(), say("word-mean")));
        if means_columns(curve) > 1 {
            columns.push(Cell::noted(
                curve.name.as_str(),
                say("curve-written-by-then"),
            ));
        }
    }
    // A curve may lack windows that another has if it stopped or stalled.
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
            let text = |m: &Window| Cell {
                note: String::new(),
                ..speed(curve.series, m.iops)
            };
            row.push(mean.map(text).into());
            if means_columns(curve) > 1 {
                row.push(mean.map(|m| number::gb(m.written_bytes as f64)).into());
            }
        }
        row
    });
    Table::new(
        text!("curve-means-caption", window = number::duration(window_s)),
        columns,
        rows,
    )
    .folded()
}
