//! Rivals that were simulated before are read from the lab.

use std::path::Path;

use serde_json::Value;

use crate::common::{fails, folder, ids, json, list, ok, program, save, saved, small_model, test};

/// Options that make a review short.
const FEW: [&str; 4] = ["--duration-scale", "0.01", "--tests", "random"];

/// Reviews against the demonstration drive; returns the review and the messages on stderr.
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
    // Another seed, other tests, another duration, or more repetitions need another simulation.
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
    // Reviewed with more tests than are requested later.
    let alone = ["review", "demo-8gb", "--json", "--out", "alone"];
    let more = ["--tests", "random,mixed-sequential"];
    let alone = json(&ok(dir, &[&alone[..], &FEW[..2], &more].concat()).stdout);
    let (review, told) = reviewed(dir, &[&FEW[..], &["--out", "a"]].concat());
    assert!(told.contains("simulated before"), "{told}");
    assert_eq!(ids(&review["rivals"][0]), ["random"]);
    assert_eq!(test(&review["rivals"][0], "random"), test(&alone, "random"));
    // A newer program may simulate differently.
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

#[test]
fn drives_side_by_side_have_the_results_of_one_after_the_other() {
    let dir = folder();
    let reviewed = |threads: &str| {
        let dir = dir.path().join(threads);
        std::fs::create_dir(&dir).unwrap();
        let args = ["review", "--json", "demo-8gb", "--threads", threads];
        let set = ["--set", "gc.depth=2"];
        small_model(&dir, "small");
        let rivals = "./small.toml,demo-8gb";
        let more = ["--tests", "random,mixed-sequential", "--against", rivals];
        let scale = ["--duration-scale", "0.01"];
        json(&ok(&dir, &[&args[..], &set, &more, &scale].concat()).stdout)
    };
    let [one, both] = ["1", "2"].map(reviewed);
    assert_eq!(list(&one["rivals"]).len(), 2);
    assert!(both["complete"].as_bool().unwrap());
    for part in ["target", "tests", "rivals", "conditions", "failed"] {
        assert!(one[part] == both[part], "{part} differ");
    }
}

#[test]
fn what_is_finished_of_a_rival_is_kept_before_the_drive_has_a_result() {
    let dir = folder();
    let dir = dir.path();
    // The drive, with less than an eighth of its size, takes several times as long as its rival.
    let args = ["review", "sandisk-ultra-ii-240gb", "--json", "--out", "a"];
    let size = ["--set", "capacity.user_bytes=27999997952"];
    let blocks = ["--set", "nand.blocks_per_plane=275"];
    let scale = ["--tests", "degradation", "--duration-scale", "0.02"];
    let against = ["--threads", "2", "--against", "demo-8gb"];
    let args = [&args[..], &size, &blocks, &scale, &against].concat();
    let mut child = program(dir, &args);
    let mut child = child.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let file = dir.join("a/review.json");
    while !file.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let child_id = child.id().to_string();
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args(["-INT", &child_id]).status().unwrap().success());
    let said = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&said.stderr);
    assert!(told.contains("1 finished test is saved in"), "{told}");
    let part = saved(&dir.join("a"));
    assert_eq!(list(&part["tests"]).len(), 0);
    let rival = &list(&part["rivals"])[0];
    assert_eq!(ids(rival), ["degradation"]);
    let resumed = json(&ok(dir, &args).stdout);
    assert_eq!(resumed["rivals"][0], *rival);
    assert_eq!(ids(&resumed), ["degradation"]);
    assert!(resumed["complete"].as_bool().unwrap());
}

#[test]
fn what_a_named_rival_has_finished_is_not_dropped_when_it_is_no_longer_named() {
    let dir = folder();
    let dir = dir.path();
    let ultra = "sandisk-ultra-ii-240gb";
    let plan = json(&ok(dir, &["review", ultra, "--plan", "--json"]).stdout);
    let target = |nth: usize| plan["targets"][nth]["target"].clone();
    // As if interrupted when only the rival had finished a test.
    let mut review = reviewed(dir, &[&FEW[..], &["--out", "a"]].concat()).0;
    let mut finished = review["tests"][0].clone();
    finished["id"] = "recovery".into();
    review["complete"] = false.into();
    review["target"] = target(0);
    review["tests"] = Value::Array(Vec::new());
    review["rivals"] = serde_json::json!([{ "target": target(1), "tests": [finished] }]);
    std::fs::create_dir(dir.join("b")).unwrap();
    save(&dir.join("b"), &review);
    let args = ["review", ultra, "--out", "b"];
    let told = "recovery of Samsung 840 EVO 250 GB (name it with --against)";
    fails(dir, &args, 3, &["leaves out", told]);
    let twice = ["review", ultra, "--against", "demo-8gb,demo-8gb"];
    fails(dir, &twice, 3, &["demo-8gb is named twice as a rival"]);
}
