//! Work on files in the engine: each set from its state, scaled sets, targets without a file
//! system.

use crate::common;

use common::{CAPACITY_BYTES, Fake, Fault, options, test};
use stend_load::target::Target;
use stend_method::{Edition, estimate, run_review};

/// The edition of 2014 with sets of which a target of [`CAPACITY_BYTES`] holds two.
fn on_files(set_bytes: u64) -> Edition {
    let text = include_str!("../../../editions/2014.toml")
        .replace("8_589_934_592", &set_bytes.to_string());
    Edition::parse(&text, "mine.toml").unwrap()
}

const FILES: [&str; 3] = ["file-copy", "archive", "unarchive"];

#[test]
fn sets_are_copied_and_packed_each_from_the_state() {
    for fake in [Fake::simulated(), Fake::directory()] {
        let (spy, copied) = (fake.spy.clone(), fake.can_fork());
        let (edition, options) = (on_files(16 << 20), options(&FILES));
        let asked = estimate(&edition, &options, &fake.info(), copied).unwrap();
        let review = run_review(Box::new(fake), &edition, &options, &|_| {}).unwrap();
        assert!(review.complete, "{:?}", review.failed);
        let log = spy.log.lock().unwrap();
        for what in [
            "copy iso",
            "copy program",
            "copy work",
            "archive work",
            "unarchive work",
        ] {
            let line = format!("{what} 16777216 900");
            assert_eq!(log.iter().filter(|l| **l == line).count(), 1, "{log:?}");
        }
        // A target that cannot be copied is trimmed before each set.
        let trims = log.iter().filter(|l| *l == "trim").count();
        assert_eq!(trims, if copied { 1 } else { 5 }, "{log:?}");
        assert_eq!(asked.fill_bytes, CAPACITY_BYTES + 5 * 2 * (16 << 20));
        let works = test(&review, "file-copy").files();
        let sets: Vec<&str> = works.iter().map(|w| w.set.as_str()).collect();
        assert_eq!(sets, ["iso", "program", "work"]);
        for work in works {
            assert_eq!((work.set_bytes, work.scaled), (16 << 20, false));
            assert!((work.bw_bytes_per_s / 1e9 - 1.0).abs() < 1e-9);
        }
        // The same files for every operation.
        let archived = test(&review, "archive").files();
        assert_eq!(archived[0].files, works[2].files);
        assert_ne!(works[0].files, works[1].files);
        let warnings = &test(&review, "archive").warnings;
        assert_eq!(warnings.last().unwrap().in_english(), "work: a limit");
        assert_eq!(warnings.len(), 1);
        assert!(test(&review, "unarchive").points().is_empty());
    }
}

#[test]
fn sets_that_do_not_fit_twice_are_scaled_and_said() {
    let fake = Box::new(Fake::simulated());
    let review = run_review(fake, &on_files(8 << 30), &options(&FILES), &|_| {}).unwrap();
    let result = test(&review, "archive");
    let work = &result.files()[0];
    assert_eq!((work.set_bytes, work.scaled), (25 << 20, true));
    let said = result
        .warnings
        .iter()
        .find(|w| w.in_english().starts_with("SCALED"));
    assert!(said.unwrap().in_english().contains("25 MiB"), "{said:?}");
}

#[test]
fn a_target_without_files_is_told_what_to_do_and_nothing_is_done_to_it() {
    let fake = Fake::real();
    let spy = fake.spy.clone();
    let review = run_review(
        Box::new(fake),
        &on_files(16 << 20),
        &options(&FILES),
        &|_| {},
    )
    .unwrap();
    assert!(review.complete, "{:?}", review.failed);
    assert!(spy.log.lock().unwrap().is_empty());
    for id in FILES {
        let result = test(&review, id);
        assert!(result.files().is_empty() && result.jobs.is_empty());
        let why = &result.warnings[..];
        assert!(
            why.len() == 1 && why[0].in_english().contains("stend review DIR"),
            "{why:?}"
        );
    }
}

#[test]
fn a_set_that_fails_fails_its_test_alone() {
    let fake = Fake::new(true, Fault::Job { on: "copy program" });
    let review = run_review(
        Box::new(fake),
        &on_files(16 << 20),
        &options(&FILES),
        &|_| {},
    )
    .unwrap();
    assert!(!review.complete);
    assert_eq!(review.failed.len(), 1);
    assert_eq!(review.failed[0].id, "file-copy");
    assert!(review.failed[0].error.contains("no room"));
    assert_eq!(review.tests.len(), 2);
}

#[test]
fn figures_that_no_drive_has_are_warned_of() {
    let edition = Edition::load("2014").unwrap();
    let told = std::sync::Mutex::new(Vec::new());
    let events = |event: stend_method::Event<'_>| {
        if let stend_method::Event::Warning { text } = event {
            told.lock().unwrap().push(text.to_owned());
        }
    };
    let mut options = options(&["sequential"]);
    // The fake's figures derive from hashes.
    let reviews = (1..50).map(|seed| {
        options.seed = seed;
        told.lock().unwrap().clear();
        run_review(Box::new(Fake::directory()), &edition, &options, &events).unwrap()
    });
    let found = reviews.into_iter().find_map(|review| {
        let (id, text) = stend_analysis::implausible(&review).into_iter().next()?;
        Some((review, id, text))
    });
    let (review, id, text) = found.expect("one of them writes faster than it reads");
    assert!(test(&review, &id).warnings.contains(&text));
    assert!(told.lock().unwrap().contains(&text));
}
