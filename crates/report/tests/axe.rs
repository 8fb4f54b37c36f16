//! axe-core, which finds what bars people from a page: of the tests of this crate and of
//! `stend-web`.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// The release of axe-core.
const AXE: &str = "axe-core@4.14.1";

static SOURCE: LazyLock<Option<String>> = LazyLock::new(source);

/// The source of axe-core; `None`, said in a line, where npm does not fetch it.
pub fn axe() -> Option<&'static str> {
    SOURCE.as_deref()
}

/// As [`axe`], read from the folder of the tests, where it is kept.
fn source() -> Option<String> {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = kept.join(format!("{AXE}.js"));
    if !source.is_file() {
        // Another program of tests may be at the same.
        let folder = tempfile::tempdir_in(kept).expect("a folder");
        let mut npm = Command::new("npm");
        npm.args([
            "install",
            "--no-save",
            "--no-audit",
            "--no-fund",
            "--prefix",
        ]);
        match npm.arg(folder.path()).arg(AXE).output() {
            Ok(done) if done.status.success() => {}
            other => {
                let required = std::env::var_os("STEND_REQUIRE_TOOLS").is_some_and(|v| v == "1");
                assert!(!required, "npm does not fetch {AXE}: {other:?}");
                println!("skipped: npm does not fetch {AXE}");
                return None;
            }
        }
        let fetched = folder.path().join("node_modules/axe-core/axe.min.js");
        std::fs::rename(fetched, &source).expect("in the same file system");
    }
    Some(std::fs::read_to_string(source).expect("it is text"))
}
