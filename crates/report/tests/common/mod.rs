//! A made-up review of two made-up drives, with plausible figures. Nothing here was measured.

use std::io::Read as _;
use stend_record::benchmark::{BenchmarkCell, BenchmarkPass};
use stend_record::load::Load;
use stend_record::review::{
    Condition, JobText, LatencySummary, Pattern, Point, PointOp, PointPart, Results, Review, Rival,
    SCHEMA, Sample, Series, SeriesPoint, TargetInfo, TargetKind, TestResult, Text, Traces,
};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use scraper::{ElementRef, Html, Selector};
use stend_record::traces::{TraceOrigin, TraceResult, TraceTiming, overall_bw};

const KIB: u64 = 1 << 10;

/// Parameters of a made-up drive: a factor on every speed, and the bytes that it writes before each
/// of its steps down.
#[derive(Clone, Copy)]
struct Character {
    speed: f64,
    /// (bytes written up to here, requests a second until then), the last without an end.
    steps: &'static [(f64, f64)],
    /// Scatter of the samples around the step, as a share.
    scatter: f64,
    /// Bytes of fast writes after idle minutes and after TRIM.
    after_idle_bytes: f64,
    after_trim_bytes: f64,
}

const REVIEWED: Character = Character {
    speed: 1.0,
    steps: &[
        (0.6e9, 41_000.0),
        (8e9, 30_000.0),
        (240e9, 21_000.0),
        (f64::MAX, 4_500.0),
    ],
    scatter: 0.04,
    after_idle_bytes: 2.3e9,
    after_trim_bytes: 150e9,
};

const RIVAL: Character = Character {
    speed: 1.12,
    steps: &[(256e9, 36_000.0), (f64::MAX, 8_200.0)],
    scatter: 0.22,
    after_idle_bytes: 30e9,
    after_trim_bytes: 250e9,
};

/// Returns the data of a page's charts.
#[allow(dead_code, reason = "each test program uses its own part")]
pub fn data(html: &Html) -> serde_json::Value {
    let element = Selector::parse("#stend-data").unwrap();
    let element = html.select(&element).next().expect("a page has data");
    let text: String = element.text().collect();
    let bytes = STANDARD.decode(text).expect("it is base64");
    let mut json = String::new();
    let mut decoder = GzDecoder::new(bytes.as_slice());
    decoder.read_to_string(&mut json).expect("it is gzipped");
    serde_json::from_str(&json).expect("the charts' data is JSON")
}

/// Returns the groups of bars of a section: the name of each, and name, figure and length in
/// percent of its rows, with `▸` before the reviewed drive.
#[allow(dead_code, reason = "each test program uses its own part")]
pub fn bars(html: &Html, section: &str) -> Vec<(String, Vec<String>)> {
    let one = |element: ElementRef<'_>, selector: &str| {
        let found = element.select(&Selector::parse(selector).unwrap()).next();
        found.map_or_else(String::new, |e| e.text().collect::<String>())
    };
    let tables = Selector::parse(&format!("{section} .bars table")).unwrap();
    let rows = Selector::parse("tr").unwrap();
    let track = Selector::parse(".track span").unwrap();
    let row = |row: ElementRef<'_>| {
        let track = row.select(&track).next().unwrap();
        let width = track.value().attr("style").unwrap();
        let mark = match row.value().attr("class") {
            Some("reviewed") => "▸ ",
            _ => "",
        };
        let text = format!("{mark}{}: {}; {width}", one(row, "th"), one(row, ".figure"));
        text.replace('\u{a0}', " ")
    };
    html.select(&tables)
        .map(|table| {
            (
                one(table, "caption"),
                table.select(&rows).map(row).collect(),
            )
        })
        .collect()
}

/// The made-up review. Times are shortened by `duration_scale`; at 1 a curve has 7,200
/// samples.
pub fn review(duration_scale: f64) -> Review {
    Review {
        schema: SCHEMA.into(),
        target: target("fixture-a-240gb", "Fixture A 240 GB", 240_057_409_536),
        edition: "2014".into(),
        edition_title: "Edition 2014 (fixture)".into(),
        seed: 1,
        duration_scale,
        complete: true,
        conditions: vec![
            condition(
                "Preparation",
                "filled once with random data, then TRIM of everything",
            ),
            condition("Pause between tests", "15 minutes"),
            condition("Data", "random, incompressible"),
        ],
        environment: vec![
            condition("Program", "fixture of the report's tests"),
            condition("Clock", "virtual"),
        ],
        reproduce: "stend review fixture-a-240gb --edition 2014 --seed 1 --against fixture-b-256gb"
            .into(),
        tests: tests(REVIEWED, duration_scale),
        rivals: vec![Rival {
            target: target("fixture-b-256gb", "Fixture B 256 GB", 256_060_514_304),
            tests: tests(RIVAL, duration_scale),
            unfinished: Vec::new(),
        }],
        ..Review::default()
    }
}

/// The made-up review with a benchmark and traces.
#[allow(dead_code, reason = "each test program uses its own part")]
pub fn with_applications(mut review: Review) -> Review {
    review.tests.extend(applications(1.0));
    for rival in &mut review.rivals {
        let mut tests = applications(1.5);
        // The rival was measured without the last row and the second trace.
        let mut cells = tests[0].benchmark().to_vec();
        cells.retain(|cell| cell.row != "4K Q1T1");
        tests[0].results = Some(Results::Benchmark(cells));
        tests[1].results = Some(Results::Traces(Traces {
            traces: tests[1].traces()[..1].to_vec(),
            overall_bw_bytes_per_s: None,
        }));
        rival.tests.extend(tests);
    }
    review
}

fn applications(speed: f64) -> Vec<TestResult> {
    let mut cells = Vec::new();
    for (op, read_percent, share) in [
        (PointOp::Read, 100, 1.0),
        (PointOp::Write, 0, 0.5),
        (PointOp::Mixed, 70, 0.25),
    ] {
        for (row, block_bytes, queue_depth, bw) in [
            ("SEQ1M Q8T1", 1 << 20, 8, 550e6),
            ("4K Q1T1", 4096, 1, 40e6),
        ] {
            cells.push(cell(
                row,
                op,
                read_percent,
                (block_bytes, queue_depth),
                bw * share * speed,
            ));
        }
    }
    let traces = vec![
        trace("work", "Some work", TraceOrigin::PublishedTotals, speed),
        trace("start", "A start", TraceOrigin::Assumed, speed),
    ];
    vec![
        TestResult {
            results: Some(Results::Benchmark(cells)),
            ..test("crystaldiskmark", "CrystalDiskMark 8")
        },
        TestResult {
            results: Some(Results::Traces(Traces {
                overall_bw_bytes_per_s: overall_bw(&traces),
                traces,
            })),
            ..test("desktop-traces", "Desktop traces")
        },
    ]
}

/// Of three passes, the second is the fastest and the third has the least latency.
fn cell(
    row: &str,
    op: PointOp,
    read_percent: u32,
    (block_bytes, queue_depth): (u64, u32),
    bw: f64,
) -> BenchmarkCell {
    let pass = |share: f64, latency_share: f64| BenchmarkPass {
        iops: bw * share / block_bytes as f64,
        bw_bytes_per_s: bw * share,
        cpu_ns_per_request: None,
        latency_ns: latency(1e6 * latency_share, op),
    };
    let passes = vec![pass(0.9, 1.2), pass(1.0, 1.1), pass(0.95, 1.0)];
    BenchmarkCell {
        row: row.into(),
        load: Load {
            op,
            pattern: Pattern::Random,
            block_bytes,
            queue_depth,
            threads: 1,
            read_percent,
            region_bytes: Some(1 << 30),
        },
        duration_s: 5.0,
        best_bw_bytes_per_s: bw,
        repeated_bw_bytes_per_s: Vec::new(),
        repeated_mean_latency_ns: Vec::new(),
        best_iops: bw / block_bytes as f64,
        best_mean_latency_ns: 1e6,
        passes,
    }
}

fn trace(name: &str, title: &str, origin: TraceOrigin, speed: f64) -> TraceResult {
    let start = origin == TraceOrigin::Assumed;
    let (read_bytes, written_bytes) = if start {
        (900_000_000, 0)
    } else {
        (300_000_000, 100_000_000)
    };
    let busy_s = if start { 9.0 } else { 1.0 } / speed;
    let bytes = (read_bytes + written_bytes) as f64;
    TraceResult {
        name: name.into(),
        title: title.into(),
        origin,
        timing: if start {
            TraceTiming::Fast
        } else {
            TraceTiming::Original
        },
        queue_depth: if start { 2 } else { 256 },
        replayed_share: None,
        requests: 10_000,
        read_bytes,
        written_bytes,
        busy_s,
        elapsed_s: busy_s + 7.0,
        bw_bytes_per_s: bytes / busy_s,
        repeated_bw_bytes_per_s: Vec::new(),
        repeated_busy_s: Vec::new(),
        repeated_elapsed_s: Vec::new(),
        repeated_write_amplification: Vec::new(),
        iops: 10_000.0 / busy_s,
        moved_requests: if start { 1_234 } else { 0 },
        read_latency_ns: Some(latency(120e3, PointOp::Read)),
        write_latency_ns: (!start).then(|| latency(60e3, PointOp::Write)),
        write_amplification: (!start).then_some(1.37),
        limits: vec![
            format!("synthesised desktop trace, seed 1: of {name}").into(),
            "a limit of all".into(),
        ],
    }
}

fn target(name: &str, title: &str, capacity_bytes: u64) -> TargetInfo {
    TargetInfo {
        name: name.into(),
        title: title.into(),
        kind: TargetKind::Simulated,
        capacity_bytes,
        facts: vec![
            condition("Controller", "4 channels (fixture)"),
            condition("Interface", "SATA 6 Gbit/s"),
        ],
        ..TargetInfo::default()
    }
}

fn condition(id: &'static str, value: &str) -> Condition {
    Condition::new(id, value)
}

fn tests(drive: Character, scale: f64) -> Vec<TestResult> {
    let s = drive.speed;
    let sequential = vec![
        point(
            PointOp::Read,
            Pattern::Sequential,
            256 * KIB,
            1,
            526e6 * s.powf(0.1),
        ),
        point(
            PointOp::Write,
            Pattern::Sequential,
            256 * KIB,
            1,
            238e6 * s.powi(4),
        ),
    ];
    let mut random = Vec::new();
    for op in [PointOp::Read, PointOp::Write] {
        for depth in [1, 4] {
            random.push(random_4k(op, depth, s));
        }
    }
    let mut depths = Vec::new();
    let mut blocks = Vec::new();
    for op in [PointOp::Read, PointOp::Write] {
        depths.extend((0..6).map(|n| random_4k(op, 1 << n, s)));
        blocks.extend((9..=18).map(|n| {
            let bytes: u64 = 1 << n;
            let top = if op == PointOp::Read { 420e6 } else { 210e6 };
            let half = if bytes < 4_096 { 40_000.0 } else { 24_000.0 };
            let bw = top * s * bytes as f64 / (bytes as f64 + half);
            point(op, Pattern::Random, bytes, 4, bw)
        }));
    }
    vec![
        with_points("sequential", "Sequential read and write", sequential),
        with_points("random", "Random read and write", random),
        with_points("depth-scaling", "Random access against queue depth", depths),
        with_points("block-scaling", "Random access against block size", blocks),
        with_points(
            "mixed-sequential",
            "Sequential reads and writes mixed",
            mixed(s),
        ),
        with_curves(
            "degradation",
            "Sustained random write",
            vec![curve("fresh", drive.steps, drive, scale)],
        ),
        with_curves(
            "recovery",
            "Recovery at rest and by TRIM",
            recovery(drive, scale),
        ),
    ]
}

fn random_4k(op: PointOp, depth: u32, speed: f64) -> Point {
    let d = f64::from(depth);
    let iops = match op {
        PointOp::Read => 98_000.0 * d / (d + 11.0),
        _ => 47_000.0 * d / (d + 0.9),
    };
    point(op, Pattern::Random, 4 * KIB, depth, iops * speed * 4_096.0)
}

fn point(op: PointOp, pattern: Pattern, block_bytes: u64, queue_depth: u32, bw: f64) -> Point {
    let iops = bw / block_bytes as f64;
    Point {
        load: Load {
            op,
            pattern,
            block_bytes,
            queue_depth,
            threads: 1,
            read_percent: if op == PointOp::Read { 100 } else { 0 },
            region_bytes: None,
        },
        duration_s: 60.0,
        iops,
        bw_bytes_per_s: bw,
        cpu_ns_per_request: None,
        latency_ns: latency(f64::from(queue_depth) / iops * 1e9, op),
        ..Point::default()
    }
}

fn latency(mean: f64, op: PointOp) -> LatencySummary {
    let tail = if op == PointOp::Read { 1.0 } else { 4.0 };
    let at = |factor: f64| (mean * factor) as u64;
    LatencySummary {
        requests: 0,
        mean,
        p50: at(0.95),
        p99: at(1.6 * tail),
        p99_9: at(3.0 * tail),
        p99_99: at(7.0 * tail),
        p99_999: at(12.0 * tail),
        max: at(14.0 * tail),
        half_widths: None,
    }
}

fn mixed(speed: f64) -> Vec<Point> {
    (0..=10)
        .map(|n| {
            let reads = f64::from(10 - n) / 10.0;
            // Fast at both ends, with a valley between.
            let valley = 1.0 - 0.62 * (4.0 * reads * (1.0 - reads)).powf(0.4);
            let bw = (500e6 * reads + 245e6 * (1.0 - reads)) * valley * speed;
            let mut point = point(PointOp::Mixed, Pattern::Sequential, 128 * KIB, 1, bw);
            point.load.threads = 2;
            point.load.read_percent = 100 - 10 * n;
            for (op, share) in [(PointOp::Read, reads), (PointOp::Write, 1.0 - reads)] {
                if share > 0.0 {
                    point.parts.push(PointPart {
                        op,
                        iops: point.iops * share,
                        repeated_iops: Vec::new(),
                        bw_bytes_per_s: bw * share,
                        latency_ns: latency(point.latency_ns.mean, op),
                    });
                }
            }
            point
        })
        .collect()
}

fn recovery(drive: Character, scale: f64) -> Vec<Series> {
    let after = |bytes: f64| {
        let mut steps = vec![(bytes, drive.steps[0].1 * 0.8)];
        steps.push((f64::MAX, drive.steps.last().unwrap().1));
        steps
    };
    vec![
        curve("fresh", drive.steps, drive, scale),
        curve("after idle", &after(drive.after_idle_bytes), drive, scale),
        curve("after TRIM", &after(drive.after_trim_bytes), drive, scale),
    ]
}

fn curve(name: &str, steps: &[(f64, f64)], drive: Character, scale: f64) -> Series {
    let mut written_bytes = 0_u64;
    // A linear congruential generator: any fixed noise will do.
    let mut noise = 12_345_u32;
    let samples = (1..=(7_200.0 * scale) as u32)
        .map(|second| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let unit = f64::from(noise) / f64::from(u32::MAX) - 0.5;
            let step = steps
                .iter()
                .find(|step| (written_bytes as f64) < step.0)
                .unwrap();
            let iops = (step.1 * (1.0 + 2.0 * drive.scatter * unit)).round();
            written_bytes += iops as u64 * 4_096;
            Sample {
                t_s: f64::from(second),
                written_bytes,
                iops,
            }
        })
        .collect();
    Series {
        latency_ns: latency(32.0 / steps[0].1 * 1e9, PointOp::Write),
        ..Series::of(
            name,
            SeriesPoint {
                op: PointOp::Write,
                pattern: Pattern::Random,
                block_bytes: 4 * KIB,
                queue_depth: 32,
            },
            1.0,
            samples,
        )
    }
}

fn with_points(id: &str, title: &str, points: Vec<Point>) -> TestResult {
    TestResult {
        results: Some(Results::Points(points)),
        ..test(id, title)
    }
}

fn with_curves(id: &str, title: &str, series: Vec<Series>) -> TestResult {
    TestResult {
        results: Some(Results::Curve(series)),
        ..test(id, title)
    }
}

/// A title of a shipped edition, by its English words.
fn titled(title: &str) -> Text {
    let ids = [
        "sequential",
        "random",
        "depth",
        "block",
        "mixed-sequential",
        "mixed-random",
        "degradation",
        "recovery",
        "fill",
        "response",
        "traces",
        "applications",
        "copy",
    ];
    let mut known = ids
        .iter()
        .map(|id| Text::of(format!("test-{id}"), Vec::new()));
    let found = known.find(|text| text.in_english() == title);
    found.unwrap_or_else(|| title.into())
}

fn test(id: &str, title: &str) -> TestResult {
    TestResult {
        id: id.into(),
        title: titled(title),
        method: "Made-up figures: this test was not run.".into(),
        jobs: vec![JobText {
            name: "the only job".into(),
            text: format!("[{id}]\nrw=randwrite\nbs=4k\niodepth=32\n"),
        }],
        ..TestResult::default()
    }
}
