//! Simulated drives as targets: jobs that end early, health in smartctl's words, the end of life.
//!
//! One program for all of them: it is built and linked once, and its tests run side by side.

#![allow(missing_docs)]

mod endurance;
mod interrupt;
mod interval_latency;
mod smart;
