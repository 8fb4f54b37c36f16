//! Comparison of the synopses in documents with the definition of the command line.

use std::fs;
use std::path::Path;

use clap::{Arg, Command};

use super::Cli;

/// Documents with a synopsis, and the commands that it describes; all of them if none is named.
const DOCUMENTS: [(&str, &[&str]); 3] = [
    ("README.md", &[]),
    ("docs/lab.md", &["lab"]),
    ("docs/trace-format.md", &["replay", "traces"]),
];

/// Entries of the synopsis, which is the first code block with lines that begin with `stend`: the
/// words of each, without comments.
fn entries(document: &str) -> Vec<Vec<&str>> {
    let mut blocks = document.split("```").skip(1).step_by(2);
    let synopsis = blocks.find(|block| block.contains("\nstend "));
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let entries = synopsis.unwrap_or_default().split("\nstend ").skip(1);
    let words = entries.map(|entry| {
        let lines = entry.lines().filter_map(|line| line.split(" #").next());
        let words = lines.flat_map(|line| line.split(|c| !is_name(c)));
        words.filter(|word| !word.is_empty()).collect()
    });
    words
        .filter(|words: &Vec<&str>| !words.is_empty())
        .collect()
}

/// Adds the words of the command at `path`, of each of its long options and of its subcommands, as
/// far as they are not hidden.
fn described(command: &Command, path: &[&str], all: &mut Vec<Vec<String>>) {
    let with = |word: &str| -> Vec<String> {
        let words = path.iter().chain([&word]);
        words.map(|word| (*word).to_owned()).collect()
    };
    let options = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let options = options.filter_map(Arg::get_long);
    all.extend(options.map(|long| with(&format!("--{long}"))));
    for command in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        all.push(with(command.get_name()));
        described(command, &[path, &[command.get_name()]].concat(), all);
    }
}

#[test]
fn synopses_contain_every_command_and_option_and_no_other_option() {
    let mut all = Vec::new();
    described(&Cli::described(), &[], &mut all);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (document, names) in DOCUMENTS {
        let text = fs::read_to_string(root.join(document)).unwrap();
        let entries = entries(&text);
        let is_missing = |words: &&Vec<String>| {
            let is_in = |entry: &Vec<&str>| {
                entry[0] == words[0] && words.iter().all(|word| entry.contains(&&**word))
            };
            !entries.iter().any(is_in)
        };
        let of_document = |words: &&Vec<String>| names.is_empty() || names.contains(&&*words[0]);
        let missing: Vec<_> = all.iter().filter(of_document).filter(is_missing).collect();
        assert!(missing.is_empty(), "{document} lacks {missing:?}");
        for entry in &entries {
            for word in entry.iter().filter(|word| word.starts_with("--")) {
                let is_it = |words: &Vec<String>| {
                    words[0] == entry[0] && words.ends_with(&[(*word).to_owned()])
                };
                assert!(
                    all.iter().any(is_it),
                    "{document}: {} has no {word}",
                    entry[0]
                );
            }
        }
    }
}
