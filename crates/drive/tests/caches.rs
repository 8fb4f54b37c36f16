//! SLC caches of every kind, word lines programmed at once, and an L2P on flash: the cost of each,
//! to the nanosecond or the multi-plane page.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, SimTime};
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::spec::*;

/// TLC with a cache of `own` superblocks of its own and up to `dynamic` of the data area,
/// emptied through the controller; 8 word lines of 4 dies a superblock, without parity.
fn cache(own: u32, dynamic: u32, when_full: WhenFull) -> Spec {
    let mut spec = cached(120, own, 20_000);
    spec.parity_data = None;
    spec.gc.slc_reserve_superblocks = 0;
    let mp_pages = u64::from(own + dynamic) * 32;
    let cache = spec.cache.as_mut().expect("it has a cache");
    cache.dynamic_superblocks = dynamic;
    cache.emptying = Emptying::Controller;
    cache.when_full = when_full;
    cache.takes_gc = false;
    // Never in the background.
    cache.fold_start_mp_pages = mp_pages;
    spec
}

/// Relocated data enters the cache's own superblocks while the host writes past them, or to those
/// of the data area: the cache keeps room for relocated data, and the drive never stops.
#[test]
fn a_cache_that_takes_relocated_data_keeps_room_for_it() {
    for (dynamic, when_full, background) in [
        (0, WhenFull::Bypass, 0),
        (0, WhenFull::Bypass, 4),
        (8, WhenFull::Bypass, 0),
        (8, WhenFull::Wait, 1),
    ] {
        let mut spec = cached(60, 20, 100_000);
        let cache = spec.cache.as_mut().expect("it has a cache");
        (cache.dynamic_superblocks, cache.when_full) = (dynamic, when_full);
        cache.fold_dies_background = background;
        let most = stend_model::geometry::layout::user_pages_max(&spec).expect("it is small");
        spec.user_bytes = most * PAGE;
        let mut drive = SimDrive::new(&spec);
        drive.keep_content(true);
        let mut next = random(&drive, 1);
        burst(&mut drive, Op::Write, 1, 32, 3 * most, &mut next);
        let c = drive.counters();
        assert!(c.pages_relocated > 0 && c.pages_folded > 0, "{c:?}");
    }
}

/// Writes `mp_pages` multi-plane pages in order from page 0.
fn write(drive: &mut SimDrive, mp_pages: u64) -> Nanos {
    let mut at = 0;
    burst(drive, Op::Write, 4, 8, mp_pages, || {
        at += 4;
        at - 4
    })
}

/// Multi-plane pages programmed in SLC mode, and in the native one.
fn programs(drive: &SimDrive) -> (u64, u64) {
    let counters = drive.counters();
    (counters.slc_programs, counters.native_programs)
}

#[test]
fn writes_bypass_a_full_cache() {
    for (own, dynamic) in [(20, 0), (0, 20), (12, 8)] {
        let mut drive = SimDrive::new(&cache(own, dynamic, WhenFull::Bypass));
        write(&mut drive, 900);
        assert_eq!(
            programs(&drive),
            (20 * 32, 900 - 20 * 32),
            "{own}, {dynamic}"
        );
        assert_eq!(drive.counters().pages_folded, 0);
    }
}

/// A command of four pages to the cache costs its own time and that of three pages; past the cache,
/// also the time of three native pages. Without such a cost the firmware needs the same for both.
#[test]
fn pages_past_the_cache_may_cost_the_firmware_more() {
    for native_page in [0, 7_000] {
        let mut spec = cache(20, 0, WhenFull::Bypass);
        spec.controller.write_page = Nanos(1_000);
        spec.controller.native_page = Nanos(native_page);
        let command = spec.controller.write_command.0 + 3 * 1_000;
        let mut drive = SimDrive::new(&spec);
        write(&mut drive, 20 * 32);
        assert_eq!(drive.counters().core_busy_ns, 20 * 32 * command);
        let before = drive.counters().core_busy_ns;
        write(&mut drive, 320);
        assert_eq!(programs(&drive), (20 * 32, 320));
        let past = drive.counters().core_busy_ns - before;
        // The data of the first commands arrives while the cache's last superblock is open.
        let open = 8 * 3 * native_page;
        let most = 320 * (command + 3 * native_page);
        assert!((most - open..=most).contains(&past), "{past} of {most}");
    }
}

#[test]
fn after_a_silence_the_host_begins_in_the_cache_again() {
    for (own, dynamic) in [(20, 0), (0, 20)] {
        let mut drive = SimDrive::new(&cache(own, dynamic, WhenFull::Bypass));
        // The cache, and 4 rows of a superblock of 24 in the data area.
        write(&mut drive, 20 * 32 + 16);
        assert_eq!(programs(&drive), (20 * 32, 16), "{own}, {dynamic}");
        rest(&mut drive, Nanos::from_millis(5_000));
        let (_, folded) = programs(&drive);
        write(&mut drive, 10 * 32);
        assert_eq!(programs(&drive), (30 * 32, folded), "{own}, {dynamic}");
        // Once the cache is full, the superblock that was set aside is filled: 16 + 632 multi-plane
        // pages end in the middle of a superblock, as 8 more than 20 superblocks would.
        write(&mut drive, 30 * 32 + 8);
        let (slc, native) = programs(&drive);
        assert_eq!(slc + native, 60 * 32 + 8 + folded, "{own}, {dynamic}");
        assert!(native > folded, "{own}, {dynamic}");
        // No superblock is set aside any more, so that another one can be after the next rest.
        rest(&mut drive, Nanos::from_millis(5_000));
        let (slc, native) = programs(&drive);
        write(&mut drive, 10 * 32);
        assert_eq!(programs(&drive), (slc + 320, native), "{own}, {dynamic}");
    }
}

/// Time of the core for folding, and pages folded, for data written in the order of `next`.
fn folding_core(spec: &Spec, mut next: impl FnMut() -> u64) -> (u64, u64) {
    let mut drive = SimDrive::new(spec);
    burst(&mut drive, Op::Write, 1, 8, 4_000, &mut next);
    rest(&mut drive, Nanos::from_millis(5_000));
    let counters = drive.counters();
    let folded = counters.pages_folded + counters.invalid_pages_folded;
    let written = 4_000 * spec.controller.write_command.0;
    (counters.core_busy_ns - written, folded)
}

#[test]
fn folding_random_data_costs_a_segment_a_page() {
    let mut spec = cached(60, 40, 40_000);
    spec.controller.gc_page = Nanos::ZERO;
    (
        spec.controller.l2p_segments,
        spec.controller.l2p_segment_pages,
    ) = (4, 16);
    let sequential = || {
        let mut at = 0;
        move || {
            at += 1;
            at - 1
        }
    };
    let scattered = || {
        let mut at = 0;
        // Every page lies in another segment than the thousands before it.
        move || {
            at = (at + 16 * 7 + 1) % 39_999;
            at
        }
    };
    let (without, pages) = folding_core(&spec, scattered());
    assert_eq!(without, pages * spec.controller.fold_page.0);
    spec.controller.fold_l2p_miss = Nanos(3_000);
    let (random, _) = folding_core(&spec, scattered());
    assert_eq!(random - without, pages * 3_000);
    let (in_order, _) = folding_core(&spec, sequential());
    // Eight pages of a segment lie side by side in a die's word lines.
    assert!(
        in_order - without <= pages * 3_000 / 4,
        "{in_order} {without}"
    );
}

/// Time of the core for relocation, and pages relocated, when a drive that was filled in the order
/// of `next` is written at random.
fn relocating_core(spec: &Spec, mut next: impl FnMut() -> u64) -> (u64, u64) {
    let mut drive = SimDrive::new(spec);
    let pages = drive.capacity_bytes() / PAGE;
    burst(&mut drive, Op::Write, 1, 8, pages, &mut next);
    let mut some = random(&drive, 3);
    burst(&mut drive, Op::Write, 1, 8, pages / 4, &mut some);
    let counters = drive.counters();
    (counters.core_busy_ns, counters.pages_relocated)
}

#[test]
fn relocating_random_data_costs_a_segment_a_page() {
    let mut spec = plain(80, 16, 17_001);
    let controller = &mut spec.controller;
    (controller.write_command, controller.gc_page) = (Nanos::ZERO, Nanos::ZERO);
    (controller.write_l2p_miss, controller.gc_l2p_miss) = (Nanos::ZERO, Nanos(3_000));
    (controller.l2p_segments, controller.l2p_segment_pages) = (4, 16);
    let in_steps = |step: u64| {
        let mut at = 0;
        move || {
            at = (at + step) % 17_001;
            at
        }
    };
    // Every page lies in another segment than the thousands before it.
    let (busy, relocated) = relocating_core(&spec, in_steps(16 * 7 + 1));
    assert!(relocated > 5_000, "{relocated}");
    let share = busy as f64 / (3_000 * relocated) as f64;
    assert!((0.95..1.05).contains(&share), "{share}");
    let (busy, relocated) = relocating_core(&spec, in_steps(1));
    let share = busy as f64 / (3_000 * relocated) as f64;
    assert!(share < 0.35, "pages of a segment lie side by side: {share}");
    spec.controller.gc_l2p_miss = Nanos::ZERO;
    assert_eq!(relocating_core(&spec, in_steps(1)).0, 0);
}

/// A cache that requests of at least four multi-plane pages (64 KiB) bypass.
fn passed_by_long(own: u32, dynamic: u32, when_full: WhenFull) -> Spec {
    let mut spec = cache(own, dynamic, when_full);
    let cache = spec.cache.as_mut().expect("it has a cache");
    cache.bypass_from_bytes = Some(16 * PAGE);
    spec
}

#[test]
fn long_requests_bypass_the_cache_and_short_ones_enter_it() {
    for (own, dynamic) in [(20, 0), (0, 20), (12, 8)] {
        for when_full in [WhenFull::Wait, WhenFull::Bypass] {
            let mut drive = SimDrive::new(&passed_by_long(own, dynamic, when_full));
            for nth in 0..80 {
                // Four multi-plane pages past the cache; two, and fifteen pages, into it.
                alone(&mut drive, request(0, Op::Write, nth * 40, 16));
                alone(&mut drive, request(0, Op::Write, nth * 40 + 16, 8));
                alone(&mut drive, request(0, Op::Write, nth * 40 + 24, 15));
            }
            alone(&mut drive, request(0, Op::Flush, 0, 0));
            let case = format!("{own}, {dynamic}, {when_full:?}");
            assert_eq!(programs(&drive), (80 * 23 / 4, 80 * 4), "{case}");
            // 1,840 pages are 460 multi-plane pages, full without padding.
            assert_eq!(drive.counters().padded_mp_pages, 0, "{case}");
            assert_eq!(drive.counters().pages_folded, 0, "{case}");
        }
    }
}

#[test]
fn long_requests_take_no_space_of_the_cache() {
    // Twice the capacity of the cache goes past it; then there is still room for all of its
    // capacity.
    let mut drive = SimDrive::new(&passed_by_long(20, 0, WhenFull::Bypass));
    let mut at = 0;
    burst(&mut drive, Op::Write, 16, 8, 2 * 20 * 32 / 4, || {
        at += 16;
        at - 16
    });
    assert_eq!(programs(&drive), (0, 2 * 20 * 32));
    write(&mut drive, 900);
    assert_eq!(programs(&drive), (20 * 32, 2 * 20 * 32 + 900 - 20 * 32));
}

#[test]
fn a_long_fua_write_takes_a_program_of_the_data_area() {
    // Requests of a multi-plane page or more bypass the cache; these are one page longer, so that a
    // second multi-plane page is padded.
    let forced = |from: Option<u64>| {
        let mut spec = cache(20, 0, WhenFull::Wait);
        spec.cache
            .as_mut()
            .expect("it has a cache")
            .bypass_from_bytes = from;
        let mut drive = SimDrive::new(&spec);
        // A multi-plane page of the other stream that is not full stays so.
        alone(&mut drive, request(0, Op::Write, 100, 2));
        let mut write = request(0, Op::Write, 0, 5);
        write.fua = true;
        let time = alone(&mut drive, write);
        (time, programs(&drive), drive.counters().padded_mp_pages)
    };
    let (past, passed, padded) = forced(Some(5 * PAGE));
    assert_eq!((passed, padded), ((0, 2), 1));
    // In the cache the multi-plane page is already half full: seven pages are two multi-plane
    // pages, one of them padded.
    let (into, entered, padded) = forced(Some(6 * PAGE));
    assert_eq!((entered, padded), ((2, 0), 1));
    assert_eq!(past - into, Nanos::from_micros(900 - 250));
}

/// Multi-plane pages moved out of the cache in `time` by a drive with at most `mp_pages` under way.
fn emptied_in(mp_pages: Option<u32>, time: Nanos) -> f64 {
    let mut spec = cache(40, 0, WhenFull::Wait);
    // No idle work in this time.
    spec.idle.delay = Nanos::from_secs(1_000);
    let cache = spec.cache.as_mut().expect("it has a cache");
    cache.fold_start_mp_pages = 32;
    cache.fold_limit = mp_pages.map_or(FoldLimit::None, FoldLimit::MpPages);
    let mut drive = SimDrive::new(&spec);
    write(&mut drive, 24 * 32);
    rest(&mut drive, Nanos::from_millis(10));
    let before = drive.counters().pages_folded;
    rest(&mut drive, time);
    (drive.counters().pages_folded - before) as f64 / 4.0
}

#[test]
fn emptying_through_the_controller_is_limited_while_nobody_waits() {
    // One multi-plane page at a time: sensed, moved, processed, moved back and programmed; and
    // every 32 multi-plane pages an erase, which has to wait for the dies.
    let moved = 4 * PAGE * 2_500 / 1_000 + 300;
    let mp_page = Nanos(30_000 + moved + 4 * 500 + moved + 900_000);
    let time = (mp_page * 32 + Nanos::from_millis(3)) * 3;
    let one = emptied_in(Some(1), time);
    assert!((95.0..=97.0).contains(&one), "{one}");
    let two = emptied_in(Some(2), time);
    assert!((165.0..=192.0).contains(&two), "{two}");
    // At the depth of GC, which the four dies limit.
    let free = emptied_in(None, time);
    assert!(free > 290.0, "{free}");
    assert_eq!(free, emptied_in(Some(8), time));
    assert_eq!(free, emptied_in(Some(1_000), time));
}

#[test]
fn a_host_that_waits_for_the_cache_is_served_at_full_depth() {
    let speed = |mp_pages: Option<u32>, idle: bool| {
        let mut spec = cache(20, 0, WhenFull::Wait);
        spec.idle.enabled = idle;
        spec.idle.duty_percent = 100;
        let cache = spec.cache.as_mut().expect("it has a cache");
        cache.fold_limit = mp_pages.map_or(FoldLimit::None, FoldLimit::MpPages);
        let mut drive = SimDrive::new(&spec);
        let took = write(&mut drive, 1_500);
        let before = drive.counters().pages_folded;
        rest(&mut drive, Nanos::from_millis(100));
        (took, drive.counters().pages_folded - before)
    };
    // The host waits in both cases.
    assert_eq!(speed(Some(1), false), speed(None, false));
    // Idle work runs at the drive's own depth.
    let (paced, free) = (speed(Some(1), true), speed(None, true));
    assert!(free.1 > 800, "{free:?}");
    assert_eq!(paced, free);
}

/// Idle work that a read ends stops emptying its superblock, with a journal too.
#[test]
fn reading_ends_the_emptying_of_a_cache() {
    for journal in [None, Some(power_loss())] {
        let mut spec = cache(40, 0, WhenFull::Wait);
        spec.idle.duty_percent = 100;
        spec.power_loss = journal;
        let mut drive = SimDrive::new(&spec);
        write(&mut drive, 24 * 32);
        rest(&mut drive, spec.idle.delay + Nanos::from_millis(10));
        let before = drive.counters().pages_folded;
        assert!(before > 0);
        let mut next = random(&drive, 1);
        burst(&mut drive, Op::Read, 1, 1, 2_000, &mut next);
        // Pages under way, four in each multi-plane page.
        let more = drive.counters().pages_folded - before;
        assert!(more <= 4 * u64::from(spec.gc.depth), "{more}");
    }
}

/// Background work waits for a host that only reads: after the delay of idle work without a write,
/// nothing more leaves the cache, on chip or through the controller, until the next write.
#[test]
fn a_cache_above_its_watermark_is_emptied_beside_writes_and_not_beside_reads() {
    for mut spec in [folded(4, None), cache(40, 0, WhenFull::Wait)] {
        spec.idle.delay = Nanos::from_millis(100);
        let cache = spec.cache.as_mut().expect("it has a cache");
        (cache.fold_start_mp_pages, cache.fold_dies_background) = (2 * 32, 1);
        let emptying = cache.emptying;
        let mut drive = SimDrive::new(&spec);
        write(&mut drive, 24 * 32);
        let mut next = random(&drive, 1);
        // Until no read follows a write within the delay: a read takes 30 to 900 µs.
        let mut time = Nanos::ZERO;
        while time < spec.idle.delay {
            time += burst(&mut drive, Op::Read, 1, 1, 100, &mut next);
        }
        let before = drive.counters().pages_folded;
        assert!(before > 0, "{emptying:?}");
        burst(&mut drive, Op::Read, 1, 1, 2_000, &mut next);
        let beside_reads = drive.counters().pages_folded - before;
        // Pages under way: at most a word line, or GC's depth of multi-plane pages.
        let under_way = 4 * u64::from(spec.gc.depth).max(3);
        assert!(beside_reads <= under_way, "{emptying:?}: {beside_reads}");
        for _ in 0..20 {
            burst(&mut drive, Op::Write, 4, 1, 1, &mut next);
            burst(&mut drive, Op::Read, 1, 1, 100, &mut next);
        }
        let beside_writes = drive.counters().pages_folded - before - beside_reads;
        assert!(beside_writes > 40, "{emptying:?}: {beside_writes}");
    }
}

/// TLC with a cache of 40 superblocks that is emptied by on-chip copy, in a drive of `dies`, of
/// which at most `limit` fold at once; idle time without rests, and without parity.
fn folded(dies: u32, limit: Option<u32>) -> Spec {
    let mut spec = cached(120, 40, 20_000);
    spec.parity_data = None;
    (spec.dies, spec.channels) = (dies, dies);
    spec.buffer.write_pages = 256;
    spec.idle.duty_percent = 100;
    let cache = spec.cache.as_mut().expect("it has a cache");
    cache.fold_limit = limit.map_or(FoldLimit::None, |most| FoldLimit::Dies {
        most,
        idle_free_mp_pages: None,
    });
    cache.fold_start_mp_pages = u64::from(dies) * 8 * 40;
    spec
}

#[test]
fn no_more_dies_fold_at_once_than_the_limit() {
    // A word line of three multi-plane pages: sensed three times, programmed three times, mapped.
    let word_line = Nanos(3 * 30_000 + 3 * 900_000 + 12 * 500);
    let folds = |dies: u32, limit: Option<u32>| {
        let mut drive = SimDrive::new(&folded(dies, limit));
        // Thirty superblocks, of eight word lines on every die.
        write(&mut drive, u64::from(dies) * 8 * 30);
        rest(&mut drive, Nanos::from_millis(10));
        let before = drive.counters().folds;
        // Before a superblock is complete, after which dies are busy with erases.
        rest(&mut drive, word_line * 7);
        (drive.counters().folds - before) as u32
    };
    for limit in [1, 3] {
        for dies in [4, 8] {
            let got = folds(dies, Some(limit));
            assert!(got.abs_diff(7 * limit) <= limit, "{limit} of {dies}: {got}");
        }
    }
    let (all, more) = (folds(4, None), folds(4, Some(1_000)));
    assert!(all.abs_diff(7 * 4) <= 4, "{all}");
    assert_eq!(all, more);
}

#[test]
fn idle_folding_frees_the_cache_up_to_its_limit() {
    // 40 superblocks of 32 multi-plane pages, nine of which the drive keeps for itself.
    let (written, all, kept) = (4 * 8 * 25, 40 * 32, 9 * 32);
    let taken_after = |free: Option<u64>| {
        let mut spec = folded(4, None);
        let cache = spec.cache.as_mut().expect("it has a cache");
        cache.fold_limit = FoldLimit::Dies {
            most: 3,
            idle_free_mp_pages: free,
        };
        let mut drive = SimDrive::new(&spec);
        write(&mut drive, written);
        rest(&mut drive, Nanos::from_secs(20));
        let taken = written - 3 * drive.counters().folds;
        // The freed space is available to the host.
        write(&mut drive, 2_000);
        taken
    };
    for free in [200, 500, 700] {
        let (taken, most) = (taken_after(Some(free)), all - kept - free);
        // A fold is completed: three superblocks.
        assert!((most - 96..=most).contains(&taken), "{free}: {taken}");
    }
    assert_eq!(taken_after(Some(10)), written, "as much is free already");
    assert_eq!(taken_after(Some(5_000)), taken_after(None), "all of it");
    // Except what is too little to be folded together.
    assert!(taken_after(None) < 3 * 32);
}

#[test]
fn twice_the_dies_write_no_faster_where_as_many_fold() {
    // Far more than the capacity of the cache, so that the host waits for folding.
    let took = |dies: u32, limit: Option<u32>| {
        let mut drive = SimDrive::new(&folded(dies, limit));
        write(&mut drive, u64::from(dies) * 8 * 40);
        write(&mut drive, 2_000).0 as f64
    };
    let held = took(4, Some(2)) / took(8, Some(2));
    let free = took(4, None) / took(8, None);
    println!("twice the dies: {held} times as fast where two fold, {free} where all do");
    // The writes of the larger drive find fewer dies that fold.
    assert!((0.95..1.15).contains(&held), "{held}");
    assert!(free > 1.7, "{free}");
    // A limit of all dies has no effect.
    assert_eq!(took(4, Some(4)), took(4, None));
}

#[test]
fn the_host_waits_for_a_cache_without_bypass() {
    for (own, dynamic) in [(20, 0), (0, 20), (12, 8)] {
        let mut drive = SimDrive::new(&cache(own, dynamic, WhenFull::Wait));
        write(&mut drive, 900);
        let (slc, native) = programs(&drive);
        assert_eq!(slc, 900, "{own}, {dynamic}");
        let folded = drive.counters().pages_folded;
        assert!(folded >= (900 - 20 * 32) * 4, "{folded}");
        assert!(
            native.abs_diff(folded / 4) <= 2,
            "{native} programs for {folded} pages"
        );
    }
}

#[test]
fn pages_invalidated_in_the_cache_are_never_folded() {
    // 512 pages are overwritten repeatedly, far more often than the cache is large.
    let overwrite = |spec: &Spec| {
        let mut drive = SimDrive::new(spec);
        let mut rng = stend_base::Rng::stream(1, "hot");
        burst(&mut drive, Op::Write, 1, 16, 40_000, || rng.below(512));
        rest(&mut drive, Nanos::from_secs(30));
        drive.counters()
    };
    let with = overwrite(&cache(40, 0, WhenFull::Wait));
    assert!(with.pages_folded < 40_000 / 20, "{with:?}");
    assert!(
        with.native_programs * 4 < with.host_pages_written / 20,
        "{with:?}"
    );
    let mut without = cache(40, 0, WhenFull::Wait);
    without.cache = None;
    let without = overwrite(&without);
    assert!(without.native_programs * 4 >= without.host_pages_written);
}

#[test]
fn a_dynamic_superblock_takes_its_whole_word_lines_from_the_data_area() {
    // The data of 64 superblocks leaves no room for 40 in SLC mode.
    let mut spec = cache(0, 40, WhenFull::Bypass);
    spec.user_bytes = 100 * 24 * 4 * 4 * PAGE;
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    rest(&mut drive, Nanos::from_secs(20));
    let before = programs(&drive);
    let mut next = random(&drive, 1);
    burst(&mut drive, Op::Write, 4, 8, 640, || next() / 4 * 4);
    let (slc, native) = programs(&drive);
    // Free superblocks beside 100 full ones of 120 and those kept back: a dozen at most.
    let slc = slc - before.0;
    assert!(slc > 0 && slc <= 16 * 32, "{slc}");
    assert!(native - before.1 >= 640 - slc);
}

#[test]
fn a_page_is_read_in_the_mode_in_which_it_was_written() {
    let spec = cache(0, 20, WhenFull::Bypass);
    let mut drive = SimDrive::new(&spec);
    write(&mut drive, 900);
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    let slc = alone(&mut drive, request(0, Op::Read, 0, 1));
    let native = alone(&mut drive, request(0, Op::Read, 890 * 4, 1));
    let pool = &spec.cache.as_ref().expect("it has a cache").pool;
    let difference = spec.data.timing.read[0] - pool.timing.read[0];
    assert_eq!(native - slc, difference);
}

/// TLC without a cache.
fn bare(one_shot: Option<Nanos>) -> Spec {
    let mut spec = cache(0, 0, WhenFull::Wait);
    spec.cache = None;
    spec.one_shot = one_shot;
    spec
}

#[test]
fn a_word_line_is_programmed_at_once() {
    let spec = bare(Some(Nanos::from_micros(1_100)));
    let mut drive = SimDrive::new(&spec);
    // All three pages of the first die's word line, and nothing of the next.
    let start = drive.now();
    alone(&mut drive, request(0, Op::Write, 0, 12));
    rest(&mut drive, Nanos::from_millis(3));
    let counters = drive.counters();
    assert_eq!((counters.nand_programs, counters.padded_mp_pages), (1, 0));
    let moved = 12 * PAGE * spec.bus_ps_per_byte / 1000 + spec.bus_overhead.0;
    assert_eq!(counters.die_busy_ns, moved + 1_100_000);
    assert!(drive.now().since(start) > Nanos::from_millis(3));
    // Each page keeps its own time to read.
    let mut other = bare(Some(Nanos::from_micros(1_100)));
    other.data.timing.read = [60, 80, 100].map(Nanos::from_micros).to_vec();
    let mut drive = SimDrive::new(&other);
    alone(&mut drive, request(0, Op::Write, 0, 12));
    rest(&mut drive, Nanos::from_millis(3));
    let mut read = |page| alone(&mut drive, request(0, Op::Read, page, 1)).0;
    let (lower, middle, upper) = (read(0), read(4), read(8));
    assert_eq!((middle - lower, upper - middle), (20_000, 20_000));
}

#[test]
fn a_flush_fills_up_a_word_line_that_is_programmed_at_once() {
    let mut drive = SimDrive::new(&bare(Some(Nanos::from_micros(1_100))));
    alone(&mut drive, request(0, Op::Write, 0, 1));
    let before = drive.inspect().free_entry_pages();
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    assert_eq!(drive.counters().nand_programs, 1);
    assert_eq!(drive.inspect().free_entry_pages(), before);
    alone(&mut drive, request(0, Op::Write, 1, 1));
    assert_eq!(drive.inspect().free_entry_pages(), before - 12);
}

#[test]
fn free_pages_are_the_data_areas_where_the_cache_has_no_blocks_of_its_own() {
    let free = |own, dynamic| {
        SimDrive::new(&cache(own, dynamic, WhenFull::Bypass))
            .inspect()
            .free_entry_pages()
    };
    let without_cache = {
        let mut spec = cache(0, 20, WhenFull::Bypass);
        spec.cache = None;
        SimDrive::new(&spec).inspect().free_entry_pages()
    };
    assert_eq!(free(0, 20), without_cache);
    assert!((1..without_cache).contains(&free(12, 8)));
    assert_eq!(free(12, 8), free(12, 0));
}

/// A drive of 64 L2P segments, of which `cached` are in DRAM.
fn with_l2p_cache(cached: u32) -> Spec {
    let mut spec = plain(64, 16, 8_192);
    spec.controller.l2p_segments = cached;
    spec.controller.l2p_segment_pages = 128;
    spec.l2p_cache = Some(L2pCacheSpec {
        read: Nanos::from_micros(45),
        program: Nanos::from_micros(300),
        erase: Nanos::from_micros(2_000),
        programs_per_erase: 8,
    });
    spec
}

#[test]
fn an_l2p_miss_costs_a_page_read() {
    let spec = with_l2p_cache(8);
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    rest(&mut drive, Nanos::from_millis(5));
    let page = PAGE * spec.bus_ps_per_byte / 1000 + spec.bus_overhead.0;
    let misses = drive.counters().l2p_misses;
    let miss = alone(&mut drive, request(0, Op::Read, 5, 1));
    let hit = alone(&mut drive, request(0, Op::Read, 5, 1));
    assert_eq!(drive.counters().l2p_misses, misses + 1);
    assert_eq!(miss - hit, Nanos(45_000 + page));
}

#[test]
fn a_write_does_not_wait_for_its_l2p_segment_and_its_program_does() {
    let spec = with_l2p_cache(8);
    let l2p_read = Nanos(45_000 + PAGE * spec.bus_ps_per_byte / 1000 + spec.bus_overhead.0);
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    // Duration of a write of four pages, a multi-plane page, and then of a flush.
    let mut wait = |page: u64| {
        alone(&mut drive, request(0, Op::Flush, 0, 0));
        rest(&mut drive, Nanos::from_millis(5));
        let misses = drive.counters().l2p_misses;
        let write = alone(&mut drive, request(0, Op::Write, page, 4));
        let flush = alone(&mut drive, request(0, Op::Flush, 0, 0));
        (write, flush, drive.counters().l2p_misses - misses)
    };
    wait(0);
    let (hit, miss) = (wait(4), wait(40 * 128));
    assert_eq!((hit.2, miss.2), (0, 1));
    assert_eq!(miss.0, hit.0);
    assert_eq!(miss.1, hit.1 + l2p_read);
}

#[test]
fn changed_segments_are_written_back_a_mp_page_at_a_time() {
    let spec = with_l2p_cache(8);
    let mut drive = SimDrive::new(&spec);
    // Each write changes a segment and evicts a changed one, except the first 8.
    let mut segment = 0;
    burst(&mut drive, Op::Write, 1, 1, 264, || {
        segment += 1;
        segment % 64 * 128
    });
    rest(&mut drive, Nanos::from_millis(20));
    let counters = drive.counters();
    assert_eq!(counters.l2p_misses, 264);
    assert_eq!(counters.l2p_programs, (264 - 8) / 4);
    assert_eq!(counters.l2p_erases, counters.l2p_programs / 8);
    // If all segments are cached, nothing is read after the first lookup, and nothing is evicted.
    let mut drive = SimDrive::new(&with_l2p_cache(64));
    let mut segment = 0;
    burst(&mut drive, Op::Write, 1, 1, 264, || {
        segment += 1;
        segment % 64 * 128
    });
    assert_eq!(drive.counters().l2p_misses, 64);
    assert_eq!(drive.counters().l2p_programs, 0);
}

#[test]
fn a_segment_that_is_only_read_again_is_still_written_back() {
    let mut drive = SimDrive::new(&with_l2p_cache(8));
    let mp_pages = |drive: &mut SimDrive| {
        // 16 changed segments, all of which are evicted.
        for segment in (0..24).chain(0..8) {
            let op = if segment < 16 { Op::Write } else { Op::Read };
            alone(drive, request(0, op, segment * 128, 1));
            alone(drive, request(0, Op::Read, segment * 128, 1));
        }
        drive.counters().l2p_programs
    };
    assert_eq!(mp_pages(&mut drive), 16 / 4);
}

/// Share of the intervals of 10 ms in which no write ends, while a full cache receives lasting
/// writes.
fn silent(frees_per_page: bool) -> f64 {
    let mut spec = cached(60, 20, 5_000);
    let cache = spec.cache.as_mut().expect("it has a cache");
    (cache.takes_gc, cache.frees_per_page) = (false, frees_per_page);
    // It folds only when it must.
    cache.fold_start_mp_pages = u64::MAX;
    spec.gc.slc_reserve_superblocks = 0;
    let mut drive = SimDrive::new(&spec);
    let mut next = random(&drive, 3);
    burst(&mut drive, Op::Write, 1, 32, 5_000, &mut next);
    let start = drive.now();
    let mut ended = vec![0u32; 100];
    for _ in 0..32 {
        drive.submit(request(0, Op::Write, next(), 1));
    }
    loop {
        let done = drive.advance(SimTime::NEVER).expect("it ends");
        let nth = (done.at.since(start).0 / 10_000_000) as usize;
        if nth >= ended.len() {
            let silent = ended.iter().filter(|&&n| n == 0).count();
            return silent as f64 / ended.len() as f64;
        }
        ended[nth] += 1;
        drive.submit(request(0, Op::Write, next(), 1));
    }
}

#[test]
fn room_freed_by_superblocks_comes_in_bursts() {
    let (by_page, by_superblock) = (silent(true), silent(false));
    println!("{by_page}, {by_superblock}");
    assert!(
        by_page < 0.05 && by_superblock > 0.3,
        "{by_page}, {by_superblock}"
    );
}
