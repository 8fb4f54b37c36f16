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
    /// The page there is none of this program's.
    #[error(
        "{}: it exists, and is no page of stend's, so it is kept; choose another folder with \
         --out, or move it away", .0.display()
    )]
    Foreign(PathBuf),
    /// The review holds something that cannot be written as JSON or HTML.
    #[error("the review cannot be put into a page: {0}")]
    Render(String),
}
