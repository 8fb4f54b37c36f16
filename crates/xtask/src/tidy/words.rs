//! Banned words: words that only this project uses although the field has its own word.
//!
//! `words.txt` lists them with their replacements. Identifiers count as words too: `put_over` and
//! `PutOver` match "put over".

use super::{Finding, SourceFile};

/// A banned word, or sequence of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Banned {
    /// Words after which it is allowed.
    unless_after: Vec<String>,
    /// The words. The last may end with `*`, which matches any word with that beginning.
    words: Vec<String>,
    /// Replacement.
    instead: String,
    /// Prefixes of the paths in which it is banned; empty for all paths.
    only_in: Vec<String>,
    /// Prefixes of the paths in which it is allowed nevertheless.
    not_in: Vec<String>,
}

/// Parses the list. Its lines are `words | instead` or `words | instead | path !path`. Words in
/// parentheses before the others, separated by commas, are those after which they are allowed.
///
/// # Panics
/// If a line lacks the replacement.
pub fn parse(text: &str) -> Vec<Banned> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let mut fields = line.split('|').map(str::trim);
            let words = fields.next().unwrap_or_default();
            let instead = fields.next();
            let instead = instead.unwrap_or_else(|| panic!("what to write instead: {line}"));
            let (unless_after, words) = match words.strip_prefix('(') {
                Some(rest) => rest.split_once(") ").expect("a bracket is closed"),
                None => ("", words),
            };
            let paths = fields.flat_map(str::split_whitespace);
            let (not_in, only_in): (Vec<&str>, Vec<&str>) =
                paths.partition(|path| path.starts_with('!'));
            let owned = |path: &str| path.trim_start_matches('!').to_owned();
            Banned {
                unless_after: unless_after.split(',').map(str::to_lowercase).collect(),
                words: words.split(' ').map(str::to_lowercase).collect(),
                instead: instead.to_owned(),
                only_in: only_in.into_iter().map(owned).collect(),
                not_in: not_in.into_iter().map(owned).collect(),
            }
        })
        .collect()
}

/// Banned words in all files, except in the files of this crate, which contain the list.
pub fn banned(files: &[SourceFile], list: &[Banned]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        if file.path.starts_with("crates/xtask/src/tidy/") {
            continue;
        }
        let here: Vec<_> = list
            .iter()
            .filter(|banned| banned.is_for(&file.path))
            .collect();
        let words = words_of(file);
        for (at, (_, line)) in words.iter().enumerate() {
            for banned in here.iter().filter(|banned| banned.stands_at(&words, at)) {
                let (words, instead) = (banned.words.join(" "), &banned.instead);
                let message = format!("\"{words}\": write {instead}");
                findings.push(Finding::at(&file.path, *line, &message));
            }
        }
    }
    findings
}

impl Banned {
    fn is_for(&self, path: &str) -> bool {
        let within = |list: &[String]| list.iter().any(|start| path.starts_with(start));
        (self.only_in.is_empty() || within(&self.only_in)) && !within(&self.not_in)
    }

    fn stands_at(&self, all: &[(String, usize)], at: usize) -> bool {
        let words = &all[at..];
        let before = at.checked_sub(1).map(|before| &all[before].0);
        if before.is_some_and(|before| self.unless_after.contains(before)) {
            return false;
        }
        let fits = |expected: &String, word: &str| match expected.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == expected,
        };
        words.len() >= self.words.len()
            && self.words.iter().zip(words).all(|(a, (b, _))| fits(a, b))
    }
}

/// All words in lower case, with their lines. Identifiers are split. Anything between two words
/// except spaces, line ends and comment marks counts as a word of its own, so that words of two
/// sentences do not seem adjacent.
fn words_of(file: &SourceFile) -> Vec<(String, usize)> {
    let mut words: Vec<(String, usize)> = Vec::new();
    for (number, line) in file.lines() {
        let text = line
            .trim_start()
            .trim_start_matches(['/', '!', '#', '>', '*']);
        words_of_line(text, number, &mut words);
    }
    words
}

fn words_of_line(text: &str, line: usize, words: &mut Vec<(String, usize)>) {
    let mut word = String::new();
    let mut was_small = false;
    for character in text.chars().chain([' ']) {
        let letter = character.is_alphanumeric();
        let hump = character.is_uppercase() && was_small;
        if (!letter || hump) && !word.is_empty() {
            words.push((std::mem::take(&mut word), line));
        }
        if letter {
            word.extend(character.to_lowercase());
        } else if !matches!(character, ' ' | '_' | '-') {
            words.push((character.to_string(), line));
        }
        was_small = character.is_lowercase() || character.is_numeric();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(list: &str, path: &str, text: &str) -> Vec<String> {
        banned(&[SourceFile::new(path, text)], &parse(list))
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    }

    #[test]
    fn words_are_found_in_prose_and_identifiers() {
        let list = "# why\nput over | overwritten\nurged* | ask for a journal page\n";
        let text = "/// It is put\n/// over. Urged.\nlet put_over = PutOver; fn is_urgent()";
        let one = |line| format!("a.rs:{line}: \"put over\": write overwritten");
        let urged = "a.rs:2: \"urged*\": write ask for a journal page".to_owned();
        assert_eq!(found(list, "a.rs", text), [one(1), urged, one(3), one(3)]);
    }

    #[test]
    fn words_of_two_sentences_do_not_follow_each_other() {
        assert_eq!(
            found("put over | x", "a.rs", "Put. Over, input over_x"),
            [""; 0]
        );
    }

    #[test]
    fn a_word_may_be_banned_in_some_places_alone() {
        let list = "slot | page | crates/drive/src/sim/ !crates/drive/src/sim/host/ docs/model.md";
        assert_eq!(
            found(list, "crates/drive/src/sim/host/a.rs", "slot"),
            [""; 0]
        );
        assert_eq!(
            found(list, "crates/drive/src/sim/ftl/a.rs", "SlotId").len(),
            1
        );
        assert_eq!(found(list, "docs/model.md", "a slot").len(), 1);
    }

    #[test]
    fn a_word_may_be_allowed_after_another() {
        let list = "(garbage,waste) collection | garbage collection (GC)";
        assert_eq!(
            found(list, "a.md", "garbage\ncollection, waste collection"),
            [""; 0]
        );
        assert_eq!(found(list, "a.md", "Collection, a collection").len(), 2);
    }
}
