//! `--edition endurance` and `--write-budget`: the end of a drive's life, and that a real drive is
//! never written more than its owner allows.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{
    Loop, MIB, fails, fails_as, fake_fio, folder, have, have_root_and, json, list, mortal_model,
    number, ok, page_header, program, run, saved, script, stend, test, tool, words,
};
use serde_json::Value;
use stend_analysis::remaining_life;
use stend_record::endurance::Health;

const EDITION: [&str; 2] = ["--edition", "endurance"];

fn worn(dir: &Path, args: &[&str]) -> Value {
    let args = [&["review", "--json"], args, &EDITION].concat();
    json(&ok(dir, &args).stdout)
}

fn endurance(review: &Value) -> &Value {
    &test(review, "endurance")["endurance"]
}

#[test]
fn a_simulated_drive_is_written_until_it_refuses() {
    let dir = folder();
    let dir = dir.path();
    mortal_model(dir);
    let first = worn(dir, &["./mortal.toml", "--out", "a"]);
    let worn_out = endurance(&first);
    assert_eq!(worn_out["end"], "refused");
    let refusal = worn_out["refusal"].as_str().unwrap();
    assert!(refusal.contains("Input/output error"), "{refusal}");
    assert_eq!(worn_out["rated_bytes"], 1_000_000_000_000_u64);
    let rounds = list(&worn_out["rounds"]);
    let sum: f64 = rounds.iter().map(|r| number(&r["written_bytes"])).sum();
    assert_eq!(number(&worn_out["written_bytes"]), sum);
    let health = |round: &Value, key: &str| number(&round["health"][key]);
    let (begin, end) = (&worn_out["before"], &rounds[rounds.len() - 1]);
    assert_eq!(
        (&begin["spare_percent"], &begin["read_only"]),
        (&100.into(), &false.into())
    );
    assert_eq!(
        (health(end, "spare_percent"), &end["health"]["read_only"]),
        (0.0, &true.into())
    );
    // The most worn superblock has endured nine erase cycles, and so have two spare ones.
    assert_eq!(number(&end["health"]["erase_cycles"]["max"]), 9.0);
    assert_eq!(health(end, "retired_blocks"), 2.0);
    // The drive counts the bytes that the test wrote, and writes under way when it refused.
    let host = health(end, "host_written_bytes");
    assert!(
        host >= sum && host - sum <= 32.0 * 131_072.0,
        "{host} of {sum}"
    );
    let used: Vec<f64> = rounds.iter().map(|r| health(r, "used_percent")).collect();
    assert!(used.is_sorted() && used[used.len() - 1] > 100.0, "{used:?}");
    // Every byte goes through the SLC cache, and is written twice, each time with a sixth of
    // parity. GC of a sequentially written drive adds less than one more write.
    for round in &rounds[1..] {
        let amplification = number(&round["write_amplification"]);
        assert!((2.0..3.0).contains(&amplification), "{round}");
    }
    let after = &worn_out["afterwards"];
    assert_eq!(after["write_refused"], true);
    assert_eq!(
        (&after["failed_reads"], &after["read_bytes"]),
        (&0.into(), &(64 * MIB).into())
    );
}

#[test]
fn a_life_is_the_same_again_and_twice_as_long_with_twice_the_erasures() {
    let dir = folder();
    let dir = dir.path();
    mortal_model(dir);
    let first = worn(dir, &["./mortal.toml", "--out", "a"]);
    let again = worn(dir, &["./mortal.toml", "--out", "b"]);
    assert_eq!(first["tests"], again["tests"]);
    let text = fs::read_to_string(dir.join("mortal.toml")).unwrap();
    let longer = text.replace(
        "end_of_life_cycles = { value = 9",
        "end_of_life_cycles = { value = 19",
    );
    assert_ne!(longer, text);
    fs::write(dir.join("longer.toml"), longer).unwrap();
    let longer = worn(dir, &["./longer.toml", "--out", "c"]);
    let written = |review: &Value| number(&endurance(review)["written_bytes"]);
    let ratio = written(&longer) / written(&first);
    assert!((1.8..2.4).contains(&ratio), "{ratio}");
}

/// The reported remaining life proves true, once wear is steady and until the drive refuses.
#[test]
fn the_life_that_is_left_comes_to_what_was_said() {
    let dir = folder();
    let dir = dir.path();
    let text = fs::read_to_string(mortal_model(dir)).unwrap();
    let text = text.replace("rated_cycles = { value = 6", "rated_cycles = { value = 60");
    let text = text.replace("_life_cycles = { value = 9", "_life_cycles = { value = 90");
    fs::write(dir.join("mortal.toml"), text).unwrap();
    let review = worn(dir, &["./mortal.toml", "--out", "a"]);
    let rounds = list(&endurance(&review)["rounds"]).iter();
    let healths: Vec<Health> = rounds
        .map(|round| serde_json::from_value(round["health"].clone()).unwrap())
        .collect();
    let written = |health: &Health| health.host_written_bytes.unwrap() as f64;
    let used = |health: &Health| health.used_percent.unwrap();
    // The rated life ends between two rounds.
    let end = healths.iter().position(|h| used(h) >= 100).unwrap();
    let [before, after] = [end - 1, end].map(|nth| written(&healths[nth]));
    let steady = healths[..end].iter().filter(|health| used(health) >= 50);
    let mut tried = 0;
    for health in steady {
        let life = remaining_life(health, health, None).unwrap();
        let left = life.by_used_percent.unwrap().written_bytes.unwrap();
        let end = [left.least, left.most.unwrap()].map(|left| written(health) + left);
        println!("{} %: {end:?} for {before} to {after}", used(health));
        assert!(end[0] <= after && end[1] >= before, "{health:?}: {end:?}");
        tried += 1;
    }
    assert!(tried > 5, "{tried} rounds");
}

#[test]
fn terminal_and_page_say_when_a_drive_refuses() {
    let dir = folder();
    let dir = dir.path();
    mortal_model(dir);
    let args = "review ./mortal.toml --edition endurance --out d";
    let said = ok(dir, &args.split(' ').collect::<Vec<_>>());
    assert!(
        said.stdout.contains("  refused a write after 2."),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.contains("It refuses writes after 2."),
        "{}",
        said.stdout
    );
    let page = fs::read_to_string(dir.join("d/index.html")).unwrap();
    for part in [
        "Life of the drive, as it reports it",
        "the drive refused a write",
        "Speed of each round",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_drive_without_an_end_needs_a_budget() {
    let dir = folder();
    let dir = dir.path();
    let args = [
        "review",
        "demo-8gb",
        "--edition",
        "endurance",
        "--out",
        "out",
    ];
    fails(
        dir,
        &args,
        3,
        &["nothing in this model wears out", "--write-budget BYTES"],
    );
    assert!(!dir.join("out").exists());
    let review = worn(dir, &["demo-8gb", "--write-budget", "1GB", "--out", "out"]);
    let spared = endurance(&review);
    assert_eq!(spared["end"], "budget");
    assert_eq!(
        number(&spared["written_bytes"]),
        (1_000_000_000 / 131_072 * 131_072) as f64
    );
    let command = review["reproduce"].as_str().unwrap();
    assert!(command.contains("--write-budget 1000000000"), "{command}");
}

#[test]
fn a_real_target_is_not_touched_without_a_budget_of_its_own() {
    let dir = folder();
    let dir = dir.path();
    fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["review", "./drive.bin", "--size", "64MiB"], more].concat()
    }
    let part = "nothing has been written";
    fails(
        dir,
        &with(&EDITION),
        4,
        &["`endurance`", "--write-budget BYTES", part],
    );
    // An edition in which endurance is one of several tests.
    let text = include_str!("../../../editions/endurance.toml").to_owned()
        + "[[test]]\nid = \"other\"\ntitle = \"\"\nmethod = \"\"\n\
           [[test.sweep]]\nop = \"write\"\nstate = \"as-it-is\"\npattern = \"random\"\n\
           block_bytes = [4096]\nqueue_depth = [1]\nthreads = 1\nduration_s = 1\n";
    fs::write(dir.join("mine.toml"), text).unwrap();
    let mine = ["--edition", "./mine.toml", "--write-budget", "1GB"];
    fails(
        dir,
        &with(&mine),
        4,
        &["beside other", "--tests endurance", part],
    );
    let rival = [
        "review",
        "demo-8gb",
        "--against",
        "./drive.bin",
        "--edition",
        "endurance",
    ];
    fails(dir, &rival, 4, &["--write-budget BYTES"]);
    let unused = ["--write-budget", "1GB"];
    fails(
        dir,
        &with(&unused),
        3,
        &["--write-budget", "none was chosen"],
    );
    fails(
        dir,
        &[&with(&EDITION), &["--write-budget", "4096"][..]].concat(),
        3,
        &["131072 bytes"],
    );
    fails(
        dir,
        &[&with(&EDITION), &["--write-budget", "2Q"][..]].concat(),
        2,
        &["TiB", "TB"],
    );
    let left: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, ["mine.toml"]);
}

/// Bytes that the kernel has written to a block device since the device was created.
fn device_written_bytes(node: &str) -> u64 {
    let name = Path::new(node).file_name().unwrap().to_str().unwrap();
    let text = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    let sectors: u64 = text.split_whitespace().nth(6).unwrap().parse().unwrap();
    sectors * 512
}

/// Replaces smartctl for an NVMe drive whose counts follow the device's own.
fn smartctl_for(dir: &Path, node: &str) {
    let name = Path::new(node).file_name().unwrap().to_str().unwrap();
    let folder = dir.join("bin");
    fs::create_dir(&folder).unwrap();
    let body = format!(
        r#"case "$*" in "-j -x {node}") ;; *) exit 9 ;; esac
set -- $(cat /sys/block/{name}/stat)
cat <<END
{{ "device": {{ "name": "{node}", "type": "nvme", "protocol": "NVMe" }},
  "nvme_smart_health_information_log": {{ "critical_warning": 0, "temperature": 41,
  "available_spare": 97, "available_spare_threshold": 10, "percentage_used": 12,
  "data_units_read": 1, "data_units_written": $(($7 / 1000)), "host_reads": 1, "host_writes": 1,
  "controller_busy_time": 1, "power_cycles": 1, "power_on_hours": 1, "unsafe_shutdowns": 1,
  "media_errors": 0, "num_err_log_entries": 0 }} }}
END
exit 4"#
    );
    let made = script(&folder, &body);
    fs::rename(made, folder.join("smartctl")).unwrap();
}

#[test]
fn a_device_is_written_as_much_as_allowed_and_asked_for_its_health() {
    if !have_root_and(&["fio", "losetup", "blkid"]) {
        return;
    }
    let device = Loop::new(64 * MIB);
    let dir = folder();
    let dir = dir.path();
    let begin = device_written_bytes(device.node());
    let common = [&["review", device.node(), "--out", "out"][..], &EDITION].concat();
    // The table of data to be lost includes the budget.
    let ask = [&common[..], &["--write-budget", "150MB"]].concat();
    fails(
        dir,
        &ask,
        4,
        &["will be written 150.0 MB", "--destroy loop:disk.img"],
    );
    assert_eq!(device_written_bytes(device.node()), begin);
    // The table also includes the plans of all other tests.
    let other = [
        "review",
        device.node(),
        "--out",
        "out",
        "--tests",
        "degradation,recovery",
    ];
    fails(
        dir,
        &other,
        4,
        &["will be written 67.1 MB", "and besides     6 h as fast"],
    );

    smartctl_for(dir, device.node());
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", dir.join("bin").display());
    let args = [&ask[..], &["--destroy", "loop:disk.img", "--json"]].concat();
    let said = run(stend(dir, &args).env("PATH", path));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let review = json(&said.stdout);
    let spared = endurance(&review);
    let in_its_life = device_written_bytes(device.node());
    let written = in_its_life - begin;
    assert!(written <= 150_000_000, "{written}");
    assert_eq!(number(&spared["written_bytes"]), written as f64);
    assert_eq!(spared.get("no_health"), None);
    let rounds = list(&spared["rounds"]);
    assert_eq!(rounds.len(), 3);
    let health = &rounds[2]["health"];
    assert_eq!(
        health["host_written_bytes"],
        in_its_life / 512_000 * 512_000
    );
    assert_eq!(
        (&health["used_percent"], &health["spare_percent"]),
        (&12.into(), &97.into())
    );
    assert_eq!(
        (&health["temperature_c"], &health["read_only"]),
        (&41.into(), &false.into())
    );
    assert_eq!(health["power_on_hours"], 1);
    let page = fs::read_to_string(dir.join("out/index.html")).unwrap();
    assert!(page.contains("Of its rated life are left: by the share used, "));
}

#[test]
fn a_device_without_health_says_so_and_goes_on() {
    if !have_root_and(&["fio", "losetup", "blkid", "smartctl"]) {
        return;
    }
    let device = Loop::new(64 * MIB);
    let dir = folder();
    let target = [
        device.node(),
        "--destroy",
        "loop:disk.img",
        "--write-budget",
        "10MB",
    ];
    let review = worn(dir.path(), &target);
    let why = endurance(&review)["no_health"].as_str().unwrap();
    assert!(why.contains("smartctl finds no health log"), "{why}");
    let warnings = list(&test(&review, "endurance")["warnings"]);
    assert!(warnings.iter().any(|w| words(w).contains(why)));
}

/// A script that replaces fio; its nth write of a round ends with this errno.
fn refusing_fio(dir: &Path, nth: u32, errno: i32) -> std::path::PathBuf {
    let count = dir.join("count");
    fake_fio(
        dir,
        &format!(
            r#"for arg; do case "$arg" in --output=*) answer="${{arg#--output=}}" ;; esac; done
grep -q '^\[wear\]' "$job" || exec fio "$@"
echo >> {count}
test "$(wc -l < {count})" -ge {nth} || exec fio "$@"
fio "$@"
sed -i 's/"error" : 0/"error" : {errno}/' "$answer"
exit 1"#,
            count = count.display()
        ),
    )
}

#[test]
fn a_real_drive_that_refuses_is_at_its_end() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let fio = refusing_fio(dir, 3, 5);
    let args = [
        &[
            "review",
            "./drive.bin",
            "--size",
            "64MiB",
            "--write-budget",
            "1GB",
            "--json",
        ][..],
        &EDITION,
    ]
    .concat();
    let said = run(stend(dir, &args).env("STEND_FIO", fio));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let review = json(&said.stdout);
    let ended = endurance(&review);
    assert_eq!(ended["end"], "refused");
    assert_eq!(list(&ended["rounds"]).len(), 3);
    assert_eq!(ended["afterwards"]["write_refused"], true);
    assert_eq!(ended["afterwards"]["failed_reads"], 0);
}

#[test]
fn a_full_file_system_is_no_end_of_a_drive() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let fio = refusing_fio(dir, 2, 28);
    let args = [
        &[
            "review",
            "./drive.bin",
            "--size",
            "64MiB",
            "--write-budget",
            "1GB",
            "--out",
            "out",
        ][..],
        &EDITION,
    ]
    .concat();
    fails_as(
        stend(dir, &args).env("STEND_FIO", fio),
        7,
        &["No space left"],
    );
    // The results so far are saved, with the interrupted round.
    let kept = saved(&dir.join("out"));
    let begun = &kept["unfinished"][0]["endurance"];
    assert_eq!(begun["end"], "unfinished");
    assert_eq!(list(&begun["rounds"]).len(), 1);
    assert_eq!(begun["broken_off_bytes"], 64 * MIB);
}

fn wait_for_rounds(child: &mut Child, out: &Path, rounds: usize) {
    let began = Instant::now();
    loop {
        let text = fs::read_to_string(out.join("review.json")).unwrap_or_default();
        let review: Value = serde_json::from_str(&text).unwrap_or_default();
        let done = &review["unfinished"][0]["endurance"]["rounds"];
        if done.as_array().is_some_and(|done| done.len() >= rounds) {
            return;
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "waited in vain: {text:.300}"
        );
        assert_eq!(child.try_wait().unwrap(), None, "it has ended: {text:.300}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_interrupted_test_goes_on_within_its_budget() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let out = dir.join("out");
    let with = |budget: &str| -> Vec<String> {
        let args = [
            "review",
            "./drive.bin",
            "--size",
            "64MiB",
            "--out",
            "out",
            "--write-budget",
        ];
        let all = args.iter().chain([&budget]).chain(&EDITION);
        all.map(|word| word.to_string()).collect()
    };
    let first = with("1TB");
    let words: Vec<&str> = first.iter().map(String::as_str).collect();
    let mut command = program(dir, &words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    wait_for_rounds(&mut child, &out, 2);
    tool("kill", &["-s", "TERM", &child.id().to_string()]);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert!(page_header(&out).contains("INCOMPLETE"));
    let begun = saved(&out)["unfinished"][0]["endurance"].clone();
    let written = number(&begun["written_bytes"]);
    assert_eq!(begun["broken_off_bytes"], 64 * MIB);

    // A test under way cannot be left out by another choice of tests.
    let text = include_str!("../../../editions/endurance.toml").replace(
        "id = \"endurance\"\ntitle = { id = \"test-endurance\" }",
        "id = \"other\"\ntitle = \"\"",
    );
    fs::write(dir.join("mine.toml"), text).unwrap();
    let other = [
        "review",
        "./drive.bin",
        "--edition",
        "./mine.toml",
        "--write-budget",
        "1GB",
        "--out",
        "out",
    ];
    fails(dir, &other, 3, &["leaves out: endurance"]);

    let budget = written as u64 + 3 * 64 * MIB;
    let again = with(&budget.to_string());
    let words: Vec<&str> = again.iter().map(String::as_str).collect();
    ok(dir, &words);
    let review = saved(&out);
    assert_eq!(review["complete"], true);
    assert_eq!(review.get("unfinished"), None);
    let ended = endurance(&review);
    assert_eq!(ended["end"], "budget");
    // One of the three remaining rounds replaces the interrupted one.
    assert_eq!(
        number(&ended["written_bytes"]),
        written + (2 * 64 * MIB) as f64
    );
    assert_eq!(list(&ended["rounds"])[..2], list(&begun["rounds"])[..2]);
    let warnings = test(&review, "endurance")["warnings"].to_string();
    assert!(warnings.contains("interrupted and continued"), "{warnings}");
}
