//! The nouns that a run leaves behind: fio's JSON document ([`fio`]), smartctl's
//! ([`smart`]) and the review ([`review`], with [`benchmark`], [`endurance`] and
//! [`traces`]). Plain data with serde; no measuring, no drawing.

pub mod benchmark;
pub mod endurance;
pub mod fio;
pub mod load;
pub mod review;
pub mod smart;
pub mod traces;
