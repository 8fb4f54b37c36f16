//! Pictures of flushes, of both directions at once, and of short writes.

use stend_language::say;

use super::drawing::{Drawing, Told, bars};
use crate::chart::{Axis, Chart, Role, Scale, Trace};
use crate::number;

pub(super) fn flushes(told: &Told<'_>) -> Option<Drawing> {
    let flushes = &told.seen.flushes;
    if flushes.is_empty() {
        return None;
    }
    let every: Vec<f64> = flushes.iter().map(|f| f64::from(f.every)).collect();
    let flush = flushes.iter().map(|f| f.flush_ns / 1e3);
    let write = flushes.iter().map(|f| f.write_ns / 1e3);
    let over = |times: Vec<f64>| every.iter().copied().zip(times);
    let chart = Chart {
        title: say("inside-flushes-title"),
        note: say("inside-flushes-note"),
        x: Axis {
            scale: Scale::Log,
            tick_texts: every.iter().map(f64::to_string).collect(),
            tick_values: every.clone(),
            ..Axis::new(&say("inside-axis-between"), &say("inside-unit-writes"))
        },
        y: Axis::new(&say("inside-axis-mean-time"), "µs"),
        traces: vec![
            Trace::through(
                say("inside-trace-flush"),
                0,
                Role::Line,
                over(flush.collect()),
            ),
            Trace::through(
                say("inside-trace-write"),
                1,
                Role::Line,
                over(write.collect()),
            ),
        ],
        ..Chart::default()
    };
    Drawing::chart(&["flush-latency-ns", "power-loss-protection"], chart)
}

pub(super) fn mixed(told: &Told<'_>) -> Option<Drawing> {
    let mixed = told.seen.mixed?;
    let turns = 2.0 / (1.0 / mixed.reads + 1.0 / mixed.writes);
    let rows = [
        ("inside-mixed-reads", mixed.reads),
        ("inside-mixed-writes", mixed.writes),
        ("inside-mixed-turns", turns),
        ("inside-mixed-both", mixed.both),
    ];
    let rows = rows.map(|(id, speed)| (say(id), speed, number::mb_per_s(speed), String::new()));
    let texts = [
        "inside-mixed-title",
        "inside-mixed-axis",
        "inside-mixed-note",
    ];
    let chart = bars(texts.map(say), &rows)?;
    Some(Drawing::Bars(&["half-duplex"], chart))
}

pub(super) fn short_writes(told: &Told<'_>) -> Option<Drawing> {
    let (short, page) = told.seen.short_writes?;
    let rows = [("inside-short-part", short), ("inside-short-page", page)];
    let rows = rows.map(|(id, rate)| (say(id), rate, number::iops(rate), String::new()));
    let texts = [
        "inside-short-title",
        "inside-short-axis",
        "inside-short-note",
    ];
    let chart = bars(texts.map(say), &rows)?;
    Some(Drawing::Bars(&["sub-page-write-penalty"], chart))
}
