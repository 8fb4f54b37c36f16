//! The kind of target at a path, and a check that it is on a drive.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use stend_load::target::{TargetError, failed};

use crate::probe::device::Device;
use crate::probe::system::{DeviceNumber, SystemRoot, mount_of};

/// Refuses a file or a directory that is not on a drive; `place` is its present or future path, or
/// the folder of that path.
///
/// # Errors
/// [`TargetError::Refused`].
pub(crate) fn refuse_memory(
    root: &SystemRoot,
    path: &Path,
    place: &Path,
) -> Result<(), TargetError> {
    let there = fs::canonicalize(place).map_err(failed(path, "cannot be reached"))?;
    let mounts = root.mounts();
    let mount = mount_of(&mounts, &there);
    match mount.map(|mount| mount.fs_type.as_str()) {
        Some(fs_type @ ("tmpfs" | "ramfs")) => Err(TargetError::Refused(format!(
            "{} is in the machine's memory ({fs_type}), not on a drive; choose a place on the \
             drive to be tested",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Refuses a loop device whose backing file is not on a drive.
///
/// # Errors
/// [`TargetError::Refused`].
pub(crate) fn refuse_loop_in_memory(
    root: &SystemRoot,
    path: &Path,
    device: &Device,
) -> Result<(), TargetError> {
    let backing = device.disk("loop/backing_file").map(PathBuf::from);
    // The path of a deleted file does not lead to it.
    match backing.filter(|file| file.exists()) {
        Some(file) => refuse_memory(root, path, &file),
        None => Ok(()),
    }
}

/// Node of a mapping (such as a logical volume) that has the mapping's name: the kernel's `dm-0`
/// changes from boot to boot.
fn mapping_of(number: DeviceNumber) -> Option<PathBuf> {
    let name = SystemRoot::running().text(&format!("sys/dev/block/{number}/dm/name"))?;
    let node = Path::new("/dev/mapper").join(name);
    let meta = node.metadata().ok()?;
    (DeviceNumber::from_raw(meta.rdev()) == number).then_some(node)
}

/// Kind of target at a path.
pub(crate) enum PathKind {
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
    /// Determines the kind.
    ///
    /// # Errors
    /// [`TargetError::Refused`] for any other kind.
    pub(crate) fn of(path: &Path) -> Result<PathKind, TargetError> {
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
            let number = DeviceNumber::from_raw(meta.rdev());
            let node = match mapping_of(number) {
                Some(node) => node,
                None => fs::canonicalize(path).map_err(failed)?,
            };
            Ok(PathKind::Device(number, node))
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
