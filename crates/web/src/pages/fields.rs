//! Fields of forms, and of addresses.

/// A parameter that may come more than once, in the order in which it came.
pub(crate) type Fields = Vec<(String, String)>;

/// The last value of a field; empty without.
pub(crate) fn field<'f>(fields: &'f Fields, name: &str) -> &'f str {
    let found = fields.iter().rev().find(|(other, _)| other == name);
    found.map_or("", |(_, value)| value.trim())
}

/// A text as a part of an address.
pub(crate) fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let of = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(of).collect()
}

/// A page of a list.
pub(crate) struct Pager {
    /// `51 to 100`.
    pub shown: String,
    /// The rows before it, which are later.
    pub later: Option<String>,
    /// The rows after it, which are earlier.
    pub earlier: Option<String>,
}

impl Pager {
    /// Rows of a page.
    pub const ROWS: u64 = 50;

    /// Where the page begins that an address asks for.
    pub fn skip(fields: &Fields) -> u64 {
        let skip: u64 = field(fields, "from").parse().unwrap_or(0);
        skip.min(i64::MAX as u64)
    }

    /// The page of `list` with so many rows, of `count` in all, and the same search.
    pub fn of(list: &str, fields: &Fields, rows: usize, count: u64) -> Pager {
        let skip = Pager::skip(fields);
        let last = skip.saturating_add(rows as u64);
        Pager {
            shown: format!("{} to {last}", skip.saturating_add(1)),
            later: (skip > 0).then(|| link(list, fields, skip.saturating_sub(Pager::ROWS))),
            earlier: (last < count).then(|| link(list, fields, last)),
        }
    }

    /// Whether the list is longer than a page.
    pub fn is_needed(&self) -> bool {
        self.later.is_some() || self.earlier.is_some()
    }
}

/// A list with the same search, from another row on.
fn link(list: &str, fields: &Fields, skip: u64) -> String {
    let kept = fields.iter().filter(|(name, _)| name != "from");
    let mut query: Vec<String> = kept
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{}={}", escaped(name), escaped(value)))
        .collect();
    query.push(format!("from={skip}"));
    format!("{list}?{}", query.join("&"))
}
