//! The analysis of each kind of test: sentences and key figures, one file for each kind.

pub mod benchmark;
pub mod curve;
pub mod endurance;
pub mod files;
pub mod ladder;
pub mod points;
pub mod response;
pub mod rounds;
pub mod sync;
pub mod traces;

use stend_language::{Language, within};
use stend_record::kinds::RepeatedFigure;
use stend_record::review::{Results, TestResult};

use crate::figures::{Interval, KeyFigure, Unit};

/// A key figure by its name within its test.
type Named = (String, f64, Unit);

/// The analysis of one kind of test.
struct Kind {
    /// Sentences about a test on a target of the given capacity, bytes.
    sentences: fn(&TestResult, u64) -> Vec<String>,
    /// Results as lines for a terminal.
    lines: fn(&TestResult) -> String,
    /// Key figures of a test.
    key_figures: fn(&TestResult) -> Vec<Named>,
}

macro_rules! table {
    ($($(#[$doc:meta])* $module:ident, $key:literal, $variant:ident;)*) => {
        /// Returns the kind of a test's results; `None` for a test without results.
        fn kind_of(test: &TestResult) -> Option<&'static Kind> {
            Some(match test.results.as_ref()? {
                $(Results::$variant(_) => &$module::KIND,)*
            })
        }
    };
}
stend_record::kinds!(table);

/// Returns the sentences about a test on a target of the given capacity, bytes.
pub(crate) fn sentences(test: &TestResult, capacity_bytes: u64) -> Vec<String> {
    kind_of(test).map_or_else(Vec::new, |kind| (kind.sentences)(test, capacity_bytes))
}

/// Returns the key figures of a test, named in the current language.
pub(crate) fn named_figures(test: &TestResult) -> Vec<Named> {
    kind_of(test).map_or_else(Vec::new, |kind| (kind.key_figures)(test))
}

/// Returns the key figures of a test, each with its English name, which identifies it, and its
/// title for people.
pub(crate) fn titled_figures(test: &TestResult) -> impl Iterator<Item = (Named, String)> {
    let named = within(Language::English, || named_figures(test));
    let titles = named_figures(test).into_iter().map(|(title, ..)| title);
    named.into_iter().zip(titles)
}

/// Formats the results of a test as lines for a terminal, each with a line end.
pub fn lines(test: &TestResult) -> String {
    kind_of(test).map_or_else(String::new, |kind| (kind.lines)(test))
}

/// Returns the key figures of a drive, in the order of its tests:
///
/// - of a test over depths, sizes or threads, the greatest of each direction;
/// - of a mixed test, [`MIXED_HEADLINE_READ_PERCENT`] and the mean of all shares;
/// - of other points, each, or the fastest of each direction if there are five or more;
/// - of a single curve, its start, its end and its mean;
/// - of several curves, the start of each and its fast bytes (see [`recovery()`]), by the end level
///   of the first;
/// - of a test in rounds, the speed of the tracked load over the steady window, or over the last;
/// - of a drive that was worn out, the bytes written until it refused;
/// - of a recovery ladder, the volume recovered by the longest rest;
/// - of reads while a file is deleted, the slowest second of each response;
/// - of a benchmark, each row and direction;
/// - of traces, the bandwidth of all of them;
/// - of work on files, the speed of each set.
///
/// A test with points left out has none: the greatest of the others may not be the test's greatest.
pub fn key_figures(tests: &[TestResult]) -> Vec<KeyFigure> {
    let of_test = |test: &TestResult| {
        let figures = titled_figures(test).map(|((name, value, unit), title)| {
            let same = |f: &&RepeatedFigure| f.name == name && f.unit == unit.key();
            let repeated = test.repeated.iter().find(same);
            let interval = repeated.and_then(|figure| Interval::of(&figure.values));
            KeyFigure {
                test_id: test.id.clone(),
                name,
                title,
                value: interval.map_or(value, |interval| interval.mean),
                unit,
                half_width: interval.map(|interval| interval.half_width),
            }
        });
        figures.collect::<Vec<_>>()
    };
    let whole = tests.iter().filter(|test| test.left_out_points == 0);
    whole.flat_map(of_test).collect()
}
