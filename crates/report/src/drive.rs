//! The drives of a review, the reviewed one first, and the words for their loads.

use stend_analysis::load::words_among;
use stend_analysis::{Dimension, Load};
use stend_record::review::{Point, Review, Series, TargetInfo, TargetKind, TestResult};

use crate::number;

/// One drive of the review.
#[derive(Clone, Debug)]
pub struct Drive<'a> {
    /// Its title, with its name if two drives share a title.
    pub label: String,
    /// Facts about the drive.
    pub info: &'a TargetInfo,
    /// Its finished tests.
    pub tests: &'a [TestResult],
}

impl<'a> Drive<'a> {
    /// Returns the finished test with an id.
    pub fn test(&self, id: &str) -> Option<&'a TestResult> {
        self.tests.iter().find(|test| test.id == id)
    }

    /// Returns the point of a test under a load.
    pub fn point(&self, test_id: &str, load: Load) -> Option<&'a Point> {
        self.test(test_id)?
            .points()
            .iter()
            .find(|point| Load::of(point) == load)
    }

    /// Returns the curve of a test with a name.
    pub fn curve(&self, test_id: &str, name: &str) -> Option<&'a Series> {
        self.test(test_id)?
            .curves()
            .iter()
            .find(|series| series.name == name)
    }
}

/// Returns the drives of a review, the reviewed one first.
pub fn drives(review: &Review) -> Vec<Drive<'_>> {
    let reviewed = std::iter::once((&review.target, review.tests.as_slice()));
    let rivals = review.rivals.iter();
    reviewed
        .chain(rivals.map(|r| (&r.target, r.tests.as_slice())))
        .zip(stend_analysis::labels(review))
        .map(|((info, tests), label)| Drive { label, info, tests })
        .collect()
}

/// Returns the drives that have results of a kind in a test, with the results; `of` returns those
/// of a test.
pub fn measured<'d, 'a, T>(
    drives: &'d [Drive<'a>],
    test: &TestResult,
    of: impl Fn(&'a TestResult) -> Option<T>,
) -> Vec<(&'d Drive<'a>, T)> {
    let results = |drive: &'d Drive<'a>| Some((drive, of(drive.test(&test.id)?)?));
    drives.iter().filter_map(results).collect()
}

/// The same as [`measured`], for results that are a list.
pub fn measured_lists<'d, 'a, T>(
    drives: &'d [Drive<'a>],
    test: &TestResult,
    of: fn(&TestResult) -> &[T],
) -> Vec<(&'d Drive<'a>, &'a [T])> {
    measured(drives, test, |test| {
        Some(of(test)).filter(|list| !list.is_empty())
    })
}

/// Describes the kind of a target for people.
pub fn kind_words(kind: TargetKind) -> String {
    stend_language::say(match kind {
        TargetKind::Simulated => "kind-simulated",
        TargetKind::File => "kind-file",
        TargetKind::Directory => "kind-directory",
        TargetKind::BlockDevice => "kind-block-device",
    })
}

/// Formats a value of a dimension on an axis or in a table.
pub fn tick(dimension: Dimension, value: u64) -> String {
    match dimension {
        Dimension::Block => number::block(value),
        Dimension::Depth | Dimension::Threads => number::whole(value),
        Dimension::Share => format!("{value} : {}", 100_u64.saturating_sub(value)),
    }
}

/// Returns the order and the size that all points share, for a title: `any` and `none` if they
/// differ.
pub fn common(points: &[Point]) -> (&'static str, String) {
    let pattern = match points.first() {
        Some(first) if points.iter().all(|p| p.load.pattern == first.load.pattern) => {
            first.load.pattern.words()
        }
        _ => "any",
    };
    let block = match Dimension::Block.values(points)[..] {
        [block] => number::block(block),
        _ => "none".to_owned(),
    };
    (pattern, block)
}

/// Describes a load by the values that differ within its test: `Read, depth 4`.
pub fn load_words(load: Load, points: &[Point]) -> String {
    number::bound(&words_among(load, points))
}
