//! Figures of a model replaced by others: `slc_cache.blocks_per_plane = 6`.

use stend_config::{FileError, Problem};
use strsim::damerau_levenshtein;
use toml_edit::{DocumentMut, InlineTable, Item, Table as TomlTable, TableLike};

use super::Model;
use crate::schema::key::Table;
use crate::schema::setting::Setting;
use crate::schema::tables::DESCRIBED;

/// The source of a replaced figure, in the text of the model.
const SOURCE: &str = "assumed: replaces the model's figure";

/// Place of a figure: `nand.dies`, `nand.program_us[2]`, `idle_states[0].power_mw`.
struct Place<'a> {
    table: &'a str,
    /// Index in a list of tables.
    row: Option<usize>,
    key: &'a str,
    /// Index in a list of values.
    index: Option<usize>,
}

impl Place<'_> {
    /// True if the key is declared for drive files.
    fn is_declared(&self) -> bool {
        declared().any(|figure| figure == (self.table, self.key))
    }

    fn of(path: &str) -> Option<Place<'_>> {
        let (table, key) = path.rsplit_once('.')?;
        let (table, row) = indexed(table)?;
        let (key, index) = indexed(key)?;
        Some(Place {
            table,
            row,
            key,
            index,
        })
    }
}

/// Table and key of each figure of drive files.
fn declared() -> impl Iterator<Item = (&'static str, &'static str)> {
    let tables = DESCRIBED
        .iter()
        .filter(|table| Model::KEYS.contains(&table.name));
    tables.flat_map(|table| table.keys.iter().map(|key| (table.name, key.key)))
}

/// `key` or `key[index]`.
fn indexed(word: &str) -> Option<(&str, Option<usize>)> {
    match word.split_once('[') {
        None => Some((word, None)),
        Some((word, index)) => Some((word, Some(index.strip_suffix(']')?.parse().ok()?))),
    }
}

/// Checks that a path names a key of drive files.
///
/// # Errors
/// If it does not, with the nearest key; in words, without the path.
pub fn check_key(path: &str) -> Result<(), String> {
    match Place::of(path).is_some_and(|place| place.is_declared()) {
        true => Ok(()),
        false => Err(unknown(path)),
    }
}

impl Model {
    /// The same model with other figures, by their keys: table and key, `nand.dies`; for a list
    /// with the index, `nand.program_us[2]`. Each replaces the model's own figure, in whichever
    /// file it is; a key that the file does not contain is added. All other figures stay.
    ///
    /// # Errors
    /// A key that does not exist, with the nearest one that does; a value that its key does not
    /// allow; a fault of the model as a whole.
    pub fn with<K: AsRef<str>>(&self, settings: &[(K, Setting)]) -> Result<Model, FileError> {
        if settings.is_empty() {
            return Ok(self.clone());
        }
        let mut document: DocumentMut = self.text.parse().expect("the text of a model is TOML");
        let mut problems = Vec::new();
        for (path, setting) in settings {
            let path = path.as_ref();
            if let Err(message) = put(&mut document, path, setting) {
                problems.push(self.problem(path, message));
            }
        }
        FileError::unless_empty(problems)?;
        let model = Model::parse(&document.to_string(), &self.name);
        let model = model.map_err(|error| self.without_lines(&error))?;
        Ok(Model {
            // Its text does not contain them any more, but it still comes from them.
            parts: self.parts.clone(),
            ..model
        })
    }

    /// Values in the text of the model, for keys as [`Model::with`] accepts them; `None` for a key
    /// that the text does not contain.
    pub fn given<K: AsRef<str>>(&self, keys: &[K]) -> Vec<Option<Setting>> {
        let document: DocumentMut = self.text.parse().expect("the text of a model is TOML");
        let given = |key: &K| {
            let place = Place::of(key.as_ref())?;
            let table = document.get(place.table)?;
            let table = match place.row {
                None => table.as_table_like()?,
                Some(row) => table.as_array_of_tables()?.get(row)?,
            };
            let value = table.get(place.key)?.as_table_like()?.get("value")?;
            let value = value.as_value()?;
            Setting::of(match place.index {
                None => value,
                Some(index) => value.as_array()?.get(index)?,
            })
        };
        keys.iter().map(given).collect()
    }

    fn problem(&self, key: &str, message: String) -> Problem {
        Problem {
            file: self.name.clone(),
            line: None,
            key: Some(key.to_owned()),
            message,
        }
    }

    /// Removes the lines, since they are those of a text that the user has never seen.
    fn without_lines(&self, error: &FileError) -> FileError {
        let problems = error.problems().iter().cloned();
        let problems = problems.map(|problem| Problem {
            file: self.name.clone(),
            line: None,
            ..problem
        });
        FileError::unless_empty(problems.collect()).expect_err("there is at least one")
    }
}

/// Writes a value into the text of a model.
fn put(document: &mut DocumentMut, path: &str, setting: &Setting) -> Result<(), String> {
    check_key(path)?;
    let place = Place::of(path).expect("it was just checked");
    let value = setting.value()?;
    let table = table_of(document, &place)?;
    // An optional table may state that the drive has nothing of the kind.
    table.remove("none");
    let Some(index) = place.index else {
        let mut figure = InlineTable::new();
        figure.insert("value", value);
        figure.insert("source", SOURCE.into());
        table.insert(place.key, Item::Value(figure.into()));
        return Ok(());
    };
    let figure = table.get_mut(place.key).and_then(Item::as_table_like_mut);
    let figure = figure.ok_or("the model gives no such list: set all of it")?;
    let list = figure.get_mut("value").and_then(Item::as_array_mut);
    let list = list.ok_or("it is not a list")?;
    let entries = list.len();
    let entry = list.get_mut(index);
    *entry.ok_or_else(|| format!("the list has {entries} entries, counted from 0"))? = value;
    figure.insert("source", Item::Value(SOURCE.into()));
    // Bounds apply to all entries, and need not apply to the new one.
    figure.remove("free");
    figure.remove("free_ratio");
    Ok(())
}

/// The table of a place; added if the model does not have it.
fn table_of<'d>(
    document: &'d mut DocumentMut,
    place: &Place<'_>,
) -> Result<&'d mut dyn TableLike, String> {
    let missing = || Item::Table(TomlTable::new());
    let Some(row) = place.row else {
        let table = document.entry(place.table).or_insert_with(missing);
        return table.as_table_like_mut().ok_or_else(|| {
            let table = place.table;
            format!(
                "[[{table}]] is a list of tables: say which, `{table}[0].{}`",
                place.key
            )
        });
    };
    let tables = document.get_mut(place.table);
    let tables = tables.and_then(Item::as_array_of_tables_mut);
    let tables = tables.ok_or_else(|| format!("the model has no list [[{}]]", place.table))?;
    let entries = tables.len();
    match tables.get_mut(row) {
        Some(table) => Ok(table),
        None => Err(format!(
            "the model has {entries} [[{}]], counted from 0",
            place.table
        )),
    }
}

/// Message that there is no such key, with the nearest one.
fn unknown(path: &str) -> String {
    let keys = declared().map(|(table, key)| format!("{table}.{key}"));
    let (table, last) = path.rsplit_once('.').unwrap_or(("", path));
    // A key without its table is near, whatever the table. Of equally near keys the first is
    // chosen, so that the message is the same each time.
    let distance = |key: &String| match key.rsplit_once('.') {
        Some((_, own)) if table.is_empty() => damerau_levenshtein(last, own),
        _ => damerau_levenshtein(path, key),
    };
    if Model::KEYS.contains(&path) {
        return format!("`{path}` is of the model as a whole and no figure that can be set");
    }
    match keys.min_by_key(distance) {
        Some(key) if distance(&key) <= path.len() / 2 => {
            format!("there is no such key; the nearest is `{key}`")
        }
        _ => "there is no such key; docs/drive-format.md has them all".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SHIPPED;

    fn demo(settings: &[(&str, Setting)]) -> Result<Model, String> {
        let demo = Model::shipped("demo-8gb").expect("it is shipped");
        demo.with(settings).map_err(|error| error.to_string())
    }

    #[test]
    fn a_figure_takes_the_place_of_the_models() {
        let model = demo(&[
            ("slc_cache.blocks_per_plane", Setting::Whole(60)),
            ("nand.program_us[2]", Setting::Real(900.0)),
            ("gc.policy", Setting::Text("fifo".to_owned())),
            // Not in the file.
            ("dram.coalesce_writes", Setting::Flag(true)),
        ])
        .unwrap();
        let cache = model.slc_cache.as_ref().unwrap();
        assert_eq!(cache.blocks_per_plane.value, 60);
        assert_eq!(model.nand.program_us.value, [1800.0, 1800.0, 900.0]);
        assert_eq!(model.gc.policy.value, "fifo");
        assert!(model.dram.coalesce_writes.value);
        assert_ne!(model.fingerprint, demo(&[]).unwrap().fingerprint);
        assert_eq!(model.name, "demo-8gb");
    }

    /// Replacing a figure by its own value makes the same drive.
    #[test]
    fn every_shipped_model_takes_its_own_figures() {
        for shipped in SHIPPED {
            let model = Model::shipped(shipped.name).unwrap();
            let dies = i64::from(model.nand.dies.value);
            let same = model.with(&[("nand.dies", Setting::Whole(dies))]).unwrap();
            assert_eq!(same.spec(), model.spec(), "{}", shipped.name);
        }
    }

    #[test]
    fn what_a_model_gives_is_what_was_set() {
        let keys = [
            "nand.dies",
            "nand.program_us[2]",
            "gc.policy",
            "dram.coalesce_writes",
        ];
        let given = demo(&[]).unwrap().given(&keys);
        let expected = [
            Some(Setting::Whole(4)),
            Some(Setting::Real(1800.0)),
            Some(Setting::Text("greedy".to_owned())),
            None,
        ];
        assert_eq!(given, expected);
        assert!(Setting::Whole(4).is_same(&Setting::Real(4.0)));
        assert!(!Setting::Whole(4).is_same(&Setting::Real(4.5)));
        let set = demo(&[("nand.program_us[2]", Setting::Real(900.5))]).unwrap();
        assert_eq!(set.given(&keys[1..2]), [Some(Setting::Real(900.5))]);
    }

    #[test]
    fn a_whole_number_may_be_given_as_a_fraction_without_one() {
        let whole = demo(&[("nand.dies", Setting::Real(8.0))]).unwrap();
        assert_eq!(whole.nand.dies.value, 8);
        let said = demo(&[("nand.dies", Setting::Real(2.5))]).unwrap_err();
        assert!(said.contains("demo-8gb: nand.dies: invalid type"), "{said}");
    }

    #[test]
    fn what_cannot_be_set_is_told() {
        let list = || Setting::List(vec![Setting::Real(1.0)]);
        for (key, setting, part) in [
            (
                "slc_cache.block_per_plane",
                Setting::Whole(6),
                "`slc_cache.blocks_per_plane`",
            ),
            ("nand.read_ns", list(), "the nearest is `nand.read_us`"),
            (
                "release_year",
                Setting::Whole(2015),
                "no figure that can be set",
            ),
            (
                "foo",
                Setting::Whole(1),
                "docs/drive-format.md has them all",
            ),
            ("dies", Setting::Whole(6), "the nearest is `nand.dies`"),
            (
                "user_bytes",
                Setting::Whole(6),
                "the nearest is `capacity.user_bytes`",
            ),
            ("name", Setting::Whole(6), "no figure that can be set"),
            ("nand.dies[0]", Setting::Whole(6), "not a list"),
            ("nand.read_us[3]", Setting::Real(6.0), "3 entries"),
            ("nand.read_us[x]", Setting::Real(6.0), "no such key"),
            (
                "nand.dies",
                Setting::Real(f64::NAN),
                "NaN is not a finite number",
            ),
            (
                "nand.dies",
                Setting::Real(f64::INFINITY),
                "not a finite number",
            ),
            ("nand.dies", Setting::Whole(-1), "expected a whole number"),
            ("nand.read_us[0]", Setting::Real(-1.0), "1 to 10000"),
            (
                "nand.dies",
                Setting::Text("4 dies".to_owned()),
                "expected a whole number",
            ),
            (
                "idle_states[0].power_mw",
                Setting::Whole(1),
                "no list [[idle_states]]",
            ),
            ("media.rber", Setting::Whole(1), "media."),
        ] {
            let said = demo(&[(key, setting)]).unwrap_err();
            assert!(
                said.starts_with("demo-8gb: ") && said.contains(part),
                "{key}: {said}"
            );
        }
    }
}
