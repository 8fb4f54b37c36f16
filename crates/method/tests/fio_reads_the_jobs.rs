//! fio itself accepts every job file that the built-in editions lead to.

use crate::common;

use std::process::Command;

use common::Fake;
use stend_method::{Edition, ReviewOptions, run_review};

#[test]
fn fio_parses_every_job() {
    if Command::new("fio").arg("--version").output().is_err() {
        assert!(
            std::env::var_os("STEND_REQUIRE_TOOLS").is_none(),
            "fio is missing, and STEND_REQUIRE_TOOLS is set"
        );
        println!("skipped: fio is missing");
        return;
    }
    let reviews = Edition::built_in().into_iter().map(|id| {
        let edition = Edition::load(id).unwrap();
        let fake = Box::new(Fake::simulated());
        let options = ReviewOptions {
            write_budget_bytes: (id == "endurance").then_some(2 * common::CAPACITY_BYTES),
            ..ReviewOptions::default()
        };
        run_review(fake, &edition, &options, &|_| {}).unwrap()
    });
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    std::fs::File::create(&disk)
        .and_then(|file| file.set_len(common::CAPACITY_BYTES))
        .unwrap();
    let tests = reviews.flat_map(|r| r.tests);
    // A trace is not a job of the methodology: its target makes its own. Work on files is not a job
    // of fio.
    let jobs: Vec<_> = tests
        .filter(|t| t.traces().is_empty() && t.files().is_empty())
        .flat_map(|t| t.jobs)
        .collect();
    assert!(jobs.len() > 250, "{}", jobs.len());
    for of_endurance in ["[wear]", "[read-back]"] {
        assert!(jobs.iter().any(|job| job.text.contains(of_endurance)));
    }
    let mut fio = Command::new("fio");
    fio.arg("--parse-only")
        .arg(format!("--filename={}", disk.display()));
    for (number, job) in jobs.iter().enumerate() {
        let path = folder.path().join(format!("{number}.fio"));
        std::fs::write(&path, &job.text).unwrap();
        fio.arg(path);
    }
    let output = fio.output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
