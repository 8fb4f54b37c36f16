//! `--until-steady`, and the report of rounds.

use crate::common;

use std::fs;
use std::path::Path;

use common::{fails, folder, list, mortal_model, number, ok, review, test, tiny_edition};

const SHORT: [&str; 4] = ["--edition", "rested.toml", "--duration-scale", "0.05"];

/// Writes the model of a small drive, which soon reaches its steady state, and an edition with
/// rests that give a drive time to free space.
fn prepare(dir: &Path) {
    let text = fs::read_to_string(tiny_edition(dir)).unwrap();
    let rested = text.replace(
        "idle = { duration_s = 0.01 }",
        "idle = { duration_s = 1200 }",
    );
    assert_ne!(rested, text);
    fs::write(dir.join("rested.toml"), rested).unwrap();
    let text = fs::read_to_string(mortal_model(dir)).unwrap();
    let small = text.replace("_cycles = { value = ", "_cycles = { value = 1000");
    fs::write(dir.join("small.toml"), small).unwrap();
}

#[test]
fn a_test_starts_from_a_steady_state_on_wish() {
    let dir = folder();
    let dir = dir.path();
    prepare(dir);
    let args = [
        "./small.toml",
        "--tests",
        "random,degradation",
        "--out",
        "out",
        "--until-steady",
    ];
    let steady = review(dir, &[&args[..], &SHORT].concat());
    assert_eq!(steady["until_steady"], "random-write-4k");
    // The number of threads does not change even their order.
    let alone = [
        &args[..3],
        &["--out", "alone", "--until-steady", "--threads", "1"],
    ];
    let alone = review(dir, &[&alone.concat()[..], &SHORT].concat());
    assert_eq!(alone["tests"], steady["tests"]);
    assert_eq!(alone["conditions"], steady["conditions"]);
    let command = steady["reproduce"].as_str().unwrap();
    assert!(
        command.contains("--until-steady=random-write-4k"),
        "{command}"
    );
    let starts = list(&test(&steady, "random")["steady_starts"]);
    // Reads start from `filled`, writes from `clean`, each with its own steady state.
    let states: Vec<&str> = starts
        .iter()
        .map(|s| s["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["filled-steady", "clean-steady"]);
    starts.iter().for_each(check_start);
    // It changes the result: in steady state, a second of writes finds no free space.
    let plain = [
        "./small.toml",
        "--tests",
        "random,degradation",
        "--out",
        "plain",
    ];
    let plain = review(dir, &[&plain[..], &SHORT].concat());
    let written = |review: &serde_json::Value| {
        let samples = list(&test(review, "degradation")["series"][0]["samples"]);
        number(&samples[samples.len() - 1]["written_bytes"])
    };
    let (steady, fresh) = (written(&steady), written(&plain));
    assert!(steady < 0.8 * fresh, "{steady} {fresh}");
    assert_eq!(test(&plain, "random").get("steady_starts"), None);

    let page = fs::read_to_string(dir.join("out/index.html")).unwrap();
    assert!(page.contains("Steady state before the test (state “clean-steady”)"));
}

/// Checks a steady start: rounds of a minute, scaled, of random 4 KiB writes.
fn check_start(start: &serde_json::Value) {
    let rounds = number(&start["rounds"]);
    assert!((5.0..=25.0).contains(&rounds), "{start}");
    assert_eq!(start["load"]["block_bytes"], 4096);
    assert_eq!(number(&start["round_s"]), 3.0);
    let steady =
        number(&start["spread_share"]) <= 0.2 && number(&start["drift_share"]).abs() <= 0.1;
    assert_eq!(start["reached"], steady, "{start}");
    let written = number(&start["written_bytes"]) / rounds / 3.0 / 4096.0;
    let mean = number(&start["iops_mean"]);
    assert!(written > 0.2 * mean && written < 5.0 * mean, "{start}");
}

#[test]
fn the_terminal_says_how_a_steady_state_was_reached() {
    let dir = folder();
    let dir = dir.path();
    prepare(dir);
    let said = ok(
        dir,
        &[
            &[
                "review",
                "./small.toml",
                "--tests",
                "random",
                "--out",
                "o",
                "--until-steady=random-write-128k",
            ][..],
            &SHORT,
        ]
        .concat(),
    );
    assert!(
        said.stdout.contains("  steady state before it: "),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout
            .contains("of random write, 128 KiB, queue depth 32"),
        "{}",
        said.stdout
    );
    let verdict = said
        .stdout
        .contains("It starts from steady state, reached after")
        || said.stdout.contains("It does NOT start from steady state");
    assert!(verdict, "{}", said.stdout);
}

#[test]
fn what_cannot_be_made_steady_is_told() {
    let dir = folder();
    let dir = dir.path();
    let args = ["review", "demo-8gb", "--until-steady=fast"];
    fails(dir, &args, 2, &["random-write-4k", "random-write-128k"]);
    let args = [
        "review",
        "demo-8gb",
        "--edition",
        "snia-pts",
        "--tests",
        "write-saturation",
        "--until-steady",
    ];
    fails(dir, &args, 3, &["--until-steady changes nothing here"]);
}

#[test]
fn rounds_are_counted_in_words() {
    let dir = folder();
    let dir = dir.path();
    tiny_edition(dir);
    let tests = ["steady-iops", "write-saturation"];
    let named = tests.join(",");
    let args = ["review", "demo-8gb", "--edition", "tiny.toml", "--tests"];
    let said = ok(dir, &[&args[..], &[&named, "--out", "out"]].concat()).stdout;
    let saved = common::saved(&dir.join("out"));
    for id in tests {
        let rounds = &test(&saved, id)["rounds"];
        let loads = match list(&rounds["loads"]).len() {
            1 => "1 load".to_owned(),
            several => format!("{several} loads"),
        };
        let line = format!(
            "  {} rounds of {loads}, {:.1} GB written\n",
            list(&rounds["rounds"]).len(),
            number(&rounds["written_bytes"]) / 1e9
        );
        assert!(said.contains(&line), "{line}\n{said}");
    }
    assert!(said.contains("  5 rounds of 4 loads, "), "{said}");
}
