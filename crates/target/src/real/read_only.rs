//! Opening a target for reading alone: nothing of it can be lost, so that nothing speaks
//! against it, and nobody has to agree.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use stend_load::trace::{Trace, summary};
use stend_record::review::{Condition, TargetKind};

use super::device::Device;
use super::environment::condition;
use super::file::{Prepared, usable_size};
use super::opened::{Opened, open_file};
use super::path_kind::PathKind;
use super::survey::{Finding, survey};
use super::system::{DeviceNumber, SystemRoot};
use super::units::bytes_for_people;
use crate::error::TargetError;

/// Opens what was found at a path.
pub(super) fn open(
    root: &SystemRoot,
    path: &Path,
    found: PathKind,
    size_bytes: Option<u64>,
) -> Result<(Opened, TargetKind), TargetError> {
    match found {
        PathKind::Device(number, node) => Ok((
            device(root, node, number, size_bytes)?,
            TargetKind::BlockDevice,
        )),
        PathKind::File => Ok((file(root, path, size_bytes)?, TargetKind::File)),
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
        TargetError::Failed(format!(
            "{}: sysfs knows no block device {number}",
            node.display()
        ))
    })?;
    let handle = open_to_read(&node)?;
    Ok(Opened {
        size_bytes: part_of(&node, device.size_bytes, size_bytes)?,
        handle,
        trim_supported: false,
        created: false,
        in_use: Some(survey(root, &device).iter().filter_map(use_words).collect()),
        device: Some(device),
        path: node,
    })
}

fn file(root: &SystemRoot, path: &Path, size_bytes: Option<u64>) -> Result<Opened, TargetError> {
    let file = open_to_read(path)?;
    let failed = |error: io::Error| TargetError::Failed(format!("{}: {error}", path.display()));
    let has_bytes = file.metadata().map_err(failed)?.len();
    let prepared = Prepared {
        path: fs::canonicalize(path).map_err(failed)?,
        size_bytes: part_of(path, has_bytes, size_bytes)?,
        file,
        created: false,
    };
    Ok(Opened {
        in_use: Some(Vec::new()),
        ..open_file(root, prepared, false)
    })
}

fn open_to_read(path: &Path) -> Result<File, TargetError> {
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => TargetError::Refused(format!(
            "{}: no permission to read; run as root, or as a member of the group that owns it",
            path.display()
        )),
        _ => TargetError::Failed(format!("{}: cannot be opened: {error}", path.display())),
    })
}

fn part_of(path: &Path, has_bytes: u64, size_bytes: Option<u64>) -> Result<u64, TargetError> {
    let wanted = usable_size(path, size_bytes.unwrap_or(has_bytes))?;
    if wanted > has_bytes {
        return Err(TargetError::Input(format!(
            "{}: there are {} and --size asks for {}; give a smaller size or none",
            path.display(),
            bytes_for_people(has_bytes),
            bytes_for_people(wanted)
        )));
    }
    Ok(wanted)
}

/// Who else uses the device.
fn use_words(finding: &Finding) -> Option<String> {
    match finding {
        Finding::Mounted {
            device,
            at,
            fs_type,
        } => Some(format!(
            "/dev/{device} is mounted at {} ({fs_type})",
            at.display()
        )),
        Finding::Swap { device } => Some(format!("/dev/{device} is swap space")),
        Finding::Held { device, by } => Some(format!("/dev/{device} is held by {}", by.join(", "))),
        Finding::LoopOver { device, by } => {
            Some(format!("/dev/{by} has its backing file on /dev/{device}"))
        }
        Finding::RootDisk { disk } => Some(format!("the running system is on /dev/{disk}")),
        Finding::Partition { .. }
        | Finding::Signature { .. }
        | Finding::ReadOnly
        | Finding::Busy => None,
    }
}

/// How the target was opened, for the environment.
pub(super) fn facts(in_use: &[String]) -> Vec<Condition> {
    let mut facts = vec![condition(
        "access",
        "for reading alone, not exclusively: what others did meanwhile is in the figures",
    )];
    if !in_use.is_empty() {
        facts.push(condition("in use", in_use.join("; ")));
    }
    facts
}

/// Refuses a trace that does anything but read.
pub(super) fn check_trace(trace: &dyn Trace) -> Result<(), TargetError> {
    let holds = summary(trace, None).map_err(|error| TargetError::Input(error.to_string()))?;
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
    use super::super::recorded::Recorded;
    use super::*;

    #[test]
    fn whoever_uses_a_device_is_named() {
        let system = Recorded::nvme();
        let findings = survey(&system.root, &system.device("259:0"));
        let words: Vec<String> = findings.iter().filter_map(use_words).collect();
        assert_eq!(
            words,
            [
                "/dev/nvme0n1p1 is mounted at /boot/efi (vfat)",
                "/dev/nvme0n1p2 is held by dm-0",
                "the running system is on /dev/nvme0n1",
            ]
        );
        assert_eq!(facts(&words).len(), 2);
        assert_eq!(facts(&[]).len(), 1);
    }
}
