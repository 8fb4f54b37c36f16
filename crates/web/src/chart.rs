//! Charts as data, which the script (`assets/lab.js`) draws with plotly.js.

use serde::Serialize;

use crate::trouble::Trouble;

/// A chart.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Chart {
    /// Id of its element in the page.
    pub id: String,
    /// Title of the horizontal axis, with its unit.
    pub x: String,
    /// Title of the vertical axis, with its unit.
    pub y: String,
    /// The traces.
    pub traces: Vec<Trace>,
    /// True if the vertical axis starts at zero.
    pub from_zero: bool,
    /// True if `x` are times, ms since 1970.
    pub of_dates: bool,
}

/// A line or dots.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Trace {
    /// Name in the legend.
    pub name: String,
    /// Number of its colour, marker and dash in the palette.
    pub slot: usize,
    /// True if every point is a faint dot; false if a line joins them.
    pub dots: bool,
    /// True if every point has a marker.
    pub markers: bool,
    /// Positions along the horizontal axis.
    pub x: Vec<f64>,
    /// Values.
    pub y: Vec<f64>,
}

impl Chart {
    /// Returns it as JSON that cannot end its script element.
    pub fn json(&self) -> Result<String, Trouble> {
        let json = serde_json::to_string(self).map_err(|e| Trouble::Fault(e.to_string()))?;
        Ok(json.replace('<', "\\u003c"))
    }
}

/// Returns the traces of a curve with intervals of equal length: its dots, and a line through means
/// of `of_mean` intervals.
pub(crate) fn curve(
    name: &str,
    slot: usize,
    interval_s: f64,
    iops: &[f64],
    of_mean: usize,
) -> Vec<Trace> {
    let minutes = |at: f64| (at * interval_s / 60.0 * 1000.0).round() / 1000.0;
    let means = iops.chunks(of_mean.max(1)).enumerate().map(|(n, part)| {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        let middle = (n * of_mean.max(1)) as f64 + part.len() as f64 / 2.0;
        (minutes(middle), mean.round())
    });
    let (x, y) = means.unzip();
    vec![
        Trace {
            name: name.to_owned(),
            slot,
            dots: true,
            x: (1..=iops.len()).map(|at| minutes(at as f64)).collect(),
            y: iops.iter().map(|iops| iops.round()).collect(),
            ..Trace::default()
        },
        Trace {
            name: name.to_owned(),
            slot,
            x,
            y,
            ..Trace::default()
        },
    ]
}
