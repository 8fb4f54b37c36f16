//! Loads whose latency had no spread: a model without noise.

use stend_record::histogram;
use stend_record::load::Load;
use stend_record::review::{Point, Review, TestResult};

/// A load of a test whose requests all took the same time, within three digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Noiseless {
    /// Id of the test.
    pub test_id: String,
    /// The load.
    pub load: Load,
    /// Latency of each request, ns.
    pub latency_ns: u64,
}

/// Two latencies are the same if they differ by at most this share, the resolution of a histogram
/// of three digits.
const SAME_SHARE: f64 = 0.001;

/// Returns the points of a review's own target at which the fastest request took as long as the
/// slowest. A measured drive has none; a simulated one has some if nothing in its model depends on
/// chance or on earlier requests. Percentiles do not show this: a few faster requests lie below all
/// of them.
pub fn noiseless(review: &Review) -> Vec<Noiseless> {
    review.tests.iter().flat_map(noiseless_in).collect()
}

/// Returns the points of one test without spread.
pub fn noiseless_in(test: &TestResult) -> impl Iterator<Item = Noiseless> {
    let points = test.points().iter().filter(|point| {
        // A single request has no spread in any case.
        let several = point.latency_ns.requests != 1;
        several && has_no_spread(point)
    });
    points.map(|point| Noiseless {
        test_id: test.id.clone(),
        load: point.load,
        latency_ns: point.latency_ns.p50,
    })
}

/// True if all requests of a point took the same time; false if that is unknown.
fn has_no_spread(point: &Point) -> bool {
    let ends = |text: &String| histogram::ends(text).ok().flatten();
    let Some((first, last)) = point.latency_histogram.as_ref().and_then(ends) else {
        return false;
    };
    first > 0 && (last - first) as f64 <= SAME_SHARE * first as f64
}
