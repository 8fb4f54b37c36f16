//! Other drives of a lab, beside the reviewed one.

use crate::target::{Price, TargetKind};

/// Another drive, measured with the same edition and durations.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherDrive {
    /// Its title, as [`TargetInfo::title`](crate::target::TargetInfo::title).
    pub title: String,
    /// Method of measurement.
    pub kind: TargetKind,
    /// Capacity under test, bytes.
    pub capacity_bytes: u64,
    /// Price that the user entered.
    pub price: Option<Price>,
    /// Its speed as a multiple of the reviewed drive's: the geometric mean over the figures of a
    /// test, then over the tests.
    pub ratio: f64,
    /// Number of tests that both drives have.
    pub tests: u32,
    /// Number of the reviewed drive's tests that can be compared.
    pub tests_all: u32,
    /// Number of figures that both drives have.
    pub figures: u32,
}
