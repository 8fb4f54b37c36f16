//! Makes a drive model from a review: its structure comes from inferred properties of the drive and
//! from the parts that the user names, its free figures are fitted to some of the review's tests,
//! and its error is measured with the others.
//!
//! | module | contents |
//! |---|---|
//! | [`parts`] | parts of drive files, merged key by key |
//! | [`told`] | access to the properties of an identification |
//! | [`draft`] | the model before the fit: structure, dies, blocks, ranges |
//! | [`rows`] | the review's results as measured rows; held-out tests |
//! | [`fitting`] | the search, and the file with the fitted values |
//! | [`errors`] | compares the twin's review with the original's, test by test |
//!
//! Nothing here measures on targets, prints, or reads a clock. The same review, parts,
//! identification and seed give the same model.

pub mod draft;
pub mod errors;
pub mod fitting;
pub mod parts;
pub mod rows;
pub mod told;

/// Schema of the output of `stend twin --json`.
pub const SCHEMA: &str = "stend.twin/1";

/// Reason why there is no twin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TwinError {
    /// A text that is no part, or parts that are incompatible or incomplete.
    #[error("{0}")]
    Parts(String),
    /// A review that cannot be used.
    #[error("{0}")]
    Review(String),
    /// The figures make an invalid model, or could not be fitted.
    #[error("{0}")]
    Model(String),
}
