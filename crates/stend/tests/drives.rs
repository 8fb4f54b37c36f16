//! `stend drives`: the shipped models, and the user's own files that include shipped parts.

use crate::common;

use std::fs;

use common::{fails, folder, json, ok};

const ULTRA_II: &str = "sandisk-ultra-ii-240gb";

#[test]
fn the_list_is_one_line_a_drive() {
    let dir = folder();
    let list = ok(dir.path(), &["drives"]).stdout;
    let said = json(&ok(dir.path(), &["drives", "--json"]).stdout);
    let drives = said["drives"].as_array().unwrap();
    assert!(drives.len() >= 38, "{}", drives.len());
    let mut lines = list.lines();
    let head = lines.next().unwrap().split_whitespace().collect::<Vec<_>>();
    assert_eq!(
        head,
        [
            "model",
            "size",
            "interface",
            "flash",
            "SLC",
            "cache",
            "year"
        ]
    );
    assert_eq!(lines.clone().count(), drives.len());
    for (line, drive) in lines.zip(drives) {
        let told = |key: &str| drive[key].as_str().unwrap();
        assert!(line.starts_with(&format!("{} ", told("name"))), "{line}");
        let rest = format!("  {}  {}", told("link"), told("cells"));
        let spaced = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(spaced.contains(&rest), "{line}");
        assert!(line.len() <= 80, "{line}");
    }
    let of = |name: &str| list.lines().find(|line| line.starts_with(name)).unwrap();
    let row = of("samsung-860-evo-500gb ")
        .split_whitespace()
        .collect::<Vec<_>>();
    let expected = "samsung-860-evo-500gb 500 GB SATA 64-layer TLC 22.0 GB 2018";
    assert_eq!(row.join(" "), expected);
    let row = of("intel-ssd-750-400gb ")
        .split_whitespace()
        .collect::<Vec<_>>();
    assert_eq!(
        row.join(" "),
        "intel-ssd-750-400gb 400 GB NVMe 3.0 x4 20 nm MLC - 2015"
    );
}

#[test]
fn a_shown_model_needs_no_other_file() {
    let dir = folder();
    let dir = dir.path();
    let shown = ok(dir, &["drives", "show", ULTRA_II]).stdout;
    assert!(!shown.contains("include ="), "{shown}");
    assert!(shown.contains("program_us = { value = [505.0"), "{shown}");
    let said = json(&ok(dir, &["drives", "show", ULTRA_II, "--json"]).stdout);
    assert_eq!(said["file"].as_str().unwrap(), shown);
    fs::write(dir.join("mine.toml"), &shown).unwrap();
    ok(dir, &["drives", "check", "mine.toml"]);
    // A state file of the same drive has the same fingerprint.
    ok(dir, &["drives", "create", ULTRA_II, "--state", "shipped"]);
    ok(dir, &["drives", "create", "mine.toml", "--state", "mine"]);
    let bytes = |name: &str| fs::read(dir.join(name)).unwrap();
    assert!(bytes("shipped") == bytes("mine"));
}

#[test]
fn a_file_of_ones_own_includes_shipped_parts_and_others_beside_it() {
    let dir = folder();
    let dir = dir.path();
    let own = include_str!("../../../drives/sandisk-ultra-ii-240gb.toml");
    fs::write(dir.join("mine.toml"), own).unwrap();
    ok(dir, &["drives", "check", "./mine.toml"]);
    let resolved = ok(dir, &["drives", "show", "mine.toml"]).stdout;
    assert_eq!(resolved, ok(dir, &["drives", "show", ULTRA_II]).stdout);
    fs::create_dir(dir.join("hosts")).unwrap();
    let host = include_str!("../../../drives/hosts/sata-desktop.toml");
    let slow = host.replace("queue_slots = { value = 32", "queue_slots = { value = 33");
    fs::write(dir.join("hosts/sata-desktop.toml"), &slow).unwrap();
    let line = 1 + slow.lines().position(|l| l.contains("= 33")).unwrap();
    let place = format!("hosts/sata-desktop.toml:{line}: host.queue_slots: 33");
    fails(dir, &["drives", "check", "mine.toml"], 3, &[&place]);
    let part = ["drives", "check", "hosts/sata-desktop.toml"];
    fails(dir, &part, 3, &["it is a part of drive models"]);
}

#[test]
fn a_name_that_is_nearly_right_is_told_with_those_like_it() {
    let dir = folder();
    let show = ["drives", "show", "samsung-850-pro"];
    let said = fails(
        dir.path(),
        &show,
        3,
        &["samsung-850-pro-256gb", "stend drives"],
    );
    assert!(!said.contains("sandisk"), "{said}");
}
