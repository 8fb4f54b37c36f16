//! Sizes of types: a type with too many fields or methods cannot be understood in parts.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenTree};

use super::tokens::{
    behind_item, group, inside, is_mark, is_name, is_path_separator, is_test_only, name, tokens,
};
use super::{Finding, SourceFile};

/// Maximum number of fields of a struct, unless all of them are public.
pub const FIELDS_MAX: usize = 24;

/// Maximum number of methods of a type, without those of traits.
pub const METHODS_MAX: usize = 50;

/// Maximum number of files that contain methods of a type.
pub const FILES_MAX: usize = 4;

/// Size of a type of a crate.
#[derive(Default)]
struct Size {
    fields: usize,
    methods: usize,
    files: BTreeSet<String>,
    definitions: usize,
}

/// Types with too many fields, methods, or files with their methods. The subject names the exceeded
/// limit, the crate and the type; the amount is the number. Data types, whose fields are all
/// public, may have any number of fields.
pub fn sizes(files: &[SourceFile]) -> Vec<Finding> {
    let mut sizes: BTreeMap<(String, String), Size> = BTreeMap::new();
    for file in files.iter().filter(|f| f.is("rs") && f.module().is_some()) {
        let mut found = BTreeMap::new();
        sizes_of(&tokens(file), &mut found);
        let crate_name = file.crate_name().expect("a module is in a crate");
        for (name, size) in found {
            let all = sizes.entry((crate_name.to_owned(), name)).or_default();
            all.fields = all.fields.max(size.fields);
            all.definitions += size.definitions;
            all.methods += size.methods;
            if size.methods > 0 {
                all.files.insert(file.path.clone());
            }
        }
    }
    // Types of the same name in several modules cannot be distinguished here.
    sizes.retain(|_, size| size.definitions == 1);
    let mut findings = Vec::new();
    for ((crate_name, name), size) in &sizes {
        let figures = [
            ("fields", size.fields, FIELDS_MAX),
            ("methods", size.methods, METHODS_MAX),
            ("files", size.files.len(), FILES_MAX),
        ];
        for (what, amount, most) in figures.into_iter().filter(|(_, n, most)| n > most) {
            findings.push(Finding {
                subject: format!("{what} of {crate_name}::{name}"),
                amount,
                message: format!(
                    "`{name}` of crate {crate_name}: {amount} {what}, at most {most} are allowed"
                ),
            });
        }
    }
    findings
}

fn sizes_of(tokens: &[TokenTree], found: &mut BTreeMap<String, Size>) {
    let mut at = 0;
    while at < tokens.len() {
        if is_test_only(tokens, at) {
            at = behind_item(tokens, at);
            continue;
        }
        let body_at = tokens[at..]
            .iter()
            .take_while(|t| !is_mark(Some(t), ';'))
            .position(|t| group(Some(t), Delimiter::Brace).is_some());
        let body = body_at.and_then(|i| group(tokens.get(at + i), Delimiter::Brace));
        match (name(tokens.get(at)).as_deref(), body) {
            (Some("struct" | "enum"), Some(body)) => {
                let size = found.entry(name(tokens.get(at + 1)).unwrap_or_default());
                let size = size.or_default();
                size.definitions += 1;
                if is_name(tokens.get(at), "struct") {
                    size.fields = size.fields.max(private_fields(&inside(body)));
                }
            }
            (Some("impl"), Some(body)) => {
                let head = &tokens[at + 1..at + body_at.unwrap_or(0)];
                if let Some(name) = implemented(head) {
                    let body = inside(body);
                    let functions = body
                        .windows(2)
                        .filter(|pair| is_name(pair.first(), "fn") && name_of(&pair[1]).is_some());
                    found.entry(name).or_default().methods += functions.count();
                }
            }
            (Some("mod"), Some(body)) => sizes_of(&inside(body), found),
            _ => {
                at += 1;
                continue;
            }
        }
        at = behind_item(tokens, at);
    }
}

fn name_of(token: &TokenTree) -> Option<String> {
    name(Some(token))
}

/// Number of fields; 0 if all are public.
fn private_fields(tokens: &[TokenTree]) -> usize {
    let colons = (0..tokens.len()).filter(|&at| {
        let of_a_path =
            is_path_separator(tokens, at) || (at > 0 && is_path_separator(tokens, at - 1));
        is_mark(tokens.get(at), ':') && !of_a_path
    });
    let fields = colons.count();
    let public = (0..tokens.len())
        .filter(|&at| {
            is_name(tokens.get(at), "pub")
                && group(tokens.get(at + 1), Delimiter::Parenthesis).is_none()
        })
        .count();
    if public == fields { 0 } else { fields }
}

/// The type of an inherent `impl`; `None` for the `impl` of a trait.
fn implemented(head: &[TokenTree]) -> Option<String> {
    if head.iter().any(|token| is_name(Some(token), "for")) {
        return None;
    }
    let mut depth = 0_i32;
    let mut last = None;
    for token in head {
        depth += i32::from(is_mark(Some(token), '<')) - i32::from(is_mark(Some(token), '>'));
        if is_name(Some(token), "where") {
            break;
        }
        if depth == 0 {
            last = name_of(token).or(last);
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, String)]) -> Vec<String> {
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| SourceFile::new(format!("crates/x/src/{path}"), text))
            .collect();
        sizes(&files).into_iter().map(|f| f.message).collect()
    }

    #[test]
    fn a_struct_with_too_many_fields_is_found() {
        let fields = "a: std::vec::Vec<u8>, pub b: u8,".repeat(13);
        let message = ["`A` of crate x: 26 fields, at most 24 are allowed"];
        assert_eq!(
            found(&[("a.rs", format!("struct A {{ {fields} }}"))]),
            message
        );
        let public = "pub a: u8,".repeat(30);
        assert_eq!(
            found(&[("a.rs", format!("struct A {{ {public} }}"))]),
            [""; 0]
        );
    }

    #[test]
    fn methods_of_all_files_count_and_those_of_traits_do_not() {
        let methods = "pub fn a(&self, f: fn(u8)) { fn g() {} }".repeat(11);
        let implementation = format!("impl<'a, T: B<C>> A<'a, T> where T: D {{ {methods} }}");
        let of_trait = format!("impl D for A {{ {methods} }}");
        let files: Vec<_> = ["a.rs", "b.rs", "c.rs", "d.rs", "e.rs"]
            .map(|path| (path, format!("{implementation}{of_trait}")))
            .into();
        assert_eq!(found(&files), [""; 0]);
        let with_type = [&files[..], &[("f.rs", "struct A { a: u8 }".to_owned())]].concat();
        let message = [
            "`A` of crate x: 55 methods, at most 50 are allowed",
            "`A` of crate x: 5 files, at most 4 are allowed",
        ];
        assert_eq!(found(&with_type), message);
    }
}
