//! Drive files from outside: parts, tables, free figures, and messages about mistakes.
//!
//! They are a module of the crate's own test program (`src/lib.rs`): it is built and linked once.

#![allow(missing_docs)]

mod free;
mod names;
mod parts;
mod tables;
