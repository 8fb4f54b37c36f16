//! A target that takes no TRIM: which tests cannot be done on it, and what is said of states
//! that are made without.

use stend_record::review::Condition;

use crate::edition::{ContinuationStep, Edition, Step, TestKind};

/// Why a test cannot be done without TRIM; `None` if it can.
///
/// What TRIM only prepares is made without it, and says so ([`remark`]).
pub(crate) fn missing(kind: &TestKind) -> Option<String> {
    let what = match kind {
        TestKind::Continue(continuation) => {
            let trims = |step: &ContinuationStep| matches!(step, ContinuationStep::Do(Step::Trim));
            if !continuation.steps.iter().any(trims) {
                return None;
            }
            "it measures what TRIM gives back"
        }
        TestKind::Response(_) => "it measures reads while a file's space is given TRIM",
        TestKind::Ladder(ladder) if ladder.trim.contains(&true) => {
            "it measures what rests give back after TRIM"
        }
        _ => return None,
    };
    Some(format!("left out: {what}, and the target takes no TRIM"))
}

/// What is said of a test that starts from this state; `None` if TRIM is no part of it.
pub(crate) fn remark(edition: &Edition, state: usize) -> Option<String> {
    let trimmed = |state: &usize| edition.states[*state].steps.contains(&Step::Trim);
    edition.lineage(state).iter().any(trimmed).then(|| {
        "it starts from a state that was made without TRIM, which the target does not take: to \
         the drive, everything that was ever written to it is data"
            .to_owned()
    })
}

/// For the conditions of the review.
pub(crate) fn condition() -> Condition {
    Condition {
        name: "TRIM in states".to_owned(),
        value: "NONE: the target takes no TRIM. States that ask for it were made by their other \
                steps alone, so that figures are not those of the edition"
            .to_owned(),
    }
}
