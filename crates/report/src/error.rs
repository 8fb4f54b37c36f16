//! Why a report could not be written.

use std::path::PathBuf;

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
