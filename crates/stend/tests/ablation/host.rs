//! The path from the host: links, queues, cost of the driver; TRIM and its aftermath; writes that
//! must be durable.

use std::fmt::Write;

use stend_load::target::{JobOutcome, JobRequest, Target};
use stend_model::Model;
use stend_simulated::SimulatedTarget;

const SOURCE: &str = "assumed: a drive for tests, nobody's product";

/// The small NVMe drive with changed values of some keys; an empty value removes the key.
fn nvme(changes: &[(&str, &str)]) -> SimulatedTarget {
    let mut text = String::new();
    let (mut table, mut given) = (String::new(), Vec::new());
    for line in include_str!("nvme.toml").lines() {
        if let Some(name) = line.strip_prefix('[') {
            table = name.trim_end_matches(']').to_owned();
        }
        let key = line.split(' ').next().unwrap_or_default();
        let full = format!("{table}.{key}");
        if let Some((full, value)) = changes.iter().find(|(k, _)| *k == full) {
            given.push(*full);
            if !value.is_empty() {
                writeln!(text, "{key} = {{ value = {value}, source = \"{SOURCE}\" }}").unwrap();
            }
            continue;
        }
        writeln!(text, "{line}").unwrap();
        // Keys that the file lacks are inserted at the beginning of their tables.
        if line.starts_with('[') {
            for (full, value) in changes {
                let lacks = !include_str!("nvme.toml")
                    .lines()
                    .any(|l| Some(l.split(' ').next().unwrap_or_default()) == last(full));
                if lacks && full.starts_with(&format!("{table}.")) {
                    let key = last(full).unwrap();
                    writeln!(text, "{key} = {{ value = {value}, source = \"{SOURCE}\" }}").unwrap();
                    given.push(*full);
                }
            }
        }
    }
    assert_eq!(given.len(), changes.len(), "{changes:?}");
    SimulatedTarget::new(Model::parse(&text, "nvme.toml").unwrap_or_else(|e| panic!("{e}")))
}

fn last(key: &str) -> Option<&str> {
    key.split('.').nth(1)
}

/// The same drive with a SATA link.
const SATA: &[(&str, &str)] = &[
    ("host.interface", "\"sata-6g\""),
    ("host.queue_slots", "32"),
    ("host.pcie_generation", ""),
    ("host.pcie_lanes", ""),
    ("host.max_payload_bytes", ""),
    ("host.memory_read_ns", ""),
    ("host.queues", ""),
    ("host.link_mb_per_s", "600"),
    ("host.frame_bytes", "8192"),
    ("host.frame_overhead_ns", "300"),
    ("host.command_overhead_ns", "800"),
];

/// The same drive with the same link, through AHCI.
const AHCI: &[(&str, &str)] = &[
    ("host.interface", "\"pcie-ahci\""),
    ("host.queue_slots", "32"),
    ("host.queues", ""),
];

fn with<'a>(some: &[(&'a str, &'a str)], more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [some, more].concat()
}

fn run(target: &mut SimulatedTarget, sample_ms: u32, text: &str) -> JobOutcome {
    let job = JobRequest {
        text,
        seed: 7,
        sample_ms,
    };
    target.run(&job).expect("the job runs")
}

/// Bytes per second in both directions, summed over all jobs.
fn speed(target: &mut SimulatedTarget, text: &str) -> f64 {
    let outcome = run(target, 10, text);
    let end = outcome.samples.last().expect("samples");
    (end.read_bytes + end.written_bytes) as f64 / end.t_s
}

/// The drive, written once.
fn filled(changes: &[(&str, &str)]) -> SimulatedTarget {
    let mut target = nvme(changes);
    run(&mut target, 0, "[fill]\nrw=write\nbs=128k\niodepth=8\n");
    target.idle(0.5).expect("it rests");
    target
}

/// Speed of sequential 16 KiB reads at a total queue depth of four, by `jobs` threads.
fn threads(changes: &[(&str, &str)], jobs: u32) -> f64 {
    let depth = 4 / jobs;
    speed(
        &mut filled(changes),
        &format!(
            "[r]\nrw=read\nbs=16k\niodepth={depth}\nnumjobs={jobs}\noffset_increment=25%\n\
             size=25%\ntime_based\nruntime=200ms\n"
        ),
    )
}

#[test]
fn one_thread_cannot_fill_an_nvme_link_and_many_can() {
    let (one, many) = (threads(&[], 1), threads(&[], 4));
    let free = [
        ("host.driver_submit_ns", "0"),
        ("host.driver_complete_ns", "0"),
        ("host.queue_lock_ns", "0"),
    ];
    let (one_free, many_free) = (threads(&free, 1), threads(&free, 4));
    let (one_sata, many_sata) = (threads(SATA, 1), threads(SATA, 4));
    println!("{one} {many}, free {one_free} {many_free}, SATA {one_sata} {many_sata}");
    // The driver needs 10 µs per request: 1.64 GB/s at most.
    assert!(one < 1.7e9 && many > 1.6 * one, "{one}, {many}");
    let flat = |a: f64, b: f64| (a / b - 1.0).abs() < 0.03;
    assert!(flat(one_free, many_free), "{one_free}, {many_free}");
    assert!(flat(one_sata, many_sata), "{one_sata}, {many_sata}");
    assert!(one_sata < 600e6, "{one_sata}");
}

#[test]
fn threads_scale_on_many_queues_and_not_behind_one_lock() {
    let locked = [
        ("host.queue_lock_ns", "1000"),
        ("host.register_accesses", "4"),
        ("host.register_access_ns", "600"),
    ];
    let free = [("host.queue_lock_ns", "0")];
    // A drive that was never written answers without reading flash.
    let gain = |changes: &[(&str, &str)]| {
        let speed_of = |jobs: u32| {
            let text = format!(
                "[r]\nrw=randread\nbs=4k\niodepth=4\nnumjobs={jobs}\nnorandommap\n\
                 time_based\nruntime=50ms\n"
            );
            speed(&mut nvme(changes), &text)
        };
        speed_of(8) / speed_of(1)
    };
    let many = gain(&locked[..1]);
    let (one, one_free) = (gain(&with(AHCI, &locked)), gain(&with(AHCI, &free)));
    println!("NVMe {many}, AHCI {one}, without lock and registers {one_free}");
    assert!(many > 6.0, "{many}");
    // A thread needs 13.4 µs per request, 4.4 µs of them under the lock.
    assert!((one / (13.4 / 4.4) - 1.0).abs() < 0.03, "{one}");
    assert!(one_free > 6.0, "{one_free}");
}

#[test]
fn a_mixed_load_passes_one_direction_of_pcie_and_not_the_bus_of_sata() {
    let speeds = |changes: &[(&str, &str)]| {
        ["read", "rw"].map(|rw| {
            let text = format!("[m]\nrw={rw}\nbs=128k\niodepth=16\ntime_based\nruntime=300ms\n");
            speed(&mut filled(changes), &text)
        })
    };
    let one_lane = [
        ("host.pcie_generation", "\"2.0\""),
        ("host.pcie_lanes", "1"),
    ];
    let [read, mixed] = speeds(&one_lane);
    println!("PCIe 2.0 x1: reads {read}, mixed {mixed}");
    assert!(read < 500e6 && mixed > 1.5 * read, "{read}, {mixed}");
    let [read, mixed] = speeds(SATA);
    println!("SATA: reads {read}, mixed {mixed}");
    assert!(mixed < 1.02 * read, "{read}, {mixed}");
}

/// Trims half of the drive, then reads the other half at random, one read after another. Returns
/// the reads per second in each tenth of a second, and the longest latency in ns.
fn reads_after_trim(changes: &[(&str, &str)]) -> (Vec<f64>, u64) {
    let mut target = filled(&with(&[("controller.cores", "1")], changes));
    run(
        &mut target,
        0,
        "[delete]\nrw=trim\nbs=256m\nsize=50%\niodepth=1\n",
    );
    let outcome = run(
        &mut target,
        100,
        "[r]\nrw=randread\nbs=4k\noffset=50%\nnorandommap\ntime_based\nruntime=3\n",
    );
    let longest = outcome.fio.jobs[0].read.clat_ns.max;
    let iops: Vec<f64> = outcome.samples.iter().map(|row| row.read_iops).collect();
    println!("{changes:?}: longest {longest} ns, {iops:.0?}");
    (iops, longest)
}

const COSTLY: &[(&str, &str)] = &[
    ("trim.lazy", "true"),
    ("trim.chunk_kib", "256"),
    ("trim.per_page_ns", "2000"),
];
const ERASES: &[(&str, &str)] = &[("trim.erase_pause_us", "5000")];

#[test]
fn after_a_deletion_reads_wait_for_unmapping_and_erasing_and_then_no_more() {
    let slow = |iops: &[f64]| {
        let end = iops[iops.len() - 2];
        iops.iter().filter(|&&i| i < 0.75 * end).count()
    };
    let (neither, longest) = reads_after_trim(&[
        ("trim.lazy", "true"),
        ("trim.chunk_kib", "256"),
        ("trim.per_page_ns", "0"),
    ]);
    let end = neither[neither.len() - 2];
    assert_eq!(slow(&neither), 0, "{neither:?}");
    assert!(longest < 1_000_000, "{longest}");
    // 524,288 pages of 2 µs each: for a second, each read waits for a chunk.
    let (unmapping, longest) = reads_after_trim(COSTLY);
    assert!((9..13).contains(&slow(&unmapping)), "{unmapping:?}");
    assert!(longest < 1_000_000, "{longest}");
    assert!(unmapping[unmapping.len() - 2] > 0.98 * end, "{unmapping:?}");
    // 64 superblocks, each with 5 ms of erasing and 5 ms of rest.
    let (erasing, longest) = reads_after_trim(ERASES);
    assert!((5..9).contains(&slow(&erasing)), "{erasing:?}");
    assert!((4_000_000..20_000_000).contains(&longest), "{longest}");
    let (both, longest) = reads_after_trim(&with(COSTLY, ERASES));
    assert!(slow(&both) >= slow(&unmapping), "{both:?}");
    assert!(longest > 4_000_000, "{longest}");
    assert!(both[both.len() - 2] > 0.98 * end, "{both:?}");
}

#[test]
fn reads_wait_for_tens_of_milliseconds_where_pieces_of_a_deletion_take_as_long() {
    // 32 chunks of 64 MiB, each of 16,384 pages of 2 µs: 32.8 ms, followed by a rest of the same
    // length.
    let pieces = |per_page_ns: &str, pause_us: &str| {
        let (iops, longest) = reads_after_trim(&[
            ("trim.lazy", "true"),
            ("trim.chunk_kib", "65536"),
            ("trim.per_page_ns", per_page_ns),
            ("trim.chunk_pause_us", pause_us),
        ]);
        let end = iops[iops.len() - 2];
        let (two, after) = (&iops[..20], &iops[22..iops.len() - 1]);
        let share = two.iter().sum::<f64>() / 20.0 / end;
        let least = after.iter().fold(f64::MAX, |least, &i| least.min(i));
        (share, least / end, longest)
    };
    let (share, after, longest) = pieces("2000", "32768");
    assert!((0.45..0.55).contains(&share), "{share}");
    assert!((32_000_000..34_000_000).contains(&longest), "{longest}");
    assert!(after > 0.98, "{after}");
    // If a page costs no time, neither chunks nor rests have an effect.
    let (share, _, longest) = pieces("0", "32768");
    assert!(share > 0.98 && longest < 1_000_000, "{share}, {longest}");
    // With half of the rest, two thirds of the time are taken.
    let (share, ..) = pieces("2000", "16384");
    assert!((0.45..0.56).contains(&share), "{share}");
}

#[test]
fn deleting_stops_other_commands_unless_it_is_queued() {
    // TRIM of 256 MiB at intervals during reads, over SATA.
    let longest = |queued: &str| {
        let changes = with(
            SATA,
            &[
                ("trim.queued", queued),
                ("trim.chunk_kib", "256"),
                ("trim.per_page_ns", "200"),
            ],
        );
        let outcome = run(
            &mut filled(&changes),
            0,
            "[delete]\nrw=trim\nbs=256m\nsize=50%\nthinktime=50ms\n\
             [r]\nrw=randread\nbs=4k\noffset=50%\nnorandommap\ntime_based\nruntime=400ms\n",
        );
        outcome.fio.jobs[1].read.clat_ns.max
    };
    let (queued, alone) = (longest("true"), longest("false"));
    println!("queued {queued}, alone {alone}");
    // 65,536 pages of 200 ns each.
    assert!(queued < 1_000_000, "{queued}");
    assert!(alone > 13_000_000, "{alone}");
}

#[test]
fn synchronous_writes_take_a_program_and_cost_a_slot() {
    let write = |changes: &[(&str, &str)], options: &str| {
        let text = format!(
            "[w]\nrw=randwrite\nbs=4k\nnorandommap\ntime_based\nruntime=200ms\n{options}\n"
        );
        let outcome = run(&mut nvme(changes), 0, &text);
        outcome.fio.jobs[0].write.clat_ns.mean
    };
    let off = [("host.write_cache", "false")];
    let (cached, sync) = (write(&[], ""), write(&[], "sync=1"));
    let (no_cache, dsync) = (write(&off, ""), write(&[], "sync=dsync"));
    println!("cached {cached}, sync {sync}, without cache {no_cache}");
    assert!(cached < 50_000.0, "{cached}");
    // Two page types: 300 and 900 µs.
    assert!((600_000.0..700_000.0).contains(&sync), "{sync}");
    assert!((sync - no_cache).abs() < 1.0 && (sync - dsync).abs() < 1.0);
    // With a flush after each write, the write is quick and the flush waits.
    let text = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nio_size=4m\n";
    let time = |options: &str| {
        let outcome = run(&mut nvme(&[]), 0, &format!("{text}{options}\n"));
        outcome.fio.jobs[0].job_runtime
    };
    let (never, each, data) = (time(""), time("fsync=1"), time("fdatasync=1"));
    println!("{never} ms, fsync {each} ms, fdatasync {data} ms");
    assert_eq!(each, data);
    assert!(each > 10 * never.max(1), "{never}, {each}");
}
