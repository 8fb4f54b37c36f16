//! Tests with figures that no drive can have: something else answered.

use stend_language::text;
use stend_record::review::{Review, TargetInfo, TestResult};

use crate::findings::labels;
use crate::plausible;

/// A test that the verdict ignores.
pub(super) struct Doubted {
    /// Index of the drive: the reviewed one, then its rivals.
    drive: usize,
    test_id: String,
    /// Title of the test; for a rival, with the rival's name.
    pub(super) title: String,
}

/// Returns the drives of a review with their tests, the reviewed one first.
fn drives(review: &Review) -> impl Iterator<Item = (&TargetInfo, &[TestResult])> {
    let rivals = review.rivals.iter();
    let rivals = rivals.map(|rival| (&rival.target, rival.tests.as_slice()));
    std::iter::once((&review.target, review.tests.as_slice())).chain(rivals)
}

/// Returns the tests of a review that have figures which no drive can have.
pub(super) fn of(review: &Review) -> Vec<Doubted> {
    let labels = labels(review);
    let mut out = Vec::new();
    for (drive, ((target, tests), label)) in drives(review).zip(labels).enumerate() {
        let found = plausible::of_target(target, tests);
        for test in tests {
            if found.iter().any(|(id, _)| *id == test.id) {
                let title = test.name();
                out.push(Doubted {
                    drive,
                    test_id: test.id.clone(),
                    title: match drive {
                        0 => title,
                        _ => text!("verdict-doubted-rival", test = title, drive = &label),
                    },
                });
            }
        }
    }
    out
}

/// Returns a review without these tests.
pub(super) fn without(review: &Review, doubted: &[Doubted]) -> Review {
    let mut trusted = review.clone();
    let is_doubted = |drive: usize, test: &TestResult| {
        let mut all = doubted.iter();
        all.any(|one| one.drive == drive && one.test_id == test.id)
    };
    trusted.tests.retain(|test| !is_doubted(0, test));
    for (rival, drive) in trusted.rivals.iter_mut().zip(1..) {
        rival.tests.retain(|test| !is_doubted(drive, test));
    }
    trusted
}
