//! The files of `write_bw_log`, `write_iops_log` and `write_lat_log`.
//!
//! The columns of a line are `time in ms, value, direction (0 read, 1 write, 2 TRIM), block size,
//! priority`; with `log_offset` the offset in bytes stands before the priority, as in fio 3.33.
//! Values: latency in ns, bandwidth in KiB/s, requests a second. Priority is always 0. As in fio,
//! intervals of `log_avg_msec` without requests have no line, block size and offset are 0 in
//! interval lines, and without `log_avg_msec` the iops log contains 1 for every request. Submission
//! latencies (`_slat`) do not exist in virtual time; the file is empty, as fio's is for engines
//! that complete at once.

use std::fmt::Write as _;

use stend_base::Nanos;

use crate::jobfile::Spec;
use crate::runner::{JobResult, LogCell, LogRequest, RunResult};

/// A file of a run, to be written by the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// Its name as fio forms it, `prefix_clat.1.log`.
    pub name: String,
    /// Its contents.
    pub text: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Bandwidth,
    Requests,
    Latency,
}

/// All log files that the jobs of a run requested.
pub fn log_files(result: &RunResult) -> Vec<LogFile> {
    let mut files = Vec::new();
    for (index, job) in result.jobs.iter().enumerate() {
        let spec = &result.file.jobs[job.section].spec;
        let mut log = |prefix: &Option<String>, suffix: &str, kind: Option<Kind>| {
            if let Some(prefix) = prefix {
                let prefix = if prefix.is_empty() { &job.name } else { prefix };
                let text = kind.map_or_else(String::new, |kind| lines(job, spec, kind));
                let name = match spec.per_job_logs {
                    true => format!("{prefix}_{suffix}.{}.log", index + 1),
                    false => format!("{prefix}_{suffix}.log"),
                };
                add(&mut files, name, text);
            }
        };
        log(&spec.bw_log, "bw", Some(Kind::Bandwidth));
        log(&spec.iops_log, "iops", Some(Kind::Requests));
        log(&spec.lat_log, "slat", None);
        log(&spec.lat_log, "clat", Some(Kind::Latency));
        log(&spec.lat_log, "lat", Some(Kind::Latency));
    }
    files
}

/// Adds a file; without `per_job_logs`, jobs append to those of the jobs before them.
fn add(files: &mut Vec<LogFile>, name: String, text: String) {
    match files.iter_mut().find(|file| file.name == name) {
        Some(file) => file.text.push_str(&text),
        None => files.push(LogFile { name, text }),
    }
}

fn lines(job: &JobResult, spec: &Spec, kind: Kind) -> String {
    let mut out = String::new();
    let mut line = |at: Nanos, value: u64, direction: usize, block: u64, offset: u64| {
        let ms = at.0 / 1_000_000;
        let written = if spec.log_offset {
            writeln!(out, "{ms}, {value}, {direction}, {block}, {offset}, 0")
        } else {
            writeln!(out, "{ms}, {value}, {direction}, {block}, 0")
        };
        written.expect("a string takes everything");
    };
    for request in &job.log_requests {
        let (value, direction) = (request_value(request, kind), request.direction.into());
        let (block, offset) = (request.block_bytes, request.offset_bytes);
        line(request.at, value, direction, block, offset);
    }
    for window in &job.log_windows {
        // The rest at the end of a run is too short to be a rate.
        if kind != Kind::Latency && window.len.0 < spec.log_interval.0 / 2 {
            continue;
        }
        for (direction, cell) in window.cells.iter().enumerate() {
            if cell.requests > 0 {
                let value = cell_value(cell, kind, window.len, spec.log_max_value);
                line(window.end, value, direction, 0, 0);
            }
        }
    }
    out
}

fn request_value(request: &LogRequest, kind: Kind) -> u64 {
    match kind {
        Kind::Latency => request.latency.0,
        Kind::Requests => 1,
        Kind::Bandwidth => kib_per_s(request.block_bytes, request.latency),
    }
}

fn cell_value(cell: &LogCell, kind: Kind, len: Nanos, max: bool) -> u64 {
    match kind {
        Kind::Latency if max => cell.latency_max_ns,
        Kind::Latency => cell.latency_sum_ns / cell.requests,
        Kind::Requests => (u128::from(cell.requests) * 1_000_000_000 / u128::from(len.0)) as u64,
        Kind::Bandwidth => kib_per_s(cell.bytes, len),
    }
}

fn kib_per_s(bytes: u64, time: Nanos) -> u64 {
    let per_s = u128::from(bytes) * 1_000_000_000 / u128::from(time.0.max(1));
    (per_s / 1024) as u64
}
