//! Pictures of reads: by place, by kind of data, over depth and span, in pairs, for minutes.

use stend_identify::observed::{ReadMap, Times};
use stend_language::{say, text, unit};

use super::drawing::{Drawing, Told, add_note, bars};
use crate::chart::{Axis, Band, Chart, ChartKind, Mark, Role, Scale, Trace};
use crate::number;

/// Returns reads by place, one step for each part of the drive.
fn by_place(name: String, slot: usize, bytes: u64, parts: &[Times]) -> Trace {
    let part_gb = bytes as f64 / parts.len() as f64 / 1e9;
    let end = parts
        .last()
        .map(|times| (bytes as f64 / 1e9, us(times.p1_ns)));
    let parts = parts.iter().enumerate();
    let points = parts.map(|(index, times)| (index as f64 * part_gb, us(times.p1_ns)));
    Trace::through(name, slot, Role::Steps, points.chain(end))
}

/// Returns a chart of read times by place, with the levels of new and old data.
fn place_chart(told: &Told<'_>, title: String, maps: Vec<Trace>, bytes: u64) -> Chart {
    let end = bytes as f64 / 1e9;
    let levels = [
        ("inside-new-data", told.seen.new_reads),
        ("inside-old-data", told.seen.slowest_settled()),
    ];
    let levels = levels
        .into_iter()
        .enumerate()
        .filter_map(|(slot, (id, times))| {
            let level = us(times?.p1_ns);
            let time = number::latency(level * 1e3);
            let name = text!("inside-level", name = say(id), time = time);
            Some(Trace::through(
                name,
                slot + 2,
                Role::Curve,
                [(0.0, level), (end, level)],
            ))
        });
    let traces: Vec<Trace> = levels.chain(maps).collect();
    let mut chart = Chart {
        title,
        note: say("inside-place-note"),
        x: Axis {
            range: Some([0.0, end]),
            ..Axis::new(&say("inside-axis-place"), "GB")
        },
        y: Axis::new(&say("inside-axis-read"), "µs"),
        traces,
        ..Chart::default()
    };
    if told.has_cache() {
        add_note(&mut chart, &say("inside-place-cache"));
    }
    chart
}

pub(super) fn map(told: &Told<'_>) -> Option<Drawing> {
    let map = told.seen.maps.last().filter(|map| !map.parts.is_empty())?;
    let of = |id, slot, map: &ReadMap| by_place(say(id), slot, map.written_bytes, &map.parts);
    let rested = told.seen.rested_map.as_ref();
    let rested = rested.map(|map| of("inside-after-a-rest", 1, map));
    let maps = [of("inside-at-once", 0, map)]
        .into_iter()
        .chain(rested)
        .collect();
    let title = say("inside-map-title");
    let chart = place_chart(told, title, maps, map.written_bytes);
    Drawing::chart(
        &["slc-cache", "slc-cache-bytes", "slc-idle-emptying"],
        chart,
    )
}

pub(super) fn full_map(told: &Told<'_>) -> Option<Drawing> {
    let map = told.seen.full_map.as_ref();
    let map = map.filter(|map| !map.parts.is_empty())?;
    let title = say("inside-full-map-title");
    let name = say("inside-at-once");
    let maps = vec![by_place(name, 0, map.written_bytes, &map.parts)];
    let chart = place_chart(told, title, maps, map.written_bytes);
    Drawing::chart(&["slc-cache-bytes-full", "slc-cache-kind"], chart)
}

pub(super) fn settled(told: &Told<'_>) -> Option<Drawing> {
    let parts = &told.seen.settled_parts;
    if parts.is_empty() {
        return None;
    }
    let whole = told.seen.capacity_bytes;
    let rest = number::duration(told.seen.settled_s);
    let title = text!("inside-settled-title", time = rest);
    let maps = vec![by_place(say("inside-after-the-rest"), 0, whole, parts)];
    let chart = place_chart(told, title, maps, whole);
    Drawing::chart(&["read-latency-ns"], chart)
}

/// Draws reads of a page by the kind of its data.
pub(super) fn kinds(told: &Told<'_>) -> Option<Drawing> {
    let seen = told.seen;
    let kinds = [
        ("inside-kind-unwritten", seen.unwritten_reads),
        ("inside-kind-ascending", seen.ascending_reads),
        ("inside-kind-new", seen.new_reads),
        ("inside-kind-latest", seen.latest_reads),
        ("inside-kind-old", seen.slowest_settled()),
    ];
    let rows: Vec<(String, f64, String, String)> = kinds
        .into_iter()
        .filter_map(|(id, times)| {
            let times = times?;
            let note = text!("inside-kinds-mean", time = number::latency(times.mean_ns));
            let median = times.p50_ns as f64;
            Some((say(id), median, number::latency(median), note))
        })
        .collect();
    let [title, axis] = ["inside-kinds-title", "inside-kinds-axis"].map(say);
    let chart = bars([title, axis, String::new()], &rows)?;
    let properties = &[
        "slc-cache",
        "slc-when-full",
        "read-latency-ns",
        "flash-read-ns",
        "read-ahead",
    ];
    Some(Drawing::Bars(properties, chart))
}

pub(super) fn depths(told: &Told<'_>) -> Option<Drawing> {
    let depths = &told.seen.depths;
    if depths.is_empty() {
        return None;
    }
    let points = depths.iter();
    let points = points.map(|(depth, times)| (f64::from(*depth), times.per_s));
    let chart = Chart {
        title: say("inside-depths-title"),
        note: say("inside-depths-note"),
        x: Axis {
            scale: Scale::Log,
            tick_values: depths.iter().map(|(depth, _)| f64::from(*depth)).collect(),
            tick_texts: depths.iter().map(|(depth, _)| depth.to_string()).collect(),
            ..Axis::new(&say("inside-axis-depth"), &say("inside-unit-outstanding"))
        },
        y: Axis::new(&say("axis-iops"), "IOPS"),
        traces: vec![Trace::through(
            say("inside-trace-reads"),
            0,
            Role::Line,
            points,
        )],
        ..Chart::default()
    };
    Drawing::chart(&["read-latency-ns"], chart)
}

/// Most ticks for which a narrow screen has room.
const TICKS_MAX: usize = 5;

pub(super) fn spans(told: &Told<'_>) -> Option<Drawing> {
    const MIB: f64 = (1u64 << 20) as f64;
    let spans = &told.seen.spans;
    let (first, last) = (spans.first()?, spans.last()?);
    let places: Vec<f64> = spans.iter().map(|(span, _)| *span as f64 / MIB).collect();
    let times: Vec<f64> = spans.iter().map(|(_, times)| times.mean_ns / 1e3).collect();
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let most = times.iter().copied().fold(0.0, f64::max);
    let every = spans.len().div_ceil(TICKS_MAX);
    // A miss may cost one percent: the axis starts near the times, not at zero.
    let margin = (most - least).max(0.01 * most) * 0.1;
    let mut chart = Chart {
        title: say("inside-spans-title"),
        note: say("inside-spans-note"),
        x: Axis {
            scale: Scale::Log,
            tick_values: places.iter().step_by(every).copied().collect(),
            tick_texts: spans
                .iter()
                .step_by(every)
                .map(|(span, _)| size(*span))
                .collect(),
            range: Some([first.0 as f64 / MIB * 0.8, last.0 as f64 / MIB * 1.25]),
            ..Axis::new(&say("inside-axis-span"), "MiB")
        },
        y: Axis {
            range: Some([least - margin, most + margin]),
            ..Axis::new(&say("inside-axis-mean-read"), "µs")
        },
        traces: vec![Trace::through(
            say("inside-trace-reads"),
            0,
            Role::Line,
            places.iter().copied().zip(times.iter().copied()),
        )],
        ..Chart::default()
    };
    let named = ("inside-map-cache", say("inside-spans-mark"));
    told.mark(&mut chart, "map-cache-bytes", named, |bytes| bytes / MIB);
    Drawing::chart(&["map-cache", "map-cache-bytes"], chart)
}

/// Number of multiples of the period that are marked.
const PERIODS: u32 = 3;

pub(super) fn pairs(told: &Told<'_>) -> Option<Drawing> {
    let pairs = &told.seen.pairs;
    let (last, _) = pairs.last()?;
    let kib = |bytes: u64| bytes as f64 / 1024.0;
    let points = pairs.iter().map(|(distance, rate)| (kib(*distance), *rate));
    let texts = ["inside-pairs-title", "inside-pairs-note"].map(say);
    let mut chart = Chart {
        x: Axis {
            range: Some([0.0, kib(*last)]),
            ..Axis::new(&say("inside-axis-distance-kib"), "KiB")
        },
        ..pair_chart(texts, points)
    };
    mark_periods(told, &mut chart, kib(*last));
    Drawing::chart(&["parallel-dies", "stripe-bytes"], chart)
}

/// Marks the distances, up to the last, at which data is in the first die again; if parity rotates
/// among the dies, the stretch in which the distance lies.
fn mark_periods(told: &Told<'_>, chart: &mut Chart, last_kib: f64) {
    let dies = told.property("parallel-dies");
    let dies = dies.and_then(|dies| Some((dies.low?, dies.number()?)));
    let (Some((least, most)), Some(unit)) = (dies, told.number("stripe-bytes")) else {
        return;
    };
    let [from, period] = [least, most].map(|dies| dies * unit / 1024.0);
    add_note(chart, &say("inside-period-note"));
    let turns = (1..=PERIODS).map(f64::from);
    for turn in turns.take_while(|turn| turn * period <= last_kib) {
        if from < period {
            chart.bands.push(Band {
                from: turn * from,
                to: turn * period,
                text: say("inside-periods"),
            });
        } else {
            let text = match turn {
                1.0 => text!("inside-period", kib = number::plain(period)),
                turn => format!("{turn}\u{a0}×"),
            };
            let at = turn * period;
            chart.marks.push(Mark { at, text });
        }
    }
}

pub(super) fn far_pairs(told: &Told<'_>) -> Option<Drawing> {
    let pairs = &told.seen.far_pairs;
    if pairs.is_empty() {
        return None;
    }
    let points = pairs.iter();
    let points = points.map(|(distance, rate)| (*distance as f64 / 1e9, *rate));
    let texts = ["inside-far-title", "inside-far-note"].map(say);
    let chart = Chart {
        x: Axis::new(&say("inside-axis-distance-gb"), "GB"),
        ..pair_chart(texts, points)
    };
    Drawing::chart(&["parallel-dies"], chart)
}

fn pair_chart([title, note]: [String; 2], points: impl Iterator<Item = (f64, f64)>) -> Chart {
    Chart {
        title,
        note,
        kind: ChartKind::Dots,
        y: Axis::new(&say("inside-axis-both"), "IOPS"),
        traces: vec![Trace::through(
            say("inside-trace-pair"),
            0,
            Role::Samples,
            points,
        )],
        ..Chart::default()
    }
}

pub(super) fn long(told: &Told<'_>) -> Option<Drawing> {
    let samples = &told.seen.long_reads;
    if samples.is_empty() {
        return None;
    }
    let points = samples.iter().map(|sample| (sample.t_s, sample.iops));
    let chart = Chart {
        title: say("inside-long-title"),
        note: say("inside-long-note"),
        x: Axis::new(&say("axis-time-s"), "s"),
        y: Axis::new(&say("axis-iops"), "IOPS"),
        traces: vec![Trace::through(
            say("inside-trace-reads"),
            0,
            Role::Curve,
            points,
        )],
        ..Chart::default()
    };
    Drawing::chart(&["thermal-throttling"], chart)
}

fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// Formats a size in binary units.
fn size(bytes: u64) -> String {
    match bytes >> 30 {
        0 => number::block(bytes),
        gib => format!("{gib}\u{a0}{}", unit("GiB")),
    }
}
