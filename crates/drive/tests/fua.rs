//! Writes that complete when they are programmed.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, Request, SimTime};
use stend_drive::SimDrive;
use stend_model::Spec;

fn fua(page: u64, pages: u64) -> Request {
    Request {
        fua: true,
        ..request(0, Op::Write, page, pages)
    }
}

/// Time from the call to the data in the buffer and back. The firmware works on a page while the
/// next one arrives; only the time of the last page is added.
fn way(spec: &Spec, pages: u64) -> Nanos {
    let bytes = pages * PAGE;
    spec.host.submit
        + spec.controller.write_command
        + spec.controller.write_page * pages.saturating_sub(1).min(1)
        + Nanos(bytes * spec.host.link_ps_per_byte / 1000)
        + spec.host.frame_overhead * bytes.div_ceil(u64::from(spec.host.frame_bytes))
        + spec.host.command_overhead
        + spec.host.complete
}

/// A multi-plane page of four pages over the channel, and its program.
const PROGRAM: Nanos = Nanos(16_384 * 2_500 / 1000 + 300 + 400_000);

#[test]
fn a_write_with_fua_waits_for_its_program() {
    let spec = plain(64, 16, 8_000);
    let mut drive = SimDrive::new(&spec);
    let plain = alone(&mut drive, request(0, Op::Write, 5, 1));
    assert_eq!(plain, way(&spec, 1));
    // The multi-plane page of its last page is programmed with it, and with data written before.
    let got = alone(&mut drive, fua(6, 1));
    assert_eq!(got, way(&spec, 1) + PROGRAM);
    assert_eq!(drive.counters().padded_mp_pages, 1);
    // Its own data only: a whole multi-plane page needs no more.
    let whole = alone(&mut drive, fua(8, 4));
    assert_eq!(whole, way(&spec, 4) + PROGRAM);
    assert_eq!(drive.counters().padded_mp_pages, 1);
    assert_eq!(drive.counters().nand_programs, 2);
}

#[test]
fn in_a_buffer_with_plp_data_is_as_safe_as_in_flash() {
    let mut spec = plain(64, 16, 8_000);
    spec.buffer.plp = true;
    let mut drive = SimDrive::new(&spec);
    assert_eq!(alone(&mut drive, fua(5, 1)), way(&spec, 1));
    drive.service().set_write_cache(false);
    assert_eq!(
        alone(&mut drive, request(0, Op::Write, 6, 1)),
        way(&spec, 1)
    );
    let flush = Request {
        op: Op::Flush,
        ..Request::default()
    };
    let quick = alone(&mut drive, flush);
    assert_eq!(
        drive.counters().padded_mp_pages + drive.counters().nand_programs,
        0
    );
    // Without capacitors the same flush waits for a program.
    spec.buffer.plp = false;
    let mut drive = SimDrive::new(&spec);
    alone(&mut drive, request(0, Op::Write, 6, 1));
    assert_eq!(alone(&mut drive, flush), quick + PROGRAM);
}

#[test]
fn without_the_write_cache_every_write_waits_for_its_program() {
    let mut spec = plain(64, 16, 8_000);
    spec.host.write_cache = false;
    let mut drive = SimDrive::new(&spec);
    let got = alone(&mut drive, request(0, Op::Write, 5, 1));
    assert_eq!(got, way(&spec, 1) + PROGRAM);
    drive.service().set_write_cache(true);
    assert!(drive.spec().host.write_cache);
    let got = alone(&mut drive, request(0, Op::Write, 5, 1));
    assert_eq!(got, way(&spec, 1));
    drive.service().set_write_cache(false);
    let got = alone(&mut drive, request(0, Op::Write, 6, 1));
    assert_eq!(got, way(&spec, 1) + PROGRAM);
    // Nothing is left for a flush to do.
    let flush = alone(&mut drive, request(0, Op::Flush, 0, 0));
    assert_eq!(flush, Nanos(4_000 + 6_000 + 5_000));
}

#[test]
fn a_long_write_waits_for_the_last_of_its_mp_pages() {
    let spec = plain(64, 16, 8_000);
    let mut drive = SimDrive::new(&spec);
    // Ten multi-plane pages on four dies: the last begins when two rounds have ended on its die.
    let got = alone(&mut drive, fua(0, 40));
    let programs = Nanos(3 * 400_000);
    assert!(got > programs, "{got:?}");
    assert_eq!(drive.counters().nand_programs, 10);
    let flush = alone(&mut drive, request(0, Op::Flush, 0, 0));
    assert_eq!(flush, Nanos(4_000 + 6_000 + 5_000));
}

#[test]
fn each_write_with_fua_costs_a_mp_page() {
    let programs = |fua: bool| {
        let mut spec = plain(64, 16, 8_000);
        spec.host.write_cache = !fua;
        let mut drive = SimDrive::new(&spec);
        let next = random(&drive, 5);
        let time = burst(&mut drive, Op::Write, 1, 32, 4_000, next);
        (drive.counters().nand_programs, time)
    };
    let ((cached, quick), (forced, slow)) = (programs(false), programs(true));
    assert!(cached <= 1_000, "{cached}");
    assert!(forced >= 4_000, "{forced}");
    // Four dies, each with one program at a time.
    assert!(slow >= Nanos(1_000 * 400_000), "{slow:?}");
    assert!(slow > quick * 3, "{quick:?}, {slow:?}");
}

#[test]
fn padding_takes_no_room_that_the_drive_needs_for_itself() {
    // Superblocks of four multi-plane pages, and a buffer of five times that size: without reserved
    // padding, data admitted at once could use all the space that is kept for GC.
    let mut spec = plain(40, 4, 64);
    (spec.dies, spec.channels) = (1, 1);
    spec.pages_per_mp_page = 32;
    spec.buffer.write_pages = 20 * 32;
    spec.controller.write_command = Nanos(10);
    let mut pcie = nvme();
    pcie.memory_read = Nanos::from_millis(1);
    spec.host.pcie = Some(pcie);
    spec.host.queue_depth = 1_023;
    spec.host.write_cache = false;
    let capacity = stend_model::geometry::layout::capacity(&spec).expect("a small drive");
    let kept = u64::from(spec.gc.start_superblocks) + 3;
    spec.user_bytes = (capacity.data_pages - kept * capacity.data_superblock_pages) * PAGE;
    let mut drive = SimDrive::new(&spec);
    let next = random(&drive, 1);
    burst(&mut drive, Op::Write, 1, 512, 6_000, next);
    let counters = drive.counters();
    assert!(counters.pages_relocated > 1_000, "{counters:?}");
}

/// While a FUA write waits for space, a flush may pad the multi-plane page in which the write would
/// have ended: when its data has arrived, it still frees exactly its reserved padding.
#[test]
fn a_write_that_waited_returns_its_reservation() {
    let mut spec = plain(24, 8, 1_200);
    spec.gc.depth = 1;
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    let (mut next, mut sent, mut done) = (random(&drive, 2), 0, 0);
    while done < 4_000 {
        while sent < 4_000 && sent < done + 24 {
            let what = next() % 16;
            let pages = 1 + next() % 6;
            let write = request(sent, Op::Write, next().min(1_200 - pages), pages);
            drive.submit(match what {
                0 => request(sent, Op::Flush, 0, 0),
                _ => Request {
                    fua: what < 5,
                    ..write
                },
            });
            sent += 1;
        }
        let ended = drive.advance(SimTime::NEVER);
        assert!(
            ended.is_some(),
            "it stands still: {}",
            drive.inspect().diagnosis()
        );
        done += 1;
    }
    rest(&mut drive, Nanos::from_secs(1));
    let state = drive.inspect().diagnosis();
    assert!(state.contains("buffered 0,"), "{state}");
    let reserved: Vec<&str> = state.split(" reserved ").skip(1).collect();
    assert!(
        !reserved.is_empty() && reserved.iter().all(|p| p.starts_with("0 ")),
        "{state}"
    );
}

#[test]
fn fua_changes_no_read() {
    let spec = plain(64, 16, 8_000);
    let mut drive = SimDrive::new(&spec);
    alone(&mut drive, request(0, Op::Write, 5, 1));
    let plain = alone(&mut drive, request(0, Op::Read, 5, 1));
    let read = Request {
        fua: true,
        ..request(0, Op::Read, 5, 1)
    };
    assert_eq!(alone(&mut drive, read), plain);
    assert_eq!(drive.counters().nand_programs, 0);
}
