//! Merges another lab into this one.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Transaction, params};

use crate::columns::{OF_SERIES, POINTS, SERIES, Table};
use crate::drives;
use crate::runs::RunState;
use crate::{Lab, LabError, RunId};

/// Result of a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Merged {
    /// New runs.
    pub added: u32,
    /// Runs that were unfinished here, and are complete or have more tests there.
    pub replaced: u32,
    /// Runs that were as complete here as there, or more.
    pub known: u32,
    /// Studies that were new, or had fewer rows here.
    pub studies: u32,
    /// New jobs and replays.
    pub recorded: u32,
}

/// Tables whose rows belong to a run, with their columns beside `run`.
const OF_RUN: [(&str, &str); 3] = [
    ("breaks", "position, resumed_unix_ms, tests_finished"),
    ("conditions", "kind, position, name, of_name, value, text"),
    ("smart", "moment, document"),
];

impl Lab {
    /// Opens a lab that is to be merged into another one.
    ///
    /// # Errors
    /// If it cannot be read, or does not exist.
    pub fn look_to_merge(other: &Path) -> Result<Lab, LabError> {
        Lab::look(other)?.ok_or_else(|| LabError::Missing(other.to_path_buf()))
    }

    /// Copies the runs of another lab, which does not change. Two runs are the same if their UUIDs
    /// are; of these, the more complete one is kept.
    ///
    /// # Errors
    /// If the other lab cannot be read or is this one; then nothing is changed.
    pub fn merge(&mut self, other: &Path) -> Result<Merged, LabError> {
        // It would wait for its own write.
        let [ours, named] = [self.path(), other].map(Path::canonicalize);
        if matches!((ours, named), (Ok(ours), Ok(named)) if ours == named) {
            return Err(LabError::Itself(other.to_path_buf()));
        }
        let their_runs = Lab::look_to_merge(other)?.runs()?;
        let ours: BTreeMap<String, (i64, RunState, u32)> = self
            .runs()?
            .into_iter()
            .map(|run| (run.uuid, (run.run, run.state, run.tests_finished)))
            .collect();
        let mut merged = Merged::default();
        let mut wanted = Vec::new();
        let mut superseded = Vec::new();
        for run in &their_runs {
            match ours.get(&run.uuid) {
                None => merged.added += 1,
                Some(&(id, RunState::Unfinished, tests))
                    if run.state == RunState::Complete || run.tests_finished > tests =>
                {
                    merged.replaced += 1;
                    superseded.push(RunId(id));
                }
                Some(_) => {
                    merged.known += 1;
                    continue;
                }
            }
            wanted.push(run.run);
        }
        // The same way in which it was read.
        let name = match crate::open_read_only(other.as_os_str(), crate::BUSY_TIMEOUT) {
            Err(error) if crate::cannot_open(&error) => {
                let uri = crate::uri(other, "immutable=1");
                uri.unwrap_or_else(|| other.to_string_lossy().into_owned())
            }
            _ => other.to_string_lossy().into_owned(),
        };
        self.connection
            .execute("ATTACH DATABASE ?1 AS other", params![name])
            .map_err(|error| LabError::of(error, other))?;
        let done = self.change(|within| {
            drives::merge(within)?;
            copy(within, &wanted, &superseded)?;
            let added = [
                crate::studies::merge(within)?,
                crate::recorded::merge(within)?,
            ];
            drives::remove_unused(within)?;
            Ok(added)
        });
        let detached = self.connection.execute("DETACH DATABASE other", []);
        detached.map_err(|error| self.failed(error))?;
        [merged.studies, merged.recorded] = done?;
        Ok(merged)
    }
}

fn copy(
    within: &Transaction<'_>,
    wanted: &[i64],
    superseded: &[RunId],
) -> Result<(), rusqlite::Error> {
    for run in superseded {
        within.execute("DELETE FROM main.runs WHERE id = ?1", params![run.0])?;
    }
    let mut run_of = BTreeMap::new();
    for &run in wanted {
        run_of.insert(run, copy_run(within, run, None)?);
    }
    for (&theirs, &ours) in &run_of {
        let rivals: Vec<(i64, i64)> = within
            .prepare_cached("SELECT position, rival FROM other.rivals WHERE run = ?1")?
            .query_map(params![theirs], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        for (position, rival) in rivals {
            // A run that was here already is found by its UUID.
            within.execute(
                "INSERT INTO main.rivals (run, position, rival)
                 SELECT ?1, ?2, mine.id FROM other.runs AS their
                 JOIN main.runs AS mine ON mine.uuid = their.uuid WHERE their.id = ?3",
                params![ours, position, rival],
            )?;
        }
    }
    Ok(())
}

/// Copies a run without its rivals, with the number `number` or the next one; returns its number
/// here.
pub(crate) fn copy_run(
    within: &Transaction<'_>,
    run: i64,
    number: Option<i64>,
) -> Result<i64, rusqlite::Error> {
    const COLUMNS: &str = "uuid, target, capacity_bytes, edition, edition_title, edition_sha256, \
        seed, duration_scale, state, command, folder, stend_version, stend_commit, \
        begun_unix_ms, saved_unix_ms, label, note, measurement_key, rest";
    let key = drives::KEY;
    within.execute(
        &format!(
            "INSERT INTO main.runs (id, drive, {COLUMNS})
             SELECT ?2, mine.id, {COLUMNS} FROM other.runs
             JOIN other.drives AS their ON their.id = other.runs.drive
             JOIN main.drives AS mine USING ({key})
             WHERE other.runs.id = ?1"
        ),
        params![run, number],
    )?;
    let ours = within.last_insert_rowid();
    for (table, columns) in OF_RUN {
        copy_rows(within, table, "run", (run, ours), columns)?;
    }
    let tests = copy_children(
        within,
        "tests",
        "run",
        (run, ours),
        "position, test, title, method, state, error, saved_unix_ms, sha256, rest",
    )?;
    for of_test in tests {
        copy_rows(within, "points", "test", of_test, &columns_of(&POINTS))?;
        for of_series in copy_children(within, "series", "test", of_test, &columns_of(&SERIES))? {
            for table in OF_SERIES.iter() {
                let columns = columns_of(table);
                copy_rows(within, table.name, table.owner, of_series, &columns)?;
            }
        }
    }
    Ok(ours)
}

fn columns_of(table: &Table) -> String {
    format!("position, {}", table.names())
}

/// Copies the rows that belong to another row.
fn copy_rows(
    within: &Transaction<'_>,
    table: &str,
    owner: &str,
    (theirs, ours): (i64, i64),
    columns: &str,
) -> Result<(), rusqlite::Error> {
    let sql = format!(
        "INSERT INTO main.{table} ({owner}, {columns})
         SELECT ?1, {columns} FROM other.{table} WHERE {owner} = ?2"
    );
    within.execute(&sql, params![ours, theirs]).map(drop)
}

/// Copies rows that have ids and belong to another row; returns both ids of each.
fn copy_children(
    within: &Transaction<'_>,
    table: &str,
    owner: &str,
    (theirs, ours): (i64, i64),
    columns: &str,
) -> Result<Vec<(i64, i64)>, rusqlite::Error> {
    let ids: Vec<i64> = within
        .prepare_cached(&format!("SELECT id FROM other.{table} WHERE {owner} = ?1"))?
        .query_map(params![theirs], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut pairs = Vec::new();
    for id in ids {
        within
            .prepare_cached(&format!(
                "INSERT INTO main.{table} ({owner}, {columns})
                 SELECT ?1, {columns} FROM other.{table} WHERE id = ?2"
            ))?
            .execute(params![ours, id])?;
        pairs.push((id, within.last_insert_rowid()));
    }
    Ok(pairs)
}
