//! A small drive for tests, and functions to send it requests.

#![allow(dead_code, missing_docs)]

pub mod cuts;
pub mod draw;
pub mod drawn;
pub mod losses;

use stend_base::{Device, Nanos, Op, Request, Rng, SimTime};
use stend_drive::SimDrive;
use stend_model::Model;
use stend_model::nand::CellTiming;
use stend_model::nand::reliability::{Ecc, ErrorModel, Rber, Retention};
use stend_model::spec::*;

pub const PAGE: u64 = PAGE_BYTES;

/// A drive of `superblocks` × 4 dies × `rows` × 4 pages without cache or parity, with `user_pages`
/// for the host.
pub fn plain(superblocks: u32, rows: u32, user_pages: u64) -> Spec {
    Spec {
        user_bytes: user_pages * PAGE,
        dies: 4,
        channels: 2,
        pages_per_mp_page: 4,
        pages_per_flash_page: 1,
        bus_ps_per_byte: 2_500,
        bus_overhead: Nanos(300),
        data: PoolSpec {
            superblocks,
            rows,
            timing: CellTiming {
                read: vec![Nanos::from_micros(50)],
                program: vec![Nanos::from_micros(400)],
                erase: Nanos::from_micros(3000),
            },
        },
        abilities: stend_model::nand::Abilities::default(),
        scheduling: stend_model::nand::Scheduling::Strict,
        variation: None,
        one_shot: None,
        cache: None,
        parity_data: None,
        host: sata(),
        controller: one_core(),
        l2p_cache: None,
        buffer: BufferSpec {
            write_pages: 64,
            read_ahead_pages: 0,
            coalesces: false,
            half_duplex: false,
            turnaround: Nanos::ZERO,
            plp: false,
        },
        gc: GcSpec {
            policy: Policy::Greedy,
            start_superblocks: 5,
            reserve_superblocks: 3,
            slc_reserve_superblocks: 0,
            depth: 8,
        },
        idle: idle(),
        trim: TrimSpec {
            enabled: true,
            command: Nanos(10_000),
            per_1024_pages: Nanos(5_000),
            reaches_cache: true,
            queued: true,
            per_range: Nanos::ZERO,
            range_bytes_max: 65_535 * 512,
            work: None,
            erase_pause: None,
        },
        media: None,
        streams: None,
        wear: None,
        energy: None,
        idle_states: Vec::new(),
        thermal: None,
        health: None,
        blocks: None,
        power_loss: None,
    }
}

/// Idle work half of the time, in slices of 10 ms.
fn idle() -> IdleSpec {
    IdleSpec {
        enabled: true,
        delay: Nanos::from_millis(10),
        slice: Nanos::from_millis(10),
        duty_percent: 50,
        target_superblocks: 6,
    }
}

/// SATA: a byte takes 1.666 ns.
fn sata() -> HostSpec {
    HostSpec {
        submit: Nanos(4_000),
        complete: Nanos(5_000),
        queue_depth: 32,
        link_ps_per_byte: 1_666,
        frame_bytes: 8192,
        frame_overhead: Nanos(1_100),
        dma_activate: Nanos::ZERO,
        command_overhead: Nanos(1_500),
        pcie: None,
        driver: None,
        write_cache: true,
        flush_queued: true,
    }
}

/// One core for everything, with all of the L2P in fast memory.
fn one_core() -> ControllerSpec {
    ControllerSpec {
        cores: 1,
        core_read: 0,
        core_write: 0,
        core_background: 0,
        read_command: Nanos(5_000),
        write_command: Nanos(6_000),
        read_page: Nanos(100),
        write_page: Nanos(100),
        l2p_segments: 1 << 20,
        l2p_segment_pages: 1024,
        read_l2p_miss: Nanos::ZERO,
        write_l2p_miss: Nanos::ZERO,
        gc_page: Nanos(500),
        gc_l2p_miss: Nanos::ZERO,
        native_page: Nanos::ZERO,
        fold_page: Nanos(500),
        fold_l2p_miss: Nanos::ZERO,
        direction_change: Nanos::ZERO,
    }
}

/// Spec of [`plain`] with an SLC cache of `cache_superblocks`, TLC cells and parity 3+1.
pub fn cached(superblocks: u32, cache_superblocks: u32, user_pages: u64) -> Spec {
    let mut spec = plain(superblocks, 24, user_pages);
    spec.data.timing.read = vec![Nanos::from_micros(70); 3];
    spec.data.timing.program = vec![Nanos::from_micros(900); 3];
    spec.parity_data = Some(3);
    spec.cache = Some(CacheSpec {
        pool: PoolSpec {
            superblocks: cache_superblocks,
            rows: 8,
            timing: CellTiming {
                read: vec![Nanos::from_micros(30)],
                program: vec![Nanos::from_micros(250)],
                erase: Nanos::from_micros(3000),
            },
        },
        dynamic_superblocks: 0,
        bypass_from_bytes: None,
        emptying: Emptying::OnChip,
        when_full: WhenFull::Wait,
        takes_gc: true,
        frees_per_page: true,
        fold_start_mp_pages: 8 * 4 * 6,
        fold_dies_background: 1,
        fold_pause: Nanos::from_micros(200),
        fold_limit: FoldLimit::None,
    });
    spec.gc.slc_reserve_superblocks = 4;
    spec
}

/// Flash without errors as long as its dies work.
pub fn media() -> MediaSpec {
    let cells = ErrorModel {
        fresh: Rber(0),
        worn: Rber(0),
        retention: Retention::Linear,
        year_fresh: Rber(0),
        year_worn: Rber(0),
        reads_100k: Rber(0),
        rated_cycles: 1_000,
        spread_percent: 0,
    };
    MediaSpec {
        data_area: cells.clone(),
        slc_cache: cells,
        ecc: Ecc {
            passes: vec![Rber(1_000), Rber(2_000), Rber(4_000)],
            retry: Nanos(7_000),
        },
        page_type_percent: vec![100],
        word_line_percent: 0,
        remembers_pass: false,
        refresh: None,
        patrol_interval: None,
        seed: 1,
    }
}

/// tR and tPROG of the journal of [`power_loss`].
pub const JOURNAL_READ: Nanos = Nanos(31_000);
pub const JOURNAL_PROGRAM: Nanos = Nanos(210_000);

/// Settings without capacitors, with one-shot programs, and with a journal that is written only
/// when it must be.
pub fn power_loss() -> PowerLossSpec {
    PowerLossSpec {
        hold_up: None,
        paired_pages: PairedPages::OneShot,
        journal: CellTiming {
            read: vec![JOURNAL_READ],
            program: vec![JOURNAL_PROGRAM],
            erase: Nanos::from_micros(3000),
        },
        journal_rows: 16,
        journal_interval_pages: 1_000_000,
        checkpoint_pages: 1_000_000,
        flush_ignored: false,
        boot: Nanos::from_millis(7),
        replay_page: Nanos(130),
    }
}

/// PCIe 3.0 x4 with NVMe: a byte takes 253.906 ps.
pub fn nvme() -> PcieSpec {
    PcieSpec {
        protocol: Protocol::Nvme,
        lane_fs_per_byte: 1_015_625,
        lane_bits: 2,
        max_payload_bytes: 256,
        memory_read: Nanos(500),
        queues: 8,
    }
}

/// PCIe 2.0 x2 with AHCI: a byte takes 1 ns.
pub fn ahci() -> PcieSpec {
    PcieSpec {
        protocol: Protocol::Ahci,
        lane_fs_per_byte: 2_000_000,
        lane_bits: 1,
        max_payload_bytes: 128,
        memory_read: Nanos(500),
        queues: 1,
    }
}

pub fn request(tag: u32, op: Op, page: u64, pages: u64) -> Request {
    Request {
        tag,
        op,
        offset_bytes: page * PAGE,
        len_bytes: pages * PAGE,
        ..Request::default()
    }
}

/// Pages that a request touches.
pub fn touched(request: &Request) -> std::ops::Range<u64> {
    let end = request.offset_bytes + request.len_bytes;
    request.offset_bytes / PAGE..end.div_ceil(PAGE)
}

/// True if two requests touch the same page.
pub fn overlap(one: &Request, other: &Request) -> bool {
    let (one, other) = (touched(one), touched(other));
    one.start < other.end && other.start < one.end
}

/// Removes sectors of 512 bytes of the first and the last page from a request.
pub fn leave_out_sectors(request: &mut Request, rng: &mut Rng) {
    let left_out = rng.below(8) * 512;
    request.offset_bytes += left_out;
    request.len_bytes -= left_out;
    request.len_bytes -= rng.below((request.len_bytes / 512).min(8)) * 512;
}

/// Runs one request alone. Returns the time from submission to completion.
pub fn alone(drive: &mut SimDrive, request: Request) -> Nanos {
    let start = drive.now();
    drive.submit(request);
    let done = drive.advance(SimTime::NEVER).expect("a request ends");
    assert_eq!(done.tag, request.tag);
    done.at.since(start)
}

/// Advances the drive by `time` without requests.
pub fn rest(drive: &mut SimDrive, time: Nanos) {
    let limit = drive.now() + time;
    assert!(drive.advance(limit).is_none());
}

/// Runs `count` requests of `pages` at depth `depth`, with offsets from `next`. Returns the
/// duration.
pub fn burst(
    drive: &mut SimDrive,
    op: Op,
    pages: u64,
    depth: u32,
    count: u64,
    mut next: impl FnMut() -> u64,
) -> Nanos {
    let start = drive.now();
    let mut sent = 0;
    let mut done = 0;
    while sent < count.min(u64::from(depth)) {
        drive.submit(request(sent as u32, op, next(), pages));
        sent += 1;
    }
    while done < count {
        let completion = drive
            .advance(SimTime::NEVER)
            .unwrap_or_else(|| panic!("the drive stands still: {}", drive.inspect().diagnosis()));
        done += 1;
        if sent < count {
            drive.submit(request(completion.tag, op, next(), pages));
            sent += 1;
        }
    }
    drive.now().since(start)
}

/// Writes the whole drive in ascending order.
pub fn fill(drive: &mut SimDrive) {
    let all = drive.capacity_bytes() / PAGE;
    let mut at = 0;
    let whole = all / 32;
    burst(drive, Op::Write, 32, 8, whole, || {
        at += 32;
        at - 32
    });
    for page in whole * 32..all {
        alone(drive, request(0, Op::Write, page, 1));
    }
}

/// Random pages of a drive.
pub fn random(drive: &SimDrive, seed: u64) -> impl FnMut() -> u64 + use<> {
    let all = drive.capacity_bytes() / PAGE;
    let mut rng = Rng::stream(seed, "test");
    move || rng.below(all)
}

/// Mean of `all`.
pub fn mean(all: &[u64]) -> f64 {
    all.iter().sum::<u64>() as f64 / all.len() as f64
}

/// A shipped drive with a sixteenth of its capacity.
pub fn sixteenth(name: &str) -> Spec {
    let model = Model::shipped(name).expect("a shipped model");
    model.scaled(16).expect("it is sound").spec()
}
