//! One direction at a time, and the work on long writes beside the link.

mod common;

use common::*;
use stend_base::{Device, Nanos, Op, SimTime};
use stend_drive::{SimDrive, Spec};

/// From the call to the data in the buffer and back, for writes of one unit.
fn way(spec: &Spec, units: u64) -> Nanos {
    let bytes = units * UNIT;
    spec.host.submit
        + spec.controller.write_command
        + Nanos(bytes * spec.host.link_ps_per_byte / 1000)
        + spec.host.frame_overhead * bytes.div_ceil(u64::from(spec.host.frame_bytes))
        + spec.host.command_overhead
        + spec.host.complete
}

fn turning(one_direction: bool) -> Spec {
    let mut spec = plain(64, 16, 8_000);
    spec.buffer.one_direction = one_direction;
    spec
}

/// A read of another die right after a write of so many units: how long it takes.
fn read_behind_write(one_direction: bool, written_units: u64) -> Nanos {
    let mut drive = SimDrive::new(&turning(one_direction));
    fill(&mut drive);
    rest(&mut drive, Nanos::from_millis(100));
    let first = drive.counters().turns;
    alone(&mut drive, request(0, Op::Write, 4_000, written_units));
    let got = alone(&mut drive, request(1, Op::Read, 13, 1));
    let turns = drive.counters().turns - first;
    assert_eq!(
        turns,
        if one_direction { 1 } else { 0 },
        "but for the last write"
    );
    got
}

#[test]
fn a_read_waits_until_what_was_written_is_programmed() {
    let free = read_behind_write(false, 4);
    let waits = read_behind_write(true, 4);
    // The write ends when it is in the buffer; its page goes over the channel meanwhile. What
    // is left of transfer and program is waited for, from when the read is before the
    // firmware.
    let spec = turning(true);
    let program = Nanos(16_384 * 2_500 / 1000 + 300 + 400_000);
    let on_the_way = spec.host.complete + spec.host.submit;
    let lead = waits - free;
    assert!(
        lead < program && lead + on_the_way + Nanos(5_000) > program,
        "{lead:?}"
    );
    // Units in a page that is not full yet hold nobody up.
    assert_eq!(read_behind_write(true, 3), read_behind_write(false, 3));
}

#[test]
fn the_turn_to_reads_takes_its_time_once_and_behind_programs_alone() {
    let reads = |turn: Nanos, written_units: u64| {
        let mut spec = turning(true);
        spec.buffer.turn = turn;
        let mut drive = SimDrive::new(&spec);
        fill(&mut drive);
        rest(&mut drive, Nanos::from_millis(100));
        let read = |drive: &mut SimDrive, unit| alone(drive, request(1, Op::Read, unit, 1));
        let first = read(&mut drive, 13);
        alone(&mut drive, request(1, Op::Write, 4_000, written_units));
        rest(&mut drive, Nanos::from_millis(2));
        [first, read(&mut drive, 113), read(&mut drive, 1_013)]
    };
    let (free, costs) = (reads(Nanos::ZERO, 4), reads(Nanos(70_000), 4));
    // It was filled before: the first read turns, that behind the write does, the last does not.
    for (nth, extra) in [70_000, 70_000, 0].into_iter().enumerate() {
        assert_eq!(costs[nth], free[nth] + Nanos(extra), "{nth}");
    }
    // Three units fill no page.
    let (free, costs) = (reads(Nanos::ZERO, 3), reads(Nanos(70_000), 3));
    assert_eq!(costs[1], free[1]);
}

#[test]
fn commands_take_their_turns_in_the_order_in_which_they_come() {
    let ends = |one_direction: bool| {
        let mut drive = SimDrive::new(&turning(one_direction));
        fill(&mut drive);
        rest(&mut drive, Nanos::from_millis(100));
        let ops = [
            Op::Read,
            Op::Write,
            Op::Read,
            Op::Write,
            Op::Write,
            Op::Read,
        ];
        for (tag, op) in ops.into_iter().enumerate() {
            let tag = tag as u32;
            drive.submit(request(tag, op, 4_000 + 128 * u64::from(tag), 4));
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
    // Otherwise writes, which end in the buffer, pass the reads.
    assert_ne!(ends(false).0, [0, 1, 2, 3, 4, 5]);
}

/// Bytes a second of random reads and writes of 128 KiB, of which `reads` of ten read.
fn mixed(one_direction: bool, reads: u64) -> f64 {
    let mut spec = turning(one_direction);
    // Flash that takes 437 MB/s, and 16 slots at once.
    (spec.dies, spec.channels) = (16, 8);
    spec.main.timing.program = vec![Nanos::from_micros(600)];
    spec.buffer.write_units = 512;
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    rest(&mut drive, Nanos::from_millis(100));
    let mut offset = random(&drive, 7);
    let mut send = |drive: &mut SimDrive, n: u64| {
        let op = if n * 7 % 10 < reads {
            Op::Read
        } else {
            Op::Write
        };
        let unit = offset() / 32 * 32;
        drive.submit(request(0, op, unit.min(7_936), 32));
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
    // Pure loads have no turns.
    assert_eq!((turns[0], turns[3]), (free[0], free[3]));
    assert!(turns[1] < 0.85 * free[1] && turns[2] < 0.6 * free[2]);
    // A tub: both ends are above the middle.
    assert!(turns[2] < 0.8 * turns[0] && turns[2] < 0.8 * turns[3]);
}

#[test]
fn the_firmware_works_on_a_long_write_while_more_of_it_comes() {
    let time = |unit_ns: u64| {
        let mut spec = plain(64, 16, 8_000);
        spec.buffer.write_units = 1_024;
        spec.controller.write_unit = Nanos(unit_ns);
        let mut drive = SimDrive::new(&spec);
        let got = alone(&mut drive, request(0, Op::Write, 0, 64));
        (got, way(&spec, 64))
    };
    // Quicker than the link: the last unit is left.
    let (got, link) = time(1_000);
    assert!(got.0.abs_diff(link.0 + 1_000) < 400, "{got:?}, {link:?}");
    // Slower: the second unit has to come, and then it is the firmware's time; the first is
    // part of the command's.
    let (got, link) = time(20_000);
    let expected = way(&plain(64, 16, 8_000), 2).0 + 63 * 20_000;
    assert!(
        got.0.abs_diff(expected) < 2_000,
        "{got:?}, {expected}, {link:?}"
    );
}
