//! Tests with points: bars against rivals, or lines over the varied dimension.

use stend_analysis::load::op_words;
use stend_analysis::words::{capitalised, list, uncapitalised};
use stend_analysis::{Dimension, Interval, Load, Metric};
use stend_language::{say, text};
use stend_record::review::{LatencySummary, Point, PointOp, TestResult};

use crate::bars::{self, Bar, BarChart};
use crate::chart::{Axis, Chart, ChartData, Coordinate, Role, Scale, Trace};
use crate::drive::{Drive, common, load_words, tick};
use crate::latency::{self, Form, Side, percentiles};
use crate::number;
use crate::speed;
use crate::view::{Block, Cell, Compared, Figure, Table};

/// Most loads of a test whose distributions are drawn.
const DISTRIBUTIONS_MAX: usize = 6;

/// Returns the speed of a point in requests and in bytes a second.
fn speed_of(point: &Point) -> (f64, f64) {
    (point.iops, point.bw_bytes_per_s)
}

/// Returns the speed of a point, with its interval if it was repeated.
fn speed_cell(metric: Metric, point: &Point) -> Cell {
    speed::cell(metric, speed_of(point)).sure_of(&point.repeated_iops)
}

/// Returns the 95 % interval of a repeated point, requests a second.
fn interval(point: &Point) -> Option<Interval> {
    Interval::of(&point.repeated_iops)
}

fn caption(metric: Metric) -> String {
    say(match metric {
        Metric::Iops => "points-caption-iops",
        Metric::Bandwidth => "points-caption-bandwidth",
    })
}

/// Returns charts and tables of a test with points.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    let points = test.points();
    let metric = Metric::of(points);
    let varied = Dimension::varied(test);
    let mut bars = Vec::new();
    let figures = match varied {
        None => {
            bars.push(grouped(test, drives, metric));
            Vec::new()
        }
        // One line for each drive: this requires one point for each share.
        Some(Dimension::Share) if Dimension::Share.values(points).len() == points.len() => {
            vec![shares(test, drives, metric, data)]
        }
        Some(dimension) => ops(points)
            .into_iter()
            .map(|op| lines_of(test, op, drives, metric, dimension, data))
            .collect(),
    };
    let speeds = Block {
        bars,
        ..Block::drawn(figures, Vec::new())
    };
    vec![speeds, latencies(test, drives, varied, data)]
}

/// Returns the loads of a test in the order of measurement.
fn loads(points: &[Point]) -> Vec<Load> {
    points.iter().map(Load::of).collect()
}

fn grouped(test: &TestResult, drives: &[Drive<'_>], metric: Metric) -> BarChart {
    let points = test.points();
    let loads = loads(points);
    let groups: Vec<String> = loads.iter().map(|&l| load_words(l, points)).collect();
    let (pattern, block) = common(points);
    let ops = list(&ops(points).into_iter().map(op_words).collect::<Vec<_>>());
    let title = text!("points-title", pattern = pattern, block = block, ops = ops);
    bars::chart(
        capitalised(&title),
        &caption(metric),
        &groups,
        drives,
        |slot, nth| {
            let point = drives[slot].point(&test.id, loads[nth])?;
            let cell = speed::cell(metric, speed_of(point));
            Some(Bar {
                at: speed::on_axis(metric, speed_of(point)),
                text: cell.text,
                note: cell.note,
                half_width: interval(point).map(|of| {
                    let per_s = point.load.block_bytes as f64;
                    speed::on_axis(metric, (of.half_width, of.half_width * per_s))
                }),
            })
        },
    )
}

/// Returns the directions of a test in the order of measurement.
fn ops(points: &[Point]) -> Vec<PointOp> {
    let mut ops: Vec<PointOp> = Vec::new();
    for point in points {
        if !ops.contains(&point.load.op) {
            ops.push(point.load.op);
        }
    }
    ops
}

/// Returns the title of a chart of a direction against a dimension, by its key in the message.
fn title_against(
    points: &[Point],
    op: PointOp,
    (dimension, key): (Dimension, &'static str),
) -> String {
    let (pattern, block) = common(points);
    capitalised(&text!(
        "points-title-against",
        pattern = pattern,
        block = block,
        ops = op_words(op),
        constant = constant_words(points, dimension),
        dimension = key
    ))
}

fn dimension_key(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Block => "block",
        Dimension::Depth => "depth",
        Dimension::Share => "share",
        Dimension::Threads => "threads",
    }
}

/// Draws a chart of a direction with lines over a dimension.
fn lines_of(
    test: &TestResult,
    op: PointOp,
    drives: &[Drive<'_>],
    metric: Metric,
    dimension: Dimension,
    data: &mut ChartData,
) -> Figure {
    let points = test.points();
    let values = Dimension::values(dimension, points.iter().filter(|p| p.load.op == op));
    // A test may vary another dimension as well: each combination of the others gets a line.
    let rests = rests(points, op, dimension);
    let mut traces = Vec::new();
    let mut columns: Vec<Cell> = vec![capitalised(&dimension.name()).into()];
    let mut rows: Vec<Vec<Cell>> = values
        .iter()
        .map(|&v| vec![tick(dimension, v).into()])
        .collect();
    for drive in drives {
        for &rest in &rests {
            let name = match rests.len() {
                1 => drive.label.clone(),
                _ => format!("{}, {}", drive.label, rest_words(rest, dimension, &rests)),
            };
            let found: Vec<Option<&Point>> = values
                .iter()
                .map(|&v| drive.point(&test.id, with(rest, dimension, v)))
                .collect();
            for (row, point) in rows.iter_mut().zip(&found) {
                row.push(point.map(|p| speed_cell(metric, p)).into());
            }
            columns.push(name.as_str().into());
            let y = found.iter();
            let y = y.map(|p| p.map(|p| speed::on_axis(metric, speed_of(p))));
            traces.push(line(name, traces.len(), &values, y));
        }
    }
    let chart = Chart {
        title: title_against(points, op, (dimension, dimension_key(dimension))),
        // The table below it has as many columns.
        wide: traces.len() > 3,
        x: dimension_axis(dimension, &values),
        y: speed::axis(metric),
        traces,
        ..Chart::default()
    };
    let table = Table::new(caption(metric), columns, rows).on_paper();
    let table = table.comparing(Compared::InRow(rests.len()));
    chart.place(data, Some(table))
}

/// Describes the constant dimensions of a test, as far as a title needs them.
fn constant_words(points: &[Point], varied: Dimension) -> String {
    let mut words = String::new();
    for dimension in [Dimension::Depth, Dimension::Threads] {
        match dimension.values(points)[..] {
            // A reader expects one of them.
            [n] if n > 1 && dimension != varied => match dimension {
                Dimension::Threads => words += &text!("points-constant-threads", threads = n),
                _ => words += &text!("points-constant-depth", depth = n),
            },
            _ => {}
        }
    }
    words
}

fn line(name: String, slot: usize, xs: &[u64], ys: impl Iterator<Item = Option<f64>>) -> Trace {
    let xs = xs.iter().map(|&x| Coordinate::Figure(x as f64));
    Trace::own(name, slot, Role::Line, xs, ys.map(Coordinate::from))
}

fn dimension_axis(dimension: Dimension, values: &[u64]) -> Axis {
    let title = match dimension {
        Dimension::Share => say("axis-reads-writes"),
        other => capitalised(&other.name()),
    };
    Axis {
        title,
        scale: match dimension {
            Dimension::Share => Scale::Reversed,
            // Depths, sizes and threads vary by doubling.
            _ => Scale::Log,
        },
        tick_values: values.iter().map(|&v| v as f64).collect(),
        tick_texts: values.iter().map(|&v| tick(dimension, v)).collect(),
        ..Axis::default()
    }
}

/// Returns the distinct loads of a direction without the dimension (set to that of the first).
fn rests(points: &[Point], op: PointOp, dimension: Dimension) -> Vec<Load> {
    let mut rests: Vec<Load> = Vec::new();
    for point in points.iter().filter(|p| p.load.op == op) {
        let first = rests
            .first()
            .map_or_else(|| dimension.of(&point.load), |first| dimension.of(first));
        let rest = with(Load::of(point), dimension, first);
        if !rests.contains(&rest) {
            rests.push(rest);
        }
    }
    rests
}

fn rest_words(rest: Load, dimension: Dimension, rests: &[Load]) -> String {
    let words = Dimension::ALL.into_iter().filter(|&other| {
        let varies = rests.iter().any(|r| other.of(r) != other.of(&rest));
        other != dimension && varies
    });
    let words: Vec<String> = words
        .map(|d| number::bound(&d.words(d.of(&rest))))
        .collect();
    words.join(", ")
}

fn with(load: Load, dimension: Dimension, value: u64) -> Load {
    let narrow = value as u32; // Every value came from a field of this width.
    match dimension {
        Dimension::Block => Load {
            block_bytes: value,
            ..load
        },
        Dimension::Depth => Load {
            queue_depth: narrow,
            ..load
        },
        Dimension::Share => Load {
            read_percent: narrow,
            ..load
        },
        Dimension::Threads => Load {
            threads: narrow,
            ..load
        },
    }
}

/// Draws total speed over the share of reads, and the two directions of the reviewed drive.
fn shares(test: &TestResult, drives: &[Drive<'_>], metric: Metric, data: &mut ChartData) -> Figure {
    let points = test.points();
    let mut values = Dimension::Share.values(points);
    values.reverse();
    let mut traces = Vec::new();
    for (slot, drive) in drives.iter().enumerate() {
        let speeds = values
            .iter()
            .map(|&v| at_share(drive, test, v).map(speed_of));
        let speeds = speeds.map(|s| s.map(|s| speed::on_axis(metric, s)));
        traces.push(line(drive.label.clone(), slot, &values, speeds));
    }
    let reviewed = &drives[0];
    for (op, id) in [
        (PointOp::Read, "points-reads-of"),
        (PointOp::Write, "points-writes-of"),
    ] {
        let parts = values
            .iter()
            .map(|&v| part(at_share(reviewed, test, v)?, op));
        let speeds = parts.map(|s| s.map(|s| speed::on_axis(metric, s)));
        let name = text!(id, drive = &reviewed.label);
        traces.push(Trace {
            role: Role::Thin,
            ..line(name, traces.len(), &values, speeds)
        });
    }
    let chart = Chart {
        title: title_against(points, PointOp::Mixed, (Dimension::Share, "the-share")),
        note: say("points-share-note"),
        height_px: 440,
        wide: true,
        x: dimension_axis(Dimension::Share, &values),
        y: speed::axis(metric),
        traces,
        ..Chart::default()
    };
    let table = share_table(test, drives, &values, metric);
    chart.place(data, Some(table))
}

fn share_table(test: &TestResult, drives: &[Drive<'_>], values: &[u64], metric: Metric) -> Table {
    let mut columns: Vec<Cell> = vec![say("points-share-head").into()];
    for (number, drive) in drives.iter().enumerate() {
        columns.push(Cell::noted(drive.label.as_str(), say("word-all")));
        if number == 0 {
            columns.push(Cell::noted(drive.label.as_str(), say("word-reads")));
            columns.push(Cell::noted(drive.label.as_str(), say("word-writes")));
        }
    }
    let rows = values.iter().map(|&value| {
        let mut row: Vec<Cell> = vec![tick(Dimension::Share, value).into()];
        for (number, drive) in drives.iter().enumerate() {
            let point = at_share(drive, test, value);
            row.push(point.map(|p| speed_cell(metric, p)).into());
            // As in the chart: only the parts of the reviewed drive.
            if number == 0 {
                for op in [PointOp::Read, PointOp::Write] {
                    // A drive is compared by all of its requests.
                    row.push(Cell {
                        rank: None,
                        ..part_cell(metric, point, op)
                    });
                }
            }
        }
        row
    });
    let table = Table::new(caption(metric), columns, rows).on_paper();
    table.comparing(Compared::InRow(1))
}

/// Returns the point of a drive at a share of reads. The ends may have been measured as pure reads
/// or writes, so only the share is matched.
fn at_share<'a>(drive: &Drive<'a>, test: &TestResult, read_percent: u64) -> Option<&'a Point> {
    drive
        .test(&test.id)?
        .points()
        .iter()
        .find(|p| u64::from(p.load.read_percent) == read_percent)
}

/// Returns the speed of one direction of a point, with its interval if it was repeated.
fn part_cell(metric: Metric, point: Option<&Point>, op: PointOp) -> Cell {
    let of = |point: &Point| {
        let own = point.parts.iter().find(|part| part.op == op);
        let values = own.map_or(&point.repeated_iops, |part| &part.repeated_iops);
        Some(speed::cell(metric, part(point, op)?).sure_of(values))
    };
    point.and_then(of).into()
}

/// Returns one direction of a point: requests and bytes a second. A point of a single direction is
/// that direction.
fn part(point: &Point, op: PointOp) -> Option<(f64, f64)> {
    if let Some(part) = point.parts.iter().find(|part| part.op == op) {
        return Some((part.iops, part.bw_bytes_per_s));
    }
    let alone = match op {
        PointOp::Read => point.load.op == op || point.load.read_percent == 100,
        PointOp::Write => point.load.op == op || point.load.read_percent == 0,
        PointOp::Mixed => true,
    };
    alone.then_some(speed_of(point))
}

fn latencies(
    test: &TestResult,
    drives: &[Drive<'_>],
    varied: Option<Dimension>,
    data: &mut ChartData,
) -> Block {
    let points = test.points();
    let reviewed = &drives[0].label;
    let figures = match varied {
        None if points.len() <= DISTRIBUTIONS_MAX => points
            .iter()
            .map(|point| distribution(test, point, drives).place(data, None))
            .collect(),
        Some(Dimension::Depth) => latency_lines(test, &drives[0], data),
        _ => Vec::new(),
    };
    let caption = text!("latency-caption-percentile", drive = reviewed);
    let mut tables =
        vec![latency::table(caption, &say("head-load"), &latency_rows(points)).on_paper()];
    let rivals: Vec<(&str, Vec<latency::Row<'_>>)> = drives[1..]
        .iter()
        .filter_map(|rival| Some((&*rival.label, latency_rows(rival.test(&test.id)?.points()))))
        .collect();
    let caption = say("latency-caption-rivals");
    tables.extend(latency::folded_table(&caption, &say("head-load"), &rivals));
    Block::drawn(figures, tables)
}

/// Draws the distribution of a load for all drives.
fn distribution(test: &TestResult, point: &Point, drives: &[Drive<'_>]) -> Chart {
    let load = Load::of(point);
    let lines = drives.iter().filter_map(|drive| {
        let point = drive.point(&test.id, load)?;
        Some(latency::Row {
            name: drive.label.clone(),
            ..latency_row(point, &[])
        })
    });
    let lines: Vec<latency::Row<'_>> = lines.collect();
    let name = load_words(load, test.points());
    let name = uncapitalised(&name);
    latency::chart(text!("latency-title", load = name), &lines)
}

fn latency_row<'p>(point: &'p Point, points: &[Point]) -> latency::Row<'p> {
    latency::Row {
        name: load_words(Load::of(point), points),
        latency: &point.latency_ns,
        histogram: point.latency_histogram.as_deref(),
        cpu_ns: point.cpu_ns_per_request,
    }
}

fn latency_rows(points: &[Point]) -> Vec<latency::Row<'_>> {
    let mut rows = Vec::new();
    for point in points {
        rows.push(latency_row(point, points));
        rows.extend(point.parts.iter().map(|part| latency::Row {
            name: number::bound(&text!(
                "points-part",
                op = part.op.words(),
                share = point.load.read_percent
            )),
            latency: &part.latency_ns,
            histogram: None,
            cpu_ns: None,
        }));
    }
    rows
}

/// Draws percentiles of the reviewed drive over the queue depth, a chart for each direction.
fn latency_lines(test: &TestResult, drive: &Drive<'_>, data: &mut ChartData) -> Vec<Figure> {
    let points = test.points();
    let mut figures = Vec::new();
    for op in [PointOp::Read, PointOp::Write, PointOp::Mixed] {
        let of_op: Vec<&Point> = points.iter().filter(|p| p.load.op == op).collect();
        // If another dimension varies as well, a depth has no single distribution.
        if of_op.is_empty() || rests(points, op, Dimension::Depth).len() > 1 {
            continue;
        }
        let depths = Dimension::Depth.values(of_op.iter().copied());
        let mut traces = Vec::new();
        // The median, the tail, the far tail and the worst.
        for place in [1, 3, 5, 6] {
            let name = percentiles(&LatencySummary::default())[place].0.clone();
            let ys = depths.iter().map(|&depth| {
                let point = of_op
                    .iter()
                    .find(|p| u64::from(p.load.queue_depth) == depth);
                point.and_then(|p| latency::place_us(percentiles(&p.latency_ns)[place].1?))
            });
            traces.push(line(name, traces.len(), &depths, ys));
        }
        let chart = Chart {
            title: text!("latency-title-depth", op = op.words(), drive = &drive.label),
            x: dimension_axis(Dimension::Depth, &depths),
            y: latency::axis(&mut traces, Side::Y, Form::Log),
            traces,
            ..Chart::default()
        };
        figures.push(chart.place(data, None));
    }
    figures
}
