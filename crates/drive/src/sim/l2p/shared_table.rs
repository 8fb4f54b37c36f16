//! A large table that copies of a drive share.
//!
//! Each point of a review runs on its own copy of a prepared drive, and most points change little
//! of it: one that reads changes nothing, one that writes for a minute the entries of that minute.
//! Such a copy stores its changes as blocks over the shared table. A copy that has changed much
//! gets a table of its own, which is as fast as any. A very large table is stored as runs
//! ([`super::compact`]). Nothing here changes a result.

use std::borrow::Cow;
use std::sync::Arc;
#[cfg(test)]
use std::sync::atomic::{AtomicBool, Ordering};

use super::compact::CompactTable;
use super::{reuse, row};
use crate::table as format;
use crate::table::memory;

/// Entries of a block: 256 KiB.
pub(super) const BLOCK_ENTRIES: u32 = 1 << 16;

/// The whole table is copied when more than one block of this many has changed.
const BLOCKS_FOR_ONE_CHANGED: usize = 3;

/// Tables of at least this many entries are compact: 1 GiB, those of drives beyond 1.1 TB. Random
/// writes to new places are slower there; but most machines do not have memory for two whole
/// tables.
const COMPACT_ENTRIES_MIN: usize = 1 << 28;

/// True if a table of `len` entries is compact.
fn is_compact(len: usize) -> bool {
    len >= COMPACT_ENTRIES_MIN || always_compact()
}

#[cfg(test)]
static ALWAYS_COMPACT: AtomicBool = AtomicBool::new(false);

#[cfg(test)]
fn always_compact() -> bool {
    ALWAYS_COMPACT.load(Ordering::Relaxed)
}

#[cfg(not(test))]
fn always_compact() -> bool {
    false
}

/// Sets whether tables made from now on are compact although they are small. The results of drives
/// do not depend on it.
#[cfg(test)]
pub fn keep_tables_compact(always: bool) {
    ALWAYS_COMPACT.store(always, Ordering::Relaxed);
}

/// A table whose copies share the entries that they have not changed.
#[derive(Clone, Debug)]
pub(super) struct SharedTable {
    len: usize,
    /// All entries; empty if they are elsewhere.
    own: Entries,
    elsewhere: Option<Box<Elsewhere>>,
}

/// Storage of entries outside the table's own array.
#[derive(Clone, Debug)]
enum Elsewhere {
    Shared(Shared),
    Compact(CompactTable),
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

/// A table shared with others, and the blocks that were changed here.
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

    /// A block with its changes.
    #[inline]
    fn block(&self, index: u32) -> &[u32] {
        let nth = (index / BLOCK_ENTRIES) as usize;
        if let Some(block) = &self.changed[nth] {
            return block;
        }
        let rest = &self.base.0[nth * BLOCK_ENTRIES as usize..];
        &rest[..rest.len().min(BLOCK_ENTRIES as usize)]
    }

    /// A block, to be changed; `None` if the whole table should be copied instead: no other table
    /// shares it, or too much has been changed.
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

    /// The whole table: a copy, unless no other table shares it any more.
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
        if is_compact(len) {
            return SharedTable::compact(CompactTable::new(value, len), len);
        }
        SharedTable::of(reuse::table(value, len))
    }

    fn of(entries: Vec<u32>) -> SharedTable {
        SharedTable {
            len: entries.len(),
            own: Entries(entries),
            elsewhere: None,
        }
    }

    fn compact(table: CompactTable, len: usize) -> SharedTable {
        SharedTable {
            len,
            own: Entries::default(),
            elsewhere: Some(Box::new(Elsewhere::Compact(table))),
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Shares the table with copies made from now on.
    pub fn share(&mut self) {
        match self.elsewhere.as_deref_mut() {
            Some(Elsewhere::Compact(table)) => return table.share(),
            Some(Elsewhere::Shared(shared)) if shared.changed_count == 0 => return,
            _ => {}
        }
        self.own_all();
        let all = Shared::new(std::mem::take(&mut self.own));
        self.elsewhere = Some(Box::new(Elsewhere::Shared(all)));
    }

    /// An entry.
    #[inline(always)]
    pub fn get(&self, index: u32) -> u32 {
        match self.own.0.get(index as usize) {
            Some(&entry) => entry,
            None => self.get_elsewhere(index),
        }
    }

    /// An entry, to be changed.
    #[inline(always)]
    pub fn entry(&mut self, index: u32) -> &mut u32 {
        if (index as usize) < self.own.0.len() {
            &mut self.own.0[index as usize]
        } else {
            self.entry_elsewhere(index)
        }
    }

    /// Changes an entry.
    #[inline(always)]
    pub fn set(&mut self, index: u32, value: u32) {
        match self.own.0.get_mut(index as usize) {
            Some(entry) => *entry = value,
            None => self.set_elsewhere(index, value),
        }
    }

    /// True if `count` entries from `first` on start at `value` and grow in steps of `step`, 0 or
    /// 1.
    #[inline(always)]
    pub fn counts_up(&self, first: u32, count: u32, value: u32, step: u32) -> bool {
        match self.own.0.get(first as usize..(first + count) as usize) {
            Some(row) => row::counts_up(row, value, step),
            None => self.counts_up_elsewhere(first, count, value, step),
        }
    }

    /// Sets consecutive entries of one block to count up from `value`.
    ///
    /// # Panics
    /// If they are not all in the table.
    #[inline(always)]
    pub fn count_up(&mut self, first: u32, count: u32, value: u32) {
        if ((first + count) as usize) <= self.own.0.len() {
            row::count_up(
                &mut self.own.0[first as usize..(first + count) as usize],
                value,
            );
        } else {
            self.count_up_elsewhere(first, count, value);
        }
    }

    /// Prefetches an entry, if it is there.
    #[inline(always)]
    pub fn prefetch(&self, index: u32) {
        if self.elsewhere.is_some() {
            return self.prefetch_elsewhere(index);
        }
        memory::prefetch(&self.own.0, index as usize);
    }

    /// The second step after [`SharedTable::prefetch`], for an entry that is not found in one step.
    /// Returns true if there is one.
    #[inline(always)]
    pub fn prefetch_more(&self, index: u32) -> bool {
        self.elsewhere.is_some() && self.prefetch_line(index)
    }

    #[inline(never)]
    fn prefetch_line(&self, index: u32) -> bool {
        let Elsewhere::Compact(table) = self.elsewhere() else {
            return false;
        };
        table.prefetch_line(index);
        true
    }

    /// Makes all entries equal.
    pub fn fill(&mut self, value: u32) {
        if self.elsewhere.is_some() {
            *self = SharedTable::new(value, self.len);
        } else {
            self.own.0.fill(value);
        }
    }

    fn elsewhere(&self) -> &Elsewhere {
        self.elsewhere.as_deref().expect("there is such an entry")
    }

    #[inline(never)]
    fn get_elsewhere(&self, index: u32) -> u32 {
        match self.elsewhere() {
            Elsewhere::Shared(shared) => shared.block(index)[(index % BLOCK_ENTRIES) as usize],
            Elsewhere::Compact(table) => table.get(index),
        }
    }

    #[inline(never)]
    fn counts_up_elsewhere(&self, first: u32, count: u32, value: u32, step: u32) -> bool {
        match self.elsewhere() {
            Elsewhere::Compact(table) => return table.counts_up(first, count, value, step),
            Elsewhere::Shared(shared) => {
                let place = (first % BLOCK_ENTRIES) as usize;
                let row = shared.block(first).get(place..place + count as usize);
                if let Some(row) = row {
                    return row::counts_up(row, value, step);
                }
            }
        }
        (0..count).all(|nth| self.get(first + nth) == value.wrapping_add(nth * step))
    }

    #[inline(never)]
    fn entry_elsewhere(&mut self, index: u32) -> &mut u32 {
        match self.elsewhere.as_deref() {
            Some(Elsewhere::Compact(_)) => self.compact_table().entry(index),
            _ => &mut self.shared_row(index, 1)[0],
        }
    }

    #[inline(never)]
    fn set_elsewhere(&mut self, index: u32, value: u32) {
        match self.elsewhere.as_deref() {
            Some(Elsewhere::Compact(_)) => self.compact_table().set(index, value),
            _ => self.shared_row(index, 1)[0] = value,
        }
    }

    #[inline(never)]
    fn count_up_elsewhere(&mut self, first: u32, count: u32, value: u32) {
        match self.elsewhere.as_deref() {
            Some(Elsewhere::Compact(_)) => self.compact_table().count_up(first, count, value),
            _ => row::count_up(self.shared_row(first, count), value),
        }
    }

    fn compact_table(&mut self) -> &mut CompactTable {
        match self.elsewhere.as_deref_mut() {
            Some(Elsewhere::Compact(table)) => table,
            _ => unreachable!("the caller saw that it is compact"),
        }
    }

    fn shared(&mut self) -> Option<&mut Shared> {
        match self.elsewhere.as_deref_mut() {
            Some(Elsewhere::Shared(shared)) => Some(shared),
            _ => None,
        }
    }

    #[inline(never)]
    fn shared_row(&mut self, first: u32, count: u32) -> &mut [u32] {
        assert!(
            (first + count) as usize <= self.len,
            "there are no such entries"
        );
        let shared = self.shared();
        let can_change = shared.is_some_and(|shared| shared.block_to_change(first).is_some());
        if !can_change {
            self.own_all();
        }
        let place = (first % BLOCK_ENTRIES) as usize;
        // A shared block can be changed, or the table is no longer shared by now.
        match self.elsewhere.as_deref_mut() {
            Some(Elsewhere::Shared(shared)) => {
                let block = shared.block_to_change(first).expect("it can be changed");
                &mut block[place..][..count as usize]
            }
            _ => &mut self.own.0[first as usize..(first + count) as usize],
        }
    }

    #[inline(never)]
    fn prefetch_elsewhere(&self, index: u32) {
        if (index as usize) < self.len {
            match self.elsewhere() {
                Elsewhere::Shared(shared) => {
                    memory::prefetch(shared.block(index), (index % BLOCK_ENTRIES) as usize);
                }
                Elsewhere::Compact(table) => table.prefetch(index),
            }
        }
    }

    /// Ends the sharing.
    fn own_all(&mut self) {
        match self.elsewhere.take().map(|elsewhere| *elsewhere) {
            Some(Elsewhere::Shared(shared)) => self.own = shared.whole(),
            other => self.elsewhere = other.map(Box::new),
        }
    }

    /// Consecutive entries of one block, to be written to a file.
    fn row(&self, first: u32, count: u32) -> Cow<'_, [u32]> {
        let place = (first % BLOCK_ENTRIES) as usize;
        match self.elsewhere.as_deref() {
            None => Cow::from(&self.own.0[first as usize..][..count as usize]),
            Some(Elsewhere::Shared(shared)) => {
                Cow::from(&shared.block(first)[place..][..count as usize])
            }
            Some(Elsewhere::Compact(table)) => {
                let all = (first..first + count).map(|index| table.get(index));
                all.collect::<Vec<u32>>().into()
            }
        }
    }
}

impl serde::Serialize for SharedTable {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let firsts = (0..self.len as u64).step_by(BLOCK_ENTRIES as usize);
        let row = |first| {
            let count = BLOCK_ENTRIES.min((self.len as u64 - first) as u32);
            self.row(first as u32, count)
        };
        format::serialize_rows(self.len, firsts.map(row), to)
    }
}

impl<'de> serde::Deserialize<'de> for SharedTable {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<SharedTable, D::Error> {
        format::deserialize_into(from)
    }
}

impl format::Filling<u32> for SharedTable {
    fn with_room(len: usize) -> SharedTable {
        if is_compact(len) {
            return SharedTable::compact(CompactTable::new(0, len), 0);
        }
        SharedTable::of(memory::room(len))
    }

    fn add(&mut self, entries: impl Iterator<Item = u32>) {
        match self.elsewhere.as_deref_mut() {
            Some(Elsewhere::Compact(table)) => {
                for entry in entries {
                    table.set(self.len as u32, entry);
                    self.len += 1;
                }
            }
            _ => {
                self.own.0.extend(entries);
                self.len = self.own.0.len();
            }
        }
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

    fn compact() -> SharedTable {
        let mut table = SharedTable::compact(CompactTable::new(0, LEN as usize), LEN as usize);
        for block in 0..BLOCKS {
            let first = block * BLOCK_ENTRIES;
            table.count_up(first, BLOCK_ENTRIES.min(LEN - first), first);
        }
        table
    }

    /// A block of a shared table.
    fn block(table: &SharedTable, first: u32) -> &[u32] {
        match table.elsewhere() {
            Elsewhere::Shared(shared) => shared.block(first),
            Elsewhere::Compact(_) => unreachable!("it is not compact"),
        }
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
        one.count_up(LEN - 2, 2, 9);
        let same = |nth: u32| {
            let first = nth * BLOCK_ENTRIES;
            std::ptr::eq(block(&one, first), block(&table, first))
        };
        let shared: Vec<bool> = (0..BLOCKS).map(same).collect();
        let expected: Vec<bool> = (0..BLOCKS).map(|b| b != 1 && b != BLOCKS - 1).collect();
        assert_eq!(shared, expected);
        assert!(
            std::ptr::eq(block(&other, 0), block(&one, 0)),
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
                one.elsewhere.is_some(),
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
    fn rows_may_cross_the_border_of_blocks() {
        let mut shared = table();
        shared.share();
        let mut changed = shared.clone();
        *changed.entry(BLOCK_ENTRIES) = 7;
        for (table, is_run) in [
            (table(), true),
            (shared, true),
            (compact(), true),
            (changed, false),
        ] {
            let first = BLOCK_ENTRIES - 4;
            assert_eq!(table.counts_up(first, 8, first, 1), is_run);
            assert!(table.counts_up(first, 4, first, 1) && !table.counts_up(first, 4, first, 0));
            assert!(table.counts_up(LEN - 8, 8, LEN - 8, 1));
            for beyond in [LEN, BLOCKS * BLOCK_ENTRIES] {
                table.prefetch(beyond);
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

    #[test]
    fn a_compact_table_is_written_as_any_other() {
        let mut compact = compact();
        let mut plain = table();
        for table in [&mut compact, &mut plain] {
            table.set(5, 77);
            table.count_up(3 * BLOCK_ENTRIES - 16, 16, 9);
        }
        let bytes = postcard::to_stdvec(&compact).expect("a table can be written");
        assert!(bytes == postcard::to_stdvec(&plain).expect("so can a plain one"));
        let mut back = <SharedTable as format::Filling<u32>>::with_room(COMPACT_ENTRIES_MIN);
        format::Filling::add(&mut back, all(&plain).into_iter());
        assert!(matches!(back.elsewhere(), Elsewhere::Compact(_)));
        assert!(back.len() == LEN as usize && all(&back) == all(&compact));
        let Elsewhere::Compact(table) = back.elsewhere() else {
            unreachable!("it is compact");
        };
        assert!(table.listed() <= 4, "what is read is runs again");
    }

    /// Step of the test on one of the copies, at a place of the table.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Entry,
        Set,
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
                        Step::Entry, Step::Entry, Step::Set, Step::Set, Step::Row, Step::Row,
                        Step::Share, Step::Fork, Step::Fork, Step::Fill,
                    ]),
                    proptest::prelude::any::<proptest::sample::Index>(),
                    0..LEN - 8,
                ),
                1..80,
            ),
            is_compact in proptest::prelude::any::<bool>(),
        ) {
            let table = if is_compact { compact() } else { table() };
            let mut copies = vec![(table, (0..LEN).collect::<Vec<u32>>())];
            for (value, (step, which, at)) in (LEN..).zip(steps) {
                let which = which.index(copies.len());
                let (table, plain) = &mut copies[which];
                match step {
                    Step::Entry => {
                        *table.entry(at) = value;
                        plain[at as usize] = value;
                    }
                    Step::Set => {
                        table.set(at, value);
                        plain[at as usize] = value;
                    }
                    Step::Row => {
                        let count = (1 + value % 40).min(BLOCK_ENTRIES - at % BLOCK_ENTRIES);
                        let count = count.min(LEN - at);
                        table.count_up(at, count, value);
                        let row = &mut plain[at as usize..][..count as usize];
                        row::count_up(row, value);
                        let step = at % 2;
                        proptest::prop_assert_eq!(
                            table.counts_up(at, count, value, step),
                            step == 1 || count == 1
                        );
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
