//! Errors of writing a report.

use std::path::PathBuf;

/// Error of writing a report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The folder could not be created or written to.
    #[error(
        "the report cannot be written to {path}: {source}; choose a folder that can be \
         written to and has room"
    )]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The existing page is not one of this program's.
    #[error("{}: it exists, and is not a page of stend's, so it is kept", .0.display())]
    Foreign(PathBuf),
    /// The existing `review.json` cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The existing `review.json` is not a review.
    #[error("{} is not a review of this program ({why})", path.display())]
    NoReview {
        /// The file.
        path: PathBuf,
        /// Reason.
        why: String,
    },
    /// The existing page is not a review's.
    #[error("{} holds the page of {of}", folder.display())]
    OtherPage {
        /// The folder.
        folder: PathBuf,
        /// Kind of the page.
        of: &'static str,
    },
    /// The existing review is kept.
    #[error("{} holds the {what}", folder.display())]
    Held {
        /// The folder.
        folder: PathBuf,
        /// Name of the existing review.
        what: String,
    },
    /// The review contains a value that cannot be written as JSON or HTML.
    #[error("the review cannot be put into a page: {0}")]
    Render(String),
}
