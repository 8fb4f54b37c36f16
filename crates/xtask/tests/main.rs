//! `cargo xtask bench`: every case runs, records can be compared, and wrong input is reported. The
//! tests only check that figures are present.

#![allow(missing_docs)]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

const NAMES: [&str; 13] = [
    "random-write-steady",
    "random-write-spare-13",
    "random-write-spare-28",
    "random-read-qd32",
    "random-read-qd1",
    "sequential-write",
    "sequential-write-850-pro",
    "degradation",
    "degradation-review",
    "review-2014",
    "growth-128gb",
    "growth-4tb",
    "large-8tb",
];

const QUICK: [&str; 3] = ["bench", "--only", "random-read-qd1"];

/// The measured program, built with the same profile beside this one.
fn stend() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("stend");
    assert!(path.exists(), "first `cargo build --package stend`");
    path
}

/// The program, to be run in a folder.
fn program(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(args).current_dir(dir);
    command
}

/// Output and exit code of a run.
struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn run(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    let said = Said {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
    said
}

/// Makes a smoke run with a built stend, which must succeed.
fn ok(dir: &Path, args: &[&str]) -> Said {
    let said = run(program(dir, args).arg("--smoke").arg(stend()));
    assert_eq!(said.code, Some(0), "{args:?}\n{}", said.stderr);
    said
}

/// Makes a smoke run, which must fail with this exit code and print each of `parts`.
fn fails(dir: &Path, args: &[&str], code: i32, parts: &[&str]) -> String {
    let said = run(program(dir, args).arg("--smoke").arg(stend()));
    assert_eq!(said.code, Some(code), "{args:?}\n{}", said.stderr);
    for part in parts {
        assert!(said.stderr.contains(part), "{part}\n{}", said.stderr);
    }
    said.stderr
}

fn folder() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn quick<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&QUICK[..], more].concat()
}

/// A record of a smoke run of one case.
fn record(dir: &Path, name: &str) -> Value {
    ok(dir, &quick(&["--record", name]));
    json(&fs::read_to_string(dir.join(name)).unwrap())
}

#[test]
fn a_smoke_run_yields_every_case() {
    let dir = folder();
    let said = ok(dir.path(), &["bench", "--json"]);
    let record = json(&said.stdout);
    assert_eq!(record["schema"], "stend.bench/1");
    assert_eq!(record["smoke"], true);
    assert_eq!(record["command"], "cargo xtask bench --smoke");
    let cases = list(&record["cases"]);
    let names: Vec<&str> = cases
        .iter()
        .map(|case| case["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, NAMES);
    for case in cases {
        let name = &case["name"];
        for (table, key) in [
            ("phase", "requests"),
            ("phase", "wall_s"),
            ("phase", "requests_per_s"),
            ("phase", "events"),
            ("phase", "events_per_s"),
            ("process", "requests"),
            ("process", "wall_s"),
        ] {
            assert!(number(&case[table][key]) > 0.0, "{name}: {table}.{key}");
        }
        for key in [
            "capacity_bytes",
            "peak_rss_bytes",
            "peak_rss_per_4kib_bytes",
        ] {
            assert!(number(&case[key]) > 0.0, "{name}: {key}");
        }
        let (phase, process) = (&case["phase"], &case["process"]);
        assert!(number(&phase["requests"]) <= number(&process["requests"]));
        assert!(number(&phase["wall_s"]) <= number(&process["wall_s"]));
        // Reference cases have no aim of their own, and some others have none.
        let judged = case["aim"]["reached"].is_boolean();
        let aimless = ["growth-128gb", "degradation-review", "large-8tb"];
        assert_eq!(judged, !aimless.iter().any(|n| name == n), "{name}");
        // A review simulates several drives.
        let judged = case["memory_aim"]["reached"].is_boolean();
        let reviews = ["degradation-review", "review-2014"];
        assert_eq!(judged, !reviews.iter().any(|n| name == n), "{name}");
    }
    let grown = cases.iter().find(|case| case["name"] == "growth-4tb");
    assert!(number(&grown.expect("it ran")["cost_ratio"]) > 0.0);
    for key in ["cpu", "kernel"] {
        assert!(record["machine"][key].is_string(), "{key}");
    }
    let rustc = record["versions"]["rustc"].as_str().unwrap();
    assert!(rustc.starts_with("rustc 1."), "{rustc}");
}

#[test]
fn counts_are_the_same_on_every_run() {
    let dir = folder();
    let (one, other) = (record(dir.path(), "a.json"), record(dir.path(), "b.json"));
    for key in ["requests", "events"] {
        let count = |record: &Value| record["cases"][0]["phase"][key].clone();
        assert_eq!(count(&one), count(&other), "{key}");
    }
}

#[test]
fn every_line_of_a_smoke_run_says_so() {
    let dir = folder();
    let said = ok(dir.path(), &QUICK);
    assert!(said.stdout.lines().count() >= 3, "{}", said.stdout);
    for line in said.stdout.lines() {
        assert!(
            line.contains("smoke run: the figures mean nothing"),
            "{line}"
        );
    }
}

#[test]
fn the_list_names_cases_and_aims() {
    let dir = folder();
    let text = run(&mut program(dir.path(), &["bench", "--list"])).stdout;
    for part in NAMES
        .iter()
        .chain(&["only with --only", "requests/s", "5 GB"])
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let answer = json(&run(&mut program(dir.path(), &["bench", "--list", "--json"])).stdout);
    assert_eq!(list(&answer["cases"]).len(), NAMES.len());
}

#[test]
fn unknown_cases_are_told_with_those_there_are() {
    let dir = folder();
    for name in ["nope", "", "random-read-qd1,nope"] {
        let args = ["bench", "--only", name];
        let bad = format!("`{}`", name.split(',').next_back().unwrap());
        fails(
            dir.path(),
            &args,
            3,
            &[&[bad.as_str()][..], &NAMES].concat(),
        );
    }
}

#[test]
fn a_record_is_compared_with() {
    let dir = folder();
    let dir = dir.path();
    let mut before = record(dir, "before.json");
    let text = ok(dir, &quick(&["--against", "before.json"])).stdout;
    assert!(text.contains("compared with the record of 20"), "{text}");
    let ratios = text.lines().last().unwrap();
    assert!(ratios.contains("times the record"), "{text}");
    // Counts are the same in every run.
    assert!(ratios.contains(" 1.000 "), "{text}");
    // A case that the record lacks.
    before["cases"] = json!([]);
    fs::write(dir.join("empty.json"), before.to_string()).unwrap();
    let text = ok(dir, &quick(&["--against", "empty.json"])).stdout;
    assert!(text.contains("not in the record"), "{text}");
    // Another machine.
    before["machine"]["cpu"] = json!("an abacus");
    fs::write(dir.join("other.json"), before.to_string()).unwrap();
    let said = ok(dir, &quick(&["--against", "other.json"]));
    assert!(said.stderr.contains("another machine"), "{}", said.stderr);
}

#[test]
fn what_is_no_record_is_refused() {
    let dir = folder();
    let dir = dir.path();
    let mut other = record(dir, "good.json");
    other["schema"] = json!("stend.bench/7");
    fs::write(dir.join("other.json"), other.to_string()).unwrap();
    other["schema"] = json!("stend.bench/1");
    other["smoke"] = json!(false);
    fs::write(dir.join("full.json"), other.to_string()).unwrap();
    other["cases"] = json!(7);
    fs::write(dir.join("damaged.json"), other.to_string()).unwrap();
    fs::write(dir.join("text.json"), "no JSON").unwrap();
    fs::write(dir.join("list.json"), "[1, 2]").unwrap();
    for (file, part) in [
        ("missing.json", "No such file"),
        ("text.json", "no JSON"),
        ("list.json", "names no schema"),
        ("other.json", "`stend.bench/7`"),
        ("damaged.json", "damaged"),
        ("full.json", "a full run"),
    ] {
        let parts = ["--against", file, part, "cargo xtask bench --record FILE"];
        let said = fails(dir, &quick(&["--against", file]), 3, &parts);
        assert!(!said.contains("measuring"), "{said}");
    }
}

#[test]
fn options_that_do_not_go_together() {
    let dir = folder();
    for args in [
        ["--json", "--against=b.json"],
        ["--list", "--only=degradation"],
        ["--list", "--record=b.json"],
    ] {
        let args = [&["bench"][..], &args].concat();
        fails(dir.path(), &args, 2, &["cannot be used with"]);
    }
}

#[test]
fn a_record_that_cannot_be_written_is_told_first() {
    let dir = folder();
    let args = quick(&["--record", "missing/b.json"]);
    let said = fails(dir.path(), &args, 6, &["missing/b.json", "--record"]);
    assert!(!said.contains("measuring"), "{said}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn an_interrupted_run_leaves_no_process_behind() {
    let dir = folder();
    let mut child = program(dir.path(), &["bench", "--only", "random-write-steady"])
        .arg(stend())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let mut byte = [0];
    // Once its case runs, the case holds the other end of the pipe as well.
    while byte != [b'\n'] || !of_a_case(child.id()) {
        assert_eq!(stderr.read(&mut byte).unwrap(), 1);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let began = Instant::now();
    let mut rest = Vec::new();
    stderr.read_to_end(&mut rest).unwrap();
    // The case would run for minutes; the end of the stream is the end of the process.
    assert!(began.elapsed() < Duration::from_secs(20));
}

/// True if a process has a child.
fn of_a_case(parent: u32) -> bool {
    let path = format!("/proc/{parent}/task/{parent}/children");
    fs::read_to_string(path).is_ok_and(|children| !children.trim().is_empty())
}

#[test]
fn the_models_of_benchmarks_are_sound() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/models");
    for entry in fs::read_dir(models).unwrap() {
        let path = entry.unwrap().path();
        let said = run(Command::new(stend()).args(["drives", "check"]).arg(&path));
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
}
