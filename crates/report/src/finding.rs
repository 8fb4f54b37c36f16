//! What a report is given in words, and why it could not be written.

use std::path::PathBuf;

/// A part of the verdict, in words (`stend_analysis::findings`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about, in a few words.
    pub title: String,
    /// What was found, in sentences with figures and units.
    pub text: String,
}

impl From<(String, String)> for Finding {
    fn from((title, text): (String, String)) -> Finding {
        Finding { title, text }
    }
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The folder could not be made or written into.
    #[error(
        "the report cannot be written to {path}: {source}; choose a folder that can be \
         written to and has room"
    )]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The review holds something that cannot be written as JSON or HTML.
    #[error("the review cannot be put into a page: {0}")]
    Render(String),
}
