//! Studies from outside: tables, pages, interruptions, refusals.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use common::{fails, folder, json, list, number, ok, program, run, stend};
use serde_json::Value;

const STUDY: &str = r#"
schema = "stend.study/1"
name = "tiny"
title = "Depths"
models = ["demo-8gb"]
prepare = ["fill"]
seeds = [5]
[[factor]]
key = "gc.depth"
values = [1, 4]
[[factor]]
key = "job.depth"
values = [1, 32]
[[job]]
name = "w"
text = "[w]\nrw=randwrite\nbs=4k\niodepth={depth}\nsize=64m\n"
"#;

fn write(dir: &Path, name: &str, text: &str) {
    fs::write(dir.join(name), text).unwrap();
}

/// Table of a study: rows of columns.
fn rows(dir: &Path, path: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(dir.join(path)).unwrap();
    let lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    lines.map(Iterator::collect).collect()
}

#[test]
fn a_study_is_a_table_a_page_and_in_the_lab() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "s.toml", STUDY);
    let plan = json(&ok(dir, &["sweep", "s.toml", "--plan", "--json"]).stdout);
    assert_eq!(plan["schema"], "stend.study-plan/1");
    assert_eq!((&plan["rows"], &plan["states"]), (&4.into(), &2.into()));
    let planned = ok(dir, &["sweep", "s.toml", "--plan"]).stdout;
    assert_eq!(planned, "Depths: 4 rows, beginning from 2 states\n");
    assert!(!dir.join("study-tiny").exists() && !dir.join(".lab").exists());
    let said = ok(dir, &["sweep", "s.toml"]);
    assert!(
        said.stdout.ends_with("study-tiny/index.html\n"),
        "{}",
        said.stdout
    );
    assert!(
        said.stderr.contains("4 rows, 0 of them taken from the lab"),
        "{}",
        said.stderr
    );
    let table = rows(dir, "study-tiny/tiny.csv");
    assert_eq!(
        table[0][..6],
        ["row", "model", "gc.depth", "job.depth", "seed", "job"]
    );
    assert_eq!(table.len(), 5);
    if cfg!(feature = "parquet") {
        let bytes = fs::read(dir.join("study-tiny/tiny.parquet")).unwrap();
        assert_eq!(
            (&bytes[..4], &bytes[bytes.len() - 4..]),
            (&b"PAR1"[..], &b"PAR1"[..])
        );
    }
    // The same study again, without simulations.
    let again = ok(dir, &["sweep", "s.toml", "--json", "--out", "other"]);
    assert!(
        again.stderr.contains("4 of them taken from the lab"),
        "{}",
        again.stderr
    );
    assert_eq!(rows(dir, "other/tiny.csv"), table);
    let fresh = ok(
        dir,
        &["sweep", "s.toml", "--json", "--fresh", "--threads", "1"],
    );
    assert_eq!(fresh.stdout, again.stdout);
    let study = json(&fresh.stdout);
    assert_eq!(list(&study["rows"]).len(), 4);
    let studies = json(&ok(dir, &["lab", "studies", "--json"]).stdout);
    assert_eq!(
        (&studies[0]["rows_done"], studies[1].is_null()),
        (&4.into(), true)
    );
    ok(dir, &["lab", "export", "tables"]);
    assert_eq!(rows(dir, "tables/study_rows.csv").len(), 5);
}

/// A row has the results of `stend run` for the same drive and job.
#[test]
fn a_row_has_the_figures_of_stend_run() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "s.toml", STUDY);
    let study = json(&ok(dir, &["sweep", "s.toml", "--json"]).stdout);
    let model = ok(dir, &["drives", "show", "demo-8gb"]).stdout;
    let line = model
        .lines()
        .find(|line| line.starts_with("depth = "))
        .unwrap();
    write(
        dir,
        "m.toml",
        &model.replace(line, &line.replace("value = 1,", "value = 4,")),
    );
    write(
        dir,
        "j.fio",
        "[w]\nrw=randwrite\nbs=4k\niodepth=32\nsize=64m\n",
    );
    let arguments = [
        "run",
        "j.fio",
        "--on",
        "m.toml",
        "--fill=busy",
        "--seed",
        "5",
    ];
    let arguments = [&arguments[..], &["--output-format", "json"]].concat();
    let job = json(&ok(dir, &arguments).stdout)["jobs"][0]["write"].clone();
    let row = &study["rows"][3];
    assert_eq!(row["factors"], serde_json::json!([4, 32]));
    let outcome = |name: &str| {
        let pair = list(&row["outcomes"]).iter().find(|pair| pair[0] == name);
        number(&pair.unwrap()[1])
    };
    assert_eq!(outcome("iops"), number(&job["iops"]));
    assert_eq!(outcome("latency_max_ns"), number(&job["clat_ns"]["max"]));
    let percentile = &job["clat_ns"]["percentile"]["99.000000"];
    assert_eq!(outcome("latency_p99_ns"), number(percentile));
}

#[test]
fn a_variant_that_fails_is_a_row_and_the_exit_code_tells() {
    let dir = folder();
    let dir = dir.path();
    write(
        dir,
        "s.toml",
        &STUDY
            .replace("gc.depth", "nand.dies")
            .replace("[1, 4]", "[2, 4]"),
    );
    let said = run(&mut stend(dir, &["sweep", "s.toml"]));
    assert_eq!(said.code, Some(7), "{}", said.stderr);
    assert!(
        said.stderr
            .contains("row 0 failed: demo-8gb: capacity.user_bytes"),
        "{}",
        said.stderr
    );
    assert!(said.stdout.contains("4 rows, 2 failed"), "{}", said.stdout);
    let page = common::page_header(&dir.join("study-tiny"));
    assert!(page.contains("2 of 4 rows failed"), "{page}");
    let warning = "warning: invalid settings in 2 of 4 rows; row 0: demo-8gb: capacity.user_bytes";
    assert!(said.stderr.contains(warning), "{}", said.stderr);
    // A study of which no row can have a result is refused, with `--plan` too.
    let none = fs::read_to_string(dir.join("s.toml")).unwrap();
    fs::write(dir.join("none.toml"), none.replace("[2, 4]", "[2, 3]")).unwrap();
    let args = ["sweep", "none.toml", "--plan"];
    fails(dir, &args, 3, &["invalid settings in 4 of 4 rows"]);
}

#[test]
fn wrong_studies_and_folders_of_others_are_refused() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "s.toml", &STUDY.replace("gc.depth", "gc.dept"));
    let nearest = [
        "s.toml:9: factor[0].key: `gc.dept`",
        "the nearest is `gc.depth`",
    ];
    fails(dir, &["sweep", "s.toml"], 3, &nearest);
    fails(
        dir,
        &["sweep", "no.toml"],
        3,
        &["no.toml", "could not be read"],
    );
    write(dir, "s.toml", STUDY);
    let with_parquet = cfg!(feature = "parquet");
    let names = [
        ("index.html", "mine"),
        ("tiny.csv", "mine"),
        ("tiny.csv", "id,arrow,model,note\n1,x,y,mine\n"),
        ("tiny.csv", "row,model,mine\n"),
        ("tiny.parquet", "mine"),
    ];
    for (name, mine) in &names[..names.len() - usize::from(!with_parquet)] {
        let out = dir.join("mine");
        fs::create_dir_all(&out).unwrap();
        fs::write(out.join(name), mine).unwrap();
        fails(
            dir,
            &["sweep", "s.toml", "--out", "mine"],
            4,
            &[name, "is not of a study"],
        );
        assert_eq!(&fs::read_to_string(out.join(name)).unwrap(), mine);
        fs::remove_file(out.join(name)).unwrap();
    }
    // Nor is a file of the user beside the table of an earlier study replaced.
    let study = dir.join("there");
    if with_parquet {
        fs::create_dir_all(&study).unwrap();
        fs::write(study.join("tiny.csv"), "row,model,seed,job,iops,error\n").unwrap();
        fs::write(study.join("tiny.parquet"), "mine").unwrap();
        let args = ["sweep", "s.toml", "--out", "there"];
        fails(dir, &args, 4, &["tiny.parquet", "is not of a study"]);
    }
    fs::create_dir(dir.join("samples")).unwrap();
    let mine = format!(
        "samples/series-0.{}",
        if cfg!(feature = "parquet") {
            "parquet"
        } else {
            "csv"
        }
    );
    fs::write(dir.join(&mine), "mine").unwrap();
    let args = ["sweep", "s.toml", "--out", "new", "--series", "samples"];
    fails(dir, &args, 4, &[&mine]);
    assert!(!dir.join("new").exists(), "nothing was begun");
    assert!(!dir.join(".lab").exists(), "nothing was begun");
    fs::write(dir.join("file"), "mine").unwrap();
    fails(dir, &["sweep", "s.toml", "--out", "file"], 6, &["file"]);
}

#[test]
fn labs_with_studies_are_merged() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "s.toml", STUDY);
    ok(dir, &["sweep", "s.toml", "--lab", "other.db"]);
    let merge = || json(&ok(dir, &["lab", "merge", "other.db", "--json"]).stdout);
    assert_eq!(merge()["studies"], 1);
    assert_eq!(merge()["studies"], 0);
    let said = ok(dir, &["sweep", "s.toml"]);
    assert!(
        said.stderr.contains("4 of them taken from the lab"),
        "{}",
        said.stderr
    );
}

/// After a kill at any moment, the same command resumes and produces the same table.
#[test]
fn a_study_that_was_killed_goes_on() {
    let dir = folder();
    let dir = dir.path();
    let more: Vec<String> = (1..21).map(|depth| depth.to_string()).collect();
    write(
        dir,
        "s.toml",
        &STUDY
            .replace("[1, 32]", &format!("[{}]", more.join(", ")))
            .replace("64m", "1g"),
    );
    let arguments = ["sweep", "s.toml", "--threads", "1"];
    let known = |stderr: &str| -> u64 {
        let line = stderr
            .lines()
            .find(|line| line.contains("taken from the lab"));
        let words = line.unwrap().split_once("rows, ").unwrap().1;
        words.split(' ').next().unwrap().parse().unwrap()
    };
    let done = || {
        // The lab does not exist before the study has begun.
        let said = run(&mut stend(dir, &["lab", "studies", "--json"]));
        let studies = serde_json::from_str(&said.stdout).unwrap_or(Value::Null);
        studies[0]["rows_done"].as_u64().unwrap_or(0)
    };
    let mut before = 0;
    for _ in 0..2 {
        let mut command = program(dir, &arguments);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // Until more rows are stored than before.
        while done() <= before {
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        before = done();
    }
    assert!(before < 40, "it was killed in the middle: {before}");
    let said = ok(dir, &["sweep", "s.toml", "--json"]);
    assert_eq!(known(&said.stderr), before);
    let fresh = ok(dir, &["sweep", "s.toml", "--json", "--fresh"]);
    assert_eq!(said.stdout, fresh.stdout);
    let study: Value = json(&said.stdout);
    assert_eq!(list(&study["rows"]).len(), 40);
}
