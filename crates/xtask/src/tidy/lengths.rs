//! Lengths: lines of functions and of files, columns of lines.

use proc_macro2::{Delimiter, TokenTree};

use super::tokens::{self, group, inside, is_mark, is_name, line, name};
use super::{Finding, SourceFile};

/// Maximum number of lines of a function, from its `fn` to its closing brace.
pub const FUNCTION_LINES_MAX: usize = 70;

/// Maximum number of lines of a Rust file.
pub const FILE_LINES_MAX: usize = 1_000;

/// Maximum number of columns of a line of Rust or of a document.
pub const COLUMNS_MAX: usize = 100;

/// Documents that the program writes: each of their lines is a whole sentence.
const GENERATED: [&str; 2] = ["docs/drive-format.md", "docs/validation.md"];

/// Functions in Rust files that are too long. The subject names the function, the amount is its
/// number of lines.
pub fn functions(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        let mut found = Vec::new();
        functions_of(&tokens::tokens(file), &mut found);
        for (name, first, lines) in found {
            if lines > FUNCTION_LINES_MAX {
                let path = &file.path;
                findings.push(Finding {
                    subject: format!("{path} {name}"),
                    amount: lines,
                    message: format!(
                        "{path}:{first}: `{name}` has {lines} lines, at most \
                         {FUNCTION_LINES_MAX} are allowed"
                    ),
                });
            }
        }
    }
    findings
}

/// Name, first line and number of lines of each function.
fn functions_of(tokens: &[TokenTree], found: &mut Vec<(String, usize, usize)>) {
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            functions_of(&inside(group), found);
        }
        // `fn` without a name is a type.
        let (true, Some(name)) = (is_name(Some(token), "fn"), name(tokens.get(at + 1))) else {
            continue;
        };
        let rest = &tokens[at..];
        let body = rest
            .iter()
            .take_while(|token| !is_mark(Some(token), ';'))
            .find_map(|token| group(Some(token), Delimiter::Brace));
        if let Some(body) = body {
            let first = line(token);
            let last = body.span_close().end().line;
            found.push((name, first, last + 1 - first));
        }
    }
}

/// Rust files that are too long. The amount is the number of lines.
pub fn files(files: &[SourceFile]) -> Vec<Finding> {
    let rust = files.iter().filter(|file| file.is("rs"));
    let long = rust.filter_map(|file| {
        let (path, lines) = (&file.path, file.text.lines().count());
        (lines > FILE_LINES_MAX).then(|| Finding {
            subject: path.clone(),
            amount: lines,
            message: format!("{path} has {lines} lines, at most {FILE_LINES_MAX} are allowed"),
        })
    });
    long.collect()
}

/// Lines of Rust files and documents that are too long. In documents, table rows, code, lines with
/// a single word (an address) and generated text may be longer.
pub fn columns(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let prose = file.is("md") && !GENERATED.contains(&file.path.as_str());
        if !(file.is("rs") || prose) {
            continue;
        }
        let mut in_code = false;
        for (number, text) in file.lines() {
            let columns = text.chars().count();
            in_code ^= prose && text.trim_start().starts_with("```");
            let row = text.trim_start().starts_with('|');
            let free = prose && (in_code || row || !text.trim().contains(' '));
            // Tables in the documentation of a module cannot be broken either.
            let table = text.trim_start().starts_with("//! |");
            if columns > COLUMNS_MAX && !free && !table {
                let message = format!("{columns} columns, at most {COLUMNS_MAX} are allowed");
                findings.push(Finding::at(&file.path, number, &message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(lines: usize) -> String {
        let body = "    f();\n".repeat(lines - 2);
        format!("impl A {{\nfn long(g: fn(u8) -> u8) -> [u8; 2]\n{{\n{body}}}\n}}\n")
    }

    #[test]
    fn a_long_function_is_found_with_its_lines() {
        assert!(functions(&[SourceFile::new("a.rs", function(69))]).is_empty());
        let found = functions(&[SourceFile::new("a.rs", function(70))]);
        assert_eq!(found[0].subject, "a.rs long");
        assert_eq!(found[0].amount, 71);
        assert!(found[0].message.starts_with("a.rs:2: "));
    }

    #[test]
    fn a_function_without_a_body_has_no_lines() {
        let text = format!("trait A {{ fn short();\n{} }}", "type B;\n".repeat(100));
        assert!(functions(&[SourceFile::new("a.rs", text)]).is_empty());
    }

    #[test]
    fn a_long_file_is_found() {
        assert!(files(&[SourceFile::new("a.rs", "\n".repeat(1_000))]).is_empty());
        let found = files(&[SourceFile::new("a.rs", "\n".repeat(1_001))]);
        assert_eq!(found[0].amount, 1_001);
    }

    #[test]
    fn long_lines_are_found_by_kind_of_file() {
        let (rust, document) = ("a ".repeat(55), "a ".repeat(65));
        let found = columns(&[
            SourceFile::new("a.rs", format!("{rust}\n//! | {document}")),
            SourceFile::new(
                "a.md",
                format!("{document}\n| {document}\n```\n{rust}\n```\n{rust}"),
            ),
            SourceFile::new("a.toml", document),
        ]);
        let places: Vec<_> = found.iter().map(|f| f.message.as_str()).collect();
        assert_eq!(
            places,
            [
                "a.rs:1: 110 columns, at most 100 are allowed",
                "a.md:1: 130 columns, at most 100 are allowed",
                "a.md:6: 110 columns, at most 100 are allowed",
            ]
        );
    }
}
