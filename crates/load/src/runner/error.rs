//! Reasons why a run ended early.

use crate::fault::{EndOfTime, Stalled};
use crate::jobfile::Place;

/// Reason why a job file was not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// A job does not fit the device.
    #[error("{place}: {problem}")]
    DoesNotFit {
        /// Place of the section.
        place: Place,
        /// The part that does not fit, and what would fit.
        problem: String,
    },
    /// The device completes no more requests.
    #[error(transparent)]
    Stalled(#[from] Stalled),
    /// The device's virtual time ends before the run does; nothing is in flight any more.
    #[error(transparent)]
    EndOfTime(#[from] EndOfTime),
    /// The progress callback stopped the run ([`Flow::Stop`](super::Flow::Stop)). Requests are
    /// still in flight: the device must not be used for another run.
    #[error("the run was stopped")]
    Stopped,
}
