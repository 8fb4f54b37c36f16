//! Numbers of things, each of a type of its own, so that none can stand in another's place.
//! They cost nothing: each is its `u32`.

/// Makes a type for the number of something.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
        )]
        #[serde(transparent)]
        pub(crate) struct $name(pub u32);

        impl $name {
            /// Place in a table with an entry for each.
            #[inline(always)]
            #[allow(dead_code)]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Logical page number: 4 KiB of the host's address space.
    Lpn
    /// Physical page number: the place in flash of one logical page.
    Ppn
    /// A multi-plane page: what one die senses at once, some physical pages.
    MpPage
    /// A superblock, those of the SLC cache before those of the data area.
    SuperblockId
    /// A die; it hangs on channel `die % channels`.
    DieId
    /// A host command that the drive has accepted: its queue slot.
    CommandId
}

/// Streams of the host at most.
pub(crate) const STREAMS_HOST_MAX: usize = 4;
/// Streams at most: those of the host and of GC, numbered in turn, and behind the last of GC the one
/// of wear levelling. A power of two, so that a number is taken modulo it rather than checked.
pub(crate) const STREAMS_MAX: usize = (2 * (STREAMS_HOST_MAX + 1)).next_power_of_two();

/// Who writes: even numbers are the host's, odd ones GC's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct StreamId(u8);

impl StreamId {
    /// The host's; of several, the one for the coldest data, or for what enters the SLC cache.
    pub const HOST: StreamId = StreamId(0);
    /// The host's for long requests, in a drive in which they bypass the SLC cache.
    pub const PAST_CACHE: StreamId = StreamId(2);
    /// GC's; of several, the one for what was not relocated before.
    pub const GC: StreamId = StreamId(1);

    /// The host's for data of a heat, 0 for the coldest.
    #[inline]
    pub fn host(heat: u32) -> StreamId {
        StreamId(2 * heat as u8)
    }

    /// GC's for data that was relocated so often before.
    #[inline]
    pub fn gc(generation: u8) -> StreamId {
        StreamId(2 * generation + 1)
    }

    /// The stream of a number.
    #[inline]
    pub fn nth(number: usize) -> StreamId {
        StreamId(number as u8)
    }

    /// Whether the host writes.
    #[inline]
    pub fn is_host(self) -> bool {
        self.0 & 1 == 0
    }

    /// Its number, below [`STREAMS_MAX`].
    #[inline]
    pub fn number(self) -> usize {
        self.0 as usize % STREAMS_MAX
    }

    /// How often the data of this stream has been relocated.
    pub fn generation(self) -> u8 {
        if self.is_host() { 0 } else { self.0 / 2 + 1 }
    }
}
