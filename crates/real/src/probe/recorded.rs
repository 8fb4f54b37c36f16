//! Recorded systems for the tests: small trees of `/proc`, `/sys` and `/run`.

use std::fmt::Display;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::probe::device::Device;
use crate::probe::system::{DeviceNumber, SystemRoot};

/// Asserts that a message contains `part`.
#[track_caller]
pub(crate) fn says(message: impl Display, part: &str) {
    let message = message.to_string();
    assert!(message.contains(part), "lacks {part:?}: {message}");
}

pub(crate) struct Recorded {
    dir: TempDir,
    pub(crate) root: SystemRoot,
}

impl Recorded {
    fn empty() -> Recorded {
        let dir = tempfile::tempdir().unwrap();
        Recorded {
            root: SystemRoot::recorded(dir.path()),
            dir,
        }
    }

    /// A machine that runs from LVM on the second partition of an NVMe drive.
    pub(crate) fn nvme() -> Recorded {
        let system = Recorded::empty();
        let disk = "devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1";
        system.disk(disk, "259:0", 1_953_525_168);
        for (file, text) in [
            ("device/model", "Samsung SSD 960 PRO 1TB                 \n"),
            ("device/serial", "S3EVNX0J500123A     \n"),
            ("device/firmware_rev", "3B6QCXP7\n"),
            ("queue/scheduler", "[none] mq-deadline kyber\n"),
            ("queue/rotational", "0\n"),
            ("queue/discard_max_bytes", "2199023255040\n"),
            ("queue/discard_granularity", "512\n"),
        ] {
            system.write(&format!("sys/{disk}/{file}"), text);
        }
        system.partition(disk, 1, "259:1", 1_048_576);
        system.partition(disk, 2, "259:2", 1_900_000_000);
        let mapped = "devices/virtual/block/dm-0";
        system.disk(mapped, "253:0", 100_000_000);
        system.write(&format!("sys/{mapped}/dm/name"), "vg0-root\n");
        let link = |from: String, to: String| {
            let from = system.path(&from);
            fs::create_dir_all(from.parent().unwrap()).unwrap();
            symlink(system.path(&to), from).unwrap();
        };
        link(
            format!("sys/{mapped}/slaves/nvme0n1p2"),
            format!("sys/{disk}/nvme0n1p2"),
        );
        link(
            format!("sys/{disk}/nvme0n1p2/holders/dm-0"),
            format!("sys/{mapped}"),
        );
        system.write(
            "proc/self/mountinfo",
            "30 1 253:0 / / rw,relatime shared:1 - ext4 /dev/mapper/vg0-root rw\n\
             31 30 259:1 / /boot/efi rw shared:2 - vfat /dev/nvme0n1p1 rw\n",
        );
        system.write("proc/swaps", "Filename Type Size Used Priority\n");
        system
    }

    /// The machine of [`Recorded::nvme`] with an idle SATA drive, whose serial number is only in
    /// its VPD page.
    pub(crate) fn sata() -> Recorded {
        let system = Recorded::nvme();
        let disk = "devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
        system.disk(disk, "8:0", 468_862_128);
        system.write(&format!("sys/{disk}/device/model"), "SanDisk SDSSDHII\n");
        system.write(&format!("sys/{disk}/device/rev"), "00RL\n");
        // Bytes, not text: 0x80 alone is not valid UTF-8.
        let mut page = vec![0, 0x80, 0, 20];
        page.extend_from_slice(b"        142207A1B2C3");
        fs::write(system.path(&format!("sys/{disk}/device/vpd_pg80")), page).unwrap();
        system
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    pub(crate) fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Adds a whole disk of `sectors` x 512 bytes; `dir` is below `sys`.
    pub(crate) fn disk(&self, dir: &str, number: &str, sectors: u64) {
        self.write(&format!("sys/{dir}/size"), &format!("{sectors}\n"));
        self.write(&format!("sys/{dir}/dev"), &format!("{number}\n"));
        self.write(&format!("sys/{dir}/ro"), "0\n");
        fs::create_dir_all(self.path(&format!("sys/{dir}/holders"))).unwrap();
        fs::create_dir_all(self.path("sys/dev/block")).unwrap();
        let node = self.path(&format!("sys/dev/block/{number}"));
        symlink(self.path(&format!("sys/{dir}")), node).unwrap();
    }

    fn partition(&self, disk: &str, index: u32, number: &str, sectors: u64) {
        let name = disk.rsplit('/').next().unwrap();
        let dir = format!("{disk}/{name}p{index}");
        self.disk(&dir, number, sectors);
        self.write(&format!("sys/{dir}/partition"), &format!("{index}\n"));
    }

    pub(crate) fn device(&self, number: &str) -> Device {
        Device::find(&self.root, DeviceNumber::parse(number).unwrap()).unwrap()
    }
}
