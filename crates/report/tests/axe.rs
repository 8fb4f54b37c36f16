//! axe-core, which finds accessibility faults in a page, for the tests of this crate and of
//! `stend-web`.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// The release of axe-core.
const AXE: &str = "axe-core@4.14.1";

static SOURCE: LazyLock<Option<String>> = LazyLock::new(source);

/// Returns the source of axe-core; `None`, with a printed line, if npm does not fetch it.
pub fn axe() -> Option<&'static str> {
    SOURCE.as_deref()
}

/// Reads the source from the tests' folder, where it is cached.
fn source() -> Option<String> {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = kept.join(format!("{AXE}.js"));
    if !source.is_file() {
        // Another test program may do the same at the same time.
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
