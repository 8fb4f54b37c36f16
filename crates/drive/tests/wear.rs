//! Wear levelling: the spread of erase cycles, and the cost.

use crate::tests::common;

use common::*;
use stend_base::{Nanos, Op, Rng};
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::spec::WearSpec;

const SUPERBLOCKS: u32 = 150;
const SUPERBLOCK_PAGES: u64 = 256;
/// Superblocks that the data fills; and the first of them, which are overwritten.
const DATA: u64 = 127;
const HOT: u64 = 12;

fn drive(wear: Option<WearSpec>) -> Spec {
    let mut spec = plain(SUPERBLOCKS, 16, DATA * SUPERBLOCK_PAGES);
    spec.wear = wear;
    spec.idle.enabled = false;
    spec
}

fn levelling(dynamic: bool, static_spread: u32) -> Option<WearSpec> {
    Some(WearSpec {
        dynamic,
        static_spread,
        static_interval: 4,
    })
}

/// Minimum and maximum of erase cycles.
fn erases(drive: &SimDrive) -> (u32, u32) {
    let counts = drive.inspect().erase_counts();
    let of = |n: Option<&u32>| *n.expect("it has superblocks");
    (of(counts.iter().min()), of(counts.iter().max()))
}

/// A drive that is filled, and whose first superblocks are then overwritten with `times` its
/// capacity: at random, or repeatedly in order.
fn worn(spec: &Spec, times: u64, in_order: bool) -> SimDrive {
    let mut drive = SimDrive::new(spec);
    fill(&mut drive);
    let hot = HOT * SUPERBLOCK_PAGES;
    let (mut rng, mut n) = (Rng::stream(1, "worn"), 0);
    let count = times * DATA * SUPERBLOCK_PAGES;
    burst(&mut drive, Op::Write, 1, 32, count, || {
        n += 1;
        match in_order {
            true => n % hot,
            false => rng.below(hot),
        }
    });
    rest(&mut drive, Nanos::from_millis(500));
    drive
}

#[test]
fn levelled_pages_are_read_programmed_and_mapped_once_and_counted() {
    // Overwritten in order, a superblock has no valid page when it is collected: only levelling
    // moves pages.
    let [off, on] = [None, levelling(true, 10)].map(|wear| {
        let c = worn(&drive(wear), 40, true).counters();
        println!("{c:?}");
        assert_eq!(c.pages_relocated, 0);
        c
    });
    assert_eq!(off.pages_levelled, 0);
    let moved = on.pages_levelled;
    assert!(moved > 20_000 && moved.is_multiple_of(4), "{moved}");
    let spec = drive(None);
    assert_eq!(on.nand_reads - off.nand_reads, moved / 4);
    assert_eq!(on.nand_programs - off.nand_programs, moved / 4);
    assert_eq!(
        on.core_busy_ns - off.core_busy_ns,
        moved * spec.controller.gc_page.0
    );
    // Each superblock that is moved is erased once more than for its space; one may be half moved,
    // and the streams are at other positions in theirs.
    let erases = (on.erases - off.erases) / u64::from(spec.dies);
    let superblocks = moved / SUPERBLOCK_PAGES;
    assert!(erases.abs_diff(superblocks) <= 2, "{erases} {superblocks}");
    // At most one superblock for every four that are collected for their space.
    let collected = off.erases / u64::from(spec.dies);
    assert!(superblocks <= collected / 4, "{superblocks} {collected}");
    let host = on.host_pages_written as f64;
    let wa = on.write_amplification().expect("it was written");
    assert!((wa - 1.0 - moved as f64 / host).abs() < 1e-12, "{wa}");
}

#[test]
fn data_at_rest_keeps_its_superblocks_from_wear_until_it_is_moved() {
    for (wear, spread_max) in [
        (None, u32::MAX),
        (levelling(true, 0), u32::MAX),
        (levelling(true, 10), 15),
        (levelling(true, 2), 7),
    ] {
        let (least, most) = erases(&worn(&drive(wear.clone()), 40, false));
        println!("{wear:?}: {least} to {most}");
        match spread_max {
            // A policy that only chooses among erased superblocks cannot reach those that are never
            // erased.
            u32::MAX => assert!(least == 0 && most > 100, "{least} to {most}"),
            _ => assert!(most - least <= spread_max, "{least} to {most}"),
        }
    }
}

#[test]
fn levelling_narrows_the_spread_of_a_skewed_load() {
    let spread = |wear: &Option<WearSpec>, seed| {
        let mut drive = SimDrive::new(&drive(wear.clone()));
        let mut rng = Rng::stream(seed, "skew");
        let pages = DATA * SUPERBLOCK_PAGES;
        let next = || {
            let hot = rng.ratio(9, 10);
            rng.below(if hot { pages / 10 } else { pages })
        };
        burst(&mut drive, Op::Write, 1, 32, 1_000_000, next);
        let (least, most) = erases(&drive);
        println!("{least} to {most}");
        most - least
    };
    let [none, dynamic, fixed, both] = [
        None,
        levelling(true, 0),
        levelling(false, 2),
        levelling(true, 2),
    ]
    .map(|wear| (1..=4).map(|seed| spread(&wear, seed)).sum::<u32>());
    // Choosing among erased superblocks cannot reach those that hold cold data.
    assert!(dynamic.abs_diff(none) < none / 4);
    assert!(fixed < none / 4 && both < fixed);
}
