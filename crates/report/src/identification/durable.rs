//! Pictures of flushes, of both directions at once, and of short writes.

use super::pictures::{Drawing, Told, bars};
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
        title: "Flushes after so many writes of a page".to_owned(),
        note: "A flush that is quicker than a program of flash has waited for none.".to_owned(),
        x: Axis {
            scale: Scale::Log,
            tick_texts: every.iter().map(f64::to_string).collect(),
            tick_values: every.clone(),
            ..Axis::new("Writes between two flushes", "writes")
        },
        y: Axis::new("Mean time, µs", "µs"),
        traces: vec![
            Trace::through("flush", 0, Role::Line, over(flush.collect())),
            Trace::through("write", 1, Role::Line, over(write.collect())),
        ],
        ..Chart::default()
    };
    Drawing::chart(&["flush-latency-ns", "power-loss-protection"], chart)
}

pub(super) fn mixed(told: &Told<'_>) -> Option<Drawing> {
    let mixed = told.seen.mixed?;
    let turns = 2.0 / (1.0 / mixed.reads + 1.0 / mixed.writes);
    let rows = [
        ("Reads alone", mixed.reads),
        ("Writes alone", mixed.writes),
        ("In turns (computed)", turns),
        ("Both at once", mixed.both),
    ];
    let rows = rows.map(|(name, speed)| (name, speed, number::mb_per_s(speed), String::new()));
    let axis = "Ascending requests, MB/s (MB = 10⁶ bytes); longer is faster";
    let note = "A half-duplex drive reaches less with both at once than in turns";
    let chart = bars("Reads and writes at once", (axis, note), &rows)?;
    Some(Drawing::Bars(&["half-duplex"], chart))
}

pub(super) fn short_writes(told: &Told<'_>) -> Option<Drawing> {
    let (short, page) = told.seen.short_writes?;
    let rows = [("512 bytes", short), ("A page (4 KiB)", page)];
    let rows = rows.map(|(name, rate)| (name, rate, number::iops(rate), String::new()));
    let axis = "Random writes a second; longer is faster";
    let note = "A drive that has to read the rest of a page first is slower with less than a page";
    let chart = bars("Writes of less than a page", (axis, note), &rows)?;
    Some(Drawing::Bars(&["sub-page-write-penalty"], chart))
}
