//! The data of a run: fio's JSON document ([`fio`]), smartctl's ([`smart`]) and the review
//! ([`review`]), with the results of each kind of test ([`kinds`]). Plain data with serde; no
//! measuring, no drawing. [`histogram`] reads and writes latency distributions.

pub mod fio;
pub mod histogram;
pub mod kinds;
pub mod latency;
pub mod load;
pub mod model;
pub mod others;
pub mod review;
pub mod size;
pub mod smart;
pub mod study;
pub mod target;

use sha2::Digest;

pub use kinds::{benchmark, endurance, figure, traces};

/// SHA-256 of bytes, hexadecimal, as `sha256sum` prints it.
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    hex::encode(sha2::Sha256::digest(bytes))
}
