//! Tests of reads while a file is deleted: speed and latency over time, with the deletion at zero.

use stend_analysis::deletion_effect;
use stend_analysis::words::capitalised;
use stend_language::{Text, numeral, say, text};
use stend_record::review::{Response, ResponseInterval, TestResult};

use crate::chart::{Axis, Chart, ChartData, ChartKind, Mark, Role, Trace};
use crate::drive::{Drive, measured_lists};
use crate::latency::{self, Form, Side};
use crate::number;
use crate::view::{Block, Cell, Compared, Table};

/// Returns charts and tables of a deletion test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    let measured = measured_lists(drives, test, TestResult::responses);
    let block = |(drive, responses): (&Drive<'_>, &[Response])| {
        let speeds = speeds(drive, responses);
        let latencies = responses.iter().map(|response| latencies(drive, response));
        let charts = std::iter::once(speeds).chain(latencies);
        let rows: Vec<_> = responses.iter().flat_map(latency_rows).collect();
        let caption = text!("latency-caption-percentile", drive = &drive.label);
        Block::drawn(
            charts.map(|chart| chart.place(data, None)).collect(),
            vec![
                facts(drive, responses).on_paper(),
                latency::table(caption, &say("head-response"), &rows).on_paper(),
                intervals_table(drive, responses),
            ],
        )
    };
    measured.into_iter().map(block).collect()
}

/// Marks the deletion, and the time at which reads are back to normal.
fn marks(responses: &[Response]) -> Vec<Mark> {
    let mut marks = vec![Mark {
        at: 0.0,
        text: say("response-deletion"),
    }];
    let normal = responses.iter().filter_map(|r| {
        let after_s = deletion_effect(r)?.normal_after_s?;
        (after_s > 0.0).then(|| Mark {
            at: number::significant(after_s, 5),
            text: text!("response-normal", name = name_of(r)),
        })
    });
    marks.extend(normal);
    marks.sort_by(|a, b| a.at.total_cmp(&b.at));
    marks
}

fn span(responses: &[Response]) -> Option<[f64; 2]> {
    let times = || responses.iter().flat_map(|r| &r.intervals).map(|i| i.t_s);
    let (from, to) = (times().reduce(f64::min)?, times().reduce(f64::max)?);
    (from < to).then_some([from, to])
}

/// Returns a chart over the time from the deletion, with its marks.
fn chart(
    title: String,
    note: String,
    responses: &[Response],
    y: Axis,
    traces: Vec<Trace>,
) -> Chart {
    let range = span(responses);
    Chart {
        title,
        note,
        kind: ChartKind::Dots,
        height_px: 440,
        wide: true,
        // Marks require the ends of their axis.
        marks: range.map_or_else(Vec::new, |_| marks(responses)),
        x: Axis {
            range,
            ..Axis::new(&say("response-axis-time"), "s")
        },
        y,
        traces,
        ..Chart::default()
    }
}

fn speeds(drive: &Drive<'_>, responses: &[Response]) -> Chart {
    let first = &responses[0];
    let trace = |(slot, response): (usize, &Response)| {
        let points = response.intervals.iter().map(|i| (i.t_s, i.iops));
        Trace::through(name_of(response), slot, Role::Means, points)
    };
    let title = text!(
        "response-title",
        block = number::block(first.point.block_bytes),
        depth = first.point.queue_depth,
        deleted = number::gb(first.file_bytes as f64),
        drive = &drive.label
    );
    let note = text!(
        "response-note",
        interval = number::duration(first.interval_s)
    );
    let traces = responses.iter().enumerate().map(trace).collect();
    let y = Axis::new(&say("axis-iops"), "IOPS");
    chart(title, note, responses, y, traces)
}

fn latencies(drive: &Drive<'_>, response: &Response) -> Chart {
    let us = |ns: u64| ns as f64 / 1e3;
    let line = |name: &str, slot, latency_ns: fn(&ResponseInterval) -> u64| {
        let filled = response.intervals.iter().filter(|i| i.max_ns > 0);
        let points = filled.map(|i| (i.t_s, us(latency_ns(i))));
        Trace::through(name, slot, Role::Means, points)
    };
    let slow = &response.slowest;
    let dots = slow.iter().map(|s| (s.t_s, us(s.latency_ns)));
    let kept = slow.len() as u64;
    let interval = number::duration(response.interval_s);
    let title = text!(
        "response-latency-title",
        name = name_of(response),
        drive = &drive.label
    );
    let note = match kept == response.requests {
        true => text!("response-dots-all", interval = interval),
        false => text!(
            "response-dots-some",
            kept = number::whole(kept),
            all = number::whole(response.requests),
            interval = interval
        ),
    };
    let mut traces = vec![
        Trace::through(say("response-slowest-requests"), 3, Role::Samples, dots),
        line(&say("word-median"), 0, |i| i.p50_ns),
        line("99\u{a0}%", 1, |i| i.p99_ns),
        line(&say("word-slowest"), 2, |i| i.max_ns),
    ];
    let y = latency::axis(&mut traces, Side::Y, Form::Log);
    chart(title, note, std::slice::from_ref(response), y, traces)
}

fn latency_rows(response: &Response) -> [latency::Row<'_>; 2] {
    let row = |name, latency| latency::Row {
        name,
        latency,
        histogram: None,
        cpu_ns: None,
    };
    let name = capitalised(&name_of(response));
    let before = text!("response-before-row", name = name);
    [
        row(before, &response.reference_latency_ns),
        row(say("response-after-row"), &response.latency_ns),
    ]
}

fn facts(drive: &Drive<'_>, responses: &[Response]) -> Table {
    let rows = responses.iter().map(|r| {
        let found = deletion_effect(r);
        let lowest = found.as_ref().map(|f| f.iops_lowest);
        let lowest = lowest.map(|iops| Cell::from(number::iops(iops)).more(iops));
        let normal = found.map(|f| match f.normal_after_s {
            None => say("response-never"),
            Some(0.0) => say("response-at-once"),
            Some(after_s) => number::seconds(after_s),
        });
        let trim = match (r.trim_s, r.command_bytes) {
            (Some(trim_s), Some(bytes)) => Cell::noted(
                number::seconds(trim_s),
                text!(
                    "response-commands",
                    count = r.file_bytes / bytes.max(1),
                    commands = number::whole(r.file_bytes / bytes.max(1)),
                    block = number::block(bytes)
                ),
            ),
            _ => say("response-no-trim").into(),
        };
        vec![
            name_of(r).into(),
            Cell::from(number::iops(r.reference_iops)).more(r.reference_iops),
            lowest.into(),
            normal.into(),
            Cell::from(number::latency(r.latency_ns.max as f64)).less(r.latency_ns.max as f64),
            trim,
            number::gb(r.file_bytes as f64).into(),
            number::gb(r.region_bytes as f64).into(),
        ]
    });
    Table::new(
        text!("response-caption", drive = &drive.label),
        vec![
            say("head-response").into(),
            Cell::noted(
                say("response-head-before"),
                say("response-head-before-note"),
            ),
            Cell::noted(
                say("response-head-slowest"),
                say("response-head-slowest-note"),
            ),
            Cell::noted(
                say("response-head-normal"),
                say("response-head-normal-note"),
            ),
            say("response-head-read").into(),
            Cell::noted("TRIM", say("response-head-trim-note")),
            say("response-head-deleted").into(),
            Cell::noted(
                say("response-head-region"),
                say("response-head-region-note"),
            ),
        ],
        rows,
    )
    .comparing(Compared::BetweenTables(1))
}

fn intervals_table(drive: &Drive<'_>, responses: &[Response]) -> Table {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for response in responses {
        rows.push(vec![name_of(response).into()]);
        rows.extend(response.intervals.iter().map(|i| {
            let latency = |ns: u64| (ns > 0).then(|| number::latency(ns as f64)).into();
            vec![
                numeral(&format!("{:.2}", i.t_s)).into(),
                number::iops(i.iops).into(),
                latency(i.p50_ns),
                latency(i.p99_ns),
                latency(i.max_ns),
            ]
        }));
    }
    Table::new(
        text!("response-intervals-caption", drive = &drive.label),
        [
            say("response-head-until"),
            say("head-speed"),
            say("response-head-median"),
            "99\u{a0}%".to_owned(),
            say("response-head-slowest-request"),
        ],
        rows,
    )
    .folded()
    .fitting()
}

fn name_of(response: &Response) -> String {
    Text::named("response", &response.name).to_string()
}
