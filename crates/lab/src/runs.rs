//! The runs there are.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use rusqlite::types::Type;
use rusqlite::{Row, params};
use stend_record::review::Condition;

use crate::drives::{self, Drive};
use crate::{Lab, LabError};

/// The number of a run in its lab; in another lab the same run has another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whether a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Tests are missing: it runs, was stopped, or a test failed.
    Unfinished,
    /// All tests that were asked for are there.
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
    /// Its name in any lab.
    pub uuid: String,
    /// What was tested.
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
    /// Whether it came to its end.
    pub state: RunState,
    /// Tests that finished.
    pub tests_finished: u32,
    /// Tests that failed.
    pub tests_failed: u32,
    /// How often it was stopped and went on.
    pub breaks: u32,
    /// Beginning, ms since 1970.
    pub begun_unix_ms: i64,
    /// When it was last written, ms since 1970.
    pub saved_unix_ms: i64,
    /// The version of stend that began it.
    pub stend_version: String,
    /// The commit of that, where it is known.
    pub stend_commit: Option<String>,
    /// Folder of its report.
    pub folder: String,
    /// The command that makes it again.
    pub command: String,
    /// A name that the user gave it.
    pub label: Option<String>,
    /// What the user noted about it.
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
    /// What the lab knows of how it was made beside its review: edition and program.
    pub fn facts(&self) -> Vec<Condition> {
        let facts = [
            ("edition's SHA-256", self.edition_sha256.clone()),
            ("stend", self.stend_version.clone()),
            (
                "commit of stend",
                self.stend_commit.clone().unwrap_or_default(),
            ),
        ];
        let facts = facts.into_iter().filter(|fact| !fact.1.is_empty());
        let facts = facts.map(|(name, value)| Condition {
            name: name.to_owned(),
            value,
        });
        facts.collect()
    }
}

impl Lab {
    /// All runs in the order in which they began.
    pub fn runs(&self) -> Result<Vec<RunSummary>, LabError> {
        self.rows(&select("ORDER BY begun_unix_ms, runs.id"), [], summary)
    }

    /// One run.
    ///
    /// # Errors
    /// [`LabError::NoRun`] where there is none.
    pub fn run(&self, run: RunId) -> Result<RunSummary, LabError> {
        let found = self.row(&select("WHERE runs.id = ?1"), params![run.0], summary)?;
        found.ok_or_else(|| self.no_run(run))
    }

    /// The last complete run of each drive that a word fits, in the order in which they began: by
    /// the run's label or, where no label is that word, by the target as it was typed, the stem of
    /// its file (`mine` of `models/mine.toml`), the drive's name with or without what differs, or
    /// its serial number. A word that fits several drives says too little.
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

    /// The runs of which a fact of this kind (`target`, `method`, `environment`) has this value,
    /// in the order of their numbers.
    pub fn runs_where(&self, kind: &str, name: &str, value: &str) -> Result<Vec<RunId>, LabError> {
        let sql = "SELECT DISTINCT run FROM conditions
             WHERE kind = ?1 AND name = ?2 AND value = ?3 ORDER BY run";
        self.rows(sql, params![kind, name, value], |row| {
            Ok(RunId(row.get(0)?))
        })
    }

    /// Removes runs with all that belongs to them, and drives of which there is no run then.
    /// What a run was compared with stays.
    ///
    /// # Errors
    /// [`LabError::NoRun`] where there is none; then nothing is removed.
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
    /// Whether it goes by this name: the target as it was typed, the stem of its file, the drive's
    /// name with or without what differs, or its serial number.
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
