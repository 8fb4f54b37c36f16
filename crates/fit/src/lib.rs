//! Published measurements, what models of the drives predict of them, and fitting models to them.
//!
//! | room | what |
//! |---|---|
//! | [`measured`] | the format `stend.measured/1`: published rows, and the tests they were measured by |
//! | [`predict`] | a test on a simulated drive in a state, and the figures of its result |
//! | [`pool`] | the simulations of a search as work for other processes and machines |
//! | `test_runs` | a model in a state, prepared once, and the tests that begin there |
//! | [`compare`](mod@compare) | predicted against measured: errors, medians, what cannot be answered |
//! | [`draw`] | plausible versions of models, drawn from the ranges of their figures |
//! | [`fitting`] | free figures of models adjusted to measured ones |
//!
//! Nothing here draws charts or knows a clock: the caller measures how long something takes.
//! Same models, rows and seed: same figures, on any number of threads.

pub mod compare;
pub mod draw;
pub mod fitting;
pub mod measured;
pub mod pool;
pub mod predict;
mod test_runs;

pub use compare::{Comparison, Outcome, compare};
pub use measured::Measured;
