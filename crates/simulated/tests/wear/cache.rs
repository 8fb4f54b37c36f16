//! SLC cache that holds the most recent writes: data that is overwritten in it is never written to
//! TLC.
//!
//! The drive is the SanDisk Ultra II 240 GB as shipped. If data is overwritten at random, the
//! smaller the region is, the more of it is overwritten before it is folded; folding copies word
//! lines, so that with small requests stale data is copied along with valid data.

use std::sync::OnceLock;
use std::thread;

use stend_base::Op;
use stend_drive::SimDrive;
use stend_load::trace::{Profile, ReplayOptions, Trace, TraceRequest, replay};
use stend_model::spec::PAGE_BYTES;

use crate::load::{ascending, fill, native_for_each_byte, random, rest, run};
use crate::page::Case;
use crate::small::shipped;
use crate::svg::{Axis, Chart, Form, Scale, Series, digits};

/// Value that the maker states for typical client loads (AnandTech 8520).
const VENDOR: f64 = 0.8;
const GB: u64 = 1_000_000_000;
/// Sizes of a region that is overwritten repeatedly, GB.
const REGIONS: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 8.0];
/// Pages per request: 16 KiB and 64 KiB.
const SMALL: u64 = 4;
const LARGE: u64 = 16;
/// Every shipped profile of a desktop.
const TRACES: [&str; 12] = [
    "after-effects",
    "applications-start",
    "battlefield-3",
    "excel",
    "game-start",
    "illustrator",
    "indesign",
    "photoshop-heavy",
    "photoshop-light",
    "powerpoint",
    "word",
    "world-of-warcraft",
];

struct Measured {
    small: Vec<(f64, f64)>,
    large: Vec<(f64, f64)>,
    sequential: f64,
    traces: f64,
    traces_to_new_places: f64,
    traces_without_cache: f64,
    pass_gb: f64,
    photoshop_share: f64,
}

fn drive(has_cache: bool) -> SimDrive {
    let mut model = shipped("sandisk-ultra-ii-240gb");
    model.slc_cache.as_mut().expect("it has one").enabled.value = has_cache;
    let mut drive = SimDrive::new(&model.spec());
    drive.share();
    drive
}

/// Bytes written to TLC per byte of the host, for random requests of `pages` in the first `gb`, in
/// bursts of half a gigabyte with pauses, measured after some gigabytes.
fn overwriting(mut drive: SimDrive, gb: f64, pages: u64) -> f64 {
    let bytes = (gb * GB as f64) as u64;
    let mut next = random(bytes / PAGE_BYTES, pages, "overwriting");
    fill(&mut drive, bytes);
    let mut bursts = |drive: &mut SimDrive, count: u32| {
        for _ in 0..count {
            let requests = GB / 2 / PAGE_BYTES / pages;
            run(drive, (Op::Write, pages, requests), &mut next);
            rest(drive, 60);
        }
        rest(drive, 600);
    };
    bursts(&mut drive, 8);
    let before = drive.counters();
    bursts(&mut drive, 6);
    native_for_each_byte(&drive, &before, 3)
}

/// Same ratio for 16 GB in ascending order, written over the same amount of older data.
fn overwriting_in_order(mut drive: SimDrive) -> f64 {
    fill(&mut drive, 16 * GB);
    rest(&mut drive, 600);
    let before = drive.counters();
    fill(&mut drive, 16 * GB);
    rest(&mut drive, 600);
    native_for_each_byte(&drive, &before, 3)
}

pub fn traces() -> impl Iterator<Item = Box<dyn Trace>> {
    let profiles = TRACES.map(|name| Profile::shipped(name).expect("it is shipped"));
    let trace = |profile: Profile| Box::new(profile.with_seed(1)) as Box<dyn Trace>;
    profiles.into_iter().map(trace)
}

/// Same ratio for a second pass over all traces, ten minutes after the first.
fn of_traces(mut drive: SimDrive) -> f64 {
    let mut before = drive.counters();
    for _ in 0..2 {
        before = drive.counters();
        for trace in traces() {
            replay(&mut drive, &*trace, &ReplayOptions::default()).expect("it fits");
        }
        rest(&mut drive, 600);
    }
    native_for_each_byte(&drive, &before, 3)
}

/// Returns the writes of one pass over all traces.
fn writes() -> impl Iterator<Item = TraceRequest> {
    let requests = traces().flat_map(|trace| {
        let all = trace.requests().expect("it is sound");
        all.map(|request| request.expect("it is sound"))
            .collect::<Vec<_>>()
    });
    requests.filter(|request| request.op == Op::Write)
}

/// Same ratio for the writes of two such passes, one after another, to places that were never
/// written.
fn of_traces_to_new_places(mut drive: SimDrive) -> f64 {
    let mut at = 0;
    let mut before = drive.counters();
    for _ in 0..2 {
        before = drive.counters();
        for write in writes() {
            let pages = write.len_bytes.div_ceil(PAGE_BYTES);
            run(&mut drive, (Op::Write, pages, 1), ascending(at, pages));
            at += pages;
        }
        rest(&mut drive, 600);
    }
    native_for_each_byte(&drive, &before, 3)
}

fn measured() -> &'static Measured {
    static MEASURED: OnceLock<Measured> = OnceLock::new();
    MEASURED.get_or_init(|| {
        let (with, without) = (drive(true), drive(false));
        let curve = |drive: SimDrive, pages| {
            let point = |&gb: &f64| (gb, overwriting(drive.clone(), gb, pages));
            REGIONS.iter().map(point).collect()
        };
        let written = |name: &str| {
            Profile::shipped(name)
                .expect("shipped")
                .totals
                .written_bytes
        };
        let pass: u64 = TRACES.iter().map(|name| written(name)).sum();
        let photoshop = written("photoshop-heavy") + written("photoshop-light");
        // The tests of a case wait for each other, so it takes two threads itself.
        thread::scope(|scope| {
            let own = with.clone();
            let small = scope.spawn(move || curve(own, SMALL));
            Measured {
                large: curve(with.clone(), LARGE),
                sequential: overwriting_in_order(with.clone()),
                traces: of_traces(with.clone()),
                traces_to_new_places: of_traces_to_new_places(with),
                traces_without_cache: of_traces(without),
                pass_gb: pass as f64 / GB as f64,
                photoshop_share: photoshop as f64 / pass as f64,
                small: small.join().expect("it ends"),
            }
        })
    })
}

pub fn case() -> Case {
    let m = measured();
    let line = |name: &str, form, points: &[(f64, f64)]| Series {
        name: name.to_owned(),
        form,
        points: points.to_vec(),
    };
    let level = |name: &str, form, y| line(name, form, &[(REGIONS[0], y), (REGIONS[4], y)]);
    let chart = Chart {
        title: "Ultra II 240 GB: what dies in the SLC cache is not written to TLC",
        x: Axis::new(
            "region overwritten at random again and again, GB",
            Scale::Logarithmic,
            [REGIONS[0], REGIONS[4]],
            &REGIONS,
        ),
        y: Axis::new(
            "bytes to TLC for each byte of the host",
            Scale::Linear,
            [0.0, 1.4],
            &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4],
        ),
        band: None,
        series: vec![
            line("64 KiB", Form::Line, &m.large),
            line("16 KiB", Form::Line, &m.small),
            level("desktop traces", Form::Dashed, m.traces),
            level("in order", Form::Dashed, m.sequential),
            level("the maker's 0.8", Form::Dashed, VENDOR),
        ],
    };
    Case {
        picture: "wear-cache.svg",
        svg: chart.svg(),
        figures: vec![
            ("cache.large.least", digits(m.large[0].1)),
            ("cache.large.4", digits(m.large[3].1)),
            ("cache.large.most", digits(m.large[4].1)),
            ("cache.small.4", digits(m.small[3].1)),
            ("cache.sequential", digits(m.sequential)),
            ("cache.traces", digits(m.traces)),
            ("cache.traces.new", digits(m.traces_to_new_places)),
            ("cache.traces.without", digits(m.traces_without_cache)),
            ("cache.pass", digits(m.pass_gb)),
            (
                "cache.photoshop",
                format!("{:.0}", m.photoshop_share * 100.0),
            ),
        ],
    }
}

#[test]
fn what_dies_in_the_cache_is_not_written_to_tlc() {
    let m = measured();
    for curve in [&m.small, &m.large] {
        // The smaller the region, the more is overwritten before it is folded; a large one keeps
        // nearly all.
        assert!(
            curve.windows(2).all(|two| two[0].1 < two[1].1 + 0.03),
            "{curve:?}"
        );
        // Parity of stale stripes alone would be a sixth of everything that leaves the cache.
        assert!(curve[0].1 < 0.05 && curve[1].1 < VENDOR, "{curve:?}");
        assert!(curve[4].1 > 1.1, "{curve:?}");
    }
    // Small requests leave more word lines with some valid data.
    let pairs = m.small.iter().zip(&m.large);
    assert!(pairs.clone().all(|(small, large)| small.1 > large.1 - 0.02));
    assert!(m.small[2].1 > 1.2 * m.large[2].1);
    assert!(m.traces < VENDOR, "{}", m.traces);
}

#[test]
fn all_is_written_to_tlc_without_the_cache_or_without_overwriting() {
    let m = measured();
    // One byte of parity for five of data; stripes end with the rows of the dies.
    let all = [m.sequential, m.traces_to_new_places, m.traces_without_cache];
    assert!(all.iter().all(|&wa| wa > 1.15), "{all:?}");
}
