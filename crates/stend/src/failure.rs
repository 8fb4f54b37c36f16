//! The failures of a command, and the exit code of each. The codes are documented in
//! `docs/exit-codes.md` and in `stend --help`.

use std::path::Path;

use stend_claims::ClaimsError;
use stend_config::FileError;
use stend_lab::LabError;
use stend_load::JobError;
use stend_load::target::TargetError;
use stend_method::MethodError;
use stend_report::ReportError;
use stend_study::StudyError;

/// A failure of the whole command.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An input of the user is wrong. Exit code 3.
    #[error("{0}")]
    Input(String),
    /// The target must not be changed. Exit code 4.
    #[error("{0}")]
    Refused(String),
    /// A tool is missing. Exit code 5.
    #[error("{0}")]
    ToolMissing(String),
    /// The operating system or a tool failed. Exit code 6.
    #[error("{0}")]
    Io(String),
    /// Some tests did not finish; the others are saved and reported. Exit code 7.
    #[error("some tests did not finish")]
    Incomplete,
    /// A published finding does not hold; the outcome is already printed. Exit code 8.
    #[error("a finding does not hold")]
    Refuted,
}

impl Failure {
    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Input(_) => 3,
            Failure::Refused(_) => 4,
            Failure::ToolMissing(_) => 5,
            Failure::Io(_) => 6,
            Failure::Incomplete => 7,
            Failure::Refuted => 8,
        }
    }

    /// Error for a file that cannot be written.
    pub fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
        Failure::Io(format!(
            "cannot write {}: {error}; choose a place that can be written to",
            path.display()
        ))
    }

    /// Returns the failure with more text.
    pub fn with(self, more: &str) -> Failure {
        match self {
            Failure::Input(text) => Failure::Input(text + more),
            Failure::Refused(text) => Failure::Refused(text + more),
            Failure::ToolMissing(text) => Failure::ToolMissing(text + more),
            Failure::Io(text) => Failure::Io(text + more),
            silent @ (Failure::Incomplete | Failure::Refuted) => silent,
        }
    }

    /// True if everything about the failure has been reported already.
    pub fn is_silent(&self) -> bool {
        matches!(self, Failure::Incomplete | Failure::Refuted)
    }
}

/// Converts errors that are always a wrong input.
macro_rules! wrong_input {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::Input(error.to_string())
            }
        })*
    };
}

wrong_input!(JobError, FileError);

impl From<MethodError> for Failure {
    fn from(error: MethodError) -> Failure {
        match error {
            MethodError::BudgetMissing { .. }
            | MethodError::BudgetShared { .. }
            | MethodError::BudgetPrepared { .. } => Failure::Refused(error.to_string()),
            _ => Failure::Input(error.to_string()),
        }
    }
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Failure {
        match error {
            LabError::Foreign(_)
            | LabError::Missing(_)
            | LabError::Itself(_)
            | LabError::Newer { .. }
            | LabError::Older(_)
            | LabError::Damaged { .. }
            | LabError::NoRun { .. }
            | LabError::NoRecorded { .. }
            | LabError::NotDeleted { .. } => Failure::Input(error.to_string()),
            LabError::NotATable(_) | LabError::OtherSeries(_) | LabError::UnderWay { .. } => {
                Failure::Refused(error.to_string())
            }
            LabError::Folder { .. }
            | LabError::Locked(_)
            | LabError::Full(_)
            | LabError::ReadOnly { .. }
            | LabError::Moved { .. }
            | LabError::Export { .. }
            | LabError::Other { .. } => Failure::Io(error.to_string()),
        }
    }
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Failure {
        match error {
            StudyError::Definition(error) => error.into(),
            StudyError::Lab(error) => error.into(),
            StudyError::Interrupted(_) => Failure::Io(error.to_string()),
        }
    }
}

impl From<ClaimsError> for Failure {
    fn from(error: ClaimsError) -> Failure {
        match error {
            ClaimsError::Input(text) => Failure::Input(text),
            ClaimsError::File(error) => error.into(),
            ClaimsError::Method(error) => error.into(),
            ClaimsError::Lab(error) => error.into(),
            ClaimsError::Interrupted(_) => Failure::Io(error.to_string()),
        }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Failure {
        let elsewhere = || format!("{error}; choose another folder with --out, or move it away");
        match error {
            ReportError::Foreign(_) | ReportError::OtherPage { .. } => {
                Failure::Refused(elsewhere())
            }
            ReportError::NoReview { .. } | ReportError::Held { .. } => Failure::Input(elsewhere()),
            ReportError::Read { .. } => Failure::Io(elsewhere()),
            ReportError::Write { .. } | ReportError::Render(_) => Failure::Io(error.to_string()),
        }
    }
}

impl From<Failure> for TargetError {
    fn from(failure: Failure) -> TargetError {
        match failure {
            Failure::Input(text) => TargetError::Input(text),
            Failure::Refused(text) => TargetError::Refused(text),
            Failure::ToolMissing(text) => TargetError::ToolMissing(text),
            Failure::Io(_) | Failure::Incomplete | Failure::Refuted => {
                TargetError::Failed(failure.to_string())
            }
        }
    }
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Failure {
        match error {
            TargetError::Input(text) => Failure::Input(text),
            TargetError::Refused(text) => Failure::Refused(text),
            TargetError::ToolMissing(text) => Failure::ToolMissing(text),
            TargetError::Removed(text) | TargetError::Failed(text) => Failure::Io(text),
            TargetError::Interrupted => Failure::Io(error.to_string()),
        }
    }
}

#[cfg(feature = "web")]
impl From<stend_web::ServeError> for Failure {
    fn from(error: stend_web::ServeError) -> Failure {
        match error {
            stend_web::ServeError::Taken(_) => Failure::Io(error.to_string()),
            stend_web::ServeError::Io(_) => Failure::Io(error.to_string()),
            stend_web::ServeError::Lab(error) => error.into(),
        }
    }
}
