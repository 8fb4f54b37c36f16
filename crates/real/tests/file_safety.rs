//! A file of the user is written only if the user names it twice, and never while others use it.

use crate::common;

use std::fs::{self, File, OpenOptions as FileOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use common::{
    Loop, MIB, destroy, file_target, have, have_root_and, holding, refused, sh, sized, try_sh,
};
use stend_load::target::{JobRequest, Target, TargetError};
use stend_real::{OpenOptions, open, trim};
use tempfile::TempDir;

/// A folder in a file system that stores marks.
fn beside_the_tests() -> TempDir {
    let program = std::env::current_exe().unwrap();
    tempfile::tempdir_in(program.parent().unwrap()).unwrap()
}

/// A folder with a user's file in it, in a file system that stores marks.
fn thesis() -> (TempDir, PathBuf) {
    let dir = beside_the_tests();
    let path = dir.path().join("thesis.txt");
    let lines: Vec<String> = (1..=600_000).map(|line| line.to_string()).collect();
    fs::write(&path, lines.join("\n")).unwrap();
    (dir, path)
}

/// Checks that a file is refused although it is named, and that it stays unchanged.
fn refused_in_spite_of_its_name(path: &Path, reason: &str) {
    let before = fs::read(path).unwrap();
    let named = destroy(&path.file_name().unwrap().to_string_lossy());
    let text = refused(open(path, &named));
    assert!(text.contains(reason), "{reason}: {text}");
    let text = trim(path, 0, None, &named).unwrap_err().to_string();
    assert!(text.contains(reason), "{reason}: {text}");
    assert!(fs::read(path).unwrap() == before, "it was written to");
}

fn write_all(target: &mut dyn Target) {
    let job = JobRequest {
        text: "[w]\nrw=write\nbs=64k\n",
        seed: 1,
        sample_ms: 0,
    };
    target.run(&job).unwrap();
}

#[test]
fn a_users_file_is_written_only_when_it_is_named_twice() {
    if !have(&["fio"]) {
        return;
    }
    let (_dir, path) = thesis();
    let before = fs::read(&path).unwrap();
    for options in [
        OpenOptions::default(),
        sized(2 * MIB),
        destroy("thesis"),
        destroy("/thesis.txt"),
        destroy(""),
        OpenOptions {
            ask: Some(|_| Some("yes".to_owned())),
            ..OpenOptions::default()
        },
        OpenOptions {
            ask: Some(|_| None),
            ..OpenOptions::default()
        },
    ] {
        refused(open(&path, &options));
        trim(&path, 0, None, &options).unwrap_err();
        assert!(fs::read(&path).unwrap() == before, "it was written to");
    }
    let text = refused(open(&path, &OpenOptions::default()));
    for part in [
        "a test overwrites everything in this file",
        "4.1 MB",
        "begins with     \"1\\n2\\n3",
        "owner           ",
        "not by stend",
        "--destroy thesis.txt",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let typed = OpenOptions {
        ask: Some(|_| Some("thesis.txt".to_owned())),
        ..OpenOptions::default()
    };
    drop(open(&path, &typed).unwrap());
    write_all(&mut open(&path, &destroy("thesis.txt")).unwrap());
    assert!(fs::read(&path).unwrap() != before);
    // Naming it once does not make it stend's own.
    refused(open(&path, &OpenOptions::default()));
}

#[test]
fn a_file_that_stend_made_is_its_own_until_others_write_to_it() {
    if !have(&["fio", "cp"]) {
        return;
    }
    let (dir, thesis) = thesis();
    let path = dir.path().join("target.bin");
    write_all(&mut file_target(dir.path(), 4 * MIB));
    // Opened again, and once more after it was tested again.
    write_all(&mut open(&path, &OpenOptions::default()).unwrap());
    drop(open(&path, &OpenOptions::default()).unwrap());
    trim(&path, 0, None, &OpenOptions::default()).unwrap();
    drop(open(&path, &OpenOptions::default()).unwrap());
    // The same file with other content.
    let content = fs::read(&thesis).unwrap();
    fs::write(&path, &content).unwrap();
    let text = refused(open(&path, &OpenOptions::default()));
    assert!(text.contains("its content has changed since"), "{text}");
    assert!(fs::read(&path).unwrap() == content);
    drop(open(&path, &destroy("target.bin")).unwrap());
    drop(open(&path, &OpenOptions::default()).unwrap());
    // Another file in its place, even with the same modification time.
    sh(
        "touch",
        &["-r", path.to_str().unwrap(), thesis.to_str().unwrap()],
    );
    fs::rename(&thesis, &path).unwrap();
    refused(open(&path, &OpenOptions::default()));
    assert!(fs::read(&path).unwrap() == content);
}

/// A process has copies of its parent's open files, including locks, until it runs its program.
#[test]
fn a_program_that_is_being_started_does_not_hold_a_file() {
    if !have(&["fio", "true"]) {
        return;
    }
    let dir = beside_the_tests();
    let path = dir.path().join("target.bin");
    write_all(&mut file_target(dir.path(), MIB));
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    Command::new("true").status().unwrap();
                }
            });
        }
        let opened: Vec<Result<(), TargetError>> = (0..20)
            .map(|_| open(&path, &OpenOptions::default()).map(drop))
            .collect();
        ended.store(true, Ordering::Relaxed);
        for result in opened {
            result.unwrap();
        }
    });
}

#[test]
fn what_others_use_is_refused() {
    if !have_root_and(&["fio", "losetup", "mkswap", "swapon"]) {
        return;
    }
    let (dir, path) = thesis();
    let other = dir.path().join("other.txt");
    fs::hard_link(&path, &other).unwrap();
    refused_in_spite_of_its_name(&path, "2 names (hard links)");
    fs::remove_file(other).unwrap();
    for open in ["<", ">>"] {
        let mut child = holding(&path, open);
        refused_in_spite_of_its_name(&path, &format!("sh (process {})", child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let device = Loop::new(16 * MIB);
    let node = device.node().to_owned();
    refused_in_spite_of_its_name(&device.image(), &format!("backing file of {node}"));
    let swap = dir.path().join("swap");
    fs::write(&swap, vec![0; 4 * MIB as usize]).unwrap();
    sh("chmod", &["600", swap.to_str().unwrap()]);
    sh("mkswap", &[swap.to_str().unwrap()]);
    if try_sh("swapon", &[swap.to_str().unwrap()]).status.success() {
        let refused = std::panic::catch_unwind(|| refused(open(&swap, &destroy("swap"))));
        sh("swapoff", &[swap.to_str().unwrap()]);
        let text = refused.unwrap();
        assert!(text.contains("swap space"), "{text}");
    }
    // Once unlocked, it is tested if it is named.
    drop(open(&path, &destroy("thesis.txt")).unwrap());
}

#[test]
fn a_second_test_of_the_same_file_or_directory_is_refused() {
    if !have(&["fio", "flock"]) {
        return;
    }
    let (dir, _) = thesis();
    let path = dir.path().join("target.bin");
    let first = file_target(dir.path(), 4 * MIB);
    for options in [OpenOptions::default(), destroy("target.bin")] {
        let text = refused(open(&path, &options));
        assert!(text.contains("it is being tested"), "{text}");
    }
    drop(first);
    drop(open(&path, &OpenOptions::default()).unwrap());
    let folder = dir.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let first = open(&folder, &sized(4 * MIB)).unwrap();
    let text = refused(open(&folder, &sized(4 * MIB)));
    assert!(text.contains("it is being tested"), "{text}");
    drop(first);
    // The message names another process.
    let mut child = Command::new("flock")
        .args([folder.to_str().unwrap(), "sh", "-c", "echo; read line"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
    let text = refused(open(&folder, &sized(4 * MIB)));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        text.contains(&format!("flock (process {})", child.id())),
        "{text}"
    );
}

#[test]
fn a_device_that_another_process_may_write_to_is_refused() {
    if !have_root_and(&["fio", "losetup", "blkid", "blkdiscard"]) {
        return;
    }
    let device = Loop::new(16 * MIB);
    let named = destroy("loop:disk.img");
    let mut child = holding(&device.node, "<>");
    let reason = format!("open for writing in sh (process {})", child.id());
    let text = refused(open(&device.node, &named));
    assert!(text.contains(&reason), "{text}");
    let text = trim(&device.node, 0, None, &named).unwrap_err().to_string();
    assert!(text.contains(&reason), "{text}");
    child.kill().unwrap();
    child.wait().unwrap();
    // A process that only reads does not count.
    let mut child = holding(&device.node, "<");
    drop(open(&device.node, &named).unwrap());
    child.kill().unwrap();
    child.wait().unwrap();
    // This process's own descriptors do not count.
    let _own = FileOptions::new().read(true).open(&device.node).unwrap();
    let _written = File::open(&device.node).unwrap();
    drop(open(&device.node, &named).unwrap());
}
