//! Tests of reads while a file is deleted: speed and latency over time, with the deletion
//! at nought.

use stend_analysis::deletion_effect;
use stend_analysis::kinds::response::responses_of;
use stend_analysis::words::capitalised;
use stend_record::review::{LatencySummary, Response, TestResult};

use crate::chart::{Axis, ChartData, ChartKind, Coordinate, Mark, Role, Scale, Trace, Values};
use crate::drive::Drive;
use crate::latency;
use crate::number;
use crate::view::{Block, Cell, Draft, Figure, Table};

/// Charts and tables of a test of deletions; nothing of any other test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    if responses_of(test).is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for drive in drives {
        let responses = drive.test(&test.id).map_or(&[][..], responses_of);
        if responses.is_empty() {
            continue;
        }
        let mut figures = vec![speeds(drive, responses, data)];
        figures.extend(responses.iter().map(|r| latencies(drive, r, data)));
        let rows = responses.iter().flat_map(latency_rows).collect();
        let caption = format!("Completion latency by percentile: {}", drive.label);
        out.push(Block {
            figures,
            tables: vec![
                facts(drive, responses),
                latency::table(caption, "Response", rows),
                intervals_table(drive, responses),
            ],
        });
    }
    out
}

fn load_words(response: &Response) -> String {
    format!(
        "random {} reads, queue depth {}",
        number::block(response.point.block_bytes),
        response.point.queue_depth
    )
}

fn time_axis() -> Axis {
    Axis {
        title: "Time from the deletion on, s".into(),
        unit: "s".into(),
        ..Axis::default()
    }
}

/// The deletion, and when reads are back to normal.
fn marks(responses: &[Response]) -> Vec<Mark> {
    let mut marks = vec![Mark {
        at: 0.0,
        text: "deletion".into(),
    }];
    let normal = responses.iter().filter_map(|r| {
        let after_s = deletion_effect(r)?.normal_after_s?;
        (after_s > 0.0).then(|| Mark {
            at: number::significant(after_s, 5),
            text: format!("normal {}", r.name),
        })
    });
    marks.extend(normal);
    marks.sort_by(|a, b| a.at.total_cmp(&b.at));
    marks
}

fn own(xs: Vec<f64>, ys: impl Iterator<Item = f64>) -> Values {
    Values::Own {
        x: xs.into_iter().map(Coordinate::rounded).collect(),
        y: ys.map(Coordinate::rounded).collect(),
        labels: Vec::new(),
    }
}

fn times(response: &Response) -> Vec<f64> {
    response.intervals.iter().map(|i| i.t_s).collect()
}

fn span(responses: &[Response]) -> Option<[f64; 2]> {
    let all = || responses.iter().flat_map(times);
    let (from, to) = (all().reduce(f64::min)?, all().reduce(f64::max)?);
    (from < to).then_some([from, to])
}

fn speeds(drive: &Drive<'_>, responses: &[Response], data: &mut ChartData) -> Figure {
    let first = &responses[0];
    let trace = |(slot, response): (usize, &Response)| Trace {
        name: response.name.clone(),
        slot,
        role: Role::Means,
        values: own(times(response), response.intervals.iter().map(|i| i.iops)),
    };
    let draft = Draft {
        title: format!(
            "{} around a deletion of {}: {}",
            capitalised(&load_words(first)),
            number::gb(first.file_bytes as f64),
            drive.label
        ),
        note: format!(
            "Lines: the mean over {}. Dashed vertical lines: the deletion, and from where on reads \
             are back to normal.",
            number::duration(first.interval_s)
        ),
        kind: ChartKind::Dots,
        height_px: 440,
        wide: true,
        // Marks need the ends of their axis.
        marks: span(responses).map_or_else(Vec::new, |_| marks(responses)),
        x: Axis {
            range: span(responses),
            ..time_axis()
        },
        y: Axis {
            title: "IOPS".into(),
            unit: "IOPS".into(),
            ..Axis::default()
        },
        traces: responses.iter().enumerate().map(trace).collect(),
    };
    draft.place(data, None)
}

fn latencies(drive: &Drive<'_>, response: &Response, data: &mut ChartData) -> Figure {
    let filled = || response.intervals.iter().filter(|i| i.max_ns > 0);
    let xs: Vec<f64> = filled().map(|i| i.t_s).collect();
    let ms = |ns: u64| ns as f64 / 1e6;
    let line = |name: &str, slot, ys: Vec<f64>| Trace {
        name: name.into(),
        slot,
        role: Role::Means,
        values: own(xs.clone(), ys.into_iter()),
    };
    let slow = &response.slowest;
    let dots = Trace {
        name: "slowest requests".into(),
        slot: 3,
        role: Role::Samples,
        values: own(
            slow.iter().map(|s| s.t_s).collect(),
            slow.iter().map(|s| ms(s.latency_ns)),
        ),
    };
    let kept = slow.len() as u64;
    let which = match kept == response.requests {
        true => "every request".to_owned(),
        false => format!(
            "the slowest {} of {} requests; the lines show all of them",
            number::whole(kept),
            number::whole(response.requests)
        ),
    };
    let range = span(std::slice::from_ref(response));
    let draft = Draft {
        title: format!(
            "Latency around a deletion, {}: {}",
            response.name, drive.label
        ),
        note: format!(
            "Dots: {which}. Lines: median, 99\u{a0}% and slowest of each {}.",
            number::duration(response.interval_s)
        ),
        kind: ChartKind::Dots,
        height_px: 440,
        wide: true,
        marks: range.map_or_else(Vec::new, |_| marks(std::slice::from_ref(response))),
        x: Axis {
            range,
            ..time_axis()
        },
        y: Axis {
            title: "Latency, ms (logarithmic axis)".into(),
            unit: "ms".into(),
            scale: Scale::Log,
            ..Axis::default()
        },
        traces: vec![
            dots,
            line("median", 0, filled().map(|i| ms(i.p50_ns)).collect()),
            line("99\u{a0}%", 1, filled().map(|i| ms(i.p99_ns)).collect()),
            line("slowest", 2, filled().map(|i| ms(i.max_ns)).collect()),
        ],
    };
    draft.place(data, None)
}

fn latency_rows(response: &Response) -> [(String, &LatencySummary); 2] {
    [
        (
            format!("{}: before", capitalised(&response.name)),
            &response.reference_latency_ns,
        ),
        ("↳ from the deletion on".to_owned(), &response.latency_ns),
    ]
}

fn facts(drive: &Drive<'_>, responses: &[Response]) -> Table {
    let rows = responses.iter().map(|r| {
        let found = deletion_effect(r);
        let lowest = found.map_or(number::MISSING.into(), |f| number::iops(f.iops_lowest));
        let normal = match found.map(|f| f.normal_after_s) {
            None => number::MISSING.to_string(),
            Some(None) => "not while measured".into(),
            Some(Some(0.0)) => "at once".into(),
            Some(Some(after_s)) => number::seconds(after_s),
        };
        let trim = match (r.trim_s, r.command_bytes) {
            (Some(trim_s), Some(bytes)) => Cell::noted(
                number::seconds(trim_s),
                format!(
                    "{} commands of {}",
                    number::whole(r.file_bytes / bytes.max(1)),
                    number::block(bytes)
                ),
            ),
            _ => "none".into(),
        };
        vec![
            r.name.as_str().into(),
            number::iops(r.reference_iops).into(),
            lowest.into(),
            normal.into(),
            number::latency(r.latency_ns.max as f64).into(),
            trim,
            number::gb(r.file_bytes as f64).into(),
            number::gb(r.region_bytes as f64).into(),
        ]
    });
    Table::new(
        format!("The deletion in figures; GB = 10⁹ bytes: {}", drive.label),
        vec![
            "Response".into(),
            Cell::noted("Before", "mean"),
            Cell::noted("Slowest second", "after the deletion"),
            Cell::noted("Back to normal", "90\u{a0}% of before, for 10 s"),
            "Slowest read".into(),
            Cell::noted("TRIM", "time of all commands"),
            "Deleted".into(),
            Cell::noted("Read in", "from the beginning"),
        ],
        rows,
    )
}

fn intervals_table(drive: &Drive<'_>, responses: &[Response]) -> Table {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for response in responses {
        rows.push(vec![response.name.as_str().into()]);
        rows.extend(response.intervals.iter().map(|i| {
            let latency = |ns: u64| match ns {
                0 => number::MISSING.into(),
                ns => Cell::from(number::latency(ns as f64)),
            };
            vec![
                format!("{:.2}", i.t_s).into(),
                number::iops(i.iops).into(),
                latency(i.p50_ns),
                latency(i.p99_ns),
                latency(i.max_ns),
            ]
        }));
    }
    Table::new(
        format!("Every interval, by its end, s: {}", drive.label),
        ["Until, s", "Speed", "Median", "99\u{a0}%", "Slowest"],
        rows,
    )
    .folded()
    .fitting()
}
