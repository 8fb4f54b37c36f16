//! Facts about a block device: its place in sysfs, model, serial number, limits.

use std::fs;
use std::path::{Path, PathBuf};

use stend_language::{Text, recorded};
use stend_record::review::{Condition, FactId};

use crate::probe::system::{
    DeviceNumber, SystemRoot, mount_of, names_in, read_trimmed, udev_property, vpd_serial,
};
use stend_load::target::TargetError;

/// A block device as sysfs describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Device {
    /// Kernel name, `sda1`.
    pub(crate) name: String,
    /// Its directory in sysfs.
    pub(crate) dir: PathBuf,
    /// Directory of the whole disk: `dir` itself unless this is a partition.
    pub(crate) disk_dir: PathBuf,
    /// Size, bytes.
    pub(crate) size_bytes: u64,
    /// Marketing name as the device reports it.
    pub(crate) model: Option<String>,
    /// Serial number as the device reports it.
    pub(crate) serial: Option<String>,
    /// Firmware revision.
    pub(crate) firmware: Option<String>,
    /// Name that a user types to permit its destruction: the serial number, or another name if
    /// there is none.
    pub(crate) token: String,
}

impl Device {
    /// Finds a device by its number.
    pub(crate) fn find(root: &SystemRoot, number: DeviceNumber) -> Option<Device> {
        Device::at(root, &root.path(&format!("sys/dev/block/{number}")))
    }

    /// As [`Device::find`], for an operation on the device at a path.
    ///
    /// # Errors
    /// [`TargetError::Refused`] if sysfs does not contain it.
    pub(crate) fn known(
        root: &SystemRoot,
        path: &Path,
        number: DeviceNumber,
    ) -> Result<Device, TargetError> {
        Device::find(root, number).ok_or_else(|| {
            TargetError::Refused(format!(
                "{}: sysfs knows no block device {number}, so it cannot be checked",
                path.display()
            ))
        })
    }

    /// The device below the file system of a path, if there is one.
    pub(crate) fn below(root: &SystemRoot, path: &Path) -> Option<Device> {
        let mounts = root.mounts();
        Device::find(root, mount_of(&mounts, path)?.device_number()?)
    }

    /// Reads a device from its directory in sysfs.
    pub(crate) fn at(root: &SystemRoot, dir: &Path) -> Option<Device> {
        let dir = fs::canonicalize(dir).ok()?;
        let disk_dir = if dir.join("partition").exists() {
            dir.parent()?.to_path_buf()
        } else {
            dir.clone()
        };
        let sectors: u64 = read_trimmed(&dir.join("size"))?.parse().ok()?;
        let mut device = Device {
            name: kernel_name(&dir)?,
            // sysfs counts in units of 512 bytes, whatever the device's own block is.
            size_bytes: sectors * 512,
            dir,
            disk_dir,
            ..Device::default()
        };
        let udev = device.udev_text(root);
        device.model = longer(
            device.first_of(&["device/model", "model", "device/name"]),
            udev_property(&udev, "ID_MODEL").map(|name| name.replace('_', " ")),
        );
        device.firmware = device.first_of(&["device/firmware_rev", "device/rev", "firmware_rev"]);
        device.serial = device
            .first_of(&["device/serial", "serial"])
            .or_else(|| udev_property(&udev, "ID_SCSI_SERIAL"))
            .or_else(|| udev_property(&udev, "ID_SERIAL_SHORT"))
            .or_else(|| vpd_serial(&fs::read(device.disk_dir.join("device/vpd_pg80")).ok()?));
        device.token = device.token();
        Some(device)
    }

    /// Kernel name of the whole disk.
    pub(crate) fn disk_name(&self) -> String {
        kernel_name(&self.disk_dir).unwrap_or_default()
    }

    /// Device number.
    pub(crate) fn number(&self) -> Option<DeviceNumber> {
        DeviceNumber::parse(&read_trimmed(&self.dir.join("dev"))?)
    }

    /// Content of a file in the device's own directory.
    pub(crate) fn own(&self, name: &str) -> Option<String> {
        read_trimmed(&self.dir.join(name))
    }

    /// Content of a file in the whole disk's directory.
    pub(crate) fn disk(&self, name: &str) -> Option<String> {
        read_trimmed(&self.disk_dir.join(name))
    }

    /// Size of its sectors, of which requests are multiples, bytes.
    pub(crate) fn sector_bytes(&self) -> Option<u64> {
        let bytes = self.disk("queue/logical_block_size")?.parse().ok();
        bytes.filter(|bytes| *bytes > 0)
    }

    /// Devices that use this one (device mapper, md, LVM), by kernel name, followed by the name of
    /// a mapping: `dm-0 [vg-lv]`.
    pub(crate) fn holders(&self) -> Vec<String> {
        let holders = self.dir.join("holders");
        let named = |name: String| match read_trimmed(&holders.join(&name).join("dm/name")) {
            Some(mapping) => format!("{name} [{mapping}]"),
            None => name,
        };
        names_in(&holders).into_iter().map(named).collect()
    }

    /// True if the device is a mapping or an array.
    pub(crate) fn is_made_of_others(&self) -> bool {
        !names_in(&self.disk_dir.join("slaves")).is_empty()
    }

    /// Describes the device: `/dev/sda1: SanDisk SDSSDHII240G, serial number 142207A1B2C3`.
    pub(crate) fn in_words(&self) -> String {
        let unknown = "not reported";
        format!(
            "/dev/{}: {}, serial number {}",
            self.name,
            self.model.as_deref().unwrap_or(unknown),
            self.serial.as_deref().unwrap_or(unknown)
        )
    }

    /// Partitions of a whole disk; none for a partition.
    pub(crate) fn partitions(&self, root: &SystemRoot) -> Vec<Device> {
        names_in(&self.dir)
            .into_iter()
            .map(|name| self.dir.join(name))
            .filter(|dir| dir.join("partition").exists())
            .filter_map(|dir| Device::at(root, &dir))
            .collect()
    }

    /// Identifier of the whole drive, or of a namespace, that is the same through every controller
    /// or port.
    pub(crate) fn world_wide_id(&self) -> Option<String> {
        // The first exists for an NVMe namespace, the second for a SCSI device.
        self.first_of(&["wwid", "device/wwid"])
    }

    /// Other nodes of the same drive or partition: a namespace that two controllers serve has two.
    pub(crate) fn other_nodes(&self, root: &SystemRoot) -> Vec<Device> {
        let Some(id) = self.world_wide_id() else {
            return Vec::new();
        };
        let disks = root.path("sys/class/block");
        let disks = names_in(&disks).into_iter().map(|name| disks.join(name));
        let partition = self.own("partition");
        disks
            .filter(|dir| dir.join("size").exists())
            .filter_map(|dir| Device::at(root, &dir))
            .filter(|other| {
                other.disk_dir != self.disk_dir
                    // Paths below a multipath node have no nodes of their own.
                    && other.disk("hidden").as_deref() != Some("1")
                    && other.size_bytes == self.size_bytes
                    && other.own("partition") == partition
                    && other.world_wide_id().as_ref() == Some(&id)
            })
            .collect()
    }

    /// True if the device supports TRIM.
    pub(crate) fn takes_trim(&self) -> bool {
        self.disk("queue/discard_max_bytes")
            .and_then(|text| text.parse::<u64>().ok())
            .is_some_and(|bytes| bytes > 0)
    }

    /// Refuses a device that does not support TRIM.
    pub(crate) fn check_trim(&self, path: &Path) -> Result<(), TargetError> {
        match self.takes_trim() {
            true => Ok(()),
            false => Err(TargetError::Failed(format!(
                "{}: the device takes no TRIM (its discard_max_bytes is 0)",
                path.display()
            ))),
        }
    }

    /// Model, serial number, firmware and the kernel's settings for the device.
    pub(crate) fn facts(&self) -> Vec<Condition> {
        let disk = |file: &str| self.disk(file).map(Text::from);
        let queue = |file: &str| self.disk(&format!("queue/{file}"));
        let facts = [
            ("device", Some(format!("/dev/{}", self.name).into())),
            (FactId::Model.name(), self.model.clone().map(Text::from)),
            (
                FactId::SerialNumber.name(),
                self.serial.clone().map(Text::from),
            ),
            (
                FactId::Firmware.name(),
                self.firmware.clone().map(Text::from),
            ),
            (FactId::BackingFile.name(), disk("loop/backing_file")),
            (
                "device-size-bytes",
                Some(self.size_bytes.to_string().into()),
            ),
            ("link", self.link().map(|link| link.words().into())),
            (FactId::SlowLink.name(), self.slow_link()),
            ("i-o-queues", self.io_queues().map(Text::from)),
            (
                "scheduler",
                queue("scheduler").map(|text| chosen(&text).into()),
            ),
            ("rotational", queue("rotational").map(yes_or_no)),
            (
                "kernel-s-write-cache-mode",
                queue("write_cache").map(Text::from),
            ),
            (
                "logical-block-bytes",
                queue("logical_block_size").map(Text::from),
            ),
            (
                "physical-block-bytes",
                queue("physical_block_size").map(Text::from),
            ),
            ("trim-by-the-device", Some(self.trim_fact())),
            (
                "discard-granularity-bytes",
                queue("discard_granularity").map(Text::from),
            ),
        ];
        let known = facts.into_iter();
        known
            .filter_map(|(id, value)| Some(Condition::new(id, value?)))
            .collect()
    }

    fn trim_fact(&self) -> Text {
        let most = self.disk("queue/discard_max_bytes");
        match most.as_deref().map(str::parse::<u64>) {
            Some(Ok(0)) => recorded!("place-value-no-trim"),
            Some(Ok(bytes)) => recorded!("place-value-trim", bytes = bytes),
            _ => recorded!("place-value-trim-not-known"),
        }
    }

    fn udev_text(&self, root: &SystemRoot) -> String {
        read_trimmed(&self.disk_dir.join("dev"))
            .and_then(|number| root.text(&format!("run/udev/data/b{number}")))
            .unwrap_or_default()
    }

    fn first_of(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.disk(name))
    }

    /// Name of a device without a serial number: a loop device is named by its backing file, a
    /// mapped one by its mapping. Kernel names such as `loop0` are assigned anew at every boot and
    /// are used only if there is no other name.
    fn token(&self) -> String {
        if let Some(serial) = &self.serial {
            return serial.clone();
        }
        if let Some(file) = self.disk("loop/backing_file") {
            let name = Path::new(&file).file_name().unwrap_or_default();
            return format!("loop:{}", name.to_string_lossy());
        }
        match self.disk("dm/name") {
            Some(name) => format!("dm:{name}"),
            None => format!("device:{}", self.name),
        }
    }
}

/// A device and all devices below it, through device mapper and md, each once, in the order of
/// their names.
pub(crate) fn devices_below(root: &SystemRoot, device: &Device) -> Vec<Device> {
    let mut devices = vec![device.clone()];
    let slaves = device.disk_dir.join("slaves");
    for slave in names_in(&slaves) {
        if let Some(below) = Device::at(root, &slaves.join(slave)) {
            devices.extend(devices_below(root, &below));
        }
    }
    devices.sort_by(|a, b| a.name.cmp(&b.name));
    devices.dedup();
    devices
}

/// Names of all whole disks below a device, including its own.
pub(crate) fn disks_below(root: &SystemRoot, device: &Device) -> Vec<String> {
    let mut names: Vec<String> = devices_below(root, device)
        .iter()
        .map(Device::disk_name)
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The longer of two model names: SCSI truncates to 16 characters, udev asks the ATA drive itself.
fn longer(a: Option<String>, b: Option<String>) -> Option<String> {
    [a, b].into_iter().flatten().rev().max_by_key(String::len)
}

/// sysfs writes `!` for the `/` of names such as `cciss/c0d0`.
fn kernel_name(dir: &Path) -> Option<String> {
    Some(dir.file_name()?.to_str()?.replace('!', "/"))
}

/// Returns the word in brackets: `none [mq-deadline] kyber`.
fn chosen(text: &str) -> String {
    text.split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or_else(|| text.to_owned(), |(name, _)| name.to_owned())
}

fn yes_or_no(text: String) -> Text {
    match text.as_str() {
        "0" => recorded!("place-value-no"),
        _ => recorded!("place-value-yes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::Recorded;

    #[test]
    fn an_nvme_drive_and_its_partition() {
        let system = Recorded::nvme();
        let disk = system.device("259:0");
        assert_eq!(disk.name, "nvme0n1");
        assert_eq!(disk.size_bytes, 1_000_204_886_016);
        assert_eq!(disk.model.as_deref(), Some("Samsung SSD 960 PRO 1TB"));
        assert_eq!(disk.firmware.as_deref(), Some("3B6QCXP7"));
        assert_eq!(disk.token, "S3EVNX0J500123A");
        assert_eq!(disk.dir, disk.disk_dir);
        assert!(disk.takes_trim());
        let part = system.device("259:2");
        assert_ne!(part.dir, part.disk_dir);
        assert_eq!(part.name, "nvme0n1p2");
        assert_eq!(part.token, disk.token);
        let names: Vec<String> = disk
            .partitions(&system.root)
            .into_iter()
            .map(|p| p.name)
            .collect();
        assert_eq!(names, ["nvme0n1p1", "nvme0n1p2"]);
        assert!(part.partitions(&system.root).is_empty());
    }

    #[test]
    fn serial_numbers_of_a_sata_drive_from_udev_then_from_the_vpd_page() {
        let system = Recorded::sata();
        assert_eq!(
            system.device("8:0").serial.as_deref(),
            Some("142207A1B2C3"),
            "from the page"
        );
        assert_eq!(
            system.device("8:0").model.as_deref(),
            Some("SanDisk SDSSDHII")
        );
        system.write(
            "run/udev/data/b8:0",
            "E:ID_SERIAL_SHORT=FROM-UDEV\nE:ID_MODEL=SanDisk_SDSSDHII240G\n",
        );
        assert_eq!(system.device("8:0").token, "FROM-UDEV");
        assert_eq!(
            system.device("8:0").model.as_deref(),
            Some("SanDisk SDSSDHII240G")
        );
    }

    #[test]
    fn tokens_of_devices_without_a_serial_number() {
        let system = Recorded::nvme();
        system.disk("devices/virtual/block/loop0", "7:0", 2048);
        assert_eq!(system.device("7:0").token, "device:loop0");
        system.write(
            "sys/devices/virtual/block/loop0/loop/backing_file",
            "/srv/images/a.img\n",
        );
        assert_eq!(system.device("7:0").token, "loop:a.img");
        assert_eq!(system.device("253:0").token, "dm:vg0-root");
    }

    #[test]
    fn a_mapped_device_stands_on_the_disk_below() {
        let system = Recorded::nvme();
        assert_eq!(
            disks_below(&system.root, &system.device("253:0")),
            ["dm-0", "nvme0n1"]
        );
    }

    #[test]
    fn facts_name_units_and_the_chosen_scheduler() {
        let facts = Recorded::nvme().device("259:0").facts();
        let value = |id: &str| {
            let fact = facts.iter().find(|fact| fact.id == id);
            fact.map(|fact| fact.value.in_english()).unwrap_or_default()
        };
        assert_eq!(value("scheduler"), "none");
        assert_eq!(value("rotational"), "no");
        assert_eq!(value("discard-granularity-bytes"), "512");
        assert_eq!(
            value("trim-by-the-device"),
            "supported, at most 2199023255040 bytes at a time"
        );
        let system = Recorded::sata();
        let trim = |text: Option<&str>| {
            let sys = "devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
            if let Some(text) = text {
                system.write(&format!("sys/{sys}/queue/discard_max_bytes"), text);
            }
            system.device("8:0").trim_fact().in_english()
        };
        assert!(trim(None).starts_with("not known"));
        assert!(trim(Some("0\n")).starts_with("not supported"));
        assert_eq!(value("backing-file"), "");
    }
}
