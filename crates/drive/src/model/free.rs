//! Figures that may be fitted: `free = [lowest, highest]` beside a figure's value says that no
//! source tells it closer than that. In a list each entry is a figure of its own, with the same
//! bounds.

use toml_edit::{Document, DocumentMut, Item, TableLike, Value as TomlValue};

use super::check::Problem;
use super::line_of;
use super::parts::Files;

/// A figure that may be fitted within bounds. What stands in a part is one figure of all drives
/// that include it: same file, table, key and index, same figure.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeFigure {
    /// The file in which it stands, as [`super::ModelFile::name`].
    pub file: String,
    /// Its table.
    pub table: String,
    /// Its key.
    pub key: String,
    /// Place in the list, from 0, if it is one of a list.
    pub index: Option<usize>,
    /// Its value, in the unit that ends its key.
    pub value: f64,
    /// The lowest and the highest value that it may take.
    pub bounds: [f64; 2],
    /// Whether it is written as a whole number, and must be one.
    pub whole: bool,
}

/// Whole numbers up to here have a floating-point number of their own.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// A value for a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct NewValue<'a> {
    /// Its table.
    pub table: &'a str,
    /// Its key.
    pub key: &'a str,
    /// Place in the list, from 0, if it is one of a list.
    pub index: Option<usize>,
    /// The value.
    pub value: f64,
}

/// A value that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The text is no TOML.
    #[error("the file cannot be read: {0}")]
    Broken(String),
    /// There is no such figure, or it is no number.
    #[error("{0}: the file has no such number with its source")]
    Missing(String),
    /// The value is infinite or no number, or the figure is whole and the value is not.
    #[error("{0}: {1} is not allowed; it must be finite, and whole where the figure is")]
    NotAllowed(String, String),
}

impl Files {
    /// The figures that may be fitted, in the order of the model's text.
    pub fn free(&self) -> Vec<FreeFigure> {
        let mut figures = Vec::new();
        look(&self.resolved.text, &mut |found| {
            let (lowest, highest) = found.bounds.unwrap_or_default();
            for (index, value) in &found.values {
                figures.push(FreeFigure {
                    file: self.place(found.line).0.to_owned(),
                    table: found.table.to_owned(),
                    key: found.key.to_owned(),
                    index: *index,
                    value: number(value).unwrap_or_default(),
                    bounds: [lowest, highest],
                    whole: value.is_integer(),
                });
            }
        });
        figures
    }
}

/// What is wrong with the free figures of a resolved text.
pub(super) fn problems(text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    look(text, &mut |found| {
        let mut report = |message: String| {
            problems.push(Problem {
                line: found.line,
                key: format!("{}.{}", found.table, found.key).into(),
                message,
            });
        };
        if found.in_list {
            return report("what stands in a list of tables cannot be free".to_owned());
        }
        let Some((lowest, highest)) = found.bounds else {
            return report("free is [lowest, highest], two finite numbers in order".to_owned());
        };
        if found.values.iter().any(|(_, v)| number(v).is_none()) {
            return report("only numbers can be free".to_owned());
        }
        for value in found.values.iter().filter_map(|(_, v)| number(v)) {
            if !(lowest..=highest).contains(&value) {
                report(format!(
                    "{value} lies outside of free = [{lowest}, {highest}]"
                ));
            }
        }
    });
    problems
}

/// A figure with the key `free`.
struct Found<'a> {
    table: &'a str,
    key: &'a str,
    /// Line, from 1.
    line: usize,
    /// Whether its table is one of a list.
    in_list: bool,
    /// `None` if they are not two finite numbers in order.
    bounds: Option<(f64, f64)>,
    /// Its value or values.
    values: Vec<(Option<usize>, &'a TomlValue)>,
}

/// Calls `each` with every figure of `text` that has the key `free`.
fn look(text: &str, each: &mut dyn FnMut(Found<'_>)) {
    // Most drives of users have none: one look spares the parsing.
    if !text.contains("free") {
        return;
    }
    let Ok(document) = Document::parse(text) else {
        return;
    };
    for (name, item) in document.iter() {
        if let Some(table) = item.as_table_like() {
            look_at_table(text, name, table, false, each);
        }
        let list = item.as_array_of_tables().into_iter().flatten();
        list.for_each(|table| look_at_table(text, name, table, true, each));
    }
}

fn look_at_table(
    text: &str,
    name: &str,
    table: &dyn TableLike,
    in_list: bool,
    each: &mut dyn FnMut(Found<'_>),
) {
    for (key, item) in table.iter() {
        let list = item.as_array_of_tables().into_iter().flatten();
        list.for_each(|inner| look_at_table(text, &format!("{name}.{key}"), inner, true, each));
        let Some(figure) = item.as_table_like() else {
            continue;
        };
        let (Some(free), Some(value)) = (figure.get("free"), figure.get("value")) else {
            continue;
        };
        let span = table.key(key).and_then(toml_edit::Key::span);
        each(Found {
            table: name,
            key,
            line: line_of(text, span.map_or(0, |span| span.start)),
            in_list,
            bounds: bounds(free),
            values: values(value),
        });
    }
}

fn bounds(free: &Item) -> Option<(f64, f64)> {
    let list: Vec<f64> = free.as_array()?.iter().filter_map(number).collect();
    let [lowest, highest] = list[..] else {
        return None;
    };
    (lowest <= highest).then_some((lowest, highest))
}

fn values(value: &Item) -> Vec<(Option<usize>, &TomlValue)> {
    match value.as_value() {
        Some(TomlValue::Array(list)) => list
            .iter()
            .enumerate()
            .map(|(index, value)| (Some(index), value))
            .collect(),
        Some(value) => vec![(None, value)],
        None => Vec::new(),
    }
}

/// A finite number.
fn number(value: &TomlValue) -> Option<f64> {
    let number = match value {
        TomlValue::Integer(whole) => *whole.value() as f64,
        TomlValue::Float(float) => *float.value(),
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// The text of a drive file or part with other values, whose source becomes `source`; all else
/// stays as it is written.
///
/// # Errors
/// [`WriteError`].
pub fn write_values(
    text: &str,
    values: &[NewValue<'_>],
    source: &str,
) -> Result<String, WriteError> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| WriteError::Broken(error.to_string()))?;
    for new in values {
        let name = || match new.index {
            Some(index) => format!("{}.{}[{index}]", new.table, new.key),
            None => format!("{}.{}", new.table, new.key),
        };
        let figure = document
            .get_mut(new.table)
            .and_then(|table| table.as_table_like_mut()?.get_mut(new.key))
            .and_then(Item::as_table_like_mut)
            .ok_or_else(|| WriteError::Missing(name()))?;
        let old = figure
            .get_mut("value")
            .and_then(Item::as_value_mut)
            .and_then(|value| match (new.index, value) {
                (None, value) => Some(value),
                (Some(index), TomlValue::Array(list)) => list.get_mut(index),
                (Some(_), _) => None,
            })
            .ok_or_else(|| WriteError::Missing(name()))?;
        put(old, new.value, &name)?;
        let told = figure
            .get_mut("source")
            .and_then(Item::as_value_mut)
            .ok_or_else(|| WriteError::Missing(name()))?;
        replace(told, TomlValue::from(source));
    }
    Ok(document.to_string())
}

/// Puts a number in place of one of the same kind.
fn put(old: &mut TomlValue, value: f64, name: &dyn Fn() -> String) -> Result<(), WriteError> {
    let whole = old.is_integer();
    if !value.is_finite() || (whole && (value.fract() != 0.0 || value.abs() > WHOLE_MAX)) {
        return Err(WriteError::NotAllowed(name(), value.to_string()));
    }
    let new = match old {
        TomlValue::Integer(_) => TomlValue::from(value as i64),
        TomlValue::Float(_) => TomlValue::from(value),
        _ => return Err(WriteError::Missing(name())),
    };
    replace(old, new);
    Ok(())
}

/// Puts a value in place of another, with the space around it.
fn replace(old: &mut TomlValue, mut new: TomlValue) {
    *new.decor_mut() = old.decor().clone();
    *old = new;
}
