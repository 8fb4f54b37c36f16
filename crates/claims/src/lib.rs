//! Published findings: the measurements that they need, and running these.
//!
//! | module | contents |
//! |---|---|
//! | [`article`] | an article's findings, with the edition that checks them |
//! | [`needs`] | the measurements that findings need: drives, tests, points, durations |
//! | [`experiments`] | findings that do not hold, checked with other values of a drive's figure |
//! | [`samples`] | findings on plausible versions of all drives: robustness and decisive figures |
//! | [`jobs`] | needed measurements as jobs for other processes and machines |
//! | [`mod@measure`] | reads results from a store such as the lab, or simulates them, one drive per thread |
//!
//! `stend_analysis::claims` then judges which findings hold.

pub mod article;
mod check;
pub mod error;
pub mod experiments;
pub mod jobs;
pub mod measure;
pub mod needs;
pub mod samples;

pub use article::CheckedArticle;
pub use error::ClaimsError;
pub use measure::{LabStore, Measured, Options, measure};
pub use needs::{MeasuredDrive, Measurement, judged, measurements, named_drives};
