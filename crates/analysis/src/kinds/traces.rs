//! Replayed traces: sentences and key figures.

use stend_language::{message, say, text};
use stend_record::figure::FigureId;
use stend_record::review::TestResult;
use stend_record::traces::{TraceOrigin, TraceResult, overall_bw};

use super::{Kind, Named};
use crate::figures::Unit;
use crate::words;

/// The analysis of replayed traces.
pub(super) const KIND: Kind = Kind {
    sentences: |test, _| sentences(test.traces()),
    lines,
    key_figures: |test| key_figures(test.traces()),
};

/// Describes the part of a trace that was replayed if not all was: `the first 10 %`.
pub fn beginning(trace: &TraceResult) -> Option<String> {
    let share = trace.replayed_share?;
    Some(text!("traces-beginning", share = words::percent(share)))
}

/// Formats the traces as lines for a terminal.
fn lines(test: &TestResult) -> String {
    let line = |trace: &TraceResult| {
        let bytes = trace.read_bytes + trace.written_bytes;
        let mut arguments = vec![
            ("name", format!("{:<20}", trace.name).into()),
            ("mb", format!("{:>7.0}", bytes as f64 / 1e6).into()),
            (
                "seconds",
                format!("{:>8}", words::fixed(trace.busy_s, 3)).into(),
            ),
            (
                "mb_per_s",
                format!("{:>7}", words::fixed(trace.bw_bytes_per_s / 1e6, 1)).into(),
            ),
            ("iops", format!("{:>8.0}", trace.iops).into()),
        ];
        let id = match beginning(trace) {
            Some(first) => {
                arguments.push(("first", first.into()));
                "traces-line-beginning"
            }
            None => "traces-line",
        };
        format!("  {}\n", message(id, &arguments))
    };
    let mut text: String = test.traces().iter().map(line).collect();
    if let Some(overall) = test.overall_bw_bytes_per_s() {
        let overall = words::fixed(overall / 1e6, 1);
        text += &format!("  {}\n", text!("traces-line-all", mb_per_s = overall));
        let captured = |t: &TraceResult| t.origin == TraceOrigin::Captured;
        if !test.traces().iter().all(captured) {
            text += &format!("  {}\n", say("traces-line-synthesised"));
        }
    }
    text
}

/// Reports the bandwidth of all traces, the fastest and slowest trace, and the limits of these
/// figures.
fn sentences(traces: &[TraceResult]) -> Vec<String> {
    let by_speed =
        |a: &&TraceResult, b: &&TraceResult| a.bw_bytes_per_s.total_cmp(&b.bw_bytes_per_s);
    let ends = (
        traces.iter().max_by(by_speed),
        traces.iter().min_by(by_speed),
    );
    let (Some(overall), (Some(fastest), Some(slowest))) = (overall_bw(traces), ends) else {
        return Vec::new();
    };
    let named = |t: &TraceResult| {
        let speed = words::speed(t.bw_bytes_per_s);
        text!("traces-named", name = t.words(), speed = speed)
    };
    let first = match traces {
        [only] => text!(
            "traces-one",
            speed = words::speed(overall),
            bytes = words::bytes(only.read_bytes + only.written_bytes),
            time = words::time(only.busy_s)
        ),
        _ => text!(
            "traces-all",
            speed = words::speed(overall),
            count = traces.len(),
            fastest = named(fastest),
            slowest = named(slowest)
        ),
    };
    let mut out = vec![first];
    let drawn = traces.iter().filter(|t| t.origin != TraceOrigin::Captured);
    if drawn.count() > 0 {
        out.push(say("traces-synthesised"));
    }
    if traces.iter().any(|t| t.replayed_share.is_some()) {
        out.push(say("traces-beginnings"));
    }
    let moved: u64 = traces.iter().map(|t| t.moved_requests).sum();
    if moved > 0 {
        let all: u64 = traces.iter().map(|t| t.requests).sum();
        let share = words::percent(moved as f64 / all as f64);
        out.push(text!("traces-moved", share = share));
    }
    out
}

fn key_figures(traces: &[TraceResult]) -> Vec<Named> {
    let figure = match traces {
        [_] => FigureId::BusyTime,
        _ => FigureId::AllTraces,
    };
    let overall = overall_bw(traces).map(|bw| (figure, bw, Unit::BytesPerS));
    overall.into_iter().collect()
}
