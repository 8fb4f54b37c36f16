//! The checked files.

use std::process::Command;

use crate::program::root;

/// A text file of the repository.
#[derive(Clone)]
pub struct SourceFile {
    /// Path from the root of the repository, with `/`.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl SourceFile {
    /// Creates a file with this path and text.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
        }
    }

    /// The crate that the file belongs to (`drive` of `crates/drive/src/lib.rs`), if any.
    pub fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// Module path of a library or program source (`["sim", "host"]` for
    /// `crates/drive/src/sim/host/mod.rs`); `None` for tests, benches and examples.
    pub fn module(&self) -> Option<Vec<String>> {
        let inside = self.path.strip_prefix("crates/")?.split_once("/src/")?.1;
        let mut names: Vec<&str> = inside.strip_suffix(".rs")?.split('/').collect();
        if matches!(names.last(), Some(&("mod" | "lib" | "main"))) {
            names.pop();
        }
        Some(names.into_iter().map(str::to_owned).collect())
    }

    /// Lines with their numbers, from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// True if the path ends with this extension.
    pub fn is(&self, extension: &str) -> bool {
        self.path
            .rsplit_once('.')
            .is_some_and(|(_, end)| end == extension)
    }
}

/// Paths of all files in the repository, in order: those that git tracks or would track.
///
/// # Panics
/// If git cannot list them.
pub fn paths() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git lists the files of the repository");
    assert!(listed.status.success(), "git ls-files failed");
    let text = String::from_utf8(listed.stdout).expect("paths are UTF-8");
    let mut paths: Vec<_> = text.lines().map(str::to_owned).collect();
    paths.sort();
    paths.dedup();
    // A file that was removed and not yet committed is still listed.
    paths.retain(|path| root().join(path).exists());
    paths
}

/// All files in the repository whose names end with one of the extensions, in the order of
/// [`paths`].
///
/// # Panics
/// If one of them is not text.
pub fn files(extensions: &[&str]) -> Vec<SourceFile> {
    let read = |path: String| {
        let text = std::fs::read_to_string(root().join(&path));
        let text = text.unwrap_or_else(|error| panic!("{path}: {error}"));
        SourceFile::new(path, text)
    };
    let wanted = |path: &String| extensions.iter().any(|e| path.ends_with(&format!(".{e}")));
    paths().into_iter().filter(wanted).map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_follows_from_the_path() {
        let module = |path: &str| SourceFile::new(path, "").module();
        assert_eq!(module("crates/drive/src/lib.rs"), Some(vec![]));
        assert_eq!(
            module("crates/drive/src/sim/host/mod.rs"),
            Some(vec!["sim".to_owned(), "host".to_owned()])
        );
        assert_eq!(
            module("crates/fit/src/predict.rs"),
            Some(vec!["predict".to_owned()])
        );
        assert_eq!(module("crates/drive/tests/main.rs"), None);
    }

    #[test]
    fn the_repository_has_this_file() {
        let files = files(&["rs"]);
        assert!(files.iter().any(
            |f| f.path == "crates/xtask/src/tidy/source.rs" && f.crate_name() == Some("xtask")
        ));
    }
}
