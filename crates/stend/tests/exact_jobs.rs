//! The exact jobs that the page of a simulated review shows: fio runs each as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{folder, have, list, number, review, tool};

/// Editions without `endurance`, which needs a drive whose flash wears out.
const EDITIONS: [&str; 10] = [
    "2014",
    "2015",
    "2016a",
    "2016b",
    "2018",
    "crystaldiskmark",
    "database",
    "quick",
    "recovery-ladder",
    "snia-pts",
];

/// Jobs of a review, by the options that they have: jobs with the same differ in values alone.
fn jobs_by_options(review: &Value) -> BTreeMap<String, String> {
    let mut jobs = BTreeMap::new();
    for test in list(&review["tests"]) {
        // Neither a trace nor work on files is a job of fio.
        if test.get("traces").is_some() || test.get("files").is_some() {
            continue;
        }
        for job in list(&test["jobs"]) {
            let text = job["text"].as_str().unwrap();
            let options = text.lines().filter(|line| !line.starts_with(['[', ';']));
            let names = options.map(|line| match line.split_once('=') {
                Some(("rw" | "sync", _)) | None => line,
                Some((name, _)) => name,
            });
            let names: Vec<&str> = names.collect();
            jobs.insert(names.join(" "), text.to_owned());
        }
    }
    jobs
}

/// Runs a job for a short time; returns what fio reports as an error.
fn errors_of(job: &Path, file: &Path) -> String {
    // On a busy machine fio may be interrupted before it has begun: then it reports nothing.
    let times = [400, 2_000, 10_000].map(Duration::from_millis);
    let told = times.iter().find_map(|time| run(job, file, *time));
    told.expect("fio reports what it has done")
}

/// Runs a job for a time at most; returns what fio reports as an error, `None` if it has no report.
fn run(job: &Path, file: &Path, time: Duration) -> Option<String> {
    let answer = job.with_file_name("answer.txt");
    // That of the job before.
    let _ = fs::remove_file(&answer);
    let file = format!("--filename={}", file.display());
    let mut fio = Command::new("fio")
        .args([&file, "--size=64m", "--output=answer.txt"])
        .arg(job)
        .current_dir(job.parent().unwrap())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while fio.try_wait().unwrap().is_none() {
        if began.elapsed() > time {
            // fio ends its own processes.
            tool("kill", &["-s", "INT", &fio.id().to_string()]);
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = fio.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let answer = fs::read_to_string(&answer)
        .ok()
        .filter(|text| text.contains(" IOPS=") || text.contains("err="))?;
    let errors = stderr.lines().chain(answer.lines());
    let errors =
        errors.filter(|line| line.starts_with("fio: ") && !line.contains("terminating on signal"));
    Some(errors.collect::<Vec<_>>().join("\n"))
}

#[test]
fn fio_runs_every_job_of_a_simulated_review() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let (job, file) = (dir.path().join("job.fio"), dir.path().join("file.bin"));
    let mut jobs = BTreeMap::new();
    for edition in EDITIONS {
        let scale = ["--edition", edition, "--duration-scale", "0.02"];
        let args = [&["demo-8gb", "--out", edition], &scale[..]].concat();
        let review = review(dir.path(), &args);
        let capacity = number(&review["target"]["capacity_bytes"]) as u64;
        let size = format!("--size={capacity}`");
        // Offsets of jobs lie within the drive.
        fs::File::create(&file).unwrap().set_len(capacity).unwrap();
        for (options, text) in jobs_by_options(&review) {
            assert!(
                text.starts_with("; added by stend") && text.contains(&size),
                "{text}"
            );
            fs::write(&job, &text).unwrap();
            let parsed = Command::new("fio")
                .arg("--parse-only")
                .arg(&job)
                .output()
                .unwrap();
            assert!(
                parsed.status.success() && parsed.stderr.is_empty(),
                "{text}{parsed:?}"
            );
            jobs.insert(options, text);
        }
    }
    assert!(jobs.len() > 20, "{}", jobs.len());
    // fio trims no files.
    for text in jobs.values().filter(|text| !text.contains("rw=trim")) {
        fs::write(&job, text).unwrap();
        let errors = errors_of(&job, &file);
        assert!(errors.is_empty(), "{text}{errors}");
    }
}
