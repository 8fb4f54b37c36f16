//! A directory as the target: a file for fio in it, and the room that the file takes for
//! work on files.
//!
//! Everything is made in one fresh subdirectory, which is removed when the target goes, or
//! when stend is ended by a signal. What was in the directory before is neither read nor
//! changed.

use std::fs;
use std::path::{Path, PathBuf};

use stend_record::review::TargetKind;

use super::file;
use super::opened::Opened;
use super::running::TargetFolder;
use super::system::{SystemRoot, mount_of};
use crate::error::{TargetError, failed};

/// A directory that is tested.
#[derive(Debug)]
pub(crate) struct Subdirectory {
    /// What the user named, absolute and without links.
    pub(crate) directory: PathBuf,
    /// The subdirectory in it.
    folder: TargetFolder,
}

impl Subdirectory {
    /// The subdirectory that everything is in.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Makes the subdirectory and the file for fio in it.
pub(super) fn open(
    root: &SystemRoot,
    path: &Path,
    size_bytes: Option<u64>,
) -> Result<Opened, TargetError> {
    let directory =
        fs::canonicalize(path).map_err(failed(path, "the directory cannot be reached"))?;
    let Some(size_bytes) = size_bytes else {
        return Err(TargetError::Input(format!(
            "{} is a directory; say how much of its file system may be used: --size 20GiB (in a \
             subdirectory that is removed at the end)",
            path.display()
        )));
    };
    if let Some(mount) = mount_of(&root.mounts(), &directory)
        && mount.fs_type == "tmpfs"
    {
        return Err(TargetError::Refused(format!(
            "{} is in the machine's memory (tmpfs), not on a drive; choose a directory on \
             the drive to be tested",
            path.display()
        )));
    }
    let folder =
        TargetFolder::new_in(&directory).map_err(failed(path, "no subdirectory can be made"))?;
    let file = file::create(root, &folder.path().join("target.bin"), Some(size_bytes))?;
    Ok(Opened {
        kind: TargetKind::Directory,
        subdirectory: Some(Subdirectory { directory, folder }),
        ..file
    })
}
