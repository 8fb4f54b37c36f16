//! Tests of traces: replayed by the edition, shortened, saved one by one, kept on resuming.

use crate::common;

use std::sync::Mutex;

use common::{Fake, Fault, options, test};
use stend_load::target::Target;
use stend_method::{Edition, ReviewOptions, estimate, run_review};
use stend_record::review::{Review, TestResult, Text};

fn edition() -> Edition {
    Edition::load("2014").unwrap()
}

fn run(fake: Fake, options: &ReviewOptions<'_>) -> Review {
    run_review(Box::new(fake), &edition(), options, &|_| {}).unwrap()
}

fn ids(tests: &[TestResult]) -> Vec<&str> {
    tests.iter().map(|t| t.id.as_str()).collect()
}

#[test]
fn traces_are_replayed_as_the_edition_says_and_added_up() {
    let wanted = ["desktop-traces", "game-start"];
    for fake in [Fake::simulated(), Fake::real()] {
        let (spy, copied) = (fake.spy.clone(), fake.can_fork());
        let options = ReviewOptions {
            threads: 1,
            duration_scale: 1.0,
            ..options(&wanted)
        };
        let asked = estimate(&edition(), &options, &fake.info(), copied).unwrap();
        // 8,869 MB of the ten traces and 10 MB of the start, plus the time of the latter.
        let mb = asked.trace_bytes as f64 / 1e6;
        assert!((mb - 8_879.0).abs() < 0.1, "{mb}");
        assert!((600.0..900.0).contains(&asked.measured_s), "{asked:?}");
        let review = run(fake, &options);
        let log = spy.log.lock().unwrap();
        let replays: Vec<&str> = log
            .iter()
            .filter_map(|l| l.strip_prefix("replay "))
            .collect();
        assert_eq!(replays.len(), 11);
        assert!(
            replays.contains(&"photoshop-light original 256"),
            "{replays:?}"
        );
        assert!(replays.contains(&"game-start fast 2"), "{replays:?}");
        let test = test(&review, "desktop-traces");
        let traces = test.traces();
        let busy_s: f64 = traces.iter().map(|t| t.busy_s).sum();
        let overall = test.overall_bw_bytes_per_s().unwrap();
        assert!((overall * busy_s / 40e6 - 1.0).abs() < 1e-9, "{overall}");
        for trace in traces {
            assert_eq!(
                (trace.read_bytes, trace.written_bytes),
                (3_000_000, 1_000_000)
            );
            assert!((trace.bw_bytes_per_s * trace.busy_s / 4e6 - 1.0).abs() < 1e-9);
            assert!((trace.iops * trace.busy_s / 2000.0 - 1.0).abs() < 1e-9);
            assert_eq!(trace.write_amplification, copied.then_some(1.5));
            assert!(
                trace.limits[0]
                    .in_english()
                    .contains("synthesised desktop trace, seed 42")
            );
            // The target holds 64 MiB; the traces span gigabytes.
            assert!(trace.moved_requests > 1000, "{trace:?}");
            let warned = |w: &&Text| w.in_english().starts_with(&format!("{}: ", trace.name));
            assert_eq!(test.warnings.iter().filter(warned).count(), 1);
        }
        assert_eq!(test.jobs.len(), 10);
        let said = "; stend replay photoshop-light --on TARGET --seed 42 --timing original --depth \
                    256 --fit wrap\n; filled 2 times\n";
        assert_eq!(test.jobs[0].text, said);
    }
}

#[test]
fn a_shortened_run_replays_the_beginnings_of_traces_and_says_so() {
    let wanted = ["desktop-traces", "game-start"];
    let whole = ReviewOptions {
        duration_scale: 1.0,
        ..options(&wanted)
    };
    let tenth = ReviewOptions {
        duration_scale: 0.1,
        ..options(&wanted)
    };
    let asked = |options| estimate(&edition(), options, &Fake::real().info(), false).unwrap();
    let shares = asked(&tenth).measured_s / asked(&whole).measured_s;
    assert!((0.09..0.11).contains(&shares), "{shares}");
    assert!(asked(&tenth).trace_bytes < asked(&whole).trace_bytes / 4);
    let review = run(Fake::real(), &tenth);
    for (id, of) in [("desktop-traces", " s"), ("game-start", " requests")] {
        let test = test(&review, id);
        for (trace, job) in test.traces().iter().zip(&test.jobs) {
            let share = trace.replayed_share.unwrap();
            assert!((share - 0.1).abs() < 0.01, "{share}");
            let said = "only a beginning: the first 10";
            assert!(
                trace.limits[1].in_english().starts_with(said),
                "{:?}",
                trace.limits
            );
            assert!(
                trace.limits[1].in_english().ends_with(of),
                "{:?}",
                trace.limits
            );
            assert!(job.text.contains(" --duration-scale 0.1\n"), "{}", job.text);
        }
    }
    for test in run(Fake::real(), &whole).tests {
        for (trace, job) in test.traces().iter().zip(&test.jobs) {
            assert_eq!(trace.replayed_share, None);
            assert!(!job.text.contains("--duration-scale"), "{}", job.text);
        }
    }
}

/// Returns the review as saved when `count` traces of the test were finished, and at its end.
fn saved_with_traces(fake: Fake, options: &ReviewOptions<'_>, count: usize) -> [Review; 2] {
    let saved = Mutex::new(None);
    let save = |review: &Review| {
        let begun = review.unfinished.first();
        if begun.is_some_and(|test| test.traces().iter().count() == count) {
            saved.lock().unwrap().get_or_insert(review.clone());
        }
        Ok(())
    };
    let options = ReviewOptions {
        save: Some(&save),
        ..options.clone()
    };
    let whole = run(fake, &options);
    [saved.into_inner().unwrap().expect("each is saved"), whole]
}

#[test]
fn finished_traces_are_kept_and_not_replayed_again() {
    for fake in [Fake::simulated, Fake::real] {
        let wanted = ReviewOptions {
            duration_scale: 0.3,
            ..options(&["sequential", "desktop-traces"])
        };
        let [part, whole] = saved_with_traces(fake(), &wanted, 3);
        assert!(!part.complete && whole.unfinished.is_empty());
        assert_eq!(ids(&part.unfinished), ["desktop-traces"]);
        let again = fake();
        let (spy, copied) = (again.spy.clone(), again.can_fork());
        let resumed = ReviewOptions {
            resume: Some(part.clone()),
            ..wanted.clone()
        };
        let asked = |options| estimate(&edition(), options, &again.info(), copied).unwrap();
        assert!(asked(&resumed).trace_bytes < asked(&wanted).trace_bytes);
        let review = run(again, &resumed);
        let log = spy.log.lock().unwrap();
        let replays = log.iter().filter(|l| l.starts_with("replay ")).count();
        let begun = part.unfinished[0].traces();
        assert_eq!((begun.len(), replays), (3, 7), "{log:?}");
        let (test, before) = (
            test(&review, "desktop-traces"),
            test(&whole, "desktop-traces"),
        );
        if copied {
            // Each starts from its own copy, as if nothing had been interrupted.
            assert_eq!(test, before);
            continue;
        }
        let traces = test.traces();
        assert_eq!(traces[..3], begun[..]);
        let names = |test: &TestResult| -> Vec<String> {
            let jobs = test.jobs.iter().map(|job| job.name.in_english());
            let traces = test.traces().iter().map(|trace| trace.name.clone());
            jobs.chain(traces).collect()
        };
        assert_eq!(names(test), names(before));
        assert_eq!(test.warnings, before.warnings);
        let busy_s: f64 = traces.iter().map(|t| t.busy_s).sum();
        let overall = test.overall_bw_bytes_per_s().unwrap();
        assert!((overall * busy_s / 40e6 - 1.0).abs() < 1e-9, "{overall}");
    }
}

#[test]
fn a_test_that_fails_keeps_the_traces_before() {
    let fake = Fake::new(false, Fault::NoTool { on: "illustrator" });
    let wanted = options(&["desktop-traces"]);
    let review = run(fake, &wanted);
    assert_eq!(review.failed.len(), 1, "{:?}", review.tests);
    let begun = review.unfinished[0].traces().len();
    let fake = Fake::real();
    let spy = fake.spy.clone();
    let resumed = ReviewOptions {
        resume: Some(review),
        ..wanted
    };
    assert!(run(fake, &resumed).complete);
    let log = spy.log.lock().unwrap();
    let replays = log.iter().filter(|l| l.starts_with("replay ")).count();
    assert!(begun > 0 && begun + replays == 10, "{begun} {replays}");
}

#[test]
fn a_test_all_of_whose_traces_are_there_is_finished_at_once() {
    let wanted = options(&["desktop-traces"]);
    let [mut part, whole] = saved_with_traces(Fake::real(), &wanted, 9);
    part.unfinished = whole.tests.clone();
    let fake = Fake::real();
    let spy = fake.spy.clone();
    let resumed = ReviewOptions {
        resume: Some(part),
        ..wanted
    };
    let review = run(fake, &resumed);
    assert!(review.complete);
    assert_eq!(review.tests, whole.tests);
    assert_eq!(spy.log.lock().unwrap()[..], [""; 0]);
}

#[test]
fn idle_time_is_left_out_where_the_target_can() {
    let text = include_str!("../../../editions/2014.toml");
    let text = text.replace("timing = \"original\"", "timing = \"busy\"");
    let edition = Edition::parse(&text, "mine.toml").unwrap();
    for (fake, timing, words) in [
        (Fake::simulated(), "busy", 0),
        (Fake::real(), "original", 1),
    ] {
        let spy = fake.spy.clone();
        let options = options(&["desktop-traces"]);
        let review = run_review(Box::new(fake), &edition, &options, &|_| {}).unwrap();
        let log = spy.log.lock().unwrap();
        let said = format!("replay word {timing} 256");
        assert!(log.contains(&said), "{log:?}");
        let trace = &test(&review, "desktop-traces").traces()[0];
        let told = |l: &&Text| l.id() == Some("limit-original-times");
        assert_eq!(trace.limits.iter().filter(told).count(), words);
    }
}

#[test]
fn a_tool_too_old_for_traces_costs_no_other_test() {
    let fake = Fake::new(false, Fault::NoTool { on: "word" });
    let options = options(&["desktop-traces", "game-start"]);
    let review = run(fake, &options);
    assert_eq!(ids(&review.tests), ["game-start"]);
    assert_eq!(review.failed.len(), 1);
    assert_eq!(review.failed[0].id, "desktop-traces");
    assert!(review.failed[0].error.contains("too old"));
}
