//! A target that may be touched: a file, a directory, or a device claimed for this process alone.
//!
//! In a directory, everything is made in one fresh subdirectory, which is removed when the target
//! goes, or when stend is ended by a signal: a file for fio, and the room that the file takes for
//! work on files. What was in the directory before is neither read nor changed.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use stend_record::review::TargetKind;

use super::claim::{DeviceAction, claim};
use super::device::Device;
use super::running::{LeftMarked, TargetFolder};
use super::system::{DeviceNumber, SystemRoot, mount_of};
use super::{file, file_claim, read_only};
use stend_contract::{TargetError, failed};

/// How to open a real target.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Bytes under test. Creates a file of that size where there is none; of an existing
    /// file or a device it takes so much from the beginning. Rounded down to 4 KiB.
    pub size_bytes: Option<u64>,
    /// What the user named to allow its destruction: serial numbers of block devices, names of
    /// files.
    pub destroy: Vec<String>,
    /// Asks the user for the name where none is given: shows the text, and returns the line typed,
    /// without its end; `None` where nothing was typed. Without it the target is refused.
    pub ask: Option<fn(&str) -> Option<String>>,
    /// Open for reading alone.
    pub read_only: bool,
    /// Bytes that the run will write, for the table shown before the serial number is
    /// demanded; `None` when not known.
    pub planned_write_bytes: Option<u64>,
    /// Time for which it will also write as fast as the device can, s; for the same table.
    pub planned_writing_s: Option<f64>,
    /// Time that loads and rests take, s, without the time of `planned_write_bytes`; for the same
    /// table.
    pub planned_s: Option<f64>,
    /// Folder for job files, fio's answers and logs while a job runs; each job uses and
    /// removes a folder of its own in it. The system's folder for temporary files if
    /// `None`.
    pub runtime_dir: Option<PathBuf>,
    /// The fio to use; if `None`, that of the variable [`FIO_VARIABLE`](super::FIO_VARIABLE), or
    /// the first in `PATH`.
    pub fio_path: Option<PathBuf>,
}

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
    /// The same device by its other nodes, held as well.
    pub(super) _other_nodes: Vec<File>,
    /// Of a directory, the subdirectory that the file is in.
    pub(super) subdirectory: Option<Subdirectory>,
    pub(super) trim_supported: bool,
    /// It was not there before.
    pub(super) created: bool,
    /// Of a file that stend made: marks it at the end.
    pub(super) _marked: Option<LeftMarked>,
    /// Keeps another stend away from the directory that the target is in.
    pub(super) _lock: Option<File>,
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
                let (claimed, device) = claim(root, &node, number, options, &DeviceAction::Test)?;
                Ok(Opened {
                    _other_nodes: claimed.others,
                    ..Opened::of_device(node, claimed.file, device, size_bytes)?
                })
            }
            PathKind::Directory => directory(root, path, size_bytes),
            PathKind::File => file::existing(root, path, options),
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
        let remedy = "give a smaller size or none";
        Ok(Opened {
            size_bytes: file::part_of(&node, device.size_bytes, size_bytes, remedy)?,
            path: node,
            kind: TargetKind::BlockDevice,
            handle,
            trim_supported: device.takes_trim(),
            device: Some(device),
            _other_nodes: Vec::new(),
            subdirectory: None,
            created: false,
            _marked: None,
            _lock: None,
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
            _other_nodes: Vec::new(),
            subdirectory: None,
            created: false,
            _marked: None,
            _lock: None,
            read_only: None,
        }
    }
}

/// Makes the subdirectory and the file for fio in it.
fn directory(
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
    refuse_memory(root, path, &directory)?;
    let lock = File::open(&directory).map_err(failed(path, "the directory cannot be opened"))?;
    file_claim::lock(root, path, &lock)?;
    let folder =
        TargetFolder::new_in(&directory).map_err(failed(path, "no subdirectory can be made"))?;
    let file = file::create(root, &folder.path().join("target.bin"), Some(size_bytes))?;
    Ok(Opened {
        kind: TargetKind::Directory,
        subdirectory: Some(Subdirectory { directory, folder }),
        _lock: Some(lock),
        ..file
    })
}

/// Refuses a file or a directory that is on no drive; `place` is where it is or will be, or the
/// folder of that.
///
/// # Errors
/// [`TargetError::Refused`].
pub(super) fn refuse_memory(
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

/// The node of a mapping (such as a logical volume) that bears its name: the kernel's `dm-0`
/// changes from boot to boot.
fn mapping_of(number: DeviceNumber) -> Option<PathBuf> {
    let name = SystemRoot::running().text(&format!("sys/dev/block/{number}/dm/name"))?;
    let node = Path::new("/dev/mapper").join(name);
    let meta = node.metadata().ok()?;
    (DeviceNumber::from_raw(meta.rdev()) == number).then_some(node)
}

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
