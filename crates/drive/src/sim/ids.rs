//! Typed numbers of the simulation: those of the geometry, and streams of writes.

pub(crate) use stend_model::ids::{
    BlockId, CommandId, DieId, Id, IdRange, Lpn, MpPage, Ppn, Row, SuperblockId,
};

use crate::table::Word;

/// Allows tables to store the numbers of these types.
macro_rules! words {
    ($($name:ident)*) => {$(
        impl Word for $name {
            const BYTES: usize = <u32 as Word>::BYTES;

            #[inline]
            fn put(self, before: $name, bytes: &mut [u8]) {
                self.0.put(before.0, bytes);
            }

            #[inline]
            fn take(before: $name, bytes: &[u8]) -> $name {
                $name(u32::take(before.0, bytes))
            }
        }
    )*};
}

words! { BlockId CommandId DieId Lpn MpPage Ppn Row SuperblockId }

/// Maximum number of streams of the host.
pub(crate) const STREAMS_HOST_MAX: usize = 4;
/// Maximum number of streams: those of the host and of GC, numbered alternately, and after the last
/// of GC the one of wear levelling. A power of two, so that a number is taken modulo it rather than
/// checked.
pub(crate) const STREAMS_MAX: usize = (2 * (STREAMS_HOST_MAX + 1)).next_power_of_two();

/// Number of a stream of writes: even numbers are the host's, odd ones GC's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct StreamId(u8);

impl StreamId {
    /// The host's stream; of several, the one for the coldest data, or for data that enters the SLC
    /// cache.
    pub const HOST: StreamId = StreamId(0);
    /// The host's stream for data that bypasses the SLC cache: long requests, or the superblock of
    /// the data area that the host has set aside.
    pub const BYPASSING: StreamId = StreamId(2);
    /// GC's stream; of several, the one for data that was not relocated before.
    pub const GC: StreamId = StreamId(1);

    /// The host's stream for data of a heat, 0 for the coldest.
    #[inline]
    pub fn host(heat: u32) -> StreamId {
        StreamId(2 * heat as u8)
    }

    /// GC's stream for data that has been relocated `generation` times before.
    #[inline]
    pub fn gc(generation: u8) -> StreamId {
        StreamId(2 * generation + 1)
    }

    /// The stream with a number.
    #[inline]
    pub fn nth(number: usize) -> StreamId {
        StreamId(number as u8)
    }

    /// True if the stream is the host's.
    #[inline]
    pub fn is_host(self) -> bool {
        self.0 & 1 == 0
    }

    /// Its number, below [`STREAMS_MAX`].
    #[inline]
    pub fn number(self) -> usize {
        self.0 as usize % STREAMS_MAX
    }

    /// Relocations of the data of this stream.
    pub fn generation(self) -> u8 {
        if self.is_host() { 0 } else { self.0 / 2 + 1 }
    }
}

/// A row of the block that a superblock has on a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct BlockRow {
    pub superblock: SuperblockId,
    pub row: Row,
    pub die: DieId,
}
