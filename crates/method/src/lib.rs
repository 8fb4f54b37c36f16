//! Editions of the methodology as data, and their execution.
//!
//! [`Edition`] is what a reviewer's lab does to a drive, read from a file;
//! [`run_review`] does it to a [`Target`](stend_target::Target) and fills a
//! [`Review`](stend_record::review::Review). What the target is made of is not known
//! here, except whether it can be copied: a simulated drive can, and each point runs on
//! its own copy of the prepared drive; a real one cannot, and everything happens in turn.
//!
//! The engine prints nothing: it tells an observer of [`Event`]s.

mod benchmark;
mod conditions;
pub mod edition;
mod endurance;
mod enough;
mod event;
mod files;
mod histogram;
mod host;
mod job;
mod ladder;
mod no_trim;
mod outcome;
mod parallel;
mod plan;
mod read_only;
mod recorder;
mod response;
mod rounds;
mod run;
mod serial;
mod traces;
mod until_steady;

pub use edition::{Edition, EditionError, SteadyLoad};
pub use enough::{Ending, EndsWhen};
pub use event::Event;
pub use run::{
    DURATION_SCALE_MAX, Estimate, MethodError, ReviewOptions, Save, Wanted, check_options,
    check_write_budget, estimate, run_review,
};
