//! The data of a request: write buffer and write path, read path and read-ahead, streams, and
//! what becomes of data in flash that does not last.

pub(in crate::sim) mod fua;
pub(in crate::sim) mod hotness;
pub(in crate::sim) mod losses;
pub(in crate::sim) mod media;
pub(in crate::sim) mod read;
pub(in crate::sim) mod streams;
pub(in crate::sim) mod write;
