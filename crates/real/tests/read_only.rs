//! Targets opened for reading only, whoever uses them: they are never written to.

use crate::common;

use std::fs;
use std::path::Path;

use common::{Loop, MIB, Mounted, destroy, fake_fio, have, have_root_and, refused, sh};
use stend_load::target::{JobRequest, Target, TargetError};
use stend_real::{FioTarget, OpenOptions, open};
use stend_record::review::TargetKind;

const NEEDED: &[&str] = &["fio", "losetup", "blkid"];

fn only_reading() -> OpenOptions {
    OpenOptions {
        read_only: true,
        ..OpenOptions::default()
    }
}

fn run(target: &mut FioTarget, text: &str) -> Result<u64, TargetError> {
    let job = JobRequest {
        text,
        seed: 1,
        sample_ms: 0,
    };
    let outcome = target.run(&job)?;
    let jobs = &outcome.fio.jobs;
    assert!(jobs.iter().all(|job| job.write.total_ios == 0));
    Ok(jobs.iter().map(|job| job.read.io_bytes).sum())
}

fn fact(target: &FioTarget, name: &str) -> Option<String> {
    let facts = target.environment();
    facts
        .into_iter()
        .find(|fact| fact.id == name)
        .map(|fact| fact.value.in_english())
}

/// Checks that every operation that would write is an error.
fn writes_nothing(target: &mut FioTarget) {
    for rw in [
        "write",
        "randwrite",
        "rw",
        "randrw",
        "trim",
        "trimwrite",
        "readwrite",
    ] {
        for option in ["rw", "readwrite"] {
            let text = format!("[w]\n{option}={rw}\nbs=4k\n");
            let error = run(target, &text).unwrap_err();
            let TargetError::Input(text) = error else {
                panic!("{rw}: {error:?}");
            };
            assert!(text.contains("--read-only"), "{text}");
        }
    }
    assert!(matches!(target.trim_all(), Err(TargetError::Refused(_))));
    assert!(!target.trim_supported());
    assert!(target.read_only());
}

#[test]
fn a_device_with_data_is_read_without_its_token_and_stays_as_it_is() {
    if !have_root_and(NEEDED) {
        return;
    }
    let device = Loop::new(16 * MIB);
    let content: Vec<u8> = (0..16 * MIB).map(|n| (n / 4096 % 251) as u8).collect();
    fs::write(device.image(), &content).unwrap();
    sh("blockdev", &["--flushbufs", device.node()]);
    let mut target = open(&device.node, &only_reading()).unwrap();
    assert_eq!(target.info().kind, TargetKind::BlockDevice);
    assert_eq!(run(&mut target, "[r]\nrw=read\nbs=1m\n").unwrap(), 16 * MIB);
    assert!(run(&mut target, "[r]\nrw=randread:4\nbs=4k\n").unwrap() > 0);
    writes_nothing(&mut target);
    assert!(
        fact(&target, "access")
            .unwrap()
            .starts_with("for reading alone")
    );
    assert_eq!(fact(&target, "in-use"), None);
    // A read-only open keeps nobody away.
    let claimed = open(&device.node, &destroy("loop:disk.img")).unwrap();
    drop((target, claimed));
    sh("sync", &[]);
    assert!(fs::read(device.image()).unwrap() == content, "written to");
}

#[test]
fn a_mounted_device_is_read_and_said_to_be_in_use() {
    if !have_root_and(&[NEEDED, &["mkfs.ext4", "mount"]].concat()) {
        return;
    }
    let device = Loop::new(16 * MIB);
    sh("mkfs.ext4", &["-q", device.node()]);
    let mounted = Mounted::new(&["-o", "noatime", device.node()]);
    fs::write(mounted.path().join("letter"), "dear").unwrap();
    refused(open(&device.node, &destroy("loop:disk.img")));
    refused(open(&device.node, &OpenOptions::default()));
    let mut target = open(&device.node, &only_reading()).unwrap();
    let place = mounted.path().display().to_string();
    let in_use = fact(&target, "in-use").unwrap();
    assert!(
        in_use.contains(&place) && in_use.contains("ext4"),
        "{in_use}"
    );
    assert_eq!(run(&mut target, "[r]\nrw=read\nbs=1m\n").unwrap(), 16 * MIB);
    writes_nothing(&mut target);
    let letter = fs::read_to_string(mounted.path().join("letter")).unwrap();
    assert_eq!(letter, "dear");
}

/// The second barrier: fio would refuse a write that stend allowed by mistake.
#[test]
fn fio_itself_is_told_to_write_nothing() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data.bin");
    let content = vec![7; 4 * MIB as usize];
    fs::write(&path, &content).unwrap();
    let body = "for arg; do case \"$arg\" in *job.fio) job=\"$arg\" ;; esac; done\n\
                sed -i 's/^rw=read/rw=write/' \"$job\"\nexec fio \"$@\"";
    let options = OpenOptions {
        fio_path: Some(fake_fio(dir.path(), body)),
        ..only_reading()
    };
    let mut target = open(&path, &options).unwrap();
    let error = run(&mut target, "[r]\nrw=read\nbs=1m\n")
        .unwrap_err()
        .to_string();
    assert!(error.contains("read-only"), "{error}");
    assert!(fs::read(&path).unwrap() == content, "written to");
    // The same job writes if that is allowed: the barrier alone has prevented it.
    let options = OpenOptions {
        read_only: false,
        destroy: vec!["data.bin".to_owned()],
        ..options
    };
    let mut target = open(&path, &options).unwrap();
    let job = JobRequest {
        text: "[r]\nrw=read\nbs=1m\n",
        seed: 1,
        sample_ms: 0,
    };
    assert!(target.run(&job).unwrap().fio.jobs[0].write.io_bytes > 0);
}

#[test]
fn files_that_may_not_be_written_and_what_is_no_file() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data.bin");
    fs::write(&path, vec![7; 4 * MIB as usize]).unwrap();
    let part = OpenOptions {
        size_bytes: Some(2 * MIB),
        ..only_reading()
    };
    let mut target = open(&path, &part).unwrap();
    assert_eq!(run(&mut target, "[r]\nrw=read\nbs=1m\n").unwrap(), 2 * MIB);
    writes_nothing(&mut target);
    assert!(target.host_limit(1, 4096).unwrap().unwrap().iops > 0.0);
    let beyond = OpenOptions {
        size_bytes: Some(5 * MIB),
        ..only_reading()
    };
    assert!(matches!(open(&path, &beyond), Err(TargetError::Input(_))));
    let missing = open(&dir.path().join("new.bin"), &part);
    assert!(matches!(missing, Err(TargetError::Input(_))));
    let text = refused(open(dir.path(), &part));
    assert!(text.contains("--read-only"), "{text}");
    assert_eq!(names(dir.path()), ["data.bin"]);
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn a_null_engine_that_does_not_run_is_said() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let fio = common::script(
        dir.path(),
        "case \"$*\" in *ioengine=null*) echo 'engine null not loadable' >&2; exit 1 ;; esac\n\
         exec fio \"$@\"",
    );
    let options = OpenOptions {
        fio_path: Some(fio),
        ..common::sized(4 * MIB)
    };
    let mut target = open(&dir.path().join("target.bin"), &options).unwrap();
    let why = target.host_limit(2, 4096).unwrap().unwrap_err();
    assert!(why.contains("engine null not loadable"), "{why}");
}
