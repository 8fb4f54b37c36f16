//! Composes one text of a drive file and its parts: each figure as written in its file, in a fixed
//! order, with the file and line of origin of every line.

use stend_config::Lines;
use toml_edit::{Document, Item, Key, Table, TomlError};

use super::Model;
use super::key::{Table as _, item_line};

/// A composed text, and the file and line of each of its lines.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    /// The text.
    pub text: String,
    /// File number and line, from 1, of each line; empty if the text is the first file itself.
    places: Vec<(usize, usize)>,
}

impl Resolved {
    /// A file unchanged.
    pub fn verbatim(text: String) -> Resolved {
        Resolved {
            text,
            places: Vec::new(),
        }
    }

    /// File number, and line in that file, of a line of the text; both lines from 1.
    pub fn place(&self, line: usize) -> (usize, usize) {
        match self.places.get(line - 1).or(self.places.last()) {
            Some(&place) => place,
            None => (0, line),
        }
    }

    /// Adds consecutive lines of a file.
    fn push(&mut self, text: &str, file: usize, line: usize) {
        for (offset, one) in text.split('\n').enumerate() {
            self.text += one;
            self.text.push('\n');
            self.places.push((file, line + offset));
        }
    }
}

/// A key with its value, or a list of tables, as written in a file.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// The table; empty in the head of the file.
    pub table: String,
    /// The key; empty for a list of tables that is a whole table.
    key: String,
    /// Number of the file.
    pub file: usize,
    /// Line in the file.
    pub line: usize,
    /// Line of the table's header.
    header_line: usize,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    /// The value's text.
    Value(String),
    /// Header line of each table of a list, and its keys with texts and lines.
    Tables(Vec<(usize, Vec<Line>)>),
}

/// A key, its value's text, and its line.
type Line = (String, String, usize);

impl Piece {
    /// The key with its table, `nand.dies`.
    pub fn name(&self) -> String {
        match (self.table.is_empty(), self.key.is_empty()) {
            (false, false) => format!("{}.{}", self.table, self.key),
            _ => format!("{}{}", self.table, self.key),
        }
    }

    /// Table and key; if there is only one of them, it and an empty text.
    fn parts(&self) -> (&str, &str) {
        match self.table.is_empty() {
            true => (&self.key, ""),
            false => (&self.table, &self.key),
        }
    }

    /// True if both are the same figure.
    pub fn names_the_same(&self, other: &Piece) -> bool {
        self.parts() == other.parts()
    }

    /// Its value, if it is a string.
    pub fn string(&self) -> Option<String> {
        let Body::Value(text) = &self.body else {
            return None;
        };
        let value: toml_edit::Value = text.parse().ok()?;
        value.as_str().map(str::to_owned)
    }
}

/// All pieces of a file.
pub(crate) fn pieces(text: &str, file: usize) -> Result<Vec<Piece>, TomlError> {
    let document = Document::parse(text)?;
    let lines = Lines::of(text);
    let mut pieces = Vec::new();
    for (name, item) in document.iter() {
        let line = item_line(&lines, document.as_table().key(name), item);
        let piece = |table: &str, key: &str, line, body| Piece {
            table: table.to_owned(),
            key: key.to_owned(),
            file,
            line,
            header_line: item_line(&lines, None, item),
            body,
        };
        if let Some(list) = item.as_array_of_tables() {
            let body = tables(text, &lines, list.iter());
            pieces.push(piece(name, "", line, body));
        } else if let Some(table) = item.as_table_like() {
            for (key, value) in table.iter() {
                let line = item_line(&lines, table.key(key), value);
                let body = match value.as_array_of_tables() {
                    Some(list) => tables(text, &lines, list.iter()),
                    None => Body::Value(raw(text, value)),
                };
                pieces.push(piece(name, key, line, body));
            }
        } else {
            pieces.push(piece("", name, line, Body::Value(raw(text, item))));
        }
    }
    Ok(pieces)
}

fn tables<'a>(text: &str, lines: &Lines, list: impl Iterator<Item = &'a Table>) -> Body {
    let one = |table: &Table| {
        let header = lines.at(table.span().map_or(0, |span| span.start));
        let keys = table.iter().map(|(key, value)| {
            let line = item_line(lines, table.key(key), value);
            (key.to_owned(), raw(text, value), line)
        });
        (header, keys.collect())
    };
    Body::Tables(list.map(one).collect())
}

/// A value as written in the file; dotted keys become one inline table.
fn raw(text: &str, item: &Item) -> String {
    match (item.as_value(), item.span()) {
        (Some(value), Some(span))
            if !value.is_inline_table() || text[span.clone()].starts_with('{') =>
        {
            text[span].to_owned()
        }
        _ => match item.clone().into_value() {
            Ok(mut value) => {
                value.decor_mut().clear();
                value.to_string()
            }
            Err(_) => String::new(),
        },
    }
}

/// Writes the pieces below the comments at the head of the drive file.
pub(crate) fn compose(drive: &str, pieces: Vec<Piece>) -> Resolved {
    let mut resolved = Resolved::verbatim(String::new());
    let above: Vec<&str> = drive
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with('#'))
        .collect();
    if !above.is_empty() {
        resolved.push(&above.join("\n"), 0, 1);
    }
    let rank = |piece: &Piece| {
        // An unknown table comes last, and is an error when the text is read.
        let known = Model::KEYS.iter().position(|table| *table == piece.table);
        known.unwrap_or(Model::KEYS.len())
    };
    let (head, mut rest): (Vec<Piece>, Vec<Piece>) =
        pieces.into_iter().partition(|piece| piece.table.is_empty());
    for piece in &head {
        write_piece(&mut resolved, piece);
    }
    rest.sort_by_key(rank);
    let mut names: Vec<String> = Vec::new();
    for piece in &rest {
        if !names.contains(&piece.table) {
            names.push(piece.table.clone());
        }
    }
    for name in names {
        write_table(&mut resolved, &name, &rest);
    }
    resolved
}

/// Writes a table: its keys, then its lists of tables.
fn write_table(resolved: &mut Resolved, name: &str, pieces: &[Piece]) {
    let mine = || pieces.iter().filter(|piece| piece.table == name);
    let plain = |piece: &&Piece| matches!(piece.body, Body::Value(_));
    // Errors of missing keys report the header's line: of the drive's own file if it has one.
    let header = mine().filter(plain).min_by_key(|piece| piece.file);
    if let Some(header) = header {
        resolved.push("", header.file, header.header_line);
        resolved.push(&format!("[{name}]"), header.file, header.header_line);
    }
    for piece in mine().filter(plain) {
        write_piece(resolved, piece);
    }
    for piece in mine().filter(|piece| !plain(piece)) {
        write_piece(resolved, piece);
    }
}

fn write_piece(resolved: &mut Resolved, piece: &Piece) {
    match &piece.body {
        Body::Value(value) => {
            let key = Key::new(&piece.key);
            let text = format!("{} = {value}", key.display_repr());
            resolved.push(&text, piece.file, piece.line);
        }
        Body::Tables(tables) => {
            for (header, lines) in tables {
                resolved.push("", piece.file, *header);
                resolved.push(&format!("[[{}]]", piece.name()), piece.file, *header);
                for (key, value, line) in lines {
                    let text = format!("{} = {value}", Key::new(key).display_repr());
                    resolved.push(&text, piece.file, *line);
                }
            }
        }
    }
}
