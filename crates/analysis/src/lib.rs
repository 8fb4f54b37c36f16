//! What follows from a review's figures: the steps of a curve, where it ends, how much
//! of it comes back after a rest, and findings in words.
//!
//! Black box: pure functions of what a test from outside can see. Whether the target was
//! simulated, and of what, is never looked at, so that an inference that holds against a
//! simulated drive's known truth holds for a real one.
//!
//! Read [`steps()`](steps::steps) first, then its engine, `segment`.

pub mod findings;
pub mod recovery;
mod segment;
pub mod smooth;
pub mod steps;
mod words;

pub use findings::findings;
pub use recovery::{Recovery, recovered_bytes, recovery};
pub use smooth::{mean_30s, moving_mean};
pub use steps::{Level, LevelKind, end_level, steps};
