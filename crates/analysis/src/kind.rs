//! The analysis of one kind of test.

use stend_record::review::TestResult;

use crate::figures::Unit;

/// A key figure by its name within its test.
pub(crate) type Named = (String, f64, Unit);

/// The analysis of one kind of test.
pub(crate) struct Kind {
    /// Whether a test has such results.
    pub(crate) has: fn(&TestResult) -> bool,
    /// What is said of a test on a target of this capacity, bytes.
    pub(crate) sentences: fn(&TestResult, u64) -> Vec<String>,
    /// The results as lines of a terminal.
    pub(crate) lines: fn(&TestResult) -> String,
    /// What of a test is compared.
    pub(crate) key_figures: fn(&TestResult) -> Vec<Named>,
}
