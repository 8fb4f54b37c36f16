//! Helpers of the tests of drive files.

use super::{Model, SHIPPED};

/// The demonstration drive's file, which has no parts.
pub(crate) fn demo() -> &'static str {
    let demo = SHIPPED.iter().find(|s| s.name == "demo-8gb");
    demo.expect("it is shipped").text
}

/// Lines `key = value` as figures with a source; other lines unchanged.
pub(crate) fn figures(lines: &str) -> String {
    let figure = |line: &str| match line.split_once(" = ") {
        Some((key, value)) => format!("{key} = {{ value = {value}, source = \"assumed\" }}\n"),
        None => format!("{line}\n"),
    };
    lines.lines().map(figure).collect()
}

/// The model of a text, or its errors.
pub(crate) fn parse(text: &str) -> Result<Model, String> {
    Model::parse(text, "m.toml").map_err(|error| error.to_string())
}

/// The demonstration drive with more lines at its end, as [`figures`] writes them.
pub(crate) fn parse_with(lines: &str) -> Result<Model, String> {
    parse(&(demo().to_owned() + &figures(lines)))
}

/// Asserts that there is an error for this key that contains this text.
#[track_caller]
pub(crate) fn assert_refused(model: Result<Model, String>, key: &str, part: &str) {
    let error = model
        .err()
        .unwrap_or_else(|| panic!("{key}: nothing is wrong"));
    let of_key = |line: &str| line.contains(&format!(": {key}: ")) && line.contains(part);
    assert!(error.lines().any(of_key), "{key}, {part}: {error}");
}
