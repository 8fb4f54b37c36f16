//! Horizontal bars in named groups, each sorted by result. They are part of the page's text: they
//! need no script, and their figures no table.

use stend_analysis::Interval;

use crate::drive::Drive;
use crate::number;

/// The result of a drive.
#[derive(Clone, Debug, Default)]
pub struct Bar {
    /// Length of the bar, in the unit of its chart.
    pub at: f64,
    /// Result with its unit.
    pub text: String,
    /// The result in another unit; empty for none.
    pub note: String,
    /// Half the width of the 95 % interval of the mean, for a repeated test.
    pub half_width: Option<f64>,
}

impl Bar {
    /// Creates a bar of a bandwidth.
    pub fn mb_per_s(bytes_per_s: f64) -> Bar {
        Bar {
            at: bytes_per_s / 1e6,
            text: number::mb_per_s(bytes_per_s),
            ..Bar::default()
        }
    }

    /// Adds the 95 % interval of repeated figures, which are in the unit of the bar times `unit`.
    pub fn repeated(mut self, values: &[f64], unit: f64) -> Bar {
        self.half_width = Interval::of(values).map(|interval| interval.half_width / unit);
        self
    }

    /// Adds the result in another unit.
    pub fn noted(mut self, note: String) -> Bar {
        self.note = note;
        self
    }
}

/// A chart of bars.
#[derive(Clone, Debug, Default)]
pub struct BarChart {
    /// Title over the chart.
    pub title: String,
    /// Meaning of the bars, and their unit.
    pub axis: String,
    /// A sentence on reading the chart; empty for none.
    pub note: String,
    /// The groups. For a single drive one group holds all bars.
    pub groups: Vec<Group>,
}

/// Bars that are compared with each other.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Subject of the bars; empty if each row states it.
    pub name: String,
    /// The rows, the best first.
    pub rows: Vec<Row>,
}

/// A bar with its name.
#[derive(Clone, Debug)]
pub struct Row {
    /// Name of the drive; for a single drive the measured load.
    pub name: String,
    /// The figure with its unit.
    pub text: String,
    /// The figure in another unit; empty for none.
    pub note: String,
    /// Length as a share of the longest bar of the chart, percent, in CSS form.
    pub width_percent: String,
    /// Start and width of the 95 % interval, in percent likewise.
    pub interval_percent: Option<[String; 2]>,
    /// True for the reviewed drive.
    pub reviewed: bool,
}

/// Returns the chart of `groups`; `bar` returns the bar of a drive, by its slot, in the nth group,
/// if it has one. More is better.
pub fn chart(
    title: String,
    axis: &str,
    groups: &[String],
    drives: &[Drive<'_>],
    bar: impl Fn(usize, usize) -> Option<Bar>,
) -> BarChart {
    let all: Vec<Vec<(usize, Bar)>> = (0..groups.len())
        .map(|group| {
            let bars = (0..drives.len()).filter_map(|slot| Some((slot, bar(slot, group)?)));
            let mut bars: Vec<(usize, Bar)> = bars.collect();
            bars.sort_by(|a, b| b.1.at.total_cmp(&a.1.at));
            bars
        })
        .collect();
    let ends = |(_, bar): &(usize, Bar)| bar.at + bar.half_width.unwrap_or(0.0);
    let longest = all.iter().flatten().map(ends);
    let longest = longest.filter(|at| at.is_finite()).fold(0.0, f64::max);
    let row = |name: &str, slot: usize, bar: &Bar| Row {
        name: name.to_owned(),
        text: number::sure(bar.text.clone(), bar.half_width.map(|half| half / bar.at)),
        note: bar.note.clone(),
        width_percent: width_percent(bar.at, longest),
        interval_percent: bar.half_width.map(|half| {
            let from = bar.at - half;
            [from, 2.0 * half].map(|place| width_percent(place, longest))
        }),
        reviewed: slot == 0,
    };
    let named = groups.iter().zip(&all);
    let groups = match drives {
        [_] => {
            let rows = named.flat_map(|(name, bars)| {
                let rows = bars.iter().map(move |(slot, bar)| row(name, *slot, bar));
                rows.collect::<Vec<Row>>()
            });
            vec![Group {
                name: String::new(),
                rows: rows.collect(),
            }]
        }
        _ => named
            .filter(|(_, bars)| !bars.is_empty())
            .map(|(name, bars)| Group {
                name: name.clone(),
                rows: bars
                    .iter()
                    .map(|(slot, bar)| row(&drives[*slot].label, *slot, bar))
                    .collect(),
            })
            .collect(),
    };
    BarChart {
        title,
        axis: axis.to_owned(),
        note: String::new(),
        groups,
    }
}

/// Formats a length as a share of the longest, percent, in CSS form.
pub fn width_percent(at: f64, longest: f64) -> String {
    let share = if longest > 0.0 && at.is_finite() {
        (at / longest).clamp(0.0, 1.0)
    } else {
        0.0
    };
    format!("{:.2}", 100.0 * share)
}
