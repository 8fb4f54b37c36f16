//! One file a command.

pub mod drives;
pub mod review;
pub mod run;
