//! Logs that a job of `stend run` writes (`write_bw_log` and similar options), and files that they
//! would replace.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use stend_load::jobfile::Text;

use crate::failure::Failure;
use crate::output::check_writable;

/// Options that write logs, and the endings of the logs' names before the number of the job.
const LOGS: [(&str, &[&str]); 4] = [
    ("write_bw_log", &["_bw"]),
    ("write_iops_log", &["_iops"]),
    ("write_lat_log", &["_lat", "_clat", "_slat"]),
    ("write_hist_log", &["_clat_hist"]),
];

/// Number of lines that are read to recognize a log.
const LINES: usize = 100;

/// Refuses a job whose logs would replace a file that is no log of fio or stend, or could not be
/// written after the run.
///
/// # Errors
/// [`Failure::Refused`] with the file and the option, or [`Failure::Io`] with the file.
pub fn check(text: &Text) -> Result<(), Failure> {
    let jobs = || text.sections.iter().filter(|section| !section.is_global());
    for section in &text.sections {
        for entry in &section.entries {
            let Some((option, kinds)) = LOGS.iter().find(|(option, _)| *option == &*entry.key)
            else {
                continue;
            };
            match entry.value.as_deref().filter(|value| !value.is_empty()) {
                Some(prefix) => check_prefix(prefix, option, kinds)?,
                // Without a value, the prefix is the name of each job.
                None if section.is_global() => {
                    for job in jobs() {
                        check_prefix(&job.name, option, kinds)?;
                    }
                }
                None => check_prefix(&section.name, option, kinds)?,
            }
        }
    }
    Ok(())
}

fn check_prefix(prefix: &str, option: &str, kinds: &[&str]) -> Result<(), Failure> {
    let path = Path::new(prefix);
    let Some(base) = path.file_name().map(|name| name.to_string_lossy()) else {
        return Ok(());
    };
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // If the folder does not exist, nothing can be replaced; the check for writing reports it.
    let files = folder.read_dir().into_iter().flatten().flatten();
    let mut foreign: Vec<PathBuf> = files
        .filter(|file| {
            let name = file.file_name();
            is_log_name(&name.to_string_lossy(), &base, kinds) && !is_log(&file.path())
        })
        .map(|file| path.with_file_name(file.file_name()))
        .collect();
    foreign.sort();
    match foreign.first() {
        None => kinds.iter().try_for_each(|kind| {
            check_writable(&path.with_file_name(format!("{base}{kind}.1.log")))
        }),
        Some(file) => Err(Failure::Refused(format!(
            "{}: it exists, and is not a log of a job; {option} would replace it: use another \
             name, or move the file away",
            file.display()
        ))),
    }
}

/// True if a log of this prefix can have this name: `prefix_bw.1.log`, `prefix_bw.log`; with
/// several targets, preceded by the target's name and a hyphen.
fn is_log_name(name: &str, base: &str, kinds: &[&str]) -> bool {
    let Some(name) = name.strip_suffix(".log") else {
        return false;
    };
    let (name, number) = name
        .split_once('.')
        .map_or((name, ""), |(name, number)| (name, number));
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    kinds.iter().any(|kind| {
        let of_prefix = name
            .strip_suffix(kind)
            .and_then(|name| name.strip_suffix(base));
        of_prefix.is_some_and(|target| target.is_empty() || target.ends_with('-'))
    })
}

/// True if a file is empty, or its lines are those of a log, whole numbers: time, value, direction,
/// block size, and more.
fn is_log(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let is_entry = |line: &str| {
        line.split(',').count() >= 4
            && line.split(',').all(|field| {
                let field = field.trim();
                field.parse::<u64>().is_ok() || field.starts_with("0x")
            })
    };
    BufReader::new(file)
        .lines()
        .take(LINES)
        .all(|line| line.is_ok_and(|line| is_entry(&line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_logs() {
        let is = |name| is_log_name(name, "keep", &["_bw"]);
        for name in ["keep_bw.1.log", "keep_bw.log", "demo-8gb-keep_bw.12.log"] {
            assert!(is(name), "{name}");
        }
        for name in [
            "keep_bw.1.txt",
            "keep_iops.1.log",
            "upkeep_bw.1.log",
            "keep_bw.x.log",
        ] {
            assert!(!is(name), "{name}");
        }
    }
}
