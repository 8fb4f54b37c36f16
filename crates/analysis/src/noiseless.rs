//! Loads whose latency had no spread at all: a model without noise.

use stend_record::histogram;
use stend_record::load::Load;
use stend_record::review::{Point, Review, TestResult};

use crate::load::points_of;

/// A load of a test whose every request took the same time, within the resolution of three digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Noiseless {
    /// Id of the test.
    pub test_id: String,
    /// The load.
    pub load: Load,
    /// What each request took, ns.
    pub latency_ns: u64,
}

/// The slowest and the fastest request took the same if they differ by at most this share: what a
/// histogram of three digits does not tell apart.
const SAME_SHARE: f64 = 0.001;

/// The points of a review's own target whose latency had no spread: the fastest request took as
/// long as the slowest. A drive that is measured has none; a simulated one, where nothing in its
/// model depends on chance or on what came before. Percentiles do not tell: a few requests that
/// were faster are below all of them.
pub fn noiseless(review: &Review) -> Vec<Noiseless> {
    review.tests.iter().flat_map(noiseless_in).collect()
}

/// The same of one test.
pub fn noiseless_in(test: &TestResult) -> impl Iterator<Item = Noiseless> {
    let points = points_of(test).iter().filter(|point| {
        // A single request has no spread anyway.
        let several = point.latency_ns.requests != 1;
        several && has_no_spread(point)
    });
    points.map(|point| Noiseless {
        test_id: test.id.clone(),
        load: point.load,
        latency_ns: point.latency_ns.p50,
    })
}

/// Whether all requests of a point took the same time; false where that is not known.
fn has_no_spread(point: &Point) -> bool {
    let ends = |text: &String| histogram::ends(text).ok().flatten();
    let Some((first, last)) = point.latency_histogram.as_ref().and_then(ends) else {
        return false;
    };
    first > 0 && (last - first) as f64 <= SAME_SHARE * first as f64
}
