//! Relative speeds of the drives of a lab.

#![allow(missing_docs)]

use std::path::Path;

use stend_lab::others::others;
use stend_lab::{Lab, RunContext, RunId};
use stend_record::review::{
    Pattern, Point, PointOp, Results, Review, SCHEMA, Sample, Series, SeriesPoint, TargetInfo,
    TargetKind, TestResult,
};

fn points(id: &str, iops: &[f64]) -> TestResult {
    let point = |iops: &f64| Point {
        iops: *iops,
        ..Point::default()
    };
    TestResult {
        id: id.to_owned(),
        results: Some(Results::Points(iops.iter().map(point).collect())),
        ..TestResult::default()
    }
}

fn curve(id: &str, iops: f64) -> TestResult {
    let load = SeriesPoint {
        op: PointOp::Write,
        pattern: Pattern::Random,
        block_bytes: 4096,
        queue_depth: 32,
    };
    let sample = |t_s: u32| Sample {
        t_s: f64::from(t_s),
        written_bytes: 0,
        // Its mean is `iops`.
        iops: iops * f64::from(t_s % 2) * 2.0,
    };
    let samples = (1..=4).map(sample).collect();
    TestResult {
        id: id.to_owned(),
        results: Some(Results::Curve(vec![Series::of(
            "fresh", load, 1.0, samples,
        )])),
        ..TestResult::default()
    }
}

/// A complete review of a drive that is `times` as fast.
fn review(title: &str, times: f64) -> Review {
    Review {
        schema: SCHEMA.to_owned(),
        target: TargetInfo {
            name: title.to_owned(),
            title: title.to_owned(),
            kind: TargetKind::BlockDevice,
            capacity_bytes: 240_000_000_000,
            ..TargetInfo::default()
        },
        edition: "2014".to_owned(),
        duration_scale: 1.0,
        complete: true,
        // Equal loads are matched in their order.
        tests: vec![
            points("a", &[100.0 * times, 900.0 * times]),
            curve("b", 50.0 * times),
        ],
        ..Review::default()
    }
}

fn begin(lab: &mut Lab, now_unix_ms: i64, review: &Review) -> RunId {
    let context = RunContext {
        folder: Path::new("/reports/one"),
        edition_sha256: "00ff",
        measurement_key: None,
        stend_version: "0.1.0",
        stend_commit: None,
        now_unix_ms,
    };
    lab.begin(review, &context).unwrap()
}

#[test]
fn drives_are_compared_by_their_last_runs_of_the_same_measurement() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = Lab::open(&folder.path().join("lab.db")).unwrap();
    let mut now = 0;
    let mut add = |title: &str, times: f64, change: &dyn Fn(&mut Review)| {
        let mut review = review(title, times);
        change(&mut review);
        now += 1;
        begin(&mut lab, now, &review)
    };
    let own = add("Own", 1.0, &|_| ());
    add("Fast", 8.0, &|_| ());
    add("Fast", 4.0, &|_| ());
    add("Fast", 3.0, &|review| review.complete = false);
    // Its last run has none of the tests.
    add("Slow", 0.5, &|_| ());
    add("Slow", 9.0, &|review| review.tests.truncate(0));
    add("Priced", 1.0, &|review| {
        review.target.price = Some("79.90 EUR".parse().unwrap());
    });
    // Other measurements.
    add("Own", 3.0, &|_| ());
    add("Longer", 2.0, &|review| review.duration_scale = 2.0);
    add("Steady", 2.0, &|review| {
        review.until_steady = Some("random-write-4k".to_owned());
    });
    add("Read", 2.0, &|review| review.read_only = true);
    add("Elsewhere", 2.0, &|review| {
        review.edition = "2015".to_owned()
    });
    add("Partly", 2.0, &|review| drop(review.tests.remove(0)));
    let found = others(&lab, own).unwrap();
    let of = |title: &str| found.iter().find(|other| other.title == title).unwrap();
    let ratios: Vec<(&str, f64)> = found
        .iter()
        .map(|other| (other.title.as_str(), (other.ratio * 1e9).round() / 1e9))
        .collect();
    let expected = [
        ("Fast", 4.0),
        ("Partly", 2.0),
        ("Priced", 1.0),
        ("Slow", 0.5),
    ];
    assert_eq!(ratios, expected);
    let counts = |title: &str| (of(title).tests, of(title).tests_all, of(title).figures);
    assert_eq!((counts("Fast"), counts("Partly")), ((2, 2, 3), (1, 2, 1)));
    assert_eq!(of("Priced").price.as_ref().unwrap().typed(), "79.90 EUR");
    assert_eq!(of("Fast").price, None);
}
