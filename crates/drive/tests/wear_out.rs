//! Wear to the end: spare superblocks replace retired ones, then the drive accepts no more writes
//! and still reads everything.

use crate::tests::common;

use common::*;
use stend_base::{Completion, Device, Nanos, Op, SimTime, Status};
use stend_drive::SimDrive;
use stend_drive::sim::LossCause;
use stend_model::Spec;
use stend_model::spec::*;

fn mortal(mut spec: Spec, spare: u32) -> Spec {
    spec.health = Some(HealthSpec {
        rated_cycles: [50, 10],
        end_of_life_cycles: [u32::MAX, 20],
        spare_superblocks: spare,
        spare_threshold_percent: 25,
    });
    spec
}

/// A drive, and the content of a plain table by page; `None` if a refused write may have changed
/// the page.
struct Written {
    drive: SimDrive,
    expected: Vec<Option<u32>>,
    refused: u32,
}

/// Random writes of three pages at depth 16 until one is refused.
fn write_to_the_end(spec: &Spec, each: impl FnMut(&SimDrive)) -> Written {
    write_until_refused(SimDrive::new(spec), each)
}

fn write_until_refused(mut drive: SimDrive, mut each: impl FnMut(&SimDrive)) -> Written {
    drive.keep_content(true);
    let pages = drive.capacity_bytes() / PAGE;
    let mut expected = vec![None; pages as usize];
    let mut next = random(&drive, 4);
    let mut tag = 0;
    let mut outstanding = Vec::new();
    let mut refused = 0;
    let mut send = |drive: &mut SimDrive, outstanding: &mut Vec<(u32, u64)>| {
        let page = loop {
            let page = next() / 3 * 3;
            if page + 3 <= pages && outstanding.iter().all(|(_, other)| *other != page) {
                break page;
            }
        };
        drive.submit(request(tag, Op::Write, page, 3));
        outstanding.push((tag, page));
        tag += 1;
    };
    for _ in 0..16 {
        send(&mut drive, &mut outstanding);
    }
    while !outstanding.is_empty() {
        let done = drive
            .advance(SimTime::NEVER)
            .unwrap_or_else(|| panic!("it stands still: {}", drive.inspect().diagnosis()));
        let at = outstanding.iter().position(|(tag, _)| *tag == done.tag);
        let (tag, page) = outstanding.swap_remove(at.expect("a known tag"));
        for page in page..page + 3 {
            expected[page as usize] = match done.status {
                Status::Ok => Some(tag),
                // Some of its pages may have been written, others not.
                _ => drive.content(page as u32),
            };
        }
        refused += u32::from(done.status == Status::WriteProtected);
        if refused == 0 {
            send(&mut drive, &mut outstanding);
        }
        each(&drive);
    }
    Written {
        drive,
        expected,
        refused,
    }
}

/// Same as [`write_to_the_end`], for a drive whose spare never grows, and which refuses writes in
/// the end.
fn refuses_at_last(spec: &Spec) -> (SimDrive, Vec<Option<u32>>) {
    let mut left = 100;
    let written = write_to_the_end(spec, |drive| {
        let now = drive.health().spare_percent;
        assert!(now <= left, "spare grew from {left} % to {now} %");
        left = now;
    });
    assert!(written.refused > 0 && written.drive.inspect().is_read_only());
    (written.drive, written.expected)
}

fn assert_holds(drive: &SimDrive, expected: &[Option<u32>]) {
    for (page, tag) in (0..).zip(expected) {
        assert_eq!(drive.content(page), *tag, "page {page}");
    }
}

fn ends_read_only(spec: &Spec) {
    let spares = spec
        .health
        .as_ref()
        .expect("it is mortal")
        .spare_superblocks;
    let (mut drive, expected) = refuses_at_last(spec);
    let health = drive.health();
    assert!(health.read_only && health.spare_percent == 0, "{health:?}");
    assert_eq!(health.retired_superblocks, spares);
    assert_eq!(health.cycles.max, 20);
    // GC wears evenly enough that the mean is near the end of life.
    assert!(
        (120..=200).contains(&health.used_percent.unwrap()),
        "{health:?}"
    );

    // Later too: writes and TRIM are refused, and everything is read back.
    rest(&mut drive, Nanos::from_secs(100));
    for op in [Op::Write, Op::Trim] {
        drive.submit(request(7, op, 0, 1));
        let done = drive.advance(SimTime::NEVER).expect("it ends");
        assert_eq!(done.status, Status::WriteProtected);
    }
    drive.submit(request(8, Op::Flush, 0, 0));
    assert_eq!(
        drive.advance(SimTime::NEVER).expect("it ends").status,
        Status::Ok
    );
    assert_holds(&drive, &expected);
    let known = expected.iter().flatten().count();
    assert!(known > expected.len() * 9 / 10);
    drive.submit(request(9, Op::Read, 0, 64));
    let done = drive.advance(SimTime::NEVER);
    assert!(matches!(
        done,
        Some(Completion {
            status: Status::Ok,
            ..
        })
    ));
    // No work continues for ever.
    assert!(drive.advance(SimTime::NEVER).is_none());
}

#[test]
fn a_worn_out_drive_refuses_writes_and_reads_everything() {
    ends_read_only(&mortal(plain(40, 8, 3_000), 6));
}

#[test]
fn a_worn_out_drive_with_a_cache_refuses_writes_and_reads_everything() {
    ends_read_only(&mortal(cached(40, 40, 4_000), 3));
}

#[test]
fn a_worn_out_cache_ends_the_drive() {
    let mut spec = mortal(cached(40, 24, 4_000), 3);
    let health = spec.health.as_mut().expect("it is mortal");
    health.end_of_life_cycles = [30, u32::MAX];
    let worn = write_to_the_end(&spec, |_| ());
    let health = worn.drive.health();
    assert!(worn.refused > 0 && health.read_only);
    assert_eq!((health.retired_superblocks, health.spare_percent), (0, 100));
    assert_eq!(health.slc_cycles.expect("it has a cache").max, 30);
}

#[test]
fn without_an_end_of_life_nothing_ends() {
    let mut spec = mortal(plain(40, 8, 3_000), 6);
    spec.health
        .as_mut()
        .expect("it is mortal")
        .end_of_life_cycles = [u32::MAX; 2];
    let mut drive = SimDrive::new(&spec);
    let mut next = random(&drive, 4);
    burst(&mut drive, Op::Write, 3, 16, 40_000, || next() / 3 * 3);
    let health = drive.health();
    assert!(health.cycles.mean > 20.0 && !health.read_only, "{health:?}");
    assert_eq!((health.retired_superblocks, health.spare_percent), (0, 100));
}

#[test]
fn health_adds_up() {
    let mut drive = SimDrive::new(&mortal(cached(64, 24, 10_000), 2));
    let next = random(&drive, 4);
    burst(&mut drive, Op::Write, 1, 16, 30_000, next);
    let next = random(&drive, 5);
    burst(&mut drive, Op::Read, 1, 16, 700, next);
    let mut part = request(0, Op::Write, 9, 1);
    part.len_bytes = 512;
    alone(&mut drive, part);
    rest(&mut drive, Nanos::from_secs(7_300));
    let (h, c) = (drive.health(), drive.counters());
    assert_eq!(h.host_written_bytes, 30_000 * 4096 + 512);
    assert_eq!(h.host_read_bytes, 700 * 4096);
    assert_eq!((h.host_writes, h.host_reads), (30_001, 700));
    assert_eq!(
        h.nand_written_bytes,
        (c.nand_programs + 3 * c.folds) * 16_384
    );
    assert!(h.nand_written_bytes > 2 * h.host_written_bytes, "{h:?}");
    let counts = drive.inspect().erase_counts();
    let (slc, data_area) = counts.split_at(24);
    for (got, counts) in [(h.slc_cycles.expect("a cache"), slc), (h.cycles, data_area)] {
        let mean = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        assert_eq!(got.mean, mean);
        assert_eq!(Some(&got.min), counts.iter().min());
        assert_eq!(Some(&got.max), counts.iter().max());
    }
    let slc = h.slc_cycles.expect("a cache").mean / 50.0;
    let data_area = h.cycles.mean / 10.0;
    assert_eq!(h.used_percent, Some((slc.max(data_area) * 100.0) as u64));
    assert_eq!(h.power_on.0 / 1_000_000_000, drive.now().0 / 1_000_000_000);
}

/// A drive whose blocks survive `life` cycles.
fn of_blocks(mut spec: Spec, life: u32, spread_percent: u32, spare_blocks: u32) -> Spec {
    spec.blocks = Some(BlocksSpec {
        life_cycles: [u32::MAX, life],
        life_spread_percent: spread_percent,
        die_spread_percent: 0,
        spare_blocks,
        factory_bad_ppm: 0,
        program_failure_ppb: 0,
        seed: 9,
    });
    spec
}

fn with_spare_superblocks(mut spec: Spec, spare: u32) -> Spec {
    spec = mortal(spec, spare);
    let health = spec.health.as_mut().expect("it is mortal");
    health.end_of_life_cycles = [u32::MAX; 2];
    spec
}

fn blocks(drive: &SimDrive) -> stend_model::health::BlockHealth {
    drive.health().blocks.expect("blocks are told apart")
}

#[test]
fn blocks_that_do_not_fail_change_nothing() {
    let trace = |spec: &Spec| {
        let mut drive = SimDrive::new(spec);
        let next = random(&drive, 4);
        burst(&mut drive, Op::Write, 1, 16, 20_000, next);
        (drive.now(), drive.trace_hash(), drive.counters().erases)
    };
    let plain = plain(40, 8, 3_000);
    let mut some_bad = of_blocks(plain.clone(), u32::MAX, 20, 10);
    let without = trace(&plain);
    assert_eq!(trace(&some_bad), without);
    some_bad
        .blocks
        .as_mut()
        .expect("it has some")
        .factory_bad_ppm = 50_000;
    assert_eq!(trace(&some_bad), without);
    let new = blocks(&SimDrive::new(&some_bad));
    assert!(new.factory_bad > 0 && new.spares_least < 10, "{new:?}");
    assert_eq!((new.grown_bad, new.spares_least), (0, new.spares_least_new));
}

#[test]
fn an_erase_that_fails_costs_one_spare_block() {
    let mut drive = SimDrive::new(&of_blocks(plain(40, 8, 3_000), 1, 0, 500));
    let tbers = drive.spec().data.timing.erase;
    let mut failed = 0;
    for round in 0..5 {
        fill(&mut drive);
        alone(&mut drive, request(0, Op::Flush, 0, 0));
        let (before, erases) = (
            drive.inspect().erase_counts().to_vec(),
            drive.counters().erases,
        );
        let took = drive.service().secure_erase();
        let after = drive.inspect().erase_counts().iter().zip(&before);
        let erased: Vec<u32> = after.filter(|(a, b)| a > b).map(|(_, b)| *b).collect();
        // Every block survives one erase. In the next one it fails, and its replacement is erased.
        let again = erased.iter().filter(|&&before| before > 0).count() as u64;
        let each_die = erased.len() as u64 + again;
        assert!(erased.len() >= 24 && (round < 2 || again > 0));
        assert_eq!(
            drive.counters().erases - erases,
            each_die * 4,
            "round {round}"
        );
        assert_eq!(took, tbers * each_die, "round {round}");
        failed += again as u32 * 4;
        assert_eq!(blocks(&drive).grown_bad, failed);
        let left = u64::from(500 - failed / 4);
        assert_eq!(drive.health().spare_percent, left * 100 / 500);
    }
    let now = blocks(&drive);
    assert!(now.grown_bad >= 24 * 4 && now.cycles.max == 1, "{now:?}");
    assert_eq!(now.spares_least, 500 - now.grown_bad / 4);
    assert!(!drive.inspect().is_read_only());
}

/// Without spread and without spare blocks the first erase beyond the life is the end.
#[test]
fn without_spares_the_first_block_that_fails_ends_the_drive() {
    let worn = write_to_the_end(&of_blocks(plain(40, 8, 3_000), 12, 0, 0), |_| ());
    assert!(worn.refused > 0 && worn.drive.inspect().is_read_only());
    assert_eq!(worn.drive.inspect().erase_counts().iter().max(), Some(&13));
    let health = worn.drive.health();
    assert!(health.retired_superblocks >= 1, "{health:?}");
    // The blocks of all of its dies fail in the same erase, which leaves no block to use again.
    assert_eq!(blocks(&worn.drive).spares_least, 0);
    assert_eq!(
        blocks(&worn.drive).grown_bad,
        4 * health.retired_superblocks
    );
}

fn ends_where_a_die_has_no_block(spec: &Spec) -> (u64, SimDrive) {
    let of = spec.blocks.as_ref().expect("blocks are told apart");
    let spares = spec.health.as_ref().map_or(0, |h| h.spare_superblocks);
    let (mut drive, expected) = refuses_at_last(spec);
    let (health, of_blocks) = (drive.health(), blocks(&drive));
    assert_eq!((health.spare_percent, of_blocks.spares_least), (0, 0));
    assert!(health.retired_superblocks > spares, "{health:?}");
    assert!(
        of_blocks.grown_bad > of.spare_blocks + spares,
        "{of_blocks:?}"
    );
    rest(&mut drive, Nanos::from_secs(100));
    assert_holds(&drive, &expected);
    drive.submit(request(9, Op::Read, 0, 64));
    let done = drive.advance(SimTime::NEVER).expect("it ends");
    assert_eq!(done.status, Status::Ok);
    assert!(drive.advance(SimTime::NEVER).is_none());
    (drive.counters().host_bytes_written, drive)
}

#[test]
fn life_spread_brings_the_end_nearer_and_spare_blocks_put_it_off() {
    let written = |spread, spare_blocks, spare_superblocks| {
        // The same space for data in any case.
        let spec = plain(34 + spare_superblocks, 8, 3_000);
        let spec = with_spare_superblocks(spec, spare_superblocks);
        let spec = of_blocks(spec, 40, spread, spare_blocks);
        ends_where_a_die_has_no_block(&spec).0
    };
    let (even, spread) = (written(0, 0, 0), written(15, 0, 0));
    let (blocks, superblocks) = (written(15, 6, 0), written(15, 0, 6));
    println!("even {even}, spread {spread}, 6 blocks {blocks}, 6 superblocks {superblocks}");
    // The shortest of 136 lives lies near 2.6 standard deviations below the mean.
    let expected = 1.0 - 2.6 * 0.15;
    let got = spread as f64 / even as f64;
    assert!(
        (got / expected - 1.0).abs() < 0.25,
        "{got} against {expected}"
    );
    assert!(blocks as f64 > 1.15 * spread as f64);
    // A spare superblock has a block for each die, as that number of spare blocks has.
    let same = superblocks as f64 / blocks as f64;
    assert!((same - 1.0).abs() < 0.05, "{same}");
}

#[test]
fn blocks_that_fail_end_a_drive_with_a_cache() {
    let spec = with_spare_superblocks(cached(40, 40, 4_000), 2);
    let (_, drive) = ends_where_a_die_has_no_block(&of_blocks(spec.clone(), 20, 10, 3));
    assert!(drive.counters().folds > 0);
    let mut slc = of_blocks(spec, 20, 10, 3);
    slc.blocks.as_mut().expect("it has some").life_cycles = [30, u32::MAX];
    ends_where_a_die_has_no_block(&slc);
}

/// A drive at its end of life can be erased, and stays read-only.
#[test]
fn a_drive_that_has_lost_a_superblock_can_be_erased() {
    let spec = of_blocks(plain(40, 8, 3_000), 12, 10, 2);
    let mut worn = write_to_the_end(&spec, |_| ()).drive;
    let free = worn.inspect().free_entry_pages();
    worn.service().secure_erase();
    assert!(worn.inspect().is_read_only());
    let lost = u64::from(worn.health().retired_superblocks);
    assert!(worn.inspect().free_entry_pages() >= free);
    assert_eq!(worn.inspect().free_entry_pages(), (40 - lost) * 8 * 4 * 4);
    assert!((0..3_000).all(|page| worn.content(page).is_none()));
}

/// A program that fails costs an erase of the new block, the copying of the old block's data, and
/// itself again, with its transfer.
#[test]
fn a_program_that_fails_is_done_again_in_another_block() {
    let mut spec = of_blocks(plain(40, 8, 3_000), u32::MAX, 0, 2_000);
    let filled = |spec: &Spec| {
        let mut drive = SimDrive::new(spec);
        drive.keep_content(true);
        // A superblock of 128 pages, the programs of a multi-plane page one after another.
        for mp_page in 0..32 {
            alone(
                &mut drive,
                request(mp_page, Op::Write, u64::from(mp_page) * 4, 4),
            );
            alone(&mut drive, request(0, Op::Flush, 0, 0));
        }
        assert!((0..128).all(|page| drive.content(page) == Some(page / 4)));
        drive
    };
    let sound = filled(&spec);
    assert_eq!(sound.counters().program_failures, 0);
    spec.blocks
        .as_mut()
        .expect("it has some")
        .program_failure_ppb = 100_000_000;
    let failing = filled(&spec);
    let (a, b) = (sound.counters(), failing.counters());
    let failures = b.program_failures;
    println!(
        "{failures} failures, {} multi-plane pages copied",
        b.block_copies
    );
    assert!(failures > 0 && b.block_copies > 0);
    assert_eq!(b.nand_programs, a.nand_programs + failures);
    assert_eq!(b.erases, a.erases + failures);
    assert_eq!(
        b.native_programs,
        a.native_programs + failures + b.block_copies
    );
    let timing = &spec.data.timing;
    let transfer = Nanos(16_384 * 2_500 / 1_000) + spec.bus_overhead;
    let each = timing.erase + timing.program[0] + transfer;
    let copy = timing.read[0] + timing.program[0];
    let more = each * failures + copy * b.block_copies;
    assert_eq!(failing.now().since(sound.now()), more);
    assert_eq!(b.die_busy_ns - a.die_busy_ns, more.0);
    let of_blocks = blocks(&failing);
    assert_eq!(u64::from(of_blocks.grown_bad), failures);
}

#[test]
fn programs_that_fail_end_a_drive_and_lose_nothing() {
    let ends = |mut spec: Spec, seed| {
        let blocks = spec.blocks.as_mut().expect("it has some");
        (blocks.program_failure_ppb, blocks.seed) = (1_000_000, seed);
        let (_, drive) = ends_where_a_die_has_no_block(&spec);
        let counters = drive.counters();
        assert!(counters.program_failures > 10, "{counters:?}");
        assert_eq!(counters.lost_pages, 0);
        counters
    };
    let plain = with_spare_superblocks(plain(40, 8, 3_000), 4);
    for seed in [4, 5, 6] {
        ends(of_blocks(plain.clone(), u32::MAX, 0, 8), seed);
    }
    let cached = with_spare_superblocks(cached(40, 40, 4_000), 2);
    for seed in 0..4 {
        assert!(ends(of_blocks(cached.clone(), u32::MAX, 0, 8), seed).folds > 0);
    }
}

/// With some other seeds the last program that fails finds neither a spare block nor an erased
/// superblock: its data is lost, and nothing else.
#[test]
fn a_program_that_finds_no_block_at_all_loses_its_pages_alone() {
    for seed in [1, 2, 3] {
        let mut spec = with_spare_superblocks(plain(40, 8, 3_000), 4);
        spec = of_blocks(spec, u32::MAX, 0, 8);
        let of = spec.blocks.as_mut().expect("it has some");
        (of.program_failure_ppb, of.seed) = (1_000_000, seed);
        let mut drive = SimDrive::new(&spec);
        drive.service().losses().keep();
        let worn = write_until_refused(drive, |_| ());
        let mut drive = worn.drive;
        let losses = drive.service().losses().take();
        let [loss] = &losses[..] else {
            panic!("seed {seed}: {losses:?}");
        };
        let cause = LossCause::NoBlock {
            spares: 0,
            superblock_left: false,
        };
        assert_eq!((loss.pages, &loss.cause), (1, &cause));
        let missing = (0..).zip(&worn.expected).filter(|&(page, tag)| {
            let held = drive.content(page);
            assert!(held.is_none() || held == *tag, "page {page}");
            held != *tag
        });
        let missing: Vec<u32> = missing.map(|(page, _)| page).collect();
        assert!(missing.iter().all(|page| loss.lpns.contains(page)));
    }
}

/// With a channel for each die no die waits for a transfer: the time of the dies is that of the
/// counted operations, whatever has failed.
#[test]
fn the_time_of_dies_is_that_of_what_they_did_though_programs_fail() {
    let mut spec = of_blocks(cached(40, 40, 4_000), 40, 10, 4_000);
    spec.channels = spec.dies;
    let busy = |failures_ppb: u32| {
        let mut spec = spec.clone();
        let blocks = spec.blocks.as_mut().expect("it has some");
        (blocks.life_cycles[0], blocks.program_failure_ppb) = (60, failures_ppb);
        let mut drive = SimDrive::new(&spec);
        let next = random(&drive, 4);
        burst(&mut drive, Op::Write, 1, 16, 60_000, next);
        rest(&mut drive, Nanos::from_secs(100));
        let c = drive.counters();
        let slc = &spec.cache.as_ref().expect("it has one").pool.timing;
        let native = &spec.data.timing;
        let fold = slc.read[0] * 3 + native.program[0] * 3;
        let all = slc.read[0] * c.slc_reads
            + native.read[0] * c.native_reads
            + slc.program[0] * c.slc_programs
            + native.program[0] * c.native_programs
            + native.erase * c.erases
            + fold * c.folds
            + Nanos(c.channel_busy_ns);
        assert_eq!(c.die_busy_ns, all.0, "{c:?}");
        c
    };
    let (sound, failing) = (busy(0), busy(3_000_000));
    assert_eq!((sound.program_failures, sound.block_copies), (0, 0));
    assert!(failing.program_failures > 50 && failing.block_copies > 100);
    assert!(failing.folds > sound.folds, "some were done again");
}

/// Overwrites a drive in sequence until it refuses; if `repeats`, every round that is like the one
/// before is repeated up to half of the rounds so far. Returns the bytes written, and the number of
/// simulated rounds.
fn rounds_to_the_end(spec: &Spec, repeats: bool) -> (u64, u32) {
    let mut drive = SimDrive::new(spec);
    let (mut rounds, mut simulated) = (0, 0);
    while !drive.inspect().is_read_only() {
        let start = drive.inspect().round_start();
        fill_until_refused(&mut drive);
        (rounds, simulated) = (rounds + 1, simulated + 1);
        if repeats && rounds > 3 && !drive.inspect().is_read_only() {
            rounds += drive.service().repeat_round(&start, rounds / 2);
        }
    }
    (drive.health().host_written_bytes, simulated)
}

/// Writes the whole drive in sequence, 64 pages at a time, until it refuses.
fn fill_until_refused(drive: &mut SimDrive) {
    let pages = drive.capacity_bytes() / PAGE;
    for first in (0..pages).step_by(64) {
        drive.submit(request(0, Op::Write, first, 64.min(pages - first)));
        let done = drive.advance(SimTime::NEVER).expect("it ends");
        if done.status != Status::Ok {
            return;
        }
    }
}

/// Rounds that are not simulated change the end of life by at most the documented 2 %.
#[test]
fn repeated_rounds_come_to_the_same_end() {
    let cache = with_spare_superblocks(cached(40, 40, 4_000), 0);
    for (name, spec) in [
        ("even", of_blocks(plain(40, 8, 3_000), 300, 0, 4)),
        ("spread", of_blocks(plain(40, 8, 3_000), 300, 12, 8)),
        ("cache", of_blocks(cache, 300, 10, 8)),
        ("superblocks retire", {
            let mut spec = mortal(plain(42, 8, 3_000), 2);
            let health = spec.health.as_mut().expect("it is mortal");
            health.end_of_life_cycles = [u32::MAX, 300];
            spec
        }),
        ("reads are retried", {
            let mut spec = of_blocks(plain(40, 8, 3_000), 300, 10, 8);
            let mut media = media();
            media.data_area.worn = stend_model::nand::reliability::Rber(3_000);
            media.data_area.rated_cycles = 300;
            media.data_area.spread_percent = 10;
            spec.media = Some(media);
            spec
        }),
        ("dies differ", {
            let mut spec = of_blocks(plain(40, 8, 3_000), 300, 10, 8);
            let blocks = spec.blocks.as_mut().expect("it has some");
            blocks.die_spread_percent = 8;
            spec
        }),
        ("programs fail", {
            let mut spec = of_blocks(plain(40, 8, 3_000), 300, 10, 8);
            let blocks = spec.blocks.as_mut().expect("it has some");
            blocks.program_failure_ppb = 2_000;
            spec
        }),
    ] {
        let (exact, all) = rounds_to_the_end(&spec, false);
        let (repeated, simulated) = rounds_to_the_end(&spec, true);
        let error = repeated as f64 / exact as f64 - 1.0;
        println!(
            "{name}: {:+.2} %, {simulated} of {all} rounds simulated",
            error * 100.0
        );
        assert!(error.abs() < 0.02, "{name}: {repeated} against {exact}");
        assert!(simulated < all / 2, "{name}: {simulated} of {all}");
    }
}

#[test]
fn a_repeated_round_adds_what_the_round_did() {
    let mut drive = SimDrive::new(&of_blocks(plain(40, 8, 3_000), 1_000, 0, 4));
    for _ in 0..4 {
        fill(&mut drive);
    }
    let start = drive.inspect().round_start();
    let before = (drive.health(), drive.now(), drive.trace_hash());
    fill(&mut drive);
    let (one, now) = (drive.health(), drive.now());
    assert_eq!(drive.service().repeat_round(&start, 7), 7);
    let all = drive.health();
    let of = |h: &stend_model::health::Health| {
        [
            h.host_written_bytes,
            h.host_writes,
            h.nand_written_bytes,
            h.power_on.0,
        ]
    };
    for ((first, one), all) in of(&before.0).into_iter().zip(of(&one)).zip(of(&all)) {
        assert_eq!(all - one, 7 * (one - first));
    }
    let erases = |h: &stend_model::health::Health| (h.cycles.mean * 40.0).round() as u64;
    let of_a_round = erases(&one) - erases(&before.0);
    assert_eq!(erases(&all) - erases(&one), 7 * of_a_round);
    let cycles = blocks(&drive).cycles;
    assert!((cycles.mean - all.cycles.mean).abs() < 1e-9, "{cycles:?}");
    assert_eq!(drive.now(), now, "no time passes");
    // A round in which a block went bad is not like any other, nor is one after the end.
    while !drive.inspect().is_read_only() {
        let start = drive.inspect().round_start();
        fill_until_refused(&mut drive);
        if drive.inspect().is_read_only() {
            assert_eq!(drive.service().repeat_round(&start, 1), 0);
        }
    }
}
