//! Requires the user to name a target a second time before it is destroyed: as an option, or typed
//! at a prompt.

use std::path::Path;

use crate::options::OpenOptions;
use stend_load::target::TargetError;

/// A target that will be destroyed, and the name that permits it.
pub(crate) struct Demand<'a> {
    /// Path as the user named it first.
    pub(crate) path: &'a Path,
    /// The operation: `a test destroys everything on`.
    pub(crate) what_is_done: &'a str,
    /// Kind of target: `device`.
    pub(crate) noun: &'a str,
    /// Kind of name: `serial number`.
    pub(crate) name: &'a str,
    /// The name itself.
    pub(crate) token: &'a str,
}

impl Demand<'_> {
    /// Returns if the options contain the name; else shows `table`, the data that will be lost, and
    /// asks.
    ///
    /// # Errors
    /// [`TargetError::Refused`] with the table and the required option.
    pub(crate) fn consent(
        &self,
        options: &OpenOptions,
        table: impl FnOnce() -> String,
    ) -> Result<(), TargetError> {
        let given = &options.destroy;
        if given.iter().any(|name| name.trim() == self.token) {
            return Ok(());
        }
        let path = self.path.display();
        let (noun, name, token) = (self.noun, self.name, quoted(self.token));
        let mut text = format!("{path}: {} this {noun}.\n", self.what_is_done);
        for given in given {
            text.push_str(&format!(
                "--destroy {} does not name it: is it another {noun} that you mean?\n",
                quoted(given.trim())
            ));
        }
        text.push_str(&table());
        let Some(ask) = options.ask.filter(|_| given.is_empty()) else {
            text.push_str(&format!(
                "If all of it may be lost, repeat the command with the {noun}'s {name}: \
                 --destroy {token}"
            ));
            return Err(TargetError::Refused(text));
        };
        text.push_str(&format!(
            "If all of it may be lost, type the {noun}'s {name}, {token}: "
        ));
        let refused = |what: &str| Err(TargetError::Refused(format!("{path}: {what}")));
        match ask(&text) {
            Some(typed) if typed == self.token => Ok(()),
            Some(typed) => refused(&format!(
                "{} was typed, which does not name the {noun}: nothing is touched",
                quoted(&typed)
            )),
            None => refused("nothing was typed: nothing is touched"),
        }
    }
}

/// A row of the table.
pub(crate) fn row(name: &str, value: &str) -> String {
    format!("  {name:<16}{value}\n")
}

/// Quotes a word for a shell where it needs it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.:/@+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_blanks_are_quoted() {
        assert_eq!(quoted("S251-NX"), "S251-NX");
        assert_eq!(quoted("A B"), "'A B'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
