//! Formats sizes, and quotes words for a shell.

/// Formats a number of bytes in decimal and in binary units.
pub(crate) fn bytes_for_people(bytes: u64) -> String {
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

/// Quotes a word for a shell where it needs it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.:/@+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_both_units() {
        assert_eq!(bytes_for_people(256_060_514_304), "256.1 GB (238.5 GiB)");
        assert_eq!(bytes_for_people(67_108_864), "67.1 MB (64.0 MiB)");
        assert_eq!(bytes_for_people(65_536), "65.5 KB (64.0 KiB)");
        assert_eq!(bytes_for_people(6), "6 bytes");
    }

    #[test]
    fn words_with_blanks_are_quoted() {
        assert_eq!(quoted("S251-NX"), "S251-NX");
        assert_eq!(quoted("A B"), "'A B'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
