//! Reasons not to destroy the data of a block device. All are reported at once.

use std::borrow::Cow;
use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::probe::device::{Device, disks_below};
use crate::probe::system::{DeviceNumber, Mount, SystemRoot};
use crate::safety::users::{User, same_file, users};

/// One reason not to write to a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// `device` is mounted at `at`.
    Mounted {
        device: String,
        at: PathBuf,
        fs_type: String,
    },
    /// `device` is used for swap.
    Swap { device: String },
    /// Other devices use `device`: LVM, encryption, RAID.
    Held { device: String, by: Vec<String> },
    /// A loop device has its backing file on `device`.
    LoopOver { device: String, by: String },
    /// The backing file of a loop device is also that of `by`.
    SharedFile { file: PathBuf, by: String },
    /// The backing file of a loop device is in use otherwise: for swap, by processes.
    FileInUse { file: PathBuf, how: String },
    /// The disk has this partition.
    Partition { device: String, size_bytes: u64 },
    /// The root file system is on this disk.
    RootDisk { disk: String },
    /// A file system, partition table or RAID signature.
    Signature { what: String },
    /// The kernel or a switch on the device forbids writes.
    ReadOnly,
    /// Processes have `device` open for writing.
    OpenForWriting { device: String, by: Vec<String> },
    /// The exclusive open failed: another program has the device.
    Busy,
    /// A finding at the node `device`, which leads to the same drive.
    OtherNode {
        device: String,
        finding: Box<Finding>,
    },
}

impl Finding {
    /// Describes the finding and the remedy.
    fn words(&self) -> (String, Cow<'static, str>) {
        let detach = |device: &str| Cow::from(format!("losetup -d /dev/{device} first"));
        match self {
            Finding::Mounted {
                device,
                at,
                fs_type,
            } => (
                format!("/dev/{device} is mounted at {} ({fs_type})", at.display()),
                "umount it first".into(),
            ),
            Finding::Swap { device } => (
                format!("/dev/{device} is in use as swap space"),
                format!("swapoff /dev/{device} first").into(),
            ),
            Finding::Held { device, by } => (
                format!(
                    "/dev/{device} is held by {} (LVM, encryption or RAID)",
                    by.join(", ")
                ),
                "take that apart first".into(),
            ),
            Finding::LoopOver { device, by } => (
                format!("/dev/{device} is the backing of /dev/{by}"),
                detach(by),
            ),
            Finding::SharedFile { file, by } => (
                format!("/dev/{by} is of its backing file {} too", file.display()),
                detach(by),
            ),
            Finding::FileInUse { file, how } => (
                format!("its backing file {} is {how}", file.display()),
                "end that first".into(),
            ),
            Finding::Partition { device, size_bytes } => (
                format!("it has the partition /dev/{device} ({size_bytes} bytes)"),
                "delete it first, or test the partition alone".into(),
            ),
            Finding::RootDisk { disk } => (
                format!("the running system's root file system is on /dev/{disk}"),
                "boot from another drive".into(),
            ),
            Finding::Signature { what } => (
                format!("it holds {what}"),
                "if none of that is needed, erase it with wipefs -a first".into(),
            ),
            Finding::ReadOnly => ("it is read-only".to_owned(), "see blockdev --setrw".into()),
            Finding::OpenForWriting { device, by } => (
                format!("/dev/{device} is open for writing in {}", by.join(", ")),
                "end that first".into(),
            ),
            Finding::Busy => (
                "another program or the kernel has it open for itself".to_owned(),
                "see lsof and lsblk".into(),
            ),
            Finding::OtherNode { device, finding } => {
                let (fact, remedy) = finding.words();
                let fact = format!("/dev/{device} is the same drive by another way, and {fact}");
                (fact, remedy)
            }
        }
    }

    /// Describes the other user of the device; `None` if the finding is no use.
    pub(crate) fn in_use(&self) -> Option<String> {
        match self {
            Finding::Partition { .. }
            | Finding::Signature { .. }
            | Finding::ReadOnly
            | Finding::Busy => None,
            Finding::OtherNode { finding, .. } if finding.in_use().is_none() => None,
            _ => Some(self.words().0),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fact, remedy) = self.words();
        write!(f, "{fact}: {remedy}")
    }
}

/// Checks mounts, swap, holders, partitions and the like, at all nodes of the device. Reads only
/// `/proc` and `/sys`; the caller checks signatures and tries the exclusive open.
pub(crate) fn survey(root: &SystemRoot, device: &Device) -> Vec<Finding> {
    let mut findings = survey_node(root, device);
    for other in device.other_nodes(root) {
        for finding in survey_node(root, &other) {
            // Each node has the drive's partitions and its write protection.
            if !matches!(finding, Finding::Partition { .. } | Finding::ReadOnly) {
                findings.push(Finding::OtherNode {
                    device: other.name.clone(),
                    finding: Box::new(finding),
                });
            }
        }
    }
    findings
}

fn survey_node(root: &SystemRoot, device: &Device) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mounts = root.mounts();
    let swaps = root.swaps();
    let partitions = device.partitions(root);
    for part in std::iter::once(device).chain(&partitions) {
        findings.extend(mounted(&mounts, part));
        if swaps.iter().any(|path| is_node_of(path, part)) {
            findings.push(Finding::Swap {
                device: part.name.clone(),
            });
        }
        let by = part.holders();
        if !by.is_empty() {
            findings.push(Finding::Held {
                device: part.name.clone(),
                by,
            });
        }
        findings.extend(loops_over(root, part));
        findings.extend(open_for_writing(root, part));
    }
    findings.extend(partitions.iter().map(|part| Finding::Partition {
        device: part.name.clone(),
        size_bytes: part.size_bytes,
    }));
    findings.extend(root_disk(root, &mounts, device));
    findings.extend(below_a_loop(root, device));
    if [device.own("ro"), device.disk("ro")].contains(&Some("1".to_owned())) {
        findings.push(Finding::ReadOnly);
    }
    findings
}

fn mounted(mounts: &[Mount], device: &Device) -> Vec<Finding> {
    let number = device.number();
    mounts
        .iter()
        // btrfs invents a device number: there the source's name decides.
        .filter(|mount| {
            Some(mount.number) == number || is_node_of(Path::new(&mount.source), device)
        })
        .map(|mount| Finding::Mounted {
            device: device.name.clone(),
            at: mount.mount_point.clone(),
            fs_type: mount.fs_type.clone(),
        })
        .collect()
}

/// True if a path names the device, directly or as another node or link with its number.
fn is_node_of(path: &Path, device: &Device) -> bool {
    if !path.starts_with("/dev") {
        return false;
    }
    path == Path::new("/dev").join(&device.name)
        || path.metadata().is_ok_and(|meta| {
            meta.rdev() != 0 && Some(DeviceNumber::from_raw(meta.rdev())) == device.number()
        })
}

fn open_for_writing(root: &SystemRoot, device: &Device) -> Option<Finding> {
    let number = device.number()?;
    let node = |meta: &Metadata| {
        meta.file_type().is_block_device() && DeviceNumber::from_raw(meta.rdev()) == number
    };
    let users = users(root, node);
    let by: Vec<String> = users
        .iter()
        .filter(|user| user.writes)
        .map(User::to_string)
        .collect();
    (!by.is_empty()).then(|| Finding::OpenForWriting {
        device: device.name.clone(),
        by,
    })
}

fn loops_over(root: &SystemRoot, device: &Device) -> Vec<Finding> {
    let node = Path::new("/dev").join(&device.name);
    let over = root.loops().into_iter().filter(|(_, file)| *file == node);
    over.map(|(by, _)| Finding::LoopOver {
        device: device.name.clone(),
        by,
    })
    .collect()
}

/// Other uses of the file of a loop device, at any offset, or of the block device in its place.
fn below_a_loop(root: &SystemRoot, device: &Device) -> Vec<Finding> {
    let Some(file) = device.disk("loop/backing_file").map(PathBuf::from) else {
        return Vec::new();
    };
    let own = device.disk_name();
    let meta = file.metadata().ok();
    // A deleted file is known only by its name, to which the kernel adds this ending.
    let is_deleted = file.to_string_lossy().ends_with(" (deleted)");
    let same = |path: &Path| {
        let metas = meta.as_ref().zip(path.metadata().ok());
        is_deleted && path == file || metas.is_some_and(|(meta, other)| same_file(meta)(&other))
    };
    let others = root.loops().into_iter();
    let others = others.filter(|(name, path)| *name != own && same(path));
    let mut findings: Vec<Finding> = others
        .map(|(by, _)| Finding::SharedFile {
            file: file.clone(),
            by,
        })
        .collect();
    let Some(meta) = &meta else {
        return findings;
    };
    if meta.file_type().is_block_device() {
        let below = Device::find(root, DeviceNumber::from_raw(meta.rdev()));
        for finding in below.iter().flat_map(|below| survey_node(root, below)) {
            // The device itself, and others that share its file, are reported already.
            if !matches!(finding, Finding::LoopOver { .. }) {
                findings.push(finding);
            }
        }
        return findings;
    }
    let mut in_use = |how: String| {
        findings.push(Finding::FileInUse {
            file: file.clone(),
            how,
        });
    };
    if root.swaps().iter().any(|path| same(path)) {
        in_use("in use as swap space".to_owned());
    }
    let by = users(root, same_file(meta)).into_iter();
    for user in by.filter(|user| user.writes) {
        in_use(format!("open for writing in {user}"));
    }
    findings
}

fn root_disk(root: &SystemRoot, mounts: &[Mount], device: &Device) -> Option<Finding> {
    let mount = mounts
        .iter()
        .rfind(|mount| mount.mount_point == Path::new("/"))?;
    let below = disks_below(root, &Device::find(root, mount.device_number()?)?);
    let disk = device.disk_name();
    below.contains(&disk).then_some(Finding::RootDisk { disk })
}

/// Parses the output of `blkid -p -o export`; `None` if it found nothing. A partition's own entry
/// in its disk's table (`PART_ENTRY_…`) is no content.
pub(crate) fn signature(blkid_export: &str) -> Option<Finding> {
    let value = |key: &str| {
        blkid_export
            .lines()
            .filter_map(|line| line.split_once('='))
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value.to_owned())
    };
    let mut what = Vec::new();
    if let Some(kind) = value("TYPE") {
        let label = value("LABEL").map(|label| format!(" with the label \"{label}\""));
        let usage = value("USAGE").unwrap_or_else(|| "signature".to_owned());
        what.push(format!("{kind} ({usage}){}", label.unwrap_or_default()));
    }
    if let Some(table) = value("PTTYPE") {
        what.push(format!("a partition table ({table})"));
    }
    (!what.is_empty()).then(|| Finding::Signature {
        what: what.join(" and "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::{Recorded, says};

    fn found(system: &Recorded, number: &str) -> Vec<String> {
        survey(&system.root, &system.device(number))
            .iter()
            .map(Finding::to_string)
            .collect()
    }

    #[test]
    fn a_system_disk_is_refused_for_every_reason_at_once() {
        let found = found(&Recorded::nvme(), "259:0");
        let text = found.join("\n");
        says(&text, "/dev/nvme0n1p1 is mounted at /boot/efi (vfat)");
        says(&text, "/dev/nvme0n1p2 is held by dm-0 [vg0-root] (LVM");
        says(&text, "it has the partition /dev/nvme0n1p1");
        says(&text, "it has the partition /dev/nvme0n1p2");
        says(&text, "root file system is on /dev/nvme0n1");
        assert_eq!(found.len(), 5, "{text}");
    }

    #[test]
    fn a_partition_on_the_system_disk_is_refused() {
        let text = found(&Recorded::nvme(), "259:1").join("\n");
        says(&text, "mounted at /boot/efi");
        says(&text, "root file system is on /dev/nvme0n1");
    }

    #[test]
    fn an_idle_drive_beside_the_system_disk_is_free() {
        assert_eq!(found(&Recorded::sata(), "8:0"), [""; 0]);
    }

    #[test]
    fn swap_read_only_loops_and_btrfs() {
        let system = Recorded::sata();
        system.write(
            "proc/swaps",
            "Filename Type Size Used Priority\n/dev/sda partition 1 0 -2\n",
        );
        let sys = "devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
        system.write(&format!("sys/{sys}/ro"), "1\n");
        system.write("sys/block/loop3/loop/backing_file", "/dev/sda\n");
        system.write(
            "proc/self/mountinfo",
            "31 27 0:44 / /data rw - btrfs /dev/sda rw\n",
        );
        let text = found(&system, "8:0").join("\n");
        says(&text, "swapoff /dev/sda");
        says(&text, "it is read-only");
        says(&text, "the backing of /dev/loop3");
        says(&text, "/dev/sda is mounted at /data (btrfs)");
    }

    #[test]
    fn a_namespace_in_use_by_its_other_controller_is_refused() {
        let system = Recorded::nvme();
        let disk = |controller, number, id: &str| {
            let dir = format!("devices/pci0000:00/nvme/nvme{controller}/nvme{controller}n1");
            system.disk(&dir, number, 2048);
            system.write(&format!("sys/{dir}/wwid"), id);
            let name = format!("nvme{controller}n1");
            let class = system.path("sys/class/block");
            std::fs::create_dir_all(&class).unwrap();
            std::os::unix::fs::symlink(system.path(&format!("sys/{dir}")), class.join(name))
                .unwrap();
            dir
        };
        disk(4, "259:4", "uuid.1\n");
        let other = disk(5, "259:5", "uuid.1\n");
        disk(6, "259:6", "uuid.2\n");
        assert_eq!(found(&system, "259:4"), [""; 0]);
        system.write(&format!("sys/{other}/holders/dm-3"), "");
        let text = "/dev/nvme5n1 is the same drive by another way, and /dev/nvme5n1 is held by \
                    dm-3 (LVM, encryption or RAID): take that apart first";
        assert_eq!(found(&system, "259:4"), [text]);
        assert_eq!(found(&system, "259:6"), [""; 0]);
    }

    #[test]
    fn a_member_of_an_array_is_held() {
        let system = Recorded::sata();
        let sys = "devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
        system.disk("devices/virtual/block/md127", "9:127", 468_000_000);
        for holder in ["md127", "dm-3"] {
            system.write(&format!("sys/{sys}/holders/{holder}"), "");
        }
        assert_eq!(
            found(&system, "8:0"),
            ["/dev/sda is held by dm-3, md127 (LVM, encryption or RAID): take that apart first"]
        );
        // The array itself has its own content, which is checked separately.
        assert_eq!(found(&system, "9:127"), [""; 0]);
    }

    #[test]
    fn signatures_of_blkid() {
        let text = |export| signature(export).map(|finding| finding.to_string());
        let ext4 = text("DEVNAME=/dev/sda\nLABEL=photos\nTYPE=ext4\nUSAGE=filesystem\n").unwrap();
        says(&ext4, "ext4 (filesystem) with the label \"photos\"");
        let table = text("DEVNAME=/dev/sda\nPTUUID=1\nPTTYPE=gpt\n").unwrap();
        says(&table, "a partition table (gpt)");
        says(
            text("TYPE=linux_raid_member\nUSAGE=raid\n").unwrap(),
            "linux_raid_member (raid)",
        );
        assert_eq!(
            text("DEVNAME=/dev/sda1\nPART_ENTRY_SCHEME=gpt\nPART_ENTRY_TYPE=0fc6\n"),
            None
        );
    }
}
