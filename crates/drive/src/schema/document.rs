//! Writes the tables of keys in `docs/drive-format.md` from their declarations.

use super::Model;
use super::key::{Declared, Key, Table};
use super::rules::Rule;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/drive-format.md");
const BEGIN: &str = "<!-- keys: written by the test drive_format -->\n";
const END: &str = "<!-- end of keys -->\n";

/// A table in the document.
pub(crate) struct Section {
    /// What the table is about, line by line.
    pub about: &'static [&'static str],
    /// Its rows.
    pub rows: Vec<Row>,
    /// The sections of the tables in it.
    pub inner: String,
}

/// A key in the document.
pub(crate) struct Row {
    key: &'static str,
    optional: bool,
    default: Option<String>,
    allowed: String,
    meaning: String,
}

/// The row of a key as [`super::key::table!`] declares it.
pub(crate) fn row<K: Key>(meaning: &[&str], declared: Declared<'_, K::Value>) -> Row {
    Row {
        key: declared.key,
        optional: K::OPTIONAL || declared.default.is_some(),
        default: declared.default.map(|value| format!("{value:?}")),
        allowed: declared.rule.map_or_else(String::new, Rule::allowed),
        meaning: joined(meaning),
    }
}

fn joined(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ")
}

/// The sections of a table and of the tables in it.
pub(crate) fn section<T: Table>(optional: bool, list: bool) -> String {
    let Section { about, rows, inner } = T::document();
    let (name, about) = (T::NAME, joined(about));
    let header = match list {
        true => format!("`[[{name}]]`"),
        false => format!("`[{name}]`"),
    };
    let optional = if optional { " (optional)" } else { "" };
    let mut text = match name {
        "" => String::new(),
        _ => format!("### {header}{optional}\n\n{about}\n\n"),
    };
    text += "| key | meaning | allowed |\n|---|---|---|\n";
    for row in rows {
        let optional = match (&row.default, row.optional) {
            (Some(default), _) => format!(" (`{default}` if not given)"),
            (None, true) => " (optional)".to_owned(),
            (None, false) => String::new(),
        };
        let cells = format!(
            "| `{}`{optional} | {} | {} |\n",
            row.key, row.meaning, row.allowed
        );
        text += &cells.replace("|  |", "| |");
    }
    text + "\n" + &inner
}

/// `docs/drive-format.md` is what the declarations say.
#[test]
fn drive_format() {
    let text = std::fs::read_to_string(FILE).expect("the document");
    let begin = text.find(BEGIN).expect("a mark") + BEGIN.len();
    let end = text.find(END).expect("a mark");
    let right = format!(
        "{}\n{}{}",
        &text[..begin],
        section::<Model>(false, false),
        &text[end..]
    );
    if std::env::var_os("STEND_BLESS").is_some() {
        std::fs::write(FILE, &right).expect("it is written");
        return;
    }
    let wrong = text
        .lines()
        .zip(right.lines())
        .find(|(is, right)| is != right);
    assert!(
        text == right,
        "docs/drive-format.md is not what the keys say: {wrong:?}; write it anew with\n\
         STEND_BLESS=1 cargo test -p stend-drive --lib drive_format"
    );
}
