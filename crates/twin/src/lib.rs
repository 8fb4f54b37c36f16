//! A drive model made from a review: its structure from what was inferred of the drive and from
//! the parts that the user names, its free figures fitted to some of the review's tests, its error
//! told by the others.
//!
//! | room | what |
//! |---|---|
//! | [`parts`] | parts of drive files, laid over each other key by key |
//! | [`told`] | what an identification says, as the draft asks for it |
//! | [`draft`] | the model before the fit: structure, dies, blocks, ranges |
//! | [`rows`] | the review's results as measured rows; what is held out |
//! | [`fitting`] | the search, and the file with what was found |
//! | [`errors`] | the twin's review beside the original's, test by test |
//!
//! Nothing here measures on targets, prints, or knows a clock. Same review, parts, identification
//! and seed: same model.

pub mod draft;
pub mod errors;
pub mod fitting;
pub mod parts;
pub mod rows;
pub mod told;

/// The schema of what `stend twin --json` prints.
pub const SCHEMA: &str = "stend.twin/1";

/// Why there is no twin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TwinError {
    /// A part that is no part, or parts that do not fit each other, or lack something.
    #[error("{0}")]
    Parts(String),
    /// A review from which nothing can be made.
    #[error("{0}")]
    Review(String),
    /// The figures make no sound model, or could not be fitted.
    #[error("{0}")]
    Model(String),
}
