//! What a path leads to.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::system::DeviceNumber;
use crate::error::{TargetError, failed};

/// What is at a path.
pub(super) enum PathKind {
    /// Nothing: a file may be created.
    Nothing,
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A block device: its number, and its path without links.
    Device(DeviceNumber, PathBuf),
}

impl PathKind {
    /// Looks.
    ///
    /// # Errors
    /// [`TargetError::Refused`] for what is none of these.
    pub(super) fn of(path: &Path) -> Result<PathKind, TargetError> {
        let refused = |what: &str| {
            Err(TargetError::Refused(format!(
                "{} is {what}; give a block device, a directory, a file, or the name of a file to \
                create",
                path.display()
            )))
        };
        let failed = failed(path, "cannot be reached");
        let meta = match path.metadata() {
            Ok(meta) => meta,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return match path.symlink_metadata() {
                    Ok(_) => refused("a link that leads nowhere"),
                    Err(_) => Ok(PathKind::Nothing),
                };
            }
            Err(error) => return Err(failed(error)),
        };
        let kind = meta.file_type();
        if kind.is_file() {
            Ok(PathKind::File)
        } else if kind.is_block_device() {
            let node = fs::canonicalize(path).map_err(failed)?;
            Ok(PathKind::Device(DeviceNumber::from_raw(meta.rdev()), node))
        } else if kind.is_dir() {
            Ok(PathKind::Directory)
        } else if kind.is_char_device() {
            refused("a character device")
        } else if kind.is_fifo() {
            refused("a pipe")
        } else {
            refused("neither a file nor a device")
        }
    }
}
