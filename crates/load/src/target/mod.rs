//! What can be asked of a target, whatever it is made of: the trait [`Target`], its jobs, its
//! answers and its errors.
//!
//! Who measures a target through this crate alone sees what any host sees, and nothing of a
//! simulator.

mod contract;
mod error;
mod files;
mod reading;

pub use contract::{
    Completed, Deletion, FILL_REST_S, HostLimit, JobOutcome, JobRequest, LoggedOutcome, Moved,
    RefusedOutcome, ReplayOutcome, Target, WriteLimit, condition, fill_job,
};
pub use error::{TargetError, failed, input, temporary};
pub use files::{FileOp, FileRequests, FileSet, FilesJob, FilesOutcome, directories, file_sets};
pub use reading::Reading;
