//! The tables and keys of a drive model file, and the figures of a simulation that they become.
//!
//! A key is declared once, in its table ([`tables`]): its type, its range, its documentation, and
//! the figure of [`spec::Spec`] that it becomes.

pub(crate) mod compose;
mod convert;
pub mod document;
pub(crate) mod free;
pub(crate) mod key;
pub(crate) mod renamed;
mod resolve;
pub(crate) mod rules;
pub(crate) mod setting;
pub mod spec;
pub mod tables;
mod types;

pub use tables::Model;

/// Schema of model files.
pub const SCHEMA: &str = "stend.drive/2";
