//! Checks that a file is a table which this program has written and may replace.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use crate::LabError;
use crate::format::Format;

/// Rejects a file that is not a table with these columns. A table of an earlier or a later version
/// has fewer or more of them.
pub(crate) fn check<S: AsRef<str>>(
    path: &Path,
    format: Format,
    columns: &[S],
) -> Result<(), LabError> {
    let ours: Vec<&str> = columns.iter().map(AsRef::as_ref).collect();
    check_by(path, format, &|theirs| {
        theirs.is_empty() || is_version(theirs, &ours) || is_version(&ours, theirs)
    })
}

/// Rejects a file that is not a table of any study.
pub(crate) fn check_study(path: &Path, format: Format) -> Result<(), LabError> {
    check_by(path, format, &|names| {
        names.starts_with(&["row", "model"])
            && ["seed", "job"].iter().all(|name| names.contains(name))
            && names.ends_with(&["error"])
    })
}

fn check_by(path: &Path, format: Format, is_own: &dyn Fn(&[&str]) -> bool) -> Result<(), LabError> {
    let foreign = || LabError::NotATable(path.to_path_buf());
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        // A fault of the folder is reported when it is written to.
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(()),
        Err(_) => return Err(foreign()),
    };
    let file = BufReader::new(file);
    let names = match format {
        Format::Csv => names_of_csv(file),
        Format::Json => names_of_json(file),
        #[cfg(feature = "parquet")]
        Format::Parquet => crate::parquet::names(path),
    };
    let is_own = names.is_some_and(|names| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        is_own(&names)
    });
    is_own.then_some(()).ok_or_else(foreign)
}

/// True if `some` can be the columns of another version of a table with `all`: a few columns that
/// have the same names by chance are not enough.
fn is_version(some: &[&str], all: &[&str]) -> bool {
    2 * some.len() >= all.len() && some.iter().all(|name| all.contains(name))
}

fn names_of_csv(file: impl Read) -> Option<Vec<String>> {
    let mut reader = csv::Reader::from_reader(file);
    let names = reader.headers().ok()?;
    // An empty file is not a table.
    (!names.is_empty()).then(|| names.iter().map(str::to_owned).collect())
}

/// Returns the keys of the first row of a list; empty if it has no rows.
fn names_of_json(mut file: impl BufRead) -> Option<Vec<String>> {
    if next_byte(&mut file)? != b'[' {
        return None;
    }
    file.consume(1);
    if next_byte(&mut file)? == b']' {
        return Some(Vec::new());
    }
    let mut rows = serde_json::Deserializer::from_reader(file).into_iter();
    let first: serde_json::Map<String, serde_json::Value> = rows.next()?.ok()?;
    Some(first.keys().cloned().collect())
}

/// Returns the next byte that is not white space, without consuming it.
fn next_byte(file: &mut impl BufRead) -> Option<u8> {
    loop {
        let byte = *file.fill_buf().ok()?.first()?;
        match byte.is_ascii_whitespace() {
            true => file.consume(1),
            false => return Some(byte),
        }
    }
}
