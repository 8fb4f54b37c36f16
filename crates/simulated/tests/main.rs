//! Tests of simulated drives as targets: jobs that end early, health in smartctl's format, the end
//! of life.
//!
//! One program for all of them: it is built and linked once, and its tests run in parallel.

#![allow(missing_docs)]

mod endurance;
mod interrupt;
mod interval_latency;
mod smart;
mod unwritten;
