//! Converts between JSON objects and rows: the columns of an object, and the rest of it.

use std::sync::LazyLock;

use rusqlite::types::{Value as Cell, ValueRef};
use serde_json::{Map, Value};

/// A column, and the path of keys to its value.
struct Column {
    name: String,
    path: Vec<&'static str>,
}

/// A table whose rows are objects that belong, in order, to rows of another table.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// Column with the id of the owner row.
    pub(crate) owner: &'static str,
    columns: Vec<Column>,
}

/// Table of the points of a test.
pub(crate) static POINTS: LazyLock<Table> = LazyLock::new(|| {
    Table::new("points", "test")
        .keys("op pattern block_bytes queue_depth threads read_percent region_bytes duration_s")
        .keys("iops bw_bytes_per_s")
        .latencies_and_rest()
});

/// Table of the curves of a test.
pub(crate) static SERIES: LazyLock<Table> = LazyLock::new(|| {
    Table::new("series", "test")
        .keys("name interval_s range_bytes")
        .keys_in(&["point"], "op pattern block_bytes queue_depth")
        .latencies_and_rest()
});

/// Tables of parts of a curve, with the names of their keys.
pub(crate) static OF_SERIES: LazyLock<[Table; 2]> = LazyLock::new(|| {
    [
        Table::new("samples", "series").keys("t_s written_bytes iops"),
        Table::new("temperatures", "series").keys("t_s celsius"),
    ]
});

impl Table {
    fn new(name: &'static str, owner: &'static str) -> Table {
        Table {
            name,
            owner,
            columns: Vec::new(),
        }
    }

    /// Adds columns with the names of their keys.
    fn keys(self, names: &'static str) -> Table {
        self.keys_in(&[], names)
    }

    /// Adds columns with the names of their keys, which are inside other objects.
    fn keys_in(mut self, within: &[&'static str], names: &'static str) -> Table {
        self.columns.extend(names.split(' ').map(|name| Column {
            name: name.to_owned(),
            path: [within, &[name]].concat(),
        }));
        self
    }

    /// Adds the columns of latencies, and one for values without a column.
    fn latencies_and_rest(self) -> Table {
        let mut table = self.keys("cpu_ns_per_request latency_histogram");
        let keys = ["mean", "p50", "p99", "p99_9", "p99_99", "p99_999", "max"];
        table.columns.extend(keys.map(|key| Column {
            name: format!("latency_{key}_ns"),
            path: vec!["latency_ns", key],
        }));
        table.columns.push(Column {
            name: "rest".to_owned(),
            path: Vec::new(),
        });
        table
    }

    /// Returns the number of columns in [`Table::names`].
    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Returns the names of the columns in SQL.
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|c| &*c.name).collect();
        names.join(", ")
    }

    /// Returns the cells of an object; that of `rest`, the last, has all values without a column.
    pub(crate) fn cells(&self, mut object: Value) -> Vec<Cell> {
        let cell = |column: &Column| match column.path.is_empty() {
            true => Cell::Text(object.to_string()),
            false => cell(take(&mut object, &column.path)),
        };
        self.columns.iter().map(cell).collect()
    }

    /// Returns the object with these cells.
    pub(crate) fn object(&self, cells: &[ValueRef<'_>]) -> Result<Value, String> {
        let rest = self.columns.iter().position(|c| c.path.is_empty());
        let mut object = match rest {
            None => Value::Object(Map::new()),
            Some(at) => {
                let text = cells[at].as_str().map_err(|error| error.to_string())?;
                serde_json::from_str(text).map_err(|error| error.to_string())?
            }
        };
        for (column, cell) in self.columns.iter().zip(cells) {
            let value = match cell {
                ValueRef::Null => continue,
                ValueRef::Integer(n) => Value::from(*n),
                ValueRef::Real(x) => Value::from(*x),
                ValueRef::Text(_) => Value::from(cell.as_str().map_err(|error| error.to_string())?),
                ValueRef::Blob(_) => return Err(format!("a blob in column {}", column.name)),
            };
            if !column.path.is_empty() {
                put(&mut object, &column.path, value);
            }
        }
        Ok(object)
    }
}

/// Removes the value at `path`, and parents that become empty.
pub(crate) fn take(object: &mut Value, path: &[&str]) -> Option<Value> {
    let map = object.as_object_mut()?;
    let (first, further) = path.split_first()?;
    if further.is_empty() {
        return map.remove(*first);
    }
    let inner = map.get_mut(*first)?;
    let taken = take(inner, further);
    if inner.as_object().is_some_and(Map::is_empty) {
        map.remove(*first);
    }
    taken
}

fn put(object: &mut Value, path: &[&str], value: Value) {
    match path {
        [] => *object = value,
        [first, further @ ..] => {
            let map = match object {
                Value::Object(map) => map,
                other => {
                    *other = Value::Object(Map::new());
                    other.as_object_mut().expect("it was just made")
                }
            };
            put(
                map.entry((*first).to_owned()).or_insert(Value::Null),
                further,
                value,
            );
        }
    }
}

fn cell(value: Option<Value>) -> Cell {
    match value {
        None | Some(Value::Null) => Cell::Null,
        Some(Value::Bool(b)) => Cell::Integer(b.into()),
        Some(Value::String(text)) => Cell::Text(text),
        Some(Value::Number(n)) => match (n.as_i64(), n.as_f64()) {
            (Some(n), _) => Cell::Integer(n),
            (None, Some(x)) => Cell::Real(x),
            (None, None) => Cell::Text(n.to_string()),
        },
        Some(other) => Cell::Text(other.to_string()),
    }
}
