//! The recovery ladder on targets that can be copied and on one that cannot.

use crate::common;

use common::{CAPACITY_BYTES, Fake, Fault};
use stend_load::target::{JobOutcome, JobRequest, Target as _, TargetError};
use stend_method::{Edition, ReviewOptions, estimate, run_review};
use stend_record::review::{Review, Rung, Text};

fn edition() -> Edition {
    let text = include_str!("../../../editions/recovery-ladder.toml")
        .replace("[30, 60, 300, 600, 900, 1800]", "[30, 300]");
    Edition::parse(&text, "mine.toml").unwrap()
}

fn run(fake: Fake) -> (Review, Vec<String>) {
    let spy = fake.spy.clone();
    let options = ReviewOptions::default();
    let review = run_review(Box::new(fake), &edition(), &options, &|_| {}).unwrap();
    let log = spy.log.lock().unwrap().clone();
    (review, log)
}

#[test]
fn each_rest_starts_from_a_copy_of_the_slow_drive() {
    let (review, log) = run(Fake::simulated());
    assert!(review.complete, "{:?}", review.failed);
    let result = &review.tests[0];
    let series = result.curves();
    let names: Vec<&str> = series.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "fresh",
            "rest-30s",
            "rest-300s",
            "trim-rest-30s",
            "trim-rest-300s"
        ]
    );
    let rungs = result.rungs();
    let of = |r: &Rung| (r.name.clone(), r.idle_s, r.trim);
    assert_eq!(of(&rungs[0]), ("rest-30s".into(), 30.0, false));
    assert_eq!(of(&rungs[3]), ("trim-rest-300s".into(), 300.0, true));
    let write = |s: u32| format!("rand-write-4096-t1-qd32 {s} s");
    assert_eq!(
        log[3..],
        [
            write(7200),
            "idle 30 s".into(),
            write(600),
            "idle 300 s".into(),
            write(600),
            "trim".into(),
            "idle 30 s".into(),
            write(600),
            "trim".into(),
            "idle 300 s".into(),
            write(600),
        ]
    );
    // The slow drive itself is not used: a rung has the same figures without another before it. The
    // fake's figures depend on its whole history.
    let one = include_str!("../../../editions/recovery-ladder.toml")
        .replace("[30, 60, 300, 600, 900, 1800]", "[300]")
        .replace("[false, true]", "[true]");
    let one = Edition::parse(&one, "mine.toml").unwrap();
    let alone = run_review(
        Box::new(Fake::simulated()),
        &one,
        &ReviewOptions::default(),
        &|_| {},
    )
    .unwrap();
    let alone = &alone.tests[0];
    assert_eq!(alone.curves()[1], series[4]);
    assert_eq!(alone.rungs()[0], rungs[3]);
    assert!(
        result
            .warnings
            .iter()
            .all(|w| !w.in_english().contains("one target"))
    );
}

#[test]
fn one_target_is_made_slow_again_before_each_rest() {
    let (review, log) = run(Fake::real());
    let write = |s: u32| format!("rand-write-4096-t1-qd32 {s} s");
    assert_eq!(
        log[3..],
        [
            write(7200),
            "idle 30 s".into(),
            write(600),
            write(1800),
            "idle 300 s".into(),
            write(600),
            write(1800),
            "trim".into(),
            "idle 30 s".into(),
            write(600),
            // After TRIM all space is free.
            write(7200),
            "trim".into(),
            "idle 300 s".into(),
            write(600),
        ]
    );
    let warnings = &review.tests[0].warnings;
    assert!(
        warnings
            .iter()
            .any(|w| w.in_english().starts_with("one target")),
        "{warnings:?}"
    );
    let seeds: Vec<&str> = review.tests[0]
        .jobs
        .iter()
        .map(|job| common::option(&job.text, "randseed").unwrap())
        .collect();
    let different: std::collections::BTreeSet<&&str> = seeds.iter().collect();
    assert_eq!(different.len(), 5);
}

#[test]
fn the_estimate_counts_what_is_done() {
    for (fake, copied, writing_s) in [
        (Fake::simulated(), true, 7200 + 4 * 600),
        (Fake::real(), false, 2 * 7200 + 2 * 1800 + 4 * 600),
    ] {
        let asked = estimate(&edition(), &ReviewOptions::default(), &fake.info(), copied).unwrap();
        assert_eq!(asked.writing_s, f64::from(writing_s));
        assert_eq!(asked.idle_s, 900.0 + 2.0 * (30.0 + 300.0));
        assert_eq!(asked.fill_bytes, CAPACITY_BYTES);
    }
}

#[test]
fn a_failing_rung_fails_the_test_in_its_words() {
    let fake = Fake::new(true, Fault::Job { on: "rand-write" });
    let (review, _) = run(fake);
    assert_eq!(review.failed[0].id, "recovery-ladder");
    assert!(review.failed[0].error.contains("fio was killed"));
}

#[test]
fn what_is_wrong_with_a_ladder_is_told() {
    let text = include_str!("../../../editions/recovery-ladder.toml");
    let wrong = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let error = Edition::parse(&text.replace(from, to), "mine.toml").unwrap_err();
        error.to_string()
    };
    let rests = wrong("[30, 60, 300, 600, 900, 1800]", "[60, 30]");
    assert!(
        rests.contains(": idle_s: ") && rests.contains("ascend"),
        "{rests}"
    );
    assert!(wrong("[30, 60, 300, 600, 900, 1800]", "[]").contains("at least one rest"));
    assert!(wrong("[false, true]", "[true, true]").contains(": trim: "));
    assert!(wrong("again_s = 1800", "again_s = 0").contains(": again_s: "));
    assert!(wrong("again_s = 1800", "").contains("missing field `again_s`"));
}

/// A target whose writes start at 40,000 IOPS after a rest and fall after `fast_samples` samples.
struct Rested {
    fast_samples: usize,
    rested: bool,
}

impl stend_load::target::Target for Rested {
    fn info(&self) -> stend_record::review::TargetInfo {
        Fake::simulated().info()
    }

    fn environment(&self) -> Vec<stend_record::review::Condition> {
        Vec::new()
    }

    fn run_observed(
        &mut self,
        job: &JobRequest<'_>,
        _: stend_load::target::Observer<'_>,
    ) -> Result<JobOutcome, TargetError> {
        let mut done = Fake::simulated().run(job)?;
        let fast = if self.rested { self.fast_samples } else { 0 };
        for (number, sample) in done.samples.iter_mut().enumerate() {
            sample.write_iops = if number < fast { 40_000.0 } else { 4000.0 };
        }
        Ok(done)
    }

    fn trim_all(&mut self) -> Result<(), TargetError> {
        Ok(())
    }

    fn idle(&mut self, _: f64) -> Result<(), TargetError> {
        self.rested = true;
        Ok(())
    }

    fn can_fork(&self) -> bool {
        true
    }

    fn fork(&mut self) -> Option<Box<dyn stend_load::target::Target>> {
        Some(Box::new(Rested {
            rested: false,
            ..*self
        }))
    }
}

#[test]
fn a_load_that_is_still_fast_at_its_end_is_warned_of() {
    let told = |fast_samples: usize| {
        let target = Rested {
            fast_samples,
            rested: false,
        };
        let options = ReviewOptions::default();
        let review = run_review(Box::new(target), &edition(), &options, &|_| {}).unwrap();
        let test = &review.tests[0];
        let rungs = test.rungs();
        let fell = rungs.iter().all(|rung| rung.fell);
        assert!(
            rungs
                .iter()
                .all(|rung| rung.fell == fell && rung.recovered_bytes > 0)
        );
        let warned = |w: &&Text| w.id() == Some("warning-still-fast");
        (fell, test.warnings.iter().filter(warned).count())
    };
    // A rung is measured for 600 samples: its speed falls within them or not. Reported once.
    assert_eq!(told(100), (true, 0));
    assert_eq!(told(600), (false, 1));
}
