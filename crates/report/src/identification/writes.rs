//! Pictures of writes: the empty drive, the full one, after rests, at random, around TRIM.

use stend_identify::observed::{Curve, Recovered, Rested};

use super::pictures::{Drawing, Told, add_note, speed_chart, speeds, widen_beginning};
use crate::chart::{Axis, Chart, Role, Trace};
use crate::number;

/// The mark of the end of the cache.
const CACHE_END: (&str, &str) = ("cache", "The mark is the inferred end of the SLC cache.");

pub(super) fn fill(told: &Told<'_>) -> Option<Drawing> {
    let before = told.seen.before_fill_bytes();
    let curve = named("ascending writes", told.seen.fill.as_ref()?, before);
    let note = "Long requests in ascending order.";
    let mut chart = speed_chart("Writes to the empty drive", note, &[curve])?;
    told.mark(&mut chart, "slc-cache-bytes", CACHE_END, gb);
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
    let title = format!("Writes to the full drive after {}", rest(full.rest_s));
    let mut chart = speed_chart(&title, "", &[named("writes", &full.curve, 0)])?;
    let named = ("cache", "The mark is what the SLC cache takes of them.");
    told.mark(&mut chart, "slc-cache-bytes-full", named, gb);
    widen_beginning(&mut chart);
    Drawing::chart(&["slc-cache-bytes-full", "slc-cache-kind"], chart)
}

pub(super) fn emptied(told: &Told<'_>) -> Option<Drawing> {
    let note = "Before each of the rests a part of the drive was written.";
    let curves = rested(&told.seen.emptied);
    let mut chart = speed_chart("Writes after rests, on the empty drive", note, &curves)?;
    if told.has_cache() {
        let note = "What is written fast is what the rest has emptied of the SLC cache.";
        add_note(&mut chart, note);
    }
    Drawing::chart(&["slc-idle-emptying", "slc-emptying-bytes-per-s"], chart)
}

pub(super) fn burst(told: &Told<'_>) -> Option<Drawing> {
    let curve = named("writes", told.seen.burst.as_ref()?, 0);
    let note = "A write buffer takes the first of them faster than the flash does.";
    let chart = speed_chart("The first writes after a rest", note, &[curve])?;
    Drawing::chart(&["write-buffer-bytes"], chart)
}

pub(super) fn random(told: &Told<'_>) -> Option<Drawing> {
    let curve = named("random writes", told.seen.random.as_ref()?, 0);
    spare(told, "Random writes over the full drive", curve, 0.0)
}

pub(super) fn fresh_random(told: &Told<'_>) -> Option<Drawing> {
    let curve = named("random writes", told.seen.fresh_random.as_ref()?, 0);
    // Until all of it is written, nothing is overwritten.
    let whole = told.seen.capacity_bytes as f64;
    spare(told, "Random writes over the empty drive", curve, whole)
}

/// Random writes, with spare space marked from so many bytes on where they tell of it.
fn spare(
    told: &Told<'_>,
    title: &str,
    curve: (String, Vec<(f64, f64)>),
    from_bytes: f64,
) -> Option<Drawing> {
    let mut chart = speed_chart(title, "", &[curve])?;
    let fresh = from_bytes > 0.0;
    if fresh && told.seen.fill.is_none() {
        told.mark(&mut chart, "slc-cache-bytes", CACHE_END, gb);
    }
    if !fresh || told.seen.random.is_none() {
        let note = "The mark of spare space is its inferred end, behind what a static SLC cache \
                    takes. Garbage collection begins before it: the shaded interval covers that.";
        let begin = from_bytes + static_cache_bytes(told);
        let capacity = told.seen.capacity_bytes as f64;
        told.mark(
            &mut chart,
            "over-provisioning-percent",
            ("spare", note),
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

/// What a cache with blocks of its own takes, which is not spare space.
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
    let note = "The drive was written at random until it was slow. What is written fast after a \
                rest is what garbage collection has freed in it.";
    let curves = rested(&told.seen.dirty);
    let chart = speed_chart("Random writes after rests", note, &curves)?;
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
    let kinds = [("without TRIM", of(false)), ("with TRIM", of(true))];
    let kinds = kinds.into_iter().enumerate();
    let traces = kinds
        .filter(|(_, (_, points))| !points.is_empty())
        .map(|(slot, (name, points))| Trace::through(name, slot, Role::Line, points));
    let traces: Vec<Trace> = traces.collect();
    if traces.is_empty() {
        return None;
    }
    let chart = Chart {
        title: "What rests give back after random writes".to_owned(),
        note: "Data that is written fast after a rest, as the review measured it.".to_owned(),
        x: Axis::new("Rest, s", "s"),
        y: Axis::new("Written fast, GB (10⁹ bytes)", "GB"),
        traces,
        ..Chart::default()
    };
    Drawing::chart(&["idle-gc", "trim-restores"], chart)
}

pub(super) fn trimmed(told: &Told<'_>) -> Option<Drawing> {
    let trimmed = told.seen.trimmed.as_ref()?;
    let mut curves = vec![
        named("before TRIM", &trimmed.before, 0),
        named("after TRIM", &trimmed.after, 0),
    ];
    let end = |points: &[(f64, f64)]| points.last().map_or(0.0, |(gb, _)| *gb);
    let end = end(&curves[0].1).max(end(&curves[1].1));
    if let Some(fill) = &told.seen.fill {
        let (name, mut points) = named("empty drive", &beginning(fill, end), 0);
        points.retain(|(gb, _)| *gb <= end);
        curves.push((name, points));
    }
    let note = "Long requests in ascending order to a drive that was written at random until it \
                was slow, before TRIM of all of it and after; beside them the empty drive.";
    let chart = speed_chart("Writes before TRIM and after", note, &curves)?;
    Drawing::chart(&["trim-restores"], chart)
}

/// A curve up to so many GB written.
fn beginning(curve: &Curve, end_gb: f64) -> Curve {
    let within = curve.samples.iter();
    let within = within.take_while(|sample| gb(sample.written_bytes as f64) <= end_gb);
    Curve {
        samples: within.copied().collect(),
        ..curve.clone()
    }
}

fn named(name: &str, curve: &Curve, before_bytes: u64) -> (String, Vec<(f64, f64)>) {
    (name.to_owned(), speeds(curve, before_bytes))
}

/// Curves by their rests.
fn rested(curves: &[Rested]) -> Vec<(String, Vec<(f64, f64)>)> {
    let curves = curves.iter();
    let named = curves.map(|Rested { rest_s, curve }| named(&rest(*rest_s), curve, 0));
    named.collect()
}

fn rest(rest_s: f64) -> String {
    match rest_s {
        0.0 => "no rest".to_owned(),
        rest_s => format!("{} of rest", number::duration(rest_s)),
    }
}

fn gb(bytes: f64) -> f64 {
    bytes / 1e9
}
