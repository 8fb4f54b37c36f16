//! The program from outside: commands, files, exit codes.
//!
//! A single test program: it is built and linked once, and its tests run in parallel.

#![allow(missing_docs)]

mod bad_input;
mod bench;
mod claims;
mod common;
mod drive_real;
mod drives;
mod endurance;
mod exact_jobs;
mod file_safety;
mod fit;
#[cfg(feature = "fit")]
mod fit_leave_one_out;
mod fuzz;
mod identify;
mod identify_page;
mod kills;
mod lab;
#[cfg(feature = "web")]
mod lab_serve;
mod lab_trouble;
mod languages;
mod permissions;
mod plan;
mod repeat;
mod replay;
mod review;
mod rivals;
mod run;
mod serve;
mod state;
mod steady;
mod sweep;
mod twin;
mod variants;
