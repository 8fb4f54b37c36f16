//! A large table that copies of a drive share.
//!
//! Each point of a review runs on its own copy of a prepared drive, and most change little of it:
//! one that reads changes nothing, one that writes for a minute the entries of that minute. Such a
//! copy holds what it has changed as blocks over the table that all share. One that has changed
//! much takes a table of its own, which is as fast as any. Nothing here changes a result.

use std::sync::Arc;

use super::reuse;
use crate::table as format;
use crate::table::memory;

/// Entries of a block: 256 KiB.
pub(super) const BLOCK_ENTRIES: u32 = 1 << 16;

/// Of so many blocks one may have changed before the whole table is copied.
const BLOCKS_FOR_ONE_CHANGED: usize = 3;

/// A table of which copies share what they have not changed.
#[derive(Clone, Debug)]
pub(super) struct SharedTable {
    len: usize,
    /// All entries; none where the table is shared.
    own: Entries,
    shared: Option<Box<Shared>>,
}

/// Entries whose memory is used again.
#[derive(Debug, Default)]
struct Entries(Vec<u32>);

impl Clone for Entries {
    fn clone(&self) -> Entries {
        Entries(reuse::copy(&self.0))
    }
}

impl Drop for Entries {
    fn drop(&mut self) {
        reuse::give_back(std::mem::take(&mut self.0));
    }
}

/// A table that others have too, and the blocks that were changed here.
#[derive(Clone, Debug)]
struct Shared {
    base: Arc<Entries>,
    changed: Vec<Option<Box<[u32]>>>,
    changed_count: usize,
}

impl Shared {
    fn new(base: Entries) -> Shared {
        Shared {
            changed: vec![None; base.0.len().div_ceil(BLOCK_ENTRIES as usize)],
            changed_count: 0,
            base: Arc::new(base),
        }
    }

    /// A block, as it is here.
    #[inline]
    fn block(&self, index: u32) -> &[u32] {
        let nth = (index / BLOCK_ENTRIES) as usize;
        if let Some(block) = &self.changed[nth] {
            return block;
        }
        let rest = &self.base.0[nth * BLOCK_ENTRIES as usize..];
        &rest[..rest.len().min(BLOCK_ENTRIES as usize)]
    }

    /// A block, to be changed; `None` if the whole table should be copied instead: there is nobody
    /// to share with, or too much has been changed.
    #[inline]
    fn block_to_change(&mut self, index: u32) -> Option<&mut [u32]> {
        let nth = (index / BLOCK_ENTRIES) as usize;
        if self.changed[nth].is_none() {
            let too_many = self.changed_count >= self.changed.len() / BLOCKS_FOR_ONE_CHANGED;
            if too_many || Arc::strong_count(&self.base) == 1 {
                return None;
            }
            self.changed_count += 1;
            self.changed[nth] = Some(self.block(index).into());
        }
        self.changed[nth].as_deref_mut()
    }

    /// All of it: a copy, unless nobody else has the table any more.
    fn whole(self) -> Entries {
        let mut whole = Arc::unwrap_or_clone(self.base);
        let blocks = whole.0.chunks_mut(BLOCK_ENTRIES as usize);
        for (block, changed) in blocks.zip(self.changed) {
            if let Some(changed) = changed {
                block.copy_from_slice(&changed);
            }
        }
        whole
    }
}

impl SharedTable {
    /// A table of `len` equal entries.
    pub fn new(value: u32, len: usize) -> SharedTable {
        SharedTable::of(reuse::table(value, len))
    }

    fn of(entries: Vec<u32>) -> SharedTable {
        SharedTable {
            len: entries.len(),
            own: Entries(entries),
            shared: None,
        }
    }

    /// Entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Lets copies made from now on share the table.
    pub fn share(&mut self) {
        if self.shared.as_ref().is_some_and(|s| s.changed_count == 0) {
            return;
        }
        self.own_all();
        let all = std::mem::take(&mut self.own);
        self.shared = Some(Box::new(Shared::new(all)));
    }

    /// An entry.
    #[inline(always)]
    pub fn get(&self, index: u32) -> u32 {
        match self.own.0.get(index as usize) {
            Some(&entry) => entry,
            None => self.block(index)[(index % BLOCK_ENTRIES) as usize],
        }
    }

    /// An entry, to be changed.
    #[inline(always)]
    pub fn entry(&mut self, index: u32) -> &mut u32 {
        if (index as usize) < self.own.0.len() {
            &mut self.own.0[index as usize]
        } else {
            &mut self.shared_row(index, 1)[0]
        }
    }

    /// Entries in a row of one block, `None` where they are not all there.
    #[inline(always)]
    pub fn row(&self, first: u32, count: u32) -> Option<&[u32]> {
        let own = self.own.0.get(first as usize..(first + count) as usize);
        own.or_else(|| self.shared_row_of(first, count))
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// Where they are not all there.
    #[inline(always)]
    pub fn row_to_change(&mut self, first: u32, count: u32) -> &mut [u32] {
        if ((first + count) as usize) <= self.own.0.len() {
            &mut self.own.0[first as usize..(first + count) as usize]
        } else {
            self.shared_row(first, count)
        }
    }

    /// Asks the processor to fetch an entry, if it is there.
    #[inline(always)]
    pub fn prefetch(&self, index: u32) {
        if self.shared.is_some() {
            return self.prefetch_shared(index);
        }
        memory::prefetch(&self.own.0, index as usize);
    }

    /// Makes all entries equal.
    pub fn fill(&mut self, value: u32) {
        if self.shared.is_some() {
            *self = SharedTable::new(value, self.len);
        } else {
            self.own.0.fill(value);
        }
    }

    #[inline(never)]
    fn block(&self, index: u32) -> &[u32] {
        let shared = self.shared.as_ref();
        shared.map_or(&[], |shared| shared.block(index))
    }

    #[inline(never)]
    fn shared_row_of(&self, first: u32, count: u32) -> Option<&[u32]> {
        if (first + count) as usize > self.len {
            return None;
        }
        let place = (first % BLOCK_ENTRIES) as usize;
        self.block(first).get(place..place + count as usize)
    }

    #[inline(never)]
    fn shared_row(&mut self, first: u32, count: u32) -> &mut [u32] {
        assert!(
            (first + count) as usize <= self.len,
            "there are no such entries"
        );
        let shared = self.shared.as_mut();
        let can_change = shared.is_some_and(|shared| shared.block_to_change(first).is_some());
        if !can_change {
            self.own_all();
        }
        let shared = self.shared.as_mut();
        match shared.and_then(|shared| shared.block_to_change(first)) {
            Some(block) => &mut block[(first % BLOCK_ENTRIES) as usize..][..count as usize],
            None => &mut self.own.0[first as usize..(first + count) as usize],
        }
    }

    #[inline(never)]
    fn prefetch_shared(&self, index: u32) {
        if (index as usize) < self.len {
            memory::prefetch(self.block(index), (index % BLOCK_ENTRIES) as usize);
        }
    }

    /// Ends the sharing.
    fn own_all(&mut self) {
        if let Some(shared) = self.shared.take() {
            self.own = shared.whole();
        }
    }
}

impl serde::Serialize for SharedTable {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let firsts = (0..self.len as u64).step_by(BLOCK_ENTRIES as usize);
        let row = |first| {
            let count = BLOCK_ENTRIES.min((self.len as u64 - first) as u32);
            self.row(first as u32, count).expect("it is there")
        };
        format::serialize_rows(self.len, firsts.map(row), to)
    }
}

impl<'de> serde::Deserialize<'de> for SharedTable {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<SharedTable, D::Error> {
        format::deserialize(from).map(SharedTable::of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many blocks, the last of them short.
    const BLOCKS: u32 = 4 * BLOCKS_FOR_ONE_CHANGED as u32;
    const LEN: u32 = BLOCKS * BLOCK_ENTRIES - 1000;

    fn table() -> SharedTable {
        SharedTable::of((0..LEN).collect())
    }

    fn all(table: &SharedTable) -> Vec<u32> {
        (0..LEN).map(|index| table.get(index)).collect()
    }

    #[test]
    fn copies_share_what_they_do_not_change() {
        let mut table = table();
        table.share();
        let mut one = table.clone();
        table.share();
        let other = table.clone();
        *one.entry(BLOCK_ENTRIES) = 8;
        one.row_to_change(LEN - 2, 2).copy_from_slice(&[9, 10]);
        let same = |nth: u32| {
            let first = nth * BLOCK_ENTRIES;
            std::ptr::eq(one.block(first), table.block(first))
        };
        let shared: Vec<bool> = (0..BLOCKS).map(same).collect();
        let expected: Vec<bool> = (0..BLOCKS).map(|b| b != 1 && b != BLOCKS - 1).collect();
        assert_eq!(shared, expected);
        assert!(
            std::ptr::eq(other.block(0), one.block(0)),
            "sharing it again copies nothing"
        );
        let mut expected: Vec<u32> = (0..LEN).collect();
        assert!(all(&table) == expected && all(&other) == expected);
        expected[BLOCK_ENTRIES as usize] = 8;
        expected[LEN as usize - 2..].copy_from_slice(&[9, 10]);
        assert!(all(&one) == expected && all(&one.clone()) == expected);
    }

    #[test]
    fn what_changes_much_becomes_a_table_of_its_own() {
        let mut table = table();
        table.share();
        let mut one = table.clone();
        let mut expected = all(&table);
        for block in 0..BLOCKS {
            assert_eq!(
                one.shared.is_some(),
                block <= BLOCKS / BLOCKS_FOR_ONE_CHANGED as u32,
                "after {block} blocks"
            );
            *one.entry(block * BLOCK_ENTRIES + 7) = block;
            expected[(block * BLOCK_ENTRIES + 7) as usize] = block;
        }
        assert!(all(&one) == expected);
        assert_eq!(all(&table), (0..LEN).collect::<Vec<u32>>());
    }

    #[test]
    fn who_is_alone_with_a_table_changes_it_in_its_place() {
        let mut table = table();
        let place = table.own.0.as_ptr();
        table.share();
        let mut copy = table.clone();
        *copy.entry(3) = 8;
        drop(table);
        *copy.entry(BLOCK_ENTRIES) = 9;
        assert_eq!(copy.own.0.as_ptr(), place);
        assert_eq!(
            (copy.get(3), copy.get(4), copy.get(BLOCK_ENTRIES)),
            (8, 4, 9)
        );
    }

    #[test]
    fn what_is_not_shared_is_copied_as_a_whole() {
        let mut table = table();
        let copy = table.clone();
        *table.entry(5) = 8;
        assert_eq!((table.get(5), copy.get(5)), (8, 5));
    }

    #[test]
    fn what_was_changed_is_shared_with_the_rest() {
        let mut table = table();
        table.share();
        let mut one = table.clone();
        *one.entry(5) = 8;
        one.share();
        let mut other = one.clone();
        *other.entry(6) = 9;
        let two = |table: &SharedTable| (table.get(5), table.get(6));
        assert_eq!(
            (two(&table), two(&one), two(&other)),
            ((5, 6), (8, 6), (8, 9))
        );
    }

    #[test]
    fn filling_leaves_copies_alone() {
        let mut table = table();
        table.share();
        let copy = table.clone();
        *table.entry(5) = 9;
        table.fill(6);
        assert_eq!(all(&table), vec![6; LEN as usize]);
        assert_eq!(all(&copy), (0..LEN).collect::<Vec<u32>>());
    }

    #[test]
    fn rows_end_with_the_table() {
        for shared in [false, true] {
            let mut table = table();
            if shared {
                table.share();
            }
            for first in [0, BLOCK_ENTRIES - 8, LEN - 8] {
                assert_eq!(table.row(first, 1), Some(&[first][..]));
                assert_eq!(table.row(first, 8).map(<[u32]>::len), Some(8));
            }
            for first in [LEN - 7, LEN, BLOCKS * BLOCK_ENTRIES] {
                assert_eq!(table.row(first, 8), None);
                table.prefetch(first);
            }
        }
    }

    #[test]
    fn a_table_is_written_as_a_row_of_its_entries_is() {
        #[derive(serde::Serialize, serde::Deserialize)]
        struct Row(#[serde(with = "crate::table")] Vec<u32>);

        let mut table = SharedTable::of((0..LEN).map(|n| n.wrapping_mul(2_654_435_761)).collect());
        table.share();
        let mut one = table.clone();
        *one.entry(BLOCK_ENTRIES) = 8;
        let bytes = postcard::to_stdvec(&one).expect("a table can be written");
        let row = postcard::to_stdvec(&Row(all(&one))).expect("so can a row");
        assert!(bytes == row, "the same bytes");
        let back: SharedTable = postcard::from_bytes(&bytes).expect("it can be read");
        assert!(all(&back) == all(&one), "the same entries");
    }

    /// What is done to one of the copies, at a place of the table.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Entry,
        Row,
        Share,
        Fork,
        Fill,
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(32))]

        #[test]
        fn copies_are_what_plain_copies_would_be(
            steps in proptest::collection::vec(
                (
                    proptest::sample::select(vec![
                        Step::Entry, Step::Entry, Step::Entry, Step::Row, Step::Row, Step::Row,
                        Step::Share, Step::Fork, Step::Fork, Step::Fill,
                    ]),
                    proptest::prelude::any::<proptest::sample::Index>(),
                    0..LEN - 8,
                ),
                1..80,
            ),
        ) {
            let mut copies = vec![(table(), (0..LEN).collect::<Vec<u32>>())];
            for (value, (step, which, at)) in (LEN..).zip(steps) {
                let which = which.index(copies.len());
                let (table, plain) = &mut copies[which];
                match step {
                    Step::Entry => {
                        *table.entry(at) = value;
                        plain[at as usize] = value;
                    }
                    Step::Row => {
                        let count = 8.min(BLOCK_ENTRIES - at % BLOCK_ENTRIES);
                        table.row_to_change(at, count).fill(value);
                        plain[at as usize..][..count as usize].fill(value);
                    }
                    Step::Share => table.share(),
                    Step::Fill if at % 4 == 0 => {
                        table.fill(value);
                        plain.fill(value);
                    }
                    Step::Fill => {}
                    Step::Fork => {
                        table.share();
                        let copy = (table.clone(), plain.clone());
                        copies.push(copy);
                        copies.drain(..copies.len().saturating_sub(3));
                    }
                }
                for (table, plain) in &copies {
                    proptest::prop_assert_eq!(table.get(at), plain[at as usize]);
                }
            }
            for (table, plain) in &copies {
                proptest::prop_assert!(all(table) == *plain);
            }
        }
    }
}
