//! A target that may only be read: the remaining tests of an edition.

use crate::common;

use common::{Fake, options, test};
use stend_method::{Edition, MethodError, ReviewOptions, run_review};
use stend_record::review::{PointOp, Review, TestResult};

fn run(fake: Fake, options: &ReviewOptions<'_>) -> Result<Review, MethodError> {
    run_review(
        Box::new(fake),
        &Edition::load("2018").unwrap(),
        options,
        &|_| {},
    )
}

fn points(test: &TestResult) -> usize {
    test.points().len()
}

#[test]
fn what_writes_is_left_out_with_a_word() {
    let fake = Fake::read_only();
    let spy = fake.spy.clone();
    let all = run(Fake::real(), &options(&[])).unwrap();
    let review = run(fake, &options(&[])).unwrap();
    assert!(review.complete && review.read_only && !all.read_only);
    for line in spy.log.lock().unwrap().iter() {
        assert!(
            line.contains("-read-") || line.starts_with("idle "),
            "{line}"
        );
    }
    assert_eq!(review.tests.len(), all.tests.len());
    let mut kept = 0;
    for (left, whole) in review.tests.iter().zip(&all.tests) {
        let reads = whole
            .points()
            .iter()
            .filter(|p| p.load.op == PointOp::Read)
            .count();
        assert_eq!(points(left), reads, "{}", left.id);
        kept += reads;
        assert!(left.points().iter().all(|p| p.load.op == PointOp::Read));
        if points(left) < points(whole) || points(whole) == 0 {
            let said = left
                .warnings
                .iter()
                .filter(|w| w.in_english().contains("--read-only"))
                .count();
            assert_eq!(said, 1, "{}: {:?}", left.id, left.warnings);
        }
        if reads == 0 {
            assert_eq!(left.results, None, "{}", left.id);
            assert!(left.jobs.is_empty(), "{}", left.id);
        }
    }
    assert!(kept > 10, "{kept}");
}

#[test]
fn the_conditions_say_that_nothing_was_prepared() {
    let review = run(Fake::read_only(), &options(&["sequential", "random"])).unwrap();
    let names: Vec<&str> = review.conditions.iter().map(|c| &*c.id).collect();
    assert!(names.iter().all(|name| *name != "state"), "{names:?}");
    let found = review.conditions.iter().find(|c| c.id == "preparation");
    assert!(found.unwrap().value.in_english().contains("--read-only"));
    let data = review.conditions.iter().find(|c| c.id == "data").unwrap();
    assert!(
        data.value.in_english().starts_with("what the target held"),
        "{data:?}"
    );
}

#[test]
fn between_two_tests_there_is_a_rest_and_no_other() {
    let fake = Fake::read_only();
    let spy = fake.spy.clone();
    run(fake, &options(&["sequential", "random"])).unwrap();
    let log = spy.log.lock().unwrap();
    let rests: Vec<usize> = (0..log.len())
        .filter(|n| log[*n].starts_with("idle "))
        .collect();
    assert_eq!(rests.len(), 1, "{log:?}");
    assert!(rests[0] > 0 && rests[0] + 1 < log.len(), "{log:?}");
}

#[test]
fn a_review_that_wrote_does_not_go_on_as_one_that_only_reads() {
    let earlier = run(Fake::real(), &options(&["sequential"])).unwrap();
    let options = ReviewOptions {
        resume: Some(earlier),
        ..options(&["sequential"])
    };
    let error = run(Fake::read_only(), &options).unwrap_err().to_string();
    assert!(
        error.contains("access") && error.contains("--read-only"),
        "{error}"
    );
    assert!(run(Fake::real(), &options).is_ok());
}

#[test]
fn endurance_is_left_out_and_needs_no_budget() {
    let edition = Edition::load("endurance").unwrap();
    let review = run_review(
        Box::new(Fake::read_only()),
        &edition,
        &options(&[]),
        &|_| {},
    )
    .unwrap();
    let result = test(&review, "endurance");
    assert!(result.endurance().is_none());
    assert!(
        result.warnings[0].in_english().contains("it writes"),
        "{:?}",
        result.warnings
    );
}
