//! Traces: bytes, requests and latencies are fio's. fio does not report busy time; it is computed
//! here again from fio's log and the trace.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use super::{close, reviewed};
use crate::common::{folder, have, json, list, number, run, stend, test};
use crate::kept::{Answer, Kept, keeping_fio};

const MS: i64 = 1_000_000;

/// Share by which percentiles from a histogram of three digits may exceed those of the log.
const DIGITS_SHARE: f64 = 0.001;

/// Times of a read or write, ns from the beginning of the job.
#[derive(Clone, Copy, Debug)]
struct Went {
    due: i64,
    issued: i64,
    latency: i64,
}

#[test]
fn each_trace_is_fios() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let (review, kept) = reviewed(dir.path(), "desktop-traces,game-start", &[]);
    let mut seen = 0;
    for id in ["desktop-traces", "game-start"] {
        let test = test(&review, id);
        let jobs = list(&test["jobs"]);
        let traces = list(&test["traces"]);
        assert_eq!(jobs.len(), traces.len());
        let sum = |key: &str| traces.iter().map(|trace| number(&trace[key])).sum::<f64>();
        let overall = (sum("read_bytes") + sum("written_bytes")) / sum("busy_s");
        close(number(&test["overall_bw_bytes_per_s"]), overall);
        for (trace, job) in traces.iter().zip(jobs) {
            // Preceded by the command that repeats it.
            let [answer] = kept.all_of(job)[..] else {
                panic!("the job that is shown was run once: {job}")
            };
            same_trace(trace, answer);
            seen += 1;
        }
    }
    assert_eq!(seen, 3);
}

fn same_trace(trace: &Value, answer: &Answer) {
    let of = |direction: &str, key: &str| number(&answer.job()[direction][key]);
    let requests: f64 = ["read", "write", "sync"]
        .map(|direction| of(direction, "total_ios"))
        .iter()
        .sum();
    assert_eq!(number(&trace["requests"]), requests);
    assert_eq!(number(&trace["read_bytes"]), of("read", "io_bytes"));
    assert_eq!(number(&trace["written_bytes"]), of("write", "io_bytes"));
    for (direction, code) in [("read", 0), ("write", 1)] {
        let latency = &trace[format!("{direction}_latency_ns")];
        let part = |name: &str| number(&latency[name]);
        let shares = [
            (50.0, "p50"),
            (99.0, "p99"),
            (99.9, "p99_9"),
            (99.99, "p99_99"),
            (99.999, "p99_999"),
        ];
        let percentiles = shares.map(|(share, name)| (share, part(name)));
        same_latency(answer, code, part("mean"), part("max"), &percentiles);
    }
    let went = went(answer);
    let busy_s = number(&trace["busy_s"]);
    busy_is(busy_s * 1e9, answer, &went);
    elapsed_is(number(&trace["elapsed_s"]) * 1e9, answer);
    let bytes = of("read", "io_bytes") + of("write", "io_bytes");
    close(number(&trace["bw_bytes_per_s"]), bytes / busy_s);
    close(number(&trace["iops"]), requests / busy_s);
}

#[test]
fn a_replay_is_fios() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let fio = keeping_fio(dir);
    fs::write(dir.join("t.log"), bursts()).unwrap();
    let replay = |more: &[&str]| {
        let on = [
            "replay",
            "t.log",
            "--json",
            "--on",
            "drive.bin",
            "--size",
            "8MiB",
        ];
        let said = run(stend(dir, &[&on, more].concat()).env("STEND_FIO", &fio));
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        json(&said.stdout)
    };
    let apart = replay(&["--timing", "original", "--depth", "1"]);
    let original = replay(&["--timing", "original"]);
    let fast = replay(&["--timing", "fast", "--depth", "4"]);
    let kept = Kept::read(dir);
    // The first run of fio filled the new file.
    let (_, replays) = kept.all().split_first().unwrap();
    assert_eq!(replays.len(), 3);
    for (told, answer) in [&apart, &original, &fast].into_iter().zip(replays) {
        let (mut requests, mut bytes) = (0.0, 0.0);
        for (op, of) in [("read", "read"), ("write", "write"), ("flush", "sync")] {
            let (shown, of) = (&told["ops"][op], &answer.job()[of]);
            assert_eq!(shown["requests"], of["total_ios"], "{op}");
            requests += number(&of["total_ios"]);
            if op == "flush" {
                continue;
            }
            assert_eq!(shown["bytes"], of["io_bytes"], "{op}");
            bytes += number(&of["io_bytes"]);
            let part = |name: &str| number(&shown[format!("latency_ns_{name}")]);
            let shares = [(50.0, "p50"), (99.0, "p99"), (99.9, "p99_9")];
            let percentiles = shares.map(|(share, name)| (share, part(name)));
            let code = u64::from(op == "write");
            same_latency(answer, code, part("mean"), part("max"), &percentiles);
        }
        assert_eq!(number(&told["requests"]), requests);
        assert_eq!(number(&told["moved_bytes"]), bytes);
        let went = went(answer);
        let busy_ns = number(&told["busy_ns"]);
        busy_is(busy_ns, answer, &went);
        elapsed_is(number(&told["elapsed_ns"]), answer);
        close(number(&told["busy_mb_per_s"]), bytes * 1e3 / busy_ns);
        assert_eq!(told["busy_periods"], periods(&went).len());
    }
    for (told, answer) in [&apart, &original].into_iter().zip(replays) {
        same_lateness(told, &went(answer));
    }
    assert!(fast["lateness_ns_max"].is_null());
}

/// A trace of bursts of four requests, 4 ms apart, with a flush after every tenth burst.
fn bursts() -> String {
    let mut text = "fio version 3 iolog\n1 x add\n1 x open\n".to_owned();
    for burst in 0..100 {
        let at_us = 1 + burst * 4_000;
        for nth in 0..4 {
            let op = ["write", "read"][nth as usize % 2];
            let len = [65_536, 4_096, 16_384][burst as usize % 3];
            let offset = (burst * 7 + nth) % 100 * 65_536;
            writeln!(text, "{} x {op} {offset} {len}", at_us + nth * 30).unwrap();
        }
        if burst % 10 == 9 {
            writeln!(text, "{} x sync 0 0", at_us + 1_000).unwrap();
        }
    }
    text + "400000 x close\n"
}

/// Checks that mean and maximum are fio's, and percentiles those of its log.
fn same_latency(answer: &Answer, code: u64, mean: f64, max: f64, percentiles: &[(f64, f64)]) {
    let of = &answer.job()[["read", "write"][code as usize]]["lat_ns"];
    let rows = answer.log("stend_lat.1.log");
    let mut latencies: Vec<u64> = rows.iter().filter(|r| r[2] == code).map(|r| r[1]).collect();
    latencies.sort_unstable();
    assert_eq!(latencies.len() as f64, number(&of["N"]));
    close(mean, number(&of["mean"]));
    assert_eq!(max, number(&of["max"]));
    for (share, shown) in percentiles {
        let rank = (share / 100.0 * latencies.len() as f64 - 1e-9).ceil() as usize;
        let logged = latencies[rank.max(1) - 1] as f64;
        assert!(
            (logged..=logged * (1.0 + DIGITS_SHARE) + 1.0).contains(shown),
            "{share} %: {shown}, by fio's log {logged}"
        );
    }
}

fn option(answer: &Answer, name: &str) -> u64 {
    let name = format!("{name}=");
    let mut lines = answer.text.lines();
    let value = lines.find_map(|line| line.strip_prefix(name.as_str()));
    value.unwrap().parse().unwrap()
}

/// Maximum number of outstanding requests.
fn depth(answer: &Answer) -> usize {
    match answer.text.contains("ioengine=psync") {
        true => 1,
        false => option(answer, "iodepth") as usize,
    }
}

/// Returns every request with the earliest estimate of its issue time that is consistent with its
/// place in the trace, the request before it, the queue depth, and fio's log (ends in whole ms).
fn went(answer: &Answer) -> Vec<Went> {
    let fast = option(answer, "replay_no_stall") == 1;
    let depth = depth(answer);
    let mut rows: Vec<Option<Vec<u64>>> = answer
        .log("stend_lat.1.log")
        .into_iter()
        .map(Some)
        .collect();
    let mut went: Vec<Went> = Vec::new();
    for line in answer.file("trace.log").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [at_us, _, op @ ("read" | "write"), offset, len] = fields[..] else {
            continue;
        };
        let key: [u64; 3] = [
            u64::from(op == "write"),
            len.parse().unwrap(),
            offset.parse().unwrap(),
        ];
        let mine = |row: &&mut Option<Vec<u64>>| row.as_ref().is_some_and(|r| r[2..5] == key);
        let row = rows.iter_mut().find(mine).and_then(Option::take);
        let row = row.unwrap_or_else(|| panic!("fio's log lacks {line}"));
        let (end, latency) = (row[0] as i64 * MS, row[1] as i64);
        let due = at_us.parse::<i64>().unwrap() * 1_000;
        let issued = match went.last() {
            None => end - latency,
            Some(before) => {
                let gap = if fast { 0 } else { due - before.due };
                let wish = with_a_place(&went, before.issued + gap, depth);
                let latest = end - latency + MS;
                wish.min(latest).max(end - latency).max(before.issued)
            }
        };
        went.push(Went {
            due,
            issued,
            latency,
        });
    }
    assert!(rows.iter().all(Option::is_none), "more was done than given");
    went
}

/// First instant from `wish` on at which fewer than `depth` requests are outstanding.
fn with_a_place(went: &[Went], wish: i64, depth: usize) -> i64 {
    let ends = went.iter().map(|request| request.issued + request.latency);
    let mut after: Vec<i64> = ends.filter(|end| *end > wish).collect();
    after.sort_unstable_by(|a, b| b.cmp(a));
    after.get(depth - 1).map_or(wish, |end| *end)
}

/// Periods in which at least one request is outstanding.
fn periods(went: &[Went]) -> Vec<(i64, i64)> {
    let mut all: Vec<(i64, i64)> = went
        .iter()
        .map(|request| (request.issued, request.issued + request.latency))
        .collect();
    all.sort_unstable();
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (from, to) in all {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

/// Checks that busy time equals the estimate, and lies within the limits that latencies set: at
/// most one request after the other, at least the queue full all the time.
fn busy_is(shown_ns: f64, answer: &Answer, went: &[Went]) {
    let merged = periods(went);
    let estimated: i64 = merged.iter().map(|(from, to)| to - from).sum();
    close(shown_ns, estimated as f64);
    let all: i64 = went.iter().map(|request| request.latency).sum();
    // With ends in whole ms, two requests may seem to overlap that did not.
    let least = all as f64 / depth(answer) as f64 * 0.99;
    assert!(
        (least..=all as f64).contains(&shown_ns),
        "{shown_ns} of {all}"
    );
}

/// Compares the delays of requests against the trace, the first request being on time.
fn same_lateness(told: &Value, went: &[Went]) {
    let origin = went[0].issued - went[0].due;
    let late = went
        .iter()
        .map(|request| request.issued - request.due - origin);
    let late: Vec<f64> = late.filter(|ns| *ns > 0).map(|ns| ns as f64).collect();
    let max = late.iter().copied().fold(0.0, f64::max);
    assert!(max > 0.0);
    assert_eq!(number(&told["late_requests"]), late.len() as f64);
    assert_eq!(number(&told["lateness_ns_max"]), max);
    let mean = late.iter().sum::<f64>() / went.len() as f64;
    close(number(&told["lateness_ns_mean"]), mean);
}

/// Compares the time up to the last end in fio's log, which has whole ms; the first request may
/// begin before its zero.
fn elapsed_is(shown_ns: f64, answer: &Answer) {
    let rows = answer.log("stend_lat.1.log");
    let last_ns = rows.iter().map(|row| row[0]).max().unwrap() as f64 * 1e6;
    let beyond = shown_ns - last_ns;
    assert!(
        (-1.0..=2.0 * MS as f64 + 1.0).contains(&beyond),
        "{beyond} ns"
    );
}
