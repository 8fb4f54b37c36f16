//! The engine on a fake target: order, states, independence of the number of threads, failures,
//! resuming.

use crate::common;

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use common::{ALL, CAPACITY_BYTES, Fake, Fault, options, test};
use stend_load::target::Target;
use stend_method::{Cost, Edition, Event, MethodError, ReviewOptions, estimate, run_review};
use stend_record::review::{Results, Review, TestResult, Text};

fn edition() -> Edition {
    Edition::load("2014").unwrap()
}

fn run(fake: Fake, options: &ReviewOptions<'_>) -> Review {
    run_review(Box::new(fake), &edition(), options, &|_| {}).unwrap()
}

fn ids(tests: &[TestResult]) -> Vec<&str> {
    tests.iter().map(|t| t.id.as_str()).collect()
}

/// Returns the number of results of a test.
fn results(test: &TestResult) -> usize {
    test.points().len()
        + test.curves().len()
        + test.benchmark().len()
        + test.traces().len()
        + test.files().len()
}

#[test]
fn the_whole_edition_yields_every_point_in_its_order() {
    let review = run(Fake::simulated(), &options(&[]));
    assert!(review.complete && review.failed.is_empty());
    assert_eq!(ids(&review.tests), ALL);
    let counts: Vec<usize> = review.tests.iter().map(results).collect();
    assert_eq!(counts, [2, 4, 12, 20, 11, 1, 3, 8, 10, 1, 1, 3, 1, 1]);
    let blocks: Vec<u64> = test(&review, "block-scaling").points()[..10]
        .iter()
        .map(|p| p.load.block_bytes)
        .collect();
    assert!(blocks.iter().enumerate().all(|(i, b)| *b == 512 << i));
    let mixed = test(&review, "mixed-sequential").points();
    let parts: Vec<usize> = mixed.iter().map(|p| p.parts.len()).collect();
    assert_eq!(parts, [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]);
    assert!(
        mixed
            .iter()
            .all(|p| p.load.threads == 2 && p.duration_s == 2.0)
    );
    let jobs = &test(&review, "random").jobs;
    assert_eq!(
        jobs[1].name.in_english(),
        "random read, 4 KiB, queue depth 4"
    );
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
        // The two prepared states, and one copy for each thread.
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
    // Work on files is not a job of fio.
    for test in review.tests.iter().filter(|t| t.files().is_empty()) {
        for job in &test.jobs {
            // `clean` was filled once, `filled` twice; more would mean another point's copy.
            let rw = common::option(&job.text, "rw").unwrap_or_default();
            let clean = rw.ends_with("write") || !test.benchmark().is_empty();
            let fills = if clean { 1 } else { 2 };
            let said = format!("; filled {fills} times\n");
            assert!(job.text.contains(&said), "{}: {}", job.name, job.text);
        }
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
    let jobs = review.tests.iter().flat_map(|t| &t.jobs);
    let mut seeds: Vec<(&str, String)> = jobs
        // Traces and files have none: all of theirs derive from the review's.
        .filter_map(|j| Some((common::option(&j.text, "randseed")?, j.name.in_english())))
        .collect();
    seeds.sort_unstable();
    let jobs = seeds.len();
    seeds.dedup_by_key(|(seed, _)| *seed);
    // Only one occurs twice: the fresh curve, under `degradation` and `recovery`.
    assert_eq!(seeds.len(), jobs - 1);
}

#[test]
fn recovery_continues_the_drive_that_degradation_left() {
    let fake = Fake::simulated();
    let spy = fake.spy.clone();
    let review = run(fake, &options(&["degradation", "recovery"]));
    let fresh = &test(&review, "degradation").curves()[0];
    let curves = test(&review, "recovery").curves();
    assert_eq!(*fresh, curves[0]);
    let names: Vec<&str> = curves.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["fresh", "after idle", "after TRIM"]);
    assert_eq!(fresh.samples.len(), 72);
    let log = spy.log.lock().unwrap();
    let chain = "rand-write-4096-t1-qd32 72 s";
    assert_eq!(
        log[..],
        [
            "fill 1 s",
            "trim",
            "idle 900 s",
            chain,
            "idle 900 s",
            chain,
            "trim",
            "idle 60 s",
            chain
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
        "idle 900 s",
        "fill 1 s",
        "idle 900 s",
        "seq-read-262144-t1-qd1 1 s",
        // `clean` again.
        "trim",
        "idle 900 s",
        "seq-write-262144-t1-qd1 1 s",
        // `filled` again.
        "trim",
        "idle 900 s",
        "fill 1 s",
        "idle 900 s",
        "rand-read-4096-t1-qd1 2 s",
        "rand-read-4096-t1-qd4 2 s",
        "trim",
        "idle 900 s",
        "rand-write-4096-t1-qd1 2 s",
        "rand-write-4096-t1-qd4 2 s",
        "trim",
        "idle 900 s",
        "fill 1 s",
        "idle 900 s",
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
    assert_eq!(asked.idle_s, idle * 900.0);
    assert_eq!(asked.measured_s, 2.0 + 4.0 * 2.0 + 11.0 * 2.0);
}

#[test]
fn rests_keep_their_length_on_every_target() {
    for (fake, scale) in [
        (Fake::simulated(), 0.01),
        (Fake::real(), 0.01),
        (Fake::real(), 1.0),
        (Fake::real(), 2.0),
    ] {
        let (spy, kind) = (fake.spy.clone(), fake.info().kind);
        let options = ReviewOptions {
            duration_scale: scale,
            ..options(&["sequential", "recovery", "crystaldiskmark"])
        };
        run(fake, &options);
        let log = spy.log.lock().unwrap();
        let rests = || log.iter().filter(|line| line.starts_with("idle "));
        assert!(rests().count() > 3, "{log:?}");
        let of_edition = ["idle 900 s", "idle 60 s", "idle 5 s"];
        let all = rests().all(|line| of_edition.contains(&line.as_str()));
        assert!(all, "{kind:?} {scale}: {log:?}");
    }
}

#[test]
fn a_state_that_only_reads_have_touched_is_kept() {
    let text = include_str!("../../../editions/2014.toml");
    let mut edition = Edition::parse(text, "2014").unwrap();
    for test in &mut edition.tests {
        if let stend_method::edition::TestKind::Points(sweeps) = &mut test.kind {
            sweeps.truncate(1);
        }
    }
    let fake = Fake::real();
    let spy = fake.spy.clone();
    let options = options(&["sequential", "random"]);
    run_review(Box::new(fake), &edition, &options, &|_| {}).unwrap();
    let log = spy.log.lock().unwrap();
    assert_eq!(log[5..7], ["seq-read-262144-t1-qd1 1 s", "idle 900 s"]);
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
        let mut counts: Vec<usize> = saved.iter().map(|r| r.tests.len()).collect();
        // Traces are saved one by one.
        counts.dedup();
        assert_eq!(counts, (1..=ALL.len()).collect::<Vec<_>>());
        let (last, before) = saved.split_last().unwrap();
        assert!(before.iter().all(|r| !r.complete));
        assert_eq!(*last, review);
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
                warnings.lock().unwrap().push(text.to_owned().in_english());
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
    // The writes of the failed test are skipped; `filled` is prepared again through `clean`.
    assert_eq!(log[5], "seq-read-262144-t1-qd1 1 s");
    assert_eq!(log[6..10], ["trim", "idle 900 s", "fill 1 s", "idle 900 s"]);
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
fn when_the_device_is_removed_the_rest_fails_at_once_and_what_was_done_stays() {
    let on = "rand-write-4096-t1-qd4";
    let fake = Fake::new(false, Fault::Removed { on });
    let spy = fake.spy.clone();
    let review = run(fake, &options(&[]));
    // The target cannot work on files, which was reported at the start.
    assert_eq!(
        ids(&review.tests),
        ["sequential", "file-copy", "archive", "unarchive"]
    );
    assert_eq!(review.failed.len(), ALL.len() - 4);
    assert!(review.failed.iter().all(|f| f.error.contains("removed")));
    let last = spy.log.lock().unwrap().last().cloned();
    assert!(last.is_some_and(|did| did.contains(on)));
}

#[test]
fn a_missing_tool_ends_everything_at_once() {
    let fake = Fake::new(false, Fault::NoTool { on: "fill" });
    let spy = fake.spy.clone();
    let kinds: Mutex<Vec<bool>> = Mutex::default();
    let review = run_review(Box::new(fake), &edition(), &options(&[]), &|event| {
        if let Event::TestFailed { error, .. } = event {
            let missing = matches!(error, stend_load::target::TargetError::ToolMissing(_));
            kinds.lock().unwrap().push(missing);
        }
    })
    .unwrap();
    // Work on files was skipped before.
    assert_eq!(review.failed.len(), ALL.len() - 3);
    assert_eq!(spy.log.lock().unwrap().len(), 1);
    assert_eq!(kinds.into_inner().unwrap(), [true; ALL.len() - 3]);
}

#[test]
fn a_failed_preparation_fails_what_waits_for_it() {
    // The second fill prepares `filled`; here the first fails, and both states with it.
    let review = run(Fake::new(true, Fault::Job { on: "fill" }), &options(&[]));
    assert!(review.tests.is_empty());
    assert_eq!(review.failed.len(), ALL.len());
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
        assert_eq!(review.tests.len(), ALL.len() - 1);
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
    // The second curve differs from the first only in its seed, so the fault is on the TRIM, which
    // the target refuses.
    struct NoTrimTwice(Fake, u32);
    impl Target for NoTrimTwice {
        fn info(&self) -> stend_record::review::TargetInfo {
            self.0.info()
        }
        fn environment(&self) -> Vec<stend_record::review::Condition> {
            Vec::new()
        }
        fn run_observed(
            &mut self,
            job: &stend_load::target::JobRequest<'_>,
            observer: stend_load::target::Observer<'_>,
        ) -> Result<stend_load::target::JobOutcome, stend_load::target::TargetError> {
            self.0.run_observed(job, observer)
        }
        fn trim_all(&mut self) -> Result<(), stend_load::target::TargetError> {
            self.1 += 1;
            match self.1 {
                2 => Err(stend_load::target::TargetError::Failed(
                    "TRIM refused".into(),
                )),
                _ => self.0.trim_all(),
            }
        }
        fn idle(&mut self, seconds: f64) -> Result<(), stend_load::target::TargetError> {
            self.0.idle(seconds)
        }
        fn fork(&mut self) -> Option<Box<dyn Target>> {
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
        assert_eq!(started.len(), ALL.len(), "each test starts once");
    }
}

/// The cost of each action is part of the remaining cost when it starts, and gone when the next
/// starts.
#[test]
fn what_is_left_is_told_part_by_part_and_comes_to_nothing() {
    let all = [
        ("2014", None),
        ("2018", Some("trim-response")),
        ("recovery-ladder", None),
        ("snia-pts", Some("steady-iops")),
    ];
    for (edition, only) in all {
        let edition = Edition::load(edition).unwrap();
        let options = options(only.as_slice());
        let seen = Mutex::new((Vec::new(), None));
        let see = |event: Event<'_>| {
            let (parts, whole) = &mut *seen.lock().unwrap();
            match event {
                Event::Planned { whole: told, .. } => *whole = Some(told),
                Event::Preparing { part, left, .. } | Event::PointStarted { part, left, .. } => {
                    parts.push((part, left));
                }
                Event::PointFinished { left, .. } => parts.push((Cost::default(), left)),
                _ => {}
            }
        };
        run_review(Box::new(Fake::real()), &edition, &options, &see).unwrap();
        let (parts, whole) = seen.into_inner().unwrap();
        assert_eq!(parts[0].1, whole.unwrap(), "{}", edition.id);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
        for pair in parts.windows(2) {
            let [(part, left), (_, next)] = pair else {
                unreachable!()
            };
            assert!(
                part.timed_s <= left.timed_s + 1e-9,
                "{}: {pair:?}",
                edition.id
            );
            // A curve of two tests starts twice; rounds that are not needed are subtracted at once.
            let gone = near(left.timed_s - next.timed_s, part.timed_s)
                && near(left.untimed - next.untimed, part.untimed);
            assert!(
                gone || left == next || next.timed_s < left.timed_s,
                "{pair:?}"
            );
        }
        let last = parts.last().unwrap().1;
        assert!(
            near(last.timed_s, 0.0) && near(last.untimed, 0.0),
            "{last:?}"
        );
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
    // Random at depth 1 belongs to `random` and to `depth-scaling`: one less than in a full run.
    let depth_1 = log
        .iter()
        .filter(|l| l.starts_with("rand-read-4096-t1-qd1 "));
    assert_eq!(depth_1.count(), 1);
    // `recovery` needs the drive as `degradation` left it: that test runs again.
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

/// `degradation` runs again with `recovery`; until it ends, the earlier result stays in any case.
#[test]
fn a_finished_test_that_is_made_again_is_not_lost_meanwhile() {
    let both = options(&["degradation", "recovery"]);
    let mut partial = run(Fake::real(), &both);
    partial.tests.retain(|test| test.id == "degradation");
    let old = &mut partial.tests[0].curves_mut()[0].samples[0].iops;
    *old += 1e9;
    let kept: Mutex<Vec<Review>> = Mutex::default();
    let keep = |review: &Review| {
        kept.lock().unwrap().push(review.clone());
        Ok(())
    };
    let again = ReviewOptions {
        resume: Some(partial.clone()),
        save: Some(&keep),
        ..both
    };
    let fault = Fault::Job { on: "rand-write" };
    let failed = run(Fake::new(false, fault), &again);
    assert_eq!(failed.tests, partial.tests);
    assert_eq!(failed.failed.len(), 1, "{:?}", failed.failed);
    assert!(failed.failed[0].id == "recovery" && !failed.complete);
    let whole = run(Fake::real(), &again);
    assert!(whole.complete);
    assert_eq!(ids(&whole.tests), ["degradation", "recovery"]);
    let fresh = |id: &str| test(&whole, id).curves()[0].clone();
    assert_eq!(fresh("degradation"), fresh("recovery"), "of one drive");
    assert_ne!(whole.tests[0], partial.tests[0]);
    for review in kept.lock().unwrap().iter() {
        assert_eq!(review.tests[0].id, "degradation");
    }
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
    assert!(warnings[0].in_english().contains("measured for 1 s"));
    assert!(test(&review, "degradation").warnings.is_empty());
    let durations = review.conditions.iter().find(|c| c.id == "durations");
    assert!(
        durations
            .unwrap()
            .value
            .in_english()
            .starts_with("shortened: ")
    );
}

#[test]
fn the_documentation_tells_what_a_real_drive_runs() {
    let options = ReviewOptions::default();
    let asked = estimate(&edition(), &options, &Fake::real().info(), false).unwrap();
    // Nine fills, and the file of the benchmark, which is larger than this target.
    assert_eq!(asked.fill_bytes, 10 * CAPACITY_BYTES);
    assert_eq!(asked.trace_bytes / 1_000_000, 8_909);
    let minutes = [asked.measured_s, asked.writing_s, asked.idle_s].map(|s| (s / 60.0).round());
    assert_eq!(minutes, [518.0, 447.0, 347.0]);
    let text = include_str!("../../../docs/methodology.md");
    for said in [
        "nine times",
        "1000 MiB",
        "8.9 GB",
        "8 h 38 min",
        "7 h 27 min",
        "5 h 47 min",
        "14 h 25 min",
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
        for point in test(&review, "random").points().iter() {
            assert_eq!(point.load.region_bytes, Some(16 << 20));
        }
        for job in &test(&review, "random").jobs {
            assert!(job.text.contains("\nsize=16777216\n"), "{}", job.text);
            assert!(
                job.name.in_english().ends_with(", in 16 MiB"),
                "{}",
                job.name
            );
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
        let series = pass.curves();
        assert_eq!(series[0].range_bytes, Some(CAPACITY_BYTES));
        assert!(
            review
                .conditions
                .iter()
                .any(|c| c.id == "region" && c.value.in_english().ends_with("16 MiB"))
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
            .points()
            .iter()
            .all(|p| p.load.region_bytes.is_none())
    );
    assert!(random.jobs.iter().all(|j| !j.text.contains("size=")));
    // The other warning is about the shortened run.
    let warnings = &random.warnings;
    let said = |w: &Text| {
        let w = w.in_english();
        w.contains("128 MiB") && w.contains("67.11 MB")
    };
    assert_eq!(
        warnings.iter().filter(|w| said(w)).count(),
        1,
        "{warnings:?}"
    );
    let region = review.conditions.iter().find(|c| c.id == "region").unwrap();
    assert!(
        region
            .value
            .in_english()
            .contains("more than the target holds"),
        "{region:?}"
    );
}

/// An edition with only the test of a deletion, for a target of [`CAPACITY_BYTES`].
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
        let (spy, copied) = (fake.spy.clone(), fake.can_fork());
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
        // Each part starts from the state, so a target that cannot be copied is filled again.
        let fills = if copied { 2 } else { 3 };
        assert_eq!(count("fill"), fills, "{log:?}");
        let written = CAPACITY_BYTES + (fills - 1) * (16 << 20) + 2 * (8 << 20);
        assert_eq!(asked.fill_bytes, written);
        results.push(test(&review, "trim-response").clone());
    }
    for result in &results {
        let parts = result.responses();
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
        // A shortened run reads for one second after the deletion, and every read is slow.
        assert!((9..=10).contains(&lost), "{lost}");
        assert!(matches!(result.results, Some(Results::Response(_))));
        assert!(result.jobs[0].text.contains("rw=randread"));
        assert!(
            result
                .warnings
                .iter()
                .any(|w| w.in_english().contains("shortest run")),
            "{:?}",
            result.warnings
        );
        assert!(
            !result
                .warnings
                .iter()
                .any(|w| w.in_english().contains("the target holds"))
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
    let part = &result.responses()[1];
    assert_eq!((part.region_bytes, part.file_bytes), (16 << 20, 32 << 20));
    assert!(
        result
            .warnings
            .iter()
            .any(|w| w.in_english().contains("a file of 64 MiB")
                && w.in_english().contains("a file of 32 MiB")),
        "{:?}",
        result.warnings
    );
}

/// The edition with every version of a benchmark.
fn versions() -> Edition {
    Edition::load("crystaldiskmark").unwrap()
}

#[test]
fn a_benchmark_writes_its_file_and_measures_in_its_own_order() {
    let of = |id: &str| -> Vec<String> {
        let fake = Fake::real();
        let spy = fake.spy.clone();
        let options = options(&[id]);
        let asked = estimate(&versions(), &options, &fake.info(), false).unwrap();
        let review = run_review(Box::new(fake), &versions(), &options, &|_| {}).unwrap();
        assert!(review.complete, "{:?}", review.failed);
        let log = spy.log.lock().unwrap().clone();
        // The fill of the state, and the file, which is larger than the target.
        assert_eq!(asked.fill_bytes, 2 * CAPACITY_BYTES);
        let runs = log.iter().filter(|l| l.contains("-qd")).count();
        assert_eq!(asked.measured_s, runs as f64, "passes of a second");
        log
    };
    let passes =
        |slug: &str, region: u64, count: usize| vec![format!("{slug}-in{region} 1 s"); count];
    let expected = |slugs: [&str; 8], region: u64, count: usize| -> Vec<String> {
        let begin = ["fill 1 s", "trim", "idle 900 s", "file 1 s"].map(str::to_owned);
        let pause = ["idle 5 s".to_owned()];
        let cells = slugs.map(|slug| passes(slug, region, count));
        [begin.to_vec(), cells.join(&pause[..])].concat()
    };
    let v3 = [
        "seq-read-1048576-t1-qd1",
        "seq-write-1048576-t1-qd1",
        "rand-read-524288-t1-qd1",
        "rand-write-524288-t1-qd1",
        "rand-read-4096-t1-qd1",
        "rand-write-4096-t1-qd1",
        "rand-read-4096-t1-qd32",
        "rand-write-4096-t1-qd32",
    ];
    assert_eq!(of("crystaldiskmark-3"), expected(v3, 1000 << 20, 5));
    let v5 = [
        "seq-read-131072-t1-qd32",
        "rand-read-4096-t1-qd32",
        "seq-read-1048576-t1-qd1",
        "rand-read-4096-t1-qd1",
        "seq-write-131072-t1-qd32",
        "rand-write-4096-t1-qd32",
        "seq-write-1048576-t1-qd1",
        "rand-write-4096-t1-qd1",
    ];
    assert_eq!(of("crystaldiskmark-5"), expected(v5, 1 << 30, 6));
    let mixed = of("crystaldiskmark-8-mix");
    assert_eq!(mixed.iter().filter(|l| l.contains("mixed70")).count(), 24);
    let mixed = mixed.iter().position(|l| l.contains("mixed70"));
    let last_write = of("crystaldiskmark-8-mix");
    let last_write = last_write.iter().rposition(|l| l.contains("-write-"));
    assert!(mixed > last_write);
}

#[test]
fn the_fastest_pass_counts_and_every_pass_is_kept() {
    for fake in [Fake::simulated(), Fake::real()] {
        let options = options(&["crystaldiskmark-9"]);
        let review = run_review(Box::new(fake), &versions(), &options, &|_| {}).unwrap();
        let test = test(&review, "crystaldiskmark-9");
        let cells = test.benchmark();
        assert_eq!(cells.len(), 8);
        // Every job is reported, including the discarded pass.
        assert_eq!(test.jobs.len(), 8 * 4);
        assert!(test.jobs[0].name.in_english().ends_with("discarded pass"));
        assert!(test.jobs[3].name.in_english().ends_with("pass 3 of 3"));
        for cell in cells {
            assert_eq!((cell.passes.len(), cell.duration_s), (3, 1.0));
            assert_eq!(cell.load.region_bytes, Some(CAPACITY_BYTES));
            let speeds = cell.passes.iter().map(|p| p.bw_bytes_per_s);
            assert_eq!(cell.best_bw_bytes_per_s, speeds.fold(0.0, f64::max));
            let means = cell.passes.iter().map(|p| p.latency_ns.mean);
            assert_eq!(cell.best_mean_latency_ns, means.fold(f64::MAX, f64::min));
            assert_ne!(
                cell.passes[0], cell.passes[1],
                "each pass has a seed of its own"
            );
        }
        let said = |what: &str| test.warnings.iter().any(|w| w.in_english().contains(what));
        assert!(
            said("shortest run") && said("the region of 1 GiB"),
            "{:?}",
            test.warnings
        );
    }
}
