//! Style, scripts and plotly.js: part of the program, and kept by browsers.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/lab.js");

/// The report's style with what these pages add.
static STYLES: LazyLock<String> = LazyLock::new(|| format!("{}\n{STYLE}", stend_report::style()));

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut all = Sha256::new();
    for text in [STYLES.as_str(), SCRIPT, stend_report::plotly()] {
        all.update(text.as_bytes());
    }
    let digest = all.finalize();
    digest[..6].iter().map(|b| format!("{b:02x}")).collect()
});

/// Names the present style and scripts.
pub(crate) fn version() -> &'static str {
    &VERSION
}

/// An asset by its name: the type of its content, and its text.
pub(crate) fn named(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "style.css" => ("text/css; charset=utf-8", &STYLES),
        "lab.js" => ("text/javascript; charset=utf-8", SCRIPT),
        "plotly.js" => ("text/javascript; charset=utf-8", stend_report::plotly()),
        _ => return None,
    })
}
