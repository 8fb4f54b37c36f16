//! Identities that are plain integers: a superblock that is a `u32` can be mistaken for a die.

use proc_macro2::TokenTree;

use super::tokens::{inside, is_mark, is_path_separator, line, name, tokens};
use super::{Finding, SourceFile};

/// Path in which identities must have their own types.
const SCOPE: &str = "crates/drive/src/sim/";

/// Names of identities: a name that is one of these, or ends with one after `_`.
const IDENTITIES: &str = "\
    lpn ppn unit slot page mp_page block superblock victim die command stream segment row";

const INTEGERS: [&str; 4] = ["u16", "u32", "u64", "usize"];

/// Fields, parameters and variables of the simulator that are named after an identity and have an
/// integer type.
pub fn bare_integers(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|f| f.path.starts_with(SCOPE)) {
        let mut found = Vec::new();
        bare_integers_of(&tokens(file), &mut found);
        for (line, name, integer) in found {
            let message = format!("`{name}: {integer}`: give it the type of what it identifies");
            findings.push(Finding::at(&file.path, line, &message));
        }
    }
    findings
}

fn bare_integers_of(tokens: &[TokenTree], found: &mut Vec<(usize, String, String)>) {
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            bare_integers_of(&inside(group), found);
        }
        let typed = is_mark(tokens.get(at + 1), ':') && !is_path_separator(tokens, at + 1);
        let (true, Some(name), Some(integer)) =
            (typed, name(Some(token)), name(tokens.get(at + 2)))
        else {
            continue;
        };
        if is_identity(&name) && INTEGERS.contains(&integer.as_str()) {
            found.push((line(token), name, integer));
        }
    }
}

/// False for counts, such as `pages_per_block`.
fn is_identity(name: &str) -> bool {
    let ends_with = |end| {
        let start = name.strip_suffix(end);
        start.is_some_and(|start| start.is_empty() || start.ends_with('_'))
    };
    IDENTITIES.split(' ').any(ends_with) && !name.contains("_per_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_named_for_an_identity_are_found() {
        let text = "struct A { die: u32, spare_superblock: u64, dies: u32, at: DieId }\n\
                    fn f(victim: SuperblockId, pages_per_block: u32) { let lpn: usize = unit::x; }";
        let found = bare_integers(&[
            SourceFile::new("crates/drive/src/sim/a.rs", text),
            SourceFile::new("crates/drive/src/spec.rs", text),
        ]);
        let names: Vec<_> = found
            .iter()
            .filter_map(|f| f.message.split('`').nth(1))
            .collect();
        assert_eq!(names, ["die: u32", "spare_superblock: u64", "lpn: usize"]);
    }
}
