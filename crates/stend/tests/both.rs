//! One suite, several backends: the same edition on a simulated drive, on a real file and on a
//! block device gives the same JSON keys, and figures that agree with each other.

#![allow(missing_docs)]

mod common;
mod sync;

use std::collections::BTreeSet;
use std::path::Path;

use common::{
    Loop, MIB, fails, folder, have, have_root_and, ids, key_paths, list, mortal_model, number,
    page_header, review, save, test, tiny_edition, words,
};
use serde_json::Value;

/// Tests of every kind that the editions have.
const TESTS: [&str; 21] = [
    "sequential",
    "random",
    "depth-scaling",
    "block-scaling",
    "mixed-sequential",
    "sequential-depth",
    "mixed-random",
    "degradation",
    "recovery",
    "linear-fill",
    "trim-response",
    "crystaldiskmark",
    "desktop-traces",
    "game-start",
    "applications-start",
    "recovery-ladder",
    "steady-iops",
    "write-saturation",
    "file-copy",
    "archive",
    "unarchive",
];

/// Tests among them that need a file system, or the model of one.
const FILES: [&str; 3] = ["file-copy", "archive", "unarchive"];

/// Duration over which shares on simulated and real targets are compared, s.
const POINT_S: f64 = 1.0;

#[test]
fn simulated() {
    let dir = folder();
    let review = reviewed(dir.path(), &["demo-8gb"]);
    assert_eq!(review["target"]["kind"], "simulated");
    check(&review);
    mortal_model(dir.path());
    let worn = worn(dir.path(), &["./mortal.toml"]);
    check_endurance(&worn);
}

#[test]
fn a_file() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    // The `agreement` tests check the other kinds of test on a file more closely.
    let tests = [
        "sequential",
        "sequential-depth",
        "degradation",
        "recovery",
        "linear-fill",
        "trim-response",
        "desktop-traces",
        "game-start",
        "applications-start",
        "file-copy",
        "archive",
        "unarchive",
    ];
    let list_of_tests = tests.join(",");
    let target = ["./drive.bin", "--size", "64MiB", "--tests", &list_of_tests];
    let review = reviewed(dir.path(), &target);
    assert_eq!(review["target"]["kind"], "file");
    assert_eq!(review["target"]["capacity_bytes"], 64 * MIB);
    assert_eq!(ids(&review), tests);
    check_measured(&review);
    check_responses(&review);
    check_traces(&review);
    check_files(&review);
    check_recovery(&review);
    check_endurance(&worn(dir.path(), &["./drive.bin"]));
    let length = dir.path().join("drive.bin").metadata().unwrap().len();
    assert_eq!(length, 64 * MIB, "the file has kept its size");
}

#[test]
fn a_directory() {
    if !have(&["fio"]) {
        return;
    }
    // Not in the system's folder for temporary files, which may be in memory.
    let disk = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(disk.path().join("mine"), "mine").unwrap();
    let dir = folder();
    let path = disk.path().to_str().unwrap();
    // The other tests of a directory are those of the file in it.
    let tests = [
        "sequential",
        "trim-response",
        "file-copy",
        "archive",
        "unarchive",
    ];
    let list_of_tests = tests.join(",");
    let target = [path, "--size", "64MiB", "--tests", &list_of_tests];
    let review = reviewed(dir.path(), &target);
    assert_eq!(review["target"]["kind"], "directory");
    assert_eq!(review["target"]["capacity_bytes"], 64 * MIB);
    assert_eq!(ids(&review), tests);
    same_shape(&review);
    for point in list(&test(&review, "sequential")["points"]) {
        check_point(point, false);
    }
    check_responses(&review);
    check_files(&review);
    // Another directory is a rival like any other, and is left clean too.
    let other = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let rival = other.path().to_str().unwrap();
    let args = [path, "--size", "64MiB", "--tests", "file-copy"];
    let more = [
        "--against",
        rival,
        "--edition",
        "tiny.toml",
        "--out",
        "against",
    ];
    let both = common::review(dir.path(), &[&args[..], &more].concat());
    assert_eq!(both["complete"], true);
    let rival = &both["rivals"][0];
    assert_eq!(rival["target"]["kind"], "directory");
    assert_eq!(list(&test(rival, "file-copy")["files"]).len(), 3);
    let left = |dir: &Path| std::fs::read_dir(dir).unwrap().count();
    assert_eq!((left(disk.path()), left(other.path())), (1, 0));
}

#[test]
fn a_block_device() {
    if !have_root_and(&["fio", "losetup", "blkid", "blkdiscard"]) {
        return;
    }
    let device = Loop::new(64 * MIB);
    let dir = folder();
    let target = [device.node(), "--destroy", "loop:disk.img"];
    let review = reviewed(dir.path(), &target);
    assert_eq!(review["target"]["kind"], "block-device");
    assert_eq!(review["target"]["capacity_bytes"], 64 * MIB);
    check(&review);
    check_endurance(&worn(dir.path(), &target));
    // An unfinished review of another device with the same name and size is not resumed.
    let mut other = review.clone();
    other["complete"] = false.into();
    let facts = other["target"]["facts"].as_array_mut().unwrap();
    let file = facts.iter_mut().find(|fact| fact["id"] == "backing-file");
    file.unwrap()["value"] = "/srv/other.img".into();
    save(&dir.path().join("out"), &other);
    let again = ["--edition", "tiny.toml", "--out", "out"];
    let args = [&["review"], &target[..], &again].concat();
    let parts = ["backing file is /srv/other.img", "disk.img", "folder"];
    fails(dir.path(), &args, 3, &parts);
}

/// Two rounds of 64 MiB and a part of a third; not a whole number of requests.
const BUDGET_BYTES: u64 = 150_000_000;

/// Endurance needs its own command: on a real target its budget excludes other tests.
fn worn(dir: &Path, target: &[&str]) -> Value {
    let budget = BUDGET_BYTES.to_string();
    let more = [
        "--edition",
        "endurance",
        "--write-budget",
        &budget,
        "--out",
        "worn",
    ];
    review(dir, &[target, &more].concat())
}

/// Checks the keys of an endurance test on any target, except those of a drive's health.
fn check_keys_of_endurance(worn: &Value) {
    let known: BTreeSet<String> = key_paths(worn)
        .into_iter()
        .filter(|path| {
            // A drive's health, or the reason why it is missing.
            let health = [
                ".before",
                ".afterwards.health",
                ".rounds[].health",
                ".rounds[].write_amplification",
            ];
            let told = health.iter().any(|key| path.starts_with(key));
            !told && path != ".no_health" && path != ".rated_bytes"
        })
        .collect();
    let expected = [
        ".afterwards.asked_bytes",
        ".afterwards.bw_bytes_per_s",
        ".afterwards.failed_reads",
        ".afterwards.read_bytes",
        ".budget_bytes",
        ".end",
        ".load.block_bytes",
        ".load.op",
        ".load.pattern",
        ".load.queue_depth",
        ".round_bytes",
        ".rounds[].bw_bytes_per_s",
        ".rounds[].latency_max_ns",
        ".rounds[].latency_p99_9_ns",
        ".rounds[].written_bytes",
        ".written_bytes",
    ];
    assert_eq!(known, expected.map(String::from).into());
}

/// Checks, on any target, the review of a drive that does not wear out within the budget.
fn check_endurance(review: &Value) {
    assert_eq!(review["complete"], true);
    assert_eq!(review["target"]["capacity_bytes"], 64 * MIB);
    let test = test(review, "endurance");
    let worn = &test["endurance"];
    check_keys_of_endurance(worn);
    assert_eq!(
        (&worn["end"], &worn["budget_bytes"]),
        (&"budget".into(), &BUDGET_BYTES.into())
    );
    let column = |key: &str| -> Vec<f64> {
        let rounds = list(&worn["rounds"]).iter();
        rounds.map(|round| number(&round[key])).collect()
    };
    let whole = (BUDGET_BYTES / 131_072 * 131_072) as f64;
    let round = (64 * MIB) as f64;
    assert_eq!(column("written_bytes"), [round, round, whole - 2.0 * round]);
    assert_eq!(number(&worn["written_bytes"]), whole);
    assert!(column("bw_bytes_per_s").iter().all(|speed| *speed > 1e6));
    let latencies = column("latency_p99_9_ns")
        .into_iter()
        .zip(column("latency_max_ns"));
    for (most, slowest) in latencies {
        // fio prints the end of a bucket, whose width is a 64th.
        let bounds = 1e3..=slowest * 65.0 / 64.0;
        assert!(bounds.contains(&most), "{most} of {slowest}");
    }
    let after = &worn["afterwards"];
    assert_eq!(
        (number(&after["read_bytes"]), number(&after["failed_reads"])),
        (round, 0.0)
    );
    let warned = words(&test["warnings"][0]);
    assert!(
        warned.starts_with("not worn out within the budget: 150 MB"),
        "{warned}"
    );
    // Health is reported, or the reason why it is missing.
    let told = worn["rounds"]
        .as_array()
        .unwrap()
        .iter()
        .all(|r| r.get("health").is_some());
    assert_ne!(told, worn.get("no_health").is_some());
    assert_eq!(told, review["target"]["kind"] == "simulated");
}

fn reviewed(dir: &Path, target: &[&str]) -> Value {
    let edition = tiny_edition(dir);
    let more = ["--edition", edition.to_str().unwrap(), "--out", "out"];
    let review = review(dir, &[target, &more].concat());
    assert!(!page_header(&dir.join("out")).contains("INCOMPLETE"));
    review
}

/// Checks a review of any target.
fn check(review: &Value) {
    assert_eq!(ids(review), TESTS);
    check_measured(review);
    check_loads(review);
    check_responses(review);
    check_benchmark(test(review, "crystaldiskmark"));
    check_traces(review);
    check_files(review);
    check_recovery(review);
    check_ladder(review);
    check_rounds(review);
}

/// Checks points and curves, whichever tests were chosen.
fn check_measured(review: &Value) {
    assert_eq!(review["schema"], "stend.review/2");
    assert_eq!(review["complete"], true);
    same_shape(review);
    for test in list(&review["tests"]) {
        for point in test["points"].as_array().into_iter().flatten() {
            check_point(point, review["target"]["kind"] == "simulated");
        }
        // A ladder's curves are measured in the same way, and are checked with its rungs.
        let curves = test["series"]
            .as_array()
            .filter(|_| test["id"] != "recovery-ladder");
        for series in curves.into_iter().flatten() {
            match series.get("range_bytes") {
                None => check_series(series),
                Some(range) => check_pass(series, number(range)),
            }
        }
    }
}

/// Checks that every backend has exactly the keys of the simulated drive's review.
fn same_shape(review: &Value) {
    let dir = folder();
    let tests = ids(review).join(",");
    let simulated = reviewed(dir.path(), &["demo-8gb", "--tests", &tests]);
    let files = works_on_files(review);
    let shape = |review: &Value| -> Vec<BTreeSet<String>> {
        let tests = list(&review["tests"]).iter();
        tests
            // Other targets report why the test was left out.
            .filter(|test| files || !FILES.contains(&test["id"].as_str().unwrap()))
            .map(|test| {
                let mut paths = key_paths(test);
                // Texts have other arguments.
                paths.retain(|path| !path.starts_with(".warnings") && !path.contains(".limits"));
                // No CPU time without a real CPU.
                paths.retain(|path| !path.ends_with(".cpu_ns_per_request"));
                // Known only for a simulated drive.
                paths.remove(".traces[].write_amplification");
                // The requests that reach the drive are known only for a simulated one.
                paths.retain(|path| !path.contains(".requests"));
                // A state need not be steady on every target.
                paths.remove(".rounds.steady_from_round");
                paths
            })
            .collect()
    };
    assert_eq!(shape(review), shape(&simulated));
    let counts = |review: &Value| -> Vec<[usize; 4]> {
        let length = |value: &Value| value.as_array().map_or(0, Vec::len);
        let tests = list(&review["tests"]).iter();
        let keys = ["points", "series", "benchmark", "traces"];
        tests
            .map(|test| keys.map(|key| length(&test[key])))
            .collect()
    };
    assert_eq!(counts(review), counts(&simulated));
}

fn check_point(point: &Value, simulated: bool) {
    let what = format!("{point}");
    match point.get("cpu_ns_per_request") {
        None => assert!(simulated, "{what}"),
        Some(cpu_ns) => {
            // All requests together used no more CPU time than all threads had.
            let had_ns = 1e9 * number(&point["threads"]) / number(&point["iops"]);
            let cpu_ns = number(cpu_ns);
            assert!(
                !simulated && cpu_ns > 0.0 && cpu_ns < 1.1 * had_ns,
                "{what}"
            );
        }
    }
    let iops = number(&point["iops"]);
    let block = number(&point["block_bytes"]);
    let bw = number(&point["bw_bytes_per_s"]);
    assert!(iops > 1.0, "{what}");
    // fio rounds bandwidth and time separately.
    assert!((bw / (iops * block) - 1.0).abs() < 0.01, "{what}");
    assert_eq!(number(&point["duration_s"]), POINT_S);
    check_latency(&point["latency_ns"], &what);
    // Little's law: the mean number outstanding equals the arrival rate times the mean latency.
    let outstanding = number(&point["queue_depth"]) * number(&point["threads"]);
    let mean_s = number(&point["latency_ns"]["mean"]) / 1e9;
    assert!(iops * mean_s < 1.1 * outstanding, "{what}");
    if point["op"] == "mixed" {
        check_mixture(point, &what);
    } else {
        let share = if point["op"] == "read" { 100 } else { 0 };
        assert_eq!(point["read_percent"], share, "{what}");
        assert_eq!(point.get("parts"), None, "{what}");
    }
}

fn check_mixture(point: &Value, what: &str) {
    let parts = list(&point["parts"]);
    let sum: f64 = parts.iter().map(|part| number(&part["iops"])).sum();
    assert!((sum / number(&point["iops"]) - 1.0).abs() < 0.01, "{what}");
    let reads = parts.iter().find(|part| part["op"] == "read");
    let reads = reads.map_or(0.0, |part| number(&part["iops"]));
    let wanted = number(&point["read_percent"]);
    let got = 100.0 * reads / sum;
    // Five standard deviations of this number of draws, and one point for the end of a run.
    let draws = sum * POINT_S;
    let deviation = (wanted * (100.0 - wanted) / draws).sqrt();
    assert!(
        (got - wanted).abs() <= 5.0 * deviation + 1.0,
        "{got}: {what}"
    );
    let largest = parts.iter().map(|part| number(&part["latency_ns"]["max"]));
    let largest = largest.fold(0.0, f64::max);
    let max = number(&point["latency_ns"]["max"]);
    assert!((max / largest - 1.0).abs() < 0.05, "{what}");
    for part in parts {
        check_latency(&part["latency_ns"], what);
    }
}

fn check_latency(latency: &Value, what: &str) {
    let keys = ["p50", "p99", "p99_9", "p99_99", "p99_999"];
    let values: Vec<f64> = keys.iter().map(|key| number(&latency[key])).collect();
    assert!(values[0] > 0.0 && values.is_sorted(), "{what}");
    let (mean, max) = (number(&latency["mean"]), number(&latency["max"]));
    // A percentile is the upper bound of its histogram bin, whose width is a sixty-fourth.
    assert!(mean > 0.0 && mean <= max, "{what}");
    assert!(values[4] <= 1.02 * max, "{what}");
}

fn check_series(series: &Value) {
    let name = series["name"].as_str().unwrap();
    let interval_s = number(&series["interval_s"]);
    assert_eq!(interval_s, 0.5, "{name}");
    let duration_s = if name == "fresh" { 2.0 } else { 1.0 };
    let samples = list(&series["samples"]);
    let column = |key: &str| -> Vec<f64> { samples.iter().map(|s| number(&s[key])).collect() };
    let (times, written, iops) = (column("t_s"), column("written_bytes"), column("iops"));
    assert!(times.is_sorted_by(|a, b| a < b), "{name}: {times:?}");
    assert!(written.is_sorted(), "{name}: {written:?}");
    // A run ends with its last request, which a busy machine may answer late.
    let end_s = times[times.len() - 1];
    let late_s = number(&series["latency_ns"]["max"]) / 1e9;
    assert!(
        end_s >= duration_s - interval_s && end_s <= duration_s + late_s + interval_s,
        "{name}: {end_s}"
    );
    assert!(
        (times.len() as f64 - end_s / interval_s).abs() <= 1.0,
        "{name}: {times:?}"
    );
    // Uses the actual times: under load, fio's samples are late.
    let before = std::iter::once(&0.0).chain(&times);
    let lengths = times.iter().zip(before).map(|(end, begin)| end - begin);
    let by_rate: f64 = iops
        .iter()
        .zip(lengths)
        .map(|(rate, s)| rate * s * 4096.0)
        .sum();
    let total = *written.last().unwrap();
    assert!(
        (by_rate / total - 1.0).abs() < 0.15,
        "{name}: {by_rate} of {total}"
    );
    assert_eq!(series["point"]["queue_depth"], 32, "{name}");
    check_latency(&series["latency_ns"], name);
}

/// Checks that a pass over a range ends at the end of the range, whatever its duration.
fn check_pass(series: &Value, range: f64) {
    assert_eq!(range, (64 * MIB) as f64);
    let samples = list(&series["samples"]);
    let last = samples.last().unwrap();
    let written = number(&last["written_bytes"]);
    assert!(written <= range && written > 0.7 * range, "{last}");
    let rate = written / number(&last["t_s"]);
    assert!(rate > 1e6, "{last}");
    check_latency(&series["latency_ns"], "pass");
}

/// Checks that reads continue during a deletion, and that each of them is counted.
fn check_responses(review: &Value) {
    let responses = list(&test(review, "trim-response")["responses"]);
    let names: Vec<&str> = responses
        .iter()
        .map(|r| r["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["without TRIM", "with TRIM"]);
    for response in responses {
        let name = response["name"].as_str().unwrap();
        assert_eq!(response["file_bytes"], 32 * MIB, "{name}");
        let intervals = list(&response["intervals"]);
        let times: Vec<f64> = intervals.iter().map(|i| number(&i["t_s"])).collect();
        assert!(times.is_sorted_by(|a, b| a < b), "{name}");
        // Two seconds before the deletion; a busy machine may be late with it, never early.
        assert!(times[0] < -1.5 && times[0] > -3.0, "{name}: {}", times[0]);
        let last = times[times.len() - 1];
        assert!(last > 1.0 && last < 2.5, "{name}: {last}");
        assert!(last - times[0] > 3.6, "{name}: {times:?}");
        let counted: f64 = intervals.iter().map(|i| number(&i["iops"]) * 0.1).sum();
        let requests = number(&response["requests"]);
        // Less than an interval is left out at either end, whatever the machine's speed. The
        // `agreement` tests check each interval against fio's own log.
        assert!(
            counted < requests + 0.5 && counted > 0.5 * requests,
            "{name}: {counted} of {requests}"
        );
        assert!(number(&response["reference_iops"]) > 10.0, "{name}");
        check_latency(&response["latency_ns"], name);
        check_latency(&response["reference_latency_ns"], name);
        let slowest = list(&response["slowest"]);
        let worst = slowest
            .iter()
            .map(|s| number(&s["latency_ns"]))
            .fold(0.0, f64::max);
        let max = |key: &str| number(&response[key]["max"]);
        assert_eq!(
            worst,
            max("latency_ns").max(max("reference_latency_ns")),
            "{name}"
        );
    }
    assert_eq!(responses[0].get("trim_s"), None);
    assert!(number(&responses[1]["trim_s"]) > 0.0);
    assert_eq!(responses[1]["command_bytes"], 8 * MIB);
}

/// Checks the order of the rows, and that the fastest pass counts.
fn check_benchmark(test: &Value) {
    let cells = list(&test["benchmark"]);
    let names: Vec<String> = cells
        .iter()
        .map(|c| {
            format!(
                "{} {}",
                c["row"].as_str().unwrap(),
                c["op"].as_str().unwrap()
            )
        })
        .collect();
    let expected = [
        "Seq Q2T1 read",
        "4K Q2T2 read",
        "Seq Q2T1 write",
        "4K Q2T2 write",
    ];
    assert_eq!(names, expected);
    // For each cell a discarded pass and two that count.
    assert_eq!(list(&test["jobs"]).len(), 4 * 3);
    for cell in cells {
        let what = format!("{cell}");
        assert_eq!(cell["region_bytes"], 16 * MIB, "{what}");
        let passes = list(&cell["passes"]);
        assert_eq!(passes.len(), 2, "{what}");
        let speeds = passes.iter().map(|pass| number(&pass["bw_bytes_per_s"]));
        let best = number(&cell["best_bw_bytes_per_s"]);
        assert_eq!(best, speeds.fold(0.0, f64::max), "{what}");
        let ratio = best / number(&cell["best_iops"]) / number(&cell["block_bytes"]);
        assert!((ratio - 1.0).abs() < 0.01, "{what}");
        let means = passes.iter().map(|p| number(&p["latency_ns"]["mean"]));
        let least = means.fold(f64::MAX, f64::min);
        assert_eq!(number(&cell["best_mean_latency_ns"]), least, "{what}");
        // Little's law over all threads: their requests are added up, and none is counted twice.
        let outstanding = number(&cell["queue_depth"]) * number(&cell["threads"]);
        for pass in passes {
            let held = number(&pass["iops"]) * number(&pass["latency_ns"]["mean"]) / 1e9;
            assert!(
                held < 1.1 * outstanding && held > 0.2 * outstanding,
                "{what}"
            );
            check_latency(&pass["latency_ns"], &what);
        }
    }
}

/// Checks that every byte of the traces is counted, in a plausible time.
fn check_traces(review: &Value) {
    let of = |id: &str| list(&test(review, id)["traces"]);
    let names = |id: &str| -> Vec<&str> {
        let names = of(id).iter().map(|t| t["name"].as_str().unwrap());
        names.collect()
    };
    assert_eq!(names("desktop-traces"), ["tiny-work", "tiny-start"]);
    assert_eq!(names("game-start"), ["tiny-start"]);
    let simulated = review["target"]["kind"] == "simulated";
    let small = number(&review["target"]["capacity_bytes"]) < (112 * MIB) as f64;
    for (id, timing) in [
        ("desktop-traces", "original"),
        ("game-start", "fast"),
        (
            "applications-start",
            if simulated { "busy" } else { "original" },
        ),
    ] {
        let (mut bytes, mut busy_s) = (0.0, 0.0);
        for trace in of(id) {
            let what = format!("{id}: {trace}");
            let start = trace["name"] == "tiny-start";
            assert_eq!(trace["timing"], timing, "{what}");
            let asked = if start {
                (3_000_320, 100_352)
            } else {
                (2_000_384, 1_000_448)
            };
            assert_eq!(trace["read_bytes"], asked.0, "{what}");
            assert_eq!(trace["written_bytes"], asked.1, "{what}");
            let moved = number(&trace["moved_requests"]) > 0.0;
            assert_eq!(moved, start && small, "{what}");
            let (busy, elapsed) = (number(&trace["busy_s"]), number(&trace["elapsed_s"]));
            // The times of real requests are known to the millisecond.
            assert!(busy > 0.0 && busy <= elapsed + 0.01, "{what}");
            let both = f64::from(asked.0 + asked.1);
            let rate = number(&trace["bw_bytes_per_s"]) * busy / both;
            assert!((rate - 1.0).abs() < 1e-6, "{what}");
            if !start {
                // The trace's own times: a few hundred ms, mostly idle on any drive.
                assert!(elapsed > 0.2, "{what}");
            }
            assert_eq!(
                trace.get("write_amplification").is_some(),
                simulated,
                "{what}"
            );
            let said = words(&trace["limits"][0]);
            assert!(said.starts_with("synthesised desktop trace"), "{what}");
            check_latency(&trace["read_latency_ns"], &what);
            check_latency(&trace["write_latency_ns"], &what);
            (bytes, busy_s) = (bytes + both, busy_s + busy);
        }
        let overall = number(&test(review, id)["overall_bw_bytes_per_s"]);
        assert!(
            (overall * busy_s / bytes - 1.0).abs() < 1e-6,
            "{id}: {overall}"
        );
    }
}

/// True if the target has a file system, or the model of one.
fn works_on_files(review: &Value) -> bool {
    review["target"]["kind"] == "simulated" || review["target"]["kind"] == "directory"
}

/// Checks that every target works on the same files, or reports why not.
fn check_files(review: &Value) {
    let expected = [
        ("file-copy", "copy", &["iso", "program", "work"][..]),
        ("archive", "archive", &["work"]),
        ("unarchive", "unarchive", &["work"]),
    ];
    for (id, op, sets) in expected {
        let test = test(review, id);
        if !works_on_files(review) {
            assert_eq!(test.get("files"), None, "{id}");
            let why = words(&test["warnings"][0]);
            assert!(why.contains("stend review DIR"), "{why}");
            continue;
        }
        let works = list(&test["files"]);
        let names: Vec<&str> = works.iter().map(|w| w["set"].as_str().unwrap()).collect();
        assert_eq!(names, sets);
        for work in works {
            assert_eq!(work["op"], op);
            assert_eq!(work["set_bytes"], 8 * MIB);
            assert_eq!(work["scaled"], false);
            assert!(number(&work["files"]) >= 1.0 && number(&work["directories"]) >= 1.0);
            let bytes = number(&work["bw_bytes_per_s"]) * number(&work["duration_s"]);
            assert!((bytes / (8 * MIB) as f64 - 1.0).abs() < 1e-6, "{work}");
            assert!(number(&work["bw_bytes_per_s"]) > 1e5, "{work}");
            if let Some(requests) = work.get("requests") {
                assert!(
                    number(&requests["read_bytes"]) >= (8 * MIB) as f64,
                    "{work}"
                );
                assert!(number(&requests["flushes"]) >= 2.0, "{work}");
            }
        }
    }
}

/// Checks that the points are those of the edition, in its order.
fn check_loads(review: &Value) {
    let column = |id: &str, key: &str| -> Vec<Value> {
        let points = list(&test(review, id)["points"]);
        points.iter().map(|point| point[key].clone()).collect()
    };
    assert_eq!(column("sequential", "op"), ["read", "write"]);
    assert_eq!(
        column("sequential", "pattern"),
        ["sequential", "sequential"]
    );
    assert_eq!(column("random", "pattern"), ["random", "random"]);
    assert_eq!(column("depth-scaling", "queue_depth"), [1, 8]);
    assert_eq!(column("block-scaling", "block_bytes"), [4096, 65_536]);
    assert_eq!(column("mixed-sequential", "read_percent"), [0, 50, 100]);
    assert_eq!(column("mixed-sequential", "threads"), [2, 2, 2]);
    assert_eq!(column("mixed-random", "threads"), [4, 4, 4]);
    assert_eq!(column("sequential-depth", "queue_depth"), [1, 4]);
    let region = 16 * MIB;
    assert_eq!(column("sequential-depth", "region_bytes"), [region, region]);
    assert_eq!(column("mixed-random", "region_bytes"), [region; 3]);
    assert_eq!(
        test(review, "random")["points"][0].get("region_bytes"),
        None
    );
    for test in list(&review["tests"]) {
        // Neither a trace nor work on files is a job of the methodology.
        if test.get("traces").is_some() || test.get("files").is_some() {
            continue;
        }
        for job in list(&test["jobs"]) {
            let text = job["text"].as_str().unwrap();
            assert!(text.contains("rw=") && text.contains("bs="), "{text}");
        }
    }
}

/// Checks three curves, the first of which is that of the degradation test.
fn check_recovery(review: &Value) {
    let recovery = list(&test(review, "recovery")["series"]);
    let names: Vec<&str> = recovery
        .iter()
        .map(|s| s["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["fresh", "after idle", "after TRIM"]);
    assert_eq!(recovery[0], test(review, "degradation")["series"][0]);
}

/// Checks a fresh curve, and one for each rest.
fn check_ladder(review: &Value) {
    let ladder = test(review, "recovery-ladder");
    let (curves, rungs) = (list(&ladder["series"]), list(&ladder["rungs"]));
    assert_eq!(curves[0]["name"], "fresh");
    let names: Vec<&Value> = rungs.iter().map(|rung| &rung["name"]).collect();
    assert_eq!(
        names,
        [
            "rest-0.01s",
            "rest-0.02s",
            "trim-rest-0.01s",
            "trim-rest-0.02s"
        ]
    );
    for (rung, curve) in rungs.iter().zip(&curves[1..]) {
        assert_eq!(rung["name"], curve["name"]);
        assert!(number(&rung["iops_start"]) > 0.0, "{rung}");
        let samples = list(&curve["samples"]).iter();
        let written: Vec<f64> = samples.map(|s| number(&s["written_bytes"])).collect();
        assert!(written.is_sorted() && written[0] > 0.0, "{rung}");
        let written = written[written.len() - 1];
        assert!(number(&rung["recovered_bytes"]) <= written, "{rung}");
    }
}

/// Checks every load in every round, and a verdict.
fn check_rounds(review: &Value) {
    let rounds = &test(review, "steady-iops")["rounds"];
    let shares: Vec<&Value> = list(&rounds["loads"])
        .iter()
        .map(|load| &load["read_percent"])
        .collect();
    assert_eq!(shares, [50, 50, 0, 0]);
    assert_eq!(
        (&rounds["tracked"], &rounds["figure"]),
        (&3.into(), &"iops".into())
    );
    assert_eq!(list(&rounds["rounds"]).len(), 5);
    let warned = test(review, "steady-iops")["warnings"]
        .as_array()
        .is_some_and(|all| all.iter().any(|w| words(w).contains("not achieved")));
    assert_eq!(warned, rounds["steady_from_round"].is_null());
    let jobs = list(&test(review, "steady-iops")["jobs"]);
    assert_eq!(jobs.len(), 4);
    assert!(jobs[3]["text"].as_str().unwrap().contains("bs=4k"));

    let saturation = &test(review, "write-saturation")["rounds"];
    assert_eq!(saturation["steady_sought"], false);
    for (rounds, seconds) in [(rounds, 1.0), (saturation, 1.0)] {
        let mut written = 0.0;
        for round in list(&rounds["rounds"]) {
            for (load, figures) in list(&rounds["loads"]).iter().zip(list(round)) {
                let (iops, block) = (number(&figures["iops"]), number(&load["block_bytes"]));
                let share = 1.0 - number(&load["read_percent"]) / 100.0;
                written += iops * block * share * seconds;
                assert!(iops > 1.0, "{figures}");
                let latency_s = number(&figures["latency_mean_ns"]) / 1e9;
                let outstanding = number(&load["queue_depth"]);
                assert!(iops * latency_s < 1.1 * outstanding, "{figures}");
                assert!(
                    figures["latency_max_ns"].as_f64() > Some(latency_s * 1e9),
                    "{figures}"
                );
            }
        }
        let said = number(&rounds["written_bytes"]);
        assert!((said / written - 1.0).abs() < 0.1, "{said} of {written}");
    }
}
