//! One load in two tests, and figures that no drive can have.

use stend_analysis::{Cause, implausible, noiseless, unlike_loads};
use stend_record::histogram;
use stend_record::review::{
    Condition, LatencySummary, Link, Pattern, Point, PointOp, Review, TargetKind,
};

use crate::common::{self, point, points};

use PointOp::{Read, Write};

fn review(kind: TargetKind, tests: &[(&str, Vec<Point>)]) -> Review {
    let tests = tests.iter().map(|(id, list)| points(id, list.clone()));
    let mut review = common::review("Own", tests.collect());
    review.target.kind = kind;
    review
}

fn from(state: &str, point: Point) -> Point {
    Point {
        state: Some(state.to_owned()),
        ..point
    }
}

#[test]
fn a_load_with_two_figures_is_found_with_its_causes() {
    let tests = |fast| {
        [
            (
                "random",
                vec![from("clean", point(Write, 4096, 1, 0, 9_196.0))],
            ),
            (
                "depth-scaling",
                vec![
                    from("clean", point(Write, 4096, 1, 0, fast)),
                    from("clean", point(Write, 4096, 2, 0, 30_000.0)),
                ],
            ),
        ]
    };
    assert_eq!(
        unlike_loads(&review(TargetKind::File, &tests(10_115.0))),
        []
    );
    let found = unlike_loads(&review(TargetKind::File, &tests(22_700.0)));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].causes, [Cause::Order, Cause::Host]);
    assert!((found[0].ratio() - 2.468).abs() < 1e-3);
    assert_eq!(
        found[0].words(),
        "Random write, 4 KiB, depth 1, 1 thread: 9,200 IOPS in \"Title of random\" and 22,700 IOPS \
         in \"Title of depth-scaling\" (each found the target as the measurements before it had \
         left it and on a file, the host's cache and the file system may have answered in place of \
         the drive)."
    );
    let mut other = tests(22_700.0);
    other[1].1[0].state = Some("filled".to_owned());
    other[1].1[0].duration_s = 30.0;
    let found = unlike_loads(&review(TargetKind::Simulated, &other));
    assert_eq!(found[0].causes, [Cause::State, Cause::Duration]);
    // Another region is another load.
    other[1].1[0].load.region_bytes = Some(1 << 30);
    assert_eq!(unlike_loads(&review(TargetKind::Simulated, &other)), []);
}

fn sequential(op: PointOp, block_bytes: u64, mb_per_s: f64) -> Point {
    let mut of = point(op, block_bytes, 1, if op == Read { 100 } else { 0 }, 0.0);
    of.load.pattern = Pattern::Sequential;
    of.bw_bytes_per_s = mb_per_s * 1e6;
    of.iops = of.bw_bytes_per_s / block_bytes as f64;
    of
}

#[test]
fn figures_that_no_drive_has_are_found_on_files_alone() {
    let tests = |read: f64, write: f64, iops: f64| {
        [
            (
                "sequential",
                vec![
                    sequential(Read, 262_144, read),
                    sequential(Write, 262_144, write),
                ],
            ),
            ("depth-scaling", vec![point(Read, 4096, 32, 100, iops)]),
        ]
    };
    let of = |kind, tests: [(&str, Vec<Point>); 2]| implausible(&review(kind, &tests));
    // 97,000 × 4 KiB are 397 MB/s: a drive that answers 32 requests at a time may be faster.
    assert_eq!(of(TargetKind::File, tests(300.0, 300.0, 97_000.0)), []);
    let found = of(TargetKind::File, tests(250.0, 380.0, 97_000.0));
    let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["sequential", "depth-scaling"]);
    assert!(
        found[0]
            .1
            .in_english()
            .contains("380 MB/s written, and only 250 MB/s read"),
        "{found:?}"
    );
    assert!(
        found[1]
            .1
            .in_english()
            .contains("397 MB/s, more than in sequence"),
        "{found:?}"
    );
    assert_eq!(
        of(TargetKind::BlockDevice, tests(250.0, 380.0, 97_000.0)),
        []
    );
    assert_eq!(of(TargetKind::Simulated, tests(250.0, 380.0, 97_000.0)), []);
    // A loop device is backed by a file.
    let mut over_a_file = review(TargetKind::BlockDevice, &tests(250.0, 380.0, 97_000.0));
    over_a_file
        .target
        .facts
        .push(Condition::new("backing-file", "/disk.img"));
    assert_eq!(implausible(&over_a_file), found);
    // With more bytes outstanding than in sequence it may be faster.
    let mut deep = tests(250.0, 250.0, 97_000.0);
    deep[1].1[0].load.queue_depth = 128;
    assert_eq!(of(TargetKind::File, deep), []);
}

#[test]
fn what_the_link_cannot_carry_is_no_figure_of_the_drive() {
    let found = |kind, link: Option<Link>, op, mb_per_s: f64| {
        let share = if op == PointOp::Mixed { 50 } else { 100 };
        let fast = point(op, 131_072, 32, share, mb_per_s * 1e6 / 131_072.0);
        let mut review = review(kind, &[("sequential", vec![fast])]);
        review.target.link = link;
        implausible(&review)
    };
    use TargetKind::{BlockDevice, Directory, Simulated};
    let sata = Some(Link::Sata { gbit_per_s: 6.0 });
    let pcie = |gt_per_s, lanes| Some(Link::Pcie { gt_per_s, lanes });
    for (kind, link, op, fits, exceeds) in [
        (BlockDevice, sata, Read, 599.0, 601.0),
        // SATA carries one direction at a time.
        (BlockDevice, sata, PointOp::Mixed, 599.0, 601.0),
        (Directory, sata, Read, 599.0, 601.0),
        (BlockDevice, pcie(8.0, 4), Read, 3_937.0, 3_940.0),
        (BlockDevice, pcie(8.0, 4), PointOp::Mixed, 7_870.0, 7_880.0),
        (BlockDevice, pcie(5.0, 1), Read, 499.0, 501.0),
    ] {
        assert_eq!(found(kind, link, op, fits), [], "{link:?} {op:?}");
        let warnings = found(kind, link, op, exceeds);
        assert_eq!(warnings.len(), 1, "{link:?} {op:?}");
        assert!(
            warnings[0].1.in_english().contains(&link.unwrap().words()),
            "{warnings:?}"
        );
    }
    assert_eq!(found(Simulated, sata, Read, 601.0), []);
    assert_eq!(found(BlockDevice, None, Read, 60_100.0), []);
}

#[test]
fn a_load_without_any_spread_is_found() {
    // All percentiles are those of the last, most frequent latency.
    let with = |depth, latencies: &[(u64, u64)]| {
        let mut of = point(Read, 4096, depth, 100, 9_000.0);
        let (ns, _) = latencies.last().copied().unwrap_or_default();
        let requests = latencies.iter().map(|(_, count)| count).sum();
        of.latency_ns = LatencySummary::new(requests, ns as f64, ns, [ns; 5]);
        let bins = latencies.iter().copied().collect();
        of.latency_histogram = Some(histogram::encode(&bins));
        of
    };
    let unknown = Point {
        latency_histogram: None,
        ..with(16, &[(110_000, 9_000)])
    };
    let list = vec![
        with(1, &[(110_000, 9_000), (110_060, 9_000)]),
        with(2, &[(110_000, 9_000), (110_400, 9_000)]),
        with(4, &[]),
        with(8, &[(29_400, 1), (110_000, 9_000)]),
        unknown,
    ];
    let found = noiseless(&review(TargetKind::Simulated, &[("random", list)]));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].load.queue_depth, 1);
    assert_eq!(
        (found[0].test_id.as_str(), found[0].latency_ns),
        ("random", 110_060)
    );
}

#[test]
fn a_read_that_no_drive_answers_as_quickly_was_answered_by_a_cache() {
    let found = |kind, depth, mean_ns| {
        let mut one = point(Read, 4096, depth, 100, 1e9 / mean_ns);
        one.latency_ns.mean = mean_ns;
        implausible(&review(kind, &[("random", vec![one])]))
    };
    use TargetKind::{BlockDevice, File, Simulated};
    for kind in [BlockDevice, File] {
        let told = found(kind, 1, 4_400.0);
        let words = told[0].1.in_english();
        assert!(words.contains("a read in 4.4 µs"), "{words}");
        assert_eq!(found(kind, 1, 4_500.0), []);
        // Several at a time may be answered sooner, on average.
        assert_eq!(found(kind, 2, 4_400.0), []);
    }
    assert_eq!(found(Simulated, 1, 4_400.0), []);
}
