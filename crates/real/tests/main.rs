//! Targets on files, loop devices and in file systems, and how they fail.
//!
//! One program for all of them: it is built and linked once, and its tests run side by side.

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
