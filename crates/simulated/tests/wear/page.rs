//! Check of `docs/wear.md` and its pictures against the behaviour of the drives.

use std::path::{Path, PathBuf};

use crate::{cache, cells, old_data, parity, spare};

/// Page with names of figures in braces.
const TEMPLATE: &str = include_str!("page.md");

/// Picture, and the figures that the page states beside it.
pub struct Case {
    /// Name of its file in `docs/images/`.
    pub picture: &'static str,
    /// Content of the picture.
    pub svg: String,
    /// Figures, with their names in the template.
    pub figures: Vec<(&'static str, String)>,
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Writes a file with `STEND_BLESS`; otherwise asserts that it already has this content.
fn is_or_becomes(path: &Path, right: &str) {
    if std::env::var_os("STEND_BLESS").is_some() {
        std::fs::write(path, right).expect("it is written");
        return;
    }
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let pairs = text.lines().zip(right.lines());
    let wrong = pairs.clone().find(|(is, right)| is != right);
    assert!(
        text == right,
        "{} is not what the drives do: {wrong:?}; write it anew with\n\
         STEND_BLESS=1 cargo test -p stend-simulated --test wear page",
        path.display()
    );
}

/// Wraps paragraphs to lines of at most 100 columns; other blocks are unchanged.
fn wrapped(text: &str) -> String {
    let block = |block: &str| {
        if block.starts_with(['#', '!', '`']) {
            return block.to_owned();
        }
        let mut lines = vec![String::new()];
        for word in block.split_whitespace() {
            let line = lines.last_mut().expect("there is one");
            if line.is_empty() {
                line.push_str(word);
            } else if line.chars().count() + 1 + word.chars().count() <= 100 {
                *line += " ";
                *line += word;
            } else {
                lines.push(word.to_owned());
            }
        }
        lines.join("\n")
    };
    let blocks = text.trim_end().split("\n\n").map(block);
    blocks.collect::<Vec<_>>().join("\n\n") + "\n"
}

#[test]
fn page() {
    let cases = [
        cache::case(),
        parity::losses(),
        parity::costs(),
        spare::case(),
        cells::case(),
        old_data::case(),
    ];
    let mut page = TEMPLATE.to_owned();
    for case in &cases {
        is_or_becomes(&docs().join("images").join(case.picture), &case.svg);
        assert!(page.contains(case.picture), "{} is not shown", case.picture);
        for (name, value) in &case.figures {
            let name = format!("{{{name}}}");
            assert!(page.contains(&name), "{name} is not told");
            page = page.replace(&name, value);
        }
    }
    assert!(!page.contains('{'), "a figure has no value: {page}");
    is_or_becomes(&docs().join("wear.md"), &wrapped(&page));
}
