//! What is tested: a simulated drive, or fio on a real one, behind one small trait.

pub mod contract;
pub mod error;
pub mod files;
pub mod harm;
pub mod monitor;
pub mod real;
pub mod simulated;
pub mod smart;
pub mod state;

pub use contract::{
    Completed, Deletion, FILL_JOB, HostLimit, JobOutcome, JobRequest, LoggedOutcome,
    RefusedOutcome, ReplayOutcome, Target, WriteLimit,
};
pub use error::TargetError;
pub use files::{FileOp, FileRequests, FileSet, FilesJob, FilesOutcome, file_sets};
pub use monitor::Reading;
pub use simulated::{SimulatedTarget, Streamed, model_info};
pub use state::{Access, is_state_file};
pub use stend_load::Sample;
pub use stend_load::runner::Progress;
