//! The review of a small drive, as rows and as a twin.

#![cfg(feature = "optimiser")]

mod rows;
mod small;
mod twin;
