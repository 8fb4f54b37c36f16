//! Pages and files of a review, read back like a browser and a program would.
//!
//! One program for all of them: it is built and linked once, and its tests run in parallel.

#![allow(missing_docs)]

mod accessibility;
mod axe;
mod browser;
mod common;
mod endurance;
mod energy;
mod files;
mod identification;
mod languages;
mod names;
mod narrow;
mod others;
mod page;
mod published;
mod repeated;
mod review_json;
mod study;
mod top;
