//! Account of lost pages, for tests that check whether the drive had to lose them. Outside this
//! crate's own tests nothing is kept, and it costs nothing.

#[cfg(test)]
mod account;
#[cfg(not(test))]
mod none;

#[cfg(test)]
pub(in crate::sim) use account::pages_of;
#[cfg(test)]
pub use account::{Loss, LossCause, Losses};
#[cfg(not(test))]
pub(in crate::sim) use none::Losses;
