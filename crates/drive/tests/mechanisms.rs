//! Each mechanism costs what it should, where it should, and only then.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, SimTime};
use stend_drive::SimDrive;
use stend_model::{Model, Spec};

/// Random writes of `times` the capacity.
fn worn(spec: &Spec, times: u64) -> SimDrive {
    let mut drive = SimDrive::new(spec);
    let pages = drive.capacity_bytes() / PAGE;
    let next = random(&drive, 11);
    burst(&mut drive, Op::Write, 1, 32, times * pages, next);
    drive
}

#[test]
fn every_erase_is_one_of_every_die() {
    for spec in [plain(64, 16, 12_000), cached(64, 24, 10_000)] {
        let mut drive = worn(&spec, 4);
        rest(&mut drive, Nanos::from_secs(60));
        let cycles: u64 = drive
            .inspect()
            .erase_counts()
            .iter()
            .map(|&n| u64::from(n))
            .sum();
        assert!(cycles > 50, "{cycles}");
        assert_eq!(drive.counters().erases, cycles * u64::from(spec.dies));
    }
}

#[test]
fn a_die_is_busy_for_the_sum_of_its_work() {
    let mut spec = plain(256, 16, 12_000);
    // One die alone on its channel: it never waits for the channel.
    spec.dies = 1;
    spec.channels = 1;
    let mut drive = worn(&spec, 4);
    rest(&mut drive, Nanos::from_secs(60));
    let c = drive.counters();
    let expected = c.nand_reads * spec.data.timing.read[0].0
        + c.nand_programs * spec.data.timing.program[0].0
        + c.erases * spec.data.timing.erase.0
        + c.channel_busy_ns;
    assert!(c.pages_relocated > 10_000 && c.erases > 100, "{c:?}");
    assert_eq!(c.die_busy_ns, expected);
}

#[test]
fn a_core_is_busy_for_the_sum_of_its_work() {
    let mut spec = cached(64, 24, 10_000);
    spec.controller.gc_page = Nanos(7_000);
    spec.controller.fold_page = Nanos(3_000);
    let mut drive = worn(&spec, 3);
    rest(&mut drive, Nanos::from_secs(60));
    let c = drive.counters();
    let control = &spec.controller;
    let least = c.host_pages_written * control.write_command.0
        + c.pages_relocated * control.gc_page.0
        + c.pages_folded * control.fold_page.0;
    assert!(
        c.pages_relocated > 1_000 && c.pages_folded > 10_000,
        "{c:?}"
    );
    // Pages that became invalid between the copy and its mapping cost a little in addition.
    assert!(
        (least..least + least / 50).contains(&c.core_busy_ns),
        "{c:?}, {least}"
    );
}

#[test]
fn idle_work_keeps_to_its_share_of_the_time() {
    let folded = |duty: u32| {
        let mut spec = cached(120, 60, 10_000);
        spec.idle.duty_percent = duty;
        spec.idle.slice = Nanos::from_millis(100);
        spec.idle.target_superblocks = 0;
        let mut drive = SimDrive::new(&spec);
        let next = random(&drive, 3);
        burst(&mut drive, Op::Write, 1, 32, 5_000, next);
        rest(&mut drive, spec.idle.delay);
        let before = drive.counters().pages_folded;
        rest(&mut drive, Nanos::from_millis(300));
        drive.counters().pages_folded - before
    };
    let (little, much) = (folded(10), folded(40));
    assert!(little > 0, "nothing was folded");
    assert!(
        (3..6).contains(&(much / little)),
        "{little} at 10 %, {much} at 40 %"
    );
}

#[test]
fn read_ahead_data_is_dropped_when_it_changes() {
    let mut spec = plain(64, 16, 8_000);
    spec.buffer.read_ahead_pages = 64;
    for op in [Op::Write, Op::Trim] {
        let mut drive = SimDrive::new(&spec);
        fill(&mut drive);
        rest(&mut drive, Nanos::from_millis(5));
        for page in 0..8 {
            alone(&mut drive, request(0, Op::Read, page, 1));
        }
        let hits = drive.counters().read_ahead_hits;
        assert!(hits > 0, "nothing was read ahead");
        alone(&mut drive, request(0, op, 8, 1));
        alone(&mut drive, request(0, Op::Read, 8, 1));
        assert_eq!(drive.counters().read_ahead_hits, hits, "{op:?}");
    }
}

#[test]
fn a_mp_page_waits_for_the_old_part_of_a_partly_written_page() {
    let spec = plain(64, 16, 8_000);
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    let mut part = request(0, Op::Write, 7, 1);
    part.len_bytes = 512;
    let start = drive.now();
    alone(&mut drive, part);
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    let least = spec.data.timing.read[0] + spec.data.timing.program[0];
    assert!(drive.now().since(start) > least);
    assert_eq!(drive.counters().merges, 1, "whole pages need no old part");
}

#[test]
fn commands_beyond_the_links_slots_wait_in_the_host() {
    let pair = |mp_pages: u32| {
        let mut spec = plain(64, 16, 8_000);
        spec.host.queue_depth = mp_pages;
        let mut drive = SimDrive::new(&spec);
        fill(&mut drive);
        rest(&mut drive, Nanos::from_millis(5));
        let start = drive.now();
        // Two multi-plane pages on neighbouring dies, which are on different channels.
        drive.submit(request(0, Op::Read, 0, 1));
        drive.submit(request(1, Op::Read, 4, 1));
        drive.advance(SimTime::NEVER).expect("one ends");
        let last = drive.advance(SimTime::NEVER).expect("the other ends");
        last.at.since(start)
    };
    let (together, in_turn) = (pair(2), pair(1));
    assert!(
        in_turn > together + Nanos::from_micros(50),
        "{together:?} {in_turn:?}"
    );
}

#[test]
fn page_types_take_their_own_time() {
    let mut spec = plain(64, 12, 2_000);
    spec.dies = 1;
    spec.channels = 1;
    spec.data.timing.read = vec![Nanos(10_000), Nanos(20_000), Nanos(40_000)];
    spec.data.timing.program = vec![Nanos(100_000); 3];
    let mut drive = SimDrive::new(&spec);
    for page in 0..12 {
        alone(&mut drive, request(0, Op::Write, page, 1));
    }
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    let [lower, middle, upper] =
        [0, 4, 8].map(|page| alone(&mut drive, request(0, Op::Read, page, 1)));
    assert_eq!(middle - lower, Nanos(10_000));
    assert_eq!(upper - middle, Nanos(20_000));
}

#[test]
fn trim_costs_by_the_length_of_its_range() {
    let spec = plain(256, 16, 40_000);
    let mut drive = SimDrive::new(&spec);
    let short = alone(&mut drive, request(0, Op::Trim, 0, 1024));
    let long = alone(&mut drive, request(0, Op::Trim, 0, 21 * 1024));
    assert_eq!(long - short, spec.trim.per_1024_pages * 20);
}

#[test]
fn a_divided_controller_keeps_reads_free_of_writes() {
    let read_beside_writes = |divided: bool| {
        let mut spec = plain(64, 16, 8_000);
        spec.controller.write_command = Nanos::from_micros(200);
        if divided {
            spec.controller.cores = 2;
            spec.controller.core_write = 1;
        }
        let mut drive = SimDrive::new(&spec);
        let start = drive.now();
        for tag in 1..9 {
            drive.submit(request(tag, Op::Write, u64::from(tag), 1));
        }
        drive.submit(request(0, Op::Read, 100, 1));
        loop {
            let done = drive.advance(SimTime::NEVER).expect("requests end");
            if done.tag == 0 {
                return done.at.since(start);
            }
        }
    };
    assert!(read_beside_writes(false) > Nanos::from_micros(8 * 200));
    assert!(read_beside_writes(true) < Nanos::from_micros(100));
}

#[test]
fn a_change_of_direction_costs_a_core_that_serves_both() {
    let took = |change: u64, divided: bool, ops: &[Op]| {
        let mut spec = plain(60, 8, 1024);
        spec.controller.direction_change = Nanos(change);
        if divided {
            (spec.controller.cores, spec.controller.core_write) = (2, 1);
        }
        let mut drive = SimDrive::new(&spec);
        alone(&mut drive, request(0, Op::Write, 0, 1));
        alone(&mut drive, request(0, Op::Read, 512, 1));
        let requests = ops.iter().zip(600..);
        let times = requests.map(|(op, page)| alone(&mut drive, request(0, *op, page, 1)).0);
        times.sum::<u64>()
    };
    let alike = [Op::Read, Op::Read, Op::Read, Op::Read];
    let mixed = [Op::Write, Op::Read, Op::Read, Op::Write];
    for (ops, changes) in [(alike, 0), (mixed, 3)] {
        let without = took(0, false, &ops);
        assert_eq!(took(7_000, false, &ops) - without, changes * 7_000);
        assert_eq!(took(7_000, true, &ops), without);
    }
    // After a rest the first command may have either direction.
    let after_rest = |change: u64| {
        let mut spec = plain(60, 8, 1024);
        spec.controller.direction_change = Nanos(change);
        let mut drive = SimDrive::new(&spec);
        alone(&mut drive, request(0, Op::Write, 0, 1));
        rest(&mut drive, Nanos::from_millis(100));
        alone(&mut drive, request(0, Op::Read, 512, 1))
    };
    assert_eq!(after_rest(7_000), after_rest(0));
}

#[test]
fn a_long_read_of_unmapped_pages_ends() {
    let spec = Model::shipped("demo-8gb").expect("a shipped model").spec();
    let mut drive = SimDrive::new(&spec);
    let pages = (5_u64 << 30) / PAGE;
    let time = alone(&mut drive, request(0, Op::Read, 0, pages));
    assert!(
        time > Nanos::from_secs(8),
        "5 GiB cannot cross the link in {time:?}"
    );
}

#[test]
#[should_panic(expected = "has no length")]
fn a_request_of_no_length_is_refused() {
    let mut drive = SimDrive::new(&plain(64, 16, 8_000));
    drive.submit(request(0, Op::Read, 0, 0));
}

#[test]
fn flushed_data_is_in_flash_at_every_instant() {
    for spec in [plain(64, 16, 12_000), cached(64, 24, 10_000)] {
        let mut drive = SimDrive::new(&spec);
        drive.keep_content(true);
        let pages = (drive.capacity_bytes() / PAGE) as u32;
        // Each page with its own tag, and all of it flushed.
        for page in 0..pages {
            alone(&mut drive, request(page, Op::Write, u64::from(page), 1));
        }
        alone(&mut drive, request(0, Op::Flush, 0, 0));
        // Every other page is overwritten repeatedly; the rest is only moved.
        let mut rng = stend_base::Rng::stream(1, "hot");
        let mut tag = pages;
        for round in 0..600 {
            for _ in 0..100 {
                let page = rng.below(u64::from(pages) / 2) * 2;
                drive.submit(request(tag, Op::Write, page, 1));
                tag += 1;
            }
            for _ in 0..100 {
                drive.advance(SimTime::NEVER).expect("a write ends");
            }
            let mut found = vec![false; pages as usize];
            for tag in drive.inspect().tags_in_flash().filter(|&tag| tag < pages) {
                found[tag as usize] = true;
            }
            let lost = (1..pages).step_by(2).find(|&page| !found[page as usize]);
            assert_eq!(
                lost, None,
                "round {round}: a flushed page is only in the buffer"
            );
        }
        assert!(
            drive.counters().pages_relocated > 10_000,
            "{:?}",
            drive.counters()
        );
    }
}

#[test]
fn sectors_of_one_page_share_its_place_in_the_buffer() {
    let write = |coalesces: bool| {
        let mut spec = plain(64, 16, 8_000);
        spec.buffer.coalesces = coalesces;
        let mut drive = SimDrive::new(&spec);
        // 32 pages by sectors of 512 bytes, in order.
        for sector in 0..32 * 8 {
            let mut part = request(0, Op::Write, sector / 8, 1);
            part.offset_bytes += sector % 8 * 512;
            part.len_bytes = 512;
            alone(&mut drive, part);
        }
        alone(&mut drive, request(0, Op::Flush, 0, 0));
        let counters = drive.counters();
        (counters.nand_programs, counters.pages_coalesced)
    };
    // A multi-plane page is full with the first sector of its fourth page, and the rest of this
    // page begins the next: three new pages a multi-plane page.
    let mp_pages = 32u64.div_ceil(3);
    assert_eq!(write(true), (mp_pages, 32 * 8 - (32 + mp_pages - 1)));
    assert_eq!(write(false), (32 * 8 / 4, 0));
}

/// A write that waits for the buffer continues when another one turns out to need no room in it:
/// otherwise it would wait for a multi-plane page that is never filled.
#[test]
fn coalesced_pages_make_room_for_waiting_writes() {
    let mut spec = plain(64, 16, 8_000);
    spec.buffer.coalesces = true;
    spec.buffer.write_pages = 8;
    let mut drive = SimDrive::new(&spec);
    alone(&mut drive, request(1, Op::Write, 0, 3));
    drive.submit(request(2, Op::Write, 0, 3));
    drive.submit(request(3, Op::Write, 20, 4));
    let mut done: Vec<u32> = Vec::new();
    while let Some(completion) = drive.advance(SimTime::NEVER) {
        done.push(completion.tag);
    }
    assert_eq!(done, [2, 3], "{}", drive.inspect().diagnosis());
    assert_eq!(drive.counters().pages_coalesced, 3);
}

#[test]
fn a_page_overwritten_in_the_buffer_holds_the_last_data() {
    let mut spec = plain(64, 16, 8_000);
    spec.buffer.coalesces = true;
    let mut drive = SimDrive::new(&spec);
    drive.keep_content(true);
    for tag in 1..=3 {
        alone(&mut drive, request(tag, Op::Write, 7, 1));
    }
    assert_eq!(drive.content(7), Some(3));
    // A full multi-plane page is programmed, and no longer overwritten.
    alone(&mut drive, request(4, Op::Write, 8, 3));
    alone(&mut drive, request(5, Op::Write, 7, 1));
    assert_eq!(drive.content(7), Some(5));
    assert_eq!(drive.counters().pages_coalesced, 2);
}
