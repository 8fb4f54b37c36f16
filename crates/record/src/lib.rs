//! The data that a run leaves behind: fio's JSON document ([`fio`]), smartctl's
//! ([`smart`]) and the review ([`review`]), with what each kind of test adds ([`kinds`]). Plain
//! data with serde; no measuring, no drawing. Latency distributions are read and written in
//! [`histogram`].

pub mod fio;
pub mod histogram;
pub mod kinds;
pub mod latency;
pub mod load;
pub mod model;
pub mod review;
pub mod smart;
pub mod study;

pub use kinds::{benchmark, endurance, traces};
