//! Streams: their cost, the placing of data, and the savings.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, Rng};
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::spec::{Policy, StreamsSpec};

fn streams(host: u32, gc: u32) -> StreamsSpec {
    StreamsSpec {
        host_streams: host,
        gc_streams: gc,
        heat_group_pages: 4,
        heat_window_percent: 200,
        classify: Nanos::ZERO,
    }
}

/// 600 superblocks of 256 pages; 85 % of them hold data.
fn drive(with: Option<StreamsSpec>) -> Spec {
    drive_of(600, with)
}

fn drive_of(superblocks: u32, with: Option<StreamsSpec>) -> Spec {
    let mut spec = plain(superblocks, 16, u64::from(superblocks) * 256 * 85 / 100);
    spec.streams = with;
    spec
}

/// Write amplification when `to_hot` of ten writes go to the first tenth of the data.
fn amplification(spec: &Spec, to_hot: u64) -> f64 {
    let mut drive = SimDrive::new(spec);
    fill(&mut drive);
    let pages = drive.capacity_bytes() / PAGE;
    let mut rng = Rng::stream(5, "skew");
    let mut next = || {
        let hot = rng.ratio(to_hot, 10);
        let (from, to) = if hot {
            (0, pages / 10)
        } else {
            (pages / 10, pages)
        };
        from + rng.below(to - from)
    };
    burst(&mut drive, Op::Write, 1, 32, 6 * pages, &mut next);
    let before = drive.counters();
    burst(&mut drive, Op::Write, 1, 32, 3 * pages, &mut next);
    let after = drive.counters();
    let moved = after.pages_relocated - before.pages_relocated;
    1.0 + moved as f64 / (after.host_pages_written - before.host_pages_written) as f64
}

#[test]
fn a_write_takes_the_time_of_telling_its_heat_and_nothing_else_does() {
    let run = |classify: Nanos| {
        let mut with = streams(2, 2);
        with.classify = classify;
        let mut drive = SimDrive::new(&drive(Some(with)));
        [Op::Write, Op::Read, Op::Flush, Op::Trim].map(|op| {
            let pages = if op == Op::Flush { 0 } else { 1 };
            alone(&mut drive, request(0, op, 5, pages))
        })
    };
    let [write, read, flush, trim] = run(Nanos(700));
    let [plain_write, rest @ ..] = run(Nanos::ZERO);
    assert_eq!(write, plain_write + Nanos(700));
    assert_eq!([read, flush, trim], rest);
}

#[test]
fn one_stream_each_is_what_a_drive_has_anyway() {
    let history = |with: Option<StreamsSpec>| {
        let mut drive = SimDrive::new(&drive(with));
        fill(&mut drive);
        let next = random(&drive, 9);
        burst(&mut drive, Op::Write, 1, 16, 500_000, next);
        (drive.trace_hash(), drive.counters())
    };
    let plain = history(None);
    assert_eq!(history(Some(streams(1, 1))), plain);
    assert_ne!(history(Some(streams(2, 1))).0, plain.0);
    assert_ne!(history(Some(streams(1, 2))).0, plain.0);
}

/// A superblock of cold data among cold data keeps its data for long, and one of hot data among hot
/// data is soon without valid pages, if the policy waits for that. FIFO does not (each superblock
/// is chosen in turn, whatever it contains), and greedy hardly does: it keeps all superblocks at
/// one level of invalid pages, as under uniform writes.
#[test]
fn streams_move_less_of_a_skewed_load_where_the_policy_can_wait() {
    let of = |superblocks: u32, policy: Policy, to_hot: u64, (host, gc): (u32, u32)| {
        let mut spec = drive_of(superblocks, Some(streams(host, gc)));
        spec.gc.policy = policy;
        let moved = amplification(&spec, to_hot) - 1.0;
        println!("{policy:?}, {to_hot} of 10, {host}/{gc}: {moved:.3}");
        moved
    };
    let moved = |policy, to_hot, streams| of(600, policy, to_hot, streams);
    let (alone, both) = ((1, 1), (2, 3));
    let [one, by_heat, by_age, by_both] =
        [alone, (2, 1), (1, 4), both].map(|streams| moved(Policy::CostBenefit, 9, streams));
    assert!(by_heat < 0.9 * one && by_age < 0.85 * one && by_both < 0.75 * one);
    assert!(by_both < by_age && by_both < by_heat);
    let [one, by_both] = [alone, both].map(|streams| moved(Policy::Fifo, 9, streams));
    assert!((0.99..1.06).contains(&(by_both / one)), "FIFO");
    // Under uniform writes nothing can be separated, and little is lost by trying: room for three
    // more open superblocks, which hardly matters to a drive of a usual size.
    let [one, by_both] = [alone, both].map(|streams| of(2_400, Policy::Greedy, 1, streams));
    assert!((0.99..1.02).contains(&(by_both / one)), "uniform");
}
