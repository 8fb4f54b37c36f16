//! Numbers as text, in the form of the current language.
//!
//! Two roundings are in use, and every stored text depends on its own: [`number`] scales by a power
//! of ten, so that halves are rounded away from zero; [`plain`] rounds the exact decimal value.

use crate::figures::numeral;

/// Replacement of a missing figure.
pub const MISSING: &str = "–";

/// Formats a number of a sentence: three significant digits without the zeros at their end,
/// thousands separated: `41,200`, `0.62`, `7.9`.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let digits = 2 - value.abs().log10().floor() as i32;
    let factor = 10f64.powi(digits);
    let rounded = (value * factor).round() / factor;
    if digits > 0 {
        let text = format!("{rounded:.*}", digits as usize);
        return numeral(text.trim_end_matches('0').trim_end_matches('.'));
    }
    whole(rounded.round() as u64)
}

/// Formats a number of a table or a chart: three significant digits below 1,000 and four above,
/// with the zeros at their end, thousands separated: `0.123`, `5.27`, `52.7`, `4,235`, `41,240`.
pub fn plain(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.to_string();
    }
    let magnitude = value.abs();
    if magnitude < 0.000_5 {
        return "0".to_string();
    }
    let rounded = significant(value, if magnitude < 1_000.0 { 3 } else { 4 });
    let decimals = match rounded.abs() {
        m if m >= 100.0 => 0,
        m if m >= 10.0 => 1,
        m if m >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{rounded:.decimals$}");
    grouped(&text)
}

/// Rounds the value to a number of significant decimal digits.
pub fn significant(value: f64, digits: usize) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    // The decimal round trip yields the number whose shortest text has these digits; scaling by
    // powers of ten would not.
    format!("{value:.*e}", digits - 1)
        .parse()
        .expect("a number printed by Rust is read by Rust")
}

/// Formats a whole number, thousands separated.
pub fn whole(value: u64) -> String {
    grouped(&value.to_string())
}

/// Separates the thousands of a number in digits, and writes its sign as a minus.
pub fn grouped(text: &str) -> String {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("−", rest),
        None => ("", text),
    };
    let (integer, fraction) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    let mut out = String::from(sign);
    for (i, digit) in integer.chars().enumerate() {
        if i > 0 && (integer.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    numeral(&(out + fraction))
}

/// Formats a number with `decimals` decimals.
pub fn fixed(value: f64, decimals: usize) -> String {
    numeral(&format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        let cases = [
            (0.0, "0"),
            (0.617, "0.617"),
            (0.5, "0.5"),
            (7.94, "7.94"),
            (41.26, "41.3"),
            (99.96, "100"),
            (999.6, "1,000"),
            (41_234.0, "41,200"),
            (1_234_567.0, "1,230,000"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(
            [7, 1_652, 1_234_567].map(whole),
            ["7", "1,652", "1,234,567"]
        );
        assert_eq!(fixed(12.345, 1), "12.3");
    }

    #[test]
    fn three_digits_below_a_thousand_and_four_above() {
        for (value, text) in [
            (0.0, "0"),
            (0.123_4, "0.123"),
            (5.274, "5.27"),
            (52.74, "52.7"),
            (527.4, "527"),
            (999.6, "1,000"),
            (4_234.6, "4,235"),
            (41_237.0, "41,240"),
            (1_234_567.0, "1,235,000"),
            (-1_234.0, "−1,234"),
            (9.999, "10.0"),
            (f64::NAN, "–"),
            (f64::INFINITY, "–"),
        ] {
            assert_eq!(plain(value), text, "{value}");
        }
    }

    #[test]
    fn rounding_leaves_short_decimal_texts() {
        assert_eq!(significant(41_237.891, 5).to_string(), "41238");
        assert_eq!(significant(0.123_456_789, 5).to_string(), "0.12346");
        assert_eq!(significant(0.0, 5), 0.0);
    }
}
