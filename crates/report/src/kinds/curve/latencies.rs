//! Latencies of curves: over time, and over the whole curve.

use stend_language::{say, text};
use stend_record::review::{IntervalLatency, Series};

use super::{Drawn, Ranges, compared, load_text, time_axis};
use crate::chart::{Chart, ChartData, Role, Trace};
use crate::curve;
use crate::latency::{self, Form, Side};
use crate::number;
use crate::view::Block;

/// Returns latency over time and over whole curves: charts if the reviewed drive is among them, a
/// table in any case.
pub(super) fn latency_block(
    drawn: &[Drawn<'_>],
    suffix: &str,
    window_s: f64,
    data: &mut ChartData,
) -> Block {
    let rows = drawn.iter().map(|d| latency::Row {
        name: d.name.clone(),
        latency: &d.series.latency_ns,
        histogram: d.series.latency_histogram.as_deref(),
        cpu_ns: d.series.cpu_ns_per_request,
    });
    let rows: Vec<latency::Row<'_>> = rows.collect();
    let reviewed = drawn.iter().any(|d| d.dots);
    let mut figures = Vec::new();
    if reviewed {
        figures.extend(over_time(drawn, suffix, window_s).map(|chart| chart.place(data, None)));
        let title = load_text("latency-title-curve", drawn[0].series) + suffix;
        let chart = latency::chart(title, &rows);
        figures.push(
            Chart {
                wide: true,
                ..chart
            }
            .place(data, None),
        );
    }
    let caption = say("latency-caption-curve") + suffix;
    let table = latency::table(caption, &say("head-curve"), &rows).comparing(compared(suffix));
    let table = match reviewed {
        true => table.on_paper(),
        false => table.folded(),
    };
    Block::drawn(figures, vec![table])
}

/// Draws the median, 99 % and slowest by windows: those of a single curve with its rivals' 99 %, or
/// the 99 % of several curves; `None` if no curve has latencies by intervals.
fn over_time(drawn: &[Drawn<'_>], suffix: &str, window_s: f64) -> Option<Chart> {
    let own: Vec<&Drawn<'_>> = drawn.iter().filter(|d| d.dots).collect();
    let x = time_axis(&Ranges::over(drawn.iter()));
    let multiply = x.multiply.unwrap_or(1.0);
    let mut traces: Vec<Trace> = Vec::new();
    let mut trace = |d: &Drawn<'_>, what: &str, of: Of| {
        let Some(points) = windows(d.series, window_s, of) else {
            return;
        };
        let name = match what {
            "" => d.name.clone(),
            what => format!("{}, {what}", d.name),
        };
        let points = points.into_iter().map(|(t_s, us)| (t_s * multiply, us));
        traces.push(Trace::through(name, traces.len(), Role::Curve, points));
    };
    match own[..] {
        [only] => {
            trace(only, &say("word-median"), Of::Median);
            trace(only, "99\u{a0}%", Of::P99);
            trace(only, &say("word-slowest"), Of::Slowest);
            for rival in drawn.iter().filter(|d| !d.dots) {
                trace(rival, "99\u{a0}%", Of::P99);
            }
        }
        _ => {
            for curve in drawn {
                trace(curve, "99\u{a0}%", Of::P99);
            }
        }
    }
    let interval = number::duration(drawn[0].series.interval_s);
    let window = number::duration(window_s);
    (!traces.is_empty()).then(|| Chart {
        title: load_text("latency-title-time", drawn[0].series) + suffix,
        note: text!("latency-note-windows", window = window, interval = interval),
        height_px: 400,
        wide: true,
        x,
        y: latency::axis(&mut traces, Side::Y, Form::Log),
        traces,
        ..Chart::default()
    })
}

/// Figures of the intervals.
#[derive(Clone, Copy)]
enum Of {
    Median,
    P99,
    Slowest,
}

/// Returns the middle of each window, s, with a latency, µs.
fn windows(series: &Series, window_s: f64, of: Of) -> Option<Vec<(f64, f64)>> {
    let all: &IntervalLatency = series.interval_latency.as_ref()?;
    let values = match of {
        Of::Median => &all.p50_ns,
        Of::P99 => &all.p99_ns,
        Of::Slowest => &all.max_ns,
    };
    let mut rest = values.iter().zip(&series.samples).peekable();
    let mut out = Vec::new();
    for window in curve::windows(series, window_s) {
        let mut inside: Vec<u64> = Vec::new();
        while let Some((value, _)) = rest.next_if(|(_, sample)| sample.t_s <= window.end_s) {
            // An interval of 0 completed no request.
            inside.extend(Some(*value).filter(|value| *value > 0));
        }
        inside.sort_unstable();
        let value = match of {
            Of::Slowest => inside.last(),
            _ => inside.get(inside.len() / 2),
        };
        let place = value.and_then(|ns| latency::place_us(*ns as f64));
        out.extend(place.map(|us| (window.middle_s, us)));
    }
    (!out.is_empty()).then_some(out)
}
