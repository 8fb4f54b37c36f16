//! Simulated drives in state files: creating, using and changing them; and files that are none.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Mounted, Said, fails, folder, have_root_and, json, number, ok, program, tool};
use serde_json::Value;
use stend_base::{Device, Op, Request, SimTime, Status};
use stend_drive::SimDrive;
use stend_load::target::{JobRequest, Target};
use stend_model::Model;
use stend_simulated::SimulatedTarget;

const WRITE: &str = "[a]\nrw=randwrite\nbs=4k\niodepth=32\nsize=2g\nio_size=64m\n";
const MIXED: &str = "[b]\nrw=randrw\nbs=4k\niodepth=8\nsize=2g\nio_size=32m\nrandseed=9\n";
const FOREVER: &str = "[c]\nrw=randwrite\nbs=4k\niodepth=32\ntime_based\nruntime=100d\n";

/// A folder with a new drive `d` and the jobs above.
fn with_drive(model: &str) -> tempfile::TempDir {
    let dir = folder();
    let jobs = [("write", WRITE), ("mixed", MIXED), ("forever", FOREVER)];
    for (name, text) in jobs {
        fs::write(dir.path().join(format!("{name}.fio")), text).unwrap();
    }
    ok(dir.path(), &["drives", "create", model, "--state", "d"]);
    dir
}

fn state(dir: &Path) -> Vec<u8> {
    fs::read(dir.join("d")).unwrap()
}

fn run_on(dir: &Path, job: &str, target: &str) -> Value {
    let args = ["run", job, "--on", target, "--output-format", "json+"];
    json(&ok(dir, &args).stdout)
}

fn drive(dir: &Path, args: &[&str]) -> Value {
    let args = [&["drive"], args, &["--json"]].concat();
    json(&ok(dir, &args).stdout)
}

fn count(dir: &Path, key: &str) -> f64 {
    number(&drive(dir, &["health", "d"])["counters"][key])
}

/// The demonstration drive with a health table and one attribute.
fn model_with_health(dir: &Path, protocol: &str, cycles: &str) {
    let text = fs::read_to_string("../../drives/demo-8gb.toml").unwrap();
    let figures = [
        ("protocol", format!("\"{protocol}\"")),
        ("rated_cycles", cycles.to_string()),
        ("end_of_life_cycles", cycles.to_string()),
        ("spare_superblocks", "4".to_string()),
        ("spare_threshold_percent", "10".to_string()),
    ];
    let attribute = [
        ("id", "241"),
        ("name", "\"Total_LBAs_Written\""),
        ("raw", "\"host_written_sectors\""),
        ("value", "\"full\""),
        ("thresh", "0"),
        ("flags", "50"),
    ];
    let line = |(key, value): (&str, String)| {
        format!("{key} = {{ value = {value}, source = \"assumed: for this test\" }}\n")
    };
    let mut text = text + "\n[health]\n";
    text.extend(figures.map(line));
    if protocol == "ata" {
        text += "[[health.attributes]]\n";
        text.extend(attribute.map(|(key, value)| line((key, value.to_string()))));
    }
    fs::write(dir.join("mine.toml"), text).unwrap();
}

#[test]
fn two_runs_on_a_file_are_two_runs_on_one_drive() {
    let dir = with_drive("demo-8gb");
    let dir = dir.path();
    let mut target = SimulatedTarget::new(Model::shipped("demo-8gb").unwrap());
    let mut expected = |text: &str| {
        let request = JobRequest {
            text,
            seed: 1,
            sample_ms: 0,
        };
        serde_json::to_value(target.run(&request).unwrap().fio).unwrap()
    };
    assert_eq!(run_on(dir, "write.fio", "d"), expected(WRITE));
    let second = run_on(dir, "mixed.fio", "d");
    assert_eq!(second, expected(MIXED));
    assert_ne!(second, run_on(dir, "mixed.fio", "demo-8gb"), "it was used");
    let counters = &drive(dir, &["health", "d"])["counters"];
    let in_memory = serde_json::to_value(target.drive().counters()).unwrap();
    assert_eq!(*counters, in_memory);
}

#[test]
fn what_is_done_to_a_drive_is_kept() {
    let dir = with_drive("demo-8gb");
    let dir = dir.path();
    run_on(dir, "write.fio", "d");
    let told = fails(
        dir,
        &["drive", "overprovision", "d", "--user-bytes", "4096000000"],
        3,
        &[],
    );
    assert!(told.contains("TRIM the whole drive first"), "{told}");

    let part = drive(dir, &["trim", "d", "--offset", "1GiB", "--length", "1GiB"]);
    assert_eq!(part["schema"], "stend.drive-trim/1");
    assert!(number(&part["time_ns"]) > 0.0);
    assert_eq!(count(dir, "pages_trimmed"), 262_144.0);
    drive(dir, &["trim", "d"]);
    assert_eq!(count(dir, "pages_trimmed"), 262_144.0 + 1_953_125.0);

    let less = drive(dir, &["overprovision", "d", "--user-bytes", "4096000000"]);
    assert_eq!(less["user_bytes"], 4_096_000_000_u64);
    assert_eq!(less["native_bytes"], 8_000_000_000_u64);
    let beyond = "[a]\nrw=read\nbs=4k\noffset=5g\nsize=4k\n";
    fs::write(dir.join("beyond.fio"), beyond).unwrap();
    fails(dir, &["run", "beyond.fio", "--on", "d"], 3, &["4096000000"]);

    run_on(dir, "write.fio", "d");
    let erases = count(dir, "erases");
    let erased = drive(dir, &["erase", "d"]);
    assert_eq!(
        (&erased["schema"], &erased["crypto"]),
        (&"stend.drive-erase/1".into(), &false.into())
    );
    assert!(number(&erased["time_ns"]) > 5e6, "an erase takes 5 ms");
    assert!(count(dir, "erases") > erases);

    run_on(dir, "write.fio", "d");
    let before = state(dir);
    let parts = ["no [encryption]", "without --crypto"];
    fails(dir, &["drive", "erase", "d", "--crypto"], 3, &parts);
    assert!(state(dir) == before, "it is as it was");
    let sanitized = drive(dir, &["erase", "d", "--sanitize"]);
    assert_eq!(sanitized["sanitize"], true);
    assert!(number(&sanitized["time_ns"]) > 5e6);
}

#[test]
fn a_drive_that_encrypts_discards_its_key_at_once_and_wears_nothing() {
    let dir = with_drive("demo-8gb");
    let dir = dir.path();
    let text = fs::read_to_string("../../drives/demo-8gb.toml").unwrap();
    let source = "source = \"assumed: for this test\"";
    let table = format!("\n[encryption]\nalgorithm = {{ value = \"AES-256\", {source} }}\n");
    fs::write(dir.join("mine.toml"), text + &table).unwrap();
    fs::remove_file(dir.join("d")).unwrap();
    ok(dir, &["drives", "create", "./mine.toml", "--state", "d"]);
    run_on(dir, "write.fio", "d");
    let (erases, read) = (count(dir, "erases"), count(dir, "nand_reads"));
    let erased = drive(dir, &["erase", "d", "--crypto"]);
    assert_eq!(erased["crypto"], true);
    assert_eq!(erased["sanitize"], false);
    assert_eq!(erased["time_ns"], 100_000_000);
    assert_eq!(count(dir, "erases"), erases);
    fs::write(dir.join("r.fio"), "[a]\nrw=randread\nbs=4k\nsize=64m\n").unwrap();
    run_on(dir, "r.fio", "d");
    assert_eq!(count(dir, "nand_reads"), read, "nothing is left to be read");
    let said = ok(dir, &["drive", "erase", "d", "--crypto"]).stdout;
    for part in [
        "no data can be read any more",
        "0 blocks were erased",
        "100.000 ms",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    // The report contains it as a fact.
    let args = [
        "./mine.toml",
        "--duration-scale",
        "0.01",
        "--tests",
        "sequential",
    ];
    let facts = common::review(dir, &args)["target"]["facts"].clone();
    let fact = common::list(&facts)
        .iter()
        .find(|f| f["id"] == "encryption");
    assert_eq!(fact.unwrap()["value"], "AES-256");
}

#[test]
fn without_the_write_cache_writes_wait_for_the_flash() {
    let dir = with_drive("demo-8gb");
    let dir = dir.path();
    fs::write(dir.join("w.fio"), "[a]\nrw=write\nbs=4k\nsize=1m\n").unwrap();
    let mean = || number(&run_on(dir, "w.fio", "d")["jobs"][0]["write"]["clat_ns"]["mean"]);
    let on = mean();
    assert_eq!(
        drive(dir, &["write-cache", "d", "off"])["write_cache"],
        false
    );
    let off = mean();
    // A program of the SLC cache takes 400 µs.
    assert!(on < 100_000.0 && off > 400_000.0, "{on} and {off} ns");
    drive(dir, &["write-cache", "d", "on"]);
    assert!(mean() < 100_000.0);
}

#[test]
fn health_is_told_as_smartctl_would_and_changes_with_use() {
    for protocol in ["ata", "nvme"] {
        let dir = folder();
        let dir = dir.path();
        model_with_health(dir, protocol, "1000");
        fs::write(dir.join("write.fio"), WRITE).unwrap();
        ok(dir, &["drives", "create", "mine.toml", "--state", "d"]);
        // The state file contains its own model.
        fs::remove_file(dir.join("mine.toml")).unwrap();
        let written = || {
            let document = drive(dir, &["health", "d"]);
            assert_eq!(document["smart_status"]["passed"], true);
            assert!(document["schema"].is_null());
            match protocol {
                "ata" => document["ata_smart_attributes"]["table"][0]["raw"]["value"].clone(),
                _ => document["nvme_smart_health_information_log"]["data_units_written"].clone(),
            }
        };
        assert_eq!(written(), 0);
        run_on(dir, "write.fio", "d");
        let sectors = 64 * 2048_u64;
        let expected = if protocol == "ata" {
            sectors
        } else {
            sectors.div_ceil(1000)
        };
        assert_eq!(written(), expected);
        let shown = ok(dir, &["drive", "health", "d"]).stdout;
        let row = if protocol == "ata" {
            "241 Total_LBAs_Written"
        } else {
            "data units written"
        };
        for part in ["PASSED", row, &expected.to_string()] {
            assert!(shown.contains(part), "{part}:\n{shown}");
        }
    }
}

#[test]
fn a_drive_that_is_worn_out_says_so() {
    let dir = folder();
    let dir = dir.path();
    model_with_health(dir, "nvme", "1");
    ok(dir, &["drives", "create", "mine.toml", "--state", "d"]);
    fs::write(dir.join("r.fio"), "[a]\nrw=read\nbs=4k\nsize=1m\n").unwrap();
    ok(dir, &["run", "r.fio", "--on", "d", "--fill"]);
    drive(dir, &["erase", "d"]);
    let document = drive(dir, &["health", "d"]);
    assert_eq!(document["smart_status"]["passed"], false);
    let before = state(dir);
    fails(
        dir,
        &["drive", "trim", "d"],
        6,
        &["refuses TRIM", "worn out"],
    );
    assert_eq!(state(dir), before);
    let shown = ok(dir, &["drive", "health", "d"]).stdout;
    assert!(shown.contains("FAILED"), "{shown}");
}

/// One erase cycle of ten is used, and forty hours have passed.
#[test]
fn what_is_left_of_a_simulated_drive_follows_from_its_health() {
    let dir = folder();
    let dir = dir.path();
    model_with_health(dir, "nvme", "10");
    ok(dir, &["drives", "create", "mine.toml", "--state", "d"]);
    let new = drive(dir, &["health", "d"]);
    assert_eq!(new["stend"], serde_json::json!({}), "nothing is written");
    let late = "[a]\nrw=read\nbs=4k\nsize=1m\nstartdelay=40h\n";
    fs::write(dir.join("r.fio"), late).unwrap();
    ok(dir, &["run", "r.fio", "--on", "d", "--fill"]);
    drive(dir, &["erase", "d"]);
    let left = |more: &[&str]| {
        let told = drive(dir, &[&["health", "d"], more].concat());
        told["stend"]["remaining_life"].clone()
    };
    let life = left(&["--rated", "80GB"]);
    let used = number(&life["used_percent"]);
    assert!((8.0..=10.0).contains(&used), "{life}");
    assert!(number(&life["power_on_hours"]) >= 40.0, "{life}");
    let written = number(&life["host_written_bytes"]);
    let by_share = &life["by_used_percent"]["written_bytes"];
    assert_eq!(number(&by_share["about"]), (100.0 - used) / used * written);
    let by_rating = &life["by_rated_bytes"]["written_bytes"];
    assert_eq!(number(&by_rating["about"]), 80e9 - written);
    let shown = ok(dir, &["drive", "health", "d"]).stdout;
    for part in ["rated life left, by the share used: ", " years with power"] {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
    assert!(!shown.contains("of the rated"), "{shown}");
    assert!(left(&[])["rated_bytes"].is_null(), "the model names none");
}

#[test]
fn a_model_without_health_says_so() {
    let dir = with_drive("demo-8gb");
    let said = ok(dir.path(), &["drive", "health", "d"]);
    assert!(said.stderr.contains("has no [health]"), "{}", said.stderr);
    assert!(said.stdout.contains("nand programs"), "{}", said.stdout);
    let document = drive(dir.path(), &["health", "d"]);
    assert_eq!(document["schema"], "stend.drive-counters/1");
    assert_eq!(document["stend"], serde_json::json!({}));
}

/// The demonstration drive without parity, and with errors that no pass corrects.
#[test]
fn a_drive_whose_pages_are_lost_tells_its_uber() {
    let text = fs::read_to_string("../../drives/demo-8gb.toml").unwrap();
    let figures = [
        ("rber_fresh_ppb", "[9000.0]"),
        ("rber_worn_ppb", "[0.0]"),
        ("rated_cycles", "[1000]"),
        ("rber_year_fresh_ppb", "[0.0]"),
        ("rber_year_worn_ppb", "[0.0]"),
        ("rber_reads_100k_ppb", "[0.0]"),
        ("page_spread_percent", "0"),
        ("pass_rber_ppb", "[1000.0]"),
        ("retry_us", "10.0"),
        ("seed", "1"),
    ];
    let mut table = "\n[media]\n".to_string();
    table.extend(figures.map(|(key, value)| {
        format!("{key} = {{ value = {value}, source = \"assumed: for this test\" }}\n")
    }));
    let model = Model::parse(&(text + &table), "mine.toml").unwrap();
    let mut lossy = SimDrive::new(&model.spec());
    let send = |lossy: &mut SimDrive, op, tag: u32| {
        lossy.submit(Request {
            tag,
            op,
            offset_bytes: u64::from(tag) << 16,
            len_bytes: 1 << 16,
            ..Request::default()
        });
        lossy.advance(SimTime::NEVER).unwrap()
    };
    for tag in 0..100 {
        send(&mut lossy, Op::Write, tag);
    }
    let dir = folder();
    let dir = dir.path();
    let keep = |lossy: &SimDrive| {
        let file = fs::File::create(dir.join("d")).unwrap();
        stend_drive::state::write(&model, lossy, file).unwrap();
        drive(dir, &["health", "d"])["stend"].clone()
    };
    assert_eq!(keep(&lossy), serde_json::json!({}), "nothing was read");
    // Not the last ones, which are still in the buffer.
    for tag in 0..20 {
        let done = send(&mut lossy, Op::Read, tag);
        assert_eq!(done.status, Status::MediaError);
    }
    let known = keep(&lossy);
    assert_eq!(known["host_read_bits"], 20 << 19);
    assert_eq!(known["uncorrectable_sectors"], 20 << 7);
    assert_eq!(known["uber"], 1.0 / 4096.0);
    let shown = ok(dir, &["drive", "health", "d"]).stdout;
    assert!(shown.contains("uncorrectable sectors"), "{shown}");
}

#[test]
fn looking_and_reviewing_change_nothing() {
    let dir = with_drive("demo-8gb");
    let dir = dir.path();
    run_on(dir, "write.fio", "d");
    let before = state(dir);
    ok(dir, &["drive", "health", "d"]);
    let short = [
        "--duration-scale",
        "0.01",
        "--tests",
        "sequential",
        "--json",
    ];
    let said = ok(dir, &[&["review", "d"], &short[..]].concat());
    assert!(said.stderr.contains("d is not changed"), "{}", said.stderr);
    let review = json(&said.stdout);
    assert_eq!(review["target"]["kind"], "simulated");
    let facts = review["target"]["facts"].to_string();
    assert!(facts.contains("history-of-the-drive"), "{facts}");
    let said = ok(
        dir,
        &[
            &["review", "demo-8gb", "--against", "d", "--out", "o"],
            &short[..],
        ]
        .concat(),
    );
    assert!(said.stderr.contains("d is not changed"), "{}", said.stderr);
    assert_eq!(state(dir), before);
}

/// Sectors of 512 bytes that the host has written, from a drive's SMART document.
fn sectors_written(document: &Value) -> f64 {
    number(&document["ata_smart_attributes"]["table"][0]["raw"]["value"])
}

#[test]
fn a_review_keeps_the_drive_that_all_its_tests_ran_on() {
    let dir = folder();
    let dir = dir.path();
    model_with_health(dir, "ata", "1000");
    let short = ["./mine.toml", "--duration-scale", "0.01", "--out", "o"];
    let tests = ["--tests", "sequential,degradation", "--state", "d"];
    let review = common::review(dir, &[&short[..], &tests].concat());
    let smart = &review["smart"];
    let [before, after] = ["before", "after"].map(|when| &smart[when]["document"]);
    assert_eq!(sectors_written(before), 0.0);
    let health = drive(dir, &["health", "d"]);
    assert_eq!(sectors_written(&health), sectors_written(after));
    let written: f64 = 512.0 * sectors_written(after);
    assert!(written > 8e9, "it was filled at least once: {written}");
    // The drive continues from there.
    drive(dir, &["trim", "d"]);
    let kept = state(dir);
    let copies = [&short[..4], &["p", "--tests", "sequential"]].concat();
    assert!(
        common::review(dir, &copies)["smart"].is_null(),
        "of many copies"
    );
    for (target, file, part) in [
        ("./mine.toml", "d", "exists already"),
        ("./mine.toml", "none/d", "no such folder"),
        ("./real", "new", "is real"),
    ] {
        let args = ["review", target, "--out", "q", "--state", file];
        fails(dir, &args, 3, &[part]);
    }
    let plan = ["review", "./mine.toml", "--plan", "--state", "new"];
    assert!(!ok(dir, &plan).stdout.contains("states, each made once"));
    assert!(state(dir) == kept && !dir.join("new").exists() && !dir.join("real").exists());
}

#[test]
fn a_damaged_file_is_refused_and_left_alone() {
    let dir = with_drive("demo-8gb");
    let dir = dir.path();
    run_on(dir, "write.fio", "d");
    let good = state(dir);
    let job = ["run", "write.fio", "--on", "bad"];
    let bad_as = |bytes: &[u8], args: &[&str], code: i32, parts: &[&str]| {
        fs::write(dir.join("bad"), bytes).unwrap();
        fails(dir, args, code, parts);
        assert_eq!(fs::read(dir.join("bad")).unwrap(), bytes);
    };
    let bad = |bytes: &[u8], args: &[&str], parts: &[&str]| bad_as(bytes, args, 3, parts);
    let places = || (1..16).chain((16..good.len()).step_by(good.len() / 25));
    for len in places() {
        bad(
            &good[..len],
            &job,
            &["bad is damaged", "stend drives create"],
        );
    }
    for place in places().skip(15) {
        let mut bytes = good.clone();
        bytes[place] ^= 1;
        bad(
            &bytes,
            &["drive", "health", "bad"],
            &["bad is damaged", "restore it"],
        );
    }
    let mut newer = good.clone();
    newer[12] += 1;
    let format = format!("format {}", newer[12]);
    bad(
        &newer,
        &job,
        &[
            "bad holds a simulated drive",
            &format,
            "the stend that wrote it",
        ],
    );
    bad(&newer, &["review", "bad"], &[&format]);
    // A file that is no state at all is a target to test, or unknown to most of `stend drive`.
    for foreign in [&b""[..], b"something else", &vec![7; 4 << 20]] {
        for command in ["health", "erase"] {
            bad(foreign, &["drive", command, "bad"], &["bad"]);
        }
    }
    let trim = ["drive", "trim", "bad"];
    bad_as(b"something else", &trim, 4, &["--destroy bad"]);
    // A damaged state file is not mistaken for another file, whose space could be freed.
    bad(&newer, &["drive", "trim", "bad"], &[&format]);
    bad(&good[..8], &["drive", "trim", "bad"], &["bad is damaged"]);
}

/// A drive with flash errors whose power can be cut.
fn fragile(dir: &Path) {
    const MORE: &str = "[media]
rber_fresh_ppb = [20000]
rber_worn_ppb = [100000]
rber_year_fresh_ppb = [400000]
rber_year_worn_ppb = [400000]
rber_reads_100k_ppb = [1000]
rated_cycles = [1000]
page_spread_percent = 0
pass_rber_ppb = [100000, 4000000]
retry_us = 5.0
seed = 1
[power_loss]
enabled = true
capacitors = false
hold_up_ms = 0
paired_pages = \"pad\"
journal_blocks_per_plane = 8
journal_read_us = 40.0
journal_program_us = 300.0
journal_erase_us = 5000.0
journal_interval_kib = 4096
checkpoint_pages = 16
boot_ms = 100
replay_page_ns = 100";
    let demo = ok(dir, &["drives", "show", "demo-8gb"]).stdout;
    // A stripe has at most one page on each of the four dies.
    let mut text = demo
        .replace("data_pages = { value = 5", "data_pages = { value = 3")
        .replace(
            "user_bytes = { value = 8000000000",
            "user_bytes = { value = 7900000256",
        );
    assert_ne!(text, demo);
    for line in MORE.lines() {
        text += &match line.split_once(" = ") {
            Some((key, value)) => {
                format!("{key} = {{ value = {value}, source = \"assumed: a test\" }}\n")
            }
            None => format!("{line}\n"),
        };
    }
    fs::write(dir.join("fragile.toml"), text).unwrap();
    let create = ["drives", "create", "./fragile.toml", "--state", "d"];
    ok(dir, &create);
}

#[test]
fn harm_comes_to_a_drive_in_a_file() {
    let dir = folder();
    let dir = dir.path();
    fragile(dir);
    fs::write(dir.join("write.fio"), WRITE).unwrap();
    run_on(dir, "write.fio", "d");
    let job = "[a]\nrw=read\nbs=128k\nsize=2g\n";
    fs::write(dir.join("read.fio"), job).unwrap();
    run_on(dir, "read.fio", "d");
    assert_eq!(count(dir, "read_retries"), 0.0);

    // Ageing at 40 °C is 3.8 times as fast: 180 days are more than a year.
    let aged = drive(dir, &["age", "d", "--days", "180", "--celsius", "40"]);
    let days = number(&aged["days_at_30_c"]);
    assert!((days / 180.0 - 3.84).abs() < 0.02, "{days}");
    let grown = number(&aged["rber"]) - number(&aged["rber_before"]);
    assert!((grown / (4e-4 * days / 365.0) - 1.0).abs() < 0.05, "{aged}");
    run_on(dir, "read.fio", "d");
    assert!(count(dir, "read_retries") > 0.0);

    let cut = drive(dir, &["power-cut", "d"]);
    assert!(number(&cut["recovery_ns"]) > 100e6, "{cut}");
    assert!(number(&cut["time_ns"]) >= number(&cut["recovery_ns"]));
    assert_eq!(
        (number(&cut["failed_saves"]), number(&cut["lost_pages"])),
        (0.0, 0.0)
    );
    assert_eq!(
        number(&cut["undone_pages"]),
        0.0,
        "nothing was being written"
    );
    assert_eq!(count(dir, "unsafe_shutdowns"), 1.0);

    let failed = drive(dir, &["fail-die", "d", "--die", "3"]);
    assert_eq!((&failed["die"], &failed["dies"]), (&3.into(), &4.into()));
    run_on(dir, "read.fio", "d");
    assert!(count(dir, "rebuilt_pages") > 0.0, "it has parity");
    assert_eq!(count(dir, "lost_pages"), 0.0);

    for (args, parts) in [
        (&["age", "d", "--days", "-1"][..], "from 0 to 36500"),
        (&["age", "d", "--days", "nan"], "from 0 to 36500"),
        (&["age", "d", "--days", "1", "--celsius", "300"], "to 125"),
        (
            &["age", "d", "--days", "36500", "--celsius", "125"],
            "fewer",
        ),
        (&["fail-die", "d", "--die", "4"], "4 dies, 0 to 3"),
    ] {
        let code = if parts == "fewer" || args[0] == "fail-die" {
            3
        } else {
            2
        };
        fails(dir, &[&["drive"], args].concat(), code, &[parts]);
    }
    ok(dir, &["drives", "create", "demo-8gb", "--state", "plain"]);
    for (args, part) in [
        (&["age", "plain", "--days", "1"][..], "[media]"),
        (&["fail-die", "plain", "--die", "0"], "[media]"),
        (&["power-cut", "plain"], "[power_loss]"),
        (&["power-cut", "write.fio"], "not a simulated drive"),
    ] {
        fails(dir, &[&["drive"], args].concat(), 3, &[part]);
    }
}

/// A shipped drive with fewer blocks, whose flash is at its rated cycles from the beginning.
fn worn_mx100(dir: &Path) {
    let shown = ok(dir, &["drives", "show", "crucial-mx100-256gb"]).stdout;
    let mut text = shown.clone();
    for (from, to) in [
        (
            "user_bytes = { value = 256060514304",
            "user_bytes = { value = 4096000000",
        ),
        (
            "\nblocks_per_plane = { value = 1092",
            "\nblocks_per_plane = { value = 48",
        ),
        // The worn figure is the sum of the fresh one and the increase at the rated cycles.
        (
            "rber_fresh_ppb = { value = [50000",
            "rber_fresh_ppb = { value = [450000",
        ),
        (
            "rber_year_fresh_ppb = { value = [450000",
            "rber_year_fresh_ppb = { value = [1950000",
        ),
    ] {
        assert!(text.contains(from), "{from}:\n{shown}");
        text = text.replace(from, to);
    }
    fs::write(dir.join("worn.toml"), text).unwrap();
    ok(dir, &["drives", "create", "./worn.toml", "--state", "d"]);
}

/// Two times 90 days without power at 40 °C, each nearly equal to the year at 30 °C that JESD218
/// requires of client drives at their rated cycles. The worn drive reads slowly, loses nothing, and
/// reports its retries.
#[test]
fn old_data_on_worn_flash_is_read_slowly_and_whole() {
    let dir = folder();
    let dir = dir.path();
    worn_mx100(dir);
    let all = |rw: &str| format!("[a]\nrw={rw}\nbs=128k\niodepth=32\n");
    for (name, text) in [
        ("fill.fio", all("write")),
        ("all.fio", all("read")),
        ("one.fio", "[a]\nrw=randread\nbs=4k\nio_size=16m\n".into()),
    ] {
        fs::write(dir.join(name), text).unwrap();
    }
    run_on(dir, "fill.fio", "d");
    // Sixteen dies hide the retries from a long queue, but not from single requests.
    let latency_ns = || {
        let whole = &run_on(dir, "all.fio", "d")["jobs"][0];
        let read = (&whole["error"], &whole["read"]["io_bytes"]);
        assert_eq!(read, (&0.into(), &4_096_000_000_u64.into()));
        number(&run_on(dir, "one.fio", "d")["jobs"][0]["read"]["clat_ns"]["mean"])
    };
    let told = |key: &str| number(&drive(dir, &["health", "d"])["stend"][key]);
    let fresh_ns = latency_ns();
    assert_eq!(told("read_retries"), 0.0);
    let mut before = (fresh_ns, 0.0);
    for times in [1, 2] {
        drive(dir, &["age", "d", "--days", "90", "--celsius", "40"]);
        let now = (latency_ns(), told("read_retries"));
        println!("{times} × 90 days: {} µs, {} retries", now.0 / 1e3, now.1);
        assert!(
            now.0 > before.0 && now.1 > 2.0 * before.1,
            "{before:?}, then {now:?}"
        );
        before = now;
    }
    assert!(before.0 > 2.0 * fresh_ns, "{before:?} of {fresh_ns} ns");
    assert_eq!((told("uncorrectable_sectors"), told("uber")), (0.0, 0.0));
    let shown = ok(dir, &["drive", "health", "d"]).stdout;
    assert!(shown.contains("read retries"), "{shown}");
}

#[test]
fn what_has_no_state_says_how_to_make_one() {
    let dir = with_drive("demo-8gb");
    let dir = dir.path();
    let make = "stend drives create demo-8gb --state FILE";
    for command in [
        &["health"][..],
        &["trim"],
        &["erase"],
        &["overprovision", "--user-bytes", "1"],
    ] {
        let args = [&["drive"], command, &["demo-8gb"]].concat();
        fails(dir, &args, 3, &["demo-8gb is a model", make]);
    }
    fails(
        dir,
        &["drive", "health", "none"],
        3,
        &["no file none", "--state none"],
    );
    fails(
        dir,
        &["drive", "trim", "/dev/null"],
        3,
        &["/dev/null holds no", "blkdiscard"],
    );
}

#[test]
fn making_a_drive_overwrites_nothing() {
    let dir = with_drive("demo-8gb");
    let dir = dir.path();
    let before = state(dir);
    let create = |model: &str, file: &str, code: i32, parts: &[&str]| {
        fails(
            dir,
            &["drives", "create", model, "--state", file],
            code,
            parts,
        );
    };
    create("demo-8gb", "d", 3, &["d exists already"]);
    create(
        "demo-9gb",
        "e",
        3,
        &["demo-9gb", "did you mean `demo-8gb`?"],
    );
    create("none.toml", "e", 3, &["none.toml"]);
    create("demo-8gb", "e.toml", 3, &["e.toml", "names a model"]);
    create("demo-8gb", "demo-8gb", 3, &["names a model"]);
    create("demo-8gb", "none/e", 6, &["none/e"]);
    std::os::unix::fs::symlink("nowhere", dir.join("link")).unwrap();
    create("demo-8gb", "link", 3, &["link exists already"]);
    assert_eq!(state(dir), before);
    assert!(!dir.join("e").exists() && !dir.join("nowhere").exists());
    let args = [
        "drives",
        "create",
        "demo-8gb",
        "--state",
        "./demo-8gb",
        "--json",
    ];
    let document = json(&ok(dir, &args).stdout);
    assert_eq!(document["schema"], "stend.drive-create/1");
    assert_eq!(document["capacity_bytes"], 8_000_000_000_u64);
    assert_eq!(fs::read(dir.join("demo-8gb")).unwrap(), before);
}

#[test]
fn ranges_and_options_that_do_not_fit_change_nothing() {
    let dir = with_drive("demo-8gb");
    let dir = dir.path();
    let before = state(dir);
    for range in [
        &["--length", "100"][..],
        &["--offset", "8GB"],
        &["--offset", "1", "--length", "512"],
        &["--offset", "7GB", "--length", "2GB"],
        &["--length", "0"],
    ] {
        let args = [&["drive", "trim", "d"], range].concat();
        fails(dir, &args, 3, &["--offset", "8000000000", "512"]);
    }
    let over = ["drive", "overprovision", "d", "--user-bytes"];
    for bytes in ["0", "4097", "9GB"] {
        fails(
            dir,
            &[&over[..], &[bytes]].concat(),
            3,
            &["--user-bytes", "multiple of 4096"],
        );
    }
    let sized = fails(
        dir,
        &["run", "write.fio", "--on", "d", "--size", "1GiB"],
        3,
        &["--size"],
    );
    assert!(!sized.contains("./d"), "{sized}");
    assert_eq!(state(dir), before);
}

fn has_open(process: u32, file: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{process}/fd"));
    let mut targets = open
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| fs::read_link(e.path()));
    targets.any(|target| target.is_ok_and(|target| target == file))
}

#[test]
fn an_interrupted_run_leaves_the_old_state_and_holds_others_off() {
    let dir = with_drive("demo-8gb");
    let dir = dir.path();
    let before = state(dir);
    let mut command = program(dir, &["run", "forever.fio", "--on", "d"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !has_open(child.id(), &dir.join("d")) {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "it never opened the drive"
        );
        sleep(Duration::from_millis(10));
    }
    // Only a few instructions remain before it takes its lock.
    sleep(Duration::from_millis(200));
    fails(
        dir,
        &["drive", "write-cache", "d", "off"],
        4,
        &["d is in use"],
    );
    ok(dir, &["drive", "health", "d"]);
    assert!(child.try_wait().unwrap().is_none(), "it was still running");
    tool("kill", &["-s", "INT", &child.id().to_string()]);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    assert_eq!(state(dir), before);
    assert_eq!(
        fs::read_dir(dir).unwrap().count(),
        4,
        "nothing is left beside"
    );
}

#[test]
fn a_full_disk_leaves_the_old_state() {
    if !have_root_and(&["mount", "umount"]) {
        return;
    }
    let disk = Mounted::new(&["-t", "tmpfs", "-o", "size=200k", "none"]);
    let dir = with_drive("demo-8gb");
    fs::copy(dir.path().join("d"), disk.path().join("d")).unwrap();
    let before = state(disk.path());
    let file = disk.path().join("d");
    let args = ["run", "write.fio", "--on", file.to_str().unwrap()];
    fails(dir.path(), &args, 6, &["cannot be written", "unchanged"]);
    assert_eq!(state(disk.path()), before);
    assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 1);
}

#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = with_drive("demo-8gb");
    let dir = dir.path();
    fs::set_permissions(dir.join("d"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("d", dir.join("link")).unwrap();
    let before = state(dir);
    run_on(dir, "write.fio", "link");
    assert!(dir.join("link").symlink_metadata().unwrap().is_symlink());
    assert_ne!(state(dir), before);
    let mode = dir.join("d").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}
