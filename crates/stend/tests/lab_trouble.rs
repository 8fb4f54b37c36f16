//! A lab that cannot be written: messages, and no loss of data.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{
    Mounted, fails, folder, have, have_root_and, json, list, ok, program, run, saved, stend, tiny,
};
use rusqlite::Connection;

const QUICK: [&str; 6] = [
    "review",
    "demo-8gb",
    "--duration-scale",
    "0.01",
    "--tests",
    "sequential",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&QUICK, more].concat()
}

fn runs(dir: &Path, lab: &str) -> usize {
    list(&json(
        &ok(dir, &["lab", "list", "--json", "--lab", lab]).stdout,
    ))
    .len()
}

#[test]
fn a_full_disk_costs_no_run_and_no_report() {
    if !have_root_and(&["mount"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let disk = Mounted::new(&["-t", "tmpfs", "-o", "size=600k", "none"]);
    let lab = disk.path().join("lab.db");
    let lab = lab.to_str().unwrap();
    ok(dir, &with(&["--lab", lab, "--out", "first"]));
    let shown = ok(dir, &["lab", "show", "1", "--json", "--lab", lab]).stdout;
    // Fills the remaining space.
    let filler = disk.path().join("filler");
    let _no_room = fs::write(&filler, vec![0; 1 << 20]).unwrap_err();
    let args = with(&["--lab", lab, "--out", "second"]);
    let said = fails(dir, &args, 6, &["no room for the lab"]);
    assert!(said.contains(lab), "{said}");
    // The report is on another disk.
    assert!(saved(&dir.join("first"))["complete"] == true);
    fs::remove_file(&filler).unwrap();
    assert_eq!(
        ok(dir, &["lab", "show", "1", "--json", "--lab", lab]).stdout,
        shown
    );
    ok(dir, &with(&["--lab", lab, "--out", "third"]));
    assert_eq!(runs(dir, lab), 2);
}

/// As on a read-only medium, or in another user's folder.
#[test]
fn a_lab_where_nothing_can_be_written_is_read_and_merged() {
    if !have_root_and(&["mount", "umount"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let theirs = dir.join("what's 50% read?");
    fs::create_dir(&theirs).unwrap();
    let lab = theirs.join("lab.db");
    ok(
        dir,
        &with(&["--lab", lab.to_str().unwrap(), "--out", "first"]),
    );
    let shut = Mounted::new(&["-o", "bind,ro", theirs.to_str().unwrap()]);
    let lab = shut.path().join("lab.db");
    let lab = lab.to_str().unwrap();
    let shown = ok(dir, &["lab", "show", "1", "--json", "--lab", lab]).stdout;
    ok(dir, &["lab", "merge", lab, "--lab", "ours.db"]);
    let merged = ok(dir, &["lab", "show", "1", "--json", "--lab", "ours.db"]).stdout;
    assert_eq!(merged, shown);
    fails(dir, &with(&["--lab", lab, "--out", "second"]), 6, &[lab]);
    assert!(!dir.join("second/review.json").exists(), "before measuring");
}

#[test]
fn a_lab_that_is_locked_is_waited_for_and_said() {
    let dir = folder();
    let dir = dir.path();
    ok(dir, &with(&["--lab", "lab.db", "--out", "first"]));
    let other = Connection::open(dir.join("lab.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Reading is still possible.
    assert_eq!(runs(dir, "lab.db"), 1);
    let args = ["lab", "delete", "1", "--lab", "lab.db"];
    fails(
        dir,
        &args,
        6,
        &["being written by another program", "try again"],
    );
    // A writer that ends in time is waited for.
    let args = with(&["--lab", "lab.db", "--out", "second"]);
    let waiting = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| stend(dir, &args).output().unwrap());
        std::thread::sleep(std::time::Duration::from_secs(3));
        other.execute_batch("COMMIT").unwrap();
        waiting.join().unwrap()
    });
    assert!(waiting.status.success(), "{waiting:?}");
    assert_eq!(runs(dir, "lab.db"), 2);
}

#[test]
fn a_damaged_lab_is_found_before_anything_is_begun() {
    let dir = folder();
    let dir = dir.path();
    ok(dir, &with(&["--lab", "lab.db", "--out", "first"]));
    let mut bytes = fs::read(dir.join("lab.db")).unwrap();
    // The header and the list of tables are intact.
    let half = bytes.len() / 2 / 4096 * 4096;
    bytes[half..].fill(0x55);
    fs::write(dir.join("lab.db"), &bytes).unwrap();
    let damaged = ["lab.db", "the lab is damaged", "sqlite3"];
    let args = with(&["--lab", "lab.db", "--out", "second"]);
    fails(dir, &args, 3, &damaged);
    // Reported before the user is asked to name the target again.
    fs::write(dir.join("thesis.txt"), "chapter 1\n".repeat(200_000)).unwrap();
    let args = ["review", "./thesis.txt", "--lab", "lab.db"];
    let said = fails(dir, &args, 3, &damaged);
    assert!(!said.contains("--destroy"), "{said}");
    assert!(!dir.join("second").exists() && !dir.join("review-thesis").exists());
    assert_eq!(fs::read(dir.join("lab.db")).unwrap(), bytes);
}

#[test]
fn a_place_where_no_lab_can_be_made_is_found_before_anything_is_begun() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("file"), "text").unwrap();
    // /proc cannot be written to.
    for lab in ["/proc/none", "/proc/none/lab.db", "file/lab.db"] {
        let expected = [lab, "no lab can be made there", "--lab"];
        fails(dir, &with(&["--lab", lab, "--out", "o"]), 6, &expected);
        let claims = ["claims", "--drives", "crucial-mx100-256gb", "--lab", lab];
        fails(dir, &claims, 6, &expected);
    }
    assert_eq!(fs::read_dir(dir).unwrap().count(), 1, "the file alone");
}

#[test]
fn a_lab_that_is_named_and_not_there_is_an_error() {
    let dir = folder();
    let dir = dir.path();
    for lab in ["absent/lab.db", "absent", "lab.db"] {
        fails(
            dir,
            &["lab", "--lab", lab],
            3,
            &[lab, "there is no lab yet"],
        );
        let args = ["lab", "list", "--json", "--lab", lab];
        fails(dir, &args, 3, &["there is no lab yet"]);
    }
    assert_eq!(fs::read_dir(dir).unwrap().count(), 0);
    // The user has not named the place of the first lab.
    let mut first = stend(dir, &["lab", "list", "--json"]);
    let said = run(first.env_remove("STEND_LAB").env("XDG_DATA_HOME", dir));
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "[]\n"));
    assert_eq!(fs::read_dir(dir).unwrap().count(), 0);
}

/// Reviews a file, and calls `disturb` when the lab at `lab` has the first finished test.
fn disturbed(dir: &Path, lab: &Path, disturb: impl FnOnce()) -> Output {
    let target = [
        "drive.bin",
        "--size",
        "16MiB",
        "--lab",
        lab.to_str().unwrap(),
    ];
    let child = program(dir, &tiny(dir, &target, "sequential,random,degradation"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let finished = |lab: &Connection| {
        let sql = "SELECT count(*) FROM tests WHERE state = 'finished'";
        lab.query_row(sql, [], |row| row.get::<_, i64>(0))
    };
    loop {
        let found = Connection::open_with_flags(lab, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY);
        if found.is_ok_and(|lab| finished(&lab).is_ok_and(|tests| tests > 0)) {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "no test ends");
        sleep(Duration::from_millis(20));
    }
    disturb();
    child.wait_with_output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_lab_that_is_moved_or_removed_during_a_review_costs_nothing() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let lab = dir.join("lab.db");
    let moved = dir.join("moved.db");
    let tests = |lab: &str| {
        let shown = json(&ok(dir, &["lab", "show", "1", "--json", "--lab", lab]).stdout);
        list(&shown["tests"]).to_vec()
    };
    let is_in_the_folder = |output: &Output| {
        let printed = json(std::str::from_utf8(&output.stdout).unwrap());
        assert_eq!(printed["complete"], true);
        assert_eq!(saved(&dir.join("out"))["tests"], printed["tests"]);
        assert!(dir.join("out/index.html").exists());
    };
    let output = disturbed(dir, &lab, || {
        fs::rename(&lab, &moved).unwrap();
    });
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(6), "{said}");
    for part in [
        "the lab was moved to",
        "moved.db while this program used it",
        "move it back",
        "out holds all that is finished",
    ] {
        assert!(said.contains(part), "{said}");
    }
    is_in_the_folder(&output);
    assert!(!lab.exists(), "no other lab is made");
    // Its last changes are in the log beside the old name.
    fs::rename(&moved, &lab).unwrap();
    let run = json(&ok(dir, &["lab", "list", "--json", "--lab", "lab.db"]).stdout);
    assert!(run[0]["tests_finished"].as_u64() >= Some(1), "{run}");

    fs::remove_dir_all(dir.join("out")).unwrap();
    fs::remove_file(&lab).unwrap();
    let output = disturbed(dir, &lab, || fs::remove_file(&lab).unwrap());
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.contains("the lab was removed"), "{said}");
    is_in_the_folder(&output);

    // It is moved back in time.
    fs::remove_dir_all(dir.join("out")).unwrap();
    let output = disturbed(dir, &lab, || {
        fs::rename(&lab, &moved).unwrap();
        sleep(Duration::from_millis(500));
        fs::rename(&moved, &lab).unwrap();
    });
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    is_in_the_folder(&output);
    assert_eq!(tests("lab.db"), *list(&saved(&dir.join("out"))["tests"]));
}

#[test]
fn a_disk_that_fills_during_a_review_costs_no_result() {
    if !have_root_and(&["mount", "fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let disk = Mounted::new(&["-t", "tmpfs", "-o", "size=1m", "none"]);
    let lab = disk.path().join("lab.db");
    let filler = disk.path().join("filler");
    let output = disturbed(dir, &lab, || {
        let _no_room = fs::write(&filler, vec![0; 2 << 20]).unwrap_err();
    });
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(6), "{said}");
    let told = "there is no room for the lab on its disk";
    assert!(
        said.contains(told) && said.contains("out holds all that is finished"),
        "{said}"
    );
    let printed = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(printed["complete"], true);
    assert_eq!(saved(&dir.join("out"))["tests"], printed["tests"]);
    assert!(dir.join("out/index.html").exists());
}
