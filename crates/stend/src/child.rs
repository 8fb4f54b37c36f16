//! A program that stend runs and waits for, and the program's working folder. Neither outlives
//! stend: a signal sent only to stend would otherwise leave the program running.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tempfile::TempDir;

use crate::failure::Failure;

/// Interval at which a program that prints nothing more is checked for its end.
const PAUSE: Duration = Duration::from_millis(2);

struct Running {
    child: Option<Child>,
    folder: Option<PathBuf>,
    stopping: bool,
}

static RUNNING: Mutex<Running> = Mutex::new(Running {
    child: None,
    folder: None,
    stopping: false,
});

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock()
}

/// Kills the program, removes its folder, and prevents new programs from starting. For a process
/// that is about to exit.
pub fn stop() {
    let mut now = running();
    now.stopping = true;
    if let Some(mut child) = now.child.take() {
        // Killing a program that has just ended by itself is no failure.
        let _ = child.kill();
        let _ = child.wait();
    }
    if let Some(folder) = now.folder.take() {
        // A failure is ignored: the process is about to end.
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// A temporary folder. It is removed when this value is dropped, or by [`stop`].
pub struct Folder(TempDir);

impl Folder {
    /// Creates a folder; only one exists at a time.
    pub fn new() -> Result<Folder, Failure> {
        let mut now = running();
        let folder = tempfile::Builder::new()
            .prefix("stend-")
            .tempdir()
            .map_err(|error| {
                Failure::Io(format!(
                    "cannot make a temporary folder: {error}; TMPDIR says where they are made"
                ))
            })?;
        now.folder = Some(folder.path().to_owned());
        Ok(Folder(folder))
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Keeps the folder on disk and returns its path.
    pub fn keep(self) -> PathBuf {
        running().folder = None;
        self.0.keep()
    }
}

/// Runs a command to its end. Stdin is empty, stderr goes to a file, and `on_line` receives each
/// line of stdout as it is printed.
pub fn run(
    command: &mut Command,
    stderr: File,
    mut on_line: impl FnMut(&str),
) -> io::Result<ExitStatus> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(stderr);
    let stdout = {
        // Started under the lock, so that [`stop`] sees every program.
        let mut now = running();
        if now.stopping {
            return Err(ended());
        }
        let mut child = command.spawn()?;
        let stdout = child.stdout.take();
        now.child = Some(child);
        stdout.ok_or_else(ended)?
    };
    if let Err(error) = each_line(stdout, &mut on_line) {
        if let Some(mut child) = running().child.take() {
            // The program may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
        return Err(error);
    }
    loop {
        let mut now = running();
        let child = now.child.as_mut().ok_or_else(ended)?;
        if let Some(status) = child.try_wait()? {
            now.child = None;
            return Ok(status);
        }
        drop(now);
        std::thread::sleep(PAUSE);
    }
}

fn each_line(stdout: ChildStdout, on_line: &mut dyn FnMut(&str)) -> io::Result<()> {
    let mut lines = BufReader::new(stdout);
    let mut line = Vec::new();
    // The output need not be UTF-8.
    while lines.read_until(b'\n', &mut line)? > 0 {
        on_line(String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
    Ok(())
}

fn ended() -> io::Error {
    io::Error::other("stend is being ended")
}
