//! fio's JSON, in the schema of fio 3.33 (`stat.c`, checked against fio by the tests).
//!
//! Differences, since there is no host:
//! - There is no wall clock. `timestamp`, `timestamp_ms` and `time` contain the device's virtual
//!   time at the end of the run, as if it had been powered on at the beginning of 1970.
//! - `usr_cpu`, `sys_cpu`, `ctx`, `majf` and `minf` are 0, `disk_util` is empty, and
//!   `slat_ns` is empty: submission takes no virtual time, so that `clat_ns` equals `lat_ns`.
//! - Rates come from times in nanoseconds, where fio rounds them to milliseconds.
//! - `bins` contain the middle of each bin, as in fio, but the bins are those of a histogram with
//!   three significant digits.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use stend_base::Nanos;
use stend_record::fio;

use super::{Entry, bucket_names, entries, latency_buckets, per_second, share};
use crate::jobfile::{Direction, Spec};
use crate::runner::{DirectionResult, RunResult};
use crate::stats::{LatencyStats, RateStats};

/// fio's document of a run; `bins` selects `--output-format=json+`, otherwise `json`.
pub fn fio_output(result: &RunResult, bins: bool) -> fio::Output {
    let ended_ms = result.ended_at.0 / 1_000_000;
    let mut other = Map::new();
    other.insert("timestamp".into(), json!(ended_ms / 1_000));
    other.insert("timestamp_ms".into(), json!(ended_ms));
    other.insert("time".into(), json!(ctime(ended_ms / 1_000)));
    other.insert("disk_util".into(), json!([]));
    let entries = entries(result);
    let elapsed = result
        .ended_at
        .since(result.started_at)
        .0
        .div_ceil(1_000_000_000);
    fio::Output {
        fio_version: concat!("stend-", env!("CARGO_PKG_VERSION")).to_string(),
        global_options: with_value(&result.file.global_options),
        jobs: entries
            .iter()
            .map(|entry| job(entry, group_rates(&entries, entry.group), elapsed, bins))
            .collect(),
        other,
    }
}

/// Options that have a value: as in fio 3.33, the others are not listed.
fn with_value(options: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut options = options.clone();
    options.retain(|_, value| !value.is_empty());
    options
}

/// Bytes a second of a whole group and direction, of which `bw_agg` is a share.
fn group_rates(entries: &[Entry<'_>], group: u32) -> [f64; 3] {
    Direction::ALL.map(|d| {
        let members = || entries.iter().filter(|entry| entry.group == group);
        let bytes = members().map(|e| e.directions[d as usize].bytes).sum();
        let runtimes = members().map(|e| e.directions[d as usize].runtime);
        let runtime = runtimes.max().unwrap_or(Nanos::ZERO);
        per_second(bytes, runtime)
    })
}

fn job(entry: &Entry<'_>, rates: [f64; 3], elapsed: u64, bins: bool) -> fio::Job {
    let spec = &entry.job.spec;
    let direction = |d: Direction| {
        let index = d as usize;
        direction(&entry.directions[index], rates[index], spec, bins)
    };
    fio::Job {
        jobname: entry.job.name.clone(),
        groupid: entry.group,
        error: entry.errors.fatal,
        elapsed,
        job_options: with_value(&entry.job.options),
        read: direction(Direction::Read),
        write: direction(Direction::Write),
        trim: direction(Direction::Trim),
        job_runtime: entry.runtime_sum.0 / 1_000_000,
        sync: Some(fio::Syncs {
            total_ios: entry.fsyncs,
            lat_ns: latency(&entry.sync, spec, true, bins),
        }),
        other: job_other(entry),
    }
}

fn direction(
    done: &DirectionResult,
    group_bytes_per_s: f64,
    spec: &Spec,
    bins: bool,
) -> fio::Direction {
    let requests = done.latency.count();
    let runtime = if requests > 0 {
        done.runtime
    } else {
        Nanos::ZERO
    };
    let kib = |bytes: f64| bytes / 1024.0;
    let none = RateStats::default();
    let bw = match spec.disabled.bw {
        true => &none,
        false => &done.bw_bytes,
    };
    let of_group = if group_bytes_per_s > 0.0 {
        (bw.mean * 100.0 / group_bytes_per_s).min(100.0)
    } else {
        0.0
    };
    let other = json!({
        "short_ios": 0,
        "drop_ios": 0,
        "bw_min": kib(bw.min) as u64,
        "bw_max": kib(bw.max) as u64,
        "bw_agg": of_group,
        "bw_mean": kib(bw.mean),
        "bw_dev": kib(bw.stddev()),
        "bw_samples": bw.samples,
        "iops_min": done.iops.min as u64,
        "iops_max": done.iops.max as u64,
        "iops_mean": done.iops.mean,
        "iops_stddev": done.iops.stddev(),
        "iops_samples": done.iops.samples,
    });
    let bytes_per_s = per_second(done.bytes, runtime);
    fio::Direction {
        io_bytes: done.bytes,
        io_kbytes: done.bytes / 1024,
        bw_bytes: bytes_per_s as u64,
        bw: kib(bytes_per_s) as u64,
        iops: per_second(requests, runtime),
        runtime: runtime.0.div_ceil(1_000_000),
        total_ios: requests,
        slat_ns: fio::Latency::default(),
        clat_ns: latency_unless(spec.disabled.clat, || {
            latency(&done.latency, spec, spec.clat_percentiles, bins)
        }),
        lat_ns: latency_unless(spec.disabled.lat, || {
            latency(&done.latency, spec, spec.lat_percentiles, bins)
        }),
        other: object(other),
    }
}

fn latency_unless(disabled: bool, latency: impl FnOnce() -> fio::Latency) -> fio::Latency {
    match disabled {
        true => fio::Latency::default(),
        false => latency(),
    }
}

fn latency(stats: &LatencyStats, spec: &Spec, percentiles: bool, bins: bool) -> fio::Latency {
    let shown = percentiles && stats.count() > 0;
    fio::Latency {
        min: stats.min_ns(),
        max: stats.max_ns(),
        mean: stats.mean_ns(),
        stddev: stats.stddev_ns(),
        n: stats.count(),
        percentile: shown.then(|| {
            let values = spec.percentiles.iter();
            values
                .map(|p| (format!("{p:.6}"), stats.percentile_ns(*p)))
                .collect()
        }),
        bins: (shown && bins).then(|| {
            let bins = stats.bins();
            bins.map(|(ns, count)| (ns.to_string(), count)).collect()
        }),
    }
}

fn job_other(entry: &Entry<'_>) -> Map<String, Value> {
    let spec = &entry.job.spec;
    let buckets = latency_buckets(&entry.all_latencies());
    let requests = entry.requests();
    let issued: u64 = entry.depths.iter().sum();
    // One request at a time is submitted, and one completion at a time arrives.
    let one_each = if requests > 0 { 100.0 } else { 0.0 };
    let batches = json!({
        "0": 0.0, "4": one_each, "8": 0.0, "16": 0.0, "32": 0.0, "64": 0.0, ">=64": 0.0,
    });
    let mut other = object(json!({
        "eta": 0,
        "usr_cpu": 0.0,
        "sys_cpu": 0.0,
        "ctx": 0,
        "majf": 0,
        "minf": 0,
        "iodepth_level": {},
        "iodepth_submit": batches,
        "iodepth_complete": batches,
        "latency_ns": bucket_map(&buckets.ns),
        "latency_us": bucket_map(&buckets.us),
        "latency_ms": bucket_map(&buckets.ms),
        "latency_depth": spec.iodepth,
        "latency_target": 0,
        "latency_percentile": 100.0,
        "latency_window": 0,
    }));
    let levels = DEPTHS.iter().zip(entry.depths);
    let levels: BTreeMap<&str, f64> = levels
        .map(|(name, count)| (*name, share(count, issued, 0.1)))
        .collect();
    other.insert("iodepth_level".into(), json!(levels));
    if spec.continue_on_error.contains(&true) {
        other.insert("total_err".into(), json!(entry.errors.total));
        other.insert("first_error".into(), json!(entry.errors.first));
    }
    if let Some(description) = &spec.description {
        other.insert("desc".into(), json!(description));
    }
    other
}

/// fio's names of the depths in [`crate::runner::JobResult::depths`].
pub(super) const DEPTHS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];

fn bucket_map(shares: &[f64]) -> BTreeMap<String, f64> {
    bucket_names().zip(shares.iter().copied()).collect()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Seconds since the beginning of 1970 as C's `ctime` writes them, in UTC.
pub(super) fn ctime(seconds: u64) -> String {
    let instant = Timestamp::from_second(seconds as i64).expect("virtual time ends in 2554");
    instant.strftime("%a %b %e %H:%M:%S %Y").to_string()
}

#[cfg(test)]
mod tests {
    use super::ctime;

    #[test]
    fn calendar() {
        // Expected values from `date -u -d @N`.
        assert_eq!(ctime(0), "Thu Jan  1 00:00:00 1970");
        assert_eq!(ctime(951_782_400), "Tue Feb 29 00:00:00 2000");
        assert_eq!(ctime(1_709_210_096), "Thu Feb 29 12:34:56 2024");
        assert_eq!(ctime(4_107_542_399), "Sun Feb 28 23:59:59 2100");
        assert_eq!(ctime(4_107_542_400), "Mon Mar  1 00:00:00 2100");
    }
}
