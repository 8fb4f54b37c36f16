//! One file or folder per command.

pub mod bench;
pub mod bench_case;
pub mod claims;
pub mod compare;
pub mod drive;
pub mod drives;
pub mod fit;
pub mod identify;
pub mod lab;
pub mod leave_one_out;
#[cfg(feature = "manual")]
pub mod manual;
pub mod measured;
pub mod replay;
pub mod report;
pub mod review;
pub mod run;
mod run_logs;
mod search;
pub mod serve;
pub mod sweep;
pub mod traces;
pub mod twin;
