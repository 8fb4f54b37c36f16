//! Reports of a run in fio's formats: its JSON ([`json`]), its output for people ([`mod@normal`])
//! and its logs ([`logs`]).

pub mod json;
pub mod logs;
pub mod normal;

use stend_base::Nanos;

use crate::jobfile::Job;
use crate::runner::{DirectionResult, Errors, JobResult, RunResult};
use crate::stats::LatencyStats;

pub use json::fio_output;
pub use logs::log_files;
pub use normal::normal;

/// A unit of the report: a job, or with `group_reporting` all jobs of a group.
struct Entry<'a> {
    job: &'a Job,
    group: u32,
    /// Number of jobs in it.
    jobs: u32,
    /// Sum of the runtimes.
    runtime_sum: Nanos,
    directions: [DirectionResult; 3],
    sync: LatencyStats,
    fsyncs: u64,
    depths: [u64; 7],
    errors: Errors,
}

impl Entry<'_> {
    fn requests(&self) -> u64 {
        self.directions.iter().map(|d| d.latency.count()).sum()
    }

    /// Latencies of all directions.
    fn all_latencies(&self) -> LatencyStats {
        let mut all = LatencyStats::default();
        for direction in &self.directions {
            all.add(&direction.latency);
        }
        all
    }

    fn add(&mut self, job: &JobResult) {
        self.jobs += 1;
        self.runtime_sum += job.runtime;
        for (mine, theirs) in self.directions.iter_mut().zip(&job.directions) {
            mine.bytes += theirs.bytes;
            mine.latency.add(&theirs.latency);
            mine.bw_bytes.add_parallel(&theirs.bw_bytes);
            mine.iops.add_parallel(&theirs.iops);
            mine.runtime = mine.runtime.max(theirs.runtime);
        }
        self.sync.add(&job.sync);
        self.fsyncs += job.fsyncs;
        self.errors.total += job.errors.total;
        if self.errors.fatal == 0 {
            self.errors.fatal = job.errors.fatal;
        }
        if self.errors.first == 0 {
            self.errors.first = job.errors.first;
        }
        for (mine, theirs) in self.depths.iter_mut().zip(job.depths) {
            *mine += theirs;
        }
    }
}

/// As in fio, consecutive jobs with `group_reporting` in one group are one entry under the name of
/// the first. It also has the first's options; fio 3.33 prints those of the last section, which do
/// not belong to the name.
fn entries(result: &RunResult) -> Vec<Entry<'_>> {
    let mut out: Vec<Entry<'_>> = Vec::new();
    for done in &result.jobs {
        let job = &result.file.jobs[done.section];
        let joins = job.spec.group_reporting
            && out
                .last()
                .is_some_and(|e| e.job.spec.group_reporting && e.group == done.group);
        if !joins {
            out.push(Entry {
                job,
                group: done.group,
                jobs: 0,
                runtime_sum: Nanos::ZERO,
                directions: Default::default(),
                sync: LatencyStats::default(),
                fsyncs: 0,
                depths: [0; 7],
                errors: Errors::default(),
            });
        }
        if let Some(entry) = out.last_mut() {
            entry.add(done);
        }
    }
    out
}

/// Events a second; 0 for an empty time.
fn per_second(count: u64, time: Nanos) -> f64 {
    if time == Nanos::ZERO {
        return 0.0;
    }
    count as f64 * 1e9 / time.0 as f64
}

/// fio's buckets of latency: upper bounds in units of ns, µs or ms.
const BUCKETS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

/// fio's names of the buckets in ms; those in ns and µs have the first ten.
fn bucket_names() -> impl Iterator<Item = String> {
    let names = BUCKETS.iter().map(u64::to_string);
    names.chain(["2000".to_string(), ">=2000".to_string()])
}

/// Shares in percent of latencies in fio's buckets.
struct LatencyBuckets {
    ns: [f64; 10],
    us: [f64; 10],
    /// Two more: below 2 s, and above.
    ms: [f64; 12],
}

/// Sorts latencies into fio's buckets (`io_u_mark_latency`). The histogram's bins are
/// finer, but a latency within 0.1 % of a bound may fall on the other side of it.
fn latency_buckets(all: &LatencyStats) -> LatencyBuckets {
    let (mut ns, mut us, mut ms) = ([0u64; 10], [0u64; 10], [0u64; 12]);
    let index = |value: u64| BUCKETS.iter().position(|bound| value < *bound);
    for (value, count) in all.bins() {
        match value {
            0..1_000 => ns[index(value).unwrap_or(9)] += count,
            1_000..1_000_000 => us[index(value / 1_000).unwrap_or(9)] += count,
            _ => {
                let in_ms = value / 1_000_000;
                ms[index(in_ms).unwrap_or(if in_ms < 2_000 { 10 } else { 11 })] += count;
            }
        }
    }
    let total = all.count();
    LatencyBuckets {
        ns: ns.map(|count| share(count, total, 0.01)),
        us: us.map(|count| share(count, total, 0.01)),
        ms: ms.map(|count| share(count, total, 0.01)),
    }
}

/// Percentage; as in fio, a count above 0 is never printed as less than `least`.
fn share(count: u64, total: u64, least: f64) -> f64 {
    if count == 0 || total == 0 {
        return 0.0;
    }
    (count as f64 * 100.0 / total as f64).max(least)
}
