//! Power of the drives under the loads of their tests.

use scraper::Html;
use stend_record::review::{PointOp, Results, Review};
use stend_report::write;

use crate::common::{bars, review};

/// Sets the power of every point of a drive's tests: this much for a read, twice for a write.
fn set(tests: &mut [stend_record::review::TestResult], power_w: f64) {
    for test in tests {
        match &mut test.results {
            Some(Results::Points(points)) => {
                for point in points {
                    let factor = if point.load.op == PointOp::Read {
                        1.0
                    } else {
                        2.0
                    };
                    point.power_w = Some(power_w * factor);
                }
            }
            Some(Results::Curve(curves)) => {
                curves
                    .iter_mut()
                    .for_each(|curve| curve.power_w = Some(3.0 * power_w));
            }
            _ => {}
        }
    }
}

fn told(review: &Review) -> Vec<(String, Vec<String>)> {
    bars(&Html::parse_document(&write(review).unwrap()), "#energy")
}

#[test]
fn the_least_power_stands_first_with_the_energy_of_a_gb() {
    let mut review = review(1.0);
    assert_eq!(told(&review).len(), 0, "no power is known");
    set(&mut review.rivals[0].tests, 1.5);
    assert_eq!(told(&review).len(), 0, "that of the reviewed drive is not");
    set(&mut review.tests, 2.0);
    let groups = told(&review);
    assert!(groups.len() > 2, "{groups:?}");
    let (name, rows) = &groups[0];
    assert_eq!(name, "Sequential read and write: read");
    assert!(rows[0].starts_with("Fixture B 256 GB: 1.5 W "), "{rows:?}");
    assert!(rows[1].starts_with("▸ Fixture A 240 GB: 2 W "), "{rows:?}");
    let fastest = review.tests[0].points().iter();
    let fastest = fastest.filter(|point| point.load.op == PointOp::Read);
    let bytes_per_s = fastest
        .map(|point| point.bw_bytes_per_s)
        .fold(0.0, f64::max);
    let joules = stend_language::number(2.0 / (bytes_per_s / 1e9));
    assert!(rows[1].contains(&format!("{joules} J per GB")), "{rows:?}");
    assert!(groups[1].1[1].contains("4 W"), "{groups:?}");
}
