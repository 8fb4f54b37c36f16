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
    #[error("{}: it exists, and is no page of stend's, so it is kept", .0.display())]
    Foreign(PathBuf),
    /// There is a file where the review would be, which cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// There is a file where the review would be, which is none.
    #[error("{} is not a review of this program ({why})", path.display())]
    NoReview {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The page there is of something else.
    #[error("{} holds the page of {of}", folder.display())]
    OtherPage {
        /// The folder.
        folder: PathBuf,
        /// What it is of.
        of: &'static str,
    },
    /// The review there is kept.
    #[error("{} holds the {what}", folder.display())]
    Held {
        /// The folder.
        folder: PathBuf,
        /// Which review it is.
        what: String,
    },
    /// The review holds something that cannot be written as JSON or HTML.
    #[error("the review cannot be put into a page: {0}")]
    Render(String),
}
