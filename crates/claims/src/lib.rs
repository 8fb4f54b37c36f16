//! Published findings: which measurements they need, and their execution.
//!
//! | room | what |
//! |---|---|
//! | [`article`] | an article's findings with the edition by which they are checked |
//! | [`needs`] | the measurements that findings need: which drives, tests and points, how long |
//! | [`experiments`] | findings that do not hold, with other values of a drive's figure |
//! | [`samples`] | the same of plausible versions of all drives: how sure findings are, and what decides |
//! | [`jobs`] | the same as jobs for other processes and machines |
//! | [`mod@measure`] | takes them from the lab, or simulates them, a drive a thread |
//!
//! `stend_analysis::claims` then says which findings hold.

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
pub use measure::{Event, Options, measure, program_sha256};
pub use needs::{MeasuredDrive, Measurement, measured_drives, measurements, named_drives};
