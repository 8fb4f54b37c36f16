//! Programs that run for real targets, so that they do not outlive stend: a signal sent only to
//! stend would otherwise leave fio writing to the drive.
//!
//! Signals concern the whole process, and so does the single list kept here.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use stend_load::target::TargetError;

/// Interval between checks that work can continue.
const SECOND: Duration = Duration::from_secs(1);

/// Time that a program may need to end before it is killed.
const PATIENCE: Duration = Duration::from_secs(3);

/// Time that a signal may need to reach this process as well.
const SIGNAL_UNDER_WAY: Duration = Duration::from_millis(300);

struct Running {
    programs: Vec<Pid>,
    run_folders: usize,
    /// Folders of targets, which live longer than any run.
    target_folders: Vec<PathBuf>,
    stopping: bool,
}

static RUNNING: Mutex<Running> = Mutex::new(Running {
    programs: Vec::new(),
    run_folders: 0,
    target_folders: Vec::new(),
    stopping: false,
});

static CHANGED: Condvar = Condvar::new();

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock()
}

/// Ends the programs that run for real targets, waits until their temporary folders are removed,
/// removes the folders of targets, and prevents new programs from starting.
pub(crate) fn stop() {
    let mut now = running();
    now.stopping = true;
    CHANGED.notify_all();
    for signal in [Signal::TERM, Signal::KILL] {
        for program in &now.programs {
            // Killing a program that has just ended by itself is no failure.
            let _ = kill_process(*program, signal);
        }
        let busy = |now: &mut Running| !now.programs.is_empty() || now.run_folders > 0;
        CHANGED.wait_while_for(&mut now, busy, PATIENCE);
    }
    // Removed here, because their owners may wait for a lock that the end of the process holds.
    for folder in now.target_folders.drain(..) {
        // A failure is ignored: the process is about to end.
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Runs a command to its end, as [`Command::output`] does, or kills it as soon as `useful`, called
/// every second with its process, returns false.
pub(crate) fn output(
    command: &mut Command,
    useful: &(dyn Fn(Pid) -> bool + Sync),
) -> io::Result<Output> {
    let (child, program) = {
        // Started under the lock, so that [`stop`] sees every program.
        let mut now = running();
        if now.stopping {
            return Err(ended());
        }
        let child = command.spawn()?;
        let program = Pid::from_child(&child);
        now.programs.push(program);
        (child, program)
    };
    let output = thread::scope(|scope| {
        let (working, ended) = mpsc::channel::<()>();
        scope.spawn(move || kill_when_useless(program, useful, &ended));
        let output = child.wait_with_output();
        drop(working);
        output
    });
    running().programs.retain(|other| *other != program);
    CHANGED.notify_all();
    if output
        .as_ref()
        .is_ok_and(|output| was_asked_to_end(output.status))
    {
        // The signal may go to all programs of a terminal, including this one: then it is about to
        // arrive, and the end of the program is no failure.
        thread::sleep(SIGNAL_UNDER_WAY);
    }
    output
}

/// True if a program was ended by Ctrl-C or the like; fio then exits with code 128, a shell with
/// 128 plus the number of the signal.
fn was_asked_to_end(status: ExitStatus) -> bool {
    let signals = [Signal::INT, Signal::TERM, Signal::HUP].map(Signal::as_raw);
    match (status.signal(), status.code()) {
        (Some(signal), _) => signals.contains(&signal),
        (None, Some(code)) => code == 128 || signals.contains(&(code - 128)),
        (None, None) => false,
    }
}

/// When asked to end, fio waits for its requests, which a removed device may never answer.
fn kill_when_useless(program: Pid, useful: &dyn Fn(Pid) -> bool, ended: &Receiver<()>) {
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(SECOND) {
        if !useful(program) {
            let _ = kill_process(program, Signal::KILL);
            return;
        }
    }
}

fn ended() -> io::Error {
    // Not `Interrupted`, after which readers and writers would retry.
    io::Error::other("stend is being ended")
}

/// Fails if stend is being ended: long work in a [`RunFolder`] calls this now and then.
pub(crate) fn check_stopping() -> io::Result<()> {
    match running().stopping {
        true => Err(ended()),
        false => Ok(()),
    }
}

/// Waits for `time`, or until stend is being ended, which is an error.
pub(crate) fn rest(time: Duration) -> io::Result<()> {
    let mut now = running();
    CHANGED.wait_while_for(&mut now, |now| !now.stopping, time);
    match now.stopping {
        true => Err(ended()),
        false => Ok(()),
    }
}

/// As [`rest`], for `seconds`, or until `check`, called every second, fails.
///
/// # Errors
/// [`TargetError::Input`] for an invalid time; [`TargetError::Failed`] if stend is being ended;
/// those of `check`.
pub(crate) fn rest_s(
    seconds: f64,
    check: &dyn Fn() -> Result<(), TargetError>,
) -> Result<(), TargetError> {
    let time = Duration::try_from_secs_f64(seconds)
        .map_err(|error| TargetError::Input(format!("a pause of {seconds} s: {error}")))?;
    let began = Instant::now();
    loop {
        check()?;
        let left = time.saturating_sub(began.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        rest(left.min(SECOND)).map_err(|error| TargetError::Failed(error.to_string()))?;
    }
}

/// A temporary folder for one run of fio, or for files to be worked on.
#[derive(Debug)]
pub(crate) struct RunFolder {
    /// Dropped first.
    folder: TempDir,
    _counted: Counted,
}

impl RunFolder {
    /// Creates a folder in `parent`.
    pub(crate) fn new_in(parent: &Path) -> io::Result<RunFolder> {
        let counted = Counted::new();
        Ok(RunFolder {
            folder: tempfile::Builder::new()
                .prefix(FOLDER_PREFIX)
                .tempdir_in(parent)?,
            _counted: counted,
        })
    }

    /// Path of the folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Prefix of the names of temporary folders.
pub(crate) const FOLDER_PREFIX: &str = "stend-";

/// A folder that lives as long as its target. It is removed when dropped, or by [`stop`].
#[derive(Debug)]
pub(crate) struct TargetFolder(TempDir);

impl TargetFolder {
    /// Creates a folder in `parent`.
    pub(crate) fn new_in(parent: &Path) -> io::Result<TargetFolder> {
        // Created under the lock, so that [`stop`] sees every folder.
        let mut now = running();
        if now.stopping {
            return Err(ended());
        }
        let folder = tempfile::Builder::new()
            .prefix(FOLDER_PREFIX)
            .tempdir_in(parent)?;
        now.target_folders.push(folder.path().to_owned());
        Ok(TargetFolder(folder))
    }

    /// Path of the folder.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for TargetFolder {
    fn drop(&mut self) {
        let path = self.0.path();
        running().target_folders.retain(|folder| folder != path);
    }
}

#[derive(Debug)]
struct Counted;

impl Counted {
    fn new() -> Counted {
        running().run_folders += 1;
        Counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        running().run_folders -= 1;
        CHANGED.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_to_all_programs_of_a_terminal_is_awaited() {
        let begun = Instant::now();
        let output = output(Command::new("sh").args(["-c", "kill -TERM $$"]), &|_| true).unwrap();
        assert!(was_asked_to_end(output.status), "{:?}", output.status);
        assert!(begun.elapsed() >= SIGNAL_UNDER_WAY);
    }

    #[test]
    fn a_program_is_asked_to_end_by_some_signals_and_says_it_by_some_exit_codes() {
        let asked = |raw| was_asked_to_end(ExitStatus::from_raw(raw));
        for signal in [Signal::INT, Signal::TERM, Signal::HUP].map(Signal::as_raw) {
            assert!(asked(signal) && asked((128 + signal) << 8), "{signal}");
        }
        assert!(asked(128 << 8), "as fio says it");
        assert!(!asked(Signal::KILL.as_raw()));
        for code in [0, 1, 2, 127, 137] {
            assert!(!asked(code << 8), "{code}");
        }
    }
}
