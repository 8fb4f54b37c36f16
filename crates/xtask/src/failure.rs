//! The failures of a command, and the exit code of each, as in stend.

/// A failure of the whole command.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An input of the user is wrong. Exit code 3.
    #[error("{0}")]
    Input(String),
    /// A tool is missing. Exit code 5.
    #[error("{0}")]
    ToolMissing(String),
    /// The operating system or a tool failed. Exit code 6.
    #[error("{0}")]
    Io(String),
    /// Some cases did not finish. Exit code 7.
    #[error("some cases did not finish")]
    Incomplete,
    /// The source text has faults. Exit code 1.
    #[error("{0} problems of the source text, which the table of exceptions does not list")]
    Untidy(usize),
}

impl Failure {
    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Untidy(_) => 1,
            Failure::Input(_) => 3,
            Failure::ToolMissing(_) => 5,
            Failure::Io(_) => 6,
            Failure::Incomplete => 7,
        }
    }
}
