//! Checks that a target is still the one that was opened. A drive may be unplugged or removed by
//! the kernel; then its node is gone or belongs to another drive, and no measurement counts.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::probe::device::Device;
use crate::probe::system::{DeviceNumber, SystemRoot, names_in, read_trimmed};
use stend_load::target::TargetError;

/// Time that the kernel may need to remove a device whose requests already fail.
const REMOVAL: Duration = Duration::from_secs(1);

/// Identity of the target at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Identity {
    Device(DeviceNumber),
    File { device: u64, inode: u64 },
}

impl Identity {
    fn of(meta: &Metadata) -> Identity {
        match meta.file_type().is_block_device() {
            true => Identity::Device(DeviceNumber::from_raw(meta.rdev())),
            false => Identity::File {
                device: meta.dev(),
                inode: meta.ino(),
            },
        }
    }
}

/// A device in sysfs, with the facts that distinguish it from a later one in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Attached {
    words: String,
    dir: PathBuf,
    number: String,
    /// Number that the kernel counts up for each disk; since Linux 5.15.
    sequence: Option<String>,
}

impl Attached {
    fn of(device: &Device) -> Attached {
        Attached {
            words: device.in_words(),
            dir: device.dir.clone(),
            number: device.own("dev").unwrap_or_default(),
            sequence: device.disk("diskseq"),
        }
    }

    fn is_there(&self) -> bool {
        let own = |name: &str| read_trimmed(&self.dir.join(name));
        // The number of a partition is in the directory of its disk.
        let sequence = || own("diskseq").or_else(|| own("../diskseq"));
        own("dev").as_ref() == Some(&self.number)
            && (self.sequence.is_none() || sequence() == self.sequence)
    }
}

/// Checks that a target is still there.
#[derive(Clone, Debug)]
pub(crate) struct Presence {
    path: PathBuf,
    identity: Option<Identity>,
    /// Devices without which the target cannot exist.
    attached: Vec<Attached>,
}

impl Presence {
    /// Of a file or device at a path without links; `device` is the device itself, or the one
    /// below.
    pub(crate) fn of(root: &SystemRoot, path: &Path, device: Option<&Device>) -> Presence {
        let mut devices = Vec::new();
        if let Some(device) = device {
            needed(root, device, &mut devices);
        }
        Presence {
            path: path.to_owned(),
            identity: path.metadata().ok().map(|meta| Identity::of(&meta)),
            attached: devices.iter().map(Attached::of).collect(),
        }
    }

    /// Checks that the target is the same as before.
    ///
    /// # Errors
    /// [`TargetError::Removed`] names the missing target.
    pub(crate) fn check(&self) -> Result<(), TargetError> {
        let shown = self.path.display();
        if let Some(gone) = self.attached.iter().find(|device| !device.is_there()) {
            return Err(TargetError::Removed(format!(
                "{shown}: the drive was removed ({}); connect it again, and repeat the command",
                gone.words
            )));
        }
        let now = self.path.metadata().ok().map(|meta| Identity::of(&meta));
        match now == self.identity {
            true => Ok(()),
            false => Err(TargetError::Removed(format!(
                "{shown} was removed, or replaced by another of its name, while it was in use"
            ))),
        }
    }

    /// As [`Presence::check`], after a request has failed: a drive's requests fail before its
    /// device is removed.
    ///
    /// # Errors
    /// As [`Presence::check`].
    pub(crate) fn check_after_failure(&self) -> Result<(), TargetError> {
        let began = Instant::now();
        loop {
            self.check()?;
            if began.elapsed() >= REMOVAL {
                return Ok(());
            }
            sleep(Duration::from_millis(50));
        }
    }
}

/// Collects a device and, for a mapping, those below it. The members of an array are left out: it
/// continues without one of them.
fn needed(root: &SystemRoot, device: &Device, all: &mut Vec<Device>) {
    all.push(device.clone());
    if device.disk("dm/name").is_none() {
        return;
    }
    let slaves = device.disk_dir.join("slaves");
    for name in names_in(&slaves) {
        if let Some(below) = Device::at(root, &slaves.join(name)) {
            needed(root, &below, all);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::probe::recorded::{Recorded, says};

    const SDA: &str =
        "sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";

    #[test]
    fn a_device_that_goes_or_is_another() {
        let system = Recorded::sata();
        system.write(&format!("{SDA}/diskseq"), "7\n");
        let presence = Presence::of(
            &system.root,
            &system.path("etc"),
            Some(&system.device("8:0")),
        );
        presence.check().unwrap();
        let removed = || presence.check().unwrap_err().to_string();
        // Another drive is attached to the same port.
        system.write(&format!("{SDA}/diskseq"), "8\n");
        says(removed(), "SanDisk SDSSDHII, serial number 142207A1B2C3");
        system.write(&format!("{SDA}/diskseq"), "7\n");
        presence.check().unwrap();
        fs::remove_dir_all(system.path(SDA)).unwrap();
        says(removed(), "was removed");
        assert!(presence.check_after_failure().is_err());
    }

    #[test]
    fn a_partition_goes_with_its_disk_and_a_mapping_with_what_is_below() {
        let system = Recorded::nvme();
        let disk = "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1";
        system.write(&format!("{disk}/diskseq"), "3\n");
        let of = |number| {
            let device = system.device(number);
            Presence::of(&system.root, &system.path("etc"), Some(&device))
        };
        let (part, mapped) = (of("259:2"), of("253:0"));
        part.check().unwrap();
        mapped.check().unwrap();
        system.write(&format!("{disk}/diskseq"), "4\n");
        says(part.check().unwrap_err(), "nvme0n1p2");
        says(mapped.check().unwrap_err(), "nvme0n1p2");
    }

    #[test]
    fn a_file_that_goes_or_is_another() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("target.bin");
        fs::write(&path, "data").unwrap();
        let presence = Presence::of(&SystemRoot::running(), &path, None);
        presence.check().unwrap();
        let other = dir.path().join("other");
        fs::write(&other, "data").unwrap();
        fs::rename(&other, &path).unwrap();
        says(presence.check().unwrap_err(), "replaced by another");
        fs::remove_file(&path).unwrap();
        says(presence.check().unwrap_err(), "was removed");
    }
}
