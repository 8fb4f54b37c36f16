//! Cost of keeping data over a power cut, and data lost by a cut: to the nanosecond, and page by
//! page.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, Request, Rng, SimTime};
use stend_drive::sim::Fault;
use stend_drive::{LogicalPage, SimDrive};
use stend_model::Spec;
use stend_model::nand::reliability::Rber;
use stend_model::spec::*;

/// One die, so that all its work is done in sequence.
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
    drive.keep_content(true);
    drive
}

fn mp_page_transfer(spec: &Spec) -> Nanos {
    let bytes = u64::from(spec.pages_per_mp_page) * PAGE;
    Nanos(bytes * spec.bus_ps_per_byte / 1000) + spec.bus_overhead
}

/// Duration of a flush of a drive with changes to make durable.
fn flush_time(spec: &Spec) -> Nanos {
    spec.host.submit
        + spec.controller.write_command
        + mp_page_transfer(spec)
        + spec.data.timing.program[0]
        + mp_page_transfer(spec)
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
    // Nothing is left to do for the next flush.
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
        drive.service().set_write_cache(cache);
        let write = Request {
            fua: forced,
            ..request(1, Op::Write, 5, 1)
        };
        let time = alone(&mut drive, write);
        drive.power_cut();
        (time, drive.content(5))
    };
    let (cached, lost) = waits(false, true);
    let beyond = mp_page_transfer(&spec) * 2 + spec.data.timing.program[0] + JOURNAL_PROGRAM;
    assert_eq!(lost, None);
    for (forced, cache) in [(true, true), (false, false), (true, false)] {
        assert_eq!(waits(forced, cache), (cached + beyond, Some(1)));
    }
}

/// A drive that ignores flushes treats a flush as any other command, ignores FUA, and loses data
/// that an honest drive keeps.
#[test]
fn a_flush_that_is_ignored_costs_its_command_and_keeps_nothing() {
    for forced in [false, true] {
        let content = |ignored: bool| {
            let spec = one_die(|loss| loss.flush_ignored = ignored);
            let mut drive = new_drive(&spec);
            let write = Request {
                fua: forced,
                ..request(1, Op::Write, 5, 1)
            };
            let mut time = alone(&mut drive, write);
            if !forced {
                time = alone(&mut drive, request(2, Op::Flush, 0, 0));
            }
            drive.power_cut();
            (time, drive.content(5))
        };
        let ((honest, kept), (lying, lost)) = (content(false), content(true));
        assert_eq!((kept, lost), (Some(1), None));
        assert!(honest > lying + JOURNAL_PROGRAM, "{honest:?} {lying:?}");
    }
}

/// Time without power costs no energy, and does not count as power-on time.
#[test]
fn a_drive_without_power_takes_no_energy() {
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
    let (before, on) = (
        drive.inspect().energy().expect("it keeps account"),
        drive.now(),
    );
    // Only the journal's page is programmed in SLC mode.
    assert_eq!(before.nand_program_pj, 7);
    assert_eq!(before.total_pj() - 7, power_mw * u128::from(on.0));
    rest(&mut drive, Nanos::from_secs(1_000));
    assert_eq!(drive.inspect().energy(), Some(before));
    drive.power_up();
    alone(&mut drive, request(3, Op::Read, 5, 1));
    let up = drive.now().since(on) - Nanos::from_secs(1_000);
    let added = drive.inspect().energy().expect("still").total_pj() - before.total_pj();
    assert_eq!(added, power_mw * u128::from(up.0));
    let health = drive.health();
    assert_eq!((health.power_cycles, health.unsafe_shutdowns), (2, 1));
    assert_eq!(health.power_on, Nanos(on.0) + up);
}

#[test]
#[should_panic(expected = "power_loss does not go with nand_commands.one_shot_program_us")]
fn what_a_cut_cannot_tear_is_not_protected() {
    let mut spec = one_die(|loss| loss.paired_pages = PairedPages::Pad);
    spec.one_shot = Some(Nanos(1));
    new_drive(&spec);
}

#[test]
fn an_l2p_on_flash_is_cold_after_a_start_that_reads_its_directory() {
    let mut spec = one_die(|_| {});
    spec.l2p_cache = Some(L2pCacheSpec {
        read: Nanos(77_000),
        program: Nanos(1),
        erase: Nanos(1),
        programs_per_erase: 1,
    });
    spec.controller.l2p_segment_pages = 1;
    spec.controller.l2p_segments = 1_500;
    let mut drive = new_drive(&spec);
    alone(&mut drive, request(1, Op::Write, 5, 1));
    alone(&mut drive, request(2, Op::Flush, 0, 0));
    let warm = alone(&mut drive, request(3, Op::Read, 5, 1));
    assert_eq!(drive.counters().l2p_misses, 1);
    drive.power_cut();
    drive.power_up();
    alone(&mut drive, request(4, Op::Flush, 0, 0));
    // 1,500 segments of one page are 6,000 bytes of directory, less than a page of 16 KiB.
    let reserved = (JOURNAL_READ + mp_page_transfer(&spec)) * 2;
    let scanned = spec.data.timing.read[0] + spec.bus_overhead;
    let replayed = spec.power_loss.as_ref().expect("it has").replay_page;
    let recovery = Nanos::from_millis(7) + reserved + scanned + replayed;
    assert_eq!(drive.counters().recovery_ns_last, recovery.0);
    let cold = alone(&mut drive, request(5, Op::Read, 5, 1));
    let map_page = Nanos(PAGE * spec.bus_ps_per_byte / 1000) + spec.bus_overhead;
    assert_eq!(cold, warm + Nanos(77_000) + map_page);
    assert_eq!(drive.counters().l2p_misses, 2);
    // Ten times the segments; each page of the directory holds 4,096.
    spec.user_bytes *= 3;
    spec.data.superblocks *= 3;
    let mut drive = new_drive(&spec);
    drive.power_cut();
    drive.power_up();
    alone(&mut drive, request(4, Op::Flush, 0, 0));
    assert_eq!(drive.counters().slc_reads, 2, "4,500 segments");
}

/// Data that is written again before its multi-plane page is full.
#[test]
fn coalesced_data_is_kept_or_lost_with_the_data_it_replaces() {
    let mut spec = one_die(|_| {});
    spec.buffer.coalesces = true;
    let mut drive = new_drive(&spec);
    alone(&mut drive, request(1, Op::Write, 5, 1));
    alone(&mut drive, request(2, Op::Write, 9, 1));
    // Its first page replaces the first write's page; its second page is new.
    alone(&mut drive, request(3, Op::Write, 5, 2));
    assert_eq!(drive.counters().pages_coalesced, 1);
    alone(&mut drive, request(4, Op::Write, 20, 1));
    // The multi-plane page is full and will be programmed; the journal waits for a flush.
    rest(&mut drive, Nanos::from_millis(5));
    alone(&mut drive, request(5, Op::Flush, 0, 0));
    let c = drive.counters();
    assert_eq!((c.nand_programs, c.journal_programs), (2, 1));
    drive.power_cut();
    let held = [5, 6, 9, 20].map(|page| drive.content(page));
    assert_eq!(held, [Some(3), Some(3), Some(2), Some(4)]);
}

/// The multi-plane page is programmed, and the journal could have its changes; but the last write
/// has a page in the next multi-plane page.
#[test]
fn coalesced_pages_wait_for_the_rest_of_their_request() {
    let held = |fault: Option<Fault>| {
        let mut spec = one_die(|loss| loss.journal_interval_pages = 1);
        spec.buffer.coalesces = true;
        let mut drive = new_drive(&spec);
        if let Some(fault) = fault {
            drive.service().inject(fault);
        }
        for (tag, page) in [(1, 5), (2, 9), (3, 20)] {
            alone(&mut drive, request(tag, Op::Write, page, 1));
        }
        alone(&mut drive, request(4, Op::Write, 5, 3));
        rest(&mut drive, Nanos::from_millis(5));
        drive.power_cut();
        [5, 6, 7, 9, 20].map(|page| drive.content(page))
    };
    assert_eq!(held(None), [None; 5]);
    let torn = [Some(4), None, None, Some(2), Some(3)];
    assert_eq!(held(Some(Fault::CoalesceTorn)), torn);
}

/// A write in more than one part never coalesces.
#[test]
fn a_write_of_several_mp_pages_does_not_coalesce() {
    let mut spec = one_die(|_| {});
    spec.buffer.coalesces = true;
    let coalesced = |pages: u64, loss: bool| {
        let mut spec = spec.clone();
        if !loss {
            spec.power_loss = None;
        }
        let mut drive = new_drive(&spec);
        alone(&mut drive, request(1, Op::Write, 0, 2));
        alone(&mut drive, request(2, Op::Write, 0, pages));
        drive.counters().pages_coalesced
    };
    assert_eq!((coalesced(4, true), coalesced(4, false)), (2, 2));
    assert_eq!((coalesced(5, true), coalesced(5, false)), (0, 2));
}

/// Four dies, one of which holds parity, and flash whose errors are modelled.
fn with_parity(hold_up: Option<Nanos>) -> Spec {
    let mut spec = plain(64, 16, 2_000);
    spec.idle.delay = Nanos::from_secs(1_000);
    spec.parity_data = Some(3);
    spec.media = Some(media());
    spec.power_loss = Some(PowerLossSpec {
        hold_up,
        ..power_loss()
    });
    spec
}

#[test]
fn a_stripe_that_is_not_full_has_its_parity_beside_the_journal() {
    let mut drive = new_drive(&with_parity(None));
    alone(&mut drive, request(1, Op::Write, 5, 1));
    alone(&mut drive, request(2, Op::Flush, 0, 0));
    let c = drive.counters();
    assert_eq!((c.journal_programs, c.partial_parity_programs), (1, 1));
    assert_eq!(c.nand_programs, 3);
    // The rest of the stripe, followed by its own parity.
    alone(&mut drive, request(3, Op::Write, 100, 8));
    rest(&mut drive, Nanos::from_millis(10));
    alone(&mut drive, request(4, Op::Flush, 0, 0));
    let c = drive.counters();
    assert_eq!((c.journal_programs, c.partial_parity_programs), (2, 1));
    // Without errors of the flash, parity is never used, nor kept.
    let mut spec = with_parity(None);
    spec.media = None;
    let mut drive = new_drive(&spec);
    alone(&mut drive, request(1, Op::Write, 5, 1));
    alone(&mut drive, request(2, Op::Flush, 0, 0));
    assert_eq!(drive.counters().partial_parity_programs, 0);
}

#[test]
fn a_failed_die_loses_nothing_of_a_stripe_that_a_cut_left_unfinished() {
    for hold_up in [None, Some(Nanos::from_secs(1))] {
        let mut drive = new_drive(&with_parity(hold_up));
        alone(&mut drive, request(1, Op::Write, 5, 4));
        if hold_up.is_none() {
            alone(&mut drive, request(2, Op::Flush, 0, 0));
        }
        drive.power_cut();
        assert_eq!(drive.counters().partial_parity_programs, 1);
        drive.power_up();
        drive.service().fail_die(0);
        let before = drive.counters().slc_reads;
        alone(&mut drive, request(3, Op::Read, 5, 4));
        let c = drive.counters();
        // Table, journal, and the parity with which the stripe continues.
        assert_eq!(c.slc_reads - before, 3);
        assert_eq!((c.rebuilt_pages, c.failed_reads), (1, 0));
        // When the stripe is full, its own parity is used.
        alone(&mut drive, request(4, Op::Write, 100, 8));
        rest(&mut drive, Nanos::from_millis(10));
        alone(&mut drive, request(5, Op::Read, 5, 4));
        let c = drive.counters();
        assert_eq!((c.rebuilt_pages, c.failed_reads), (2, 0));
        // Each read, the stripe, and, if nothing was saved, the multi-plane page that had been
        // begun.
        assert_eq!(c.native_reads, 2 + 3 + u64::from(hold_up.is_none()));
    }
}

#[test]
fn what_is_lost_stays_lost_after_a_cut() {
    let mut spec = with_parity(None);
    spec.parity_data = None;
    let mut drive = new_drive(&spec);
    alone(&mut drive, request(1, Op::Write, 0, 4));
    alone(&mut drive, request(2, Op::Flush, 0, 0));
    drive.service().fail_die(0);
    alone(&mut drive, request(3, Op::Read, 0, 1));
    assert!(drive.logical_page(0) == LogicalPage::Lost && drive.counters().lost_pages == 1);
    // The loss is not yet in the journal: the next start finds the old place again.
    drive.power_cut();
    assert!(drive.logical_page(0) != LogicalPage::Lost);
    drive.power_up();
    alone(&mut drive, request(4, Op::Read, 0, 1));
    assert!(drive.logical_page(0) == LogicalPage::Lost && drive.counters().lost_pages == 2);
    alone(&mut drive, request(5, Op::Flush, 0, 0));
    drive.power_cut();
    assert!(drive.logical_page(0) == LogicalPage::Lost);
    drive.power_up();
    alone(&mut drive, request(6, Op::Read, 0, 1));
    assert_eq!(
        (drive.counters().lost_pages, drive.counters().failed_reads),
        (2, 3)
    );
    alone(&mut drive, request(7, Op::Write, 0, 4));
    assert!(drive.logical_page(0) != LogicalPage::Lost);
}

#[test]
fn data_ages_while_the_power_is_off() {
    const YEAR: Nanos = Nanos::from_secs(365 * 86_400);
    let mut spec = with_parity(None);
    spec.media.as_mut().expect("it has").data_area.year_fresh = Rber(3_000);
    let mut drive = new_drive(&spec);
    alone(&mut drive, request(1, Op::Write, 0, 4));
    alone(&mut drive, request(2, Op::Flush, 0, 0));
    drive.power_cut();
    rest(&mut drive, Nanos(YEAR.0 / 4));
    drive.service().rest_without_power(Nanos(YEAR.0 / 4));
    drive.power_up();
    alone(&mut drive, request(3, Op::Read, 0, 1));
    let rber = drive.inspect().rber_max().expect("errors are modelled");
    assert!((1_500..1_510).contains(&rber), "{rber}");
    assert_eq!(drive.counters().read_retries, 1);
}

#[test]
fn with_capacitors_a_flush_costs_only_its_command() {
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
    for page in 0..20 {
        assert_eq!(drive.content(page), Some(page));
    }
    let c = drive.counters();
    assert_eq!(
        (c.journal_programs, c.failed_saves, c.padded_mp_pages),
        (1, 0, 0)
    );
}

#[test]
fn capacitors_that_are_too_small_lose_what_was_flushed() {
    let kept = |hold_up: Nanos| {
        let spec = one_die(|loss| loss.hold_up = Some(hold_up));
        let mut drive = new_drive(&spec);
        // Two multi-plane pages; the second is not full: both are in the buffer at the cut.
        burst(&mut drive, Op::Write, 1, 1, 6, {
            let mut next = 0..6;
            move || next.next().expect("six")
        });
        alone(&mut drive, request(9, Op::Flush, 0, 0));
        drive.power_cut();
        let c = drive.counters();
        let kept = (0..6).filter(|&page| drive.content(page).is_some()).count();
        assert_eq!(c.undone_pages, 6 - kept as u64);
        (kept, c.failed_saves, Nanos(c.save_ns_last))
    };
    let spec = one_die(|_| {});
    let need = spec.data.timing.program[0] * 2 + JOURNAL_PROGRAM + mp_page_transfer(&spec) * 3;
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
    // Acknowledged, placed in the sixth multi-plane page, and not in the journal.
    alone(&mut drive, request(6, Op::Write, 100, 1));
    drive.power_cut();
    rest(&mut drive, Nanos::from_millis(3));
    let start = drive.now();
    drive.power_up();
    drive.submit(request(7, Op::Read, 0, 1));
    let read = drive.advance(SimTime::NEVER).expect("it ends").at;
    // The table of 1,500 pages is 2 parts of 4 KiB, in one page.
    let reserved = (JOURNAL_READ + mp_page_transfer(&spec)) * (1 + 5);
    let scanned = (spec.data.timing.read[0] + spec.bus_overhead) * 6;
    let replayed = spec.power_loss.as_ref().expect("it has").replay_page * 15;
    let recovery = Nanos::from_millis(7) + reserved + scanned + replayed;
    assert_eq!(drive.counters().recovery_ns_last, recovery.0);
    assert_eq!(drive.content(0), Some(0));
    assert_eq!(drive.content(100), None, "it was never flushed");
    // The first command has waited; then it takes its usual time.
    let page = Nanos(PAGE * spec.bus_ps_per_byte / 1000) + spec.bus_overhead;
    let link = Nanos(PAGE * spec.host.link_ps_per_byte / 1000)
        + spec.host.frame_overhead
        + spec.host.command_overhead;
    let served =
        spec.controller.read_command + spec.data.timing.read[0] + page + link + spec.host.complete;
    assert_eq!(read.since(start), recovery + served);
}

#[test]
fn after_a_shutdown_a_start_reads_the_table_alone() {
    let spec = one_die(|_| {});
    let mut drive = new_drive(&spec);
    for tag in 0..300 {
        alone(&mut drive, request(tag, Op::Write, u64::from(tag) * 5, 3));
    }
    drive.service().shutdown();
    let c = drive.counters();
    assert_eq!((c.checkpoint_programs, c.unsafe_shutdowns), (1, 0));
    drive.power_up();
    alone(&mut drive, request(0, Op::Read, 0, 1));
    let table = JOURNAL_READ + mp_page_transfer(&spec);
    let expected = Nanos::from_millis(7) + table;
    assert_eq!(drive.counters().recovery_ns_last, expected.0);
    for tag in 0..300 {
        assert_eq!(drive.content(tag * 5), Some(tag));
    }
}

#[test]
fn a_journal_page_for_every_interval_and_a_checkpoint_for_every_so_many() {
    let spec = one_die(|loss| {
        loss.journal_interval_pages = 8;
        loss.checkpoint_pages = 10;
        loss.journal_rows = 6;
    });
    let mut drive = new_drive(&spec);
    // A checkpoint is written when the journal has grown by half of the permitted growth.
    let journal = 40 + 10 / 2;
    let pages = 8 * journal;
    let mut next = 0..pages;
    // One at a time and slowly, so that a multi-plane page is programmed before the next is begun.
    for page in &mut next {
        alone(&mut drive, request(page as u32, Op::Write, page, 1));
        rest(&mut drive, Nanos::from_millis(5));
    }
    let c = drive.counters();
    assert_eq!(
        (c.journal_programs, c.checkpoint_programs),
        (journal, 4),
        "{c:?}"
    );
    assert_eq!(c.nand_programs, pages / 4 + journal + 4);
    // 49 pages in blocks of 6: the last of them is in the eighth block.
    assert_eq!((c.journal_erases, c.erases), (8, 8));
    // They cost energy as all others in SLC mode.
    assert_eq!((c.slc_programs, c.slc_erases), (journal + 4, 8));
}

/// Writes wait while the journal waits for a checkpoint, so that a cut loses no more than the model
/// states.
#[test]
fn writes_wait_while_too_much_is_not_durable() {
    let mut spec = plain(256, 16, 40_000);
    let mut loss = power_loss();
    (loss.journal_interval_pages, loss.checkpoint_pages) = (8, 1);
    // Forty parts of the table, four in each page.
    loss.journal.program = vec![Nanos::from_millis(50)];
    spec.power_loss = Some(loss);
    let most = spec.undurable_pages_max();
    let mut drive = new_drive(&spec);
    let mut next = random(&drive, 3);
    let mut undurable_max = 0;
    for _ in 0..8 {
        drive.submit(request(0, Op::Write, next(), 1));
    }
    for _ in 0..4_000 {
        drive.advance(SimTime::NEVER).expect("a write ends");
        let c = drive.counters();
        undurable_max = undurable_max.max(c.changes - c.durable_changes);
        drive.submit(request(0, Op::Write, next(), 1));
    }
    println!("{undurable_max} of {most}");
    assert!(undurable_max <= most, "{undurable_max} of {most}");
    drive.power_cut();
    assert!(drive.counters().undone_pages <= most);
}

/// Rows of two pages, and a load whose flushes leave word lines half filled.
fn two_passes(paired_pages: PairedPages) -> SimDrive {
    let mut spec = plain(64, 16, 2_000);
    spec.data.timing.read = vec![Nanos::from_micros(50); 2];
    spec.data.timing.program = vec![Nanos::from_micros(400), Nanos::from_micros(1_300)];
    let mut loss = power_loss();
    loss.paired_pages = paired_pages;
    spec.power_loss = Some(loss);
    new_drive(&spec)
}

/// Flushed pages that are missing after cuts at random instants.
fn flushed_and_lost(paired_pages: PairedPages) -> (u64, u64) {
    let mut lost = 0;
    let mut rng = Rng::stream(3, "cuts");
    let mut drive = two_passes(paired_pages);
    for life in 0..60 {
        for page in 0..4 {
            let tag = life * 4 + page;
            alone(&mut drive, request(tag, Op::Write, u64::from(page) * 4, 4));
        }
        alone(&mut drive, request(9_999, Op::Flush, 0, 0));
        // The upper pages of the same word lines.
        for page in 0..4 {
            drive.submit(request(
                10_000 + page,
                Op::Write,
                1_000 + u64::from(page) * 4,
                4,
            ));
        }
        let limit = drive.now() + Nanos::from_micros(rng.below(1_500));
        while drive.advance(limit).is_some() {}
        drive.power_cut();
        for page in 0..4 {
            lost += u64::from(drive.content(page * 4) != Some(life * 4 + page));
        }
        drive.power_up();
    }
    (lost, drive.counters().paired_pages_lost)
}

#[test]
fn an_unprotected_lower_page_is_lost_with_the_upper() {
    let (requests, pages) = flushed_and_lost(PairedPages::Unprotected);
    println!("{requests} requests of 240, {pages} pages");
    assert!(
        requests > 20 && pages == 4 * requests,
        "{requests}, {pages}"
    );
    assert_eq!(flushed_and_lost(PairedPages::Pad), (0, 0));
    assert_eq!(flushed_and_lost(PairedPages::OneShot), (0, 0));
    assert_eq!(flushed_and_lost(PairedPages::Completed), (0, 0));
}

#[test]
fn padding_word_lines_costs_their_mp_pages() {
    let flush = |paired_pages| {
        let mut drive = two_passes(paired_pages);
        alone(&mut drive, request(0, Op::Write, 0, 4));
        alone(&mut drive, request(1, Op::Flush, 0, 0));
        drive.counters()
    };
    let (left, filled) = (flush(PairedPages::Unprotected), flush(PairedPages::Pad));
    // Up to the upper page of the first die: three lower pages and this upper page.
    assert_eq!((left.filler_mp_pages, filled.filler_mp_pages), (0, 4));
    assert_eq!(filled.nand_programs, left.nand_programs + 4);
    // If programs under way are completed, nothing has to be filled.
    assert_eq!(
        flush(PairedPages::Completed).nand_programs,
        left.nand_programs
    );
}

#[test]
fn a_cut_erase_is_done_again() {
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
    let cycles: u64 = drive
        .inspect()
        .erase_counts()
        .iter()
        .map(|&n| u64::from(n))
        .sum();
    let c = drive.counters();
    println!(
        "{redone} begun at a start, {cycles} cycles, {} erases",
        c.erases
    );
    // An erase that was cut counts for its dies, but is no cycle of the superblock.
    assert!(
        redone > 0 && c.erases > cycles * 4,
        "{redone}, {cycles}, {c:?}"
    );
    assert!(c.unsafe_shutdowns == 40);
}
