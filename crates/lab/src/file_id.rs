//! Identity of a file, which does not depend on its name.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Device and inode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    /// Returns the id of the file at a path.
    pub(crate) fn at(path: &Path) -> Option<FileId> {
        fs::metadata(path).ok().map(|meta| FileId::of(&meta))
    }

    /// Returns the id of a file from its facts.
    pub(crate) fn of(meta: &Metadata) -> FileId {
        FileId(meta.dev(), meta.ino())
    }
}
