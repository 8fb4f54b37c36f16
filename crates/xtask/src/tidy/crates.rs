//! Imports between crates, and required declarations of each crate.

use super::{Finding, SourceFile};

/// Crate for development: it may import any other, and none may import it.
pub const DEVELOPMENT: &str = "xtask";

/// Crates in the order of the map in `ARCHITECTURE.md`: each row of its first table that begins
/// with a name in backticks.
pub fn order(architecture: &str) -> Vec<String> {
    let rows = architecture
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| row.strip_prefix("| `")?.split('`').next())
        .map(str::to_owned)
        .collect()
}

/// Crates that the map lacks, and imports of crates that are not above the importing one in the
/// map.
pub fn directions(files: &[SourceFile], order: &[String]) -> Vec<Finding> {
    let place = |name: &str| order.iter().position(|other| other == name);
    let mut findings = Vec::new();
    for file in manifests(files) {
        let name = file.crate_name().expect("a manifest is in a crate");
        let own = place(name);
        if name == DEVELOPMENT {
            continue;
        }
        if own.is_none() {
            let message = format!("`{name}` is not in the map of ARCHITECTURE.md");
            findings.push(Finding::at(&file.path, 1, &message));
        }
        let all = dependencies(file).into_iter();
        // Tests of a crate may enable its own features.
        for (line, imported) in all.filter(|(_, imported)| *imported != name) {
            if place(&imported) >= own || place(&imported).is_none() {
                let message = format!(
                    "`{name}` imports `{imported}`, which is not above it in the map of \
                     ARCHITECTURE.md"
                );
                findings.push(Finding::at(&file.path, line, &message));
            }
        }
    }
    findings
}

/// Crates without the lints of the workspace, and a workspace whose lints allow undocumented public
/// items.
pub fn lints(files: &[SourceFile]) -> Vec<Finding> {
    let lacks = |file: &&SourceFile, name: &'static str, key: &str| {
        !section(file, name).any(|(_, line)| line == key)
    };
    let workspace = files.iter().filter(|file| file.path == "Cargo.toml");
    let crates = manifests(files)
        .filter(|file| lacks(file, "[lints]", "workspace = true"))
        .map(|file| Finding::at(&file.path, 1, "add `[lints] workspace = true`"));
    let workspace = workspace
        .filter(|file| lacks(file, "[workspace.lints.rust]", "missing_docs = \"deny\""))
        .map(|file| Finding::at(&file.path, 1, "deny `missing_docs`"));
    crates.chain(workspace).collect()
}

fn manifests(files: &[SourceFile]) -> impl Iterator<Item = &SourceFile> {
    files
        .iter()
        .filter(|f| f.path.starts_with("crates/") && f.path.ends_with("/Cargo.toml"))
}

/// Crates of the workspace that a manifest names, with the lines.
fn dependencies(manifest: &SourceFile) -> Vec<(usize, String)> {
    let sections = [
        "[dependencies]",
        "[dev-dependencies]",
        "[build-dependencies]",
    ];
    let lines = sections.iter().flat_map(|name| section(manifest, name));
    lines
        .filter_map(|(number, line)| {
            let name = line.strip_prefix("stend-")?.split(['.', ' ', '=']).next()?;
            Some((number, name.to_owned()))
        })
        .collect()
}

/// Lines of a section of a manifest, with their numbers.
fn section<'a>(
    manifest: &'a SourceFile,
    name: &'static str,
) -> impl Iterator<Item = (usize, &'a str)> {
    manifest
        .lines()
        .map(|(number, line)| (number, line.trim()))
        .skip_while(move |(_, line)| *line != name)
        .skip(1)
        .take_while(|(_, line)| !line.starts_with('['))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str =
        "# Map\n\n| room | knows |\n|---|---|\n| `base` | time |\n| `nand` | dies |\n\n| `x` |\n";

    fn manifest(name: &str, dependencies: &str) -> SourceFile {
        SourceFile::new(
            format!("crates/{name}/Cargo.toml"),
            format!("[package]\n\n[dev-dependencies]\n{dependencies}\n[lints]\nworkspace = true\n"),
        )
    }

    #[test]
    fn the_map_gives_the_order() {
        assert_eq!(order(MAP), ["base", "nand"]);
    }

    #[test]
    fn an_import_from_below_is_found() {
        let order = order(MAP);
        let check = |name, dependencies| {
            directions(&[manifest(name, dependencies)], &order)
                .into_iter()
                .map(|f| f.message)
                .collect::<Vec<_>>()
        };
        assert_eq!(check("nand", "stend-base.workspace = true"), [""; 0]);
        assert_eq!(check("xtask", "stend-nand.workspace = true"), [""; 0]);
        assert_eq!(
            check("base", "serde = \"1\"\nstend-nand = { workspace = true }"),
            [
                "crates/base/Cargo.toml:5: `base` imports `nand`, which is not above it in the map \
                 of ARCHITECTURE.md"
            ]
        );
        assert_eq!(check("base", "stend-other.workspace = true").len(), 1);
        assert_eq!(
            check("other", ""),
            ["crates/other/Cargo.toml:1: `other` is not in the map of ARCHITECTURE.md"]
        );
    }

    #[test]
    fn missing_lints_are_found() {
        assert!(lints(&[manifest("nand", "")]).is_empty());
        let without = SourceFile::new("crates/nand/Cargo.toml", "[package]\n[lints]\n[lib]\n");
        let workspace = SourceFile::new("Cargo.toml", "[workspace.lints.rust]\n");
        assert_eq!(lints(&[without, workspace]).len(), 2);
    }
}
