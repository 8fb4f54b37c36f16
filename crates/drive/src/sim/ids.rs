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
