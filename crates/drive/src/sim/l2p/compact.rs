//! A large table whose memory depends on its content: runs where entries are consecutive, and
//! single entries only elsewhere.
//!
//! Most of a large drive is written in sequence. Groups of 16 entries that count up, or are all
//! equal, are one number and a step; only others are listed, 64 bytes each. So a table needs 0.5
//! bytes an entry, and 4 more where it is listed. Groups lie in blocks; copies share the blocks
//! that neither has changed. The groups of a block, and the lines that are allocated together, fill
//! many huge pages: a random entry of a large table costs a miss in the TLB otherwise. Nothing here
//! changes a result.

use std::sync::Arc;

use super::row::counts_up;
use crate::table::memory;

/// Entries of a group: one cache line when listed.
const GROUP_ENTRIES: u32 = 16;

/// Entries of a block, whose groups are 32 MiB.
const BLOCK_ENTRIES: u32 = 1 << 26;

/// Lines that are allocated together, 32 MiB.
const CHUNK_LINES: u32 = 1 << 19;

type Line = [u32; GROUP_ENTRIES as usize];

/// Description of the entries of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Group {
    /// The first entry; in a listed group, the number of its line.
    first: u32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Kind {
    /// All entries are equal.
    Equal = 0,
    /// Each entry is one more than the one before.
    Counting = 1,
    /// The entries are those of a line.
    Listed = 2,
}

impl Group {
    /// The group of entries that are all equal or count up; `None` for others.
    fn of(line: &Line) -> Option<Group> {
        let first = line[0];
        [Kind::Equal, Kind::Counting]
            .into_iter()
            .find(|&kind| counts_up(line, first, kind as u32))
            .map(|kind| Group { first, kind })
    }

    /// An entry of a group that is not listed.
    #[inline]
    fn nth(self, nth: u32) -> u32 {
        self.first.wrapping_add(nth * self.kind as u32)
    }
}

/// Lines of groups, by number.
#[derive(Debug, Default)]
struct Lines {
    chunks: Vec<Vec<Line>>,
    /// Lines that belong to no group.
    free: Vec<u32>,
}

impl Lines {
    #[inline]
    fn get(&self, number: u32) -> &Line {
        &self.chunks[(number / CHUNK_LINES) as usize][(number % CHUNK_LINES) as usize]
    }

    #[inline]
    fn get_mut(&mut self, number: u32) -> &mut Line {
        &mut self.chunks[(number / CHUNK_LINES) as usize][(number % CHUNK_LINES) as usize]
    }

    /// Stores a line in a free place, and returns its number.
    #[inline]
    fn add(&mut self, line: Line) -> u32 {
        if let Some(number) = self.free.pop() {
            *self.get_mut(number) = line;
            return number;
        }
        if self
            .chunks
            .last()
            .is_none_or(|last| last.len() == CHUNK_LINES as usize)
        {
            self.chunks.push(memory::room(CHUNK_LINES as usize));
        }
        let chunk = self.chunks.len() as u32 - 1;
        let last = &mut self.chunks[chunk as usize];
        last.push(line);
        chunk * CHUNK_LINES + last.len() as u32 - 1
    }
}

impl Clone for Lines {
    fn clone(&self) -> Lines {
        let copy = |chunk: &Vec<Line>| {
            let mut copy = memory::room(CHUNK_LINES as usize);
            copy.extend_from_slice(chunk);
            copy
        };
        Lines {
            chunks: self.chunks.iter().map(copy).collect(),
            free: self.free.clone(),
        }
    }
}

/// At most [`BLOCK_ENTRIES`] entries.
#[derive(Debug, Default)]
struct Block {
    groups: Vec<Group>,
    lines: Lines,
}

impl Clone for Block {
    fn clone(&self) -> Block {
        Block {
            groups: memory::copy(&self.groups),
            lines: self.lines.clone(),
        }
    }
}

impl Block {
    fn new(value: u32, len: usize) -> Block {
        let kind = Kind::Equal;
        let group = Group { first: value, kind };
        Block {
            groups: memory::table(group, len.div_ceil(GROUP_ENTRIES as usize)),
            lines: Lines::default(),
        }
    }

    #[inline]
    fn get(&self, index: u32) -> u32 {
        let group = self.groups[(index / GROUP_ENTRIES) as usize];
        match group.kind {
            Kind::Listed => self.lines.get(group.first)[(index % GROUP_ENTRIES) as usize],
            _ => group.nth(index % GROUP_ENTRIES),
        }
    }

    /// Same as [`CompactTable::counts_up`], for entries of one group.
    #[inline]
    fn counts_up(&self, first: u32, count: u32, value: u32, step: u32) -> bool {
        let (group, nth) = (first / GROUP_ENTRIES, first % GROUP_ENTRIES);
        let group = self.groups[group as usize];
        if group.kind == Kind::Listed {
            let line = self.lines.get(group.first);
            return counts_up(&line[nth as usize..][..count as usize], value, step);
        }
        group.nth(nth) == value && (count == 1 || group.kind as u32 == step)
    }

    /// Lists a group, if it is not listed yet, and returns its line.
    #[inline]
    fn line(&mut self, group: u32) -> &mut Line {
        let group = &mut self.groups[group as usize];
        if group.kind != Kind::Listed {
            let run = *group;
            let line = std::array::from_fn(|nth| run.nth(nth as u32));
            *group = Group {
                first: self.lines.add(line),
                kind: Kind::Listed,
            };
        }
        self.lines.get_mut(group.first)
    }

    /// Frees the line of a listed group if its entries form a run.
    fn unlist(&mut self, group: u32) {
        let group = &mut self.groups[group as usize];
        if group.kind == Kind::Listed
            && let Some(run) = Group::of(self.lines.get(group.first))
        {
            self.lines.free.push(group.first);
            *group = run;
        }
    }

    /// Sets `count` entries of one group to count up from `value`.
    #[inline]
    fn count_up(&mut self, first: u32, count: u32, value: u32) {
        let (group, nth) = (first / GROUP_ENTRIES, first % GROUP_ENTRIES);
        if count == GROUP_ENTRIES {
            let before = self.groups[group as usize];
            if before.kind == Kind::Listed {
                self.lines.free.push(before.first);
            }
            let kind = Kind::Counting;
            self.groups[group as usize] = Group { first: value, kind };
            return;
        }
        let entries = &mut self.line(group)[nth as usize..][..count as usize];
        for (value, entry) in (value..).zip(entries) {
            *entry = value;
        }
        // In a sequential write, the last pages of a group are written last.
        if nth + count == GROUP_ENTRIES {
            self.unlist(group);
        }
    }
}

/// A block, which other tables may share.
#[derive(Clone, Debug)]
enum Held {
    Own(Block),
    Shared(Arc<Block>),
}

impl Held {
    #[inline]
    fn block(&self) -> &Block {
        match self {
            Held::Own(block) => block,
            Held::Shared(block) => block,
        }
    }

    /// The block, to be changed: copied first if others share it.
    #[inline]
    fn block_mut(&mut self) -> &mut Block {
        if let Held::Shared(block) = self {
            *self = Held::Own(Arc::unwrap_or_clone(std::mem::take(block)));
        }
        match self {
            Held::Own(block) => block,
            Held::Shared(_) => unreachable!("it was just made the table's own"),
        }
    }
}

/// A table in which runs use hardly any memory.
#[derive(Clone, Debug)]
pub(super) struct CompactTable(Vec<Held>);

impl CompactTable {
    /// A table of `len` equal entries, or a few more.
    pub fn new(value: u32, len: usize) -> CompactTable {
        let (whole, rest) = (len / BLOCK_ENTRIES as usize, len % BLOCK_ENTRIES as usize);
        let block = Arc::new(Block::new(value, (BLOCK_ENTRIES as usize).min(len)));
        let mut blocks = vec![Held::Shared(block); whole];
        if rest > 0 {
            blocks.push(Held::Own(Block::new(value, rest)));
        }
        CompactTable(blocks)
    }

    /// Shares all blocks with copies made from now on.
    pub fn share(&mut self) {
        for held in &mut self.0 {
            if let Held::Own(block) = held {
                *held = Held::Shared(Arc::new(std::mem::take(block)));
            }
        }
    }

    /// An entry.
    #[inline]
    pub fn get(&self, index: u32) -> u32 {
        self.block(index).get(index % BLOCK_ENTRIES)
    }

    /// An entry, to be changed.
    #[inline]
    pub fn entry(&mut self, index: u32) -> &mut u32 {
        let group = index % BLOCK_ENTRIES / GROUP_ENTRIES;
        &mut self.block_to_change(index).line(group)[(index % GROUP_ENTRIES) as usize]
    }

    /// Changes an entry. If it is the last of its group and the whole group is a run with it, the
    /// group uses no more memory than a run.
    #[inline]
    pub fn set(&mut self, index: u32, value: u32) {
        *self.entry(index) = value;
        if index % GROUP_ENTRIES == GROUP_ENTRIES - 1 {
            let group = index % BLOCK_ENTRIES / GROUP_ENTRIES;
            self.block_to_change(index).unlist(group);
        }
    }

    /// True if `count` entries from `first` on start at `value` and grow in steps of `step`, 0 or
    /// 1.
    #[inline]
    pub fn counts_up(&self, first: u32, count: u32, value: u32, step: u32) -> bool {
        let (mut nth, mut counts) = (0, true);
        while nth < count && counts {
            let index = first + nth;
            let part = (count - nth).min(GROUP_ENTRIES - index % GROUP_ENTRIES);
            let expected = value.wrapping_add(nth * step);
            let block = self.block(index);
            counts = block.counts_up(index % BLOCK_ENTRIES, part, expected, step);
            nth += part;
        }
        counts
    }

    /// Sets `count` entries to count up from `value`.
    #[inline]
    pub fn count_up(&mut self, mut first: u32, count: u32, mut value: u32) {
        let end = first + count;
        while first < end {
            let part = (end - first).min(GROUP_ENTRIES - first % GROUP_ENTRIES);
            let block = self.block_to_change(first);
            block.count_up(first % BLOCK_ENTRIES, part, value);
            (first, value) = (first + part, value + part);
        }
    }

    /// Prefetches the line of an entry whose group has been fetched.
    #[inline]
    pub fn prefetch_line(&self, index: u32) {
        let block = self.block(index);
        let group = block.groups[(index % BLOCK_ENTRIES / GROUP_ENTRIES) as usize];
        if group.kind == Kind::Listed {
            memory::prefetch(std::slice::from_ref(block.lines.get(group.first)), 0);
        }
    }

    /// Prefetches the group of an entry.
    #[inline]
    pub fn prefetch(&self, index: u32) {
        if let Some(held) = self.0.get((index / BLOCK_ENTRIES) as usize) {
            let group = index % BLOCK_ENTRIES / GROUP_ENTRIES;
            memory::prefetch(&held.block().groups, group as usize);
        }
    }

    #[inline]
    fn block(&self, index: u32) -> &Block {
        self.0[(index / BLOCK_ENTRIES) as usize].block()
    }

    #[inline]
    fn block_to_change(&mut self, index: u32) -> &mut Block {
        self.0[(index / BLOCK_ENTRIES) as usize].block_mut()
    }

    /// Number of listed groups, for tests.
    #[cfg(test)]
    pub fn listed(&self) -> usize {
        let blocks = self.0.iter().map(Held::block);
        blocks.map(Block::listed).sum()
    }
}

#[cfg(test)]
impl Block {
    fn listed(&self) -> usize {
        let lines = self.lines.chunks.iter().map(Vec::len);
        lines.sum::<usize>() - self.lines.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: u32 = 2 * BLOCK_ENTRIES + 3000;

    #[test]
    fn what_is_written_in_sequence_takes_no_lines() {
        let mut table = CompactTable::new(u32::MAX, LEN as usize);
        assert_eq!(table.listed(), 0);
        for (nth, first) in (0..4000).step_by(8).enumerate() {
            table.count_up(first, 8, 1000 + first);
            assert!(table.listed() <= 1, "the group that is being written");
            assert_eq!(table.get(8 * nth as u32 + 7), 1000 + first + 7);
        }
        *table.entry(77) = 5;
        assert_eq!((table.listed(), table.get(76), table.get(77)), (1, 1076, 5));
        // A free line is used again for another group.
        table.count_up(64, 16, 9);
        *table.entry(500) = 6;
        assert_eq!((table.listed(), table.get(77), table.get(500)), (1, 22, 6));
        assert_eq!(table.block(0).lines.chunks[0].len(), 1);
    }

    #[test]
    fn entries_that_become_equal_take_no_line_any_more() {
        let mut table = CompactTable::new(3, LEN as usize);
        table.count_up(32, 16, 900);
        for index in 32..48 {
            assert_eq!(table.get(index), 868 + index);
            table.set(index, 3);
            assert_eq!(table.get(index), 3);
        }
        assert_eq!(table.listed(), 0);
    }

    #[test]
    fn runs_go_on_beyond_the_end_of_a_block() {
        let mut table = CompactTable::new(0, LEN as usize);
        table.count_up(BLOCK_ENTRIES - 5, 40, 7);
        let all: Vec<u32> = (BLOCK_ENTRIES - 6..BLOCK_ENTRIES + 36)
            .map(|index| table.get(index))
            .collect();
        let expected: Vec<u32> = [0].into_iter().chain(7..47).chain([0]).collect();
        assert_eq!(all, expected);
    }

    #[test]
    fn copies_share_what_neither_changes() {
        let mut table = CompactTable::new(0, LEN as usize);
        table.count_up(0, 64, 1);
        table.share();
        let mut copy = table.clone();
        *copy.entry(3) = 9;
        let same = |nth: u32| {
            let first = nth * BLOCK_ENTRIES;
            std::ptr::eq(copy.block(first), table.block(first))
        };
        assert_eq!([0, 1].map(same), [false, true]);
        assert_eq!((copy.get(3), table.get(3)), (9, 4));
    }
}
