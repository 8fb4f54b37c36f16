//! Comparison of texts without regard to case, in any script.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{Value, ValueRef};

/// SQL function that returns a text in lower case; SQLite's own `lower` changes only ASCII letters.
pub(crate) const FOLD_CASE: &str = "fold_case";

/// Adds [`FOLD_CASE`] to a connection.
pub(crate) fn add_to(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function(FOLD_CASE, 1, flags, |of| {
        Ok(match of.get_raw(0) {
            ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).to_lowercase()),
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::Integer(number),
            ValueRef::Real(number) => Value::Real(number),
            ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        })
    })
}
