//! Typed numbers: of pages, superblocks, dies and commands, so that none can stand in another's
//! place. They cost nothing: each is its `u32`. What is added to one, or lies between two, is a
//! count.

use std::ops::{Add, AddAssign, Range, Sub};

use crate::spec::PAGE_BYTES;

/// A number of something.
pub trait Id: Copy {
    /// What has a number.
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
    /// Each of them, in order.
    fn each(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + Clone + use<Self, T>;
    /// How many they are; 0 where the end lies before the start.
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

/// Makes a type for the number of something.
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
            /// No number: nothing has one so large.
            pub const NONE: $name = $name(u32::MAX);

            /// Place in a table with an entry for each.
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

        /// The one so many further on.
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

        /// The one so many before.
        impl Sub<u32> for $name {
            type Output = $name;

            #[inline(always)]
            fn sub(self, less: u32) -> $name {
                $name(self.0 - less)
            }
        }

        /// How many it is from another to this one.
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
    /// A multi-plane page: what one die senses at once, some physical pages.
    MpPage
    /// A superblock, those of the SLC cache before those of the data area.
    SuperblockId
    /// A row of a superblock: its multi-plane pages of equal number on all dies.
    Row
    /// A die; it hangs on channel `die % channels`.
    DieId
    /// A block of a die: one of each plane, which work together.
    BlockId
    /// A host command that the drive has accepted: its queue slot.
    CommandId
}

impl Lpn {
    /// The logical page that a byte lies in.
    #[inline(always)]
    pub fn of_byte(byte: u64) -> Lpn {
        Lpn((byte / PAGE_BYTES) as u32)
    }

    /// The first logical page that begins at a byte or behind it.
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
    /// In the L2P: mapped to nothing.
    pub const UNMAPPED: Ppn = Ppn(u32::MAX);
    /// In the L2P: mapped to data that is lost.
    pub const LOST: Ppn = Ppn(u32::MAX - 1);

    /// Whether it is a place: neither unmapped nor lost.
    #[inline(always)]
    pub fn is_place(self) -> bool {
        self < Ppn::LOST
    }

    /// The multi-plane page that it lies in, where these have `2^page_bits` pages.
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
    /// Its first physical page, where it has `2^page_bits`.
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
