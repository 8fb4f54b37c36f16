//! Writing until the target refuses, on a target with a limited life.

use std::sync::{Arc, Mutex};

use crate::common::{info, joined, option, outcome};
use stend_load::target::{JobOutcome, JobRequest, Observer, Target, TargetError, WriteLimit};
use stend_method::{
    Edition, Event, MethodError, ReviewOptions, check_write_budget, estimate, run_review,
};
use stend_record::endurance::{Endurance, EnduranceEnd, Health};
use stend_record::fio::{Direction, Job, Latency};
use stend_record::review::{Condition, Review, TargetInfo, TargetKind, TestResult};

/// Not a whole number of requests.
const CAPACITY_BYTES: u64 = (64 << 20) + 4096;
const ROUND_BYTES: u64 = 64 << 20;

/// Accepts `life_bytes` bytes and no more; each byte costs two in flash.
#[derive(Clone)]
struct Mortal {
    life_bytes: u64,
    limit: WriteLimit,
    healthy: bool,
    /// The round, from 1, at which fio is killed.
    killed_in_round: Option<usize>,
    /// True if it can be read at its end.
    readable: bool,
    /// True if it accepts writes again after it has refused one.
    recovers: bool,
    /// True if it can predict further rounds, except for its last two.
    repeats: bool,
    /// Loss of speed with each round, MB/s.
    fades_mb: u64,
    taken: Arc<Mutex<u64>>,
    log: Arc<Mutex<Vec<String>>>,
}

impl Mortal {
    fn new(life_bytes: u64, limit: WriteLimit) -> Mortal {
        Mortal {
            life_bytes,
            limit,
            healthy: true,
            killed_in_round: None,
            readable: true,
            recovers: false,
            repeats: false,
            fades_mb: 0,
            taken: Arc::default(),
            log: Arc::default(),
        }
    }

    fn taken(&self) -> u64 {
        *self.taken.lock().unwrap()
    }
}

fn direction(io_bytes: u64, bw_bytes: u64) -> Direction {
    Direction {
        io_bytes,
        bw_bytes,
        clat_ns: Latency {
            max: 7,
            n: 1,
            percentile: Some([("99.900000".to_owned(), 5)].into()),
            ..Latency::default()
        },
        ..Direction::default()
    }
}

impl Target for Mortal {
    fn info(&self) -> TargetInfo {
        let kind = match self.limit {
            WriteLimit::AsStated => TargetKind::BlockDevice,
            _ => TargetKind::Simulated,
        };
        info(kind, CAPACITY_BYTES)
    }

    fn environment(&self) -> Vec<Condition> {
        Vec::new()
    }

    fn run_observed(
        &mut self,
        job: &JobRequest<'_>,
        observer: Observer<'_>,
    ) -> Result<JobOutcome, TargetError> {
        if !observer.may_refuse {
            self.log.lock().unwrap().push("other job".to_owned());
            return Ok(outcome(job.text, Job::default()));
        }
        let mut log = self.log.lock().unwrap();
        let size = option(job.text, "size").unwrap();
        if option(job.text, "rw") == Some("read") {
            log.push(format!("read {size}"));
            let mut result = Job::default();
            if !self.readable {
                return Err(TargetError::Failed("the device is gone".into()));
            }
            result.read = direction(size.parse().unwrap(), 500_000_000);
            return Ok(outcome(job.text, result));
        }
        let asked: u64 = option(job.text, "io_size").unwrap().parse().unwrap();
        log.push(format!(
            "{} {asked} of {size}",
            option(job.text, "rw").unwrap()
        ));
        if Some(log.len()) == self.killed_in_round {
            return Err(TargetError::Failed("fio was killed".into()));
        }
        let mut taken = self.taken.lock().unwrap();
        let takes = match self.recovers && *taken >= self.life_bytes {
            true => asked,
            false => asked.min(self.life_bytes.saturating_sub(*taken)),
        };
        *taken += takes;
        let refused = takes < asked;
        let bw = 100_000_000 - self.fades_mb * (*taken / ROUND_BYTES) * 1_000_000;
        let result = Job {
            error: 5 * i32::from(refused),
            write: direction(takes, bw),
            ..Job::default()
        };
        Ok(JobOutcome {
            refused_errno: refused.then_some(5),
            ..outcome(job.text, result)
        })
    }

    fn health(&mut self) -> Result<Health, String> {
        if !self.healthy {
            return Err("it is dumb".into());
        }
        Ok(Health {
            host_written_bytes: Some(self.taken()),
            nand_written_bytes: Some(2 * self.taken()),
            used_percent: Some(100 * self.taken() / self.life_bytes),
            ..Health::default()
        })
    }

    fn rated_bytes(&self) -> Option<u64> {
        Some(self.life_bytes / 2)
    }

    fn write_limit(&self) -> WriteLimit {
        self.limit
    }

    fn repeat_round(&mut self, most: u32) -> u32 {
        if !self.repeats {
            return 0;
        }
        let mut taken = self.taken.lock().unwrap();
        let left = (self.life_bytes - *taken) / ROUND_BYTES;
        let rounds = most.min(left.saturating_sub(2) as u32);
        *taken += u64::from(rounds) * ROUND_BYTES;
        rounds
    }

    fn trim_all(&mut self) -> Result<(), TargetError> {
        unreachable!("nothing here is trimmed")
    }

    fn idle(&mut self, _: f64) -> Result<(), TargetError> {
        Ok(())
    }

    fn can_fork(&self) -> bool {
        self.limit != WriteLimit::AsStated
    }

    fn fork(&mut self) -> Option<Box<dyn Target>> {
        (self.limit != WriteLimit::AsStated).then(|| Box::new(self.clone()) as Box<dyn Target>)
    }
}

const TEXT: &str = include_str!("../../../editions/endurance.toml");

fn edition() -> Edition {
    Edition::load("endurance").unwrap()
}

fn budget(bytes: u64) -> ReviewOptions<'static> {
    ReviewOptions {
        write_budget_bytes: Some(bytes),
        ..ReviewOptions::default()
    }
}

fn run(target: &Mortal, options: &ReviewOptions<'_>) -> Review {
    run_review(Box::new(target.clone()), &edition(), options, &|_| {}).unwrap()
}

fn result(review: &Review) -> (&TestResult, &Endurance) {
    assert!(review.complete, "{:?}", review.failed);
    let test = &review.tests[0];
    (test, test.endurance().unwrap())
}

#[test]
fn it_writes_until_it_is_refused() {
    let life = 2 * ROUND_BYTES + (5 << 20);
    let target = Mortal::new(life, WriteLimit::UntilRefused);
    let review = run(&target, &ReviewOptions::default());
    let (test, worn) = result(&review);
    assert_eq!(worn.end, EnduranceEnd::Refused);
    assert!(
        worn.refusal
            .as_ref()
            .unwrap()
            .contains("Input/output error")
    );
    assert_eq!(
        (worn.written_bytes, worn.rated_bytes),
        (life, Some(life / 2))
    );
    let written: Vec<u64> = worn.rounds.iter().map(|r| r.written_bytes).collect();
    assert_eq!(written, [ROUND_BYTES, ROUND_BYTES, 5 << 20]);
    assert_eq!(worn.rounds[2].write_amplification, Some(2.0));
    for round in &worn.rounds {
        let latencies = (round.latency_p99_9_ns, round.latency_max_ns);
        assert_eq!(latencies, (Some(5), 7));
    }
    assert_eq!(worn.before.unwrap().used_percent, Some(0));
    assert_eq!(worn.rounds[2].health.unwrap().used_percent, Some(100));
    assert_eq!(worn.budget_bytes, None);
    let after = worn.afterwards.unwrap();
    assert_eq!(after.write_refused, Some(true));
    assert_eq!((after.read_bytes, after.failed_reads), (ROUND_BYTES, 0));
    assert_eq!(after.health.unwrap().host_written_bytes, Some(life));
    assert!(test.warnings.is_empty(), "{:?}", test.warnings);
    // Three rounds of whole requests, one more write, and the reads; nothing before them.
    let log = target.log.lock().unwrap().clone();
    let round = format!("write {ROUND_BYTES} of {ROUND_BYTES}");
    let again = format!("write 131072 of {ROUND_BYTES}");
    let read = format!("read {ROUND_BYTES}");
    assert_eq!(
        log,
        [&round, &round, &round, &again, &read].map(String::clone)
    );
    let names: Vec<String> = test.jobs.iter().map(|job| job.name.in_english()).collect();
    assert_eq!(names.len(), 2);
    assert!(names[0].starts_with("round 1: sequential write, 128 KiB"));
}

#[test]
fn a_drive_that_takes_writes_again_and_one_that_is_gone_are_told() {
    let mut target = Mortal::new(ROUND_BYTES / 2, WriteLimit::UntilRefused);
    target.recovers = true;
    let review = run(&target, &ReviewOptions::default());
    assert_eq!(
        result(&review).1.afterwards.unwrap().write_refused,
        Some(false)
    );

    let mut target = Mortal::new(ROUND_BYTES / 2, WriteLimit::UntilRefused);
    (target.readable, target.healthy) = (false, false);
    let review = run(&target, &ReviewOptions::default());
    let (test, worn) = result(&review);
    assert_eq!(worn.end, EnduranceEnd::Refused);
    assert_eq!(worn.afterwards, None);
    assert_eq!(worn.no_health.as_deref(), Some("it is dumb"));
    assert!(
        worn.rounds
            .iter()
            .all(|r| r.health.is_none() && r.write_amplification.is_none())
    );
    let said = joined(&test.warnings, "; ");
    assert!(
        said.contains("the device is gone") && said.contains("it is dumb"),
        "{said}"
    );
}

#[test]
fn the_budget_is_never_exceeded() {
    for (budget_bytes, rounds) in [
        (ROUND_BYTES, 1),
        (ROUND_BYTES - 1, 1),
        (ROUND_BYTES + 131_072, 2),
        (ROUND_BYTES + 131_071, 1),
        (3 * ROUND_BYTES + 5_000_000, 4),
        (131_072, 1),
    ] {
        for limit in [WriteLimit::AsStated, WriteLimit::NeverRefuses] {
            let target = Mortal::new(u64::MAX / 200, limit);
            let review = run(&target, &budget(budget_bytes));
            let (test, worn) = result(&review);
            assert_eq!(worn.end, EnduranceEnd::Budget);
            assert_eq!(worn.rounds.len(), rounds, "{budget_bytes}");
            // All of it, in whole requests, and everything that the target accepted.
            let whole = budget_bytes / 131_072 * 131_072;
            assert_eq!((worn.written_bytes, target.taken()), (whole, whole));
            assert_eq!(worn.afterwards.unwrap().write_refused, None);
            assert!(
                test.warnings[0]
                    .in_english()
                    .starts_with("not worn out within the budget")
            );
            let said = review.conditions.iter().find(|c| c.id == "write-budget");
            assert!(
                said.unwrap()
                    .value
                    .in_english()
                    .contains(&budget_bytes.to_string())
            );
        }
    }
}

#[test]
fn one_more_write_is_within_the_budget_too() {
    // The last request for which there is room is the one that is refused.
    let target = Mortal::new(ROUND_BYTES - 131_072, WriteLimit::AsStated);
    let review = run(&target, &budget(ROUND_BYTES - 131_072));
    assert_eq!(result(&review).1.end, EnduranceEnd::Budget);
    let target = Mortal::new(131_072, WriteLimit::AsStated);
    let review = run(&target, &budget(262_144));
    let (_, worn) = result(&review);
    assert_eq!(worn.end, EnduranceEnd::Refused);
    assert_eq!(worn.afterwards.unwrap().write_refused, Some(true));
    assert!(target.taken() <= 262_144);
}

fn refused(target: &Mortal, edition: &Edition, options: &ReviewOptions<'_>) -> MethodError {
    let error = run_review(Box::new(target.clone()), edition, options, &|_| {}).unwrap_err();
    assert_eq!(target.log.lock().unwrap().len(), 0, "nothing was done");
    // The same error is found without the target.
    let early = check_write_budget(edition, options, target.limit).unwrap_err();
    assert_eq!(early, error);
    error
}

#[test]
fn what_may_not_be_written_is_refused_before_anything_is() {
    let real = Mortal::new(u64::MAX / 200, WriteLimit::AsStated);
    let none = ReviewOptions::default();
    let error = refused(&real, &edition(), &none);
    assert!(matches!(error, MethodError::BudgetMissing { .. }));
    assert!(
        error.to_string().contains("--write-budget BYTES"),
        "{error}"
    );
    let endless = Mortal::new(u64::MAX / 200, WriteLimit::NeverRefuses);
    let error = refused(&endless, &edition(), &none);
    assert!(matches!(error, MethodError::Endless { .. }));
    let error = refused(&real, &edition(), &budget(131_071));
    assert!(
        matches!(error, MethodError::BudgetTooSmall { .. }),
        "{error}"
    );

    // Beside other tests, and from a written state, the budget could not be kept.
    let twice = TEXT.replace(
        "[[test]]",
        r#"[[test]]
id = "second"
title = ""
method = ""
[test.endurance]
state = "as-it-is"
pattern = "random"
block_bytes = 4096
queue_depth = 1
drive_writes_per_round = 2
[[test]]"#,
    );
    let twice = Edition::parse(&twice, "mine.toml").unwrap();
    let error = refused(&real, &twice, &budget(1 << 30));
    assert!(
        error
            .to_string()
            .contains("beside endurance: choose `second` alone"),
        "{error}"
    );
    let written = TEXT.replace(
        "steps = []",
        "steps = [{ fill = { block_bytes = 4096, queue_depth = 1 } }]",
    );
    let written = Edition::parse(&written, "mine.toml").unwrap();
    let error = refused(&real, &written, &budget(1 << 30));
    assert!(
        matches!(error, MethodError::BudgetPrepared { .. }),
        "{error}"
    );
    // A copy is not a real drive: there the state costs nothing.
    let copies = Mortal::new(1 << 20, WriteLimit::UntilRefused);
    run_review(Box::new(copies), &written, &budget(1 << 30), &|_| {}).unwrap();

    let error = refused(&real, &Edition::load("2014").unwrap(), &budget(1 << 30));
    assert_eq!(error, MethodError::BudgetUnused);
}

/// Returns the review as it was last saved, and the final one.
fn saved(target: &Mortal, options: &ReviewOptions<'_>) -> (Review, Review) {
    let last = Mutex::new(None);
    let keep = |review: &Review| {
        *last.lock().unwrap() = Some(review.clone());
        Ok(())
    };
    let options = ReviewOptions {
        save: Some(&keep),
        ..options.clone()
    };
    let review = run(target, &options);
    (review, last.into_inner().unwrap().unwrap())
}

#[test]
fn a_test_that_was_broken_off_goes_on_and_keeps_its_budget() {
    let mut target = Mortal::new(u64::MAX / 200, WriteLimit::AsStated);
    target.killed_in_round = Some(3);
    let whole = budget(5 * ROUND_BYTES);
    let (review, kept) = saved(&target, &whole);
    assert!(!review.complete && review.failed[0].error.contains("killed"));
    let begun = kept.unfinished[0].endurance().cloned().unwrap();
    assert_eq!(begun.end, EnduranceEnd::Unfinished);
    assert_eq!(begun.rounds.len(), 2);
    // The bytes that the third may have written.
    assert_eq!(begun.broken_off_bytes, ROUND_BYTES);
    assert_eq!(begun.written_bytes, 2 * ROUND_BYTES);

    target.killed_in_round = None;
    target.log.lock().unwrap().clear();
    let again = ReviewOptions {
        resume: Some(kept),
        ..whole.clone()
    };
    let (review, last) = saved(&target, &again);
    let (test, worn) = result(&review);
    assert_eq!(worn.rounds.len(), 4);
    assert_eq!(worn.rounds[..2], begun.rounds);
    assert_eq!(worn.before.unwrap().used_percent, Some(0));
    assert_eq!(
        (worn.written_bytes, worn.broken_off_bytes),
        (4 * ROUND_BYTES, ROUND_BYTES)
    );
    assert_eq!(worn.rounds[2].write_amplification, Some(2.0));
    assert_eq!(
        test.jobs.len(),
        2,
        "the first round's, and that of the reads"
    );
    assert!(
        test.warnings
            .iter()
            .any(|w| w.in_english().starts_with("interrupted")),
        "{:?}",
        test.warnings
    );
    assert!(last.unfinished.is_empty() && last.complete);
}

#[test]
fn on_copies_it_begins_anew() {
    let mut target = Mortal::new(3 * ROUND_BYTES, WriteLimit::UntilRefused);
    let mut earlier = run(&target, &ReviewOptions::default());
    earlier.complete = false;
    earlier.unfinished = std::mem::take(&mut earlier.tests);
    target.taken = Arc::default();
    let again = ReviewOptions {
        resume: Some(earlier),
        ..ReviewOptions::default()
    };
    let (review, kept) = saved(&target, &again);
    assert_eq!(result(&review).1.rounds.len(), 3);
    assert!(kept.unfinished.is_empty());
}

#[test]
fn the_estimate_is_the_budget_and_shares_rise_to_one() {
    let target = Mortal::new(u64::MAX / 200, WriteLimit::AsStated);
    let asked = estimate(&edition(), &budget(7 << 30), &target.info(), false).unwrap();
    assert_eq!(asked.fill_bytes, 7 << 30);
    for (life, limit, options) in [
        (
            u64::MAX / 200,
            WriteLimit::AsStated,
            budget(3 * ROUND_BYTES),
        ),
        (
            3 * ROUND_BYTES,
            WriteLimit::UntilRefused,
            ReviewOptions::default(),
        ),
    ] {
        let target = Mortal::new(life, limit);
        let shares = Mutex::new(Vec::new());
        run_review(Box::new(target), &edition(), &options, &|event| {
            if let Event::PointFinished { share_done, .. } = event {
                shares.lock().unwrap().push(share_done);
            }
        })
        .unwrap();
        let last = *shares.lock().unwrap().last().unwrap();
        assert!((last - 1.0).abs() < 1e-9, "{last}");
    }
}

#[test]
fn a_random_load_wears_the_same_range() {
    let text = TEXT
        .replace("pattern = \"sequential\"", "pattern = \"random\"")
        .replace("block_bytes = 131_072", "block_bytes = 4096")
        .replace("drive_writes_per_round = 1", "drive_writes_per_round = 3");
    let edition = Edition::parse(&text, "mine.toml").unwrap();
    let target = Mortal::new(u64::MAX / 200, WriteLimit::AsStated);
    let copy = target.clone();
    run_review(
        Box::new(copy),
        &edition,
        &budget(4 * CAPACITY_BYTES),
        &|_| {},
    )
    .unwrap();
    let log = target.log.lock().unwrap().clone();
    assert_eq!(
        log[0],
        format!("randwrite {} of {CAPACITY_BYTES}", 3 * CAPACITY_BYTES)
    );
    assert_eq!(
        log[1],
        format!("randwrite {CAPACITY_BYTES} of {CAPACITY_BYTES}")
    );
}

#[test]
fn what_is_wrong_with_the_table_is_told() {
    let wrong = |from: &str, to: &str| {
        assert!(TEXT.contains(from), "{from}");
        let error = Edition::parse(&TEXT.replace(from, to), "mine.toml").unwrap_err();
        error.to_string()
    };
    let said = wrong("drive_writes_per_round = 1", "drive_writes_per_round = 0");
    assert!(
        said.contains(": drive_writes_per_round: ") && said.contains("1 to 1000"),
        "{said}"
    );
    assert!(wrong("queue_depth = 32", "queue_depth = 0").contains("from 1 to 65536"));
    let said = wrong("state = \"as-it-is\"", "state = \"clean\"");
    assert!(said.contains("allowed: as-it-is"), "{said}");
    assert!(wrong("[test.endurance]", "[test.endurance]\ncycles = 3").contains("unknown field"));
}

#[test]
fn rounds_like_the_last_are_not_measured_again() {
    let life = 100 * ROUND_BYTES + (5 << 20);
    let mortal = Mortal {
        repeats: true,
        ..Mortal::new(life, WriteLimit::UntilRefused)
    };
    let review = run(&mortal, &ReviewOptions::default());
    let (test, worn) = result(&review);
    assert_eq!(worn.end, EnduranceEnd::Refused);
    assert_eq!((worn.written_bytes, mortal.taken()), (life, life));
    assert_eq!(worn.rounds_done(), 101);
    let repeated = worn.rounds_repeated();
    assert!((60..90).contains(&repeated), "{repeated}");
    // None before two similar rounds were measured, and never two in a row.
    let repeats: Vec<u64> = worn.rounds.iter().map(|round| round.repeats).collect();
    assert_eq!(repeats[..5], [0, 0, 1, 0, 2], "{repeats:?}");
    assert!(repeats.windows(2).all(|two| two[0] * two[1] == 0));
    let said = joined(&test.warnings, " ");
    let words = format!("of 101 rounds {repeated} were not simulated");
    assert!(said.contains(&words), "{said}");
    let written: u64 = worn.rounds.iter().map(|round| round.written_bytes).sum();
    assert_eq!(written, life);

    // A budget applies to them too.
    let mortal = Mortal {
        repeats: true,
        ..Mortal::new(life, WriteLimit::UntilRefused)
    };
    let review = run(&mortal, &budget(50 * ROUND_BYTES + 131_072));
    assert_eq!(result(&review).1.written_bytes, 50 * ROUND_BYTES + 131_072);
    assert_eq!(mortal.taken(), 50 * ROUND_BYTES + 131_072);

    // Rounds that differ by more than 1 % are all measured.
    let mortal = Mortal {
        repeats: true,
        fades_mb: 2,
        ..Mortal::new(20 * ROUND_BYTES, WriteLimit::UntilRefused)
    };
    let review = run(&mortal, &ReviewOptions::default());
    assert_eq!(result(&review).1.rounds_repeated(), 0);

    // None is skipped unless the edition allows it.
    let text = TEXT.replace("repeat_rounds = true", "");
    let edition = Edition::parse(&text, "own.toml").unwrap();
    let mortal = Mortal {
        repeats: true,
        ..Mortal::new(life, WriteLimit::UntilRefused)
    };
    let options = ReviewOptions::default();
    let review = run_review(Box::new(mortal), &edition, &options, &|_| {}).unwrap();
    assert_eq!(result(&review).1.rounds_repeated(), 0);
}
