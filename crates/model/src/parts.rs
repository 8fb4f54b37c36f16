//! A drive file and the parts that it includes: tables of figures that several drives share, such
//! as those of a generation of flash, of a controller, of a host.
//!
//! A part has a schema, a title, and tables of a drive file. It includes nothing, so that there is
//! no order of parts and no cycle. A drive's own figure replaces a part's. Two parts with the same
//! key are an error, since neither has precedence.

use crate::schema::free::FreeFigure;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

use stend_config::{Lines, Problem, SourceText};
use toml_edit::{Document, Item, Value as TomlValue};

use super::shipped::{PARTS, SHIPPED};
use super::{FileError, Model, SCHEMA, renamed};
use crate::schema::compose::{self, Piece, Resolved};
use crate::schema::key::item_line;
use crate::schema::tables::DESCRIBED;

/// Schema of parts.
pub const PART_SCHEMA: &str = "stend.part/2";

/// Keys of a part outside its tables.
const PART_HEAD: [&str; 2] = ["schema", "title"];

/// One file of a model.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// Its path; below `drives/` if it is built into the program.
    pub name: String,
    /// True if it is built into the program rather than read from a disk.
    pub built_in: bool,
    /// Its text.
    pub text: Cow<'static, str>,
}

impl ModelFile {
    fn built_in(name: &str, text: &'static str) -> ModelFile {
        ModelFile {
            name: format!("drives/{name}"),
            built_in: true,
            text: Cow::Borrowed(text),
        }
    }

    fn own(name: &str, text: impl Into<Cow<'static, str>>) -> ModelFile {
        ModelFile {
            name: name.to_owned(),
            built_in: false,
            text: text.into(),
        }
    }
}

/// The files of a model: the drive's own first, then its parts in the order of `include`.
#[derive(Clone, Debug)]
pub struct Files {
    files: Vec<ModelFile>,
    /// Names of the parts as in the drive file.
    parts: Vec<String>,
    pub(super) resolved: Resolved,
}

impl Files {
    /// Reads a drive file and its parts: those beside it, else those built in.
    ///
    /// # Errors
    /// If the drive file cannot be read; otherwise as [`Files::of_text`].
    pub fn read(path: &Path) -> Result<Files, FileError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            let message = format!(
                "cannot read the drive model: {error}; `stend drives list` names the models that \
                 need no file"
            );
            FileError::of_file(&name, message)
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Files::gather(ModelFile::own(&name, text), Some(folder))
    }

    /// The files of a drive file's text, with parts from the built-in ones. `name` is for messages.
    ///
    /// # Errors
    /// A part that does not exist, is no part, or has a key that another one has. Figures are
    /// checked by [`Files::model`].
    pub fn of_text(text: impl Into<Cow<'static, str>>, name: &str) -> Result<Files, FileError> {
        Files::gather(ModelFile::own(name, text), None)
    }

    /// The files of the shipped model of this name.
    pub fn shipped(name: &str) -> Option<Files> {
        let shipped = SHIPPED.iter().find(|s| s.name == name)?;
        let file = ModelFile::built_in(&format!("{name}.toml"), shipped.text);
        Some(Files::gather(file, None).expect("shipped models are tested"))
    }

    /// All files, the drive's own first.
    pub fn files(&self) -> &[ModelFile] {
        &self.files
    }

    /// The names of the parts, without the folder of the drive file.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(String::as_str)
    }

    /// The model as one text without `include`.
    pub fn text(&self) -> &str {
        &self.resolved.text
    }

    /// The model that these files describe.
    ///
    /// # Errors
    /// All faults, with the places of the figures in these files.
    pub fn model(&self) -> Result<Model, FileError> {
        Model::of(self)
    }

    /// Replaces the text of a file and resolves again.
    ///
    /// # Errors
    /// As [`Files::of_text`].
    ///
    /// # Panics
    /// If there is no such file.
    pub fn replace(&mut self, name: &str, text: String) -> Result<(), FileError> {
        let file = self.files.iter_mut().find(|f| f.name == name);
        file.unwrap_or_else(|| panic!("{name} is not a file of this model"))
            .text = Cow::Owned(text);
        self.resolved = resolve(&self.files)?;
        Ok(())
    }

    /// File and line of a line of the resolved text.
    pub(super) fn place(&self, line: usize) -> (&str, usize) {
        let (file, line) = self.resolved.place(line);
        (&self.files[file].name, line)
    }

    fn gather(drive: ModelFile, beside: Option<&Path>) -> Result<Files, FileError> {
        let mut files = vec![drive];
        let mut parts = Vec::new();
        for (name, line) in includes(&files[0])? {
            let part = find(&files[0], &name, line, beside)?;
            if files.iter().any(|file| file.name == part.name) {
                return Err(parse_error(
                    &files[0],
                    line,
                    "include",
                    format!("`{name}` is included twice"),
                ));
            }
            files.push(part);
            parts.push(name);
        }
        let resolved = resolve(&files)?;
        Ok(Files {
            files,
            parts,
            resolved,
        })
    }
}

/// Names of the parts that a drive file includes, with the line of each.
fn includes(drive: &ModelFile) -> Result<Vec<(String, usize)>, FileError> {
    // A drive without parts is not parsed twice; the word in a comment does no harm.
    if !drive.text.contains("include") && !drive.text.contains(PART_SCHEMA) {
        return Ok(Vec::new());
    }
    // A file that is not TOML is an error when the model is read.
    let Ok(document) = Document::parse(&*drive.text) else {
        return Ok(Vec::new());
    };
    let lines = Lines::of(&drive.text);
    let line = |item: &Item| item_line(&lines, None, item);
    if let Some(schema) = document.get("schema")
        && schema.as_str() == Some(PART_SCHEMA)
    {
        let message = format!(
            "it is a part of drive models, no model; name a drive model that includes it (a \
             model's schema is {SCHEMA})"
        );
        return Err(parse_error(drive, line(schema), "schema", message));
    }
    let Some(include) = document.get("include") else {
        return Ok(Vec::new());
    };
    let wrong = |line| {
        let message = "expected a list of parts: [\"nand/….toml\", …]".to_owned();
        parse_error(drive, line, "include", message)
    };
    let list = include.as_array().ok_or_else(|| wrong(line(include)))?;
    list.iter()
        .map(|entry: &TomlValue| {
            let line = lines.at(entry.span().map_or(0, |span| span.start));
            let name = entry.as_str().ok_or_else(|| wrong(line))?;
            Ok((name.to_owned(), line))
        })
        .collect()
}

/// The part with a name: beside the drive file, if that is on a disk, else built in.
fn find(
    drive: &ModelFile,
    name: &str,
    line: usize,
    beside: Option<&Path>,
) -> Result<ModelFile, FileError> {
    let mut looked_for = String::new();
    if let Some(folder) = beside {
        let path: PathBuf = folder.join(name);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                return Ok(ModelFile::own(&path.display().to_string(), text));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                looked_for = format!("at {}, and ", path.display());
            }
            Err(error) => {
                let message = format!("cannot read the part {}: {error}", path.display());
                return Err(parse_error(drive, line, "include", message));
            }
        }
    }
    if let Some(part) = PARTS.iter().find(|part| part.name == name) {
        return Ok(ModelFile::built_in(name, part.text));
    }
    let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
    let message = format!(
        "there is no part `{name}`: it was looked for {looked_for}among the shipped parts, which \
         are {}",
        names.join(", ")
    );
    Err(parse_error(drive, line, "include", message))
}

/// Composes one text of all files. Without parts it is the drive file, byte for byte.
fn resolve(files: &[ModelFile]) -> Result<Resolved, FileError> {
    let [drive, parts @ ..] = files else {
        unreachable!("there is a drive file");
    };
    let document = Document::parse(&*drive.text);
    let includes = document.as_ref().is_ok_and(|d| d.contains_key("include"));
    if !includes {
        return Ok(Resolved::verbatim(drive.text.clone().into_owned()));
    }
    let mut pieces: Vec<Piece> = Vec::new();
    let mut problems = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        for piece in part_pieces(part, index + 1)? {
            match pieces.iter().find(|other| other.names_the_same(&piece)) {
                Some(other) => {
                    let message = format!(
                        "{}:{} names it too; a figure may stand in one part only, or in the drive \
                         file, which wins",
                        files[other.file].name, other.line
                    );
                    problems.push(problem(part, piece.line, &piece.name(), message));
                }
                None => pieces.push(piece),
            }
        }
    }
    FileError::unless_empty(problems)?;
    for piece in compose::pieces(&drive.text, 0).map_err(|e| broken(drive, &e))? {
        if piece.name() == "include" {
            continue;
        }
        match pieces.iter_mut().find(|other| other.names_the_same(&piece)) {
            Some(other) => *other = piece,
            None => pieces.push(piece),
        }
    }
    leave_out_shares(&mut pieces);
    Ok(compose::compose(&drive.text, pieces))
}

/// Optional tables to which flash, controller, host and firmware each contribute keys.
const SHARED: [&str; 6] = [
    "media",
    "wear_levelling",
    "energy",
    "thermal",
    "health",
    "blocks",
];

/// Removes each of these tables that only parts contain and that lacks required keys, as in a drive
/// that takes its flash from a part but not its controller: the drive is modelled without the
/// table.
fn leave_out_shares(pieces: &mut Vec<Piece>) {
    for table in SHARED {
        let names = |key: &str| {
            let name = format!("{table}.{key}");
            pieces.iter().any(|piece| piece.name() == name)
        };
        let is_own = pieces.iter().any(|p| p.table == table && p.file == 0);
        let described = DESCRIBED.iter().find(|described| described.name == table);
        let mut keys = described.iter().flat_map(|table| &table.keys);
        let is_whole = names("none") || keys.all(|key| key.optional || names(key.key));
        if !is_own && !is_whole {
            pieces.retain(|piece| piece.table != table);
        }
    }
}

/// The pieces of a part without its head.
fn part_pieces(part: &ModelFile, index: usize) -> Result<Vec<Piece>, FileError> {
    let pieces = compose::pieces(&part.text, index).map_err(|e| broken(part, &e))?;
    let schema = pieces.iter().find(|piece| piece.name() == "schema");
    if schema.and_then(Piece::string).as_deref() != Some(PART_SCHEMA) {
        let line = schema.map_or(1, |piece| piece.line);
        let old = schema.and_then(Piece::string);
        let message = match old.as_deref() == Some(renamed::PART_SCHEMA_1) {
            true => format!(
                "this part is of {}; name {PART_SCHEMA}, and what is said then of its keys tells \
                 their names now",
                renamed::PART_SCHEMA_1
            ),
            false => format!("a part begins with schema = \"{PART_SCHEMA}\""),
        };
        return Err(parse_error(part, line, "schema", message));
    }
    if !pieces.iter().any(|piece| piece.name() == "title") {
        let message = "missing field `title`".to_owned();
        return Err(parse_error(part, 1, "title", message));
    }
    let (head, tables): (Vec<Piece>, Vec<Piece>) =
        pieces.into_iter().partition(|piece| piece.table.is_empty());
    for piece in head {
        let name = piece.name();
        if name == "include" {
            let message = "a part includes nothing; name this part in the drive file".to_owned();
            return Err(parse_error(part, piece.line, &name, message));
        }
        if !PART_HEAD.contains(&name.as_str()) {
            let message = "a part has a schema, a title, and tables of figures".to_owned();
            return Err(parse_error(part, piece.line, &name, message));
        }
    }
    Ok(tables)
}

fn problem(file: &ModelFile, line: usize, key: &str, message: String) -> Problem {
    Problem {
        file: file.name.clone(),
        line: Some(line),
        key: Some(key.to_owned()),
        message,
    }
}

fn parse_error(file: &ModelFile, line: usize, key: &str, message: String) -> FileError {
    problem(file, line, key, message).into()
}

/// The error of a file that is not TOML.
fn broken(file: &ModelFile, error: &toml_edit::TomlError) -> FileError {
    let text = SourceText {
        file: &file.name,
        text: &file.text,
    };
    let offset = error.span().map_or(0, |span| span.start);
    let message = error.message().trim();
    text.problem(offset, text.key_of_line(offset), message)
        .into()
}

impl Files {
    /// Figures that may be fitted, in the order of the model's text.
    pub fn free(&self) -> Vec<FreeFigure> {
        let Ok((mut reader, _)) = super::read(self) else {
            return Vec::new();
        };
        reader.free.sort_by_key(|(line, _)| *line);
        let figures = reader.free.into_iter().map(|(line, figure)| FreeFigure {
            file: self.place(line).0.to_owned(),
            ..figure
        });
        figures.collect()
    }
}
