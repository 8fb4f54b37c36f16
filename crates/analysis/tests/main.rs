//! What is told from curves and figures, on data whose truth is known.
//!
//! One program for all of them: it is built and linked once, and its tests run side by side.

#![allow(missing_docs)]

mod claims;
mod common;
mod compare;
mod findings;
mod headline;
mod recovery;
mod same_load;
mod steady;
mod steps;
mod verdict;
