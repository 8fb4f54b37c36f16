//! The analysis of one kind of test.

use stend_record::review::TestResult;

use crate::figures::Unit;

/// A key figure by its name within its test.
pub(crate) type Named = (String, f64, Unit);

/// The analysis of one kind of test.
pub(crate) struct Kind {
    /// Returns true if a test has results of this kind.
    pub(crate) has: fn(&TestResult) -> bool,
    /// Sentences about a test on a target of the given capacity, bytes.
    pub(crate) sentences: fn(&TestResult, u64) -> Vec<String>,
    /// Results as lines for a terminal.
    pub(crate) lines: fn(&TestResult) -> String,
    /// Key figures of a test.
    pub(crate) key_figures: fn(&TestResult) -> Vec<Named>,
}
