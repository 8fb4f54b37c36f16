//! Descriptions of the keys of drive files, from their declarations: for readers of a model, and
//! for the tables in `docs/drive-format.md`.

/// A table of a drive file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedTable {
    /// Its name, `nand`; empty for the file as a whole.
    pub name: &'static str,
    /// Its subject.
    pub about: String,
    /// True if a file may omit it.
    pub optional: bool,
    /// True if it is a list of tables.
    pub is_list: bool,
    /// Its keys, in their order.
    pub keys: Vec<DescribedKey>,
}

/// A key of a described table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedKey {
    /// Its name, which ends with its unit.
    pub key: &'static str,
    /// True if it may be omitted.
    pub optional: bool,
    /// Its default; `None` if it has none.
    pub default: Option<String>,
    /// Allowed values, in Markdown; empty if they are not described.
    pub allowed: String,
    /// Its meaning, in Markdown.
    pub meaning: String,
}

/// One text of the lines of a documentation comment.
pub(crate) fn joined(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/drive-format.md");
    const BEGIN: &str = "<!-- keys: written by the test drive_format -->\n";
    const END: &str = "<!-- end of keys -->\n";

    /// The section of the document for a table.
    fn section(table: &DescribedTable) -> String {
        let (name, about) = (table.name, &table.about);
        let header = match table.is_list {
            true => format!("`[[{name}]]`"),
            false => format!("`[{name}]`"),
        };
        let optional = if table.optional { " (optional)" } else { "" };
        let mut text = match name {
            "" => String::new(),
            _ => format!("### {header}{optional}\n\n{about}\n\n"),
        };
        text += "| key | meaning | allowed |\n|---|---|---|\n";
        for row in &table.keys {
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
        text + "\n"
    }

    /// `docs/drive-format.md` matches the declarations.
    #[test]
    fn drive_format() {
        let text = std::fs::read_to_string(FILE).expect("the document");
        let begin = text.find(BEGIN).expect("a mark") + BEGIN.len();
        let end = text.find(END).expect("a mark");
        let sections: String = crate::described_tables().iter().map(section).collect();
        let right = format!("{}\n{sections}{}", &text[..begin], &text[end..]);
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
             STEND_BLESS=1 cargo test -p stend-model --lib drive_format"
        );
    }
}
