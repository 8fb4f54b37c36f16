//! A regular file as the target: its size, its space, and its data ranges.

use std::fs::{self, File, OpenOptions as FileOptions};
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FallocateFlags, OFlags, SeekFrom, StatxFlags, seek, statx};
use rustix::io::Errno;

use stend_load::target::{TargetError, failed};
use stend_record::size::in_both_units;

/// Sizes under test are rounded down to this, bytes, so that every block size up to it fits.
pub const GRAIN_BYTES: u64 = 4096;

/// Smallest size at which a measurement makes sense, bytes.
pub(crate) const MIN_SIZE_BYTES: u64 = 1 << 20;

/// Checks a size that the user requested or that an existing file has.
pub(crate) fn usable_size(path: &Path, bytes: u64) -> Result<u64, TargetError> {
    if bytes < MIN_SIZE_BYTES {
        return Err(TargetError::Input(format!(
            "{}: {bytes} bytes are too few to test; give at least 1 MiB with --size",
            path.display()
        )));
    }
    Ok(bytes - bytes % GRAIN_BYTES)
}

/// Refuses a file whose file system accepts direct I/O but serves it from the machine's memory, as
/// ext4 does with `data=journal`; statx(2) reports this since Linux 6.1.
///
/// # Errors
/// [`TargetError::Failed`].
pub(crate) fn check_direct(file: &File, path: &Path) -> Result<(), TargetError> {
    let asked = StatxFlags::DIOALIGN;
    // An old kernel or another file system may not report it.
    let Ok(told) = statx(file, "", AtFlags::EMPTY_PATH, asked) else {
        return Ok(());
    };
    if told.stx_mask & asked.bits() != 0 && told.stx_dio_mem_align == 0 {
        return Err(TargetError::Failed(format!(
            "{}: {NO_DIRECT_IO}",
            path.display()
        )));
    }
    Ok(())
}

/// Reason why a file cannot be a target, and the remedy.
pub(crate) const NO_DIRECT_IO: &str = "the file system does not do direct I/O, so that the \
    machine's memory would be measured and not the drive; use a file on another file system (ext4 \
    without data=journal, XFS, Btrfs …)";

/// Bytes under test of a target of `has_bytes` bytes, of which the user may select a part.
///
/// # Errors
/// [`TargetError::Input`] if there are too few; `remedy` names the remedy.
pub(crate) fn part_of(
    path: &Path,
    has_bytes: u64,
    wanted_bytes: Option<u64>,
    remedy: &str,
) -> Result<u64, TargetError> {
    let size_bytes = usable_size(path, wanted_bytes.unwrap_or(has_bytes))?;
    if size_bytes <= has_bytes {
        return Ok(size_bytes);
    }
    Err(TargetError::Input(format!(
        "{}: it has {} and --size asks for {}; {remedy}",
        path.display(),
        in_both_units(has_bytes),
        in_both_units(size_bytes)
    )))
}

/// The folder of a file that is to be created, absolute and without links.
///
/// # Errors
/// [`TargetError::Input`] if there is none, [`TargetError::Refused`] below `/dev`.
pub(crate) fn folder_of(path: &Path) -> Result<PathBuf, TargetError> {
    let parent = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => Path::new("/"),
    };
    let parent = fs::canonicalize(parent).map_err(|error| {
        let what = "the folder for the file cannot be reached";
        match error.kind() {
            io::ErrorKind::PermissionDenied => failed(path, what)(error),
            _ => TargetError::Input(format!("{}: {what}: {error}", path.display())),
        }
    })?;
    // Otherwise a mistyped device would become a file in the machine's memory.
    if parent.starts_with("/dev") && !parent.starts_with("/dev/shm") {
        return Err(TargetError::Refused(format!(
            "{}: there is no such device, and no file is created below /dev; `lsblk` lists the \
             devices",
            path.display()
        )));
    }
    Ok(parent)
}

/// Free space in the file system of a directory, bytes.
pub(crate) fn free_bytes(directory: &Path) -> Result<u64, TargetError> {
    let stat =
        rustix::fs::statvfs(directory).map_err(failed(directory, "free space is unknown"))?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// Refuses a size that exceeds the free space of a folder.
pub(crate) fn check_free_space(
    path: &Path,
    parent: &Path,
    size_bytes: u64,
) -> Result<(), TargetError> {
    let free_bytes = free_bytes(parent)?;
    if size_bytes > free_bytes {
        return Err(TargetError::Failed(format!(
            "{}: {} do not fit: {} are free in {}; give a smaller --size or another folder",
            path.display(),
            in_both_units(size_bytes),
            in_both_units(free_bytes),
            parent.display()
        )));
    }
    Ok(())
}

/// Creates a file with its full size. If the file system supports nameless files, the file is named
/// last: a killed run then leaves no file of another size, which the next run would refuse.
pub(crate) fn new_file(path: &Path, parent: &Path, size_bytes: u64) -> Result<File, TargetError> {
    let cannot = failed(path, "cannot be created");
    let nameless = nameless(parent);
    let file = match &nameless {
        Ok(file) => file.try_clone(),
        Err(_) => FileOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path),
    };
    let file = file.map_err(&cannot)?;
    if let Err(error) = reserve(&file, size_bytes) {
        if nameless.is_err() {
            // The file contains no data yet.
            let _ = fs::remove_file(path);
        }
        let what = format!("{} could not be reserved", in_both_units(size_bytes));
        return Err(failed(path, &what)(error));
    }
    if nameless.is_ok() {
        let own = format!("/proc/self/fd/{}", file.as_raw_fd());
        rustix::fs::linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW)
            .map_err(|error| cannot(error.into()))?;
    }
    Ok(file)
}

/// Creates a file without a name.
fn nameless(folder: &Path) -> io::Result<File> {
    FileOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlags::TMPFILE.bits().cast_signed())
        .open(folder)
}

fn reserve(file: &File, size_bytes: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, size_bytes) {
        // ZFS and some network file systems cannot reserve space: only the length is set.
        Err(Errno::OPNOTSUPP) => file.set_len(size_bytes)?,
        other => other?,
    }
    file.sync_all()
}

/// Ranges of a file that may hold data, ascending. Space that is reserved but was never written is
/// not among them.
pub(crate) fn data_ranges(file: &File) -> io::Result<Vec<Range<u64>>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    loop {
        let start = match seek(file, SeekFrom::Data(at)) {
            Err(Errno::NXIO) => return Ok(ranges),
            start => start?,
        };
        at = seek(file, SeekFrom::Hole(start))?;
        ranges.push(start..at);
    }
}

/// Frees the space of a range of the file, `step_bytes` at a time, and keeps the file's length.
pub(crate) fn punch(file: &File, range: Range<u64>, step_bytes: u64) -> io::Result<()> {
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    let mut at = range.start;
    while at < range.end {
        let len = step_bytes.clamp(1, range.end - at);
        rustix::fs::fallocate(file, flags, at, len)?;
        at += len;
    }
    file.sync_all()
}

/// True if the file system can punch holes, tried on a nameless file beside the target. Also true
/// if no such file can be created: the first real attempt will show it.
pub(crate) fn can_punch(path: &Path) -> bool {
    let Some(folder) = path.parent() else {
        return true;
    };
    match nameless(folder) {
        Ok(file) => {
            file.set_len(GRAIN_BYTES).is_err() || punch(&file, 0..GRAIN_BYTES, GRAIN_BYTES).is_ok()
        }
        Err(_) => true,
    }
}
