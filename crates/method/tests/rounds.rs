//! Rounds until a steady state, on a target with scripted speeds.

use std::sync::{Arc, Mutex};

use crate::common::{info, joined, option, outcome};
use stend_load::target::{JobOutcome, JobRequest, Observer, Target, TargetError};
use stend_method::{Edition, MethodError, ReviewOptions, SteadyLoad, estimate, run_review};
use stend_record::fio::{Direction, Job, Latency};
use stend_record::review::{Condition, Review, Rounds, TargetInfo, TargetKind};

const CAPACITY_BYTES: u64 = 1 << 30;

/// A target whose 4 KiB writes take these speeds in turn; the last one stays.
struct Scripted {
    speeds: &'static [f64],
    /// Bytes that each job with writes reports as written.
    written_bytes: u64,
    copied: bool,
    log: Arc<Mutex<Vec<String>>>,
    seeds: Arc<Mutex<Vec<u64>>>,
}

fn direction(iops: f64, io_bytes: u64) -> Direction {
    let latency_ns = (32e9 / iops) as u64;
    Direction {
        io_bytes,
        bw_bytes: (iops * 4096.0) as u64,
        iops,
        total_ios: 1000,
        clat_ns: Latency {
            max: 2 * latency_ns,
            mean: 32e9 / iops,
            n: 1000,
            bins: Some([(latency_ns.to_string(), 1000)].into_iter().collect()),
            ..Latency::default()
        },
        ..Direction::default()
    }
}

impl Target for Scripted {
    fn info(&self) -> TargetInfo {
        let kind = match self.copied {
            true => TargetKind::Simulated,
            false => TargetKind::File,
        };
        info(kind, CAPACITY_BYTES)
    }

    fn environment(&self) -> Vec<Condition> {
        Vec::new()
    }

    fn run_observed(
        &mut self,
        job: &JobRequest<'_>,
        _: Observer<'_>,
    ) -> Result<JobOutcome, TargetError> {
        let (rw, bs) = (
            option(job.text, "rw").unwrap(),
            option(job.text, "bs").unwrap(),
        );
        let mut log = self.log.lock().unwrap();
        log.push(format!("{rw} {bs}"));
        self.seeds.lock().unwrap().push(job.seed);
        let mut result = Job::default();
        if rw.ends_with("read") {
            result.read = direction(50_000.0, 0);
        } else {
            let nth = log.iter().filter(|l| *l == "randwrite 4k").count();
            let speed = self.speeds[nth.clamp(1, self.speeds.len()) - 1];
            result.write = direction(speed, self.written_bytes);
        }
        Ok(outcome(job.text, result))
    }

    fn trim_all(&mut self) -> Result<(), TargetError> {
        self.log.lock().unwrap().push("trim".into());
        Ok(())
    }

    fn idle(&mut self, seconds: f64) -> Result<(), TargetError> {
        if seconds > 0.0 {
            self.log.lock().unwrap().push(format!("idle {seconds}"));
        }
        Ok(())
    }

    fn can_fork(&self) -> bool {
        self.copied
    }

    fn fork(&mut self) -> Option<Box<dyn Target>> {
        self.copied.then(|| {
            Box::new(Scripted {
                log: Arc::clone(&self.log),
                seeds: Arc::clone(&self.seeds),
                ..*self
            }) as Box<dyn Target>
        })
    }
}

fn edition() -> Edition {
    Edition::load("snia-pts").unwrap()
}

fn run(edition: &Edition, id: &str, speeds: &'static [f64], copied: bool) -> (Review, Vec<String>) {
    let log = Arc::default();
    let target = Scripted {
        speeds,
        written_bytes: CAPACITY_BYTES / 2,
        copied,
        log: Arc::clone(&log),
        seeds: Arc::default(),
    };
    let options = ReviewOptions {
        tests: Some(vec![id.to_owned()]),
        ..ReviewOptions::default()
    };
    let review = run_review(Box::new(target), edition, &options, &|_| {}).unwrap();
    assert!(review.complete, "{:?}", review.failed);
    let log = log.lock().unwrap().clone();
    (review, log)
}

fn rounds(review: &Review) -> &Rounds {
    review.tests[0].rounds().unwrap()
}

/// Falls, and is steady from the fourth round: the third is a fifth above the mean.
const SETTLING: &[f64] = &[
    40_000.0, 20_000.0, 12_700.0, 10_200.0, 10_000.0, 9_900.0, 10_100.0,
];

#[test]
fn rounds_end_with_the_first_steady_window() {
    for copied in [true, false] {
        let (review, log) = run(&edition(), "steady-iops", SETTLING, copied);
        // Purge, and twice the capacity.
        assert_eq!(log[..3], ["trim", "write 128k", "write 128k"]);
        // Shares of reads change slowest, sizes descend.
        assert_eq!(log[3..5], ["randread 1m", "randread 128k"]);
        assert_eq!(log[3 + 55], "randwrite 512");
        let found = rounds(&review);
        assert_eq!(found.rounds.len(), 8);
        assert_eq!(found.steady_from_round, Some(4));
        assert!(found.steady_sought && found.rounds.iter().all(|r| r.len() == 56));
        assert_eq!(found.loads[found.tracked].block_bytes, 4096);
        assert_eq!(found.loads[found.tracked].read_percent, 0);
        let tracked = found.tracked_figures();
        assert_eq!(tracked[..7], *SETTLING);
        assert_eq!(found.rounds[0][0].iops, 50_000.0);
        assert!(review.tests[0].warnings.is_empty());
        // The exact jobs of the first round, in their order.
        let jobs = &review.tests[0].jobs;
        assert_eq!(jobs.len(), 56);
        assert!(jobs[0].text.contains("rw=randread\nbs=1m\n"));
        assert!(jobs[55].text.contains("rw=randwrite\nbs=512\n"));
    }
}

#[test]
fn what_never_settles_ends_after_25_rounds_and_says_so() {
    const SAW: &[f64] = &[
        10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3,
        15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3,
    ];
    let (review, _) = run(&edition(), "steady-iops", SAW, true);
    let found = rounds(&review);
    assert_eq!((found.rounds.len(), found.steady_from_round), (25, None));
    let warnings = &review.tests[0].warnings;
    assert!(
        warnings[0]
            .in_english()
            .starts_with("steady state not achieved in 25 rounds"),
        "{warnings:?}"
    );
}

#[test]
fn latency_is_tracked_where_the_edition_says_so() {
    let (review, _) = run(&edition(), "steady-latency", SETTLING, true);
    let found = rounds(&review);
    assert_eq!(found.tracked_figures()[0], 32e9 / 40_000.0);
    // 32 s / 12,700 is a fifth less than the mean of the latencies that follow, and its line rises
    // by more than a tenth: the same window as that of the speeds.
    assert_eq!(found.steady_from_round, Some(4));
}

#[test]
fn saturation_ends_when_enough_is_written() {
    let (review, log) = run(&edition(), "write-saturation", SETTLING, true);
    let found = rounds(&review);
    // Half the capacity each round: four times the capacity after eight, steady or not.
    assert_eq!(log.len(), 1 + 8);
    assert_eq!(found.written_bytes, 4 * CAPACITY_BYTES);
    assert_eq!(
        (found.steady_sought, found.steady_from_round),
        (false, None)
    );
    assert!(review.tests[0].warnings.is_empty());
    let short = include_str!("../../../editions/snia-pts.toml")
        .replace("rounds_max = 1440", "rounds_max = 3");
    let short = Edition::parse(&short, "mine.toml").unwrap();
    let (review, _) = run(&short, "write-saturation", SETTLING, true);
    let said = &review.tests[0].warnings[0];
    assert!(
        said.in_english()
            .contains("3 rounds have written 1.61 GB of the 4.29 GB"),
        "{said}"
    );
}

#[test]
fn every_job_has_a_seed_of_its_own_and_shares_of_work_rise_to_one() {
    let shares = Mutex::new(Vec::new());
    let seeds: Arc<Mutex<Vec<u64>>> = Arc::default();
    let target = Scripted {
        speeds: SETTLING,
        written_bytes: CAPACITY_BYTES / 2,
        copied: true,
        log: Arc::default(),
        seeds: Arc::clone(&seeds),
    };
    let options = ReviewOptions {
        tests: Some(vec!["write-saturation".into(), "steady-iops".into()]),
        ..ReviewOptions::default()
    };
    let review = run_review(Box::new(target), &edition(), &options, &|event| {
        if let stend_method::Event::TestFinished { share_done, .. } = event {
            shares.lock().unwrap().push(share_done);
        }
    })
    .unwrap();
    // Seeds of every round of both tests, whose 4 KiB writes are the same load; two fills of one
    // state are the same job.
    assert!(review.complete);
    let mut seeds = seeds.lock().unwrap().clone();
    assert!(seeds.len() > 400, "{}", seeds.len());
    let all = seeds.len();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), all - 1);
    // Rounds that were not needed count as done.
    let last = *shares.lock().unwrap().last().unwrap();
    assert!((last - 1.0).abs() < 1e-9, "{last}");
}

#[test]
fn the_estimate_is_of_as_many_rounds_as_there_may_be() {
    let target = Scripted {
        speeds: SETTLING,
        written_bytes: 0,
        copied: false,
        log: Arc::default(),
        seeds: Arc::default(),
    };
    let options = ReviewOptions {
        tests: Some(vec!["steady-throughput-128k".into()]),
        ..ReviewOptions::default()
    };
    let asked = estimate(&edition(), &options, &target.info(), false).unwrap();
    assert_eq!(asked.measured_s, 25.0 * 2.0 * 60.0);
    assert_eq!(asked.writing_s, 25.0 * 60.0);
    assert_eq!(asked.fill_bytes, 2 * CAPACITY_BYTES);
}

#[test]
fn what_is_wrong_with_rounds_is_told() {
    let text = include_str!("../../../editions/snia-pts.toml");
    let wrong = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let error = Edition::parse(&text.replace(from, to), "mine.toml").unwrap_err();
        error.to_string()
    };
    let said = wrong(
        "block_bytes = 4096, figure = \"iops\"",
        "block_bytes = 2048, figure = \"iops\"",
    );
    assert!(
        said.contains(": track: ") && said.contains("one of the round's"),
        "{said}"
    );
    let said = wrong("rounds_max = 25", "rounds_max = 26");
    assert!(said.contains("from 5 to 25"), "{said}");
    assert!(wrong("[100, 95, 65, 50, 35, 5, 0]", "[100, 95, 0, 0]").contains("twice"));
    assert!(wrong("[100, 95, 65, 50, 35, 5, 0]", "[101, 0]").contains("from 0 to 100"));
    assert!(wrong("figure = \"latency-mean\"", "figure = \"p99\"").contains("latency-mean"));
}

/// An edition of one point, from a state that is written until steady.
fn steady_edition(rounds_max: u32) -> Edition {
    let text = include_str!("../../../editions/snia-pts.toml");
    let head = text.split("[[state]]").next().unwrap();
    let load = "block_bytes = 4096, queue_depth = 32, round_s = 60";
    let rest = format!(
        r#"
[[state]]
id = "steady"
title = "written at random until steady"
steps = [
    "trim",
    {{ until_steady = {{ {load}, rounds_max = {rounds_max} }} }},
]

[[test]]
id = "random"
title = "Random read and write"
method = "4 KiB."
[[test.sweep]]
op = "read"
state = "steady"
pattern = "random"
block_bytes = [4096]
queue_depth = [1]
threads = 1
duration_s = 30
"#
    );
    Edition::parse(&format!("{head}{rest}"), "mine.toml").unwrap()
}

#[test]
fn a_state_is_written_until_it_is_steady() {
    for copied in [true, false] {
        let (review, log) = run(&steady_edition(25), "random", SETTLING, copied);
        // Eight rounds, then the point.
        assert_eq!(log.len(), 1 + 8 + 1, "{log:?}");
        assert_eq!(log[9], "randread 4k");
        let said = review
            .conditions
            .iter()
            .find(|c| c.id == "steady-state-of" && c.of.as_deref() == Some("steady"))
            .unwrap();
        assert!(
            said.value
                .in_english()
                .starts_with("reached after 8 rounds of 60 s of random write, 4 KiB"),
            "{said:?}"
        );
    }
}

#[test]
fn a_state_that_does_not_become_steady_fails_its_tests() {
    let target = Scripted {
        speeds: SETTLING,
        written_bytes: 0,
        copied: true,
        log: Arc::default(),
        seeds: Arc::default(),
    };
    let options = ReviewOptions::default();
    let edition = steady_edition(7);
    let asked = estimate(&edition, &options, &target.info(), true).unwrap();
    assert_eq!(asked.writing_s, 7.0 * 60.0);
    let review = run_review(Box::new(target), &edition, &options, &|_| {}).unwrap();
    let error = &review.failed[0].error;
    assert!(
        error.contains("state `steady`: steady state not achieved in 7 rounds of 60 s"),
        "{error}"
    );
}

/// Runs tests with a steady state before them.
fn run_steady(
    edition: &Edition,
    tests: &[&str],
    speeds: &'static [f64],
    copied: bool,
    resume: Option<Review>,
) -> (Result<Review, MethodError>, Vec<String>) {
    let log = Arc::default();
    let target = Scripted {
        speeds,
        written_bytes: CAPACITY_BYTES / 2,
        copied,
        log: Arc::clone(&log),
        seeds: Arc::default(),
    };
    let options = ReviewOptions {
        tests: Some(tests.iter().map(|id| id.to_string()).collect()),
        until_steady: Some(SteadyLoad::ALL[0]),
        resume,
        ..ReviewOptions::default()
    };
    let review = run_review(Box::new(target), edition, &options, &|_| {});
    let log = log.lock().unwrap().clone();
    (review, log)
}

#[test]
fn a_test_from_a_written_state_is_given_a_steady_one_on_wish() {
    for copied in [true, false] {
        let id = "steady-throughput-1m";
        let (review, log) = run_steady(&edition(), &[id], SETTLING, copied, None);
        let review = review.unwrap();
        // The state of the edition, eight rounds, and then the test's own.
        assert_eq!(log[..3], ["trim", "write 128k", "write 128k"]);
        assert!(
            log[3..11].iter().all(|job| job == "randwrite 4k"),
            "{log:?}"
        );
        assert_eq!(log[11..13], ["read 1m", "write 1m"]);
        let [start] = &review.tests[0].steady_starts[..] else {
            panic!("{:?}", review.tests[0].steady_starts);
        };
        assert_eq!(start.state, "preconditioned-steady");
        assert_eq!((start.rounds, start.reached), (8, true));
        assert_eq!(start.written_bytes, 4 * CAPACITY_BYTES);
        assert_eq!((start.load.block_bytes, start.load.queue_depth), (4096, 32));
        assert_eq!(review.until_steady.as_deref(), Some("random-write-4k"));
        assert!(
            review.tests[0]
                .warnings
                .iter()
                .all(|w| !w.in_english().contains("is steady")
                    && !w.in_english().contains("steady and is not"))
        );
        let mut notes = review.conditions.iter();
        let is_of = |c: &Condition| c.of.as_deref() == Some("preconditioned-steady");
        assert!(notes.any(|c| c.id == "steady-state-of" && is_of(c)));
    }
}

#[test]
fn a_wish_that_is_not_fulfilled_is_said_and_fails_nothing() {
    const SAW: &[f64] = &[
        10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3,
        15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3, 10e3, 15e3,
    ];
    let id = "steady-throughput-1m";
    let (review, log) = run_steady(&edition(), &[id], SAW, true, None);
    let review = review.unwrap();
    assert!(review.complete, "{:?}", review.failed);
    assert_eq!(log.iter().filter(|job| *job == "randwrite 4k").count(), 25);
    let test = &review.tests[0];
    assert_eq!(
        (test.steady_starts[0].rounds, test.steady_starts[0].reached),
        (25, false)
    );
    let said = &test.warnings[0];
    assert!(
        said.in_english().starts_with(
            "state `preconditioned-steady` was to be steady and is not: steady state not \
             achieved in 25 rounds of 60 s of random write, 4 KiB"
        ),
        "{said}"
    );
}

#[test]
fn a_fresh_state_and_a_steady_one_stay_as_they_are() {
    let (review, log) = run_steady(&edition(), &["write-saturation"], SETTLING, true, None);
    assert_eq!(review.unwrap_err(), MethodError::NothingSteady);
    assert!(log.is_empty());
    // Beside a test that changes, it runs unchanged.
    let both = ["write-saturation", "steady-throughput-1m"];
    let (review, _) = run_steady(&edition(), &both, SETTLING, false, None);
    let review = review.unwrap();
    assert_eq!(review.tests[0].steady_starts, []);
    assert_eq!(review.tests[1].steady_starts.len(), 1);
    let (review, _) = run_steady(&steady_edition(25), &["random"], SETTLING, true, None);
    assert_eq!(review.unwrap_err(), MethodError::NothingSteady);
}

/// Two tests that only read, from the same steady state of the edition.
fn two_reads() -> Edition {
    let text = include_str!("../../../editions/snia-pts.toml");
    let head = text.split("[[state]]").next().unwrap();
    let head = head.replace("pause_s = 0", "pause_s = 900");
    let test = |id: &str| {
        format!(
            r#"
[[test]]
id = "{id}"
title = ""
method = ""
[[test.sweep]]
op = "read"
state = "steady"
pattern = "random"
block_bytes = [4096]
queue_depth = [1]
threads = 1
duration_s = 30
"#
        )
    };
    let state = r#"
[[state]]
id = "steady"
title = ""
steps = [
    "trim",
    { until_steady = { block_bytes = 4096, queue_depth = 32, round_s = 60, rounds_max = 25 } },
]
"#;
    let text = format!("{head}{state}{}{}", test("first"), test("second"));
    Edition::parse(&text, "mine.toml").unwrap()
}

#[test]
fn no_rest_undoes_a_steady_state_between_tests_that_read() {
    let log = Arc::default();
    let target = Scripted {
        speeds: SETTLING,
        written_bytes: 0,
        copied: false,
        log: Arc::clone(&log),
        seeds: Arc::default(),
    };
    let review = run_review(
        Box::new(target),
        &two_reads(),
        &ReviewOptions::default(),
        &|_| {},
    );
    let review = review.unwrap();
    let log = log.lock().unwrap().clone();
    assert_eq!(log[log.len() - 2..], ["randread 4k", "randread 4k"]);
    assert!(log.iter().all(|did| !did.starts_with("idle")), "{log:?}");
    for test in &review.tests {
        assert_eq!(test.steady_starts.len(), 1, "{}", test.id);
        // This target has written almost nothing.
        let said = joined(&test.warnings, "; ");
        assert!(said.contains("may become slower still"), "{said}");
    }
}

#[test]
fn what_is_taken_over_keeps_its_steady_state() {
    let edition = two_reads();
    for copied in [true, false] {
        let run = |tests: &[&str], resume: Option<Review>| {
            let target = Scripted {
                speeds: SETTLING,
                written_bytes: 0,
                copied,
                log: Arc::default(),
                seeds: Arc::default(),
            };
            let options = ReviewOptions {
                tests: Some(tests.iter().map(|id| id.to_string()).collect()),
                resume,
                ..ReviewOptions::default()
            };
            run_review(Box::new(target), &edition, &options, &|_| {})
        };
        let said = |review: &Review| -> Vec<String> {
            let conditions = review.conditions.iter();
            conditions
                .filter(|c| c.id == "steady-state-of" && c.of.as_deref() == Some("steady"))
                .map(|c| c.value.in_english())
                .collect()
        };
        let mut first = run(&["first"], None).unwrap();
        first.complete = false;
        // No work remains, and the state is not prepared again.
        let taken = run(&["first"], Some(first.clone())).unwrap();
        assert_eq!(said(&taken), said(&first));
        assert_eq!(said(&first).len(), 1);
        // Prepared again for the other test with the same outcome: reported once.
        let both = run(&["first", "second"], Some(first.clone())).unwrap();
        assert_eq!(said(&both), said(&first));
        assert_eq!(both.tests[0], first.tests[0]);
        assert_eq!(both.tests[1].steady_starts, first.tests[0].steady_starts);
        // A different condition is listed beside the earlier one.
        let other = first
            .conditions
            .iter_mut()
            .find(|c| c.id == "steady-state-of");
        other.unwrap().value = "reached after 5 rounds; again: reached after 6 rounds"
            .to_owned()
            .into();
        let both = run(&["first", "second"], Some(first.clone())).unwrap();
        let value = said(&both).remove(0);
        assert!(
            value.starts_with(
                "reached after 5 rounds; again: reached after 6 rounds; again: reached after 8"
            ),
            "{value}"
        );
    }
}

#[test]
fn a_review_goes_on_only_with_the_same_wish() {
    let id = "steady-throughput-1m";
    let (plain, _) = run(&edition(), id, SETTLING, true);
    let (error, log) = run_steady(&edition(), &[id], SETTLING, true, Some(plain));
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("load until steady (--until-steady) is none, now it is random-write-4k"),
        "{error}"
    );
    assert!(log.is_empty());
}
