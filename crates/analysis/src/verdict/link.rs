//! The link between a drive and its host: what it can carry at most.

use stend_record::review::TargetInfo;

/// A link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Link {
    /// SATA, of so many Gbit/s.
    Sata {
        /// 1.5, 3 or 6.
        gbit_per_s: f64,
    },
    /// PCIe.
    Pcie {
        /// Transfers a second and lane, in 10⁹.
        gt_per_s: f64,
        /// Lanes.
        lanes: u32,
    },
}

/// Of what 8b/10b coding leaves of a SATA link (600 MB/s of 6 Gbit/s), frames of 8 KiB with their
/// headers, primitives and the handshake of each command leave so much: published reviews see no
/// SATA drive read faster than about 555 MB/s.
const SATA_SHARE: f64 = 0.925;

/// Of what coding leaves of a PCIe lane, packets of 128 bytes with their 24 bytes of framing,
/// header and check leave so much.
const PCIE_SHARE: f64 = 128.0 / 152.0;

impl Link {
    /// The link of a target, where its facts tell it.
    pub fn of(target: &TargetInfo) -> Option<Link> {
        let model = target.fact("interface").and_then(of_model);
        model.or_else(|| of_device(target.fact("link")?))
    }

    /// The most that it carries, bytes a second.
    pub fn limit_bytes_per_s(self) -> f64 {
        match self {
            // Ten bits a byte.
            Link::Sata { gbit_per_s } => gbit_per_s * 1e8 * SATA_SHARE,
            Link::Pcie { gt_per_s, lanes } => {
                // Up to 5 GT/s ten bits a byte, from 8 GT/s on 130 for 16.
                let bytes = match gt_per_s {
                    rate if rate > 5.0 => rate * 1e9 * 128.0 / 130.0 / 8.0,
                    rate => rate * 1e8,
                };
                bytes * f64::from(lanes) * PCIE_SHARE
            }
        }
    }

    /// `SATA`, `PCIe`.
    pub fn name(self) -> &'static str {
        match self {
            Link::Sata { .. } => "SATA",
            Link::Pcie { .. } => "PCIe",
        }
    }
}

/// `sata-6g`, `pcie-nvme, 3.0 x4`.
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

/// `SATA, 6.0 Gbps`, `PCIe, 8.0 GT/s, 4 lanes`.
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
