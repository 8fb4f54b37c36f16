//! Labels and notes of runs.

use crate::EntryId;

/// Greatest number of characters in a label.
pub const LABEL_MAX: usize = 80;

/// Greatest number of characters in a note.
pub const NOTE_MAX: usize = 1000;

/// Checks a user's label of a run. It must not be a number, or `j` and a number, because the lab
/// assigns these.
///
/// # Errors
/// A message with the allowed values.
pub fn label(text: &str) -> Result<String, String> {
    let label = words(text, LABEL_MAX)?;
    match label.parse::<EntryId>() {
        Ok(_) => Err(format!("`{label}` is a number of the lab: choose a word")),
        Err(_) => Ok(label),
    }
}

/// Checks a user's note about a run.
///
/// # Errors
/// A message with the allowed values.
pub fn note(text: &str) -> Result<String, String> {
    words(text, NOTE_MAX)
}

/// Checks a typed label or note with [`label`] or [`note`]; returns `None` for an empty text, which
/// removes it.
///
/// # Errors
/// A message with the allowed values.
pub fn typed(
    text: &str,
    check: fn(&str) -> Result<String, String>,
) -> Result<Option<String>, String> {
    match text.trim().is_empty() {
        true => Ok(None),
        false => check(text).map(Some),
    }
}

fn words(text: &str, characters_max: usize) -> Result<String, String> {
    let text = text.trim();
    if text.chars().any(char::is_control) {
        return Err("it holds a line break or another control character".to_owned());
    }
    match text.chars().count() {
        0 => Err("it is empty".to_owned()),
        count if count > characters_max => Err(format!(
            "it has {count} characters; at most {characters_max} are allowed"
        )),
        _ => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_words_and_no_numbers() {
        assert_eq!(label(" cold, new ").as_deref(), Ok("cold, new"));
        assert_eq!(label(&"ä".repeat(80)).map(|label| label.len()), Ok(160));
        let long = "a".repeat(81);
        for bad in ["", " ", "3", "j3", "a\nb", "\u{1b}[31mred", &long] {
            assert!(label(bad).is_err(), "{bad:?}");
        }
        assert_eq!(note("3").as_deref(), Ok("3"));
        assert!(note(&"a".repeat(1001)).is_err());
        assert_eq!(typed(" ", label), Ok(None));
        assert_eq!(typed("3", note), Ok(Some("3".to_owned())));
        assert!(typed("3", label).is_err());
    }
}
