//! Prediction of a drive: the bytes that can be written before data has to be moved.

use crate::tests::common;

use common::*;
use stend_base::{Device, Op};
use stend_drive::SimDrive;
use stend_model::spec::{BlocksSpec, PowerLossSpec, Spec, WearSpec};

fn drives() -> Vec<(&'static str, Spec)> {
    let plain = || plain(40, 64, 30 * 4 * 64 * 4);
    let with_parity = Spec {
        parity_data: Some(3),
        ..common::plain(52, 64, 30 * 4 * 64 * 4)
    };
    let wearing = Spec {
        media: Some(media()),
        wear: Some(WearSpec {
            dynamic: true,
            static_spread: 8,
            static_interval: 1,
        }),
        blocks: Some(BlocksSpec {
            life_cycles: [u32::MAX, 1_000],
            life_spread_percent: 10,
            die_spread_percent: 0,
            spare_blocks: 4,
            factory_bad_ppm: 0,
            program_failure_ppb: 0,
            seed: 1,
        }),
        ..plain()
    };
    let journal = Spec {
        power_loss: Some(power_loss()),
        ..plain()
    };
    vec![
        ("plain", plain()),
        ("parity", with_parity),
        ("wearing", wearing),
        ("journal", journal),
    ]
}

fn placed_bytes(drive: &SimDrive) -> u64 {
    drive
        .flash_written_bytes()
        .expect("a simulated drive knows")
}

/// Writes at random until `bytes` more are in flash.
fn write_bytes(drive: &mut SimDrive, bytes: u64) {
    let until = placed_bytes(drive) + bytes;
    // A different sequence each time, or the oldest superblock would be overwritten entirely.
    let mut next = random(drive, until);
    while placed_bytes(drive) < until {
        burst(drive, Op::Write, 1, 8, 64, &mut next);
    }
}

#[test]
fn nothing_is_relocated_until_the_room_is_used() {
    for (name, spec) in drives() {
        for (state, prepare) in [
            ("new", (|_| {}) as fn(&mut SimDrive)),
            ("trimmed", |drive| {
                fill(drive);
                let all = drive.capacity_bytes() / PAGE;
                alone(drive, request(0, Op::Trim, 0, all));
                alone(drive, request(1, Op::Flush, 0, 0));
            }),
            ("half written", |drive| {
                let half = drive.capacity_bytes() / 2;
                write_bytes(drive, half);
            }),
        ] {
            let mut drive = SimDrive::new(&spec);
            prepare(&mut drive);
            let moved = drive.counters().pages_relocated;
            let room = drive.steady_bytes().expect("nothing else may begin");
            assert!(room > drive.capacity_bytes() / 8, "{name}, {state}: {room}");
            write_bytes(&mut drive, room - 100 * PAGE);
            assert_eq!(drive.counters().pages_relocated, moved, "{name}, {state}");
            let left = drive.steady_bytes().expect("nor has it begun");
            assert!(left < room / 20, "{name}, {state}: {left} of {room} left");
            // Several superblocks, since the first may have no valid page.
            write_bytes(&mut drive, spec.user_bytes / 4);
            assert!(drive.counters().pages_relocated > moved, "{name}, {state}");
        }
    }
}

#[test]
fn a_full_drive_has_no_room() {
    for (name, spec) in drives() {
        let mut drive = SimDrive::new(&spec);
        fill(&mut drive);
        write_bytes(&mut drive, spec.user_bytes);
        let room = drive.steady_bytes().expect("it is known");
        assert!(room < spec.user_bytes / 20, "{name}: {room}");
    }
}

#[test]
fn room_is_not_told_where_other_work_may_begin() {
    let plain = plain(40, 64, 30 * 4 * 64 * 4);
    assert!(SimDrive::new(&plain).steady_bytes().is_some());
    let cached = SimDrive::new(&cached(40, 4, 30 * 4 * 64 * 4));
    assert_eq!(cached.steady_bytes(), None);
    // A checkpoint after every eight pages of the journal, of a megabyte of data each.
    let journalled = Spec {
        power_loss: Some(PowerLossSpec {
            journal_interval_pages: 256,
            checkpoint_pages: 8,
            flush_ignored: false,
            ..power_loss()
        }),
        ..plain.clone()
    };
    let mut journalled = SimDrive::new(&journalled);
    assert_eq!(journalled.steady_bytes(), Some(8 * 256 * PAGE));
    write_bytes(&mut journalled, 7 * 256 * PAGE);
    let left = journalled.steady_bytes().expect("none is under way");
    assert!((1..=3).contains(&(left / 256 / PAGE)), "{left}");
    assert_eq!(journalled.counters().checkpoint_programs, 0);
    write_bytes(&mut journalled, left + 256 * PAGE);
    assert!(journalled.counters().checkpoint_programs > 0);
    let failing = Spec {
        blocks: Some(BlocksSpec {
            life_cycles: [u32::MAX, 2],
            life_spread_percent: 0,
            die_spread_percent: 0,
            spare_blocks: 200,
            factory_bad_ppm: 0,
            program_failure_ppb: 0,
            seed: 1,
        }),
        ..plain
    };
    let mut failing = SimDrive::new(&failing);
    while failing.health().blocks.is_some_and(|b| b.grown_bad == 0) {
        assert!(failing.steady_bytes().is_some());
        fill(&mut failing);
    }
    assert_eq!(failing.steady_bytes(), None);
}
