//! Programs that send commands to drives.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::probe::device::Device;
use crate::process::running::rest;
use crate::process::tools::{self, ToolOutput};
use stend_load::target::TargetError;

/// The command by which a drive shall erase itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EraseMethod {
    /// True to discard the key of the data.
    pub crypto: bool,
    /// True for a sanitize command, which also erases caches and flash that the host cannot
    /// address.
    pub sanitize: bool,
}

/// The planned erase command, and the time that the drive reports for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erasing {
    /// The command, in words.
    pub how: String,
    /// Time that the drive reports.
    pub time: String,
}

/// A command by which a drive erases itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// NVMe: Format NVM.
    Format {
        /// Discards the key instead of erasing the user data.
        crypto: bool,
    },
    /// NVMe: Sanitize.
    NvmeSanitize {
        /// Discards the key instead of erasing all blocks.
        crypto: bool,
        /// The controller's node.
        controller: PathBuf,
    },
    /// ATA: Security Erase Unit.
    SecurityErase,
    /// ATA: a command of the sanitize feature set.
    AtaSanitize {
        /// Discards the key instead of erasing all blocks.
        crypto: bool,
    },
}

/// The operation planned on a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) erasing: Erasing,
    pub(super) command: Command,
    /// Other namespaces that are erased with the named one.
    pub(super) also: Vec<Device>,
}

impl Plan {
    /// A plan that affects no other namespace.
    pub(super) fn alone(command: Command, how: impl Into<String>, time: impl Into<String>) -> Plan {
        let erasing = Erasing {
            how: how.into(),
            time: time.into(),
        };
        Plan {
            erasing,
            command,
            also: Vec::new(),
        }
    }
}

/// Progress of a command that the drive executes in the background.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Progress {
    /// Percent done.
    Running(f64),
    Done,
    /// Failed, for this reason.
    Failed(String),
}

/// Parameters of waiting for the end of such a command.
pub(super) struct Waiting<'a> {
    /// Interval between queries.
    pub(super) every: Duration,
    /// Receives the percentage done.
    pub(super) tell: &'a dyn Fn(f64),
}

/// Number of consecutive queries that a busy drive may leave unanswered.
const UNANSWERED_MAX: u32 = 10;

impl Waiting<'_> {
    /// Queries the status until a sanitize has ended.
    ///
    /// # Errors
    /// [`TargetError::Failed`] if it failed, if the drive stops answering, or if stend is being
    /// ended: the drive then continues.
    pub(super) fn end_of_sanitize(
        &self,
        node: &Path,
        ask: impl Fn() -> Result<Progress, TargetError>,
    ) -> Result<(), TargetError> {
        let failed = |why: &str| {
            TargetError::Failed(format!(
                "{}: the sanitize {why}; until one succeeds, the drive may refuse to be read and \
                 written: repeat the command",
                node.display()
            ))
        };
        let mut unanswered = 0;
        loop {
            match ask() {
                Ok(Progress::Done) => return Ok(()),
                Ok(Progress::Failed(why)) => return Err(failed(&why)),
                Ok(Progress::Running(percent)) => {
                    unanswered = 0;
                    (self.tell)(percent);
                }
                Err(error) => {
                    unanswered += 1;
                    if unanswered > UNANSWERED_MAX {
                        return Err(failed(&format!(
                            "was begun, and its progress is unknown ({error})"
                        )));
                    }
                }
            }
            rest(self.every).map_err(|error| failed(&format!("goes on in the drive: {error}")))?;
        }
    }
}

/// A program and the package that it belongs to.
#[derive(Clone, Copy)]
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) package: &'static str,
}

/// Search path for programs.
pub(super) struct Tools {
    search_path: OsString,
}

impl Tools {
    /// The programs installed on the system.
    pub(super) fn installed() -> Tools {
        Tools {
            search_path: tools::search_path(),
        }
    }

    /// Runs a program.
    pub(super) fn run(&self, program: Program, args: &[&str]) -> Result<ToolOutput, TargetError> {
        let Program { name, package } = program;
        let purpose = "gives a drive such commands";
        let program = tools::needed(name, package, purpose, &self.search_path)?;
        tools::run(tools::command(&program).args(args))
    }

    /// Runs a program that must succeed; `what` describes the operation on the device at `node`,
    /// for errors.
    pub(super) fn succeed(
        &self,
        program: Program,
        args: &[&str],
        node: &Path,
        what: &str,
    ) -> Result<ToolOutput, TargetError> {
        let said = self.run(program, args)?;
        match said.status.success() {
            true => Ok(said),
            false => Err(failure(node, what, &said)),
        }
    }
}

/// The commands that a drive reports, in words.
pub(super) fn reported(commands: &[(bool, &str)]) -> String {
    let words = commands.iter().filter(|(is, _)| *is);
    words
        .map(|(_, words)| *words)
        .collect::<Vec<_>>()
        .join("; ")
}

/// Error for a failed program.
pub(super) fn failure(node: &Path, what: &str, said: &ToolOutput) -> TargetError {
    let words = [said.stderr.trim(), said.stdout.trim()];
    let words = words.iter().find(|words| !words.is_empty());
    TargetError::Failed(format!(
        "{}: {what} failed ({}): {}",
        node.display(),
        tools::ending(said.status),
        words.unwrap_or(&"nothing was said")
    ))
}

/// Error for a write cache in the wrong state.
pub(super) fn not_switched(node: &Path, on: bool) -> TargetError {
    TargetError::Failed(format!(
        "{}: the drive took the command, but its write cache is not {}",
        node.display(),
        if on { "on" } else { "off" }
    ))
}

#[cfg(test)]
pub(super) mod fake {
    use std::fs;
    use std::path::PathBuf;
    use std::process::Command;

    use tempfile::TempDir;

    use super::{EraseMethod, Path, Tools, Waiting};

    pub(in crate::service) const PLAIN: EraseMethod = method(false, false);
    pub(in crate::service) const CRYPTO: EraseMethod = method(true, false);
    pub(in crate::service) const SANITIZE: EraseMethod = method(false, true);
    pub(in crate::service) const SANITIZE_CRYPTO: EraseMethod = method(true, true);

    const fn method(crypto: bool, sanitize: bool) -> EraseMethod {
        EraseMethod { crypto, sanitize }
    }

    /// Queries without waiting.
    pub(in crate::service) const HURRIED: Waiting<'static> = Waiting {
        every: std::time::Duration::ZERO,
        tell: &|_| {},
    };

    /// A folder with a program that records its calls.
    pub(in crate::service) struct FakeTool {
        dir: TempDir,
        pub(in crate::service) tools: Tools,
    }

    impl FakeTool {
        /// Creates a program; `$calls` is the file with its calls, `$dir` its folder.
        pub(in crate::service) fn new(name: &str, body: &str) -> FakeTool {
            let dir = tempfile::tempdir().unwrap();
            let at = dir.path().display();
            let text =
                format!("#!/bin/sh\ndir={at}\ncalls={at}/calls\necho \"$*\" >> $calls\n{body}\n");
            let plain = dir.path().join("text");
            fs::write(&plain, text).unwrap();
            // Written by another process: a file that is open for writing here cannot be run.
            let status = Command::new("install")
                .args(["-m", "755"])
                .args([&plain, &dir.path().join(name)])
                .status();
            assert!(status.unwrap().success());
            let search_path = dir.path().as_os_str().to_owned();
            FakeTool {
                dir,
                tools: Tools { search_path },
            }
        }

        pub(in crate::service) fn calls(&self) -> Vec<String> {
            let text = fs::read_to_string(self.dir.path().join("calls")).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        }

        /// Writes a file that the program may read.
        pub(in crate::service) fn keep(&self, name: &str, text: &str) {
            fs::write(self.dir.path().join(name), text).unwrap();
        }

        pub(in crate::service) fn node(&self) -> PathBuf {
            Path::new("/dev/sdz").to_owned()
        }
    }
}
