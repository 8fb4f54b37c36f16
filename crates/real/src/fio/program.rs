//! Finds fio, determines what it supports on this machine, and runs it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use parking_lot::Mutex;
use rustix::io::Errno;
use stend_record::fio::Output;

use crate::fio::job::{Engine, LOG_PREFIX};
use crate::fio::samples::JobLogs;
use crate::fio::{latency_log, log, process_io};
use crate::probe::file::NO_DIRECT_IO;
use crate::probe::silence::Watch;
use crate::probe::system::names_in;
use crate::process::tools::{self, ToolOutput};
use crate::safety::removal::Presence;
use stend_load::target::{Moved, TargetError, failed};

/// The oldest version whose options and JSON stend supports.
const OLDEST: (u32, u32) = (3, 30);

/// Environment variable with the path of the fio to use.
pub const FIO_VARIABLE: &str = "STEND_FIO";

/// fio reports an end by SIGINT or SIGTERM with this exit code (`backend.c`).
const INTERRUPTED: i32 = 128;

fn missing(what: String) -> TargetError {
    TargetError::ToolMissing(format!(
        "{what}. Get it with `apt install fio` (Debian, Ubuntu), `dnf install fio` (Fedora) or \
         `brew install fio` (macOS), or from the project's page, github.com/axboe/fio. Simulated \
         drives need no fio."
    ))
}

/// An installed fio.
#[derive(Clone, Debug)]
pub(crate) struct Fio {
    pub(crate) path: PathBuf,
    /// Version as fio prints it, `fio-3.33`.
    pub(crate) version: String,
    /// Run fio so that it opens nothing for writing.
    pub(crate) read_only: bool,
    /// Presence of the jobs' target: fio is killed when the target is gone.
    pub(crate) presence: Option<Presence>,
    /// Notes times in which the jobs' target answers nothing.
    pub(crate) watch: Option<Watch>,
}

impl Fio {
    /// Returns the fio at a given path, at that of [`FIO_VARIABLE`], or the first in `PATH`.
    pub(crate) fn find(given: Option<&Path>) -> Result<Fio, TargetError> {
        let variable = std::env::var_os(FIO_VARIABLE).map(PathBuf::from);
        let path = match given.map(Path::to_path_buf).or(variable) {
            // Absolute, because fio is also run in other folders.
            Some(path) if tools::is_executable(&path) => fs::canonicalize(&path).unwrap_or(path),
            Some(path) => {
                let path = path.display();
                return Err(missing(format!(
                    "fio is not at {path}, where {FIO_VARIABLE} or an option says it is"
                )));
            }
            None => tools::find("fio", &tools::search_path()).ok_or_else(|| {
                let what = "it does the reading and writing on real drives and files";
                missing(format!("fio is not installed; {what}"))
            })?,
        };
        let version = version_of(&path)?;
        match parse_version(&version) {
            Some(found) if found >= OLDEST => Ok(Fio {
                path,
                version,
                read_only: false,
                presence: None,
                watch: None,
            }),
            Some(_) => Err(missing(format!(
                "{} is {version}; stend needs fio {}.{} or later",
                path.display(),
                OLDEST.0,
                OLDEST.1
            ))),
            None => Err(missing(format!(
                "{} does not say that it is fio (`--version` answers \"{version}\")",
                path.display()
            ))),
        }
    }

    /// Refuses a version that does not support fio's iolog of version 3.
    pub(crate) fn needs_iolog_v3(&self) -> Result<(), TargetError> {
        if parse_version(&self.version) >= Some((3, 31)) {
            return Ok(());
        }
        Err(missing(format!(
            "{} is {}; to replay traces, fio 3.31 or later is needed",
            self.path.display(),
            self.version
        )))
    }

    /// Returns the best engine that can read the target here, tested by one read of 4 KiB each: an
    /// engine may be built in and still be forbidden by the kernel or a container.
    pub(crate) fn choose_engine(&self, target: &str) -> Result<Engine, TargetError> {
        let mut complaint = String::new();
        for engine in Engine::ALL {
            let said = self.read_once(target, engine.name(), 1)?;
            if said.status.success() {
                return Ok(engine);
            }
            complaint = words(&said.stderr, &said.stdout);
        }
        if self
            .read_once(target, Engine::Psync.name(), 0)?
            .status
            .success()
        {
            return Err(TargetError::Failed(format!(
                "{target}: {NO_DIRECT_IO}. fio says: {complaint}"
            )));
        }
        Err(TargetError::Failed(format!(
            "fio cannot read {target}: {complaint}"
        )))
    }

    /// fio's complaint about a job file; `None` if it has none.
    pub(crate) fn complaint(&self, text: &str) -> Result<Option<String>, TargetError> {
        let folder = std::env::temp_dir();
        let cannot = failed(&folder, "the job file cannot be written");
        let mut job = tempfile::NamedTempFile::new().map_err(&cannot)?;
        job.write_all(text.as_bytes()).map_err(&cannot)?;
        let said = tools::run(
            tools::command(&self.path)
                .arg("--parse-only")
                .arg(job.path()),
        )?;
        Ok((!said.status.success()).then_some(said.stderr))
    }

    fn read_once(&self, target: &str, engine: &str, direct: u8) -> Result<ToolOutput, TargetError> {
        tools::run(
            tools::command(&self.path)
                .args(["--readonly", "--name=probe", "--rw=read", "--bs=4k"])
                .arg("--allow_file_create=0")
                .args(["--size=4k", "--thread", "--output-format=json"])
                .arg(format!("--filename={target}"))
                .arg(format!("--ioengine={engine}"))
                .arg(format!("--direct={direct}")),
        )
    }

    /// Runs a job file. stend's own files go to `folder`. fio runs in that folder if it writes logs
    /// for stend, and else in the current folder, because the job's own logs belong to the user.
    /// `told` receives every second the bytes that fio has moved, if known.
    pub(crate) fn run(
        &self,
        text: &str,
        folder: &Path,
        sampled: bool,
        told: &(dyn Fn(Moved) + Sync),
    ) -> Result<(Output, Vec<JobLogs>), TargetError> {
        let (said, answer) = self.answer(text, folder, sampled, told)?;
        let output = judge(&said, &answer)?;
        let logs = if sampled {
            read_logs(folder)?
        } else {
            Vec::new()
        };
        Ok((output, logs))
    }

    /// Runs a job file until its end or until the device returns an error; returns the errno.
    pub(crate) fn run_until_refused(
        &self,
        text: &str,
        folder: &Path,
    ) -> Result<(Output, Option<i32>), TargetError> {
        let (said, answer) = self.answer(text, folder, false, &|_| {})?;
        match refused(&said, &answer) {
            Some((output, errno)) => Ok((output, Some(errno))),
            None => Ok((judge(&said, &answer)?, None)),
        }
    }

    /// Runs fio, and returns its messages and its answer.
    fn answer(
        &self,
        text: &str,
        folder: &Path,
        sampled: bool,
        told: &(dyn Fn(Moved) + Sync),
    ) -> Result<(ToolOutput, String), TargetError> {
        let job = folder.join("job.fio");
        let answer = folder.join("answer.json");
        fs::write(&job, text).map_err(failed(folder, "the job file cannot be written"))?;
        let mut command = tools::command(&self.path);
        command
            .args(["--output-format=json+", "--eta=never"])
            .arg(format!("--output={}", answer.display()))
            .arg(format!("--aux-path={}", folder.display()))
            .arg(&job);
        if self.read_only {
            command.arg("--readonly");
        }
        if sampled {
            command.current_dir(folder);
        }
        let began = Instant::now();
        let watching = self.watch.as_ref().map(Watch::begin);
        let said = tools::run_while(&mut command, &|program| {
            if let Some(watching) = &watching {
                watching.look(program);
            }
            if let Some(bytes) = process_io::bytes(program) {
                let elapsed_s = began.elapsed().as_secs_f64();
                told(Moved { elapsed_s, bytes });
            }
            match &self.presence {
                Some(presence) => presence.check().is_ok(),
                None => true,
            }
        })?;
        let answer = match fs::read(&answer) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) => String::new(),
        };
        Ok((said, answer))
    }
}

/// Errors that the kernel returns for a block device's own failures (`blk_errors` in its
/// `block/blk-core.c`): a failed medium, target or transport, a device that is gone, and one that
/// has become read-only. Other ends of a job are not the drive's refusal: a full file system, too
/// little memory, a fault in the job.
const DEVICE_ERRORS: [(Errno, &str); 9] = [
    (Errno::IO, "the device failed"),
    (Errno::ROFS, "the device has become read-only"),
    (Errno::REMOTEIO, "the drive refused the command"),
    (Errno::NODATA, "the drive reports a medium error"),
    (Errno::ILSEQ, "the drive reports damaged data"),
    (Errno::TIMEDOUT, "the drive did not answer in time"),
    (Errno::NOLINK, "the link to the drive failed"),
    (Errno::NODEV, "the device is gone"),
    (Errno::NXIO, "the device is gone"),
];

/// Meaning of an error of a block device; the errno's own text describes other uses.
fn device_error(errno: i32) -> Option<&'static str> {
    let mut known = DEVICE_ERRORS.iter();
    known
        .find(|(error, _)| error.raw_os_error() == errno)
        .map(|(_, words)| *words)
}

/// Results and errno of a run that an error of the device ended; `None` for any other run.
fn refused(said: &ToolOutput, answer: &str) -> Option<(Output, i32)> {
    if said.status.code()? == INTERRUPTED {
        return None;
    }
    let output = parse(split_at_json(answer).1).ok()?;
    let errno = output.jobs.iter().map(|job| job.error).find(|e| *e != 0)?;
    device_error(errno).map(|_| (output, errno))
}

/// Version that the program at a path prints. Each program is run once, because fio starts slowly:
/// it is identified by its path, size and modification time.
fn version_of(path: &Path) -> Result<String, TargetError> {
    type Program = (PathBuf, u64, SystemTime);
    static KNOWN: Mutex<BTreeMap<Program, String>> = Mutex::new(BTreeMap::new());
    let written = |meta: fs::Metadata| Ok((path.to_owned(), meta.len(), meta.modified()?));
    let program = path.metadata().and_then(written);
    let program = program.map_err(failed(path, "cannot be looked at"))?;
    let mut known = KNOWN.lock();
    if let Some(version) = known.get(&program) {
        return Ok(version.clone());
    }
    let said = tools::run(tools::command(path).arg("--version"))?;
    let version = said.stdout.trim().to_owned();
    known.insert(program, version.clone());
    Ok(version)
}

/// Parses `fio-3.33`, `fio-3.36-12-gabcdef`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text
        .strip_prefix("fio-")?
        .split(|c: char| !c.is_ascii_digit())
        .map(str::parse);
    let major = numbers.next()?.ok()?;
    Some((major, numbers.next().and_then(Result::ok).unwrap_or(0)))
}

/// Results of a successful run; else the error, in fio's own words.
pub(crate) fn judge(said: &ToolOutput, answer: &str) -> Result<Output, TargetError> {
    let (before, document) = split_at_json(answer);
    let words = words(&said.stderr, before);
    match said.status.code() {
        Some(0) => {}
        None => {
            return Err(TargetError::Failed(format!(
                "fio was {}; the job's results are lost. {words}",
                tools::ending(said.status)
            )));
        }
        Some(INTERRUPTED) => {
            return Err(TargetError::Failed(format!(
                "fio was interrupted before the job's end. {words}"
            )));
        }
        Some(_) => {
            let job = parse(document).ok().and_then(|output| failed_job(&output));
            return Err(TargetError::Failed(format!(
                "fio failed ({}){}: {words}",
                tools::ending(said.status),
                job.map_or_else(String::new, |job| format!(", {job}"))
            )));
        }
    }
    let output = parse(document).map_err(|error| {
        TargetError::Failed(format!(
            "fio's answer cannot be read ({error}). It begins: {} {words}",
            excerpt(answer)
        ))
    })?;
    if let Some(job) = failed_job(&output) {
        return Err(TargetError::Failed(format!("fio failed, {job}: {words}")));
    }
    if output.jobs.is_empty() {
        return Err(TargetError::Failed(format!("fio ran no job: {words}")));
    }
    Ok(output)
}

/// fio writes warnings and errors to the same file, before the document.
fn split_at_json(answer: &str) -> (&str, &str) {
    let line_start = if answer.starts_with('{') {
        Some(0)
    } else {
        answer.find("\n{").map(|newline| newline + 1)
    };
    answer.split_at(
        line_start
            .or_else(|| answer.find('{'))
            .unwrap_or(answer.len()),
    )
}

/// Parses the first document; later output of fio does not matter.
fn parse(document: &str) -> Result<Output, serde_json::Error> {
    serde_json::Deserializer::from_str(document)
        .into_iter()
        .next()
        .unwrap_or_else(|| serde_json::from_str(document))
}

fn failed_job(output: &Output) -> Option<String> {
    let job = output.jobs.iter().find(|job| job.error != 0)?;
    let error = std::io::Error::from_raw_os_error(job.error);
    let meaning = device_error(job.error).map_or_else(String::new, |words| format!(", {words}"));
    let name = &job.jobname;
    Some(format!("job \"{name}\" with error {error}{meaning}"))
}

/// fio's complaints in one line, each once: every process of a job prints its own, which differ in
/// process ids, offsets and the like.
fn words(stderr: &str, before_json: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit();
    // Runs of digits of any length are alike.
    let bare = |line: &str| -> Vec<String> {
        let parts = line.split(is_digit).filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let alike = |one: &str, other: &str| bare(one) == bare(other);
    let mut lines: Vec<&str> = Vec::new();
    for line in stderr.lines().chain(before_json.lines()).map(str::trim) {
        let is_known = lines.iter().any(|known| alike(known, line));
        if !line.is_empty() && !is_known && lines.len() < 6 {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        return "(fio says nothing about it)".to_owned();
    }
    lines.join("; ")
}

fn excerpt(answer: &str) -> String {
    let start: String = answer.chars().take(120).collect();
    format!("{:?}.", start.trim())
}

/// Reads the logs of every job, in the order of fio's job numbers.
fn read_logs(folder: &Path) -> Result<Vec<JobLogs>, TargetError> {
    let start = format!("{LOG_PREFIX}_bw.");
    let mut numbers: Vec<u32> = names_in(folder)
        .iter()
        .filter_map(|name| {
            name.strip_prefix(&start)?
                .strip_suffix(".log")?
                .parse()
                .ok()
        })
        .collect();
    numbers.sort_unstable();
    numbers
        .into_iter()
        .map(|number| {
            Ok(JobLogs {
                bw: log::read(folder, "bw", number)?,
                iops: log::read(folder, "iops", number)?,
                latency: latency_log::read(folder, number)?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;
    use crate::probe::recorded::says;

    const GOOD: &str = include_str!("../../tests/data/fio-3.33.json");

    fn said(raw_status: i32, stderr: &str) -> ToolOutput {
        ToolOutput {
            status: ExitStatus::from_raw(raw_status),
            stdout: String::new(),
            stderr: stderr.to_owned(),
        }
    }

    fn error(raw_status: i32, stderr: &str, answer: &str) -> String {
        judge(&said(raw_status, stderr), answer)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn versions() {
        assert_eq!(parse_version("fio-3.33"), Some((3, 33)));
        assert_eq!(parse_version("fio-3.36-12-gabcdef"), Some((3, 36)));
        assert_eq!(parse_version("fio-4"), Some((4, 0)));
        assert_eq!(parse_version("bash 5"), None);
        assert!((3, 9) < OLDEST && (4, 0) > OLDEST);
    }

    #[test]
    fn a_good_answer_with_and_without_text_around_it() {
        let plain = judge(&said(0, ""), GOOD).unwrap();
        assert_eq!(plain.fio_version, "fio-3.33");
        let polluted = format!("fio: {{odd}} warning\nnote: something\n{GOOD}\nfio: bye {{\n");
        assert_eq!(judge(&said(0, ""), &polluted).unwrap(), plain);
    }

    #[test]
    fn bad_answers() {
        says(error(0, "", "no document"), "begins: \"no document\"");
        says(error(0, "", ""), "cannot be read");
        assert!(error(0, "", &GOOD[..GOOD.len() / 2]).contains("cannot be read"));
        says(
            error(0, "odd", "{\"fio version\":\"fio-3.33\",\"jobs\":[]}"),
            "odd",
        );
    }

    #[test]
    fn endings_in_fios_words() {
        let text = error(
            1 << 8,
            "fio: No I/O performed\nfio: No I/O performed\n",
            "Bad option\n{",
        );
        says(&text, "exit code 1");
        assert!(
            text.ends_with("fio: No I/O performed; Bad option"),
            "{text}"
        );
        let many = "fio: pid=10, err=22/offset=512\nfio: pid=7, err=22/offset=4096\n";
        let text = error(1 << 8, many, "Bad option\n{");
        assert!(
            text.ends_with(": fio: pid=10, err=22/offset=512; Bad option"),
            "{text}"
        );
        says(error(9, "", GOOD), "killed by signal 9");
        says(
            error(128 << 8, "fio: terminating on signal 2", GOOD),
            "interrupted",
        );
    }

    #[test]
    fn only_the_devices_own_errors_are_refusals() {
        let with = |errno: i32| {
            let error = format!("\"error\" : {errno}");
            GOOD.replacen("\"error\" : 0", &error, 1)
        };
        for device in [5, 30, 121, 61, 110, 19, 6] {
            let (output, errno) = refused(&said(1 << 8, ""), &with(device)).unwrap();
            assert_eq!((errno, output.jobs[0].error), (device, device));
        }
        // A full file system, no memory, no permission, no error.
        for other in [28, 12, 13, 0] {
            assert_eq!(refused(&said(1 << 8, ""), &with(other)), None, "{other}");
        }
        assert_eq!(refused(&said(128 << 8, ""), &with(5)), None);
        assert_eq!(refused(&said(9, ""), &with(5)), None);
        assert_eq!(refused(&said(1 << 8, ""), "no document"), None);
    }

    #[test]
    fn an_error_of_the_device_says_what_it_means() {
        let broken = GOOD.replacen("\"error\" : 0", "\"error\" : 61", 1);
        let text = error(1 << 8, "", &broken);
        says(
            &text,
            "No data available (os error 61), the drive reports a medium error",
        );
    }

    #[test]
    fn a_jobs_own_error_counts_whatever_the_exit_code() {
        let broken = GOOD.replacen("\"error\" : 0", "\"error\" : 5", 1);
        assert_ne!(broken, GOOD);
        for status in [0, 1 << 8] {
            let text = error(status, "fio: io_u error", &broken);
            says(&text, "job \"mixed\" with error Input/output error");
            says(&text, "io_u error");
        }
    }
}
