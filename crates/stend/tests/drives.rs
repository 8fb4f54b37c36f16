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
    assert_eq!(list.lines().count(), drives.len());
    assert!(drives.len() >= 38, "{}", drives.len());
    let name_width = drives.iter().map(|d| d["name"].as_str().unwrap().len());
    let width = name_width.max().unwrap();
    for (line, drive) in list.lines().zip(drives) {
        let (name, title) = line.split_at(width);
        assert_eq!(name.trim_end(), drive["name"].as_str().unwrap());
        assert_eq!(title, format!("  {}", drive["title"].as_str().unwrap()));
        assert!(line.len() <= 80, "{line}");
    }
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
