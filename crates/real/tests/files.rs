//! Regular files as targets, with the real fio.

use crate::common;

use std::fs;
use std::path::Path;
use std::time::Instant;

use common::{
    MIB, Mounted, destroy, file_target, have, have_root_and, refused, sh, sized, used_bytes,
};
use stend_load::Sample;
use stend_load::target::{JobRequest, Target, TargetError};
use stend_real::{OpenOptions, open};
use stend_record::review::TargetKind;

fn request(text: &str, sample_ms: u32) -> JobRequest<'_> {
    JobRequest {
        text,
        seed: 1,
        sample_ms,
    }
}

#[test]
fn a_new_file_has_its_size_and_its_space() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let target = file_target(dir.path(), 8 * MIB + 5000);
    let path = dir.path().join("target.bin");
    assert_eq!(path.metadata().unwrap().len(), 8 * MIB + 4096);
    assert!(used_bytes(&path) >= 8 * MIB);
    let info = target.info();
    assert_eq!(info.kind, TargetKind::File);
    assert_eq!(info.capacity_bytes, 8 * MIB + 4096);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_new_file_without_a_size_and_impossible_sizes() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new.bin");
    let text = |options: &OpenOptions| match open(&path, options) {
        Err(TargetError::Input(text) | TargetError::Failed(text)) => text,
        other => panic!("{other:?}"),
    };
    assert!(text(&OpenOptions::default()).contains("--size"));
    assert!(text(&sized(1000)).contains("too few"));
    assert!(text(&sized(1 << 60)).contains("do not fit"));
    assert!(!path.exists());
    let missing = dir.path().join("missing/new.bin");
    assert!(matches!(
        open(&missing, &sized(MIB)),
        Err(TargetError::Input(_))
    ));
}

#[test]
fn an_existing_file_is_used_as_it_is_or_in_part() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.bin");
    fs::write(&path, vec![7u8; 4 * MIB as usize]).unwrap();
    let named = |size_bytes| OpenOptions {
        size_bytes,
        ..destroy("old.bin")
    };
    let whole = open(&path, &named(None)).unwrap();
    assert_eq!(whole.info().capacity_bytes, 4 * MIB);
    drop(whole);
    let mut part = open(&path, &named(Some(2 * MIB))).unwrap();
    part.run(&request("[w]\nrw=write\nbs=64k\n", 0)).unwrap();
    part.trim_all().unwrap();
    let content = fs::read(&path).unwrap();
    assert_eq!(content.len() as u64, 4 * MIB);
    let (inside, outside) = content.split_at(2 * MIB as usize);
    assert!(inside.iter().all(|&byte| byte == 0), "TRIMmed");
    assert!(outside.iter().all(|&byte| byte == 7), "not to be touched");
    drop(part);
    match open(&path, &named(Some(8 * MIB))) {
        Err(TargetError::Input(text)) => assert!(text.contains("smaller size"), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_neither_file_nor_device_is_refused() {
    if !have(&["fio", "mkfifo"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let options = sized(MIB);
    let fifo = dir.path().join("fifo");
    sh("mkfifo", &[fifo.to_str().unwrap()]);
    assert!(refused(open(&fifo, &options)).contains("a pipe"));
    assert!(refused(open(Path::new("/dev/null"), &options)).contains("a character device"));
    let dangling = dir.path().join("dangling");
    std::os::unix::fs::symlink("/nowhere/at/all", &dangling).unwrap();
    assert!(refused(open(&dangling, &options)).contains("leads nowhere"));
    let mistyped = Path::new("/dev/no-such-disk");
    assert!(refused(open(mistyped, &options)).contains("no such device"));
    assert!(!mistyped.exists());
}

#[test]
fn a_job_comes_back_with_percentiles_and_bins() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut target = file_target(dir.path(), 16 * MIB);
    let job = "[mixed]\nrw=randrw\nrwmixread=70\nbs=4k\niodepth=4\nnumber_ios=2000\n\
               norandommap\n";
    let outcome = target.run(&request(job, 0)).unwrap();
    let job = &outcome.fio.jobs[0];
    assert_eq!(job.jobname, "mixed");
    assert_eq!(job.read.total_ios + job.write.total_ios, 2000);
    assert_eq!(job.read.io_bytes, job.read.total_ios * 4096);
    assert!(job.read.clat_ns.at(99.99).unwrap() >= job.read.clat_ns.at(50.0).unwrap());
    let bins = job.write.clat_ns.bins.as_ref().unwrap();
    assert_eq!(bins.values().sum::<u64>(), job.write.total_ios);
    assert!(outcome.samples.is_empty());
    let path = dir.path().join("target.bin");
    let path = path.canonicalize().unwrap();
    assert!(
        outcome
            .job_text
            .contains(&format!("filename={}\n", path.display()))
    );
    assert_eq!(path.metadata().unwrap().len(), 16 * MIB);
}

#[test]
fn the_seed_decides_the_pattern() {
    if !have(&["fio"]) {
        return;
    }
    // Fewer writes than blocks, so that the written blocks depend on the seed.
    let job = "[w]\nrw=randwrite\nbs=4k\nnumber_ios=200\n";
    let written = |seed| {
        let dir = tempfile::tempdir().unwrap();
        let mut target = file_target(dir.path(), 4 * MIB);
        target
            .run(&JobRequest {
                text: job,
                seed,
                sample_ms: 0,
            })
            .unwrap();
        let content = fs::read(dir.path().join("target.bin")).unwrap();
        content
            .chunks(4096)
            .map(|block| block.iter().any(|&byte| byte != 0))
            .collect::<Vec<bool>>()
    };
    let one = written(1);
    assert_eq!(one.iter().filter(|&&touched| touched).count(), 200);
    assert!(one == written(1), "the same seed, another pattern");
    assert!(one != written(2), "another seed, the same pattern");
}

#[test]
fn samples_end_at_the_totals() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut target = file_target(dir.path(), 16 * MIB);
    let job = "[w]\nrw=randrw\nbs=4k\nrate_iops=500,300\ntime_based\nruntime=3\nnumjobs=2\n\
               group_reporting\n";
    let outcome = target.run(&request(job, 250)).unwrap();
    let job = &outcome.fio.jobs[0];
    let last = outcome.samples.last().unwrap();
    assert_eq!(last.read_bytes, job.read.io_bytes);
    assert_eq!(last.written_bytes, job.write.io_bytes);
    // On a busy machine the job ends late and the rows spread, but not by much.
    assert!(
        (12..=13).contains(&outcome.samples.len()),
        "{:?}",
        outcome.samples
    );
    assert!((2.9..3.3).contains(&last.t_s), "{last:?}");
    let median = |of: fn(&Sample) -> f64| {
        let mut values: Vec<f64> = outcome.samples.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    assert!((800.0..1200.0).contains(&median(|row| row.read_iops)));
    assert!((480.0..720.0).contains(&median(|row| row.write_iops)));
    let times: Vec<f64> = outcome.samples.iter().map(|row| row.t_s).collect();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
}

#[test]
fn standstills_are_rows_of_zeros() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut target = file_target(dir.path(), 16 * MIB);
    // 100 writes at once, then a second of rest, three times.
    let job = "[w]\nrw=randwrite\nbs=4k\nthinktime=1000000\nthinktime_blocks=100\n\
               number_ios=300\n";
    let outcome = target.run(&request(job, 200)).unwrap();
    let idle = outcome.samples.iter().filter(|row| row.write_iops == 0.0);
    assert!(idle.count() >= 6, "{:?}", outcome.samples);
    let busy = outcome.samples.iter().filter(|row| row.write_iops > 0.0);
    assert!((2..=6).contains(&busy.count()), "{:?}", outcome.samples);
    assert_eq!(outcome.samples.last().unwrap().written_bytes, 300 * 4096);
    let after = outcome.samples.iter().find(|row| row.t_s > 0.9).unwrap();
    assert!(
        (98 * 4096..=202 * 4096).contains(&after.written_bytes),
        "{:?}",
        outcome.samples
    );
}

#[test]
fn files_of_a_run_stay_in_its_folder_and_go() {
    if !have(&["fio"]) {
        return;
    }
    let (dir, runtime) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let here = std::env::current_dir().unwrap();
    let before = fs::read_dir(&here).unwrap().count();
    let up = "../".repeat(here.components().count());
    let relative = Path::new(&up).join(runtime.path().strip_prefix("/").unwrap());
    let options = OpenOptions {
        runtime_dir: Some(relative),
        ..sized(2 * MIB)
    };
    let mut target = open(&dir.path().join("target.bin"), &options).unwrap();
    for sample_ms in [0, 200] {
        target
            .run(&request("[w]\nrw=write\nbs=64k\n", sample_ms))
            .unwrap();
    }
    assert_eq!(fs::read_dir(runtime.path()).unwrap().count(), 0);
    assert_eq!(fs::read_dir(&here).unwrap().count(), before);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn trim_gives_the_space_back_and_keeps_the_size() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut target = file_target(dir.path(), 8 * MIB);
    assert!(target.trim_supported());
    let path = dir.path().join("target.bin");
    target.run(&request("[w]\nrw=write\nbs=1m\n", 0)).unwrap();
    assert!(used_bytes(&path) >= 8 * MIB);
    target.trim_all().unwrap();
    assert!(used_bytes(&path) < MIB);
    assert_eq!(path.metadata().unwrap().len(), 8 * MIB);
    target.run(&request("[w]\nrw=write\nbs=1m\n", 0)).unwrap();
}

#[test]
fn names_that_fio_would_misread() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a:b; c#d $e.bin");
    let mut target = open(&path, &sized(2 * MIB)).unwrap();
    target.run(&request("[w]\nrw=write\nbs=64k\n", 0)).unwrap();
    let content = fs::read(&path).unwrap();
    assert!(content.iter().any(|&byte| byte != 0));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_job_never_lengthens_the_file() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut target = file_target(dir.path(), 4 * MIB);
    let path = dir.path().join("target.bin");
    for job in [
        "[a]\nrw=write\nbs=64k\nsize=5m\n",
        "[a]\nrw=write\nbs=64k\noffset=3m\nsize=2m\n",
    ] {
        assert!(
            matches!(target.run(&request(job, 0)), Err(TargetError::Input(_))),
            "{job}"
        );
    }
    target
        .run(&request("[a]\nrw=write\nbs=64k\noffset=3m\n", 0))
        .unwrap();
    assert_eq!(path.metadata().unwrap().len(), 4 * MIB);
}

#[test]
fn idle_takes_its_time_and_a_real_drive_has_no_copy() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut target = file_target(dir.path(), 2 * MIB);
    let start = Instant::now();
    target.idle(0.2).unwrap();
    assert!(start.elapsed().as_secs_f64() >= 0.2);
    assert!(target.idle(-1.0).is_err());
    assert!(target.fork().is_none());
}

#[test]
fn the_environment_names_kernel_fio_engine_and_file_system() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let facts = file_target(dir.path(), 2 * MIB).environment();
    for name in [
        "kernel",
        "processor",
        "processor-threads-usable",
        "frequency-governor",
        "fio",
        "i-o-engine",
        "file-system",
        "file-system-in-use",
        "device",
    ] {
        let fact = facts.iter().find(|fact| fact.id == name);
        assert!(fact.is_some_and(|fact| !fact.value.is_empty()), "{name}");
    }
}

#[test]
fn a_file_system_in_memory_is_refused_and_left_clean() {
    if !have_root_and(&["fio", "mount"]) {
        return;
    }
    let ram = Mounted::new(&["-t", "ramfs", "ramfs"]);
    let path = ram.path().join("target.bin");
    fs::write(&path, vec![0; 2 * MIB as usize]).unwrap();
    match open(&path, &destroy("target.bin")) {
        Err(TargetError::Refused(text)) => assert!(text.contains("(ramfs)"), "{text}"),
        other => panic!("{other:?}"),
    }
    assert!(path.exists(), "the user's own file stays");
}
