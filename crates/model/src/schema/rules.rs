//! Rules for the allowed values of a figure, which a key is declared with.

use std::fmt::Display;
use std::ops::RangeInclusive;

/// Allowed values of a figure.
pub(crate) trait Rule<T> {
    /// Fault of a value, with the allowed values.
    fn problem(&self, value: &T) -> Option<String>;

    /// Number of which every allowed number is a multiple.
    fn multiple_of(&self) -> u32 {
        1
    }

    /// Allowed values, for the document.
    fn allowed(&self) -> String;
}

impl<T: PartialOrd + Display> Rule<T> for RangeInclusive<T> {
    fn problem(&self, value: &T) -> Option<String> {
        let (start, end) = (self.start(), self.end());
        (!self.contains(value))
            .then(|| format!("{value} is not allowed; it must lie from {start} to {end}"))
    }

    fn allowed(&self) -> String {
        format!("{} to {}", self.start(), self.end())
    }
}

/// Powers of two in a range.
pub(crate) struct PowerOfTwo(pub RangeInclusive<u32>);

impl Rule<u32> for PowerOfTwo {
    fn problem(&self, value: &u32) -> Option<String> {
        let power = || format!("{value} is not allowed; it must be a power of two");
        let range = self.0.problem(value);
        range.or_else(|| (!value.is_power_of_two()).then(power))
    }

    fn allowed(&self) -> String {
        format!("{}, a power of two", self.0.allowed())
    }
}

/// Multiples of 4 in a range: whole logical pages in KiB.
pub(crate) struct WholePages(pub RangeInclusive<u32>);

impl Rule<u32> for WholePages {
    fn problem(&self, value: &u32) -> Option<String> {
        let multiple = || format!("{value} is not allowed; it must be a multiple of 4");
        let range = self.0.problem(value);
        range.or_else(|| (!value.is_multiple_of(4)).then(multiple))
    }

    fn multiple_of(&self) -> u32 {
        4
    }

    fn allowed(&self) -> String {
        format!("{}, a multiple of 4", self.0.allowed())
    }
}

/// A text of one line, which is not empty.
pub(crate) struct OneLine;

impl Rule<String> for OneLine {
    fn problem(&self, text: &String) -> Option<String> {
        let wrong = text.trim().is_empty() || text.chars().any(char::is_control);
        wrong.then(|| format!("{text:?} is not allowed; it must be {}", self.allowed()))
    }

    fn allowed(&self) -> String {
        "one line of text".to_owned()
    }
}

/// One of several names.
pub(crate) struct OneOf<T: 'static>(pub &'static [(&'static str, T)]);

impl<T> OneOf<T> {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }
}

impl<T> Rule<String> for OneOf<T> {
    fn problem(&self, value: &String) -> Option<String> {
        let known = self.names().any(|name| name == value);
        let allowed = || self.names().collect::<Vec<_>>().join(", ");
        (!known).then(|| format!("`{value}` is not known; allowed: {}", allowed()))
    }

    fn allowed(&self) -> String {
        let names = self.names().map(|name| format!("`\"{name}\"`"));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// A list of a permitted number of entries, each within a range.
pub(crate) struct List<T> {
    /// Allowed number of entries.
    pub entries: RangeInclusive<usize>,
    /// Description of the number and kind of the entries.
    pub what: &'static str,
    /// Allowed values of each entry.
    pub each: RangeInclusive<T>,
    /// True if no entry may be below the one before.
    pub ascends: bool,
}

impl<T: PartialOrd + Display> Rule<Vec<T>> for List<T> {
    fn problem(&self, list: &Vec<T>) -> Option<String> {
        let entries = list.len();
        if !self.entries.contains(&entries) {
            return Some(format!("{entries} entries; it must have {}", self.what));
        }
        if let Some(problem) = list.iter().find_map(|entry| self.each.problem(entry)) {
            return Some(problem);
        }
        let falls = self.ascends && !list.is_sorted();
        falls.then(|| format!("it must have {} in ascending order", self.what))
    }

    fn allowed(&self) -> String {
        let order = if self.ascends { ", ascending" } else { "" };
        format!("{}; {}{order}", self.what, self.each.allowed())
    }
}
