//! Why a study cannot be carried out.

use stend_config::{FileError, Problem, Text};
use stend_lab::LabError;

/// Why a study cannot be carried out. A variant that fails is none: it is a row with its error.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The definition is wrong.
    #[error(transparent)]
    Definition(#[from] FileError),
    /// The lab cannot be read or written.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// It was interrupted; rows that were done are kept.
    #[error("the study was interrupted")]
    Interrupted,
}

/// What is wrong with a definition, and at which key.
pub(crate) struct Wrong {
    /// As `factor[1].key`; empty for the study as a whole.
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

    /// As an error of the text of a file, or of what is none.
    pub(crate) fn of(self, source: &Source) -> StudyError {
        let Source { file, text } = source;
        let path = (!self.path.is_empty()).then_some(self.path);
        StudyError::Definition(match (path, text) {
            (Some(path), Some(text)) => Text { file, text }
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

/// Where a definition is from, for messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    /// A path, or another name.
    pub(crate) file: String,
    /// In TOML, if it is.
    pub(crate) text: Option<String>,
}
