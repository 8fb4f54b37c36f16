//! Every wrong input causes a message with the fault, its place and a remedy, and the documented
//! exit code. A command that failed leaves nothing behind.

use crate::common;

use std::fs;
use std::process::Stdio;

use common::{
    Loop, LoopOf, MIB, Mounted, fails, fails_as, folder, have, have_root_and, json, names, ok,
    program, run, stend, tool,
};

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

/// Replaces the first line that begins with `start` in the demonstration drive's file. Returns the
/// text and the line's number.
fn changed_model(start: &str, replacement: &str) -> (String, usize) {
    let at = DEMO.lines().position(|line| line.starts_with(start));
    let at = at.unwrap_or_else(|| panic!("no line {start}"));
    let lines = DEMO.lines().enumerate();
    let text: Vec<&str> = lines
        .map(|(index, line)| if index == at { replacement } else { line })
        .collect();
    (text.join("\n") + "\n", at + 1)
}

#[test]
fn a_wrong_command_line() {
    let dir = folder();
    fails(dir.path(), &["reviw"], 2, &["reviw", "--help"]);
    fails(dir.path(), &["review"], 2, &["TARGET"]);
    let args = ["review", "demo-8gb", "--threads", "0"];
    fails(dir.path(), &args, 2, &["--threads"]);
    let args = ["review", "x.bin", "--size", "8Q"];
    fails(dir.path(), &args, 2, &["--size", "`Q`", "GiB", "GB"]);
    let args = ["review", "demo-8gb", "--duration-scale", "short"];
    fails(dir.path(), &args, 2, &["--duration-scale"]);
    let args = ["run", "x.fio", "--on", "demo-8gb", "--output-format", "xml"];
    fails(dir.path(), &args, 2, &["json+"]);
    assert_eq!(names(dir.path()), [] as [&str; 0]);
}

#[test]
fn negative_numbers_are_answered_by_what_is_allowed() {
    let dir = folder();
    let seed = "a seed is a whole number from 0 to 18446744073709551615 (2^64 - 1)";
    for (args, part) in [
        (&["review", "demo-8gb", "--seed", "-1"][..], seed),
        (&["run", "x.fio", "--on", "demo-8gb", "--seed", "-5"], seed),
        (
            &["replay", "x.log", "--on", "demo-8gb", "--seed", "-1"],
            seed,
        ),
        (&["traces", "make", "x", "--out", "y", "--seed", "-1"], seed),
        (&["claims", "--seed", "-1"], seed),
        (&["fit", "demo-8gb", "--to", "x", "--seed", "-1"], seed),
        (&["review", "demo-8gb", "--threads", "-1"], "whole number"),
        (&["review", "x.bin", "--size", "-8"], "whole number"),
        (&["review", "x.bin", "--size", "-8G"], "whole number"),
        (
            &["review", "demo-8gb", "--write-budget", "-1TB"],
            "whole number",
        ),
        (
            &["replay", "x.log", "--on", "demo-8gb", "--depth", "-1"],
            "-1",
        ),
        (
            &["fit", "demo-8gb", "--to", "x", "--generations", "-1"],
            "whole number",
        ),
        (&["drive", "monitor", "x", "--interval", "-1"], "between"),
    ] {
        let said = fails(dir.path(), args, 2, &[part]);
        assert!(!said.contains("-- -") && !said.contains("tip:"), "{said}");
    }
    assert_eq!(names(dir.path()), [] as [&str; 0]);
}

#[test]
fn a_job_file_without_a_job_is_named() {
    let dir = folder();
    let dir = dir.path();
    for (text, place) in [
        ("", "empty.fio: "),
        ("; nothing\n", "empty.fio: "),
        (
            "\n[global]\nrw=read\n",
            "empty.fio, line 2, section [global]: ",
        ),
    ] {
        fs::write(dir.join("empty.fio"), text).unwrap();
        for target in [&["demo-8gb"][..], &["./new.bin", "--size", "8MiB"]] {
            let args = [&["run", "empty.fio", "--on"], target].concat();
            fails(dir, &args, 3, &[place, "holds no job"]);
        }
    }
    assert_eq!(names(dir), ["empty.fio"]);
}

#[test]
fn what_is_in_memory_is_refused_as_a_folder_and_as_a_file() {
    if !have_root_and(&["fio", "mount", "umount"]) {
        return;
    }
    let memory = Mounted::new(&["-t", "tmpfs", "-o", "size=64m", "none"]);
    let old = memory.path().join("old.bin");
    fs::write(&old, vec![7; 2 * MIB as usize]).unwrap();
    let (old, new) = (old.to_str().unwrap(), memory.path().join("new.bin"));
    let new = new.to_str().unwrap();
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("j.fio"), "[a]\nrw=read\nsize=1m\n").unwrap();
    let folder = memory.path().to_str().unwrap();
    for target in [
        &[folder, "--size", "8MiB"][..],
        &[new, "--size", "8MiB"],
        &[old, "--destroy", "old.bin"],
        &[old, "--read-only"],
    ] {
        for command in [&["review"][..], &["run", "j.fio", "--on"]] {
            let args = [command, target].concat();
            fails(
                dir,
                &args,
                4,
                &[target[0], "in the machine's memory (tmpfs)"],
            );
        }
    }
    // A loop device over such a file is in memory, too.
    let device = LoopOf::new(&[old]);
    let node = device.node();
    let part = [node, "in the machine's memory (tmpfs)"];
    for more in [&["--destroy", "loop:old.bin"], &["--read-only", "--plan"]] {
        let args = [&["review", node], &more[..]].concat();
        fails(dir, &args, 4, &part);
    }
    drop(device);
    assert_eq!(names(memory.path()), ["old.bin"]);
    assert_eq!(names(dir), ["j.fio"]);
}

#[test]
fn unknown_names_are_told_with_those_there_are() {
    let dir = folder();
    let dir = dir.path();
    let models = ["nope", "`stend drives` lists all", "--size"];
    fails(dir, &["review", "nope"], 3, &models);
    fails(dir, &["drives", "show", "nope"], 3, &models[..2]);
    let args = ["review", "demo-8gb", "--against", "nope"];
    fails(dir, &args, 3, &["--against nope"]);
    let args = ["review", "demo-8gb", "--edition", "1999"];
    fails(dir, &args, 3, &["1999", "2014", ".toml"]);
    let args = ["review", "demo-8gb", "--tests", "sequential,rondam"];
    fails(dir, &args, 3, &["`rondam`", "block-scaling", "recovery"]);
    let args = ["review", "demo-8gb", "--tests", ""];
    fails(dir, &args, 3, &["sequential"]);
    let args = ["review", "./missing.toml"];
    fails(
        dir,
        &args,
        3,
        &["./missing.toml", "No such file", "stend drives"],
    );
    let args = ["review", "demo-8gb", "--edition", "./missing.toml"];
    fails(dir, &args, 3, &["./missing.toml", "No such file"]);
    fails(
        dir,
        &["drives", "check", "missing.toml"],
        3,
        &["missing.toml"],
    );
    assert_eq!(names(dir), [] as [&str; 0], "no folder is left behind");
}

#[test]
fn a_target_without_a_name_is_none() {
    let dir = folder();
    let args = ["review", "", "--size", "64MiB"];
    fails(dir.path(), &args, 3, &["no drive model ``"]);
    assert_eq!(names(dir.path()), [] as [&str; 0]);
}

#[test]
fn impossible_durations() {
    let dir = folder();
    for scale in ["0", "-1", "-0.0", "NaN", "inf", "1e300"] {
        let args = ["review", "demo-8gb", "--duration-scale", scale];
        fails(dir.path(), &args, 2, &["duration scale", "above 0", "0.1"]);
    }
    assert_eq!(names(dir.path()), [] as [&str; 0]);
}

#[test]
fn options_of_real_targets_are_not_passed_over_on_simulated_ones() {
    let dir = folder();
    fs::write(dir.path().join("j.fio"), "[a]\nrw=read\n").unwrap();
    for option in ["--size=64MiB", "--destroy=X", "--read-only"] {
        let name = option.split('=').next().unwrap();
        let review = ["review", "demo-8gb", "--against", "demo-8gb", option];
        fails(dir.path(), &review, 3, &[name, "demo-8gb", "simulated"]);
        let run = ["run", "j.fio", "--on", "demo-8gb", option];
        fails(dir.path(), &run, 3, &[name, "simulated"]);
    }
    let args = ["run", "j.fio", "--on", "x.bin", "--fill", "--read-only"];
    fails(dir.path(), &args, 3, &["--fill", "--read-only"]);
    assert_eq!(names(dir.path()), ["j.fio"]);
}

/// Checks the messages of `drives check` and of a review about a model file.
fn complaint(text: &str, parts: &[&str]) {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("bad.toml"), text).unwrap();
    let checked = fails(dir, &["drives", "check", "./bad.toml"], 3, parts);
    let reviewed = fails(dir, &["review", "./bad.toml"], 3, parts);
    assert_eq!(checked, reviewed);
    let as_json = run(&mut stend(
        dir,
        &["drives", "check", "--json", "./bad.toml"],
    ));
    assert_eq!(as_json.code, Some(3));
    let file = &json(&as_json.stdout)["files"][0];
    assert_eq!(file["ok"], false);
    let problems: Vec<&str> = common::list(&file["problems"])
        .iter()
        .map(|p| p.as_str().unwrap())
        .collect();
    assert_eq!(format!("error: {}\n", problems.join("\n")), checked);
    assert_eq!(names(dir), ["bad.toml"]);
}

/// As [`complaint`], about a changed line; `{}` in `place` is its number.
fn complaint_about_line(start: &str, replacement: &str, place: &str, parts: &[&str]) {
    let (text, line) = changed_model(start, replacement);
    let place = place.replace("{}", &line.to_string());
    let mut all = vec![place.as_str()];
    all.extend_from_slice(parts);
    complaint(&text, &all);
}

#[test]
fn broken_toml_and_wrong_keys_of_a_model() {
    complaint("", &["./bad.toml:1: schema: missing field `schema`"]);
    complaint_about_line("[nand]", "[nand", "./bad.toml:{}: ", &["`]`"]);
    complaint_about_line("dies =", "dies =", "./bad.toml:{}: nand.dies: ", &[]);
    complaint_about_line(
        "dies =",
        "dice = { value = 4, source = \"assumed\" }",
        "./bad.toml:{}: nand.dice: unknown field `dice`",
        &["`dies`", "`planes`"],
    );
    complaint_about_line(
        "[parity]",
        "[prity]",
        "./bad.toml:{}: prity: ",
        &["`parity`"],
    );
    complaint_about_line(
        "dies =",
        "dies = { value = \"four\", source = \"assumed\" }",
        "./bad.toml:{}: nand.dies: ",
        &["whole number"],
    );
    complaint_about_line(
        "dies =",
        "dies = 4",
        "./bad.toml:{}: nand.dies: ",
        &["source = "],
    );
    complaint_about_line(
        "dies =",
        "dies = { value = 4 }",
        "./bad.toml:{}: nand.dies: ",
        &["`source`"],
    );
    complaint_about_line(
        "dies =",
        "dies = { value = 4, source = \"fitted\" }",
        "./bad.toml:{}: nand.dies: ",
        &["`assumed`", "`fitted: to what`"],
    );
    complaint_about_line(
        "schema",
        "schema = \"x/9\"",
        "./bad.toml:{}: schema: ",
        &["stend.drive/2"],
    );
    complaint_about_line("[capacity]", "# gone", "./bad.toml:", &["user_bytes"]);
}

/// A line of a drive file with this key and value.
fn figure_line(start: &str, value: &str) -> String {
    let key = start.split(' ').next().unwrap();
    format!("{key} = {{ value = {value}, source = \"assumed\" }}")
}

#[test]
fn impossible_geometry_of_a_model() {
    let figure = |start: &str, value: &str, part: &str| {
        let place = format!("./bad.toml:{{}}: {part}");
        complaint_about_line(start, &figure_line(start, value), &place, &[]);
    };
    figure(
        "channels =",
        "0",
        "nand.channels: 0 is not allowed; it must lie from 1 to 32",
    );
    figure(
        "dies =",
        "5",
        "nand.dies: 5 dies do not divide evenly over 2 channels",
    );
    figure(
        "planes =",
        "3",
        "nand.planes: 3 is not allowed; it must be a power of two",
    );
    figure("page_kib =", "12", "nand.page_kib: 12 is not allowed");
    figure(
        "pages_per_block =",
        "7",
        "nand.pages_per_block: 7 is not allowed",
    );
    figure("program_us =", "[1.0, 2.0]", "nand.program_us: 2 entries");
    figure(
        "user_bytes =",
        "4097",
        "capacity.user_bytes: 4097 is not a positive multiple of 4096",
    );
    figure(
        "user_bytes =",
        "9000000000000",
        "capacity.user_bytes: 9000000000000 does not fit",
    );
    figure(
        "size_mib =",
        "2",
        "dram.size_mib: 2 MiB cannot hold 9 MiB: the mapping table of 8 MiB",
    );
    figure(
        "policy =",
        "\"lucky\"",
        "gc.policy: `lucky` is not known; allowed: greedy",
    );
}

#[test]
fn figures_of_a_model_that_contradict_each_other() {
    // The message names the other figure.
    let other_figure = |start: &str, value: &str, parts: &[&str]| {
        complaint(&changed_model(start, &figure_line(start, value)).0, parts);
    };
    other_figure(
        "reserve_superblocks =",
        "400",
        &[
            "bad.toml:73: gc.start_superblocks: 10 is not allowed",
            "must be above",
        ],
    );
    other_figure(
        "slc_reserve_superblocks =",
        "100",
        &[
            "bad.toml:28: slc_cache.blocks_per_plane: 110 is not allowed",
            "at least 112",
        ],
    );
}

#[test]
fn every_problem_of_every_file_is_told_at_once() {
    let dir = folder();
    let dir = dir.path();
    let text = DEMO
        .replace("planes = { value = 2", "planes = { value = 3")
        .replace("cores = { value = 1", "cores = { value = 0");
    fs::write(dir.join("two.toml"), text).unwrap();
    fs::write(dir.join("good.toml"), DEMO).unwrap();
    fs::write(dir.join("bytes.toml"), b"\xff\xfe").unwrap();
    let files = [
        "drives",
        "check",
        "two.toml",
        "missing.toml",
        "good.toml",
        "bytes.toml",
    ];
    let parts = [
        "nand.planes: 3",
        "controller.cores: 0",
        "missing.toml",
        "bytes.toml",
    ];
    fails(dir, &files, 3, &parts);
    let said = run(&mut stend(dir, &files));
    assert_eq!(said.stdout, "good.toml: sound\n");
}

#[test]
fn wrong_editions() {
    let dir = folder();
    let dir = dir.path();
    let good = fs::read_to_string(common::tiny_edition(dir)).unwrap();
    let complaint = |text: String, parts: &[&str]| {
        fs::write(dir.join("e.toml"), text).unwrap();
        fails(
            dir,
            &["review", "demo-8gb", "--edition", "e.toml"],
            3,
            parts,
        );
    };
    complaint(good.replace("[[test]]", "[[test"), &["e.toml:"]);
    let unknown = good.replacen("pause_s", "pose_s", 1);
    complaint(unknown, &["e.toml:6: ", "`pose_s`", "pause_s"]);
    let unknown = good.replacen("state = \"filled\"", "state = \"full\"", 1);
    complaint(unknown, &["e.toml:", ": state: ", "full", "clean"]);
    complaint(
        good.replacen("duration_s = 1\n", "duration_s = 1e15\n", 1),
        &[": duration_s: "],
    );
    assert!(!dir.join("review-demo-8gb").exists());
}

#[test]
fn bad_job_files() {
    let dir = folder();
    let dir = dir.path();
    let complaint = |text: &str, parts: &[&str]| {
        fs::write(dir.join("j.fio"), text).unwrap();
        fails(dir, &["run", "j.fio", "--on", "demo-8gb"], 3, parts);
    };
    fails(
        dir,
        &["run", "missing.fio", "--on", "demo-8gb"],
        3,
        &["missing.fio", "No such file"],
    );
    complaint(
        "; a load\n[global]\nbs=4k\n\n[mail]\niodeth=4\n",
        &["j.fio, line 6, section [mail]", "`iodeth`", "`iodepth`"],
    );
    // fio knows the option, but the simulation cannot apply it.
    complaint(
        "[a]\nrw=randread\nverify_backlog=8\n",
        &[
            "j.fio, line 3, section [a]",
            "`verify_backlog=8`",
            "cannot be simulated",
        ],
    );
    complaint(
        "[a]\nrw=sideways\n",
        &["line 2", "`rw=sideways`", "randwrite"],
    );
    complaint("[a]\nbs=1000\n", &["line 2", "bs=1000", "512"]);
    complaint(
        "[a]\nsize=9g\n",
        &["section [a]", "9663676416", "8000000000"],
    );
    complaint("[a]\ntime_based\n", &["time_based", "runtime"]);
    complaint("rw=read\n[a]\n", &["j.fio, line 1", "`rw`", "[global]"]);
    complaint("[global]\nrw=read\n", &["j.fio", "no job"]);
    complaint("[a\nrw=read\n", &["j.fio, line 1", "[a"]);
    complaint("[a]\ninclude other.fio\n", &["j.fio, line 2", "other.fio"]);
    fs::write(dir.join("j.fio"), b"\xff\xfe").unwrap();
    fails(dir, &["run", "j.fio", "--on", "demo-8gb"], 3, &["j.fio"]);
}

#[test]
fn a_bad_job_for_a_real_file_is_found_before_the_file_is_made() {
    let dir = folder();
    let dir = dir.path();
    let complaint = |text: &str, parts: &[&str]| {
        fs::write(dir.join("j.fio"), text).unwrap();
        let args = ["run", "j.fio", "--on", "new.bin", "--size", "8MiB"];
        fails(dir, &args, 3, parts);
        assert!(!dir.join("new.bin").exists());
    };
    complaint(
        "# a load\n\n[a]\nrw=write\nfilename=/dev/sda\n",
        &[
            "j.fio, line 5, section [a]",
            "`filename`",
            "the target that --on names",
        ],
    );
    complaint("[a]\nexec_prerun=reboot\n", &["line 2", "`exec_prerun`"]);
    complaint("[a]\nsize=1x\n", &["line 2", "size=1x"]);
    complaint("[global]\nrw=write\n", &["no job"]);
    let args = ["run", "missing.fio", "--on", "new.bin", "--size", "8MiB"];
    fails(dir, &args, 3, &["missing.fio"]);
    assert!(!dir.join("new.bin").exists());
}

#[test]
fn a_job_beyond_a_real_file_names_its_own_line() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    fs::write(
        dir.join("end.inc"),
        "# the second half\noffset=6m\nsize=4m\n",
    )
    .unwrap();
    let job = "[first]\nrw=read\n\n# more\n[second]\nrw=read\ninclude end.inc\n";
    fs::write(dir.join("j.fio"), job).unwrap();
    let args = ["run", "j.fio", "--on", "new.bin", "--size", "8MiB"];
    fails(
        dir,
        &args,
        3,
        &["j.fio, line 5, section [second]", "8388608"],
    );
}

#[test]
fn folders_that_cannot_be_written_to() {
    let dir = folder();
    let dir = dir.path();
    // The tests may run as root, for whom every other place is writable.
    let short = ["--duration-scale", "0.01", "--tests", "sequential"];
    let to = |out: &str, parts: &[&str]| {
        let mut args = vec!["review", "demo-8gb", "--out", out];
        args.extend_from_slice(&short);
        fails(dir, &args, 6, parts);
    };
    to("/proc/report", &["/proc/report", "--out"]);
    fs::write(dir.join("file"), "mine").unwrap();
    to("file", &["file is in the way", "--out"]);
    to("file/below", &["file is in the way", "--out"]);
    fs::create_dir_all(dir.join("odd/review.json")).unwrap();
    to("odd", &["odd/review.json", "--out"]);
    assert_eq!(fs::read_to_string(dir.join("file")).unwrap(), "mine");

    fs::write(dir.join("j.fio"), "[a]\nrw=read\nsize=1m\n").unwrap();
    let args = [
        "run",
        "j.fio",
        "--on",
        "demo-8gb",
        "--output",
        "/proc/answer",
    ];
    fails(dir, &args, 6, &["/proc/answer"]);
    fs::write(
        dir.join("l.fio"),
        "[a]\nrw=read\nsize=1m\nwrite_bw_log=none/l\n",
    )
    .unwrap();
    fails(
        dir,
        &["run", "l.fio", "--on", "demo-8gb"],
        6,
        &["none/l_bw"],
    );
}

#[test]
fn a_full_disk_costs_the_report_and_not_the_results() {
    if !have_root_and(&["mount", "umount"]) {
        return;
    }
    let disk = Mounted::new(&["-t", "tmpfs", "-o", "size=256k", "none"]);
    let out = disk.path().join("out");
    let dir = folder();
    let mut command = stend(dir.path(), &["review", "demo-8gb", "--json"]);
    command.args(["--duration-scale", "0.01", "--tests", "sequential", "--out"]);
    let said = run(command.arg(&out));
    assert_eq!(said.code, Some(6), "{}", said.stderr);
    assert!(
        said.stderr
            .contains("warning: what is finished could not be saved")
    );
    assert!(said.stderr.contains("error: the report cannot be written"));
    assert_eq!(common::ids(&json(&said.stdout)), ["sequential"]);
    // The figures are small enough even there; the page is not.
    assert_eq!(common::ids(&common::saved(&out)), ["sequential"]);
}

#[test]
fn a_folder_with_something_else_in_it_is_left_alone() {
    let dir = folder();
    let dir = dir.path();
    fs::create_dir(dir.join("out")).unwrap();
    for foreign in [
        "{\"schema\":\"film.review/1\",\"stars\":4}",
        "{}",
        "not JSON",
        "",
    ] {
        fs::write(dir.join("out/review.json"), foreign).unwrap();
        let args = ["review", "demo-8gb", "--out", "out"];
        fails(dir, &args, 3, &["out/review.json", "--out", "move it away"]);
        assert_eq!(
            fs::read_to_string(dir.join("out/review.json")).unwrap(),
            foreign
        );
    }
    assert_eq!(names(&dir.join("out")), ["review.json"]);
}

#[test]
fn targets_that_are_no_targets() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    fails(dir, &["review", "."], 3, &["is a directory", "--size"]);
    fails(dir, &["review", "/dev/null"], 4, &["character device"]);
    fails(
        dir,
        &["review", "/dev/nothing", "--size", "8MiB"],
        4,
        &["/dev/nothing", "lsblk"],
    );
    fails(
        dir,
        &["review", "./new.bin"],
        3,
        &["./new.bin", "--size 8GiB"],
    );
    fails(
        dir,
        &["review", "new.bin", "--size", "4k"],
        3,
        &["4096 bytes", "1 MiB"],
    );
    fails(
        dir,
        &["review", "none/new.bin", "--size", "8MiB"],
        3,
        &["none/new.bin"],
    );
    fails(
        dir,
        &["review", "new.bin", "--size", "9999TB"],
        6,
        &["do not fit", "--size"],
    );
    fs::write(dir.join("old.bin"), vec![7; 2 * MIB as usize]).unwrap();
    fails(
        dir,
        &[
            "review",
            "old.bin",
            "--size",
            "8MiB",
            "--destroy",
            "old.bin",
        ],
        3,
        &["old.bin", "2.0 MiB"],
    );
    let args = ["review", "demo-8gb", "--against", "/dev/null"];
    fails(dir, &args, 3, &["/dev/null", "on its own"]);
    assert_eq!(
        fs::read(dir.join("old.bin")).unwrap(),
        vec![7; 2 * MIB as usize]
    );
    assert_eq!(names(dir), ["old.bin"]);
}

#[test]
fn block_devices_are_refused_unless_named() {
    if !have_root_and(&["fio", "losetup", "blkid"]) {
        return;
    }
    let device = Loop::new(64 * MIB);
    let node = device.node();
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("j.fio"), "[a]\nrw=write\nsize=1m\n").unwrap();
    let named = [
        "destroys everything",
        node,
        "67.1 MB",
        "--destroy loop:disk.img",
    ];
    fails(dir, &["review", node], 4, &named);
    fails(dir, &["run", "j.fio", "--on", node], 4, &named);
    let wrong = [
        "--destroy S3EVNX0J does not name it",
        "--destroy loop:disk.img",
    ];
    fails(dir, &["review", node, "--destroy", "S3EVNX0J"], 4, &wrong);
    let args = ["run", "j.fio", "--on", node, "--destroy", "S3EVNX0J"];
    fails(dir, &args, 4, &wrong);
    let args = [
        "review",
        node,
        "--destroy",
        "loop:disk.img",
        "--size",
        "1GiB",
    ];
    fails(dir, &args, 3, &["--size", "64.0 MiB"]);
    assert_eq!(names(dir), ["j.fio"]);
    assert!(fs::read(node).unwrap().iter().all(|byte| *byte == 0));
}

#[test]
fn block_devices_in_use_are_refused_even_when_named() {
    if !have_root_and(&["fio", "losetup", "blkid", "mkfs.ext4", "mount", "umount"]) {
        return;
    }
    let device = Loop::new(64 * MIB);
    let node = device.node();
    tool("mkfs.ext4", &["-q", node]);
    let dir = folder();
    let args = ["review", node, "--destroy", "loop:disk.img"];
    fails(dir.path(), &args, 4, &["will not be touched", "ext4"]);
    let mounted = Mounted::new(&[node]);
    let point = mounted.path().to_str().unwrap();
    let plan = ["review", node, "--plan"];
    let told = ok(dir.path(), &plan).stdout;
    let refused = format!("! the review would be refused: {node} is mounted at {point}");
    assert!(told.contains(&refused), "{told}");
    let told = ok(dir.path(), &[&plan[..], &["--read-only"]].concat()).stdout;
    assert!(!told.contains("refused"), "{told}");
    fails(
        dir.path(),
        &args,
        4,
        &["will not be touched", "mounted", point],
    );
    fs::write(mounted.path().join("still"), "here").unwrap();
    assert_eq!(names(dir.path()), [] as [&str; 0]);
}

#[test]
fn without_fio_simulated_drives_work_and_others_say_how_to_get_it() {
    let dir = folder();
    let empty = folder();
    let dir = dir.path();
    fs::write(dir.join("j.fio"), "[a]\nrw=read\nsize=1m\n").unwrap();
    let ways = [
        "fio",
        "apt install fio",
        "dnf install fio",
        "brew install fio",
    ];
    for args in [
        &["review", "new.bin", "--size", "8MiB"][..],
        &["run", "j.fio", "--on", "new.bin", "--size", "8MiB"],
    ] {
        let mut missing = stend(dir, args);
        fails_as(missing.env("PATH", empty.path()), 5, &ways);
        let mut elsewhere = stend(dir, args);
        fails_as(
            elsewhere.env("STEND_FIO", "/nowhere/fio"),
            5,
            &["/nowhere/fio", ways[1]],
        );
    }
    assert_eq!(names(dir), ["j.fio"]);
    let mut simulated = stend(dir, &["run", "j.fio", "--on", "demo-8gb"]);
    let said = run(simulated.env("PATH", empty.path()));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let dir = folder();
    let gone = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    let short = [
        "--json",
        "--duration-scale",
        "0.01",
        "--tests",
        "sequential",
    ];
    for args in [&["drives", "show", "demo-8gb"][..], &["review", "demo-8gb"]] {
        let args = if args[0] == "review" {
            &[args, &short].concat()
        } else {
            args
        };
        let output = program(dir.path(), args).stdout(gone()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        // Nor may a closed stderr lose a result, as with `2>&1 | head -1`.
        let status = program(dir.path(), args)
            .stdout(gone())
            .stderr(gone())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(0));
    }
    assert!(dir.path().join("review-demo-8gb/index.html").exists());
}

#[test]
fn help_and_documentation_name_the_same_exit_codes() {
    let dir = folder();
    let help = ok(dir.path(), &["--help"]).stdout;
    let codes = help.split("Exit codes:\n").nth(1).unwrap();
    let in_help: Vec<&str> = codes
        .lines()
        .filter_map(|line| line.trim().split(' ').next())
        .filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()))
        .collect();
    let document = include_str!("../../../docs/exit-codes.md");
    let in_document: Vec<&str> = document
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(' ').next())
        .filter(|word| word.chars().all(|c| c.is_ascii_digit()))
        .collect();
    assert_eq!(in_help, in_document);
    assert_eq!(
        in_help,
        ["0", "2", "3", "4", "5", "6", "7", "8", "129", "130", "143"]
    );
}
