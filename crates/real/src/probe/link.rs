//! Connection of a drive: the speed of its link, the speed that the drive supports, and the number
//! of its queues.

use std::path::{Path, PathBuf};

use stend_language::{Text, recorded};
use stend_record::review::Link;

use crate::probe::device::Device;
use crate::probe::nvme_tree::controllers;
use crate::probe::system::{names_in, read_trimmed};

/// The present link, and the one that the drive supports.
struct Links {
    now: Link,
    /// Both speeds if a better one is known, with the device that supports it.
    slow: Option<Text>,
}

impl Device {
    /// Describes the link: for an NVMe drive the PCIe link of its controller
    /// (`Documentation/ABI/testing/sysfs-bus-pci`), for a SATA drive the negotiated speed of the
    /// host's port (`sysfs-ata`). `None` if the kernel does not report it.
    pub(crate) fn link(&self) -> Option<Link> {
        Some(self.links()?.now)
    }

    /// The speed that the drive or its port supports, if the link is slower.
    pub(crate) fn slow_link(&self) -> Option<Text> {
        self.links()?.slow
    }

    /// Number of I/O queues of an NVMe drive: those of the namespace, or of each controller if the
    /// kernel chooses between several.
    pub(crate) fn io_queues(&self) -> Option<String> {
        let controllers = controllers(self);
        let first = controllers.first()?;
        let queues = names_in(&self.disk_dir.join("mq"));
        let queues = queues.iter().filter(|name| name.parse::<u32>().is_ok());
        match queues.count() {
            0 => {}
            queues => return Some(queues.to_string()),
        }
        let of = |controller: &Path| {
            let all: u32 = read_trimmed(&controller.join("queue_count"))?
                .parse()
                .ok()?;
            // One of them is the admin queue.
            Some(all.saturating_sub(1).to_string())
        };
        if controllers.len() == 1 {
            return of(first);
        }
        let named = |controller: &PathBuf| {
            let name = controller.file_name()?.to_string_lossy().into_owned();
            Some(format!("{} by {name}", of(controller)?))
        };
        let each: Vec<String> = controllers.iter().filter_map(named).collect();
        (!each.is_empty()).then(|| each.join(", "))
    }

    fn links(&self) -> Option<Links> {
        self.pcie_link().or_else(|| self.sata_link())
    }

    /// With several controllers, the slowest link.
    fn pcie_link(&self) -> Option<Links> {
        let links = controllers(self);
        let links = links
            .iter()
            .filter_map(|dir| pcie_link(&dir.join("device")));
        links.max_by_key(|link| link.slow.is_some())
    }

    fn sata_link(&self) -> Option<Links> {
        let port = self.disk_dir.ancestors().find_map(|dir| {
            let name = dir.file_name()?.to_str()?;
            let number = name.strip_prefix("ata")?;
            Some(dir.join(format!("link{}", number.parse::<u32>().ok()?)))
        })?;
        let class = port.join("ata_link").join(port.file_name()?);
        // The kernel writes `<unknown>` for an unknown speed.
        let gbps = |name: &str| first_number(&read_trimmed(&class.join(name))?);
        let now_gbps = gbps("sata_spd")?;
        let now = Link::Sata {
            gbit_per_s: now_gbps,
        };
        let limit = gbps("hw_sata_spd_limit");
        let slow = |id, better: f64| Some(slow(id, now, format!("{better:.1} Gbps")));
        let slow = match (sata_drive_gbps(&port), limit) {
            (Some(drive), Some(limit)) if drive > now_gbps && limit <= now_gbps => {
                slow("slow-link-faster-port", drive)
            }
            (Some(drive), _) if drive > now_gbps => slow("slow-link-drive", drive),
            (None, Some(limit)) if limit > now_gbps => slow("slow-link-port", limit),
            _ => None,
        };
        Some(Links { now, slow })
    }
}

/// The link of a PCI device.
fn pcie_link(dir: &Path) -> Option<Links> {
    let of = |what: &str| {
        let speed = read_trimmed(&dir.join(format!("{what}_link_speed")))?;
        let width = read_trimmed(&dir.join(format!("{what}_link_width")))?;
        let (speed, width) = (first_number(&speed)?, first_number(&width)?);
        // The kernel writes 0 or 255 lanes if the number is unknown.
        (width > 0.0 && width < 255.0).then_some((speed, width))
    };
    let link = |(gt_per_s, width): (f64, f64)| Link::Pcie {
        gt_per_s,
        lanes: width as u32,
    };
    let now = of("current")?;
    let most = of("max").filter(|most| most.0 > now.0 || most.1 > now.1);
    let now = link(now);
    Some(Links {
        now,
        slow: most.map(|most| slow("slow-link-drive", now, link(most).words())),
    })
}

fn slow(id: &'static str, now: Link, better: String) -> Text {
    recorded!(id, now = now.words(), better = better)
}

/// Fastest speed that a SATA drive supports, from its IDENTIFY data in sysfs: word 76 of 256, bits
/// 1 to 3 (ACS-3, 7.12.7.33).
fn sata_drive_gbps(port: &Path) -> Option<f64> {
    let drive = names_in(port)
        .into_iter()
        .find(|name| name.starts_with("dev"))?;
    let id = port.join(&drive).join("ata_device").join(&drive).join("id");
    let text = read_trimmed(&id)?;
    let word = u16::from_str_radix(text.split_whitespace().nth(76)?, 16).ok()?;
    let speeds = [(1, 1.5), (2, 3.0), (3, 6.0)];
    let has = |bit: &(u32, f64)| word != u16::MAX && word >> bit.0 & 1 == 1;
    speeds.iter().rfind(|bit| has(bit)).map(|bit| bit.1)
}

fn first_number(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use stend_record::review::Link;

    use crate::probe::recorded::Recorded;

    const NVME: &str = "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0";

    fn pcie(system: &Recorded, controller: &str, now: [&str; 2], most: [&str; 2]) {
        for (file, text) in [
            ("current_link_speed", now[0]),
            ("current_link_width", now[1]),
            ("max_link_speed", most[0]),
            ("max_link_width", most[1]),
        ] {
            system.write(&format!("{controller}/device/{file}"), &format!("{text}\n"));
        }
    }

    #[test]
    fn an_nvme_drive_in_a_slot_with_fewer_lanes() {
        let system = Recorded::nvme();
        let device = || system.device("259:0");
        assert_eq!((device().link(), device().slow_link()), (None, None));
        let best = ["8.0 GT/s PCIe", "4"];
        pcie(&system, NVME, best, best);
        assert_eq!(device().link().unwrap().words(), "PCIe, 8.0 GT/s, 4 lanes");
        assert_eq!(device().slow_link(), None);
        pcie(&system, NVME, ["8.0 GT/s PCIe", "2"], best);
        assert_eq!(
            device().slow_link().unwrap().in_english(),
            "PCIe, 8.0 GT/s, 2 lanes, and the drive could do PCIe, 8.0 GT/s, 4 lanes"
        );
        // A partition has the link of its disk.
        assert_eq!(system.device("259:2").slow_link(), device().slow_link());
        // Format of older kernels.
        pcie(&system, NVME, ["2.5 GT/s", "1"], ["16 GT/s", "1"]);
        assert_eq!(
            device().slow_link().unwrap().in_english(),
            "PCIe, 2.5 GT/s, 1 lane, and the drive could do PCIe, 16.0 GT/s, 1 lane"
        );
        for unknown in [["Unknown", "4"], ["8.0 GT/s PCIe", "255"]] {
            pcie(&system, NVME, unknown, best);
            assert_eq!((device().link(), device().slow_link()), (None, None));
            pcie(&system, NVME, best, unknown);
            assert!(device().link().is_some() && device().slow_link().is_none());
        }
    }

    #[test]
    fn the_queues_of_an_nvme_drive() {
        let system = Recorded::nvme();
        let queues = |number| system.device(number).io_queues();
        assert_eq!(queues("259:0"), None);
        // Nine, one of them the admin queue.
        system.write(&format!("{NVME}/queue_count"), "9\n");
        assert_eq!(queues("259:0").as_deref(), Some("8"));
        for queue in 0..6 {
            system.write(&format!("{NVME}/nvme0n1/mq/{queue}/nr_tags"), "1023\n");
        }
        assert_eq!(queues("259:0").as_deref(), Some("6"));
        assert_eq!(queues("259:1").as_deref(), Some("6"));
        assert_eq!(queues("253:0"), None);
        // A namespace that two controllers serve.
        let subsystem = "devices/virtual/nvme-subsystem/nvme-subsys1";
        system.disk(&format!("{subsystem}/nvme1n1"), "259:7", 2048);
        for (controller, queues) in [("nvme1", 5), ("nvme2", 3)] {
            let dir = format!("sys/{subsystem}/{controller}");
            system.write(&format!("{dir}/queue_count"), &format!("{queues}\n"));
        }
        assert_eq!(queues("259:7").as_deref(), Some("4 by nvme1, 2 by nvme2"));
        let best = ["8.0 GT/s PCIe", "4"];
        let dir = format!("sys/{subsystem}");
        pcie(&system, &format!("{dir}/nvme1"), best, best);
        pcie(
            &system,
            &format!("{dir}/nvme2"),
            ["2.5 GT/s PCIe", "4"],
            best,
        );
        let device = system.device("259:7");
        assert!(
            device
                .slow_link()
                .unwrap()
                .in_english()
                .starts_with("PCIe, 2.5 GT/s")
        );
    }

    #[test]
    fn a_sata_drive_at_a_slower_port() {
        let system = Recorded::sata();
        let link = "sys/devices/pci0000:00/0000:00:17.0/ata1/link1";
        let port = |file: &str, text: &str| {
            system.write(&format!("{link}/ata_link/link1/{file}"), text);
        };
        port("sata_spd", "6.0 Gbps\n");
        port("hw_sata_spd_limit", "6.0 Gbps\n");
        let device = || system.device("8:0");
        let slow = || device().slow_link().map(|text| text.in_english());
        assert_eq!(device().link(), Some(Link::Sata { gbit_per_s: 6.0 }));
        assert_eq!(slow(), None);
        port("sata_spd", "3.0 Gbps\n");
        assert_eq!(
            slow().as_deref(),
            Some("SATA, 3.0 Gbps, and the port could do 6.0 Gbps")
        );
        let identify = |word_76: u16| {
            let words: Vec<String> = (0..256_u32)
                .map(|at| if at == 76 { word_76 } else { 0x5a5a })
                .map(|word| format!("{word:04x}"))
                .collect();
            let lines: Vec<String> = words.chunks(8).map(|line| line.join(" ")).collect();
            let id = format!("{link}/dev1.0/ata_device/dev1.0/id");
            system.write(&id, &(lines.join("\n") + "\n"));
        };
        identify(0x010e);
        let drive = Some("SATA, 3.0 Gbps, and the drive could do 6.0 Gbps");
        assert_eq!(slow().as_deref(), drive);
        // The drive is no faster, whatever the port supports.
        identify(0x0106);
        assert_eq!(slow(), None);
        identify(0x010e);
        port("hw_sata_spd_limit", "3.0 Gbps\n");
        assert!(slow().unwrap().ends_with("6.0 Gbps at a faster port"));
        // Neither reports a speed.
        identify(0x0100);
        assert_eq!(slow(), None);
        port("sata_spd", "<unknown>\n");
        assert_eq!((device().link(), slow()), (None, None));
    }
}
