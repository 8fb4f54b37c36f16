//! The machine and the versions behind the figures.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::process::ask;
use crate::failure::Failure;
use crate::program::{root, said};

/// The machine, from `/proc`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the first processor.
    pub cpu: String,
    /// Processors that this program may use.
    pub cores: usize,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Version of the kernel.
    pub kernel: String,
}

/// Versions of the program.
#[derive(Debug, Serialize, Deserialize)]
pub struct Versions {
    /// Build that the program reports.
    #[serde(flatten)]
    pub build: Build,
    /// The commit of the clone.
    pub git_commit: Option<String>,
    /// True if files of the clone differed from the commit.
    pub git_changed: Option<bool>,
}

impl Machine {
    /// This machine. Unknown facts are `unknown`, or 0.
    pub fn here() -> Machine {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let unknown = |text: &str| match text.trim() {
            "" => "unknown".to_owned(),
            known => known.to_owned(),
        };
        Machine {
            cpu: unknown(value(&read("/proc/cpuinfo"), "model name").unwrap_or_default()),
            cores: std::thread::available_parallelism().map_or(0, |n| n.get()),
            memory_bytes: kib_of(&read("/proc/meminfo"), "MemTotal").unwrap_or(0) * 1024,
            kernel: unknown(&read("/proc/sys/kernel/osrelease")),
        }
    }
}

impl Versions {
    /// Versions of a program, and of this clone.
    pub fn of(program: &Path) -> Result<Versions, Failure> {
        Ok(Versions {
            build: ask(program, &json!("build"))?,
            git_commit: git(&["rev-parse", "HEAD"]),
            git_changed: git(&["status", "--porcelain"]).map(|changes| !changes.is_empty()),
        })
    }
}

/// Build that a program reports.
#[derive(Debug, Serialize, Deserialize)]
pub struct Build {
    /// Version of the program.
    pub stend: String,
    /// The compiler that built it.
    pub rustc: String,
    /// True if it was built with debug assertions.
    pub debug_build: bool,
}

fn git(args: &[&str]) -> Option<String> {
    said(Command::new("git").args(args).current_dir(root()))
}

/// The text after `key:` in a file of `/proc`.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim())
}

/// Number after `key` in a file of `/proc`, whose `kB` are KiB.
fn kib_of(text: &str, key: &str) -> Option<u64> {
    value(text, key)?.strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_proc() {
        let text = "Name:\tstend\nVmHWM:\t  536836 kB\nVmRSS:\t 1 kB\nThreads:\t2\n";
        assert_eq!(kib_of(text, "VmHWM"), Some(536_836));
        assert_eq!(kib_of(text, "Threads"), None);
        assert_eq!(kib_of(text, "VmPeak"), None);
        assert_eq!(
            value("model name\t: A CPU @ 2 GHz\n", "model name"),
            Some("A CPU @ 2 GHz")
        );
    }
}
