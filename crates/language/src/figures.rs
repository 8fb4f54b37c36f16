//! Numbers, units and names in quotation marks, in the form of the language.

use crate::message::say;
use crate::tag::{Language, current, numeral_in};

/// Units of figures, by their names in the code.
const UNITS: [&str; 21] = [
    "IOPS", "MB/s", "B", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "ns", "µs", "ms", "s", "min",
    "h", "J", "W", "mW", "%", "°C",
];

/// Words that stay on one line with the figure after them, with their cases.
const BEFORE_FIGURES: [&str; 6] = [
    "depth",
    "глубина",
    "глубины",
    "глубине",
    "глубиной",
    "глубину",
];

/// Words that stay on one line with the figure before them.
const AFTER_FIGURES: [&str; 3] = ["times", "раз", "раза"];

/// Converts a number from its English form to that of the current language: `41,240`, `0.62`.
pub fn numeral(english: &str) -> String {
    numeral_in(current(), english)
}

/// Formats a count in English, for words with a regular plural: `1 row`, `2 rows`.
pub fn counted<N: std::fmt::Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Returns a unit in the current language, by its English symbol: `MB/s`. An unknown symbol is
/// returned unchanged.
pub fn unit(symbol: &str) -> String {
    match (current(), symbol) {
        (Language::English, _) | (_, "" | "%" | "°C") => symbol.to_owned(),
        _ if !UNITS.contains(&symbol) => symbol.to_owned(),
        (_, "MB/s") => say("unit-MB-per-s"),
        (_, "µs") => say("unit-us"),
        _ => say(&format!("unit-{symbol}")),
    }
}

/// True if a word is a unit, in English or in the current language.
pub fn is_unit(word: &str) -> bool {
    UNITS.contains(&word) || UNITS.iter().any(|symbol| unit(symbol) == word)
}

/// Returns a text in which no line break separates a figure from its unit, or a depth from its
/// figure.
pub fn bound(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, word) in text.split(' ').enumerate() {
        let bare = word.trim_end_matches([',', '.', ';', ':', ')']);
        let figure = bare.starts_with(|c: char| c.is_ascii_digit());
        let after_figure = out.ends_with(|c: char| c.is_ascii_digit());
        let stays = after_figure && (is_unit(bare) || AFTER_FIGURES.contains(&bare));
        match i {
            0 => {}
            _ if stays || (figure && BEFORE_FIGURES.iter().any(|w| out.ends_with(w))) => {
                out.push('\u{a0}');
            }
            _ => out.push(' '),
        }
        out.push_str(word);
    }
    out
}

/// Returns a text with its names in the language's quotation marks: backticks are for terminals.
pub fn quoted(text: &str) -> String {
    let mut parts = text.split('`');
    // An unpaired backtick stays.
    if parts.clone().count().is_multiple_of(2) {
        return text.to_owned();
    }
    let first = parts.next().unwrap_or_default().to_owned();
    let marks = match current() {
        Language::English => ["“", "”"],
        Language::Russian => ["«", "»"],
    };
    parts
        .zip(marks.into_iter().cycle())
        .fold(first, |text, (part, mark)| text + mark + part)
}

/// Converts the figures with units in a text to the language: `3 min` becomes `3 мин`. They may be
/// a list: `[0.5, 70] µs`.
pub(crate) fn with_figures(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut figure_before = false;
    for word in text.split(' ') {
        let bare = word.trim_end_matches([',', '.', ';', ':', ')', ']']);
        let digits = bare.trim_start_matches(['(', '[', '−', '-', '+', '±']);
        let figure = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits
                .chars()
                .all(|c| c.is_ascii_digit() || c == '.' || c == ',');
        let end = &word[bare.len()..];
        out.push(match (figure, figure_before && is_unit(bare)) {
            (true, _) => numeral(bare) + end,
            (_, true) => unit(bare) + end,
            _ => word.to_owned(),
        });
        figure_before = figure && matches!(end, "" | "]");
    }
    out.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tag::within;

    #[test]
    fn figures_in_a_text_are_those_of_the_language() {
        for (english, russian) in [
            ("1,000.5 MB/s (3 min)", "1\u{202f}000,5 МБ/с (3 мин)"),
            ("5.76 GB", "5,76 ГБ"),
            ("[0.5, 70] µs", "[0,5, 70] мкс"),
            ("2.5 mW", "2,5 мВт"),
            ("greedy", "greedy"),
        ] {
            let said = within(Language::Russian, || with_figures(english));
            assert_eq!(said, russian);
        }
    }
}
