//! `stend run`: one fio job file on a simulated drive and on a real file. The output is parsed as
//! scripts for fio parse it.

use crate::common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::{
    MIB, fails, folder, have, json, key_paths, list, number, ok, program, run, stend, tool,
};
use serde_json::Value;

const JOB: &str = "\
[global]
bs=4k
iodepth=4
randseed=7
size=32m

[fill]
rw=write
bs=128k

[mail]
stonewall
rw=randrw
rwmixread=70
time_based
runtime=1
percentile_list=50:99:99.9
";

fn with_job(text: &str) -> tempfile::TempDir {
    let dir = folder();
    fs::write(dir.path().join("j.fio"), text).unwrap();
    dir
}

fn simulated(dir: &Path, more: &[&str]) -> String {
    let args = [&["run", "j.fio", "--on", "demo-8gb"], more].concat();
    ok(dir, &args).stdout
}

/// fio's own answer to the job, on a file of its own.
fn fio(dir: &Path, format: &str) -> Value {
    let file = dir.join("fio.bin");
    let format = format!("--output-format={format}");
    let target = format!("--filename={}", file.display());
    let job = dir.join("j.fio");
    // fio applies options before the job file to all of its jobs.
    let args = [&format, "--direct=1", &target, job.to_str().unwrap()];
    let text = tool("fio", &args);
    json(&text[text.find('{').unwrap()..])
}

/// Paths below `jobs`, without those of a job's own options.
fn job_paths(answer: &Value) -> BTreeSet<String> {
    let mut paths = key_paths(&answer["jobs"]);
    paths.retain(|path| !path.contains(".job options."));
    paths
}

#[test]
fn the_answer_has_fios_keys() {
    if !have(&["fio"]) {
        return;
    }
    let dir = with_job(JOB);
    for format in ["json", "json+"] {
        let theirs = fio(dir.path(), format);
        let ours = json(&simulated(dir.path(), &["--output-format", format]));
        assert_eq!(job_paths(&ours), job_paths(&theirs), "{format}");
        assert_eq!(ours["global options"]["bs"], theirs["global options"]["bs"]);
        for (ours, theirs) in list(&ours["jobs"]).iter().zip(list(&theirs["jobs"])) {
            for key in ["jobname", "groupid", "error"] {
                assert_eq!(ours[key], theirs[key], "{key}");
            }
        }
    }
}

#[test]
fn the_real_answer_has_fios_keys_too() {
    if !have(&["fio"]) {
        return;
    }
    let dir = with_job(JOB);
    let theirs = job_paths(&fio(dir.path(), "json"));
    let run = [
        "run",
        "j.fio",
        "--on",
        "new.bin",
        "--size",
        "32MiB",
        "--output-format",
        "json",
    ];
    let ours = json(&ok(dir.path(), &run).stdout);
    assert_eq!(job_paths(&ours), theirs);
    assert!(ours["fio version"].as_str().unwrap().starts_with("fio-3"));
    let written = number(&ours["jobs"][0]["write"]["io_bytes"]);
    assert_eq!(written, (32 * MIB) as f64);
    assert_eq!(
        fs::metadata(dir.path().join("new.bin")).unwrap().len(),
        32 * MIB
    );
}

/// A script reads both answers alike: the same keys, and the same percentiles by default.
#[test]
fn answers_of_a_real_and_of_a_simulated_drive_are_alike() {
    if !have(&["fio"]) {
        return;
    }
    let job = "[global]\nbs=4k\niodepth=4\nsize=4m\n[w]\nrw=write\nfsync=8\n\
               [r]\nstonewall\nrw=randrw\nverify=crc32c\n[g]\nstonewall\nrw=read\n\
               numjobs=2\ngroup_reporting\n";
    let dir = with_job(job);
    let answer = |on: &[&str], format: &str| {
        let run = ["run", "j.fio", "--output-format", format];
        json(&ok(dir.path(), &[&run[..], on].concat()).stdout)
    };
    let of_own = |path: &String| {
        // stend adds options for fio, and fio has statistics of the disk below a file.
        let others = [".global options.", ".disk_util"];
        !others.iter().any(|other| path.starts_with(other)) && !path.contains(".bins.")
    };
    for format in ["json", "json+"] {
        let real = answer(&["--on", "new.bin", "--size", "4MiB"], format);
        let simulated = answer(&["--on", "demo-8gb"], format);
        let keys = |answer: &Value| -> BTreeSet<String> {
            key_paths(answer).into_iter().filter(of_own).collect()
        };
        assert_eq!(keys(&simulated), keys(&real), "{format}");
        for (simulated, real) in list(&simulated["jobs"]).iter().zip(list(&real["jobs"])) {
            for op in ["read", "write"] {
                let percentiles = |job: &Value| -> Vec<String> {
                    let shown = job[op]["clat_ns"]["percentile"].as_object();
                    shown
                        .into_iter()
                        .flat_map(|shown| shown.keys().cloned())
                        .collect()
                };
                assert_eq!(percentiles(simulated), percentiles(real), "{op}");
            }
        }
        let read = &simulated["jobs"][1]["read"];
        assert_eq!(read["clat_ns"]["percentile"].as_object().unwrap().len(), 17);
        assert!(!dir.path().join("local-r-0-verify.state").exists());
    }
}

#[test]
fn the_figures_agree_with_each_other() {
    let dir = with_job(JOB);
    let answer = json(&simulated(dir.path(), &["--output-format", "json+"]));
    let jobs = list(&answer["jobs"]);
    assert_eq!(jobs.len(), 2);
    assert_eq!(jobs[0]["write"]["io_bytes"], 32 * MIB);
    assert_eq!(jobs[0]["read"]["io_bytes"], 0);
    let mail = &jobs[1];
    for op in ["read", "write"] {
        let direction = &mail[op];
        let ios = number(&direction["total_ios"]);
        assert!(ios > 100.0, "{op}: {ios}");
        assert_eq!(number(&direction["io_bytes"]), ios * 4096.0);
        let bw = number(&direction["bw_bytes"]);
        assert!(
            (bw / 4096.0 / number(&direction["iops"]) - 1.0).abs() < 0.01,
            "{op}"
        );
        let clat = &direction["clat_ns"];
        let bins = clat["bins"].as_object().unwrap();
        let counted: u64 = bins.values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(
            counted as f64, ios,
            "{op}: the histogram holds every request"
        );
        let percentiles = clat["percentile"].as_object().unwrap();
        let asked: Vec<&str> = percentiles.keys().map(String::as_str).collect();
        assert_eq!(asked, ["50.000000", "99.000000", "99.900000"]);
        assert!(number(&percentiles["50.000000"]) <= number(&percentiles["99.900000"]));
    }
    let reads = number(&mail["read"]["total_ios"]);
    let share = reads / (reads + number(&mail["write"]["total_ios"]));
    assert!((share - 0.7).abs() < 0.03, "{share}");
}

#[test]
fn formats() {
    let dir = with_job(JOB);
    let dir = dir.path();
    let plain = json(&simulated(dir, &["--output-format", "json"]));
    let plus = json(&simulated(dir, &["--output-format", "json+"]));
    let has_bins = |answer: &Value| key_paths(answer).iter().any(|path| path.contains(".bins"));
    assert!(!has_bins(&plain) && has_bins(&plus));
    assert_eq!(
        plain["jobs"][1]["read"]["iops"],
        plus["jobs"][1]["read"]["iops"]
    );
    let normal = simulated(dir, &[]);
    for part in [
        "fill: (groupid=0",
        "mail: (groupid=1",
        "IOPS=",
        "99.900th=[",
    ] {
        assert!(normal.contains(part), "{part}\n{normal}");
    }
    assert!(serde_json::from_str::<Value>(&normal).is_err());
}

#[test]
fn the_same_job_and_seed_give_the_same_bytes() {
    let dir = with_job("[a]\nrw=randwrite\nbs=4k\niodepth=8\nio_size=64m\n");
    let run = |more: &[&str]| {
        let args = [&["--output-format", "json+"], more].concat();
        simulated(dir.path(), &args)
    };
    assert_eq!(run(&[]), run(&["--seed", "1"]));
    assert_ne!(run(&[]), run(&["--seed", "2"]));
}

#[test]
fn a_filled_drive_reads_more_slowly_than_an_empty_one() {
    let dir = with_job("[a]\nrw=randread\nbs=4k\ntime_based\nruntime=1\n");
    let iops = |more: &[&str]| {
        let args = [&["--output-format", "json"], more].concat();
        number(&json(&simulated(dir.path(), &args))["jobs"][0]["read"]["iops"])
    };
    let (empty, filled) = (iops(&[]), iops(&["--fill"]));
    assert!(filled < 0.8 * empty, "{filled} of {empty}");
}

/// IOPS are 7,003 before the rest after a fill, and 11,656 after it.
#[test]
fn a_filled_drive_rests_unless_it_is_to_be_busy() {
    let reads = "[a]\nrw=randread\nbs=4k\ntime_based\nruntime=1\n";
    let dir = with_job(reads);
    fs::write(
        dir.path().join("late.fio"),
        format!("{reads}startdelay=900\n"),
    )
    .unwrap();
    let (format, on) = ("--output-format=json", "--on=samsung-sm951-ahci-256gb");
    let iops = |job: &str, fill: &str, then: &str| {
        let done = ok(dir.path(), &["run", job, on, format, fill]);
        let told = done
            .stderr
            .lines()
            .any(|line| line.starts_with("filling ") && line.ends_with(then));
        assert!(told, "{}", done.stderr);
        number(&json(&done.stdout)["jobs"][0]["read"]["iops"])
    };
    let busy = iops("j.fio", "--fill=busy", "without a rest behind it");
    let rested = iops("j.fio", "--fill", "then a rest of 15 min");
    let late = iops("late.fio", "--fill=busy", "without a rest behind it");
    assert!(rested > 1.3 * busy, "{rested} of {busy}");
    assert!((rested / late - 1.0).abs() < 0.01, "{rested} and {late}");
    assert_eq!(
        rested,
        iops("j.fio", "--fill=rest", "then a rest of 15 min")
    );
    let typo = ["run", "j.fio", on, "--fill=idle"];
    fails(dir.path(), &typo, 2, &["--fill", "rest", "busy"]);
    // The lab stores the command that repeats it.
    let listed = json(&ok(dir.path(), &["lab", "jobs", "--json"]).stdout).to_string();
    assert!(
        listed.contains("--fill=busy") && listed.contains("ahci-256gb --fill --seed"),
        "{listed}"
    );
}

#[test]
fn output_goes_where_it_is_wanted() {
    let dir = with_job(JOB);
    let dir = dir.path();
    let said = simulated(dir, &["--output-format", "json", "--output", "answer.json"]);
    assert_eq!(said, "");
    let text = fs::read_to_string(dir.join("answer.json")).unwrap();
    assert_eq!(text, simulated(dir, &["--output-format", "json"]));
    // A failed run neither removes an earlier answer nor leaves a new one.
    fs::write(dir.join("bad.fio"), "[a]\nrw=read\nsize=9g\n").unwrap();
    let run = ["run", "bad.fio", "--on", "demo-8gb", "--output"];
    fails(
        dir,
        &[&run[..], &["answer.json"]].concat(),
        3,
        &["9663676416"],
    );
    assert_eq!(fs::read_to_string(dir.join("answer.json")).unwrap(), text);
    fails(dir, &[&run[..], &["new.json"]].concat(), 3, &["9663676416"]);
    assert!(!dir.join("new.json").exists());
}

#[test]
fn output_replaces_results_and_nothing_else() {
    let dir = with_job(JOB);
    let dir = dir.path();
    for format in ["normal", "json", "json+"] {
        for _ in 0..2 {
            simulated(dir, &["--output-format", format, "--output", "answer"]);
        }
    }
    fs::write(dir.join("empty"), "").unwrap();
    simulated(dir, &["--output", "empty"]);
    let run = ["run", "j.fio", "--on", "demo-8gb", "--output"];
    for (name, mine) in [("thesis.txt", "1\n2\n3\n"), ("mine.json", "{ \"a\": 1 }")] {
        fs::write(dir.join(name), mine).unwrap();
        let args = [&run[..], &[name]].concat();
        fails(dir, &args, 4, &[name, "no results of a job"]);
        assert_eq!(fs::read_to_string(dir.join(name)).unwrap(), mine);
    }
    // A device is not replaced like a file.
    simulated(dir, &["--output", "/dev/null"]);
}

#[test]
fn reads_of_a_drive_without_data_are_told() {
    let warned = |job: &str, more: &[&str]| {
        let dir = with_job(job);
        let args = [&["run", "j.fio", "--on", "demo-8gb"], more].concat();
        ok(dir.path(), &args)
            .stderr
            .contains("nothing was written to")
    };
    let reads = "[a]\nrw=randread\nbs=4k\nsize=1m\n";
    assert!(warned(reads, &[]));
    assert!(!warned(reads, &["--fill"]));
    assert!(!warned(
        "[a]\nrw=write\nbs=4k\nsize=1m\n[b]\nstonewall\nrw=read\nbs=4k\nsize=1m\n",
        &[]
    ));
}

#[test]
fn a_job_that_reads_before_it_writes_has_a_warning() {
    let said = |job: &str| {
        let dir = with_job(job);
        ok(dir.path(), &["run", "j.fio", "--on", "demo-8gb"]).stderr
    };
    let stderr = said(
        "[global]\nbs=4k\nsize=1m\nfilename=x\n[seq-read]\nrw=read\n\
         [write]\nstonewall\nrw=write\n[again]\nstonewall\nrw=randread\nsize=2m\n",
    );
    assert!(
        stderr.contains("warning: 512 of 768 reads are of space"),
        "{stderr}"
    );
    let stderr = said("[a]\nrw=write\nbs=4k\nsize=1m\nverify=md5\n");
    assert!(!stderr.contains("warning"), "{stderr}");
}

#[test]
fn jobs_with_files_of_their_own_have_a_warning() {
    let warned = |job: &str| {
        let dir = with_job(job);
        let stderr = ok(dir.path(), &["run", "j.fio", "--on", "demo-8gb"]).stderr;
        stderr.contains("jobs one and two have files of their own")
    };
    let jobs = "[global]\nrw=write\nsize=1m\n[one]\n[two]\n";
    assert!(warned(jobs));
    assert!(!warned(&jobs.replace("[two]", "[two]\noffset=1m")));
    assert!(!warned(&jobs.replace("[one]", "filename=x\n[one]")));
}

#[test]
fn a_log_replaces_no_other_file() {
    let dir = with_job("[global]\nrw=write\nbs=4k\nsize=1m\nwrite_bw_log\n[keep]\n");
    let dir = dir.path();
    let run = ["run", "j.fio", "--on", "demo-8gb"];
    let log = dir.join("keep_bw.1.log");
    fs::write(&log, "my notes\n").unwrap();
    fails(dir, &run, 4, &["keep_bw.1.log", "write_bw_log"]);
    assert_eq!(fs::read_to_string(&log).unwrap(), "my notes\n");
    let elsewhere = dir.join("notes");
    fs::rename(&log, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &log).unwrap();
    fails(dir, &run, 4, &["keep_bw.1.log"]);
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "my notes\n");
    fs::remove_file(&log).unwrap();
    ok(dir, &run);
    // An earlier log is replaced.
    ok(dir, &run);
}

#[test]
fn a_log_that_cannot_be_written_is_reported_before_the_run() {
    for (section, option) in [("a", "write_bw_log=none/l"), ("none/a b", "write_lat_log")] {
        // A run of a day would not end.
        let job = format!("[{section}]\nrw=read\ntime_based\nruntime=1d\n{option}\n");
        let dir = with_job(&job);
        let run = ["run", "j.fio", "--on", "demo-8gb"];
        fails(dir.path(), &run, 6, &["cannot write none/"]);
    }
}

#[test]
fn a_job_within_its_ramp_is_reported() {
    let dir = with_job("[short]\nrw=read\nsize=1m\nramp_time=10s\n");
    let said = ok(dir.path(), &["run", "j.fio", "--on", "demo-8gb"]).stderr;
    assert!(
        said.contains("the job short ended within its ramp_time of 10 s"),
        "{said}"
    );
}

#[test]
fn logs_are_written_to_the_present_folder() {
    let logs = "write_bw_log=l\nwrite_iops_log=l\nwrite_lat_log=l\nlog_avg_msec=100\n";
    let job = format!("[a]\nrw=randwrite\nbs=4k\nsize=32m\ntime_based\nruntime=1\n{logs}");
    let dir = with_job(&job);
    let dir = dir.path();
    let names = || -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".log"))
            .collect();
        names.sort();
        names
    };
    // `time in ms, value, direction, block size, offset, priority`: a row per 100 ms. On a busy
    // machine fio may complete no write in some of them.
    let check = |rows_min: usize| {
        let text = fs::read_to_string(dir.join("l_bw.1.log")).unwrap();
        assert!((rows_min..=12).contains(&text.lines().count()), "{text}");
        let mut before = 0;
        for line in text.lines() {
            let fields: Vec<u64> = line.split(',').map(|f| f.trim().parse().unwrap()).collect();
            assert!(
                fields.len() >= 5 && fields[1] > 0 && fields[2] == 1,
                "{line}"
            );
            assert!(fields[0] / 100 > before, "one row for an interval: {text}");
            before = fields[0] / 100;
        }
    };
    simulated(dir, &[]);
    let ours = names();
    check(8);
    if !have(&["fio"]) {
        return;
    }
    for name in &ours {
        fs::remove_file(dir.join(name)).unwrap();
    }
    ok(dir, &["run", "j.fio", "--on", "new.bin", "--size", "32MiB"]);
    assert_eq!(names(), ours);
    check(2);
}

#[test]
fn includes_and_variables_are_resolved_for_both_kinds_of_target() {
    let dir = with_job("[a]\nrw=write\ninclude size.inc\n");
    let dir = dir.path();
    fs::write(dir.join("size.inc"), "bs=64k\nsize=${SIZE}\n").unwrap();
    let written = |target: &[&str]| {
        let args = [&["run", "j.fio", "--output-format", "json", "--on"], target].concat();
        let output = program(dir, &args).env("SIZE", "8m").output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{stderr}");
        let answer = json(std::str::from_utf8(&output.stdout).unwrap());
        number(&answer["jobs"][0]["write"]["io_bytes"])
    };
    assert_eq!(written(&["demo-8gb"]), (8 * MIB) as f64);
    if have(&["fio"]) {
        assert_eq!(written(&["new.bin", "--size", "16MiB"]), (8 * MIB) as f64);
    }
}

#[test]
fn a_real_file_is_created_kept_and_never_grows() {
    if !have(&["fio"]) {
        return;
    }
    let dir = with_job("[a]\nrw=randwrite\nbs=4k\nio_size=64m\n");
    let dir = dir.path();
    let length = || fs::metadata(dir.join("new.bin")).unwrap().len();
    let normal = ok(dir, &["run", "j.fio", "--on", "new.bin", "--size", "8MiB"]).stdout;
    assert!(normal.contains("a: write: IOPS="), "{normal}");
    assert_eq!(length(), 8 * MIB);
    ok(dir, &["run", "j.fio", "--on", "new.bin"]);
    // A part of it, from the beginning.
    let before = fs::read(dir.join("new.bin")).unwrap();
    ok(
        dir,
        &["run", "j.fio", "--on", "./new.bin", "--size", "4MiB"],
    );
    let after = fs::read(dir.join("new.bin")).unwrap();
    let half = 4 * MIB as usize;
    assert_eq!(length(), 8 * MIB);
    assert!(before[..half] != after[..half] && before[half..] == after[half..]);
}

/// The figures up to the error are printed, but are no result of the drive.
#[test]
fn a_job_that_an_error_of_the_drive_ends_is_a_failure() {
    let dir = with_job("[j]\nrw=read\nbs=4k\nsize=1m\niodepth=4\n");
    let dir = dir.path();
    fs::write(dir.join("w.fio"), "[w]\nrw=write\nbs=128k\nsize=8m\n").unwrap();
    let drive = "samsung-850-evo-250gb";
    ok(dir, &["drives", "create", drive, "--state", "d"]);
    ok(dir, &["run", "w.fio", "--on", "d"]);
    ok(dir, &["drive", "fail-die", "d", "--die", "0"]);
    let parts = ["d: the drive failed a request of the job j (error 5)"];
    fails(dir, &["run", "j.fio", "--on", "d"], 6, &parts);
    let printed = run(&mut stend(dir, &["run", "j.fio", "--on", "d"])).stdout;
    assert!(printed.contains("err= 5"), "{printed}");
    let goes_on = "[j]\nrw=read\nbs=4k\nsize=1m\ncontinue_on_error=read\n";
    fs::write(dir.join("j.fio"), goes_on).unwrap();
    let went_on = ok(dir, &["run", "j.fio", "--on", "d"]).stdout;
    assert!(went_on.contains("errors    : total="), "{went_on}");
}

/// No target is touched before all of them are known to be valid.
#[test]
fn what_is_wrong_with_a_later_target_is_told_first() {
    let dir = with_job("[j]\nrw=write\nsize=1m\n");
    let dir = dir.path();
    ok(dir, &["drives", "create", "demo-8gb", "--state", "d"]);
    let fresh = fs::read(dir.join("d")).unwrap();
    std::os::unix::fs::symlink("d", dir.join("link")).unwrap();
    for (targets, part) in [
        ("d,nosuchdrive", "no drive model `nosuchdrive`"),
        ("d,bad.toml", "bad.toml"),
        ("d,", "no drive model ``"),
        ("d,d", "d is named twice"),
        ("d,./d", "./d is d by another name"),
        ("demo-8gb,d,link", "link is d by another name"),
    ] {
        fails(dir, &["run", "j.fio", "--on", targets], 3, &[part]);
        assert_eq!(fs::read(dir.join("d")).unwrap(), fresh, "{targets}");
    }
    fails(
        dir,
        &["identify", "d", "nosuchdrive"],
        3,
        &["nosuchdrive is not a drive model"],
    );
}

#[test]
fn a_byte_order_mark_is_no_option() {
    let dir = with_job("\u{feff}[j]\nrw=write\nsize=1m\n");
    let said = simulated(dir.path(), &[]);
    assert!(said.contains("total=0,256,0,0"), "{said}");
    let dir = dir.path();
    ok(dir, &["traces", "make", "excel", "--out", "excel.log"]);
    let of = |trace: &str| ok(dir, &["traces", "show", trace, "--json"]).stdout;
    let plain = of("excel.log");
    let marked = "\u{feff}".to_owned() + &fs::read_to_string(dir.join("excel.log")).unwrap();
    fs::write(dir.join("excel.log"), marked).unwrap();
    assert_eq!(of("excel.log"), plain);
}

#[test]
fn what_fio_or_the_size_refuses_makes_no_file() {
    if !have(&["fio"]) {
        return;
    }
    for (line, said) in [
        (
            "rw=zzz",
            "j.fio, line 3, section [j]: fio refuses it: failed parsing rw=zzz",
        ),
        (
            "bs=0",
            "j.fio, line 3, section [j]: fio refuses it: bs: min value out of range",
        ),
        ("runtime=xx", "failed parsing runtime=xx"),
        ("rwmixread=150", "max value out of range: 150 (100 max)"),
        ("offset=12m", "lead beyond the 16777216 bytes under test"),
    ] {
        let dir = with_job(&format!("[j]\nrw=write\n{line}\nsize=8m\n"));
        let args = ["run", "j.fio", "--on", "./new.bin", "--size", "16M"];
        fails(dir.path(), &args, 3, &[said]);
        assert!(!dir.path().join("new.bin").exists(), "{line}");
    }
    let dir = folder();
    ok(
        dir.path(),
        &["traces", "make", "excel", "--out", "excel.log"],
    );
    let args = ["replay", "excel.log", "--on", "./new.bin", "--size", "16M"];
    fails(dir.path(), &args, 3, &["beyond the 16777216 bytes"]);
    assert!(!dir.path().join("new.bin").exists());
}

#[test]
fn a_job_may_come_from_a_pipe_and_a_trace_may_not() {
    let dir = folder();
    let job = "[j]\nrw=write\nsize=1m\n";
    let piped = |command: &str| {
        let args = [command, "/dev/stdin", "--on", "demo-8gb"];
        run(stend(dir.path(), &args).write_stdin(job))
    };
    let said = piped("run");
    assert!(said.stdout.contains("total=0,256,0,0"), "{said:?}");
    let said = piped("replay");
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.stderr.contains("name a regular file"), "{said:?}");
}

#[test]
fn a_drive_without_trim_takes_no_job_of_trim() {
    let dir = with_job("[j]\nrw=randtrim\nbs=64k\nsize=1m\n");
    let args = [
        "run",
        "j.fio",
        "--on",
        "demo-8gb",
        "--set",
        "trim.enabled=false",
    ];
    fails(
        dir.path(),
        &args,
        3,
        &["the job j is of TRIM", "trim.enabled"],
    );
}

/// Filled to the last sector, even if the last block of the fill is incomplete.
#[test]
fn a_filled_drive_is_full() {
    let dir = folder();
    let end = "fio version 3 iolog\n0 x add\n0 x open\n0 x read 7999979520 512\n";
    fs::write(dir.path().join("end.log"), end).unwrap();
    let args = ["replay", "end.log", "--on", "demo-8gb", "--fill", "--json"];
    let result = json(&ok(dir.path(), &args).stdout);
    assert_eq!(list(&result["warnings"]), &[] as &[Value], "{result}");
}

#[test]
fn without_a_place_for_the_lab_a_job_still_runs() {
    let dir = folder();
    let job = dir.path().join("a.fio");
    fs::write(&job, "[a]\nrw=randwrite\nbs=4k\nruntime=1\ntime_based\n").unwrap();
    let mut command = stend(dir.path(), &["run", "a.fio", "--on", "demo-8gb"]);
    let said = run(command
        .env_remove("STEND_LAB")
        .env_remove("HOME")
        .env_remove("XDG_DATA_HOME"));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(
        said.stderr.contains("the result is not kept"),
        "{}",
        said.stderr
    );
    assert!(said.stdout.contains("WRITE:"), "{}", said.stdout);
}
