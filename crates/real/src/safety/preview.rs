//! The target at a path, without opening it for writing: for messages before anything is touched.

use std::fs;
use std::path::Path;

use stend_language::recorded;
use stend_record::endurance::Health;
use stend_record::review::{Condition, TargetInfo, TargetKind};

use crate::probe::device::Device;
use crate::probe::file::{check_free_space, folder_of, part_of, usable_size};
use crate::probe::path_kind::{PathKind, refuse_loop_in_memory, refuse_memory};
use crate::probe::system::SystemRoot;
use crate::safety::device_claim::health_of;
use crate::safety::survey::{Finding, survey};
use stend_load::target::{TargetError, failed};

/// A real target that has not been opened.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Facts about the target.
    pub info: TargetInfo,
    /// True if it is expected to support TRIM; for a file or a directory this is tested only later.
    pub trim_supported: bool,
    /// Health that a device reports; `None` for a file or a directory, and if the device reports
    /// none.
    pub health: Option<Health>,
    /// Reasons for which a test of a device would be refused, each with its remedy. Signatures of
    /// file systems are searched only when it is opened.
    pub refusals: Vec<String>,
}

/// Examines a path: creates and locks nothing, reads only a device's health, and does not refuse a
/// target that is in use. `size_bytes` is as in [`OpenOptions`](crate::OpenOptions).
///
/// # Errors
/// [`TargetError::Input`] for an impossible size, or a directory or a new file without one;
/// [`TargetError::Refused`] for a path that can never be tested; [`TargetError::Failed`] if too
/// little space is free.
pub fn look(path: &Path, size_bytes: Option<u64>) -> Result<Seen, TargetError> {
    let name = path.display().to_string();
    let needs_size = || {
        TargetError::Input(format!(
            "{name}: say how much of it, or how large a new file, is to be tested: --size 8GiB"
        ))
    };
    let root = SystemRoot::running();
    let reached = || fs::canonicalize(path).map_err(failed(path, "cannot be reached"));
    let (kind, shown, size_bytes, device) = match PathKind::of(path)? {
        PathKind::Device(number, node) => {
            let device = Device::known(&root, path, number)?;
            let remedy = "give a smaller size or none";
            refuse_loop_in_memory(&root, path, &device)?;
            let size_bytes = part_of(&node, device.size_bytes, size_bytes, remedy)?;
            (TargetKind::BlockDevice, node, size_bytes, Some(device))
        }
        PathKind::File => {
            refuse_memory(&root, path, path)?;
            let has_bytes = path
                .metadata()
                .map_err(failed(path, "cannot be reached"))?
                .len();
            let remedy = "give a smaller size, or leave --size out to use the whole file";
            let size_bytes = part_of(path, has_bytes, size_bytes, remedy)?;
            (TargetKind::File, reached()?, size_bytes, None)
        }
        PathKind::Directory => {
            refuse_memory(&root, path, path)?;
            let directory = reached()?;
            let size_bytes = usable_size(path, size_bytes.ok_or_else(needs_size)?)?;
            check_free_space(path, &directory, size_bytes)?;
            (TargetKind::Directory, directory, size_bytes, None)
        }
        PathKind::Nothing => {
            let folder = folder_of(path)?;
            refuse_memory(&root, path, &folder)?;
            let size_bytes = usable_size(path, size_bytes.ok_or_else(needs_size)?)?;
            check_free_space(path, &folder, size_bytes)?;
            let file = folder.join(path.file_name().unwrap_or_default());
            (TargetKind::File, file, size_bytes, None)
        }
    };
    let below = match kind {
        TargetKind::BlockDevice => None,
        _ => Device::below(&root, &shown),
    };
    let survey = |device: &Device| {
        survey(&root, device)
            .iter()
            .map(Finding::to_string)
            .collect()
    };
    Ok(Seen {
        refusals: device.as_ref().map(survey).unwrap_or_default(),
        trim_supported: device.as_ref().is_none_or(Device::takes_trim),
        health: device.as_ref().and_then(|device| health_of(device).ok()),
        info: describe(
            &name,
            kind,
            &shown,
            size_bytes,
            device.as_ref(),
            below.as_ref(),
        ),
    })
}

/// Facts about a real target; `shown` is its path, absolute and without links, and `below` the
/// device below the file system of a file or a directory.
pub(crate) fn describe(
    name: &str,
    kind: TargetKind,
    shown: &Path,
    capacity_bytes: u64,
    device: Option<&Device>,
    below: Option<&Device>,
) -> TargetInfo {
    let path = shown.display().to_string();
    let (title, mut facts) = match (device, kind) {
        (Some(device), _) => (device.model.clone(), device.facts()),
        (None, TargetKind::Directory) => {
            let directory = recorded!("place-value-directory", path = path.as_str());
            (None, vec![Condition::new("directory", directory)])
        }
        (None, _) => (None, vec![Condition::new("file", path.clone())]),
    };
    // Direct I/O to a file has the device's sectors, too; usual ones need no fact.
    let sector = below.and_then(|device| device.disk("queue/logical_block_size"));
    if let Some(bytes) = sector.filter(|bytes| bytes != "512") {
        facts.push(Condition::new("logical-block-bytes", bytes));
    }
    TargetInfo {
        name: name.to_owned(),
        title: title.unwrap_or(path),
        kind,
        capacity_bytes,
        link: device.and_then(Device::link),
        facts,
        ..TargetInfo::default()
    }
}
