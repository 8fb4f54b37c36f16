//! Comparison of TLC with MLC: the same flash capacity and load, cells that endure fewer erases.

use std::sync::OnceLock;
use std::thread;

use stend_base::Device;
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::spec::{BlocksSpec, PAGE_BYTES};

use crate::load::{fill, random, write_to_the_end};
use crate::page::Case;
use crate::small::{LIFE_PART, shipped, small};
use crate::svg::{Axis, Chart, Form, Scale, Series, digits};

/// User capacity as percent of the flash.
const USER_PERCENT: u64 = 87;
/// Drives with TLC and MLC of two generations.
const PAIRS: [[&str; 2]; 2] = [
    ["sandisk-ultra-ii-240gb", "sandisk-extreme-pro-240gb"],
    ["samsung-850-evo-250gb", "samsung-850-pro-256gb"],
];
const GENERATIONS: [&str; 2] = ["SanDisk 19 nm", "Samsung 32 layers"];

struct Cells {
    write_amplification: f64,
    /// Number of capacities written until the end.
    written: f64,
    /// Number of capacities written, according to the rated cycles.
    rated: f64,
    /// Mean number of cycles that blocks endure.
    cycles: u32,
    spread_percent: u32,
}

/// Number of drives. Their blocks endure more or fewer cycles by chance, which changes the result
/// by a tenth.
const DRIVES: u64 = 2;

/// Mean number of capacities that the host writes at random until a drive is worn out, and the
/// write amplification.
fn life(spec: &Spec) -> (f64, f64) {
    let [mut host, mut nand] = [0, 0];
    for seed in 0..DRIVES {
        let mut spec = spec.clone();
        spec.blocks.as_mut().expect("its blocks wear").seed = seed;
        let mut drive = SimDrive::new(&spec);
        let pages = drive.capacity_bytes() / PAGE_BYTES;
        fill(&mut drive, spec.user_bytes);
        write_to_the_end(&mut drive, 1, random(pages, 1, "life"));
        host += drive.health().host_written_bytes;
        nand += drive.health().nand_written_bytes;
    }
    let capacities = host as f64 / (spec.user_bytes * DRIVES) as f64;
    (capacities * f64::from(LIFE_PART), nand as f64 / host as f64)
}

fn blocks(spec: &Spec) -> &BlocksSpec {
    spec.blocks.as_ref().expect("its blocks wear")
}

fn cells(name: &str) -> Cells {
    let spec = small(name, USER_PERCENT);
    let (written, write_amplification) = life(&spec);
    let rated = shipped(name)
        .media
        .expect("its cells err")
        .rated_cycles
        .value[0];
    Cells {
        write_amplification,
        written,
        rated: f64::from(rated) * 100.0 / USER_PERCENT as f64 / write_amplification,
        cycles: blocks(&spec).life_cycles[1] * LIFE_PART,
        spread_percent: blocks(&spec).life_spread_percent,
    }
}

fn measured() -> &'static [[Cells; 2]; 2] {
    static MEASURED: OnceLock<[[Cells; 2]; 2]> = OnceLock::new();
    let [one, other] = PAIRS;
    // The tests of a case wait for each other, so it takes two threads itself.
    MEASURED.get_or_init(|| {
        thread::scope(|scope| {
            let one = scope.spawn(move || one.map(cells));
            let other = other.map(cells);
            [one.join().expect("it ends"), other]
        })
    })
}

pub fn case() -> Case {
    let m = measured();
    let bars = |name: &str, kind: usize, of: fn(&Cells) -> f64| Series {
        name: name.to_owned(),
        form: Form::Bars,
        points: m
            .iter()
            .enumerate()
            .map(|(n, pair)| (n as f64, of(&pair[kind])))
            .collect(),
    };
    let chart = Chart {
        title: "TLC against MLC: random writes until the drive is worn out",
        x: Axis::of_words(
            "cells of the same generation, drives of the same size",
            &GENERATIONS,
        ),
        y: Axis::new(
            "host writes, capacities of the drive",
            Scale::Linear,
            [0.0, 4000.0],
            &[0.0, 1000.0, 2000.0, 3000.0, 4000.0],
        ),
        band: None,
        series: vec![
            bars("TLC, rated", 0, |cells| cells.rated),
            bars("TLC, to its end", 0, |cells| cells.written),
            bars("MLC, rated", 1, |cells| cells.rated),
            bars("MLC, to its end", 1, |cells| cells.written),
        ],
    };
    let [sandisk, samsung] = m;
    let all = || {
        m.as_flattened()
            .iter()
            .map(|cells| cells.write_amplification)
    };
    let times = |pair: &[Cells; 2]| digits(pair[1].written / pair[0].written);
    Case {
        picture: "wear-cells.svg",
        svg: chart.svg(),
        figures: vec![
            ("cells.wa.least", digits(all().fold(f64::MAX, f64::min))),
            ("cells.wa.most", digits(all().fold(0.0, f64::max))),
            ("cells.sandisk.tlc", digits(sandisk[0].written)),
            ("cells.sandisk.mlc", digits(sandisk[1].written)),
            ("cells.sandisk.times", times(sandisk)),
            ("cells.sandisk.tlc.cycles", sandisk[0].cycles.to_string()),
            ("cells.sandisk.mlc.cycles", sandisk[1].cycles.to_string()),
            (
                "cells.sandisk.tlc.spread",
                sandisk[0].spread_percent.to_string(),
            ),
            (
                "cells.sandisk.mlc.spread",
                sandisk[1].spread_percent.to_string(),
            ),
            ("cells.samsung.tlc", digits(samsung[0].written)),
            ("cells.samsung.mlc", digits(samsung[1].written)),
            ("cells.samsung.times", times(samsung)),
            ("cells.samsung.tlc.cycles", samsung[0].cycles.to_string()),
            ("cells.samsung.mlc.cycles", samsung[1].cycles.to_string()),
        ],
    }
}

#[test]
fn mlc_of_the_same_generation_is_written_longer_than_tlc() {
    for (pair, names) in measured().iter().zip(PAIRS) {
        let [tlc, mlc] = pair;
        let times = mlc.written / tlc.written;
        let of_the_mean = f64::from(mlc.cycles) / f64::from(tlc.cycles);
        let ratio = times / of_the_mean;
        assert!((0.8..1.3).contains(&ratio), "{names:?}: {times}");
        // No block fails below its rated cycles.
        assert!(
            pair.iter().all(|cells| cells.written > cells.rated),
            "{names:?}"
        );
    }
}

#[test]
fn tlc_that_bears_as_many_cycles_lives_as_long() {
    let [tlc, mlc] = PAIRS[0].map(|name| small(name, USER_PERCENT));
    let mut stronger = tlc.clone();
    stronger.blocks = Some(BlocksSpec {
        spare_blocks: blocks(&tlc).spare_blocks,
        ..blocks(&mlc).clone()
    });
    let times = measured()[0][1].written / life(&stronger).0;
    assert!((0.8..1.25).contains(&times), "{times}");
}
