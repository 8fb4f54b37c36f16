//! `cargo xtask tidy`: checks of the source text that the compiler and clippy do not make.
//!
//! A check receives [`SourceFile`]s and returns [`Finding`]s, which are compared with
//! `exceptions.txt`, the list of known faults. An exception larger than its findings is a problem,
//! too, so that the table can only shrink.
//!
//! | module | checks |
//! |---|---|
//! | [`crates`] | crates import only crates above them in `ARCHITECTURE.md`; all have lints |
//! | [`modules`] | no circular imports between the modules of a crate |
//! | [`lengths`] | lines of functions and files, columns of lines |
//! | [`structs`] | fields, methods and files of a type |
//! | [`identities`] | pages, superblocks, dies and commands have their own types |
//! | [`words`] | banned words, with the word to use instead (`words.txt`) |
//! | [`quantities`] | a public quantity has a unit in its name or documentation |
//! | [`text`] | no machine-specific paths, no unfinished code, documents name existing files |

mod crates;
mod exceptions;
mod identities;
mod lengths;
mod modules;
mod quantities;
mod source;
mod structs;
mod text;
mod tokens;
mod words;

use std::fs;

use exceptions::{Exceptions, Finding};
use source::{SourceFile, files, paths};

use crate::args::TidyArgs;
use crate::failure::Failure;
use crate::output::note;
use crate::program::root;

/// The table of exceptions, below the root of the clone.
const EXCEPTIONS: &str = "crates/xtask/src/tidy/exceptions.txt";

/// A check: its name in the table of exceptions, and its function.
type Check = (&'static str, fn(&[SourceFile]) -> Vec<Finding>);

const CHECKS: [Check; 13] = [
    ("crates", order_of_crates),
    ("lints", crates::lints),
    ("circles", modules::circles),
    ("function-lines", lengths::functions),
    ("identities", identities::bare_integers),
    ("structs", structs::sizes),
    ("file-lines", lengths::files),
    ("columns", lengths::columns),
    ("words", words_of_the_field),
    ("units", quantities::without_unit),
    ("machine", text::machine),
    ("sources", |_| {
        files(&["lock"]).iter().flat_map(text::sources).collect()
    }),
    ("named-files", |files| text::named_files(files, &paths())),
];

/// Compares the findings of all checks with the exceptions, or makes them the exceptions.
pub fn run(args: &TidyArgs) -> Result<(), Failure> {
    let path = root().join(EXCEPTIONS);
    let text = fs::read_to_string(&path).expect("the exceptions can be read");
    let mut exceptions = Exceptions::parse(&text);
    let found = findings();
    if args.write {
        for (check, findings) in &found {
            exceptions.replace(check, findings);
        }
        let head: Vec<_> = text.lines().take_while(|l| l.starts_with('#')).collect();
        let text = format!("{}\n{}", head.join("\n"), exceptions.to_text());
        return fs::write(&path, text)
            .map_err(|error| Failure::Io(format!("cannot write {EXCEPTIONS}: {error}")));
    }
    let problems = found.iter();
    let problems = problems.flat_map(|(check, findings)| exceptions.compare(check, findings));
    let problems: Vec<String> = problems.collect();
    match problems.len() {
        0 => Ok(()),
        count => {
            note(&problems.join("\n"));
            Err(Failure::Untidy(count))
        }
    }
}

/// The findings of each check. The checks run at the same time.
fn findings() -> Vec<(&'static str, Vec<Finding>)> {
    let files = &files(&["rs", "md", "toml"]);
    std::thread::scope(|scope| {
        let run = |(name, check): Check| (name, scope.spawn(move || check(files)));
        let running = CHECKS.map(run).into_iter();
        running
            .map(|(name, check)| (name, check.join().expect("a check does not panic")))
            .collect()
    })
}

fn order_of_crates(files: &[SourceFile]) -> Vec<Finding> {
    let map = files.iter().find(|file| file.path == "ARCHITECTURE.md");
    let order = crates::order(&map.expect("ARCHITECTURE.md is there").text);
    assert!(order.len() > 5, "the map of ARCHITECTURE.md: {order:?}");
    crates::directions(files, &order)
}

/// Drives, editions and measured figures are excluded, because they quote their sources.
fn words_of_the_field(files: &[SourceFile]) -> Vec<Finding> {
    let is_program_text = |file: &&SourceFile| {
        !file.is("toml") || file.path.starts_with("crates/") || file.path == "Cargo.toml"
    };
    let files: Vec<_> = files.iter().filter(is_program_text).cloned().collect();
    words::banned(&files, &words::parse(include_str!("words.txt")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let result = run(&TidyArgs { write: false });
        assert!(result.is_ok(), "{}", result.unwrap_err());
    }
}
