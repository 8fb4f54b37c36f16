//! The half-duplex buffer, and the work on long writes beside the link.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, SimTime};
use stend_drive::SimDrive;
use stend_model::Spec;

/// Time from the call to the data in the buffer and back, without firmware time of further pages.
fn way(spec: &Spec, pages: u64) -> Nanos {
    let bytes = pages * PAGE;
    spec.host.submit
        + spec.controller.write_command
        + Nanos(bytes * spec.host.link_ps_per_byte / 1000)
        + spec.host.frame_overhead * bytes.div_ceil(u64::from(spec.host.frame_bytes))
        + spec.host.command_overhead
        + spec.host.complete
}

fn turning(half_duplex: bool) -> Spec {
    let mut spec = plain(64, 16, 8_000);
    spec.buffer.half_duplex = half_duplex;
    spec
}

/// Latencies of reads of these pages, one after another, after a write of `written_pages`; and the
/// number of turnarounds.
fn reads_behind_write(spec: &Spec, written_pages: u64, reads: &[u64]) -> (Vec<Nanos>, u64) {
    let mut drive = SimDrive::new(spec);
    fill(&mut drive);
    rest(&mut drive, Nanos::from_millis(100));
    // The drive was filled before: the buffer serves writes, and data has gone to flash.
    alone(&mut drive, request(0, Op::Read, 12, 1));
    alone(&mut drive, request(0, Op::Read, 13, 1));
    let first = drive.counters().turnarounds;
    alone(&mut drive, request(0, Op::Write, 4_000, written_pages));
    rest(&mut drive, Nanos::from_millis(2));
    let read = |page: &u64| alone(&mut drive, request(1, Op::Read, *page, 1));
    let took = reads.iter().map(read).collect();
    (took, drive.counters().turnarounds - first)
}

#[test]
fn only_sequential_reads_take_turns_with_writes() {
    let of = |half_duplex, reads: &[u64]| reads_behind_write(&turning(half_duplex), 4, reads).1;
    assert_eq!(of(true, &[113, 1_013, 2_013]), 1, "to the write");
    assert_eq!(of(true, &[113, 114, 115, 1_013]), 2, "and to a stream");
    // The stream from before the write continues.
    assert_eq!(of(true, &[14]), 2);
    // Four streams are recognised, and a fifth replaces the oldest.
    assert_eq!(of(true, &[113, 213, 313, 14]), 2);
    assert_eq!(of(true, &[113, 213, 313, 413, 14]), 1);
    assert_eq!(of(false, &[113, 114]), 0);
}

#[test]
fn the_turn_to_reads_takes_its_time_once_and_behind_programs_alone() {
    let reads = |turn: Nanos, written_pages: u64| {
        let mut spec = turning(true);
        spec.buffer.turnaround = turn;
        reads_behind_write(&spec, written_pages, &[113, 114, 1_013, 115]).0
    };
    let (free, costs) = (reads(Nanos::ZERO, 4), reads(Nanos(70_000), 4));
    // The second read is the first that continues a stream.
    for (nth, extra) in [0, 70_000, 0, 0].into_iter().enumerate() {
        assert_eq!(costs[nth], free[nth] + Nanos(extra), "{nth}");
    }
    // Three pages do not fill a multi-plane page.
    assert_eq!(reads(Nanos::ZERO, 3), reads(Nanos(70_000), 3));
}

#[test]
fn commands_take_their_turns_in_the_order_in_which_they_come() {
    let ends = |half_duplex: bool| {
        let mut drive = SimDrive::new(&turning(half_duplex));
        fill(&mut drive);
        rest(&mut drive, Nanos::from_millis(100));
        alone(&mut drive, request(0, Op::Read, 4_000 - 4, 4));
        let ops = [
            Op::Read,
            Op::Write,
            Op::Read,
            Op::Write,
            Op::Write,
            Op::Read,
        ];
        let mut stream = 4_000;
        for (tag, op) in (0..).zip(ops) {
            let page = match op {
                Op::Read => stream,
                _ => 128 * u64::from(tag),
            };
            stream += if op == Op::Read { 4 } else { 0 };
            drive.submit(request(tag, op, page, 4));
        }
        let ended = ops.map(|_| drive.advance(SimTime::NEVER).expect("it ends").tag);
        assert!(
            drive
                .advance(drive.now() + Nanos::from_millis(50))
                .is_none()
        );
        (ended, drive.now())
    };
    assert_eq!(ends(true).0, [0, 1, 2, 3, 4, 5]);
    // Otherwise writes, which end in the buffer, overtake the reads.
    assert_ne!(ends(false).0, [0, 1, 2, 3, 4, 5]);
}

/// Bytes a second of requests of 128 KiB, of which `reads` of ten read in sequence and the others
/// write at random; a turnaround to reads takes 1 ms.
fn mixed(half_duplex: bool, reads: u64) -> f64 {
    let mut spec = turning(half_duplex);
    // Flash that accepts 437 MB/s, and 16 multi-plane pages at once.
    (spec.dies, spec.channels) = (16, 8);
    spec.data.timing.program = vec![Nanos::from_micros(600)];
    spec.buffer.write_pages = 512;
    spec.buffer.turnaround = Nanos::from_millis(1);
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    rest(&mut drive, Nanos::from_millis(100));
    let mut offset = random(&drive, 7);
    // The drive was filled before: the turnaround to reads is not part of the measurement.
    let mut stream = 32;
    alone(&mut drive, request(0, Op::Read, 0, 32));
    alone(&mut drive, request(0, Op::Read, stream, 32));
    let mut send = |drive: &mut SimDrive, n: u64| {
        let op = if n * 7 % 10 < reads {
            Op::Read
        } else {
            Op::Write
        };
        let page = match op {
            Op::Read => {
                stream = (stream + 32) % 7_936;
                stream
            }
            _ => (offset() / 32 * 32).min(7_936),
        };
        drive.submit(request(0, op, page, 32));
    };
    let start = drive.now();
    send(&mut drive, 0);
    for n in 1..2_000 {
        send(&mut drive, n);
        drive.advance(SimTime::NEVER).expect("it ends");
    }
    2_000.0 * 131_072.0 / drive.now().since(start).as_secs_f64()
}

#[test]
fn a_few_writes_cost_most_of_the_speed_and_only_where_directions_take_turns() {
    let turns = [10, 9, 5, 0].map(|reads| mixed(true, reads));
    let free = [10, 9, 5, 0].map(|reads| mixed(false, reads));
    println!("{turns:?}\n{free:?}");
    // Pure loads have no turnarounds.
    assert_eq!((turns[0], turns[3]), (free[0], free[3]));
    assert!(turns[1] < 0.85 * free[1] && turns[2] < 0.6 * free[2]);
    // A bathtub curve: both ends are above the middle.
    assert!(turns[2] < 0.8 * turns[0] && turns[2] < 0.8 * turns[3]);
}

#[test]
fn the_firmware_works_on_a_long_write_while_more_of_it_comes() {
    let time = |page_ns: u64| {
        let mut spec = plain(64, 16, 8_000);
        spec.buffer.write_pages = 1_024;
        spec.controller.write_page = Nanos(page_ns);
        let mut drive = SimDrive::new(&spec);
        let got = alone(&mut drive, request(0, Op::Write, 0, 64));
        (got, way(&spec, 64))
    };
    // Faster than the link: only the last page is added.
    let (got, link) = time(1_000);
    assert!(got.0.abs_diff(link.0 + 1_000) < 400, "{got:?}, {link:?}");
    // Slower: the second page has to arrive, and then the firmware sets the time; the first page is
    // part of the command's time.
    let (got, link) = time(20_000);
    let expected = way(&plain(64, 16, 8_000), 2).0 + 63 * 20_000;
    assert!(
        got.0.abs_diff(expected) < 2_000,
        "{got:?}, {expected}, {link:?}"
    );
}
