//! Studies: their finished rows, and rows that are already known.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde_json::{Map, Value};
use stend_record::sha256_hex;
use stend_record::study::{Cell, StudyRow};
use uuid::Uuid;

use crate::{Lab, LabError};

/// The number of a study in its lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StudyId(pub i64);

/// Facts about a study that begins or resumes.
#[derive(Clone, Copy, Debug)]
pub struct StudyContext<'a> {
    /// Short name.
    pub name: &'a str,
    /// Title.
    pub title: &'a str,
    /// Definition of the study, without references to files (JSON).
    pub definition: &'a str,
    /// Names of its factors, in their order.
    pub factors: &'a [String],
    /// Factor on the durations of tests.
    pub duration_scale: f64,
    /// Number of rows when complete.
    pub rows_planned: u64,
    /// Folder of its results.
    pub folder: &'a Path,
    /// Version of stend.
    pub stend_version: &'a str,
    /// Commit of stend, if known.
    pub stend_commit: Option<&'a str>,
    /// Now, ms since 1970.
    pub now_unix_ms: i64,
}

/// A study of the lab, without its rows.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct StudySummary {
    /// Its number.
    pub study: i64,
    /// Short name.
    pub name: String,
    /// Title.
    pub title: String,
    /// Number of rows when complete.
    pub rows_planned: u64,
    /// Finished rows.
    pub rows_done: u64,
    /// Finished rows that failed.
    pub rows_failed: u64,
    /// Folder of its results.
    pub folder: String,
    /// Start, ms since 1970.
    pub begun_unix_ms: i64,
    /// Time of the last row, ms since 1970.
    pub saved_unix_ms: i64,
}

/// Returns the study with this definition, and adds it if it is new.
///
/// # Errors
/// If the lab cannot be written.
pub fn begin(lab: &mut Lab, of: &StudyContext<'_>) -> Result<StudyId, LabError> {
    let sha256 = sha256_hex(of.definition);
    lab.change(|to| {
        let sql = "SELECT id FROM studies WHERE definition_sha256 = ?1";
        let there = to.query_row(sql, [&sha256], |row| row.get(0)).optional()?;
        if let Some(id) = there {
            let sql = "UPDATE studies SET folder = ?2, saved_unix_ms = ?3 WHERE id = ?1";
            let folder = of.folder.to_string_lossy();
            to.execute(sql, params![id, folder, of.now_unix_ms])?;
            return Ok(StudyId(id));
        }
        to.execute(
            "INSERT INTO studies (uuid, name, title, definition, definition_sha256,
                duration_scale, rows_planned, folder, stend_version, stend_commit,
                begun_unix_ms, saved_unix_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11)",
            params![
                Uuid::new_v4().to_string(),
                of.name,
                of.title,
                of.definition,
                sha256,
                of.duration_scale,
                of.rows_planned.cast_signed(),
                of.folder.to_string_lossy(),
                of.stend_version,
                of.stend_commit,
                of.now_unix_ms,
            ],
        )?;
        Ok(StudyId(to.last_insert_rowid()))
    })
}

/// Writes rows of a study, each with its key, in one transaction; rows with the same numbers are
/// replaced.
///
/// # Errors
/// If the lab cannot be written.
pub fn save(
    lab: &mut Lab,
    study: StudyId,
    rows: &[(String, StudyRow)],
    of: &StudyContext<'_>,
) -> Result<(), LabError> {
    lab.change(|to| {
        for (key, row) in rows {
            save_row(to, study, key, row, of.factors)?;
        }
        let sql = "UPDATE studies SET saved_unix_ms = ?2 WHERE id = ?1";
        to.execute(sql, params![study.0, of.now_unix_ms])?;
        Ok(())
    })
}

/// Returns the known rows with these keys, of any study. Their numbers and factors are not filled
/// in.
///
/// # Errors
/// If the lab cannot be read.
pub fn known<'a>(
    lab: &Lab,
    keys: impl IntoIterator<Item = &'a str>,
) -> Result<BTreeMap<String, StudyRow>, LabError> {
    let sql = "SELECT model, seed, job, outcomes, error FROM study_rows WHERE \"key\" = ?1
        ORDER BY study DESC LIMIT 1";
    let mut rows = BTreeMap::new();
    for key in keys {
        let found = lab.row(sql, [key], |row| {
            let (seed, outcomes): (String, String) = (row.get(1)?, row.get(3)?);
            Ok(StudyRow {
                model: row.get(0)?,
                seed: seed.parse().unwrap_or(0),
                job: row.get(2)?,
                outcomes: outcomes_of(&outcomes),
                error: row.get(4)?,
                ..StudyRow::default()
            })
        })?;
        rows.extend(found.map(|row| (key.to_owned(), row)));
    }
    Ok(rows)
}

/// Returns the studies of the lab, the latest last.
///
/// # Errors
/// If the lab cannot be read.
pub fn list(lab: &Lab) -> Result<Vec<StudySummary>, LabError> {
    lab.rows(&select("ORDER BY begun_unix_ms, id"), [], summary)
}

/// Returns the query for the columns of studies, in the order in which [`summary`] reads them.
pub(crate) fn select(more: &str) -> String {
    format!(
        "SELECT id, name, title, rows_planned,
            (SELECT count(*) FROM study_rows WHERE study = id),
            (SELECT count(error) FROM study_rows WHERE study = id),
            folder, begun_unix_ms, saved_unix_ms
        FROM studies {more}"
    )
}

pub(crate) fn summary(row: &Row<'_>) -> rusqlite::Result<StudySummary> {
    let count = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
    Ok(StudySummary {
        study: row.get(0)?,
        name: row.get(1)?,
        title: row.get(2)?,
        rows_planned: count(3)?,
        rows_done: count(4)?,
        rows_failed: count(5)?,
        folder: row.get(6)?,
        begun_unix_ms: row.get(7)?,
        saved_unix_ms: row.get(8)?,
    })
}

/// A study with its definition and its rows so far, by number.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The study.
    pub summary: StudySummary,
    /// Its definition (JSON).
    pub definition: String,
    /// Its rows, with the values of the factors by their names.
    pub rows: Vec<(Map<String, Value>, StudyRow)>,
}

/// Returns a study with its first `at_most` rows; `None` if there is none with this number.
///
/// # Errors
/// If the lab cannot be read.
pub fn get(lab: &Lab, study: StudyId, at_most: u64) -> Result<Option<Stored>, LabError> {
    let summary = lab.row(&select("WHERE id = ?1"), [study.0], summary)?;
    let sql = "SELECT definition FROM studies WHERE id = ?1";
    let definition = lab.row(sql, [study.0], |row| row.get(0))?;
    let (Some(summary), Some(definition)) = (summary, definition) else {
        return Ok(None);
    };
    let sql = "SELECT \"row\", model, seed, job, factors, outcomes, error FROM study_rows
        WHERE study = ?1 ORDER BY \"row\" LIMIT ?2";
    let rows = lab.rows(sql, [study.0, at_most.cast_signed()], |row| {
        let text = |at| row.get::<_, String>(at);
        let factors = serde_json::from_str(&text(4)?).unwrap_or_default();
        let of = StudyRow {
            number: row.get::<_, i64>(0)?.cast_unsigned(),
            model: text(1)?,
            seed: text(2)?.parse().unwrap_or(0),
            job: text(3)?,
            outcomes: outcomes_of(&text(5)?),
            error: row.get(6)?,
            ..StudyRow::default()
        };
        Ok((factors, of))
    })?;
    Ok(Some(Stored {
        summary,
        definition,
        rows,
    }))
}

/// Stores the curve of a row under its key: requests a second in intervals of equal length.
///
/// # Errors
/// If the lab cannot be written.
pub fn keep_curve(lab: &mut Lab, key: &str, interval_s: f64, iops: &[f64]) -> Result<(), LabError> {
    let text = serde_json::to_string(iops).unwrap_or_default();
    lab.change(|to| {
        let sql = "INSERT OR REPLACE INTO study_curves (\"key\", interval_s, iops)
            VALUES (?1, ?2, ?3)";
        to.execute(sql, params![key, interval_s, text]).map(drop)
    })
}

/// Returns the curve of the row with this key, if it was stored: the length of its intervals, s,
/// and the requests a second in each.
///
/// # Errors
/// If the lab cannot be read.
pub fn curve(lab: &Lab, key: &str) -> Result<Option<(f64, Vec<f64>)>, LabError> {
    let sql = "SELECT interval_s, iops FROM study_curves WHERE \"key\" = ?1";
    lab.row(sql, [key], |row| {
        let text: String = row.get(1)?;
        Ok((row.get(0)?, serde_json::from_str(&text).unwrap_or_default()))
    })
}

fn save_row(
    to: &Transaction<'_>,
    study: StudyId,
    key: &str,
    row: &StudyRow,
    factors: &[String],
) -> rusqlite::Result<()> {
    let cell = |cell: &Cell| serde_json::to_value(cell).unwrap_or_default();
    let named = factors.iter().zip(&row.factors);
    let of_factors: Map<String, Value> = named.map(|(n, value)| (n.clone(), cell(value))).collect();
    // A list of pairs, in the order of the columns.
    let outcomes = serde_json::to_string(&row.outcomes).unwrap_or_default();
    let sql = "INSERT OR REPLACE INTO study_rows
            (study, \"row\", \"key\", model, seed, job, factors, outcomes, error)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let parameters = params![
        study.0,
        row.number.cast_signed(),
        key,
        row.model,
        row.seed.to_string(),
        row.job,
        Value::Object(of_factors).to_string(),
        outcomes,
        row.error,
    ];
    to.prepare_cached(sql)?.execute(parameters).map(drop)
}

fn outcomes_of(text: &str) -> Vec<(String, f64)> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Takes over the studies of the attached database `other` that are not here, or have fewer rows
/// here. How many.
pub(crate) fn merge(within: &Transaction<'_>) -> rusqlite::Result<u32> {
    const OF_STUDY: &str = "uuid, name, title, definition, definition_sha256, duration_scale, \
        rows_planned, folder, stend_version, stend_commit, begun_unix_ms, saved_unix_ms";
    let count = |lab: &str| format!("(SELECT count(*) FROM {lab}.study_rows WHERE study = id)");
    let (theirs, ours) = (count("other"), count("main"));
    let sql = format!(
        "SELECT id, uuid FROM other.studies AS their WHERE NOT EXISTS (
            SELECT 1 FROM main.studies AS our WHERE our.uuid = their.uuid AND {} >= {})",
        ours.replace("study = id", "study = our.id"),
        theirs.replace("study = id", "study = their.id")
    );
    let wanted: Vec<(i64, String)> = within
        .prepare(&sql)?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (id, uuid) in &wanted {
        within.execute("DELETE FROM main.studies WHERE uuid = ?1", [uuid])?;
        let sql = format!(
            "INSERT INTO main.studies ({OF_STUDY}) SELECT {OF_STUDY} FROM other.studies \
             WHERE id = ?1"
        );
        within.execute(&sql, [id])?;
        let here = within.last_insert_rowid();
        within.execute(
            "INSERT INTO main.study_rows
                (study, \"row\", \"key\", model, seed, job, factors, outcomes, error)
             SELECT ?1, \"row\", \"key\", model, seed, job, factors, outcomes, error
             FROM other.study_rows WHERE study = ?2",
            params![here, id],
        )?;
    }
    Ok(wanted.len() as u32)
}
