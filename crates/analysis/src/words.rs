//! Figures as text: three significant digits, thousands separated, with units, in the form of the
//! page's language.

use stend_language::{numeral, say, text, unit};
use stend_record::review::TargetInfo;

pub(crate) use stend_language::fixed;
pub use stend_language::{number, whole};

/// Formats a number with its unit, by the unit's English symbol.
fn with_unit(value: f64, symbol: &str) -> String {
    format!("{} {}", number(value), unit(symbol))
}

/// Formats bytes in decimal units: `8.1 GB`, `620 MB`.
pub fn bytes(bytes: u64) -> String {
    let bytes = bytes as f64;
    match bytes {
        b if b >= 1e12 => with_unit(b / 1e12, "TB"),
        b if b >= 0.5e9 => with_unit(b / 1e9, "GB"),
        b => with_unit(b / 1e6, "MB"),
    }
}

/// Formats bytes a second in decimal units: `512 MB/s`.
pub fn speed(bytes_per_s: f64) -> String {
    with_unit(bytes_per_s / 1e6, "MB/s")
}

/// Formats a time: `4 s`, `3 min 32 s`, `45 min`, `1 h 59 min`.
pub fn time(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    let [h, min, s] = ["h", "min", "s"].map(unit);
    match seconds {
        time if time < 120.0 => with_unit(time, "s"),
        // Whole minutes are too coarse here: one is up to a quarter of the time.
        time if time < 599.5 => match (time.round() as u64 / 60, time.round() as u64 % 60) {
            (minutes, 0) => format!("{minutes} {min}"),
            (minutes, seconds) => format!("{minutes} {min} {seconds} {s}"),
        },
        time if time < 7170.0 && minutes < 60 => format!("{minutes} {min}"),
        _ if minutes.is_multiple_of(60) => format!("{} {h}", minutes / 60),
        _ => format!("{} {h} {} {min}", minutes / 60, minutes % 60),
    }
}

/// Formats nanoseconds in the unit that suits: `85 µs`, `2.1 ms`.
pub fn latency(ns: f64) -> String {
    match ns {
        n if n >= 1e9 => with_unit(n / 1e9, "s"),
        n if n >= 1e6 => with_unit(n / 1e6, "ms"),
        n => with_unit(n / 1e3, "µs"),
    }
}

/// Formats a percentile's name: `median`, `99.9th percentile`.
pub fn percentile(percent: f64) -> String {
    match percent {
        50.0 => say("percentile-median"),
        _ => text!("percentile", percent = percent),
    }
}

/// Formats nanoseconds in µs with one decimal, or a dash if unknown.
pub(crate) fn us(ns: Option<u64>) -> String {
    ns.map_or_else(|| "–".to_owned(), |ns| fixed(ns as f64 / 1e3, 1))
}

/// Formats a request size in binary units: `512 B`, `4 KiB`, `1 MiB`.
pub fn block(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match bytes {
        b if b >= MIB && b.is_multiple_of(MIB) => format!("{} {}", whole(b / MIB), unit("MiB")),
        b if b >= KIB && b.is_multiple_of(KIB) => format!("{} {}", whole(b / KIB), unit("KiB")),
        b => format!("{} {}", whole(b), unit("B")),
    }
}

/// Formats a share in percent, whole from ten up, otherwise with one decimal: `33 %`, `4.2 %`. A
/// value that rounds to 0 has no sign.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    let value = if value.abs() < 0.05 { 0.0 } else { value };
    if value >= 9.95 {
        return format!("{} %", whole(value.round() as u64));
    }
    let text = format!("{value:.1}");
    format!("{} %", numeral(text.strip_suffix(".0").unwrap_or(&text)))
}

/// Formats half the width of a 95 % interval as a share of its figure, for use after ±: `25 %`,
/// `1.5 %`, `< 0.1 %`; `0 %` only if the width is zero.
pub fn spread(share: f64) -> String {
    match share {
        share if share > 0.0 && share < 0.000_5 => format!("< {}", percent(0.001)),
        share => percent(share),
    }
}

/// Formats a ratio: `1.8 times`.
pub fn times(ratio: f64) -> String {
    text!("times", count = rounded(ratio), number = number(ratio))
}

/// Formats a growth: `1.8-fold`.
pub(crate) fn fold(ratio: f64) -> String {
    text!("fold", count = rounded(ratio), number = number(ratio))
}

/// Returns the value that [`number`] shows, by which a message chooses a plural.
pub(crate) fn rounded(value: f64) -> f64 {
    let text = format!("{value:.2e}");
    text.parse().unwrap_or(value)
}

/// Returns a text with its first letter capitalised.
pub fn capitalised(text: &str) -> String {
    with_first(text, |c| c.to_uppercase().collect())
}

/// Returns a text with its first letter in lower case.
pub fn uncapitalised(text: &str) -> String {
    with_first(text, |c| c.to_lowercase().collect())
}

fn with_first(text: &str, change: impl Fn(char) -> String) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => change(first) + chars.as_str(),
        None => String::new(),
    }
}

/// Formats a list in words: `a, b and c`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => text!("list-last", first = first.join(", "), last = last),
    }
}

/// Formats a drive's price with that of a GB; `None` if no price is known.
pub fn price(target: &TargetInfo) -> Option<String> {
    let price = target.price.as_ref()?;
    Some(text!(
        "price-per-gb",
        price = numeral(price.amount()),
        per = number(price.per_gb(target.capacity_bytes)),
        currency = text!("currency", code = price.currency())
    ))
}

/// Formats a drive's interface, from its fact: `SATA 6 Gbit/s`, `PCIe 3.0 x4, NVMe`.
pub fn interface(fact: &str) -> String {
    let (name, lanes) = fact.split_once(", ").unwrap_or((fact, ""));
    let pcie = |protocol: &str| match lanes {
        "" => format!("PCIe, {protocol}"),
        lanes => format!("PCIe {lanes}, {protocol}"),
    };
    match name {
        "sata-3g" => text!("interface-sata", speed = "3"),
        "sata-6g" => text!("interface-sata", speed = "6"),
        "pcie-ahci" => pcie("AHCI"),
        "pcie-nvme" => pcie("NVMe"),
        _ => fact.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use stend_language::{Language, within};

    use super::*;

    #[test]
    fn interfaces_are_named_as_their_makers_do() {
        for (fact, words) in [
            ("sata-6g", "SATA 6 Gbit/s"),
            ("pcie-nvme, 3.0 x4", "PCIe 3.0 x4, NVMe"),
            ("pcie-ahci", "PCIe, AHCI"),
            ("USB 3.2", "USB 3.2"),
        ] {
            assert_eq!(interface(fact), words);
        }
    }

    #[test]
    fn units_suit() {
        assert_eq!(bytes(617_000_000), "0.617 GB");
        assert_eq!(bytes(23_000_000), "23 MB");
        assert_eq!(speed(512_300_000.0), "512 MB/s");
        assert_eq!(
            [time(3.6), time(2700.0), time(7199.6), time(7500.0)],
            ["3.6 s", "45 min", "2 h", "2 h 5 min"]
        );
        assert_eq!(
            [120.0, 211.6, 599.4, 599.5, 632.0].map(time),
            ["2 min", "3 min 32 s", "9 min 59 s", "10 min", "11 min"]
        );
        let russian = within(Language::Russian, || time(211.6));
        assert_eq!(russian, "3 мин 32 с");
        assert_eq!(
            [block(512), block(1_536), block(4_096), block(1 << 20)],
            ["512 B", "1,536 B", "4 KiB", "1 MiB"]
        );
        assert_eq!(
            [
                percent(0.3342),
                percent(0.0417),
                percent(0.05),
                percent(12.5),
                percent(0.0)
            ],
            ["33 %", "4.2 %", "5 %", "1,250 %", "0 %"]
        );
        assert_eq!([-0.000_4, -0.004].map(percent), ["0 %", "-0.4 %"]);
        assert_eq!(
            [0.0, 0.000_4, 0.000_6, 0.015, 0.25].map(spread),
            ["0 %", "< 0.1 %", "0.1 %", "1.5 %", "25 %"]
        );
        assert_eq!([latency(85_200.0), latency(2.1e6)], ["85.2 µs", "2.1 ms"]);
    }
}
