//! A model file that is not TOML, or has the wrong keys or types: what the parser says,
//! with the key, and in words that a reader of the file knows.

use super::line_of;

/// Rust's words for what a figure must be, and a user's.
const WORDS: &[(&str, &str)] = &[
    (
        "expected struct Sourced",
        "expected a figure with its source: { value = …, source = \"…\" }",
    ),
    ("expected u32", "expected a whole number from 0 to 2^32 - 1"),
    ("expected u64", "expected a whole number from 0"),
    ("expected f64", "expected a number"),
    ("expected a boolean", "expected true or false"),
    (
        "expected an array of length 2",
        "expected two numbers: [lowest, highest]",
    ),
    ("expected a sequence", "expected a list: [ … ]"),
];

/// Messages of serde that name the key themselves.
const NAMED: &[&str] = &["unknown field `", "missing field `"];

/// What is wrong with a file's shape.
pub(super) struct Shape {
    /// Line, from 1.
    pub line: usize,
    /// The key with its table, `nand.dies`; `None` where there is none, as in broken TOML.
    pub key: Option<String>,
    /// The problem and what is allowed.
    pub message: String,
}

/// Explains a parser's error about `text`.
pub(super) fn explain(text: &str, error: &toml::de::Error) -> Shape {
    let line = line_of(text, error.span().map_or(0, |span| span.start));
    let mut message = error.message().trim().to_string();
    let named = NAMED
        .iter()
        .find_map(|start| message.strip_prefix(start)?.split('`').next())
        .map(str::to_owned);
    let key = key(text, line, named.as_deref());
    for (word, ours) in WORDS {
        message = message.replace(word, ours);
    }
    Shape { line, key, message }
}

/// The key that an error of this line is about; `named` is the one in the message.
fn key(text: &str, line: usize, named: Option<&str>) -> Option<String> {
    let lines: Vec<&str> = text.lines().take(line).map(str::trim).collect();
    let last = lines.last().copied().unwrap_or_default();
    let of_line = (!last.starts_with(['[', '#']))
        .then(|| last.split_once('='))
        .flatten()
        .map(|(key, _)| key.trim());
    // What misses from the file as a whole is said of its first line, whatever that holds.
    let key = match (of_line, named) {
        (_, Some(named)) if line == 1 => return Some(named.to_owned()),
        (Some(key), _) => key,
        (None, named) => named?,
    };
    let table = lines.iter().rev().find_map(|l| table_name(l));
    // An unknown table is named as well, with the line of its own header.
    Some(match table {
        Some(table) if table != key => format!("{table}.{key}"),
        _ => key.to_owned(),
    })
}

/// `nand` of `[nand]` and of `[[nand]]`.
fn table_name(line: &str) -> Option<&str> {
    line.strip_prefix('[')?
        .trim_start_matches('[')
        .split(']')
        .next()
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::{Model, ModelError, demo};

    /// The first model with a line replaced, and what is said of it.
    fn said(line_start: &str, replacement: &str) -> String {
        let mut done = false;
        let lines = demo().lines().map(|line| {
            let here = line.starts_with(line_start) && !done;
            done |= here;
            if here { replacement } else { line }
        });
        let text: Vec<&str> = lines.collect();
        assert!(done, "{line_start}");
        match Model::parse(&text.join("\n"), "m.toml") {
            Err(error @ ModelError::Parse { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn keys_are_named_with_their_tables() {
        for (start, replacement, key, part) in [
            ("dies", "dise = 1", "nand.dise", "`dies`"),
            ("dies", "", "nand.dies", "missing field `dies`"),
            ("dies", "dies = 4", "nand.dies", "{ value = …, source"),
            (
                "dies",
                "dies = { value = 4 }",
                "nand.dies",
                "missing field `source`",
            ),
            (
                "dies",
                "dies = { value = \"four\", source = \"assumed\" }",
                "nand.dies",
                "a whole number from 0",
            ),
            (
                "dies",
                "dies = { value = 4, sauce = \"assumed\" }",
                "nand.dies",
                "`sauce`",
            ),
            (
                "enabled",
                "enabled = { value = 1, source = \"assumed\" }",
                "slc_cache.enabled",
                "true or false",
            ),
            ("schema", "", "schema", "missing field `schema`"),
            ("[nand]", "[nnd]", "nnd", "unknown field `nnd`"),
        ] {
            let text = said(start, replacement);
            let after_line = text
                .strip_prefix("m.toml:")
                .and_then(|t| t.split_once(": "));
            let (_, rest) = after_line.unwrap_or_else(|| panic!("{text}"));
            assert!(rest.starts_with(&format!("{key}: ")), "{text}");
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn broken_toml_has_a_line_and_no_key() {
        let text = said("[nand]", "[nand");
        assert!(text.starts_with("m.toml:12: unclosed table"), "{text}");
        let empty = Model::parse("", "m.toml").unwrap_err().to_string();
        assert_eq!(empty, "m.toml:1: schema: missing field `schema`");
    }
}
