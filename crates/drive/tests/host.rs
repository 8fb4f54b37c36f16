//! The way from the host, to the nanosecond: links, queues, processors and locks.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, Request, SimTime};
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::spec::{DriverSpec, PcieSpec};

fn over(pcie: PcieSpec) -> Spec {
    let mut spec = plain(64, 16, 8_000);
    spec.host.pcie = Some(pcie);
    spec
}

fn driver(cpus: u32) -> DriverSpec {
    DriverSpec {
        cpus,
        submit: Nanos(1_700),
        complete: Nanos(2_300),
        queue_lock: Nanos::ZERO,
        submit_registers: Nanos::ZERO,
        complete_registers: Nanos::ZERO,
    }
}

/// Latency of a read of a page that is in flash.
fn read_from_flash(spec: &Spec) -> Nanos {
    let mut drive = SimDrive::new(spec);
    fill(&mut drive);
    rest(&mut drive, Nanos::from_millis(5));
    alone(&mut drive, request(0, Op::Read, 0, 1))
}

/// Core, tR and channel of a read of one page.
const READ_INSIDE: u64 = 5_000 + 50_000 + 10_240 + 300;
const WRITE_INSIDE: u64 = 6_000;
/// `submit` and `complete`.
const WAY: u64 = 4_000 + 5_000;

#[test]
fn a_read_over_nvme_is_the_sum_of_its_parts() {
    // Doorbell 28 bytes, read request 24, entry 84 after the host's memory; then 4,096 bytes in 16
    // packets of 24 bytes more; completion entry and interrupt 68.
    let link = 7 + 6 + 500 + 21 + 1_137 + 17;
    let spec = over(nvme());
    assert_eq!(read_from_flash(&spec), Nanos(WAY + READ_INSIDE + link));
}

#[test]
fn a_write_over_nvme_is_the_sum_of_its_parts() {
    // Eight read requests of 24 bytes, and 16 packets of 20 bytes more.
    let link = 7 + 6 + 500 + 21 + 48 + 500 + 1_121 + 17;
    let mut drive = SimDrive::new(&over(nvme()));
    let got = alone(&mut drive, request(0, Op::Write, 5, 1));
    assert_eq!(got, Nanos(WAY + WRITE_INSIDE + link));
}

/// A Data FIS has 8 KiB: a write of 64 KiB has eight in its four multi-plane pages of 16 KiB.
#[test]
fn sata_activates_each_data_fis_of_a_write_but_the_first() {
    let took = |op: Op, pages: u64, activate: u64| {
        let mut spec = plain(64, 16, 8_000);
        spec.host.dma_activate = Nanos(activate);
        let mut drive = SimDrive::new(&spec);
        fill(&mut drive);
        rest(&mut drive, Nanos::from_millis(5));
        alone(&mut drive, request(0, op, 0, pages)).0
    };
    for (pages, activated) in [(1, 0), (2, 0), (4, 1), (16, 7)] {
        let [without, with] = [0, 700].map(|activate| took(Op::Write, pages, activate));
        assert_eq!(with - without, activated * 700, "{pages} pages");
        assert_eq!(took(Op::Read, pages, 0), took(Op::Read, pages, 700));
    }
}

#[test]
fn a_read_over_pcie_with_ahci_fetches_header_and_table_and_waits_for_registers() {
    // Doorbell 28; request 24 and header 52; request 24 and table 184, two
    // packets; 4,096 bytes in 32 packets of 24 bytes more; FIS and interrupt 60.
    let link = 28 + (24 + 500 + 52) + (24 + 500 + 184) + 4_864 + 60;
    let mut spec = over(ahci());
    assert_eq!(read_from_flash(&spec), Nanos(WAY + READ_INSIDE + link));
    spec.host.driver = Some(DriverSpec {
        submit_registers: Nanos(1_250),
        complete_registers: Nanos(1_251),
        ..driver(1)
    });
    let host = 1_700 + 1_250 + 2_300 + 1_251;
    assert_eq!(
        read_from_flash(&spec),
        Nanos(WAY + READ_INSIDE + link + host)
    );
}

#[test]
fn one_thread_at_depth_one_sees_all_of_the_driver_on_any_interface() {
    let sata = plain(64, 16, 8_000);
    for spec in [sata, over(nvme()), over(ahci())] {
        let without = read_from_flash(&spec);
        let mut with = spec.clone();
        with.host.driver = Some(driver(4));
        assert_eq!(read_from_flash(&with), without + Nanos(1_700 + 2_300));
    }
}

/// Bytes a second of 32 KiB requests at depth 16 in all: reads of unwritten pages, and writes.
fn duplex(spec: &Spec, mix: &[Op]) -> f64 {
    let mut drive = SimDrive::new(spec);
    let mut tag = 0;
    let mut send = |drive: &mut SimDrive| {
        let op = mix[tag as usize % mix.len()];
        let at = match op {
            Op::Read => 0,
            _ => 4_000 + u64::from(tag * 8 % 4_000),
        };
        drive.submit(request(tag, op, at, 8));
        tag += 1;
    };
    for _ in 0..16 {
        send(&mut drive);
    }
    let start = drive.now();
    for _ in 0..4_000 {
        drive.advance(SimTime::NEVER).expect("a request ends");
        send(&mut drive);
    }
    4_000.0 * 32_768.0 / drive.now().since(start).as_secs_f64()
}

/// A drive whose flash and firmware are faster than any link here.
fn quick(pcie: Option<PcieSpec>) -> Spec {
    let mut spec = plain(128, 16, 8_000);
    spec.data.timing.program = vec![Nanos(1_000)];
    spec.data.timing.erase = Nanos(1_000);
    spec.bus_ps_per_byte = 100;
    spec.bus_overhead = Nanos::ZERO;
    spec.buffer.write_pages = 256;
    spec.controller.read_command = Nanos(10);
    spec.controller.write_command = Nanos(10);
    spec.controller.read_page = Nanos(10);
    spec.controller.write_page = Nanos(10);
    spec.controller.gc_page = Nanos::ZERO;
    spec.host.pcie = pcie;
    spec
}

#[test]
fn a_mixed_load_exceeds_one_direction_of_pcie_and_not_sata() {
    use Op::{Read, Write};
    // One lane of PCIe 2.0: 500 MB/s raw, 128 bytes of 148 (to the drive) or 152.
    let mut one_lane = ahci();
    one_lane.lane_bits = 0;
    let pcie = quick(Some(one_lane));
    let (read, write) = (duplex(&pcie, &[Read]), duplex(&pcie, &[Write]));
    let mixed = duplex(&pcie, &[Read, Write]);
    assert!(read < 500e6 * 128.0 / 152.0 && read > 380e6, "{read}");
    assert!(write < 500e6 * 128.0 / 148.0 && write > 380e6, "{write}");
    assert!(mixed > 1.7 * read, "{mixed}, reads alone {read}");
    let sata = quick(None);
    let (read, mixed) = (duplex(&sata, &[Read]), duplex(&sata, &[Read, Write]));
    assert!(read > 450e6, "{read}");
    assert!(mixed < 1.02 * read, "{mixed}, reads alone {read}");
}

#[test]
fn lanes_and_generations_scale_the_time_on_the_link() {
    let data = |lane_fs_per_byte: u64, lane_bits: u32| {
        let pcie = PcieSpec {
            lane_fs_per_byte,
            lane_bits,
            memory_read: Nanos::ZERO,
            ..nvme()
        };
        let mut drive = SimDrive::new(&quick(Some(pcie)));
        let short = alone(&mut drive, request(0, Op::Read, 0, 1));
        let long = alone(&mut drive, request(0, Op::Read, 0, 257));
        (long - short).0 - 256 * 10
    };
    // 1 MiB with 24 bytes more for each 256.
    let bytes = 256 * (4_096 + 16 * 24);
    for (fs, bits) in [(2_000_000, 0), (2_000_000, 1), (1_015_625, 2)] {
        let (got, expected) = (data(fs, bits), (bytes * fs / 1_000_000) >> bits);
        // Each multi-plane page is a transfer of its own, of whole nanoseconds.
        assert!(expected.abs_diff(got) < 260, "{got}, {expected}");
    }
}

/// Instants at which the reads of unwritten pages of `senders`, one each, end.
fn together(spec: &Spec, senders: u16) -> Vec<u64> {
    let mut drive = SimDrive::new(spec);
    for queue in 0..senders {
        drive.submit(Request {
            queue,
            ..request(u32::from(queue), Op::Read, 0, 1)
        });
    }
    let mut ends = vec![0; usize::from(senders)];
    for _ in 0..senders {
        let done = drive.advance(SimTime::NEVER).expect("a read ends");
        ends[done.tag as usize] = done.at.0;
    }
    ends
}

#[test]
fn threads_take_turns_under_the_lock_of_a_queue() {
    let lock = 100_000;
    let mut spec = quick(Some(nvme()));
    spec.host.driver = Some(DriverSpec {
        queue_lock: Nanos(lock),
        ..driver(4)
    });
    // Each sender has a queue: they share the link only.
    let alone = together(&spec, 1)[0];
    let apart = together(&spec, 2);
    let latest = apart[0].max(apart[1]);
    assert!(latest - alone < 2_000, "{apart:?}, alone {alone}");
    // One queue for both. The second submits after the first; the first's completion waits for
    // that, and the second's for the first's.
    for pcie in [
        None,
        Some(PcieSpec {
            queues: 1,
            ..nvme()
        }),
    ] {
        spec.host.pcie = pcie;
        assert_eq!(
            together(&spec, 2),
            [1_700 + 3 * lock, 1_700 + 4 * lock],
            "the lock is what both wait for"
        );
    }
}

/// A completion reaches the lock before a submission that began earlier and has more work before
/// the lock: the submitted request arrives later by the time that it waits.
#[test]
fn a_completion_may_overtake_a_submission_on_the_way_to_the_lock() {
    let mut spec = plain(64, 16, 8_000);
    spec.host.driver = Some(DriverSpec {
        submit: Nanos(10_000),
        complete: Nanos(1_000),
        queue_lock: Nanos(5_000),
        ..driver(2)
    });
    let alone = together(&spec, 1)[0];
    let interrupt = alone - 6_000;
    let begun = interrupt - 8_000;
    let mut drive = SimDrive::new(&spec);
    drive.submit(request(0, Op::Read, 0, 1));
    assert_eq!(drive.advance(SimTime(begun)), None);
    drive.submit(Request {
        queue: 1,
        ..request(1, Op::Read, 0, 1)
    });
    let mut ends = || drive.advance(SimTime::NEVER).map(|done| done.at.0);
    assert_eq!(ends(), Some(alone));
    // It reaches the lock 2 µs after the interrupt, whose completion holds it up to 6 µs.
    assert_eq!(ends(), Some(begun + alone + 4_000));
}

#[test]
fn threads_of_one_processor_take_turns_and_those_of_two_do_not() {
    let mut spec = quick(Some(nvme()));
    spec.host.driver = Some(DriverSpec {
        submit: Nanos(50_000),
        ..driver(2)
    });
    let alone = together(&spec, 1)[0];
    let three = together(&spec, 3);
    assert!(three[1] - alone < 2_000, "{three:?}");
    // The third waits for the first's submission; its completion meets no other.
    assert_eq!(three[2], alone + 50_000);
}

#[test]
fn processors_are_busy_for_what_requests_cost_them() {
    let mut spec = quick(Some(nvme()));
    spec.host.driver = Some(DriverSpec {
        queue_lock: Nanos(110),
        submit_registers: Nanos(7),
        complete_registers: Nanos(13),
        ..driver(3)
    });
    let mut drive = SimDrive::new(&spec);
    for tag in 0..500u32 {
        drive.submit(Request {
            queue: (tag % 11) as u16,
            ..request(tag, Op::Read, 0, 1)
        });
    }
    for _ in 0..500 {
        drive.advance(SimTime::NEVER).expect("a read ends");
    }
    let each = 1_700 + 2_300 + 2 * 110 + 7 + 13;
    assert_eq!(drive.counters().cpu_busy_ns, 500 * each);
}

#[test]
fn each_queue_holds_what_it_has_entries_for() {
    let last = |mp_pages: u32, queues: u32| {
        let mut spec = over(PcieSpec { queues, ..nvme() });
        spec.host.queue_depth = mp_pages;
        let mut drive = SimDrive::new(&spec);
        fill(&mut drive);
        rest(&mut drive, Nanos::from_millis(5));
        // Two multi-plane pages on neighbouring dies, which are on different channels.
        for queue in 0..2u16 {
            let page = u64::from(queue) * 4;
            drive.submit(Request {
                queue,
                ..request(u32::from(queue), Op::Read, page, 1)
            });
        }
        let start = drive.now();
        drive.advance(SimTime::NEVER).expect("one ends");
        drive.advance(SimTime::NEVER).expect("the other ends");
        drive.now().since(start)
    };
    let (apart, shared, in_turn) = (last(1, 2), last(2, 1), last(1, 1));
    assert_eq!(apart, shared);
    assert!(in_turn > apart + Nanos(50_000), "{in_turn:?} {apart:?}");
}

#[test]
fn nvme_takes_more_commands_than_ahci_has_slots_for() {
    let mut spec = over(nvme());
    spec.host.queue_depth = 1_023;
    // All wait for one die; each completion identifies its request.
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    rest(&mut drive, Nanos::from_millis(5));
    for tag in 0..1_000 {
        drive.submit(request(tag, Op::Read, u64::from(tag) * 4 % 8_000, 1));
    }
    let mut seen = vec![false; 1_000];
    for _ in 0..1_000 {
        let done = drive.advance(SimTime::NEVER).expect("a read ends");
        assert!(!std::mem::replace(&mut seen[done.tag as usize], true));
    }
}

/// Work of a processor on a completion is done at once if nothing else happens in between: that
/// changes no instant, and not the number of events.
#[test]
fn a_drive_advanced_event_by_event_has_the_same_history() {
    for (cpus, threads) in [(1, 1), (2, 2), (3, 5)] {
        let mut spec = over(nvme());
        spec.host.driver = Some(DriverSpec {
            queue_lock: Nanos(900),
            ..driver(cpus)
        });
        let seen = |event_by_event: bool| {
            let mut drive = SimDrive::new(&spec);
            fill(&mut drive);
            let mut next = random(&drive, 3);
            let (mut sent, mut steps, mut seen) = (0, 0u64, Vec::new());
            while seen.len() < 3_000 {
                while sent < 3_000 && sent < seen.len() as u32 + 7 {
                    let op = [Op::Read, Op::Write][sent as usize % 2];
                    drive.submit(Request {
                        queue: (sent % threads) as u16,
                        ..request(sent, op, next(), 1)
                    });
                    sent += 1;
                }
                steps += 1;
                let limit = drive.now() + Nanos(1 + steps * 7_919 % 9_000);
                let completion = match event_by_event {
                    true => drive.advance_events(1).1,
                    false => drive.advance(limit),
                };
                seen.extend(completion.map(|c| (c.tag, c.at)));
            }
            (seen, drive.trace_hash(), drive.counters().events)
        };
        let (got, expected) = (seen(false), seen(true));
        assert!(got == expected, "{cpus} processors, {threads} threads");
    }
}
