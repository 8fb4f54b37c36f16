//! Large tables of integers, in blocks of little-endian bytes.
//!
//! An entry is written as its difference from the one before: entries of data written in order
//! differ by a constant and compress well.

pub(crate) mod memory;

use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Error, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Deserializer, Serialize, Serializer};

/// Bytes of a block.
const BLOCK_BYTES: usize = 1 << 16;

/// The longest table: a page's number has 32 bits, and there is one more entry.
const LEN_MAX: u64 = 1 << 33;

/// An entry of a table.
pub(crate) trait Word: Copy + Default {
    /// Bytes of an entry.
    const BYTES: usize;
    /// Writes the difference from `before`.
    fn put(self, before: Self, bytes: &mut [u8]);
    /// Reads what [`Word::put`] wrote.
    fn take(before: Self, bytes: &[u8]) -> Self;
}

macro_rules! word {
    ($($word:ty),*) => {$(
        impl Word for $word {
            const BYTES: usize = size_of::<$word>();

            #[inline]
            fn put(self, before: Self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.wrapping_sub(before).to_le_bytes());
            }

            #[inline]
            fn take(before: Self, bytes: &[u8]) -> Self {
                let difference = bytes.try_into().expect("an entry is cut out whole");
                before.wrapping_add(<$word>::from_le_bytes(difference))
            }
        }
    )*};
}
word!(u32, u64);

/// Writes a table.
pub(crate) fn serialize<T: Word, S: Serializer>(table: &[T], to: S) -> Result<S::Ok, S::Error> {
    serialize_rows(table.len(), std::iter::once(table), to)
}

/// Writes a table of `len` entries that lie in several rows; all rows except the last are whole
/// blocks.
pub(crate) fn serialize_rows<T: Word, S: Serializer>(
    len: usize,
    rows: impl Iterator<Item: AsRef<[T]>> + Clone,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut tuple = to.serialize_tuple(2)?;
    tuple.serialize_element(&(len as u64))?;
    let blocks = len.div_ceil(BLOCK_BYTES / T::BYTES);
    let word = PhantomData::<T>;
    tuple.serialize_element(&Blocks { blocks, rows, word })?;
    tuple.end()
}

struct Blocks<I, T> {
    blocks: usize,
    rows: I,
    word: PhantomData<T>,
}

impl<T: Word, I: Iterator<Item: AsRef<[T]>> + Clone> Serialize for Blocks<I, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut seq = to.serialize_seq(Some(self.blocks))?;
        let mut bytes = vec![0; BLOCK_BYTES];
        let mut before = T::default();
        for row in self.rows.clone() {
            for block in row.as_ref().chunks(BLOCK_BYTES / T::BYTES) {
                let bytes = &mut bytes[..block.len() * T::BYTES];
                for (&entry, place) in block.iter().zip(bytes.chunks_exact_mut(T::BYTES)) {
                    entry.put(before, place);
                    before = entry;
                }
                seq.serialize_element(&Bytes(bytes))?;
            }
        }
        seq.end()
    }
}

struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(self.0)
    }
}

/// A table that is being read.
pub(crate) trait Filling<T> {
    /// An empty table with room for `len` entries.
    fn with_room(len: usize) -> Self;
    /// Adds entries, no more than there is room for.
    fn add(&mut self, entries: impl Iterator<Item = T>);
}

impl<T> Filling<T> for Vec<T> {
    fn with_room(len: usize) -> Vec<T> {
        memory::room(len)
    }

    fn add(&mut self, entries: impl Iterator<Item = T>) {
        self.extend(entries);
    }
}

/// Reads a table.
pub(crate) fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    deserialize_into(from)
}

/// Reads a table of any form.
pub(crate) fn deserialize_into<'de, T: Word, F: Filling<T>, D: Deserializer<'de>>(
    from: D,
) -> Result<F, D::Error> {
    from.deserialize_tuple(2, TableVisitor(PhantomData))
}

struct TableVisitor<T, F>(PhantomData<(T, F)>);

impl<'de, T: Word, F: Filling<T>> Visitor<'de> for TableVisitor<T, F> {
    type Value = F;

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("a table")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<F, A::Error> {
        let len: Option<u64> = parts.next_element()?;
        let len = len.filter(|&len| len <= LEN_MAX);
        let len = len.ok_or_else(|| A::Error::custom("a table of an impossible length"))?;
        let mut read = Read {
            table: F::with_room(len as usize),
            missing: len as usize,
            before: T::default(),
        };
        parts.next_element_seed(BlocksInto(&mut read))?;
        if read.missing == 0 {
            return Ok(read.table);
        }
        Err(A::Error::custom("a table of another length than it says"))
    }
}

/// State of a table that is being read.
struct Read<T, F> {
    table: F,
    /// Entries that are still missing.
    missing: usize,
    /// The last entry.
    before: T,
}

struct BlocksInto<'a, T, F>(&'a mut Read<T, F>);

impl<'de, T: Word, F: Filling<T>> DeserializeSeed<'de> for BlocksInto<'_, T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, T: Word, F: Filling<T>> Visitor<'de> for BlocksInto<'_, T, F> {
    type Value = ();

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("the blocks of a table")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut blocks: A) -> Result<(), A::Error> {
        while blocks.next_element_seed(BlockInto(&mut *self.0))?.is_some() {}
        Ok(())
    }
}

struct BlockInto<'a, T, F>(&'a mut Read<T, F>);

impl<'de, T: Word, F: Filling<T>> DeserializeSeed<'de> for BlockInto<'_, T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_byte_buf(self)
    }
}

impl<T: Word, F: Filling<T>> Visitor<'_> for BlockInto<'_, T, F> {
    type Value = ();

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("a block of a table")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<(), E> {
        let Read {
            table,
            missing,
            before,
        } = self.0;
        let entries = bytes.chunks_exact(T::BYTES);
        *missing = missing
            .checked_sub(entries.len())
            .ok_or_else(|| E::custom("a table longer than it says"))?;
        table.add(entries.map(|entry| {
            *before = T::take(*before, entry);
            *before
        }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Tables {
        #[serde(with = "super")]
        short: Vec<u32>,
        #[serde(with = "super")]
        long: Vec<u64>,
    }

    #[test]
    fn tables_come_back_whatever_their_length() {
        let block = BLOCK_BYTES / 4;
        for len in [0, 1, block - 1, block, block + 1, 3 * block + 7] {
            let short: Vec<u32> = (0..len as u32)
                .map(|n| n.wrapping_mul(2_654_435_761))
                .collect();
            let long: Vec<u64> = short
                .iter()
                .map(|&n| u64::MAX - u64::from(n) * 977)
                .collect();
            let bytes = postcard::to_stdvec(&Tables {
                short: short.clone(),
                long: long.clone(),
            });
            let back: Tables = postcard::from_bytes(&bytes.unwrap()).unwrap();
            assert_eq!((back.short, back.long), (short, long), "{len} entries");
        }
    }

    #[test]
    fn tables_that_lie_about_their_length_are_refused() {
        let table = vec![1u32, 2, 3];
        let tables = Tables {
            short: table,
            long: vec![],
        };
        let good = postcard::to_stdvec(&tables).unwrap();
        assert_eq!(good[0], 3, "the length comes first");
        assert!(postcard::from_bytes::<Tables>(&good).is_ok());
        for length in [0, 2, 4, 100] {
            let mut bad = good.clone();
            bad[0] = length;
            let refused = postcard::from_bytes::<Tables>(&bad);
            assert!(refused.is_err(), "{length} of 3");
        }
    }
}
