//! The write buffer in DRAM: written data until it is programmed, and FUA writes that wait for it.

mod fua;
mod unprogrammed;
pub(in crate::sim) mod write_buffer;
