//! Buffers in DRAM: written data until it is programmed, and what is read ahead of the host.

mod fua;
pub(in crate::sim) mod write_buffer;
