//! The simulation compared with results that can be computed by hand.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op};
use stend_drive::SimDrive;
use stend_model::{Model, Spec};

fn link_time(spec: &Spec, bytes: u64) -> Nanos {
    let frames = bytes.div_ceil(u64::from(spec.host.frame_bytes));
    Nanos(bytes * spec.host.link_ps_per_byte / 1000) + spec.host.frame_overhead * frames
}

#[test]
fn one_read_takes_the_sum_of_its_parts() {
    for name in [
        "sandisk-ultra-ii-240gb",
        "samsung-850-pro-256gb",
        "demo-8gb",
    ] {
        let mut spec = Model::shipped(name).expect("a shipped model").spec();
        spec.variation = None;
        let mut drive = SimDrive::new(&spec);
        // Enough to push the first page out of the buffer, then silence.
        let mut at = 0;
        burst(&mut drive, Op::Write, 8, 1, 512, || {
            at += 8;
            at - 8
        });
        // Shorter than the delay after which idle work would interfere.
        rest(&mut drive, Nanos(spec.idle.delay.0 / 2));
        let got = alone(&mut drive, request(0, Op::Read, 0, 1));
        // The first read of a segment fetches it; the second finds it cached.
        let timing = spec
            .cache
            .as_ref()
            .map_or(&spec.data.timing, |c| &c.pool.timing);
        let expected = spec.host.submit
            + spec.controller.read_command
            + timing.read[0]
            + Nanos(4096 * spec.bus_ps_per_byte / 1000)
            + spec.bus_overhead
            + link_time(&spec, 4096)
            + spec.host.command_overhead
            + spec.host.complete;
        let miss = spec.controller.read_l2p_miss;
        assert!(
            got == expected || got == expected + miss,
            "{name}: {got:?}, {expected:?}"
        );
        // It continues where the first one ended, and follows writes.
        let again = alone(&mut drive, request(0, Op::Read, 1, 1));
        let turns = expected + spec.buffer.turnaround;
        assert_eq!(again, turns, "{name}, segment at hand");
    }
}

#[test]
fn a_write_is_acknowledged_from_the_buffer() {
    let spec = plain(64, 16, 8_000);
    let mut drive = SimDrive::new(&spec);
    let got = alone(&mut drive, request(0, Op::Write, 5, 1));
    let expected = spec.host.submit
        + spec.controller.write_command
        + link_time(&spec, 4096)
        + spec.host.command_overhead
        + spec.host.complete;
    assert_eq!(got, expected);
}

#[test]
fn a_read_of_buffered_data_touches_no_flash() {
    let spec = plain(64, 16, 8_000);
    let mut drive = SimDrive::new(&spec);
    alone(&mut drive, request(0, Op::Write, 5, 1));
    alone(&mut drive, request(0, Op::Read, 5, 1));
    assert_eq!(drive.counters().nand_reads, 0);
}

#[test]
fn a_flush_waits_for_the_program_of_what_was_written() {
    let spec = plain(64, 16, 8_000);
    let mut drive = SimDrive::new(&spec);
    alone(&mut drive, request(0, Op::Write, 5, 1));
    let flush = alone(&mut drive, request(0, Op::Flush, 0, 0));
    assert!(flush >= spec.data.timing.program[0], "{flush:?}");
    assert_eq!(drive.counters().padded_mp_pages, 1);
    let again = alone(&mut drive, request(0, Op::Flush, 0, 0));
    assert!(
        again < spec.data.timing.program[0],
        "nothing was left: {again:?}"
    );
}

#[test]
fn sequential_speed_is_bounded_by_the_bus_and_comes_near_it() {
    let spec = Model::shipped("samsung-850-pro-256gb")
        .expect("shipped")
        .spec();
    let mut drive = SimDrive::new(&spec);
    for op in [Op::Write, Op::Read] {
        let mut at = 0;
        let time = burst(&mut drive, op, 64, 8, 4_000, || {
            at += 64;
            at - 64
        });
        let bytes = 4_000.0 * 64.0 * 4096.0;
        let speed = bytes / time.as_secs_f64();
        let bound = 64.0 * 4096.0 / link_time(&spec, 64 * 4096).as_secs_f64();
        assert!(speed <= bound, "{op:?}: {speed} above the bus, {bound}");
        assert!(
            speed > 0.9 * bound,
            "{op:?}: {speed} far below the bus, {bound}"
        );
    }
}

#[test]
fn sequential_reads_at_depth_one_are_read_ahead() {
    let mut spec = Model::shipped("demo-8gb").expect("shipped").spec();
    let mut times = Vec::new();
    for pages in [0, spec.buffer.read_ahead_pages] {
        spec.buffer.read_ahead_pages = pages;
        let mut drive = SimDrive::new(&spec);
        let mut at = 0;
        let mut next = || {
            at += 8;
            at - 8
        };
        burst(&mut drive, Op::Write, 8, 4, 4096, &mut next);
        rest(&mut drive, spec.idle.delay * 2);
        let mut at = 0;
        let time = burst(&mut drive, Op::Read, 8, 1, 4096, || {
            at += 8;
            at - 8
        });
        times.push(time.0);
    }
    assert!(
        times[1] * 3 < times[0] * 2,
        "read-ahead does nothing: {times:?}"
    );
}

/// Write amplification of greedy GC under uniform random writes, for large superblocks: 1 / (1 −
/// v), where v, the share of valid pages in a victim, solves v = exp(−α (1 − v)), and α is physical
/// by logical space. (P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012;
/// greedy approaches this limit from below as the block grows.)
fn closed_form(alpha: f64) -> f64 {
    let mut v = 0.5_f64;
    for _ in 0..10_000 {
        v = (-alpha * (1.0 - v)).exp();
    }
    1.0 / (1.0 - v)
}

#[test]
fn write_amplification_agrees_with_the_closed_form() {
    for (user_share, tolerance) in [(78, 0.05), (86, 0.05)] {
        let (superblocks, rows) = (300, 64);
        let pages = u64::from(superblocks) * u64::from(rows) * 16;
        let spec = plain(superblocks, rows, pages * user_share / 100);
        let mut drive = SimDrive::new(&spec);
        fill(&mut drive);
        let mut next = random(&drive, 3);
        // To the steady state: until the result no longer depends on the fill.
        burst(&mut drive, Op::Write, 1, 32, 5 * pages / 2, &mut next);
        let before = drive.counters();
        burst(&mut drive, Op::Write, 1, 32, 3 * pages / 2, &mut next);
        let after = drive.counters();
        let host = (after.host_pages_written - before.host_pages_written) as f64;
        let moved = (after.pages_relocated - before.pages_relocated) as f64;
        let got = (host + moved) / host;
        // Superblocks kept free, and those being filled, hold no invalid data.
        let free = f64::from(spec.gc.start_superblocks);
        let physical = pages as f64 * (1.0 - free / f64::from(superblocks));
        let expected = closed_form(physical / (pages * user_share / 100) as f64);
        let error = got / expected - 1.0;
        println!("{user_share} %: got {got:.3}, expected {expected:.3}, {error:+.3}");
        // Greedy approaches the limit from below as superblocks grow.
        assert!(
            error > -tolerance && error < 0.005,
            "{user_share} %: {got} against {expected}"
        );
    }
}

#[test]
fn fifo_relocates_no_less_than_greedy() {
    let pages = 300 * 16 * 16;
    let mut moved = Vec::new();
    for policy in [
        stend_model::spec::Policy::Greedy,
        stend_model::spec::Policy::Fifo,
    ] {
        let mut spec = plain(300, 16, pages * 85 / 100);
        spec.gc.policy = policy;
        let mut drive = SimDrive::new(&spec);
        fill(&mut drive);
        // Half of the writes go to a tenth of the drive: greedy profits, FIFO cannot.
        let mut rng = stend_base::Rng::stream(5, "skew");
        let all = drive.capacity_bytes() / PAGE;
        burst(&mut drive, Op::Write, 1, 32, 4 * pages, || {
            let hot = rng.ratio(1, 2);
            rng.below(if hot { all / 10 } else { all })
        });
        moved.push(drive.counters().pages_relocated);
    }
    assert!(moved[0] < moved[1], "{moved:?}");
}

#[test]
fn parity_takes_its_share_of_programs() {
    let mut spec = plain(64, 16, 8_000);
    spec.parity_data = Some(5);
    let mut drive = SimDrive::new(&spec);
    let mut at = 0;
    burst(&mut drive, Op::Write, 4, 4, 1_500, || {
        at += 4;
        at - 4
    });
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    let counters = drive.counters();
    let data = counters.nand_programs - counters.parity_programs;
    assert_eq!(data, 1_500);
    // Every sixth of a superblock's 64 multi-plane pages holds parity, and the last one for the
    // four that remain: 11, beside 53 of data.
    assert!(
        counters.parity_programs.abs_diff(1_500 * 11 / 53) <= 1,
        "{counters:?}"
    );
}

#[test]
fn a_partly_written_page_reads_the_old_one_first() {
    let spec = plain(64, 16, 8_000);
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    rest(&mut drive, spec.idle.delay * 2);
    let before = drive.counters();
    let mut half = request(0, Op::Write, 7, 1);
    half.len_bytes = 512;
    alone(&mut drive, half);
    assert_eq!(drive.counters().merges, before.merges + 1);
}

#[test]
fn same_requests_give_the_same_history() {
    let spec = Model::shipped("demo-8gb").expect("shipped").spec();
    let run = |seed: u64| {
        let mut drive = SimDrive::new(&spec);
        let next = random(&drive, seed);
        burst(&mut drive, Op::Write, 1, 32, 200_000, next);
        rest(&mut drive, Nanos::from_secs(20));
        let next = random(&drive, seed + 1);
        burst(&mut drive, Op::Read, 1, 8, 20_000, next);
        (drive.trace_hash(), drive.now(), drive.counters())
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).0, run(2).0);
}

#[test]
fn a_copy_goes_on_like_the_original() {
    let spec = Model::shipped("demo-8gb").expect("shipped").spec();
    let mut drive = SimDrive::new(&spec);
    let next = random(&drive, 1);
    burst(&mut drive, Op::Write, 1, 32, 50_000, next);
    let mut copy = drive.clone();
    for drive in [&mut drive, &mut copy] {
        let next = random(drive, 2);
        burst(drive, Op::Write, 1, 16, 50_000, next);
    }
    assert_eq!(drive.trace_hash(), copy.trace_hash());
    assert_eq!(drive.counters(), copy.counters());
}
