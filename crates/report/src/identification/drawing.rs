//! Common parts of the pictures.

use stend_identify::observed::{Curve, Observed};
use stend_identify::property::{Identification, Property};
use stend_language::{say, text};

use crate::bars::{BarChart, Group as BarGroup, Row, width_percent};
use crate::chart::{Axis, Band, Chart, Coordinate, Mark, Role, Scale, Trace, Values};
use crate::number;
use crate::view::{Cell, Table};

/// A picture before it is placed, with the ids of the properties that it shows.
pub(super) enum Drawing {
    Chart(&'static [&'static str], Box<Chart>),
    Bars(&'static [&'static str], BarChart),
}

impl Drawing {
    pub fn chart(properties: &'static [&'static str], chart: Chart) -> Option<Drawing> {
        Some(Drawing::Chart(properties, Box::new(chart)))
    }
}

/// The observations, and the properties inferred from them.
pub(super) struct Told<'a> {
    pub identification: &'a Identification,
    pub seen: &'a Observed,
}

impl Told<'_> {
    /// Returns a property that was inferred.
    pub fn property(&self, id: &str) -> Option<&Property> {
        let property = self.identification.property(id);
        property.filter(|property| property.told)
    }

    /// Returns a quantity that was inferred.
    pub fn number(&self, id: &str) -> Option<f64> {
        self.property(id)?.number()
    }

    /// True if an SLC cache was inferred.
    pub fn has_cache(&self) -> bool {
        self.property("slc-cache")
            .is_some_and(|cache| cache.present == Some(true))
    }

    /// Marks an inferred quantity on the horizontal axis, shades its interval, and adds to the
    /// note; `name` is a message of the mark, and `at` returns the position of a value of the
    /// property.
    pub fn mark(
        &self,
        chart: &mut Chart,
        id: &str,
        (name, note): (&str, String),
        at: impl Fn(f64) -> f64,
    ) {
        let Some(property) = self.property(id) else {
            return;
        };
        let value = property.number();
        let Some(end) = property.high.or(value) else {
            return;
        };
        add_note(chart, &note);
        // A range alone has no position to mark.
        chart.marks.extend(value.map(|value| {
            let words = property.value_words();
            Mark {
                at: number::significant(at(value), 5),
                text: number::bound(&text!("inside-mark", name = say(name), value = words)),
            }
        }));
        if let (Some(low), Some(high)) = (property.low, property.high) {
            let [from, to] = [low, high].map(|end| number::significant(at(end), 5));
            chart.bands.push(Band {
                from,
                to,
                text: say("inside-interval"),
            });
        }
        // The ends of an axis with a mark are explicit.
        let ends = [at(value.unwrap_or(end)), at(end)];
        if let Some([_, end]) = &mut chart.x.range {
            *end = ends.into_iter().fold(*end, f64::max);
        }
    }
}

/// Adds a sentence to the note of a chart.
pub(super) fn add_note(chart: &mut Chart, note: &str) {
    if !chart.note.is_empty() {
        chart.note += " ";
    }
    chart.note += note;
}

/// Number of windows over which the speed of a whole curve is averaged; at its start they are
/// shorter.
const WINDOWS: u64 = 300;

/// Near the start of a curve, a window holds the bytes written so far divided by this.
const WINDOW_SHARE: u64 = 40;

/// Least number of samples in a window: fewer show the sampling rather than the drive.
const WINDOW_SAMPLES: usize = 8;

/// Least number of windows in a curve of few samples.
const WINDOWS_MIN: usize = 60;

/// Returns the means of a curve: GB written up to the middle of each window, beyond those written
/// before the curve, and MB/s.
pub(super) fn speeds(curve: &Curve, before_bytes: u64) -> Vec<(f64, f64)> {
    let samples = &curve.samples;
    let all = samples.last().map_or(0, |sample| sample.written_bytes);
    let (least, most) = (all / (10 * WINDOWS), all / WINDOWS);
    let samples_min = (samples.len() / WINDOWS_MIN).clamp(1, WINDOW_SAMPLES);
    let mut means = Vec::new();
    let (mut from_s, mut from, mut count) = (0.0, 0, 0);
    for sample in samples {
        count += 1;
        let written = sample.written_bytes - from;
        let window = (from / WINDOW_SHARE).clamp(least, most).max(1);
        if written >= window && count >= samples_min && sample.t_s > from_s {
            let middle = before_bytes + from.midpoint(sample.written_bytes);
            let speed = written as f64 / (sample.t_s - from_s);
            means.push((middle as f64 / 1e9, speed / 1e6));
            (from_s, from, count) = (sample.t_s, sample.written_bytes, 0);
        }
    }
    means
}

/// Returns a chart of speeds over the bytes written; `None` if none of the curves has any.
pub(super) fn speed_chart(
    title: String,
    note: String,
    curves: &[(String, Vec<(f64, f64)>)],
) -> Option<Chart> {
    let named = curves.iter().enumerate();
    let seen = named.filter(|(_, (_, points))| !points.is_empty());
    let traces = seen.map(|(slot, (name, points))| {
        Trace::through(name, slot, Role::Curve, points.iter().copied())
    });
    let traces: Vec<Trace> = traces.collect();
    let ends = curves.iter().filter_map(|(_, points)| points.last());
    let end = ends.map(|(gb, _)| *gb).fold(0.0, f64::max);
    (!traces.is_empty()).then(|| Chart {
        title,
        note,
        x: Axis {
            range: Some([0.0, end]),
            ..Axis::new(&say("inside-axis-written"), "GB")
        },
        y: Axis::new(&say("axis-mb-per-s"), "MB/s"),
        traces,
        ..Chart::default()
    })
}

/// The horizontal axis of a speed chart is logarithmic if its mark lies within this share from the
/// start.
const LOG_SHARE: f64 = 0.03;

/// Widens the start of a speed chart if its marks are close to it.
pub(super) fn widen_beginning(chart: &mut Chart) {
    let Some([_, end]) = chart.x.range else {
        return;
    };
    let marked = chart.marks.iter().map(|mark| mark.at).fold(0.0, f64::max);
    let firsts = chart
        .traces
        .iter()
        .filter_map(|trace| figures(trace).next());
    let first = firsts.map(|(x, _)| x).fold(f64::INFINITY, f64::min);
    if marked > 0.0 && marked < LOG_SHARE * end && first > 0.0 && first.is_finite() {
        chart.x.scale = Scale::Log;
        chart.x.range = Some([first.min(marked), end]);
    }
}

/// Most points of a trace in its table.
const ROWS: usize = 16;

/// Returns the figures of a trace.
fn figures(trace: &Trace) -> impl Iterator<Item = (f64, f64)> {
    let (x, y): (&[Coordinate], &[Coordinate]) = match &trace.values {
        Values::Own { x, y } => (x, y),
        Values::Curve { .. } => (&[], &[]),
    };
    x.iter().zip(y).filter_map(|pair| match pair {
        (Coordinate::Figure(x), Coordinate::Figure(y)) => Some((*x, *y)),
        _ => None,
    })
}

/// Returns the numbers of a chart; for traces with many points, some of them.
pub(super) fn points(chart: &Chart) -> Table {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut all = true;
    for trace in &chart.traces {
        rows.push(vec![trace.name.as_str().into()]);
        let points: Vec<(f64, f64)> = figures(trace).collect();
        let every = points.len().div_ceil(ROWS).max(1);
        all &= every == 1;
        let shown = points.iter().step_by(every);
        rows.extend(shown.map(|(x, y)| {
            let tick = chart.x.tick_values.iter().position(|at| at == x);
            let x = tick.map_or_else(|| number::plain(*x), |at| chart.x.tick_texts[at].clone());
            vec![x.into(), number::plain(*y).into()]
        }));
    }
    let caption = match all {
        true => say("inside-numbers"),
        false => say("inside-some-numbers"),
    };
    Table::new(caption, [&*chart.x.title, &*chart.y.title], rows)
        .fitting()
        .folded()
}

/// Returns a chart of bars in the given order, with its title, axis and note; each bar has a name,
/// a length, a text and a remark.
pub(super) fn bars(
    [title, axis, note]: [String; 3],
    bars: &[(String, f64, String, String)],
) -> Option<BarChart> {
    let longest = bars.iter().map(|bar| bar.1).fold(0.0, f64::max);
    let rows = bars.iter().map(|(name, at, text, note)| Row {
        name: name.clone(),
        text: text.clone(),
        note: note.clone(),
        width_percent: width_percent(*at, longest),
        interval_percent: None,
        reviewed: true,
    });
    (!bars.is_empty()).then(|| BarChart {
        title,
        axis,
        note,
        groups: vec![BarGroup {
            name: String::new(),
            rows: rows.collect(),
        }],
    })
}
