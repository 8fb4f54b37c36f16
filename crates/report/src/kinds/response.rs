//! Tests of reads while a file is deleted: speed and latency over time, with the deletion
//! at nought.

use stend_analysis::deletion_effect;
use stend_analysis::kinds::response::responses_of;
use stend_analysis::words::capitalised;
use stend_record::review::{Response, ResponseInterval, TestResult};

use crate::best::PART;
use crate::chart::{Axis, Chart, ChartData, ChartKind, Mark, Role, Scale, Trace};
use crate::drive::{Drive, measured_lists};
use crate::latency;
use crate::number;
use crate::view::{Block, Cell, Compared, Table};

/// Charts and tables of a test of deletions; nothing of any other test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    if responses_of(test).is_empty() {
        return Vec::new();
    }
    let measured = measured_lists(drives, test, responses_of);
    let block = |(drive, responses): (&Drive<'_>, &[Response])| {
        let speeds = speeds(drive, responses);
        let latencies = responses.iter().map(|response| latencies(drive, response));
        let charts = std::iter::once(speeds).chain(latencies);
        let rows: Vec<_> = responses.iter().flat_map(latency_rows).collect();
        let caption = format!(
            "Completion latency by percentile, less is better: {}",
            drive.label
        );
        Block::drawn(
            charts.map(|chart| chart.place(data, None)).collect(),
            vec![
                facts(drive, responses).on_paper(),
                latency::table(caption, "Response", &rows).on_paper(),
                intervals_table(drive, responses),
            ],
        )
    };
    measured.into_iter().map(block).collect()
}

fn load_words(response: &Response) -> String {
    format!(
        "random {} reads, queue depth {}",
        number::block(response.point.block_bytes),
        response.point.queue_depth
    )
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

fn span(responses: &[Response]) -> Option<[f64; 2]> {
    let times = || responses.iter().flat_map(|r| &r.intervals).map(|i| i.t_s);
    let (from, to) = (times().reduce(f64::min)?, times().reduce(f64::max)?);
    (from < to).then_some([from, to])
}

/// A chart over the time from the deletion on, with what happens when.
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
        // Marks need the ends of their axis.
        marks: range.map_or_else(Vec::new, |_| marks(responses)),
        x: Axis {
            range,
            ..Axis::new("Time from the deletion on, s", "s")
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
        Trace::through(&response.name, slot, Role::Means, points)
    };
    let title = format!(
        "{} around a deletion of {}: {}",
        capitalised(&load_words(first)),
        number::gb(first.file_bytes as f64),
        drive.label
    );
    let note = format!(
        "Lines: the mean over {}. Dashed vertical lines: the deletion, and from where on reads \
         are back to normal.",
        number::duration(first.interval_s)
    );
    let traces = responses.iter().enumerate().map(trace).collect();
    chart(title, note, responses, Axis::new("IOPS", "IOPS"), traces)
}

fn latencies(drive: &Drive<'_>, response: &Response) -> Chart {
    let ms = |ns: u64| ns as f64 / 1e6;
    let line = |name: &str, slot, latency_ns: fn(&ResponseInterval) -> u64| {
        let filled = response.intervals.iter().filter(|i| i.max_ns > 0);
        let points = filled.map(|i| (i.t_s, ms(latency_ns(i))));
        Trace::through(name, slot, Role::Means, points)
    };
    let slow = &response.slowest;
    let dots = slow.iter().map(|s| (s.t_s, ms(s.latency_ns)));
    let kept = slow.len() as u64;
    let which = match kept == response.requests {
        true => "every request".to_owned(),
        false => format!(
            "the slowest {} of {} requests; the lines show all of them",
            number::whole(kept),
            number::whole(response.requests)
        ),
    };
    let title = format!(
        "Latency around a deletion, {}: {}",
        response.name, drive.label
    );
    let note = format!(
        "Dots: {which}. Lines: median, 99\u{a0}% and slowest of each {}.",
        number::duration(response.interval_s)
    );
    let y = Axis {
        scale: Scale::Log,
        ..Axis::new("Latency, ms (logarithmic axis)", "ms")
    };
    let traces = vec![
        Trace::through("slowest requests", 3, Role::Samples, dots),
        line("median", 0, |i| i.p50_ns),
        line("99\u{a0}%", 1, |i| i.p99_ns),
        line("slowest", 2, |i| i.max_ns),
    ];
    chart(title, note, std::slice::from_ref(response), y, traces)
}

fn latency_rows(response: &Response) -> [latency::Row<'_>; 2] {
    let row = |name, latency| latency::Row {
        name,
        latency,
        histogram: None,
        cpu_ns: None,
    };
    let before = format!("{}: before", capitalised(&response.name));
    [
        row(before, &response.reference_latency_ns),
        row(format!("{PART} from the deletion on"), &response.latency_ns),
    ]
}

fn facts(drive: &Drive<'_>, responses: &[Response]) -> Table {
    let rows = responses.iter().map(|r| {
        let found = deletion_effect(r);
        let lowest = found.as_ref().map(|f| f.iops_lowest);
        let lowest = lowest.map(|iops| Cell::from(number::iops(iops)).more(iops));
        let normal = found.map(|f| match f.normal_after_s {
            None => "not while measured".to_owned(),
            Some(0.0) => "at once".to_owned(),
            Some(after_s) => number::seconds(after_s),
        });
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
    .comparing(Compared::BetweenTables)
}

fn intervals_table(drive: &Drive<'_>, responses: &[Response]) -> Table {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for response in responses {
        rows.push(vec![response.name.as_str().into()]);
        rows.extend(response.intervals.iter().map(|i| {
            let latency = |ns: u64| (ns > 0).then(|| number::latency(ns as f64)).into();
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
