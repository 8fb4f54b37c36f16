//! `stend fit --leave-one-out`, from outside.

use crate::common;

use std::fs;
use std::path::Path;

use common::{fails, folder, json, list, number, ok};
use serde_json::Value;

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

const TEST: &str = r#"
schema = "stend.measured/1"
[[test]]
id = "small"
title = "small"
source = "s"
[[test.part]]
id = "write"
do = { job = "[w]\nrw=write\nbs=128k\nsize=16m\n" }
[[test.part]]
id = "read"
do = { job = "[r]\nrw=randread\nbs=4k\niodepth=32\nsize=16m\n" }
[[test.figure]]
id = "read"
metric = "read"
part = "read"
take = "iops"
"#;

fn rows(drive: &str, value: f64) -> String {
    format!(
        "[[published]]\ndrive = \"{drive}\"\nmodel = \"{drive}.toml\"\nsource = \"s\"\n\
         test = \"small\"\nunit = \"IOPS\"\n\
         rows = [{{ what = \"read\", figure = \"read\", state = \"new\", value = {value:?} }}]\n"
    )
}

/// Writes two drives with a part, one without, one that is predicted, and their measured rows.
fn set_up(dir: &Path) {
    let line = DEMO
        .lines()
        .find(|line| line.starts_with("read_command_ns"))
        .unwrap();
    let free = "read_command_ns = { value = 30000, source = \"fitted: a test\", \
                free = [4000, 60000] }";
    let part = format!("schema = \"stend.part/2\"\ntitle = \"p\"\n[controller]\n{free}\n");
    fs::write(dir.join("core.toml"), part).unwrap();
    let drive = |name: &str, line: &str, head: &str| {
        let old = DEMO
            .lines()
            .find(|line| line.starts_with("read_command_ns"))
            .unwrap();
        let text = DEMO.replace(old, line);
        let head = format!("name = \"{name}\"\n{head}");
        let text = text.replacen("name = \"demo-8gb\"", &head, 1);
        fs::write(dir.join(format!("{name}.toml")), text).unwrap();
    };
    drive("a", "", "include = [\"core.toml\"]");
    drive("b", "", "include = [\"core.toml\"]");
    drive("own", free, "");
    drive("never", line, "predicted = true");
    measured(dir, 60_000.0);
}

fn measured(dir: &Path, of_a: f64) {
    let drives = [
        ("a", of_a),
        ("b", 60_000.0),
        ("own", 60_000.0),
        ("never", 60_000.0),
    ];
    let rows = drives.map(|(drive, value)| rows(drive, value)).concat();
    fs::write(dir.join("figures.toml"), format!("{TEST}{rows}")).unwrap();
}

const ARGS: [&str; 4] = ["fit", "--leave-one-out", "--to", "figures.toml"];

fn table(dir: &Path, more: &[&str]) -> Value {
    json(&ok(dir, &[&ARGS[..], &["--json"], more].concat()).stdout)
}

fn drive<'a>(table: &'a Value, name: &str) -> &'a Value {
    let drives = list(&table["drives"]);
    drives.iter().find(|drive| drive["drive"] == name).unwrap()
}

#[test]
fn the_table_of_drives_left_out() {
    let dir = folder();
    let dir = dir.path();
    set_up(dir);
    let told = table(dir, &["--table", "table.md"]);
    assert_eq!(told["schema"], "stend.fit-leave-one-out/1");
    assert_eq!(told["all"]["drives"], 4);
    assert_eq!(told["all"]["answered"], 4);
    assert_eq!(told["changed"]["drives"], 3);
    let a = drive(&told, "a.toml");
    assert_eq!((&a["fitted"], &a["middle"]), (&1.into(), &0.into()));
    assert_eq!(a["fitted_on"], serde_json::json!(["b.toml"]));
    assert!(number(&a["error_median_shipped"]) > 0.3, "{a:#}");
    assert!(number(&a["error_median_left_out"]) < 0.05, "{a:#}");
    let own = drive(&told, "own.toml");
    assert_eq!((&own["fitted"], &own["middle"]), (&0.into(), &1.into()));
    assert_eq!(own["figures"][0]["origin"], "middle");
    let never = drive(&told, "never.toml");
    assert_eq!(never["predicted"], true);
    assert_eq!(never["rows"][0]["shipped"], never["rows"][0]["left_out"]);
    let kept = fs::read_to_string(dir.join("fit-leave-one-out/leave-one-out.json")).unwrap();
    assert_eq!(json(&kept), told);
    let markdown = fs::read_to_string(dir.join("table.md")).unwrap();
    for part in [
        "Over all 4 rows of 4 drives, the median error is ",
        "| drive | rows | error as shipped | error when left out | fitted on |",
        "| 1 on b.toml |",
        "| nothing shared; 1 in the middle |",
        "| predicted |",
    ] {
        assert!(markdown.contains(part), "{part}\n{markdown}");
    }

    // Finished drives are not computed again.
    let again = ok(dir, &ARGS);
    assert!(
        again.stderr.contains("a.toml: finished before"),
        "{}",
        again.stderr
    );
    assert!(!again.stderr.contains("generation"), "{}", again.stderr);
    assert!(again.stdout.contains("nothing shared"), "{}", again.stdout);

    // The rows of a drive do not change the figures fitted for it.
    measured(dir, 20_000.0);
    let other = table(dir, &["a.toml"]);
    let new = drive(&other, "a.toml");
    assert_eq!(new["figures"], a["figures"]);
    assert_ne!(new["rows"], a["rows"]);
    assert_eq!(list(&other["drives"]).len(), 1);
}

#[test]
fn the_table_goes_on_by_the_same_command() {
    let dir = folder();
    let dir = dir.path();
    set_up(dir);
    let whole = table(dir, &["--generations", "4", "--out", "whole"]);
    table(dir, &["a.toml", "--generations", "2", "--out", "parts"]);
    let args = [
        &ARGS[..],
        &["--json", "--generations", "4", "--out", "parts"],
    ]
    .concat();
    let rest = ok(dir, &args);
    assert!(
        rest.stderr
            .contains("a.toml (1 of 4), resuming after generation 2"),
        "{}",
        rest.stderr
    );
    assert!(rest.stderr.contains("min left"), "{}", rest.stderr);
    assert_eq!(json(&rest.stdout), whole);
    let more = ["--seed", "2", "--out", "parts"];
    fails(
        dir,
        &[&ARGS[..], &more].concat(),
        3,
        &[
            "drive-a.toml-state.json: the state is of another search",
            "another folder",
        ],
    );
    fs::write(dir.join("parts/drive-a.toml.json"), "{").unwrap();
    fails(
        dir,
        &[&ARGS[..], &["--out", "parts"]].concat(),
        3,
        &[
            "drive-a.toml.json is not a result of a drive left out",
            "remove it",
        ],
    );
}

#[test]
fn what_cannot_be_left_out_is_told() {
    let dir = folder();
    let dir = dir.path();
    set_up(dir);
    let with = |more: &[&'static str]| [&ARGS[..], more].concat();
    fails(
        dir,
        &with(&["nosuch"]),
        3,
        &[
            "no measured figures of `nosuch`",
            "a.toml, b.toml, never.toml, own.toml",
        ],
    );
    fails(dir, &with(&["--tests", "x"]), 3, &["no test `x`", "small"]);
    fails(
        dir,
        &with(&["--in-place"]),
        2,
        &["--in-place", "--leave-one-out"],
    );
    fails(
        dir,
        &["fit", "demo-8gb", "--to", "figures.toml", "--table", "t.md"],
        2,
        &["--leave-one-out"],
    );
    fails(dir, &["fit", "demo-8gb"], 2, &["--to"]);
    fails(
        dir,
        &with(&["--fit-states", "x"]),
        3,
        &["no state `x`", "new"],
    );
    // All rows are of new drives: no row is left to fit to.
    let told = table(dir, &["--fit-states", "used-35gb", "--out", "none"]);
    let a = drive(&told, "a.toml");
    assert_eq!((&a["shared"], &a["middle"]), (&0.into(), &1.into()));
    assert_eq!(told["all"]["answered"], 4);
    fails(
        dir,
        &["fit", "--leave-one-out", "--to", "no.toml"],
        3,
        &["cannot read", "no.toml"],
    );
    fs::write(dir.join("figures.toml"), TEST).unwrap();
    fails(
        dir,
        &ARGS,
        3,
        &["no drive model can be asked", "names its model"],
    );
    assert!(!dir.join("fit-leave-one-out").exists());
}
