//! Tests that measured points: bars against rivals, or lines over what was varied.

use stend_analysis::load::points_of;
use stend_analysis::words::capitalised;
use stend_analysis::{Dimension, Load, Metric};
use stend_record::review::{LatencySummary, Point, PointOp, TestResult};

use crate::bars::{self, Bar};
use crate::chart::{Axis, ChartData, ChartKind, Coordinate, Role, Scale, Trace};
use crate::drive::{Drive, common_words, load_words, tick};
use crate::latency::{self, percentiles};
use crate::number;
use crate::view::{Block, Cell, Draft, Figure, Folding, Table};

/// The figure on an axis, given both.
fn on_axis(metric: Metric, iops: f64, bw_bytes_per_s: f64) -> f64 {
    match metric {
        Metric::Iops => iops,
        Metric::Bandwidth => bw_bytes_per_s / 1e6,
    }
}

/// The figure with its unit, and the other one.
fn texts(metric: Metric, iops: f64, bw_bytes_per_s: f64) -> Cell {
    let (iops, bw) = (number::iops(iops), number::mb_per_s(bw_bytes_per_s));
    match metric {
        Metric::Iops => Cell::noted(iops, bw),
        Metric::Bandwidth => Cell::noted(bw, iops),
    }
}

fn axis(metric: Metric) -> Axis {
    let (title, unit) = match metric {
        Metric::Iops => ("IOPS", "IOPS"),
        Metric::Bandwidth => ("MB/s (MB = 10⁶ bytes)", "MB/s"),
    };
    Axis {
        title: title.into(),
        unit: unit.into(),
        ..Axis::default()
    }
}

fn caption(metric: Metric) -> &'static str {
    match metric {
        Metric::Iops => "Requests a second (IOPS); below in MB/s, MB = 10⁶ bytes",
        Metric::Bandwidth => "MB/s, MB = 10⁶ bytes; below in requests a second (IOPS)",
    }
}

/// Charts and tables of a test with points.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    let points = points_of(test);
    if points.is_empty() {
        return Vec::new();
    }
    let metric = Metric::of(points);
    let varied = Dimension::varied(test);
    let figures = match varied {
        None => vec![grouped(test, drives, metric, data)],
        // One line a drive: that needs one point a share.
        Some(Dimension::Share) if Dimension::Share.values(points).len() == points.len() => {
            vec![shares(test, drives, metric, data)]
        }
        Some(dimension) => lines(test, drives, metric, dimension, data),
    };
    let speeds = Block {
        figures,
        tables: Vec::new(),
    };
    vec![speeds, latencies(test, drives, varied, data)]
}

/// The loads of a test in the order of measuring.
fn loads(points: &[Point]) -> Vec<Load> {
    points.iter().map(Load::of).collect()
}

fn grouped(
    test: &TestResult,
    drives: &[Drive<'_>],
    metric: Metric,
    data: &mut ChartData,
) -> Figure {
    let points = points_of(test);
    let loads = loads(points);
    let groups: Vec<String> = loads.iter().map(|&l| load_words(l, points)).collect();
    let title = capitalised(&format!("{} {}", common_words(points), ops_words(points)));
    let draft = bars::draft(title, axis(metric), &groups, drives, |slot, nth| {
        let point = drives[slot].point(&test.id, loads[nth])?;
        Some(Bar {
            at: on_axis(metric, point.iops, point.bw_bytes_per_s),
            text: texts(metric, point.iops, point.bw_bytes_per_s).text,
        })
    });
    let rows = loads.iter().zip(groups).map(|(&load, name)| {
        speed_row(name, drives.iter().map(|d| d.point(&test.id, load)), metric)
    });
    let table = speed_table("Load", rows.collect(), drives, metric);
    draft.place(data, Some(table))
}

fn ops_words(points: &[Point]) -> String {
    let mut ops: Vec<&str> = Vec::new();
    for point in points {
        let words = point.load.op.words();
        if !ops.contains(&words) {
            ops.push(words);
        }
    }
    ops.join(" and ")
}

fn speed_row<'p>(
    name: String,
    points: impl Iterator<Item = Option<&'p Point>>,
    metric: Metric,
) -> Vec<Cell> {
    let figures = points.map(|point| match point {
        Some(p) => texts(metric, p.iops, p.bw_bytes_per_s),
        None => number::MISSING.into(),
    });
    std::iter::once(name.into()).chain(figures).collect()
}

fn speed_table(head: &str, rows: Vec<Vec<Cell>>, drives: &[Drive<'_>], metric: Metric) -> Table {
    let labels = drives.iter().map(|drive| drive.label.as_str().into());
    Table::new(
        caption(metric),
        std::iter::once(Cell::from(head)).chain(labels),
        rows,
    )
}

/// A chart for each direction, lines over a dimension.
fn lines(
    test: &TestResult,
    drives: &[Drive<'_>],
    metric: Metric,
    dimension: Dimension,
    data: &mut ChartData,
) -> Vec<Figure> {
    let points = points_of(test);
    let mut ops: Vec<PointOp> = Vec::new();
    for point in points {
        if !ops.contains(&point.load.op) {
            ops.push(point.load.op);
        }
    }
    ops.into_iter()
        .map(|op| lines_of(test, op, drives, metric, dimension, data))
        .collect()
}

fn lines_of(
    test: &TestResult,
    op: PointOp,
    drives: &[Drive<'_>],
    metric: Metric,
    dimension: Dimension,
    data: &mut ChartData,
) -> Figure {
    let points = points_of(test);
    let values = Dimension::values(dimension, points.iter().filter(|p| p.load.op == op));
    // A test may vary another dimension as well: a line for each combination of the rest.
    let rests = rests(points, op, dimension);
    let mut traces = Vec::new();
    let mut columns: Vec<Cell> = vec![capitalised(dimension.name()).into()];
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
                row.push(match point {
                    Some(p) => texts(metric, p.iops, p.bw_bytes_per_s),
                    None => number::MISSING.into(),
                });
            }
            columns.push(name.as_str().into());
            let y = found.iter().map(|point| match point {
                Some(p) => Coordinate::rounded(on_axis(metric, p.iops, p.bw_bytes_per_s)),
                None => Coordinate::Gap(()),
            });
            traces.push(line(name, traces.len(), &values, y));
        }
    }
    let draft = Draft {
        title: capitalised(&format!(
            "{} {}{} against {}",
            common_words(points),
            op.words(),
            constant_words(points, dimension),
            dimension.name()
        )),
        note: String::new(),
        kind: ChartKind::Lines,
        height_px: 380,
        // The table under it has as many columns.
        wide: traces.len() > 3,
        x: dimension_axis(dimension, &values),
        y: axis(metric),
        traces,
        marks: Vec::new(),
    };
    let table = Table::new(caption(metric), columns, rows);
    draft.place(data, Some(table))
}

/// What a test with a varied dimension holds constant, as far as a title should say it.
fn constant_words(points: &[Point], varied: Dimension) -> String {
    let mut words = String::new();
    for (dimension, noun) in [
        (Dimension::Depth, "queue depth"),
        (Dimension::Threads, "threads"),
    ] {
        match dimension.values(points)[..] {
            // One of them is what a reader expects.
            [n] if n > 1 && dimension != varied => match dimension {
                Dimension::Threads => words.push_str(&format!(", {n} {noun},")),
                _ => words.push_str(&format!(", {noun} {n},")),
            },
            _ => {}
        }
    }
    words
}

fn line(name: String, slot: usize, xs: &[u64], ys: impl Iterator<Item = Coordinate>) -> Trace {
    Trace::own(
        name,
        slot,
        Role::Line,
        xs.iter().map(|&x| Coordinate::Figure(x as f64)),
        ys,
    )
}

fn dimension_axis(dimension: Dimension, values: &[u64]) -> Axis {
    let title = match dimension {
        Dimension::Share => "Reads : writes, % of the requests".into(),
        other => capitalised(other.name()),
    };
    Axis {
        title,
        scale: match dimension {
            Dimension::Share => Scale::Reversed,
            // Depths, sizes and threads are varied by doubling.
            _ => Scale::Log,
        },
        tick_values: values.iter().map(|&v| v as f64).collect(),
        tick_texts: values.iter().map(|&v| tick(dimension, v)).collect(),
        ..Axis::default()
    }
}

/// The different loads of a direction with the dimension left out (set to that of the
/// first).
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

/// Total speed over the share of reads, and the two directions of the reviewed drive.
fn shares(test: &TestResult, drives: &[Drive<'_>], metric: Metric, data: &mut ChartData) -> Figure {
    let points = points_of(test);
    let mut values = Dimension::Share.values(points);
    values.reverse();
    let mut traces = Vec::new();
    for (slot, drive) in drives.iter().enumerate() {
        let speeds = values.iter().map(|&v| match at_share(drive, test, v) {
            Some(p) => Coordinate::rounded(on_axis(metric, p.iops, p.bw_bytes_per_s)),
            None => Coordinate::Gap(()),
        });
        traces.push(line(drive.label.clone(), slot, &values, speeds));
    }
    let reviewed = &drives[0];
    for (op, name) in [(PointOp::Read, "reads of"), (PointOp::Write, "writes of")] {
        let speeds =
            values.iter().map(
                |&v| match at_share(reviewed, test, v).and_then(|p| part(p, op)) {
                    Some((iops, bw)) => Coordinate::rounded(on_axis(metric, iops, bw)),
                    None => Coordinate::Gap(()),
                },
            );
        let thin = line(
            format!("{name} {}", reviewed.label),
            traces.len(),
            &values,
            speeds,
        );
        traces.push(Trace {
            role: Role::Thin,
            ..thin
        });
    }
    let draft = Draft {
        title: capitalised(&format!(
            "{} mixed{} against the share of reads",
            common_words(points),
            constant_words(points, Dimension::Share)
        )),
        note: "Thick lines: all requests. Thin lines: the reads and the writes among them, \
               of the reviewed drive."
            .into(),
        height_px: 440,
        wide: true,
        x: dimension_axis(Dimension::Share, &values),
        y: axis(metric),
        traces,
        ..Draft::default()
    };
    let table = share_table(test, drives, &values, metric);
    draft.place(data, Some(table))
}

fn share_table(test: &TestResult, drives: &[Drive<'_>], values: &[u64], metric: Metric) -> Table {
    let mut columns: Vec<Cell> = vec!["Reads : writes, %".into()];
    for (number, drive) in drives.iter().enumerate() {
        columns.push(Cell::noted(drive.label.as_str(), "all"));
        if number == 0 {
            columns.push(Cell::noted(drive.label.as_str(), "reads"));
            columns.push(Cell::noted(drive.label.as_str(), "writes"));
        }
    }
    let texts = |speed: Option<(f64, f64)>| {
        speed.map_or(number::MISSING.into(), |(iops, bw)| texts(metric, iops, bw))
    };
    let rows = values.iter().map(|&value| {
        let mut row: Vec<Cell> = vec![tick(Dimension::Share, value).into()];
        for (number, drive) in drives.iter().enumerate() {
            let point = at_share(drive, test, value);
            row.push(texts(point.map(|p| (p.iops, p.bw_bytes_per_s))));
            // As in the chart: the parts of the reviewed drive alone.
            if number == 0 {
                for op in [PointOp::Read, PointOp::Write] {
                    row.push(texts(point.and_then(|p| part(p, op))));
                }
            }
        }
        row
    });
    Table::new(caption(metric), columns, rows)
}

/// The point of a drive at a share of reads. The ends may have been measured as pure
/// reads or writes: they are matched by the share alone.
fn at_share<'a>(drive: &Drive<'a>, test: &TestResult, read_percent: u64) -> Option<&'a Point> {
    points_of(drive.test(&test.id)?)
        .iter()
        .find(|p| u64::from(p.load.read_percent) == read_percent)
}

/// One direction of a point: requests and bytes a second. A point of one direction
/// only is that direction's.
fn part(point: &Point, op: PointOp) -> Option<(f64, f64)> {
    if let Some(part) = point.parts.iter().find(|part| part.op == op) {
        return Some((part.iops, part.bw_bytes_per_s));
    }
    let alone = match op {
        PointOp::Read => point.load.op == op || point.load.read_percent == 100,
        PointOp::Write => point.load.op == op || point.load.read_percent == 0,
        PointOp::Mixed => true,
    };
    alone.then_some((point.iops, point.bw_bytes_per_s))
}

fn latencies(
    test: &TestResult,
    drives: &[Drive<'_>],
    varied: Option<Dimension>,
    data: &mut ChartData,
) -> Block {
    let points = points_of(test);
    let reviewed = &drives[0].label;
    let figures = match varied {
        // More lines than this cannot be told apart.
        None if points.len() <= 6 => {
            let title = format!(
                "Latency of {} requests by percentile: {reviewed}",
                common_words(points)
            );
            let lines: Vec<(String, &LatencySummary)> = points
                .iter()
                .map(|p| (load_words(Load::of(p), points), &p.latency_ns))
                .collect();
            vec![latency::chart(title, &lines).place(data, None)]
        }
        Some(Dimension::Depth) => latency_lines(test, &drives[0], data),
        _ => Vec::new(),
    };
    let caption = format!("Completion latency by percentile: {reviewed}");
    let mut table = latency::table(caption, "Load", latency_rows(points));
    let cpu_times = cpu_times(points);
    if cpu_times.iter().any(Option::is_some) {
        latency::add_cpu_time(&mut table, &cpu_times);
    }
    let mut tables = vec![table];
    tables.extend(rival_latencies(test, drives));
    Block { figures, tables }
}

/// The time on processors of each row of [`latency_rows`].
fn cpu_times(points: &[Point]) -> Vec<Option<f64>> {
    let rows = points.iter().flat_map(|point| {
        let parts = point.parts.iter().map(|_| None);
        std::iter::once(point.cpu_ns_per_request).chain(parts)
    });
    rows.collect()
}

/// The rivals' latencies in one folded table, a group of rows for each.
fn rival_latencies(test: &TestResult, drives: &[Drive<'_>]) -> Option<Table> {
    let mut all: Option<Table> = None;
    let points = |drive: &Drive<'_>| drive.test(&test.id).map(|test| cpu_times(points_of(test)));
    let told = drives[1..].iter().filter_map(points).flatten();
    let told = told.flatten().next().is_some();
    for drive in &drives[1..] {
        let Some(theirs) = drive.test(&test.id) else {
            continue;
        };
        let caption = "Completion latency by percentile: the rivals".to_string();
        let mut one = latency::table(caption, "Load", latency_rows(points_of(theirs)));
        if told {
            latency::add_cpu_time(&mut one, &cpu_times(points_of(theirs)));
        }
        let all = all.get_or_insert(Table {
            rows: Vec::new(),
            folding: Folding::Folded,
            ..one.clone()
        });
        all.rows.push(vec![drive.label.as_str().into()]);
        all.rows.extend(one.rows);
    }
    all
}

fn latency_rows(points: &[Point]) -> Vec<(String, &LatencySummary)> {
    let mut rows = Vec::new();
    for point in points {
        let name = load_words(Load::of(point), points);
        let parts = point.parts.iter().map(|part| {
            let share = number::bound(&Dimension::Share.words(u64::from(point.load.read_percent)));
            (
                format!("↳ {}s at {share}", part.op.words()),
                &part.latency_ns,
            )
        });
        rows.push((name, &point.latency_ns));
        rows.extend(parts);
    }
    rows
}

/// Percentiles of the reviewed drive over the queue depth, a chart for each direction.
fn latency_lines(test: &TestResult, drive: &Drive<'_>, data: &mut ChartData) -> Vec<Figure> {
    let points = points_of(test);
    let mut figures = Vec::new();
    for op in [PointOp::Read, PointOp::Write, PointOp::Mixed] {
        let of_op: Vec<&Point> = points.iter().filter(|p| p.load.op == op).collect();
        // With another dimension varied as well, a depth has no single distribution.
        if of_op.is_empty() || rests(points, op, Dimension::Depth).len() > 1 {
            continue;
        }
        let depths = Dimension::Depth.values(of_op.iter().copied());
        let mut traces = Vec::new();
        // The median, the tail, the far tail and the worst.
        for place in [1, 3, 5, 6] {
            let name = percentiles(&LatencySummary::default())[place].0;
            let ys = depths.iter().map(|&depth| {
                let point = of_op
                    .iter()
                    .find(|p| u64::from(p.load.queue_depth) == depth);
                point.map_or(Coordinate::Gap(()), |p| {
                    latency::place(percentiles(&p.latency_ns)[place].1)
                })
            });
            traces.push(line(name.into(), traces.len(), &depths, ys));
        }
        let draft = Draft {
            title: format!(
                "{} latency against queue depth: {}",
                capitalised(op.words()),
                drive.label
            ),
            x: dimension_axis(Dimension::Depth, &depths),
            y: latency::axis(&traces),
            traces,
            ..Draft::default()
        };
        figures.push(draft.place(data, None));
    }
    figures
}
