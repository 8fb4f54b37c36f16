//! Errors of a study.

use stend_config::{FileError, Problem, SourceText};
use stend_experiment::Interrupted;
use stend_lab::LabError;

/// Error of a study. A variant that fails is not an error: it is a row with its message.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The definition is wrong.
    #[error(transparent)]
    Definition(#[from] FileError),
    /// The lab cannot be read or written.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// It was interrupted; finished rows are kept.
    #[error("the study was interrupted")]
    Interrupted(#[from] Interrupted),
}

/// A fault in a definition, with its key.
pub(crate) struct Wrong {
    /// Path of the key, `factor[1].key`; empty for the study as a whole.
    pub(crate) path: String,
    pub(crate) message: String,
}

impl Wrong {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Wrong {
        Wrong {
            path: path.into(),
            message: message.into(),
        }
    }

    /// Converts it to an error with the place in the file, if the source is a file.
    pub(crate) fn of(self, source: &Source) -> StudyError {
        let Source { file, text } = source;
        let path = (!self.path.is_empty()).then_some(self.path);
        StudyError::Definition(match (path, text) {
            (Some(path), Some(text)) => SourceText { file, text }
                .fail_path::<()>(&path, self.message)
                .expect_err("it fails always"),
            (key, _) => FileError::from(Problem {
                file: file.clone(),
                line: None,
                key,
                message: self.message,
            }),
        })
    }
}

/// Source of a definition, for messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    /// A path, or another name.
    pub(crate) file: String,
    /// Its TOML text; `None` for JSON.
    pub(crate) text: Option<String>,
}
