//! Records the requests that Linux sends to a drive during work on files in ext4, for comparison
//! with the model of a file system (`crates/load/tests/ext4.rs`):
//!
//! ```text
//! cargo test -p stend-real --test main ext4_record -- --ignored --nocapture > record.json
//! ```
//!
//! Needs root, loop devices, mkfs.ext4, and a kernel with block events in tracefs. It drops
//! the machine's page cache. The record is printed between lines of the test harness.

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Loop, MIB, Mounted, have_root_and, sh, sized};
use stend_base::Op;
use stend_load::files::summary::Summary;
use stend_load::target::{FileOp, FileSet, FilesJob, Target};
use stend_real::open;

/// A rest that separates the creation of the files from the work on them, s.
const REST_S: f64 = 3.0;

/// tracefs, mounted for the test.
struct Tracing(tempfile::TempDir);

impl Tracing {
    fn new() -> Tracing {
        let dir = tempfile::tempdir().unwrap();
        sh(
            "mount",
            &["-t", "tracefs", "none", dir.path().to_str().unwrap()],
        );
        Tracing(dir)
    }

    fn set(&self, name: &str, value: &str) {
        let path = self.0.path().join(name);
        fs::write(&path, value).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    fn begin(&self, device: &Path) {
        let numbers = sh("stat", &["-c", "%t %T", device.to_str().unwrap()]);
        let (major, minor) = numbers.split_once(' ').unwrap();
        let number = |hex| u64::from_str_radix(hex, 16).unwrap();
        let dev = (number(major) << 20) | number(minor);
        self.set("buffer_size_kb", "32768");
        self.set("events/block/block_rq_issue/filter", &format!("dev=={dev}"));
        self.set("events/block/block_rq_issue/enable", "1");
        self.set("tracing_on", "1");
        self.set("trace", "");
    }

    /// Summary of the requests since the rest.
    fn end(&self) -> Summary {
        self.set("events/block/block_rq_issue/enable", "0");
        let text = fs::read_to_string(self.0.path().join("trace")).unwrap();
        let events: Vec<Event> = text.lines().filter_map(event).collect();
        let rest = |pair: &[Event]| pair[1].at_s - pair[0].at_s > REST_S - 0.5;
        let from = events
            .windows(2)
            .rposition(rest)
            .expect("a rest in the record");
        let mut summary = Summary::default();
        for event in &events[from + 1..] {
            summary.add(event.op, event.offset_bytes, event.len_bytes);
        }
        summary
    }
}

impl Drop for Tracing {
    fn drop(&mut self) {
        sh("umount", &[self.0.path().to_str().unwrap()]);
    }
}

struct Event {
    at_s: f64,
    op: Op,
    offset_bytes: u64,
    len_bytes: u64,
}

/// Parses `… 14016.894442: block_rq_issue: 7,0 RA 131072 () 2031616 + 256 be,0,4 [cp]`.
fn event(line: &str) -> Option<Event> {
    let (head, tail) = line.split_once(": block_rq_issue: ")?;
    let at_s = head.rsplit(' ').next()?.parse().ok()?;
    let fields: Vec<&str> = tail.split(' ').collect();
    let plus = fields.iter().position(|field| *field == "+")?;
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let op = match fields[1].as_bytes() {
        [b'F', b'F', ..] => Op::Flush,
        [b'R', ..] => Op::Read,
        [b'W', ..] | [b'F', b'W', ..] => Op::Write,
        _ => return None,
    };
    Some(Event {
        at_s,
        op,
        offset_bytes: number(plus - 1)? * 512,
        len_bytes: number(plus + 1)? * 512,
    })
}

#[test]
#[ignore = "needs root, loop devices and tracefs; drops the machine's page cache"]
fn record() {
    if !have_root_and(&["fio", "losetup", "mkfs.ext4", "mount", "umount", "stat"]) {
        return;
    }
    let tracing = Tracing::new();
    let mut lines = Vec::new();
    for (op, set) in [
        (FileOp::Copy, "iso"),
        (FileOp::Copy, "program"),
        (FileOp::Copy, "work"),
        (FileOp::Archive, "work"),
        (FileOp::Unarchive, "work"),
    ] {
        let device = Loop::new(4096 * MIB);
        let mounted = ext4(&device.node);
        tracing.begin(&device.node);
        let mut target = open(mounted.path(), &sized(MIB)).unwrap();
        let done = target.work_on_files(&FilesJob {
            op,
            set: &FileSet::shipped(set).unwrap(),
            bytes: 256 * MIB,
            seed: 7,
            rest_s: REST_S,
        });
        done.unwrap();
        let summary = serde_json::to_string(&tracing.end()).unwrap();
        lines.push(format!("\"{} {set}\": {summary}", op.name()));
    }
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    println!(
        "{{\n\"kernel\": \"Linux {}\",\n{}\n}}",
        kernel.trim(),
        lines.join(",\n")
    );
}

/// A new file system, with the default readahead of drives.
fn ext4(node: &Path) -> Mounted {
    let lazy = "lazy_itable_init=0,lazy_journal_init=0";
    sh("mkfs.ext4", &["-q", "-E", lazy, node.to_str().unwrap()]);
    let name = node.file_name().unwrap();
    let queue = PathBuf::from("/sys/block").join(name).join("queue");
    fs::write(queue.join("read_ahead_kb"), "128").unwrap();
    Mounted::new(&[node.to_str().unwrap()])
}
