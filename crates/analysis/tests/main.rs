//! Tests of the analysis on curves and figures whose truth is known.
//!
//! One program for all of them: it is built and linked once, and its tests run in parallel.

#![allow(missing_docs)]

mod claims;
mod common;
mod compare;
mod findings;
mod headline;
mod recovery;
mod same_load;
mod sentences;
mod steady;
mod steps;
mod verdict;
