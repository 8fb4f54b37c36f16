//! Results on stdout, as text, tables or JSON; notes on stderr.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

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

/// Prints a document on stdout, indented.
pub fn print_json(document: &impl Serialize) -> Result<(), Failure> {
    print(&json_text(document)?)
}

/// Prints a document on stdout as one line.
pub fn print_json_line(document: &impl Serialize) -> Result<(), Failure> {
    print(&json_line(document)?)
}

/// Returns a document as indented JSON.
pub fn json_text(document: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(document).map_err(unwritable)? + "\n")
}

/// Returns a document as one line of JSON.
pub fn json_line(document: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string(document).map_err(unwritable)? + "\n")
}

/// Returns a document as a JSON value.
pub fn json_value(document: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(document).map_err(unwritable)
}

fn unwritable(error: serde_json::Error) -> Failure {
    Failure::Io(format!("cannot write the result as JSON: {error}"))
}

/// Formats the rows of a table, without spaces at the ends of lines.
///
/// In `layout`, `<N` is a cell of at least N characters that is aligned left, `>N` one that is
/// aligned right. After a `*` all cells of the column are as wide as its widest. All other text
/// stands between the cells.
pub fn table<const N: usize>(layout: &str, rows: &[[String; N]]) -> String {
    let (cells, end) = cells(layout);
    let mut widths = cells.iter().map(|cell| cell.width).collect::<Vec<_>>();
    for row in rows {
        for ((cell, width), text) in cells.iter().zip(&mut widths).zip(row) {
            if cell.grows {
                *width = (*width).max(text.chars().count());
            }
        }
    }
    let mut out = String::new();
    for row in rows {
        for ((cell, &width), text) in cells.iter().zip(&widths).zip(row) {
            out += cell.before;
            out += &match cell.right {
                true => format!("{text:>width$}"),
                false => format!("{text:<width$}"),
            };
        }
        out += end;
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}

/// A cell of a table's layout.
struct Cell<'l> {
    /// Text before it.
    before: &'l str,
    right: bool,
    width: usize,
    grows: bool,
}

/// Parses a layout; returns its cells and the text after the last one.
fn cells(layout: &str) -> (Vec<Cell<'_>>, &str) {
    let mut cells = Vec::new();
    let mut rest = layout;
    while let Some((before, cell)) = rest.find(['<', '>']).map(|at| rest.split_at(at)) {
        let digits = cell[1..].trim_start_matches(|c: char| c.is_ascii_digit());
        rest = digits.strip_prefix('*').unwrap_or(digits);
        let width = &cell[1..cell.len() - digits.len()];
        cells.push(Cell {
            before,
            right: cell.starts_with('>'),
            width: width.parse().unwrap_or_default(),
            grows: rest.len() < digits.len(),
        });
    }
    (cells, rest)
}

/// Checks that a file can be written, without leaving one behind. An existing file stays until its
/// replacement is complete, and an interrupted job leaves no empty file.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    let was_there = path.exists();
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(|error| Failure::unwritable(path, &error))?;
    if !was_there {
        fs::remove_file(path).map_err(|error| Failure::unwritable(path, &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_padded_to_their_width_or_the_widest() {
        let rows = [["a", "1", "x"], ["long", "22", ""]];
        let rows = rows.map(|row| row.map(str::to_owned));
        assert_eq!(table("<3 >3  <", &rows), "a     1  x\nlong  22\n");
        assert_eq!(
            table("  <* >4 % (<)", &rows),
            "  a       1 % (x)\n  long   22 % ()\n"
        );
        assert_eq!(table("<6*>*<", &rows), "a      1x\nlong  22\n");
    }
}
