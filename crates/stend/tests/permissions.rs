//! Files and devices of other users: one exit code in every case. Tested as `nobody`, because root
//! has all permissions.

use crate::common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use common::{Loop, MIB, fails_as, have_root_and, ok, tool};
use tempfile::TempDir;

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");
const TOKEN: &str = "loop:disk.img";

/// Creates a folder that every user can access, with the program in it.
fn folder_for_all() -> TempDir {
    let dir = TempDir::new_in("/var/tmp").unwrap();
    allow(dir.path(), 0o777);
    let (from, to) = (env!("CARGO_BIN_EXE_stend"), dir.path().join("stend"));
    let copy = format!("ln '{from}' '{0}' || cp '{from}' '{0}'", to.display());
    tool("sh", &["-c", &copy]);
    dir
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Runs the program as a user who owns nothing.
fn as_nobody(dir: &Path, args: &[&str]) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(dir.join("stend"))
        .args(args)
        .current_dir(dir)
        .env("STEND_LAB", dir.join("nobody.db"))
        .env_remove("STEND_FIO")
        .timeout(Duration::from_secs(240));
    command
}

/// Creates files of root: `secret*`, which others cannot read, `theirs*`, which others cannot
/// write; and a folder `shut`, which others cannot enter.
fn belongings(dir: &Path) {
    for folder in ["shut", "theirs"] {
        fs::create_dir(dir.join(folder)).unwrap();
    }
    let job = "[a]\nrw=read\nsize=1m\n";
    fs::write(dir.join("j.fio"), job).unwrap();
    let edition = fs::read_to_string(common::tiny_edition(dir)).unwrap();
    for (name, text) in [
        ("secret.fio", job),
        ("secret.toml", DEMO),
        ("secret-edition.toml", &edition),
        ("secret.log", "fio version 2 iolog\n"),
    ] {
        fs::write(dir.join(name), text).unwrap();
    }
    for name in ["secret.bin", "theirs.bin"] {
        fs::write(dir.join(name), vec![7; 2 * MIB as usize]).unwrap();
        allow(&dir.join(name), 0o644);
    }
    for name in ["secret.drive", "theirs/d"] {
        ok(dir, &["drives", "create", "demo-8gb", "--state", name]);
    }
    for name in ["secret.db", "theirs/lab.db"] {
        let quick = ["--duration-scale", "0.01", "--tests", "sequential"];
        let args = ["review", "demo-8gb", "--lab", name, "--out", "theirs/first"];
        ok(dir, &[&args[..], &quick].concat());
    }
    for entry in fs::read_dir(dir).unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with("secret") {
            allow(&entry.path(), 0o600);
        }
    }
    for name in ["theirs/d", "theirs/lab.db"] {
        allow(&dir.join(name), 0o644);
    }
    allow(&dir.join("shut"), 0o700);
    allow(&dir.join("theirs"), 0o755);
}

/// Checks that the program, run as nobody, reports a denied permission with its exit code.
fn denied(dir: &Path, args: &[&str]) {
    fails_as(&mut as_nobody(dir, args), 6, &["ermission"]);
}

#[test]
fn files_and_folders_of_others_have_one_exit_code() {
    if !have_root_and(&["fio", "setpriv"]) {
        return;
    }
    let dir = folder_for_all();
    let dir = dir.path();
    belongings(dir);
    for args in [
        &["run", "secret.fio", "--on", "demo-8gb"][..],
        &["review", "./secret.toml"],
        &["drives", "check", "secret.toml"],
        &["review", "demo-8gb", "--edition", "./secret-edition.toml"],
        &["replay", "secret.log", "--on", "demo-8gb"],
        &["claims", "secret.toml"],
        &["drive", "health", "secret.drive"],
        &["run", "j.fio", "--on", "secret.drive"],
        &["drive", "erase", "theirs/d"],
        &["run", "j.fio", "--on", "theirs/d"],
        &["drives", "create", "demo-8gb", "--state", "theirs/new"],
        &["review", "./secret.bin", "--destroy", "secret.bin"],
        &["review", "./secret.bin", "--read-only"],
        &["review", "./theirs.bin", "--destroy", "theirs.bin"],
        &["drive", "trim", "theirs.bin", "--destroy", "theirs.bin"],
        &["run", "j.fio", "--on", "theirs/new.bin", "--size", "8MiB"],
        &["run", "j.fio", "--on", "shut/new.bin", "--size", "8MiB"],
        &["run", "j.fio", "--on", "theirs", "--size", "8MiB"],
        &["run", "j.fio", "--on", "demo-8gb", "--output", "theirs/x"],
        &["review", "demo-8gb", "--out", "theirs/out"],
        &["traces", "make", "excel", "--out", "theirs/t"],
    ] {
        denied(dir, args);
    }
}

#[test]
fn labs_of_others_have_the_same_exit_code() {
    if !have_root_and(&["setpriv"]) {
        return;
    }
    let dir = folder_for_all();
    let dir = dir.path();
    belongings(dir);
    for args in [
        &["lab", "--lab", "secret.db"][..],
        &["lab", "--lab", "shut/lab.db"],
        &["lab", "merge", "secret.db"],
        &["lab", "export", "theirs/export", "--lab", "theirs/lab.db"],
        &["review", "demo-8gb", "--lab", "shut/lab.db"],
    ] {
        denied(dir, args);
    }
    // The message is SQLite's.
    for lab in ["theirs/lab.db", "theirs/new.db"] {
        let args = ["review", "demo-8gb", "--lab", lab, "--out", "out"];
        fails_as(&mut as_nobody(dir, &args), 6, &[lab]);
        assert!(!dir.join("out").exists(), "nothing was measured");
    }
}

#[test]
fn devices_have_the_same_exit_code() {
    if !have_root_and(&["fio", "setpriv", "losetup", "blkid", "smartctl", "hdparm"]) {
        return;
    }
    let dir = folder_for_all();
    let dir = dir.path();
    fs::write(dir.join("j.fio"), "[a]\nrw=write\nsize=1m\n").unwrap();
    let device = Loop::new(16 * MIB);
    let node = device.node();
    for args in [
        &["review", node, "--destroy", TOKEN][..],
        &["run", "j.fio", "--on", node, "--destroy", TOKEN],
        &["drive", "trim", node, "--destroy", TOKEN],
        &["drive", "erase", node, "--destroy", TOKEN],
        &["drive", "write-cache", node, "off"],
        &["review", node, "--read-only"],
    ] {
        denied(dir, args);
    }
    // The message is smartctl's.
    fails_as(&mut as_nobody(dir, &["drive", "health", node]), 6, &[node]);
    assert!(fs::read(node).unwrap().iter().all(|byte| *byte == 0));
}
