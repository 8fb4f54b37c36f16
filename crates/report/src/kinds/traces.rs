//! Tests of replayed traces: a speed for each trace, rivals side by side, and the bytes moved.

use stend_analysis::kinds::traces::beginning;
use stend_record::review::{LatencySummary, TestResult};
use stend_record::traces::{TraceOrigin, TraceResult, TraceTiming};

use stend_language::{Text, say, text, unit};

use crate::bars::{self, Bar, BarChart};
use crate::chart::ChartData;
use crate::drive::{Drive, measured_lists};
use crate::number;
use crate::view::{Block, Cell, Compared, Table};

/// Returns charts and tables of a test of traces.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], _: &mut ChartData) -> Vec<Block> {
    let measured = measured_lists(drives, test, TestResult::traces);
    vec![Block {
        bars: vec![speeds(test, drives)],
        tables: measured
            .iter()
            .flat_map(|(drive, traces)| [facts(traces, drive), limits(traces, drive)])
            .collect(),
        ..Block::default()
    }]
}

fn of<'a>(drive: &Drive<'a>, test: &TestResult, name: &str) -> Option<&'a TraceResult> {
    drive
        .test(&test.id)?
        .traces()
        .iter()
        .find(|trace| trace.name == name)
}

/// Returns the bandwidth of all traces of a drive; `None` for a single trace.
fn overall(drive: &Drive<'_>, test: &TestResult) -> Option<Bar> {
    let test = drive.test(&test.id)?;
    let overall = test
        .overall_bw_bytes_per_s()
        .filter(|_| test.traces().len() > 1)?;
    // It is the only key figure of such a test.
    let values = test.repeated.first().map(|figure| &*figure.values);
    Some(Bar::mb_per_s(overall).repeated(values.unwrap_or_default(), 1e6))
}

/// Names a trace by its title, and by its name if two share a title.
fn name(trace: &TraceResult, traces: &[TraceResult]) -> String {
    match traces.iter().filter(|t| t.title == trace.title).count() {
        0 | 1 => trace.words(),
        _ => format!("{} ({})", trace.words(), trace.name),
    }
}

/// A row of the chart: a name, and a bar for each drive.
struct Row {
    name: String,
    bars: Vec<Option<Bar>>,
}

fn rows(test: &TestResult, drives: &[Drive<'_>]) -> Vec<Row> {
    let mut rows = Vec::new();
    let all: Vec<_> = drives.iter().map(|drive| overall(drive, test)).collect();
    if all.iter().any(Option::is_some) {
        rows.push(Row {
            name: say("figure-all-traces"),
            bars: all,
        });
    }
    rows.extend(test.traces().iter().map(|trace| {
        let bar = |drive: &Drive<'_>| {
            let found = of(drive, test, &trace.name)?;
            let bar = Bar::mb_per_s(found.bw_bytes_per_s).noted(number::iops(found.iops));
            Some(bar.repeated(&found.repeated_bw_bytes_per_s, 1e6))
        };
        Row {
            name: name(trace, test.traces()),
            bars: drives.iter().map(bar).collect(),
        }
    }));
    rows
}

fn speeds(test: &TestResult, drives: &[Drive<'_>]) -> BarChart {
    let rows = rows(test, drives);
    let mut traces = drives
        .iter()
        .filter_map(|drive| drive.test(&test.id))
        .flat_map(TestResult::traces);
    let synthesised = traces.any(|t| t.origin != TraceOrigin::Captured);
    let title = text!("traces-title", test = test.title.to_string());
    let groups: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
    let mut chart = bars::chart(title, &say("traces-axis"), &groups, drives, |slot, nth| {
        rows[nth].bars[slot].clone()
    });
    // The limits of their figures are noted wherever they are drawn.
    chart.note = match synthesised {
        true => say("traces-note"),
        false => String::new(),
    };
    chart
}

fn origin_words(trace: &TraceResult) -> String {
    let origin = say(match trace.origin {
        TraceOrigin::PublishedTotals => "traces-origin-published",
        TraceOrigin::Assumed => "traces-origin-assumed",
        TraceOrigin::Captured => "traces-origin-captured",
    });
    match beginning(trace) {
        Some(first) => format!("{first}; {origin}"),
        None => origin,
    }
}

fn timing_words(trace: &TraceResult) -> String {
    match trace.timing {
        TraceTiming::Original => say("traces-timing-original"),
        TraceTiming::Busy => say("traces-timing-busy"),
        TraceTiming::Fast => number::bound(&text!("traces-timing-fast", depth = trace.queue_depth)),
    }
}

fn mb(bytes: u64) -> String {
    format!("{}\u{a0}{}", number::plain(bytes as f64 / 1e6), unit("MB"))
}

fn facts(traces: &[TraceResult], drive: &Drive<'_>) -> Table {
    let row = |t: &TraceResult| -> Vec<Cell> {
        let mean = |latency: LatencySummary| {
            let p99 = number::latency(latency.p99 as f64);
            let share = latency.half_widths.map(|half| half.mean / latency.mean);
            let mean = number::sure(number::latency(latency.mean), share);
            Cell::noted(mean, format!("99\u{a0}%\u{a0}{p99}")).less(latency.mean)
        };
        vec![
            Cell::noted(t.words(), origin_words(t)),
            mb(t.read_bytes).into(),
            mb(t.written_bytes).into(),
            Cell::noted(number::seconds(t.busy_s), timing_words(t))
                .sure_of(&t.repeated_busy_s)
                .less(t.busy_s),
            Cell::from(number::seconds(t.elapsed_s)).sure_of(&t.repeated_elapsed_s),
            t.read_latency_ns.map(mean).into(),
            t.write_latency_ns.map(mean).into(),
            Cell::from(t.write_amplification.map(number::plain))
                .sure_of(&t.repeated_write_amplification),
            number::whole(t.moved_requests).into(),
        ]
    };
    Table::new(
        text!("traces-caption", drive = &drive.label),
        vec![
            say("traces-head-trace").into(),
            say("head-read").into(),
            say("head-written").into(),
            Cell::noted(say("traces-head-busy"), say("traces-head-busy-note")),
            say("traces-head-elapsed").into(),
            Cell::noted(say("traces-head-reads"), say("traces-head-latency-note")),
            Cell::noted(say("traces-head-writes"), say("traces-head-latency-note")),
            Cell::noted(
                say("traces-head-amplification"),
                say("traces-head-amplification-note"),
            ),
            Cell::noted(say("traces-head-moved"), say("traces-head-moved-note")),
        ],
        traces.iter().map(row),
    )
    .comparing(Compared::BetweenTables(1))
    .on_paper()
}

/// Returns the limits of the figures, each once with its traces.
fn limits(traces: &[TraceResult], drive: &Drive<'_>) -> Table {
    let mut said: Vec<(&Text, Vec<String>)> = Vec::new();
    for trace in traces {
        for limit in &trace.limits {
            match said.iter_mut().find(|(text, _)| *text == limit) {
                Some((_, names)) => names.push(trace.words()),
                None => said.push((limit, vec![trace.words()])),
            }
        }
    }
    let rows = said.iter().map(|(text, names)| {
        let of = match names.len() == traces.len() {
            true => say("traces-limits-all"),
            false => names.join(", "),
        };
        vec![text.to_string().into(), of.into()]
    });
    Table::new(
        text!("traces-limits-caption", drive = &drive.label),
        ["traces-limits-head", "traces-limits-traces"].map(say),
        rows,
    )
    .on_paper()
}
