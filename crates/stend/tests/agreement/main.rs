//! Agreement with fio: every figure of a real target equals a figure in fio's own answer, or
//! follows from fio's log of the same run.
//!
//! A script that replaces fio saves fio's jobs and answers. Figures derived from a log are computed
//! here again, by another method than the program's.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;
mod kept;
mod latency;
mod responses;
mod rounds;
mod traces;

use std::fs;
use std::path::Path;

use common::{folder, have, json, list, number, run, stend, test, tiny};
use kept::{Kept, keeping_fio};
use serde_json::Value;

/// The tests of the tiny edition that measure points.
const POINTS: &str = "sequential,random,depth-scaling,block-scaling,mixed-sequential,mixed-random";

/// Reviews a file of 64 MiB, saving fio's answers; `more` are further arguments.
fn reviewed(dir: &Path, tests: &str, more: &[&str]) -> (Value, Kept) {
    let fio = keeping_fio(dir);
    let args = [&tiny(dir, &["drive.bin", "--size", "64MiB"], tests), more].concat();
    // A busy machine may need a second or two to start fio, and the deletion must not come first.
    let edition = dir.join("tiny.toml");
    let short = fs::read_to_string(&edition).unwrap();
    let longer = short.replace("reference_s = 2\n", "reference_s = 5\n");
    assert_ne!(longer, short);
    fs::write(edition, longer).unwrap();
    let said = run(stend(dir, &args).env("STEND_FIO", &fio));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    (json(&said.stdout), Kept::read(dir))
}

/// Checks that the displayed figures of one direction are those of fio's answer.
fn same(shown: &Value, jobs: &[Value], direction: &str) {
    let [job] = jobs else {
        panic!("reported apart: {jobs:?}")
    };
    let of = &job[direction];
    assert_eq!(number(&shown["iops"]), number(&of["iops"]));
    assert_eq!(number(&shown["bw_bytes_per_s"]), number(&of["bw_bytes"]));
    same_latency(&shown["latency_ns"], &of["clat_ns"]);
}

fn same_latency(latency: &Value, clat: &Value) {
    for (key, percentile) in [
        ("p50", "50.000000"),
        ("p99", "99.000000"),
        ("p99_9", "99.900000"),
        ("p99_99", "99.990000"),
        ("p99_999", "99.999000"),
    ] {
        assert_eq!(latency[key], clat["percentile"][percentile], "{key}");
    }
    assert_eq!(number(&latency["mean"]), number(&clat["mean"]));
    assert_eq!(latency["max"], clat["max"]);
}

/// Checks that two numbers differ only by rounding: of a division, or of fio's six decimals.
#[track_caller]
fn close(shown: f64, wanted: f64) {
    let off = (shown - wanted).abs();
    assert!(
        off <= 1e-9 * wanted.abs() + 1e-6,
        "{shown} is not {wanted}, off by {off}"
    );
}

#[test]
fn figures_are_those_of_fio_to_the_last_digit() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let tests = format!("{POINTS},degradation,crystaldiskmark,recovery-ladder");
    let (review, kept) = reviewed(dir, &tests, &[]);
    same_curves(&kept, test(&review, "degradation"));
    same_benchmark(&kept, test(&review, "crystaldiskmark"));
    same_ladder(&kept, test(&review, "recovery-ladder"));
    let mut seen = 0;
    for test in list(&review["tests"]) {
        let points = test["points"].as_array().into_iter().flatten();
        for (point, job) in points.zip(list(&test["jobs"])) {
            let answer = kept.of(job);
            match point["op"].as_str().unwrap() {
                "mixed" => mixed(point, answer.jobs()),
                op => same(point, answer.jobs(), op),
            }
            same_cpu_time(point, answer.jobs());
            seen += 1;
        }
    }
    assert!(seen >= 12, "{seen}");
    let page = fs::read_to_string(dir.join("out/index.html")).unwrap();
    assert!(page.contains("CPU time"));
}

fn same_cpu_time(shown: &Value, jobs: &[Value]) {
    let total = |key: &str| jobs.iter().map(|job| number(&job[key])).sum::<f64>();
    let directions = ["read", "write"];
    let requests = jobs
        .iter()
        .flat_map(|job| directions.map(|d| number(&job[d]["total_ios"])));
    let cpu_s = (total("usr_cpu") + total("sys_cpu")) / 100.0 * total("job_runtime") / 1e3;
    let wanted = cpu_s * 1e9 / requests.sum::<f64>();
    let shown = number(&shown["cpu_ns_per_request"]);
    assert!((shown / wanted - 1.0).abs() < 1e-9, "{shown} {wanted}");
}

/// Checks that each curve's latencies are those of fio's answer, its samples those of fio's log,
/// and that the samples add up to fio's total.
fn same_curves(kept: &Kept, test: &Value) {
    let (curves, jobs) = (list(&test["series"]), list(&test["jobs"]));
    assert_eq!(curves.len(), jobs.len());
    let mut with_rows = 0;
    for (curve, job) in curves.iter().zip(jobs) {
        let answer = kept.of(job);
        let of = &answer.job()["write"];
        same_latency(&curve["latency_ns"], &of["clat_ns"]);
        same_cpu_time(curve, answer.jobs());
        let samples = list(&curve["samples"]);
        let written = number(&samples.last().unwrap()["written_bytes"]);
        assert_eq!(written, number(&of["io_bytes"]));
        // fio's log has no row for an interval without requests, nor for the incomplete last one.
        let shown = samples.iter().map(|sample| number(&sample["iops"]));
        let shown: Vec<f64> = shown.filter(|iops| *iops > 0.0).collect();
        let rows = answer.log("stend_iops.1.log");
        let logged = rows.iter().map(|row| row[1] as f64);
        let logged: Vec<f64> = logged.filter(|iops| *iops > 0.0).collect();
        assert_eq!(shown[..logged.len()], logged);
        // On a busy machine fio may write no row at all.
        if !logged.is_empty() {
            same_bytes(curve, &answer.log("stend_bw.1.log"));
            let first_ms = rows[0][0] - (number(&curve["interval_s"]) * 1e3) as u64;
            latency::same_over_time(
                curve,
                (first_ms, answer.histograms("stend_clat_hist.1.log")),
                of,
            );
            with_rows += 1;
        }
    }
    assert!(with_rows > 0);
}

/// Compares the bytes written by the end of each interval with fio's log of the bandwidth, KiB/s.
fn same_bytes(curve: &Value, rows: &[Vec<u64>]) {
    let interval_ms = (number(&curve["interval_s"]) * 1e3).round();
    // fio rounds times to whole ms: each row may be off by up to two of them.
    let share = 2.0 / interval_ms;
    assert!(share < 0.005);
    let bytes_of = |row: &[u64], ms: f64| row[1] as f64 * 1.024 * ms;
    let samples = list(&curve["samples"]);
    // A row ends when fio wakes, late on a busy machine; no row contains the start of the first
    // one.
    let mut bytes = number(&samples[0]["written_bytes"]);
    let late = bytes / bytes_of(&rows[0], interval_ms);
    assert!((1.0 - share..1.5).contains(&late), "{late} intervals");
    for (pair, sample) in rows.windows(2).zip(&samples[1..]) {
        bytes += bytes_of(&pair[1], (pair[1][0] - pair[0][0]) as f64);
        let off = number(&sample["written_bytes"]) / bytes - 1.0;
        assert!(off.abs() < share, "{sample}: off by {off}, {pair:?}");
    }
}

/// Checks that a ladder's curves are fio's, and that a rung starts where its curve does.
fn same_ladder(kept: &Kept, test: &Value) {
    same_curves(kept, test);
    let (fresh, climbed) = list(&test["series"]).split_first().unwrap();
    assert!(list(&fresh["samples"]).len() > 1);
    let rungs = list(&test["rungs"]);
    assert_eq!(rungs.len(), 4);
    for (rung, curve) in rungs.iter().zip(climbed) {
        assert_eq!(rung["name"], curve["name"]);
        let first = list(&curve["samples"]).iter().take(5);
        let mut iops: Vec<f64> = first.map(|sample| number(&sample["iops"])).collect();
        iops.sort_by(f64::total_cmp);
        // The median; for an even number of samples the lower of the middle two.
        assert_eq!(number(&rung["iops_start"]), iops[(iops.len() - 1) / 2]);
    }
}

/// Checks that every counted pass is fio's, and that a cell shows the best of them.
fn same_benchmark(kept: &Kept, test: &Value) {
    let mut jobs = list(&test["jobs"]).iter();
    for cell in list(&test["benchmark"]) {
        // The first pass is discarded.
        jobs.next();
        let direction = cell["op"].as_str().unwrap();
        let mut best = 0.0_f64;
        let mut least_ns = f64::INFINITY;
        for pass in list(&cell["passes"]) {
            let answer = kept.of(jobs.next().unwrap());
            same(pass, answer.jobs(), direction);
            same_cpu_time(pass, answer.jobs());
            let of = &answer.job()[direction];
            best = best.max(number(&of["bw_bytes"]));
            least_ns = least_ns.min(number(&of["clat_ns"]["mean"]));
        }
        assert_eq!(number(&cell["best_mean_latency_ns"]), least_ns);
        assert_eq!(number(&cell["best_bw_bytes_per_s"]), best);
    }
    assert_eq!(jobs.next(), None);
}

fn mixed(point: &Value, jobs: &[Value]) {
    let parts = point["parts"].as_array().map_or(&[][..], Vec::as_slice);
    for part in parts {
        same(part, jobs, part["op"].as_str().unwrap());
    }
    let sum = |key: &str| -> f64 { parts.iter().map(|part| number(&part[key])).sum() };
    assert_eq!(number(&point["iops"]), sum("iops"));
    assert_eq!(number(&point["bw_bytes_per_s"]), sum("bw_bytes_per_s"));
}
