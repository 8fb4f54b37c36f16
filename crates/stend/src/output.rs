//! Results on stdout, notes on stderr.

use std::io::{ErrorKind, Write};

use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;

/// Writes a line to stderr. A failure is ignored: no other place is left to report it.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Writes results to stdout. A reader that has gone away (`stend … | head`) is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    is_read(text).map(drop)
}

/// As [`print`]. Returns true if there is still a reader.
pub fn is_read(text: &str) -> Result<bool, Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::Io(format!("cannot write to stdout: {error}"))),
    }
}

/// Prints a document on stdout.
pub fn print_json(document: &Value) -> Result<(), Failure> {
    print(&format!("{document:#}\n"))
}

/// Returns a document as one line of JSON.
pub fn json_line(document: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string(document).map_err(unwritable_json)? + "\n")
}

/// Returns a document as a JSON value.
pub fn json_value(document: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(document).map_err(unwritable_json)
}

/// Error for a result that cannot be serialized as JSON.
pub fn unwritable_json(error: serde_json::Error) -> Failure {
    Failure::Io(format!("cannot write the result as JSON: {error}"))
}
