//! Loads whose latency had no spread at all: a model without noise.

use stend_record::load::Load;
use stend_record::review::{Review, TestResult};

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

/// The highest and the median latency are the same if they differ by at most this share: what a
/// histogram of three digits does not tell apart.
const SAME_SHARE: f64 = 0.001;

/// The points of a review's own target whose latency had no spread: median, 99 % and the slowest
/// request are the same. A drive that is measured has none; a simulated one, where nothing in its
/// model depends on chance or on what came before.
pub fn noiseless(review: &Review) -> Vec<Noiseless> {
    review.tests.iter().flat_map(noiseless_in).collect()
}

/// The same of one test.
pub fn noiseless_in(test: &TestResult) -> impl Iterator<Item = Noiseless> {
    let points = points_of(test).iter().filter(|point| {
        let latency = &point.latency_ns;
        // A single request has no spread anyway.
        let several = latency.requests != 1;
        let spread = latency.max.saturating_sub(latency.p50) as f64;
        several && latency.p50 > 0 && spread <= SAME_SHARE * latency.p50 as f64
    });
    points.map(|point| Noiseless {
        test_id: test.id.clone(),
        load: point.load,
        latency_ns: point.latency_ns.p50,
    })
}
