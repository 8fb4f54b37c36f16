//! Texts in a review: the id of a message with its arguments, from which the words follow in any
//! language.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use fluent_bundle::{FluentArgs, FluentValue};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::bundle::{arguments, formatted_message, has_message};
use crate::figures::with_figures;
use crate::tag::{Language, current, within};

/// Prefix of these messages in `recorded.ftl`.
const PREFIX: &str = "rec-";

/// A text of a review: of a condition, a warning, a title. Displayed in the current language.
///
/// As JSON, a message is an object of its `id`, its `args` and its English `text`, which is for
/// people; words are a string.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Raw")]
pub enum Text {
    /// Words that the program did not choose: a name, a number, a text of a user's edition. The
    /// same in every language, except for figures with units in an argument.
    Words(String),
    /// A message of the program.
    Message(Message),
    /// Several texts, with a separator between them.
    List(List),
}

/// A message of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    id: Cow<'static, str>,
    args: BTreeMap<Cow<'static, str>, Arg>,
}

/// Several texts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct List {
    list: Vec<Text>,
    separator: Cow<'static, str>,
}

/// An argument of a message in a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a text, a message or a count")]
pub enum Arg {
    /// A count, by which a message may choose a plural.
    Count(u64),
    /// A text.
    Text(Text),
}

/// The forms of a text in JSON and TOML.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a text, or a message with `id` and `args`"
)]
enum Raw {
    Words(String),
    Message(RawMessage),
    List(List),
}

#[derive(Deserialize)]
struct RawMessage {
    id: String,
    #[serde(default)]
    args: BTreeMap<String, Arg>,
    text: Option<String>,
}

impl TryFrom<Raw> for Text {
    type Error = String;

    /// A message that this program does not have, as of a newer one, becomes its English text.
    fn try_from(raw: Raw) -> Result<Text, String> {
        let of = match raw {
            Raw::Words(words) => return Ok(Text::Words(words)),
            Raw::List(list) => return Ok(Text::List(list)),
            Raw::Message(of) => of,
        };
        let message = Message {
            args: of.args.into_iter().map(|(k, v)| (k.into(), v)).collect(),
            id: of.id.into(),
        };
        match (message.check(), of.text) {
            (Ok(()), _) => Ok(Text::Message(message)),
            (Err(_), Some(text)) => Ok(Text::Words(text)),
            (Err(wrong), None) => Err(wrong),
        }
    }
}

fn key(id: &str) -> String {
    format!("{PREFIX}{id}")
}

impl Text {
    /// Creates a message; [`recorded!`](crate::recorded!) is the short form.
    pub fn of(id: impl Into<Cow<'static, str>>, args: Vec<(&'static str, Arg)>) -> Text {
        let args = args.into_iter().map(|(name, arg)| (name.into(), arg));
        Text::Message(Message {
            id: id.into(),
            args: args.collect(),
        })
    }

    /// Text for something that has a name of a kind, such as a curve: `Text::named("curve", "after
    /// idle")` is the message `rec-curve-after-idle`. Without such a message, as of a user's
    /// edition, it is the name.
    pub fn named(kind: &str, name: &str) -> Text {
        let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let id = format!("{kind}-{}", words.join("-").to_ascii_lowercase());
        match has_message(&key(&id)) {
            true => Text::of(id, Vec::new()),
            false => Text::from(name),
        }
    }

    /// The message with one more argument; other texts stay as they are.
    #[must_use]
    pub fn with(mut self, name: &'static str, arg: impl Into<Arg>) -> Text {
        if let Text::Message(message) = &mut self {
            message.args.insert(name.into(), arg.into());
        }
        self
    }

    /// Joins texts with a separator; a single one stays as it is.
    pub fn list(separator: &'static str, list: impl IntoIterator<Item = Text>) -> Text {
        let mut list: Vec<Text> = list.into_iter().collect();
        match list.len() {
            1 => list.remove(0),
            _ => Text::List(List {
                list,
                separator: separator.into(),
            }),
        }
    }

    /// Id of the message; `None` for other texts.
    pub fn id(&self) -> Option<&str> {
        match self {
            Text::Message(message) => Some(&message.id),
            _ => None,
        }
    }

    /// An argument of the message.
    pub fn arg(&self, name: &str) -> Option<&Arg> {
        match self {
            Text::Message(message) => message.args.get(name),
            _ => None,
        }
    }

    /// The texts of a list; a text that is no list is the only one.
    pub fn items(&self) -> &[Text] {
        match self {
            Text::List(list) => &list.list,
            other => std::slice::from_ref(other),
        }
    }

    /// The same text with other words, in its arguments too.
    #[must_use]
    pub fn map_words(self, new: &mut dyn FnMut(String) -> String) -> Text {
        match self {
            Text::Words(words) => Text::Words(new(words)),
            Text::Message(Message { id, args }) => {
                let args = args.into_iter().map(|(name, arg)| match arg {
                    Arg::Count(count) => (name, Arg::Count(count)),
                    Arg::Text(text) => (name, Arg::Text(text.map_words(new))),
                });
                let args = args.collect();
                Text::Message(Message { id, args })
            }
            Text::List(List { list, separator }) => {
                let list = list.into_iter().map(|text| text.map_words(new)).collect();
                Text::List(List { list, separator })
            }
        }
    }

    /// The text in English.
    pub fn in_english(&self) -> String {
        within(Language::English, || self.to_string())
    }

    /// True if there is nothing to read.
    pub fn is_empty(&self) -> bool {
        match self {
            Text::Words(words) => words.is_empty(),
            Text::Message(_) => false,
            Text::List(list) => list.list.is_empty(),
        }
    }

    /// The text inside another.
    fn inside(&self) -> String {
        match self {
            Text::Words(words) if current() == Language::English => words.clone(),
            Text::Words(words) => with_figures(words),
            other => other.to_string(),
        }
    }
}

impl Default for Text {
    fn default() -> Text {
        Text::Words(String::new())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Text::Words(words) => f.write_str(words),
            Text::Message(message) => f.write_str(&message.words()),
            Text::List(list) => {
                let words: Vec<String> = list.list.iter().map(Text::inside).collect();
                f.write_str(&words.join(&list.separator))
            }
        }
    }
}

impl Message {
    /// Checks that the program has the message, and that it has all arguments.
    fn check(&self) -> Result<(), String> {
        match arguments(&key(&self.id)) {
            None => Err(format!("there is no message `{}`", self.id)),
            Some(all) => match all
                .iter()
                .find(|name| !self.args.contains_key(name.as_str()))
            {
                Some(missing) => Err(format!(
                    "the message `{}` needs the argument `{missing}`",
                    self.id
                )),
                None => Ok(()),
            },
        }
    }

    fn words(&self) -> String {
        let mut args = FluentArgs::new();
        for (name, arg) in &self.args {
            let value = match arg {
                Arg::Count(count) => FluentValue::from(*count as f64),
                Arg::Text(text) => FluentValue::from(text.inside()),
            };
            args.set(name.clone(), value);
        }
        formatted_message(current(), &key(&self.id), &args)
    }
}

impl Arg {
    /// The count; `None` for a text.
    pub fn count(&self) -> Option<u64> {
        match self {
            Arg::Count(count) => Some(*count),
            Arg::Text(_) => None,
        }
    }

    /// The text; `None` for a count.
    pub fn text(&self) -> Option<&Text> {
        match self {
            Arg::Count(_) => None,
            Arg::Text(text) => Some(text),
        }
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut object = match self {
            Text::Words(words) => return to.serialize_str(words),
            _ => to.serialize_map(None)?,
        };
        match self {
            Text::Words(_) => {}
            Text::Message(message) => {
                object.serialize_entry("id", &message.id)?;
                if !message.args.is_empty() {
                    object.serialize_entry("args", &message.args)?;
                }
            }
            Text::List(list) => {
                object.serialize_entry("list", &list.list)?;
                object.serialize_entry("separator", &list.separator)?;
            }
        }
        object.serialize_entry("text", &self.in_english())?;
        object.end()
    }
}

impl From<String> for Text {
    fn from(words: String) -> Text {
        Text::Words(words)
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Text {
        Text::Words(words.to_owned())
    }
}

impl From<u32> for Arg {
    fn from(count: u32) -> Arg {
        Arg::Count(count.into())
    }
}

impl From<u64> for Arg {
    fn from(count: u64) -> Arg {
        Arg::Count(count)
    }
}

impl From<usize> for Arg {
    fn from(count: usize) -> Arg {
        Arg::Count(count as u64)
    }
}

impl<T: Into<Text>> From<T> for Arg {
    fn from(text: T) -> Arg {
        Arg::Text(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded;

    fn russian(text: &Text) -> String {
        within(Language::Russian, || text.to_string())
    }

    #[test]
    fn words_follow_from_ids_in_each_language() {
        let load = Text::list(
            ", ",
            [
                recorded!("piece-random-read"),
                "4 KiB".into(),
                recorded!("piece-threads", threads = 2_u32),
            ],
        );
        assert_eq!(load.in_english(), "random read, 4 KiB, 2 threads");
        assert_eq!(russian(&load), "случайное чтение, 4 КиБ, 2 потока");
        let named = recorded!(
            "named",
            name = Text::named("curve", "after idle"),
            what = load
        );
        let english = "after idle: random read, 4 KiB, 2 threads";
        assert_eq!(named.in_english(), english);
        assert!(russian(&named).starts_with("после простоя: случайное чтение"));
        assert_eq!(
            Text::named("curve", "my own, 3 min"),
            Text::from("my own, 3 min")
        );
        assert_eq!(russian(&"my own, 3 min".into()), "my own, 3 min");
    }

    #[test]
    fn json_has_ids_arguments_and_the_english_text() {
        let text = recorded!("piece-threads", threads = 2_u32);
        let json = r#"{"id":"piece-threads","args":{"threads":2},"text":"2 threads"}"#;
        assert_eq!(serde_json::to_string(&text).unwrap(), json);
        let read = |json: &str| serde_json::from_str::<Text>(json);
        assert_eq!(read(json).unwrap(), text);
        let list = Text::list("; ", [text.clone(), "4 KiB".into()]);
        let json = serde_json::to_string(&list).unwrap();
        assert_eq!(read(&json).unwrap(), list);
        assert_eq!(read("\"4 KiB\"").unwrap(), "4 KiB".into());
        // A message of a newer program is its English text.
        let newer = r#"{"id":"of-tomorrow","args":{"a":1},"text":"as told"}"#;
        assert_eq!(read(newer).unwrap(), "as told".into());
        for (wrong, told) in [
            (r#"{"id":"of-tomorrow"}"#, "no message `of-tomorrow`"),
            (r#"{"id":"piece-threads"}"#, "needs the argument `threads`"),
        ] {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
