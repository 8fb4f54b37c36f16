//! The engine on a fake target: order, states, independence of the number of threads,
//! failures, resuming.

mod common;

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use common::{CAPACITY_BYTES, Fake, Fault};
use stend_method::{Edition, Event, MethodError, ReviewOptions, estimate, run_review};
use stend_record::review::{JobText, Review, TestResult};
use stend_target::Target;

fn edition() -> Edition {
    Edition::load("2014").unwrap()
}

fn options(tests: &[&str]) -> ReviewOptions<'static> {
    ReviewOptions {
        tests: (!tests.is_empty()).then(|| tests.iter().map(|t| t.to_string()).collect()),
        seed: 42,
        duration_scale: 0.01,
        threads: 2,
        ..ReviewOptions::default()
    }
}

fn run(fake: Fake, options: &ReviewOptions<'_>) -> Review {
    run_review(Box::new(fake), &edition(), options, &|_| {}).unwrap()
}

fn ids(tests: &[TestResult]) -> Vec<&str> {
    tests.iter().map(|t| t.id.as_str()).collect()
}

fn test<'r>(review: &'r Review, id: &str) -> &'r TestResult {
    review.tests.iter().find(|t| t.id == id).unwrap()
}

/// All but the work on files.
fn jobs_of_fio(review: &Review) -> impl Iterator<Item = &JobText> {
    let tests = review.tests.iter().filter(|t| t.files.is_none());
    tests.flat_map(|t| &t.jobs)
}

const ALL: [&str; 10] = [
    "sequential",
    "random",
    "depth-scaling",
    "block-scaling",
    "mixed-sequential",
    "degradation",
    "recovery",
    "file-copy",
    "archive",
    "unarchive",
];

#[test]
fn the_whole_edition_yields_every_point_in_its_order() {
    let review = run(Fake::simulated(), &options(&[]));
    assert!(review.complete && review.failed.is_empty());
    assert_eq!(ids(&review.tests), ALL);
    let counts: Vec<usize> = review
        .tests
        .iter()
        .map(|t| {
            t.points.as_ref().map_or(0, Vec::len)
                + t.series.as_ref().map_or(0, Vec::len)
                + t.files.as_ref().map_or(0, Vec::len)
        })
        .collect();
    assert_eq!(counts, [2, 4, 12, 20, 11, 1, 3, 3, 1, 1]);
    let blocks: Vec<u64> = test(&review, "block-scaling").points.as_ref().unwrap()[..10]
        .iter()
        .map(|p| p.block_bytes)
        .collect();
    assert!(blocks.iter().enumerate().all(|(i, b)| *b == 512 << i));
    let mixed = test(&review, "mixed-sequential").points.as_ref().unwrap();
    let parts: Vec<usize> = mixed.iter().map(|p| p.parts.len()).collect();
    assert_eq!(parts, [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]);
    assert!(mixed.iter().all(|p| p.threads == 2 && p.duration_s == 2.0));
    let jobs = &test(&review, "random").jobs;
    assert_eq!(jobs[1].name, "random read, 4 KiB, queue depth 4");
    assert!(
        jobs[1]
            .text
            .starts_with("; filled 2 times\n[global]\nrw=randread\n")
    );
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let text = |threads| {
        let options = ReviewOptions {
            threads,
            ..options(&[])
        };
        let fake = Fake::simulated();
        let spy = fake.spy.clone();
        let review = run(fake, &options);
        let most = spy.alive_max.load(Ordering::SeqCst);
        // The two prepared states, and one copy a thread.
        assert!(most <= threads + 2, "{most} copies with {threads} threads");
        serde_json::to_string(&review).unwrap()
    };
    let one = text(1);
    for threads in [2, 5, 2, 5] {
        assert_eq!(one, text(threads));
    }
}

#[test]
fn a_test_alone_yields_what_it_yields_among_others() {
    let all = run(Fake::simulated(), &options(&[]));
    for id in ALL {
        let alone = run(Fake::simulated(), &options(&[id]));
        assert_eq!(alone.tests.len(), 1);
        assert_eq!(alone.tests[0], *test(&all, id), "{id}");
    }
}

#[test]
fn every_point_starts_from_the_state_its_sweep_names() {
    let review = run(Fake::simulated(), &options(&[]));
    for job in jobs_of_fio(&review) {
        // `clean` was filled once, `filled` twice; more would be another point's copy.
        let rw = common::option(&job.text, "rw").unwrap();
        let fills = if rw.ends_with("write") { 1 } else { 2 };
        let said = format!("; filled {fills} times\n");
        assert!(job.text.starts_with(&said), "{}: {}", job.name, job.text);
    }
}

#[test]
fn the_seed_reaches_every_job() {
    let a = run(Fake::simulated(), &options(&["random"]));
    let other = ReviewOptions {
        seed: 43,
        ..options(&["random"])
    };
    let b = run(Fake::simulated(), &other);
    for (a, b) in a.tests[0].jobs.iter().zip(&b.tests[0].jobs) {
        assert_ne!(
            common::option(&a.text, "randseed"),
            common::option(&b.text, "randseed")
        );
    }
}

#[test]
fn no_two_measurements_share_a_seed() {
    let review = run(Fake::simulated(), &options(&[]));
    let jobs = jobs_of_fio(&review);
    let mut seeds: Vec<(&str, &str)> = jobs
        .map(|j| {
            (
                common::option(&j.text, "randseed").unwrap(),
                j.name.as_str(),
            )
        })
        .collect();
    seeds.sort_unstable();
    let jobs = seeds.len();
    seeds.dedup_by_key(|(seed, _)| *seed);
    // One only stands twice: the fresh curve, under `degradation` and `recovery`.
    assert_eq!(seeds.len(), jobs - 1);
}

#[test]
fn recovery_continues_the_drive_that_degradation_left() {
    let fake = Fake::simulated();
    let spy = fake.spy.clone();
    let review = run(fake, &options(&["degradation", "recovery"]));
    let fresh = &test(&review, "degradation").series.as_ref().unwrap()[0];
    let curves = test(&review, "recovery").series.as_ref().unwrap();
    assert_eq!(*fresh, curves[0]);
    let names: Vec<&str> = curves.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["fresh", "after idle", "after TRIM"]);
    assert_eq!(fresh.samples.len(), 72);
    let log = spy.log.lock().unwrap();
    let chain = "rand-write-4096-t1-qd32 72 s";
    assert_eq!(
        log[..],
        [
            "fill 1 s", "trim", "idle 9 s", chain, "idle 9 s", chain, "trim", chain
        ]
    );
}

#[test]
fn one_drive_is_brought_to_its_state_before_each_test() {
    let fake = Fake::real();
    let spy = fake.spy.clone();
    let options = options(&["sequential", "random", "mixed-sequential"]);
    let asked = estimate(&edition(), &options, &fake.info(), false).unwrap();
    run(fake, &options);
    let log = spy.log.lock().unwrap();
    let expected = [
        // Prepared for the first time: filled for `clean`, then for `filled`.
        "fill 1 s",
        "trim",
        "idle 9 s",
        "fill 1 s",
        "idle 9 s",
        "seq-read-262144-t1-qd1 1 s",
        // `clean` again.
        "trim",
        "idle 9 s",
        "seq-write-262144-t1-qd1 1 s",
        // `filled` again.
        "trim",
        "idle 9 s",
        "fill 1 s",
        "idle 9 s",
        "rand-read-4096-t1-qd1 2 s",
        "rand-read-4096-t1-qd4 2 s",
        "trim",
        "idle 9 s",
        "rand-write-4096-t1-qd1 2 s",
        "rand-write-4096-t1-qd4 2 s",
        "trim",
        "idle 9 s",
        "fill 1 s",
        "idle 9 s",
    ];
    assert_eq!(log[..expected.len()], expected);
    assert!(
        log[expected.len()..]
            .iter()
            .all(|l| l.starts_with("seq-mixed")),
        "{log:?}"
    );
    let fills = log.iter().filter(|l| l.starts_with("fill")).count() as u64;
    assert_eq!(asked.fill_bytes, fills * CAPACITY_BYTES);
    let idle = log.iter().filter(|l| l.starts_with("idle")).count() as f64;
    assert_eq!(asked.idle_s, idle * 9.0);
    assert_eq!(asked.measured_s, 2.0 + 4.0 * 2.0 + 11.0 * 2.0);
}

#[test]
fn a_state_that_only_reads_have_touched_is_kept() {
    let text = include_str!("../../../editions/2014.toml");
    let mut edition = Edition::parse(text, "2014").unwrap();
    for test in &mut edition.tests {
        if let stend_method::edition::TestKind::Sweeps(sweeps) = &mut test.kind {
            sweeps.truncate(1);
        }
    }
    let fake = Fake::real();
    let spy = fake.spy.clone();
    let options = options(&["sequential", "random"]);
    run_review(Box::new(fake), &edition, &options, &|_| {}).unwrap();
    let log = spy.log.lock().unwrap();
    assert_eq!(log[5..7], ["seq-read-262144-t1-qd1 1 s", "idle 9 s"]);
    assert_eq!(log[7], "rand-read-4096-t1-qd1 2 s");
}

#[test]
fn every_finished_test_is_saved_at_once() {
    for fake in [Fake::simulated(), Fake::real()] {
        let saved: Mutex<Vec<Review>> = Mutex::default();
        let save = |review: &Review| {
            saved.lock().unwrap().push(review.clone());
            Ok(())
        };
        let options = ReviewOptions {
            save: Some(&save),
            ..options(&[])
        };
        let review = run(fake, &options);
        let saved = saved.into_inner().unwrap();
        let counts: Vec<usize> = saved.iter().map(|r| r.tests.len()).collect();
        assert_eq!(counts, (1..=10).collect::<Vec<usize>>());
        assert!(saved[..9].iter().all(|r| !r.complete));
        assert_eq!(saved[9], review);
    }
}

#[test]
fn what_cannot_be_saved_is_a_warning() {
    let warnings: Mutex<Vec<String>> = Mutex::default();
    let options = ReviewOptions {
        save: Some(&|_| Err("no space left".to_owned())),
        ..options(&["random"])
    };
    let review = run_review(
        Box::new(Fake::simulated()),
        &edition(),
        &options,
        &|event| {
            if let Event::Warning { text } = event {
                warnings.lock().unwrap().push(text.to_owned());
            }
        },
    );
    assert!(review.unwrap().complete);
    let warnings = warnings.into_inner().unwrap();
    assert_eq!(
        warnings,
        ["what is finished could not be saved: no space left"]
    );
}

#[test]
fn a_failing_job_costs_its_test_and_no_other() {
    for can_be_copied in [true, false] {
        let fault = Fault::Job { on: "seq-mixed40" };
        let review = run(Fake::new(can_be_copied, fault), &options(&[]));
        assert!(!review.complete);
        assert_eq!(review.failed.len(), 1);
        assert_eq!(review.failed[0].id, "mixed-sequential");
        assert!(
            review.failed[0]
                .error
                .contains("fio was killed in seq-mixed40")
        );
        let left: Vec<&str> = ALL
            .into_iter()
            .filter(|t| *t != "mixed-sequential")
            .collect();
        assert_eq!(ids(&review.tests), left);
    }
}

#[test]
fn after_a_failure_the_state_is_made_anew() {
    let fake = Fake::new(false, Fault::Job { on: "seq-read" });
    let spy = fake.spy.clone();
    run(fake, &options(&["sequential", "random"]));
    let log = spy.log.lock().unwrap();
    // The writes of the failed test are left out; `filled` comes back by way of `clean`.
    assert_eq!(log[5], "seq-read-262144-t1-qd1 1 s");
    assert_eq!(log[6..10], ["trim", "idle 9 s", "fill 1 s", "idle 9 s"]);
    assert_eq!(log[10], "rand-read-4096-t1-qd1 2 s");
}

#[test]
fn the_error_told_is_the_first_in_the_editions_order() {
    let errors: Vec<String> = [1, 2, 5, 2]
        .map(|threads| {
            let options = ReviewOptions {
                threads,
                ..options(&["block-scaling"])
            };
            let fault = Fault::Job { on: "rand-write" };
            run(Fake::new(true, fault), &options).failed[0]
                .error
                .clone()
        })
        .into();
    assert!(errors[0].contains("rand-write-512-"), "{}", errors[0]);
    assert!(errors.iter().all(|e| *e == errors[0]));
}

#[test]
fn when_the_device_goes_away_the_rest_fails_and_what_was_done_stays() {
    let fault = Fault::Gone {
        on: "rand-write-4096-t1-qd4",
    };
    let review = run(Fake::new(false, fault), &options(&[]));
    // The target can do no work on files, which was said at once.
    assert_eq!(
        ids(&review.tests),
        ["sequential", "file-copy", "archive", "unarchive"]
    );
    assert_eq!(review.failed.len(), 6);
    assert!(review.failed[0].error.contains("went away"));
    assert!(review.failed[1..].iter().all(|f| f.error.contains("gone")));
}

#[test]
fn a_missing_tool_ends_everything_at_once() {
    let fake = Fake::new(false, Fault::NoTool { on: "fill" });
    let spy = fake.spy.clone();
    let kinds: Mutex<Vec<bool>> = Mutex::default();
    let review = run_review(Box::new(fake), &edition(), &options(&[]), &|event| {
        if let Event::TestFailed { error, .. } = event {
            let missing = matches!(error, stend_target::TargetError::ToolMissing(_));
            kinds.lock().unwrap().push(missing);
        }
    })
    .unwrap();
    assert_eq!(review.failed.len(), 7);
    assert_eq!(spy.log.lock().unwrap().len(), 1);
    assert_eq!(kinds.into_inner().unwrap(), [true; 7]);
}

#[test]
fn a_failed_preparation_fails_what_waits_for_it() {
    // The second fill makes `filled`; here the first fails, and both states with it.
    let review = run(Fake::new(true, Fault::Job { on: "fill" }), &options(&[]));
    assert!(review.tests.is_empty());
    assert_eq!(review.failed.len(), 10);
}

#[test]
fn a_panic_of_the_target_is_a_failed_test() {
    for threads in [1, 2] {
        let options = ReviewOptions {
            threads,
            ..options(&[])
        };
        let fault = Fault::Panic {
            on: "rand-read-512-",
        };
        let review = run(Fake::new(true, fault), &options);
        assert_eq!(review.failed.len(), 1);
        assert_eq!(review.failed[0].id, "block-scaling");
        assert!(review.failed[0].error.contains("index out of bounds"));
        assert_eq!(review.tests.len(), 9);
    }
}

#[test]
fn a_target_that_stops_giving_copies_fails_in_words() {
    let review = run(Fake::new(true, Fault::NoCopyAfter(3)), &options(&[]));
    assert!(!review.failed.is_empty());
    assert!(review.failed[0].error.contains("could not be copied"));
}

#[test]
fn a_chain_keeps_the_curve_that_was_finished() {
    // The second curve differs from the first by nothing but its seed: the fault is on
    // the TRIM, which a fake that is gone refuses.
    struct NoTrimTwice(Fake, u32);
    impl Target for NoTrimTwice {
        fn info(&self) -> stend_record::review::TargetInfo {
            self.0.info()
        }
        fn environment(&self) -> Vec<stend_record::review::Condition> {
            Vec::new()
        }
        fn run(
            &mut self,
            job: &stend_target::JobRequest<'_>,
        ) -> Result<stend_target::JobOutcome, stend_target::TargetError> {
            self.0.run(job)
        }
        fn run_logged(
            &mut self,
            job: &stend_target::JobRequest<'_>,
            deletion: Option<&stend_target::Deletion>,
        ) -> Result<stend_target::LoggedOutcome, stend_target::TargetError> {
            self.0.run_logged(job, deletion)
        }
        fn trim_all(&mut self) -> Result<(), stend_target::TargetError> {
            self.1 += 1;
            match self.1 {
                2 => Err(stend_target::TargetError::Failed("TRIM refused".into())),
                _ => self.0.trim_all(),
            }
        }
        fn idle(&mut self, seconds: f64) -> Result<(), stend_target::TargetError> {
            self.0.idle(seconds)
        }
        fn fork(&self) -> Option<Box<dyn Target>> {
            None
        }
    }
    let target = Box::new(NoTrimTwice(Fake::real(), 0));
    let options = options(&["degradation", "recovery"]);
    let review = run_review(target, &edition(), &options, &|_| {}).unwrap();
    assert_eq!(ids(&review.tests), ["degradation"]);
    assert_eq!(review.failed[0].id, "recovery");
    assert!(review.failed[0].error.contains("TRIM refused"));
}

#[test]
fn shares_of_work_rise_to_one() {
    for fake in [Fake::simulated(), Fake::real()] {
        let shares: Mutex<Vec<f64>> = Mutex::default();
        let order: Mutex<Vec<String>> = Mutex::default();
        let observe = |event: Event<'_>| match event {
            Event::Preparing { share_done, .. }
            | Event::PointFinished { share_done, .. }
            | Event::TestFinished { share_done, .. } => shares.lock().unwrap().push(share_done),
            Event::TestStarted { test, .. } => order.lock().unwrap().push(test.to_owned()),
            _ => {}
        };
        run_review(Box::new(fake), &edition(), &options(&[]), &observe).unwrap();
        let shares = shares.into_inner().unwrap();
        assert!(shares.is_sorted());
        assert!((shares[shares.len() - 1] - 1.0).abs() < 1e-6, "{shares:?}");
        let mut started = order.into_inner().unwrap();
        started.sort();
        started.dedup();
        assert_eq!(started.len(), 10, "each test starts once");
    }
}

#[test]
fn bad_requests_are_refused_before_anything_is_done() {
    let refuse = |options: &ReviewOptions<'_>| {
        let fake = Fake::real();
        let spy = fake.spy.clone();
        let error = run_review(Box::new(fake), &edition(), options, &|_| {}).unwrap_err();
        assert!(spy.log.lock().unwrap().is_empty());
        error
    };
    let error = refuse(&options(&["random", "randon"]));
    assert_eq!(
        error.to_string(),
        format!(
            "edition 2014 has no test `randon`; it has: {}",
            ALL.join(", ")
        )
    );
    let none = ReviewOptions {
        tests: Some(Vec::new()),
        ..options(&[])
    };
    assert!(matches!(refuse(&none), MethodError::NoTest { .. }));
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let bad = ReviewOptions {
            duration_scale: scale,
            ..options(&[])
        };
        assert!(matches!(refuse(&bad), MethodError::DurationScale(_)));
    }
}

#[test]
fn a_review_goes_on_from_what_was_finished() {
    let whole = run(Fake::simulated(), &options(&[]));
    let mut partial = whole.clone();
    partial
        .tests
        .retain(|t| t.id == "random" || t.id == "degradation");
    let fake = Fake::simulated();
    let spy = fake.spy.clone();
    let again = ReviewOptions {
        resume: Some(partial.clone()),
        ..options(&[])
    };
    assert_eq!(run(fake, &again), whole);
    let log = spy.log.lock().unwrap();
    // Random at depth 1 belongs to `random` and to `depth-scaling`: once less than in all.
    let depth_1 = log
        .iter()
        .filter(|l| l.starts_with("rand-read-4096-t1-qd1 "));
    assert_eq!(depth_1.count(), 1);
    // `recovery` needs the drive that `degradation` leaves: that is run again.
    let chain = log
        .iter()
        .filter(|l| l.starts_with("rand-write-4096-t1-qd32 72"));
    assert_eq!(chain.count(), 3);

    let other_seed = ReviewOptions {
        seed: 43,
        ..again.clone()
    };
    let error = run_review(
        Box::new(Fake::simulated()),
        &edition(),
        &other_seed,
        &|_| {},
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("its seed is 42, now it is 43")
    );
}

#[test]
fn runs_below_a_second_are_lengthened_and_say_so() {
    let short = ReviewOptions {
        duration_scale: 0.001,
        ..options(&["sequential", "degradation"])
    };
    let review = run(Fake::simulated(), &short);
    let warnings = &test(&review, "sequential").warnings;
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("measured for 1 s"));
    assert!(test(&review, "degradation").warnings.is_empty());
    let durations = review.conditions.iter().find(|c| c.name == "durations");
    assert!(durations.unwrap().value.starts_with("shortened: "));
}

#[test]
fn the_documentation_tells_what_a_real_drive_is_asked_for() {
    let options = ReviewOptions::default();
    let asked = estimate(&edition(), &options, &Fake::real().info(), false).unwrap();
    assert_eq!(asked.fill_bytes, 6 * CAPACITY_BYTES);
    let minutes = [asked.measured_s, asked.writing_s, asked.idle_s].map(|s| s / 60.0);
    assert_eq!(minutes, [503.0, 445.0, 240.0]);
    let text = include_str!("../../../docs/methodology.md");
    for said in [
        "six times",
        "8 h 23 min",
        "7 h 25 min",
        "4 hours",
        "12 h 23 min",
    ] {
        assert!(text.contains(said), "{said}");
    }
}

/// An edition of one region and one pass, for a target of [`CAPACITY_BYTES`].
fn regional(region_bytes: u64) -> Edition {
    let text = include_str!("../../../editions/2016b.toml");
    Edition::parse(
        &text.replace("34_359_738_368", &region_bytes.to_string()),
        "mine.toml",
    )
    .unwrap()
}

#[test]
fn a_region_bounds_points_and_the_fill_of_their_state() {
    let edition = regional(16 << 20);
    for fake in [Fake::simulated(), Fake::real()] {
        let options = options(&["random", "mixed-sequential", "linear-fill"]);
        let asked = estimate(&edition, &options, &fake.info(), false).unwrap();
        let review = run_review(Box::new(fake), &edition, &options, &|_| {}).unwrap();
        for point in test(&review, "random").points.iter().flatten() {
            assert_eq!(point.region_bytes, Some(16 << 20));
        }
        for job in &test(&review, "random").jobs {
            assert!(job.text.contains("\nsize=16777216\n"), "{}", job.text);
            assert!(job.name.ends_with(", in 16 MiB"), "{}", job.name);
        }
        for job in &test(&review, "mixed-sequential").jobs {
            assert!(
                job.text.contains("offset=8388608\nsize=8388608\n"),
                "{}",
                job.text
            );
        }
        let pass = test(&review, "linear-fill");
        assert!(
            !pass.jobs[0].text.contains("runtime"),
            "{}",
            pass.jobs[0].text
        );
        let series = pass.series.as_ref().unwrap();
        assert_eq!(series[0].range_bytes, Some(CAPACITY_BYTES));
        assert!(
            review
                .conditions
                .iter()
                .any(|c| c.name == "region" && c.value.ends_with("16 MiB"))
        );
        // Clean, filled twice after two tests that write, and the pass itself.
        let fills = 2 * CAPACITY_BYTES + 2 * (16 << 20);
        assert_eq!(asked.fill_bytes, fills);
    }
}

#[test]
fn a_target_smaller_than_the_region_says_so() {
    let edition = regional(128 << 20);
    let options = options(&["random"]);
    let review = run_review(Box::new(Fake::simulated()), &edition, &options, &|_| {}).unwrap();
    let random = test(&review, "random");
    assert!(
        random
            .points
            .iter()
            .flatten()
            .all(|p| p.region_bytes.is_none())
    );
    assert!(random.jobs.iter().all(|j| !j.text.contains("size=")));
    // The other warning is of the shortened run.
    let warnings = &random.warnings;
    let said = |w: &String| w.contains("128 MiB") && w.contains("0.07 GB");
    assert_eq!(
        warnings.iter().filter(|w| said(w)).count(),
        1,
        "{warnings:?}"
    );
    let region = review
        .conditions
        .iter()
        .find(|c| c.name == "region")
        .unwrap();
    assert!(
        region.value.contains("more than the target holds"),
        "{region:?}"
    );
}

/// An edition of the one test of a deletion, for a target of [`CAPACITY_BYTES`].
fn deletion(file_bytes: u64) -> Edition {
    let text = include_str!("../../../editions/2018.toml")
        .replace(
            "file_bytes = 34_359_738_368",
            &format!("file_bytes = {file_bytes}"),
        )
        .replace("34_359_738_368", "16_777_216")
        .replace("134_217_728", "2_097_152");
    Edition::parse(&text, "mine.toml").unwrap()
}

#[test]
fn a_file_is_written_then_deleted_while_reads_go_on() {
    let options = options(&["trim-response"]);
    let edition = deletion(8 << 20);
    let mut results = Vec::new();
    for fake in [Fake::simulated(), Fake::real()] {
        let (spy, copied) = (fake.spy.clone(), fake.fork().is_some());
        let asked = estimate(&edition, &options, &fake.info(), copied).unwrap();
        let review = run_review(Box::new(fake), &edition, &options, &|_| {}).unwrap();
        assert!(review.complete, "{:?}", review.failed);
        let log = spy.log.lock().unwrap();
        let count = |what: &str| log.iter().filter(|l| l.starts_with(what)).count() as u64;
        assert_eq!(count("file"), 2);
        assert_eq!(
            log.iter().find(|l| l.starts_with("trim ")).unwrap(),
            "trim 8388608 at 16777216 by 2097152 after 1 s"
        );
        assert_eq!(count("trim "), 1, "{log:?}");
        // Each part starts from the state: a target that cannot be copied is filled again.
        let fills = if copied { 2 } else { 3 };
        assert_eq!(count("fill"), fills, "{log:?}");
        let written = CAPACITY_BYTES + (fills - 1) * (16 << 20) + 2 * (8 << 20);
        assert_eq!(asked.fill_bytes, written);
        results.push(test(&review, "trim-response").clone());
    }
    for result in &results {
        let parts = result.responses.as_ref().unwrap();
        let names: Vec<&str> = parts.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["without TRIM", "with TRIM"]);
        assert_eq!(
            (parts[0].region_bytes, parts[0].file_bytes),
            (16 << 20, 8 << 20)
        );
        assert_eq!((parts[0].trim_s, parts[1].trim_s), (None, Some(0.3)));
        assert_eq!(parts[1].command_bytes, Some(2 << 20));
        assert!(
            parts
                .iter()
                .all(|p| (p.reference_iops - 1_000.0).abs() < 2.0)
        );
        assert_eq!(
            (parts[0].latency_ns.max, parts[1].latency_ns.max),
            (1_000_000, 10_000_000)
        );
        let lost = parts[1].intervals.iter().filter(|i| i.iops < 500.0).count();
        // A shortened run reads for a second after the deletion, all of it slow.
        assert!((9..=10).contains(&lost), "{lost}");
        assert!(result.points.is_none() && result.series.is_none());
        assert!(result.jobs[0].text.contains("rw=randread"));
        assert!(
            result.warnings.iter().any(|w| w.contains("shortest run")),
            "{:?}",
            result.warnings
        );
        assert!(
            !result
                .warnings
                .iter()
                .any(|w| w.contains("the target holds"))
        );
    }
}

#[test]
fn a_file_that_does_not_fit_is_made_smaller_and_said() {
    let review = run_review(
        Box::new(Fake::simulated()),
        &deletion(64 << 20),
        &options(&["trim-response"]),
        &|_| {},
    )
    .unwrap();
    let result = test(&review, "trim-response");
    let part = &result.responses.as_ref().unwrap()[1];
    assert_eq!((part.region_bytes, part.file_bytes), (16 << 20, 32 << 20));
    assert!(
        result
            .warnings
            .iter()
            .any(|w| w.contains("a file of 64 MiB") && w.contains("a file of 32 MiB")),
        "{:?}",
        result.warnings
    );
}

/// The edition of 2014 with sets that a target of [`CAPACITY_BYTES`] holds twice.
fn on_files(set_bytes: u64) -> Edition {
    let text = include_str!("../../../editions/2014.toml")
        .replace("8_589_934_592", &set_bytes.to_string());
    Edition::parse(&text, "mine.toml").unwrap()
}

const FILES: [&str; 3] = ["file-copy", "archive", "unarchive"];

#[test]
fn sets_are_copied_and_packed_each_from_the_state() {
    for fake in [Fake::simulated(), Fake::directory()] {
        let (spy, copied) = (fake.spy.clone(), fake.fork().is_some());
        let (edition, options) = (on_files(16 << 20), options(&FILES));
        let asked = estimate(&edition, &options, &fake.info(), copied).unwrap();
        let review = run_review(Box::new(fake), &edition, &options, &|_| {}).unwrap();
        assert!(review.complete, "{:?}", review.failed);
        let log = spy.log.lock().unwrap();
        let rest_s = 900.0 * options.duration_scale;
        for what in [
            "copy iso",
            "copy program",
            "copy work",
            "archive work",
            "unarchive work",
        ] {
            let line = format!("{what} 16777216 {rest_s}");
            assert_eq!(log.iter().filter(|l| **l == line).count(), 1, "{log:?}");
        }
        // One that cannot be copied is trimmed before each set.
        let trims = log.iter().filter(|l| *l == "trim").count();
        assert_eq!(trims, if copied { 1 } else { 5 }, "{log:?}");
        assert_eq!(asked.fill_bytes, CAPACITY_BYTES + 5 * 2 * (16 << 20));
        let works = test(&review, "file-copy").files.clone().unwrap();
        let sets: Vec<&str> = works.iter().map(|w| w.set.as_str()).collect();
        assert_eq!(sets, ["iso", "program", "work"]);
        for work in &works {
            assert_eq!((work.set_bytes, work.scaled), (16 << 20, false));
            assert!((work.bw_bytes_per_s / 1e9 - 1.0).abs() < 1e-9);
        }
        // The same files, whatever is done with them.
        let archived = test(&review, "archive").files.clone().unwrap();
        assert_eq!(archived[0].files, works[2].files);
        assert_ne!(works[0].files, works[1].files);
        assert_eq!(test(&review, "archive").warnings, ["work: a limit"]);
        assert!(test(&review, "unarchive").points.is_none());
    }
}

#[test]
fn sets_that_do_not_fit_twice_are_scaled_and_said() {
    let fake = Box::new(Fake::simulated());
    let review = run_review(fake, &on_files(8 << 30), &options(&FILES), &|_| {}).unwrap();
    let result = test(&review, "archive");
    let work = &result.files.as_ref().unwrap()[0];
    assert_eq!((work.set_bytes, work.scaled), (25 << 20, true));
    let said = result.warnings.iter().find(|w| w.starts_with("SCALED"));
    assert!(said.unwrap().contains("25 MiB"), "{said:?}");
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
        assert!(result.files.is_none() && result.jobs.is_empty());
        let why = &result.warnings[..];
        assert!(
            why.len() == 1 && why[0].contains("stend review DIR"),
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
