//! Free figures: `free = [lowest, highest]` beside a value means that no source has closer bounds,
//! so that the figure may be fitted. Each entry of a list is a figure of its own with these bounds.
//! `free_ratio = [lowest, highest]` means the same in multiples of the value, for a figure that is
//! not fitted: plausible versions of a drive are drawn from both.

use toml_edit::{DocumentMut, Item, TableLike, Value as TomlValue};

use super::setting::WHOLE_MAX;

/// A figure that may be fitted within bounds. A figure of a part is one figure of all drives that
/// include it: file, table, key and index identify it.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeFigure {
    /// Its file, as [`crate::ModelFile::name`].
    pub file: String,
    /// Its table.
    pub table: String,
    /// Its key.
    pub key: String,
    /// Index in its list, if it is in one.
    pub index: Option<usize>,
    /// Its value, in the unit that ends its key.
    pub value: f64,
    /// Source of the value.
    pub source: String,
    /// Lowest and highest value allowed.
    pub bounds: [f64; 2],
    /// True if it is written as a whole number, and must be one.
    pub whole: bool,
    /// True if it may be fitted: its bounds are those of `free`, not of `free_ratio`.
    pub may_be_fitted: bool,
    /// Number of which a whole figure must be a multiple.
    pub multiple_of: u32,
}

/// Beginnings of the sources of unpublished figures: plausible versions of these figures are drawn.
/// Figures that are published or derived from a rating stay unchanged.
const UNSURE: [&str; 4] = ["assumed", "remembered", "fitted", "inferred"];

impl FreeFigure {
    /// True if its value is assumed, remembered, fitted or inferred.
    pub fn is_unsure(&self) -> bool {
        UNSURE.iter().any(|word| self.source.starts_with(word))
    }
}

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
    /// Source of the value.
    pub source: &'a str,
}

/// A value that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The text is not TOML.
    #[error("the file cannot be read: {0}")]
    Broken(String),
    /// The figure does not exist, or is not a number.
    #[error("{0}: the drive file gives no number of this name with its source")]
    Missing(String),
    /// The value is not finite, or the figure is a whole number and the value is not.
    #[error("{0}: {1} is not allowed; it must be finite, and whole where the figure is")]
    NotAllowed(String, String),
}

/// Notation of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    /// `free`: the lowest and the highest value.
    Values,
    /// `free_ratio`: the same as multiples of the value.
    Ratio,
}

impl Range {
    fn key(self) -> &'static str {
        match self {
            Range::Values => "free",
            Range::Ratio => "free_ratio",
        }
    }

    /// The bounds of a value; for a whole value, whole numbers.
    fn of(self, value: f64, bounds: [f64; 2], whole: bool) -> [f64; 2] {
        let [lowest, highest] = bounds;
        match (self, whole) {
            (Range::Values, _) => bounds,
            (Range::Ratio, false) => [lowest * value, highest * value],
            (Range::Ratio, true) => [(lowest * value).ceil(), (highest * value).floor()],
        }
    }
}

/// The free figures of a key of the resolved text, from its `value` and its `free` or `free_ratio`;
/// empty if it has neither. Their file is left empty.
///
/// # Errors
/// A fault of the range.
pub(super) fn figures_of(
    table: &str,
    key: &str,
    source: &str,
    figure: &dyn TableLike,
) -> Result<Vec<FreeFigure>, String> {
    let Some(value) = figure.get("value") else {
        return Ok(Vec::new());
    };
    let (range, free) = match (figure.get("free"), figure.get("free_ratio")) {
        (None, None) => return Ok(Vec::new()),
        (Some(free), None) => (Range::Values, free),
        (None, Some(ratio)) => (Range::Ratio, ratio),
        (Some(_), Some(_)) => return Err("give free or free_ratio, not both".to_owned()),
    };
    let bounds = bounds(range, free)?;
    let figure = |index: Option<usize>, value: &TomlValue| {
        let whole = value.is_integer();
        let value = number(value)?;
        Some(FreeFigure {
            file: String::new(),
            table: table.to_owned(),
            key: key.to_owned(),
            index,
            value,
            bounds: range.of(value, bounds, whole),
            whole,
            may_be_fitted: range == Range::Values,
            source: source.to_owned(),
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
    let outside = |f: &&FreeFigure| !(f.bounds[0]..=f.bounds[1]).contains(&f.value);
    match figures.iter().find(outside) {
        Some(FreeFigure { value, bounds, .. }) => Err(format!(
            "{value} lies outside of {} = [{}, {}]",
            range.key(),
            bounds[0],
            bounds[1]
        )),
        None => Ok(figures),
    }
}

/// The values of `free` that bound a figure that is one number; empty if the range is wrong.
pub(super) fn bounds_of(figure: &dyn TableLike) -> Vec<TomlValue> {
    let is_one = |item: &Item| item.as_value().is_some_and(|value| number(value).is_some());
    let free = figure.get("free").filter(|free| {
        figure.get("value").is_some_and(is_one) && bounds(Range::Values, free).is_ok()
    });
    let list = free.and_then(Item::as_array);
    list.into_iter().flatten().cloned().collect()
}

fn bounds(range: Range, free: &Item) -> Result<[f64; 2], String> {
    let key = range.key();
    let list: Option<Vec<_>> = free
        .as_array()
        .map(|list| list.iter().map(number).collect());
    match list.unwrap_or_default()[..] {
        [Some(lowest), Some(_)] if range == Range::Ratio && lowest <= 0.0 => Err(format!(
            "{key}: {lowest} is not allowed; multiples of the value are above 0"
        )),
        [Some(lowest), Some(highest)] if lowest <= highest => Ok([lowest, highest]),
        [_, _, ..] => Err(format!(
            "{key} is [lowest, highest], two finite numbers in order"
        )),
        _ => Err(format!("{key}: expected two numbers: [lowest, highest]")),
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

/// The text of a drive file or part with other values and their sources; the rest stays as written.
///
/// # Errors
/// [`WriteError`].
pub fn write_values(text: &str, values: &[NewValue<'_>]) -> Result<String, WriteError> {
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
        replace(told, TomlValue::from(new.source));
    }
    Ok(document.to_string())
}

/// Replaces a number; a whole number must be replaced by a whole one.
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
