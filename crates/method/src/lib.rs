//! Editions of the methodology as data, and their execution.
//!
//! [`Edition`] is the procedure of a reviewer's lab, read from a file;
//! [`run_review`] carries it out on a [`Target`](stend_load::target::Target) and fills a
//! [`Review`](stend_record::review::Review). What the target is made of is not known
//! here, except whether it can be copied: a simulated drive can, and each point runs on
//! its own copy of the prepared drive; a real one cannot, and everything happens in turn.
//!
//! The engine prints nothing: it reports [`Event`]s to an observer.
//!
//! Modules, each importing only those before it: `state`, `cost`, `setting` and `job` (the work and
//! its cost); `timed` (texts that state times); `outcome` (from fio's JSON to figures); `recorder`
//! (collects results); `context` and `preparation` (measure); `kind` (the traits of a kind of
//! test); `parse`; `kinds` (the table of them, one file each); `edition` and `until_steady`;
//! `options` and `budget`; `plan`; `runner`; `serial` and `parallel` (order of the work); `choice`;
//! `estimate`; `conditions`; `run`; `repeat`.

mod budget;
mod choice;
mod conditions;
mod context;
mod cost;
pub mod edition;
mod enough;
mod estimate;
mod event;
mod host;
mod job;
mod kind;
pub mod kinds;
mod options;
mod outcome;
mod parallel;
mod parse;
mod plan;
mod preparation;
mod recorder;
mod repeat;
mod run;
mod runner;
mod scaled;
mod serial;
mod setting;
mod state;
mod timed;
mod until_steady;

pub use choice::{check_options, check_resumes, check_write_budget};
pub use cost::Cost;
pub use edition::Edition;
pub use enough::{Ending, EndsWhen};
pub use estimate::{
    Estimate, FILL_BYTES_PER_S, Outline, OutlinedPart, OutlinedTest, Prospect, estimate, outline,
};
pub use event::Event;
pub use job::{fill_job, load_job, sync_job};
pub use kind::Wanted;
pub use options::{DURATION_SCALE_MAX, Ended, MethodError, ReviewOptions};
pub use recorder::Save;
pub use repeat::{repetition_seed, run_review};
pub use stend_experiment::Slots;
pub use timed::TimedText;
pub use until_steady::SteadyLoad;
