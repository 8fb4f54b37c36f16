//! What a drive tells of the pages that it loses, to tests that ask whether it had to. Outside this
//! crate's own tests nothing is kept, and it costs nothing.

#[cfg(test)]
mod account;
#[cfg(not(test))]
mod none;

#[cfg(test)]
pub(in crate::sim) use account::Losses;
#[cfg(test)]
pub use account::{Loss, LossCause};
#[cfg(not(test))]
pub(in crate::sim) use none::Losses;
