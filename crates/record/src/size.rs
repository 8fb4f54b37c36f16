//! Sizes as text: in English, as reviews store them and messages show them.

/// A size in the largest binary unit that divides it: `512 B`, `4 KiB`, `1 MiB`.
pub fn size_text(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    UNITS
        .iter()
        .find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit))
        .map_or_else(
            || format!("{bytes} B"),
            |(unit, name)| format!("{} {name}", bytes / unit),
        )
}

/// A size from 10^6 bytes on in decimal units, with all its digits: `5.76 GB`, `8192 B`.
pub fn all_digits(bytes: u64) -> String {
    const UNITS: [(u64, usize, &str); 3] = [
        (1_000_000_000_000, 12, "TB"),
        (1_000_000_000, 9, "GB"),
        (1_000_000, 6, "MB"),
    ];
    match UNITS.iter().find(|(unit, ..)| bytes >= *unit) {
        None => format!("{bytes} B"),
        Some((unit, digits, name)) => {
            let (whole, part) = (bytes / unit, bytes % unit);
            let number = format!("{whole}.{part:0digits$}");
            let number = number.trim_end_matches('0').trim_end_matches('.');
            format!("{number} {name}")
        }
    }
}

/// A size with one decimal, in decimal and in binary units: `256.1 GB (238.5 GiB)`.
pub fn in_both_units(bytes: u64) -> String {
    let (decimal, unit, binary, binary_unit) = match bytes {
        0..1_000 => return format!("{bytes} bytes"),
        1_000..1_000_000 => (1e3, "KB", f64::from(1 << 10), "KiB"),
        1_000_000..1_000_000_000 => (1e6, "MB", f64::from(1 << 20), "MiB"),
        _ => (1e9, "GB", f64::from(1 << 30), "GiB"),
    };
    let bytes = bytes as f64;
    format!(
        "{:.1} {unit} ({:.1} {binary_unit})",
        bytes / decimal,
        bytes / binary
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_both_units() {
        assert_eq!(in_both_units(256_060_514_304), "256.1 GB (238.5 GiB)");
        assert_eq!(in_both_units(67_108_864), "67.1 MB (64.0 MiB)");
        assert_eq!(in_both_units(65_536), "65.5 KB (64.0 KiB)");
        assert_eq!(in_both_units(6), "6 bytes");
    }
}
