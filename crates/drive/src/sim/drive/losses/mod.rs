//! What a drive tells of the pages that it loses, to tests that ask whether it had to. Without the
//! feature `fault-injection` nothing is kept, and it costs nothing.

#[cfg(feature = "fault-injection")]
mod account;
#[cfg(not(feature = "fault-injection"))]
mod none;

#[cfg(feature = "fault-injection")]
pub(in crate::sim) use account::Losses;
#[cfg(feature = "fault-injection")]
pub use account::{Loss, LossCause};
#[cfg(not(feature = "fault-injection"))]
pub(in crate::sim) use none::Losses;
