//! Drive models: TOML files that describe a drive's hardware and firmware, every figure
//! with its source.
//!
//! The format is documented key by key in `docs/drive-format.md`. An unknown key is an error with
//! its line, as is a figure out of range. Parts contain the figures that several drives share;
//! drive files include them.
//!
//! The crate also defines the figures that a simulation runs on ([`Spec`]), and the places of data
//! that follow from them ([`geometry`]). Figures of a drive's health ([`health`]) have names in
//! drive files, too.

pub mod geometry;
pub mod health;
pub mod ids;
pub mod nand;
mod schema;

mod changes;
pub(crate) mod check;
mod facts;
mod figures;
#[cfg(test)]
mod mechanisms;
mod overrides;
mod parts;
mod scaled;
mod shipped;
#[cfg(test)]
pub(crate) mod testing;

// The integration tests: as modules of the crate, so that one program is compiled and linked.
#[cfg(test)]
extern crate self as stend_model;
#[cfg(test)]
#[path = "../tests/main.rs"]
mod tests;

use std::path::Path;

use crate::schema::key::Reader;
use crate::schema::renamed;
use crate::schema::tables::DESCRIBED;
use stend_config::{Problem, SourceText};

pub use crate::schema::document::{DescribedKey, DescribedTable};
pub use crate::schema::free::{FreeFigure, NewValue, WriteError, write_values};
pub use crate::schema::key::Field;
pub use crate::schema::setting::Setting;
pub use crate::schema::spec::{self, Spec};
pub use crate::schema::{Model, SCHEMA, tables};
pub use changes::{Change, Origin, short_key};
pub use facts::SlcCacheSize;
pub use figures::Figure;
pub use overrides::check_key;
pub use parts::{Files, ModelFile, PART_SCHEMA};
pub use shipped::{PARTS, SHIPPED, Shipped, meant, unknown_model};
pub use stend_config::FileError;

impl Model {
    /// Reads a model, with parts from those built into the program. `path` is for messages only.
    ///
    /// # Errors
    /// All faults, with file, line and key.
    pub fn parse(text: &str, path: &str) -> Result<Model, FileError> {
        Files::of_text(text.to_owned(), path)?.model()
    }

    /// Reads a model file and its parts.
    ///
    /// # Errors
    /// As [`Model::parse`], and if the file cannot be read.
    pub fn read(path: &Path) -> Result<Model, FileError> {
        Files::read(path)?.model()
    }

    /// The shipped model of this name.
    pub fn shipped(name: &str) -> Option<Model> {
        let files = Files::shipped(name)?;
        Some(files.model().expect("shipped models are tested"))
    }

    fn of(files: &Files) -> Result<Model, FileError> {
        let (reader, model) = read(files)?;
        let mut problems = reader.problems;
        if let Some(model) = &model {
            check::model(&mut problems, model);
        }
        let problems = problems.0.into_iter();
        let problems = problems.map(|problem| placed(problem, files));
        FileError::unless_empty(problems.collect())?;
        let mut model = model.expect("what could not be read is a problem");
        model.fingerprint = fingerprint(files.text());
        model.text = files.text().to_owned();
        model.absent = reader.absent;
        model.parts = files.parts().map(str::to_owned).collect();
        Ok(model)
    }
}

/// All tables of drive files, in the order in which they are written; the first is the file itself.
pub fn described_tables() -> Vec<DescribedTable> {
    DESCRIBED.clone()
}

/// A problem of a line of the resolved text, with the file and line of its origin.
fn placed(problem: Problem, files: &Files) -> Problem {
    let (file, line) = files.place(problem.line.unwrap_or(1));
    Problem {
        file: file.to_owned(),
        line: Some(line),
        ..problem
    }
}

/// Reads a resolved text, unless it is not TOML or has another schema.
fn read(files: &Files) -> Result<(Reader, Option<Model>), FileError> {
    let text = files.text();
    let text_of = SourceText { file: "", text };
    let broken = |offset: usize, key: Option<String>, message: String| {
        FileError::from(placed(text_of.problem(offset, key, message), files))
    };
    let document = toml_edit::Document::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        broken(
            offset,
            text_of.key_of_line(offset),
            error.message().trim().to_owned(),
        )
    })?;
    let (mut reader, model) = Reader::read::<Model>(text, document.as_table());
    let schema = document.get("schema");
    let span = schema.and_then(toml_edit::Item::span);
    let start = span.map_or(0, |span| span.start);
    let key = || Some("schema".to_owned());
    match schema.map(toml_edit::Item::as_str) {
        None => Err(broken(0, key(), "missing field `schema`".to_owned())),
        Some(Some(SCHEMA)) => Ok((reader, model)),
        Some(Some(renamed::SCHEMA_1)) => {
            reader.problems.0 = renamed::only(reader.problems.0, text_of.line(start));
            Ok((reader, None))
        }
        Some(other) => {
            let other = other.unwrap_or_default();
            let message = format!("`{other}` is not known; allowed: {SCHEMA}");
            Err(broken(start, key(), message))
        }
    }
}

/// FNV-1a, 64 bits: enough to notice an edit, but no protection against forgery.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
