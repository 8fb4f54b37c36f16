//! Replayed traces: what is said of them, and what is compared.

use stend_record::review::TestResult;
use stend_record::traces::{TraceOrigin, TraceResult, overall_bw};

use crate::figures::Unit;
use crate::kind::{Kind, Named};
use crate::words;

/// The replayed traces of a test; none of any other test.
pub fn traces_of(test: &TestResult) -> &[TraceResult] {
    test.traces.as_deref().unwrap_or_default()
}

/// What follows from results of this kind.
pub(crate) const KIND: Kind = Kind {
    has: |test| !traces_of(test).is_empty(),
    sentences: |test, _| sentences(traces_of(test)),
    lines,
    key_figures: |test| key_figures(traces_of(test)),
};

/// What is said of a trace of which only the beginning was replayed: `the first 10 %`.
pub fn beginning(trace: &TraceResult) -> Option<String> {
    let share = trace.replayed_share?;
    Some(format!("the first {}", words::percent(share)))
}

/// The traces as lines of a terminal.
fn lines(test: &TestResult) -> String {
    let line = |trace: &TraceResult| {
        format!(
            "  {:<20} {:>7.0} MB in {:>8.3} s of busy time: {:>7.1} MB/s, {:>8.0} IOPS{}\n",
            trace.name,
            (trace.read_bytes + trace.written_bytes) as f64 / 1e6,
            trace.busy_s,
            trace.bw_bytes_per_s / 1e6,
            trace.iops,
            beginning(trace).map_or_else(String::new, |first| format!(" ({first})"))
        )
    };
    let mut text: String = traces_of(test).iter().map(line).collect();
    if let Some(overall) = test.overall_bw_bytes_per_s {
        text += &format!("  all: {:.1} MB/s\n", overall / 1e6);
        let captured = |t: &TraceResult| t.origin == TraceOrigin::Captured;
        if !traces_of(test).iter().all(captured) {
            text += "  synthesised desktop traces, no PCMark score\n";
        }
    }
    text
}

/// The bandwidth of all, the ends of the list, and what the figures are not.
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
    let named = |t: &TraceResult| format!("{} ({})", t.title, words::speed(t.bw_bytes_per_s));
    let first = match traces {
        [only] => format!(
            "{} of busy time: {} in {}.",
            words::speed(overall),
            words::bytes(only.read_bytes + only.written_bytes),
            words::time(only.busy_s)
        ),
        _ => format!(
            "{} of busy time over all {} traces; fastest is {}, slowest {}.",
            words::speed(overall),
            traces.len(),
            named(fastest),
            named(slowest)
        ),
    };
    let mut out = vec![first];
    let drawn = traces.iter().filter(|t| t.origin != TraceOrigin::Captured);
    if drawn.count() > 0 {
        out.push("Synthesised desktop traces, no PCMark score.".to_owned());
    }
    if traces.iter().any(|t| t.replayed_share.is_some()) {
        out.push("Only the beginnings of traces were replayed; figures are of these.".to_owned());
    }
    let moved: u64 = traces.iter().map(|t| t.moved_requests).sum();
    if moved > 0 {
        let all: u64 = traces.iter().map(|t| t.requests).sum();
        out.push(format!(
            "The target is too small for them: {} of the requests were moved to fit.",
            words::percent(moved as f64 / all as f64)
        ));
    }
    out
}

fn key_figures(traces: &[TraceResult]) -> Vec<Named> {
    let name = match traces {
        [_] => "Over busy time",
        _ => "All traces",
    };
    let overall = overall_bw(traces).map(|bw| (name.to_owned(), bw, Unit::BytesPerS));
    overall.into_iter().collect()
}
