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
mod message;
mod recorded;
mod tag;

pub use argument::Argument;
pub use figures::{bound, counted, is_unit, numeral, quoted, unit};
pub use message::{message, say};
pub use recorded::{recorded, recorded_parts};
pub use tag::{Language, current, within};

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
