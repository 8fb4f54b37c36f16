//! Power cuts of drives whose blocks go bad one by one: during a copy into a new block, after an
//! erase that found no block, after a program that found none.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, SimTime};

use stend_drive::{LogicalPage, SimDrive};
use stend_model::Spec;
use stend_model::health::BlockHealth;
use stend_model::spec::*;

const PROGRAM: Nanos = Nanos::from_micros(400);
const READ: Nanos = Nanos::from_micros(50);
const ERASE: Nanos = Nanos::from_micros(3_000);

fn blocks(seed: u64) -> BlocksSpec {
    BlocksSpec {
        life_cycles: [u32::MAX; 2],
        life_spread_percent: 0,
        die_spread_percent: 0,
        spare_blocks: 6,
        factory_bad_ppm: 0,
        program_failure_ppb: 0,
        seed,
    }
}

fn new_drive(spec: &Spec) -> SimDrive {
    let mut drive = SimDrive::new(spec);
    drive.keep_content(true);
    drive
}

fn health(drive: &SimDrive) -> BlockHealth {
    drive.health().blocks.expect("blocks are told apart")
}

/// A drive of one die, in which one program in 10 fails.
fn failing(seed: u64, hold_up: Option<Nanos>) -> Spec {
    let mut spec = plain(64, 16, 1_500);
    (spec.dies, spec.channels) = (1, 1);
    spec.idle.delay = Nanos::from_secs(1_000);
    spec.power_loss = Some(PowerLossSpec {
        hold_up,
        ..power_loss()
    });
    spec.blocks = Some(BlocksSpec {
        program_failure_ppb: 100_000_000,
        ..blocks(seed)
    });
    spec
}

const ROW: u32 = 5;

/// A drive with the rows before `ROW` written and flushed, and row `ROW` received; 1 ms later, when
/// its program has failed and the new block is being erased.
fn caught(spec: &Spec) -> Option<SimDrive> {
    let mut drive = new_drive(spec);
    for row in 0..ROW {
        alone(&mut drive, request(row, Op::Write, 4 * u64::from(row), 4));
        alone(&mut drive, request(99, Op::Flush, 0, 0));
        rest(&mut drive, Nanos::from_millis(5));
    }
    let before = drive.counters().program_failures;
    alone(&mut drive, request(ROW, Op::Write, 4 * u64::from(ROW), 4));
    rest(&mut drive, Nanos::from_millis(1));
    (before == 0 && drive.counters().program_failures == 1).then_some(drive)
}

/// The first seed whose first failing program is that of the row, and succeeds in the new block.
fn caught_seed() -> u64 {
    let works = |seed: &u64| {
        caught(&failing(*seed, None)).is_some_and(|mut drive| {
            rest(&mut drive, Nanos::from_secs(1));
            drive.counters().program_failures == 1
        })
    };
    (0..2_000).find(works).expect("one in some tens does")
}

/// Powers up. Returns the duration of the recovery.
fn start(drive: &mut SimDrive) -> Nanos {
    drive.power_up();
    alone(drive, request(99, Op::Flush, 0, 0));
    Nanos(drive.counters().recovery_ns_last)
}

fn copying() -> Nanos {
    ERASE + (READ + PROGRAM) * u64::from(ROW)
}

#[test]
fn a_cut_block_copy_begins_again_from_the_old_block() {
    let seed = caught_seed();
    let spec = failing(seed, None);
    let usual = {
        let mut spec = spec.clone();
        spec.blocks = None;
        let mut drive = new_drive(&spec);
        for row in 0..ROW {
            alone(&mut drive, request(row, Op::Write, 4 * u64::from(row), 4));
            alone(&mut drive, request(99, Op::Flush, 0, 0));
        }
        alone(&mut drive, request(ROW, Op::Write, 4 * u64::from(ROW), 4));
        drive.power_cut();
        start(&mut drive)
    };
    let mut drive = caught(&spec).expect("the seed does that");
    let copies = drive.counters().block_copies;
    assert_eq!(copies, u64::from(ROW));
    let kept = |drive: &SimDrive| -> Vec<Option<u32>> {
        (0..=ROW).map(|row| drive.content(4 * row + 3)).collect()
    };
    let expected: Vec<Option<u32>> = (0..ROW).map(Some).chain([None]).collect();
    drive.power_cut();
    assert_eq!(kept(&drive), expected, "the program is torn, nothing else");
    // After a cut before the end of the start, everything must be done again.
    drive.power_up();
    rest(&mut drive, Nanos::from_millis(8));
    drive.power_cut();
    let cycles = health(&drive).cycles;
    assert_eq!(start(&mut drive), usual + copying());
    let c = drive.counters();
    assert_eq!((c.block_copies, c.erases), (3 * copies, 3));
    // Two of the three erases were cut.
    assert_eq!(health(&drive).cycles, cycles);
    assert_eq!(
        (health(&drive).grown_bad, health(&drive).spares_least),
        (1, 5)
    );
    // Now it is done.
    drive.power_cut();
    assert_eq!(kept(&drive), expected);
    assert_eq!(start(&mut drive), usual);
    assert_eq!(drive.counters().block_copies, 3 * copies);
}

#[test]
fn mp_pages_copied_before_the_cut_are_not_copied_again() {
    let mut drive = caught(&failing(caught_seed(), None)).expect("the seed does that");
    rest(&mut drive, copying());
    alone(&mut drive, request(99, Op::Flush, 0, 0));
    let copies = drive.counters().block_copies;
    drive.power_cut();
    assert_eq!(drive.content(4 * ROW), Some(ROW));
    start(&mut drive);
    assert_eq!(drive.counters().block_copies, copies);
}

/// Erase, copies and the program itself are under way at the cut: the capacitors must hold for all
/// of it, and then nothing is left to do.
#[test]
fn capacitors_finish_a_block_copy() {
    let seed = caught_seed();
    let enough = {
        let long = failing(seed, Some(Nanos::from_secs(1)));
        let mut drive = caught(&long).expect("the seed does that");
        drive.power_cut();
        assert_eq!(drive.content(4 * ROW), Some(ROW));
        let copies = drive.counters().block_copies;
        start(&mut drive);
        assert_eq!(drive.counters().block_copies, copies);
        Nanos(drive.counters().save_ns_last)
    };
    assert!(enough > copying() + PROGRAM, "{enough:?}");
    let short = failing(seed, Some(enough - Nanos(1)));
    let mut drive = caught(&short).expect("the seed does that");
    drive.power_cut();
    assert_eq!(drive.counters().failed_saves, 1);
    // No journal page was written: the superblock holds no data, and is erased.
    assert_eq!((drive.content(0), drive.content(4 * ROW)), (None, None));
    let copies = drive.counters().block_copies;
    start(&mut drive);
    assert_eq!(drive.counters().block_copies, copies);
}

/// A block whose erase has failed, and for which there is no replacement, fails again; it counts
/// once.
#[test]
fn an_erase_that_found_no_block_fails_again_after_a_cut() {
    let mut spec = plain(24, 8, 1_200);
    spec.power_loss = Some(power_loss());
    spec.blocks = Some(BlocksSpec {
        life_cycles: [u32::MAX, 4],
        life_spread_percent: 30,
        die_spread_percent: 0,
        spare_blocks: 0,
        ..blocks(1)
    });
    let mut drive = new_drive(&spec);
    let mut next = random(&drive, 0);
    let mut outstanding = 0;
    while health(&drive).grown_bad == 0 {
        if outstanding < 16 {
            drive.submit(request(1, Op::Write, next(), 1));
            outstanding += 1;
        }
        outstanding -= u32::from(drive.advance_events(1).1.is_some());
    }
    assert!(
        !drive.inspect().is_read_only(),
        "another die is still at its erase"
    );
    drive.power_cut();
    assert!(!drive.inspect().is_read_only());
    start(&mut drive);
    rest(&mut drive, Nanos::from_millis(50));
    assert!(drive.inspect().is_read_only());
    assert_eq!(health(&drive).grown_bad, 1);
}

/// Every program fails: received data is lost when the last block is gone. After a cut none of it
/// is found, or its loss is known; the table never points to the place where it should be.
#[test]
fn a_program_without_a_block_is_lost_in_flash_too() {
    let mut spec = plain(8, 4, 64);
    spec.gc.start_superblocks = 4;
    spec.power_loss = Some(PowerLossSpec {
        journal_interval_pages: 1,
        ..power_loss()
    });
    spec.blocks = Some(BlocksSpec {
        program_failure_ppb: 1_000_000_000,
        ..blocks(1)
    });
    let (mut before, mut after) = (0, 0);
    for events in 10.. {
        let mut drive = new_drive(&spec);
        drive.submit(request(1, Op::Write, 0, 8));
        drive.submit(request(2, Op::Write, 20, 8));
        drive.submit(request(3, Op::Flush, 0, 0));
        let mut left = events;
        let mut ended = false;
        while left > 0 && !ended {
            let (done, completion) = drive.advance_events(left);
            ended = completion.is_none() && done < left;
            left -= done.min(left);
        }
        drive.power_cut();
        for page in (0..8).chain(20..28) {
            let lost = drive.logical_page(page) == LogicalPage::Lost;
            assert_eq!(drive.content(page), None, "page {page}, {events} events");
            before += u32::from(!lost);
            after += u32::from(lost);
        }
        if ended {
            assert_eq!(drive.counters().lost_pages, 4);
            assert!(
                (0..8)
                    .chain(20..28)
                    .all(|page| drive.logical_page(page) == LogicalPage::Lost)
            );
            break;
        }
    }
    assert!(before > 0 && after > 0, "{before}, {after}");
}

/// Every fold fails and finds a block: after a cut the folded data is still in its source.
#[test]
fn a_fold_that_is_done_again_is_cut_too() {
    let mut spec = cached(40, 24, 4_000);
    spec.media = Some(media());
    spec.power_loss = Some(PowerLossSpec {
        journal_interval_pages: 8,
        paired_pages: PairedPages::Pad,
        ..power_loss()
    });
    spec.blocks = Some(BlocksSpec {
        spare_blocks: 3_000,
        program_failure_ppb: 100_000_000,
        ..blocks(7)
    });
    let mut copied = 0;
    for cut_ms in 1..40 {
        let mut drive = new_drive(&spec);
        for tag in 0..110 {
            alone(&mut drive, request(tag, Op::Write, 16 * u64::from(tag), 16));
        }
        alone(&mut drive, request(999, Op::Flush, 0, 0));
        rest(&mut drive, Nanos::from_millis(10 + cut_ms));
        drive.power_cut();
        let before = drive.counters().block_copies;
        start(&mut drive);
        copied += drive.counters().block_copies - before;
        drive.service().fail_die((cut_ms % 4) as u32);
        for tag in 0..110 {
            assert_eq!(drive.content(16 * tag + 5), Some(tag));
            drive.submit(request(tag, Op::Read, 16 * u64::from(tag), 16));
            let read = drive.advance(SimTime::NEVER).expect("it ends");
            assert_eq!(read.status, stend_base::Status::Ok);
        }
    }
    assert!(copied > 0, "no cut fell into a copy");
}

/// A drive with one stripe, 3 + 1 pages on 4 dies, whose programs mostly fail; its
/// last program has ended.
fn one_stripe(seed: u64, cuts: bool) -> SimDrive {
    let mut spec = plain(8, 4, 64);
    spec.gc.start_superblocks = 4;
    spec.parity_data = Some(3);
    spec.media = Some(media());
    spec.power_loss = cuts.then(power_loss);
    spec.blocks = Some(BlocksSpec {
        spare_blocks: 0,
        program_failure_ppb: 900_000_000,
        ..blocks(seed)
    });
    let mut drive = new_drive(&spec);
    alone(&mut drive, request(1, Op::Write, 0, 12));
    alone(&mut drive, request(2, Op::Flush, 0, 0));
    rest(&mut drive, Nanos::from_secs(1));
    drive
}

/// Reads of the stripe that fail, summed over all choices of the die that fails.
fn fail_beside_each_die(drive: &SimDrive) -> u64 {
    let failed = |die| {
        let mut drive = drive.clone();
        drive.service().fail_die(die);
        for page in 0..12 {
            alone(&mut drive, request(3, Op::Read, page, 1));
        }
        drive.counters().failed_reads
    };
    (0..4).map(failed).sum()
}

/// Reads that fail when one more die fails, for each seed with one page that found no block: first
/// if that page held parity, then if it held data.
fn one_page_without_block(cuts: bool) -> [Vec<u64>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    for seed in 0..300 {
        let drive = one_stripe(seed, cuts);
        if drive.counters().lost_pages != 1 {
            continue;
        }
        let lost = (0..12)
            .filter(|&page| drive.logical_page(page) == LogicalPage::Lost)
            .count();
        assert!(lost == 0 || lost == 4, "{lost}");
        found[usize::from(lost > 0)].push(fail_beside_each_die(&drive));
    }
    assert!(found.iter().all(|f| f.len() > 3), "{found:?}");
    found
}

/// Without the page nothing of its stripe can be rebuilt, whichever die fails: neither parity nor
/// data that was never programmed counts as read.
#[test]
fn a_page_that_found_no_block_rebuilds_nothing() {
    let [parity, data] = one_page_without_block(false);
    // Three pages of data lie on one die each.
    assert!(parity.iter().all(|&failed| failed == 3 * 4), "{parity:?}");
    // One is lost whatever fails, the other two if their die fails.
    assert!(
        data.iter().all(|&failed| failed == 4 * 4 + 2 * 4),
        "{data:?}"
    );
}

/// If the power can be cut, parity of the stripe lies in the journal's blocks, and stays.
#[test]
fn partial_parity_stands_in_for_a_page_that_found_no_block() {
    let [parity, data] = one_page_without_block(true);
    assert!(parity.iter().all(|&failed| failed == 0), "{parity:?}");
    assert!(
        data.iter().all(|&failed| failed == 4 * 4 + 2 * 4),
        "{data:?}"
    );
}
