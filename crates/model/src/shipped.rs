//! The shipped models, as listed by `build.rs`.

/// A file built into the program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// A model's name, as typed; a part's name, as in the `include` of a drive file.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Greatest number of names that [`unknown_model`] suggests.
const SUGGESTED_MAX: usize = 3;

/// Message about a name that no shipped model has, with the names that resemble it.
pub fn unknown_model(name: &str) -> String {
    let meant = meant(name, SHIPPED.iter().map(|shipped| shipped.name));
    let all = SHIPPED.len();
    format!("there is no drive model `{name}`; {meant}`stend drives` lists all {all}")
}

/// Formats the names that resemble another one, as a question that ends with a space; empty for
/// none.
pub fn meant<'n>(name: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    let near = resembling(name, names);
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    match near.split_last() {
        None => String::new(),
        Some((one, [])) => format!("did you mean {one}? "),
        Some((last, others)) => format!("did you mean {} or {last}? ", others.join(", ")),
    }
}

/// Names that share the most words with another, or differ from it by a third of its letters at
/// most; the nearest first.
fn resembling<'n>(name: &str, names: impl Iterator<Item = &'n str> + Clone) -> Vec<&'n str> {
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    let common = |other: &str| other.split('-').filter(|w| words.contains(w)).count();
    let distance = |other: &str| strsim::damerau_levenshtein(name, other);
    let all = || names.clone();
    let most = all().map(common).max().unwrap_or(0);
    let is_near = |other: &&str| match most {
        0 => distance(other) * 3 <= name.chars().count(),
        most => common(other) == most,
    };
    let mut near: Vec<&str> = all().filter(is_near).collect();
    near.sort_by_key(|other| distance(other));
    near.truncate(SUGGESTED_MAX);
    near
}

include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_suggested_by_words_and_by_letters() {
        let resembling = |name| resembling(name, SHIPPED.iter().map(|shipped| shipped.name));
        assert_eq!(resembling("samsung-850-pro")[0], "samsung-850-pro-256gb");
        assert_eq!(resembling("demo-9gb"), ["demo-8gb"]);
        assert_eq!(resembling("demo8gb"), ["demo-8gb"]);
        assert_eq!(resembling("nosuch"), [""; 0]);
        assert_eq!(resembling(""), [""; 0]);
        let message = unknown_model("samsung-840");
        let expected = "there is no drive model `samsung-840`; did you mean `samsung-840-";
        assert!(message.starts_with(expected), "{message}");
        assert!(
            message.ends_with("? `stend drives` lists all 38"),
            "{message}"
        );
        let message = unknown_model("nosuch");
        assert!(
            message.ends_with("`nosuch`; `stend drives` lists all 38"),
            "{message}"
        );
    }
}
