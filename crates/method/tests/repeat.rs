//! Every test several times, with other seeds.

use std::sync::Mutex;

use crate::common;

use common::{Fake, Fault, options, test};
use stend_analysis::{Interval, key_figures, repeated};
use stend_method::{Edition, Event, MethodError, ReviewOptions, repetition_seed, run_review};
use stend_record::review::{Review, TestResult};

/// Seed of the options of all tests here.
const SEED: u64 = 42;

const TESTS: [&str; 3] = ["sequential", "random", "degradation"];

fn run(fake: Fake, options: &ReviewOptions<'_>) -> Review {
    run_review(
        Box::new(fake),
        &Edition::load("2014").unwrap(),
        options,
        &|_| {},
    )
    .unwrap()
}

fn times(repeat: u32) -> ReviewOptions<'static> {
    ReviewOptions {
        repeat,
        ..options(&TESTS)
    }
}

/// Reviews of one repetition each, by their own seeds.
fn alone(repeat: u32) -> Vec<Review> {
    let of = |number| {
        let options = ReviewOptions {
            seed: repetition_seed(SEED, number),
            ..options(&TESTS)
        };
        run(Fake::simulated(), &options)
    };
    (0..repeat).map(of).collect()
}

#[test]
fn figures_are_means_of_reviews_with_other_seeds() {
    let review = run(Fake::simulated(), &times(3));
    assert!(review.complete);
    assert_eq!((review.repeat, review.seed), (3, SEED));
    assert!(review.unfinished.is_empty());
    let each = alone(3);
    for id in TESTS {
        let all: Vec<&TestResult> = each.iter().map(|review| test(review, id)).collect();
        let together = test(&review, id);
        assert_eq!(together, &repeated::merged(&all));
        assert_eq!(
            together.curves(),
            all[0].curves(),
            "curves are of the first"
        );
        for (at, point) in together.points().iter().enumerate() {
            let iops = |test: &&TestResult| test.points()[at].iops;
            let values: Vec<f64> = all.iter().map(iops).collect();
            assert_eq!(point.repeated_iops, values);
            let mean = values.iter().sum::<f64>() / 3.0;
            assert!((point.iops - mean).abs() < 1e-9 * mean);
            assert_ne!(values[0], values[1], "seeds differ");
        }
    }
    let figures = key_figures(&review.tests);
    assert!(figures.len() > 5);
    for figure in figures {
        let of = |review: &Review| {
            let figures = key_figures(&review.tests);
            let mut same = figures.into_iter().filter(|f| f.figure == figure.figure);
            same.find(|f| f.test_id == figure.test_id).unwrap().value
        };
        let values: Vec<f64> = each.iter().map(of).collect();
        let interval = Interval::of(&values).unwrap();
        assert_eq!(figure.value, interval.mean);
        assert_eq!(figure.half_width, Some(interval.half_width));
    }
    assert!(review.conditions.iter().any(|c| c.id == "repetitions"));
}

#[test]
fn one_repetition_is_a_review_as_ever() {
    let review = run(Fake::simulated(), &times(1));
    assert_eq!(review, alone(1)[0]);
    assert_eq!(review.repeat, 0);
    assert_eq!(key_figures(&review.tests)[0].half_width, None);
}

#[test]
fn one_drive_is_prepared_and_measured_as_often() {
    let fake = Fake::real();
    let spy = fake.spy.clone();
    let review = run(fake, &times(2));
    assert!(review.complete, "{:?}", review.failed);
    assert_eq!(test(&review, "random").repeated[0].values.len(), 2);
    let log = spy.log.lock().unwrap();
    let count = |what: &str| log.iter().filter(|line| line.contains(what)).count();
    assert_eq!(count("seq-read-262144-t1-qd1"), 2, "{log:?}");
}

#[test]
fn a_broken_run_goes_on_with_what_is_missing() {
    let saved = Mutex::new(Vec::new());
    let save = |review: &Review| {
        saved.lock().unwrap().push(review.clone());
        Ok(())
    };
    let whole = run(
        Fake::simulated(),
        &ReviewOptions {
            save: Some(&save),
            ..times(2)
        },
    );
    let saved = saved.into_inner().unwrap();
    let mut left = Vec::new();
    for (nth, partial) in saved.into_iter().enumerate() {
        // As it is in a file.
        let json = serde_json::to_string(&partial).unwrap();
        let resume: Review = serde_json::from_str(&json).unwrap();
        let finished = partial.tests.len() * 2 + partial.unfinished.len();
        assert_eq!(finished, nth + 1);
        let fake = Fake::simulated();
        let spy = fake.spy.clone();
        let again = run(
            fake,
            &ReviewOptions {
                resume: Some(resume),
                ..times(2)
            },
        );
        assert_eq!(again, whole);
        let log = spy.log.lock().unwrap();
        left.push(log.iter().filter(|line| line.contains("-t1-")).count());
    }
    assert!(left.windows(2).all(|pair| pair[0] > pair[1]), "{left:?}");
    assert_eq!(left.last(), Some(&0));
}

#[test]
fn another_number_of_repetitions_is_another_review() {
    let resume = run(Fake::simulated(), &times(2));
    for repeat in [1, 3] {
        let options = ReviewOptions {
            resume: Some(resume.clone()),
            ..times(repeat)
        };
        let edition = Edition::load("2014").unwrap();
        let error = run_review(Box::new(Fake::simulated()), &edition, &options, &|_| {});
        let error = error.unwrap_err();
        assert!(matches!(error, MethodError::Resume { .. }), "{error}");
        assert!(error.to_string().contains("repetitions"), "{error}");
    }
}

#[test]
fn a_failure_of_one_repetition_leaves_the_test_out() {
    let fake = Fake::new(
        true,
        Fault::Job {
            on: "rand-write-4096-t1-qd4",
        },
    );
    let review = run(fake, &times(2));
    assert!(!review.complete);
    let failed: Vec<&str> = review.failed.iter().map(|test| test.id.as_str()).collect();
    assert_eq!(failed, ["random"]);
    assert!(review.failed[0].error.starts_with("repetition 1: "));
    assert_eq!(review.tests.len(), 2);
}

#[test]
fn shares_of_all_repetitions_rise_to_one() {
    let shares = Mutex::new(Vec::new());
    let planned = Mutex::new(0);
    let events = |event: Event<'_>| match event {
        Event::Preparing { share_done, .. }
        | Event::PointFinished { share_done, .. }
        | Event::TestFinished { share_done, .. } => shares.lock().unwrap().push(share_done),
        Event::Planned { .. } => *planned.lock().unwrap() += 1,
        _ => {}
    };
    let edition = Edition::load("2014").unwrap();
    run_review(Box::new(Fake::simulated()), &edition, &times(3), &events).unwrap();
    let shares = shares.into_inner().unwrap();
    assert!(
        shares.windows(2).all(|pair| pair[0] <= pair[1]),
        "{shares:?}"
    );
    assert!((shares.last().unwrap() - 1.0).abs() < 1e-9);
    assert_eq!(*planned.lock().unwrap(), 1);
}
