//! Parts of drive files, merged key by key.

use std::fmt::Write as _;

use toml::{Table, Value};

use super::TwinError;

/// Schema of a part.
const SCHEMA: &str = "stend.part/2";

/// A part of drive files.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name of the part, as the user names it.
    pub name: String,
    tables: Table,
}

impl Part {
    /// Parses a part.
    ///
    /// # Errors
    /// [`TwinError::Parts`] if the text is no part.
    pub fn parse(name: &str, text: &str) -> Result<Part, TwinError> {
        let fail = |why: String| TwinError::Parts(format!("{name}: {why}"));
        let mut tables: Table = text.parse().map_err(|error| fail(format!("{error}")))?;
        let schema = tables.remove("schema");
        if schema.as_ref().and_then(Value::as_str) != Some(SCHEMA) {
            return Err(fail(format!(
                "is not a part of a drive file: it lacks schema = \"{SCHEMA}\" (drives/nand, \
                 drives/controllers, drives/firmware, drives/hosts)"
            )));
        }
        tables.remove("title");
        Ok(Part {
            name: name.to_owned(),
            tables,
        })
    }

    /// True if it has a table of this name.
    pub fn has(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }
}

/// Figures of a drive file, merged from parts: figures that were set first stay.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    tables: Table,
    /// Table and key of each figure, and the part that it comes from.
    from: Vec<(String, String, String)>,
}

impl Layers {
    /// Sets a figure, replacing an existing one.
    pub fn set(&mut self, table: &str, key: &str, figure: Figure) {
        let tables = self.tables.entry(table).or_insert(Table::new().into());
        if let Some(table) = tables.as_table_mut() {
            table.remove("none");
            table.insert(key.to_owned(), figure.into());
        }
    }

    /// Sets a figure if it is missing.
    pub fn set_if_missing(&mut self, table: &str, key: &str, figure: Figure) {
        if self.get(table, key).is_none() && !self.is_none(table) {
            self.set(table, key, figure);
        }
    }

    /// Declares that the drive has no such table, with the reason.
    pub fn none(&mut self, table: &str, why: &str) {
        let none = Table::from_iter([("none".to_owned(), Value::from(why))]);
        self.tables.insert(table.to_owned(), none.into());
    }

    /// Removes a table.
    pub fn drop_table(&mut self, table: &str) {
        self.tables.remove(table);
    }

    /// True if the table exists.
    pub fn has(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    fn is_none(&self, table: &str) -> bool {
        let table = self.tables.get(table).and_then(Value::as_table);
        table.is_some_and(|table| table.contains_key("none"))
    }

    /// Returns a figure with its source.
    pub fn get(&self, table: &str, key: &str) -> Option<&Table> {
        self.tables.get(table)?.get(key)?.as_table()
    }

    /// Returns the value of a number.
    pub fn number(&self, table: &str, key: &str) -> Option<f64> {
        let value = self.get(table, key)?.get("value")?;
        value
            .as_float()
            .or_else(|| value.as_integer().map(|whole| whole as f64))
    }

    /// Returns the value of a switch.
    pub fn switch(&self, table: &str, key: &str) -> Option<bool> {
        self.get(table, key)?.get("value")?.as_bool()
    }

    /// Returns the value of a text.
    pub fn text(&self, table: &str, key: &str) -> Option<&str> {
        self.get(table, key)?.get("value")?.as_str()
    }

    /// All figures for modification: table, key, figure.
    pub fn figures_mut(&mut self) -> impl Iterator<Item = (&str, &str, &mut Table)> {
        self.tables.iter_mut().flat_map(|(table, keys)| {
            let keys = keys.as_table_mut().into_iter().flatten();
            keys.filter_map(move |(key, figure)| Some((&**table, &**key, figure.as_table_mut()?)))
        })
    }

    /// Adds a part of the user.
    ///
    /// # Errors
    /// Two parts that set the same figure.
    pub fn lay(&mut self, part: &Part) -> Result<(), TwinError> {
        for (table, keys) in &part.tables {
            let Some(keys) = keys.as_table() else {
                self.lay_list(part, table, keys)?;
                continue;
            };
            for (key, figure) in keys {
                if let Some(other) = self.part_of(table, key) {
                    return Err(TwinError::Parts(format!(
                        "{other} and {} both give {table}.{key}: name one of them",
                        part.name
                    )));
                }
                let there = self.tables.entry(&**table).or_insert(Table::new().into());
                if let Some(there) = there.as_table_mut() {
                    there.entry(&**key).or_insert(figure.clone());
                }
                let from = (table.clone(), key.clone(), part.name.clone());
                self.from.push(from);
            }
        }
        Ok(())
    }

    fn lay_list(&mut self, part: &Part, table: &str, list: &Value) -> Result<(), TwinError> {
        if let Some(other) = self.part_of(table, "") {
            return Err(TwinError::Parts(format!(
                "{other} and {} both give [[{table}]]: name one of them",
                part.name
            )));
        }
        self.tables.entry(table).or_insert(list.clone());
        let from = (table.to_owned(), String::new(), part.name.clone());
        self.from.push(from);
        Ok(())
    }

    fn part_of(&self, table: &str, key: &str) -> Option<&str> {
        let of = |from: &&(String, String, String)| from.0 == table && from.1 == key;
        Some(&self.from.iter().find(of)?.2)
    }

    /// Adds the figures of a default part that no other part sets.
    pub fn lay_below(&mut self, part: &Part) {
        for (table, keys) in &part.tables {
            let Some(keys) = keys.as_table() else {
                self.tables.entry(&**table).or_insert(keys.clone());
                continue;
            };
            let is_new = !self.has(table);
            if self.is_none(table) || (keys.contains_key("none") && !is_new) {
                continue;
            }
            let there = self.tables.entry(&**table).or_insert(Table::new().into());
            let Some(there) = there.as_table_mut() else {
                continue;
            };
            for (key, figure) in keys {
                there.entry(&**key).or_insert(figure.clone());
            }
        }
    }

    /// Formats all tables.
    pub fn text_of_all(&self) -> String {
        let mut text = String::new();
        for (table, keys) in &self.tables {
            match keys {
                Value::Table(keys) => push_table(&mut text, &format!("[{table}]"), table, keys),
                Value::Array(list) => {
                    for keys in list.iter().filter_map(Value::as_table) {
                        push_table(&mut text, &format!("[[{table}]]"), table, keys);
                    }
                }
                _ => {}
            }
        }
        text
    }
}

/// Writes a table, followed by the lists of tables in it.
fn push_table(text: &mut String, head: &str, name: &str, keys: &Table) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "\n{head}");
    let is_list = |value: &Value| matches!(value, Value::Array(_));
    for (key, figure) in keys.iter().filter(|(_, value)| !is_list(value)) {
        let _ = writeln!(text, "{key} = {}", in_order(figure));
    }
    for (key, list) in keys.iter().filter(|(_, value)| is_list(value)) {
        for keys in list.as_array().into_iter().flatten() {
            if let Some(keys) = keys.as_table() {
                let name = format!("{name}.{key}");
                push_table(text, &format!("[[{name}]]"), &name, keys);
            }
        }
    }
}

/// Formats a figure as in drive files: its value first, then its source.
fn in_order(figure: &Value) -> String {
    let Some(keys) = figure.as_table().filter(|keys| keys.contains_key("value")) else {
        return figure.to_string();
    };
    const FIRST: [&str; 2] = ["value", "source"];
    let first = FIRST
        .into_iter()
        .filter_map(|key| Some((key, keys.get(key)?)));
    let others = keys.iter().map(|(key, value)| (key.as_str(), value));
    let others = others.filter(|(key, _)| !FIRST.contains(key));
    let all = first
        .chain(others)
        .map(|(key, value)| format!("{key} = {value}"));
    format!("{{ {} }}", all.collect::<Vec<_>>().join(", "))
}

/// A figure of a drive file.
#[derive(Clone, Debug)]
pub struct Figure {
    value: Value,
    source: String,
    free: Option<[f64; 2]>,
}

impl Figure {
    /// Creates a figure from a value and its source.
    pub fn of(value: impl Into<Value>, source: impl Into<String>) -> Figure {
        Figure {
            value: value.into(),
            source: source.into(),
            free: None,
        }
    }

    /// Makes the figure free between two bounds, which are widened to contain the value.
    #[must_use]
    pub fn free(mut self, low: f64, high: f64) -> Figure {
        let value = match &self.value {
            Value::Integer(whole) => *whole as f64,
            Value::Float(value) => *value,
            _ => return self,
        };
        self.free = Some([low.min(value), high.max(value)]);
        self
    }
}

impl From<Figure> for Value {
    fn from(figure: Figure) -> Value {
        let is_whole = figure.value.is_integer();
        let bound = |bound: f64| match is_whole {
            true => Value::Integer(bound.round() as i64),
            false => Value::Float(bound),
        };
        let mut table = Table::new();
        table.insert("value".to_owned(), figure.value);
        table.insert("source".to_owned(), figure.source.into());
        if let Some(free) = figure.free {
            table.insert("free".to_owned(), free.map(bound).to_vec().into());
        }
        table.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, rest: &str) -> Part {
        Part::parse(name, &format!("schema = \"stend.part/2\"\n{rest}")).unwrap()
    }

    #[test]
    fn what_lies_above_stays() {
        let mut layers = Layers::default();
        layers.set("nand", "dies", Figure::of(4, "inferred: so"));
        let own =
            "[nand]\ndies = { value = 8, source = \"a\" }\nplanes = { value = 2, source = \"b\" }";
        layers.lay(&part("own", own)).unwrap();
        let below = "[nand]\nplanes = { value = 4, source = \"c\" }\n\
            [gc]\ndepth = { value = 9, source = \"d\" }";
        layers.lay_below(&part("below", below));
        assert_eq!(layers.number("nand", "dies"), Some(4.0));
        assert_eq!(layers.number("nand", "planes"), Some(2.0));
        assert_eq!(layers.number("gc", "depth"), Some(9.0));
        let text = layers.text_of_all();
        assert!(
            text.contains("[nand]\ndies = { value = 4, source = \"inferred: so\" }"),
            "{text}"
        );
    }

    #[test]
    fn two_parts_with_one_figure_are_refused() {
        let mut layers = Layers::default();
        let text = "[nand]\ndies = { value = 8, source = \"a\" }";
        layers.lay(&part("one", text)).unwrap();
        let error = layers.lay(&part("two", text)).unwrap_err().to_string();
        assert!(
            error.contains("one") && error.contains("two") && error.contains("nand.dies"),
            "{error}"
        );
    }

    #[test]
    fn what_is_no_part_is_refused() {
        let error = Part::parse("x.toml", "schema = \"stend.drive/2\"").unwrap_err();
        assert!(
            error.to_string().contains("x.toml: is not a part"),
            "{error}"
        );
    }
}
