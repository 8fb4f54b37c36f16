//! Latencies of operations that are alike by design differ as the drive's file says, about the
//! same mean, and not at all without `[variation]`.

use std::collections::BTreeSet;

use stend_base::{Device, Nanos, Op, Rng};
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::spec::VariationSpec;

use crate::tests::common::*;

const NONE: VariationSpec = VariationSpec {
    read_word_line_percent: 0,
    program_word_line_percent: 0,
    read_die_percent: 0,
    program_die_percent: 0,
    command_percent: 0,
    seed: 1,
};

/// A filled drive at rest with this variation.
fn filled(variation: Option<VariationSpec>) -> SimDrive {
    let mut drive = SimDrive::new(&Spec {
        variation,
        ..plain(64, 16, 8_000)
    });
    fill(&mut drive);
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    rest(&mut drive, Nanos::from_millis(5));
    drive
}

/// Reads every page alone. Returns the latencies, ns.
fn read_all(drive: &mut SimDrive) -> Vec<u64> {
    let pages = drive.capacity_bytes() / PAGE;
    (0..pages)
        .map(|page| alone(drive, request(0, Op::Read, page, 1)).0)
        .collect()
}

#[test]
fn without_a_deviation_nothing_changes() {
    let (mut with, mut without) = (filled(Some(NONE)), filled(None));
    assert_eq!(read_all(&mut with), read_all(&mut without));
    assert_eq!(with.trace_hash(), without.trace_hash());
}

#[test]
fn reads_differ_by_word_line_and_die_about_the_same_mean() {
    let alike = read_all(&mut filled(None));
    let base = alike[0];
    assert!(alike.iter().all(|&time| time == base));
    let sense = plain(64, 16, 8_000).data.timing.read[0].0;
    for (word_line, die, places) in [(10, 0, 16), (0, 10, 4), (10, 10, 64)] {
        let mut drive = filled(Some(VariationSpec {
            read_word_line_percent: word_line,
            read_die_percent: die,
            ..NONE
        }));
        let times = read_all(&mut drive);
        assert_eq!(times, read_all(&mut drive), "a page keeps its time");
        // By both causes together, at most 21 %.
        let most = sense * u64::from((100 + word_line) * (100 + die) - 10_000) / 10_000;
        let range = base - most..=base + most;
        assert!(times.iter().all(|time| range.contains(time)));
        let different: BTreeSet<u64> = times.iter().copied().collect();
        assert!(different.len() > places / 2 && different.len() <= places);
        let off = mean(&times) - base as f64;
        assert!(off.abs() < 0.002 * sense as f64, "{off} ns");
    }
}

#[test]
fn programs_differ_by_word_line_about_the_same_speed_and_the_slowest_die_sets_the_pace() {
    let time = |word_line: u32, die: u32| {
        let mut drive = SimDrive::new(&Spec {
            variation: Some(VariationSpec {
                program_word_line_percent: word_line,
                program_die_percent: die,
                ..NONE
            }),
            ..plain(64, 64, 16_000)
        });
        fill(&mut drive);
        drive.now().0 as f64
    };
    let alike = time(0, 0);
    // A die that ends early does not wait for the others: all are in the same row.
    let ratio = time(30, 0) / alike;
    assert!(ratio != 1.0 && (0.99..1.02).contains(&ratio), "{ratio}");
    let ratio = time(0, 30) / alike;
    assert!((1.05..1.31).contains(&ratio), "{ratio}");
}

#[test]
fn a_part_of_a_commands_time_is_random() {
    let base = read_all(&mut filled(None))[0] as f64;
    let command = plain(64, 16, 8_000).controller.read_command.0 as f64;
    let part = 0.4 * command;
    let mut drive = filled(Some(VariationSpec {
        command_percent: 40,
        ..NONE
    }));
    let times = read_all(&mut drive);
    let off = mean(&times) - base;
    assert!(off.abs() < 0.05 * part, "{off} ns");
    let least = *times.iter().min().expect("some") as f64;
    assert!((base - part - 1.0..base - 0.98 * part).contains(&least));
    // In an exponential distribution, e^-3 lies above three times its mean.
    let above = times
        .iter()
        .filter(|&&time| time as f64 > base + 2.0 * part);
    let share = above.count() as f64 / times.len() as f64;
    assert!((0.04..0.06).contains(&share), "{share}");
}

/// Percentiles of `samples` random reads of a filled drive that rested, at depth 1, ns.
fn percentiles(spec: &Spec, samples: usize) -> [u64; 2] {
    let mut drive = SimDrive::new(spec);
    fill(&mut drive);
    rest(&mut drive, Nanos::from_secs(900));
    let pages = drive.capacity_bytes() / PAGE;
    let mut rng = Rng::stream(1, "variation");
    let mut times: Vec<u64> = (0..samples)
        .map(|_| alone(&mut drive, request(0, Op::Read, rng.below(pages), 1)).0)
        .collect();
    times.sort_unstable();
    [times[samples / 2], times[samples - samples / 1000]]
}

/// Measured drives: Samsung 980 PRO 89.6 over 56 µs, PM1733 87 over 67 µs.
#[test]
fn reads_of_shipped_tlc_spread_as_measured_ones_do() {
    for (name, cells) in [
        ("sandisk-ultra-ii-240gb", "planar"),
        ("adata-sp550-240gb", "planar"),
        ("samsung-860-evo-500gb", "3D"),
        ("wd-blue-3d-500gb", "3D"),
        ("samsung-850-evo-250gb", "3D"),
    ] {
        let mut spec = sixteenth(name);
        let [median, slow] = percentiles(&spec, 20_000);
        let ratio = slow as f64 / median as f64;
        println!("{name} ({cells}): p50 {median} ns, p99.9 {slow} ns, {ratio:.2}");
        assert!((1.1..2.5).contains(&ratio), "{name}: {ratio}");
        // Ablation: all pages alike, and all commands.
        spec.variation = None;
        let read = &mut spec.data.timing.read;
        let mean = Nanos(read.iter().map(|time| time.0).sum::<u64>() / read.len() as u64);
        read.fill(mean);
        let [median, slow] = percentiles(&spec, 20_000);
        assert!(
            slow as f64 / (median as f64) < 1.02,
            "{name}: {median} {slow}"
        );
    }
}
