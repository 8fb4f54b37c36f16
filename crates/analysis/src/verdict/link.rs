//! The link between a drive and its host, and its greatest speed.

use stend_record::review::TargetInfo;

/// A link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Link {
    /// SATA.
    Sata {
        /// Signalling rate, Gbit/s: 1.5, 3 or 6.
        gbit_per_s: f64,
    },
    /// PCIe.
    Pcie {
        /// Transfers a second on each lane, in 10⁹.
        gt_per_s: f64,
        /// Lanes.
        lanes: u32,
    },
}

/// Share of the bytes after 8b/10b coding (600 MB/s at 6 Gbit/s) that a SATA link leaves for data:
/// frames of 8 KiB with their headers, primitives and the handshake of each command take the rest.
/// Published reviews see no SATA drive read faster than about 555 MB/s.
const SATA_SHARE: f64 = 0.925;

/// Share of the bytes after coding that a PCIe lane leaves for data: packets of 128 bytes have 24
/// bytes of framing, header and check.
const PCIE_SHARE: f64 = 128.0 / 152.0;

impl Link {
    /// Returns the link of a target, if its facts state it.
    pub fn of(target: &TargetInfo) -> Option<Link> {
        let model = target.fact("interface").and_then(of_model);
        model.or_else(|| of_device(target.fact("link")?))
    }

    /// Returns its greatest speed, bytes a second.
    pub fn limit_bytes_per_s(self) -> f64 {
        match self {
            // Ten bits for each byte.
            Link::Sata { gbit_per_s } => gbit_per_s * 1e8 * SATA_SHARE,
            Link::Pcie { gt_per_s, lanes } => {
                // Up to 5 GT/s ten bits for each byte, from 8 GT/s 130 bits for 16 bytes.
                let bytes = match gt_per_s {
                    rate if rate > 5.0 => rate * 1e9 * 128.0 / 130.0 / 8.0,
                    rate => rate * 1e8,
                };
                bytes * f64::from(lanes) * PCIE_SHARE
            }
        }
    }

    /// Returns `SATA` or `PCIe`.
    pub fn name(self) -> &'static str {
        match self {
            Link::Sata { .. } => "SATA",
            Link::Pcie { .. } => "PCIe",
        }
    }
}

/// Parses `sata-6g`, `pcie-nvme, 3.0 x4`.
fn of_model(fact: &str) -> Option<Link> {
    match fact {
        "sata-3g" => return Some(Link::Sata { gbit_per_s: 3.0 }),
        "sata-6g" => return Some(Link::Sata { gbit_per_s: 6.0 }),
        _ => {}
    }
    let (_, speed) = fact.strip_prefix("pcie-")?.split_once(", ")?;
    let (generation, lanes) = speed.split_once(" x")?;
    let gt_per_s = match generation {
        "1.0" | "1.1" => 2.5,
        "2.0" => 5.0,
        "3.0" => 8.0,
        "4.0" => 16.0,
        "5.0" => 32.0,
        _ => return None,
    };
    Some(Link::Pcie {
        gt_per_s,
        lanes: lanes.parse().ok()?,
    })
}

/// Parses `SATA, 6.0 Gbps`, `PCIe, 8.0 GT/s, 4 lanes`.
fn of_device(fact: &str) -> Option<Link> {
    let mut parts = fact.split(", ");
    let (name, speed) = (parts.next()?, parts.next()?);
    let rate: f64 = speed.split(' ').next()?.parse().ok()?;
    match name {
        "SATA" => Some(Link::Sata { gbit_per_s: rate }),
        "PCIe" => {
            let lanes = parts.next()?.split(' ').next()?.parse().ok()?;
            let gt_per_s = rate;
            Some(Link::Pcie { gt_per_s, lanes })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_from_facts_of_models_and_of_devices() {
        let pcie = |gt_per_s, lanes| Some(Link::Pcie { gt_per_s, lanes });
        for (fact, link) in [
            ("sata-6g", Some(Link::Sata { gbit_per_s: 6.0 })),
            ("pcie-nvme, 3.0 x4", pcie(8.0, 4)),
            ("pcie-ahci, 2.0 x2", pcie(5.0, 2)),
            ("pcie-nvme", None),
            ("usb", None),
        ] {
            assert_eq!(of_model(fact), link, "{fact}");
        }
        for (fact, link) in [
            ("SATA, 3.0 Gbps", Some(Link::Sata { gbit_per_s: 3.0 })),
            ("PCIe, 8.0 GT/s, 4 lanes", pcie(8.0, 4)),
            ("virtio", None),
        ] {
            assert_eq!(of_device(fact), link, "{fact}");
        }
    }

    #[test]
    fn a_link_carries_less_than_its_bits() {
        let mb = |link: Option<Link>| (link.unwrap().limit_bytes_per_s() / 1e6).round();
        assert_eq!(mb(of_model("sata-6g")), 555.0);
        assert_eq!(mb(of_model("pcie-nvme, 2.0 x4")), 1684.0);
        assert_eq!(mb(of_model("pcie-nvme, 3.0 x4")), 3317.0);
    }
}
