//! A target that may be touched: a file, a directory, or a device claimed for this process alone.

use std::fs::File;
use std::path::{Path, PathBuf};

use stend_load::target::TargetError;
use stend_record::review::TargetKind;

use crate::probe::device::Device;
use crate::probe::file;
use crate::probe::system::SystemRoot;
use crate::process::running::TargetFolder;
use crate::safety::file_mark::LeftMarked;

/// A directory that is tested.
#[derive(Debug)]
pub(crate) struct Subdirectory {
    /// The directory that the user named, absolute and without links.
    pub(crate) directory: PathBuf,
    /// The subdirectory in it.
    pub(crate) folder: TargetFolder,
}

impl Subdirectory {
    /// Path of the subdirectory that contains everything.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A target that may be touched.
#[derive(Debug)]
pub(crate) struct Opened {
    /// Path, absolute and without links.
    pub(crate) path: PathBuf,
    pub(crate) kind: TargetKind,
    pub(crate) size_bytes: u64,
    /// File for TRIM; for a device, the exclusive open that keeps others away.
    pub(crate) handle: File,
    /// For a file, the device below its file system, if known.
    pub(crate) device: Option<Device>,
    /// Other nodes of the same device, held as well.
    pub(crate) _other_nodes: Vec<File>,
    /// For a directory, the subdirectory that contains the file.
    pub(crate) subdirectory: Option<Subdirectory>,
    /// Subdirectories that killed reviews have left in a directory.
    pub(crate) left: Vec<PathBuf>,
    pub(crate) trim_supported: bool,
    /// True if it did not exist before.
    pub(crate) created: bool,
    /// Marks a file that stend made, at the end.
    pub(crate) _marked: Option<LeftMarked>,
    /// Lock that keeps other stend processes away from the target's directory.
    pub(crate) _lock: Option<File>,
    /// If opened read-only, the users of the target.
    pub(crate) read_only: Option<Vec<String>>,
}

impl Opened {
    /// A device, or its first bytes.
    ///
    /// # Errors
    /// [`TargetError::Input`] if it is smaller.
    pub(crate) fn of_device(
        node: PathBuf,
        handle: File,
        device: Device,
        size_bytes: Option<u64>,
    ) -> Result<Opened, TargetError> {
        let remedy = "give a smaller size or none";
        let size_bytes = file::part_of(&node, device.size_bytes, size_bytes, remedy)?;
        Ok(Opened {
            trim_supported: device.takes_trim(),
            device: Some(device),
            ..Opened::plain(node, TargetKind::BlockDevice, size_bytes, handle)
        })
    }

    /// An existing file, with the device below it. If `punches` is set, tests that its space can be
    /// freed.
    pub(crate) fn of_file(
        root: &SystemRoot,
        path: PathBuf,
        handle: File,
        size_bytes: u64,
        punches: bool,
    ) -> Opened {
        Opened {
            device: Device::below(root, &path),
            trim_supported: punches && file::can_punch(&path),
            ..Opened::plain(path, TargetKind::File, size_bytes, handle)
        }
    }

    fn plain(path: PathBuf, kind: TargetKind, size_bytes: u64, handle: File) -> Opened {
        Opened {
            path,
            kind,
            size_bytes,
            handle,
            device: None,
            _other_nodes: Vec::new(),
            subdirectory: None,
            left: Vec::new(),
            trim_supported: false,
            created: false,
            _marked: None,
            _lock: None,
            read_only: None,
        }
    }
}
