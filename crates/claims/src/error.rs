//! Errors before a finding is judged.

use stend_config::FileError;
use stend_experiment::Interrupted;
use stend_lab::LabError;
use stend_method::MethodError;

/// Reason why findings could not be checked on their drives.
#[derive(Debug, thiserror::Error)]
pub enum ClaimsError {
    /// A file of findings is wrong, or names something that does not exist.
    #[error("{0}")]
    Input(String),
    /// A drive file or an edition is wrong.
    #[error(transparent)]
    File(#[from] FileError),
    /// The edition cannot be run with these options.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The lab cannot be read or written.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The measurement was interrupted; results of finished drives are stored.
    #[error("interrupted; finished drives are kept")]
    Interrupted(#[from] Interrupted),
}
