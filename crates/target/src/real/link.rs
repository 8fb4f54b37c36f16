//! How a drive is attached: what its link does now, and what it could do.

use super::device::Device;
use super::system::read_trimmed;

impl Device {
    /// The link in words: of an NVMe drive the PCIe link of its controller
    /// (`Documentation/ABI/testing/sysfs-bus-pci`), of a SATA drive the speed that the host's
    /// port has settled on (`sysfs-ata`). `None` where the kernel does not report it.
    pub(crate) fn link(&self) -> Option<String> {
        self.pcie_link().or_else(|| self.sata_link())
    }

    fn pcie_link(&self) -> Option<String> {
        let of = |what: &str| {
            let speed = self.disk(&format!("device/device/{what}_link_speed"))?;
            let width = self.disk(&format!("device/device/{what}_link_width"))?;
            Some(format!("PCIe, {speed}, {width} lanes").replace(" PCIe,", ","))
        };
        let now = of("current")?;
        match of("max") {
            Some(most) if most != now => Some(format!("{now}; SLOWER THAN ITS BEST: {most}")),
            _ => Some(now),
        }
    }

    fn sata_link(&self) -> Option<String> {
        let port = self.disk_dir.ancestors().find_map(|dir| {
            let name = dir.file_name()?.to_str()?;
            let number = name.strip_prefix("ata")?;
            let link = format!("link{}", number.parse::<u32>().ok()?);
            Some(dir.join(&link).join("ata_link").join(&link))
        })?;
        let speed = |name: &str| {
            let text = read_trimmed(&port.join(name))?;
            // The kernel's word for what it does not know.
            (text != "<unknown>").then_some(text)
        };
        let now = speed("sata_spd")?;
        match speed("hw_sata_spd_limit") {
            Some(most) if most != now => Some(format!("SATA, {now}; SLOWER THAN ITS PORT: {most}")),
            _ => Some(format!("SATA, {now}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::recorded::Recorded;

    #[test]
    fn an_nvme_drive_in_a_slot_with_fewer_lanes() {
        let system = Recorded::nvme();
        assert_eq!(system.device("259:0").link(), None);
        let controller = "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1/device/device";
        for (file, text) in [
            ("current_link_speed", "8.0 GT/s PCIe\n"),
            ("current_link_width", "4\n"),
            ("max_link_speed", "8.0 GT/s PCIe\n"),
            ("max_link_width", "4\n"),
        ] {
            system.write(&format!("{controller}/{file}"), text);
        }
        let link = || system.device("259:0").link().unwrap();
        assert_eq!(link(), "PCIe, 8.0 GT/s, 4 lanes");
        system.write(&format!("{controller}/current_link_width"), "2\n");
        assert_eq!(
            link(),
            "PCIe, 8.0 GT/s, 2 lanes; SLOWER THAN ITS BEST: PCIe, 8.0 GT/s, 4 lanes"
        );
        // A partition has its disk's link.
        assert_eq!(system.device("259:2").link(), Some(link()));
    }

    #[test]
    fn a_sata_drive_at_a_slower_port() {
        let system = Recorded::sata();
        let port = "sys/devices/pci0000:00/0000:00:17.0/ata1/link1/ata_link/link1";
        system.write(&format!("{port}/sata_spd"), "6.0 Gbps\n");
        system.write(&format!("{port}/hw_sata_spd_limit"), "6.0 Gbps\n");
        let link = || system.device("8:0").link();
        assert_eq!(link().as_deref(), Some("SATA, 6.0 Gbps"));
        system.write(&format!("{port}/sata_spd"), "3.0 Gbps\n");
        assert_eq!(
            link().as_deref(),
            Some("SATA, 3.0 Gbps; SLOWER THAN ITS PORT: 6.0 Gbps")
        );
        system.write(&format!("{port}/sata_spd"), "<unknown>\n");
        assert_eq!(link(), None);
    }
}
