//! Another simulator as an external program: its check, its run in a folder, and messages about its
//! failures.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Instant;

use super::case::Case;
use super::drive::Drive;
use super::figures::Figures;
use crate::child;
use crate::failure::Failure;

/// Files for the program's output.
const STDOUT: &str = "stdout.txt";
const STDERR: &str = "stderr.txt";

/// Another simulator.
pub trait Simulator {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Limits of the comparison: differences of the drive, and remarks about the figures.
    fn limits(&self, drive: &Drive) -> Vec<String>;

    /// Runs a case in an empty folder.
    fn run(&self, drive: &Drive, case: &Case, folder: &Path) -> Result<Figures, Failure>;
}

/// A program that the user named.
pub struct Program {
    name: &'static str,
    path: PathBuf,
    option: &'static str,
}

/// Times and output of a run.
pub struct Ran {
    /// Wall-clock time up to the last line that marks the end of the preparation, s; 0 without one.
    pub prepare_s: f64,
    /// Wall-clock time from there to the end, s.
    pub wall_s: f64,
    /// Contents of stdout.
    pub stdout: String,
}

impl Program {
    /// Checks that the program exists.
    ///
    /// # Errors
    /// [`Failure::ToolMissing`] if there is no such file.
    pub fn new(name: &'static str, option: &'static str, path: &Path) -> Result<Program, Failure> {
        // An absolute path, because the program runs in another folder.
        let found = fs::canonicalize(path).and_then(|found| Ok((fs::metadata(&found)?, found)));
        match found {
            Ok((meta, found)) if meta.is_file() => Ok(Program {
                name,
                path: found,
                option,
            }),
            Ok(_) => Err(Failure::Input(format!(
                "{option} {}: it is not a file; name the program itself",
                path.display()
            ))),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(Failure::Io(format!(
                "{option} {}: {error}; run as a user who may read its folder",
                path.display()
            ))),
            Err(error) => Err(Failure::ToolMissing(format!(
                "{option} {}: {error}; docs/bench-compare.md explains how to build {name}",
                path.display()
            ))),
        }
    }

    /// Runs the program in a folder. A stdout line with one of `prepared` ends the preparation.
    pub fn run<S: AsRef<OsStr>>(
        &self,
        args: &[S],
        folder: &Path,
        prepared: &[&str],
    ) -> Result<Ran, Failure> {
        let stderr = File::create(folder.join(STDERR))
            .map_err(|error| Failure::unwritable(&folder.join(STDERR), &error))?;
        let mut command = Command::new(&self.path);
        command.args(args).current_dir(folder);
        let mut stdout = String::new();
        let began = Instant::now();
        let mut prepare_s = 0.0;
        let ended = child::run(&mut command, stderr, |line| {
            if prepared.iter().any(|words| line.contains(words)) {
                prepare_s = began.elapsed().as_secs_f64();
            }
            stdout += line;
            stdout.push('\n');
        });
        let wall_s = began.elapsed().as_secs_f64() - prepare_s;
        write(&folder.join(STDOUT), |file| {
            file.write_all(stdout.as_bytes())
        })?;
        let status = ended.map_err(|error| self.not_run(&error))?;
        match status.success() {
            true => Ok(Ran {
                prepare_s,
                wall_s,
                stdout,
            }),
            false => Err(self.failed(status, folder, &stdout)),
        }
    }

    fn not_run(&self, error: &std::io::Error) -> Failure {
        let (what, todo) = match error.kind() {
            ErrorKind::PermissionDenied => ("is not executable", "make it so with chmod +x"),
            _ => ("cannot be run", "it must be a program for this machine"),
        };
        Failure::Io(format!(
            "{}: {} {what}: {error}; {todo}",
            self.option,
            self.path.display()
        ))
    }

    fn failed(&self, status: ExitStatus, folder: &Path, stdout: &str) -> Failure {
        let how = match (status.code(), status.signal()) {
            (Some(code), _) => format!("ended with exit code {code}"),
            (None, Some(signal)) => format!("was terminated by signal {signal}"),
            (None, None) => "ended".to_owned(),
        };
        let stderr = fs::read(folder.join(STDERR)).unwrap_or_default();
        let stderr = String::from_utf8_lossy(&stderr);
        let last = |text: &str| {
            let mut lines = text.lines().rev().map(str::trim);
            lines.find(|line| !line.is_empty()).map(str::to_owned)
        };
        let said = last(&stderr).or_else(|| last(stdout));
        Failure::Io(format!(
            "{} ({}) {how}; last line of its output: {}",
            self.name,
            self.path.display(),
            said.as_deref().unwrap_or("none")
        ))
    }

    /// Error for results in an unknown format.
    pub fn not_understood(&self, problem: &str) -> Failure {
        Failure::Io(format!(
            "the results of {} ({}) cannot be parsed: {problem}; docs/bench-compare.md describes \
             the expected format",
            self.name,
            self.path.display()
        ))
    }

    /// Checks that a result is the requested one.
    pub fn expect(&self, what: &str, got: u64, wanted: u64) -> Result<(), Failure> {
        match got == wanted {
            true => Ok(()),
            false => Err(self.not_understood(&format!("{got} {what} instead of {wanted}"))),
        }
    }
}

/// Writes a file.
pub fn write(
    path: &Path,
    produce: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let written = File::create(path).map(BufWriter::new).and_then(|mut file| {
        produce(&mut file)?;
        file.flush()
    });
    written.map_err(|error| Failure::unwritable(path, &error))
}
