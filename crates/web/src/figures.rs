//! The main figures of a recorded job or replay, from the JSON in which the lab keeps its result.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use stend_lab::RecordedKind;
use stend_record::fio::{Latency, Output};

use crate::words;

/// Replacement of a missing figure.
const NONE: &str = "–";

/// Figures in the form of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Facts about the whole: name, value.
    pub facts: Vec<(&'static str, String)>,
    /// Heads of the columns; the first is that of the rows' names.
    pub columns: Vec<&'static str>,
    /// Rows: the name, and the values of the other columns.
    pub rows: Vec<(String, Vec<String>)>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Remarks that belong beside the figures everywhere.
    pub limits: Vec<String>,
}

/// Returns the figures of a result; `None` if it has another form.
pub(crate) fn figures(kind: RecordedKind, result: &Value) -> Option<Figures> {
    match kind {
        RecordedKind::Run => Output::deserialize(result)
            .ok()
            .map(|output| of_jobs(&output)),
        RecordedKind::Replay => Replay::deserialize(result)
            .ok()
            .map(|replay| replay.figures()),
    }
}

/// Formats mean, 99th percentile and maximum of completion latencies.
fn latencies(of: &Latency) -> [String; 3] {
    if of.n == 0 {
        return [NONE; 3].map(str::to_owned);
    }
    let p99 = of.at(99.0).map(|ns| words::latency(ns as f64));
    [
        words::latency(of.mean),
        p99.unwrap_or_else(|| NONE.to_owned()),
        words::latency(of.max as f64),
    ]
}

fn of_jobs(output: &Output) -> Figures {
    let mut rows = Vec::new();
    let mut warnings = Vec::new();
    for job in &output.jobs {
        let directions = [
            ("reads", &job.read),
            ("writes", &job.write),
            ("TRIMs", &job.trim),
        ];
        for (name, of) in directions.into_iter().filter(|(_, of)| of.total_ios > 0) {
            let mut cells = vec![
                words::number(of.iops),
                words::number(of.bw_bytes as f64 / 1e6),
                of.total_ios.to_string(),
            ];
            cells.extend(latencies(&of.clat_ns));
            rows.push((format!("{}, {name}", job.jobname), cells));
        }
        if let Some(of) = job.sync_latency() {
            let mut cells = vec![NONE.to_owned(), NONE.to_owned(), of.n.to_string()];
            cells.extend(latencies(of));
            rows.push((format!("{}, flushes", job.jobname), cells));
        }
        if job.error != 0 {
            warnings.push(format!("{} ended with error {}", job.jobname, job.error));
        }
    }
    Figures {
        facts: Vec::new(),
        columns: vec![
            "Job",
            "IOPS",
            "MB/s (10^6)",
            "Requests",
            "Latency, mean",
            "99 %",
            "Slowest",
        ],
        rows,
        warnings,
        limits: Vec::new(),
    }
}

/// Used fields of `stend.replay/1`.
#[derive(Deserialize)]
struct Replay {
    timing: String,
    depth: u32,
    replayed_share: f64,
    elapsed_ns: u64,
    busy_ns: u64,
    busy_periods: u64,
    left_out_ns: u64,
    busy_mb_per_s: Option<f64>,
    late_requests: Option<u64>,
    lateness_ns_mean: Option<f64>,
    lateness_ns_max: Option<u64>,
    ops: BTreeMap<String, ReplayedOp>,
    warnings: Vec<String>,
    limits: Vec<String>,
}

/// Used fields of one of its operations.
#[derive(Deserialize)]
struct ReplayedOp {
    requests: u64,
    bytes: u64,
    latency_ns_mean: Option<f64>,
    latency_ns_p50: Option<f64>,
    latency_ns_p99: Option<f64>,
    latency_ns_max: Option<f64>,
}

impl Replay {
    fn figures(self) -> Figures {
        let seconds = |ns: u64| format!("{:.6} s", ns as f64 / 1e9);
        let mut facts = vec![
            ("Busy time", seconds(self.busy_ns)),
            ("Busy periods", self.busy_periods.to_string()),
            ("Elapsed", seconds(self.elapsed_ns)),
        ];
        if self.left_out_ns > 0 {
            facts.push(("Idle time left out", seconds(self.left_out_ns)));
        }
        if let Some(speed) = self.busy_mb_per_s {
            let speed = format!("{} MB/s (10^6)", words::number(speed));
            facts.push(("Over busy time", speed));
        }
        facts.push(("Timing", self.timing));
        facts.push(("Outstanding at most", self.depth.to_string()));
        if self.replayed_share < 1.0 {
            let share = format!("{} % of the trace", words::percent(self.replayed_share));
            facts.push(("Replayed", share));
        }
        let late = (self.lateness_ns_mean, self.lateness_ns_max);
        if let (Some(requests), (Some(mean), Some(max))) = (self.late_requests, late) {
            let late = format!(
                "{requests} requests, by {} on average, at most {}",
                words::latency(mean),
                words::latency(max as f64)
            );
            facts.push(("Issued late", late));
        }
        let cell = |ns: Option<f64>| ns.map_or_else(|| NONE.to_owned(), words::latency);
        let ops = self.ops.into_iter().filter(|(_, of)| of.requests > 0);
        let row = |(name, of): (String, ReplayedOp)| {
            let cells = vec![
                of.requests.to_string(),
                words::bytes(of.bytes),
                cell(of.latency_ns_mean),
                cell(of.latency_ns_p50),
                cell(of.latency_ns_p99),
                cell(of.latency_ns_max),
            ];
            (name, cells)
        };
        Figures {
            facts,
            columns: vec![
                "Operation",
                "Requests",
                "Bytes",
                "Latency, mean",
                "50 %",
                "99 %",
                "Slowest",
            ],
            rows: ops.map(row).collect(),
            warnings: self.warnings,
            limits: self.limits,
        }
    }
}
