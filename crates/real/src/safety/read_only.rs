//! Opens a target for reading only: no data can be lost, so it may be in use, and no consent is
//! required.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use stend_language::recorded;
use stend_load::trace::{Trace, summary};
use stend_record::review::Condition;

use crate::probe::device::Device;
use crate::probe::file::part_of;
use crate::probe::path_kind::{PathKind, refuse_loop_in_memory, refuse_memory};
use crate::probe::system::{DeviceNumber, SystemRoot};
use crate::safety::opened_target::Opened;
use crate::safety::permission::no_permission;
use crate::safety::survey::{Finding, survey};
use stend_load::target::{TargetError, failed, input};

/// Opens the target found at a path.
pub(crate) fn open(
    root: &SystemRoot,
    path: &Path,
    found: PathKind,
    size_bytes: Option<u64>,
) -> Result<Opened, TargetError> {
    match found {
        PathKind::Device(number, node) => device(root, node, number, size_bytes),
        PathKind::File => {
            refuse_memory(root, path, path)?;
            file(root, path, size_bytes)
        }
        PathKind::Directory => Err(TargetError::Refused(format!(
            "{}: --read-only is for a file or a block device that is there: in a directory, files \
             would be made; name a file in it",
            path.display()
        ))),
        PathKind::Nothing => Err(TargetError::Input(format!(
            "{}: there is no such file or device, and --read-only makes none",
            path.display()
        ))),
    }
}

fn device(
    root: &SystemRoot,
    node: PathBuf,
    number: DeviceNumber,
    size_bytes: Option<u64>,
) -> Result<Opened, TargetError> {
    let device = Device::find(root, number).ok_or_else(|| {
        let what = format!("sysfs knows no block device {number}");
        TargetError::Failed(format!("{}: {what}", node.display()))
    })?;
    refuse_loop_in_memory(root, &node, &device)?;
    let in_use = survey(root, &device)
        .iter()
        .filter_map(Finding::in_use)
        .collect();
    let handle = open_to_read(&node)?;
    Ok(Opened {
        trim_supported: false,
        read_only: Some(in_use),
        ..Opened::of_device(node, handle, device, size_bytes)?
    })
}

fn file(root: &SystemRoot, path: &Path, size_bytes: Option<u64>) -> Result<Opened, TargetError> {
    let file = open_to_read(path)?;
    let failed = failed(path, "cannot be read");
    let has_bytes = file.metadata().map_err(&failed)?.len();
    let size_bytes = part_of(path, has_bytes, size_bytes, "give a smaller size or none")?;
    let path = fs::canonicalize(path).map_err(&failed)?;
    Ok(Opened {
        read_only: Some(Vec::new()),
        ..Opened::of_file(root, path, file, size_bytes, false)
    })
}

fn open_to_read(path: &Path) -> Result<File, TargetError> {
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => unreadable(path),
        _ => failed(path, "cannot be opened")(error),
    })
}

/// Error for a target without read permission.
pub(crate) fn unreadable(path: &Path) -> TargetError {
    no_permission(path, "read")
}

/// Facts about the access, for the environment.
pub(crate) fn facts(in_use: &[String]) -> Vec<Condition> {
    let mut facts = vec![Condition::new("access", recorded!("place-value-access"))];
    if !in_use.is_empty() {
        facts.push(Condition::new("in-use", in_use.join("; ")));
    }
    facts
}

/// Refuses a trace that contains anything but reads.
pub(crate) fn check_trace(trace: &dyn Trace) -> Result<(), TargetError> {
    let holds = summary(trace, None).map_err(input)?;
    let [_, others @ ..] = holds.requests;
    if others.iter().all(|requests| *requests == 0) {
        return Ok(());
    }
    Err(TargetError::Refused(format!(
        "{}: the trace does not only read, and the target was opened with --read-only",
        trace.name()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::Recorded;

    #[test]
    fn whoever_uses_a_device_is_named() {
        let system = Recorded::nvme();
        let findings = survey(&system.root, &system.device("259:0"));
        let words: Vec<String> = findings.iter().filter_map(Finding::in_use).collect();
        assert_eq!(
            words,
            [
                "/dev/nvme0n1p1 is mounted at /boot/efi (vfat)",
                "/dev/nvme0n1p2 is held by dm-0 [vg0-root] (LVM, encryption or RAID)",
                "the running system's root file system is on /dev/nvme0n1",
            ]
        );
        assert_eq!(facts(&words).len(), 2);
        assert_eq!(facts(&[]).len(), 1);
    }
}
