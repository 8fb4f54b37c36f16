//! Targets on files, loop devices and in file systems, and their failures.
//!
//! A single test program: it is built and linked once, and its tests run in parallel.

#![allow(missing_docs)]

mod common;
mod devices;
mod endurance;
mod ext4_record;
mod failures;
mod file_safety;
mod files;
mod read_only;
mod work_on_files;
