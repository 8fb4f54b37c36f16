//! Interface to a target of any kind: the trait [`Target`], its jobs, its results and its errors.
//!
//! Code that measures a target through this crate alone sees what any host sees, and nothing of a
//! simulator.

mod contract;
mod error;
mod files;
mod reading;
mod silences;

pub use contract::{
    Completed, Deletion, Enough, FILL_REST_S, HostLimit, JobOutcome, JobRequest, Moved, Observer,
    ReplayOutcome, Target, WriteLimit, fill_job,
};
pub use error::{TargetError, failed, input, temporary};
pub use files::{FileOp, FileRequests, FileSet, FilesJob, FilesOutcome, directories, file_sets};
pub use reading::Reading;
pub use silences::Silences;
