//! A target that may be touched: a file, or a device claimed for this process alone.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::claim::{DeviceAction, claim};
use super::device::Device;
use super::file;
use super::options::OpenOptions;
use super::system::{DeviceNumber, SystemRoot, mount_of};
use super::units::bytes_for_people;
use crate::error::TargetError;

/// A target that may be touched.
pub(super) struct Opened {
    pub(super) path: PathBuf,
    pub(super) size_bytes: u64,
    pub(super) handle: File,
    pub(super) device: Option<Device>,
    pub(super) trim_supported: bool,
    pub(super) created: bool,
    /// Of a target opened for reading alone, who else uses it.
    pub(super) in_use: Option<Vec<String>>,
}

/// Claims a block device for tests.
///
/// # Errors
/// As [`claim`], and [`TargetError::Input`] when it is smaller than asked for.
pub(super) fn open_device(
    root: &SystemRoot,
    node: PathBuf,
    number: DeviceNumber,
    options: &OpenOptions,
) -> Result<Opened, TargetError> {
    let (handle, device) = claim(root, &node, number, options, &DeviceAction::Test)?;
    let size_bytes = file::usable_size(&node, options.size_bytes.unwrap_or(device.size_bytes))?;
    if size_bytes > device.size_bytes {
        return Err(TargetError::Input(format!(
            "{}: the device has {} and --size asks for {}; give a smaller size or none",
            node.display(),
            bytes_for_people(device.size_bytes),
            bytes_for_people(size_bytes)
        )));
    }
    Ok(Opened {
        trim_supported: device.takes_trim(),
        path: node,
        size_bytes,
        handle,
        device: Some(device),
        created: false,
        in_use: None,
    })
}

/// A file, with the device below it. `punches` is false where not even a nameless file may be made
/// beside it.
pub(super) fn open_file(root: &SystemRoot, prepared: file::Prepared, punches: bool) -> Opened {
    let number = mount_of(&root.mounts(), &prepared.path).map(|mount| {
        // btrfs invents a number: there the mount's source is the device.
        match mount.number.major {
            0 => Path::new(&mount.source)
                .metadata()
                .map_or(mount.number, |meta| DeviceNumber::from_raw(meta.rdev())),
            _ => mount.number,
        }
    });
    Opened {
        device: number.and_then(|number| Device::find(root, number)),
        trim_supported: punches && file::can_punch(&prepared.path),
        path: prepared.path,
        size_bytes: prepared.size_bytes,
        handle: prepared.file,
        created: prepared.created,
        in_use: None,
    }
}
