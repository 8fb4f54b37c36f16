//! The link between a drive and its host, and its greatest speed.

use stend_record::review::Link;

/// Share of the bytes after 8b/10b coding (600 MB/s at 6 Gbit/s) that a SATA link leaves for data:
/// frames of 8 KiB with their headers, primitives and the handshake of each command take the rest.
/// Published reviews see no SATA drive read faster than about 555 MB/s.
const SATA_SHARE: f64 = 0.925;

/// Share of the bytes after coding that a PCIe lane leaves for data: packets of 128 bytes have 24
/// bytes of framing, header and check.
const PCIE_SHARE: f64 = 128.0 / 152.0;

/// Returns the greatest speed of a link, bytes a second.
pub(super) fn limit_bytes_per_s(link: Link) -> f64 {
    match link {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_carries_less_than_its_bits() {
        let mb = |interface| {
            let link = Link::of_interface(interface).unwrap();
            (limit_bytes_per_s(link) / 1e6).round()
        };
        assert_eq!(mb("sata-6g"), 555.0);
        assert_eq!(mb("pcie-nvme, 2.0 x4"), 1684.0);
        assert_eq!(mb("pcie-nvme, 3.0 x4"), 3317.0);
    }
}
