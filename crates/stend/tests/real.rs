//! Features of real targets only: the host limit, SMART, read-only mode.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::path::Path;

use common::{
    Loop, LoopOf, MIB, Mounted, fails, folder, have, have_root_and, json, list, number, ok,
    page_header, program, review, run, saved, script, stend, test, tiny, tool, words,
};
use serde_json::Value;

fn fact<'a>(facts: &'a Value, name: &str) -> Option<&'a str> {
    let found = list(facts).iter().find(|fact| fact["id"] == name)?;
    Some(words(&found["value"]))
}

fn points(review: &Value) -> impl Iterator<Item = (&Value, &Value)> {
    let tests = list(&review["tests"]).iter();
    tests.flat_map(|test| {
        let points = test["points"].as_array().into_iter().flatten();
        points.map(move |point| (test, point))
    })
}

fn page(dir: &Path) -> String {
    fs::read_to_string(dir.join("out/index.html")).unwrap()
}

#[test]
fn a_figure_that_is_the_hosts_is_said_to_be() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    // A machine that completes at most 7 requests a second.
    let slow = script(
        dir,
        "case \"$*\" in *ioengine=null*) fio \"$@\" | \
         sed -E 's/\"iops\" : [0-9.]+/\"iops\" : 7.0/' ;; *) exec fio \"$@\" ;; esac",
    );
    let tests = "sequential,random,degradation,crystaldiskmark";
    let args = tiny(dir, &["drive.bin", "--size", "16MiB"], tests);
    let said = run(stend(dir, &args).env("STEND_FIO", &slow));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let flagged = json(&said.stdout);
    let limit = fact(&flagged["environment"], "host-limit").unwrap();
    assert!(
        limit.contains("4 KiB, queue depth 32 × 1: 7 IOPS"),
        "{limit}"
    );
    assert!(
        limit.contains("128 KiB") && limit.contains("% of all processors"),
        "{limit}"
    );
    for (test, point) in points(&flagged) {
        assert!(number(&point["iops"]) > 7.0);
        let warnings = list(&test["warnings"]);
        let near = warnings
            .iter()
            .map(words)
            .filter(|w| w.contains("near the 7"));
        assert_eq!(near.count(), list(&test["points"]).len(), "{warnings:?}");
    }
    // The warning covers every sample of a curve, and every cell of a benchmark.
    let curve = test(&flagged, "degradation");
    let samples = list(&curve["series"][0]["samples"]).len();
    let warned = curve["warnings"].to_string();
    let all = format!("{samples} of {samples} samples");
    assert!(
        warned.contains(&all) && warned.contains("near the 7"),
        "{warned}"
    );
    let benchmark = test(&flagged, "crystaldiskmark");
    let warned = list(&benchmark["warnings"]).iter();
    let near = warned.filter(|w| w.to_string().contains("near the 7"));
    assert_eq!(near.count(), list(&benchmark["benchmark"]).len());
    assert!(
        page(dir).contains("this is the host&#39;s limit")
            || page(dir).contains("this is the host's limit")
    );
}

#[test]
fn a_figure_below_the_hosts_limit_is_not_said_to_be_the_hosts() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    // This machine can do more than the file.
    let args = tiny(dir, &["drive.bin", "--size", "16MiB"], "random");
    let free = json(&ok(dir, &args).stdout);
    let limit = fact(&free["environment"], "host-limit").unwrap();
    assert!(
        limit.contains("IOPS") && !limit.contains(": 7 IOPS"),
        "{limit}"
    );
    // A simulated drive has no host limit.
    let simulated = review(
        dir,
        &[
            "demo-8gb",
            "--tests",
            "sequential",
            "--duration-scale",
            "0.01",
        ],
    );
    assert_eq!(fact(&simulated["environment"], "host-limit"), None);
}

#[test]
fn a_null_engine_that_is_missing_costs_no_review() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let without = script(
        dir,
        "case \"$*\" in *ioengine=null*) echo 'engine null not loadable' >&2; exit 1 ;; esac\n\
         exec fio \"$@\"",
    );
    let args = tiny(dir, &["drive.bin", "--size", "16MiB"], "sequential");
    let said = run(stend(dir, &args).env("STEND_FIO", &without));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let review = json(&said.stdout);
    let limit = fact(&review["environment"], "host-limit").unwrap();
    assert!(
        limit.contains("not measured") && limit.contains("not loadable"),
        "{limit}"
    );
}

#[test]
fn a_device_without_trim_is_reviewed_without_it() {
    if !have_root_and(&[&DEVICE[..], &["mount", "umount"]].concat()) {
        return;
    }
    let device = Loop::without_trim(32 * MIB);
    let dir = folder();
    let dir = dir.path();
    let target = [device.node(), "--destroy", "loop:disk.img"];
    let args = tiny(dir, &target, "sequential,recovery");
    let review = json(&ok(dir, &args).stdout);
    assert_eq!(review["complete"], true);
    let said = fact(&review["conditions"], "trim-in-states").unwrap();
    assert!(said.contains("not those of the edition"), "{said}");
    assert!(list(&test(&review, "sequential")["points"]).len() == 2);
    let warned = test(&review, "sequential")["warnings"].to_string();
    assert!(warned.contains("made without TRIM"), "{warned}");
    let left_out = test(&review, "recovery");
    let why = left_out["warnings"].to_string();
    assert!(
        why.contains("left out: it measures recovery by TRIM"),
        "{why}"
    );
    assert!(left_out["series"].is_null() && list(&left_out["jobs"]).is_empty());
    let page = page(dir);
    assert!(page.contains("TRIM in states") && page.contains("not supported (discard_max_bytes"));
    let trim = ["drive", "trim", device.node(), "--destroy", "loop:disk.img"];
    fails(dir, &trim, 6, &["takes no TRIM"]);
}

const DEVICE: [&str; 5] = ["fio", "losetup", "blkid", "blkdiscard", "mkfs.ext4"];

fn sum_of(path: &str) -> String {
    tool("sha256sum", &[path])
}

#[test]
fn a_device_in_use_is_reviewed_by_reading_alone() {
    if !have_root_and(&DEVICE) {
        return;
    }
    let device = Loop::new(64 * MIB);
    tool(
        "mkfs.ext4",
        &[
            "-q",
            "-E",
            "lazy_itable_init=0,lazy_journal_init=0",
            device.node(),
        ],
    );
    let before = sum_of(device.node());
    let dir = folder();
    let dir = dir.path();
    let target = [device.node(), "--read-only"];
    let tests = "sequential,random,mixed-random,degradation,trim-response,crystaldiskmark,\
                 desktop-traces,file-copy";
    let read = json(&ok(dir, &tiny(dir, &target, tests)).stdout);
    assert_eq!(before, sum_of(device.node()), "nothing was written");
    assert_eq!(read["read_only"], true);
    assert_eq!(read["complete"], true);
    assert!(read["reproduce"].as_str().unwrap().contains(" --read-only"));
    assert_eq!(fact(&read["environment"], "in-use"), None);
    let conditions = fact(&read["conditions"], "preparation").unwrap();
    assert!(conditions.contains("nothing was written"), "{conditions}");
    assert_eq!(list(&test(&read, "sequential")["points"]).len(), 1);
    for left_out in [
        "degradation",
        "trim-response",
        "crystaldiskmark",
        "desktop-traces",
        "file-copy",
    ] {
        let result = test(&read, left_out);
        let why = words(&result["warnings"][0]);
        assert!(
            why.contains("--read-only") || why.contains("file system"),
            "{why}"
        );
        assert!(list(&result["jobs"]).is_empty(), "{left_out}");
    }
    assert!(page_header(&dir.join("out")).contains("READ-ONLY"));

    let mounted = Mounted::new(&["-o", "noatime", device.node()]);
    let other = folder();
    let other = other.path();
    let args = tiny(other, &target, "sequential");
    let in_use = json(&ok(other, &args).stdout);
    let place = mounted.path().to_str().unwrap();
    assert!(
        fact(&in_use["environment"], "in-use")
            .unwrap()
            .contains(place)
    );
    assert_eq!(saved(&other.join("out")), in_use);
    // Without it, nothing has changed: a device in use is refused.
    let named = [device.node(), "--destroy", "loop:disk.img"];
    let third = folder();
    fails(
        third.path(),
        &tiny(third.path(), &named, "sequential"),
        4,
        &["mounted"],
    );
}

#[test]
fn a_job_runs_by_reading_alone_or_not_at_all() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("data.bin"), vec![7; 8 << 20]).unwrap();
    let before = sum_of(dir.join("data.bin").to_str().unwrap());
    fs::write(dir.join("r.fio"), "[a]\nrw=randread\nbs=4k\nsize=4m\n").unwrap();
    fs::write(dir.join("w.fio"), "[a]\nrw=read\n[b]\nrw=randwrite\n").unwrap();
    let on = ["--on", "./data.bin", "--read-only"];
    let read = ok(
        dir,
        &[&["run", "r.fio", "--output-format", "json"], &on[..]].concat(),
    );
    assert_eq!(json(&read.stdout)["jobs"][0]["read"]["io_bytes"], 4 << 20);
    let write = [&["run", "w.fio"], &on[..]].concat();
    fails(
        dir,
        &write,
        3,
        &["w.fio, line 4", "randwrite", "--read-only"],
    );
    fails(
        dir,
        &["run", "r.fio", "--on", ".", "--read-only"],
        4,
        &["--read-only"],
    );
    let new = [
        "run",
        "r.fio",
        "--on",
        "./new.bin",
        "--read-only",
        "--size",
        "8MiB",
    ];
    fails(dir, &new, 3, &["new.bin", "--read-only"]);
    assert!(!dir.join("new.bin").exists());
    for writes in ["--destroy=X", "--write-budget=1GB", "--until-steady"] {
        let args = ["review", "./data.bin", "--read-only", writes];
        fails(dir, &args, 2, &["--read-only"]);
    }
    assert_eq!(before, sum_of(dir.join("data.bin").to_str().unwrap()));
}

/// Reads of a file's holes do not reach the drive, even if space is reserved for them.
#[test]
fn reads_of_a_file_without_data_are_told() {
    if !have(&["fio"]) {
        return;
    }
    let folder = folder();
    let dir = folder.path();
    fs::write(dir.join("r.fio"), "[a]\nrw=read\nbs=64k\nsize=1m\n").unwrap();
    fs::write(dir.join("w.fio"), "[a]\nrw=rw\nbs=64k\nsize=1m\n").unwrap();
    let warned = |job: &str, more: &[&str]| {
        let args = [&["run", job, "--on", "./new.bin"], more].concat();
        ok(dir, &args).stderr.contains("were never written")
    };
    assert!(warned("r.fio", &["--size", "8MiB"]));
    let review = ["review", "./new.bin", "--read-only", "--edition", "quick"];
    fails(dir, &review, 3, &["8388608 bytes", "never written"]);
    assert!(!warned("w.fio", &[]));
    assert!(warned("r.fio", &[]));
    assert!(!warned("r.fio", &["--fill=busy"]));
    assert!(!warned("r.fio", &[]));
}

/// A folder with a script that replaces smartctl: the nth call returns the nth document, or the
/// last.
fn smartctl(dir: &Path, documents: &[&str]) -> String {
    let bin = dir.join("bin");
    fs::create_dir(&bin).unwrap();
    for (n, document) in documents.iter().enumerate() {
        fs::write(bin.join(format!("{n}.json")), document).unwrap();
    }
    let at = bin.display();
    let last = documents.len() - 1;
    let body = format!(
        "n=$(cat {at}/count 2>/dev/null || echo 0); echo $((n + 1)) > {at}/count\n\
         test $n -gt {last} && n={last}\ncat {at}/$n.json; exit 64"
    );
    let made = script(&bin, &body);
    fs::rename(made, bin.join("smartctl")).unwrap();
    format!("{at}:{}", std::env::var("PATH").unwrap_or_default())
}

#[test]
fn a_killed_review_of_a_directory_is_named_with_the_command_that_removes_it() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let left = dir.join("drive/stend-Ab3dE9");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("target.bin"), vec![0; MIB as usize]).unwrap();
    fs::create_dir(dir.join("drive/stend-notes")).unwrap();
    fs::write(dir.join("j.fio"), "[a]\nrw=read\nsize=1m\n").unwrap();
    let run = ["run", "j.fio", "--on", "drive", "--size"];
    let said = ok(dir, &[&run[..], &["8MiB"]].concat()).stderr;
    let path = left.display().to_string();
    let parts = ["a folder is left by killed reviews: 1.0 MB", "rm -r", &path];
    for part in parts {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("stend-notes"), "{said}");
    let args = [&run[..], &["900TiB"]].concat();
    fails(dir, &args, 6, &["do not fit", "rm -r", &path]);
    assert!(
        left.join("target.bin").exists(),
        "stend removes it by no means"
    );
}

/// An edition with a point that a drive with sectors of 4096 bytes cannot serve.
const SECTORS: &str = r#"
schema = "stend.edition/1"
id = "sectors"
title = "Sectors"
percentiles = [50, 90, 95, 99, 99.9, 99.99, 99.999]
pause_s = 0

[[state]]
id = "empty"
title = "empty"
steps = ["trim"]

[[test]]
id = "blocks"
title = "Blocks"
method = "Reads at random."

[[test.sweep]]
op = "read"
state = "empty"
pattern = "random"
block_bytes = [512, 4096]
queue_depth = [1]
threads = 1
duration_s = 1
"#;

#[test]
fn points_below_the_sector_of_a_device_are_left_out() {
    if !have_root_and(&DEVICE) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let image = dir.join("native.img");
    fs::File::create(&image).unwrap().set_len(64 * MIB).unwrap();
    let device = LoopOf::new(&["--sector-size", "4096", image.to_str().unwrap()]);
    fs::write(dir.join("mine.toml"), SECTORS).unwrap();
    let review = ["review", device.node(), "--edition", "mine.toml"];
    let told = ok(dir, &[&review[..], &["--plan"]].concat()).stdout;
    assert!(told.contains("sectors of 4096 bytes"), "{told}");
    assert!(!told.contains("512 B"), "{told}");
    let destroy = ["--destroy", "loop:native.img", "--json"];
    let made = json(&ok(dir, &[&review[..], &destroy].concat()).stdout);
    assert_eq!(made["complete"], true);
    let points = list(&made["tests"][0]["points"]).iter();
    let sizes: Vec<f64> = points.map(|point| number(&point["block_bytes"])).collect();
    assert_eq!(sizes, [4096.0]);
    let past = ["drive", "trim", device.node(), "--offset", "1GiB"];
    fails(
        dir,
        &past,
        3,
        &["--offset 1073741824 is past the end", "67108864 bytes"],
    );
}

#[test]
fn a_plan_tells_the_share_of_the_life_by_the_wear_so_far() {
    if !have_root_and(&DEVICE) {
        return;
    }
    let worn = include_str!("../../real/tests/data/smartctl-ata-worn.json");
    let device = Loop::new(64 * MIB);
    let dir = folder();
    let dir = dir.path();
    let path = smartctl(dir, &[worn]);
    let told = |more: &[&str]| {
        let args = [&["review", device.node(), "--plan"], more].concat();
        let said = run(stend(dir, &args).env("PATH", &path));
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        said.stdout
    };
    let target = &json(&told(&["--json"]))["targets"][0];
    assert_eq!(target.get("rated_bytes"), None);
    let written = number(&target["estimated_written_bytes"]);
    // 43,210 GiB have used 14 % of its life.
    let percent = 14.0 * written / (43_210_u64 << 30) as f64;
    let share = number(&target["estimated_life_percent"]);
    assert!(
        (share / percent - 1.0).abs() < 1e-9,
        "{share}, not {percent}"
    );
    let text = told(&[]);
    let life = text
        .lines()
        .find(|line| line.contains("rated life"))
        .unwrap();
    assert!(
        life.contains("if it wears as it did by the 46.4 TB"),
        "{life}"
    );
}

#[test]
fn what_a_drive_told_of_itself_before_and_after() {
    if !have_root_and(&DEVICE) {
        return;
    }
    let before = include_str!("../../real/tests/data/smartctl-ata-worn.json");
    let mut after = json(before);
    let table = &mut after["ata_smart_attributes"]["table"];
    table[0]["raw"]["value"] = 6.into();
    table[10]["raw"]["value"] = 43_310.into();
    let device = Loop::new(64 * MIB);
    let dir = folder();
    let dir = dir.path();
    let path = smartctl(dir, &[before, &after.to_string()]);
    let target = [device.node(), "--destroy", "loop:disk.img"];
    let args = tiny(dir, &target, "sequential");
    let said = run(stend(dir, &args).env("PATH", path));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let review = json(&said.stdout);
    let smart = &review["smart"];
    assert_eq!(smart["before"]["document"], json(before));
    assert_eq!(smart["after"]["document"], after);
    let written = |moment: &str| number(&smart[moment]["health"]["host_written_bytes"]);
    assert_eq!(
        written("after") - written("before"),
        100.0 * 1024.0 * 1024.0 * 1024.0
    );
    assert_eq!(smart.get("missing"), None);
    // The lab returns it, and stores the documents in a separate table.
    let kept = json(&ok(dir, &["lab", "show", "1", "--json"]).stdout);
    assert_eq!(kept, review);
    ok(dir, &["lab", "export", "tables", "--format", "json"]);
    let rows = fs::read_to_string(dir.join("tables/smart.json")).unwrap();
    assert!(
        rows.contains("NAND_Writes_GiB") && rows.contains("after"),
        "{rows:.300}"
    );
    let page = page(dir).replace('\u{a0}', " ");
    for part in [
        "SMART data of the drive",
        "+107 GB",
        "Blocks taken out of use: blocks were taken out of use during the tests",
        "ALARM",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_drive_that_tells_nothing_of_itself_is_no_failure() {
    if !have_root_and(&DEVICE) {
        return;
    }
    let device = Loop::new(64 * MIB);
    let dir = folder();
    let dir = dir.path();
    let target = [device.node(), "--destroy", "loop:disk.img"];
    // The real smartctl, if installed, does not support loop devices.
    let looped = json(&ok(dir, &tiny(dir, &target, "sequential")).stdout);
    assert!(
        looped["smart"]["missing"]
            .as_str()
            .unwrap()
            .contains("smartctl")
    );
    assert_eq!(looped["smart"].get("before"), None);
    assert!(page(dir).contains("Not known: "));
    let bridge = include_str!("../../real/tests/data/smartctl-usb.json");
    let other = folder();
    let path = smartctl(other.path(), &[bridge]);
    let args = tiny(other.path(), &target, "sequential");
    let said = run(stend(other.path(), &args).env("PATH", path));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let why = json(&said.stdout)["smart"]["missing"].to_string();
    assert!(why.contains("Unknown USB bridge"), "{why}");
}

#[test]
fn a_drive_with_large_sectors_gets_no_smaller_requests() {
    if !have_root_and(&["fio", "losetup", "blkid"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    fs::File::create(dir.join("disk.img"))
        .unwrap()
        .set_len(64 * MIB)
        .unwrap();
    let image = dir.join("disk.img");
    let device = LoopOf::new(&["--sector-size", "4096", image.to_str().unwrap()]);
    let node = device.node();
    let job = "[global]\nrw=randwrite\nio_size=1m\n\n[whole]\nbs=4k\n\n[part]\nbs=512\n";
    fs::write(dir.join("job.fio"), job).unwrap();
    let args = ["run", "job.fio", "--on", node, "--destroy", "loop:disk.img"];
    let place = "job.fio, line 9, section [part]: `bs=512`";
    let said = fails(dir, &args, 3, &[place, "sectors of 4096 bytes", "4k"]);
    assert!(!said.contains("Invalid argument"), "{said}");
    fs::write(dir.join("job.fio"), job.replace("512", "8k")).unwrap();
    ok(dir, &args);
    // A captured trace has sectors of 512 bytes.
    let trace = "fio version 3 iolog\n0 x add\n1 x open\n100 x write 0 4096\n\
                 200 x write 4096 512\n300 x read 512 1024\n400 x close\n";
    fs::write(dir.join("odd.trace"), trace).unwrap();
    let trace = [
        "replay",
        "odd.trace",
        "--on",
        node,
        "--destroy",
        "loop:disk.img",
    ];
    fails(
        dir,
        &trace,
        3,
        &["whole sectors of 4096 bytes", "--fit wrap"],
    );
    let said = ok(dir, &[&trace[..], &["--fit", "wrap", "--json"]].concat());
    assert!(
        said.stdout.contains("2 requests were widened"),
        "{}",
        said.stdout
    );
    let tests = "sequential,random,block-scaling,degradation,crystaldiskmark";
    let args = tiny(dir, &[node, "--destroy", "loop:disk.img"], tests);
    let review = json(&ok(dir, &args).stdout);
    assert_eq!(review["complete"], true);
}

/// Stops the file system below a device, so that no write to the device ends.
struct Frozen<'m>(&'m str);

impl<'m> Frozen<'m> {
    fn new(mounted: &'m str) -> Frozen<'m> {
        tool("fsfreeze", &["--freeze", mounted]);
        Frozen(mounted)
    }
}

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        tool("fsfreeze", &["--unfreeze", self.0]);
    }
}

#[test]
fn a_device_that_does_not_answer_is_reported_while_it_hangs_and_in_the_result() {
    if !have_root_and(&[
        "fio",
        "losetup",
        "blkid",
        "mkfs.ext4",
        "fsfreeze",
        "fallocate",
    ]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let below = Loop::new(256 * MIB);
    tool("mkfs.ext4", &["-q", below.node()]);
    let mounted = Mounted::new(&[below.node()]);
    let image = mounted.path().join("disk.img");
    let image = image.to_str().unwrap();
    tool("fallocate", &["--length", "64MiB", image]);
    let device = LoopOf::new(&[image]);
    let args = tiny(
        dir,
        &[device.node(), "--destroy", "loop:disk.img"],
        "sequential,random",
    );
    let mut child = program(dir, &args)
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(4));
    {
        let _frozen = Frozen::new(mounted.path().to_str().unwrap());
        assert!(child.try_wait().unwrap().is_none(), "it had ended");
        std::thread::sleep(std::time::Duration::from_secs(13));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let lasts = format!("no answer from {} for 1", device.node());
    assert!(said.contains(&lasts), "{said}");
    assert!(said.contains("answers again, after 1"), "{said}");
    let review = json(&String::from_utf8(output.stdout).unwrap());
    let warnings = list(&review["tests"]).iter().map(|test| &test["warnings"]);
    let warned = warnings.filter(|text| text.to_string().contains("completed no request for 1"));
    assert_eq!(warned.count(), 1, "{review}");
}
