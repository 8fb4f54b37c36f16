//! Circular imports between the modules of a crate.
//!
//! The top of a scope counts: the files and folders right below `src/`, and right below each
//! folder. An import is any path that begins with `crate`, `super`, `self` or the name of a module
//! and leads to another module, in a `use` or in the code. A name that a module only hands on (`pub
//! use`) belongs to the module that it comes from. Tests inside of a file do not count.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenTree};

use super::tokens::{
    attribute, behind_item, group, inside, is_mark, is_name, is_path_separator, is_test_only, line,
    name, tokens,
};
use super::{Finding, SourceFile};

/// Folders whose own file (`mod.rs`) must not be part of a circle either: crate and module. In
/// others it may hold what its modules share.
pub const SCOPES: [(&str, &str); 1] = [("drive", "sim")];

/// A path in a file, as written.
struct Reference {
    path: Vec<String>,
    line: usize,
    /// The module that contains it.
    module: Vec<String>,
    /// Name that a `use` introduces; `*` for all names; `None` in code.
    imported_as: Option<String>,
    /// True if the name is re-exported (`pub use`).
    handed_on: bool,
}

/// The imports of one crate.
struct Crate {
    name: String,
    modules: BTreeSet<Vec<String>>,
    /// Targets of imported names, by module and name.
    names: BTreeMap<(Vec<String>, String), Vec<String>>,
    /// References, each with its file.
    references: Vec<(String, Reference)>,
}

/// Imports of one component by another, with their places and paths.
type Imports = BTreeMap<(String, String), Vec<String>>;

/// Circular imports, one finding for each pair of components of a circle of which one imports the
/// other. The subject is the scope, so that the amount is the number of pairs.
pub fn circles(files: &[SourceFile]) -> Vec<Finding> {
    let mut by_crate: BTreeMap<&str, Vec<&SourceFile>> = BTreeMap::new();
    for file in files.iter().filter(|f| f.is("rs") && f.module().is_some()) {
        let name = file.crate_name().expect("a module is in a crate");
        by_crate.entry(name).or_default().push(file);
    }
    let mut findings = Vec::new();
    for (name, files) in by_crate {
        let read = Crate::read(name, &files);
        for scope in read.modules.iter() {
            findings.extend(read.circles(scope));
        }
    }
    findings
}

impl Crate {
    fn read(name: &str, files: &[&SourceFile]) -> Self {
        let own = files.iter().filter_map(|file| file.module());
        // Includes the folders around them.
        let modules: BTreeSet<_> = own
            .flat_map(|m| {
                (0..=m.len())
                    .map(move |end| m[..end].to_vec())
                    .collect::<Vec<_>>()
            })
            .collect();
        let mut references = Vec::new();
        for file in files {
            let module = file.module().expect("only modules are read");
            let mut found = Vec::new();
            references_of(&tokens(file), &module, &mut found);
            references.extend(found.into_iter().map(|r| (file.path.clone(), r)));
        }
        let mut names = BTreeMap::new();
        for (_, reference) in &references {
            if let (Some(name), Some(path)) =
                (&reference.imported_as, absolute(reference, &modules))
            {
                names.insert((reference.module.clone(), name.clone()), path);
            }
        }
        Self {
            name: name.to_owned(),
            modules,
            names,
            references,
        }
    }

    /// The module that contains the item of a path from the crate's root.
    fn home(&self, path: &[String], depth: usize) -> Vec<String> {
        let mut module: Vec<String> = Vec::new();
        for (index, segment) in path.iter().enumerate() {
            module.push(segment.clone());
            if self.modules.contains(&module) {
                continue;
            }
            module.pop();
            let key = (module.clone(), segment.clone());
            // A name that refers to itself (`use self::a;`) leads nowhere else.
            let Some(target) = self.names.get(&key).filter(|_| depth < 8) else {
                break;
            };
            let rest = &path[index + 1..];
            return self.home(&[target, rest].concat(), depth + 1);
        }
        module
    }

    /// True if the file of the folder counts, too.
    fn is_whole(&self, scope: &[String]) -> bool {
        SCOPES
            .iter()
            .any(|(name, module)| *name == self.name && scope == [module.to_owned()])
    }

    /// The imports between the components of a scope.
    fn imports(&self, scope: &[String]) -> Imports {
        let alone = !scope.is_empty() && !self.is_whole(scope);
        let component = |module: &[String]| {
            let inside = module.strip_prefix(scope)?;
            Some(inside.first().cloned().unwrap_or_else(|| "(root)".into()))
        };
        let mut imports = Imports::new();
        for (file, reference) in &self.references {
            let Some(path) = absolute(reference, &self.modules) else {
                continue;
            };
            let home = self.home(&path, 0);
            let ends = (component(&reference.module), component(&home));
            let (Some(from), Some(to)) = ends else {
                continue;
            };
            let of_folder = from == "(root)" || to == "(root)";
            if from != to && !(alone && of_folder) && !(reference.handed_on && from == "(root)") {
                let place = format!("{file}:{} ({})", reference.line, path.join("::"));
                imports.entry((from, to)).or_default().push(place);
            }
        }
        imports
    }

    fn circles(&self, scope: &[String]) -> Vec<Finding> {
        let imports = self.imports(scope);
        let reached = reachable(&imports);
        let subject = [std::slice::from_ref(&self.name), scope]
            .concat()
            .join("::");
        let in_circle = imports
            .iter()
            .filter(|((from, to), _)| reached.contains(&(to.clone(), from.clone())));
        let findings = in_circle.map(|((from, to), places)| Finding {
            subject: subject.clone(),
            amount: 1,
            message: format!(
                "{subject}: {from} imports {to}, which leads back to {from}: {}{}",
                places[..places.len().min(3)].join(", "),
                if places.len() > 3 { ", …" } else { "" }
            ),
        });
        findings.collect()
    }
}

/// All pairs whose first component leads to the second.
fn reachable(imports: &Imports) -> BTreeSet<(String, String)> {
    let mut pairs: BTreeSet<_> = imports.keys().cloned().collect();
    loop {
        let mut further = BTreeSet::new();
        for (from, middle) in &pairs {
            for (_, to) in imports.keys().filter(|(next, _)| next == middle) {
                further.insert((from.clone(), to.clone()));
            }
        }
        let before = pairs.len();
        pairs.extend(further);
        if pairs.len() == before {
            return pairs;
        }
    }
}

/// The path from the crate's root, unless it leads out of the crate.
fn absolute(reference: &Reference, modules: &BTreeSet<Vec<String>>) -> Option<Vec<String>> {
    let mut base = reference.module.clone();
    let mut rest = reference.path.as_slice();
    match rest.first()?.as_str() {
        "crate" => {
            base.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {}
        first => {
            // Without a keyword: a module of this one, or another crate.
            let child = [base.as_slice(), &[first.to_owned()]].concat();
            if !modules.contains(&child) {
                return None;
            }
        }
    }
    while rest.first().is_some_and(|segment| segment == "super") {
        base.pop();
        rest = &rest[1..];
    }
    base.extend_from_slice(rest);
    Some(base)
}

fn references_of(tokens: &[TokenTree], module: &[String], found: &mut Vec<Reference>) {
    let mut at = 0;
    while at < tokens.len() {
        if attribute(tokens, at).is_some() {
            at = if is_test_only(tokens, at) {
                behind_item(tokens, at)
            } else {
                at + 2
            };
        } else if is_name(tokens.get(at), "use") {
            let end = behind_use(tokens, at);
            let handed_on = at > 0 && follows_pub(tokens, at);
            let mut leaves = Vec::new();
            leaves_of(&tokens[at + 1..end], &[], &mut leaves);
            found.extend(leaves.into_iter().map(|(path, name)| Reference {
                path,
                line: line(&tokens[at]),
                module: module.to_vec(),
                imported_as: Some(name),
                handed_on,
            }));
            at = end;
        } else if let (true, Some(inner), Some(body)) = (
            is_name(tokens.get(at), "mod"),
            name(tokens.get(at + 1)),
            group(tokens.get(at + 2), Delimiter::Brace),
        ) {
            references_of(&inside(body), &[module, &[inner]].concat(), found);
            at += 3;
        } else if is_name(tokens.get(at), "pub") {
            // Not the path in `pub(in crate::a)`.
            let visibility = group(tokens.get(at + 1), Delimiter::Parenthesis);
            at += 1 + usize::from(visibility.is_some());
        } else {
            at = other(tokens, at, module, found);
        }
    }
}

/// Collects the references of a group or of a path in code, or skips one token; returns the next
/// position.
fn other(tokens: &[TokenTree], at: usize, module: &[String], found: &mut Vec<Reference>) -> usize {
    if let TokenTree::Group(group) = &tokens[at] {
        references_of(&inside(group), module, found);
        return at + 1;
    }
    let mut path: Vec<String> = name(tokens.get(at)).into_iter().collect();
    if path.is_empty() || !is_path_separator(tokens, at + 1) {
        return at + 1;
    }
    let mut end = at + 1;
    while let (true, Some(next)) = (is_path_separator(tokens, end), name(tokens.get(end + 2))) {
        path.push(next);
        end += 3;
    }
    found.push(Reference {
        path,
        line: line(&tokens[at]),
        module: module.to_vec(),
        imported_as: None,
        handed_on: false,
    });
    end
}

fn behind_use(tokens: &[TokenTree], from: usize) -> usize {
    let end = tokens[from..].iter().position(|t| is_mark(Some(t), ';'));
    end.map_or(tokens.len(), |end| from + end)
}

fn follows_pub(tokens: &[TokenTree], at: usize) -> bool {
    let visible = group(tokens.get(at - 1), Delimiter::Parenthesis).is_some();
    let before = at.checked_sub(1 + usize::from(visible));
    before.is_some_and(|before| is_name(tokens.get(before), "pub"))
}

/// The paths of a `use`, each with the name that it introduces.
fn leaves_of(tokens: &[TokenTree], start: &[String], leaves: &mut Vec<(Vec<String>, String)>) {
    for part in tokens.split(|token| is_mark(Some(token), ',')) {
        let mut path = start.to_vec();
        let mut renamed = None;
        let mut branches = false;
        for (at, token) in part.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                leaves_of(&inside(group), &path, leaves);
                branches = true;
            } else if is_name(Some(token), "as") {
                renamed = name(part.get(at + 1));
                break;
            } else if let Some(name) = name(Some(token)) {
                // `a::{self, B}` names `a` itself.
                if name != "self" || path.is_empty() {
                    path.push(name);
                }
            } else if is_mark(Some(token), '*') {
                renamed = Some("*".to_owned());
            }
        }
        if let (false, Some(last)) = (branches, path.last().cloned()) {
            leaves.push((path, renamed.unwrap_or(last)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| SourceFile::new(format!("crates/{path}"), *text))
            .collect();
        circles(&files).into_iter().map(|f| f.message).collect()
    }

    #[test]
    fn two_modules_that_import_each_other_are_a_circle() {
        let circle = found(&[
            ("x/src/lib.rs", "mod a; mod b;"),
            ("x/src/a.rs", "use crate::b::{self, B as C};"),
            ("x/src/b/mod.rs", "mod inner;"),
            (
                "x/src/b/inner.rs",
                "fn f() { assert!(super::super::a::g()) }",
            ),
        ]);
        assert_eq!(circle.len(), 2, "{circle:?}");
        assert!(
            circle[0].contains("crates/x/src/a.rs:1 (b), crates/x/src/a.rs:1 (b::B)"),
            "{circle:?}"
        );
        assert!(
            circle[1].contains("crates/x/src/b/inner.rs:1 (a::g)"),
            "{circle:?}"
        );
    }

    #[test]
    fn a_circle_of_three_is_found() {
        let circle = found(&[
            ("x/src/a.rs", "use crate::b::B;"),
            ("x/src/b.rs", "use super::c;"),
            ("x/src/c.rs", "fn f(a: &crate::a::A) {}"),
            ("x/src/d.rs", "use crate::a::A;"),
        ]);
        assert_eq!(circle.len(), 3, "{circle:?}");
    }

    #[test]
    fn a_circle_within_a_folder_is_found_but_not_with_its_own_file() {
        let circle = found(&[
            ("x/src/a/mod.rs", "mod b; mod c; struct A; use b::B;"),
            ("x/src/a/b.rs", "use super::{A, c::C};"),
            ("x/src/a/c.rs", "use super::b::B;"),
        ]);
        assert_eq!(circle.len(), 2, "{circle:?}");
        assert!(
            circle.iter().all(|found| !found.contains("(root)")),
            "{circle:?}"
        );
    }

    #[test]
    fn one_direction_and_tests_are_no_circle() {
        let circle = found(&[
            ("x/src/lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
            (
                "x/src/a.rs",
                "use crate::B; pub(in crate::b) struct A; use other::a;",
            ),
            (
                "x/src/b.rs",
                "pub struct B; #[cfg(test)] mod tests { use crate::a::A; use super::*; }",
            ),
        ]);
        assert_eq!(circle, [""; 0]);
    }

    #[test]
    fn a_name_handed_on_belongs_to_its_own_module() {
        let circle = found(&[
            ("x/src/lib.rs", "mod a; mod b; pub use a::A;"),
            ("x/src/a.rs", "use crate::b::B;"),
            ("x/src/b.rs", "use crate::A;"),
        ]);
        assert_eq!(circle.len(), 2, "{circle:?}");
    }

    #[test]
    fn what_the_root_defines_ties_it_to_its_modules() {
        let circle = found(&[
            ("x/src/lib.rs", "mod a; fn f() { a::g() } struct S;"),
            ("x/src/a.rs", "use super::S;"),
        ]);
        assert_eq!(circle.len(), 2, "{circle:?}");
    }

    #[test]
    fn folders_of_the_simulator_are_a_scope_of_their_own() {
        let circle = found(&[
            ("drive/src/sim/host/mod.rs", "use crate::sim::data::D;"),
            ("drive/src/sim/data.rs", "use super::host::H;"),
        ]);
        assert_eq!(circle.len(), 2);
        assert!(
            circle.iter().all(|m| m.starts_with("drive::sim: ")),
            "{circle:?}"
        );
    }
}
