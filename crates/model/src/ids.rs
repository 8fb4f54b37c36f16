//! Typed numbers of pages, superblocks, dies and commands, so that none can be used instead of
//! another. They cost nothing: each is its `u32`. The amount added to one, or the difference of
//! two, is a plain count.

use std::ops::{Add, AddAssign, Range, Sub};

use crate::spec::PAGE_BYTES;

/// The number of an item.
pub trait Id: Copy {
    /// The item with a number.
    fn of(number: u32) -> Self;
    /// The number.
    fn number(self) -> u32;
}

impl Id for u32 {
    #[inline(always)]
    fn of(number: u32) -> u32 {
        number
    }

    #[inline(always)]
    fn number(self) -> u32 {
        self
    }
}

/// A range of ids.
pub trait IdRange<T> {
    /// Each id, in order.
    fn each(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + Clone + use<Self, T>;
    /// Number of ids; 0 if the end lies before the start.
    fn count(&self) -> u32;
}

impl<T: Id> IdRange<T> for Range<T> {
    #[inline(always)]
    fn each(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + Clone + use<T> {
        (self.start.number()..self.end.number()).map(T::of)
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.end.number().saturating_sub(self.start.number())
    }
}

/// Defines types for numbers.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize,
            serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// Marks the absence of a number, which is never this large.
            pub const NONE: $name = $name(u32::MAX);

            /// Index in a table with an entry for each.
            #[inline(always)]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Id for $name {
            #[inline(always)]
            fn of(number: u32) -> $name {
                $name(number)
            }

            #[inline(always)]
            fn number(self) -> u32 {
                self.0
            }
        }

        impl From<u32> for $name {
            fn from(number: u32) -> $name {
                $name(number)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(to)
            }
        }

        /// The id `more` after this one.
        impl Add<u32> for $name {
            type Output = $name;

            #[inline(always)]
            fn add(self, more: u32) -> $name {
                $name(self.0 + more)
            }
        }

        impl AddAssign<u32> for $name {
            #[inline(always)]
            fn add_assign(&mut self, more: u32) {
                self.0 += more;
            }
        }

        /// The id `less` before this one.
        impl Sub<u32> for $name {
            type Output = $name;

            #[inline(always)]
            fn sub(self, less: u32) -> $name {
                $name(self.0 - less)
            }
        }

        /// The distance from another id to this one.
        impl Sub for $name {
            type Output = u32;

            #[inline(always)]
            fn sub(self, from: $name) -> u32 {
                self.0 - from.0
            }
        }
    )*};
}

ids! {
    /// Logical page number: 4 KiB of the host's address space.
    Lpn
    /// Physical page number: the place in flash of one logical page.
    Ppn
    /// A multi-plane page: the physical pages that one die senses at once.
    MpPage
    /// A superblock, those of the SLC cache before those of the data area.
    SuperblockId
    /// A row of a superblock: its multi-plane pages of equal number on all dies.
    Row
    /// A die; it is on channel `die % channels`.
    DieId
    /// A block of a die: one of each plane, which work together.
    BlockId
    /// A host command that the drive has accepted: its queue slot.
    CommandId
}

impl Lpn {
    /// The logical page that contains a byte.
    #[inline(always)]
    pub fn of_byte(byte: u64) -> Lpn {
        Lpn((byte / PAGE_BYTES) as u32)
    }

    /// The first logical page that begins at a byte or after it.
    #[inline(always)]
    pub fn from_byte(byte: u64) -> Lpn {
        Lpn(byte.div_ceil(PAGE_BYTES) as u32)
    }

    /// Its first byte.
    #[inline(always)]
    pub fn first_byte(self) -> u64 {
        u64::from(self.0) * PAGE_BYTES
    }
}

impl Ppn {
    /// Entry of the L2P that is mapped to nothing.
    pub const UNMAPPED: Ppn = Ppn(u32::MAX);
    /// Entry of the L2P that is mapped to lost data.
    pub const LOST: Ppn = Ppn(u32::MAX - 1);

    /// True if it is a place: neither unmapped nor lost.
    #[inline(always)]
    pub fn is_place(self) -> bool {
        self < Ppn::LOST
    }

    /// The multi-plane page that contains it, for `2^page_bits` pages each.
    #[inline(always)]
    pub fn mp_page(self, page_bits: u32) -> MpPage {
        MpPage(self.0 >> page_bits)
    }

    /// Its number within its multi-plane page.
    #[inline(always)]
    pub fn within_mp_page(self, page_bits: u32) -> u32 {
        self.0 & ((1 << page_bits) - 1)
    }
}

impl MpPage {
    /// Its first physical page, for `2^page_bits` pages each.
    #[inline(always)]
    pub fn first_ppn(self, page_bits: u32) -> Ppn {
        Ppn(self.0 << page_bits)
    }

    /// Its physical pages.
    #[inline(always)]
    pub fn ppns(self, page_bits: u32) -> Range<Ppn> {
        self.first_ppn(page_bits)..(self + 1).first_ppn(page_bits)
    }
}
