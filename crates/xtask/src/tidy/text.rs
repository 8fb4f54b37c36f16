//! Machine-specific paths, unfinished code, and files that documents name.

use std::collections::BTreeSet;

use super::{Finding, SourceFile};

/// Folders to which paths in documents may be relative.
const BASES: [&str; 6] = [
    "",
    "crates/",
    "crates/drive/",
    "crates/drive/src/",
    "crates/stend/tests/",
    "docs/",
];

/// Text that is specific to one machine, or was not meant to stay. The strings are concatenated
/// here so that this list does not match itself.
fn unwanted() -> Vec<(String, &'static str)> {
    let code = "write it, or return an error";
    let path = "a path of one machine";
    [
        ("todo", "!(", code),
        ("unimplemented", "!(", code),
        ("dbg", "!(", "remove it"),
        ("/wo", "rk/", path),
        ("/home", "/", path),
        ("/root", "/", path),
        ("/tmp", "/", path),
        ("/Users", "/", path),
        ("registry", " = ", "crates come from crates.io"),
    ]
    .map(|(a, b, why)| (format!("{a}{b}"), why))
    .into()
}

/// Lines that contain a machine-specific path, a private registry, or unfinished code.
pub fn machine(files: &[SourceFile]) -> Vec<Finding> {
    let unwanted = unwanted();
    let mut findings = Vec::new();
    for file in files {
        for (number, line) in file.lines() {
            for (text, why) in unwanted.iter().filter(|(text, _)| line.contains(text)) {
                let message = format!("`{text}`: {why}");
                findings.push(Finding::at(&file.path, number, &message));
            }
        }
    }
    findings
}

/// Packages of `Cargo.lock` that do not come from crates.io.
pub fn sources(lock: &SourceFile) -> Vec<Finding> {
    let expected = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
    lock.lines()
        .filter(|(_, line)| line.starts_with("source = ") && *line != expected)
        .map(|(number, line)| Finding::at(&lock.path, number, line))
        .collect()
}

/// Files and folders that documents name in backticks but that do not exist. A name counts if it
/// contains a `/` and ends with `.rs`, `.toml`, `.md` or `/`.
pub fn named_files(documents: &[SourceFile], paths: &[String]) -> Vec<Finding> {
    let mut known: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    for path in paths {
        known.extend(path.match_indices('/').map(|(at, _)| &path[..=at]));
    }
    let exists = |name: &str| {
        let inside_src = name
            .split_once('/')
            .map(|(a, b)| format!("crates/{a}/src/{b}"));
        BASES
            .iter()
            .any(|base| known.contains(format!("{base}{name}").as_str()))
            || inside_src.is_some_and(|path| known.contains(path.as_str()))
    };
    let mut findings = Vec::new();
    for file in documents.iter().filter(|file| file.is("md")) {
        for (number, line) in file.lines() {
            let quoted = line.split('`').skip(1).step_by(2);
            for name in quoted.filter(|name| is_path(name) && !exists(name)) {
                let message = format!("`{name}` does not exist");
                findings.push(Finding::at(&file.path, number, &message));
            }
        }
    }
    findings
}

fn is_path(name: &str) -> bool {
    let ends = [".rs", ".toml", ".md", "/"];
    name.contains('/')
        && !name.starts_with(['/', '.'])
        && !name.contains([' ', '*', '{', '<', '$', ':'])
        && ends.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwanted_text_is_found() {
        for (text, _) in unwanted() {
            let file = SourceFile::new("a.rs", format!("fine\nlet x = {text}me);\n"));
            let found = machine(&[file]);
            assert_eq!(found.len(), 1, "{text}");
            assert!(found[0].message.starts_with("a.rs:2: "), "{text}");
        }
        let fine = SourceFile::new("a.rs", "// What is left: a todo of the drive.");
        assert!(machine(&[fine]).is_empty());
    }

    #[test]
    fn another_registry_is_found() {
        let line = "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
        assert!(sources(&SourceFile::new("Cargo.lock", line)).is_empty());
        let other = line.replace("github.com", "example.org");
        assert_eq!(sources(&SourceFile::new("Cargo.lock", other)).len(), 1);
    }

    #[test]
    fn names_of_files_that_do_not_exist_are_found() {
        let paths = ["crates/drive/src/sim/mod.rs", "drives/a.toml"].map(str::to_owned);
        let document = |text: &str| SourceFile::new("docs/a.md", text);
        let fine =
            "`sim/mod.rs` `drive/src/sim/` `drive/sim/mod.rs` `drives/` `a/b` `x.rs` `*/y.rs`";
        assert_eq!(named_files(&[document(fine)], &paths), []);
        let found = named_files(&[document("see\n`sim/gone.rs`")], &paths);
        assert_eq!(
            found[0].message,
            "docs/a.md:2: `sim/gone.rs` does not exist"
        );
    }
}
