//! Runs every check on the repository, with `exceptions.txt`.
//!
//! `STEND_TIDY=write` writes the present findings as the exceptions: use it to shrink the table,
//! and examine the difference.

use std::fs;
use std::sync::{LazyLock, Mutex};

use stend_tidy::exceptions::Exceptions;
use stend_tidy::source::{files, paths, root};
use stend_tidy::{
    Finding, SourceFile, crates, identities, lengths, modules, quantities, structs, text, words,
};

static FILES: LazyLock<Vec<SourceFile>> = LazyLock::new(|| files(&["rs", "md", "toml"]));

/// Locked while the table is read or written.
static TABLE: Mutex<()> = Mutex::new(());

fn check(name: &str, findings: &[Finding]) {
    let path = root().join("crates/tidy/exceptions.txt");
    let table = TABLE.lock().unwrap_or_else(|failed| failed.into_inner());
    let text = fs::read_to_string(&path).expect("the exceptions can be read");
    let mut exceptions = Exceptions::parse(&text);
    if std::env::var_os("STEND_TIDY").is_some_and(|value| value == "write") {
        exceptions.replace(name, findings);
        let head: Vec<_> = text.lines().take_while(|l| l.starts_with('#')).collect();
        let text = format!("{}\n{}", head.join("\n"), exceptions.to_text());
        fs::write(&path, text).expect("the exceptions can be written");
        return;
    }
    drop(table);
    let problems = exceptions.compare(name, findings);
    assert!(
        problems.is_empty(),
        "{}\n({} problems; exceptions are in crates/tidy/exceptions.txt)",
        problems.join("\n"),
        problems.len()
    );
}

fn architecture() -> String {
    let found = FILES.iter().find(|file| file.path == "ARCHITECTURE.md");
    found.expect("ARCHITECTURE.md is there").text.clone()
}

#[test]
fn crates_import_what_is_above_them() {
    let order = crates::order(&architecture());
    assert!(order.len() > 5, "the map of ARCHITECTURE.md: {order:?}");
    check("crates", &crates::directions(&FILES, &order));
}

#[test]
fn crates_have_the_lints_of_the_workspace() {
    check("lints", &crates::lints(&FILES));
}

#[test]
fn modules_do_not_import_each_other_in_circles() {
    check("circles", &modules::circles(&FILES));
}

#[test]
fn functions_are_short() {
    check("function-lines", &lengths::functions(&FILES));
}

#[test]
fn identities_have_types_of_their_own() {
    check("identities", &identities::bare_integers(&FILES));
}

#[test]
fn structs_are_small() {
    check("structs", &structs::sizes(&FILES));
}

#[test]
fn files_are_short() {
    check("file-lines", &lengths::files(&FILES));
}

#[test]
fn lines_are_short() {
    check("columns", &lengths::columns(&FILES));
}

#[test]
fn words_are_those_of_the_field() {
    let list = fs::read_to_string(root().join("crates/tidy/words.txt"));
    let list = words::parse(&list.expect("the list can be read"));
    let is_program_text = |file: &&SourceFile| {
        !file.is("toml") || file.path.starts_with("crates/") || file.path == "Cargo.toml"
    };
    // Drives, editions and measured figures are excluded, because they quote their sources.
    let files: Vec<_> = FILES.iter().filter(is_program_text).cloned().collect();
    check("words", &words::banned(&files, &list));
}

#[test]
fn quantities_tell_their_units() {
    check("units", &quantities::without_unit(&FILES));
}

#[test]
fn no_path_of_a_machine_and_no_unfinished_code() {
    check("machine", &text::machine(&FILES));
    for lock in files(&["lock"]) {
        check("sources", &text::sources(&lock));
    }
}

#[test]
fn documents_name_files_that_exist() {
    check("named-files", &text::named_files(&FILES, &paths()));
}
