//! A factor and its values.

use stend_model::{Setting, check_key};
use stend_record::study::Cell;

use crate::definition::{DesignName, FactorEntry, Scale, Tree};
use crate::error::Wrong;

/// Prefix of a key that is not a figure of the drive: its values replace a word in jobs.
const JOB: &str = "job.";

/// Up to this value, an `f64` represents every whole number exactly.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// A factor.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    /// Name in the table.
    pub(crate) name: String,
    /// The word in jobs that its values replace, if it has one.
    pub(crate) word: Option<String>,
    values: Values,
}

#[derive(Clone, Debug)]
enum Values {
    List(Vec<Value>),
    Range(Range),
}

/// One value of a factor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    /// Its cell in the table.
    pub(crate) cell: Cell,
    /// The figures of the drive that it sets.
    pub(crate) settings: Vec<(String, Setting)>,
}

#[derive(Clone, Debug)]
struct Range {
    key: String,
    from: f64,
    to: f64,
    /// Number of values in a grid; 0 if values are drawn.
    steps: u32,
    scale: Scale,
    multiple_of: Option<u64>,
}

impl Factor {
    /// Creates the factor of an entry with the key path `path`.
    pub(crate) fn of(entry: &FactorEntry, design: DesignName, path: &str) -> Result<Factor, Wrong> {
        let at = |key: &str| format!("{path}.{key}");
        let word = match &entry.key {
            Some(key) => match key.strip_prefix(JOB) {
                Some(word) => Some(checked_word(word).map_err(|m| Wrong::new(at("key"), m))?),
                None => {
                    check_key(key).map_err(|m| Wrong::new(at("key"), format!("`{key}`: {m}")))?;
                    None
                }
            },
            None => None,
        };
        let name = entry.name.clone().or_else(|| entry.key.clone());
        let name = name.filter(|name| !name.trim().is_empty()).ok_or_else(|| {
            let message = "a factor has a `key`, or a `name` and tables as `values`";
            Wrong::new(path, message)
        })?;
        let is_of_range = entry.from.is_some() || entry.to.is_some() || entry.steps.is_some();
        let values = match (&entry.values, is_of_range) {
            (Some(values), false) => Values::List(list(entry, values, word.is_some(), path)?),
            (None, true) => Values::Range(Range::of(entry, design, path)?),
            _ => {
                let message = "a factor has either `values` or a range, `from` and `to`";
                return Err(Wrong::new(path, message));
            }
        };
        Ok(Factor { name, word, values })
    }

    /// Returns the number of values in a grid.
    pub(crate) fn levels(&self) -> u32 {
        match &self.values {
            Values::List(list) => list.len() as u32,
            Values::Range(range) => range.steps,
        }
    }

    /// Returns the value at a position from 0 to 1.
    pub(crate) fn at(&self, place: f64) -> Value {
        match &self.values {
            Values::List(list) => {
                let at = (place * list.len() as f64) as usize;
                list[at.min(list.len() - 1)].clone()
            }
            Values::Range(range) => range.at(place, self.word.is_some()),
        }
    }

    /// Returns a value of a range that is not a whole number, with the figure of the drive that it
    /// sets, if there is one.
    pub(crate) fn fraction(&self) -> Option<(&String, f64)> {
        let (Values::Range(range), None) = (&self.values, &self.word) else {
            return None;
        };
        // For drawn values, any will do.
        let places = range.steps.max(3);
        let places = (0..places).map(|nth| (f64::from(nth) + 0.377) / f64::from(places));
        let mut values = places.map(|place| self.at(place).cell);
        let fraction = values.find_map(|cell| match cell {
            Cell::Real(real) => Some(real),
            _ => None,
        });
        fraction.map(|real| (&range.key, real))
    }

    /// Returns the figures of the drive that any of its values sets.
    pub(crate) fn keys(&self) -> Vec<&String> {
        match (&self.values, &self.word) {
            (Values::List(values), _) => {
                let settings = values.iter().flat_map(|value| &value.settings);
                settings.map(|(key, _)| key).collect()
            }
            (Values::Range(range), None) => vec![&range.key],
            (Values::Range(_), Some(_)) => Vec::new(),
        }
    }

    /// True if its values are drawn from a range, so that all differ.
    pub(crate) fn is_drawn(&self) -> bool {
        matches!(&self.values, Values::Range(range) if range.steps == 0)
    }
}

/// Checks a word that may be used in braces.
fn checked_word(word: &str) -> Result<String, String> {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match !word.is_empty() && word.chars().all(is_of_word) {
        true => Ok(word.to_owned()),
        false => Err("`job.WORD`: the word consists of letters, digits and `_`".to_owned()),
    }
}

/// Checks that an entry can have this list of values.
fn check_list(entry: &FactorEntry, values: &[Tree], path: &str) -> Result<(), Wrong> {
    if values.is_empty() {
        return Err(Wrong::new(
            format!("{path}.values"),
            "a factor has at least one value",
        ));
    }
    if entry.multiple_of.is_some() || entry.scale != Scale::Linear {
        let message = "`scale` and `multiple_of` are for ranges";
        return Err(Wrong::new(path, message));
    }
    if let Some(labels) = &entry.labels
        && labels.len() != values.len()
    {
        let message = format!("{} labels for {} values", labels.len(), values.len());
        return Err(Wrong::new(format!("{path}.labels"), message));
    }
    Ok(())
}

fn list(
    entry: &FactorEntry,
    values: &[Tree],
    is_word: bool,
    path: &str,
) -> Result<Vec<Value>, Wrong> {
    let at = |index: usize| format!("{path}.values[{index}]");
    check_list(entry, values, path)?;
    let label = |index: usize| entry.labels.as_ref().map(|labels| labels[index].clone());
    let value = |(index, tree): (usize, &Tree)| match (tree, &entry.key) {
        (Tree::Leaf(setting), Some(key)) => {
            finite(setting).map_err(|message| Wrong::new(at(index), message))?;
            Ok(Value {
                cell: label(index).map_or_else(|| cell(setting), Cell::Text),
                settings: match is_word {
                    true => Vec::new(),
                    false => vec![(key.clone(), setting.clone())],
                },
            })
        }
        (Tree::Leaf(_), None) => {
            let message = "without `key`, each value is a table: { \"gc.policy\" = \"fifo\" }";
            Err(Wrong::new(at(index), message))
        }
        (Tree::Table(_), Some(_)) => {
            let message = "with `key`, a value is a number, a text, true or false, or a list";
            Err(Wrong::new(at(index), message))
        }
        (Tree::Table(table), None) => {
            let settings = Tree::flat(table);
            for (key, setting) in &settings {
                let checked = check_key(key).and_then(|()| finite(setting));
                checked.map_err(|m| Wrong::new(at(index), format!("`{key}`: {m}")))?;
            }
            let words = settings.iter().map(|(key, value)| format!("{key}={value}"));
            let words = || match settings.is_empty() {
                true => "as it is".to_owned(),
                false => words.collect::<Vec<_>>().join(", "),
            };
            Ok(Value {
                cell: Cell::Text(label(index).unwrap_or_else(words)),
                settings,
            })
        }
    };
    let values: Vec<Value> = values
        .iter()
        .enumerate()
        .map(value)
        .collect::<Result<_, _>>()?;
    match again(&values, is_word) {
        Some(nth) => {
            let message = "a second time: its rows would be the same again";
            Err(Wrong::new(at(nth), message))
        }
        None => Ok(values),
    }
}

/// Returns the first value that repeats an earlier one.
fn again(values: &[Value], is_word: bool) -> Option<usize> {
    let is_again = |nth: &usize| {
        let value = &values[*nth];
        values[..*nth].iter().any(|other| match is_word {
            true => other.cell == value.cell,
            false => other.settings == value.settings,
        })
    };
    (0..values.len()).find(is_again)
}

/// Checks that no value is infinite or NaN.
pub(crate) fn finite(setting: &Setting) -> Result<(), String> {
    match setting {
        Setting::Real(real) if !real.is_finite() => Err(format!("{real} is not a finite number")),
        Setting::List(list) => list.iter().try_for_each(finite),
        _ => Ok(()),
    }
}

/// Returns the table cell of a value.
fn cell(setting: &Setting) -> Cell {
    match setting {
        Setting::Flag(flag) => Cell::Flag(*flag),
        Setting::Whole(whole) => Cell::Whole(*whole),
        Setting::Real(real) => Cell::Real(*real),
        Setting::Text(text) => Cell::Text(text.clone()),
        Setting::List(_) => Cell::Text(setting.to_string()),
    }
}

impl Range {
    fn of(entry: &FactorEntry, design: DesignName, path: &str) -> Result<Range, Wrong> {
        let at = |key: &str| format!("{path}.{key}");
        let (Some(key), Some(from), Some(to)) = (&entry.key, entry.from, entry.to) else {
            return Err(Wrong::new(path, "a range has a `key`, `from` and `to`"));
        };
        if !(from.is_finite() && to.is_finite() && from < to) {
            let message =
                format!("{from} to {to} is not a range: two finite numbers, the lower first");
            return Err(Wrong::new(at("from"), message));
        }
        if entry.scale == Scale::Log && from <= 0.0 {
            return Err(Wrong::new(at("from"), "by ratios, a range begins above 0"));
        }
        if entry.labels.is_some() {
            return Err(Wrong::new(at("labels"), "labels are for `values`"));
        }
        if entry.multiple_of == Some(0) {
            return Err(Wrong::new(at("multiple_of"), "at least 1"));
        }
        let steps = match (design, entry.steps) {
            (DesignName::Grid, Some(steps @ 2..)) => steps,
            (DesignName::Grid, _) => {
                let message = "in a grid, a range has `steps`: how many values, from 2, both ends \
                               among them";
                return Err(Wrong::new(path, message));
            }
            (_, Some(_)) => {
                let message = "`steps` is for grids; a random design draws from the whole range";
                return Err(Wrong::new(at("steps"), message));
            }
            (_, None) => 0,
        };
        let range = Range {
            key: key.clone(),
            from,
            to,
            steps,
            scale: entry.scale,
            multiple_of: entry.multiple_of,
        };
        range
            .check_multiples()
            .map_err(|m| Wrong::new(at("multiple_of"), m))?;
        Ok(range)
    }

    /// Returns the lowest and the highest multiple within the range.
    fn multiples(&self, of: u64) -> (f64, f64) {
        let of = of as f64;
        (
            libm::ceil(self.from / of) * of,
            libm::floor(self.to / of) * of,
        )
    }

    /// Checks that it contains multiples, in a grid as many as steps.
    fn check_multiples(&self) -> Result<(), String> {
        let Some(of) = self.multiple_of else {
            return Ok(());
        };
        let (from, to) = (self.from, self.to);
        let (least, most) = self.multiples(of);
        if least > most {
            return Err(format!("no multiple of {of} lies between {from} and {to}"));
        }
        let places = (0..self.steps).map(|nth| (f64::from(nth) + 0.5) / f64::from(self.steps));
        let cells: Vec<Cell> = places.map(|place| self.at(place, true).cell).collect();
        match cells.windows(2).any(|two| two[0] == two[1]) {
            true => Err(format!(
                "from {from} to {to} fewer than {} multiples of {of} are so far apart, and a row \
                 would be the same again: fewer `steps`, or a smaller `multiple_of`",
                self.steps
            )),
            false => Ok(()),
        }
    }

    fn at(&self, place: f64, is_word: bool) -> Value {
        let share = match self.steps {
            0 => place,
            // A position is the middle of a step's part; a value is at an end or between.
            steps => (place * f64::from(steps)).floor() / f64::from(steps - 1),
        };
        let value = match self.scale {
            Scale::Linear => self.from + share * (self.to - self.from),
            Scale::Log => {
                let (from, to) = (libm::log(self.from), libm::log(self.to));
                libm::exp(from + share * (to - from))
            }
        };
        // Rounding must not leave the range.
        let value = match share {
            0.0 => self.from,
            1.0 => self.to,
            _ => value.clamp(self.from, self.to),
        };
        let value = match self.multiple_of {
            // A grid of whole numbers must have whole numbers despite rounding in the sum above.
            None if (value - libm::round(value)).abs() <= value.abs() * 1e-12 => libm::round(value),
            None => value,
            Some(of) => {
                let (least, most) = self.multiples(of);
                (libm::round(value / of as f64) * of as f64).clamp(least, most)
            }
        };
        let cell = match value == libm::round(value) && value.abs() <= WHOLE_MAX {
            true => Cell::Whole(value as i64),
            false => Cell::Real(value),
        };
        let settings = match is_word {
            true => Vec::new(),
            false => vec![(self.key.clone(), Setting::Real(value))],
        };
        Value { cell, settings }
    }
}
