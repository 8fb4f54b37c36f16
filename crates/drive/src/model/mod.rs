//! Drive models: TOML files that describe a drive's hardware and firmware, every figure
//! with its source.
//!
//! The format is documented key by key in `docs/drive-format.md`. A key that does not
//! exist is an error with its place, as is a figure out of range. What several drives have in
//! common stands in parts that their files include.

mod blocks;
mod check;
mod commands;
mod compose;
mod energy;
mod facts;
mod free;
mod health;
mod host;
mod map;
mod media;
mod parts;
mod policy;
pub mod power_loss;
mod resolve;
mod schema;
mod shape;
mod shipped;
mod slc_cache;
mod sourced;
mod streams;
mod thermal;
mod trim;
mod wear_levelling;

use std::path::Path;

use compose::Resolved;

pub use blocks::Blocks;
pub use commands::NandCommands;
pub use energy::{EnergyTable, IdleStateTable};
pub use free::{FreeFigure, NewValue, WriteError, write_values};
pub use health::{AttributeTable, HealthTable};
pub use host::Host;
pub use map::Map;
pub use media::Media;
pub use parts::{Files, ModelFile, PART_SCHEMA};
pub use schema::Model;
pub use shipped::{PARTS, SHIPPED, Shipped};
pub use slc_cache::SlcCache;
pub use sourced::{Field, Sourced, Value};
pub use thermal::ThermalTable;
pub use trim::Trim;

use crate::spec::Spec;

/// The schema that a model file names.
pub const SCHEMA: &str = "stend.drive/1";

/// A model file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// There is no such file, or it cannot be read.
    #[error(
        "cannot read the drive model {path}: {source}; `stend drives list` names the models that need no file"
    )]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is not TOML, or its keys or types are wrong.
    #[error("{path}:{line}: {}{message}", key.as_ref().map_or_else(String::new, |k| format!("{k}: ")))]
    Parse {
        /// The file.
        path: String,
        /// Line of the first problem, from 1.
        line: usize,
        /// The key at fault with its table, `nand.dies`; `None` in broken TOML.
        key: Option<String>,
        /// The problem and what is allowed.
        message: String,
    },
    /// Figures are out of range or contradict each other.
    #[error("{}", problems.join("\n"))]
    Check {
        /// One line a problem: file, line, key, what is wrong, what is allowed.
        problems: Vec<String>,
    },
}

impl Model {
    /// Reads a model, with parts from those built into the program. `path` is for messages only.
    ///
    /// # Errors
    /// [`ModelError::Parse`] and [`ModelError::Check`].
    pub fn parse(text: &str, path: &str) -> Result<Model, ModelError> {
        Files::of_text(text.to_owned(), path)?.model()
    }

    /// Reads a model file and its parts.
    ///
    /// # Errors
    /// As [`Model::parse`], and [`ModelError::Read`].
    pub fn read(path: &Path) -> Result<Model, ModelError> {
        Files::read(path)?.model()
    }

    /// The shipped model of this name.
    pub fn shipped(name: &str) -> Option<Model> {
        let files = Files::shipped(name)?;
        Some(files.model().expect("shipped models are tested"))
    }

    /// The model of a resolved text; `place` tells file and line of a line of it.
    fn of<'a>(
        resolved: &Resolved,
        place: &dyn Fn(usize) -> (&'a str, usize),
    ) -> Result<Model, ModelError> {
        let text = &resolved.text;
        let mut model: Model = toml::from_str(text).map_err(|error| {
            let shape = shape::explain(text, &error);
            let (path, line) = place(shape.line);
            ModelError::Parse {
                path: path.to_owned(),
                line,
                key: shape.key,
                message: shape.message,
            }
        })?;
        model.fingerprint = fingerprint(text);
        model.text = text.clone();
        let mut problems = check::problems(&model, text);
        problems.extend(free::problems(text));
        if problems.is_empty() {
            return Ok(model);
        }
        let tell = |problem: check::Problem| {
            let (path, line) = place(problem.line);
            format!("{path}:{line}: {}: {}", problem.key, problem.message)
        };
        Err(ModelError::Check {
            problems: problems.into_iter().map(tell).collect(),
        })
    }

    /// The numbers a simulation runs on.
    pub fn spec(&self) -> Spec {
        resolve::spec(self)
    }
}

/// The demonstration drive's file, which has no parts: for tests that change it.
#[cfg(test)]
fn demo() -> &'static str {
    let demo = SHIPPED.iter().find(|s| s.name == "demo-8gb");
    demo.expect("it is shipped").text
}

/// Line of a byte offset, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())]
        .iter()
        .filter(|&&b| b == b'\n')
        .count()
}

/// FNV-1a, 64 bits: enough to notice an edit; nobody is to be kept from forging one.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
