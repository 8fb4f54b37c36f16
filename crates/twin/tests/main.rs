//! The review of a small drive, as rows and as a twin.

mod rows;
mod small;
mod twin;
