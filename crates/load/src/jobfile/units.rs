//! Numbers with units, as fio's HOWTO ("Parameter types") defines them.

use stend_base::Nanos;

/// A size or place that may be relative to the capacity of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Bytes.
    Bytes(u64),
    /// Percent of the target's capacity, 0 to 100.
    Percent(u32),
}

/// Parses a size. `kb_base` is 1024 (fio's default: `k` is 1024 and `Ki` is 1000, for old scripts)
/// or 1000 (`k` is 1000 and `Ki` is 1024). Not case-sensitive.
pub fn bytes(text: &str, kb_base: u32) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a number with a unit such as 4k, 1m, 0x1000");
    let lower = text.trim().to_ascii_lowercase();
    let (number, suffix) = split_number(&lower).ok_or_else(wrong)?;
    let factor = byte_factor(suffix, kb_base).ok_or_else(wrong)?;
    number
        .checked_mul(factor)
        .ok_or_else(|| format!("`{text}` is more than 2^64 bytes"))
}

fn split_number(lower: &str) -> Option<(u64, &str)> {
    if let Some(rest) = lower.strip_prefix("0x") {
        let end = rest
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(rest.len());
        let number = u64::from_str_radix(&rest[..end], 16).ok()?;
        return Some((number, &rest[end..]));
    }
    let end = lower
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(lower.len());
    Some((lower[..end].parse().ok()?, &lower[end..]))
}

fn byte_factor(suffix: &str, kb_base: u32) -> Option<u64> {
    let suffix = suffix.strip_suffix('b').unwrap_or(suffix);
    if suffix.is_empty() {
        return Some(1);
    }
    let (letter, iec) = match suffix.strip_suffix('i') {
        Some(letter) => (letter, true),
        None => (suffix, false),
    };
    let power = match letter {
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    let base: u64 = if (kb_base == 1000) == iec { 1024 } else { 1000 };
    Some(base.pow(power))
}

/// Parses a size or a percentage (`20%`).
pub fn extent(text: &str, kb_base: u32) -> Result<Extent, String> {
    let Some(number) = text.trim().strip_suffix('%') else {
        return bytes(text, kb_base).map(Extent::Bytes);
    };
    match number.trim().parse::<u32>() {
        Ok(percent) if percent <= 100 => Ok(Extent::Percent(percent)),
        _ => Err(format!("`{text}` is not a whole percentage from 0 to 100")),
    }
}

/// Longest time of an option, days: the sum of four such times still fits in 64 bits of
/// nanoseconds.
const DAYS_MAX: u64 = u64::MAX / 4 / 86_400_000_000_000;

/// Parses a time; a number without a unit counts `default_unit`s.
pub fn time(text: &str, default_unit: Nanos) -> Result<Nanos, String> {
    let lower = text.trim().to_ascii_lowercase();
    let end = lower
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(lower.len());
    let unit = match lower[end..].trim() {
        "" => Some(default_unit),
        "us" | "usec" => Some(Nanos::from_micros(1)),
        "ms" | "msec" => Some(Nanos::from_millis(1)),
        "s" | "sec" => Some(Nanos::from_secs(1)),
        "m" => Some(Nanos::from_secs(60)),
        "h" => Some(Nanos::from_secs(3_600)),
        "d" => Some(Nanos::from_secs(86_400)),
        _ => None,
    };
    match (lower[..end].parse::<u64>(), unit) {
        (Ok(number), Some(unit)) => number
            .checked_mul(unit.0)
            .filter(|ns| *ns <= DAYS_MAX * 86_400_000_000_000)
            .map(Nanos)
            .ok_or_else(|| {
                format!("`{text}` is more than {DAYS_MAX} days, the longest time of an option")
            }),
        _ => Err(format!(
            "`{text}` is not a whole number with one of the units us, ms, s, m, h, d"
        )),
    }
}

/// Parses a range `low-high` or `low:high`; the two are swapped if the first is larger.
pub fn range<T: PartialOrd>(
    text: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<(T, T), String> {
    let Some((low, high)) = text.split_once(['-', ':']) else {
        return Err(format!("`{text}` is not a range such as 1k-4k"));
    };
    let (low, high) = (read(low)?, read(high)?);
    Ok(if low > high { (high, low) } else { (low, high) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_in_the_howto() {
        for four_kib in [
            "4096", "4096b", "4096B", "4k", "4kb", "4kB", "4K", "4KB", "0x1000",
        ] {
            assert_eq!(bytes(four_kib, 1024), Ok(4096), "{four_kib}");
        }
        assert_eq!(bytes("1mi", 1024), Ok(1_000_000));
        assert_eq!(bytes("1000ki", 1024), Ok(1_000_000));
        assert_eq!(bytes("1024g", 1024), Ok(1 << 40));
        for four_kib in ["4ki", "4kib", "4KiB", "4Ki"] {
            assert_eq!(bytes(four_kib, 1000), Ok(4096), "{four_kib}");
        }
        assert_eq!(bytes("1m", 1000), Ok(1_000_000));
        assert_eq!(bytes("1tI", 1000), Ok(1 << 40));
    }

    #[test]
    fn sizes_that_are_none() {
        for bad in [
            "",
            "k",
            "4q",
            "4kk",
            "-1",
            "4 k 2",
            "1.5g",
            "99999999p",
            "i",
            "4i",
            "0x",
        ] {
            assert!(bytes(bad, 1024).is_err(), "{bad}");
        }
    }

    #[test]
    fn times() {
        let second = Nanos::from_secs(1);
        assert_eq!(time("10", second), Ok(Nanos::from_secs(10)));
        assert_eq!(time("10m", second), Ok(Nanos::from_secs(600)));
        assert_eq!(time("500ms", second), Ok(Nanos::from_millis(500)));
        assert_eq!(time("7 USEC", second), Ok(Nanos::from_micros(7)));
        assert_eq!(time("7", Nanos::from_micros(1)), Ok(Nanos::from_micros(7)));
        assert_eq!(time("1d", second), Ok(Nanos::from_secs(86_400)));
        for bad in ["", "s", "1.5", "1y", "-1", "99999999999d"] {
            assert!(time(bad, second).is_err(), "{bad}");
        }
        assert_eq!(
            time("53375d", second),
            Ok(Nanos::from_secs(53_375 * 86_400))
        );
        assert!(time("53376d", second).unwrap_err().contains("53375 days"));
    }

    #[test]
    fn ranges_swap() {
        let size = |t: &str| bytes(t, 1024);
        assert_eq!(range("8k:1k", size), Ok((1024, 8192)));
        assert!(range("8k", size).is_err());
    }

    #[test]
    fn extents() {
        assert_eq!(extent("20%", 1024), Ok(Extent::Percent(20)));
        assert_eq!(extent("1g", 1024), Ok(Extent::Bytes(1 << 30)));
        assert!(extent("101%", 1024).is_err());
        assert!(extent("%", 1024).is_err());
    }
}
