//! The charts as data, which the page's script (`page/charts.js`) converts to plotly's traces. The
//! script chooses colours, dashes and markers; here a trace has only a slot.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use stend_language::{numeral, say, text};
use stend_record::review::Series;

use crate::curve::Window;
use crate::number;

/// Input of the script.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ChartData {
    /// The reviewed drive and the method of measurement, shown above the title of every saved
    /// picture.
    pub subject: String,
    /// A note below the title of every saved picture; empty for a full run.
    pub note: String,
    /// Factor on every measurement of the run.
    #[serde(skip)]
    pub duration_scale: f64,
    /// The charts, each with the id of its container.
    pub charts: Vec<Chart>,
    /// The curves that traces refer to.
    pub curves: Vec<CurveData>,
    /// The script's own texts.
    pub words: Words,
}

/// The script's own texts and its number format.
#[derive(Clone, Debug, Serialize)]
pub struct Words {
    /// Tag of the language.
    pub language: &'static str,
    /// The decimal mark, and the thousands separator.
    pub separators: String,
    /// Message if a chart could not be drawn, with `{}` for the error.
    pub failed: String,
    /// Title of the button that saves a chart.
    pub save: String,
    /// Name of one sample of a curve, with `{}` for the curve's name.
    pub sample: String,
    /// Name of the mean of a curve, with `{}` for the curve's name.
    pub mean: String,
    /// The library's own titles, by their English ones.
    pub library: BTreeMap<&'static str, String>,
}

impl Default for Words {
    /// Returns the texts in the current language.
    fn default() -> Words {
        let library = [
            ("Zoom", "chart-zoom"),
            ("Pan", "chart-pan"),
            ("Zoom in", "chart-zoom-in"),
            ("Zoom out", "chart-zoom-out"),
            ("Reset axes", "chart-reset"),
        ];
        // In the language's order.
        let separators = numeral(".,");
        Words {
            language: stend_language::current().tag(),
            separators,
            failed: text!("chart-failed", error = "{}"),
            save: say("chart-save"),
            sample: text!("chart-one-sample", name = "{}"),
            mean: text!("chart-mean", name = "{}"),
            library: library.map(|(title, id)| (title, say(id))).into(),
        }
    }
}

/// One chart; by default one of lines.
#[derive(Clone, Debug, Serialize)]
pub struct Chart {
    /// Id of the container in the page; set when the chart is placed.
    pub id: String,
    /// Title.
    pub title: String,
    /// A sentence on reading the chart; empty for none.
    #[serde(skip)]
    pub note: String,
    /// Lines or dots.
    pub kind: ChartKind,
    /// Height of the plot, CSS pixels.
    pub height_px: u32,
    /// True if it takes the whole width.
    #[serde(skip)]
    pub wide: bool,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The vertical axis of temperatures, on the right; missing if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y2: Option<Axis>,
    /// The traces, in the order of the legend.
    pub traces: Vec<Trace>,
    /// Places on the horizontal axis that are marked by a line, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// Stretches of the horizontal axis that are shaded, ascending; all have the same meaning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bands: Vec<Band>,
}

impl Default for Chart {
    fn default() -> Chart {
        Chart {
            id: String::new(),
            title: String::new(),
            note: String::new(),
            kind: ChartKind::Lines,
            height_px: 380,
            wide: false,
            x: Axis::default(),
            y: Axis::default(),
            y2: None,
            traces: Vec::new(),
            marks: Vec::new(),
            bands: Vec::new(),
        }
    }
}

/// A marked place on the horizontal axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mark {
    /// Position in the axis's unit.
    pub at: f64,
    /// Label.
    pub text: String,
}

/// A shaded stretch of the horizontal axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Band {
    /// Start, in the axis's unit.
    pub from: f64,
    /// End.
    pub to: f64,
    /// Meaning, for the legend.
    pub text: String,
}

/// The form of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartKind {
    /// Lines; the pointer shows the values of all of them at one `x`.
    Lines,
    /// Samples as dots with lines through their means.
    Dots,
}

/// One axis.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Axis {
    /// Title with the unit.
    pub title: String,
    /// Unit that follows a figure under the pointer.
    pub unit: String,
    /// Form of the axis.
    pub scale: Scale,
    /// Places of the ticks; chosen by the script when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tick_values: Vec<f64>,
    /// Text of each tick.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tick_texts: Vec<String>,
    /// Ends of the axis, in its own unit; chosen by the script if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// Factor that converts a value of a curve to the axis's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiply: Option<f64>,
}

impl Axis {
    /// Creates an even axis; `unit` is an English symbol.
    pub fn new(title: &str, unit: &str) -> Axis {
        Axis {
            title: title.to_owned(),
            unit: stend_language::unit(unit),
            ..Axis::default()
        }
    }
}

/// Form of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Even.
    #[default]
    Linear,
    /// Logarithmic.
    Log,
    /// Names in the given order.
    Category,
    /// Even, from the greatest value to the smallest.
    Reversed,
}

/// One trace.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// Name in the legend.
    pub name: String,
    /// Number of its colour, marker and dash.
    pub slot: usize,
    /// Form in which it is drawn.
    pub role: Role,
    /// The values, or a reference to their curve.
    #[serde(flatten)]
    pub values: Values,
}

impl Trace {
    /// Creates a trace with its own values.
    pub fn own(
        name: impl Into<String>,
        slot: usize,
        role: Role,
        x: impl IntoIterator<Item = Coordinate>,
        y: impl IntoIterator<Item = Coordinate>,
    ) -> Trace {
        Trace {
            name: name.into(),
            slot,
            role,
            values: Values::Own {
                x: x.into_iter().collect(),
                y: y.into_iter().collect(),
            },
        }
    }

    /// True if any of its own figures is not zero.
    pub fn is_anything(&self) -> bool {
        let Values::Own { y, .. } = &self.values else {
            return true;
        };
        y.iter()
            .any(|figure| !matches!(figure, Coordinate::Figure(0.0)))
    }

    /// True if there is a point to draw.
    pub fn is_drawn(&self) -> bool {
        let is_there = |places: &[Coordinate]| places.iter().any(|at| *at != Coordinate::Gap(()));
        match &self.values {
            Values::Own { x, y } => is_there(x) && is_there(y),
            Values::Curve { .. } => true,
        }
    }

    /// Creates a trace through points of figures.
    pub fn through(
        name: impl Into<String>,
        slot: usize,
        role: Role,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Trace {
        let rounded = |(x, y)| (Coordinate::rounded(x), Coordinate::rounded(y));
        let (x, y): (Vec<_>, Vec<_>) = points.into_iter().map(rounded).unzip();
        Trace::own(name, slot, role, x, y)
    }
}

/// Forms in which a trace is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A line with a marker on every point.
    Line,
    /// A line without markers, for many points.
    Curve,
    /// A line in steps, each value until the next.
    Steps,
    /// A thin line, for the parts of a whole.
    Thin,
    /// A thin line on the axis of temperatures.
    Temperature,
    /// Every sample of a curve as a faint dot.
    Samples,
    /// The window means of a curve as a line.
    Means,
}

/// The values of a trace.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Values {
    /// Values in the trace itself. A missing value is a gap.
    Own {
        /// Along the horizontal axis: figures, or names of a category axis.
        x: Vec<Coordinate>,
        /// Along the vertical axis.
        y: Vec<Coordinate>,
    },
    /// Values in [`ChartData::curves`].
    Curve {
        /// Index of the curve.
        curve: usize,
        /// The horizontal axis: time or data written.
        along: Along,
    },
}

/// Horizontal axis of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Along {
    /// Seconds since its start.
    Time,
    /// Bytes written since its start.
    Written,
}

/// A place on an axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Coordinate {
    /// A figure.
    Figure(f64),
    /// A name on a category axis.
    Name(String),
    /// No measurement.
    Gap(()),
}

impl From<Option<f64>> for Coordinate {
    fn from(value: Option<f64>) -> Coordinate {
        value.map_or(Coordinate::Gap(()), Coordinate::rounded)
    }
}

impl Coordinate {
    /// Rounds a figure to five significant digits (a picture shows three); NaN and infinities
    /// become a gap.
    pub fn rounded(value: f64) -> Coordinate {
        if value.is_finite() {
            Coordinate::Figure(number::significant(value, 5))
        } else {
            Coordinate::Gap(())
        }
    }
}

/// One curve, stored once for all charts that draw it.
#[derive(Clone, Debug, Serialize)]
pub struct CurveData {
    /// Length of a sampling interval, s.
    pub interval_s: f64,
    /// The samples; missing if only the means are drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<SampleData>,
    /// Middles of the mean windows, s.
    pub mean_t_s: Vec<f64>,
    /// Bytes written up to the middles of the mean windows.
    pub mean_written_bytes: Vec<u64>,
    /// Window means, requests a second.
    pub mean_iops: Vec<f64>,
}

/// The samples of a curve.
#[derive(Clone, Debug, Serialize)]
pub struct SampleData {
    /// Ends of the intervals, s, as increments; missing when sample `i` of a curve (from
    /// 0) ends at `(i + 1) * interval_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_s: Option<Packed>,
    /// Bytes written, as increments; missing if nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<Packed>,
    /// Requests a second.
    pub iops: Packed,
}

/// Numbers as 16-bit integers, little-endian, in base64; the value is the integer times `step`.
///
/// The greatest is at most 65,535 steps, and at least a fifth of that for series that need more
/// than whole steps, so a step is below 0.01 % of the greatest value: finer than a pixel. A curve
/// of 7,200 samples takes 38 kB for both axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Packed {
    /// Value of one unit of the integers.
    pub step: f64,
    /// The integers.
    pub base64: String,
}

/// Packs numbers, none negative, as 16-bit multiples of a round step.
pub fn pack(values: &[f64]) -> Packed {
    let step = round_step(values.iter().copied().fold(0.0, f64::max));
    encode(step, values.iter().map(|v| (v / step).round()))
}

/// Packs ascending numbers as increments. The sums are rounded, not the increments, so that errors
/// do not add up.
pub fn pack_ascending(values: &[f64]) -> Packed {
    let mut before = 0.0;
    let mut greatest: f64 = 0.0;
    for &value in values {
        greatest = greatest.max(value - before);
        before = value;
    }
    // An increment of rounded sums may exceed the rounded increment by a step: this leaves room for
    // it.
    let step = round_step(greatest * 1.001);
    let mut sum = 0.0;
    let increments = values.iter().map(|v| {
        let rounded = (v / step).round();
        let increment = rounded - sum;
        sum = rounded;
        increment
    });
    encode(step, increments)
}

/// Returns the smallest of 1, 2 and 5 times a power of ten that keeps `greatest` within 16 bits.
fn round_step(greatest: f64) -> f64 {
    let limit = f64::from(u16::MAX);
    // Curves slower than 65 requests a second need no finer step than a thousandth.
    (-3..=18)
        .flat_map(|exponent| [1, 2, 5].map(|digit| format!("{digit}e{exponent}")))
        .map(|text| text.parse::<f64>().expect("a decimal number is a number"))
        .find(|step| greatest / step <= limit)
        .unwrap_or(1e18)
}

fn encode(step: f64, steps: impl Iterator<Item = f64>) -> Packed {
    // A float cast saturates: NaN and negative values become 0.
    let bytes: Vec<u8> = steps.flat_map(|n| (n as u16).to_le_bytes()).collect();
    Packed {
        step,
        base64: STANDARD.encode(bytes),
    }
}

impl CurveData {
    /// Creates the data of a curve: its window means and, on request, its samples.
    pub fn new(series: &Series, means: &[Window], with_samples: bool) -> CurveData {
        let round = |value| number::significant(value, 5);
        CurveData {
            interval_s: series.interval_s,
            samples: with_samples.then(|| samples_of(series)),
            mean_t_s: means.iter().map(|w| round(w.middle_s)).collect(),
            mean_written_bytes: means.iter().map(|w| w.middle_bytes).collect(),
            mean_iops: means.iter().map(|w| round(w.iops)).collect(),
        }
    }
}

fn samples_of(series: &Series) -> SampleData {
    let samples = &series.samples;
    let regular = samples.iter().enumerate().all(|(i, s)| {
        // A hundredth of an interval is finer than any axis shows.
        (s.t_s - (i + 1) as f64 * series.interval_s).abs() < series.interval_s / 100.0
    });
    let times: Vec<f64> = samples.iter().map(|s| s.t_s).collect();
    let written: Vec<f64> = samples.iter().map(|s| s.written_bytes as f64).collect();
    let iops: Vec<f64> = samples.iter().map(|s| s.iops).collect();
    SampleData {
        t_s: (!regular).then(|| pack_ascending(&times)),
        written_bytes: written
            .iter()
            .any(|&w| w > 0.0)
            .then(|| pack_ascending(&written)),
        iops: pack(&iops),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpack(packed: &Packed) -> Vec<f64> {
        let bytes = STANDARD.decode(&packed.base64).unwrap();
        bytes
            .chunks_exact(2)
            .map(|b| f64::from(u16::from_le_bytes([b[0], b[1]])) * packed.step)
            .collect()
    }

    #[test]
    fn packed_figures_come_back_within_half_a_step() {
        let values = [0.0, 41_237.4, 3.2, 65_000.0];
        let packed = pack(&values);
        assert_eq!(packed.step, 1.0);
        assert_eq!(unpack(&packed), [0.0, 41_237.0, 3.0, 65_000.0]);
        let fast = pack(&[1_234_567.0, 100.0]);
        assert_eq!(fast.step, 20.0);
        assert_eq!(unpack(&fast), [1_234_560.0, 100.0]);
        assert_eq!(pack(&[12.345]).step, 0.001);
        assert_eq!(unpack(&pack(&[f64::NAN, 1.0])), [0.0, 1.0]);
    }

    #[test]
    fn packed_sums_do_not_drift() {
        let written: Vec<f64> = (1..=7_200_u64).map(|i| (i * 168_123_457) as f64).collect();
        let packed = pack_ascending(&written);
        let mut sum = 0.0;
        for (value, increment) in written.iter().zip(unpack(&packed)) {
            sum += increment;
            assert!((value - sum).abs() <= packed.step, "{value} against {sum}");
        }
    }

    #[test]
    fn a_missing_figure_is_a_gap() {
        let json = serde_json::to_string(&[
            Coordinate::rounded(1_234.567_8),
            Coordinate::rounded(f64::NAN),
            Coordinate::Name("a".into()),
        ]);
        assert_eq!(json.unwrap(), r#"[1234.6,null,"a"]"#);
    }
}
