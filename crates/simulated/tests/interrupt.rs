//! Simulated drives whose work another thread ends early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stend_base::{Nanos, Op};
use stend_load::runner::Flow;
use stend_load::target::{Target, TargetError};
use stend_load::trace::{ReplayOptions, Timing, TraceRequest};
use stend_load::{JobFile, RunOptions};
use stend_model::Model;
use stend_simulated::{Access, SimulatedTarget};

const WRITES: &str = "[w]\nrw=randwrite\nbs=4k\niodepth=8\nruntime=5\ntime_based=1\n";

fn demo() -> SimulatedTarget {
    SimulatedTarget::new(Model::shipped("demo-8gb").expect("it is shipped"))
}

fn is_interrupted<T>(result: Result<T, TargetError>) -> bool {
    matches!(result, Err(TargetError::Interrupted))
}

/// Returns a drive with a flag that is not set.
fn watched() -> (SimulatedTarget, Arc<AtomicBool>) {
    let (mut target, flag) = (demo(), Arc::new(AtomicBool::new(false)));
    target.set_interrupt(Some(Arc::clone(&flag)));
    (target, flag)
}

#[test]
fn a_flag_that_is_not_set_changes_nothing() {
    let (mut with, _flag) = watched();
    let mut without = demo();
    let file = JobFile::parse(WRITES).unwrap();
    for target in [&mut with, &mut without] {
        target.run_file(&file, &RunOptions::default()).unwrap();
        target.idle(0.0).unwrap();
        target.idle(120.0).unwrap();
        target.idle(30.0 * 86_400.0).unwrap();
    }
    assert_eq!(with.drive().trace_hash(), without.drive().trace_hash());
    assert_eq!(with.drive().counters(), without.drive().counters());
    assert_eq!(with.now_s(), without.now_s());
}

#[test]
fn a_job_ends_early_and_the_drive_goes_on() {
    let (mut target, flag) = watched();
    let file = JobFile::parse(WRITES).unwrap();
    let set = |progress: &stend_load::runner::Progress| {
        flag.store(progress.elapsed_s > 1.0, Ordering::Relaxed);
        Flow::GoOn
    };
    let options = RunOptions {
        progress: Some(&set),
        progress_every: Nanos::from_millis(100),
        ..RunOptions::default()
    };
    assert!(is_interrupted(target.run_file(&file, &options)));
    assert!((1.0..1.5).contains(&target.now_s()), "{}", target.now_s());
    // Nothing begins until the flag is removed.
    let before = target.drive().trace_hash();
    assert!(is_interrupted(
        target.run_file(&file, &RunOptions::default())
    ));
    assert_eq!(target.drive().trace_hash(), before);
    target.set_interrupt(None);
    target.run_file(&file, &RunOptions::default()).unwrap();
    assert!((6.0..6.6).contains(&target.now_s()), "{}", target.now_s());
}

#[test]
fn a_rest_ends_early() {
    let (mut target, flag) = watched();
    flag.store(true, Ordering::Relaxed);
    assert!(is_interrupted(target.idle(900.0)));
    assert!(target.now_s() < 1.0);
}

#[test]
fn a_stream_ends_early_and_what_was_issued_completes() {
    let (mut target, flag) = watched();
    let options = ReplayOptions {
        timing: Timing::Fast,
        ..ReplayOptions::default()
    };
    let requests = (1..).map(|line| {
        flag.store(line >= 1000, Ordering::Relaxed);
        Ok(TraceRequest {
            op: Op::Write,
            len_bytes: 4096,
            line,
            ..TraceRequest::default()
        })
    });
    let result = target.replay_stream("requests", Box::new(requests), &options, false);
    assert!(is_interrupted(result));
    assert_eq!(target.drive().counters().host_writes, 999);
}

#[test]
fn a_stream_has_the_latency_of_each_request() {
    let mut target = demo();
    let request = |line: u64| TraceRequest {
        at: Nanos::from_secs(line),
        op: Op::Write,
        len_bytes: 4096,
        line,
        ..TraceRequest::default()
    };
    let requests = Box::new((1..=100).map(|line| Ok(request(line))));
    let options = ReplayOptions::default();
    let done = target.replay_stream("requests", requests, &options, true);
    let done = done.unwrap();
    let latency = &done.replayed.ops[1].latency;
    assert_eq!(done.latencies_ns.len(), 100);
    let sum: u64 = done.latencies_ns.iter().sum();
    assert_eq!(u128::from(sum), latency.sum_ns());
    assert_eq!(done.latencies_ns.iter().max(), Some(&latency.max_ns()));
    assert_eq!(done.write_amplification, Some(1.0));
}

#[test]
fn a_drive_is_saved_again_and_its_file_stays_locked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive.state");
    let mut target = demo();
    target.save_as(&path).unwrap();
    target.idle(1.0).unwrap();
    target.save_as(&path).unwrap();
    target.idle(1.0).unwrap();
    target.save().unwrap();
    let opened = SimulatedTarget::open(&path, Access::Change);
    assert!(matches!(opened, Err(TargetError::Refused(_))));
    assert_eq!(
        SimulatedTarget::open(&path, Access::Look).unwrap().now_s(),
        2.0
    );
    let refused = target.clone().without_file().save_as(&path);
    assert!(matches!(refused, Err(TargetError::Input(_))));
    // Another drive in its place is not replaced.
    std::fs::remove_file(&path).unwrap();
    demo().save_as(&path).unwrap();
    assert!(matches!(target.save(), Err(TargetError::Refused(_))));
    drop(target);
    assert_eq!(
        SimulatedTarget::open(&path, Access::Change)
            .unwrap()
            .now_s(),
        0.0
    );
}
