//! Translates the English texts in a review to the language of the page.
//!
//! A review is the same in every language of its page, so titles, conditions and warnings are
//! stored as they were written. For another language their message is found by the English text:
//! the arguments of the English message are extracted from it, and their figures and units
//! converted. A text without a message, such as one of a user's own edition, stays unchanged.

use std::collections::HashMap;
use std::sync::LazyLock;

use fluent_bundle::FluentArgs;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, PatternElement};
use fluent_syntax::parser::parse;

use crate::bundle::{RECORDED, formatted_message};
use crate::figures::{is_unit, numeral, unit};
use crate::tag::{Language, current};

/// An English message split at its arguments: the text before each argument with its name, and the
/// text after the last.
struct Template {
    id: String,
    parts: Vec<(String, String)>,
    rest: String,
}

/// Prefix of messages for parts of lists, which are not complete texts.
const PIECE: &str = "rec-piece-";

/// Messages without arguments by their English text, and those with arguments, most text first.
#[derive(Default)]
struct Templates {
    whole: HashMap<String, String>,
    open: Vec<Template>,
    /// Messages only for parts of lists.
    pieces: Vec<Template>,
}

static TEMPLATES: LazyLock<Templates> = LazyLock::new(Templates::read);

impl Templates {
    fn read() -> Templates {
        let resource = parse(RECORDED[Language::English as usize]).expect("its bundle was read");
        let mut templates = Templates::default();
        for entry in resource.body {
            let Entry::Message(message) = entry else {
                continue;
            };
            let elements = message.value.map(|pattern| pattern.elements);
            let template = Template::of(message.id.name, &elements.unwrap_or_default());
            match template.parts.is_empty() {
                true => drop(templates.whole.insert(template.rest, template.id)),
                false if template.id.starts_with(PIECE) => templates.pieces.push(template),
                false => templates.open.push(template),
            }
        }
        for list in [&mut templates.open, &mut templates.pieces] {
            list.sort_by_key(|t| std::cmp::Reverse(t.letters()));
        }
        templates
    }
}

impl Template {
    fn of(id: &str, elements: &[PatternElement<&str>]) -> Template {
        let mut parts = Vec::new();
        let mut rest = String::new();
        for element in elements {
            match element {
                PatternElement::TextElement { value } => rest += &value.replace('\n', " "),
                PatternElement::Placeable { expression } => match expression {
                    Expression::Inline(InlineExpression::VariableReference { id: name }) => {
                        parts.push((std::mem::take(&mut rest), name.name.to_owned()));
                    }
                    Expression::Inline(InlineExpression::StringLiteral { value }) => {
                        rest += value;
                    }
                    _ => panic!("`{id}`: recorded texts have plain arguments alone"),
                },
            }
        }
        Template {
            id: id.to_owned(),
            parts,
            rest,
        }
    }

    fn letters(&self) -> usize {
        self.rest.len() + self.parts.iter().map(|(text, _)| text.len()).sum::<usize>()
    }

    /// Returns the arguments if the text matches this message. Each ends at the first occurrence of
    /// the text after it.
    fn matched<'t>(&self, text: &'t str) -> Option<Vec<(&str, &'t str)>> {
        let mut left = text.strip_prefix(self.parts[0].0.as_str())?;
        let mut found = Vec::new();
        for (at, (_, name)) in self.parts.iter().enumerate() {
            let (value, behind) = match self.parts.get(at + 1) {
                Some((before, _)) => left.split_once(before.as_str())?,
                None => (left.strip_suffix(self.rest.as_str())?, ""),
            };
            if value.is_empty() {
                return None;
            }
            found.push((name.as_str(), value));
            left = behind;
        }
        Some(found)
    }
}

/// Translates a text of a review to the current language.
pub fn recorded(english: &str) -> String {
    let language = current();
    if language == Language::English {
        return english.to_owned();
    }
    translated(language, english).unwrap_or_else(|| english.to_owned())
}

/// Translates a name that consists of parts, such as that of a job, to the current language: `4K:
/// random read, 4 KiB, queue depth 32, pass 1 of 5`.
pub fn recorded_parts(english: &str) -> String {
    let language = current();
    if language == Language::English {
        return english.to_owned();
    }
    translated(language, english).unwrap_or_else(|| parts(language, english))
}

fn translated(language: Language, english: &str) -> Option<String> {
    if let Some(id) = TEMPLATES.whole.get(english) {
        return Some(formatted_message(language, id, &FluentArgs::new()));
    }
    first_of(&TEMPLATES.open, language, english)
}

fn first_of(templates: &[Template], language: Language, english: &str) -> Option<String> {
    templates.iter().find_map(|template| {
        let found = template.matched(english)?;
        let mut args = FluentArgs::new();
        for (name, value) in found {
            let number = value.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            match value.parse::<f64>().ok().filter(|_| number) {
                Some(number) => args.set(name.to_owned(), number),
                // An argument may itself be a text with a message, or a list of them.
                None => {
                    let text = translated(language, value);
                    let text = text.unwrap_or_else(|| parts(language, value));
                    args.set(name.to_owned(), text);
                }
            }
        }
        Some(formatted_message(language, &template.id, &args))
    })
}

/// Translates each part of a list; in a part without a message, only the figures.
fn parts(language: Language, english: &str) -> String {
    for separator in ["; ", ": ", ", "] {
        if english.contains(separator) {
            let all = english.split(separator).map(|part| parts(language, part));
            return all.collect::<Vec<_>>().join(separator);
        }
    }
    translated(language, english)
        .or_else(|| first_of(&TEMPLATES.pieces, language, english))
        .unwrap_or_else(|| with_figures(english))
}

/// Converts the figures with units in a text to the language: `3 min` becomes `3 мин`. They may be
/// a list: `[0.5, 70] µs`.
fn with_figures(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut figure_before = false;
    for word in text.split(' ') {
        let bare = word.trim_end_matches([',', '.', ';', ':', ')', ']']);
        let digits = bare.trim_start_matches(['(', '[', '−', '-', '+', '±']);
        let figure = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits
                .chars()
                .all(|c| c.is_ascii_digit() || c == '.' || c == ',');
        let end = &word[bare.len()..];
        out.push(match (figure, figure_before && is_unit(bare)) {
            (true, _) => numeral(bare) + end,
            (_, true) => unit(bare) + end,
            _ => word.to_owned(),
        });
        figure_before = figure && matches!(end, "" | "]");
    }
    out.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tag::within;

    #[test]
    fn figures_in_a_text_are_those_of_the_language() {
        let said = within(Language::Russian, || with_figures("1,000.5 MB/s (3 min)"));
        assert_eq!(said, "1\u{202f}000,5 МБ/с (3 мин)");
        for (english, russian) in [
            ("5.76 GB", "5,76 ГБ"),
            ("[0.5, 70] µs", "[0,5, 70] мкс"),
            ("2.5 mW", "2,5 мВт"),
            ("1 years", "1 год"),
            ("10 days", "10 дней"),
            ("greedy", "greedy"),
        ] {
            let said = within(Language::Russian, || recorded_parts(english));
            assert_eq!(said, russian);
        }
    }

    #[test]
    fn a_name_of_a_job_begins_with_that_of_its_curve() {
        let load = "random write, 4 KiB, queue depth 1";
        for (curve, russian) in [
            ("after idle", "после простоя"),
            ("after TRIM", "после TRIM"),
            ("after 30 s", "после отдыха 30 с"),
        ] {
            let name = format!("{curve}: {load}");
            let said = within(Language::Russian, || recorded_parts(&name));
            assert_eq!(
                said,
                format!("{russian}: случайная запись, 4 КиБ, глубина очереди 1")
            );
        }
    }

    #[test]
    fn arguments_stand_between_texts() {
        let template = Template {
            id: "x".into(),
            parts: vec![("After ".into(), "a".into()), (" of ".into(), "b".into())],
            rest: ".".into(),
        };
        let found = template.matched("After 2 h of rest of all.");
        assert_eq!(found, Some(vec![("a", "2 h"), ("b", "rest of all")]));
        assert_eq!(template.matched("After 2 h of rest"), None);
        assert_eq!(template.matched("Before 2 h of rest."), None);
    }
}
