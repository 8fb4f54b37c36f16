//! The languages of the report: its texts, one message each, and the format of figures.
//!
//! Messages are in Project Fluent's format, a folder for each language (`texts/en`, `texts/ru`),
//! and part of the program. [`text!`] returns one in the current language; [`within`] sets that for
//! the duration of a call, so that code between the page and its texts need not pass a language on.
//! Outside of any such call it is English, in which reviews are stored.
//!
//! A review stores the ids of its texts (titles of tests, conditions, warnings) with their
//! arguments: a [`Text`], which [`recorded!`] creates and which is displayed in the current
//! language.

mod argument;
mod bundle;
mod figures;
mod message;
mod number;
mod recorded;
mod tag;

pub use argument::Argument;
pub use figures::{bound, counted, is_unit, numeral, quoted, unit};
pub use message::{message, say};
pub use number::{MISSING, fixed, grouped, number, plain, significant, whole};
pub use recorded::{Arg, List, Message, Text};
pub use tag::{Language, current, within};

/// Returns a message in the current language: `text!("rounds-written", rounds = 8, bytes = text)`.
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

/// Creates a [`Text`] of a message in `recorded.ftl`, whose ids begin with `rec-` there:
/// `recorded!("piece-threads", threads = 4_u32)`. Arguments are texts, and counts by which a
/// message may choose a plural.
#[macro_export]
macro_rules! recorded {
    ($id:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::Text::of(
            $id,
            vec![$((stringify!($name), $crate::Arg::from($value))),*],
        )
    };
}
