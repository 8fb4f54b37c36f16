//! Between JSON objects and rows: what of an object has a column, and what is left of it.

use rusqlite::types::{Value as Cell, ValueRef};
use serde_json::{Map, Value};

/// A column, and the keys that lead to what it holds.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) path: &'static [&'static str],
}

const fn column(name: &'static str, path: &'static [&'static str]) -> Column {
    Column { name, path }
}

/// Of `points`.
pub(crate) const POINT: [Column; 20] = [
    column("op", &["op"]),
    column("pattern", &["pattern"]),
    column("block_bytes", &["block_bytes"]),
    column("queue_depth", &["queue_depth"]),
    column("threads", &["threads"]),
    column("read_percent", &["read_percent"]),
    column("region_bytes", &["region_bytes"]),
    column("duration_s", &["duration_s"]),
    column("iops", &["iops"]),
    column("bw_bytes_per_s", &["bw_bytes_per_s"]),
    column("cpu_ns_per_request", &["cpu_ns_per_request"]),
    column("latency_mean_ns", &["latency_ns", "mean"]),
    column("latency_p50_ns", &["latency_ns", "p50"]),
    column("latency_p99_ns", &["latency_ns", "p99"]),
    column("latency_p99_9_ns", &["latency_ns", "p99_9"]),
    column("latency_p99_99_ns", &["latency_ns", "p99_99"]),
    column("latency_p99_999_ns", &["latency_ns", "p99_999"]),
    column("latency_max_ns", &["latency_ns", "max"]),
    column("latency_histogram", &["latency_histogram"]),
    column("rest", &[]),
];

/// Of `series`.
pub(crate) const SERIES: [Column; 17] = [
    column("name", &["name"]),
    column("op", &["point", "op"]),
    column("pattern", &["point", "pattern"]),
    column("block_bytes", &["point", "block_bytes"]),
    column("queue_depth", &["point", "queue_depth"]),
    column("interval_s", &["interval_s"]),
    column("range_bytes", &["range_bytes"]),
    column("cpu_ns_per_request", &["cpu_ns_per_request"]),
    column("latency_mean_ns", &["latency_ns", "mean"]),
    column("latency_p50_ns", &["latency_ns", "p50"]),
    column("latency_p99_ns", &["latency_ns", "p99"]),
    column("latency_p99_9_ns", &["latency_ns", "p99_9"]),
    column("latency_p99_99_ns", &["latency_ns", "p99_99"]),
    column("latency_p99_999_ns", &["latency_ns", "p99_999"]),
    column("latency_max_ns", &["latency_ns", "max"]),
    column("latency_histogram", &["latency_histogram"]),
    column("rest", &[]),
];

/// Of `samples`.
pub(crate) const SAMPLE: [Column; 3] = [
    column("t_s", &["t_s"]),
    column("written_bytes", &["written_bytes"]),
    column("iops", &["iops"]),
];

/// Of `temperatures`.
pub(crate) const TEMPERATURE: [Column; 2] =
    [column("t_s", &["t_s"]), column("celsius", &["celsius"])];

/// What has a table of its own: its key in a curve, the table, its columns.
pub(crate) const OF_SERIES: [(&str, &str, &[Column]); 2] = [
    ("samples", "samples", &SAMPLE),
    ("temperatures", "temperatures", &TEMPERATURE),
];

/// The names of columns, as in SQL.
pub(crate) fn names(columns: &[Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|c| c.name).collect();
    names.join(", ")
}

/// The cells of an object; that of `rest` holds what no other column does.
pub(crate) fn cells(mut object: Value, columns: &[Column]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = columns
        .iter()
        .filter(|column| !column.path.is_empty())
        .map(|column| cell(take(&mut object, column.path)))
        .collect();
    if columns.iter().any(|column| column.path.is_empty()) {
        cells.push(Cell::Text(object.to_string()));
    }
    cells
}

/// The object whose cells these are.
pub(crate) fn object(cells: &[ValueRef<'_>], columns: &[Column]) -> Result<Value, String> {
    let rest = columns.iter().position(|column| column.path.is_empty());
    let mut object = match rest {
        None => Value::Object(Map::new()),
        Some(at) => {
            let text = cells[at].as_str().map_err(|error| error.to_string())?;
            serde_json::from_str(text).map_err(|error| error.to_string())?
        }
    };
    for (column, cell) in columns.iter().zip(cells) {
        let value = match cell {
            ValueRef::Null => continue,
            ValueRef::Integer(n) => Value::from(*n),
            ValueRef::Real(x) => Value::from(*x),
            ValueRef::Text(_) => Value::from(cell.as_str().map_err(|error| error.to_string())?),
            ValueRef::Blob(_) => return Err(format!("a blob in column {}", column.name)),
        };
        if !column.path.is_empty() {
            put(&mut object, column.path, value);
        }
    }
    Ok(object)
}

/// Takes what a path leads to out of an object, and the objects that are empty then.
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
