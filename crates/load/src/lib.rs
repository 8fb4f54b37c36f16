//! Loads: fio job files, access patterns, a runner in virtual time, statistics and reports in fio's
//! formats.
//!
//! | module | contents |
//! |---|---|
//! | [`files`] | sets of files, and the requests of copying, archiving and unpacking them |
//! | [`jobfile`] | parses fio job files; an unsupported option is an error that names it |
//! | [`pattern`] | offsets and lengths of requests |
//! | [`runner`] | runs a job file on any [`stend_base::Device`] |
//! | [`stats`] | latency distributions and their summaries |
//! | [`report`] | fio's JSON, fio's human output and fio's logs from a [`runner::RunResult`] |
//! | [`target`] | a target of any kind: its jobs, its answers, its errors |
//! | [`trace`] | traces: reading and writing them, replaying them on a device |
//! | [`testing`] | a device of constant latency |
//!
//! The crate does not depend on what serves the requests. There is no wall clock and no randomness
//! except [`stend_base::Rng`]: the same job file, seed and device state give the same requests at
//! the same instants on any machine.
//!
//! Units: sizes in bytes, time in nanoseconds of virtual time, unless a name says otherwise.

mod fault;
pub mod files;
pub mod jobfile;
pub mod pattern;
pub mod report;
pub mod runner;
pub mod stats;
pub mod target;
pub mod testing;
pub mod trace;

pub use fault::{EndOfTime, Stalled};
pub use jobfile::{JobError, JobFile};
pub use runner::{IntervalLatency, RunError, RunOptions, RunResult, Sample, run};
