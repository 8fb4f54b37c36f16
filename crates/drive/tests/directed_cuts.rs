//! Power cuts at moments that a random load rarely finds.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, SimTime, Status};
use stend_drive::SimDrive;
use stend_drive::sim::Fault;
use stend_model::Spec;
use stend_model::nand::reliability::Rber;
use stend_model::spec::*;

/// A journal that is written often.
fn journalling() -> PowerLossSpec {
    PowerLossSpec {
        journal_interval_pages: 8,
        checkpoint_pages: 1_000,
        flush_ignored: false,
        boot: Nanos::from_millis(1),
        ..power_loss()
    }
}

/// A drive near its end of life: each superblock survives two cycles.
fn mortal() -> Spec {
    let mut spec = plain(24, 8, 1_200);
    spec.power_loss = Some(journalling());
    spec.health = Some(HealthSpec {
        rated_cycles: [2; 2],
        end_of_life_cycles: [2; 2],
        spare_superblocks: 0,
        spare_threshold_percent: 10,
    });
    spec
}

/// Spec of [`mortal`] with a cache, which the long writes bypass as long as they are whole.
fn mortal_past_the_cache() -> Spec {
    let mut spec = cached(40, 24, 1_200);
    spec.parity_data = None;
    spec.cache.as_mut().expect("it has one").bypass_from_bytes = Some(LONG * PAGE);
    spec.buffer.write_pages = 128;
    // Some of their data is on its way most of the time.
    spec.host.link_ps_per_byte = 40_000;
    spec.power_loss = Some(journalling());
    spec.health = mortal().health;
    spec
}

/// Pages of each write that wears the drive out.
const LONG: u64 = 300;

/// Sends writes of many atomic groups, two at a time, until the drive is worn out. Returns the tag
/// and first page of each refused write.
fn wear_out(drive: &mut SimDrive, seed: u64) -> Vec<(u32, u64)> {
    let mut next = random(drive, seed);
    let (mut tag, mut outstanding, mut refused) = (0, Vec::new(), Vec::new());
    loop {
        while outstanding.len() < 2 && refused.is_empty() {
            // Each in a half of its own, so that neither waits for the other.
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
            panic!("the drive stands still: {}", drive.inspect().diagnosis());
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

/// Number of pages of a write that are there.
fn there(drive: &SimDrive, (tag, first): (u32, u64)) -> u64 {
    let pages = first as u32..(first + LONG) as u32;
    pages.filter(|&u| drive.content(u) == Some(tag)).count() as u64
}

/// The drive wears out when a part of an atomic group has been admitted and space for the rest is
/// reserved: the group is still written as a whole, nothing comes after it, all of it survives a
/// cut, and later requests are served.
#[test]
fn a_write_is_given_up_between_atomic_groups() {
    for spec in [mortal(), mortal_past_the_cache()] {
        give_up_writes(&spec);
    }
}

fn give_up_writes(spec: &Spec) {
    let mut in_part = 0;
    for seed in 0..60 {
        let mut drive = SimDrive::new(spec);
        drive.keep_content(true);
        let group_pages = u64::from(drive.inspect().atomic_write_pages().expect("it has a log"));
        let refused = wear_out(&mut drive, seed);
        assert!(drive.inspect().is_read_only());
        let parts: Vec<u64> = refused.iter().map(|r| there(&drive, *r)).collect();
        // The flush pads open multi-plane pages, for which there must be room beside the
        // reservations.
        alone(&mut drive, request(9_999, Op::Flush, 0, 0));
        rest(&mut drive, Nanos::from_secs(1));
        let state = drive.inspect().diagnosis();
        let mut reserved = state.split(" reserved ").skip(1).peekable();
        assert!(reserved.peek().is_some(), "{state}");
        assert!(reserved.all(|pages| pages.starts_with("0 ")), "{state}");
        drive.power_cut();
        for (refused, part) in refused.iter().zip(parts) {
            let kept = there(&drive, *refused);
            assert_eq!(kept, part, "seed {seed}, {refused:?}");
            let whole = part % group_pages == 0 || part == LONG;
            assert!(whole, "seed {seed}, {refused:?}: {part} pages");
            in_part += u32::from(part > 0 && part < LONG);
        }
        drive.power_up();
        alone(&mut drive, request(9_999, Op::Flush, 0, 0));
        drive.service().shutdown();
    }
    println!("{in_part} writes were given up after a part");
    assert!(in_part >= 5, "{in_part}");
}

/// Pages lost when a die fails after a cut during folding, over all moments of the first folds and
/// all dies.
fn lost_by_folds(fault: Option<Fault>) -> u32 {
    let mut spec = cached(40, 24, 4_000);
    spec.media = Some(media());
    // One die copies at a time, so that most stripes are partly copied.
    spec.idle.enabled = false;
    spec.cache.as_mut().expect("it has one").fold_start_mp_pages = 64;
    spec.power_loss = Some(PowerLossSpec {
        paired_pages: PairedPages::Pad,
        ..journalling()
    });
    let mut folding = SimDrive::new(&spec);
    folding.keep_content(true);
    if let Some(fault) = fault {
        folding.service().inject(fault);
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
            drive.service().fail_die(die);
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
fn a_fold_that_is_durable_too_early_is_found() {
    assert!(lost_by_folds(Some(Fault::FoldEarly)) > 0);
}

/// Cuts, over all moments, of a write of three pages: the first page overwrites the last one of
/// another write in a multi-plane page that the second fills, and the third lies in the next
/// multi-plane page. Returns the number of cuts after which some of it was found, and the number
/// that tore it.
fn torn_by_coalescing(fault: Option<Fault>) -> (u32, u32) {
    let mut spec = plain(24, 8, 1_200);
    spec.buffer.coalesces = true;
    spec.power_loss = Some(PowerLossSpec {
        journal_interval_pages: 1,
        ..journalling()
    });
    let mut writing = SimDrive::new(&spec);
    writing.keep_content(true);
    if let Some(fault) = fault {
        writing.service().inject(fault);
    }
    writing.submit(request(1, Op::Write, 0, 3));
    writing.submit(request(2, Op::Write, 2, 3));
    let (mut some, mut torn) = (0, 0);
    loop {
        let mut drive = writing.clone();
        drive.power_cut();
        let kept = (2..5).filter(|&u| drive.content(u) == Some(2)).count();
        some += u32::from(kept > 0);
        torn += u32::from(kept > 0 && kept < 3);
        if writing.advance_events(1).0 == 0 {
            return (some, torn);
        }
    }
}

#[test]
fn coalesced_writes_stay_atomic() {
    let (some, torn) = torn_by_coalescing(None);
    assert_eq!(torn, 0);
    assert!(some > 0, "it is never there");
}

#[test]
fn coalesced_writes_that_are_durable_in_part_are_found() {
    assert!(torn_by_coalescing(Some(Fault::CoalesceTorn)).1 > 0);
}

/// TLC whose data must be refreshed soon, and whose pages are safe when their word line is full.
fn refreshing() -> Spec {
    let mut spec = plain(24, 12, 400);
    spec.data.timing.read = vec![Nanos::from_micros(70); 3];
    spec.data.timing.program = vec![Nanos::from_micros(900); 3];
    let mut media = media();
    media.data_area.fresh = Rber(800);
    media.data_area.year_fresh = Rber(1_000);
    media.refresh = Some(Rber(1_500));
    spec.media = Some(media);
    spec.power_loss = Some(PowerLossSpec {
        paired_pages: PairedPages::Pad,
        journal_interval_pages: 1_000,
        ..journalling()
    });
    spec
}

/// Data refreshed in a long silence is in the log when nothing is under way any more: a shutdown
/// pads its word line.
#[test]
fn a_shutdown_after_refreshing_ends() {
    let spec = refreshing();
    let mut drive = SimDrive::new(&spec);
    drive.keep_content(true);
    for tag in 0..101 {
        let page = 4 * u64::from(tag % 97);
        alone(&mut drive, request(tag, Op::Write, page, 3));
    }
    drive.service().shutdown();
    drive
        .service()
        .rest_without_power(Nanos::from_secs(365 * 86_400));
    drive.power_up();
    alone(&mut drive, request(999, Op::Flush, 0, 0));
    rest(&mut drive, Nanos::from_secs(20));
    let refreshed = drive.counters().pages_refreshed;
    assert!(refreshed > 0);
    drive.service().shutdown();
    for tag in 4..97 {
        assert_eq!(drive.content(4 * tag), Some(tag));
    }
}

/// After a change of the capacity, a cut finds places of pages that do not exist any more.
#[test]
fn an_over_provisioned_drive_is_cut() {
    let mut spec = cached(40, 24, 4_000);
    spec.media = Some(media());
    spec.power_loss = Some(journalling());
    let mut drive = SimDrive::new(&spec);
    drive.keep_content(true);
    for first in (0..4_000).step_by(16) {
        alone(&mut drive, request(1, Op::Write, first, 16));
    }
    alone(&mut drive, request(2, Op::Trim, 0, 4_000));
    drive
        .service()
        .set_user_bytes(100 * PAGE)
        .expect("it is empty");
    alone(&mut drive, request(3, Op::Write, 0, 20));
    alone(&mut drive, request(4, Op::Flush, 0, 0));
    drive.power_cut();
    drive.power_up();
    alone(&mut drive, request(5, Op::Read, 0, 20));
    assert!((0..20).all(|page| drive.content(page) == Some(3)));
}
