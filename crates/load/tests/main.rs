//! Loads, job files, traces and work on files.
//!
//! One program for all of them: it is built and linked once, and its tests run side by side.

#![allow(missing_docs)]

mod ext4;
mod files;
mod fio;
mod jobfile;
mod options;
mod pattern;
mod report;
mod runner;
mod trace;
