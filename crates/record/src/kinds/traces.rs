//! Results of replayed traces of a desktop's work.

use serde::{Deserialize, Serialize};
use stend_language::Text;

use crate::latency::LatencySummary;

/// Replayed traces of a test.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Traces {
    /// Each trace.
    pub traces: Vec<TraceResult>,
    /// Bytes read and written divided by busy time, over all traces of the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overall_bw_bytes_per_s: Option<f64>,
}

impl From<TraceResult> for Traces {
    fn from(only: TraceResult) -> Traces {
        let traces = vec![only];
        Traces {
            overall_bw_bytes_per_s: overall_bw(&traces),
            traces,
        }
    }
}

/// One trace replayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceResult {
    /// Name of the profile, or the file.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Origin of its requests.
    pub origin: TraceOrigin,
    /// Times at which its requests were issued.
    pub timing: TraceTiming,
    /// Maximum of outstanding requests.
    pub queue_depth: u32,
    /// Share of the trace, from its beginning, that a shortened run replayed, 0 to 1: of its time,
    /// or of its requests if times do not matter. All figures are of this part. Missing if the
    /// whole trace was replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed_share: Option<f64>,
    /// Requests of all kinds.
    pub requests: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Time with at least one request outstanding, s.
    pub busy_s: f64,
    /// Busy times of the repetitions of a repeated test, of which `busy_s` is the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_busy_s: Vec<f64>,
    /// Time from the beginning to the last completion, s.
    pub elapsed_s: f64,
    /// Times of the repetitions of a repeated test, of which `elapsed_s` is the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_elapsed_s: Vec<f64>,
    /// Bytes read and written divided by busy time, per second.
    pub bw_bytes_per_s: f64,
    /// Bandwidths of the repetitions of a repeated test, of which `bw_bytes_per_s` is the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_bw_bytes_per_s: Vec<f64>,
    /// Requests divided by busy time, per second.
    pub iops: f64,
    /// Requests that were moved or widened to fit the target.
    pub moved_requests: u64,
    /// Latency of the reads; missing if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_latency_ns: Option<LatencySummary>,
    /// Latency of the writes; missing if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_latency_ns: Option<LatencySummary>,
    /// Pages placed in flash for each page that was written, during the replay; missing if it is
    /// not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_amplification: Option<f64>,
    /// Figures of the repetitions of a repeated test, of which `write_amplification` is the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_write_amplification: Vec<f64>,
    /// Limits of the figures, printed wherever they appear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Text>,
}

impl TraceResult {
    /// Its title in the current language.
    pub fn words(&self) -> String {
        let shipped = Text::named("trace", &self.name);
        match shipped.in_english() == self.title {
            true => shipped.to_string(),
            false => self.title.clone(),
        }
    }
}

/// Origin of the requests of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceOrigin {
    /// Drawn from a profile whose totals are published.
    PublishedTotals,
    /// Drawn from a profile that is entirely assumed.
    Assumed,
    /// Recorded on a computer.
    Captured,
}

/// Times at which the requests of a trace were issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceTiming {
    /// Each request is issued at its time.
    #[default]
    Original,
    /// Each request is issued at its time, less the time in which nothing was outstanding.
    Busy,
    /// Each request is issued as soon as fewer than the maximum are outstanding.
    Fast,
}

impl TraceTiming {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            TraceTiming::Original => "original",
            TraceTiming::Busy => "busy",
            TraceTiming::Fast => "fast",
        }
    }
}

/// The bandwidth of several traces together, bytes a second: all of their bytes divided by all of
/// their busy time. `None` without busy time.
pub fn overall_bw(traces: &[TraceResult]) -> Option<f64> {
    let bytes: u64 = traces.iter().map(|t| t.read_bytes + t.written_bytes).sum();
    let busy_s: f64 = traces.iter().map(|t| t.busy_s).sum();
    (busy_s > 0.0).then(|| bytes as f64 / busy_s)
}
