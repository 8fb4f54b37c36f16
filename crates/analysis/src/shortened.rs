//! Tests of a shortened run of which no finding is given, since the time that it needs was not
//! measured.

use stend_language::{recorded, text};
use stend_record::review::{PointOp, Review, TestResult};

use crate::kinds::curve::curves_of;
use crate::kinds::rounds::rounds_of;
use crate::words;

/// A test whose findings the shortening spoils.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoiled {
    /// Id of the test.
    pub test_id: String,
    /// Its title, for people.
    pub title: String,
    /// What was not measured: `8.1 of 240 GB were written`.
    pub why: String,
}

/// The tests of a review whose findings are left out; none of a run that was not shortened.
pub fn spoiled(review: &Review) -> Vec<Spoiled> {
    let of_test = |test: &TestResult| {
        Some(Spoiled {
            test_id: test.id.clone(),
            title: match test.title.as_str() {
                "" => test.id.clone(),
                title => recorded(title),
            },
            why: why(review, test)?,
        })
    };
    review.tests.iter().filter_map(of_test).collect()
}

/// Why a test of a shortened run supports no finding.
pub(crate) fn why(review: &Review, test: &TestResult) -> Option<String> {
    why_of(review, review.target.capacity_bytes, test)
}

/// The same of a test on a target of this capacity, the review's own or a rival.
pub(crate) fn why_of(review: &Review, capacity: u64, test: &TestResult) -> Option<String> {
    // Neither does what is not a number.
    if review.duration_scale.is_nan() || review.duration_scale >= 1.0 {
        return None;
    }
    if let Some(rounds) = rounds_of(test) {
        let round = words::time(rounds.load_s);
        // Also where no steady state was sought: the last rounds are told to be steady or not.
        return Some(text!("spoiled-rounds", time = round));
    }
    let fresh = curves_of(test).first()?;
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

/// One sentence on all of them.
pub(crate) fn sentence(all: &[Spoiled]) -> String {
    let item = |one: &Spoiled| text!("spoiled-test", test = &one.title, why = &one.why);
    let items: Vec<String> = all.iter().map(item).collect();
    text!("spoiled-tests", tests = words::list(&items))
}
