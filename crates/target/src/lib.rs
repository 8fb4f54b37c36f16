//! What is tested: a simulated drive, or fio on a real one, behind one small trait.

pub mod harm;
pub mod monitor;
pub mod real;
pub mod simulated;
pub mod smart;
pub mod state;

pub use monitor::Reading;
pub use simulated::{SimulatedTarget, Streamed, model_info};
pub use state::{Access, is_state_file};
pub use stend_contract::{
    Completed, Deletion, FileOp, FileRequests, FileSet, FilesJob, FilesOutcome, HostLimit,
    JobOutcome, JobRequest, LoggedOutcome, Progress, RefusedOutcome, ReplayOutcome, Sample, Target,
    TargetError, WriteLimit, file_sets, fill_job,
};
