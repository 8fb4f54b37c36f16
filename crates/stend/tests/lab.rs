//! The lab from outside: reviews go there, come back, and survive whatever ends stend.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{
    fails, folder, have, ids, json, list, ok, program, review, saved, test, tiny_edition,
};
use serde_json::Value;

const QUICK: [&str; 5] = [
    "demo-8gb",
    "--duration-scale",
    "0.01",
    "--tests",
    "sequential,random",
];

fn runs(dir: &Path) -> Vec<Value> {
    list(&json(&ok(dir, &["lab", "list", "--json"]).stdout)).clone()
}

fn kept(dir: &Path, run: &str) -> Value {
    json(&ok(dir, &["lab", "show", run, "--json"]).stdout)
}

#[test]
fn a_review_is_kept_and_its_report_can_be_made_again() {
    let dir = folder();
    let dir = dir.path();
    assert!(runs(dir).is_empty());
    assert!(!dir.join(".lab").exists(), "looking makes no lab");
    let made = review(dir, &QUICK);
    assert_eq!(kept(dir, "1"), made);
    let run = &runs(dir)[0];
    assert_eq!(run["state"], "complete");
    assert_eq!(run["tests_finished"], 2);
    let edition = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../editions/2014.toml"
    ));
    fs::write(dir.join("edition"), edition.unwrap()).unwrap();
    let sum = Command::new("sha256sum")
        .arg(dir.join("edition"))
        .output()
        .unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    assert_eq!(sum.split(' ').next(), run["edition_sha256"].as_str());
    for point in list(&test(&made, "random")["points"]) {
        let histogram = point["latency_histogram"].as_str().unwrap();
        assert!(histogram.starts_with("HISTFAAAA"), "{histogram}");
    }
    let shown = ok(dir, &["lab", "show", "1"]).stdout;
    for part in ["8 GB", "SHA-256", "sequential", "stend review demo-8gb"] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let listed = ok(dir, &["lab"]).stdout;
    assert!(
        listed.contains("complete, every measurement × 0.01"),
        "{listed}"
    );
    ok(dir, &["report", "1", "--out", "again"]);
    let page = |folder: &str| fs::read(dir.join(folder).join("index.html")).unwrap();
    assert!(page("again") == page("review-demo-8gb"), "the same bytes");
    // A second one is another run; both can be in one report.
    let mut other = QUICK.to_vec();
    other[0] = "samsung-850-pro-256gb";
    review(dir, &other);
    ok(dir, &["report", "1", "2"]);
    let both = saved(&dir.join("report-1-2"));
    assert_eq!(list(&both["rivals"]).len(), 1);
    assert_eq!(both["rivals"][0]["tests"], kept(dir, "2")["tests"]);
    fails(
        dir,
        &["report", "2", "--out", "again"],
        3,
        &["holds the review of"],
    );
    fails(dir, &["report", "9"], 3, &["there is no run 9"]);
    ok(dir, &["lab", "delete", "1"]);
    assert_eq!(runs(dir).len(), 1);
    fails(dir, &["lab", "show", "1"], 3, &["there is no run 1"]);
}

#[test]
fn rivals_are_runs_of_their_own_and_labs_are_merged() {
    let dir = folder();
    let dir = dir.path();
    let mut args = QUICK.to_vec();
    args.extend(["--against", "samsung-850-pro-256gb"]);
    let made = review(dir, &args);
    assert_eq!(runs(dir).len(), 2);
    assert_eq!(kept(dir, "1"), made);
    assert_eq!(kept(dir, "2")["tests"], made["rivals"][0]["tests"]);
    let merge = [
        "lab",
        "merge",
        ".lab/lab.db",
        "--lab",
        "second.db",
        "--json",
    ];
    let merged = json(&ok(dir, &merge).stdout);
    assert_eq!((&merged["added"], &merged["known"]), (&2.into(), &0.into()));
    let merged = json(&ok(dir, &merge).stdout);
    assert_eq!((&merged["added"], &merged["known"]), (&0.into(), &2.into()));
    let shown = ok(dir, &["lab", "show", "1", "--lab", "second.db", "--json"]).stdout;
    assert_eq!(json(&shown), made);
}

#[test]
fn tables_are_exported_for_others() {
    let dir = folder();
    let dir = dir.path();
    let made = review(dir, &QUICK);
    let points: usize = list(&made["tests"])
        .iter()
        .filter_map(|test| Some(test["points"].as_array()?.len()))
        .sum();
    ok(dir, &["lab", "export", "out"]);
    let csv = fs::read_to_string(dir.join("out/points.csv")).unwrap();
    assert!(csv.lines().count() > points, "{csv}");
    assert!(
        csv.starts_with("test,position,op,pattern,block_bytes,"),
        "{csv}"
    );
    ok(
        dir,
        &[
            "lab", "export", "out", "--format", "json", "--tables", "points", "--runs", "1",
        ],
    );
    let all = json(&fs::read_to_string(dir.join("out/points.json")).unwrap());
    assert_eq!(list(&all).len(), points);
    let files = ok(dir, &["lab", "export", "out", "--format", "parquet"]).stdout;
    assert_eq!(files.lines().count(), 11);
    let parquet = fs::read(dir.join("out/samples.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    fails(
        dir,
        &["lab", "export", "out", "--tables", "dots"],
        3,
        &["no table `dots`", "points"],
    );
}

#[test]
fn reviews_are_compared_with_what_was_unlike_on_top() {
    let dir = folder();
    let dir = dir.path();
    review(dir, &QUICK);
    let mut other = QUICK.to_vec();
    (other[0], other[2]) = ("samsung-850-pro-256gb", "0.02");
    let theirs = review(dir, &other);
    let text = ok(dir, &["compare", "demo-8gb", "2", "--out", "both"]).stdout;
    let (conditions, figures) = text.split_once("\nsequential\n").unwrap();
    assert!(conditions.contains("DIFFERING CONDITIONS"), "{text}");
    for part in ["× 0.01", "× 0.02", "bytes under test"] {
        assert!(conditions.contains(part), "{part}\n{text}");
    }
    assert!(!conditions.contains("  seed\n"), "it was the same\n{text}");
    assert!(figures.contains("random"), "{text}");
    let page = fs::read_to_string(dir.join("both/index.html")).unwrap();
    assert!(page.contains("Differing conditions") && page.contains("850 PRO"));
    // Every ratio is that of the figures beside it, and every figure one of the review's.
    let all = json(&ok(dir, &["compare", "1", "2", "--points", "--json"]).stdout);
    let mut found = 0;
    for row in list(&all["figures"]) {
        let [a, b] = [0, 1].map(|nth| row["values"][nth].as_f64());
        let (Some(a), Some(b)) = (a, b) else { continue };
        assert_eq!(row["ratios"][0], 1.0);
        assert_eq!(row["ratios"][1].as_f64(), Some(b / a));
        let key = if row["unit"] == "iops" {
            "iops"
        } else {
            "bw_bytes_per_s"
        };
        let measured = list(&test(&theirs, row["test"].as_str().unwrap())["points"]);
        assert!(
            measured.iter().any(|point| point[key].as_f64() == Some(b)),
            "{row}"
        );
        found += 1;
    }
    assert!(found >= 4, "{all}");
    let same = ok(dir, &["compare", "1", "1"]).stdout;
    assert!(
        same.contains("were the same") && same.contains("(level)"),
        "{same}"
    );
    fails(
        dir,
        &["compare", "1", "intel-dc"],
        3,
        &["no complete review", "stend review intel-dc"],
    );
    fails(dir, &["compare", "1"], 2, &["2"]);
}

#[test]
fn what_is_no_lab_is_found_before_anything_is_measured() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("notes"), "what I think of drives\n".repeat(100)).unwrap();
    let args = [&["review"], &QUICK[..], &["--lab", "notes"]].concat();
    fails(dir, &args, 3, &["notes is not a lab"]);
    fails(
        dir,
        &["lab", "list", "--lab", "notes"],
        3,
        &["notes is not a lab"],
    );
    let args = [&["review"], &QUICK[..], &["--lab", "notes/lab.db"]].concat();
    fails(dir, &args, 6, &["notes"]);
    fails(dir, &["lab", "show", "1"], 3, &["there is no lab yet"]);
    assert!(!dir.join("review-demo-8gb").exists());
}

/// Numbers without rhythm below 1500, other ones each time; the seed is printed, and taken from
/// `STEND_KILL_SEED` where that is set.
fn moments_ms() -> impl Iterator<Item = u64> {
    let chosen = std::env::var("STEND_KILL_SEED").ok();
    let seed = chosen
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| {
            let now = std::time::SystemTime::now();
            now.duration_since(std::time::UNIX_EPOCH)
                .unwrap()
                .as_nanos() as u64
        });
    println!("killed at the same moments again with STEND_KILL_SEED={seed}");
    let step = |state: &u64| {
        Some(
            state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1),
        )
    };
    std::iter::successors(Some(seed), step)
        .skip(2)
        .map(|state| (state >> 33) % 1_500)
}

/// What a run that is killed leaves is whole tests, and the same command goes on from them.
#[test]
fn a_review_is_killed_at_any_moment() {
    if !have(&["fio", "setpriv"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let edition = tiny_edition(dir);
    let edition = edition.to_str().unwrap();
    let args = [
        "review",
        "drive.bin",
        "--size",
        "64MiB",
        "--edition",
        edition,
        "--tests",
        "sequential,random,depth-scaling",
        "--json",
        // A run that is killed leaves a file that is not known to be stend's own.
        "--destroy",
        "drive.bin",
    ];
    let mut finished: Vec<Value> = Vec::new();
    let mut breaks = 0;
    // Before anything is finished; then some time after a test more has been.
    for (after_ms, of_next) in moments_ms().zip([false, true, false, true]) {
        let mut child = start(&mut program(dir, &args));
        if of_next {
            wait_for_a_test_more(dir, &mut child, finished.len() as u64);
        }
        sleep(Duration::from_millis(after_ms));
        child.kill().unwrap();
        child.wait().unwrap();
        let Some(run) = runs(dir).first().cloned() else {
            continue;
        };
        assert_eq!(run["state"], "unfinished");
        let now = kept(dir, "1");
        let tests = list(&now["tests"]);
        for test in &finished {
            assert!(tests.contains(test), "what was finished stays as it was");
        }
        finished = tests.clone();
        breaks = run["breaks"].as_u64().unwrap();
    }
    assert!(!finished.is_empty() && breaks > 0);
    let whole = json(&ok(dir, &args).stdout);
    assert_eq!(ids(&whole), ["sequential", "random", "depth-scaling"]);
    for test in &finished {
        assert!(list(&whole["tests"]).contains(test));
    }
    assert_eq!(runs(dir).len(), 1, "one run, however often it was killed");
    let run = &runs(dir)[0];
    assert_eq!(run["state"], "complete");
    assert!(run["breaks"].as_u64() > Some(breaks), "{run}");
    assert_eq!(kept(dir, "1"), whole);
    let told = list(&whole["conditions"])
        .iter()
        .find(|c| c["name"] == "interrupted");
    let told = told.unwrap()["value"].as_str().unwrap();
    assert!(told.contains("went on with"), "{told}");
    let page = fs::read_to_string(dir.join("review-drive/index.html")).unwrap();
    assert!(
        page.contains("the run was stopped after"),
        "the break is shown"
    );
}

/// Waits until the run in the lab has more than so many finished tests.
fn wait_for_a_test_more(dir: &Path, child: &mut Child, finished: u64) {
    let began = Instant::now();
    let tests_finished = || {
        let run = runs(dir).first().cloned();
        run.map_or(0, |run| run["tests_finished"].as_u64().unwrap())
    };
    while tests_finished() <= finished {
        let hangs = began.elapsed() > Duration::from_secs(120);
        let runs = child.try_wait().unwrap().is_none();
        assert!(!hangs && runs, "no further test");
        sleep(Duration::from_millis(20));
    }
}

fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}
