//! The figures of a model as written in its files, for readers.

use stend_config::Lines;
use toml_edit::{Document, Item, TableLike, Value};

use super::Files;
use crate::schema::key::item_line;

/// A figure in a file of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its table.
    pub table: String,
    /// Index of its table in a list of tables, from 0.
    pub row: Option<usize>,
    /// Its key, which ends with its unit.
    pub key: String,
    /// Its value as written.
    pub value: String,
    /// Source of the value.
    pub source: String,
    /// Range of plausible values as written: `free = [1, 2]`; empty if there is none.
    pub range: String,
    /// File that contains it, as [`super::ModelFile::name`].
    pub file: String,
}

impl Figure {
    /// Its name as [`super::Model::with`] accepts it.
    pub fn name(&self) -> String {
        match self.row {
            None => format!("{}.{}", self.table, self.key),
            Some(row) => format!("{}[{row}].{}", self.table, self.key),
        }
    }
}

impl Files {
    /// The figures in these files, in the order of the resolved text.
    pub fn figures(&self) -> Vec<Figure> {
        let Ok(document) = Document::parse(self.text()) else {
            return Vec::new();
        };
        let lines = Lines::of(self.text());
        let mut figures = Vec::new();
        for (name, item) in document.iter() {
            match item {
                Item::ArrayOfTables(list) => {
                    for (row, table) in list.iter().enumerate() {
                        self.of_table((name, Some(row)), table, &lines, &mut figures);
                    }
                }
                item => {
                    if let Some(table) = item.as_table_like() {
                        self.of_table((name, None), table, &lines, &mut figures);
                    }
                }
            }
        }
        figures
    }

    fn of_table(
        &self,
        (name, row): (&str, Option<usize>),
        table: &dyn TableLike,
        lines: &Lines,
        figures: &mut Vec<Figure>,
    ) {
        for (key, item) in table.iter() {
            let Some(figure) = item.as_table_like() else {
                continue;
            };
            let text = |key: &str| {
                let value = figure.get(key)?.as_value()?;
                Some(match value {
                    Value::String(text) => text.value().clone(),
                    other => other.to_string().trim().to_owned(),
                })
            };
            let Some(value) = text("value") else {
                continue;
            };
            let range = ["free", "free_ratio"].into_iter().find_map(|key| {
                let range = text(key)?;
                Some(format!("{key} = {range}"))
            });
            let line = item_line(lines, None, item);
            figures.push(Figure {
                table: name.to_owned(),
                row,
                key: key.to_owned(),
                value,
                source: text("source").unwrap_or_default(),
                range: range.unwrap_or_default(),
                file: self.place(line).0.to_owned(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_their_values_sources_ranges_and_files() {
        let files = Files::shipped("sandisk-ultra-ii-240gb").expect("it is shipped");
        let figures = files.figures();
        let of = |name: &str| figures.iter().find(|figure| figure.name() == name);
        let dies = of("nand.dies").expect("a drive has dies");
        assert_eq!((dies.value.as_str(), dies.range.as_str()), ("16", ""));
        assert!(!dies.source.is_empty());
        assert_eq!(dies.file, "drives/sandisk-ultra-ii-240gb.toml");
        let program = of("nand.program_us").expect("flash has a tPROG");
        assert!(program.range.starts_with("free"), "{program:?}");
        assert!(program.file.starts_with("drives/nand/"), "{program:?}");
        assert!(of("idle_states[0].power_mw").is_some());
        // Each figure has a meaning.
        let tables = crate::described_tables();
        for figure in &figures {
            let table = tables.iter().find(|table| table.name == figure.table);
            let keys = &table.expect("the table is described").keys;
            assert!(keys.iter().any(|key| key.key == figure.key), "{figure:?}");
        }
    }
}
