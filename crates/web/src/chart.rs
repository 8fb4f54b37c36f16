//! Charts as data: what the script (`assets/lab.js`) draws by plotly.js.

use serde::Serialize;

use crate::trouble::Trouble;

/// A chart.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Chart {
    /// Id of its place in the page.
    pub id: String,
    /// Title of the horizontal axis, with its unit.
    pub x: String,
    /// Title of the vertical axis, with its unit.
    pub y: String,
    /// What is drawn.
    pub traces: Vec<Trace>,
    /// Whether the vertical axis begins at zero.
    pub from_zero: bool,
    /// Whether `x` are times, ms since 1970.
    pub of_dates: bool,
}

/// A line or dots.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Trace {
    /// Name in the legend.
    pub name: String,
    /// Which colour, marker and dash of the palette.
    pub slot: usize,
    /// Whether every point is a faint dot; else they are joined by a line.
    pub dots: bool,
    /// Whether every point has a marker.
    pub markers: bool,
    /// Places along the horizontal axis.
    pub x: Vec<f64>,
    /// Values.
    pub y: Vec<f64>,
}

impl Chart {
    /// As JSON that cannot end its script element.
    pub fn json(&self) -> Result<String, Trouble> {
        let json = serde_json::to_string(self).map_err(|e| Trouble::Fault(e.to_string()))?;
        Ok(json.replace('<', "\\u003c"))
    }
}

/// A curve of intervals of equal length: its dots, and the means of so many intervals as a line.
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
