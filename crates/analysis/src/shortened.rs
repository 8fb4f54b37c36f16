//! Tests of a shortened run that get no finding, because the time that the finding needs was not
//! measured.

use stend_language::text;
use stend_record::review::{PointOp, Review, TestResult};

use crate::kinds::rounds::rounds_of;
use crate::words;

/// A test whose findings are left out because the run was shortened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoiled {
    /// Id of the test.
    pub test_id: String,
    /// Title for people.
    pub title: String,
    /// The missing part: `8.1 of 240 GB were written`.
    pub why: String,
}

/// Returns the tests of a review whose findings are left out; empty if the run was not shortened.
pub fn spoiled(review: &Review) -> Vec<Spoiled> {
    let of_test = |test: &TestResult| {
        Some(Spoiled {
            test_id: test.id.clone(),
            title: test.name(),
            why: why(review, test)?,
        })
    };
    review.tests.iter().filter_map(of_test).collect()
}

/// Returns the reason why a test of a shortened run supports no finding.
pub(crate) fn why(review: &Review, test: &TestResult) -> Option<String> {
    why_of(review, review.target.capacity_bytes, test)
}

/// Returns that reason for a test on a target of the given capacity, the review's own or a rival.
pub(crate) fn why_of(review: &Review, capacity: u64, test: &TestResult) -> Option<String> {
    // A scale that is not a number shortens nothing.
    if review.duration_scale.is_nan() || review.duration_scale >= 1.0 {
        return None;
    }
    if let Some(rounds) = rounds_of(test) {
        let round = words::time(rounds.load_s);
        // Also without a search for steady state: the last rounds are reported as steady or not.
        return Some(text!("spoiled-rounds", time = round));
    }
    let fresh = test.curves().first()?;
    // A curve that ends with its range is not shortened.
    if fresh.point.op != PointOp::Write || fresh.range_bytes.is_some() {
        return None;
    }
    let written = fresh
        .samples
        .last()
        .map_or(0, |sample| sample.written_bytes);
    (written < capacity).then(|| {
        text!(
            "spoiled-written",
            written = words::bytes(written),
            capacity = words::bytes(capacity)
        )
    })
}

/// Returns one sentence about all of them.
pub(crate) fn sentence(all: &[Spoiled]) -> String {
    let item = |one: &Spoiled| text!("spoiled-test", test = &one.title, why = &one.why);
    let items: Vec<String> = all.iter().map(item).collect();
    text!("spoiled-tests", tests = words::list(&items))
}
