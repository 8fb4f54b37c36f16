//! Helpers for the integration tests: tools that may be missing, loop devices and mounts that never
//! outlive their test, and fakes of fio.

#![allow(dead_code, reason = "every test file uses a part of it")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use stend_load::target::TargetError;
use stend_real::{FioTarget, OpenOptions, open};
use tempfile::TempDir;

/// Bytes in a MiB.
pub const MIB: u64 = 1 << 20;

/// True if all tools are installed; else prints a line, and the test is to be skipped.
///
/// # Panics
/// If a tool is missing and `STEND_REQUIRE_TOOLS=1` requires it.
pub fn have(tools: &[&str]) -> bool {
    tools.iter().all(|tool| {
        let found = ["/usr/local/sbin", "/usr/sbin", "/sbin"]
            .iter()
            .map(PathBuf::from)
            .chain(std::env::split_paths(
                &std::env::var_os("PATH").unwrap_or_default(),
            ))
            .any(|dir| dir.join(tool).exists());
        needed(found, tool)
    })
}

/// As [`have`], and true only for root, which is needed to set up loop devices.
pub fn have_root_and(tools: &[&str]) -> bool {
    let id = Command::new("id").arg("-u").output().expect("id runs");
    needed(id.stdout.starts_with(b"0\n"), "root") && have(tools)
}

fn needed(there: bool, what: &str) -> bool {
    if there {
        return true;
    }
    let required = std::env::var("STEND_REQUIRE_TOOLS").is_ok_and(|value| value == "1");
    assert!(!required, "{what} is missing and STEND_REQUIRE_TOOLS=1");
    println!("skipped: {what} is missing");
    false
}

/// Runs a command that must succeed.
pub fn sh(program: &str, args: &[&str]) -> String {
    let output = try_sh(program, args);
    assert!(output.status.success(), "{program} {args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Runs a command that may fail.
pub fn try_sh(program: &str, args: &[&str]) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new(program)
        .args(args)
        .env("PATH", format!("{path}:/usr/local/sbin:/usr/sbin:/sbin"))
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"))
}

/// A loop device over a sparse file of its own; both are removed on drop.
pub struct Loop {
    image: PathBuf,
    _dir: TempDir,
    /// Path of the device, such as `/dev/loop7`.
    pub node: PathBuf,
}

impl Loop {
    /// Creates a device of this size, all zeros. The backing file is `disk.img`.
    pub fn new(size_bytes: u64) -> Loop {
        let dir = tempfile::tempdir().unwrap();
        Loop::on(dir, |_| {}, size_bytes)
    }

    /// Creates a device without TRIM: the file system of its file cannot free space inside a file.
    pub fn without_trim(size_bytes: u64) -> Loop {
        let dir = tempfile::tempdir().unwrap();
        let ram = |dir: &str| sh("mount", &["-t", "ramfs", "ramfs", dir]);
        let device = Loop::on(dir, |dir| drop(ram(dir.to_str().unwrap())), size_bytes);
        // The device keeps the file system until it is removed itself.
        let place = device.image.parent().unwrap().to_str().unwrap();
        sh("umount", &["--lazy", place]);
        device
    }

    fn on(dir: TempDir, prepare: impl FnOnce(&Path), size_bytes: u64) -> Loop {
        prepare(dir.path());
        let image = dir.path().join("disk.img");
        File::create(&image).unwrap().set_len(size_bytes).unwrap();
        // Another test may take the free device between its search and its set-up.
        for _ in 0..20 {
            let output = try_sh("losetup", &["--find", "--show", image.to_str().unwrap()]);
            if output.status.success() {
                let node = String::from_utf8_lossy(&output.stdout).trim().to_owned();
                return Loop {
                    image,
                    _dir: dir,
                    node: PathBuf::from(node),
                };
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        panic!("no loop device could be set up");
    }

    /// The device's path as text.
    pub fn node(&self) -> &str {
        self.node.to_str().unwrap()
    }

    /// The backing file.
    pub fn image(&self) -> PathBuf {
        self.image.clone()
    }

    /// Bytes that the backing file occupies.
    pub fn image_used_bytes(&self) -> u64 {
        used_bytes(&self.image())
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        try_sh("losetup", &["--detach", self.node()]);
    }
}

/// A mount that is removed on drop.
pub struct Mounted {
    dir: TempDir,
}

impl Mounted {
    /// Mounts with the given arguments, followed by the mount point.
    pub fn new(args: &[&str]) -> Mounted {
        let dir = tempfile::tempdir().unwrap();
        let mut args = args.to_vec();
        args.push(dir.path().to_str().unwrap());
        sh("mount", &args);
        Mounted { dir }
    }

    /// The mount point.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        try_sh("umount", &[self.path().to_str().unwrap()]);
    }
}

/// Runs a command when dropped.
pub struct Undo(pub &'static str, pub Vec<String>);

impl Drop for Undo {
    fn drop(&mut self) {
        let args: Vec<&str> = self.1.iter().map(String::as_str).collect();
        try_sh(self.0, &args);
    }
}

/// Bytes that a file occupies in its file system.
pub fn used_bytes(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    path.metadata().unwrap().blocks() * 512
}

/// Options for a device with the given token.
pub fn destroy(token: &str) -> OpenOptions {
    OpenOptions {
        destroy: vec![token.to_owned()],
        ..OpenOptions::default()
    }
}

/// Options for a file of `size_bytes` bytes.
pub fn sized(size_bytes: u64) -> OpenOptions {
    OpenOptions {
        size_bytes: Some(size_bytes),
        ..OpenOptions::default()
    }
}

/// A file target of `size_bytes` bytes in a folder.
pub fn file_target(dir: &Path, size_bytes: u64) -> FioTarget {
    open(&dir.join("target.bin"), &sized(size_bytes)).unwrap()
}

/// The message of a refusal.
pub fn refused(result: Result<FioTarget, TargetError>) -> String {
    match result {
        Err(TargetError::Refused(text)) => text,
        other => panic!("not refused: {other:?}"),
    }
}

/// An executable script that replaces fio. It answers `--version` and the probe of the engine as
/// fio does; for a job it runs `body`, with `$answer` the file that fio must write.
pub fn fake_fio(dir: &Path, body: &str) -> PathBuf {
    script(
        dir,
        &format!(
            "case \"$*\" in *--output-format=json+*) ;; *) exec fio \"$@\" ;; esac\n\
             for arg; do case \"$arg\" in --output=*) answer=\"${{arg#--output=}}\" ;; esac; done\n\
             {body}\n"
        ),
    )
}

/// An executable shell script.
pub fn script(dir: &Path, body: &str) -> PathBuf {
    let (text, path) = (dir.join("script.txt"), dir.join("script"));
    fs::write(&text, format!("#!/bin/sh\n{body}\n")).unwrap();
    // Copied by another process: if this one had the file open for writing while another test
    // starts a child, the child would inherit it, and the script would be "busy".
    sh(
        "install",
        &["-m", "755", text.to_str().unwrap(), path.to_str().unwrap()],
    );
    path
}

/// Starts a shell that holds a file open.
pub fn holding(path: &Path, how: &str) -> Child {
    let script = format!("exec 9{how}'{}'; echo; read line", path.display());
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
    child
}
