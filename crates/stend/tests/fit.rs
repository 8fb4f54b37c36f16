//! `stend claims --measured` and `stend fit`, from outside.

use crate::common;

use std::fs;
use std::path::Path;

use common::{fails, folder, json, list, number, ok};
use serde_json::Value;

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

/// Rows for the demonstration drive.
const FIGURES: &str = r#"
schema = "stend.measured/1"
[[test]]
id = "small"
title = "small"
source = "s"
[[test.part]]
id = "write"
do = { job = "[w]\nrw=randwrite\nbs=4k\nsize=16m\n" }
[[test.part]]
id = "rest"
do = { rest_s = 1 }
[[test.part]]
id = "read"
do = { job = "[r]\nrw=randread\nbs=4k\niodepth=32\nsize=16m\n" }
[[test.figure]]
id = "write"
metric = "write"
part = "write"
take = "iops"
[[test.figure]]
id = "read"
metric = "read"
part = "read"
take = "iops"
[[published]]
drive = "Demo"
model = "demo-8gb"
source = "s"
test = "small"
unit = "IOPS"
rows = [
    { what = "read", figure = "read", state = "new", value = 60000.0 },
    { what = "write", figure = "write", state = "new", value = 30000.0 },
    { what = "much", figure = "write", state = "free-10gb", value = 30000.0 },
]
"#;

fn free() -> String {
    let free = |text: String, key: &str, bounds: &str| {
        let line = DEMO.lines().find(|line| line.starts_with(key)).unwrap();
        text.replace(line, &line.replace(" }", &format!(", free = {bounds} }}")))
    };
    let text = free(DEMO.to_owned(), "read_command_ns", "[4000, 30000]");
    free(text, "write_command_ns", "[4000, 30000]")
}

/// The model of [`free`], marked as predicted: it is never fitted.
fn predicted() -> String {
    free().replace("\n[capacity]", "\npredicted = true\n\n[capacity]")
}

fn set_up(dir: &Path) {
    fs::write(dir.join("mine.toml"), free()).unwrap();
    fs::write(dir.join("figures.toml"), FIGURES).unwrap();
}

const FIT: [&str; 4] = ["fit", "./mine.toml", "--to", "figures.toml"];

fn fit(dir: &Path, more: &[&str]) -> Value {
    json(&ok(dir, &[&FIT[..], &["--json"], more].concat()).stdout)
}

#[test]
fn published_figures_beside_predicted_ones() {
    let dir = folder();
    let dir = dir.path();
    let args = ["claims", "--measured", "--drives", "crucial-m550-512gb"];
    fails(
        dir,
        &args,
        3,
        &[
            "no published figures of crucial-m550-512gb",
            "did you mean `crucial-mx100-512gb`",
        ],
    );
    let args = ["claims", "--measured", "--drives", "samsung-850-pro-256gb"];
    let text = ok(dir, &args).stdout;
    for part in [
        "iometer-16gb rand-read-1",
        "By metric",
        "Shorter than",
        "figures answered",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let told = json(&ok(dir, &[&args[..], &["--json"]].concat()).stdout);
    assert_eq!(told["schema"], "stend.claims-measured/1");
    let rows = list(&told["rows"]);
    assert_eq!(told["answered"], rows.len());
    for row in rows {
        assert_eq!(row["model"], "samsung-850-pro-256gb");
        assert!(number(&row["predicted"]) > 0.0, "{row}");
        assert!(row["error"].is_number() && row["source"].is_string());
    }
}

#[test]
fn figures_of_ones_own_are_predicted_by_the_program_s_tests_and_models_of_ones_own() {
    let dir = folder();
    let dir = dir.path();
    fs::create_dir(dir.join("lab")).unwrap();
    fs::write(dir.join("lab/figures.toml"), FIGURES).unwrap();
    let slow = DEMO.replace("name = \"demo-8gb\"", "name = \"slow\"");
    let line = slow
        .lines()
        .find(|line| line.starts_with("read_command_ns"));
    let slow = slow.replace(
        line.unwrap(),
        "read_command_ns = { value = 90000, source = \"assumed: a test\" }",
    );
    fs::write(dir.join("lab/slow.toml"), slow).unwrap();
    let mine = FIGURES
        .split_once("[[published]]")
        .map(|(_, rows)| rows.replace("model = \"demo-8gb\"", "model = \"slow.toml\""))
        .unwrap();
    let mine = format!("schema = \"stend.measured/1\"\n[[published]]{mine}");
    fs::write(dir.join("lab/mine.toml"), mine).unwrap();
    let args = [
        "claims",
        "--measured",
        "lab/figures.toml",
        "lab/mine.toml",
        "--json",
    ];
    let told = json(&ok(dir, &args).stdout);
    let rows = list(&told["rows"]);
    assert_eq!(rows.len(), 6, "no row of the program: {told}");
    assert_eq!(told["answered"], 4, "no 10 GB are free on a drive of 8");
    let reads: Vec<f64> = rows
        .iter()
        .filter(|row| row["what"] == "read")
        .map(|row| number(&row["predicted"]))
        .collect();
    assert!(reads.len() == 2 && reads[1] < 0.5 * reads[0], "{reads:?}");
    assert_eq!(rows[3]["model"], "lab/slow.toml");
    let only = [&args[..], &["--drives", "demo-8gb"]].concat();
    assert_eq!(list(&json(&ok(dir, &only).stdout)["rows"]).len(), 3);

    fs::remove_file(dir.join("lab/slow.toml")).unwrap();
    fails(dir, &args, 3, &["lab/slow.toml"]);
    let alone = ["claims", "--measured", "lab/mine.toml"];
    fails(dir, &alone, 3, &["lab/mine.toml:", "no test `small`"]);
    fails(
        dir,
        &["claims", "--measured", "none.toml"],
        3,
        &["none.toml"],
    );
}

#[cfg(feature = "fit")]
#[test]
fn a_fit_writes_its_result_and_leaves_the_originals() {
    let dir = folder();
    let dir = dir.path();
    set_up(dir);
    let told = fit(dir, &["--generations", "12"]);
    assert_eq!(told["schema"], "stend.fit/1");
    assert!(number(&told["after"]["error_rms"]) < number(&told["before"]["error_rms"]));
    assert!(number(&told["after"]["error_median"]) < 0.1, "{told:#}");
    assert_eq!(list(&told["unanswered"]).len(), 1);
    assert_eq!(fs::read_to_string(dir.join("mine.toml")).unwrap(), free());
    let out = dir.join("fit-demo-8gb");
    let text = fs::read_to_string(out.join("mine.toml")).unwrap();
    assert!(
        text.contains("fitted: to 2 measured figures of demo-8gb"),
        "{text}"
    );
    ok(dir, &["drives", "check", "fit-demo-8gb/mine.toml"]);
    assert_eq!(
        json(&fs::read_to_string(out.join("fit.json")).unwrap()),
        told
    );
    // `--in-place` uses the same search, which is finished.
    let said = ok(
        dir,
        &[&FIT[..], &["--generations", "12", "--in-place"]].concat(),
    );
    assert!(
        said.stderr.contains("resuming after generation 12"),
        "{}",
        said.stderr
    );
    assert!(
        said.stdout.contains("mine.toml: changed"),
        "{}",
        said.stdout
    );
    assert_eq!(fs::read_to_string(dir.join("mine.toml")).unwrap(), text);
}

#[cfg(feature = "fit")]
#[test]
fn a_search_goes_on_by_the_same_command() {
    let dir = folder();
    let dir = dir.path();
    set_up(dir);
    let whole = fit(dir, &["--generations", "8", "--out", "whole"]);
    fit(dir, &["--generations", "3", "--out", "parts"]);
    let rest = fit(dir, &["--generations", "8", "--out", "parts"]);
    assert_eq!(rest, whole);
    // The state of another search is not changed.
    let state = dir.join("parts/fit-state.json");
    let before = fs::read(&state).unwrap();
    let args = [&FIT[..], &["--seed", "2", "--out", "parts"]].concat();
    let said = fails(dir, &args, 3, &["another search", "another folder"]);
    assert!(!said.contains("resuming"), "{said}");
    assert_eq!(fs::read(&state).unwrap(), before);
    fs::write(&state, "{").unwrap();
    fails(
        dir,
        &[&FIT[..], &["--out", "parts"]].concat(),
        3,
        &["fit-state.json is not a state"],
    );
}

#[test]
fn a_predicted_model_is_predicted_and_not_changed() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("mine.toml"), predicted()).unwrap();
    fs::write(dir.join("figures.toml"), FIGURES).unwrap();
    let told = fit(dir, &["--out", "o"]);
    assert_eq!(
        (&told["generations"], list(&told["parameters"]).len()),
        (&0.into(), 0)
    );
    assert_eq!(list(&told["files"]).len(), 0);
    let rows = list(&told["rows"]);
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert!(number(&row["before"]["predicted"]) > 0.0, "{row}");
        assert_eq!(row["before"], row["after"]);
    }
    let names: Vec<_> = fs::read_dir(dir.join("o")).unwrap().collect();
    assert_eq!(names.len(), 1, "the result alone: {names:?}");
    let text = ok(dir, &[&FIT[..], &["--out", "p"]].concat()).stdout;
    assert!(text.contains("0 generations"), "{text}");
}

#[test]
fn what_cannot_be_fitted_is_told_before_anything_is_done() {
    let dir = folder();
    let dir = dir.path();
    set_up(dir);
    let to = ["--to", "figures.toml"];
    fails(
        dir,
        &[&["fit", "nosuch"], &to[..]].concat(),
        3,
        &["no drive model `nosuch`"],
    );
    fails(
        dir,
        &[&["fit", "demo-8gb"], &to[..]].concat(),
        3,
        &["no free figures", "free = ["],
    );
    let args = [&["fit", "./mine.toml", "demo-8gb"], &to[..]].concat();
    fails(dir, &args, 3, &["demo-8gb is named twice"]);
    let args = [&["fit", "./mine.toml", "sandisk-ultra-ii-480gb"], &to[..]].concat();
    fails(
        dir,
        &args,
        3,
        &["sandisk-ultra-ii-480gb is never fitted", "predicted = true"],
    );
    fails(
        dir,
        &["fit", "./mine.toml", "--to", "no.toml"],
        3,
        &["cannot read", "no.toml"],
    );
    fails(
        dir,
        &[&FIT[..], &["--tests", "x"]].concat(),
        3,
        &["no test `x`", "small"],
    );
    fails(
        dir,
        &[&FIT[..], &["--states", "x"]].concat(),
        3,
        &["no state `x`", "new"],
    );
    fails(
        dir,
        &["fit", "./mine.toml", "--to", "published"],
        3,
        &["no measured figure"],
    );
    fs::write(
        dir.join("figures.toml"),
        FIGURES.replace("\"IOPS\"", "\"I/O\""),
    )
    .unwrap();
    fails(dir, &FIT, 3, &["figures.toml:", "no unit `I/O`"]);
    let left: Vec<_> = fs::read_dir(dir).unwrap().flatten().collect();
    assert_eq!(left.len(), 2, "the model and the figures alone: {left:?}");
}

#[test]
fn figures_may_name_the_file_of_a_model() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("figures.toml"), FIGURES).unwrap();
    fs::write(dir.join("mine.toml"), predicted()).unwrap();
    let by_name = fit(dir, &["--out", "by-name"]);
    let by_file = FIGURES.replace("\"demo-8gb\"", "\"mine.toml\"");
    fs::write(dir.join("figures.toml"), by_file).unwrap();
    assert_eq!(fit(dir, &["--out", "by-file"])["rows"], by_name["rows"]);
}

#[cfg(not(feature = "fit"))]
#[test]
fn a_program_without_its_optimiser_predicts_and_says_so() {
    let dir = folder();
    let dir = dir.path();
    set_up(dir);
    let said = ["--generations 0", "--features fit"];
    fails(dir, &FIT, 5, &said);
    fails(
        dir,
        &["fit", "--leave-one-out", "--to", "figures.toml"],
        5,
        &said,
    );
    fit(dir, &["--generations", "0"]);
}
