//! Durable writes on simulated and real targets: flushes are measured and reported.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::common::{
    fails, folder, have, ids, json, key_paths, list, number, ok, page_header, review, test, words,
};

/// Tests that need no steady state, as short as possible.
const TESTS: &str = "durability-cost,log-beside-data";

/// Checks a short run of the edition on any target.
fn check(review: &Value) {
    assert_eq!(review["complete"], true);
    assert_eq!(ids(review), ["durability-cost", "log-beside-data"]);
    let cost = list(&test(review, "durability-cost")["sync"]);
    let of = |sync: &str| -> Vec<&Value> {
        let streams = cost.iter().map(|point| &point["streams"][0]);
        streams.filter(|stream| stream["sync"] == sync).collect()
    };
    let flushed: Vec<f64> = of("fsync").iter().map(|s| number(&s["every"])).collect();
    assert_eq!(flushed, [1.0, 4.0, 16.0, 64.0]);
    for stream in of("fsync").into_iter().chain(of("fdatasync")) {
        let (writes, commits) = (
            number(&stream["writes_per_s"]),
            number(&stream["commits_per_s"]),
        );
        let every = number(&stream["every"]);
        // The last flush of a job may be missing; the writes before it are counted.
        let left = writes - commits * every;
        assert!(
            left > -0.01 * writes && left <= every + 0.01 * writes,
            "{stream}"
        );
        let flush = &stream["sync_latency_ns"];
        // fio prints the upper bound of a percentile's bin.
        let (slow, slowest) = (number(&flush["p99_9"]), number(&flush["max"]));
        assert!(number(&flush["mean"]) > 0.0 && slow < 1.02 * slowest);
    }
    let dsync = of("dsync")[0];
    assert_eq!(dsync["commits_per_s"], dsync["writes_per_s"]);
    assert!(dsync.get("sync_latency_ns").is_none());
    assert_eq!(number(&of("none")[0]["commits_per_s"]), 0.0);
    let log = list(&test(review, "log-beside-data")["sync"]);
    let streams: Vec<usize> = log.iter().map(|p| list(&p["streams"]).len()).collect();
    assert_eq!(streams, [1, 2]);
    for point in log {
        let ends: Vec<f64> = list(&point["intervals"])
            .iter()
            .map(|i| number(&i["t_s"]))
            .collect();
        assert_eq!(ends, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let worst = list(&point["intervals"])
            .iter()
            .map(|i| number(&i["write_max_ns"]));
        let worst = worst.fold(0.0, f64::max);
        assert_eq!(
            worst,
            number(&point["streams"][0]["write_latency_ns"]["max"])
        );
    }
}

fn shape(review: &Value) -> Vec<BTreeSet<String>> {
    let tests = list(&review["tests"]).iter();
    tests
        .map(|test| {
            let mut paths = key_paths(test);
            // Texts have other arguments.
            paths.retain(|path| !path.starts_with(".warnings"));
            paths
        })
        .collect()
}

#[test]
fn a_file_has_the_results_of_a_simulated_drive() {
    let dir = folder();
    let short = [
        "--edition",
        "database",
        "--tests",
        TESTS,
        "--duration-scale",
        "0.01",
    ];
    let simulated = review(
        dir.path(),
        &[&["demo-8gb"], &short[..], &["--out", "sim"]].concat(),
    );
    check(&simulated);
    if !have(&["fio"]) {
        return;
    }
    let file = ["./drive.bin", "--size", "64MiB", "--out", "file"];
    let real = review(dir.path(), &[&file[..], &short].concat());
    check(&real);
    assert_eq!(shape(&real), shape(&simulated));
    let warned = list(&test(&real, "log-beside-data")["warnings"]);
    let halves = |text: &Value| words(text).contains("a half of it each");
    assert!(warned.iter().any(halves), "{warned:?}");
    let page = fs::read_to_string(dir.path().join("file/index.html")).unwrap();
    assert!(page.contains("Writes a second by how they become durable"));
    assert!(!page_header(&dir.path().join("file")).contains("INCOMPLETE"));
    // The lab stores the same tests as the folder.
    let kept = json(&ok(dir.path(), &["lab", "show", "2", "--json"]).stdout);
    assert_eq!(kept["tests"], real["tests"]);
}

#[test]
fn a_job_with_flushes_tells_their_latency_on_either_target() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let job = "[commit]\nrw=randwrite\nbs=4k\niodepth=1\nsize=16m\nio_size=256k\nfsync=4\n\
               percentile_list=50:99:99.9\n";
    fs::write(dir.path().join("j.fio"), job).unwrap();
    let real = ["--on", "./drive.bin", "--size", "16MiB"];
    let simulated = ["--on", "demo-8gb"];
    let said = ok(dir.path(), &[&["run", "j.fio"], &real[..]].concat()).stdout;
    assert!(
        said.contains("commit: fsync/fdatasync: 15 flushes\n    sync (us): mean "),
        "{said}"
    );
    let blocks = [&real[..2], &simulated].map(|on| {
        let args = [&["run", "j.fio", "--output-format", "json"], on].concat();
        let answer = json(&ok(dir.path(), &args).stdout);
        answer["jobs"][0]["sync"].clone()
    });
    for block in &blocks {
        // As in fio, no flush follows the last write.
        assert_eq!(number(&block["lat_ns"]["N"]), 15.0, "{block}");
    }
    assert_eq!(key_paths(&blocks[0]), key_paths(&blocks[1]));
}

#[test]
fn unknown_keys_are_refused_with_their_place() {
    let dir = folder();
    let text =
        include_str!("../../../editions/database.toml").replacen("\nthreads", "\nwriters", 1);
    fs::write(dir.path().join("mine.toml"), text).unwrap();
    let args = ["review", "demo-8gb", "--edition", "./mine.toml"];
    fails(
        dir.path(),
        &args,
        3,
        &["./mine.toml:", "writers", "threads"],
    );
}
