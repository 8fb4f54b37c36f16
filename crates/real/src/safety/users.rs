//! Processes that have a file or a device open, from `/proc/PID/fd` (proc(5)). Only root sees those
//! of other users; processes of another PID name space are never visible.

use std::fmt;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::probe::system::{SystemRoot, names_in, read_trimmed};

/// A process that has something open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    /// Process number.
    pub(crate) pid: u32,
    /// Name of its program, at most 15 bytes.
    pub(crate) program: String,
    /// True if it may write.
    pub(crate) writes: bool,
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (process {})", self.program, self.pid)
    }
}

/// Time that a process may need from its start until it runs its program, on a machine under load.
const STARTING_MAX: Duration = Duration::from_secs(2);

/// Maximum time for which a program that only inspects a file keeps it open: udev's, blkid,
/// losetup.
const LOOKING_MAX: Duration = Duration::from_millis(500);

/// Interval between attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// Repeats `look` until its result is no longer `passing`, or a time limit is reached. A process
/// that another thread of this one is starting has copies of all open files, with their locks,
/// until it runs its own program.
pub(crate) fn look_until_settled<T>(
    mut look: impl FnMut() -> T,
    passing: impl Fn(&T) -> bool,
) -> T {
    let began = Instant::now();
    loop {
        let found = look();
        if !passing(&found) || began.elapsed() >= STARTING_MAX {
            return found;
        }
        sleep(PAUSE);
    }
}

/// Other processes that have a file open for which `is` returns true, in the order of their
/// numbers, without those that close it within [`LOOKING_MAX`].
pub(crate) fn users(root: &SystemRoot, is: impl Fn(&Metadata) -> bool) -> Vec<User> {
    let began = Instant::now();
    let passing = |found: &Vec<User>| {
        let starting = || found.iter().any(|user| is_being_started(root, user.pid));
        !found.is_empty() && (began.elapsed() < LOOKING_MAX || starting())
    };
    look_until_settled(|| users_now(root, &is), passing)
}

/// True if a process is a child of this one that does not run its own program yet.
fn is_being_started(root: &SystemRoot, pid: u32) -> bool {
    let process = root.path("proc").join(pid.to_string());
    let parent = format!("PPid:\t{}", std::process::id());
    let status = read_trimmed(&process.join("status")).unwrap_or_default();
    let program = fs::read_link(process.join("exe"));
    status.lines().any(|line| line == parent)
        && program.is_ok_and(|program| std::env::current_exe().is_ok_and(|own| own == program))
}

fn users_now(root: &SystemRoot, is: &impl Fn(&Metadata) -> bool) -> Vec<User> {
    let proc = root.path("proc");
    let mut pids: Vec<u32> = names_in(&proc)
        .iter()
        .filter_map(|name| name.parse().ok())
        .filter(|pid| *pid != std::process::id())
        .collect();
    pids.sort_unstable();
    pids.into_iter()
        .filter_map(|pid| user(&proc.join(pid.to_string()), pid, is))
        .collect()
}

fn user(process: &Path, pid: u32, is: &impl Fn(&Metadata) -> bool) -> Option<User> {
    let descriptors = process.join("fd");
    let mut writes = None;
    for name in names_in(&descriptors) {
        // Follows the link to the open file, even if the file has been removed.
        if fs::metadata(descriptors.join(&name)).is_ok_and(|meta| is(&meta)) {
            let info = read_trimmed(&process.join("fdinfo").join(&name));
            *writes.get_or_insert(false) |= info.is_none_or(|info| may_write(&info));
        }
    }
    Some(User {
        pid,
        program: read_trimmed(&process.join("comm")).unwrap_or_else(|| "a program".to_owned()),
        writes: writes?,
    })
}

/// True if the access mode in the `flags` of `/proc/PID/fdinfo/FD`, an octal number, permits
/// writing, or cannot be read.
fn may_write(info: &str) -> bool {
    const ACCESS_MODE: u32 = 0o3;
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    flags.is_none_or(|flags| flags & ACCESS_MODE != 0)
}

/// Returns a predicate: true if another file is the same.
pub(crate) fn same_file(meta: &Metadata) -> impl Fn(&Metadata) -> bool {
    let (device, inode) = (meta.dev(), meta.ino());
    move |other| (other.dev(), other.ino()) == (device, inode)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::MetadataExt;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn access_modes() {
        assert!(!may_write("pos:\t0\nflags:\t0100000\nmnt_id:\t29\n"));
        assert!(may_write("pos:\t0\nflags:\t0100001\n"));
        assert!(may_write("pos:\t0\nflags:\t02100002\n"));
        assert!(may_write("pos:\t0\n"));
    }

    #[test]
    fn a_process_that_has_a_file_open_is_found_with_its_access() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let held = File::create_new(&path).unwrap();
        let number = held.metadata().unwrap().ino();
        let here = |meta: &Metadata| meta.ino() == number && meta.is_file();
        // This process has it open as well, which does not count.
        assert_eq!(users(&SystemRoot::running(), here), []);
        let open_for = |open: &str, seconds: &str| {
            let path = path.display();
            let script = format!("exec 9{open}'{path}'; echo; exec sleep {seconds}");
            let mut child = Command::new("sh")
                .args(["-c", &script])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut opened = [0];
            std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut opened).unwrap();
            let found = users(&SystemRoot::running(), here);
            let _ = child.kill();
            child.wait().unwrap();
            (child.id(), found)
        };
        for (open, writes) in [("<", false), (">>", true), ("<>", true)] {
            let (pid, found) = open_for(open, "100");
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!((found[0].pid, found[0].writes), (pid, writes));
        }
        // A process that only inspected it.
        assert_eq!(open_for("<>", "0.1").1, []);
    }
}
