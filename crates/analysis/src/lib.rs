//! Analysis of a review's figures: the steps of a curve, its end level, the volume recovered after
//! a rest, and findings in words.
//!
//! Black box: pure functions of results that a test from outside can measure. They never use
//! knowledge of a simulated target's model, so an inference that holds for a simulated drive, whose
//! truth is known, holds for a real one.
//!
//! Read [`steps()`](steps::steps) first, then its engine, `segment`; then [`kinds`], the sentences
//! and key figures of each kind of test, and [`findings`](mod@findings), the rules by which figures
//! become sentences.

pub mod claims;
pub mod compare;
pub mod ends;
pub mod figures;
pub mod findings;
pub mod headline;
pub mod kinds;
pub mod load;
pub mod noiseless;
pub mod plausible;
pub mod recovery;
pub mod remaining;
pub mod repeated;
pub mod same_load;
mod segment;
pub mod shortened;
pub mod smart;
pub mod smooth;
mod stalls;
pub mod steady;
pub mod steps;
pub mod verdict;
pub mod words;

pub use ends::{end_level, end_samples, end_span_s, end_spread, start_level};
pub use figures::{Interval, KeyFigure, LEVEL_SHARE, Metric, Standing, Unit};
pub use findings::{Finding, findings, labels};
pub use kinds::response::{DeletionEffect, deletion_effect};
pub use kinds::{figure_name, figure_title, key_figures};
pub use load::{Dimension, Load};
pub use noiseless::{Noiseless, noiseless};
pub use plausible::implausible;
pub use recovery::{Recovery, recovered_bytes, recovery};
pub use remaining::{RemainingLife, remaining_life};
pub use same_load::{Cause, LoadFigure, UnlikeLoad, unlike_loads};
pub use shortened::{Spoiled, spoiled};
pub use smooth::{mean_30s, moving_mean};
pub use steps::{Level, LevelKind, steps};
pub use verdict::{Verdict, verdict};
