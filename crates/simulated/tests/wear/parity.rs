//! Parity: the data that it saves when pages, a block or a die fail, and its cost.
//!
//! The drive has the 32 dies and the cells of the Crucial M550 256 GB. The failure of a block is
//! modelled as that of a die of which only one block holds data.

use std::sync::OnceLock;

use stend_base::{Device, Op};
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::nand::reliability::Rber;
use stend_model::spec::PAGE_BYTES;

use crate::load::{ascending, fill, random, rest, run};
use crate::page::Case;
use crate::small::{flash_bytes, small};
use crate::svg::{Axis, Chart, Form, Scale, Series, digits};

const DIES: u32 = 32;
/// User capacity as percent of the flash: low enough that the rest holds the widest parity.
const USER_PERCENT: u64 = 75;
/// Number of data pages per page of parity: none; as the drive is shipped (RAIN); as many as there
/// are other dies; a value in between; as in SanDisk's drives (Multi Page Recovery).
const STRIPES: [Option<u32>; 5] = [None, Some(127), Some(31), Some(15), Some(5)];
const NAMES: [&str; 5] = ["none", "127 + 1", "31 + 1", "15 + 1", "5 + 1"];
const NONE: usize = 0;
const RAIN: usize = 1;
const ROW: usize = 2;
const MPR: usize = 4;

/// Part of the drive that fails.
#[derive(Clone, Copy)]
enum Failure {
    Pages,
    Block,
    Die,
    TwoDies,
}

const FAILURES: [Failure; 4] = [
    Failure::Pages,
    Failure::Block,
    Failure::Die,
    Failure::TwoDies,
];

/// Losses found by reading a drive, pages.
struct Loss {
    lost: u64,
    uncorrectable: u64,
    written: u64,
}

impl Loss {
    fn percent(&self) -> f64 {
        100.0 * self.lost as f64 / self.written as f64
    }
}

struct Cost {
    /// Bytes written to flash per byte of the host, in order and at random.
    in_order: f64,
    at_random: f64,
    /// Share of the flash that parity occupies.
    capacity: f64,
}

struct Measured {
    losses: [[Loss; 4]; 5],
    costs: [Cost; 5],
}

fn spec(stripe: Option<u32>) -> Spec {
    let mut spec = small("crucial-m550-256gb", USER_PERCENT);
    spec.user_bytes *= u64::from(DIES / spec.dies);
    (spec.dies, spec.channels, spec.parity_data) = (DIES, 8, stripe);
    spec.blocks = None;
    spec
}

/// Writes a drive, makes a part of it fail, and reads all of it.
fn loss(stripe: Option<u32>, failure: Failure) -> Loss {
    const REQUEST: u64 = 32 * PAGE_BYTES;
    let mut spec = spec(stripe);
    let superblock = flash_bytes(&spec) / u64::from(spec.data.superblocks);
    let bytes = match failure {
        Failure::Block => superblock,
        _ => spec.user_bytes / REQUEST * REQUEST,
    };
    let media = spec.media.as_mut().expect("its cells err");
    let most = media.ecc.passes.last().expect("a pass").0;
    if let Failure::Pages = failure {
        // The worst of some thousands of pages exceed the limit of the last pass: each halving of
        // the number of worse pages adds a tenth. Pages differ by chance alone: otherwise most of
        // the bad pages would be upper ones, and two in one stripe would be common.
        (media.page_type_percent, media.word_line_percent) = (vec![100], 0);
        (media.data_area.fresh, media.data_area.spread_percent) = (Rber(most * 10 / 22), 10);
    }
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive, bytes);
    rest(&mut drive, 10);
    let dies = match failure {
        Failure::Pages => 0,
        Failure::Block | Failure::Die => 1,
        Failure::TwoDies => 2,
    };
    (0..dies).for_each(|die| drive.service().fail_die(die));
    run(
        &mut drive,
        (Op::Read, 32, bytes / REQUEST),
        ascending(0, 32),
    );
    let counters = drive.counters();
    Loss {
        lost: counters.uncorrectable_sectors / (PAGE_BYTES / 512),
        uncorrectable: counters.uncorrectable_pages,
        written: bytes / PAGE_BYTES,
    }
}

/// Bytes written to flash per byte of the host, for the writes of `write`.
fn amplification(drive: &mut SimDrive, write: impl FnOnce(&mut SimDrive)) -> f64 {
    let before = drive.health();
    write(drive);
    let now = drive.health();
    let nand = now.nand_written_bytes - before.nand_written_bytes;
    nand as f64 / (now.host_written_bytes - before.host_written_bytes) as f64
}

fn cost(stripe: Option<u32>) -> Cost {
    let mut drive = SimDrive::new(&spec(stripe));
    let bytes = drive.capacity_bytes();
    let pages = bytes / PAGE_BYTES;
    let in_order = amplification(&mut drive, |drive| fill(drive, bytes));
    let mut next = random(pages, 1, "cost");
    run(&mut drive, (Op::Write, 1, pages), &mut next);
    let at_random = amplification(&mut drive, |drive| {
        run(drive, (Op::Write, 1, pages), &mut next);
    });
    Cost {
        in_order,
        at_random,
        capacity: 1.0 - 1.0 / in_order,
    }
}

fn measured() -> &'static Measured {
    static MEASURED: OnceLock<Measured> = OnceLock::new();
    MEASURED.get_or_init(|| Measured {
        losses: STRIPES.map(|stripe| FAILURES.map(|failure| loss(stripe, failure))),
        costs: STRIPES.map(cost),
    })
}

pub fn losses() -> Case {
    let m = measured();
    let bars = |name: &str, stripe: usize| Series {
        name: name.to_owned(),
        form: Form::Bars,
        points: m.losses[stripe]
            .iter()
            .enumerate()
            .map(|(n, loss)| (n as f64, loss.percent()))
            .collect(),
    };
    let words = ["some pages", "a block", "a die", "two dies"];
    let chart = Chart {
        title: "Data that cannot be read any more, drive of 32 dies",
        x: Axis::of_words("what fails", &words),
        y: Axis::new(
            "lost, % of what was written",
            Scale::Linear,
            [0.0, 8.0],
            &[0.0, 2.0, 4.0, 6.0, 8.0],
        ),
        band: None,
        series: vec![
            bars("without parity", NONE),
            bars("127 + 1 (Crucial)", RAIN),
            bars("31 + 1", ROW),
            bars("5 + 1 (SanDisk)", MPR),
        ],
    };
    let lost = |n: usize| digits(m.losses[NONE][n].percent());
    Case {
        picture: "wear-parity.svg",
        svg: chart.svg(),
        figures: vec![
            ("parity.pages.lost", m.losses[NONE][0].lost.to_string()),
            ("parity.pages.all", m.losses[NONE][0].written.to_string()),
            ("parity.block", lost(1)),
            ("parity.die", lost(2)),
        ],
    }
}

pub fn costs() -> Case {
    let m = measured();
    let bars = |name: &str, of: fn(&Cost) -> f64| Series {
        name: name.to_owned(),
        form: Form::Bars,
        points: m
            .costs
            .iter()
            .enumerate()
            .map(|(n, cost)| (n as f64, of(cost)))
            .collect(),
    };
    let chart = Chart {
        title: "What parity costs in writes, with the same flash and the same user capacity",
        x: Axis::of_words("pages of data + parity in a stripe", &NAMES),
        y: Axis::new(
            "bytes to flash for each byte of the host",
            Scale::Linear,
            [0.0, 10.0],
            &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0],
        ),
        band: None,
        series: vec![
            bars("in order", |cost| cost.in_order),
            bars("at random, drive full", |cost| cost.at_random),
        ],
    };
    let percent = |n: usize| digits(100.0 * m.costs[n].capacity);
    Case {
        picture: "wear-parity-cost.svg",
        svg: chart.svg(),
        figures: vec![
            ("parity.rain.capacity", percent(RAIN)),
            ("parity.row.capacity", percent(ROW)),
            ("parity.mpr.capacity", percent(MPR)),
            ("parity.mpr.order", digits(m.costs[MPR].in_order)),
            ("parity.none.random", digits(m.costs[NONE].at_random)),
            ("parity.row.random", digits(m.costs[ROW].at_random)),
            ("parity.mpr.random", digits(m.costs[MPR].at_random)),
        ],
    }
}

#[test]
fn parity_saves_what_one_failure_takes() {
    let m = measured();
    for ((losses, name), stripe) in m.losses.iter().zip(NAMES).zip(STRIPES) {
        for (loss, failure) in losses.iter().zip(0..) {
            assert!(
                loss.uncorrectable > 0,
                "{name}, {failure}: nothing has failed"
            );
            // A stripe that is longer than the row of the dies has several pages of a die, and
            // therefore of a block: parity restores only one.
            let saves = match (stripe, failure) {
                (None, _) | (_, 3) => false,
                (Some(data), failure) => failure == 0 || data < DIES,
            };
            assert_eq!(
                loss.lost == 0,
                saves,
                "{name}, {failure}: {} lost",
                loss.lost
            );
        }
    }
    // A die holds its share of a drive, and a block its share of a superblock.
    for loss in &m.losses[NONE][1..3] {
        assert_eq!(loss.lost, loss.written / u64::from(DIES));
    }
}

#[test]
fn parity_costs_its_share_of_writes_and_of_the_room_for_garbage_collection() {
    let costs = &measured().costs;
    assert_eq!(costs[NONE].in_order, 1.0);
    for (cost, stripe) in costs.iter().zip(STRIPES).skip(1) {
        // A superblock ends with a shorter stripe, which also has its parity.
        let data = spec(None).data;
        let all = DIES * data.rows / data.timing.pages_per_word_line();
        let parity = all.div_ceil(stripe.expect("parity") + 1);
        let expected = f64::from(all) / f64::from(all - parity);
        assert!((cost.in_order / expected - 1.0).abs() < 0.01, "{stripe:?}");
    }
    assert!(
        costs
            .windows(2)
            .all(|two| two[1].at_random > two[0].at_random)
    );
}
