//! The messages as a whole: every language has all of them with the same arguments, sources use all
//! of them, and use no missing one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use fluent_syntax::parser::parse;
use stend_language::{Language, message, text, within};

/// Prefix of messages that only one language needs, for its own messages.
const PRIVATE: &str = "private-";

/// Units are found by their symbols, and names of these kinds in reviews by the names.
const FOUND_OTHERWISE: [&str; 16] = [
    "unit-",
    "rec-condition-",
    "rec-controller-",
    "rec-curve-",
    "rec-drive-",
    "rec-fact-value-cache-",
    "rec-figure-",
    "rec-flash-",
    "rec-piece-",
    "rec-probe-",
    "rec-response-",
    "rec-set-",
    "rec-state-name-",
    "rec-structure-",
    "rec-totals-",
    "rec-trace-",
];

/// Prefix of messages that a review stores, which sources name without it.
const STORED: &str = "rec-";

/// Folders of the crates, and of the files, that name messages.
const SOURCES: [&str; 14] = [
    "analysis/src",
    "identify/src",
    "report/src",
    "report/templates",
    "stend/src",
    "web/src",
    "web/templates",
    "record/src",
    "model/src",
    "load/src",
    "simulated/src",
    "real/src",
    "method/src",
    "../editions",
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the arguments of each message of a language, including those of messages that it refers
/// to.
fn messages(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let folder = crates().join("language/texts").join(language.tag());
    let mut own: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(&folder) {
        let text = std::fs::read_to_string(&file).unwrap();
        let resource = parse(text.as_str()).unwrap_or_else(|(_, e)| panic!("{file:?}: {e:?}"));
        for entry in resource.body {
            match entry {
                Entry::Message(message) => {
                    let pattern = message.value.expect("a message has a text");
                    let mut found = BTreeSet::new();
                    of_pattern(&pattern, &mut found);
                    let id = message.id.name.to_owned();
                    assert!(own.insert(id, found).is_none(), "{}", message.id.name);
                }
                Entry::Term(term) => panic!("{file:?}: -{} is a term", term.id.name),
                Entry::Junk { content } => panic!("{file:?}: {content}"),
                _ => {}
            }
        }
    }
    let all = |id: &str| -> BTreeSet<String> {
        let (mut open, mut found) = (vec![format!(">{id}")], BTreeSet::new());
        while let Some(next) = open.pop() {
            match next.strip_prefix('>') {
                Some(id) => open.extend(own.get(id).unwrap_or_else(|| panic!("{id}")).clone()),
                None => drop(found.insert(next)),
            }
        }
        found
    };
    own.keys().map(|id| (id.clone(), all(id))).collect()
}

/// Collects the names of variables, and of messages with the prefix `>`.
fn of_pattern(pattern: &Pattern<&str>, found: &mut BTreeSet<String>) {
    for element in &pattern.elements {
        if let PatternElement::Placeable { expression } = element {
            of_expression(expression, found);
        }
    }
}

fn of_expression(expression: &Expression<&str>, found: &mut BTreeSet<String>) {
    match expression {
        Expression::Inline(inline) => of_inline(inline, found),
        Expression::Select { selector, variants } => {
            of_inline(selector, found);
            for variant in variants {
                of_pattern(&variant.value, found);
            }
        }
    }
}

fn of_inline(inline: &InlineExpression<&str>, found: &mut BTreeSet<String>) {
    match inline {
        InlineExpression::VariableReference { id } => drop(found.insert(id.name.to_owned())),
        InlineExpression::MessageReference { id, .. } => {
            found.insert(format!(">{}", id.name));
        }
        InlineExpression::Placeable { expression } => of_expression(expression, found),
        _ => {}
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{folder:?}: {e}"));
    for entry in entries {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => out.extend(files(&path)),
            false => out.push(path),
        }
    }
    out.sort();
    out
}

fn sources() -> String {
    let folders = SOURCES.iter().map(|folder| crates().join(folder));
    let all = folders.flat_map(|folder| files(&folder));
    all.map(|file| std::fs::read_to_string(file).unwrap())
        .collect()
}

#[test]
fn languages_have_the_same_messages_with_the_same_arguments() {
    let shared = |language| {
        let mut all = messages(language);
        all.retain(|id, _| !id.starts_with(PRIVATE));
        all
    };
    let english = shared(Language::English);
    for language in Language::ALL {
        let other = shared(language);
        for (id, arguments) in &english {
            let same = other.get(id);
            assert!(same.is_some(), "{language} has no message {id}");
            assert_eq!(same, Some(arguments), "arguments of {id} in {language}");
        }
        let more: Vec<_> = other
            .keys()
            .filter(|id| !english.contains_key(*id))
            .collect();
        assert!(more.is_empty(), "{language} alone has {more:?}");
    }
}

#[test]
fn every_message_is_used() {
    let sources = sources();
    let english = messages(Language::English);
    let unused = english.keys().filter(|id| {
        let otherwise =
            id.starts_with(PRIVATE) || FOUND_OTHERWISE.iter().any(|start| id.starts_with(start));
        let named = id.strip_prefix(STORED).unwrap_or(id);
        !otherwise && !sources.contains(&format!("\"{named}\""))
    });
    let unused: Vec<_> = unused.collect();
    assert!(unused.is_empty(), "no source names {unused:?}");
    for language in Language::ALL {
        let folder = crates().join("language/texts").join(language.tag());
        let read = |file: &PathBuf| std::fs::read_to_string(file).unwrap();
        let all: String = files(&folder).iter().map(read).collect();
        for id in messages(language)
            .keys()
            .filter(|id| id.starts_with(PRIVATE))
        {
            let referred = all.contains(&format!("{{ {id} }}"));
            assert!(referred, "no message of {language} refers to {id}");
        }
    }
}

#[test]
fn names_in_messages_of_traces_and_sets_are_of_shipped_files() {
    for (prefix, folder) in [("rec-trace-", "traces"), ("rec-set-", "filesets")] {
        for id in messages(Language::English).into_keys() {
            let Some(name) = id.strip_prefix(prefix) else {
                continue;
            };
            let file = crates()
                .join("..")
                .join(folder)
                .join(format!("{name}.toml"));
            assert!(file.exists(), "{id}: {file:?}");
        }
    }
}

#[test]
fn no_source_names_a_message_that_is_not_there() {
    let english = messages(Language::English);
    let sources = sources();
    let mut count = 0;
    for call in ["text!(", "message!(", "say(", "say_bound(", "recorded!("] {
        for (at, _) in sources.match_indices(call) {
            let behind = sources[at + call.len()..].trim_start();
            let Some(id) = behind
                .strip_prefix('"')
                .and_then(|rest| rest.split('"').next())
            else {
                continue;
            };
            let id = match call {
                "recorded!(" => format!("{STORED}{id}"),
                _ => id.to_owned(),
            };
            assert!(english.contains_key(&id), "there is no message {id}");
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn a_language_holds_for_the_time_of_a_call() {
    assert_eq!(stend_language::current(), Language::English);
    let said = within(Language::Russian, || {
        let inner = within(Language::English, || stend_language::unit("GB"));
        (inner, stend_language::unit("GB"))
    });
    assert_eq!(said, ("GB".to_owned(), "ГБ".to_owned()));
    let broken = std::panic::catch_unwind(|| within(Language::Russian, || panic!("in the middle")));
    assert!(broken.is_err());
    assert_eq!(stend_language::current(), Language::English);
}

#[test]
fn a_language_is_named_by_its_tag() {
    for language in Language::ALL {
        assert_eq!(language.tag().parse(), Ok(language));
    }
    let wrong = "de".parse::<Language>().unwrap_err();
    assert!(wrong.contains("en, ru"), "{wrong}");
}

#[test]
fn numbers_are_as_the_language_writes_them() {
    let said = |language| within(language, || text!("exact-jobs", count = 2.5));
    assert_eq!(said(Language::English), "The exact jobs (2.5)");
    assert_eq!(said(Language::Russian), "Точные тексты заданий (2,5)");
    let numeral = within(Language::Russian, || stend_language::numeral("41,240.5"));
    assert_eq!(numeral, "41\u{202f}240,5");
}

#[test]
#[should_panic(expected = "no message")]
fn an_unknown_message_is_an_error_of_the_program() {
    message("there-is-none", &[]);
}

/// Files whose sentences are not messages, with the reason.
const OF_THEIR_OWN: [&str; 5] = [
    // The page of a study has one language.
    "report/src/study.rs",
    // Errors.
    "report/src/error.rs",
    "report/src/folder.rs",
    "analysis/src/claims/parse.rs",
    "identify/src/lib.rs",
];

/// A unit in JSON that consists of words.
const UNIT: &str = "percent of capacity";

/// Returns the string literals of a source without its comments and tests, except reasons of
/// `expect`.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n").replace("'\"'", "''");
    let mut out = Vec::new();
    let mut rest = code.as_str();
    while let Some((before, behind)) = rest.split_once('"') {
        let mut end = 0;
        let letters: Vec<char> = behind.chars().collect();
        while end < letters.len() && letters[end] != '"' {
            end += if letters[end] == '\\' { 2 } else { 1 };
        }
        let literal: String = letters[..end.min(letters.len())].iter().collect();
        rest = behind.get(literal.len() + 1..).unwrap_or_default();
        if !before.ends_with("expect(") {
            out.push(literal);
        }
    }
    out
}

fn is_sentence(literal: &str) -> bool {
    let is_word = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
    let words: Vec<bool> = literal.split_whitespace().map(|w| is_word(&w)).collect();
    words.windows(3).any(|three| three.iter().all(|word| *word))
}

#[test]
fn what_makes_pages_has_no_sentence_that_is_no_message() {
    let mut found = Vec::new();
    for folder in ["report/src", "analysis/src", "identify/src"] {
        for file in files(&crates().join(folder)) {
            let name = file.to_string_lossy().replace('\\', "/");
            let is_test = name.ends_with("/tests.rs");
            if !is_test && !OF_THEIR_OWN.iter().any(|own| name.contains(own)) {
                let source = std::fs::read_to_string(&file).unwrap();
                let sentences = literals(&source)
                    .into_iter()
                    .filter(|l| is_sentence(l) && l != UNIT);
                found.extend(sentences.map(|sentence| format!("{name}: {sentence}")));
            }
        }
    }
    assert!(found.is_empty(), "make messages of these: {found:#?}");
    let seen = literals("let a = \"three of them\"; b.expect(\"not the reason here\");");
    assert_eq!(seen.iter().filter(|l| is_sentence(l)).count(), 1);
}
