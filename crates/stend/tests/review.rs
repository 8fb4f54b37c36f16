//! A review of a simulated drive from outside: the JSON, the page, equal bytes in every run,
//! rivals, and resuming an interrupted run.

use crate::common;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use common::{fails, folder, ids, json, list, ok, review, save, saved, test, words};
use serde_json::{Value, json};
use stend_record::review::Review;

/// Tests of the edition, in its order.
const ALL: [&str; 14] = [
    "sequential",
    "random",
    "depth-scaling",
    "block-scaling",
    "mixed-sequential",
    "degradation",
    "recovery",
    "crystaldiskmark",
    "desktop-traces",
    "game-start",
    "applications-start",
    "file-copy",
    "archive",
    "unarchive",
];

/// Shortens the whole edition to a second or two.
const SHORT: [&str; 2] = ["--duration-scale", "0.01"];

/// Selects one test, which takes a fraction of that.
const ONE: [&str; 4] = ["--duration-scale", "0.01", "--tests", "sequential"];

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

/// The whole edition on the demonstration drive: the review, its text and its page. Run once for
/// all tests that only read it.
fn whole() -> &'static (Value, String, String) {
    static WHOLE: OnceLock<(Value, String, String)> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let dir = folder();
        let said = ok(dir.path(), &with(&["review", "demo-8gb", "--json"], &SHORT));
        assert!(said.stderr.contains("report: review-demo-8gb/index.html"));
        let out = dir.path().join("review-demo-8gb");
        // The folder holds the same bytes.
        assert_eq!(
            fs::read_to_string(out.join("review.json")).unwrap(),
            said.stdout
        );
        let page = fs::read_to_string(out.join("index.html")).unwrap();
        (json(&said.stdout), said.stdout, page)
    })
}

/// A rival: the demonstration drive with another name and half the dies.
fn rival(dir: &Path) {
    let demo = include_str!("../../../drives/demo-8gb.toml")
        .replace("name = \"demo-8gb\"", "name = \"rival\"")
        .replace("Demonstration drive, 8 GB", "A rival")
        .replace(
            "link_mb_per_s = { value = 600",
            "link_mb_per_s = { value = 300",
        );
    fs::write(dir.join("rival.toml"), demo).unwrap();
}

#[test]
fn the_json_is_as_documented() {
    let (review, text, _) = whole();
    // One document in one line, without other output.
    assert_eq!(text.lines().count(), 1);
    assert_eq!(review["schema"], "stend.review/2");
    assert_eq!(review["edition"], "2014");
    assert_eq!(review["seed"], 1);
    assert_eq!(review["duration_scale"], 0.01);
    assert_eq!(review["complete"], true);
    let target = &review["target"];
    assert_eq!(target["name"], "demo-8gb");
    assert_eq!(target["kind"], "simulated");
    assert_eq!(target["capacity_bytes"], 8_000_000_000_u64);
    assert_eq!(ids(review), ALL);
    assert_eq!(review.get("failed"), None);
    assert_eq!(review.get("rivals"), None);
    // Contains no key that the types of the schema do not know: parsing loses nothing.
    let typed: Review = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), *review);
    for test in list(&review["tests"]) {
        let holds = match test["id"].as_str().unwrap() {
            "degradation" | "recovery" => "series",
            "crystaldiskmark" => "benchmark",
            "desktop-traces" | "game-start" | "applications-start" => "traces",
            "file-copy" | "archive" | "unarchive" => "files",
            _ => "points",
        };
        for key in [
            "points",
            "series",
            "responses",
            "benchmark",
            "traces",
            "files",
        ] {
            assert_eq!(test.get(key).is_some(), key == holds, "{}", test["id"]);
        }
        assert!(!list(&test["jobs"]).is_empty());
    }
}

#[test]
fn points_and_curves_are_those_of_the_edition() {
    let (review, ..) = whole();
    let points = |id: &str| list(&test(review, id)["points"]);
    let column = |id: &str, op: &str, key: &str| -> Vec<u64> {
        let of_op = points(id).iter().filter(|p| p["op"] == op);
        of_op.map(|p| p[key].as_u64().unwrap()).collect()
    };
    for op in ["read", "write"] {
        assert_eq!(column("sequential", op, "block_bytes"), [262_144]);
        assert_eq!(column("random", op, "queue_depth"), [1, 4]);
        assert_eq!(
            column("depth-scaling", op, "queue_depth"),
            [1, 2, 4, 8, 16, 32]
        );
        let blocks: Vec<u64> = (9..=18).map(|shift| 1 << shift).collect();
        assert_eq!(column("block-scaling", op, "block_bytes"), blocks);
    }
    let shares: Vec<u64> = (0..=10).map(|tenth| tenth * 10).collect();
    assert_eq!(column("mixed-sequential", "mixed", "read_percent"), shares);
    assert_eq!(points("mixed-sequential")[0]["threads"], 2);
    let names = |id: &str| -> Vec<String> {
        let series = list(&test(review, id)["series"]);
        series
            .iter()
            .map(|s| s["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("degradation"), ["fresh"]);
    assert_eq!(names("recovery"), ["fresh", "after idle", "after TRIM"]);
    let samples = list(&test(review, "degradation")["series"][0]["samples"]);
    assert_eq!(samples.len(), 72, "7200 s × 0.01, a sample a second");
}

#[test]
fn the_same_command_gives_the_same_bytes_whatever_the_threads() {
    let dir = folder();
    let run = |out: &str, more: &[&str]| {
        let args = with(
            &with(&["review", "demo-8gb", "--json", "--out", out], &SHORT),
            more,
        );
        let said = ok(dir.path(), &args);
        let page = fs::read_to_string(dir.path().join(out).join("index.html")).unwrap();
        (said.stdout, page)
    };
    let (_, text, page) = whole();
    let first = (text.clone(), page.clone());
    assert!(
        first == run("out", &["--threads", "1"]),
        "threads make a difference"
    );
    // Written to a folder that already holds the finished review.
    assert!(first == run("out", &["--threads", "3"]), "two runs differ");
    let (other, _) = run("other", &["--seed", "2", "--tests", "random,degradation"]);
    let (was, is) = (json(text), json(&other));
    assert_eq!((&was["seed"], &is["seed"]), (&json!(1), &json!(2)));
    for id in ["random", "degradation"] {
        assert_ne!(
            test(&was, id),
            test(&is, id),
            "{id} does not depend on the seed"
        );
    }
}

#[test]
fn tests_are_chosen_and_are_the_same_alone() {
    let (all, ..) = whole();
    let dir = folder();
    let chosen = ["demo-8gb", "--tests", "degradation,random"];
    let some = review(dir.path(), &with(&chosen, &SHORT));
    assert_eq!(
        ids(&some),
        ["random", "degradation"],
        "in the edition's order"
    );
    for id in ids(&some) {
        assert!(
            test(&some, id) == test(all, id),
            "{id} depends on the others"
        );
    }
    assert!(
        some["reproduce"]
            .as_str()
            .unwrap()
            .contains("--tests degradation,random")
    );
}

#[test]
fn rivals_are_measured_as_they_would_be_alone() {
    let dir = folder();
    let dir = dir.path();
    rival(dir);
    let against = [
        "demo-8gb",
        "--against",
        "./rival.toml,demo-8gb",
        "--out",
        "both",
    ];
    let both = review(dir, &with(&against, &ONE));
    let alone = review(dir, &with(&["./rival.toml", "--out", "alone"], &ONE));
    let rivals = list(&both["rivals"]);
    assert_eq!(rivals.len(), 2);
    assert_eq!(rivals[0]["target"], alone["target"]);
    assert_eq!(rivals[0]["tests"], alone["tests"]);
    assert_eq!(rivals[1]["tests"], both["tests"]);
    assert_ne!(rivals[0]["tests"], both["tests"]);
    assert_eq!(both["complete"], true);
    let page = fs::read_to_string(dir.join("both/index.html")).unwrap();
    assert!(page.contains("A rival"));
}

#[test]
fn the_text_for_people_has_the_figures() {
    let dir = folder();
    let tests = ["review", "demo-8gb", "--tests", "sequential,recovery"];
    let said = ok(dir.path(), &with(&tests, &SHORT));
    for part in [
        "Demonstration drive, 8 GB, edition 2014",
        "SHORTENED RUN",
        "256 KiB",
        "MB/s",
        "after TRIM",
        "report: review-demo-8gb/index.html",
    ] {
        assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
    }
    assert!(said.stderr.contains("million requests simulated"));
}

/// All texts of the page between two marks.
fn between<'a>(page: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    page.split(start)
        .skip(1)
        .map(|rest| rest.split(end).next().unwrap())
        .collect()
}

#[test]
fn a_shortened_run_says_so_once_above_all_charts() {
    let (_, _, page) = whole();
    assert!(page.len() < 2_500_000, "{} bytes", page.len());
    let note = "SHORTENED RUN: every measurement × 0.01";
    let line = between(page, "<p class=\"scaled\"", "</p>");
    assert_eq!(line.len(), 1);
    assert!(line[0].contains(note));
    let charts = between(page, "<figure", "</figure>");
    assert!(charts.len() >= ALL.len(), "{} charts", charts.len());
    let dir = folder();
    let full = ["demo-8gb", "--out", "full", "--tests", "sequential"];
    let said = ok(dir.path(), &with(&["review"], &full));
    let page = fs::read_to_string(dir.path().join("full/index.html")).unwrap();
    let body = &page[..page.find("<script>").unwrap()];
    assert!(!body.contains("SHORTENED") && !said.stdout.contains("SHORTENED"));
}

/// A finished review as an interruption would have left it: with the first `left` tests. Their
/// titles are marked, which shows if they are run again.
fn cut(finished: &Value, left: usize) -> Value {
    let mut part = finished.clone();
    part["complete"] = json!(false);
    let tests = part["tests"].as_array_mut().unwrap();
    tests.truncate(left);
    for test in tests {
        test["title"] = json!("kept");
    }
    part
}

fn titles(review: &Value) -> Vec<&str> {
    list(&review["tests"])
        .iter()
        .map(|t| words(&t["title"]))
        .collect()
}

#[test]
fn an_unfinished_review_goes_on_without_repeating_what_is_finished() {
    let dir = folder();
    let dir = dir.path();
    let args = with(&["demo-8gb", "--out", "out"], &SHORT);
    let (finished, ..) = whole();
    let out = dir.join("out");
    fs::create_dir(&out).unwrap();
    save(&out, &cut(finished, 3));
    let resumed = review(dir, &args);
    assert_eq!(ids(&resumed), ALL);
    assert_eq!(titles(&resumed)[..3], ["kept", "kept", "kept"]);
    assert_eq!(list(&resumed["tests"])[3..], list(&finished["tests"])[3..]);
    assert_eq!(resumed["complete"], true);
    assert_eq!(saved(&out), resumed);
    // A test that continues another test's drive needs that test again.
    save(&out, &cut(finished, 6));
    let resumed = review(dir, &args);
    assert_eq!(titles(&resumed).iter().filter(|t| **t == "kept").count(), 5);
    assert_eq!(list(&resumed["tests"])[5..], list(&finished["tests"])[5..]);
    // A finished review is run again.
    let mut marked = cut(finished, ALL.len());
    marked["complete"] = json!(true);
    save(&out, &marked);
    let args = with(&["demo-8gb", "--out", "out"], &ONE);
    assert_eq!(review(dir, &args)["tests"][0], finished["tests"][0]);
}

#[test]
fn only_the_same_command_goes_on() {
    let dir = folder();
    let dir = dir.path();
    rival(dir);
    let out = dir.join("out");
    fs::create_dir(&out).unwrap();
    let part = cut(&whole().0, 2);
    save(&out, &part);
    let base = ["review", "demo-8gb", "--out", "out"];
    let other = |more: &[&str], parts: &[&str]| {
        let said = fails(dir, &with(&base, more), 3, parts);
        assert!(!said.contains("taken over"), "{said}");
        assert_eq!(saved(&out), part, "what is finished is untouched");
    };
    other(
        &["--duration-scale", "0.02"],
        &["duration scale is 0.01", "now it is 0.02"],
    );
    other(
        &with(&SHORT, &["--seed", "2"]),
        &["seed is 1", "now it is 2", "folder"],
    );
    other(
        &with(&SHORT, &["--tests", "random"]),
        &["out", "leaves out: sequential", "--out"],
    );
    fails(
        dir,
        &with(&["review", "./rival.toml", "--out", "out"], &SHORT),
        3,
        &["target is Demonstration drive, 8 GB", "now it is A rival"],
    );
    // The drive has the same name, but its model has been edited since.
    let edited = include_str!("../../../drives/demo-8gb.toml")
        .replace("size_mib = { value = 16", "size_mib = { value = 32");
    fs::write(dir.join("demo-8gb.toml"), edited).unwrap();
    fails(
        dir,
        &with(&["review", "./demo-8gb.toml", "--out", "out"], &SHORT),
        3,
        &[
            "target is Demonstration drive, 8 GB, now it is",
            "dram.size_mib = 32 MiB",
        ],
    );
    assert_eq!(saved(&out), part);
}

#[test]
fn a_review_goes_on_in_the_middle_of_a_rival() {
    let dir = folder();
    let dir = dir.path();
    rival(dir);
    let tests = ["--duration-scale", "0.01", "--tests", "sequential,random"];
    let args = with(
        &["demo-8gb", "--against", "./rival.toml", "--out", "out"],
        &tests,
    );
    let finished = review(dir, &args);
    let out = dir.join("out");
    let mut part = cut(&finished, 2);
    let of_rival = part["rivals"][0]["tests"].as_array_mut().unwrap();
    of_rival.truncate(1);
    of_rival[0]["title"] = json!("kept");
    save(&out, &part);
    // Without the rival, its finished test would be lost.
    let without = with(&["review", "demo-8gb", "--out", "out"], &tests);
    fails(dir, &without, 3, &["leaves out: those of A rival"]);
    assert_eq!(saved(&out), part);
    let resumed = review(dir, &args);
    assert_eq!(titles(&resumed), ["kept", "kept"]);
    let rival = &resumed["rivals"][0];
    assert_eq!(titles(rival), ["kept", "Random read and write"]);
    assert_eq!(rival["tests"][1], finished["rivals"][0]["tests"][1]);
    assert_eq!(resumed["complete"], true);
}
