//! `stend twin`, from outside.

use std::fs;
use std::path::Path;

use crate::common;
use common::{fails, folder, json, list, number, ok};

const FLASH: &str = r#"
schema = "stend.part/2"
[nand]
generation = { value = "planar TLC", source = "s" }
dies = { value = 4, source = "s" }
planes = { value = 2, source = "s" }
page_kib = { value = 16, source = "s" }
pages_per_block = { value = 96, source = "s" }
read_us = { value = [70.0, 70.0, 70.0], source = "s" }
program_us = { value = [1800.0, 1800.0, 1800.0], source = "s" }
erase_us = { value = 5000.0, source = "s" }
bus_mb_per_s = { value = 400, source = "s" }
bus_overhead_ns = { value = 300, source = "s" }
[slc_cache]
pages_per_block = { value = 32, source = "s" }
read_us = { value = 40.0, source = "s" }
program_us = { value = 400.0, source = "s" }
erase_us = { value = 5000.0, source = "s" }
"#;

const CONTROLLER: &str = r#"
schema = "stend.part/2"
[nand]
channels = { value = 2, source = "s" }
[controller]
name = { value = "demonstration", source = "s" }
cores = { value = 1, source = "s" }
assignment = { value = "shared", source = "s" }
"#;

const PARTS: &str = "flash.toml,controller.toml";

/// Writes a review of the demonstration drive, and its known parts.
fn set_up(dir: &Path) {
    fs::write(dir.join("flash.toml"), FLASH).unwrap();
    fs::write(dir.join("controller.toml"), CONTROLLER).unwrap();
    let args = [
        "review",
        "demo-8gb",
        "--edition",
        "quick",
        "--tests",
        "random,mixed",
        "--duration-scale",
        "0.1",
        "--against",
        "none",
        "--out",
        "original",
    ];
    ok(dir, &args);
}

#[test]
fn a_twin_is_a_drive_file_and_tells_its_error() {
    let dir = folder();
    let dir = dir.path();
    set_up(dir);
    let told = r#"{"schema":"stend.identify/1","target":"demo","capacity_bytes":8000000000,
        "properties":[{"id":"slc-cache-bytes","told":true,"value":4.6e8,"low":4.4e8,"high":4.8e8,
        "unit":"bytes","evidence":"a step"},{"id":"slc-when-full","told":true,"value":"fold-first",
        "evidence":"reads"}]}"#;
    fs::write(dir.join("told.json"), told).unwrap();
    let args = [
        "twin",
        "original",
        "--parts",
        PARTS,
        "--identify",
        "told.json",
        "--out",
        "my-drive.toml",
        "--evaluations",
        "40",
        "--json",
    ];
    let document = json(&ok(dir, &args).stdout);
    assert_eq!(document["schema"], "stend.twin/1");
    assert_eq!(document["used"], serde_json::json!(["random"]));
    let tests = list(&document["errors"]["tests"]);
    let told: Vec<(&str, bool)> = tests
        .iter()
        .map(|test| {
            (
                test["test"].as_str().unwrap(),
                test["used"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [("random", true), ("mixed", false)]);
    assert!(number(&document["errors"]["error_median_unused"]) < 1.0);
    ok(dir, &["drives", "check", "my-drive.toml"]);
    let text = fs::read_to_string(dir.join("my-drive.toml")).unwrap();
    assert!(text.contains("inferred: fold-first: reads"), "{text}");
    // The size was fitted within the inferred range: 0.44 to 0.48 GB in superblocks of 4 MiB.
    assert!(text.contains("free = [105, 114]"), "{text}");
    assert!(text.contains("fitted: to review of"), "{text}");
    assert!(text.contains(" Its median error: "), "{text}");
    let poor = |test: &&serde_json::Value| number(&test["error_median"]) >= 0.15;
    assert_eq!(
        document["warning"].is_null(),
        tests.iter().all(|t| !poor(&t))
    );
    // The run may also be named by its number in the lab; an existing file is not overwritten.
    let again = ["twin", "1", "--parts", PARTS, "--out", "my-drive.toml"];
    fails(dir, &again, 3, &["exists already", "--force"]);
    let by_run = [
        "twin",
        "1",
        "--parts",
        PARTS,
        "--evaluations",
        "0",
        "--out",
        "other.toml",
    ];
    let said = ok(dir, &by_run).stdout;
    assert!(said.contains("none of which was fitted to"), "{said}");
    assert!(said.contains("\nnot fitted: "), "{said}");
    let text = fs::read_to_string(dir.join("other.toml")).unwrap();
    assert!(!text.contains("source = \"fitted: to review"), "{text}");
}

#[test]
fn what_cannot_be_made_is_refused_before_anything_is_written() {
    let dir = folder();
    let dir = dir.path();
    set_up(dir);
    let twin = |more: &[&str], code: i32, parts: &[&str]| {
        let args = [&["twin"], more, &["--out", "my.toml"]].concat();
        fails(dir, &args, code, parts);
        assert!(!dir.join("my.toml").exists());
    };
    twin(
        &["original", "--parts", "flash.toml"],
        3,
        &["nand.channels"],
    );
    twin(
        &["original", "--parts", "nand/none.toml"],
        3,
        &["nand/none.toml", "no such part"],
    );
    twin(
        &["none.json", "--parts", PARTS],
        3,
        &["none.json", "no such review"],
    );
    twin(
        &["original", "--parts", PARTS, "--holdout", "never"],
        3,
        &["`never`"],
    );
    twin(
        &["original", "--parts", PARTS, "--holdout", "random,mixed"],
        3,
        &["nothing in the review"],
    );
    twin(
        &["original", "--parts", PARTS, "--edition", "2014"],
        3,
        &["`quick`", "`2014`"],
    );
    fs::write(dir.join("broken.json"), "{}").unwrap();
    twin(
        &["broken.json", "--parts", PARTS],
        3,
        &["broken.json is not a review"],
    );
    twin(
        &["original", "--parts", PARTS, "--identify", "broken.json"],
        3,
        &["broken.json"],
    );
    twin(
        &["original", "--parts", PARTS, "--identify", "absent.json"],
        3,
        &["absent.json"],
    );
    let wrong = ["twin", "original", "--parts", PARTS, "--out", "my.txt"];
    fails(dir, &wrong, 3, &["ends in .toml"]);
}
