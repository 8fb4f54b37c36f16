//! TRIM in chunks, TRIM alone in the drive, and its consequences.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, SimTime};
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::spec::TrimWorkSpec;

const PER_PAGE: Nanos = Nanos(700);

fn in_chunks(lazy: bool) -> Spec {
    let mut spec = plain(64, 16, 8_000);
    spec.trim.per_1024_pages = Nanos::ZERO;
    spec.trim.work = Some(TrimWorkSpec {
        chunk_pages: 128,
        per_page: PER_PAGE,
        lazy,
        deterministic: true,
        pause: None,
    });
    spec
}

/// A drive at rest, with the first 600 pages and some others written and in flash.
fn partly_written(spec: &Spec) -> SimDrive {
    let mut drive = SimDrive::new(spec);
    for at in (0..600).step_by(4).chain((2_000..6_000).step_by(4)) {
        alone(&mut drive, request(0, Op::Write, at, 4));
    }
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    // Shorter than the delay before idle work.
    rest(&mut drive, Nanos::from_millis(5));
    drive
}

/// `submit`, `complete` and the command.
const COMMAND: Nanos = Nanos(4_000 + 5_000 + 10_000);

#[test]
fn the_command_takes_the_time_of_its_mapped_pages() {
    let mut drive = partly_written(&in_chunks(false));
    let got = alone(&mut drive, request(0, Op::Trim, 0, 1_000));
    assert_eq!(got, COMMAND + PER_PAGE * 600);
    // Pages that are already unmapped cost nothing.
    let again = alone(&mut drive, request(0, Op::Trim, 0, 1_000));
    assert_eq!(again, COMMAND);
}

#[test]
fn a_lazy_command_ends_at_once_and_its_work_is_done_later() {
    let mut drive = partly_written(&in_chunks(true));
    let before = drive.counters().core_busy_ns;
    let got = alone(&mut drive, request(0, Op::Trim, 0, 1_000));
    assert_eq!(got, COMMAND);
    rest(&mut drive, Nanos::from_millis(1));
    let busy = drive.counters().core_busy_ns - before;
    assert_eq!(busy, 10_000 + 600 * PER_PAGE.0);
}

#[test]
fn chunks_are_followed_by_a_rest() {
    let mut spec = in_chunks(false);
    let pause = Nanos::from_micros(700);
    spec.trim.work.as_mut().expect("it goes by chunks").pause = Some(pause);
    let mut drive = partly_written(&spec);
    // 300 pages are three chunks.
    let got = alone(&mut drive, request(0, Op::Trim, 0, 300));
    assert_eq!(got, COMMAND + PER_PAGE * 300 + pause * 2);
    // The pause after the last chunk is observed; it began `complete` before now.
    let next = alone(&mut drive, request(0, Op::Trim, 300, 200));
    assert_eq!(next, PER_PAGE * 200 + pause * 2);
}

#[test]
fn a_secure_erase_ends_the_rest_after_a_chunk() {
    let mut spec = in_chunks(false);
    let pause = Nanos::from_secs(5);
    spec.trim.work.as_mut().expect("it goes by chunks").pause = Some(pause);
    let mut drive = partly_written(&spec);
    alone(&mut drive, request(0, Op::Trim, 0, 128));
    drive.service().secure_erase();
    for at in (0..300).step_by(4) {
        alone(&mut drive, request(0, Op::Write, at, 4));
    }
    let got = alone(&mut drive, request(0, Op::Trim, 0, 300));
    assert_eq!(got, COMMAND + PER_PAGE * 300 + pause * 2);
}

#[test]
fn a_read_in_the_rest_after_a_chunk_waits_for_nothing() {
    let read = |pause: Option<Nanos>| {
        let mut spec = in_chunks(true);
        let work = spec.trim.work.as_mut().expect("it goes by chunks");
        // 44.8 ms.
        (work.chunk_pages, work.per_page, work.pause) = (64, Nanos::from_micros(700), pause);
        let mut drive = partly_written(&spec);
        alone(&mut drive, request(0, Op::Trim, 0, 600));
        let behind = alone(&mut drive, request(1, Op::Read, 3_000, 1));
        (behind, alone(&mut drive, request(1, Op::Read, 3_000, 1)))
    };
    let mut drive = partly_written(&in_chunks(true));
    let undisturbed = alone(&mut drive, request(1, Op::Read, 3_000, 1));
    let chunk = Nanos::from_micros(700) * 64 - Nanos(5_000 + 4_000);
    let (first, second) = read(Some(Nanos::from_millis(1)));
    assert_eq!((first, second), (undisturbed + chunk, undisturbed));
    // Without a pause the next chunk is on the core before the second read is.
    let (first, second) = read(None);
    assert_eq!(first, undisturbed + chunk);
    assert!(second > Nanos::from_millis(44), "{second:?}");
}

#[test]
fn reads_wait_behind_a_chunk_and_not_behind_them_all() {
    let read_after_trim = |lazy: bool| {
        let mut drive = partly_written(&in_chunks(lazy));
        drive.submit(request(0, Op::Trim, 0, 1_000));
        drive.submit(request(1, Op::Read, 3_000, 1));
        let start = drive.now();
        loop {
            let done = drive.advance(SimTime::NEVER).expect("the read ends");
            if done.tag == 1 {
                return done.at.since(start);
            }
        }
    };
    let mut drive = partly_written(&in_chunks(true));
    let undisturbed = alone(&mut drive, request(1, Op::Read, 3_000, 1));
    // It waited for the command, before the first chunk.
    assert_eq!(read_after_trim(true), undisturbed + Nanos(10_000));
    let mut drive = partly_written(&in_chunks(true));
    alone(&mut drive, request(0, Op::Trim, 0, 1_000));
    // The first chunk began when the command ended on the core, `complete` before now.
    let behind = alone(&mut drive, request(1, Op::Read, 3_000, 1));
    let chunk = PER_PAGE * 128 - Nanos(5_000 + 4_000);
    assert_eq!(behind, undisturbed + chunk);
}

#[test]
fn pending_trim_reads_as_trimmed_if_the_drive_is_deterministic() {
    for deterministic in [true, false] {
        let mut spec = in_chunks(true);
        let work = spec.trim.work.as_mut().expect("it goes by chunks");
        // A second until the TRIM is done.
        work.per_page = Nanos::from_millis(1);
        work.chunk_pages = 1;
        work.deterministic = deterministic;
        spec.controller.cores = 2;
        spec.controller.core_background = 1;
        let mut drive = partly_written(&spec);
        alone(&mut drive, request(0, Op::Trim, 0, 600));
        let before = drive.counters().nand_reads;
        alone(&mut drive, request(0, Op::Read, 500, 1));
        let read = drive.counters().nand_reads - before;
        assert_eq!(read, u64::from(!deterministic), "{deterministic}");
        rest(&mut drive, Nanos::from_secs(1));
        alone(&mut drive, request(0, Op::Read, 500, 1));
        assert_eq!(drive.counters().nand_reads - before, read);
    }
}

#[test]
fn pages_written_after_the_command_are_not_trimmed() {
    let mut spec = in_chunks(true);
    let work = spec.trim.work.as_mut().expect("it goes by chunks");
    work.per_page = Nanos::from_millis(1);
    let mut drive = SimDrive::new(&spec);
    drive.keep_content(true);
    for page in 0..600 {
        alone(&mut drive, request(7, Op::Write, page, 1));
    }
    alone(&mut drive, request(0, Op::Trim, 0, 600));
    alone(&mut drive, request(9, Op::Write, 500, 1));
    for time in [Nanos(1), Nanos::from_secs(2)] {
        rest(&mut drive, time);
        assert_eq!(drive.content(499), None);
        assert_eq!(drive.content(500), Some(9));
        assert_eq!(drive.content(501), None);
    }
}

#[test]
fn a_command_that_is_not_queued_is_alone_in_the_drive() {
    let times = |queued: bool, op: Op| {
        let mut spec = in_chunks(false);
        spec.trim.queued = queued;
        spec.host.flush_queued = queued;
        let mut drive = partly_written(&spec);
        let start = drive.now();
        // Two multi-plane pages on neighbouring dies, which are on different channels.
        drive.submit(request(0, Op::Read, 2_000, 1));
        let mut middle = request(1, op, 7_000, 64);
        if op == Op::Flush {
            (middle.offset_bytes, middle.len_bytes) = (0, 0);
        }
        drive.submit(middle);
        drive.submit(request(2, Op::Read, 2_004, 1));
        let mut ends = [0; 3];
        for _ in 0..3 {
            let done = drive.advance(SimTime::NEVER).expect("requests end");
            ends[done.tag as usize] = done.at.since(start).0;
        }
        ends
    };
    // From the core to the end of the link: 5,000 + 50,000 + 10,540 and 6,823 + 2,600.
    let read = 5_000 + 50_000 + 10_540 + 9_423;
    for (op, own) in [(Op::Trim, 10_000), (Op::Flush, 6_000)] {
        let [first, middle, last] = times(false, op);
        assert_eq!(first, 9_000 + read, "{op:?}");
        assert_eq!(middle, first + own, "{op:?}");
        assert_eq!(last, middle + read, "{op:?}");
        let [first, middle, last] = times(true, op);
        assert!(middle < first && last < first + read, "{op:?}");
    }
}

#[test]
fn ranges_cost_by_what_the_command_can_name_in_one() {
    let mut spec = plain(256, 16, 40_000);
    spec.trim.per_range = Nanos(1_000);
    spec.trim.per_1024_pages = Nanos::ZERO;
    let mut drive = SimDrive::new(&spec);
    // A range of ATA holds 65,535 sectors: 8,191 pages and seven sectors.
    let fits = alone(&mut drive, request(0, Op::Trim, 0, 8_191));
    let two = alone(&mut drive, request(0, Op::Trim, 0, 8_192));
    assert_eq!(
        (fits, two),
        (COMMAND + Nanos(1_000), COMMAND + Nanos(2_000))
    );
}

#[test]
fn superblocks_emptied_by_trim_are_erased_one_after_another() {
    let pause = Nanos::from_millis(2);
    let erased_after = |pause: Option<Nanos>, time: Nanos| {
        let mut spec = plain(64, 16, 12_000);
        spec.trim.erase_pause = pause;
        spec.idle.enabled = false;
        let mut drive = SimDrive::new(&spec);
        fill(&mut drive);
        alone(&mut drive, request(0, Op::Flush, 0, 0));
        // Superblocks of 256 pages, all of them full and of neighbouring data.
        alone(&mut drive, request(0, Op::Trim, 0, 2_560));
        rest(&mut drive, time);
        drive.counters().superblocks_trimmed
    };
    let each = Nanos::from_millis(3) + pause;
    assert_eq!(erased_after(Some(pause), each * 4 - Nanos(6_000)), 4);
    assert_eq!(erased_after(Some(pause), each * 4), 5);
    assert_eq!(erased_after(Some(pause), Nanos::from_secs(10)), 10);
    assert_eq!(erased_after(None, Nanos::from_secs(10)), 0);
}

/// The TRIM must be in the journal first, which nothing else requests.
#[test]
fn superblocks_emptied_by_trim_are_erased_in_a_drive_with_a_journal() {
    let mut spec = plain(64, 16, 12_000);
    spec.trim.erase_pause = Some(Nanos::from_millis(2));
    spec.idle.enabled = false;
    spec.power_loss = Some(power_loss());
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    alone(&mut drive, request(0, Op::Trim, 0, 2_560));
    let end = drive.now() + Nanos::from_secs(1);
    while drive.now() < end {
        // At rest it would be written to the journal anyway.
        alone(&mut drive, request(0, Op::Read, 5_000, 1));
    }
    assert_eq!(drive.counters().superblocks_trimmed, 10);
}

#[test]
fn the_rest_after_an_erase_is_kept_whatever_is_trimmed_meanwhile() {
    let mut spec = plain(64, 16, 12_000);
    spec.trim.erase_pause = Some(Nanos::from_millis(50));
    spec.idle.enabled = false;
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    for at in 0..10 {
        alone(&mut drive, request(0, Op::Trim, at * 256, 256));
        rest(&mut drive, Nanos::from_millis(4));
    }
    assert_eq!(drive.counters().superblocks_trimmed, 1);
}

#[test]
fn superblocks_erased_after_trim_can_be_written_again() {
    let mut spec = plain(64, 16, 12_000);
    spec.trim.erase_pause = Some(Nanos::ZERO);
    let mut drive = SimDrive::new(&spec);
    for _ in 0..3 {
        fill(&mut drive);
        let before = drive.inspect().erased_data_superblocks();
        alone(&mut drive, request(0, Op::Trim, 0, 12_000));
        rest(&mut drive, Nanos::from_secs(1));
        let after = drive.inspect().erased_data_superblocks();
        assert!(after >= before + 40, "{before}, then {after}");
        // All except the superblock that is being filled.
        let free = drive.inspect().free_entry_pages();
        assert!((16_384 - 256..=16_384).contains(&free), "{free}");
    }
}
