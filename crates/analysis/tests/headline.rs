//! Headline figures from tests with known figures.

use crate::common;

use common::{curves, point, points, sampled, white};
use stend_analysis::figures::Unit;
use stend_analysis::headline::{Group, headlines};
use stend_record::review::{Pattern, PointOp, TestResult};

/// A drive with these factors on reads and writes.
fn drive(reads: f64, writes: f64) -> Vec<TestResult> {
    let mut sequential = vec![
        point(PointOp::Read, 1 << 17, 1, 100, 4_000.0 * reads),
        point(PointOp::Write, 1 << 17, 1, 0, 2_000.0 * writes),
    ];
    for point in &mut sequential {
        point.load.pattern = Pattern::Sequential;
    }
    let random = [1, 4, 32].map(|depth| {
        let iops = 9_000.0 * reads * f64::from(depth);
        point(PointOp::Read, 4096, depth, 100, iops)
    });
    let curve = sampled(1200, move |_, _| 20_000.0 * writes, white(1, 0.01));
    vec![
        points("sequential", sequential),
        points("random", random.to_vec()),
        curves("degradation", vec![curve]),
    ]
}

#[test]
fn the_least_and_the_greatest_depth_and_the_end_are_headlines() {
    let (own, rival) = (drive(1.0, 1.0), drive(2.0, 0.5));
    let found = headlines(&[&own, &rival]);
    let names: Vec<&str> = found.iter().map(|h| h.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "Sequential read",
            "Sequential write",
            "Random read, queue depth 1",
            "Random read, queue depth 32",
            "Sustained random write",
        ]
    );
    let ratios: Vec<f64> = found.iter().map(|h| h.ratio().unwrap()).collect();
    for (ratio, wanted) in ratios.iter().zip([0.5, 2.0, 0.5, 0.5, 2.0]) {
        assert!((ratio / wanted - 1.0).abs() < 0.02, "{ratios:?}");
    }
    assert_eq!(found[0].unit, Unit::BytesPerS);
    assert_eq!(found[4].group, Group::Sustained);
    assert_eq!(found[2].test_id, "random");
}

#[test]
fn several_rivals_are_their_best_and_who_lacks_a_figure_is_left_out() {
    let (own, twice, eight) = (drive(1.0, 1.0), drive(2.0, 2.0), drive(8.0, 8.0));
    let found = headlines(&[&own, &twice, &eight]);
    assert!((found[0].ratio().unwrap() - 0.125).abs() < 1e-9);
    let found = headlines(&[&own, &twice, &eight[1..]]);
    assert!((found[0].ratio().unwrap() - 0.5).abs() < 1e-9);
    assert_eq!(found[0].values[2], None);
    // A single drive has nothing to compare with, but has figures.
    let alone = headlines(&[&own]);
    assert_eq!((alone.len(), alone[0].ratio()), (5, None));
}

#[test]
fn a_part_of_a_test_is_no_headline() {
    let mut own = drive(1.0, 1.0);
    own[1].left_out_points = 1;
    let found = headlines(&[&own]);
    assert!(found.iter().all(|headline| headline.test_id != "random"));
}
