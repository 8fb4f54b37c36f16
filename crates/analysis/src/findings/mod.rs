//! Findings in words, from figures and from nothing else: what each test of a review comes to. The
//! whole is the [`verdict`](mod@crate::verdict)'s.
//!
//! The rules, in the order of reading:
//!
//! - *level*: within [`LEVEL_SHARE`](crate::figures::LEVEL_SHARE) (2 %) of one another
//! - *leads*, *ahead*, *behind*: outside that, beside the best of the rivals
//! - *N times*: from twice up, of a rival from one and a half
//! - *grow*, *fall*: the last of a test over depths at least 1.1 times the first, or at most its
//!   1.1th part; between them they hardly change
//! - *next to nothing*: what is gained beyond the first depth that reaches 95 % of the best
//! - *costs as much*: requests of two sizes come equally often, within a tenth
//! - *mixing costs*, *falls behind*: the slowest mix below nine tenths of the slower of the pure
//!   loads
//! - *holds its speed*: a curve ends at nine tenths of its start or above, and has written twice
//!   the capacity if it writes
//! - *too few samples*: fewer than ten, of which neither levels nor scatter are told
//! - *hardly*, *a little*, *widely*: scatter over the longest stretch below 5 %, below 15 %, from
//!   40 % up
//! - *fast writes*, *falls*: what is written above the geometric mean of the curve's start and the
//!   fresh curve's end, see [`recovery`](crate::recovery::recovery())
//! - *nothing comes back*: a later curve starts less than a quarter above the fresh curve's end
//! - *back to normal*: every second from then on reaches 90 % of the speed before the deletion, for
//!   ten seconds or until the end, see
//!   [`deletion_effect`](crate::kinds::response::deletion_effect())
//! - *the passes are level*: the slowest of each row and direction within 2 % of its fastest
//! - *as much*, *as fast as fresh*: at least nine tenths of the fresh curve's volume, or start

mod drives;
mod rivals;

use stend_language::{recorded, text};
use stend_record::review::{Review, TestResult};

pub use drives::labels;

use crate::kinds::sentences;
use crate::shortened;
use crate::words;

/// What was found in a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The test that it follows from.
    pub test_id: String,
    /// The test's title.
    pub title: String,
    /// What was found, in sentences with figures and units.
    pub text: String,
}

/// One entry for each test that left figures, in the order of the tests.
pub fn findings(review: &Review) -> Vec<Finding> {
    let drives = drives::all(review);
    let mut found = Vec::new();
    for test in judged(review) {
        let mut said = sentences(test, review.target.capacity_bytes);
        if said.is_empty() {
            continue;
        }
        said.extend(rivals::sentence(test, &drives));
        said.extend(start(test));
        found.push(Finding {
            test_id: test.id.clone(),
            title: title(test),
            text: said.join(" "),
        });
    }
    found
}

/// The tests of which findings are given: those of which no point was left out, and which are long
/// enough.
pub(crate) fn judged(review: &Review) -> impl Iterator<Item = &TestResult> {
    let is_judged =
        |test: &&TestResult| test.left_out_points == 0 && shortened::why(review, test).is_none();
    review.tests.iter().filter(is_judged)
}

fn title(test: &TestResult) -> String {
    match test.title.as_str() {
        "" => test.id.clone(),
        title => recorded(title),
    }
}

/// Whether the test started from a steady state, where it was to.
fn start(test: &TestResult) -> Option<String> {
    let last = test.steady_starts.last()?;
    Some(
        match test.steady_starts.iter().find(|start| !start.reached) {
            None => text!(
                "finding-starts-steady",
                rounds = last.rounds,
                time = words::time(last.round_s),
                bytes = words::bytes(last.written_bytes)
            ),
            Some(start) => text!(
                "finding-starts-unsteady",
                rounds = start.rounds,
                time = words::time(start.round_s)
            ),
        },
    )
}
