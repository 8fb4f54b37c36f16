//! What can go wrong before a finding is judged.

use stend_drive::model::ModelError;
use stend_lab::LabError;
use stend_method::{EditionError, MethodError};

/// Why findings could not be put to their drives.
#[derive(Debug, thiserror::Error)]
pub enum ClaimsError {
    /// A file of findings is wrong, or names what does not exist.
    #[error("{0}")]
    Input(String),
    /// A model file is wrong.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An edition is wrong.
    #[error(transparent)]
    Edition(#[from] EditionError),
    /// The edition cannot be run with these options.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The lab cannot be read.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The operating system failed.
    #[error("{0}")]
    Io(String),
}
