//! Faults of a job file, and their places.

use std::fmt;
use std::sync::Arc;

/// A line of a job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the file, as given or included.
    pub file: Arc<str>,
    /// Line, from 1; 0 for the file as a whole.
    pub line: u32,
    /// Name of the section, if the line is in one.
    pub section: Option<Arc<str>>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ", line {}", self.line)?;
        }
        match &self.section {
            Some(section) => write!(f, ", section [{section}]"),
            None => Ok(()),
        }
    }
}

/// Reason why a job file cannot be used: file, line, section, option, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct JobError {
    /// Place of the fault.
    pub place: Place,
    /// The fault and what is allowed, in words.
    pub problem: String,
}

impl JobError {
    pub(super) fn new(place: &Place, problem: impl Into<String>) -> JobError {
        JobError {
            place: place.clone(),
            problem: problem.into(),
        }
    }
}
