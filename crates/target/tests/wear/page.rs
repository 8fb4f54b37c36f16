//! `docs/wear.md` and its pictures: what they show is what the drives do.

use std::path::{Path, PathBuf};

use crate::{cache, cells, old_data, parity, spare};

/// The page with names of figures in braces.
const TEMPLATE: &str = include_str!("page.md");

/// A picture, and the figures that the page tells beside it.
pub struct Case {
    /// Its file in `docs/images/`.
    pub picture: &'static str,
    /// What it holds.
    pub svg: String,
    /// By the names that the template has.
    pub figures: Vec<(&'static str, String)>,
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Writes a file anew where that is asked for; else it must be so already.
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
         STEND_BLESS=1 cargo test -p stend-target --test wear page",
        path.display()
    );
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
    is_or_becomes(&docs().join("wear.md"), &page);
}
