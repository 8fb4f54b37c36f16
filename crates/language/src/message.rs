//! Messages in the current language.

use crate::argument::Argument;
use crate::bundle;
use crate::tag::current;

/// Returns a message without arguments by its id, in the current language.
pub fn say(id: &str) -> String {
    bundle::message(current(), id, &[])
}

/// Returns a message by its id, in the current language; [`text!`] is the short form.
///
/// # Panics
/// In builds with debug assertions, if there is no such message or one of its arguments is missing.
/// Otherwise the id replaces such a message.
pub fn message(id: &str, arguments: &[(&'static str, Argument)]) -> String {
    bundle::message(current(), id, arguments)
}
