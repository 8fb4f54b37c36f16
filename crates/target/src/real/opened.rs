//! A target that may be touched: a file, or a device claimed for this process alone.

use std::fs::File;
use std::path::{Path, PathBuf};

use stend_record::review::TargetKind;

use super::claim::{DeviceAction, claim};
use super::device::Device;
use super::directory::{self, Subdirectory};
use super::options::OpenOptions;
use super::path_kind::PathKind;
use super::system::SystemRoot;
use super::{file, read_only};
use crate::error::TargetError;

/// A target that may be touched.
#[derive(Debug)]
pub(super) struct Opened {
    /// Absolute, without links.
    pub(super) path: PathBuf,
    pub(super) kind: TargetKind,
    pub(super) size_bytes: u64,
    /// A file for TRIM; of a device the exclusive open that keeps others away.
    pub(super) handle: File,
    /// Of a file, the device below its file system, if known.
    pub(super) device: Option<Device>,
    /// Of a directory, the subdirectory that the file is in.
    pub(super) subdirectory: Option<Subdirectory>,
    pub(super) trim_supported: bool,
    /// It was not there before.
    pub(super) created: bool,
    /// Opened for reading alone: who else uses it.
    pub(super) read_only: Option<Vec<String>>,
}

impl Opened {
    /// Opens what a path leads to.
    pub(super) fn new(
        root: &SystemRoot,
        path: &Path,
        options: &OpenOptions,
    ) -> Result<Opened, TargetError> {
        let size_bytes = options.size_bytes;
        match PathKind::of(path)? {
            found if options.read_only => read_only::open(root, path, found, size_bytes),
            PathKind::Device(number, node) => {
                let (handle, device) = claim(root, &node, number, options, &DeviceAction::Test)?;
                Opened::of_device(node, handle, device, size_bytes)
            }
            PathKind::Directory => directory::open(root, path, size_bytes),
            PathKind::File => file::existing(root, path, size_bytes),
            PathKind::Nothing => file::create(root, path, size_bytes),
        }
    }

    /// A device, or so much of it.
    ///
    /// # Errors
    /// [`TargetError::Input`] when it is smaller.
    pub(super) fn of_device(
        node: PathBuf,
        handle: File,
        device: Device,
        size_bytes: Option<u64>,
    ) -> Result<Opened, TargetError> {
        let least = "give a smaller size or none";
        Ok(Opened {
            size_bytes: file::part_of(&node, device.size_bytes, size_bytes, least)?,
            path: node,
            kind: TargetKind::BlockDevice,
            handle,
            trim_supported: device.takes_trim(),
            device: Some(device),
            subdirectory: None,
            created: false,
            read_only: None,
        })
    }

    /// A file that was there, with the device below it. Whether space in it can be freed is tried
    /// where `punches` is set.
    pub(super) fn of_file(
        root: &SystemRoot,
        path: PathBuf,
        handle: File,
        size_bytes: u64,
        punches: bool,
    ) -> Opened {
        Opened {
            device: Device::below(root, &path),
            trim_supported: punches && file::can_punch(&path),
            path,
            kind: TargetKind::File,
            size_bytes,
            handle,
            subdirectory: None,
            created: false,
            read_only: None,
        }
    }
}
