//! Texts of a run under a duration scale state the actual times.

use crate::common;

use common::{Fake, options, test};
use stend_method::{Edition, ReviewOptions, run_review};
use stend_record::review::Review;

fn run(id: &str, fake: Fake, tests: &[&str], duration_scale: f64) -> Review {
    let options = ReviewOptions {
        duration_scale,
        ..options(tests)
    };
    run_review(
        Box::new(fake),
        &Edition::load(id).unwrap(),
        &options,
        &|_| {},
    )
    .unwrap()
}

#[test]
fn titles_and_methods_have_the_times_of_the_run() {
    let tests = ["random", "degradation", "recovery"];
    let review = run("2014", Fake::simulated(), &tests, 0.1);
    assert_eq!(
        review.edition_title.in_english(),
        "2014: the whole drive, 18 s a point"
    );
    assert_eq!(
        test(&review, "random").method.in_english(),
        "4 KiB anywhere on the drive, queue depth 1 and 4, 18 s each."
    );
    assert_eq!(
        test(&review, "degradation").method.in_english(),
        "4 KiB random write over the whole drive at queue depth 32 for 12 min, sampled every \
         second."
    );
    // Rests of a simulated drive are not scaled.
    let method = &test(&review, "recovery").method;
    assert!(
        method
            .in_english()
            .starts_with("After 12 min of random write the drive rests for 15 minutes")
    );
    let title = &run("quick", Fake::simulated(), &["write-burst"], 0.1).tests[0].title;
    assert_eq!(title.in_english(), "6 s of random writes");
    let edition = Edition::load("2014").unwrap();
    let review = run("2014", Fake::simulated(), &tests, 1.0);
    assert_eq!(
        review.edition_title.in_english(),
        "2014: the whole drive, 3 min a point"
    );
    let method = edition.tests[1].method.at(1.0);
    assert_eq!(test(&review, "random").method, method);
}

/// Every time in a text is the runtime of a job of the test, or of all its rounds.
#[test]
fn editions_of_the_program_name_the_times_of_their_jobs() {
    for id in Edition::built_in() {
        let edition = Edition::load(id).unwrap();
        for of_edition in edition.tests.iter().filter(|test| test.id != "endurance") {
            let review = run(id, Fake::simulated(), &[&of_edition.id], 1.0);
            let jobs: String = review
                .tests
                .iter()
                .flat_map(|test| &test.jobs)
                .map(|job| job.text.as_str())
                .collect();
            let texts = [&of_edition.title, &of_edition.method];
            let times: Vec<u64> = texts.into_iter().flat_map(|text| text.seconds()).collect();
            let named = |seconds: &u64| jobs.contains(&format!("runtime={seconds}\n"));
            for seconds in &times {
                // A point in intervals has one job for each; the sum of a test's rounds, and the
                // time until a deletion, belong to no single job.
                let parts = times.iter().any(|part| named(part) && seconds % part == 0);
                // The fake target never becomes steady, and has no test that starts from a steady
                // state.
                let whole = *seconds == 86_400
                    || ["trim-response", "read-write-steady"].contains(&&*of_edition.id);
                assert!(
                    parts || whole,
                    "{id}, {}: {seconds} s\n{jobs}",
                    of_edition.id
                );
            }
        }
    }
}

#[test]
fn no_edition_of_the_program_names_a_time_that_was_not_measured() {
    for id in Edition::built_in() {
        let edition = Edition::load(id).unwrap();
        let ids = edition.tests.iter().map(|test| test.id.as_str());
        let ids: Vec<&str> = ids.filter(|id| *id != "endurance").collect();
        if ids.is_empty() {
            continue;
        }
        let review = run(id, Fake::simulated(), &ids, 0.1);
        for test in &review.tests {
            let text = format!("{}. {}", test.title, test.method);
            let kept = text
                .replace("five minutes", "")
                .replace("5 seconds of rest", "");
            let kept = kept
                .replace("for 15 minutes", "")
                .replace("a minute later", "");
            for long in ["minutes", "hours", "a minute", "seconds"] {
                assert!(!kept.contains(long), "{id}: {text}");
            }
        }
    }
}
