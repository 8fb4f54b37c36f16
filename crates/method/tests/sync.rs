//! Tests of durable writes: the edition's keys, the jobs, and the results.

use std::sync::{Arc, Mutex};

use crate::common::{info, option, outcome_of, rows};
use stend_load::target::{JobOutcome, JobRequest, Observer, Target, TargetError};
use stend_method::{Edition, ReviewOptions, run_review};
use stend_record::fio::{Direction, Job, Latency, Syncs};
use stend_record::review::{Condition, Review, SyncMethod, TargetInfo, TargetKind};

const CAPACITY_BYTES: u64 = 1 << 30;

const EDITION: &str = r#"
schema = "stend.edition/1"
id = "mine"
title = "Mine"
percentiles = [50, 99, 99.9, 99.99, 99.999]
pause_s = 1

[[state]]
id = "bare"
title = "as it is"
steps = []

[[test]]
id = "commits"
title = "Commits"
method = "Commits."

[[test.sync]]
state = "bare"
pattern = "random"
block_bytes = [4096, 8192]
threads = [1, 4]
sync = "fsync"
every = [1, 16]
duration_s = 10

[[test.sync]]
state = "bare"
pattern = "sequential"
block_bytes = [4096]
threads = [1]
sync = "dsync"
region_bytes = 16_777_216
beside = { block_bytes = 16_384, threads = 2, sync = "none" }
duration_s = 20
interval_s = 5

[[test.sync]]
state = "bare"
pattern = "random"
block_bytes = [4096]
threads = [2]
sync = "dsync"
read_percent = 70
duration_s = 10
"#;

/// A target on which each job is slower than the one before.
struct Scripted {
    log: Arc<Mutex<Vec<String>>>,
    /// True if outputs omit flushes.
    mute: bool,
}

fn latency(ns: u64, n: u64) -> Latency {
    Latency {
        min: ns,
        max: 3 * ns,
        mean: ns as f64,
        n,
        bins: Some([(ns.to_string(), n - 1), ((3 * ns).to_string(), 1)].into()),
        ..Latency::default()
    }
}

fn direction(ns: u64, n: u64) -> Direction {
    Direction {
        io_bytes: n * 4096,
        bw_bytes: n * 4096,
        iops: n as f64,
        total_ios: n,
        clat_ns: latency(ns, n),
        ..Direction::default()
    }
}

impl Target for Scripted {
    fn info(&self) -> TargetInfo {
        info(TargetKind::File, CAPACITY_BYTES)
    }

    fn environment(&self) -> Vec<Condition> {
        Vec::new()
    }

    fn run_observed(
        &mut self,
        job: &JobRequest<'_>,
        _: Observer<'_>,
    ) -> Result<JobOutcome, TargetError> {
        let mut log = self.log.lock().unwrap();
        log.push(job.text.to_owned());
        let ns = 1_000 * log.len() as u64;
        let sections = job.text.split("\n[").skip(1).map(|section| {
            let mut done = Job {
                write: direction(ns, 8_000),
                ..Job::default()
            };
            if section.contains("rw=randrw") {
                done.read = direction(10 * ns, 2_000);
            }
            if let (Some(every), false) = (option(section, "fsync"), self.mute) {
                let n = 8_000 / every.parse::<u64>().unwrap();
                // As fio reports it for an asynchronous engine.
                let total_ios = 0;
                let lat_ns = latency(100 * ns, n);
                done.sync = Some(Syncs { total_ios, lat_ns });
            }
            done
        });
        Ok(outcome_of(job.text, sections.collect()))
    }

    fn trim_all(&mut self) -> Result<(), TargetError> {
        Ok(())
    }

    fn idle(&mut self, _: f64) -> Result<(), TargetError> {
        Ok(())
    }

    fn fork(&mut self) -> Option<Box<dyn Target>> {
        None
    }
}

fn reviewed(mute: bool) -> (Review, Vec<String>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let target = Scripted {
        log: Arc::clone(&log),
        mute,
    };
    let edition = Edition::parse(EDITION, "mine.toml").unwrap();
    let review = run_review(
        Box::new(target),
        &edition,
        &ReviewOptions::default(),
        &|_| {},
    );
    let jobs = log.lock().unwrap().clone();
    (review.unwrap(), jobs)
}

#[test]
fn flushes_and_intervals_are_measured() {
    let (review, jobs) = reviewed(false);
    assert!(review.complete, "{:?}", review.failed);
    let points = review.tests[0].sync();
    assert_eq!(points.len(), 10);
    // Eight points with one job each, four intervals, and one more point.
    assert_eq!(jobs.len(), 13);
    let words: Vec<String> = points
        .iter()
        .map(|p| p.streams[0].durability.describe().in_english())
        .collect();
    assert_eq!(
        words[..2],
        ["fsync after every write", "fsync after every 16 writes"]
    );
    let loads = points[..8].iter().map(|p| {
        let load = p.streams[0].load;
        (load.block_bytes, load.threads, load.queue_depth)
    });
    let expected = [(4096, 1, 1), (4096, 4, 1), (8192, 1, 1), (8192, 4, 1)];
    let expected = expected.iter().flat_map(|load| [*load, *load]);
    assert!(loads.eq(expected));
    // The second job: 8,000 writes a second, a flush after every 16.
    let stream = &points[1].streams[0];
    assert_eq!(
        (stream.writes_per_s, stream.commits_per_s),
        (8_000.0, 500.0)
    );
    assert_eq!(stream.write_latency_ns.unwrap().p50, 2_000);
    assert_eq!(stream.sync_latency_ns.unwrap().p50, 200_000);
    assert_eq!(stream.commit_latency_ns().unwrap().max, 600_000);
    // Jobs 9 to 12 are the intervals of the ninth point.
    let beside = &points[8];
    assert_eq!((beside.duration_s, beside.interval_s), (20.0, Some(5.0)));
    let tails: Vec<(f64, u64, u64)> = beside
        .intervals
        .iter()
        .map(|i| (i.t_s, i.write_p99_9_ns, i.write_max_ns))
        .collect();
    let expected = [9, 10, 11, 12].map(|n| (5.0 * (n - 8) as f64, 1_000 * n, 3_000 * n));
    assert_eq!(tails, expected);
    let all = beside.streams[0].write_latency_ns.unwrap();
    assert_eq!((all.mean, all.p50, all.max), (10_500.0, 11_000, 36_000));
    assert_eq!(beside.streams[0].commits_per_s, 8_000.0);
    assert_eq!(beside.streams[1].durability.sync, SyncMethod::None);
    assert_eq!(beside.streams[1].commits_per_s, 0.0);
    let mixed = &points[9].streams[0];
    assert_eq!((mixed.iops, mixed.writes_per_s), (10_000.0, 8_000.0));
    assert_eq!(mixed.read_latency_ns.unwrap().p50, 130_000);
}

#[test]
fn jobs_are_of_one_request_a_thread_and_keep_to_their_ranges() {
    let (_, jobs) = reviewed(false);
    assert!(jobs.iter().all(|job| job.contains("\niodepth=1\n")));
    assert!(jobs[3].contains("numjobs=4\nfsync=16\n"), "{}", jobs[3]);
    let beside = &jobs[8];
    for said in [
        "runtime=5\n",
        "sync=dsync\nsize=16777216\n",
        "new_group\nrw=randwrite\nbs=16k\n",
        "offset=16777216\nsize=1056964608\n",
    ] {
        assert!(beside.contains(said), "{said}: {beside}");
    }
    assert!(
        jobs[12].contains("rw=randrw\nrwmixread=70\n"),
        "{}",
        jobs[12]
    );
    // Intervals make other requests of the same kind.
    let seed = |nth: usize| option(&jobs[nth], "randseed").unwrap().to_owned();
    assert_ne!(seed(8), seed(9));
}

#[test]
fn an_answer_without_flushes_is_a_failure_and_no_figure() {
    let (review, _) = reviewed(true);
    assert!(!review.complete);
    let error = &review.failed[0].error;
    assert!(error.contains("no latency of its flushes"), "{error}");
}

/// Text to replace, its replacement, the key that the error names, and a part of its message.
const MISTAKES: &str = r#"
every = [1, 16]\n | \n | sync | need `every`
every = [1, 16] | every = [] | every | at least one
every = [1, 16] | every = [0] | every | from 1 to 65536
every = [1, 16] | evry = [1] | evry | `every`
every = [1, 16] | every = [1, 1] | id | stands here twice
sync = "fsync"\nevery | sync = "dsync"\nevery | every | only `fsync` and `fdatasync`
sync = "fsync" | sync = "flush" | sync | dsync
every = [1, 16]\n | every = [1]\nread_percent = 50\n | read_percent | fio flushes after reads
read_percent = 70 | read_percent = 100 | read_percent | from 0 to 99
block_bytes = [4096, 8192] | block_bytes = [] | state | at least one block size
block_bytes = [4096, 8192] | block_bytes = [1000] | block_bytes | multiple of 512
threads = [1, 4] | threads = [0] | threads | from 1 to 65536
threads = [1]\nsync = "dsync"\nregion | threads = [2]\nsync = "dsync"\nregion | threads | one thread
region_bytes = 16_777_216\n | \n | state | behind it
interval_s = 5 | interval_s = 3 | interval_s | whole number of intervals
interval_s = 5 | interval_s = 20 | interval_s | from 2 to 1000
sync = "none" } | sync = "fsync" } | sync | need `every`
sync = "none" } | sync = "none", every = 3 } | every | only `fsync`
sync = "none" } | sync = "none", depth = 3 } | depth | threads
threads = 2, | threads = 2, pattern = "random", | pattern | threads
"#;

#[test]
fn whatever_is_wrong_is_told_with_its_place() {
    for [from, to, key, said] in rows::<4>(MISTAKES) {
        assert!(EDITION.contains(&from), "{from}");
        let text = EDITION.replacen(&from, &to, 1);
        let error = Edition::parse(&text, "mine.toml").unwrap_err().to_string();
        assert!(error.starts_with("mine.toml:"), "{error}");
        let place = format!(": {key}: ");
        let nested = format!(".{key}: ");
        assert!(
            (error.contains(&place) || error.contains(&nested)) && error.contains(&said),
            "{from} → {to}: {error}"
        );
    }
}
