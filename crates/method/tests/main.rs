//! The methodology on targets that are simulated, scripted or broken on purpose.
//!
//! One program for all of them: it is built and linked once, and its tests run in parallel.

#![allow(missing_docs)]

mod common;
mod edition;
mod endurance;
mod enough;
mod files;
mod fio_reads_the_jobs;
mod ladder;
mod languages;
mod no_trim;
mod parts;
mod plan;
mod read_only;
mod repeat;
mod review;
mod rounds;
mod scaled;
mod sync;
mod timed;
mod traces;
