//! Arguments of messages.

use fluent_bundle::FluentValue;

/// An argument of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A text, inserted unchanged.
    Text(String),
    /// A number, by which a message may choose a plural; in the format of the language.
    Number(f64),
}

impl Argument {
    pub(crate) fn value(&self) -> FluentValue<'_> {
        match self {
            Argument::Text(text) => FluentValue::from(text.as_str()),
            Argument::Number(number) => FluentValue::from(*number),
        }
    }
}

impl From<&str> for Argument {
    fn from(text: &str) -> Argument {
        Argument::Text(text.to_owned())
    }
}

impl From<String> for Argument {
    fn from(text: String) -> Argument {
        Argument::Text(text)
    }
}

impl From<&String> for Argument {
    fn from(text: &String) -> Argument {
        Argument::Text(text.clone())
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for Argument {
            fn from(number: $number) -> Argument {
                Argument::Number(number as f64)
            }
        })*
    };
}
numbers!(u32, u64, usize, i64, f64);
