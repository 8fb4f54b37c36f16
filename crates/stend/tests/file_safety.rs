//! A file of the user is written only if the user names it twice; a file of stend's own always.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{fails, folder, have, ok, program, tiny, tool};

const LONG: &str = "[w]\nrw=randwrite\nbs=4k\ntime_based\nruntime=60\n";

fn write_jobs(dir: &Path) {
    fs::write(dir.join("j.fio"), "[w]\nrw=write\nbs=64k\n").unwrap();
    fs::write(dir.join("long.fio"), LONG).unwrap();
}

/// Starts a job that runs on the file until it is ended.
fn start(dir: &Path, file: &str) -> Child {
    let mut command = program(dir, &["run", "long.fio", "--on", file]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    let changed = || dir.join(file).metadata().unwrap().modified().unwrap();
    let (before, began) = (changed(), Instant::now());
    // The first change is made by the probe of fio's engines, later ones by the job.
    while changed().duration_since(before).unwrap_or_default() < Duration::from_secs(1) {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "nothing is written"
        );
        sleep(Duration::from_millis(20));
    }
    child
}

#[test]
fn every_command_that_writes_leaves_a_users_file() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    write_jobs(dir);
    let lines: Vec<String> = (1..=600_000).map(|line| line.to_string()).collect();
    let thesis = lines.join("\n");
    fs::write(dir.join("thesis.txt"), &thesis).unwrap();
    let commands: [&[&str]; 5] = [
        &["run", "j.fio", "--on", "thesis.txt"],
        &["run", "j.fio", "--on", "./thesis.txt", "--size", "2MiB"],
        &["review", "./thesis.txt"],
        &["review", "demo-8gb", "--against", "./thesis.txt"],
        &["replay", "word", "--on", "thesis.txt"],
    ];
    for command in commands {
        fails(dir, command, 4, &["--destroy thesis.txt", "begins with"]);
        let wrong = [command, &["--destroy", "thesis"]].concat();
        fails(dir, &wrong, 4, &["--destroy thesis does not name it"]);
        assert!(fs::read(dir.join("thesis.txt")).unwrap() == thesis.as_bytes());
    }
    let named = [commands[0], &["--destroy", "thesis.txt"]].concat();
    ok(dir, &named);
    assert!(fs::read(dir.join("thesis.txt")).unwrap() != thesis.as_bytes());
}

#[test]
fn several_targets_are_named_each() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    for name in ["a.bin", "b.bin"] {
        fs::write(dir.join(name), vec![7; 2 << 20]).unwrap();
    }
    let args = tiny(dir, &["./a.bin", "--against", "./b.bin"], "sequential");
    let one = [&args[..], &["--destroy", "a.bin"]].concat();
    fails(dir, &one, 4, &["./b.bin", "--destroy b.bin"]);
    assert_eq!(fs::read(dir.join("b.bin")).unwrap(), vec![7; 2 << 20]);
    let both = [&args[..], &["--destroy", "a.bin", "--destroy", "b.bin"]].concat();
    ok(dir, &both);
}

#[test]
fn a_file_of_its_own_needs_a_name_after_sigkill_and_none_after_a_signal() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    write_jobs(dir);
    ok(dir, &["run", "j.fio", "--on", "own.bin", "--size", "8MiB"]);
    let again = ["run", "j.fio", "--on", "own.bin"];
    ok(dir, &again);
    let mut child = start(dir, "own.bin");
    let who = format!("stend (process {})", child.id());
    fails(dir, &again, 4, &["it is being tested", &who]);
    tool("kill", &["-s", "TERM", &child.id().to_string()]);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    ok(dir, &again);
    let mut child = start(dir, "own.bin");
    child.kill().unwrap();
    child.wait().unwrap();
    // fio ends a moment later, because its parent has ended.
    sleep(Duration::from_secs(1));
    fails(
        dir,
        &again,
        4,
        &["or a run was killed", "--destroy own.bin"],
    );
    ok(dir, &[&again[..], &["--destroy", "own.bin"]].concat());
    ok(dir, &again);
}
