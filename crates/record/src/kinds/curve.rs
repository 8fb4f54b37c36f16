//! A load sampled over time.

use serde::{Deserialize, Serialize};

use crate::latency::LatencySummary;
use crate::load::SeriesPoint;

/// One measured curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// `fresh`, `after idle`, `after TRIM`.
    pub name: String,
    /// What the samples are of: 4 KiB random write, depth 32 …
    pub point: SeriesPoint,
    /// Length of a sampling interval, s.
    pub interval_s: f64,
    /// The load passed a range of so many bytes once, ascending from the beginning of the
    /// target, so that bytes written are a position in it; without it, the load lasted for
    /// a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_bytes: Option<u64>,
    /// Samples in the order of time.
    pub samples: Vec<Sample>,
    /// The drive's temperature during the curve, in the order of time; empty where it was not
    /// sampled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub temperatures: Vec<TemperatureSample>,
    /// As that of a [`Point`], over the whole curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns_per_request: Option<f64>,
    /// Latency over the whole curve.
    pub latency_ns: LatencySummary,
    /// The same as an HdrHistogram, as that of a [`Point`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_histogram: Option<String>,
}

impl Series {
    /// A curve of nothing but samples, `interval_s` long each.
    pub fn of(
        name: impl Into<String>,
        point: SeriesPoint,
        interval_s: f64,
        samples: Vec<Sample>,
    ) -> Series {
        Series {
            name: name.into(),
            point,
            interval_s,
            samples,
            ..Series::default()
        }
    }
}

/// The mean over one sampling interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// End of the interval since the start of the curve, s.
    pub t_s: f64,
    /// Bytes written since the start of the curve.
    pub written_bytes: u64,
    /// Requests a second in the interval.
    pub iops: f64,
}

/// A drive's temperature at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TemperatureSample {
    /// Since the start of the curve, s.
    pub t_s: f64,
    /// °C.
    pub celsius: f64,
}
