//! What keeping data over a power cut costs, and what a cut takes: to the nanosecond, and
//! page by page.

mod common;

use common::*;
use stend_base::{Device, Nanos, Op, Request, Rng, SimTime};
use stend_drive::spec::*;
use stend_drive::{SimDrive, Spec};
use stend_nand::CellTiming;

const JOURNAL_READ: Nanos = Nanos(31_000);
const JOURNAL_PROGRAM: Nanos = Nanos(210_000);

fn power_loss() -> PowerLossSpec {
    PowerLossSpec {
        hold_up: None,
        paired_pages: PairedPages::OneShot,
        journal: CellTiming {
            read: vec![JOURNAL_READ],
            program: vec![JOURNAL_PROGRAM],
            erase: Nanos::from_micros(3000),
        },
        journal_rows: 16,
        journal_interval_units: 1_000_000,
        checkpoint_pages: 1_000_000,
        boot: Nanos::from_millis(7),
        replay_unit: Nanos(130),
    }
}

/// One die, so that all its work is done in turn.
fn one_die(change: impl FnOnce(&mut PowerLossSpec)) -> Spec {
    let mut spec = plain(64, 16, 1_500);
    (spec.dies, spec.channels) = (1, 1);
    spec.idle.delay = Nanos::from_secs(1_000);
    let mut loss = power_loss();
    change(&mut loss);
    spec.power_loss = Some(loss);
    spec
}

fn new_drive(spec: &Spec) -> SimDrive {
    let mut drive = SimDrive::new(spec);
    drive.keep_content();
    drive
}

fn slot_transfer(spec: &Spec) -> Nanos {
    let bytes = u64::from(spec.units_per_slot) * UNIT;
    Nanos(bytes * spec.bus_ps_per_byte / 1000) + spec.bus_overhead
}

/// A flush of a drive that has something to make durable.
fn flush_time(spec: &Spec) -> Nanos {
    spec.host.submit
        + spec.controller.write_command
        + slot_transfer(spec)
        + spec.main.timing.program[0]
        + slot_transfer(spec)
        + JOURNAL_PROGRAM
        + spec.host.complete
}

#[test]
fn a_flush_takes_the_data_and_then_the_journal() {
    let spec = one_die(|_| {});
    let mut drive = new_drive(&spec);
    alone(&mut drive, request(1, Op::Write, 5, 1));
    let flush = alone(&mut drive, request(2, Op::Flush, 0, 0));
    assert_eq!(flush, flush_time(&spec));
    let c = drive.counters();
    assert_eq!((c.nand_programs, c.journal_programs), (2, 1));
    // Nothing is left to do for the next.
    let again = alone(&mut drive, request(3, Op::Flush, 0, 0));
    let shortest = spec.host.submit + spec.controller.write_command + spec.host.complete;
    assert_eq!(again, shortest);
}

/// FUA, and a write cache that is switched off: the write itself is the flush.
#[test]
fn a_write_with_fua_takes_the_data_and_then_the_journal() {
    let spec = one_die(|_| {});
    let waits = |forced: bool, cache: bool| {
        let mut drive = new_drive(&spec);
        drive.set_write_cache(cache);
        let write = Request {
            fua: forced,
            ..request(1, Op::Write, 5, 1)
        };
        let time = alone(&mut drive, write);
        drive.power_cut();
        (time, drive.content(5))
    };
    let (cached, lost) = waits(false, true);
    let beyond = slot_transfer(&spec) * 2 + spec.main.timing.program[0] + JOURNAL_PROGRAM;
    assert_eq!(lost, None);
    for (forced, cache) in [(true, true), (false, false), (true, false)] {
        assert_eq!(waits(forced, cache), (cached + beyond, Some(1)));
    }
}

/// Time without power costs no energy, and is not time in which the drive was on.
#[test]
fn a_drive_without_power_takes_none() {
    let mut spec = one_die(|_| {});
    spec.energy = Some(EnergySpec {
        read_pj: [0; 2],
        program_pj: [7, 0],
        erase_pj: [0; 2],
        bus_pj_per_byte: 0,
        core_busy_mw: 200,
        core_idle_mw: 200,
        link_active_mw: 100,
        link_idle_mw: 100,
        dram_mw: 50,
    });
    let power_mw = u128::from(200 * spec.controller.cores + 100 + 50);
    let mut drive = new_drive(&spec);
    alone(&mut drive, request(1, Op::Write, 5, 1));
    alone(&mut drive, request(2, Op::Flush, 0, 0));
    drive.power_cut();
    let (before, on) = (drive.energy().expect("it keeps account"), drive.now());
    // The journal's page alone is programmed in SLC mode.
    assert_eq!(before.nand_program_pj, 7);
    assert_eq!(before.total_pj() - 7, power_mw * u128::from(on.0));
    rest(&mut drive, Nanos::from_secs(1_000));
    assert_eq!(drive.energy(), Some(before));
    drive.power_up();
    alone(&mut drive, request(3, Op::Read, 5, 1));
    let up = drive.now().since(on) - Nanos::from_secs(1_000);
    let added = drive.energy().expect("still").total_pj() - before.total_pj();
    assert_eq!(added, power_mw * u128::from(up.0));
    let health = drive.health();
    assert_eq!((health.power_cycles, health.unsafe_shutdowns), (2, 1));
    assert_eq!(health.power_on, Nanos(on.0) + up);
}

#[test]
#[should_panic(expected = "power_loss does not go with [map]")]
fn what_the_log_knows_nothing_of_is_refused() {
    let mut spec = one_die(|_| {});
    spec.map = Some(MapSpec {
        read: Nanos(1),
        program: Nanos(1),
        erase: Nanos(1),
        programs_per_erase: 1,
    });
    new_drive(&spec);
}

#[test]
fn behind_capacitors_a_flush_is_a_command_and_no_more() {
    let spec = one_die(|loss| loss.hold_up = Some(Nanos::from_millis(20)));
    let mut drive = new_drive(&spec);
    for tag in 0..20 {
        alone(&mut drive, request(tag, Op::Write, u64::from(tag), 1));
        let flush = alone(&mut drive, request(100, Op::Flush, 0, 0));
        let shortest = spec.host.submit + spec.controller.write_command + spec.host.complete;
        assert_eq!(flush, shortest);
    }
    assert_eq!(drive.counters().journal_programs, 0);
    drive.power_cut();
    for unit in 0..20 {
        assert_eq!(drive.content(unit), Some(unit));
    }
    let c = drive.counters();
    assert_eq!(
        (c.journal_programs, c.failed_saves, c.padded_slots),
        (1, 0, 0)
    );
}

#[test]
fn capacitors_that_are_too_small_lose_what_was_flushed() {
    let kept = |hold_up: Nanos| {
        let spec = one_die(|loss| loss.hold_up = Some(hold_up));
        let mut drive = new_drive(&spec);
        // Two slots, of which the second is not full: both are in the buffer at the cut.
        burst(&mut drive, Op::Write, 1, 1, 6, {
            let mut next = 0..6;
            move || next.next().expect("six")
        });
        alone(&mut drive, request(9, Op::Flush, 0, 0));
        drive.power_cut();
        let c = drive.counters();
        let kept = (0..6).filter(|&unit| drive.content(unit).is_some()).count();
        (kept, c.failed_saves, Nanos(c.save_ns_last))
    };
    let spec = one_die(|_| {});
    let need = spec.main.timing.program[0] * 2 + JOURNAL_PROGRAM + slot_transfer(&spec) * 3;
    assert_eq!(kept(need), (6, 0, need));
    assert_eq!(kept(need - Nanos(1)), (0, 1, need));
}

#[test]
fn a_start_takes_the_sum_of_its_reads() {
    let spec = one_die(|_| {});
    let mut drive = new_drive(&spec);
    for tag in 0..5 {
        alone(&mut drive, request(tag, Op::Write, u64::from(tag) * 7, 3));
        alone(&mut drive, request(50, Op::Flush, 0, 0));
    }
    // Acknowledged, placed in the sixth slot, and in no journal.
    alone(&mut drive, request(6, Op::Write, 100, 1));
    drive.power_cut();
    rest(&mut drive, Nanos::from_millis(3));
    let start = drive.now();
    drive.power_up();
    drive.submit(request(7, Op::Read, 0, 1));
    let read = drive.advance(SimTime::NEVER).expect("it ends").at;
    // The table of 1,500 units is 2 parts of 4 KiB, in one page.
    let reserved = (JOURNAL_READ + slot_transfer(&spec)) * (1 + 5);
    let scanned = (spec.main.timing.read[0] + spec.bus_overhead) * 6;
    let replayed = spec.power_loss.as_ref().expect("it has").replay_unit * 15;
    let recovery = Nanos::from_millis(7) + reserved + scanned + replayed;
    assert_eq!(drive.counters().recovery_ns_last, recovery.0);
    assert_eq!(drive.content(0), Some(0));
    assert_eq!(drive.content(100), None, "it was never flushed");
    // The first command has waited; then it takes its usual time.
    let unit = Nanos(UNIT * spec.bus_ps_per_byte / 1000) + spec.bus_overhead;
    let link = Nanos(UNIT * spec.host.link_ps_per_byte / 1000)
        + spec.host.frame_overhead
        + spec.host.command_overhead;
    let served =
        spec.controller.read_command + spec.main.timing.read[0] + unit + link + spec.host.complete;
    assert_eq!(read.since(start), recovery + served);
}

#[test]
fn after_a_shutdown_a_start_reads_the_table_alone() {
    let spec = one_die(|_| {});
    let mut drive = new_drive(&spec);
    for tag in 0..300 {
        alone(&mut drive, request(tag, Op::Write, u64::from(tag) * 5, 3));
    }
    drive.shutdown();
    let c = drive.counters();
    assert_eq!((c.checkpoint_programs, c.unsafe_shutdowns), (1, 0));
    drive.power_up();
    alone(&mut drive, request(0, Op::Read, 0, 1));
    let table = JOURNAL_READ + slot_transfer(&spec);
    let expected = Nanos::from_millis(7) + table;
    assert_eq!(drive.counters().recovery_ns_last, expected.0);
    for tag in 0..300 {
        assert_eq!(drive.content(tag * 5), Some(tag));
    }
}

#[test]
fn a_journal_page_for_every_interval_and_a_checkpoint_for_every_so_many() {
    let spec = one_die(|loss| {
        loss.journal_interval_units = 8;
        loss.checkpoint_pages = 10;
        loss.journal_rows = 6;
    });
    let mut drive = new_drive(&spec);
    let units = 8 * 40;
    let mut next = 0..units;
    // One at a time and slowly, so that a slot is programmed before the next is begun.
    for unit in &mut next {
        alone(&mut drive, request(unit as u32, Op::Write, unit, 1));
        rest(&mut drive, Nanos::from_millis(5));
    }
    let c = drive.counters();
    assert_eq!(
        (c.journal_programs, c.checkpoint_programs),
        (40, 4),
        "{c:?}"
    );
    assert_eq!(c.nand_programs, units / 4 + 40 + 4);
    // 44 pages in blocks of 6: the eighth block is the eighth that is begun.
    assert_eq!((c.journal_erases, c.erases), (7, 7));
    // They cost energy like any others in SLC mode.
    assert_eq!((c.slc_programs, c.slc_erases), (40 + 4, 7));
}

/// Rows of two pages, and a load whose flushes leave word lines half filled.
fn two_passes(paired_pages: PairedPages) -> SimDrive {
    let mut spec = plain(64, 16, 2_000);
    spec.main.timing.read = vec![Nanos::from_micros(50); 2];
    spec.main.timing.program = vec![Nanos::from_micros(400), Nanos::from_micros(1_300)];
    let mut loss = power_loss();
    loss.paired_pages = paired_pages;
    spec.power_loss = Some(loss);
    new_drive(&spec)
}

/// Flushed units that are missing after cuts at random instants.
fn flushed_and_lost(paired_pages: PairedPages) -> (u64, u64) {
    let mut lost = 0;
    let mut rng = Rng::stream(3, "cuts");
    let mut drive = two_passes(paired_pages);
    for life in 0..60 {
        for unit in 0..4 {
            let tag = life * 4 + unit;
            alone(&mut drive, request(tag, Op::Write, u64::from(unit) * 4, 4));
        }
        alone(&mut drive, request(9_999, Op::Flush, 0, 0));
        // The upper pages of the same word lines.
        for unit in 0..4 {
            drive.submit(request(
                10_000 + unit,
                Op::Write,
                1_000 + u64::from(unit) * 4,
                4,
            ));
        }
        let limit = drive.now() + Nanos::from_micros(rng.below(1_500));
        while drive.advance(limit).is_some() {}
        drive.power_cut();
        for unit in 0..4 {
            lost += u64::from(drive.content(unit * 4) != Some(life * 4 + unit));
        }
        drive.power_up();
    }
    (lost, drive.counters().paired_units_lost)
}

#[test]
fn an_unprotected_lower_page_goes_with_the_upper() {
    let (requests, units) = flushed_and_lost(PairedPages::Unprotected);
    println!("{requests} requests of 240, {units} units");
    assert!(
        requests > 20 && units == 4 * requests,
        "{requests}, {units}"
    );
    assert_eq!(flushed_and_lost(PairedPages::Pad), (0, 0));
    assert_eq!(flushed_and_lost(PairedPages::OneShot), (0, 0));
}

#[test]
fn filling_word_lines_costs_their_slots() {
    let flush = |paired_pages| {
        let mut drive = two_passes(paired_pages);
        alone(&mut drive, request(0, Op::Write, 0, 4));
        alone(&mut drive, request(1, Op::Flush, 0, 0));
        drive.counters()
    };
    let (left, filled) = (flush(PairedPages::Unprotected), flush(PairedPages::Pad));
    // Up to the upper page of the first die: three lower pages and it.
    assert_eq!((left.filler_slots, filled.filler_slots), (0, 4));
    assert_eq!(filled.nand_programs, left.nand_programs + 4);
}

#[test]
fn what_was_being_erased_is_erased_again() {
    let mut spec = plain(24, 8, 1_200);
    spec.power_loss = Some(power_loss());
    let mut drive = new_drive(&spec);
    let mut rng = Rng::stream(5, "erases");
    let mut redone = 0;
    for life in 0..40 {
        let next = random(&drive, life);
        burst(&mut drive, Op::Write, 1, 8, 400, next);
        drive.advance_events(rng.below(300));
        drive.power_cut();
        let before = drive.counters().erases;
        drive.power_up();
        alone(&mut drive, request(0, Op::Read, 0, 1));
        redone += drive.counters().erases - before;
        rest(&mut drive, Nanos::from_millis(200));
    }
    let cycles: u64 = drive.erase_counts().iter().map(|&n| u64::from(n)).sum();
    let c = drive.counters();
    println!(
        "{redone} begun at a start, {cycles} cycles, {} erases",
        c.erases
    );
    // An erase that was cut is one of its dies, but no cycle of the superblock.
    assert!(
        redone > 0 && c.erases > cycles * 4,
        "{redone}, {cycles}, {c:?}"
    );
    assert!(c.unsafe_shutdowns == 40);
}
