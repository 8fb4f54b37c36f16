//! Style, scripts and plotly.js: part of the program, and cached by browsers.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/lab.js");

/// The report's style, with the rules of these pages.
static STYLES: LazyLock<String> = LazyLock::new(|| format!("{}\n{STYLE}", stend_report::STYLE));

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut all = Sha256::new();
    for bytes in [
        STYLES.as_bytes(),
        SCRIPT.as_bytes(),
        stend_report::PLOTLY_GZIP,
    ] {
        all.update(bytes);
    }
    let digest = all.finalize();
    hex::encode(&digest[..6])
});

/// Returns the version of the present style and scripts.
pub(crate) fn version() -> &'static str {
    &VERSION
}

/// A file that pages load.
pub(crate) struct Asset {
    /// MIME type.
    pub(crate) kind: &'static str,
    /// Content.
    pub(crate) bytes: &'static [u8],
    /// Encoding: every browser decodes gzip.
    pub(crate) encoding: &'static str,
}

/// Returns an asset by its name.
pub(crate) fn named(name: &str) -> Option<Asset> {
    let plain = |kind, text: &'static str| Asset {
        kind,
        bytes: text.as_bytes(),
        encoding: "identity",
    };
    const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
    Some(match name {
        "style.css" => plain("text/css; charset=utf-8", &STYLES),
        "lab.js" => plain(JAVASCRIPT, SCRIPT),
        "plotly.js" => Asset {
            kind: JAVASCRIPT,
            bytes: stend_report::PLOTLY_GZIP,
            encoding: "gzip",
        },
        _ => return None,
    })
}
