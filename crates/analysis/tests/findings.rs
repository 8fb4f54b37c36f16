//! Findings in words from a review of known figures.

mod common;

use common::{GB, cached_tlc, sampled, white};
use stend_analysis::findings;
use stend_record::review::{
    LatencySummary, Pattern, Point, PointOp, Review, Rival, SCHEMA, Series, TargetInfo, TargetKind,
    TestResult,
};

fn target(title: &str) -> TargetInfo {
    TargetInfo {
        name: title.into(),
        title: title.into(),
        kind: TargetKind::Simulated,
        capacity_bytes: 240_000_000_000,
        facts: Vec::new(),
    }
}

fn point(op: PointOp, block_bytes: u64, queue_depth: u32, share: u32, iops: f64) -> Point {
    Point {
        op,
        pattern: Pattern::Random,
        block_bytes,
        queue_depth,
        threads: 1,
        read_percent: share,
        duration_s: 180.0,
        iops,
        bw_bytes_per_s: iops * block_bytes as f64,
        latency_ns: LatencySummary {
            mean: 90_000.0,
            p99_9: 2_000_000,
            ..LatencySummary::default()
        },
        parts: Vec::new(),
    }
}

fn points(id: &str, points: Vec<Point>) -> TestResult {
    TestResult {
        id: id.into(),
        points: Some(points),
        ..TestResult::default()
    }
}

fn curves(id: &str, series: Vec<Series>) -> TestResult {
    TestResult {
        id: id.into(),
        series: Some(series),
        ..TestResult::default()
    }
}

fn review(tests: Vec<TestResult>) -> Review {
    Review {
        schema: SCHEMA.into(),
        target: target("Own"),
        edition: "2014".into(),
        edition_title: String::new(),
        seed: 1,
        duration_scale: 1.0,
        complete: true,
        conditions: Vec::new(),
        environment: Vec::new(),
        reproduce: String::new(),
        tests,
        failed: Vec::new(),
        rivals: Vec::new(),
    }
}

fn text(review: &Review, title: &str) -> String {
    let found = findings(review);
    let titles: Vec<&str> = found.iter().map(|(t, _)| t.as_str()).collect();
    let finding = found.iter().find(|(t, _)| t == title);
    finding
        .unwrap_or_else(|| panic!("no `{title}` in {titles:?}"))
        .1
        .clone()
}

fn after(name: &str, gigabytes: f64, high: f64) -> Series {
    let rate = move |w, _| if w < gigabytes * GB { high } else { 4_500.0 };
    Series {
        name: name.into(),
        ..sampled(1200, rate, white(1, 0.01))
    }
}

#[test]
fn speeds_depths_and_mixes() {
    use PointOp::{Mixed, Read, Write};
    let review = review(vec![
        points(
            "sequential",
            vec![
                point(Read, 1_000_000, 1, 100, 520.0),
                point(Write, 1_000_000, 1, 0, 260.0),
            ],
        ),
        points("random", vec![point(Read, 4096, 1, 100, 8_000.0)]),
        points(
            "depth-scaling",
            [
                (1, 10_000.0),
                (2, 20_000.0),
                (4, 40_000.0),
                (8, 78_000.0),
                (32, 80_000.0),
            ]
            .map(|(depth, iops)| point(Read, 4096, depth, 100, iops))
            .into(),
        ),
        points(
            "block-scaling",
            vec![
                point(Write, 512, 4, 0, 1_000.0),
                point(Write, 4096, 4, 0, 20_000.0),
            ],
        ),
        points(
            "mixed-sequential",
            [(0, 300.0), (50, 150.0), (80, 200.0), (100, 500.0)]
                .map(|(share, speed)| point(Mixed, 1_000_000, 1, share, speed))
                .into(),
        ),
    ]);
    assert_eq!(
        text(&review, "Sequential speed"),
        "It reads at 520 MB/s and writes at 260 MB/s, 50 % of its reading speed."
    );
    assert_eq!(
        text(&review, "Small requests"),
        "Random reads: 8,000 IOPS at queue depth 1 (90 µs on average, 2 ms for 99.9 %)."
    );
    assert_eq!(
        text(&review, "Reading at depth"),
        "Queue depth 32 reads 8 times as many requests as depth 1 (80,000 against 10,000 IOPS); beyond queue depth 8 it gains next to nothing."
    );
    assert_eq!(
        text(&review, "Request size"),
        "Writes of 512 B come 0.05 times as often as those of 4 KiB. With 4 KiB it writes at 81.9 MB/s."
    );
    assert_eq!(
        text(&review, "Reading and writing at once"),
        "It is slowest at 50 % reads, with 150 MB/s, 30 % of its speed in reading alone. At four reads to one write it moves 200 MB/s."
    );
}

#[test]
fn sustained_writing_and_recovery() {
    let fresh = sampled(7200, cached_tlc, white(1, 0.01));
    let review = review(vec![
        curves("degradation", vec![fresh.clone()]),
        curves(
            "recovery",
            vec![
                fresh,
                after("after idle", 2.3, 41_000.0),
                after("after TRIM", 30.0, 30_000.0),
            ],
        ),
    ]);
    let steps = text(&review, "Sustained writing");
    assert!(
        steps.starts_with("4 stretches: ") || steps.starts_with("5 stretches: "),
        "{steps}"
    );
    assert!(
        steps.contains("30,000 IOPS until 8") || steps.contains("IOPS until 7.99 GB"),
        "{steps}"
    );
    assert!(steps.contains("; a decline from 20,"), "{steps}");
    assert!(
        steps.contains("11.1 % of where it started") || steps.contains("11.2 %"),
        "{steps}"
    );
    assert!(text(&review, "Evenness").starts_with("From second to second it hardly scatters"));
    let rest = text(&review, "Recovery at rest");
    assert!(
        rest.contains("prepare 2.3 GB") || rest.contains("prepare 2.29 GB"),
        "{rest}"
    );
    let trim = text(&review, "Recovery by TRIM");
    assert!(trim.contains("% of the fresh drive's"), "{trim}");
    assert!(
        trim.contains("writes 30 GB") || trim.contains("writes 29.9 GB"),
        "{trim}"
    );
}

#[test]
fn nothing_comes_back() {
    let fresh = sampled(
        1200,
        |_, t| if t < 100.0 { 40_000.0 } else { 5_000.0 },
        white(1, 0.01),
    );
    let series = vec![
        fresh,
        after("after idle", 0.0, 0.0),
        after("after TRIM", 0.0, 0.0),
    ];
    let review = review(vec![curves("recovery", series)]);
    assert!(text(&review, "Recovery at rest").starts_with("Idle minutes give nothing back"));
    assert_eq!(
        text(&review, "Recovery by TRIM"),
        "TRIM gives nothing back."
    );
}

#[test]
fn rivals_are_ranked() {
    let own = |speed| {
        vec![points(
            "sequential",
            vec![point(PointOp::Write, 1_000_000, 1, 0, speed)],
        )]
    };
    let mut review = review(own(300.0));
    for (title, speed) in [("Faster", 450.0), ("Alike", 310.0), ("Slower", 200.0)] {
        review.rivals.push(Rival {
            target: target(title),
            tests: own(speed),
        });
    }
    assert_eq!(
        text(&review, "Sequential write against rivals"),
        "300 MB/s: 33.3 % below Faster (450 MB/s); level with Alike (310 MB/s); 50 % above Slower (200 MB/s). Place 2 of 4."
    );
    assert!(
        findings(&review)
            .iter()
            .all(|(title, _)| !title.starts_with("Sequential read a"))
    );
}

#[test]
fn an_empty_review_has_no_findings() {
    assert!(findings(&review(Vec::new())).is_empty());
    let hollow = vec![
        points("sequential", Vec::new()),
        curves("degradation", Vec::new()),
    ];
    assert!(findings(&review(hollow)).is_empty());
}
