//! Lines to sections and entries; `include` and `${VARIABLE}`.
//!
//! As in fio's `__parse_jobs_ini`: a line that begins with `#` or `;` is a comment, and so is the
//! rest of a line after either; an entry is `key=value` or `key`; an included file may contain
//! entries and further includes, but no section.

use std::fmt;
use std::sync::Arc;

use super::error::{JobError, Place};

/// Includes deeper than this are treated as a loop.
const INCLUDE_DEPTH_MAX: usize = 16;

/// Value of `$pagesize`: a page of the machines that stend runs on.
const PAGE_BYTES: &str = "4096";

/// One `key=value` or `key`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The option, as written.
    pub key: String,
    /// The value after `=`, trimmed; `None` without `=`.
    pub value: Option<String>,
    /// Place of the entry.
    pub place: Place,
}

/// One `[section]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawSection {
    /// The text between the brackets.
    pub name: Arc<str>,
    /// Place of the brackets.
    pub place: Place,
    /// Its entries in order, with those of included files in their place.
    pub entries: Vec<Entry>,
}

impl RawSection {
    /// True for `[global]`, which sets defaults of the sections after it.
    pub fn is_global(&self) -> bool {
        &*self.name == "global"
    }
}

/// A job file as text, includes resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// Sections in order.
    pub sections: Vec<RawSection>,
}

impl Text {
    /// Place, in the user's own files, of a line, from 1, of the text that `Display` writes.
    pub fn place_of_line(&self, line: usize) -> Option<&Place> {
        let places = self.sections.iter().flat_map(|section| {
            let entries = section.entries.iter().map(|entry| &entry.place);
            std::iter::once(&section.place).chain(entries)
        });
        places.into_iter().nth(line.checked_sub(1)?)
    }
}

impl fmt::Display for Text {
    /// Writes an equivalent job file: one entry a line, no comments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for section in &self.sections {
            writeln!(f, "[{}]", section.name)?;
            for entry in &section.entries {
                match &entry.value {
                    Some(value) => writeln!(f, "{}={value}", entry.key)?,
                    None => writeln!(f, "{}", entry.key)?,
                }
            }
        }
        Ok(())
    }
}

/// Source of included files and variables.
pub trait Resolver {
    /// The text of the file `path`, named by an `include` line of the file `from`, and the file's
    /// name in errors.
    fn include(&self, path: &str, from: &str) -> Result<(String, String), String>;

    /// The value of `$ncpus`: the number of processors of this machine.
    fn processors(&self) -> Result<String, String>;

    /// The value of `$mb_memory`: the memory of this machine, MiB.
    fn memory_mib(&self) -> Result<String, String>;

    /// The value of `${name}`.
    fn variable(&self, name: &str) -> Result<String, String>;
}

/// Reads the text of a job file called `file`.
pub fn lex(text: &str, file: &str, resolver: &dyn Resolver) -> Result<Text, JobError> {
    let mut lexer = Lexer {
        resolver,
        sections: Vec::new(),
    };
    lexer.file(text, file, 0)?;
    Ok(Text {
        sections: lexer.sections,
    })
}

/// A line of a job file without its comment and surrounding blanks.
pub fn code_of(line: &str) -> &str {
    line.split(['#', ';']).next().unwrap_or_default().trim()
}

/// The option and the value of a line that is no section.
pub fn option_of(code: &str) -> (&str, Option<&str>) {
    match code.split_once('=') {
        Some((key, value)) => (key.trim(), Some(value.trim())),
        None => (code, None),
    }
}

struct Lexer<'a> {
    resolver: &'a dyn Resolver,
    sections: Vec<RawSection>,
}

impl Lexer<'_> {
    fn file(&mut self, text: &str, file: &str, depth: usize) -> Result<(), JobError> {
        let file: Arc<str> = file.into();
        for (index, raw) in text.lines().enumerate() {
            let line = code_of(raw);
            if line.is_empty() {
                continue;
            }
            let place = Place {
                file: Arc::clone(&file),
                line: u32::try_from(index + 1).unwrap_or(u32::MAX),
                section: self.sections.last().map(|s| Arc::clone(&s.name)),
            };
            if line.starts_with('[') {
                self.section(line, place, depth)?;
            } else if let Some(path) = include_path(line) {
                self.include(path, &place, depth)?;
            } else {
                self.entry(line, place)?;
            }
        }
        Ok(())
    }

    fn section(&mut self, line: &str, mut place: Place, depth: usize) -> Result<(), JobError> {
        place.section = None;
        if depth > 0 {
            let problem =
                format!("an included file holds options only, no section; found `{line}`");
            return Err(JobError::new(&place, problem));
        }
        let name = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .map(str::trim)
            .filter(|name| !name.is_empty() && !name.contains([']', '[']));
        let Some(name) = name else {
            let problem = format!("a section reads `[name]`; found `{line}`");
            return Err(JobError::new(&place, problem));
        };
        let name: Arc<str> = name.into();
        place.section = Some(Arc::clone(&name));
        self.sections.push(RawSection {
            name,
            place,
            entries: Vec::new(),
        });
        Ok(())
    }

    fn include(&mut self, path: &str, place: &Place, depth: usize) -> Result<(), JobError> {
        if depth >= INCLUDE_DEPTH_MAX {
            let problem = format!("includes are nested deeper than {INCLUDE_DEPTH_MAX}: `{path}`");
            return Err(JobError::new(place, problem));
        }
        let (text, name) = self
            .resolver
            .include(path, &place.file)
            .map_err(|problem| JobError::new(place, problem))?;
        self.file(&text, &name, depth + 1)
    }

    fn entry(&mut self, line: &str, place: Place) -> Result<(), JobError> {
        let (key, value) = option_of(line);
        if key.is_empty() {
            let problem = format!("there is no option before `=` in `{line}`");
            return Err(JobError::new(&place, problem));
        }
        let value = match value {
            Some(value) => Some(
                self.expand(value)
                    .map_err(|problem| JobError::new(&place, problem))?,
            ),
            None => None,
        };
        let Some(section) = self.sections.last_mut() else {
            let problem = "is outside of any section; begin with `[global]` or `[name]`";
            return Err(JobError::new(&place, format!("option `{key}` {problem}")));
        };
        section.entries.push(Entry {
            key: key.to_string(),
            value,
            place,
        });
        Ok(())
    }

    fn expand(&self, value: &str) -> Result<String, String> {
        let mut out = String::with_capacity(value.len());
        let mut rest = value;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, after)) = after.split_once('}') else {
                return Err(format!("`${{` without `}}` in `{value}`"));
            };
            out.push_str(before);
            out.push_str(&self.resolver.variable(name)?);
            rest = after;
        }
        out.push_str(rest);
        self.keywords(out.trim())
    }

    /// Replaces fio's keywords `$pagesize`, `$ncpus` and `$mb_memory`.
    fn keywords(&self, value: &str) -> Result<String, String> {
        let mut value = value.replace("$pagesize", PAGE_BYTES);
        if value.contains("$ncpus") {
            value = value.replace("$ncpus", &self.resolver.processors()?);
        }
        if value.contains("$mb_memory") {
            value = value.replace("$mb_memory", &self.resolver.memory_mib()?);
        }
        Ok(value)
    }
}

fn include_path(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("include")?;
    let path = rest.trim_start();
    (path.len() < rest.len() && !path.is_empty() && !path.starts_with('=')).then_some(path)
}
