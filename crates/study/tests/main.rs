//! The tests of this crate.

mod study;
