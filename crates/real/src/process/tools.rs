//! Finds and runs the programs that stend uses.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use rustix::process::Pid;

use crate::process::running;
use stend_load::target::TargetError;

/// Output and exit status of a finished program.
#[derive(Clone, Debug)]
pub(crate) struct ToolOutput {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The directories of `PATH` and those of system tools, which an ordinary user's `PATH`
/// lacks on some systems.
pub(crate) fn search_path() -> OsString {
    let mut path = std::env::var_os("PATH").unwrap_or_default();
    path.push(":/usr/local/sbin:/usr/sbin:/sbin");
    path
}

/// Finds an executable by its name in a list of directories like `PATH`.
pub(crate) fn find(name: &str, search_path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(search_path)
        .filter(|dir| !dir.as_os_str().is_empty())
        .map(|dir| dir.join(name))
        .find(|path| is_executable(path))
}

/// As [`find`], for a required program: the error names its purpose and its package.
pub(crate) fn needed(
    name: &str,
    package: &str,
    purpose: &str,
    search_path: &OsStr,
) -> Result<PathBuf, TargetError> {
    find(name, search_path).ok_or_else(|| {
        TargetError::ToolMissing(format!(
            "{name} is missing, which {purpose}. It belongs to {package}: apt install {package} \
             (Debian, Ubuntu), dnf install {package} (Fedora)"
        ))
    })
}

/// True if the file is executable.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// A command with messages in English, no input, and captured output.
///
/// If util-linux's setpriv is installed, the program ends when stend is killed, so that it does not
/// continue to write to a drive.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = bound_to(std::process::id(), program);
    command
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A command that does not outlive the process `parent`, which starts it.
fn bound_to(parent: u32, program: &Path) -> Command {
    let Some(setpriv) = find("setpriv", &search_path()) else {
        return Command::new(program);
    };
    let mut command = Command::new(setpriv);
    // No signal is sent if the parent ended before setpriv requested one.
    command
        .args(["--pdeathsig", "TERM", "sh", "-c"])
        .arg("[ \"$PPID\" = \"$0\" ] && exec \"$@\"")
        .arg(parent.to_string())
        .arg(program);
    command
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Result<ToolOutput, TargetError> {
    run_while(command, &|_| true)
}

/// Runs a command to its end, or kills it as soon as `useful` returns false; `useful` is called
/// every second with the process.
pub(crate) fn run_while(
    command: &mut Command,
    useful: &(dyn Fn(Pid) -> bool + Sync),
) -> Result<ToolOutput, TargetError> {
    let output = running::output(command, useful).map_err(|error| {
        TargetError::Failed(format!(
            "{} could not be started: {error}",
            command.get_program().to_string_lossy()
        ))
    })?;
    Ok(ToolOutput {
        status: output.status,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Describes the end of a program: `exit code 1`, `killed by signal 9 (SIGKILL)`.
pub(crate) fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => {
            let name = match signal {
                1 => " (SIGHUP)",
                2 => " (SIGINT)",
                6 => " (SIGABRT)",
                9 => " (SIGKILL; the kernel does so when memory runs out)",
                11 => " (SIGSEGV)",
                15 => " (SIGTERM)",
                _ => "",
            };
            format!("killed by signal {signal}{name}")
        }
        (None, None) => status.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_executables_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let tool = dir.path().join("tool");
        std::fs::write(&tool, "#!/bin/sh\n").unwrap();
        let mut path = OsString::from("/nowhere::");
        path.push(dir.path());
        assert_eq!(find("tool", &path), None);
        std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find("tool", &path), Some(tool));
    }

    #[test]
    fn nothing_starts_for_a_process_that_has_ended() {
        if find("setpriv", &search_path()).is_none() {
            return;
        }
        let said = |parent| {
            let mut command = bound_to(parent, Path::new("/bin/echo"));
            command.arg("it's here").output().unwrap().stdout
        };
        assert_eq!(said(std::process::id()), b"it's here\n");
        // As if it already had another parent.
        assert_eq!(said(std::process::id() + 1), b"");
    }

    #[test]
    fn endings_in_words() {
        assert_eq!(ending(ExitStatus::from_raw(1 << 8)), "exit code 1");
        assert!(ending(ExitStatus::from_raw(9)).starts_with("killed by signal 9 (SIGKILL"));
    }
}
