//! Reads during the deletion of a file: every figure is computed from fio's log of every request,
//! which covers all requests that fio's answer counts.

use std::cmp::Reverse;

use serde_json::Value;

use super::close;
use crate::common::{folder, have, list, number, test};
use crate::kept::Answer;

const MS: u64 = 1_000_000;

/// Length of the reference period, ns.
const REFERENCE_NS: u64 = 5_000 * MS;

/// Number of slowest requests that a review stores.
const KEPT: usize = 2_000;

/// Maximum lag of file timestamps behind the clock, ns: the system's tick.
const TICK_NS: u64 = 11 * MS;

/// A read: its end, ns from the beginning of the job, and its latency, ns.
type Read = (u64, u64);

#[test]
fn each_read_beside_a_deletion_is_fios() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let (review, kept) = super::reviewed(dir.path(), "trim-response", &[]);
    let test = test(&review, "trim-response");
    let (responses, jobs) = (list(&test["responses"]), list(&test["jobs"]));
    let runs = kept.all_of(&jobs[0]);
    assert_eq!((responses.len(), jobs.len(), runs.len()), (2, 2, 2));
    let mut trimmed = 0;
    // The same job twice; the texts differ only in the remark about the deletion.
    for ((response, job), run) in responses.iter().zip(jobs).zip(runs) {
        assert!(job["text"].as_str().unwrap().starts_with(&run.text));
        let (start_ms, reads) = reads(run);
        let zero_ns = if response["trim_s"].is_null() {
            REFERENCE_NS
        } else {
            trimmed += 1;
            let zero_ns = deletion_ns(response, &reads);
            the_file_was_changed_then(response, run, start_ms * MS + zero_ns);
            zero_ns
        };
        same_totals(response, run);
        same_slowest(response, &reads, zero_ns);
        same_intervals(response, &reads, zero_ns);
        let (before, after): (Vec<Read>, Vec<Read>) =
            reads.iter().partition(|read| read.0 <= zero_ns);
        let before_s = zero_ns as f64 / 1e9;
        let iops = number(&response["reference_iops"]);
        close(iops, before.len() as f64 / before_s);
        same_latency(&response["reference_latency_ns"], &before);
        same_latency(&response["latency_ns"], &after);
    }
    assert_eq!(trimmed, 1);
}

/// Start of the job, ms of the machine's clock, and all reads.
fn reads(run: &Answer) -> (u64, Vec<Read>) {
    let rows = run.log("stend_clat.1.log");
    let of = &run.job()["read"];
    assert_eq!(rows.len() as f64, number(&of["total_ios"]));
    let time: u64 = rows.iter().map(|row| row[1]).sum();
    close(
        time as f64 / rows.len() as f64,
        number(&of["clat_ns"]["mean"]),
    );
    let start_ms = rows[0][0] - rows[0][1] / MS;
    let read = |row: &Vec<u64>| ((row[0] - start_ms) * MS, row[1]);
    (start_ms, rows.iter().map(read).collect())
}

/// Compares fio's own counts over the whole job.
fn same_totals(response: &Value, run: &Answer) {
    let of = &run.job()["read"];
    assert_eq!(response["requests"], of["total_ios"]);
    let parts = ["reference_latency_ns", "latency_ns"].map(|part| &response[part]);
    let max = parts.map(|part| number(&part["max"]));
    assert_eq!(max[0].max(max[1]), number(&of["clat_ns"]["max"]));
}

/// Time of the deletion on the clock of the log, from the request with the largest latency.
fn deletion_ns(response: &Value, reads: &[Read]) -> u64 {
    let worst = reads.iter().max_by_key(|read| (read.1, Reverse(read.0)));
    let (at_ns, latency_ns) = *worst.unwrap();
    let found = list(&response["slowest"])
        .iter()
        .find(|slow| number(&slow["latency_ns"]) == latency_ns as f64);
    let t_s = number(&found.expect("the slowest request is shown")["t_s"]);
    (at_ns as f64 - t_s * 1e9).round() as u64
}

/// Checks that the file's modification time lies within the deletion: nothing else changed the file
/// during the reads.
fn the_file_was_changed_then(response: &Value, run: &Answer, from_ns: u64) {
    let changed = run.file("changed");
    let (seconds, part) = changed.trim().split_once('.').unwrap();
    let whole: u64 = seconds.parse().unwrap();
    let at_ns = whole * 1_000 * MS + part.parse::<u64>().unwrap();
    let to_ns = from_ns + (number(&response["trim_s"]) * 1e9).round() as u64;
    assert!(
        (from_ns..=to_ns + TICK_NS).contains(&(at_ns + TICK_NS)),
        "changed at {at_ns}, deleted from {from_ns} to {to_ns}"
    );
}

fn same_slowest(response: &Value, reads: &[Read], zero_ns: u64) {
    let mut all = reads.to_vec();
    all.sort_by_key(|read| (Reverse(read.1), read.0));
    all.truncate(KEPT);
    all.sort_by_key(|read| read.0);
    let shown = list(&response["slowest"]);
    assert_eq!(shown.len(), all.len());
    let at_ns = |slow: &Value| zero_ns as f64 + number(&slow["t_s"]) * 1e9;
    for (slow, read) in shown.iter().zip(&all) {
        assert!((at_ns(slow) - read.0 as f64).abs() < 1.0, "{slow} {read:?}");
    }
    // Two reads in the same ms may be in either order.
    let mut wanted: Vec<u64> = all.iter().map(|read| read.1).collect();
    let latency = |slow: &Value| slow["latency_ns"].as_u64().unwrap();
    let mut latencies: Vec<u64> = shown.iter().map(latency).collect();
    wanted.sort_unstable();
    latencies.sort_unstable();
    assert_eq!(latencies, wanted);
}

fn same_intervals(response: &Value, reads: &[Read], zero_ns: u64) {
    let shown = list(&response["intervals"]);
    let interval_s = number(&response["interval_s"]);
    let interval_ns = (interval_s * 1e9).round() as u64;
    let end = |interval: &Value| {
        let t_ns = number(&interval["t_s"]) * 1e9;
        (zero_ns as f64 + t_ns).round() as u64
    };
    // All whole intervals before and after the instant of the deletion.
    let first_ns = end(&shown[0]) - interval_ns;
    assert_eq!(first_ns, zero_ns % interval_ns);
    let left = reads.last().unwrap().0 - end(shown.last().unwrap());
    assert!(left < interval_ns, "{left}");
    let mut seen = 0;
    for (nth, interval) in shown.iter().enumerate() {
        let to_ns = end(interval);
        assert_eq!(to_ns, first_ns + (nth as u64 + 1) * interval_ns);
        let here = reads.iter().filter(|read| read.0 <= to_ns);
        let here = here.filter(|read| read.0 > to_ns - interval_ns);
        let mut latencies: Vec<u64> = here.map(|read| read.1).collect();
        latencies.sort_unstable();
        close(
            number(&interval["iops"]),
            latencies.len() as f64 / interval_s,
        );
        for (key, share) in [("p50_ns", 50_000), ("p99_ns", 99_000), ("max_ns", 100_000)] {
            assert_eq!(interval[key], at(&latencies, share), "{key} of {interval}");
        }
        seen += latencies.len();
    }
    assert!(seen > reads.len() / 2, "{seen} of {}", reads.len());
}

/// The smallest of `ascending` values that at least `share` of 100,000 of them do not exceed; 0 if
/// there are none.
fn at(ascending: &[u64], share: usize) -> u64 {
    let reached = |place: &usize| (place + 1) * 100_000 >= share * ascending.len();
    let place = (0..ascending.len()).find(reached);
    place.map_or(0, |place| ascending[place])
}

fn same_latency(shown: &Value, reads: &[Read]) {
    let mut latencies: Vec<u64> = reads.iter().map(|read| read.1).collect();
    latencies.sort_unstable();
    let sum: u64 = latencies.iter().sum();
    close(number(&shown["mean"]), sum as f64 / latencies.len() as f64);
    for (key, share) in [
        ("p50", 50_000),
        ("p99", 99_000),
        ("p99_9", 99_900),
        ("p99_99", 99_990),
        ("p99_999", 99_999),
        ("max", 100_000),
    ] {
        assert_eq!(shown[key], at(&latencies, share), "{key}");
    }
}
