//! The runs there are.

use std::fmt;

use rusqlite::types::Type;
use rusqlite::{Row, Transaction, params};
use stend_record::review::Condition;

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

/// What was tested.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Drive {
    /// `simulated`, `file`, `directory`, `block-device`.
    pub kind: String,
    /// Marketing name, or path.
    pub model: String,
    /// Serial number; empty where there is none.
    pub serial: String,
    /// Firmware revision; empty where there is none.
    pub firmware: String,
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

pub(crate) const SELECT: &str = "
    SELECT runs.id, uuid, kind, model, serial, firmware, capacity_bytes, edition, edition_sha256,
        duration_scale, state, begun_unix_ms, saved_unix_ms, stend_version, stend_commit, folder,
        command, target,
        (SELECT count(*) FROM tests WHERE run = runs.id AND state = 'finished'),
        (SELECT count(*) FROM tests WHERE run = runs.id AND state = 'failed'),
        (SELECT count(*) FROM breaks WHERE run = runs.id)
    FROM runs JOIN drives ON drives.id = runs.drive";

impl Lab {
    /// All runs in the order in which they began.
    pub fn runs(&self) -> Result<Vec<RunSummary>, LabError> {
        let sql = format!("{SELECT} ORDER BY begun_unix_ms, runs.id");
        self.rows(&sql, [], summary)
    }

    /// One run.
    ///
    /// # Errors
    /// [`LabError::NoRun`] where there is none.
    pub fn run(&self, run: RunId) -> Result<RunSummary, LabError> {
        let sql = format!("{SELECT} WHERE runs.id = ?1");
        let found = self.row(&sql, params![run.0], summary)?;
        found.ok_or_else(|| self.no_run(run))
    }

    /// The last complete run of a drive, by the target's name as it was typed, by its model or by
    /// its serial number.
    pub fn last_complete_of(&self, drive: &str) -> Result<Option<RunId>, LabError> {
        let is_of = |run: &&RunSummary| {
            let named = [&run.target, &run.drive.model, &run.drive.serial];
            named.into_iter().any(|name| name == drive) && run.state == RunState::Complete
        };
        let runs = self.runs()?;
        Ok(runs.iter().rev().find(is_of).map(|run| RunId(run.run)))
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
            remove_drives_without_runs(within)
        })
    }

    pub(crate) fn no_run(&self, run: RunId) -> LabError {
        LabError::NoRun {
            path: self.path.clone(),
            run: run.0,
        }
    }
}

/// Removes the drives of which there is no run any more.
pub(crate) fn remove_drives_without_runs(within: &Transaction<'_>) -> Result<(), rusqlite::Error> {
    let sql = "DELETE FROM main.drives WHERE id NOT IN (SELECT drive FROM main.runs)";
    within.execute(sql, []).map(drop)
}

pub(crate) fn summary(row: &Row<'_>) -> Result<RunSummary, rusqlite::Error> {
    let state: String = row.get(10)?;
    let state = [RunState::Unfinished, RunState::Complete]
        .into_iter()
        .find(|known| known.name() == state)
        .ok_or_else(|| rusqlite::Error::InvalidColumnType(10, "state".to_owned(), Type::Text))?;
    Ok(RunSummary {
        run: row.get(0)?,
        uuid: row.get(1)?,
        drive: Drive {
            kind: row.get(2)?,
            model: row.get(3)?,
            serial: row.get(4)?,
            firmware: row.get(5)?,
        },
        capacity_bytes: row.get::<_, i64>(6)?.cast_unsigned(),
        edition: row.get(7)?,
        edition_sha256: row.get(8)?,
        duration_scale: row.get(9)?,
        state,
        begun_unix_ms: row.get(11)?,
        saved_unix_ms: row.get(12)?,
        stend_version: row.get(13)?,
        stend_commit: row.get(14)?,
        folder: row.get(15)?,
        command: row.get(16)?,
        target: row.get(17)?,
        tests_finished: row.get(18)?,
        tests_failed: row.get(19)?,
        breaks: row.get(20)?,
    })
}
