//! Places of files, and of their metadata, in a file system like ext4.
//!
//! Modelled, in blocks of 4 KiB ("ext4 Data Structures and Algorithms", the kernel's
//! Documentation/filesystems/ext4; fs/ext4/mballoc.c, ialloc.c; mke2fs's defaults):
//!
//! - Block groups of 128 MiB, sixteen of which form a flexible group of 2 GiB, with the bitmaps and
//!   the inode tables of all sixteen at its beginning: 512 blocks of inodes a group, 16 inodes a
//!   block. The first group of a flexible one is for directories, the others are for files.
//! - A journal before the middle of the device, of the size that mke2fs chooses.
//! - Files are placed one after another; those below 64 KiB in preallocations of 2 MiB that small
//!   files share (`mb_stream_req`, `s_mb_group_prealloc`).
//!
//! Simplified: the file system contains only the files of the operation, nothing is fragmented, and
//! later files lie after earlier ones. Backups of the superblock take no space.

/// Bytes of a block.
pub const BLOCK_BYTES: u64 = 4096;

/// Blocks of a block group.
const GROUP_BLOCKS: u64 = 32_768;

/// Groups of a flexible group.
const FLEX_GROUPS: u64 = 16;

/// Blocks of a group's inode table.
const INODE_TABLE_BLOCKS: u64 = 512;

/// Inodes in a block.
pub const INODES_PER_BLOCK: u64 = 16;

/// Superblock, group descriptors and the space reserved for more of them.
const HEAD_BLOCKS: u64 = 514;

/// Files of at least this many blocks are not placed among the small ones.
const STREAM_BLOCKS: u64 = 16;

/// Blocks of a preallocation that small files share.
const SHARED_BLOCKS: u64 = 512;

/// A run of consecutive blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extent {
    /// First block.
    pub start: u64,
    /// Number of blocks.
    pub blocks: u64,
}

impl Extent {
    /// The first block after it.
    pub fn end(self) -> u64 {
        self.start + self.blocks
    }
}

/// A file system that is filled from its beginning.
#[derive(Clone, Debug)]
pub struct Layout {
    blocks: u64,
    /// Blocks of a flexible group.
    flex_blocks: u64,
    /// Block of a flexible group at which files begin.
    data_offset: u64,
    journal: Extent,
    /// Block at which the next file begins.
    cursor: u64,
    /// Rest of the small files' preallocation.
    shared: Extent,
    inodes: u64,
    directories: u64,
}

impl Layout {
    /// An empty file system on a device of `capacity_bytes`.
    ///
    /// # Errors
    /// If the device is smaller than 32 MiB.
    pub fn new(capacity_bytes: u64) -> Result<Layout, String> {
        let blocks = capacity_bytes / BLOCK_BYTES;
        if blocks < 8192 {
            return Err(format!(
                "a device of {capacity_bytes} bytes is too small for a file system with files in \
                it: at least 32 MiB"
            ));
        }
        let flex_blocks = (FLEX_GROUPS * GROUP_BLOCKS).min(blocks);
        // On less than a flexible group, the directory area is smaller in proportion.
        let data_offset = match flex_blocks == FLEX_GROUPS * GROUP_BLOCKS {
            true => GROUP_BLOCKS,
            false => HEAD_BLOCKS + table_offset() + flex_blocks / 16,
        };
        let journal_blocks = journal_blocks(blocks);
        let middle = (blocks / 2 / GROUP_BLOCKS * GROUP_BLOCKS).max(blocks / 2);
        let mut layout = Layout {
            blocks,
            flex_blocks,
            data_offset,
            journal: Extent {
                start: middle - journal_blocks,
                blocks: journal_blocks,
            },
            cursor: 0,
            shared: Extent::default(),
            // ext4 reserves the first ten for itself.
            inodes: 11,
            directories: 0,
        };
        layout.cursor = layout.usable_from(0);
        Ok(layout)
    }

    /// Place of the journal.
    pub fn journal(&self) -> Extent {
        self.journal
    }

    /// The first block from `at` on that files may use.
    fn usable_from(&self, at: u64) -> u64 {
        let mut at = at;
        loop {
            let flex = at / self.flex_blocks * self.flex_blocks;
            if at - flex < self.data_offset {
                at = flex + self.data_offset;
            } else if (self.journal.start..self.journal.end()).contains(&at) {
                at = self.journal.end();
            } else {
                return at;
            }
        }
    }

    /// Blocks from `at` on that files may use without a gap.
    fn usable_run(&self, at: u64) -> u64 {
        let mut end = (at / self.flex_blocks + 1) * self.flex_blocks;
        if at < self.journal.start {
            end = end.min(self.journal.start);
        }
        end.min(self.blocks).saturating_sub(at)
    }

    /// Places a file of `bytes`; its extents are added to `extents`.
    ///
    /// # Errors
    /// If the file system is full.
    pub fn place(&mut self, bytes: u64, extents: &mut Vec<Extent>) -> Result<(), String> {
        let mut left = bytes.div_ceil(BLOCK_BYTES);
        if left < STREAM_BLOCKS {
            if self.shared.blocks < left {
                self.shared = self.take(SHARED_BLOCKS)?;
            }
            let blocks = left.min(self.shared.blocks);
            if blocks < left {
                return Err("the file system is full".to_owned());
            }
            extents.push(Extent {
                start: self.shared.start,
                blocks,
            });
            self.shared.start += blocks;
            self.shared.blocks -= blocks;
            return Ok(());
        }
        while left > 0 {
            let extent = self.take(left)?;
            left -= extent.blocks;
            extents.push(extent);
        }
        Ok(())
    }

    /// Allocates up to `blocks` consecutive blocks.
    fn take(&mut self, blocks: u64) -> Result<Extent, String> {
        let start = self.usable_from(self.cursor);
        let blocks = blocks.min(self.usable_run(start));
        if blocks == 0 || start >= self.blocks {
            return Err("the file system is full".to_owned());
        }
        self.cursor = start + blocks;
        Ok(Extent { start, blocks })
    }

    /// The block of the inode table with the next inode.
    ///
    /// # Errors
    /// If no inode is left.
    pub fn next_inode(&mut self) -> Result<u64, String> {
        let number = self.inodes;
        self.inodes += 1;
        let table = number / INODES_PER_BLOCK;
        let per_flex = self.flex_blocks / GROUP_BLOCKS * INODE_TABLE_BLOCKS;
        let per_flex = per_flex.max(self.flex_blocks / 64);
        let block = self.flex_start(table / per_flex) + table % per_flex;
        if block >= self.blocks {
            return Err("the file system has no inode left".to_owned());
        }
        Ok(block)
    }

    /// First block of the inode table of a flexible group.
    fn flex_start(&self, flex: u64) -> u64 {
        let head = if flex == 0 { HEAD_BLOCKS } else { 0 };
        flex * self.flex_blocks + head + 2 * FLEX_GROUPS
    }

    /// The block of the next directory, whose inodes begin in a new block.
    ///
    /// # Errors
    /// If there is no space for directories left.
    pub fn next_directory(&mut self) -> Result<u64, String> {
        let number = self.directories;
        self.directories += 1;
        let room = self.data_offset / 4;
        let flex = number / room;
        let block = flex * self.flex_blocks + self.data_offset - room + number % room;
        if block >= self.blocks {
            return Err("the file system has no room for directories left".to_owned());
        }
        Ok(block)
    }

    /// The block of the bitmap that contains the bit of `block`.
    pub fn bitmap_of(&self, block: u64) -> u64 {
        let flex = block / self.flex_blocks;
        let group = block % self.flex_blocks / GROUP_BLOCKS;
        let head = if flex == 0 { HEAD_BLOCKS } else { 0 };
        flex * self.flex_blocks + head + group
    }

    /// The block of the group descriptor of this block.
    pub fn descriptor_of(&self, block: u64) -> u64 {
        // 64 bytes a group.
        1 + block / GROUP_BLOCKS / 64
    }
}

/// Bitmaps of blocks and of inodes, and the inode tables.
fn table_offset() -> u64 {
    2 * FLEX_GROUPS
}

/// Size of the journal by mke2fs's default (`ext2fs_default_journal_size`).
fn journal_blocks(blocks: u64) -> u64 {
    match blocks {
        0..32_768 => 1024,
        32_768..262_144 => 4096,
        262_144..524_288 => 8192,
        524_288..4_194_304 => 16_384,
        4_194_304..8_388_608 => 32_768,
        8_388_608..16_777_216 => 65_536,
        16_777_216..33_554_432 => 131_072,
        _ => 262_144,
    }
}
