//! `stend identify`, from outside.

use crate::common;

use std::fs;

use common::{fails, folder, ok, review};
use serde_json::Value;

/// The demonstration drive with a quarter of its capacity.
const SMALL: [&str; 9] = [
    "demo-8gb",
    "--set",
    "nand.blocks_per_plane=215",
    "--set",
    "capacity.user_bytes=1999998976",
    "--set",
    "slc_cache.blocks_per_plane=40",
    "--set",
    "gc.start_superblocks=5",
];

fn documents(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn property<'a>(document: &'a Value, id: &str) -> &'a Value {
    let properties = document["properties"].as_array().unwrap();
    properties
        .iter()
        .find(|property| property["id"] == id)
        .unwrap()
}

#[test]
fn a_drive_is_identified_and_what_was_seen_is_kept() {
    let dir = folder();
    let dir = dir.path();
    let args = [
        &["identify"],
        &SMALL[..],
        &["--json", "--observed", "seen.json"],
    ]
    .concat();
    let found = documents(&ok(dir, &args).stdout);
    let [document] = &found[..] else {
        panic!("one document: {found:?}")
    };
    assert_eq!(document["schema"], "stend.identify/1");
    assert_eq!(document["target"], "demo-8gb");
    assert_eq!(property(document, "slc-cache")["present"], true);
    let ends = |id: &str, unit: &str| {
        let told = property(document, id);
        assert_eq!((&told["told"], &told["unit"]), (&true.into(), &unit.into()));
        let end = |of: &str| told[of].as_f64().unwrap();
        (end("low"), told["value"].as_f64(), end("high"))
    };
    let (low, value, high) = ends("read-latency-ns", "ns");
    let value = value.unwrap();
    assert!(low < value && value < high && value > 1e4, "{value}");
    // The size of a small cache is known only as a range.
    let (low, value, high) = ends("slc-cache-bytes", "bytes");
    assert!(1e8 < low && 1.2 * low < high, "{low} to {high}");
    assert_eq!(value, None);
    let ignored = property(document, "flush-ignored");
    assert_eq!(ignored["told"], false);
    assert!(ignored["why_not"].as_str().unwrap().contains("power cut"));
    // The documentation contains every property's id.
    let docs = include_str!("../../../docs/identify.md");
    for property in document["properties"].as_array().unwrap() {
        let id = property["id"].as_str().unwrap();
        assert!(docs.contains(&format!("`{id}`")), "{id}");
    }
    let seen: Value =
        serde_json::from_str(&fs::read_to_string(dir.join("seen.json")).unwrap()).unwrap();
    assert!(seen["fill"]["samples"].as_array().unwrap().len() > 100);
    // An existing file is not replaced.
    fails(dir, &args, 4, &["seen.json: it exists"]);
}

#[test]
fn a_budget_that_is_used_up_leaves_properties_unknown() {
    let dir = folder();
    let args = [&["identify"], &SMALL[..], &["--json", "--budget", "1us"]].concat();
    let found = documents(&ok(dir.path(), &args).stdout);
    let left_out = found[0]["left_out"].as_array().unwrap();
    assert!(left_out.len() > 10, "{left_out:?}");
    let unknown = property(&found[0], "idle-gc");
    assert_eq!(unknown["told"], false);
    assert!(
        unknown["why_not"]
            .as_str()
            .unwrap()
            .contains("not looked at")
    );
}

#[test]
fn what_is_told_follows_the_language_and_json_does_not() {
    let dir = folder();
    let dir = dir.path();
    let looked = [&["identify"], &SMALL[..], &["--budget", "1us"]].concat();
    let russian = ok(
        dir,
        &[&looked[..], &["--lang", "ru", "--out", "page"]].concat(),
    )
    .stdout;
    for text in [
        "Определить нельзя",
        "не хватило времени: чтение места",
        "SLC-кэш",
    ] {
        assert!(russian.contains(text), "{text}: {russian}");
    }
    assert!(!russian.contains("left out"), "{russian}");
    let page = std::fs::read_to_string(dir.join("page/index.html")).unwrap();
    assert!(page.contains("<html lang=\"ru\"") && page.contains("Что определить нельзя"));
    assert!(
        page.contains(" --lang ru</code>"),
        "the command that makes it again"
    );
    let json = |more: &[&str]| ok(dir, &[&looked[..], &["--json"], more].concat()).stdout;
    assert_eq!(json(&["--lang", "ru"]), json(&[]));
}

#[test]
fn a_review_is_read_and_no_target_is_touched() {
    let dir = folder();
    let dir = dir.path();
    let args = [
        "demo-8gb",
        "--edition",
        "quick",
        "--duration-scale",
        "0.02",
        "--out",
        "r",
    ];
    review(dir, &args);
    let found = documents(&ok(dir, &["identify", "r/review.json", "1", "--json"]).stdout);
    // The file and the run in the lab give the same properties.
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["properties"], found[1]["properties"]);
    assert_eq!(property(&found[0], "read-latency-ns")["told"], true);
    assert_eq!(property(&found[0], "parallel-dies")["told"], false);
    for option in [["--size", "1G"], ["--destroy", "x"], ["--budget", "1s"]] {
        let args = [&["identify", "1"][..], &option].concat();
        fails(dir, &args, 3, &[option[0], "which is only read"]);
    }
}

#[test]
fn bad_input_is_refused_before_anything_is_done() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("no.json"), "{\"schema\":\"other\"}").unwrap();
    fs::write(dir.join("mine.bin"), vec![1; 1 << 20]).unwrap();
    let cases: [(&[&str], i32, &str); 6] = [
        (&["identify"], 2, "required"),
        (
            &["identify", "demo-8gb", "--budget", "soon"],
            2,
            "not a duration",
        ),
        (&["identify", "no.json"], 3, "not a review"),
        (
            &["identify", "demo-8gb", "--read-only"],
            3,
            "writes to its target",
        ),
        (
            &["identify", "demo-8gb", "--size", "1G"],
            3,
            "--size is for real targets",
        ),
        (&["identify", "./mine.bin"], 4, "mine.bin"),
    ];
    for (args, code, text) in cases {
        fails(dir, args, code, &[text]);
    }
    assert_eq!(fs::read(dir.join("mine.bin")).unwrap(), vec![1; 1 << 20]);
}
