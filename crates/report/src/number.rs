//! Formats numbers for a reader: three or four significant digits, thousands separated, always with
//! a unit, in the form of the page's language.

use stend_analysis::{Interval, words};
use stend_language::{Text, grouped, numeral, text, unit};

pub use stend_language::{MISSING, bound, plain, quoted, significant, whole};

/// Formats requests a second.
pub fn iops(value: f64) -> String {
    with_unit(value, "IOPS")
}

/// Formats bytes a second as decimal MB/s.
pub fn mb_per_s(bytes_per_s: f64) -> String {
    with_unit(bytes_per_s / 1e6, "MB/s")
}

/// Formats bytes as decimal GB.
pub fn gb(bytes: f64) -> String {
    with_unit(bytes / 1e9, "GB")
}

/// Formats a time in s, not converted to minutes: `7,170 s`; one that is far below a second is in
/// ms: `12.0 ms`.
pub fn seconds(value: f64) -> String {
    match is_far_below_second(value) {
        true => with_unit(value * 1e3, "ms"),
        false => with_unit(value, "s"),
    }
}

/// True for times that are read more easily in ms.
fn is_far_below_second(seconds: f64) -> bool {
    (0.000_1..0.099_95).contains(&seconds)
}

fn with_unit(value: f64, symbol: &str) -> String {
    let number = plain(value);
    if number == MISSING {
        return number;
    }
    // A no-break space keeps a figure and its unit on one line.
    format!("{number}\u{a0}{}", unit(symbol))
}

/// Formats a latency in ns as µs, ms or s.
pub fn latency(ns: f64) -> String {
    // 999,500 ns and above would round to 1,000 µs.
    if ns < 999_500.0 {
        with_unit(ns / 1e3, "µs")
    } else if ns < 999_500_000.0 {
        with_unit(ns / 1e6, "ms")
    } else {
        with_unit(ns / 1e9, "s")
    }
}

/// Formats a request size in bytes, in binary units: `512 B`, `4 KiB`, `1 MiB`.
pub fn block(bytes: u64) -> String {
    bound(&stend_analysis::words::block(bytes))
}

/// Formats a number of bytes: a small one, such as that of a block, like [`block`], a large one
/// like [`capacity`].
pub fn bytes(bytes: u64) -> String {
    match bytes {
        ..LARGE_BYTES => block(bytes),
        _ => capacity(bytes),
    }
}

/// Returns the number of bytes that a condition with this id states, if its value is one: `4096`
/// of a condition whose id names bytes, `4096 B` of any other.
pub fn bytes_in(id: &str, value: &Text) -> Option<u64> {
    let words = value.in_english();
    match words.strip_suffix(" B") {
        Some(bytes) => bytes.parse().ok(),
        None if id.ends_with("-bytes") || id.ends_with("bytes-under-test") => words.parse().ok(),
        None => None,
    }
}

/// Least number of bytes that is not the size of a block.
const LARGE_BYTES: u64 = 64 << 20;

/// Formats a capacity in both kinds of units: `240 GB (224 GiB)`.
pub fn capacity(bytes: u64) -> String {
    format!(
        "{} ({}\u{a0}{})",
        gb(bytes as f64),
        plain(bytes as f64 / (1u64 << 30) as f64),
        unit("GiB")
    )
}

/// Formats a duration in s: `12 ms`, `0.3 s`, `30 s`, `3 min`, `2 h`, `1 h 23 min`.
pub fn duration(seconds: f64) -> String {
    let short = |value: f64| {
        let text = format!("{:.2}", significant(value, 3));
        numeral(text.trim_end_matches('0').trim_end_matches('.'))
    };
    let [h, min, s] = ["h", "min", "s"].map(unit);
    if !seconds.is_finite() {
        return MISSING.to_string();
    }
    if is_far_below_second(seconds) {
        return format!("{}\u{a0}{}", short(seconds * 1e3), unit("ms"));
    }
    if seconds < 119.5 {
        return format!("{}\u{a0}{s}", short(seconds));
    }
    if seconds < 7_170.0 {
        return format!("{}\u{a0}{min}", short(seconds / 60.0));
    }
    let minutes = (seconds / 60.0).round() as u64;
    match minutes % 60 {
        0 => format!("{}\u{a0}{h}", minutes / 60),
        rest => format!("{}\u{a0}{h} {rest}\u{a0}{min}", minutes / 60),
    }
}

/// Formats a share as percent: `8 %`, below 1 with one decimal. A value that rounds to 0 has no
/// sign.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return MISSING.to_string();
    }
    let value = share * 100.0;
    if value.abs() < 0.05 && value != 0.0 {
        format!("{}\u{a0}%", numeral("0.0"))
    } else if value.abs() < 0.95 && value != 0.0 {
        format!(
            "{}\u{a0}%",
            numeral(&format!("{value:.1}").replace('-', "−"))
        )
    } else {
        format!("{}\u{a0}%", grouped(&format!("{value:.0}")))
    }
}

/// Adds half the width of a figure's 95 % interval as a share of it: `512 MB/s ± 0.4 %`; returns
/// the figure unchanged if it is unknown.
pub fn sure(figure: String, share: Option<f64>) -> String {
    match half_width(share) {
        Some(half) => format!("{figure}\u{a0}{half}"),
        None => figure,
    }
}

/// Adds the interval of the figure's repeated values.
pub fn sure_of(figure: String, values: &[f64]) -> String {
    sure(
        figure,
        Interval::of(values).map(|interval| interval.share()),
    )
}

/// Formats half the width of a 95 % interval as a share of its figure: `± 0.4 %`.
pub fn half_width(share: Option<f64>) -> Option<String> {
    match share? {
        share if !share.is_finite() => None,
        share => Some(format!("± {}", words::spread(share).replace(' ', "\u{a0}"))),
    }
}

/// Formats a factor for people: `0.01`, `1.5`.
pub fn factor(value: f64) -> String {
    let text = format!("{:.6}", significant(value, 4));
    numeral(text.trim_end_matches('0').trim_end_matches('.'))
}

/// Returns the note that a run with other durations than its edition's must show everywhere.
pub fn scale_note(duration_scale: f64) -> String {
    let scale = factor(duration_scale);
    match duration_scale {
        1.0 => String::new(),
        shorter if shorter < 1.0 => text!("shortened-run", scale = scale),
        _ => text!("lengthened-run", scale = scale),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_decimal_for_speeds_and_binary_for_blocks() {
        assert_eq!(mb_per_s(527_400_000.0), "527\u{a0}MB/s");
        assert_eq!(gb(2_310_000_000.0), "2.31\u{a0}GB");
        assert_eq!(iops(41_237.0), "41,240\u{a0}IOPS");
        assert_eq!(iops(f64::NAN), "–");
        assert_eq!(block(512), "512\u{a0}B");
        assert_eq!(block(4_096), "4\u{a0}KiB");
        assert_eq!(block(1 << 20), "1\u{a0}MiB");
        assert_eq!(block(1_536), "1,536\u{a0}B");
        assert_eq!(bytes(4_096), "4\u{a0}KiB");
        assert_eq!(bytes(240_057_409_536), "240\u{a0}GB (224\u{a0}GiB)");
        assert_eq!(capacity(240_057_409_536), "240\u{a0}GB (224\u{a0}GiB)");
    }

    #[test]
    fn figures_stay_with_their_units() {
        for (text, bound_text) in [
            ("Read, depth 4", "Read, depth\u{a0}4"),
            (
                "it is 9,090 IOPS (33 %).",
                "it is 9,090\u{a0}IOPS (33\u{a0}%).",
            ),
            (
                "until 8.45 GB, 2 h 5 min",
                "until 8.45\u{a0}GB, 2\u{a0}h 5\u{a0}min",
            ),
            ("in 4 further stretches", "in 4 further stretches"),
            ("", ""),
        ] {
            assert_eq!(bound(text), bound_text);
        }
    }

    #[test]
    fn names_stand_in_quotation_marks() {
        assert_eq!(quoted("copy of `iso`, `b`"), "copy of “iso”, “b”");
        assert_eq!(quoted("`"), "`");
        assert_eq!(quoted(""), "");
    }

    #[test]
    fn latency_changes_unit_without_a_gap() {
        assert_eq!(latency(850.0), "0.850\u{a0}µs");
        assert_eq!(latency(85_200.0), "85.2\u{a0}µs");
        assert_eq!(latency(999_499.0), "999\u{a0}µs");
        assert_eq!(latency(999_500.0), "1.00\u{a0}ms");
        assert_eq!(latency(12_345_678.0), "12.3\u{a0}ms");
        assert_eq!(latency(1_500_000_000.0), "1.50\u{a0}s");
    }

    #[test]
    fn durations_and_shares_read_like_prose() {
        assert_eq!(duration(0.3), "0.3\u{a0}s");
        assert_eq!(duration(30.0), "30\u{a0}s");
        assert_eq!(duration(0.012), "12\u{a0}ms");
        assert_eq!(duration(0.0), "0\u{a0}s");
        assert_eq!(seconds(0.012), "12.0\u{a0}ms");
        assert_eq!(seconds(0.549), "0.549\u{a0}s");
        assert_eq!(duration(180.0), "3\u{a0}min");
        assert_eq!(duration(7_200.0), "2\u{a0}h");
        assert_eq!(duration(7_199.999), "2\u{a0}h");
        assert_eq!(duration(8_580.0), "2\u{a0}h 23\u{a0}min");
        assert_eq!(percent(0.082), "8\u{a0}%");
        assert_eq!(percent(-0.004), "−0.4\u{a0}%");
        assert_eq!(percent(12.5), "1,250\u{a0}%");
        assert_eq!(percent(-0.000_4), "0.0\u{a0}%");
        assert_eq!(factor(0.01), "0.01");
        assert_eq!(factor(2.0), "2");
        let sure = |share| sure("5\u{a0}s".to_owned(), Some(share));
        assert_eq!(sure(0.25), "5\u{a0}s\u{a0}± 25\u{a0}%");
        assert_eq!(sure(0.015), "5\u{a0}s\u{a0}± 1.5\u{a0}%");
        assert_eq!(sure(0.000_4), "5\u{a0}s\u{a0}± <\u{a0}0.1\u{a0}%");
        assert_eq!(sure(0.0), "5\u{a0}s\u{a0}± 0\u{a0}%");
        assert_eq!(sure(f64::NAN), "5\u{a0}s");
    }

    #[test]
    fn only_a_full_run_says_nothing() {
        assert_eq!(scale_note(1.0), "");
        assert_eq!(scale_note(0.01), "SHORTENED RUN: every measurement × 0.01");
        assert_eq!(scale_note(2.0), "LENGTHENED RUN: every measurement × 2");
    }
}
