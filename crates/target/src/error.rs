//! Why a target cannot be used.

/// Why a target could not be opened or a job not be run.
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
    /// The operating system or the tool failed. Exit code 6.
    #[error("{0}")]
    Failed(String),
}
