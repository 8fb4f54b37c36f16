//! Work on files: one test on a simulated drive and on a real directory; files left behind;
//! refusals.

use crate::common;

use std::fs;
use std::path::Path;

use common::{MIB, have, refused, sized};
use stend_load::target::{FileOp, FileSet, FilesJob, FilesOutcome, Target, TargetError};
use stend_model::Model;
use stend_real::{FioTarget, open};
use stend_record::review::TargetKind;
use stend_simulated::SimulatedTarget;
use tempfile::TempDir;

const OPS: [FileOp; 3] = [FileOp::Copy, FileOp::Archive, FileOp::Unarchive];

/// Not in the system's folder for temporary files, which may be in memory.
fn disk() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn directory(dir: &Path) -> FioTarget {
    open(dir, &sized(8 * MIB)).unwrap()
}

fn work(
    target: &mut dyn Target,
    op: FileOp,
    set: &str,
    bytes: u64,
) -> Result<FilesOutcome, TargetError> {
    target.work_on_files(&FilesJob {
        op,
        set: &FileSet::shipped(set).unwrap(),
        bytes,
        seed: 7,
        rest_s: 0.0,
    })
}

/// Checks every set and operation: the same files, and a plausible time.
fn every_operation(target: &mut dyn Target) {
    for set in ["iso", "program", "work"] {
        for op in OPS {
            let done = work(target, op, set, 24 * MIB).unwrap();
            let files = FileSet::shipped(set).unwrap().files(24 * MIB, 7).unwrap();
            assert_eq!(done.files, files.len() as u64);
            assert_eq!(done.bytes, 24 * MIB);
            assert_eq!(
                done.directories,
                u64::from(files.last().unwrap().directory) + 1
            );
            let bytes_per_s = done.bytes as f64 * 1e9 / done.elapsed_ns as f64;
            assert!(
                (1e5..1e11).contains(&bytes_per_s),
                "{op:?} {set}: {bytes_per_s}"
            );
            assert!(done.text.starts_with(op.name()), "{}", done.text);
        }
    }
}

#[test]
fn a_simulated_drive_works_on_files() {
    let mut target = SimulatedTarget::new(Model::shipped("sandisk-ultra-ii-240gb").unwrap());
    every_operation(&mut target);
    let done = work(&mut target, FileOp::Copy, "work", 64 * MIB).unwrap();
    let requests = done.requests.unwrap();
    assert!(requests.read_bytes >= 64 * MIB && requests.read_bytes < 70 * MIB);
    assert!(requests.written_bytes >= 64 * MIB && requests.written_bytes < 70 * MIB);
    assert_eq!(requests.flushes, 2);
    // Both directions over a SATA link: 8b10b leaves 600 MB/s of 6 Gbit/s.
    assert!(
        done.elapsed_ns > 2 * 64 * MIB * 1_000_000_000 / 600_000_000,
        "{done:?}"
    );
    let huge = work(&mut target, FileOp::Copy, "iso", 1 << 38).unwrap_err();
    assert!(
        matches!(&huge, TargetError::Input(text) if text.contains("full")),
        "{huge}"
    );
}

#[test]
fn a_simulated_drive_does_the_same_twice() {
    let target = SimulatedTarget::new(Model::shipped("sandisk-ultra-ii-240gb").unwrap());
    let run = || work(&mut target.clone(), FileOp::Archive, "program", 32 * MIB).unwrap();
    assert_eq!(run(), run());
}

#[test]
fn a_directory_works_on_files_and_leaves_nothing() {
    if !have(&["fio"]) {
        return;
    }
    let dir = disk();
    fs::write(dir.path().join("mine.txt"), "mine").unwrap();
    let mut target = directory(dir.path());
    let info = target.info();
    assert_eq!(info.kind, TargetKind::Directory);
    assert_eq!(info.capacity_bytes, 8 * MIB);
    assert_eq!(Path::new(&info.title), dir.path().canonicalize().unwrap());
    every_operation(&mut target);
    // The subdirectory with the file for fio, and no file of the sets.
    let names = |path: &Path| -> Vec<String> {
        let entries = fs::read_dir(path).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let there = names(dir.path());
    assert_eq!((there.len(), there[0].as_str()), (2, "mine.txt"));
    assert_eq!(names(&dir.path().join(&there[1])), ["target.bin"]);
    drop(target);
    assert_eq!(names(dir.path()), ["mine.txt"]);
    assert_eq!(
        fs::read_to_string(dir.path().join("mine.txt")).unwrap(),
        "mine"
    );
}

#[test]
fn a_directory_is_a_target_of_jobs() {
    if !have(&["fio"]) {
        return;
    }
    let dir = disk();
    let mut target = directory(dir.path());
    let done = target
        .run(&stend_load::target::JobRequest {
            text: "[job]\nrw=write\nbs=64k\n",
            seed: 1,
            sample_ms: 0,
        })
        .unwrap();
    assert_eq!(done.fio.jobs[0].write.io_bytes, 8 * MIB);
    target.trim_all().unwrap();
    let facts = target.environment();
    assert!(
        facts.iter().any(|fact| fact.id == "file-system"),
        "{facts:?}"
    );
}

#[test]
fn what_has_no_directory_or_no_room_is_refused() {
    if !have(&["fio"]) {
        return;
    }
    let dir = disk();
    let error = open(dir.path(), &Default::default()).unwrap_err();
    assert!(
        matches!(&error, TargetError::Input(text) if text.contains("--size")),
        "{error}"
    );
    let mut file = common::file_target(dir.path(), 8 * MIB);
    let error = work(&mut file, FileOp::Copy, "work", 4 * MIB).unwrap_err();
    assert!(
        matches!(&error, TargetError::Input(text) if text.contains("directory")),
        "{error}"
    );
    let mut target = directory(dir.path());
    let error = work(&mut target, FileOp::Copy, "iso", 1 << 42).unwrap_err();
    assert!(
        matches!(&error, TargetError::Failed(text) if text.contains("are free")),
        "{error}"
    );
    drop(target);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    if Path::new("/dev/shm").is_dir() {
        assert!(refused(open(Path::new("/dev/shm"), &sized(MIB))).contains("memory"));
    }
}
