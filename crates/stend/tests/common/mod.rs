//! Helpers for tests of the command line: the program, a folder for each test, tools that may be
//! missing, devices that never outlive their test.

#![allow(dead_code, reason = "every test file uses a part of it")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// Bytes in a MiB.
pub const MIB: u64 = 1 << 20;

/// Creates a folder on a real file system, where direct I/O works; the system's folder for
/// temporary files is often in memory.
pub fn folder() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// The program, to be run in a folder, independent of the tester's own settings.
pub fn program(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stend"));
    command
        .args(args)
        .current_dir(dir)
        .env("STEND_LAB", dir.join(".lab/lab.db"))
        .env_remove("STEND_FIO")
        .env_remove("RUST_BACKTRACE");
    command
}

/// As [`program`], with a time limit.
pub fn stend(dir: &Path, args: &[&str]) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::from_std(program(dir, args));
    command.timeout(Duration::from_secs(240));
    command
}

/// Output and exit code of a run.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Said {
        Said {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs a command to its end.
pub fn run(command: &mut assert_cmd::Command) -> Said {
    let said = Said::from(command.output().unwrap());
    assert!(!said.stderr.contains("panicked"), "{command:?}\n{said:#?}");
    said
}

/// Runs the program, which must succeed.
pub fn ok(dir: &Path, args: &[&str]) -> Said {
    let said = run(&mut stend(dir, args));
    assert_eq!(said.code, Some(0), "{args:?}\n{}", said.stderr);
    said
}

/// Runs the program, which must fail with this exit code and print each of `parts`.
pub fn fails(dir: &Path, args: &[&str], code: i32, parts: &[&str]) -> String {
    fails_as(&mut stend(dir, args), code, parts)
}

/// As [`fails`], for a prepared command.
pub fn fails_as(command: &mut assert_cmd::Command, code: i32, parts: &[&str]) -> String {
    let said = run(command);
    assert_eq!(said.code, Some(code), "{command:?}\n{}", said.stderr);
    assert!(said.stderr.contains("error: "), "{command:?}\n{said:#?}");
    for part in parts {
        assert!(
            said.stderr.contains(part),
            "{command:?}\nlacks {part:?}:\n{}",
            said.stderr
        );
    }
    said.stderr
}

/// Runs a review with `--json`.
pub fn review(dir: &Path, args: &[&str]) -> Value {
    let mut all = vec!["review", "--json"];
    all.extend_from_slice(args);
    json(&ok(dir, &all).stdout)
}

/// Parses a text that must be one JSON document.
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text:.300}"))
}

/// The `review.json` of a report's folder.
pub fn saved(out: &Path) -> Value {
    json(&fs::read_to_string(out.join("review.json")).unwrap())
}

/// Replaces the `review.json` of a report's folder.
pub fn save(out: &Path, review: &Value) {
    fs::write(out.join("review.json"), review.to_string()).unwrap();
}

/// The head of a report's page, up to its scripts, which contain all texts.
pub fn page_header(out: &Path) -> String {
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(page.len() < 6_000_000, "{} bytes", page.len());
    let body = page.split("<header>").nth(1).unwrap();
    body.split("</header>").next().unwrap().to_owned()
}

/// The elements of a JSON list.
pub fn list(value: &Value) -> &Vec<Value> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("no list: {value:.200}"))
}

/// English words of a text of a review: a string, or an object with `text`.
pub fn words(text: &Value) -> &str {
    text.as_str().or_else(|| text["text"].as_str()).unwrap()
}

/// A JSON number.
pub fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no number: {value:.200}"))
}

/// Ids of the tests in a review or rival.
pub fn ids(of: &Value) -> Vec<&str> {
    list(&of["tests"])
        .iter()
        .map(|t| t["id"].as_str().unwrap())
        .collect()
}

/// A test in a review or rival.
pub fn test<'a>(of: &'a Value, id: &str) -> &'a Value {
    let found = list(&of["tests"]).iter().find(|t| t["id"] == id);
    found.unwrap_or_else(|| panic!("no test {id}"))
}

/// All paths of keys to values that are no objects: `jobs[].read.iops`. Numeric keys become `#`.
pub fn key_paths(value: &Value) -> BTreeSet<String> {
    fn walk(value: &Value, path: &str, into: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                for (key, inner) in map {
                    let numeric = key.chars().all(|c| c.is_ascii_digit() || c == '.');
                    let key = if numeric { "#" } else { key };
                    walk(inner, &format!("{path}.{key}"), into);
                }
            }
            Value::Array(elements) => {
                for inner in elements {
                    walk(inner, &format!("{path}[]"), into);
                }
            }
            _ => {
                into.insert(path.to_owned());
            }
        }
    }
    let mut paths = BTreeSet::new();
    walk(value, "", &mut paths);
    paths
}

/// Writes an edition with every test of 2014, each seconds of real time long.
pub fn tiny_edition(dir: &Path) -> PathBuf {
    for (name, text) in [
        ("tiny-benchmark.toml", include_str!("tiny-benchmark.toml")),
        ("tiny-work.toml", include_str!("tiny-work.toml")),
        ("tiny-start.toml", include_str!("tiny-start.toml")),
    ] {
        fs::write(dir.join(name), text).unwrap();
    }
    let path = dir.join("tiny.toml");
    fs::write(&path, include_str!("tiny.toml")).unwrap();
    path
}

/// Arguments for a review of a target by tests of the tiny edition, with its report in `out`.
pub fn tiny<'a>(dir: &Path, target: &[&'a str], tests: &'a str) -> Vec<&'a str> {
    tiny_edition(dir);
    let more = ["--edition", "tiny.toml", "--out", "out", "--tests", tests];
    [&["review", "--json"], target, &more].concat()
}

/// Text of a drive model of 64 MiB.
fn small_text(name: &str, title: &str) -> String {
    let mut text = include_str!("../../../../drives/demo-8gb.toml")
        .replace("demo-8gb", name)
        .replace("Demonstration drive, 8 GB", title);
    for (key, was, now) in [
        ("user_bytes", "8000000000", "67108864"),
        ("blocks_per_plane", "860", "30"),
        ("blocks_per_plane", "110", "20"),
    ] {
        let from = format!("\n{key} = {{ value = {was},");
        assert_eq!(text.matches(&from).count(), 1, "{from}");
        text = text.replace(&from, &format!("\n{key} = {{ value = {now},"));
    }
    text
}

/// Writes a drive model of 64 MiB to the folder.
pub fn small_model(dir: &Path, name: &str) -> PathBuf {
    let path = dir.join(format!("{name}.toml"));
    fs::write(&path, small_text(name, name)).unwrap();
    path
}

/// Writes a drive model of 64 MiB whose flash endures nine erase cycles.
pub fn mortal_model(dir: &Path) -> PathBuf {
    let mut text = small_text("mortal", "Mortal drive");
    text += "\n[health]\n";
    for (key, value) in [
        ("protocol", "\"ata\""),
        ("rated_cycles", "6"),
        ("end_of_life_cycles", "9"),
        ("spare_superblocks", "2"),
        ("spare_threshold_percent", "60"),
        ("rated_written_tb", "1"),
    ] {
        text += &format!("{key} = {{ value = {value}, source = \"assumed: for this test\" }}\n");
    }
    let path = dir.join("mortal.toml");
    fs::write(&path, text).unwrap();
    path
}

/// True if all tools are installed; else prints a line, and the test is to be skipped.
///
/// # Panics
/// If a tool is missing and `STEND_REQUIRE_TOOLS=1` requires it.
pub fn have(tools: &[&str]) -> bool {
    let path = search_path();
    tools.iter().all(|tool| {
        let found = std::env::split_paths(&path).any(|dir| dir.join(tool).exists());
        needed(found, tool)
    })
}

/// As [`have`], and true only for root, which is needed to create devices and mounts.
pub fn have_root_and(tools: &[&str]) -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    needed(id.stdout == b"0\n", "root") && have(tools)
}

fn needed(there: bool, what: &str) -> bool {
    let required = std::env::var("STEND_REQUIRE_TOOLS").is_ok_and(|value| value == "1");
    assert!(
        there || !required,
        "{what} is missing and STEND_REQUIRE_TOOLS=1"
    );
    if !there {
        println!("skipped: {what} is missing");
    }
    there
}

fn search_path() -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{path}:/usr/local/sbin:/usr/sbin:/sbin")
}

/// Runs a system tool, which must succeed.
pub fn tool(program: &str, args: &[&str]) -> String {
    let output = try_tool(program, args);
    assert!(output.status.success(), "{program} {args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn try_tool(program: &str, args: &[&str]) -> Output {
    Command::new(program)
        .args(args)
        .env("PATH", search_path())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"))
}

/// Writes an executable shell script.
pub fn script(dir: &Path, body: &str) -> PathBuf {
    let (text, path) = (dir.join("script.txt"), dir.join("script"));
    fs::write(&text, format!("#!/bin/sh\n{body}\n")).unwrap();
    // Copied by another process: if this one had the file open for writing while another test
    // starts a child, the child would inherit it, and the script could not be run.
    let copy = ["-m", "755", text.to_str().unwrap(), path.to_str().unwrap()];
    tool("install", &copy);
    path
}

/// A script that replaces fio: for each job it runs `body`, with the job file in `$job`, and then
/// the real fio.
pub fn fake_fio(dir: &Path, body: &str) -> PathBuf {
    script(
        dir,
        &format!(
            "case \"$*\" in *--output-format=json+*) ;; *) exec fio \"$@\" ;; esac\n\
             for arg; do job=\"$arg\"; done\n{body}\nexec fio \"$@\""
        ),
    )
}

/// A program that replaces a system tool, in a folder of its own.
pub struct FakeTool(TempDir);

/// A script of this name that records its calls; `$dir` is its folder.
pub fn fake_tool(name: &str, body: &str) -> FakeTool {
    let dir = folder();
    let at = dir.path().display();
    let made = script(
        dir.path(),
        &format!("dir={at}\necho \"$*\" >> {at}/calls\n{body}"),
    );
    fs::rename(made, dir.path().join(name)).unwrap();
    FakeTool(dir)
}

impl FakeTool {
    /// Folder of the tool.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Recorded calls.
    pub fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.0.path().join("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// Puts a folder with a fake tool before the system's tools in `PATH`.
pub fn with_tools<'a>(
    command: &'a mut assert_cmd::Command,
    dir: &Path,
) -> &'a mut assert_cmd::Command {
    command.env("PATH", format!("{}:{}", dir.display(), search_path()))
}

/// A loop device over a sparse file `disk.img` in a folder of its own; both are removed on drop.
pub struct Loop {
    /// Dropped before its file.
    device: LoopOf,
    _dir: TempDir,
}

impl Loop {
    /// Creates a device of `size_bytes` bytes, all zeros.
    pub fn new(size_bytes: u64) -> Loop {
        Loop::on(folder(), size_bytes)
    }

    /// Creates a device without TRIM: the file system of its file cannot free space inside a file.
    pub fn without_trim(size_bytes: u64) -> Loop {
        let dir = folder();
        let place = dir.path().to_str().unwrap().to_owned();
        tool("mount", &["-t", "ramfs", "ramfs", &place]);
        let device = Loop::on(dir, size_bytes);
        // The device keeps the file system until it is removed itself.
        tool("umount", &["--lazy", &place]);
        device
    }

    fn on(dir: TempDir, size_bytes: u64) -> Loop {
        let image = dir.path().join("disk.img");
        fs::File::create(&image)
            .unwrap()
            .set_len(size_bytes)
            .unwrap();
        let device = LoopOf::new(&[image.to_str().unwrap()]);
        Loop { device, _dir: dir }
    }

    /// Path of the device, such as `/dev/loop7`.
    pub fn node(&self) -> &str {
        self.device.node()
    }
}

/// A loop device over a file of a test; it is removed on drop.
pub struct LoopOf(String);

impl LoopOf {
    /// Creates a device with these arguments of `losetup`, the last of which is the file.
    pub fn new(args: &[&str]) -> LoopOf {
        // Another test may take the free device between its search and its set-up.
        for _ in 0..20 {
            let output = try_tool("losetup", &[&["--find", "--show"], args].concat());
            if output.status.success() {
                return LoopOf(String::from_utf8_lossy(&output.stdout).trim().to_owned());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("no loop device could be set up");
    }

    /// Path of the device.
    pub fn node(&self) -> &str {
        &self.0
    }
}

impl Drop for LoopOf {
    fn drop(&mut self) {
        try_tool("losetup", &["--detach", &self.0]);
    }
}

/// A mount that is removed on drop.
pub struct Mounted(TempDir);

impl Mounted {
    /// Mounts with these arguments, followed by the mount point.
    pub fn new(args: &[&str]) -> Mounted {
        let dir = folder();
        let mut args = args.to_vec();
        args.push(dir.path().to_str().unwrap());
        tool("mount", &args);
        Mounted(dir)
    }

    /// The mount point.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        try_tool("umount", &[self.path().to_str().unwrap()]);
    }
}

/// Names of files and folders in a folder.
pub fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
