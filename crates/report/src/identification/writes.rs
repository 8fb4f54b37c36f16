//! Pictures of writes: the empty drive, the full one, after rests, at random, around TRIM.

use stend_identify::observed::{Curve, Recovered, Rested};

use stend_language::{say, text};

use super::drawing::{Drawing, Told, add_note, speed_chart, speeds, widen_beginning};
use crate::chart::{Axis, Chart, Role, Trace};
use crate::number;

/// Returns the mark of the end of the cache.
fn cache_end() -> (&'static str, String) {
    ("inside-cache", say("inside-cache-end"))
}

pub(super) fn fill(told: &Told<'_>) -> Option<Drawing> {
    let before = told.seen.before_fill_bytes();
    let fill = told.seen.fill.as_ref()?;
    let curve = named(say("inside-trace-ascending-writes"), fill, before);
    let [title, note] = ["inside-fill-title", "inside-fill-note"].map(say);
    let mut chart = speed_chart(title, note, &[curve])?;
    told.mark(&mut chart, "slc-cache-bytes", cache_end(), gb);
    widen_beginning(&mut chart);
    let properties = &[
        "slc-cache-bytes",
        "slc-write-bytes-per-s",
        "after-cache-write-bytes-per-s",
    ];
    Drawing::chart(properties, chart)
}

pub(super) fn full(told: &Told<'_>) -> Option<Drawing> {
    let full = told.seen.full.as_ref()?;
    let title = text!("inside-full-title", rest = rest(full.rest_s));
    let curve = named(say("inside-trace-writes"), &full.curve, 0);
    let mut chart = speed_chart(title, String::new(), &[curve])?;
    let named = ("inside-cache", say("inside-full-mark"));
    told.mark(&mut chart, "slc-cache-bytes-full", named, gb);
    widen_beginning(&mut chart);
    Drawing::chart(&["slc-cache-bytes-full", "slc-cache-kind"], chart)
}

pub(super) fn emptied(told: &Told<'_>) -> Option<Drawing> {
    let [title, note] = ["inside-emptied-title", "inside-emptied-note"].map(say);
    let curves = rested(&told.seen.emptied);
    let mut chart = speed_chart(title, note, &curves)?;
    if told.has_cache() {
        add_note(&mut chart, &say("inside-emptied-cache"));
    }
    Drawing::chart(&["slc-idle-emptying", "slc-emptying-bytes-per-s"], chart)
}

pub(super) fn burst(told: &Told<'_>) -> Option<Drawing> {
    let burst = told.seen.burst.as_ref()?;
    let curve = named(say("inside-trace-writes"), burst, 0);
    let [title, note] = ["inside-burst-title", "inside-burst-note"].map(say);
    let chart = speed_chart(title, note, &[curve])?;
    Drawing::chart(&["write-buffer-bytes"], chart)
}

pub(super) fn random(told: &Told<'_>) -> Option<Drawing> {
    let random = told.seen.random.as_ref()?;
    let curve = named(say("inside-trace-random-writes"), random, 0);
    spare(told, say("inside-random-title"), curve, 0.0)
}

pub(super) fn fresh_random(told: &Told<'_>) -> Option<Drawing> {
    let random = told.seen.fresh_random.as_ref()?;
    let curve = named(say("inside-trace-random-writes"), random, 0);
    // Nothing is overwritten until the whole drive is written.
    let whole = told.seen.capacity_bytes as f64;
    spare(told, say("inside-fresh-title"), curve, whole)
}

/// Draws random writes, with spare space marked from `from_bytes` if they show it.
fn spare(
    told: &Told<'_>,
    title: String,
    curve: (String, Vec<(f64, f64)>),
    from_bytes: f64,
) -> Option<Drawing> {
    let mut chart = speed_chart(title, String::new(), &[curve])?;
    let fresh = from_bytes > 0.0;
    if fresh && told.seen.fill.is_none() {
        told.mark(&mut chart, "slc-cache-bytes", cache_end(), gb);
    }
    if !fresh || told.seen.random.is_none() {
        let begin = from_bytes + static_cache_bytes(told);
        let capacity = told.seen.capacity_bytes as f64;
        told.mark(
            &mut chart,
            "over-provisioning-percent",
            ("inside-spare", say("inside-spare-note")),
            |percent| gb(begin + percent / 100.0 * capacity),
        );
    }
    let properties: &[&str] = match (fresh, told.seen.fill.is_none()) {
        (true, true) => &[
            "slc-cache",
            "slc-cache-bytes",
            "slc-write-bytes-per-s",
            "after-cache-write-bytes-per-s",
            "over-provisioning-percent",
        ],
        _ => &["over-provisioning-percent"],
    };
    Drawing::chart(properties, chart)
}

/// Returns the bytes of a static SLC cache, which are not spare space.
fn static_cache_bytes(told: &Told<'_>) -> f64 {
    let kind = told.property("slc-cache-kind");
    if !kind.is_some_and(|kind| kind.is_kind("static")) {
        return 0.0;
    }
    let sizes = ["slc-cache-bytes-full", "slc-cache-bytes"];
    let size = sizes.iter().find_map(|id| told.number(id));
    size.unwrap_or(0.0)
}

pub(super) fn dirty(told: &Told<'_>) -> Option<Drawing> {
    let [title, note] = ["inside-dirty-title", "inside-dirty-note"].map(say);
    let curves = rested(&told.seen.dirty);
    let chart = speed_chart(title, note, &curves)?;
    Drawing::chart(&["idle-gc"], chart)
}

pub(super) fn recovered(told: &Told<'_>) -> Option<Drawing> {
    let of = |trim: bool| {
        let rests = told.seen.recovered.iter().filter(|r| r.trim == trim);
        let mut points: Vec<(f64, f64)> = rests
            .filter_map(|Recovered { rest_s, bytes, .. }| Some(((*rest_s)?, gb(*bytes as f64))))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let kinds = [
        ("inside-without-trim", of(false)),
        ("inside-with-trim", of(true)),
    ];
    let kinds = kinds.into_iter().enumerate();
    let traces = kinds
        .filter(|(_, (_, points))| !points.is_empty())
        .map(|(slot, (id, points))| Trace::through(say(id), slot, Role::Line, points));
    let traces: Vec<Trace> = traces.collect();
    if traces.is_empty() {
        return None;
    }
    let chart = Chart {
        title: say("inside-recovered-title"),
        note: say("inside-recovered-note"),
        x: Axis::new(&say("inside-axis-rest"), "s"),
        y: Axis::new(&say("inside-axis-fast"), "GB"),
        traces,
        ..Chart::default()
    };
    Drawing::chart(&["idle-gc", "trim-restores"], chart)
}

pub(super) fn trimmed(told: &Told<'_>) -> Option<Drawing> {
    let trimmed = told.seen.trimmed.as_ref()?;
    let mut curves = vec![
        named(say("inside-before-trim"), &trimmed.before, 0),
        named(say("inside-after-trim"), &trimmed.after, 0),
    ];
    let end = |points: &[(f64, f64)]| points.last().map_or(0.0, |(gb, _)| *gb);
    let end = end(&curves[0].1).max(end(&curves[1].1));
    if let Some(fill) = &told.seen.fill {
        let (name, mut points) = named(say("inside-empty-drive"), &beginning(fill, end), 0);
        points.retain(|(gb, _)| *gb <= end);
        curves.push((name, points));
    }
    let [title, note] = ["inside-trimmed-title", "inside-trimmed-note"].map(say);
    let chart = speed_chart(title, note, &curves)?;
    Drawing::chart(&["trim-restores"], chart)
}

/// Returns a curve up to `end_gb` GB written.
fn beginning(curve: &Curve, end_gb: f64) -> Curve {
    let within = curve.samples.iter();
    let within = within.take_while(|sample| gb(sample.written_bytes as f64) <= end_gb);
    Curve {
        samples: within.copied().collect(),
        ..curve.clone()
    }
}

fn named(name: String, curve: &Curve, before_bytes: u64) -> (String, Vec<(f64, f64)>) {
    (name, speeds(curve, before_bytes))
}

/// Names curves by their rests.
fn rested(curves: &[Rested]) -> Vec<(String, Vec<(f64, f64)>)> {
    let curves = curves.iter();
    let named = curves.map(|Rested { rest_s, curve }| named(rest(*rest_s), curve, 0));
    named.collect()
}

fn rest(rest_s: f64) -> String {
    match rest_s {
        0.0 => say("inside-no-rest"),
        rest_s => text!("inside-rest", time = number::duration(rest_s)),
    }
}

fn gb(bytes: f64) -> f64 {
    bytes / 1e9
}
