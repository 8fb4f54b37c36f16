//! The languages, and the current one of this thread.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

/// A language of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English, in which reviews are stored.
    #[default]
    English,
    /// Russian.
    Russian,
}

impl Language {
    /// All languages.
    pub const ALL: [Language; 2] = [Language::English, Language::Russian];

    /// Returns its BCP 47 tag: `en`, `ru`.
    pub const fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Russian => "ru",
        }
    }

    /// Returns its name in the language itself.
    pub const fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Russian => "Русский",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

impl FromStr for Language {
    type Err = String;

    /// Parses a tag.
    fn from_str(tag: &str) -> Result<Language, String> {
        let found = Language::ALL.into_iter().find(|one| one.tag() == tag);
        found.ok_or_else(|| {
            let tags = Language::ALL.map(Language::tag).join(", ");
            format!("`{tag}` is not a language of the report; there are: {tags}")
        })
    }
}

thread_local! {
    static CURRENT: Cell<Language> = const { Cell::new(Language::English) };
}

/// Returns the language in which this thread formats texts and figures.
pub fn current() -> Language {
    CURRENT.get()
}

/// Runs `work` on this thread in a language.
pub fn within<T>(language: Language, work: impl FnOnce() -> T) -> T {
    // The former language is restored however the work ends.
    struct Back(Language);
    impl Drop for Back {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _back = Back(CURRENT.replace(language));
    work()
}

/// Converts a number from its English form to that of a language.
pub(crate) fn numeral_in(language: Language, english: &str) -> String {
    match language {
        Language::English => english.to_owned(),
        Language::Russian => english
            .chars()
            .map(|c| match c {
                ',' => '\u{202f}',
                '.' => ',',
                other => other,
            })
            .collect(),
    }
}
