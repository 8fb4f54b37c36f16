//! Which processes have a file or a device open, by `/proc/PID/fd` (proc(5)). Of other users'
//! processes, only root sees it; processes of another PID name space nobody sees.

use std::fmt;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::system::{SystemRoot, names_in, read_trimmed};

/// A process that has something open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    /// Its number.
    pub(crate) pid: u32,
    /// Its program's name, at most 15 bytes of it.
    pub(crate) program: String,
    /// It may write.
    pub(crate) writes: bool,
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (process {})", self.program, self.pid)
    }
}

/// How long a process may take from its beginning to its program, on a machine under load.
const STARTING_MAX: Duration = Duration::from_secs(2);

/// How long a program that only looks at something has it open at most: udev's, blkid, losetup.
const LOOKING_MAX: Duration = Duration::from_millis(500);

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// Does `look` again until what it finds is no longer `passing`, or a while has passed. A process
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

/// Processes other than this one that have open what `is` recognises, in the order of their
/// numbers; none that closes it within [`LOOKING_MAX`].
pub(crate) fn users(root: &SystemRoot, is: impl Fn(&Metadata) -> bool) -> Vec<User> {
    let began = Instant::now();
    let passing = |found: &Vec<User>| {
        let starting = || found.iter().any(|user| is_being_started(root, user.pid));
        !found.is_empty() && (began.elapsed() < LOOKING_MAX || starting())
    };
    look_until_settled(|| users_now(root, &is), passing)
}

/// Whether a process is a child of this one that does not run a program of its own yet.
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
        // Follows the link to the open file, even one that has been removed.
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

/// The access mode in the `flags` of `/proc/PID/fdinfo/FD`, an octal number; what cannot be read
/// may write.
fn may_write(info: &str) -> bool {
    const ACCESS_MODE: u32 = 0o3;
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    flags.is_none_or(|flags| flags & ACCESS_MODE != 0)
}

/// Whether another file is the same.
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
        // One that only looked at it.
        assert_eq!(open_for("<>", "0.1").1, []);
    }
}
