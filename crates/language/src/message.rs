//! Messages in the current language.

use crate::argument::Argument;
use crate::bundle;
use crate::tag::current;

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
