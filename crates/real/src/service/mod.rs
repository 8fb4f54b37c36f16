//! Operations on a real drive besides tests: TRIM, the drive's own erase commands, its write cache.
//! A device or file is claimed as for a test: only if nobody uses it, and if it is named a second
//! time.

mod ata;
mod commands;
pub(crate) mod discard;
mod nvme;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use self::commands::{Command, Tools, Waiting};
use self::discard::discard;
use crate::options::OpenOptions;
use crate::probe::device::Device;
use crate::probe::file;
use crate::probe::path_kind::PathKind;
use crate::probe::system::{DeviceNumber, SystemRoot};
use crate::safety::device_claim::{DeviceAction, claim, consent_with, hold_with};
use crate::safety::file_claim::claim_file;
use crate::safety::{file_mark, read_only};
use stend_load::target::{TargetError, failed};

pub use self::commands::{EraseMethod, Erasing};

/// The range that was trimmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trimmed {
    /// First byte.
    pub offset_bytes: u64,
    /// Number of bytes.
    pub len_bytes: u64,
    /// True for TRIM of a device; false if a file's space was freed in its file system.
    pub of_device: bool,
}

/// TRIMs a range of a block device, or frees that range of a regular file in its file system;
/// without a length, up to the end. Afterwards the range reads as zeros, on devices that report
/// this.
///
/// # Errors
/// [`TargetError::Input`] for a range beyond the target or one that does not consist of its blocks;
/// as [`super::open`] for devices that must not be touched; [`TargetError::Failed`] if the device
/// or the file system cannot do it.
pub fn trim(
    path: &Path,
    offset_bytes: u64,
    len_bytes: Option<u64>,
    options: &OpenOptions,
) -> Result<Trimmed, TargetError> {
    match PathKind::of(path)? {
        PathKind::File => trim_file(path, (offset_bytes, len_bytes), options),
        PathKind::Device(number, node) => {
            let root = SystemRoot::running();
            let device = Device::known(&root, &node, number)?;
            let block = device.disk("queue/logical_block_size");
            let block_bytes = block.and_then(|text| text.parse().ok()).unwrap_or(512);
            let (offset_bytes, len_bytes) = range(
                path,
                (offset_bytes, len_bytes),
                device.size_bytes,
                block_bytes,
            )?;
            device.check_trim(path)?;
            let action = DeviceAction::Trim {
                offset_bytes,
                len_bytes,
            };
            let _held = claim(&root, &node, number, options, &action)?;
            discard(&node, offset_bytes, len_bytes, len_bytes)?;
            Ok(Trimmed {
                offset_bytes,
                len_bytes,
                of_device: true,
            })
        }
        PathKind::Directory | PathKind::Nothing => Err(TargetError::Input(format!(
            "{} is neither a block device nor a regular file: there is nothing to TRIM",
            path.display()
        ))),
    }
}

fn trim_file(
    path: &Path,
    (offset, len): (u64, Option<u64>),
    options: &OpenOptions,
) -> Result<Trimmed, TargetError> {
    let failed = failed(path, "its space cannot be freed (in place of TRIM)");
    let what_is_done = "TRIM destroys what is in its range of";
    let (opened, own) = claim_file(&SystemRoot::running(), path, options, what_is_done)?;
    let size_bytes = opened.metadata().map_err(&failed)?.len();
    let (offset_bytes, len_bytes) = range(path, (offset, len), size_bytes, 1)?;
    let end = offset_bytes + len_bytes;
    file::punch(&opened, offset_bytes..end, len_bytes).map_err(&failed)?;
    if own {
        file_mark::put(&opened).map_err(&failed)?;
    }
    Ok(Trimmed {
        offset_bytes,
        len_bytes,
        of_device: false,
    })
}

fn range(
    path: &Path,
    (offset, len): (u64, Option<u64>),
    size_bytes: u64,
    block_bytes: u64,
) -> Result<(u64, u64), TargetError> {
    let len = len.unwrap_or_else(|| size_bytes.saturating_sub(offset));
    let whole = offset.is_multiple_of(block_bytes) && len.is_multiple_of(block_bytes);
    let end = offset.checked_add(len);
    if whole && len > 0 && end.is_some_and(|end| end <= size_bytes) {
        return Ok((offset, len));
    }
    if offset >= size_bytes {
        return Err(TargetError::Input(format!(
            "{}: --offset {offset} is past the end of the target, which has {size_bytes} bytes",
            path.display()
        )));
    }
    let blocks = match block_bytes {
        0..=1 => String::new(),
        bytes => format!(" and consists of whole blocks of {bytes} bytes"),
    };
    Err(TargetError::Input(format!(
        "{}: --offset {offset} --length {len}: a range to trim is not empty, is within the \
         target's {size_bytes} bytes{blocks}",
        path.display()
    )))
}

/// A whole drive by its path; files and partitions have no such commands.
fn drive(root: &SystemRoot, path: &Path) -> Result<(Device, DeviceNumber, PathBuf), TargetError> {
    let PathKind::Device(number, node) = PathKind::of(path)? else {
        return Err(TargetError::Input(format!(
            "{} is not a block device: only a drive can erase itself or switch its cache; `stend \
             drive trim` gives a file's space back",
            path.display()
        )));
    };
    let denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    if File::open(&node).is_err_and(|error| denied(&error)) {
        // The tools would be refused as well.
        return Err(read_only::unreadable(path));
    }
    let device = Device::known(root, path, number)?;
    if device.dir != device.disk_dir {
        return Err(TargetError::Input(format!(
            "{} is a partition, and the command is for the whole drive: name /dev/{}",
            path.display(),
            device.disk_name()
        )));
    }
    Ok((device, number, node))
}

/// Interval between status queries of a sanitize.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// Makes a drive erase itself, and waits for the end: NVMe drives by Format NVM or Sanitize, SATA
/// drives by Security Erase Unit or a command of the sanitize feature set. `tell` receives the
/// percentage of a sanitize that is done, about every second.
///
/// A drive continues to erase after the program that requested it has ended.
///
/// # Errors
/// [`TargetError::Input`] for a target without such a command, with the commands that it reports;
/// as [`super::open`] for devices that must not be touched, including NVMe drives of which another
/// namespace would be erased that is in use or was not named, and SATA drives with a password;
/// [`TargetError::ToolMissing`] without nvme or hdparm; [`TargetError::Failed`] for a drive that is
/// frozen or fails.
pub fn erase(
    path: &Path,
    method: EraseMethod,
    options: &OpenOptions,
    tell: &dyn Fn(f64),
) -> Result<Erasing, TargetError> {
    let root = SystemRoot::running();
    let tools = Tools::installed();
    let (device, number, node) = drive(&root, path)?;
    let plan = match nvme::is(&device) {
        true => nvme::plan(&tools, &root, &device, &node, method)?,
        false => ata::plan(&tools, &node, method)?,
    };
    let action = DeviceAction::Erase {
        how: plan.erasing.how.clone(),
        time: plan.erasing.time.clone(),
        also: plan.also.iter().map(Device::in_words).collect(),
    };
    // Namespaces in use are found before the user is asked.
    let others = plan
        .also
        .iter()
        .map(|other| hold_with(&root, other, &action));
    let _others: Vec<_> = others.collect::<Result<_, _>>()?;
    let _held = claim(&root, &node, number, options, &action)?;
    for other in &plan.also {
        consent_with(&root, other, options, &action)?;
    }
    let waiting = Waiting {
        every: ASK_EVERY,
        tell,
    };
    match &plan.command {
        Command::Format { crypto } => nvme::format(&tools, &node, *crypto)?,
        Command::NvmeSanitize { crypto, controller } => {
            nvme::sanitize(&tools, controller, *crypto, &waiting)?;
        }
        Command::SecurityErase => ata::security_erase(&tools, &node)?,
        Command::AtaSanitize { crypto } => ata::sanitize(&tools, &node, *crypto, &waiting)?,
    }
    Ok(plan.erasing)
}

/// Switches a drive's volatile write cache, and reads its state back.
///
/// # Errors
/// [`TargetError::Input`] for a target without such a cache; [`TargetError::ToolMissing`] without
/// nvme or hdparm; [`TargetError::Failed`] if the drive does not switch it.
pub fn set_write_cache(path: &Path, on: bool) -> Result<(), TargetError> {
    let tools = Tools::installed();
    let (device, _, node) = drive(&SystemRoot::running(), path)?;
    match nvme::is(&device) {
        true => nvme::set_write_cache(&tools, &nvme::controller(&device), on),
        false => ata::set_write_cache(&tools, &node, on),
    }
}
