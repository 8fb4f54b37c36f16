//! Free figures: `free = [lowest, highest]` beside a value says that no source gives it closer
//! bounds, so that it may be fitted. Each entry of a list is a figure of its own with these bounds.

use toml_edit::{DocumentMut, Item, Value as TomlValue};

/// A figure that may be fitted within bounds. A figure of a part is one figure of all drives that
/// include it: file, table, key and index identify it.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeFigure {
    /// Its file, as [`crate::model::ModelFile::name`].
    pub file: String,
    /// Its table.
    pub table: String,
    /// Its key.
    pub key: String,
    /// Index in its list, if it is in one.
    pub index: Option<usize>,
    /// Its value, in the unit that ends its key.
    pub value: f64,
    /// Where the value comes from.
    pub source: String,
    /// The lowest and the highest value that it may take.
    pub bounds: [f64; 2],
    /// Whether it is written as a whole number, and must be one.
    pub whole: bool,
    /// What a whole one must be a multiple of.
    pub multiple_of: u32,
}

/// Up to here an `f64` holds every whole number exactly.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// A new value of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct NewValue<'a> {
    /// Its table.
    pub table: &'a str,
    /// Its key.
    pub key: &'a str,
    /// Index in its list, if it is in one.
    pub index: Option<usize>,
    /// The value.
    pub value: f64,
}

/// A value that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The text is not TOML.
    #[error("the file cannot be read: {0}")]
    Broken(String),
    /// There is no such figure, or it is not a number.
    #[error("{0}: the file has no such number with its source")]
    Missing(String),
    /// The value is not finite, or the figure is a whole number and the value is not.
    #[error("{0}: {1} is not allowed; it must be finite, and whole where the figure is")]
    NotAllowed(String, String),
}

/// The free figures of a key of the resolved text, from its `free`, `value` and `source`. Their
/// file is left empty, and what they must be a multiple of is left to the key's rule.
///
/// # Errors
/// What is wrong with `free`.
pub(super) fn figures_of(
    table: &str,
    key: &str,
    free: &Item,
    value: &Item,
    source: &str,
) -> Result<Vec<FreeFigure>, String> {
    let bounds = bounds(free)?;
    let figure = |index: Option<usize>, value: &TomlValue| {
        Some(FreeFigure {
            file: String::new(),
            table: table.to_owned(),
            key: key.to_owned(),
            index,
            value: number(value)?,
            source: source.to_owned(),
            bounds,
            whole: value.is_integer(),
            multiple_of: 1,
        })
    };
    let figures: Option<Vec<_>> = match value.as_value() {
        Some(TomlValue::Array(list)) => {
            let entries = list.iter().enumerate();
            entries
                .map(|(index, value)| figure(Some(index), value))
                .collect()
        }
        Some(value) => figure(None, value).map(|figure| vec![figure]),
        None => None,
    };
    let figures = figures.ok_or("only numbers can be free")?;
    let [lowest, highest] = bounds;
    let outside = |f: &&FreeFigure| !(lowest..=highest).contains(&f.value);
    match figures.iter().find(outside) {
        Some(FreeFigure { value, .. }) => Err(format!(
            "{value} lies outside of free = [{lowest}, {highest}]"
        )),
        None => Ok(figures),
    }
}

fn bounds(free: &Item) -> Result<[f64; 2], String> {
    let list: Option<Vec<_>> = free
        .as_array()
        .map(|list| list.iter().map(number).collect());
    match list.unwrap_or_default()[..] {
        [Some(lowest), Some(highest)] if lowest <= highest => Ok([lowest, highest]),
        [_, _, ..] => Err("free is [lowest, highest], two finite numbers in order".to_owned()),
        _ => Err("free: expected two numbers: [lowest, highest]".to_owned()),
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
        let name = match new.index {
            Some(index) => format!("{}.{}[{index}]", new.table, new.key),
            None => format!("{}.{}", new.table, new.key),
        };
        let missing = || WriteError::Missing(name.clone());
        let figure = document
            .get_mut(new.table)
            .and_then(|table| table.as_table_like_mut()?.get_mut(new.key))
            .and_then(Item::as_table_like_mut)
            .ok_or_else(missing)?;
        let old = figure
            .get_mut("value")
            .and_then(Item::as_value_mut)
            .and_then(|value| match (new.index, value) {
                (None, value) => Some(value),
                (Some(index), TomlValue::Array(list)) => list.get_mut(index),
                (Some(_), _) => None,
            })
            .ok_or_else(missing)?;
        put(old, new.value, &name)?;
        let told = figure
            .get_mut("source")
            .and_then(Item::as_value_mut)
            .ok_or_else(missing)?;
        replace(told, TomlValue::from(source));
    }
    Ok(document.to_string())
}

/// Replaces a number, by a whole one if it is whole.
fn put(old: &mut TomlValue, value: f64, name: &str) -> Result<(), WriteError> {
    let whole = old.is_integer();
    if !value.is_finite() || (whole && (value.fract() != 0.0 || value.abs() > WHOLE_MAX)) {
        return Err(WriteError::NotAllowed(name.to_owned(), value.to_string()));
    }
    let new = match old {
        TomlValue::Integer(_) => TomlValue::from(value as i64),
        TomlValue::Float(_) => TomlValue::from(value),
        _ => return Err(WriteError::Missing(name.to_owned())),
    };
    replace(old, new);
    Ok(())
}

/// Replaces a value and keeps the space around it.
fn replace(old: &mut TomlValue, mut new: TomlValue) {
    *new.decor_mut() = old.decor().clone();
    *old = new;
}
