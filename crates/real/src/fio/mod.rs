//! fio: the job files that it gets, its program, its logs, and the speed of the machine without a
//! drive.

pub(crate) mod every_request;
pub(crate) mod job;
pub(crate) mod latency_log;
pub(crate) mod log;
pub(crate) mod machine_limit;
pub(crate) mod process_io;
pub(crate) mod program;
pub(crate) mod replay;
pub(crate) mod samples;
pub(crate) mod sectors;
