//! Takes plotly.js out of the `plotly` crate, compresses it, and lays it where `include_bytes!`
//! finds it.

use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The crate hands out its scripts as HTML: plotly.js in the first script element,
    // MathJax, which no chart here needs, in the second.
    let html = plotly::Plot::offline_js_sources();
    let script = html
        .split_once('>')
        .and_then(|(_, rest)| rest.split_once("</script>"))
        .map(|(script, _)| script)
        .expect("the plotly crate hands out its script in a script element");
    assert!(
        script.contains("plotly.js v"),
        "the first script of the plotly crate is not plotly.js; see build.rs of stend-report"
    );
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for a build script");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(script.as_bytes())
        .expect("a vector can be written");
    let compressed = encoder.finish().expect("a vector can be written");
    std::fs::write(Path::new(&folder).join("plotly.min.js.gz"), compressed)
        .expect("cargo's OUT_DIR can be written");
}
