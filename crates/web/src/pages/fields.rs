//! Fields of forms, and of addresses.

use stend_language::{Language, text};

use crate::address::{LANGUAGE, escaped, with_query};

/// Parameters in their order; a name may occur more than once.
pub(crate) type Fields = Vec<(String, String)>;

/// Returns the last value of a field; empty if it is missing.
pub(crate) fn field<'f>(fields: &'f Fields, name: &str) -> &'f str {
    let found = fields.iter().rev().find(|(other, _)| other == name);
    found.map_or("", |(_, value)| value.trim())
}

/// Returns the language that an address asks for; English for none, and for an unknown one.
pub(crate) fn language(fields: &Fields) -> Language {
    field(fields, LANGUAGE).parse().unwrap_or_default()
}

/// A page of a list.
pub(crate) struct Pager {
    /// Number of the first row on the page, from 1, and of the last.
    rows: (u64, u64),
    /// Number of rows before the page with later rows.
    pub later: Option<u64>,
    /// Number of rows before the page with earlier rows.
    pub earlier: Option<u64>,
    /// Address of the list with the same search, from the first row.
    list: String,
}

impl Pager {
    /// Rows on a page.
    pub const ROWS: u64 = 50;

    /// Returns the number of rows before the page of an address.
    pub fn skip(fields: &Fields) -> u64 {
        let skip: u64 = field(fields, "from").parse().unwrap_or(0);
        skip.min(i64::MAX as u64)
    }

    /// Creates the pager of a page of `list` with `rows` rows, of `count` in all, for the same
    /// search.
    pub fn of(list: &str, fields: &Fields, rows: usize, count: u64) -> Pager {
        let skip = Pager::skip(fields);
        let last = skip.saturating_add(rows as u64);
        Pager {
            rows: (skip.saturating_add(1), last),
            later: (skip > 0).then(|| skip.saturating_sub(Pager::ROWS)),
            earlier: (last < count).then_some(last),
            list: address(list, fields),
        }
    }

    /// Formats the rows on the page: `51 to 100`.
    pub fn shown(&self) -> String {
        let (from, to) = self.rows;
        text!("lab-rows", from = from.to_string(), to = to.to_string())
    }

    /// Returns the address of the page after `skip` rows.
    pub fn address(&self, skip: &u64) -> String {
        let mark = if self.list.contains('?') { '&' } else { '?' };
        format!("{}{mark}from={skip}", self.list)
    }

    /// True if the list is longer than a page.
    pub fn is_needed(&self) -> bool {
        self.later.is_some() || self.earlier.is_some()
    }
}

/// Returns the address of a list with the same search, from the first row.
fn address(list: &str, fields: &Fields) -> String {
    let kept = fields.iter();
    let kept = kept.filter(|(name, value)| name != "from" && !value.is_empty());
    let query: Vec<String> = kept
        .map(|(name, value)| format!("{}={}", escaped(name), escaped(value)))
        .collect();
    with_query(list, &query)
}
