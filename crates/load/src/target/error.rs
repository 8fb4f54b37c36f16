//! Reasons for which a target cannot be used.

use std::fmt::Display;
use std::io;
use std::path::Path;

/// Reason for which a target could not be opened, or a job could not be run.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// Bad input: an unknown drive, a bad model or job file. Exit code 3.
    #[error("{0}")]
    Input(String),
    /// The target must not be touched: mounted, held, in use, serial number missing. Exit code 4.
    #[error("{0}")]
    Refused(String),
    /// A tool is missing. Exit code 5.
    #[error("{0}")]
    ToolMissing(String),
    /// The target was removed while it was in use. Exit code 6.
    #[error("{0}")]
    Removed(String),
    /// The operating system or the tool failed. Exit code 6.
    #[error("{0}")]
    Failed(String),
    /// Another thread ended the operation early: `SimulatedTarget::set_interrupt`.
    #[error("interrupted before its end")]
    Interrupted,
}

/// Returns the error for a bad input, with the text of its cause.
pub fn input(error: impl Display) -> TargetError {
    TargetError::Input(error.to_string())
}

/// Returns a function that converts a failure of the operating system at a path into an error:
/// `path: what: failure`.
pub fn failed<E: Display>(path: &Path, what: &str) -> impl Fn(E) -> TargetError {
    let beginning = format!("{}: {what}", path.display());
    move |error| TargetError::Failed(format!("{beginning}: {error}"))
}

/// Failure to create a temporary file, without the file's name, which is of no use to the user.
pub fn temporary(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(_) => error,
        None => error.kind().into(),
    }
}
