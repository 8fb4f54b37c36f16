//! The runs of a lab.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use rusqlite::types::Type;
use rusqlite::{Row, params};
use stend_record::review::Condition;

use crate::drives::{self, Drive};
use crate::{Lab, LabError};

/// Number of a run in its lab; in another lab the same run has another number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Tests are missing: it is in progress, was stopped, or a test failed.
    Unfinished,
    /// All requested tests are finished.
    Complete,
}

impl RunState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            RunState::Unfinished => "unfinished",
            RunState::Complete => "complete",
        }
    }
}

/// One run, without its results.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RunSummary {
    /// Its number.
    pub run: i64,
    /// Id that is the same in any lab.
    pub uuid: String,
    /// The drive.
    pub drive: Drive,
    /// The target as it was typed.
    pub target: String,
    /// Capacity under test, bytes.
    pub capacity_bytes: u64,
    /// Id of the edition.
    pub edition: String,
    /// SHA-256 of the edition's text, hexadecimal.
    pub edition_sha256: String,
    /// Factor on every measurement.
    pub duration_scale: f64,
    /// State of the run.
    pub state: RunState,
    /// Tests that finished.
    pub tests_finished: u32,
    /// Tests that failed.
    pub tests_failed: u32,
    /// Number of times that it was stopped and resumed.
    pub breaks: u32,
    /// Start, ms since 1970.
    pub begun_unix_ms: i64,
    /// Last write, ms since 1970.
    pub saved_unix_ms: i64,
    /// Version of stend that began it.
    pub stend_version: String,
    /// Commit of that stend, if known.
    pub stend_commit: Option<String>,
    /// Folder of its report.
    pub folder: String,
    /// Command that repeats it.
    pub command: String,
    /// The user's label.
    pub label: Option<String>,
    /// The user's note.
    pub note: Option<String>,
}

/// Columns of [`RunSummary`] before those of the drive.
const COLUMNS: &str = "runs.id, uuid, capacity_bytes, edition, edition_sha256, duration_scale, \
    state, begun_unix_ms, saved_unix_ms, stend_version, stend_commit, folder, command, target, \
    label, note,
    (SELECT count(*) FROM tests WHERE run = runs.id AND state = 'finished'),
    (SELECT count(*) FROM tests WHERE run = runs.id AND state = 'failed'),
    (SELECT count(*) FROM breaks WHERE run = runs.id)";

pub(crate) fn select(more: &str) -> String {
    format!(
        "SELECT {COLUMNS}, {} FROM runs JOIN drives ON drives.id = runs.drive {more}",
        drives::COLUMNS
    )
}

impl RunSummary {
    /// Returns facts about the run that are not in its review: edition and program.
    pub fn facts(&self) -> Vec<Condition> {
        let commit = self.stend_commit.clone().unwrap_or_default();
        let facts = [
            ("edition-s-sha-256", self.edition_sha256.clone()),
            ("stend", self.stend_version.clone()),
            ("commit-of-stend", commit),
        ];
        let facts = facts.into_iter().filter(|fact| !fact.1.is_empty());
        facts.map(|(id, value)| Condition::new(id, value)).collect()
    }
}

impl Lab {
    /// Returns all runs in the order in which they began.
    pub fn runs(&self) -> Result<Vec<RunSummary>, LabError> {
        self.rows(&select("ORDER BY begun_unix_ms, runs.id"), [], summary)
    }

    /// Returns one run.
    ///
    /// # Errors
    /// [`LabError::NoRun`] if there is none.
    pub fn run(&self, run: RunId) -> Result<RunSummary, LabError> {
        let found = self.row(&select("WHERE runs.id = ?1"), params![run.0], summary)?;
        found.ok_or_else(|| self.no_run(run))
    }

    /// Returns the last complete run of each drive that matches a word, in the order in which they
    /// began. The word is a run's label or, if there is no such label, the target as it was typed,
    /// the stem of its file (`mine` of `models/mine.toml`), the drive's name with or without the
    /// differences, or its serial number. A word that matches several drives is ambiguous.
    pub fn complete_runs_of(&self, word: &str) -> Result<Vec<RunSummary>, LabError> {
        let mut runs = self.runs()?;
        runs.retain(|run| run.state == RunState::Complete);
        let is_labelled = |run: &RunSummary| run.label.as_deref() == Some(word);
        match runs.iter().any(is_labelled) {
            true => runs.retain(is_labelled),
            false => runs.retain(|run| run.is_called(word)),
        }
        let mut last: Vec<RunSummary> = Vec::new();
        for run in runs {
            last.retain(|earlier| !earlier.drive.is(&run.drive));
            last.push(run);
        }
        Ok(last)
    }

    /// Returns the runs that were made for a measurement, in the order of their numbers.
    pub fn runs_of_measurement(&self, key: &str) -> Result<Vec<RunId>, LabError> {
        let sql = "SELECT id FROM runs WHERE measurement_key = ?1 ORDER BY id";
        self.rows(sql, [key], |row| Ok(RunId(row.get(0)?)))
    }

    /// Removes runs with all their data, and drives that then have no run. Runs that they were
    /// compared with stay.
    ///
    /// # Errors
    /// [`LabError::NoRun`] if one does not exist; then nothing is removed.
    pub fn delete(&mut self, runs: &[RunId]) -> Result<(), LabError> {
        for &run in runs {
            self.run(run)?;
        }
        self.change(|within| {
            for run in runs {
                within.execute("DELETE FROM runs WHERE id = ?1", params![run.0])?;
            }
            drives::remove_unused(within)
        })
    }

    pub(crate) fn no_run(&self, run: RunId) -> LabError {
        LabError::NoRun {
            path: self.path.clone(),
            run: run.0,
        }
    }
}

impl RunSummary {
    /// True if `word` names the run: the target as it was typed, the stem of its file, the drive's
    /// name with or without the differences, or its serial number.
    fn is_called(&self, word: &str) -> bool {
        let stem = Path::new(&self.target).file_stem();
        let names = [
            self.target.as_str(),
            stem.and_then(OsStr::to_str).unwrap_or_default(),
            &self.drive.model,
            &self.drive.title,
            &self.drive.serial,
        ];
        !word.is_empty() && names.contains(&word)
    }
}

pub(crate) fn summary(row: &Row<'_>) -> Result<RunSummary, rusqlite::Error> {
    let state: String = row.get(6)?;
    let state = [RunState::Unfinished, RunState::Complete]
        .into_iter()
        .find(|known| known.name() == state)
        .ok_or_else(|| rusqlite::Error::InvalidColumnType(6, "state".to_owned(), Type::Text))?;
    Ok(RunSummary {
        run: row.get(0)?,
        uuid: row.get(1)?,
        drive: drives::drive(row, 19)?,
        capacity_bytes: row.get::<_, i64>(2)?.cast_unsigned(),
        edition: row.get(3)?,
        edition_sha256: row.get(4)?,
        duration_scale: row.get(5)?,
        state,
        begun_unix_ms: row.get(7)?,
        saved_unix_ms: row.get(8)?,
        stend_version: row.get(9)?,
        stend_commit: row.get(10)?,
        folder: row.get(11)?,
        command: row.get(12)?,
        target: row.get(13)?,
        label: row.get(14)?,
        note: row.get(15)?,
        tests_finished: row.get(16)?,
        tests_failed: row.get(17)?,
        breaks: row.get(18)?,
    })
}
