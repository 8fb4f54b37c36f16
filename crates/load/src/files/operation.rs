//! The reads and writes of copying, archiving and unpacking, and their dependencies.
//!
//! They follow Linux's page cache (the kernel's Documentation/admin-guide/sysctl/vm and
//! Documentation/filesystems/ext4; fs/ext4/inode.c, mm/readahead.c):
//!
//! - One thread reads file after file. The first read of a file waits for all earlier reads; within
//!   a file, a window of 128 KiB (`read_ahead_kb`) is read while the one before it is used. A
//!   directory's block, and inodes in pieces of 128 KiB (`inode_readahead_blks`), are read before
//!   the first file that needs them.
//! - Written data waits in memory and is placed when it is written back, file after file: at most 8
//!   MiB at once (`MAX_WRITEPAGES_EXTENT_LEN`), in requests of at most 1280 KiB (`max_sectors_kb`).
//!   A request that begins where the one before it ended is merged with it.
//! - At the end everything is made durable, as by `syncfs`.
//!
//! An archive is a ZIP of Deflate's stored blocks, the result for incompressible data: the files'
//! bytes and a little more. The processor's time is not modelled: reading, copying and Deflate take
//! none.

use stend_record::review::FileOp;

use super::layout::{BLOCK_BYTES, Extent, INODES_PER_BLOCK, Layout};
use super::set::FileEntry;

/// A readahead window, bytes.
pub const WINDOW_BYTES: u64 = 128 << 10;

/// The largest request, bytes.
pub const REQUEST_BYTES_MAX: u64 = 1280 << 10;

/// Maximum that is written back of a file at once, bytes.
const WRITEBACK_BYTES: u64 = 8 << 20;

/// Blocks of inodes that are read at once.
const INODE_WINDOW_BLOCKS: u64 = 32;

/// Metadata blocks in one journal descriptor: 16 bytes each.
const TAGS_PER_DESCRIPTOR: u64 = 250;

/// Maximum of blocks in one extent; more than four extents need a block of their own.
const EXTENT_BLOCKS_MAX: u64 = 32_768;

/// A read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadStep {
    /// First byte.
    pub offset_bytes: u64,
    /// Bytes.
    pub len_bytes: u64,
    /// True if it waits for all reads before it; any other read waits for the one before the last.
    pub waits: bool,
    /// Bytes of files, in whole blocks, that have been read when this read and those before it have
    /// ended.
    pub yields_bytes: u64,
}

/// A write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteStep {
    /// First byte.
    pub offset_bytes: u64,
    /// Bytes.
    pub len_bytes: u64,
    /// Bytes of files, in whole blocks, that must have been read before.
    pub needs_bytes: u64,
}

/// Reads, and writes of the read data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// Reads, in order.
    pub reads: Vec<ReadStep>,
    /// Writes, in order.
    pub writes: Vec<WriteStep>,
    /// Metadata that changes in place: first byte and length, ascending.
    pub metadata: Vec<(u64, u64)>,
}

/// An operation on a set of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The journal: first byte and length.
    pub journal: (u64, u64),
    /// Writes that create the source.
    pub source: Stage,
    /// The operation.
    pub work: Stage,
}

/// Files and directories in their places.
#[derive(Default)]
struct Tree {
    extents: Vec<Extent>,
    files: Vec<Placed>,
    /// Each directory's block, and the index of its first file.
    directories: Vec<(u64, usize)>,
}

struct Placed {
    /// Range in [`Tree::extents`]: the first, and the one after the last.
    extents: (usize, usize),
    inode_block: u64,
}

impl Operation {
    /// `op` on these files, on a device of `capacity_bytes`.
    ///
    /// # Errors
    /// If the device cannot hold the files twice.
    pub fn new(op: FileOp, files: &[FileEntry], capacity_bytes: u64) -> Result<Operation, String> {
        let mut layout = Layout::new(capacity_bytes)?;
        let archive = [FileEntry {
            directory: 0,
            name: "archive.zip".to_owned(),
            bytes: archive_bytes(files),
        }];
        let (from, to) = match op {
            FileOp::Copy => (files, files),
            FileOp::Archive => (files, &archive[..]),
            FileOp::Unarchive => (&archive[..], files),
        };
        let source = Tree::place(from, &mut layout)?;
        let result = Tree::place(to, &mut layout)?;
        let journal = layout.journal();
        Ok(Operation {
            journal: (journal.start * BLOCK_BYTES, journal.blocks * BLOCK_BYTES),
            source: Stage {
                reads: Vec::new(),
                writes: source.writes(0),
                metadata: source.metadata(&layout),
            },
            work: Stage {
                reads: source.reads(),
                writes: result.writes(source.bytes()),
                metadata: result.metadata(&layout),
            },
        })
    }
}

/// Bytes of a ZIP of these files: a header before each, one in the directory at the end
/// (APPNOTE.TXT, 4.3.7 and 4.3.12), and 5 bytes before each 65,535 of stored Deflate (RFC 1951,
/// 3.2.4). Fields for files beyond 4 GiB are omitted.
pub fn archive_bytes(files: &[FileEntry]) -> u64 {
    let each = |file: &FileEntry| {
        let name = super::directory_name(file.directory).len() + 1 + file.name.len();
        file.bytes + 5 * file.bytes.div_ceil(65_535) + 30 + 46 + 2 * name as u64
    };
    22 + files.iter().map(each).sum::<u64>()
}

impl Tree {
    fn place(files: &[FileEntry], layout: &mut Layout) -> Result<Tree, String> {
        let mut tree = Tree::default();
        let mut before = None;
        for file in files {
            if before.replace(file.directory) != Some(file.directory) {
                let block = layout.next_directory()?;
                layout.next_inode()?;
                tree.directories.push((block, tree.files.len()));
            }
            let first = tree.extents.len();
            layout.place(file.bytes, &mut tree.extents)?;
            tree.files.push(Placed {
                extents: (first, tree.extents.len()),
                inode_block: layout.next_inode()?,
            });
        }
        Ok(tree)
    }

    /// Bytes of all files, in whole blocks.
    fn bytes(&self) -> u64 {
        let blocks: u64 = self.extents.iter().map(|extent| extent.blocks).sum();
        blocks * BLOCK_BYTES
    }

    fn extents(&self, file: &Placed) -> &[Extent] {
        &self.extents[file.extents.0..file.extents.1]
    }

    fn reads(&self) -> Vec<ReadStep> {
        let mut reads = Vec::new();
        let mut yields_bytes = 0;
        let mut inodes_until = 0;
        let mut directories = self.directories.iter().peekable();
        for (index, file) in self.files.iter().enumerate() {
            let mut wait_for = |start: u64, blocks: u64| {
                reads.push(ReadStep {
                    offset_bytes: start * BLOCK_BYTES,
                    len_bytes: blocks * BLOCK_BYTES,
                    waits: true,
                    yields_bytes,
                });
            };
            if let Some((block, _)) = directories.next_if(|(_, first)| *first == index) {
                wait_for(*block, 1);
            }
            if file.inode_block >= inodes_until {
                let start = file.inode_block / INODE_WINDOW_BLOCKS * INODE_WINDOW_BLOCKS;
                inodes_until = start + INODE_WINDOW_BLOCKS;
                wait_for(start, INODE_WINDOW_BLOCKS);
            }
            let mut window = Window::default();
            for extent in self.extents(file) {
                window.split(*extent, |start, blocks, first| {
                    yields_bytes += blocks * BLOCK_BYTES;
                    reads.push(ReadStep {
                        offset_bytes: start * BLOCK_BYTES,
                        len_bytes: blocks * BLOCK_BYTES,
                        waits: first,
                        yields_bytes,
                    });
                });
            }
        }
        reads
    }

    /// Writes of all files. `source_bytes` can be read: with an archive, a little more or less than
    /// is written.
    fn writes(&self, source_bytes: u64) -> Vec<WriteStep> {
        let mut writes: Vec<WriteStep> = Vec::new();
        let mut written_bytes = 0;
        for extent in &self.extents {
            let mut at = extent.start;
            while at < extent.end() {
                let blocks = (extent.end() - at).min(WRITEBACK_BYTES / BLOCK_BYTES);
                written_bytes += blocks * BLOCK_BYTES;
                let needs_bytes = written_bytes.min(source_bytes);
                write_back(&mut writes, Extent { start: at, blocks }, needs_bytes);
                at += blocks;
            }
        }
        // The end of an archive waits for the last read.
        if let Some(last) = writes.last_mut() {
            last.needs_bytes = source_bytes;
        }
        writes
    }

    /// Blocks that change in place: descriptors, bitmaps, inodes, directories, blocks of extents.
    fn metadata(&self, layout: &Layout) -> Vec<(u64, u64)> {
        let mut blocks: Vec<u64> = Vec::new();
        for extent in &self.extents {
            let mut at = extent.start;
            while at < extent.end() {
                blocks.push(layout.bitmap_of(at));
                blocks.push(layout.descriptor_of(at));
                at += EXTENT_BLOCKS_MAX;
            }
            blocks.push(layout.bitmap_of(extent.end() - 1));
        }
        blocks.extend(self.files.iter().map(|file| file.inode_block));
        blocks.extend(self.directories.iter().map(|(block, _)| *block));
        blocks.sort_unstable();
        blocks.dedup();
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for block in blocks {
            let (offset, len) = (block * BLOCK_BYTES, BLOCK_BYTES);
            match runs.last_mut() {
                Some((start, bytes))
                    if *start + *bytes == offset && *bytes + len <= REQUEST_BYTES_MAX =>
                {
                    *bytes += len;
                }
                _ => runs.push((offset, len)),
            }
        }
        runs
    }
}

impl Stage {
    /// Blocks that the journal needs for all metadata: each block, and descriptors.
    pub fn journal_blocks(&self) -> u64 {
        let bytes: u64 = self.metadata.iter().map(|(_, len)| len).sum();
        let blocks = bytes / BLOCK_BYTES;
        blocks + blocks.div_ceil(TAGS_PER_DESCRIPTOR)
    }

    /// Bytes that are read.
    pub fn read_bytes(&self) -> u64 {
        self.reads.iter().map(|step| step.len_bytes).sum()
    }

    /// Bytes of files that are written, in whole blocks.
    pub fn written_bytes(&self) -> u64 {
        self.writes.iter().map(|step| step.len_bytes).sum()
    }
}

/// The windows of a file.
#[derive(Default)]
struct Window {
    /// Blocks of the file so far.
    blocks: u64,
    /// Reads so far.
    reads: usize,
}

impl Window {
    fn split(&mut self, extent: Extent, mut see: impl FnMut(u64, u64, bool)) {
        const WINDOW_BLOCKS: u64 = WINDOW_BYTES / BLOCK_BYTES;
        let mut at = extent.start;
        while at < extent.end() {
            let left = WINDOW_BLOCKS - self.blocks % WINDOW_BLOCKS;
            let blocks = left.min(extent.end() - at);
            see(at, blocks, self.reads == 0);
            self.reads += 1;
            self.blocks += blocks;
            at += blocks;
        }
    }
}

/// Adds the writes for one write-back of a file.
fn write_back(writes: &mut Vec<WriteStep>, extent: Extent, needs_bytes: u64) {
    let mut offset_bytes = extent.start * BLOCK_BYTES;
    let mut left = extent.blocks * BLOCK_BYTES;
    let mut first = true;
    while left > 0 {
        let len_bytes = left.min(REQUEST_BYTES_MAX);
        let step = WriteStep {
            offset_bytes,
            len_bytes,
            needs_bytes,
        };
        match writes.last_mut() {
            Some(last)
                if first
                    && last.offset_bytes + last.len_bytes == offset_bytes
                    && last.len_bytes + len_bytes <= REQUEST_BYTES_MAX =>
            {
                last.len_bytes += len_bytes;
                last.needs_bytes = needs_bytes;
            }
            _ => writes.push(step),
        }
        first = false;
        offset_bytes += len_bytes;
        left -= len_bytes;
    }
}

/// Inodes of a file or directory take a sixteenth of a block each.
const _: () = assert!(INODES_PER_BLOCK == BLOCK_BYTES / 256);
