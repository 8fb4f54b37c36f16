//! Output for people, in the form of fio's `--output-format=normal`.
//!
//! As in fio, KiB, MiB and GiB are binary and kB, MB and GB in parentheses decimal.

use std::fmt::Write as _;

use stend_base::Nanos;

use super::json::{DEPTHS, ctime};
use super::{Entry, bucket_names, entries, latency_buckets, per_second, share};
use crate::jobfile::Direction;
use crate::runner::{DirectionResult, RunResult};
use crate::stats::LatencyStats;

/// The whole report.
pub fn normal(result: &RunResult) -> String {
    let mut out = String::new();
    let entries = entries(result);
    for entry in &entries {
        job(&mut out, entry, &ctime(result.ended_at.0 / 1_000_000_000));
    }
    let groups = entries.last().map_or(0, |entry| entry.group + 1);
    for group in 0..groups {
        let members: Vec<&Entry<'_>> = entries.iter().filter(|e| e.group == group).collect();
        summary(&mut out, group, &members);
    }
    out
}

macro_rules! put {
    ($out:expr, $($arg:tt)*) => {
        writeln!($out, $($arg)*).expect("a string takes everything")
    };
}

fn job(out: &mut String, entry: &Entry<'_>, time: &str) {
    put!(
        out,
        "{}: (groupid={}, jobs={}): err={}: virtual time: {time}",
        entry.job.name,
        entry.group,
        entry.jobs,
        match entry.errors.fatal {
            0 => " 0".to_string(),
            errno => format!("{errno:2} (Input/output error)"),
        }
    );
    if let Some(description) = &entry.job.spec.description {
        put!(out, "  Description  : [{description}]");
    }
    for d in Direction::ALL {
        let done = &entry.directions[d as usize];
        if done.latency.count() > 0 {
            direction(out, d, done, entry);
        }
    }
    if entry.sync.count() > 0 {
        put!(out, "  fsync/fdatasync/sync_file_range:");
        latency(out, "sync", &entry.sync);
    }
    shares(out, entry);
    let count = |d: Direction| entry.directions[d as usize].latency.count();
    put!(
        out,
        "     issued rwts: total={},{},{},{} short=0,0,0,0 dropped=0,0,0,0",
        count(Direction::Read),
        count(Direction::Write),
        count(Direction::Trim),
        entry.fsyncs
    );
    if entry.errors.total > 0 {
        put!(
            out,
            "     errors    : total={}, first_error={}/<Input/output error>",
            entry.errors.total,
            entry.errors.first
        );
    }
    put!(
        out,
        "     latency   : target=0, window=0, percentile=100.00%, depth={}",
        entry.job.spec.iodepth
    );
}

fn direction(out: &mut String, d: Direction, done: &DirectionResult, entry: &Entry<'_>) {
    let rate = per_second(done.bytes, done.runtime);
    put!(
        out,
        "  {}: IOPS={}, BW={}/s ({}/s)({}/{}msec)",
        d.name(),
        short(per_second(done.latency.count(), done.runtime)),
        binary(rate),
        decimal(rate),
        binary(done.bytes as f64),
        done.runtime.0.div_ceil(1_000_000)
    );
    latency(out, "clat", &done.latency);
    let spec = &entry.job.spec;
    for (name, wanted) in [
        ("clat", spec.clat_percentiles),
        ("lat", spec.lat_percentiles),
    ] {
        if wanted {
            percentiles(out, name, done, &spec.percentiles);
        }
    }
    for (name, rates, unit) in [
        ("bw (  KiB/s)", &done.bw_bytes, 1024.0),
        ("iops        ", &done.iops, 1.0),
    ] {
        if rates.samples > 0 {
            put!(
                out,
                "   {name}: min={:5.0}, max={:5.0}, avg={:.2}, stdev={:.2}, samples={}",
                rates.min / unit,
                rates.max / unit,
                rates.mean / unit,
                rates.stddev() / unit,
                rates.samples
            );
        }
    }
}

/// Suitable unit for a latency, and its length in ns.
fn unit(ns: u64) -> (&'static str, u64) {
    match ns {
        0..10_000 => ("nsec", 1),
        10_000..10_000_000 => ("usec", 1_000),
        _ => ("msec", 1_000_000),
    }
}

/// Unit of a line of latencies, as fio chooses it: the largest unit in which minimum, maximum and
/// deviation have significant digits.
fn unit_of(stats: &LatencyStats) -> (&'static str, u64) {
    let tells = |ns: u64| {
        stats.min_ns() > 2 * ns && stats.max_ns() > 100 * ns - 1 && stats.stddev_ns() > ns as f64
    };
    let units = [("msec", 1_000_000), ("usec", 1_000)].into_iter();
    let mut telling = units.filter(|(_, ns)| tells(*ns));
    telling.next().unwrap_or(("nsec", 1))
}

fn latency(out: &mut String, name: &str, stats: &LatencyStats) {
    let (unit, ns) = unit_of(stats);
    put!(
        out,
        "    {name} ({unit}): min={}, max={}, avg={:.2}, stdev={:.2}",
        stats.min_ns() / ns,
        stats.max_ns() / ns,
        stats.mean_ns() / ns as f64,
        stats.stddev_ns() / ns as f64
    );
}

fn percentiles(out: &mut String, name: &str, done: &DirectionResult, list: &[f64]) {
    let largest = list.iter().map(|p| done.latency.percentile_ns(*p)).max();
    let (unit, ns) = unit(largest.unwrap_or(0) / 10);
    put!(out, "    {name} percentiles ({unit}):");
    for four in list.chunks(4) {
        let cells: Vec<String> = four
            .iter()
            .map(|p| format!("{p:>7.3}th=[{:>5}]", done.latency.percentile_ns(*p) / ns))
            .collect();
        put!(out, "     | {}", cells.join(", "));
    }
}

fn shares(out: &mut String, entry: &Entry<'_>) {
    let buckets = latency_buckets(&entry.all_latencies());
    for (unit, values) in [
        ("nsec", &buckets.ns[..]),
        ("usec", &buckets.us[..]),
        ("msec", &buckets.ms[..]),
    ] {
        let cells: Vec<String> = bucket_names()
            .zip(values)
            .filter(|(_, share)| **share > 0.0)
            .map(|(name, share)| format!("{name}={share:.2}%"))
            .collect();
        if !cells.is_empty() {
            put!(out, "  lat ({unit})   : {}", cells.join(", "));
        }
    }
    let issued = entry.depths.iter().sum();
    let depths: Vec<String> = DEPTHS
        .iter()
        .zip(entry.depths)
        .map(|(name, count)| format!("{name}={:.1}%", share(count, issued, 0.1)))
        .collect();
    put!(out, "  IO depths    : {}", depths.join(", "));
}

fn summary(out: &mut String, group: u32, members: &[&Entry<'_>]) {
    put!(out, "\nRun status group {group} (all jobs):");
    for d in Direction::ALL {
        let index = d as usize;
        let busy: Vec<&&Entry<'_>> = members
            .iter()
            .filter(|entry| entry.directions[index].bytes > 0)
            .collect();
        if busy.is_empty() {
            continue;
        }
        let bytes: u64 = busy.iter().map(|e| e.directions[index].bytes).sum();
        let runtimes = || busy.iter().map(|e| e.directions[index].runtime);
        let longest = runtimes().max().unwrap_or(Nanos::ZERO);
        let shortest = runtimes().min().unwrap_or(Nanos::ZERO);
        let rate = per_second(bytes, longest);
        put!(
            out,
            "  {:>5}: bw={}/s ({}/s), io={} ({}), run={}-{}msec",
            d.name().to_uppercase(),
            binary(rate),
            decimal(rate),
            binary(bytes as f64),
            decimal(bytes as f64),
            shortest.0.div_ceil(1_000_000),
            longest.0.div_ceil(1_000_000)
        );
    }
}

fn scaled(value: f64, base: f64, units: [&str; 5]) -> String {
    let (mut value, mut index) = (value, 0);
    while value >= base * 9.995 && index < 4 {
        value /= base;
        index += 1;
    }
    let digits = usize::from(value < 99.95 && value.fract() != 0.0);
    format!("{value:.digits$}{}", units[index])
}

fn binary(bytes: f64) -> String {
    scaled(bytes, 1024.0, ["B", "KiB", "MiB", "GiB", "TiB"])
}

fn decimal(bytes: f64) -> String {
    scaled(bytes, 1000.0, ["B", "kB", "MB", "GB", "TB"])
}

fn short(number: f64) -> String {
    if number < 10_000.0 {
        return format!("{}", number as u64);
    }
    scaled(number, 1000.0, ["", "k", "M", "G", "T"])
}
