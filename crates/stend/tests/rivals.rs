//! Rivals that were simulated before are taken from the lab.

use std::path::Path;

use serde_json::Value;

use crate::common::{folder, json, ok};

/// What makes a review short.
const FEW: [&str; 4] = ["--duration-scale", "0.01", "--tests", "random"];

/// A review against the demonstration drive, and what was told meanwhile.
fn reviewed(dir: &Path, more: &[&str]) -> (Value, String) {
    let head = ["review", "--json", "demo-8gb", "--set", "gc.depth=2"];
    let said = ok(dir, &[&head, more].concat());
    (json(&said.stdout), said.stderr)
}

#[test]
fn the_same_simulation_is_not_repeated() {
    let dir = folder();
    let dir = dir.path();
    let taken = "Demonstration drive, 8 GB: simulated before, run ";
    let (first, told) = reviewed(dir, &[&FEW[..], &["--out", "a"]].concat());
    assert!(!told.contains(taken), "{told}");
    let (again, told) = reviewed(dir, &[&FEW[..], &["--out", "b"]].concat());
    assert!(told.contains(taken), "{told}");
    assert_eq!(again["rivals"], first["rivals"], "to the byte");
    assert!(again["complete"].as_bool().unwrap());
    // Of another seed, other tests, another duration, more repetitions: another simulation.
    let [scale, of_tests] = [&FEW[..2], &FEW[2..]];
    let others = [
        [scale, of_tests, &["--seed", "2", "--out", "c"]],
        [
            scale,
            &["--tests", "random,mixed-sequential"],
            &["--out", "d"],
        ],
        [&["--duration-scale", "0.02"], of_tests, &["--out", "e"]],
        [scale, of_tests, &["--repeat", "2", "--out", "f"]],
    ];
    for other in others {
        let (review, told) = reviewed(dir, &other.concat());
        assert!(!told.contains(taken), "{other:?}: {told}");
        assert_ne!(review["rivals"], first["rivals"], "{other:?}");
    }
}

#[test]
fn a_drive_that_was_reviewed_itself_is_known_as_a_rival() {
    let dir = folder();
    let dir = dir.path();
    let alone = ["review", "demo-8gb", "--json", "--out", "alone"];
    let alone = json(&ok(dir, &[&alone, &FEW[..]].concat()).stdout);
    let (review, told) = reviewed(dir, &[&FEW[..], &["--out", "a"]].concat());
    assert!(told.contains("simulated before"), "{told}");
    assert_eq!(review["rivals"][0]["tests"], alone["tests"]);
    // A newer program may simulate otherwise.
    let program = dir.join("stend");
    std::fs::copy(env!("CARGO_BIN_EXE_stend"), &program).unwrap();
    let mut newer = std::process::Command::new(&program);
    newer.args(["review", "demo-8gb", "--set", "gc.depth=2", "--out", "new"]);
    newer.args(FEW).current_dir(dir);
    newer.env("STEND_LAB", dir.join(".lab/lab.db"));
    let said = newer.output().unwrap();
    let told = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.status.success(), "{told}");
    assert!(!told.contains("simulated before"), "{told}");
}
