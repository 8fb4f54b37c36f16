//! Interruptions: a signal to stend, fio killed or failing. Finished tests are saved, no process
//! continues in the background, and the same command resumes.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{
    Loop, Said, fails, fails_as, fake_fio, folder, have, have_root_and, ids, json, list, ok,
    page_header, program, run, saved, stend, test, tiny_edition, tool,
};
use serde_json::Value;

/// Waits until `look` returns a value, at most half a minute.
fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "waited in vain for {what}"
        );
        sleep(Duration::from_millis(10));
    }
}

fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    tool("kill", &["-s", name, &child.id().to_string()]);
}

/// The saved part of a review, once it has at least one test.
fn first_saved(out: &Path) -> Value {
    wait_for("a finished test", || {
        let text = fs::read_to_string(out.join("review.json")).ok()?;
        Some(json(&text)).filter(|review| !list(&review["tests"]).is_empty())
    })
}

/// Processes other than stend with this text in their command line.
fn processes_with(text: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|e| e.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains(text) && !line.contains("review") && !line.contains("--on")
    })
    .collect()
}

#[test]
fn a_simulated_review_is_interrupted_and_goes_on() {
    let dir = folder();
    let dir = dir.path();
    // One thread, so that the short tests end long before the two-hour one.
    let args = [
        "review",
        "demo-8gb",
        "--json",
        "--duration-scale",
        "0.1",
        "--threads",
        "1",
    ];
    let args = [
        &args[..],
        &["--tests", "sequential,random,depth-scaling,degradation"],
    ]
    .concat();
    let priced = [&args[..], &["--price", "7.90 EUR"]].concat();
    let child = start(&mut program(dir, &priced));
    let out = dir.join("review-demo-8gb");
    first_saved(&out);
    signal(&child, "INT");
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    assert_eq!(said.stdout, "");
    let part = saved(&out);
    assert_eq!(part["complete"], false);
    let finished = list(&part["tests"]).len();
    assert!((1..4).contains(&finished));
    let told = match finished {
        1 => "1 finished test is saved in review-demo-8gb".to_owned(),
        n => format!("{n} finished tests are saved in review-demo-8gb"),
    };
    let told = format!("interrupted; {told}, and the same command resumes from there");
    assert!(said.stderr.contains(&told), "{}", said.stderr);
    assert!(page_header(&out).contains("INCOMPLETE"));
    let left: Vec<_> = fs::read_dir(&out).unwrap().collect();
    assert_eq!(left.len(), 2, "no half of a save is left: {left:?}");
    // The price need not be given again.
    let resumed = json(&ok(dir, &args).stdout);
    assert_eq!(resumed["complete"], true);
    let command = resumed["reproduce"].as_str().unwrap();
    assert!(command.contains("--price '7.90 EUR'"), "{command}");
    assert_eq!(resumed["target"]["price"]["amount"], "7.90");
    assert_eq!(
        ids(&resumed),
        ["sequential", "random", "depth-scaling", "degradation"]
    );
    for id in ids(&part) {
        assert_eq!(test(&resumed, id), test(&part, id));
    }
}

#[test]
fn a_review_that_keeps_its_drive_does_not_go_on() {
    let dir = folder();
    let dir = dir.path();
    let args = [
        &[
            "review",
            "demo-8gb",
            "--edition",
            "2014",
            "--against",
            "none",
        ][..],
        &["--tests", "sequential,degradation", "--state", "d"],
    ]
    .concat();
    let child = start(&mut program(dir, &args));
    first_saved(&dir.join("review-demo-8gb"));
    signal(&child, "INT");
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(said.stderr.contains("only a new --out begins"), "{said:?}");
    assert!(!dir.join("d").exists());
    let said = fails(dir, &args, 3, &["drive was not kept"]);
    assert!(!said.contains("resuming"), "{said}");
}

#[test]
fn an_interruption_before_any_result_says_so() {
    let dir = folder();
    let args = ["review", "sandisk-ultra-ii-240gb", "--tests", "degradation"];
    let child = start(&mut program(dir.path(), &args));
    let out = dir.path().join("review-sandisk-ultra-ii-240gb");
    wait_for("the folder", || out.exists().then_some(()));
    let state = || -> Option<String> {
        let lab = rusqlite::Connection::open(dir.path().join(".lab/lab.db")).ok()?;
        // Of the drive and of its rival.
        let states = "SELECT group_concat(state) FROM progress";
        lab.query_row(states, [], |row| row.get(0)).ok()
    };
    let both = || state().filter(|states| states == "running,running");
    wait_for("the lab", both);
    signal(&child, "TERM");
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(143), "{said:?}");
    assert!(
        said.stderr.contains("interrupted; no test had finished"),
        "{said:?}"
    );
    // Nor is it shown as a review under way.
    assert_eq!(state().as_deref(), Some("ended,ended"));
}

#[test]
fn ctrl_c_ends_fio_too() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let edition = tiny_edition(dir);
    // A folder for temporary files of its own, to check that nothing is left in it.
    let tmp = dir.join("tmp");
    fs::create_dir(&tmp).unwrap();
    let args = [
        "review",
        "drive.bin",
        "--size",
        "16MiB",
        "--tests",
        "sequential,random",
    ];
    let args = [&args[..], &["--edition", edition.to_str().unwrap()]].concat();
    let child = start(program(dir, &args).env("TMPDIR", &tmp));
    let out = dir.join("review-drive");
    let part = first_saved(&out);
    assert_eq!(ids(&part), ["sequential"]);
    let ours = tmp.to_str().unwrap();
    wait_for("fio at the next test", || {
        let running = processes_with(ours);
        (!running.is_empty()).then_some(())
    });
    signal(&child, "INT");
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    assert_eq!(processes_with(ours), [] as [u32; 0], "fio goes on writing");
    let left: Vec<_> = fs::read_dir(&tmp).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(saved(&out), part);
    assert!(
        said.stderr.contains("1 finished test is saved"),
        "{}",
        said.stderr
    );
    let resumed = json(&ok(dir, &[&args[..], &["--json"]].concat()).stdout);
    assert_eq!(ids(&resumed), ["sequential", "random"]);
    assert_eq!(resumed["tests"][0], part["tests"][0]);
    assert_eq!(resumed["complete"], true);
    // The finished review has cost real time, and is not overwritten.
    fails(dir, &args, 3, &["review-drive", "drive.bin", "--out"]);
    assert_eq!(saved(&out), resumed);
}

#[test]
fn a_run_on_a_real_file_is_ended_with_its_fio() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let tmp = dir.join("tmp");
    fs::create_dir(&tmp).unwrap();
    fs::write(dir.join("j.fio"), "[a]\nrw=write\ntime_based\nruntime=60\n").unwrap();
    let args = [
        "run", "j.fio", "--on", "new.bin", "--size", "8MiB", "--output", "o.json",
    ];
    let child = start(program(dir, &args).env("TMPDIR", &tmp));
    let ours = tmp.to_str().unwrap();
    wait_for("fio with the job", || {
        let running = processes_with("job.fio");
        let mine = processes_with(ours);
        running.iter().any(|pid| mine.contains(pid)).then_some(())
    });
    signal(&child, "HUP");
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(129), "{said:?}");
    assert_eq!(processes_with(ours), [] as [u32; 0]);
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
}

/// Reviews with two tests, where a script replaces fio in the random one. Returns the arguments of
/// the command, and the saved review.
fn with_trouble(dir: &Path, body: &str, parts: &[&str]) -> (Vec<&'static str>, Value) {
    tiny_edition(dir);
    let fio = fake_fio(
        dir,
        &format!("if grep -q rw=randread \"$job\"; then\n{body}\nfi"),
    );
    let line = "review drive.bin --size 16MiB --json --tests sequential,random --edition tiny.toml";
    let args: Vec<&str> = line.split(' ').collect();
    fails_as(stend(dir, &args).env("STEND_FIO", &fio), 7, parts);
    let out = dir.join("review-drive");
    let part = saved(&out);
    assert_eq!(part["complete"], false);
    assert_eq!(ids(&part), ["sequential"]);
    let failed = list(&part["failed"]);
    assert_eq!(
        (failed.len(), failed[0]["id"].as_str()),
        (1, Some("random"))
    );
    let header = page_header(&out);
    assert!(header.contains("INCOMPLETE") && header.contains("random"));
    (args, part)
}

#[test]
fn fio_killed_midway_costs_one_test() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let body = "(sleep 0.4; kill -KILL $$) &";
    let (args, part) = with_trouble(dir, body, &["error: random: ", "killed by signal 9"]);
    // With the real fio again, the same command runs the missing tests.
    let resumed = json(&ok(dir, &args).stdout);
    assert_eq!(ids(&resumed), ["sequential", "random"]);
    assert_eq!(resumed["tests"][0], part["tests"][0]);
    assert_eq!(resumed.get("failed"), None);
    assert_eq!(resumed["complete"], true);
    assert!(!page_header(&dir.join("review-drive")).contains("INCOMPLETE"));
}

/// stend may be ended after a test is stored in the lab and before it is saved in the folder; and a
/// folder can be deleted.
#[test]
fn what_only_the_lab_has_is_not_lost() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let body = "echo broken >&2; exit 1";
    let (args, part) = with_trouble(dir, body, &["error: random: "]);
    let out = dir.join("review-drive");
    let mut older = part.clone();
    older["tests"] = serde_json::json!([]);
    common::save(&out, &older);
    let goes_on = ["lacks finished tests of run 1 of the lab", "error: random"];
    let (_, again) = with_trouble(dir, body, &goes_on);
    assert_eq!(again["tests"], part["tests"], "not measured again");
    fs::remove_dir_all(&out).unwrap();
    // A different command starts over.
    let seed = [&args[..], &["--seed", "2", "--out", "review-drive"]].concat();
    let other = json(&ok(dir, &seed).stdout);
    assert_ne!(other["tests"][0], part["tests"][0]);
    fs::remove_dir_all(&out).unwrap();
    let said = ok(dir, &args);
    assert!(
        said.stderr.contains("stend lab delete 1"),
        "{}",
        said.stderr
    );
    let whole = json(&said.stdout);
    assert_eq!(ids(&whole), ["sequential", "random"]);
    assert_eq!(whole["tests"][0], part["tests"][0]);
    assert_eq!(saved(&out), whole);
    let runs = json(&ok(dir, &["lab", "list", "--json"]).stdout);
    assert_eq!(list(&runs).len(), 2, "{runs}");
    assert_eq!(
        (&runs[0]["state"], &runs[0]["breaks"]),
        (&"complete".into(), &2.into())
    );
}

/// Starts a command in its own process group.
fn start_group(command: &mut Command) -> Child {
    start(command.process_group(0))
}

/// Sends a signal to a command and its programs, as a terminal does.
fn signal_group(child: &Child, name: &str) {
    tool("kill", &["-s", name, "--", &format!("-{}", child.id())]);
}

#[test]
fn a_resumed_review_that_is_broken_off_says_what_is_still_saved() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let (args, part) = with_trouble(dir, "echo broken >&2; exit 1", &["error: random: "]);
    let body = format!(
        "if grep -q rw=randread \"$job\"; then touch {}/hangs; exec sleep 60; fi",
        dir.display()
    );
    let fio = fake_fio(dir, &body);
    let child = start_group(program(dir, &args).env("STEND_FIO", &fio));
    wait_for("fio at the next test", || {
        dir.join("hangs").exists().then_some(())
    });
    // As from a terminal: fio is interrupted as well, which is no failure of its test.
    signal_group(&child, "INT");
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    let lines = [
        "1 finished test is taken over from review-drive\n",
        "interrupted; 1 finished test is saved in review-drive, and the same command resumes from \
         there\n",
    ];
    for line in lines {
        assert!(said.stderr.contains(line), "{}", said.stderr);
    }
    assert!(!said.stderr.contains("failed"), "{}", said.stderr);
    assert_eq!(saved(&dir.join("review-drive"))["tests"], part["tests"]);
}

#[test]
fn finished_traces_are_kept_and_taken_over() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    tiny_edition(dir);
    // The second trace is not completed.
    let first = dir.join("first");
    let first = first.display();
    let body = format!(
        "if grep -q read_iolog \"$job\"; then\n\
         if [ -e {first} ]; then exec sleep 60; fi\ntouch {first}\nfi"
    );
    let fio = fake_fio(dir, &body);
    let line = "review drive.bin --size 128MiB --json --tests desktop-traces --edition tiny.toml";
    let args: Vec<&str> = line.split_whitespace().collect();
    let child = start_group(program(dir, &args).env("STEND_FIO", &fio));
    let out = dir.join("review-drive");
    let begun = wait_for("a finished trace", || {
        let text = fs::read_to_string(out.join("review.json")).ok()?;
        let begun = json(&text)["unfinished"][0].clone();
        (!begun.is_null()).then_some(begun)
    });
    signal_group(&child, "TERM");
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(143), "{said:?}");
    let told = "interrupted; 1 trace of `desktop-traces` is saved in review-drive, and the same";
    assert!(said.stderr.contains(told), "{}", said.stderr);
    assert!(!said.stderr.contains("failed"), "{}", said.stderr);
    // The lab stores it too.
    let kept = json(&ok(dir, &["lab", "show", "1", "--json"]).stdout);
    assert_eq!(kept["unfinished"][0], begun);
    let said = ok(dir, &args);
    let told = "1 trace of `desktop-traces` is taken over from review-drive\n";
    assert!(said.stderr.contains(told), "{}", said.stderr);
    let whole = json(&said.stdout);
    assert_eq!(whole["complete"], true);
    let traces = list(&whole["tests"][0]["traces"]);
    assert_eq!(traces.len(), 2);
    assert_eq!(traces[0], begun["traces"][0]);
    assert_eq!(whole.get("unfinished"), None);
}

/// An edition whose state includes a long rest.
const LONG_REST: &str = r#"
schema = "stend.edition/1"
id = "long-rest"
title = "A long rest"
percentiles = [50, 99, 99.9, 99.99, 99.999]
pause_s = 0

[[state]]
id = "rested"
title = "rested"
steps = [{ idle = { duration_s = 3600 } }]

[[test]]
id = "reads"
title = "Reads"
method = "4 KiB."
[[test.sweep]]
op = "read"
state = "rested"
pattern = "random"
block_bytes = [4096]
queue_depth = [1]
threads = 1
duration_s = 1
"#;

#[test]
fn a_log_says_each_half_minute_what_is_done() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("rest.toml"), LONG_REST).unwrap();
    let args = [
        "review",
        "drive.bin",
        "--size",
        "16MiB",
        "--edition",
        "./rest.toml",
    ];
    let mut child = start(&mut program(dir, &args));
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let resting = lines.find_map(|line| line.ok().filter(|line| line.contains("resting")));
    signal(&child, "TERM");
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let resting = resting.expect("a line before the end");
    assert!(
        resting.contains("0 % done, about 1 h left, `rested`: resting 0 of 60 min"),
        "{resting}"
    );
    assert_eq!(rest, ["interrupted; no test had finished"]);
}

#[test]
fn fio_that_fails_costs_one_test() {
    if !have(&["fio"]) {
        return;
    }
    let body = "echo 'fio: io_u error: No space left on device' >&2; exit 1";
    let parts = ["error: random: ", "exit code 1", "No space left on device"];
    with_trouble(folder().path(), body, &parts);
}

/// The medium disappears during fio's run: the backing file is truncated, and so is the device.
#[test]
fn a_device_that_goes_away_under_load_costs_the_tests_from_then_on() {
    if !have_root_and(&["fio", "losetup", "blkid", "blkdiscard", "truncate"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    tiny_edition(dir);
    let device = Loop::new(16 << 20);
    let node = device.node();
    let image = tool("losetup", &["-n", "-O", "BACK-FILE", node]);
    let body = format!(
        "if grep -q rw=randread \"$job\"; then\n\
         (sleep 0.2; truncate -s 0 {image}; losetup -c {node}) &\nfi"
    );
    let fio = fake_fio(dir, &body);
    let args = [
        "review",
        node,
        "--destroy",
        "loop:disk.img",
        "--json",
        "--tests",
        "sequential,random",
        "--edition",
        "tiny.toml",
        "--out",
        "o",
    ];
    let mut command = stend(dir, &args);
    let told = fails_as(
        command.env("STEND_FIO", &fio),
        7,
        &["error: random: ", node],
    );
    assert_eq!(tool("blockdev", &["--getsize64", node]), "0", "{told}");
    let part = saved(&dir.join("o"));
    assert_eq!(part["complete"], false);
    assert_eq!(ids(&part), ["sequential"]);
    assert_eq!(list(&part["failed"]).len(), 1, "{told}");
    assert!(page_header(&dir.join("o")).contains("INCOMPLETE"));
    // The finished test is in the lab too, and can be reported from there.
    let kept = json(&ok(dir, &["lab", "show", "1", "--json"]).stdout);
    assert_eq!(ids(&kept), ["sequential"]);
    ok(dir, &["report", "1", "--out", "again"]);
    // The device still has its name, but nothing is left to test.
    let gone = fails(dir, &args, 4, &["is empty or has no medium"]);
    assert!(gone.contains(node), "{gone}");
    assert_eq!(saved(&dir.join("o")), part);
}

#[test]
fn a_job_on_a_real_file_fails_with_fios_words() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let fio = fake_fio(dir, "echo 'fio: something broke' >&2; exit 1");
    fs::write(dir.join("j.fio"), "[a]\nrw=write\n").unwrap();
    let mut command = stend(dir, &["run", "j.fio", "--on", "new.bin", "--size", "8MiB"]);
    command
        .env("STEND_FIO", fio)
        .args(["--output", "answer.json"]);
    fails_as(&mut command, 6, &["exit code 1", "something broke"]);
    assert!(!dir.join("answer.json").exists());
}

#[test]
fn a_test_that_fails_on_a_rival_is_told_with_the_rival() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let edition = tiny_edition(dir);
    fs::write(dir.join("rival.bin"), vec![0; 16 << 20]).unwrap();
    let fio = fake_fio(
        dir,
        "if grep -q rw=randread \"$job\"; then echo broken >&2; exit 1; fi",
    );
    let args = ["review", "demo-8gb", "--against", "./rival.bin", "--json"];
    let destroy = ["--destroy", "rival.bin"];
    let tests = [
        "--tests",
        "sequential,random",
        "--edition",
        edition.to_str().unwrap(),
    ];
    let mut command = stend(dir, &[&args[..], &tests, &destroy].concat());
    let said = run(command.env("STEND_FIO", &fio));
    assert_eq!(said.code, Some(7), "{}", said.stderr);
    assert!(
        said.stderr.contains("error: random: on "),
        "{}",
        said.stderr
    );
    let review = json(&said.stdout);
    assert_eq!(review["complete"], false);
    assert_eq!(ids(&review), ["sequential", "random"]);
    assert_eq!(ids(&review["rivals"][0]), ["sequential"]);
    let error = review["failed"][0]["error"].as_str().unwrap();
    assert!(
        error.contains("rival.bin") && error.contains("broken"),
        "{error}"
    );
    assert_eq!(saved(&dir.join("review-demo-8gb")), review);
}

/// An edition that creates and copies a set of half a GiB.
const COPY: &str = r#"
schema = "stend.edition/1"
id = "copy"
title = "Copying alone"
percentiles = [50, 99, 99.9, 99.99, 99.999]
pause_s = 0

[[state]]
id = "bare"
title = "given TRIM"
steps = ["trim"]

[[test]]
id = "file-copy"
title = "Copying files"
method = "512 MiB are copied."
[test.files]
op = "copy"
state = "bare"
sets = ["work", "program"]
set_bytes = 536_870_912
rest_s = 600
"#;

#[test]
fn a_directory_is_left_as_it_was_when_work_on_files_is_interrupted() {
    if !have(&["fio"]) {
        return;
    }
    // Not in the system's folder for temporary files, which may be in memory.
    let disk = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(disk.path().join("mine"), "mine").unwrap();
    let dir = folder();
    fs::write(dir.path().join("copy.toml"), COPY).unwrap();
    let names = |path: &Path| -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(path).into_iter().flatten();
        entries.filter_map(|e| Some(e.ok()?.path())).collect()
    };
    let below = |path: &Path| -> Vec<std::path::PathBuf> {
        names(path).iter().flat_map(|p| names(p)).collect()
    };
    // While files are created, and during the rest that follows.
    for files in [3, usize::MAX] {
        let path = disk.path().to_str().unwrap();
        let args = [
            "review",
            path,
            "--size",
            "1400MiB",
            "--edition",
            "./copy.toml",
        ];
        let child = start(&mut program(dir.path(), &args));
        let began = Instant::now();
        wait_for("files in the subdirectory", || {
            // disk / stend-… / stend-… / from / d00000 / f0000000.docx
            let sets: Vec<_> = below(disk.path()).iter().flat_map(|p| names(p)).collect();
            let made = sets.iter().flat_map(|from| below(from)).count();
            (made >= files || began.elapsed() > Duration::from_secs(20)).then_some(())
        });
        signal(&child, "TERM");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(143), "{output:?}");
        assert_eq!(names(disk.path()), [disk.path().join("mine")]);
    }
}
