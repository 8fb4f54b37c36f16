//! A value of a figure, whatever its type.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use toml_edit::{Array, Value};

/// Largest value up to which an `f64` represents every whole number exactly.
pub(super) const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// A value that replaces the value of a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Real(f64),
    /// A word, such as the name of a policy.
    Text(String),
    /// A list of them.
    List(Vec<Setting>),
}

impl Setting {
    /// The setting of a TOML value; `None` for tables and dates.
    pub(crate) fn of(value: &Value) -> Option<Setting> {
        Some(match value {
            Value::Boolean(flag) => Setting::Flag(*flag.value()),
            Value::Integer(whole) => Setting::Whole(*whole.value()),
            Value::Float(real) => Setting::Real(*real.value()),
            Value::String(text) => Setting::Text(text.value().clone()),
            Value::Array(list) => {
                let list: Option<Vec<Setting>> = list.iter().map(Setting::of).collect();
                Setting::List(list?)
            }
            _ => return None,
        })
    }

    /// True if both have the same value: 4 and 4.0 do.
    pub fn is_same(&self, other: &Setting) -> bool {
        match (self, other) {
            (Setting::Whole(whole), Setting::Real(real))
            | (Setting::Real(real), Setting::Whole(whole)) => *whole as f64 == *real,
            (Setting::List(one), Setting::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.is_same(b))
            }
            (one, other) => one == other,
        }
    }

    /// The value as written in a file. A number without a fraction is written as a whole number,
    /// which every key of a number accepts.
    pub(crate) fn value(&self) -> Result<Value, String> {
        Ok(match self {
            Setting::Flag(flag) => Value::from(*flag),
            Setting::Whole(whole) => Value::from(*whole),
            Setting::Real(real) if !real.is_finite() => {
                return Err(format!("{real} is not a finite number"));
            }
            Setting::Real(real) if real.fract() == 0.0 && real.abs() <= WHOLE_MAX => {
                Value::from(*real as i64)
            }
            Setting::Real(real) => Value::from(*real),
            Setting::Text(text) => Value::from(text.as_str()),
            Setting::List(list) => {
                let list: Result<Array, String> = list.iter().map(Setting::value).collect();
                Value::from(list?)
            }
        })
    }
}

/// Parses typed text: a value as in a drive file, else a word.
impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        let text = text.trim();
        match text.parse::<Value>() {
            Ok(value) => Setting::of(&value).ok_or_else(|| {
                format!(
                    "`{text}` is not a value of a figure: a number, true, false, a word or a list"
                )
            }),
            Err(_) if text.is_empty() => Err("there is no value".to_owned()),
            Err(_) => Ok(Setting::Text(text.to_owned())),
        }
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Setting::Flag(flag) => write!(f, "{flag}"),
            Setting::Whole(whole) => write!(f, "{whole}"),
            Setting::Real(real) => write!(f, "{real}"),
            Setting::Text(text) => f.write_str(text),
            Setting::List(list) => {
                let words: Vec<String> = list.iter().map(Setting::to_string).collect();
                write!(f, "[{}]", words.join(", "))
            }
        }
    }
}
