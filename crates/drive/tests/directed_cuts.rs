//! Power cuts at moments that a random load seldom meets.

mod common;

use common::*;
use stend_base::{Device, Nanos, Op, SimTime, Status};
use stend_drive::sim::Canary;
use stend_drive::spec::*;
use stend_drive::{SimDrive, Spec};
use stend_nand::CellTiming;

fn power_loss() -> PowerLossSpec {
    PowerLossSpec {
        hold_up: None,
        paired_pages: PairedPages::OneShot,
        journal: CellTiming {
            read: vec![Nanos(31_000)],
            program: vec![Nanos(210_000)],
            erase: Nanos::from_micros(3000),
        },
        journal_rows: 16,
        journal_interval_units: 8,
        checkpoint_pages: 1_000,
        boot: Nanos::from_millis(1),
        replay_unit: Nanos(130),
    }
}

/// A drive near its end: each superblock bears two cycles.
fn mortal() -> Spec {
    let mut spec = plain(24, 8, 1_200);
    spec.power_loss = Some(power_loss());
    spec.health = Some(HealthSpec {
        rated_cycles: [2; 2],
        end_of_life_cycles: [2; 2],
        spare_superblocks: 0,
        spare_threshold_percent: 10,
    });
    spec
}

/// Units of the longest of the writes that wear the drive out.
const LONG: u64 = 300;

/// Writes of many pieces until the drive is worn out, two at a time; the tag and first unit of
/// each that was refused.
fn wear_out(drive: &mut SimDrive, seed: u64) -> Vec<(u32, u64)> {
    let mut next = random(drive, seed);
    let (mut tag, mut outstanding, mut refused) = (0, Vec::new(), Vec::new());
    loop {
        while outstanding.len() < 2 && refused.is_empty() {
            // Each in a half of its own, so that none waits for the other.
            let half = u64::from(tag % 2) * 600;
            let first = half + next() % (600 - LONG);
            drive.submit(request(tag, Op::Write, first, LONG));
            outstanding.push((tag, first));
            tag += 1;
            if outstanding.len() == 2 && outstanding[0].0 % 2 == outstanding[1].0 % 2 {
                tag += 1;
            }
        }
        let Some(done) = drive.advance(SimTime::NEVER) else {
            panic!("the drive stands still: {}", drive.diagnosis());
        };
        let at = outstanding.iter().position(|o| o.0 == done.tag);
        let ended = outstanding.swap_remove(at.expect("a known tag"));
        if done.status == Status::WriteProtected {
            refused.push(ended);
        }
        if outstanding.is_empty() {
            return refused;
        }
    }
}

/// Units of a write that are there.
fn there(drive: &SimDrive, (tag, first): (u32, u64)) -> u64 {
    let units = first as u32..(first + LONG) as u32;
    units.filter(|&u| drive.content(u) == Some(tag)).count() as u64
}

/// The drive wears out while some of a piece has been admitted and the rest has been promised:
/// nothing of the piece stays over a cut, the promise is given back, and what comes later goes
/// on.
#[test]
fn a_write_is_given_up_in_the_middle_of_a_piece() {
    let spec = mortal();
    let mut in_a_piece = 0;
    for seed in 0..60 {
        let mut drive = SimDrive::new(&spec);
        drive.keep_content();
        let piece = u64::from(drive.atomic_write_units().expect("it has a log"));
        let refused = wear_out(&mut drive, seed);
        assert!(drive.is_read_only());
        let parts: Vec<u64> = refused.iter().map(|r| there(&drive, *r)).collect();
        // It fills up open slots, for which there must be room beside what is promised.
        alone(&mut drive, request(9_999, Op::Flush, 0, 0));
        rest(&mut drive, Nanos::from_secs(1));
        let state = drive.diagnosis();
        let mut promised = state.split(" promised: ").skip(1).peekable();
        assert!(promised.peek().is_some(), "{state}");
        assert!(promised.all(|units| units.starts_with("0 ")), "{state}");
        drive.power_cut();
        for (refused, part) in refused.iter().zip(parts) {
            let kept = there(&drive, *refused);
            assert_eq!(kept, part / piece * piece, "seed {seed}, {refused:?}");
            in_a_piece += u32::from(part % piece > 0);
        }
        drive.power_up();
        alone(&mut drive, request(9_999, Op::Flush, 0, 0));
        drive.shutdown();
    }
    println!("{in_a_piece} writes were given up in a piece");
    assert!(in_a_piece >= 5, "{in_a_piece}");
}

/// Units lost when a die fails after a cut while the cache is being folded, over all moments of
/// the first folds and all dies.
fn lost_by_folds(canary: Option<Canary>) -> u32 {
    let mut spec = cached(40, 24, 4_000);
    spec.media = Some(media());
    // One die copies at a time, so that most groups are copied in part.
    spec.idle.enabled = false;
    spec.cache.as_mut().expect("it has one").fold_start_slots = 64;
    spec.power_loss = Some(PowerLossSpec {
        paired_pages: PairedPages::Pad,
        ..power_loss()
    });
    let mut folding = SimDrive::new(&spec);
    folding.keep_content();
    if let Some(canary) = canary {
        folding.switch_on(canary);
    }
    let (mut lost, mut cuts) = (0, 0);
    for tag in 0..110 {
        alone(
            &mut folding,
            request(tag, Op::Write, 16 * u64::from(tag), 16),
        );
        rest(&mut folding, Nanos::from_micros(700));
        if folding.counters().folds == 0 {
            continue;
        }
        for die in 0..spec.dies {
            let mut drive = folding.clone();
            drive.power_cut();
            drive.fail_die(die);
            drive.power_up();
            for tag in 0..110 {
                drive.submit(request(tag, Op::Read, 16 * u64::from(tag), 16));
                let read = drive.advance(SimTime::NEVER).expect("it ends");
                lost += u32::from(read.status != Status::Ok);
            }
            cuts += 1;
        }
    }
    assert!(cuts > 100, "{cuts}");
    println!("{lost} reads failed after {cuts} cuts");
    lost
}

#[test]
fn a_fold_that_is_cut_keeps_the_parity_of_what_it_has_copied() {
    assert_eq!(lost_by_folds(None), 0);
}

#[test]
fn a_fold_that_counts_too_early_is_found() {
    assert!(lost_by_folds(Some(Canary::FoldEarly)) > 0);
}
