//! Erasing the whole drive: the duration, and the data that is left.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op};
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::spec::HealthSpec;

fn written(spec: &Spec) -> SimDrive {
    let mut drive = SimDrive::new(spec);
    drive.keep_content(true);
    let pages = drive.capacity_bytes() / PAGE;
    let next = random(&drive, 8);
    burst(&mut drive, Op::Write, 1, 32, 3 * pages, next);
    drive
}

fn mapped(drive: &SimDrive) -> usize {
    let pages = (drive.capacity_bytes() / PAGE) as u32;
    (0..pages).filter(|&u| drive.content(u).is_some()).count()
}

fn works_as_new(drive: &mut SimDrive) {
    let pages = drive.capacity_bytes() / PAGE;
    let next = random(drive, 9);
    burst(drive, Op::Write, 1, 32, 4 * pages, next);
    assert!(mapped(drive) > pages as usize * 9 / 10);
}

#[test]
fn secure_erase_takes_the_erase_time_of_what_is_not_erased() {
    let spec = plain(64, 16, 8_000);
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    // 8,000 pages of 256 in a superblock.
    let used = 64 - drive.inspect().erased_data_superblocks() as u64;
    assert_eq!(used, 32);
    let before = drive.counters().erases;
    let took = drive.service().secure_erase();
    assert_eq!(took, spec.data.timing.erase * used);
    assert_eq!(drive.counters().erases - before, used * 4);
    assert_eq!(drive.inspect().erased_data_superblocks(), 64);
    // A second erase finds nothing to do.
    assert_eq!(drive.service().secure_erase(), Nanos::ZERO);
}

#[test]
fn secure_erase_leaves_nothing_in_flash() {
    for mut spec in [plain(64, 16, 12_000), cached(64, 24, 10_000)] {
        spec.trim.reaches_cache = false;
        spec.health = Some(HealthSpec {
            rated_cycles: [100; 2],
            end_of_life_cycles: [u32::MAX; 2],
            spare_superblocks: 3,
            spare_threshold_percent: 10,
        });
        let fresh = SimDrive::new(&spec).inspect().free_entry_pages();
        let mut drive = written(&spec);
        alone(&mut drive, request(1 << 30, Op::Trim, 0, 500));
        assert!(mapped(&drive) > 5_000 && drive.inspect().tags_in_flash().count() > 5_000);
        let took = drive.service().secure_erase();
        assert!(took > spec.data.timing.erase * 30, "{took:?}");
        assert_eq!(
            (mapped(&drive), drive.inspect().tags_in_flash().count()),
            (0, 0)
        );
        assert_eq!(drive.inspect().free_entry_pages(), fresh);
        assert_eq!(drive.inspect().erased_data_superblocks(), 61);
        works_as_new(&mut drive);
    }
}

/// The time of a change of key.
const KEY: Nanos = Nanos::from_millis(100);

#[test]
fn crypto_erase_takes_a_moment_and_leaves_the_flash() {
    for mut spec in [plain(64, 16, 12_000), cached(64, 24, 10_000)] {
        spec.idle.target_superblocks = 60;
        let mut drive = written(&spec);
        assert_eq!(drive.service().crypto_erase(KEY), KEY);
        assert_eq!(mapped(&drive), 0);
        assert!(drive.inspect().tags_in_flash().count() > 5_000);
        // GC finds superblocks without valid pages.
        let moved = drive.counters().pages_relocated;
        rest(&mut drive, Nanos::from_secs(30));
        assert!(drive.inspect().erased_data_superblocks() >= 58);
        assert!(drive.counters().pages_relocated < moved + 50);
        works_as_new(&mut drive);
    }
}

#[test]
fn crypto_erase_wears_nothing_until_space_is_needed() {
    let spec = plain(64, 16, 12_000);
    let mut drive = written(&spec);
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    // GC completes its victim.
    rest(&mut drive, KEY);
    let erases = drive.counters().erases;
    let erased = drive.inspect().erased_data_superblocks();
    drive.service().crypto_erase(KEY);
    assert_eq!(drive.counters().erases, erases);
    assert_eq!(drive.inspect().erased_data_superblocks(), erased);
    // For new data at least the superblocks are erased that a drive that lost nothing would erase,
    // and nothing has to be moved for it.
    let moved = drive.counters().pages_relocated;
    let pages = drive.capacity_bytes() / PAGE;
    let next = random(&drive, 10);
    burst(&mut drive, Op::Write, 1, 32, pages, next);
    assert!(drive.counters().erases > erases);
    assert!(drive.counters().pages_relocated - moved < pages / 20);
    let mut other = written(&spec);
    alone(&mut other, request(0, Op::Flush, 0, 0));
    let before = other.counters().erases;
    other.service().secure_erase();
    assert!(other.counters().erases - before >= 4 * (64 - erased as u64));
}

#[test]
fn a_sleeping_drive_is_woken_to_be_erased() {
    let mut spec = plain(64, 16, 8_000);
    spec.idle_states = vec![stend_model::spec::IdleStateSpec {
        name: "slumber".to_string(),
        delay: Nanos::from_millis(50),
        power_mw: 5,
        entry: Nanos::ZERO,
        exit: Nanos::from_millis(7),
        waits_for_idle_work: true,
    }];
    let mut drive = SimDrive::new(&spec);
    rest(&mut drive, Nanos::from_secs(1));
    assert!(drive.inspect().idle_state().is_some());
    assert_eq!(drive.service().secure_erase(), Nanos::from_millis(7));
    assert!(drive.inspect().idle_state().is_none());
    rest(&mut drive, Nanos::from_secs(1));
    assert!(drive.inspect().idle_state().is_some());
}
