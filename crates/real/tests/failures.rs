//! fio missing, too old, broken, killed: none of its output may count as a result.

use crate::common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::{MIB, fake_fio, have, script, sized};
use stend_load::target::{JobRequest, Target, TargetError};
use stend_real::{FioTarget, OpenOptions, open};

const JOB: &str = "[w]\nrw=randwrite\nbs=4k\niodepth=4\ntime_based\nruntime=2\n";

fn with_fio(dir: &Path, fio: &Path) -> Result<FioTarget, TargetError> {
    let options = OpenOptions {
        fio_path: Some(fio.to_path_buf()),
        ..sized(4 * MIB)
    };
    open(&dir.join("target.bin"), &options)
}

/// Runs a job with a script in place of fio, and returns the complaint.
fn complaint(body: &str, sample_ms: u32) -> String {
    let dir = tempfile::tempdir().unwrap();
    complaint_of(dir.path(), body, sample_ms)
}

fn complaint_of(dir: &Path, body: &str, sample_ms: u32) -> String {
    let mut target = with_fio(dir, &fake_fio(dir, body)).unwrap();
    let job = JobRequest {
        text: JOB,
        seed: 1,
        sample_ms,
    };
    match target.run(&job) {
        Err(TargetError::Failed(text)) => text,
        other => panic!("not a failure: {other:?}"),
    }
}

#[test]
fn fio_killed_midway() {
    if !have(&["fio"]) {
        return;
    }
    // `exec` keeps the process ID, so that the signal reaches fio itself.
    let text = complaint("(sleep 0.7; kill -KILL $$) &\nexec fio \"$@\"", 0);
    assert!(text.contains("killed by signal 9 (SIGKILL"), "{text}");
}

#[test]
fn fio_interrupted_midway() {
    if !have(&["fio"]) {
        return;
    }
    // fio catches signals once the job's thread runs, beside its first thread and a helper.
    let body = "(until [ $(ls /proc/$$/task | wc -l) -ge 3 ]; do sleep 0.1; done\n\
                sleep 0.3; kill -INT $$) &\nexec fio \"$@\"";
    let text = complaint(body, 500);
    assert!(text.contains("interrupted"), "{text}");
}

#[test]
fn a_target_that_is_removed_ends_fio_and_no_answer_of_it_counts() {
    if !have(&["fio"]) {
        return;
    }
    for body in [
        "rm \"$target\"; exec sleep 500",
        "fio \"$@\"; rm \"$target\"; exit 0",
        // Another file replaces the target.
        "fio \"$@\"; cp \"$target\" \"$target.new\"; mv \"$target.new\" \"$target\"; exit 0",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("target.bin");
        let body = format!("target={}\n{body}", path.display());
        let mut target = with_fio(dir.path(), &fake_fio(dir.path(), &body)).unwrap();
        let job = JobRequest {
            text: JOB,
            seed: 1,
            sample_ms: 0,
        };
        let began = Instant::now();
        let removed =
            |error| matches!(error, TargetError::Removed(text) if text.contains("removed"));
        assert!(removed(target.run(&job).unwrap_err()), "{body}");
        // No operation begins on a removed target.
        assert!(removed(target.run(&job).unwrap_err()), "{body}");
        assert!(removed(target.idle(500.0).unwrap_err()), "{body}");
        assert!(removed(target.trim_all().unwrap_err()), "{body}");
        assert!(began.elapsed() < Duration::from_secs(250), "{body}");
    }
}

#[test]
fn a_rest_ends_when_the_target_is_removed() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("target.bin");
    let mut target = open(&path, &sized(4 * MIB)).unwrap();
    let began = Instant::now();
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            fs::remove_file(&path).unwrap();
        });
        target.idle(500.0).unwrap_err()
    });
    assert!(matches!(error, TargetError::Removed(_)), "{error}");
    assert!(began.elapsed() < Duration::from_secs(250));
}

#[test]
fn fio_makes_no_file_in_place_of_one_that_is_gone() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("target.bin");
    let moved = dir.path().join("moved.bin");
    // The target is missing when fio begins, and back when fio has ended.
    let body = format!(
        "mv {path} {moved}\nfio \"$@\"; code=$?\ntest -e {path} && echo made >&2\n\
         mv {moved} {path}; exit $code",
        path = path.display(),
        moved = moved.display(),
    );
    let text = complaint_of(dir.path(), &body, 0);
    assert!(text.contains("file creation disallowed"), "{text}");
    assert!(!text.contains("made"), "{text}");
}

#[test]
fn fio_that_fails_says_why() {
    if !have(&["fio"]) {
        return;
    }
    let text = complaint(
        "echo 'fio: io_u error on file x: No space left' >&2; exit 1",
        0,
    );
    assert!(text.contains("exit code 1"), "{text}");
    assert!(text.contains("No space left"), "{text}");
}

#[test]
fn answers_that_are_no_json() {
    if !have(&["fio"]) {
        return;
    }
    assert!(complaint("echo 'hello' > \"$answer\"", 0).contains("hello"));
    assert!(complaint("exit 0", 0).contains("cannot be read"));
    let cut =
        "fio \"$@\"; head -c 900 \"$answer\" > \"$answer.cut\"; mv \"$answer.cut\" \"$answer\"";
    assert!(complaint(cut, 0).contains("cannot be read"));
    let broken_log = "fio \"$@\"; echo nonsense >> stend_bw.1.log";
    assert!(complaint(broken_log, 500).contains("nonsense"));
}

#[test]
fn text_around_the_json_does_no_harm() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let body = "fio \"$@\" || exit\n\
                { echo 'note: {both} engines'; cat \"$answer\"; echo bye; } > \"$answer.new\"\n\
                mv \"$answer.new\" \"$answer\"";
    let mut target = with_fio(dir.path(), &fake_fio(dir.path(), body)).unwrap();
    let job = JobRequest {
        text: "[w]\nrw=write\nbs=64k\n",
        seed: 1,
        sample_ms: 0,
    };
    assert_eq!(
        target.run(&job).unwrap().fio.jobs[0].write.io_bytes,
        4 * MIB
    );
}

#[test]
fn an_option_that_fio_refuses_comes_back_in_its_words() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut target = open(&dir.path().join("target.bin"), &sized(4 * MIB)).unwrap();
    let mut run = |text: &str| {
        let job = JobRequest {
            text,
            seed: 1,
            sample_ms: 0,
        };
        target.run(&job).unwrap_err().to_string()
    };
    let text = run("[w]\nrw=sideways\n");
    assert!(text.contains("sideways"), "{text}");
    // The block size is no multiple of the sector. Where no device is known below the file, direct
    // I/O fails while the job runs.
    let text = run("[w]\nrw=write\nbs=1000\n");
    let known = text.contains("line 3: `bs=1000`: the target has sectors of");
    assert!(
        known || text.contains("job \"w\" with error Invalid argument"),
        "{text}"
    );
}

#[test]
fn fio_missing_too_old_or_something_else() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let text = |fio: &Path| match with_fio(dir.path(), fio) {
        Err(TargetError::ToolMissing(text)) => text,
        other => panic!("{other:?}"),
    };
    let missing = text(Path::new("/nowhere/fio"));
    for way in ["apt install fio", "dnf install fio", "brew install fio"] {
        assert!(missing.contains(way), "{missing}");
    }
    let old = script(dir.path(), "echo fio-3.1");
    assert!(text(&old).contains("needs fio 3.30"));
    let other = script(dir.path(), "echo something else");
    assert!(text(&other).contains("something else"));
    assert!(
        !dir.path().join("target.bin").exists(),
        "nothing was created"
    );
}

#[test]
fn engines_that_do_not_work_are_passed_over() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let without = |engines: &str| {
        let fio = script(
            dir.path(),
            &format!(
                "case \"$*\" in {engines}) echo forbidden >&2; exit 1 ;; esac\nexec fio \"$@\""
            ),
        );
        let target = with_fio(dir.path(), &fio);
        fs::remove_file(dir.path().join("target.bin")).unwrap_or_default();
        target.map(|target| {
            let facts = target.environment();
            let engine = facts.iter().find(|fact| fact.id == "i-o-engine");
            engine.unwrap().value.clone()
        })
    };
    assert!(
        without("*=io_uring*")
            .unwrap()
            .in_english()
            .starts_with("libaio")
    );
    let psync = without("*=io_uring*|*=libaio*").unwrap();
    assert!(
        psync.in_english().contains("every queue depth is 1"),
        "{psync}"
    );
    let none = without("*--name=probe*").unwrap_err().to_string();
    assert!(none.contains("forbidden"), "{none}");
    let buffered = without("*--direct=1*").unwrap_err().to_string();
    assert!(buffered.contains("direct I/O"), "{buffered}");
    assert!(!dir.path().join("target.bin").exists());
}
