//! The languages of the report: its texts, one message each, and how a language writes figures.
//!
//! Messages are in Project Fluent's format, a folder for each language (`texts/en`, `texts/ru`),
//! and part of the program. [`text!`] says one in the language of the page that is being written;
//! [`within`] sets it for the time of a call, so that what lies between the page and its texts need
//! not hand a language on. Outside of any such call it is English, in which reviews are kept.
//!
//! What a review keeps in English (titles of tests, conditions, warnings) is said in another
//! language by [`recorded()`], which finds its message by the English text.

mod argument;
mod bundle;
mod figures;
mod recorded;

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

pub use argument::Argument;
pub use figures::{bound, is_unit, numeral, quoted, unit};
pub use recorded::{recorded, recorded_parts};

/// A language of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English, in which reviews are kept.
    #[default]
    English,
    /// Russian.
    Russian,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 2] = [Language::English, Language::Russian];

    /// Its tag after BCP 47: `en`, `ru`.
    pub const fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Russian => "ru",
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

    /// From its tag.
    fn from_str(tag: &str) -> Result<Language, String> {
        let found = Language::ALL.into_iter().find(|one| one.tag() == tag);
        found.ok_or_else(|| {
            let tags = Language::ALL.map(Language::tag).join(", ");
            format!("`{tag}` is no language of the report; there are: {tags}")
        })
    }
}

thread_local! {
    static CURRENT: Cell<Language> = const { Cell::new(Language::English) };
}

/// The language in which this thread says texts and figures.
pub fn current() -> Language {
    CURRENT.get()
}

/// Does something, on this thread, in a language.
pub fn within<T>(language: Language, work: impl FnOnce() -> T) -> T {
    // The former one is set again whichever way the work ends.
    struct Back(Language);
    impl Drop for Back {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _back = Back(CURRENT.replace(language));
    work()
}

/// A message by its id, without arguments, in the current language.
pub fn say(id: &str) -> String {
    bundle::message(current(), id, &[])
}

/// A message by its id, in the current language; [`text!`] is the short way.
///
/// # Panics
/// In builds with debug assertions, of an id that no message has, and of arguments that the message
/// asks for and does not get. In others the id stands in place of such a message.
pub fn message(id: &str, arguments: &[(&'static str, Argument)]) -> String {
    bundle::message(current(), id, arguments)
}

/// A message in the current language: `text!("rounds-written", rounds = 8, bytes = text)`.
/// Arguments are texts, and numbers by which a message may choose a plural.
#[macro_export]
macro_rules! text {
    ($id:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::message(
            $id,
            &[$((stringify!($name), $crate::Argument::from($value))),*],
        )
    };
}
