//! Published measurements, predictions of them by models, and fitting of models to them.
//!
//! | module | contents |
//! |---|---|
//! | [`measured`] | the format `stend.measured/1`: published rows, and the tests behind them |
//! | `predictions` | models in states, and the tests that begin there, as batches of trials |
//! | [`compare`](mod@compare) | predicted against measured: errors, medians, unanswered rows |
//! | [`draw`] | plausible versions of models, drawn from the ranges of their figures |
//! | [`fitting`] | fits free figures of models to measured ones |
//! | [`twin`] | a drive model from a review |
//!
//! Nothing here draws charts or reads a clock: the caller measures durations. The same models, rows
//! and seed give the same figures, on any number of threads.

pub mod compare;
pub mod draw;
pub mod fitting;
pub mod measured;
mod predictions;
pub mod twin;

pub use compare::{Comparison, Outcome, compare};
pub use measured::Measured;
pub use predictions::TestRun;
