//! Findings in words, one for each test of a review, from figures alone. The
//! [`verdict`](mod@crate::verdict) sums up the whole review.
//!
//! The rules, in reading order:
//!
//! - *level*: within [`LEVEL_SHARE`](crate::figures::LEVEL_SHARE) (2 %) of one another
//! - *leads*, *ahead*, *behind*: outside that, compared with the best of the rivals
//! - *N times*: from 2 times; for a rival from 1.5 times
//! - *grow*, *fall*: the last point of a test over depths at least 1.1 times the first, or at most
//!   1/1.1 of it; between these they hardly change
//! - *next to nothing*: the gain beyond the first depth that reaches 95 % of the best
//! - *costs as much*: requests of two sizes come equally often, within a tenth
//! - *mixing costs*, *falls behind*: the slowest mix below nine tenths of the slower of the pure
//!   loads
//! - *holds its speed*: a curve ends at nine tenths of its start or above, none of its stretches is
//!   slower than nine tenths of the fastest and, if it writes, it has written twice the capacity
//! - *too few samples*: fewer than ten; neither levels nor scatter are reported
//! - *hardly*, *a little*, *widely*: half of the range of nine tenths of the samples of the longest
//!   stretch, below 5 %, below 15 %, from 40 % of its middle
//! - *stands still*: seconds in which fewer requests are completed than are outstanding, and fewer
//!   than a tenth of the curve's median
//! - *fast writes*, *falls*: bytes written above the geometric mean of the curve's start and the
//!   fresh curve's end, see [`recovery`](crate::recovery::recovery())
//! - *nothing comes back*: a later curve starts less than a quarter above the fresh curve's end
//! - *back to normal*: from then on every second reaches 90 % of the speed before the deletion, for
//!   ten seconds or until the end, see
//!   [`deletion_effect`](crate::kinds::response::deletion_effect())
//! - *the passes are level*: the slowest pass of each row and direction within 2 % of the fastest
//! - *as much*, *as fast as fresh*: at least nine tenths of the fresh curve's volume, or of its
//!   start

mod drives;
mod rivals;

use stend_language::text;
use stend_record::review::{Review, TestResult};

pub use drives::labels;

use crate::kinds::sentences;
use crate::shortened;
use crate::stalls::fault_ns;
use crate::words;

/// Findings of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Id of the test that they follow from.
    pub test_id: String,
    /// Title of the test.
    pub title: String,
    /// The findings, in sentences with figures and units.
    pub text: String,
}

/// Returns one entry for each test with figures, in the order of the tests.
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
            title: test.name(),
            text: said.join(" "),
        });
    }
    found
}

/// Returns the tests that get findings: those that are long enough, have no point left out, and had
/// an answer to every request in time.
pub(crate) fn judged(review: &Review) -> impl Iterator<Item = &TestResult> {
    let is_judged = |test: &&TestResult| {
        let measured = test.left_out_points == 0 && shortened::why(review, test).is_none();
        measured && fault_ns(test).is_none()
    };
    review.tests.iter().filter(is_judged)
}

/// Returns a sentence on the steady state before the test, if one was required.
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
